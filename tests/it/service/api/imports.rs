//! Runs that another program began.

use serde_json::json;

use crate::service::support::{Call, Server};

const TABLE: (&str, &str, &str) = ("file", "销售.csv", "m,r\n1,2\n");

/// Returns the names of uploaded files.
async fn uploaded(server: &Server) -> Vec<String> {
    let files = server.get("/v1/files").await.json();
    let names = files["data"].as_array().unwrap().iter();
    names.map(|it| it["filename"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_goes_on_from_its_log() {
    let server = Server::start().await;
    let form = Call::form("/v1/runs?wait=true", &[("instruction", "Go.")], &[TABLE]);
    let first = server.send(form).await.json();
    assert_eq!(first["status"], "completed", "{first}");
    let log = server.log_of(first["id"].as_str().unwrap());

    // The program may have had another name for the file.
    let renamed = ("file", "copy.csv", TABLE.2);
    let form =
        Call::form("/v1/runs/import", &[], &[("file", "20261127-093000.jsonl", &log), renamed]);
    let reply = server.send(form).await;
    assert_eq!(reply.status, 201, "{reply:?}");
    let imported = reply.json();
    assert_ne!(imported["id"], first["id"]);
    for same in ["status", "text", "title"] {
        assert_eq!(imported[same], first[same], "{same}");
    }
    assert_eq!(imported["documents"][0]["name"], "销售.csv");
    let path = format!("/v1/runs/{}", imported["id"].as_str().unwrap());
    let more =
        Call::post(&format!("{path}/messages?wait=true"), &json!({ "instruction": "More." }));
    let reply = server.send(more).await.json();
    assert_eq!(reply["status"], "completed", "{reply}");
    let events = server.get(&format!("{path}/events?follow=false")).await.json();
    let numbers: Vec<u64> = events["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["number"].as_u64().unwrap())
        .collect();
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
    let whole = server.log_of(imported["id"].as_str().unwrap());
    assert!(whole.starts_with(&log) && whole.contains("More."), "the log goes on");
    // The log and the table are not uploaded files, and the first run is as it was.
    assert_eq!(uploaded(&server).await, ["销售.csv"], "that of the first run");
    assert_eq!(server.log_of(first["id"].as_str().unwrap()), log);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_log_or_lacks_documents_is_refused() {
    let server = Server::start().await;
    let form = Call::form("/v1/runs?wait=true", &[("instruction", "Go.")], &[TABLE]);
    let first = server.send(form).await.json();
    let log = server.log_of(first["id"].as_str().unwrap());
    let changed = ("file", "销售.csv", "m,r\n1,3\n");
    for (files, expected) in [
        (vec![("file", "a.jsonl", log.as_str())], "got none for `销售.csv`"),
        (vec![("file", "a.jsonl", log.as_str()), changed], "got none for `销售.csv`"),
        (vec![TABLE], "expected the log of a run"),
        (vec![("file", "a.jsonl", "{}\n"), TABLE], "a.jsonl: line 1"),
    ] {
        let reply = server.send(Call::form("/v1/runs/import", &[], &files)).await;
        let problem = reply.problem(422, "invalid_body");
        assert!(problem["detail"].as_str().unwrap().contains(expected), "{problem}");
    }
    let listed = server.get("/v1/runs").await.json();
    assert_eq!(listed["runs"].as_array().unwrap().len(), 1, "{listed}");
    assert_eq!(uploaded(&server).await, ["销售.csv"], "that of the first run");
}
