//! `mitt exec`.

use std::path::Path;
use std::process::Output;

use serde_json::{Value, json};

use crate::support::{TestSkill, engines, mitt, text};

fn exec(folder: &Path, code: &str, more: &[&str]) -> Output {
    std::fs::write(folder.join("s.py"), code).unwrap();
    mitt(folder, &[&["exec", "s.py", "-q"][..], more].concat())
}

#[test]
fn output_result_and_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.csv"), "n\n1\n2\n").unwrap();
    std::fs::write(folder.path().join("in.json"), r#"{"year": 2025}"#).unwrap();
    for engine in engines() {
        let engine = ["--engine", engine.as_str()];
        let run = |code: &str, more: &[&str]| exec(folder.path(), code, &[more, &engine].concat());
        let done = run("print(year)\nlen(documents)", &["--doc", "a.csv", "--inputs", "@in.json"]);
        assert_eq!(
            (text(&done.stdout).as_str(), done.status.code()),
            ("2025\n1\n", Some(0)),
            "{}",
            text(&done.stderr)
        );
        let done = run("'text'", &["--inputs", r#"{"a": 1}"#]);
        assert_eq!(text(&done.stdout), "text\n");
        let failed = run("print('before')\n1 / 0", &[]);
        assert_eq!((text(&failed.stdout).as_str(), failed.status.code()), ("before\n", Some(1)));
        assert!(text(&failed.stderr).contains("ZeroDivisionError"));
        let ended = run("print('before')\nwhile True:\n    pass", &["--timeout", "1"]);
        assert_eq!((text(&ended.stdout).as_str(), ended.status.code()), ("before\n", Some(6)));
        let refused = run("import table_tool", &["--allow-module", "re"]);
        assert_eq!(refused.status.code(), Some(1));
        let told = run("print(1)\n[1, 2.50]", &["--json"]);
        let told: Value = serde_json::from_slice(&told.stdout).unwrap();
        assert_eq!(
            (&told["result"]["stdout"], &told["result"]["result"]),
            (&json!("1\n"), &json!([1, 2.5]))
        );
    }
    for wrong in ["[1]", "{", "@no-such-file"] {
        let refused = exec(folder.path(), "1", &["--inputs", wrong]);
        assert!([Some(3), Some(4)].contains(&refused.status.code()), "{wrong}");
    }
    let refused = exec(folder.path(), "1", &["--engine", "cobol"]);
    assert_eq!(refused.status.code(), Some(8), "{}", text(&refused.stderr));
    assert_eq!(exec(folder.path(), "1", &["--timeout", "999"]).status.code(), Some(4));
}

#[test]
fn a_pause_says_how_to_go_on() {
    const NOTHING: &str = r#"(component
        (core module $m (func (export "run")))
        (core instance $i (instantiate $m))
        (func (export "run") (canon lift (core func $i "run"))))"#;
    let skill = TestSkill::new("wiper", NOTHING, "tools: [{name: run, destructive: true}]");
    let folder = tempfile::tempdir().unwrap();
    let skills = ["--skills", skill.path().to_str().unwrap()];
    let paused = exec(folder.path(), "import wiper\nprint('before')\nwiper.run()", &skills);
    assert_eq!((text(&paused.stdout).as_str(), paused.status.code()), ("before\n", Some(11)));
    assert!(text(&paused.stderr).contains("mitt exec --ask"), "{}", text(&paused.stderr));
    // Without a terminal nobody can be asked.
    let denied =
        exec(folder.path(), "import wiper\nwiper.run()", &[&skills[..], &["--ask"]].concat());
    assert_eq!(denied.status.code(), Some(5), "{}", text(&denied.stderr));
}

#[test]
fn stubs_are_printed_or_written() {
    let folder = tempfile::tempdir().unwrap();
    let printed = mitt(folder.path(), &["exec", "--stubs", "-q"]);
    let stub = text(&printed.stdout);
    for part in [
        "class table_tool:",
        "    def create_excel(data: TableInput, filename: str | None = ..., options: _excel_tool_SheetOptionsInput | None = ...) -> _excel_tool_Artifact:",
        "documents: Documents",
        "class Table:",
    ] {
        assert!(stub.contains(part), "{part} is missing:\n{stub}");
    }
    let written = mitt(folder.path(), &["exec", "--stubs=types", "-q"]);
    assert!(written.status.success(), "{}", text(&written.stderr));
    for file in
        ["__builtins__.pyi", "excel_tool.pyi", "table_tool.pyi", "report.pyi", "document_tool.pyi"]
    {
        assert!(folder.path().join("types").join(file).is_file(), "{file}");
    }
    let stub = std::fs::read_to_string(folder.path().join("types/excel_tool.pyi")).unwrap();
    assert!(stub.contains("\ndef create_excel(data: TableInput"), "{stub}");
    assert_eq!(mitt(folder.path(), &["exec"]).status.code(), Some(2));
}
