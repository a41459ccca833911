//! `SKILL.md` as judged by the reference implementation of the Agent Skills standard: `agentskills validate` of skills-ref
//! 0.1.1.
//!
//! The verdicts were recorded, so that no Python is needed; if the command is installed, they are checked again.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use mitt::skill::{Reading, SkillMd};

use crate::support::root;

/// Description, name of the folder, content, and whether the reference accepts it. `<a*9>` stands for nine times `a`.
type Case = (&'static str, &'static str, &'static str, bool);

/// Cases in which both agree.
#[rustfmt::skip]
const JUDGED_BY_BOTH: &[Case] = &[
    ("minimal", "pdf", "---\nname: pdf\ndescription: Reads PDF files. Use it for PDFs.\n---\nbody\n", true),
    ("all keys", "pdf", "---\nname: pdf\ndescription: Reads PDF files. Use it for PDFs.\nlicense: MIT\ncompatibility: Needs git\nmetadata:\n  author: me\n  version: 1.0\nallowed-tools: Bash(git:*) Read\n---\nbody\n", true),
    ("no body", "pdf", "---\nname: pdf\ndescription: Reads PDF files. Use it for PDFs.\n---", true),
    ("empty file", "pdf", "", false),
    ("no front matter", "pdf", "# PDF\n", false),
    ("blank line first", "pdf", "\n---\nname: pdf\ndescription: Reads PDF files. Use it for PDFs.\n---\nbody\n", false),
    ("not closed", "pdf", "---\nname: pdf\ndescription: Reads PDF files. Use it for PDFs.\nbody\n", false),
    ("empty front matter", "pdf", "---\n---\nbody\n", false),
    ("only a comment", "pdf", "---\n# nothing\n---\nbody\n", false),
    ("a list", "pdf", "---\n- name\n---\nbody\n", false),
    ("a text", "pdf", "---\njust text\n---\nbody\n", false),
    ("comment behind the mark", "pdf", "--- # front\nname: pdf\ndescription: Reads PDF files. Use it for PDFs.\n---\nbody\n", true),
    ("spaces behind the marks", "pdf", "---  \nname: pdf\ndescription: Reads PDF files. Use it for PDFs.\n---  \nbody\n", true),
    ("crlf", "pdf", "---\r\nname: pdf\r\ndescription: Reads PDF files. Use it for PDFs.\r\n---\r\nbody\r\n", true),
    ("byte order mark", "pdf", "\u{feff}---\nname: pdf\ndescription: Reads PDF files. Use it for PDFs.\n---\nbody\n", false),
    ("name missing", "pdf", "---\ndescription: Reads PDF files. Use it for PDFs.\n---\nbody\n", false),
    ("name empty", "pdf", "---\nname:\ndescription: Reads PDF files. Use it for PDFs.\n---\nbody\n", false),
    ("name blank", "pdf", "---\nname: '  '\ndescription: Reads PDF files. Use it for PDFs.\n---\nbody\n", false),
    ("name of another folder", "docx", "---\nname: pdf\ndescription: Reads PDF files. Use it for PDFs.\n---\nbody\n", false),
    ("name upper case", "Pdf", "---\nname: Pdf\ndescription: Reads PDF files. Use it for PDFs.\n---\nbody\n", false),
    ("name with underscore", "a_b", "---\nname: a_b\ndescription: Reads PDF files. Use it for PDFs.\n---\nbody\n", false),
    ("name with space", "a b", "---\nname: a b\ndescription: Reads PDF files. Use it for PDFs.\n---\nbody\n", false),
    ("name with dot", "a.b", "---\nname: a.b\ndescription: Reads PDF files. Use it for PDFs.\n---\nbody\n", false),
    ("name begins with hyphen", "-a", "---\nname: -a\ndescription: Reads PDF files. Use it for PDFs.\n---\nbody\n", false),
    ("name ends with hyphen", "a-", "---\nname: a-\ndescription: Reads PDF files. Use it for PDFs.\n---\nbody\n", false),
    ("name with two hyphens", "a--b", "---\nname: a--b\ndescription: Reads PDF files. Use it for PDFs.\n---\nbody\n", false),
    ("name of 64", "<a*64>", "---\nname: <a*64>\ndescription: Reads PDF files. Use it for PDFs.\n---\nbody\n", true),
    ("name of 65", "<a*65>", "---\nname: <a*65>\ndescription: Reads PDF files. Use it for PDFs.\n---\nbody\n", false),
    ("name begins with digit", "3d", "---\nname: 3d\ndescription: Reads PDF files. Use it for PDFs.\n---\nbody\n", true),
    ("name a number", "123", "---\nname: 123\ndescription: Reads PDF files. Use it for PDFs.\n---\nbody\n", true),
    ("name true", "true", "---\nname: true\ndescription: Reads PDF files. Use it for PDFs.\n---\nbody\n", true),
    ("name null", "null", "---\nname: null\ndescription: Reads PDF files. Use it for PDFs.\n---\nbody\n", true),
    ("name Chinese", "数据", "---\nname: 数据\ndescription: Reads PDF files. Use it for PDFs.\n---\nbody\n", true),
    ("name Russian upper", "Данные", "---\nname: Данные\ndescription: Reads PDF files. Use it for PDFs.\n---\nbody\n", false),
    ("name decomposed, folder composed", "café", "---\nname: cafe\u{301}\ndescription: Reads PDF files. Use it for PDFs.\n---\nbody\n", true),
    ("name full width", "pdf", "---\nname: \u{ff50}\u{ff44}\u{ff46}\ndescription: Reads PDF files. Use it for PDFs.\n---\nbody\n", true),
    ("name with combining mark", "ab\u{902}", "---\nname: ab\u{902}\ndescription: Reads PDF files. Use it for PDFs.\n---\nbody\n", false),
    ("name with roman numeral", "x\u{2160}", "---\nname: x\u{2160}\ndescription: Reads PDF files. Use it for PDFs.\n---\nbody\n", false),
    ("name with superscript", "x\u{b2}", "---\nname: x\u{b2}\ndescription: Reads PDF files. Use it for PDFs.\n---\nbody\n", true),
    ("name with emoji", "x😀", "---\nname: x😀\ndescription: Reads PDF files. Use it for PDFs.\n---\nbody\n", false),
    ("name quoted", "pdf", "---\nname: \"pdf\"\ndescription: Reads PDF files. Use it for PDFs.\n---\nbody\n", true),
    ("name with comment", "pdf", "---\nname: pdf # the name\ndescription: Reads PDF files. Use it for PDFs.\n---\nbody\n", true),
    ("name a list", "pdf", "---\nname:\n  - pdf\ndescription: Reads PDF files. Use it for PDFs.\n---\nbody\n", false),
    ("name a mapping", "pdf", "---\nname:\n  a: pdf\ndescription: Reads PDF files. Use it for PDFs.\n---\nbody\n", false),
    ("description missing", "pdf", "---\nname: pdf\n---\nbody\n", false),
    ("description empty", "pdf", "---\nname: pdf\ndescription:\n---\nbody\n", false),
    ("description blank", "pdf", "---\nname: pdf\ndescription: '   '\n---\nbody\n", false),
    ("description of 1024", "pdf", "---\nname: pdf\ndescription: <a*1024>\n---\nbody\n", true),
    ("description of 1025", "pdf", "---\nname: pdf\ndescription: <a*1025>\n---\nbody\n", false),
    ("description of 1024 Chinese", "pdf", "---\nname: pdf\ndescription: <年*1024>\n---\nbody\n", true),
    ("description of 1024 in a block", "pdf", "---\nname: pdf\ndescription: |\n  <a*1024>\n---\nbody\n", false),
    ("description with colon", "pdf", "---\nname: pdf\ndescription: Use it: always\n---\nbody\n", false),
    ("description with colon, quoted", "pdf", "---\nname: pdf\ndescription: 'Use it: always'\n---\nbody\n", true),
    ("description with colon at the end", "pdf", "---\nname: pdf\ndescription: Use it for\n---\nbody\n", true),
    ("description with hash", "pdf", "---\nname: pdf\ndescription: Reads C# and more #1\n---\nbody\n", true),
    ("description begins with @", "pdf", "---\nname: pdf\ndescription: @me\n---\nbody\n", false),
    ("description begins with backtick", "pdf", "---\nname: pdf\ndescription: `pdf` files\n---\nbody\n", false),
    ("description begins with %", "pdf", "---\nname: pdf\ndescription: %pdf\n---\nbody\n", false),
    ("description folded", "pdf", "---\nname: pdf\ndescription: >-\n  Reads PDF files.\n  Use it.\n---\nbody\n", true),
    ("description literal", "pdf", "---\nname: pdf\ndescription: |\n  Reads PDF files.\n\n  Use it.\n---\nbody\n", true),
    ("description over lines", "pdf", "---\nname: pdf\ndescription: Reads PDF files.\n  Use it.\n---\nbody\n", true),
    ("description a number", "pdf", "---\nname: pdf\ndescription: 42\n---\nbody\n", true),
    ("description a list", "pdf", "---\nname: pdf\ndescription:\n  - a\n---\nbody\n", false),
    ("description with tab", "pdf", "---\nname: pdf\ndescription: a\tb\n---\nbody\n", false),
    ("tab behind the colon", "pdf", "---\nname:\tpdf\ndescription: Reads PDF files. Use it for PDFs.\n---\nbody\n", false),
    ("tab indents", "pdf", "---\nname: pdf\ndescription: Reads PDF files. Use it for PDFs.\nmetadata:\n\tauthor: me\n---\nbody\n", false),
    ("tab in quotes", "pdf", "---\nname: pdf\ndescription: 'a\tb'\n---\nbody\n", true),
    ("tab in a block", "pdf", "---\nname: pdf\ndescription: |\n  a\tb\n---\nbody\n", true),
    ("tab behind a value", "pdf", "---\nname: pdf\t\ndescription: Reads PDF files. Use it for PDFs.\n---\nbody\n", false),
    ("tab behind a quoted value", "pdf", "---\nname: 'pdf'\t\ndescription: Reads PDF files. Use it for PDFs.\n---\nbody\n", false),
    ("tab in a comment", "pdf", "---\nname: pdf # a\tb\ndescription: Reads PDF files. Use it for PDFs.\n---\nbody\n", true),
    ("tab before a comment", "pdf", "---\nname: pdf\t# a\ndescription: Reads PDF files. Use it for PDFs.\n---\nbody\n", false),
    ("tab in an empty line", "pdf", "---\nname: pdf\n\t\ndescription: Reads PDF files. Use it for PDFs.\n---\nbody\n", false),
    ("tab before a quoted value", "pdf", "---\nname:\t'pdf'\ndescription: Reads PDF files. Use it for PDFs.\n---\nbody\n", false),
    ("tab in a folded line", "pdf", "---\nname: pdf\ndescription: Reads\n\tPDF\n---\nbody\n", false),
    ("tab in metadata", "pdf", "---\nname: pdf\ndescription: Reads PDF files. Use it for PDFs.\nmetadata:\n  a: b\tc\n---\nbody\n", false),
    ("tab in a comment line", "pdf", "---\n# a\tb\nname: pdf\ndescription: Reads PDF files. Use it for PDFs.\n---\nbody\n", true),
    ("description with emoji", "pdf", "---\nname: pdf\ndescription: Reads 📄 files\n---\nbody\n", true),
    ("compatibility of 500", "pdf", "---\nname: pdf\ndescription: Reads PDF files. Use it for PDFs.\ncompatibility: <a*500>\n---\nbody\n", true),
    ("compatibility of 501", "pdf", "---\nname: pdf\ndescription: Reads PDF files. Use it for PDFs.\ncompatibility: <a*501>\n---\nbody\n", false),
    ("compatibility empty", "pdf", "---\nname: pdf\ndescription: Reads PDF files. Use it for PDFs.\ncompatibility:\n---\nbody\n", true),
    ("compatibility a list", "pdf", "---\nname: pdf\ndescription: Reads PDF files. Use it for PDFs.\ncompatibility:\n  - git\n---\nbody\n", false),
    ("license empty", "pdf", "---\nname: pdf\ndescription: Reads PDF files. Use it for PDFs.\nlicense:\n---\nbody\n", true),
    ("metadata empty", "pdf", "---\nname: pdf\ndescription: Reads PDF files. Use it for PDFs.\nmetadata:\n---\nbody\n", true),
    ("unknown key", "pdf", "---\nname: pdf\ndescription: Reads PDF files. Use it for PDFs.\nversion: 1.0.0\n---\nbody\n", false),
    ("unknown keys", "pdf", "---\nname: pdf\ndescription: Reads PDF files. Use it for PDFs.\nmodel: big\ntools: Read\n---\nbody\n", false),
    ("key in upper case", "pdf", "---\nName: pdf\ndescription: Reads PDF files. Use it for PDFs.\n---\nbody\n", false),
    ("duplicate key", "pdf", "---\nname: pdf\ndescription: Reads PDF files. Use it for PDFs.\nname: pdf\n---\nbody\n", false),
    ("duplicate key in metadata", "pdf", "---\nname: pdf\ndescription: Reads PDF files. Use it for PDFs.\nmetadata:\n  a: b\n  a: c\n---\nbody\n", false),
    ("flow mapping", "pdf", "---\nname: pdf\ndescription: Reads PDF files. Use it for PDFs.\nmetadata: {author: me}\n---\nbody\n", false),
    ("flow list", "pdf", "---\nname: pdf\ndescription: Reads PDF files. Use it for PDFs.\nallowed-tools: [Read, Bash]\n---\nbody\n", false),
    ("flow list deeper", "pdf", "---\nname: pdf\ndescription: Reads PDF files. Use it for PDFs.\nmetadata:\n  tags: [a, b]\n---\nbody\n", false),
    ("anchor", "pdf", "---\nname: &n pdf\ndescription: Reads PDF files. Use it for PDFs.\n---\nbody\n", false),
    ("alias", "pdf", "---\nname: &n pdf\ndescription: *n\n---\nbody\n", false),
    ("tag", "pdf", "---\nname: !!str pdf\ndescription: Reads PDF files. Use it for PDFs.\n---\nbody\n", false),
    ("braces in text", "pdf", "---\nname: pdf\ndescription: Reads {a} and [b] & *c* !d\n---\nbody\n", true),
    ("two documents", "pdf", "---\nname: pdf\ndescription: Reads PDF files. Use it for PDFs.\n...\n---\nbody\n", true),
    ("rule in the body", "pdf", "---\nname: pdf\ndescription: Reads PDF files. Use it for PDFs.\n---\nbody\n\n---\n\nmore\n", true),
    ("front matter indented", "pdf", "---\n  name: pdf\n  description: Reads PDF files. Use it for PDFs.\n---\nbody\n", true),
    ("keys quoted", "pdf", "---\n'name': pdf\n\"description\": Reads PDF files.\n---\nbody\n", true),
    ("blank lines and comments", "pdf", "---\n\n# c\nname: pdf\n\ndescription: Reads PDF files. Use it for PDFs.\n\n---\nbody\n", true),
    ("value is missing its colon", "pdf", "---\nname pdf\ndescription: Reads PDF files. Use it for PDFs.\n---\nbody\n", false),
    ("broken quotes", "pdf", "---\nname: 'pdf\ndescription: Reads PDF files. Use it for PDFs.\n---\nbody\n", false),
    ("control character", "pdf", "---\nname: pdf\ndescription: a\u{7}b\n---\nbody\n", false),
    ("windows path in quotes", "pdf", "---\nname: pdf\ndescription: \"C:\\Users\"\n---\nbody\n", false),
];

/// Cases that the standard forbids and the reference does not check; Mitt refuses them.
#[rustfmt::skip]
const JUDGED_BY_MITT: &[Case] = &[
    ("metadata a text", "pdf", "---\nname: pdf\ndescription: Reads PDF files. Use it for PDFs.\nmetadata: text\n---\nbody\n", true),
    ("metadata nested", "pdf", "---\nname: pdf\ndescription: Reads PDF files. Use it for PDFs.\nmetadata:\n  a:\n    b: c\n---\nbody\n", true),
    ("license a list", "pdf", "---\nname: pdf\ndescription: Reads PDF files. Use it for PDFs.\nlicense:\n  - MIT\n---\nbody\n", true),
    ("allowed-tools a list", "pdf", "---\nname: pdf\ndescription: Reads PDF files. Use it for PDFs.\nallowed-tools:\n  - Read\n---\nbody\n", true),
];

/// The known bug of the reference: it takes `---` anywhere for the end of the front matter. The verdict of Mitt follows that
/// of the reference.
#[rustfmt::skip]
const BUG: &[(Case, bool)] = &[
    (("three hyphens in the description", "pdf", "---\nname: pdf\ndescription: Reads PDF --- all of it\n---\nbody\n", true), true),
    (("three hyphens before the description", "pdf", "---\nname: pdf # --- x\ndescription: Reads PDF files\n---\nbody\n", false), true),
    (("three hyphens quoted", "pdf", "---\nname: pdf\ndescription: 'a --- b'\n---\nbody\n", false), true),
    (("three hyphens in a block", "pdf", "---\nname: pdf\ndescription: |\n  a\n  ---\n  b\n---\nbody\n", true), true),
    (("closed by an indented mark", "pdf", "---\nname: pdf\ndescription: Reads PDF files. Use it for PDFs.\n  ---\nbody\n", true), false),
    (("closed behind text", "pdf", "---\nname: pdf\ndescription: Reads ---\nbody\n", true), false),
    (("four hyphens", "pdf", "----\nname: pdf\ndescription: Reads PDF files. Use it for PDFs.\n----\nbody\n", false), false),
    (("closed by four hyphens", "pdf", "---\nname: pdf\ndescription: Reads PDF files. Use it for PDFs.\n----\nbody\n", true), false),
    (("yaml behind the mark", "pdf", "---name: pdf\ndescription: Reads PDF files. Use it for PDFs.\n---\nbody\n", true), false),
];

fn expanded(content: &str) -> String {
    let mut parts = content.split('<');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (repeated, rest) = part.split_once('>').unwrap();
        let (what, times) = repeated.split_once('*').unwrap();
        text.push_str(&what.repeat(times.parse().unwrap()));
        text.push_str(rest);
    }
    text
}

fn accepts((what, folder, content, _): &Case) -> bool {
    let (folder, content) = (expanded(folder), expanded(content));
    let strict = SkillMd::parse(content.as_bytes(), &folder, Reading::Strict);
    let lenient = SkillMd::parse(content.as_bytes(), &folder, Reading::Lenient);
    if let Ok(strict) = &strict {
        // A valid file is read the same way by both modes.
        let lenient = lenient.unwrap();
        let fields = |skill: &SkillMd| {
            (skill.description.clone(), skill.metadata.clone(), skill.body.clone())
        };
        assert_eq!(fields(strict), fields(&lenient), "{what}");
        assert_eq!(strict.name, lenient.name, "{what}");
    }
    strict.is_ok()
}

#[test]
fn the_verdict_is_that_of_the_reference() {
    let wrong: Vec<_> = JUDGED_BY_BOTH.iter().filter(|case| accepts(case) != case.3).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_only_the_standard_forbids_is_refused() {
    for case in JUDGED_BY_MITT {
        assert!(case.3 && !accepts(case), "{case:?}");
    }
}

#[test]
fn three_hyphens_in_a_text_are_text() {
    for (case, verdict) in BUG {
        assert_eq!(accepts(case), *verdict, "{case:?}");
    }
    let read =
        |index: usize| SkillMd::parse(BUG[index].0.2.as_bytes(), "pdf", Reading::Strict).unwrap();
    assert_eq!(read(0).description, "Reads PDF --- all of it");
    assert_eq!(read(3).description, "a\n---\nb");
}

#[test]
fn the_reference_still_says_so() {
    let Some(program) = program() else {
        eprintln!("skipped: the command `agentskills` (PyPI `skills-ref`) is not on the PATH");
        return;
    };
    let verdict = |folder: &Path| {
        let output = Command::new(&program).arg("validate").arg(folder).output().unwrap();
        output.status.success()
    };
    let place = tempfile::tempdir().unwrap();
    for case in JUDGED_BY_BOTH.iter().chain(JUDGED_BY_MITT).chain(BUG.iter().map(|(case, _)| case))
    {
        let folder = place.path().join(expanded(case.1));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("SKILL.md"), expanded(case.2)).unwrap();
        assert_eq!(verdict(&folder), case.3, "{case:?}");
    }
    for entry in fs::read_dir(root().join("skills")).unwrap() {
        let folder = entry.unwrap().path();
        if !folder.is_dir() {
            continue;
        }
        assert!(verdict(&folder), "{}", folder.display());
        SkillMd::from_folder(&folder, Reading::Strict).unwrap();
    }
}

fn program() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|folder| folder.join("agentskills"))
        .find(|file| file.is_file())
}
