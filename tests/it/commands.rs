//! The program, command by command: help, lists, standard input, output formats.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;

use crate::support::{command, mitt, text};

/// Runs in an empty folder.
fn run(args: &[&str]) -> (i32, String, String) {
    let folder = tempfile::tempdir().unwrap();
    run_in(folder.path(), args)
}

fn run_in(folder: &Path, args: &[&str]) -> (i32, String, String) {
    let output = mitt(folder, args);
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn help_is_short_or_long_and_has_examples() {
    for words in [
        &["run"][..],
        &["exec"],
        &["call"],
        &["tools"],
        &["model", "test"],
        &["inspect"],
        &["ingest"],
        &["render"],
        &["edit"],
        &["compare"],
        &["redact"],
        &["pdf", "info"],
        &["pdf", "merge"],
        &["pdf", "split"],
        &["pdf", "pages"],
        &["pdf", "stamp"],
        &["pdf", "encrypt"],
        &["pdf", "decrypt"],
        &["pdf", "attach"],
        &["compile"],
        &["mcp"],
        &["serve"],
        &["lambda"],
        &["token"],
        &["completions"],
        &["man"],
        &["config", "show"],
        &["config", "schema"],
        &["skill", "install"],
        &["skill", "remove"],
        &["skill", "trust"],
        &["skill", "new"],
        &["skill", "check"],
        &["skill", "pack"],
    ] {
        let help = |how: &str| {
            let (code, stdout, _) = run(&[words, &[how]].concat());
            assert_eq!(code, 0, "{words:?}");
            stdout
        };
        let (short, long) = (help("-h"), help("--help"));
        let example = format!("Examples:\n  mitt {}", words.join(" "));
        for text in [&short, &long] {
            // Some begin with a pipe, or with another program.
            assert!(text.contains(&example) || words == ["mcp"], "{words:?}: {text}");
        }
        assert!(
            !short.contains("--host-memory") && short.contains("--quiet"),
            "{words:?}: {short}"
        );
        assert!(short.contains("see more with '--help'"), "{words:?}: {short}");
        for heading in [
            "Skills, in all commands:",
            "Limits, in all commands:",
            "Native code, in all commands:",
        ] {
            assert!(long.contains(heading), "{words:?}: {long}");
        }
    }
}

#[test]
fn one_broken_skill_is_listed_beside_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = folder.path().join("s").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    for (name, manifest) in
        [("gone", "component: gone.wasm\n"), ("broken", "component: broken.wasm\ngrants: [nope]\n")]
    {
        write(&format!("{name}/SKILL.md"), &format!("---\nname: {name}\ndescription: d\n---\nx\n"));
        let common = format!("schema: 1\nname: {name}\nversion: 0.1.0\ndescription: d\n");
        write(&format!("{name}/skill.yaml"), &(common + manifest));
    }
    write("words/SKILL.md", "---\nname: words\ndescription: d\n---\nx\n");
    let (code, stdout, stderr) = run_in(folder.path(), &["skill", "list", "--skills", "s"]);
    assert_eq!(code, 0, "{stderr}");
    let line = |name: &str| stdout.lines().find(|line| line.contains(name)).unwrap_or_default();
    assert!(
        line("gone").contains("cannot be used: its component `gone.wasm` is not there"),
        "{stdout}"
    );
    assert!(
        line("s/broken").contains("cannot be used: ") && line("s/broken").contains("nope"),
        "{stdout}"
    );
    assert!(line("words").contains("instructions only, no tools"), "{stdout}");
    assert!(line("excel-tool").ends_with("bundled"), "{stdout}");
    let (_, stdout, _) = run_in(folder.path(), &["skill", "list", "--skills", "s", "--json"]);
    let json: Value = serde_json::from_str(&stdout).unwrap();
    assert!(json["problems"][0]["place"].as_str().unwrap().ends_with("broken"));
    let gone = json["skills"].as_array().unwrap().iter().find(|it| it["name"] == "gone").unwrap();
    assert!(gone["blocked"].as_str().unwrap().contains("gone.wasm"));
}

#[test]
fn several_files_and_standard_input_are_read() {
    use std::io::Write as _;

    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.csv"), "x\n1\n").unwrap();
    fs::write(folder.path().join("b.md"), "# B\n").unwrap();
    let (code, stdout, stderr) =
        run_in(folder.path(), &["ingest", "a.csv", "none.csv", "b.md", "-q"]);
    assert_eq!(code, 3, "{stderr}");
    assert!(stderr.contains("none.csv"), "{stderr}");
    assert!(stdout.contains("==> a.csv <==") && stdout.contains("==> b.md <==\n# B"), "{stdout}");
    let (_, stdout, _) = run_in(folder.path(), &["ingest", "a.csv", "none.csv", "--json"]);
    let json: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((&json[0]["name"], &json[1]["error"]["kind"]), (&"a.csv".into(), &"input".into()));
    let piped = |args: &[&str]| {
        let mut child = command(folder.path(), args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(b"year,dau\n2025,7\n").unwrap();
        let output = child.wait_with_output().unwrap();
        (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
    };
    let (code, stdout, stderr) = piped(&["ingest", "-", "--name", "sales.csv", "--json"]);
    assert_eq!(code, 0, "{stderr}");
    let json: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(
        (&json["name"], &json["tables"][0]["columns"][1]),
        (&"sales.csv".into(), &"dau".into())
    );
}

#[test]
fn the_format_of_tasks_is_a_schema_that_the_example_fits() {
    let (code, stdout, _) = run(&["run", "--schema"]);
    assert_eq!(code, 0);
    let schema: Value = serde_json::from_str(&stdout).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let task = |text: &str| -> Value { serde_saphyr::from_str(text).unwrap() };
    let example =
        fs::read_to_string(crate::support::root().join("examples/yoy/task.yaml")).unwrap();
    assert!(validator.is_valid(&task(&example)));
    for page in ["docs/tasks.md", "docs/tasks.zh-CN.md"] {
        let page = fs::read_to_string(crate::support::root().join(page)).unwrap();
        let shown = page.split("```yaml\n").nth(1).unwrap().split("```").next().unwrap();
        assert!(validator.is_valid(&task(shown)), "{shown}");
    }
    for wrong in [
        "schema: 1\ninstruction: x",
        "schema: 2\ninstruction: x\nmodel: { replay: m }",
        "schema: 1\ninstruction: x\nmodel: { replay: ../m }",
        "schema: 1\ninstruction: x\nmodel: { replay: m }\ndocs: []",
    ] {
        assert!(!validator.is_valid(&task(wrong)), "{wrong}");
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("task.yaml"), wrong).unwrap();
        let (code, ..) = run_in(folder.path(), &["run", "."]);
        assert_eq!(code, 3, "{wrong}");
    }
}

#[test]
fn an_installed_skill_is_removed_with_its_approval() {
    let folder = tempfile::tempdir().unwrap();
    let skill = folder.path().join("no-skills/words");
    fs::create_dir_all(skill.join("scripts")).unwrap();
    fs::write(skill.join("SKILL.md"), "---\nname: words\ndescription: d\n---\nx\n").unwrap();
    fs::write(skill.join("scripts/a.py"), "A = 1\n").unwrap();
    let (code, _, stderr) = run_in(folder.path(), &["skill", "trust", "words"]);
    assert_eq!(code, 0, "{stderr}");
    let approvals = || fs::read_to_string(folder.path().join(".mitt-trust.json")).unwrap();
    assert!(approvals().contains("words"));
    let (code, _, stderr) = run_in(folder.path(), &["skill", "remove", "words"]);
    assert!(code == 3 && stderr.contains("--yes"), "{stderr}");
    let (code, _, stderr) = run_in(folder.path(), &["skill", "remove", "wordz", "--yes"]);
    assert!(code == 3 && stderr.contains("did you mean `words`?"), "{stderr}");
    assert!(skill.is_dir() && approvals().contains("words"));
    let (code, stdout, stderr) = run_in(folder.path(), &["skill", "remove", "words", "--yes"]);
    assert_eq!(code, 0, "{stderr}");
    assert!(
        stdout.trim().ends_with("words") && stderr.contains("removed words, and its approval"),
        "{stderr}"
    );
    assert!(!skill.exists() && !approvals().contains("words"));
}

#[test]
fn a_failed_recording_shows_the_traceback() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("task.yaml"),
        "schema: 1\ninstruction: x\nmodel: { replay: model.jsonl }\n",
    )
    .unwrap();
    let call = serde_json::json!({
        "calls": [{ "id": "1", "name": "python__run", "arguments": { "code": "a = {}\na['DAU']" } }],
    });
    let header = r#"{"format": "mitt-recording@1", "model": "m"}"#;
    fs::write(folder.path().join("model.jsonl"), format!("{header}\n{call}\n")).unwrap();
    let (code, _, stderr) = run_in(folder.path(), &["run", ".", "-q"]);
    assert_eq!(code, 9, "{stderr}");
    assert!(
        stderr.contains("error: turn 1 of the recording: python__run failed\nTraceback"),
        "{stderr}"
    );
    assert!(
        stderr.contains("\nKeyError: 'DAU'\n") && !stderr.contains("error_message"),
        "{stderr}"
    );
    assert!(!stderr.contains("live model"), "{stderr}");
}

/// One table as CSV; if there are several, the user must name one. The hint does not list all.
#[test]
fn a_table_is_printed_as_csv() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.csv"), "名,n\n\"x, \"\"y\"\"\",0.1\n,12345678901234567890.5\n")
        .unwrap();
    let (code, stdout, stderr) = run_in(folder.path(), &["ingest", "a.csv", "--csv"]);
    assert_eq!(code, 0, "{stderr}");
    assert_eq!(stdout, "名,n\n\"x, \"\"y\"\"\",0.1\n,12345678901234567890.5\n");
    assert!(!stderr.contains("warning"), "{stderr}");
    let many: String = (1..=30).map(|n| format!("# T{n}\n\n| a |\n|---|\n| {n} |\n\n")).collect();
    fs::write(folder.path().join("b.md"), many).unwrap();
    for (table, expected) in [("T7", "a\n7\n"), ("30", "a\n30\n")] {
        let (_, stdout, _) = run_in(folder.path(), &["ingest", "b.md", "--csv", "--table", table]);
        assert_eq!(stdout, expected, "{table}");
    }
    for (args, told) in [
        (&["ingest", "b.md", "--csv"][..], "b.md has 30 tables"),
        (&["ingest", "b.md", "--csv", "--table", "31"], "no table `31`"),
        (&["ingest", "b.md", "--csv", "--table", "0"], "no table `0`"),
    ] {
        let (code, _, stderr) = run_in(folder.path(), args);
        assert_eq!(code, 3, "{stderr}");
        assert!(stderr.contains(told) && stderr.contains("20 `T20`, …"), "{stderr}");
    }
    fs::write(folder.path().join("c.md"), "only text\n").unwrap();
    let (_, _, stderr) = run_in(folder.path(), &["ingest", "c.md", "--csv"]);
    assert!(stderr.contains("c.md has no table"), "{stderr}");
}

/// As in `mitt … | head`.
#[test]
fn who_reads_a_table_may_stop() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.csv"), format!("a,b\n{}", "1,2\n".repeat(50_000))).unwrap();
    for option in ["--csv", "--json"] {
        let mut program = command(folder.path(), &["ingest", "a.csv", "-q", option]);
        let mut program = program.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(program.stdout.take());
        let output = program.wait_with_output().unwrap();
        assert_eq!(
            (output.status.code(), text(&output.stderr).as_str()),
            (Some(0), ""),
            "{option}"
        );
    }
}
