//! `mitt run --output-schema`: standard output is one JSON value.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::models::{Server, run};
use crate::support::{command, text};

const VALUE: &str = r#"{"total": 7.50}"#;

fn schema() -> String {
    let total = json!({ "type": "number", "minimum": 0 });
    json!({ "type": "object", "properties": { "total": total }, "required": ["total"] }).to_string()
}

fn says(text: &str) -> Value {
    json!({ "text": text })
}

fn table(name: &str) -> Value {
    let arguments = json!({ "data": [{ "a": 1 }], "filename": name });
    json!({ "calls": [{ "id": "c1", "name": "excel_tool__create_excel", "arguments": arguments }] })
}

/// Runs an instruction with a schema, and more options.
fn asked(folder: &Path, server: &Server, schema: &str, more: &[&str]) -> (i32, String, String) {
    let model = server.model();
    let args = ["run", "-m", &model, "--tools", "all", "--output-schema", schema];
    run(folder, &[&args, more, &["Sum it up as an Excel file"]].concat())
}

#[test]
fn standard_output_gets_the_value_alone() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("total.json"), schema()).unwrap();
    let fenced = format!("```json\n{VALUE}\n```");
    let schema = schema();
    for given in ["total.json", "@total.json", schema.as_str()] {
        let server = Server::start(vec![table("a.xlsx"), says("Seven."), says(&fenced)]);
        let (code, stdout, stderr) = asked(folder.path(), &server, given, &[]);
        assert_eq!((code, stdout.as_str()), (0, "{\"total\": 7.50}\n"), "{stderr}");
        assert!(stderr.contains("a.xlsx"), "people read where the file is: {stderr}");
        assert!(folder.path().join("out/a.xlsx").exists());
        let body = server.body(2);
        let sent = body["response_format"]["json_schema"]["schema"]["required"].clone();
        assert_eq!(sent, json!(["total"]), "{body}");
        // The model read what was wrong.
        assert!(body.to_string().contains("does not have the form"));
    }
    let server = Server::start(vec![table("b.xlsx"), says(&fenced)]);
    let (code, stdout, stderr) = asked(folder.path(), &server, "total.json", &["--json"]);
    assert_eq!(code, 0, "{stderr}");
    let report: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!((&report["text"], &report["output"]), (&json!(VALUE), &json!({ "total": 7.5 })));
    assert_eq!(report["artifacts"].as_array().unwrap().len(), 1);
}

#[test]
fn a_schema_comes_from_standard_input_too() {
    let folder = tempfile::tempdir().unwrap();
    for given in ["-", "@-"] {
        let server = Server::start(vec![says(VALUE)]);
        let model = server.model();
        let args = ["run", "-m", &model, "--output-schema", given, "Sum it up"];
        let mut command = command(folder.path(), &args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(schema().as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(text(&output.stdout), format!("{VALUE}\n"), "{}", text(&output.stderr));
    }
}

#[test]
fn a_run_without_its_answer_prints_none_and_can_be_resumed_in_its_schema() {
    let folder = tempfile::tempdir().unwrap();
    let wrong = || says(r#"{"total": -7}"#);
    let turns = vec![table("a.xlsx"), wrong(), wrong(), wrong()];
    let server = Server::start(turns.clone());
    let (code, stdout, stderr) = asked(folder.path(), &server, &schema(), &[]);
    assert_eq!((code, stdout.as_str()), (9, ""), "{stderr}");
    for expected in [
        "for which the model was asked 3 times",
        "/total: expected at least 0, got -7",
        r#"the last answer is: {"total": -7}"#,
        "goes on with it",
        "a.xlsx",
    ] {
        assert!(stderr.contains(expected), "{expected}: {stderr}");
    }
    // The schema is in the log.
    let server = Server::start(vec![says("Seven."), says(VALUE)]);
    let (code, stdout, stderr) = run(folder.path(), &["run", "-m", &server.model(), "--resume"]);
    assert_eq!((code, stdout.as_str()), (0, "{\"total\": 7.50}\n"), "{stderr}");
    let format = server.body(1)["response_format"]["type"].clone();
    assert_eq!(format, "json_schema", "{}", server.body(1));
    // For programs.
    let server = Server::start(turns);
    let (code, stdout, stderr) = asked(folder.path(), &server, &schema(), &["--json"]);
    assert_eq!(code, 9, "{stderr}");
    let report: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(report["text"], r#"{"total": -7}"#);
    assert_eq!((&report["error"]["kind"], report.get("output")), (&json!("model"), None));
}

#[test]
fn a_plan_prints_its_value_alone() {
    let folder = tempfile::tempdir().unwrap();
    let plan = json!({ "title": "T", "thought": "", "has_enough_context": true, "steps": [] });
    for (more, expected) in [(&[][..], "{\"total\": 7.50}\n"), (&["--json"], "\"output\":")] {
        let turns = vec![says(&plan.to_string()), says("Seven."), says(VALUE)];
        let server = Server::start(turns);
        let (model, schema) = (server.model(), schema());
        let args = ["run", "-m", &model, "--plan", "--output-schema", &schema, "Sum it up"];
        let (code, stdout, stderr) = run(folder.path(), &[&args, more].concat());
        assert_eq!(code, 0, "{stderr}");
        assert!(stdout.contains(expected), "{stdout}");
        assert!(!more.is_empty() || stdout == expected, "{stdout}");
        assert!(server.body(2).to_string().contains("does not have the form"));
    }
}

#[test]
fn a_wrong_schema_is_refused_before_a_model_is_asked() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(vec![says(VALUE)]);
    for (schema, more, code, expected) in [
        (r#"{"properties": {"a": {"if": {}}}}"#, &[][..], 3, "/properties/a/if: "),
        ("{", &[], 3, "--output-schema: expected a JSON Schema, got no JSON"),
        ("missing.json", &[], 3, "cannot read missing.json"),
    ] {
        let (got, stdout, stderr) = asked(folder.path(), &server, schema, more);
        assert_eq!((got, stdout.as_str(), stderr.contains(expected)), (code, "", true), "{stderr}");
    }
    assert!(server.asked.lock().unwrap().is_empty());
}
