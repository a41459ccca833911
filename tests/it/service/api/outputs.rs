//! `output_schema`: the answer of a run as a value.

use std::io::{Cursor, Read as _};

use serde_json::{Value, json};

use crate::service::support::{Call, Server, run};

const VALUE: &str = r#"{"total": 12345678901234567890.50, "parts": ["a"]}"#;
const COMPACT: &str = r#""output":{"total":12345678901234567890.50,"parts":["a"]}"#;

fn schema() -> Value {
    let parts = json!({ "type": "array", "items": { "type": "string" } });
    json!({
        "type": "object", "properties": { "total": { "type": "number" }, "parts": parts },
        "required": ["total"], "additionalProperties": false,
    })
}

fn asked(instruction: &str) -> Value {
    let mut body = run(instruction);
    body["output_schema"] = schema();
    body
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_with_a_schema_has_its_value_in_states_events_and_archives() {
    let server = Server::start().await;
    let body = asked(&format!("Please deliver. [json] ```json\n{VALUE}\n```"));
    let reply = server.post_json("/v1/runs?wait=true", &body).await;
    assert_eq!(reply.status, 201, "{reply:?}");
    let state = reply.json();
    assert_eq!((&state["status"], &state["text"]), (&json!("completed"), &json!(VALUE)));
    // The digits are those of the model.
    assert!(reply.text().contains(COMPACT), "{}", reply.text());
    assert_eq!(state["files"].as_array().unwrap().len(), 2);
    assert_eq!(state.get("has_output"), None);
    let path = format!("/v1/runs/{}", state["id"].as_str().unwrap());
    assert!(server.get(&path).await.text().contains(COMPACT));
    let stream = server.get(&format!("{path}/events")).await;
    let ended = stream.events().pop().unwrap();
    assert_eq!((ended.name.as_str(), &ended.data["text"]), ("ended", &json!(VALUE)));
    assert!(stream.text().contains(COMPACT) && !stream.text().contains("has_output"));
    let page = server.get(&format!("{path}/events?follow=false&limit=1000")).await;
    assert!(page.text().contains(COMPACT) && !page.text().contains("has_output"));
    let zip = server.get(&format!("{path}/files.zip")).await;
    let mut zip = zip::ZipArchive::new(Cursor::new(zip.body)).unwrap();
    let mut answer = String::new();
    zip.by_name("answer.json").unwrap().read_to_string(&mut answer).unwrap();
    assert_eq!(answer, r#"{"total":12345678901234567890.50,"parts":["a"]}"#);
    // A list has none, and a further instruction without a schema is answered with text.
    let listed = server.get("/v1/runs").await.json();
    assert_eq!(listed["runs"][0].get("output"), None, "{listed}");
    let more = json!({ "instruction": "And now?" });
    let state = server.post_json(&format!("{path}/messages?wait=true"), &more).await.json();
    assert_eq!((&state["text"], state.get("output")), (&json!("All is done."), None));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_has_a_schema_too_and_a_request_that_is_sent_again_has_the_value() {
    let server = Server::start().await;
    let (instruction, schema) = (format!("Go. [json] {VALUE}"), schema().to_string());
    let call = |schema: &str| {
        let fields = [("instruction", instruction.as_str()), ("output_schema", schema)];
        let files = [("document", "a.csv", "m\n1\n")];
        Call::form("/v1/runs?wait=true", &fields, &files).header("idempotency-key", "k")
    };
    for status in [201, 200] {
        let reply = server.send(call(&schema)).await;
        assert_eq!(reply.status, status, "{reply:?}");
        assert!(reply.text().contains(COMPACT), "{reply:?}");
    }
    server.send(call("{}")).await.problem(422, "idempotency_key_reused");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_schema_is_refused_with_all_its_places() {
    let server = Server::start().await;
    let nullable = json!({ "type": "string", "nullable": true });
    for (schema, places) in [
        (json!({ "properties": { "a": nullable } }), vec!["/output_schema/properties/a/nullable"]),
        (
            json!({ "if": {}, "$ref": "#/$defs/a" }),
            vec!["/output_schema/if", "/output_schema/$ref"],
        ),
        (json!("object"), vec!["/output_schema"]),
        (json!({ "description": "x".repeat(70_000) }), vec!["/output_schema"]),
    ] {
        let mut body = run("Go.");
        body["output_schema"] = schema;
        let problem = server.post_json("/v1/runs", &body).await.problem(422, "invalid_body");
        let found = problem["errors"].as_array().unwrap().iter();
        let mut found: Vec<_> = found.map(|it| it["pointer"].as_str().unwrap()).collect();
        found.sort_unstable();
        let mut places = places;
        places.sort_unstable();
        assert_eq!(found, places, "{problem}");
    }
    let listed = server.get("/v1/runs").await.json();
    assert_eq!(listed["runs"], json!([]), "no run was created");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_never_follows_the_schema_fails_the_run_with_a_code() {
    let server = Server::start().await;
    let body = asked(r#"Please deliver. [json] {"total": "7"}"#);
    let state = server.post_json("/v1/runs?wait=true", &body).await.json();
    assert_eq!((&state["status"], state.get("output")), (&json!("failed"), None), "{state}");
    assert_eq!(state["failure"]["code"], "output_mismatch");
    let message = state["failure"]["message"].as_str().unwrap();
    assert!(message.contains("/total: expected number, got string"), "{message}");
    assert_eq!(state["text"], r#"{"total": "7"}"#, "for people");
    assert_eq!(state["files"].as_array().unwrap().len(), 2, "files stay");
    let path = format!("/v1/runs/{}", state["id"].as_str().unwrap());
    let events = server.get(&format!("{path}/events")).await.events();
    let ended = &events.last().unwrap().data;
    assert_eq!(ended["failure"]["code"], "output_mismatch");
    assert_eq!(ended.get("output"), None);
}
