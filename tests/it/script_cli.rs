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

/// Returns the lines of the journal in `out`.
fn journal(folder: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(folder.join("out/journal.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn code_arguments_and_a_mark_before_the_first_character() {
    let folder = tempfile::tempdir().unwrap();
    let run = |args: &[&str]| {
        let done = mitt(folder.path(), &[&["exec", "-q"], args].concat());
        (text(&done.stdout), done.status.code(), text(&done.stderr))
    };
    for engine in engines() {
        let engine = engine.as_str();
        let told =
            run(&["--engine", engine, "-c", "import sys\nsys.argv[1:]", "a", "--", "-b", "年"]);
        assert_eq!(
            (told.0.as_str(), told.1),
            ("[\"a\",\"-b\",\"年\"]\n", Some(0)),
            "{engine}: {}",
            told.2
        );
        std::fs::write(folder.path().join("s.py"), "\u{feff}import sys\nprint(sys.argv[1:])")
            .unwrap();
        let told = run(&["--engine", engine, "s.py", "x"]);
        assert_eq!((told.0.as_str(), told.1), ("['x']\n", Some(0)), "{engine}: {}", told.2);
    }
    assert_eq!(run(&["-c", "1", "--timeout", "5s"]).1, Some(0));
    let ended = run(&["-c", "while True: pass", "--timeout", "300ms"]);
    assert!(ended.1 == Some(6) && ended.2.contains("300 ms"), "{}", ended.2);
    assert_eq!(run(&["-c", "1", "--timeout", "soon"]).1, Some(2));
}

#[test]
fn a_script_that_is_ended_says_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    for engine in engines() {
        let more = ["--engine", engine.as_str(), "--timeout", "1"];
        let code = "def work(n):\n    while n > 0:\n        n = n + 1\n\nprint('begins')\nwork(1)\nprint('never')";
        let ended = exec(folder.path(), code, &more);
        let told = text(&ended.stderr);
        assert_eq!(ended.status.code(), Some(6), "{told}");
        let lines = ["line 2: `while n > 0:`", "line 3: `n = n + 1`"];
        assert!(
            lines.iter().any(|line| told.contains(&format!("the script had come to {line}"))),
            "{engine}: {told}"
        );
        let ended = exec(folder.path(), code, &[&more[..], &["--json"]].concat());
        let told: Value = serde_json::from_slice(&ended.stdout).unwrap();
        assert!([2, 3].contains(&told["result"]["line"].as_i64().unwrap()), "{told}");
    }
}

#[test]
fn files_that_a_script_writes_are_delivered() {
    let folder = tempfile::tempdir().unwrap();
    for engine in engines() {
        let name = format!("{engine}.csv");
        let code = format!(
            "with open('{name}', 'w') as f:\n    f.write('a,b\\n')\nwith open('x.bin', 'w') as f:\n    f.write('x')\nprint('done')"
        );
        let done = exec(folder.path(), &code, &["--engine", &engine]);
        assert_eq!((text(&done.stdout).as_str(), done.status.code()), ("done\n", Some(0)));
        assert_eq!(
            std::fs::read_to_string(folder.path().join("out").join(&name)).unwrap(),
            "a,b\n"
        );
        let told = text(&done.stderr);
        assert!(told.contains("`x.bin` is not delivered: expected a name that ends in"), "{told}");
        assert!(
            journal(folder.path())
                .iter()
                .any(|it| it["kind"] == "artifact" && it["name"] == name.as_str())
        );
    }
    // A file of the user is not replaced, and the script counts as failed.
    std::fs::write(folder.path().join("out/mine.txt"), "precious").unwrap();
    let done = exec(folder.path(), "open('mine.txt', 'w').write('x')\nprint('done')", &[]);
    assert_eq!(done.status.code(), Some(1), "{}", text(&done.stderr));
    assert_eq!(std::fs::read_to_string(folder.path().join("out/mine.txt")).unwrap(), "precious");
    // Output that did not fit into the answer.
    let done = exec(folder.path(), "print('x' * 40_000)", &[]);
    assert!(text(&done.stderr).contains("the whole stdout is in out"), "{}", text(&done.stderr));
    let whole = std::fs::read_to_string(folder.path().join("out/python-stdout-1.txt")).unwrap();
    assert_eq!(whole.len(), 40_001);
}

/// Returns a folder in which not even root can create anything.
#[cfg(target_os = "linux")]
#[test]
fn a_script_runs_where_nothing_can_be_written() {
    let folder = tempfile::tempdir().unwrap();
    let unwritable = Path::new("/sys/kernel");
    let run = |code: &str| {
        crate::support::command(unwritable, &["exec", "-c", code])
            .env("MITT_SKILLS_DIR", folder.path())
            .env("MITT_TRUST_FILE", folder.path().join("trust.json"))
            .output()
            .unwrap()
    };
    let done = run("print('hello')");
    assert_eq!(
        (text(&done.stdout).as_str(), done.status.code()),
        ("hello\n", Some(0)),
        "{}",
        text(&done.stderr)
    );
    assert!(
        text(&done.stderr).contains("warning: cannot write to the folder out"),
        "{}",
        text(&done.stderr)
    );
    let done = run("open('a.txt', 'w').write('x')\nprint('hello')");
    assert_eq!((text(&done.stdout).as_str(), done.status.code()), ("hello\n", Some(70)));
    assert!(text(&done.stderr).contains("cannot write a.txt to out"), "{}", text(&done.stderr));
}

/// Starts a script that prints two lines and continues; returns it when the lines are here.
#[cfg(unix)]
fn begun(
    folder: &Path,
    more: &[&str],
) -> (std::process::Child, std::io::BufReader<std::process::ChildStdout>) {
    use std::io::BufRead as _;
    use std::process::Stdio;

    let code = "import excel_tool\nexcel_tool.create_excel([{'a': 1}], filename='a.xlsx')\nprint('one')\nprint('two')\nwhile True:\n    pass";
    let args = [&["exec", "-q", "-c", code][..], more].concat();
    let mut child = crate::support::command(folder, &args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdout = std::io::BufReader::new(child.stdout.take().unwrap());
    if more.is_empty() {
        let mut lines = String::new();
        for _ in 0..2 {
            stdout.read_line(&mut lines).unwrap();
        }
        assert_eq!(lines, "one\ntwo\n", "the script still runs");
        assert!(child.try_wait().unwrap().is_none());
    } else {
        // Output is shown only at the end, but the file is there.
        while !folder.join("out/a.xlsx").exists() {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }
    (child, stdout)
}

#[cfg(unix)]
#[test]
fn output_comes_while_a_script_runs_and_ctrl_c_ends_it_well() {
    use std::io::Read as _;

    for more in [&[][..], &["--json"]] {
        let folder = tempfile::tempdir().unwrap();
        let (mut child, mut stdout) = begun(folder.path(), more);
        let status = std::process::Command::new("kill")
            .args(["-INT", &child.id().to_string()])
            .status()
            .unwrap();
        assert!(status.success());
        let (mut rest, mut told) = (String::new(), String::new());
        stdout.read_to_string(&mut rest).unwrap();
        child.stderr.take().unwrap().read_to_string(&mut told).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(130), "{told}");
        assert!(told.contains("error: ended by Ctrl-C") && told.contains("a.xlsx"), "{told}");
        if more.is_empty() {
            assert_eq!(rest, "", "each line came once")
        } else {
            let value: Value = serde_json::from_str(&rest).unwrap();
            assert_eq!(value["error"]["kind"], "cancelled");
            assert_eq!(value["artifacts"][0]["name"], "a.xlsx");
        }
        assert!(folder.path().join("out/a.xlsx").is_file());
        let calls: Vec<_> =
            journal(folder.path()).into_iter().filter(|it| it["kind"] == "call").collect();
        let ended = calls.iter().find(|it| it["tool"] == "python__run").unwrap();
        assert_eq!(ended["outcome"], "cancelled", "{ended}");
    }
}
