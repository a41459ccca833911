use super::*;

fn strict(text: &str) -> Vec<String> {
    let (_, findings) = SkillMd::read(text.as_bytes(), "pdf", Reading::Strict);
    findings.iter().map(|finding| format!("{} {finding}", finding.severity.name())).collect()
}

fn lenient(text: &str) -> SkillMd {
    SkillMd::parse(text.as_bytes(), "pdf", Reading::Lenient).unwrap()
}

const GOOD: &str = "---\nname: pdf\ndescription: Reads PDF --- all of it. Use it for PDFs.\nlicense: MIT\n\
                    compatibility: Needs nothing\nmetadata:\n  author: me\n  version: 1.0\n\
                    allowed-tools: Bash(git add:*) Read\n---\n\n# PDF\n\nDo it.\n---\nMore.\n";

#[test]
fn everything_is_read() {
    for reading in [Reading::Strict, Reading::Lenient] {
        let skill = SkillMd::parse(GOOD.as_bytes(), "pdf", reading).unwrap();
        let metadata =
            [("author", "me"), ("version", "1.0")].map(|(a, b)| (a.to_owned(), b.to_owned()));
        let wanted = SkillMd {
            name: "pdf".into(),
            description: "Reads PDF --- all of it. Use it for PDFs.".into(),
            license: Some("MIT".into()),
            compatibility: Some("Needs nothing".into()),
            metadata: metadata.into(),
            allowed_tools: vec!["Bash(git add:*)".into(), "Read".into()],
            body: "# PDF\n\nDo it.\n---\nMore.".into(),
            warnings: Vec::new(),
        };
        assert_eq!(skill, wanted);
    }
}

#[test]
fn strict_reading_reports_everything_at_once() {
    let text = "---\nname: PDF Tools\ncompatibility:\nallowed-tools: [Read]\nmetdata: {a: b}\nversion: 1\nmetadata:\n  a:\n    b: c\n---\n";
    insta::assert_snapshot!(strict(text).join("\n"), @r"
    error SKILL.md:1: description: expected a text, got nothing; say what the skill does and when to use it, in one or two sentences
    error SKILL.md:2: name: expected lower-case letters, got `PDF Tools`; write `pdf-tools`
    error SKILL.md:2: name: expected letters, digits and hyphens, got ` ` in `PDF Tools`; write `pdf-tools`
    error SKILL.md:2: name: expected the folder's name `pdf`, got `PDF Tools`; rename the folder or the skill
    warning SKILL.md:3: compatibility: empty; leave the key out
    error SKILL.md:4: allowed-tools: expected plain YAML, got a collection in brackets; the reference of the standard does not read it; write plain text and indented lines
    error SKILL.md:4: allowed-tools: expected tools in one line, got a list; write them behind the colon, separated by spaces
    error SKILL.md:5: metdata: expected plain YAML, got a collection in brackets; the reference of the standard does not read it; write plain text and indented lines
    error SKILL.md:5: `metdata` is no key of the standard; did you mean `metadata`?
    error SKILL.md:6: `version` is no key of the standard; put it under `metadata`, or leave it out
    error SKILL.md:8: metadata.a: expected a text, got a mapping; write it as text behind the colon
    ");
}

#[test]
fn strict_errors_carry_all_problems() {
    let error = SkillMd::parse(b"---\nname: Pdf\n---\nx", "pdf", Reading::Strict).unwrap_err();
    insta::assert_snapshot!(error.render(), @r"
    SKILL.md: 2 problems
    SKILL.md:1: description: expected a text, got nothing; say what the skill does and when to use it, in one or two sentences
    SKILL.md:2: name: expected lower-case letters, got `Pdf`; write `pdf`
    ");
}

#[test]
fn what_cannot_be_read_at_all() {
    for (text, wanted) in [
        ("", "error SKILL.md:1: expected front matter"),
        ("# PDF\n", "error SKILL.md:1: expected front matter"),
        ("\n---\nname: pdf\n---\n", "error SKILL.md:1: expected front matter"),
        ("---\nname: pdf\ndescription: x ---\n", "error SKILL.md:1: front matter is not closed"),
        ("---\nname: pdf\ndescription: x: y\n---\n", "error SKILL.md:3: front matter is not YAML"),
        ("---\nname: pdf\nname: pdf\n---\n", "error SKILL.md:3: front matter is not YAML"),
        (
            "\u{feff}---\nname: pdf\ndescription: x\n---\ny",
            "error SKILL.md:1: expected `---` at the very beginning",
        ),
        ("---\r\nname: pdf\r\ndescription: x\r\n---\r\ny", "warning SKILL.md:1: line ends"),
    ] {
        let found = strict(text);
        assert!(found.len() == 1 && found[0].starts_with(wanted), "{text:?}: {found:?}");
    }
}

#[test]
fn lenient_reading_saves_what_it_can() {
    for (text, name, description, warning) in [
        ("---\ndescription: x\n---\ny", "pdf", "x", "name: expected a name"),
        (
            "---\nname: other\ndescription: x\n---\ny",
            "other",
            "x",
            "expected the folder's name `pdf`",
        ),
        ("---\nname: PDF Tools\ndescription: x\n---\ny", "pdf-tools", "x", "lower-case letters"),
        ("---\nname: '!!'\ndescription: x\n---\ny", "pdf", "x", "letters, digits and hyphens"),
        ("\u{feff}---\nname: pdf\ndescription: x\n---\ny", "pdf", "x", "byte order mark"),
        ("---\r\nname: pdf\r\ndescription: x\r\n---\r\ny", "pdf", "x", "line ends"),
        ("\n\n---\nname: pdf\ndescription: x\n---\ny", "pdf", "x", "blank space"),
        (
            "---\nname: pdf\ndescription: Use it: always\n---\ny",
            "pdf",
            "Use it: always",
            "not YAML",
        ),
        ("---\nname: pdf\n\tdescription: x\n---\ny", "pdf", "x", "not YAML"),
        ("---\nname:\tpdf\ndescription: >\n\ta\n\tb\n---\ny", "pdf", "a b", "not YAML"),
        ("---\nname: pdf\ndescription: x\nmodel: big\n---\ny", "pdf", "x", "`model` is no key"),
        ("---\nname: pdf\ndescription: x\nallowed-tools: [A, B]\n---\ny", "pdf", "x", "got a list"),
        (
            "---\nname: pdf\n---\n# PDF\n\nReads\nit.\n\nMore.",
            "pdf",
            "Reads it.",
            "description: expected a text",
        ),
        ("# PDF\n\nReads it.\n", "pdf", "Reads it.", "expected front matter"),
        ("---\nname: pdf\ndescription: x\n\n# PDF\n", "pdf", "x", "not closed"),
    ] {
        let skill = lenient(text);
        assert_eq!(
            (skill.name.as_str(), skill.description.as_str()),
            (name, description),
            "{text}"
        );
        let warnings: Vec<_> = skill.warnings.iter().map(Finding::to_string).collect();
        assert!(warnings.iter().any(|found| found.contains(warning)), "{text}: {warnings:?}");
        assert!(skill.warnings.iter().all(|finding| !finding.is_error()));
    }
    assert_eq!(
        lenient("---\nname: pdf\ndescription: x\nallowed-tools: [A, B]\n---\n").allowed_tools,
        ["A", "B"]
    );
}

#[test]
fn lenient_reading_is_bounded() {
    let long = "年".repeat(2_000);
    let skill = lenient(&format!(
        "---\nname: {}\ndescription: {long}\ncompatibility: {long}\n---\n",
        "a".repeat(100)
    ));
    let counts = (
        skill.name.len(),
        skill.description.chars().count(),
        skill.compatibility.unwrap().chars().count(),
    );
    assert_eq!(counts, (64, 1024, 500));
    for (content, wanted) in [
        ("x".repeat(300_000), "262144 bytes"),
        (
            format!("---\nname: pdf\n# {}\n---\n", "x".repeat(70_000)),
            "front matter of at most 65536 bytes",
        ),
        ("---\nname: pdf\n---\n".to_owned(), "description: none"),
        (String::new(), "description: none"),
    ] {
        let error = SkillMd::parse(content.as_bytes(), "pdf", Reading::Lenient).unwrap_err();
        assert!(error.render().contains(wanted), "{}", error.render());
    }
    let error = SkillMd::parse(b"text", "!!", Reading::Lenient).unwrap_err();
    assert!(error.render().contains("the folder's name cannot stand for it"), "{}", error.render());
}

#[test]
fn other_encodings_are_reported() {
    let content = b"---\nname: pdf\ndescription: caf\xe9\n---\nx";
    assert!(
        SkillMd::parse(content, "pdf", Reading::Strict)
            .unwrap_err()
            .render()
            .contains("expected UTF-8")
    );
    let skill = SkillMd::parse(content, "pdf", Reading::Lenient).unwrap();
    assert_eq!(skill.description, "caf\u{fffd}");
}

#[test]
fn a_folder_with_only_a_skill_md_is_a_skill() {
    let folder = tempfile::tempdir().unwrap();
    let skill = folder.path().join("pdf");
    std::fs::create_dir(&skill).unwrap();
    let error = SkillMd::from_folder(&skill, Reading::Lenient).unwrap_err();
    assert!(error.to_string().starts_with("no SKILL.md in "), "{error}");
    std::fs::write(skill.join("SKILL.md"), GOOD).unwrap();
    assert_eq!(SkillMd::from_folder(&skill, Reading::Strict).unwrap().name, "pdf");
}

#[test]
#[cfg(unix)]
fn a_link_is_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("secret"), GOOD).unwrap();
    std::os::unix::fs::symlink(folder.path().join("secret"), folder.path().join("SKILL.md"))
        .unwrap();
    let error = SkillMd::from_folder(folder.path(), Reading::Lenient).unwrap_err();
    assert!(error.to_string().contains("expected a file, got a link"), "{error}");
}
