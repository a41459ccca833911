//! Calls and results in WAVE, from the library and from a shell.

use mitt::{ErrorKind, Resource};

use crate::handles::counters;
use crate::support::{TestSkill, command, kind, mitt, session, text};

const SORT: &str = r#"table-tool/sort([{a: 1}, {a: 2.50}], [{column: "a", order: descending}])"#;

fn run(args: &[&str]) -> (i32, String, String) {
    let folder = tempfile::tempdir().unwrap();
    let output = mitt(folder.path(), args);
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

/// The same call in both notations: result, journal and hash.
#[tokio::test]
async fn a_call_is_the_call_that_its_json_is() {
    let session = session();
    let json = r#"{"data":[{"a":1},{"a":2.50}],"keys":[{"column":"a","order":"descending"}]}"#;
    let by_json = session.call("table_tool__sort", json).await;
    for wave in [
        SORT,
        r#"table_tool__sort(data: [{a: 1}, {a: 2.50}], keys: [{column: "a", order: %descending}])"#,
        "// by whom\ntable-tool/sort ( [ {a: 1,}, {a: 2.50} ], [{column:\"a\",order:descending}],\n)",
    ] {
        let by_wave = session.call_wave(wave).await;
        assert_eq!(
            by_wave.result.as_ref().unwrap().to_string(),
            by_json.result.as_ref().unwrap().to_string()
        );
        assert_eq!(by_wave.tool, "table_tool__sort");
        assert_eq!(by_wave.arguments_sha256, by_json.arguments_sha256, "{wave}");
        assert_eq!(by_wave.usage.fuel, by_json.usage.fuel);
    }
    let journal = session.journal();
    let calls: Vec<_> = journal.iter().filter(|entry| entry["kind"] == "call").collect();
    assert_eq!(calls.len(), 4);
    for call in &calls {
        assert_eq!(call["outcome"], "ok");
        assert_eq!(call["arguments_hash"], calls[0]["arguments_hash"]);
    }
    let result = by_json.result.unwrap();
    assert_eq!(
        session.result_in_wave("table_tool__sort", &result).await.unwrap(),
        r#"{data: {columns: ["a"], rows: [[number("2.5")], [number("1")]]}, warnings: []}"#
    );
}

#[tokio::test]
async fn refused_calls_are_in_the_journal() {
    let session = session();
    for (text, tool, message, kept) in [
        (
            "table-tool/sort(",
            "table-tool/sort",
            "not valid WAVE: line 1, column 17: expected a value, but the text ends",
            "the arguments do not fit",
        ),
        (
            "table-tool/sirt()",
            "table_tool__sirt",
            "Unknown tool: table_tool__sirt",
            "there is no such tool",
        ),
        (
            "table-tool/sort([{a: b}], [{column: \"a\"}])",
            "table_tool__sort",
            "/data/0/a: expected cell, got label `b`, at line 1, column 22; write \"b\" in double quotes",
            "/data/0/…: not what the interface asks for",
        ),
        (
            "table-tool/sort([{a: 1}])",
            "table_tool__sort",
            "/keys: missing, expected list<sort-key> (an array)",
            "/keys: missing, expected list<sort-key> (an array)",
        ),
    ] {
        let report = session.call_wave(text).await;
        assert_eq!(report.tool, tool);
        assert_eq!(report.result.unwrap_err().to_string(), message);
        let last = session.journal().pop().unwrap();
        assert_eq!((&last["tool"], &last["message"]), (&tool.into(), &kept.into()));
    }
}

#[tokio::test]
async fn limits_are_those_of_json() {
    let session = session();
    let nested =
        |levels: usize| format!("table-tool/sort({}1{})", "[".repeat(levels), "]".repeat(levels));
    // 64 levels including the parentheses of the call, like the object of the arguments in JSON.
    for levels in [64, 200] {
        let ErrorKind::Limit(limit) = kind(&session.call_wave(&nested(levels)).await) else {
            panic!("expected a limit")
        };
        assert_eq!(limit.what, Resource::ArgumentsDepth);
    }
    assert_eq!(kind(&session.call_wave(&nested(63)).await), ErrorKind::Arguments);
    let long = format!("table-tool/sort(\"{}\")", "x".repeat(1 << 20));
    let ErrorKind::Limit(limit) = kind(&session.call_wave(&long).await) else {
        panic!("expected a limit")
    };
    assert_eq!((limit.what, limit.limit), (Resource::Arguments, 1 << 20));
}

#[tokio::test]
async fn handles_are_strings() {
    let skill = counters();
    let session = skill.session();
    let handle = session.call_wave("counters/counter(41)").await.result.unwrap();
    let handle = session.result_in_wave("counters__counter", &handle).await.unwrap();
    assert_eq!(handle, r#""h:counter:1""#);
    let next = session.call_wave(&format!("counters/counter/next({handle})")).await;
    assert_eq!(next.result.unwrap().to_string(), "42");
    let next = session.call_wave(&format!("counters__counter__next(self: {handle})")).await;
    assert_eq!(next.result.unwrap().to_string(), "43");
    for wrong in ["h:counter:2", "x"] {
        let by_wave = session.call_wave(&format!("counters/counter/next(\"{wrong}\")")).await;
        let json = format!("{{\"self\":\"{wrong}\"}}");
        let by_json = session.call("counters__counter__next", &json).await;
        assert_eq!(by_wave.result.unwrap_err().render(), by_json.result.unwrap_err().render());
    }
    let report = session.call_wave("counters/counter/next(h)").await;
    assert_eq!(
        report.result.unwrap_err().to_string(),
        "/self: expected borrow<counter>, got label `h`, at line 1, column 23; write \"h\" in double quotes"
    );
}

/// Narrower bounds and defaults of `skill.yaml` apply here too.
#[tokio::test]
async fn bounds_and_defaults_hold() {
    let component = r#"(component
        (core module $m (func (export "run") (param i32) (result i32) local.get 0))
        (core instance $i (instantiate $m))
        (func (export "run") (param "many-rows" u32) (result u32) (canon lift (core func $i "run"))))"#;
    let manifest = "tools:\n- name: run\n  inputSchema: { properties: { many_rows: { maximum: 10, default: 4 } } }";
    let skill = TestSkill::new("echo", component, manifest);
    let session = skill.session();
    for (call, result) in
        [("echo/run()", "4"), ("echo/run(10)", "10"), ("echo/run(many-rows: 2)", "2")]
    {
        assert_eq!(session.call_wave(call).await.result.unwrap().to_string(), result);
    }
    for (call, message) in [
        ("echo/run(11)", "/many_rows: expected u32, got number 11; at most 10 is needed here"),
        ("echo/run(ten)", "/many_rows: expected u32, got label `ten`, at line 1, column 10"),
    ] {
        assert_eq!(session.call_wave(call).await.result.unwrap_err().to_string(), message);
    }
}

#[test]
fn a_result_is_one_line_in_either_notation() {
    let (code, stdout, stderr) = run(&["call", SORT]);
    assert_eq!(code, 0, "{stderr}");
    assert_eq!(stdout, "{\"data\":{\"columns\":[\"a\"],\"rows\":[[2.5],[1]]},\"warnings\":[]}\n");
    let (code, stdout, stderr) = run(&["call", "--wave", "--quiet", SORT]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert_eq!(
        stdout,
        "{data: {columns: [\"a\"], rows: [[number(\"2.5\")], [number(\"1\")]]}, warnings: []}\n"
    );
    // The result of a call in JSON too.
    let (code, stdout, stderr) =
        run(&["call", "--wave", "document_tool__list_documents", "--json", "{}"]);
    assert_eq!((code, stdout.as_str()), (0, "[]\n"), "{stderr}");
}

#[test]
fn errors_leave_standard_output_alone() {
    for (call, code) in [
        ("table-tool/sort(", 4),
        ("table-tool/sort()", 4),
        ("no-tool/sort()", 4),
        ("document-tool/read-document(\"none.pdf\")", 1),
    ] {
        let (got, stdout, stderr) = run(&["call", "--wave", call]);
        assert_eq!((got, stdout.as_str()), (code, ""), "{call}: {stderr}");
        assert!(stderr.contains("error: "), "{stderr}");
        let (got, stdout, _) = run(&["call", call]);
        assert_eq!(got, code);
        assert!(stdout.starts_with("{\n  \"error\""), "{stdout}");
    }
}

#[test]
fn a_call_in_wave_takes_no_json() {
    for call in [SORT, "@call.wave", "-"] {
        let (code, stdout, stderr) = run(&["call", call, "--json", "{}"]);
        assert_eq!((code, stdout.as_str()), (2, ""), "{call}");
        assert!(stderr.contains("a call in WAVE holds its arguments"), "{stderr}");
    }
}

#[test]
fn calls_from_files_and_standard_input() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("call.wave"), format!("// sorted\n{SORT}\n")).unwrap();
    let output = mitt(folder.path(), &["call", "@call.wave"]);
    assert!(text(&output.stdout).contains("[[2.5],[1]]"), "{}", text(&output.stderr));
    let output = command(folder.path(), &["call", "-"])
        .stdin(std::fs::File::open(folder.path().join("call.wave")).unwrap())
        .output()
        .unwrap();
    assert!(text(&output.stdout).contains("[[2.5],[1]]"), "{}", text(&output.stderr));
    let (code, _, stderr) = run(&["call", "@missing.wave"]);
    assert_eq!(code, 3);
    assert!(stderr.contains("cannot read missing.wave"), "{stderr}");
}

/// Quotes that a shell has removed are explained so that the user finds the mistake.
#[cfg(unix)]
#[test]
fn quotes_of_a_shell() {
    let folder = tempfile::tempdir().unwrap();
    let shell = |script: &str| {
        let mut shell = std::process::Command::new("sh");
        shell.current_dir(folder.path()).env("MITT_CACHE_DIR", crate::support::cache());
        shell.env("MITT_CONFIG", "");
        shell.args(["-c", script, env!("CARGO_BIN_EXE_mitt")]);
        let output = shell.output().unwrap();
        (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
    };
    let (code, stdout, stderr) = shell(
        r#""$0" call -q --wave 'excel-tool/create-excel([{month: "Jan", dau: 12}], "r.xlsx")' | grep -c 'name: "r.xlsx"'"#,
    );
    assert_eq!((code, stdout.as_str()), (0, "1\n"), "{stderr}");
    assert!(folder.path().join("out/r.xlsx").is_file());
    let (code, stdout, stderr) = shell(
        r#"M=Jan; "$0" call -q --wave "excel-tool/create-excel([{month: \"$M\"}], \"s.xlsx\")" | wc -l"#,
    );
    assert_eq!((code, stdout.trim()), (0, "1"), "{stderr}");
    // Double quotes outside consume those inside.
    let (code, _, stderr) =
        shell(r#""$0" call -q --wave "excel-tool/create-excel([{month: "Jan"}], "r.xlsx")""#);
    assert_eq!(code, 4);
    insta::assert_snapshot!(stderr, @r##"
    error: not valid WAVE: line 1, column 35: expected `,` or `}`, found `an`
    hint: text is put in double quotes, and on a command line the whole call in single quotes; each word of a name is all in lower case or all in upper case, as in `true`
    "##);
    // An apostrophe inside single quotes, in shell syntax.
    let (code, stdout, stderr) = shell(
        r#""$0" call -q --wave 'excel-tool/create-excel([{note: "it'\''s"}], "t.xlsx")' | wc -l"#,
    );
    assert_eq!((code, stdout.trim()), (0, "1"), "{stderr}");
    let (code, _, stderr) = shell(r#""$0" call -q --wave "report/deliver('text', 'r.md')""#);
    assert_eq!(code, 4);
    assert!(stderr.contains("strings are written in double quotes"), "{stderr}");
}
