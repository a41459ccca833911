//! Narrower bounds and defaults in `skill.yaml`.

use mitt::{ErrorKind, Session};

use crate::support::{TestSkill, kind, mitt, text};

/// A tool that returns its number.
const ECHO: &str = r#"(component
    (core module $m (func (export "run") (param i32) (result i32) local.get 0))
    (core instance $i (instantiate $m))
    (func (export "run") (param "many-rows" u32) (result u32) (canon lift (core func $i "run"))))"#;

fn skill(tools: &str) -> TestSkill {
    TestSkill::new("echo", ECHO, tools)
}

async fn run(session: &Session, arguments: &str) -> Result<String, String> {
    let report = session.call("echo__run", arguments).await;
    report.result.map(|json| json.to_string()).map_err(|error| error.to_string())
}

#[tokio::test]
async fn bounds_and_defaults_hold() {
    let skill = skill(
        "tools:\n- name: run\n  inputSchema:\n    properties:\n      many_rows: { maximum: 10, default: 4, examples: [2] }",
    );
    let session = skill.session();
    assert_eq!(run(&session, "{}").await.unwrap(), "4");
    assert_eq!(run(&session, r#"{"many_rows": 10}"#).await.unwrap(), "10");
    assert_eq!(
        run(&session, r#"{"many_rows": 11}"#).await.unwrap_err(),
        "/many_rows: expected u32, got number 11; at most 10 is needed here"
    );
    let folder = tempfile::tempdir().unwrap();
    let path = skill.path().to_str().unwrap();
    let output = mitt(folder.path(), &["tools", "--json", "--no-bundled-skills", "--skills", path]);
    let tools: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    insta::assert_snapshot!(tools[0]["input_schema"], @r##"
    {"type":"object","properties":{"many_rows":{"type":"integer","minimum":0,"maximum":10,"default":4,"examples":[2]}},"required":[],"additionalProperties":false}
    "##);
}

/// A wider schema, one for a missing tool, and one that is not a schema: each is refused with the place.
#[tokio::test]
async fn a_schema_wider_than_the_interface_is_refused_at_load() {
    for (tools, message) in [
        (
            "tools: [{name: run, inputSchema: {properties: {many_rows: {maximum: 4294967296}}}}]",
            "skill `echo`: skill.yaml: tools: run: inputSchema.properties.many_rows.maximum: expected a bound from 0 to 4294967295 \
             for `u32`, got one that leaves its range",
        ),
        (
            "tools: [{name: run, inputSchema: {properties: {rows: {}}}}]",
            "skill `echo`: skill.yaml: tools: run: inputSchema.properties: no parameter `rows`; did you mean `many_rows`?",
        ),
        (
            "tools: [{name: ran}]",
            "skill `echo`: skill.yaml: tools: the plugin exports no function `ran`",
        ),
    ] {
        let report = skill(tools).session().call("echo__run", r#"{"many_rows": 1}"#).await;
        assert_eq!(kind(&report), ErrorKind::Load);
        assert_eq!(report.result.unwrap_err().to_string(), message);
    }
    let folder = tempfile::tempdir().unwrap();
    for (tools, message) in [
        ("tools: [{name: run, inputschema: {}}]", "unknown key `inputschema`"),
        ("tools: [{name: run}, {name: run}]", "tools: `run` is named twice"),
    ] {
        let skill = skill(tools);
        let path = skill.path().to_str().unwrap();
        let output = mitt(folder.path(), &["tools", "--no-bundled-skills", "--skills", path]);
        assert_eq!(output.status.code(), Some(8));
        assert!(text(&output.stderr).contains(message), "{}", text(&output.stderr));
    }
}

/// A tool under both of its names would have two policies.
#[tokio::test]
async fn a_tool_is_told_of_once() {
    let component = r#"(component
        (core module $m (func (export "run")))
        (core instance $i (instantiate $m))
        (func (export "run-it") (canon lift (core func $i "run"))))"#;
    let manifest = "tools: [{name: run-it}, {name: run_it, idempotent: true}]";
    let skill = TestSkill::new("twice", component, manifest);
    let report = skill.session().call("twice__run_it", "{}").await;
    assert_eq!(kind(&report), ErrorKind::Load);
    let text = report.result.unwrap_err().to_string();
    assert!(text.contains("tools: run_it: the tool is named twice"), "{text}");
}
