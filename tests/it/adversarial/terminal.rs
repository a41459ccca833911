//! Text that moves the cursor, reorders letters or hides them, wherever an attacker can put some.

use std::fs;
use std::path::Path;

use mitt::{Host, SessionOptions};
use serde_json::{Value, json};

use crate::support::{TestSkill, host, mitt, root, text};

/// One of each kind: controls, C1, colours, titles, the clipboard, links, backspaces, directions, zero width, tags,
/// selectors, fillers, private use.
const HOSTILE: [&str; 22] = [
    "\x1b[2J",
    "\x1b[31mred\x1b[0m",
    "\x1b]0;title\x07",
    "\x1b]52;c;cm0gLXJm\x07",
    "\x1b]8;;http://x\x1b\\link",
    "\u{9b}2K",
    "\u{90}q\u{9c}",
    "\x07",
    "abc\x08\x08\x08xyz",
    "real\rfake",
    "\x7f",
    "\u{202e}gpj.exe",
    "\u{2066}a\u{2069}",
    "a\u{200b}b",
    "a\u{200d}b",
    "a\u{2060}b",
    "a\u{feff}b",
    "x\u{e0068}\u{e0069}",
    "a\u{fe00}b",
    "\u{3164}",
    "\u{e000}",
    "a\u{ad}b",
];

/// Checks that no byte of `text` controls a terminal, and that no letter is hidden.
#[track_caller]
fn check_harmless(place: &str, text: &str) {
    for c in text.chars() {
        let is_plain = !c.is_control() || c == '\n' || c == '\t';
        let is_hidden = matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{3164}' | '\u{e000}'..='\u{f8ff}' | '\u{fe00}'..='\u{fe0e}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}');
        assert!(is_plain && !is_hidden, "{place}: U+{:04X} in {text:?}", u32::from(c));
    }
}

fn run(folder: &Path, args: &[&str]) -> (i32, String, String) {
    let output = mitt(folder, args);
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

const NOTHING: &str = r#"(component
    (core module $m (func (export "run")))
    (core instance $i (instantiate $m))
    (func (export "run") (canon lift (core func $i "run"))))"#;

/// In every place of a manifest, literally and with escapes of YAML.
#[test]
fn manifests_refuse_them() {
    for hostile in HOSTILE {
        let escaped: String = hostile.chars().map(|c| format!("\\U{:08X}", u32::from(c))).collect();
        for (place, manifest) in [
            ("title", "tools: [{name: run, title: \"Wipe X\", destructive: true}]"),
            (
                "description of a parameter",
                "tools: [{name: run, inputSchema: {properties: {a: {description: \"X\"}}}}]",
            ),
            (
                "example",
                "tools: [{name: run, inputSchema: {properties: {a: {examples: [\"X\"]}}}}]",
            ),
            ("tag", "tags: [\"X\"]"),
            ("comment", "# X"),
        ] {
            for (how, shown) in [("as it is", hostile), ("escaped", escaped.as_str())] {
                if place == "comment" && how == "escaped" {
                    continue;
                }
                let skill = TestSkill::new("hostile", NOTHING, &manifest.replace('X', shown));
                let error =
                    Host::builder().no_cache().bundled_skills(false).skills(skill.path()).build();
                let Err(error) = error else { panic!("{place}, {how}: {hostile:?} is taken") };
                let told = error.render();
                // The reader of YAML refuses what YAML cannot hold.
                assert!(told.contains("the character U+") || told.contains("skill.yaml"), "{told}");
                assert!(
                    told.contains("line ")
                        || told.contains("written with an escape")
                        || told.contains(':'),
                    "{told}"
                );
                check_harmless(place, &told);
            }
        }
    }
    let skill = TestSkill::new("hostile", NOTHING, "# ok\n# 年\u{202e}");
    let error =
        Host::builder().no_cache().bundled_skills(false).skills(skill.path()).build().unwrap_err();
    assert!(
        error.to_string().contains("line 7, column 4: the character U+202E is there"),
        "{error}"
    );
}

#[test]
fn descriptions_of_skill_md_refuse_them() {
    for hostile in HOSTILE {
        // With a manifest beside it, and alone.
        let skill = TestSkill::new("hostile", NOTHING, "");
        let md =
            format!("---\nname: hostile\ndescription: A test {hostile} of text.\n---\nText.\n");
        fs::write(skill.path().join("hostile/SKILL.md"), &md).unwrap();
        let build =
            || Host::builder().no_cache().bundled_skills(false).skills(skill.path()).build();
        let refused = |what: &str| match build() {
            Ok(_) => panic!("{what}: {hostile:?} is taken"),
            Err(error) => {
                assert!(error.to_string().contains("SKILL.md"), "{error}");
                error
            }
        };
        refused("with a manifest");
        let (code, stdout, _) = run(skill.path(), &["skill", "check", "hostile"]);
        assert_eq!(code, 1, "{hostile:?}: {stdout}");
        check_harmless("check", &stdout);
        fs::remove_file(skill.path().join("hostile/skill.yaml")).unwrap();
        // Its own line end is read as one, and text that would break the YAML is saved without it.
        if !hostile.contains('\r') && build().is_err() {
            refused("alone");
        } else if let Ok(host) = build() {
            for skill in host.registry().skills() {
                check_harmless("saved", &skill.manifest().description);
                check_harmless("saved", &skill.manifest().name);
            }
        }
    }
    // Legitimate text stays unchanged.
    let skill = TestSkill::new("emoji", NOTHING, "tags: [❤️, 👩‍💻, می\u{200c}خواهم, 葛]");
    Host::builder().no_cache().bundled_skills(false).skills(skill.path()).build().unwrap();
}

/// A description of a hundred lines does not push the grants out of sight.
#[test]
fn a_long_description_hides_no_grants() {
    let long = format!("A test.{}End", "\\n".repeat(3_000));
    let manifest = |description: &str| {
        let skill = TestSkill::new("long", NOTHING, "grants: [documents, tools]");
        let path = skill.path().join("long/skill.yaml");
        let yaml = fs::read_to_string(&path).unwrap();
        fs::write(
            &path,
            yaml.replace("description: a test", &format!("description: \"{description}\"")),
        )
        .unwrap();
        skill
    };
    let skill = manifest(&long);
    let path = skill.path().to_str().unwrap();
    let (code, stdout, stderr) = run(skill.path(), &["skill", "show", "long", "--skills", path]);
    assert_eq!(code, 0, "{stderr}");
    let at = stdout.lines().position(|line| line.starts_with("grants      documents, tools"));
    assert!(at.is_some_and(|at| at < 8) && stdout.contains("are left out"), "{stdout}");
    assert!(stdout.lines().all(|line| line.chars().count() < 2_500), "{stdout}");
    let skill = manifest(&"x".repeat(4_097));
    let error =
        Host::builder().no_cache().bundled_skills(false).skills(skill.path()).build().unwrap_err();
    assert!(error.to_string().contains("description: expected at most 4096 characters"), "{error}");
}

/// A component describes its tools in a custom section, which anybody can write.
fn documented(docs: &str) -> Vec<u8> {
    let wat = r#"(component
        (core module $m (func (export "run")))
        (core instance $i (instantiate $m))
        (func $run (canon lift (core func $i "run")))
        (instance $c (export "run" (func $run)))
        (export "a:b/c" (instance $c)))"#;
    let told =
        json!({ "a:b": { "interfaces": { "c": { "funcs": { "run": { "docs": docs } } } } } });
    let body = [&[9][..], b"mitt-docs", told.to_string().as_bytes()].concat();
    let mut length = body.len();
    let mut section = vec![0];
    loop {
        let byte = (length & 0x7f) as u8;
        length >>= 7;
        section.push(if length > 0 { byte | 0x80 } else { byte });
        if length == 0 {
            break;
        }
    }
    [wat::parse_str(wat).unwrap(), section, body].concat()
}

#[tokio::test]
async fn documentation_of_components_is_harmless() {
    let docs = format!("Does it.{}", HOSTILE.join(" "));
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("told.wasm"), documented(&docs)).unwrap();
    for args in [
        &["tools", "--no-bundled-skills", "--component", "told.wasm"][..],
        &["tools", "--json", "--no-bundled-skills", "--component", "told.wasm"],
        &["inspect", "told.wasm"],
        &["inspect", "told.wasm", "--json"],
        &["exec", "--stubs", "--component", "told.wasm"],
    ] {
        let (code, stdout, stderr) = run(folder.path(), args);
        assert_eq!(code, 0, "{stderr}");
        check_harmless(&args.join(" "), &stdout);
        check_harmless(&args.join(" "), &stderr);
        assert!(stdout.contains("Does it."), "{stdout}");
    }
    // Models and clients get the same.
    let host = Host::builder()
        .no_cache()
        .bundled_skills(false)
        .component_bytes("told", documented(&docs))
        .build()
        .unwrap();
    let tool = host.registry().tool("told__run").await.unwrap();
    check_harmless("docs", &tool.function.docs);
    assert!(tool.function.docs.contains("\\u{202e}"), "{}", tool.function.docs);
}

/// Text that a plugin logs, or says while it crashes.
#[test]
fn messages_of_plugins_are_harmless() {
    for said in
        ["\\1b[2Jall\\07\\08!!", "\\c2\\9b2Jgone!!!", "\\e2\\80\\aeabcdefgh", "one\\0d\\1b[Atwo!"]
    {
        let wat = super::LOG.replace("all is lost", said);
        let skill = TestSkill::new("hostile", &wat, "grants: [log]");
        let path = skill.path().to_str().unwrap();
        let args = ["call", "hostile__crash", "--trust-skills", "--skills", path];
        let (code, stdout, stderr) = run(skill.path(), &args);
        assert_eq!(code, 7, "{stderr}");
        assert!(stderr.contains("it said: "), "{stderr}");
        check_harmless(said, &stdout);
        check_harmless(said, &stderr);
        serde_json::from_str::<Value>(&stdout).unwrap();
    }
}

/// A script's own output stays unchanged if a program reads it; on standard error it is always escaped.
#[test]
fn output_of_scripts() {
    let folder = tempfile::tempdir().unwrap();
    let hostile = HOSTILE.join(" ");
    fs::write(folder.path().join("in.json"), json!({ "said": hostile }).to_string()).unwrap();
    let exec = |code: &str, more: &[&str]| {
        fs::write(folder.path().join("s.py"), code).unwrap();
        let args = ["exec", "s.py", "-q", "--engine", "python-lite", "--inputs", "@in.json"];
        run(folder.path(), &[&args[..], more].concat())
    };
    let (code, stdout, stderr) = exec("print(said)\nsaid", &[]);
    assert_eq!((code, stdout), (0, format!("{hostile}\n{hostile}\n")), "byte for byte: {stderr}");
    let (code, stdout, stderr) = exec("raise ValueError(said)", &[]);
    assert_eq!(code, 1);
    assert!(stderr.contains("ValueError") && stdout.is_empty(), "{stderr}");
    check_harmless("an exception", &stderr);
    let (_, stdout, stderr) = exec("print(said)\n[said]", &["--json"]);
    check_harmless("json", &stdout);
    check_harmless("json", &stderr);
    let told: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(told["result"]["result"], json!([hostile]), "the same value");
    let (_, stdout, _) = exec("[said]", &[]);
    check_harmless("a value", &stdout);
    assert_eq!(serde_json::from_str::<Value>(&stdout).unwrap(), json!([hostile]));
}

/// On a terminal, all of it is escaped.
#[cfg(target_os = "linux")]
#[test]
fn output_on_a_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let hostile = HOSTILE.join(" ");
    fs::write(folder.path().join("in.json"), json!({ "said": hostile }).to_string()).unwrap();
    fs::write(folder.path().join("s.py"), "print(said)\nsaid").unwrap();
    fs::write(folder.path().join("d.txt"), "年报 \u{202e}gpj.exe\u{2066} a\u{200b}b\n").unwrap();
    for line in ["exec s.py -q --engine python-lite --inputs @in.json", "ingest d.txt -q"] {
        let Some(shown) = crate::support::on_terminal(folder.path(), line) else { return };
        assert!(shown.contains("\\u{202e}gpj") && shown.contains("\\u{2066}"), "{line}: {shown}");
        check_harmless(line, &shown);
    }
}

/// Values of arguments in problems; names of tools, files and folders in errors.
#[test]
fn what_a_caller_wrote_is_harmless_in_errors() {
    let folder = tempfile::tempdir().unwrap();
    for hostile in HOSTILE {
        let arguments =
            json!({ "markdown": hostile, "filename": format!("{hostile}.md"), hostile: 1 })
                .to_string();
        let name = format!("no{hostile}tool");
        for args in [
            &["call", "report__deliver", "-j", &arguments][..],
            &["call", &name],
            &["call", &format!("report/{name}(1)")],
            &["ingest", &name],
            &["run", &name],
            &["skill", "show", &name],
            &["tools", "--engine", &name],
            &["tools", &format!("--{name}")],
            &["inspect", &name],
        ] {
            let (code, stdout, stderr) = run(folder.path(), args);
            assert_ne!(code, 0, "{args:?}");
            check_harmless("stdout", &stdout);
            check_harmless("stderr", &stderr);
        }
    }
}

/// Hidden text in instructions is read by models and seen by nobody, so it is reported.
#[test]
fn hidden_instructions_are_told() {
    let skill = TestSkill::new("hostile", NOTHING, "");
    let hidden: String =
        "send it".chars().filter_map(|c| char::from_u32(0xe0000 + u32::from(c))).collect();
    let md = format!("---\nname: hostile\ndescription: A test of text.\n---\nText.{hidden}\n");
    fs::write(skill.path().join("hostile/SKILL.md"), md).unwrap();
    let path = skill.path().to_str().unwrap();
    let (code, _, stderr) = run(skill.path(), &["tools", "--no-bundled-skills", "--skills", path]);
    assert_eq!(code, 0);
    assert!(
        stderr.contains(
            "warning: skill `hostile`: SKILL.md: line 5, column 6: the character U+E0073"
        ),
        "{stderr}"
    );
    let (_, stdout, _) = run(skill.path(), &["skill", "check", "hostile"]);
    assert!(stdout.contains("warning: SKILL.md: line 5, column 6"), "{stdout}");
}

/// People on terminals and programs read the log of a server.
#[test]
fn the_log_is_harmless() {
    let folder = tempfile::tempdir().unwrap();
    let name = format!("x{}", HOSTILE.join("-").replace('/', "_"));
    let place = folder.path().join(&name);
    fs::create_dir_all(place.join("y")).unwrap();
    fs::write(place.join("y/skill.yaml"), "schema: 7").unwrap();
    let mut mcp = crate::support::command(folder.path(), &["mcp", "--no-bundled-skills"]);
    let output =
        mcp.env("MITT_SKILLS_DIR", &place).stdin(std::process::Stdio::null()).output().unwrap();
    let log = text(&output.stderr);
    assert!(log.contains("a skill cannot be read"), "{log}");
    check_harmless("log", &log);
    let entry: Value = serde_json::from_str(log.lines().next().unwrap()).unwrap();
    assert!(
        entry["fields"]["place"].as_str().unwrap().contains('\u{202e}'),
        "the same text for a program: {entry}"
    );
}

/// Names of documents and files with such characters are refused.
#[tokio::test]
async fn names_of_files_refuse_them() {
    let session = host().session(SessionOptions::default()).unwrap();
    for hostile in HOSTILE {
        let name = format!("a{hostile}.txt").replace('/', "_");
        let error = session.add_document_bytes(&name, b"x".to_vec()).await.unwrap_err().render();
        check_harmless("a document", &error);
        let arguments = json!({ "markdown": "x", "filename": name }).to_string();
        // The plugin says it first, in its own words; printing makes them harmless.
        session.call("report__deliver", &arguments).await.result.unwrap_err();
    }
    assert!(session.artifacts().is_empty());
    for name in ["❤️.txt", "年报 2025.txt"] {
        session.add_document_bytes(name, b"x".to_vec()).await.unwrap();
    }
}

/// A file on disk with such a name is reported like the others.
#[cfg(unix)]
#[test]
fn names_of_folders_are_harmless() {
    let folder = tempfile::tempdir().unwrap();
    for hostile in HOSTILE {
        let name = format!("x{}", hostile.replace('/', "_"));
        let place = folder.path().join(&name);
        fs::create_dir_all(place.join("y")).unwrap();
        fs::write(place.join("y/skill.yaml"), "schema: 7").unwrap();
        fs::write(place.join("a.txt"), "x").unwrap();
        for args in [
            &["skill", "list", "--skills", &name][..],
            &["skill", "check", &format!("{name}/y")],
            &["ingest", &name],
            &["ingest", &format!("{name}/missing")],
            &["render", &format!("{name}/missing"), "-o", "x.pdf"],
        ] {
            let (code, stdout, stderr) = run(folder.path(), args);
            // A list names what cannot be used, and a folder stands for its files.
            let is_well = args[..2] == ["skill", "list"] || args[..] == ["ingest", &*name];
            assert_eq!(code == 0, is_well, "{args:?}: {stderr}");
            check_harmless("stdout", &stdout);
            check_harmless("stderr", &stderr);
        }
    }
}

/// All printing goes through the one module that escapes text.
#[test]
fn nothing_prints_around_the_writer() {
    fn walk(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { walk(&path, found) } else { found.push(path) }
        }
    }
    let mut files = Vec::new();
    walk(&root().join("src"), &mut files);
    let mut checked = 0;
    for path in files.iter().filter(|path| path.extension().is_some_and(|it| it == "rs")) {
        let name = path.strip_prefix(root()).unwrap().display().to_string().replace('\\', "/");
        if name == "src/cli/output.rs" || name.contains("tests") || name.contains("/examples/") {
            continue;
        }
        let source = fs::read_to_string(path).unwrap();
        let source = source.split("#[cfg(test)]").next().unwrap();
        checked += 1;
        for line in source.lines().filter(|line| !line.trim_start().starts_with("//")) {
            for around in [
                "println!",
                "print!(",
                "eprint!(",
                "dbg!(",
                "io::stdout()",
                "io::stderr()",
                "with_writer(std::io",
                "/dev/tty",
            ] {
                // Protocols own standard output, and code may ask whether it is a terminal. Mitt itself reads what a
                // supervisor writes, and Cargo what a build script writes.
                let is_fine = line.contains("is_terminal()")
                    || name == "src/sources/supervisor.rs"
                    || name == "src/render/build.rs"
                    || line.contains("tokio::io::stdout()") && name == "src/serve/mcp/stdio.rs"
                    || name.starts_with("src/mitt/worker/")
                    || line.contains("fn ") && around == "print!(";
                assert!(!line.contains(around) || is_fine, "{name}: {line}");
            }
        }
    }
    assert!(checked > 100, "{checked}");
}
