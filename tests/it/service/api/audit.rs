//! The audit log: who did what, and no contents.

use std::io;
use std::sync::{Mutex, Once};

use hyper::Method;
use serde_json::{Value, json};
use tracing_subscriber::Layer as _;
use tracing_subscriber::filter::EnvFilter;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::http::client::Client;
use crate::service::support::{Call, Server, run};

static LOG: Mutex<Vec<u8>> = Mutex::new(Vec::new());

struct Log;

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        LOG.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Begins to keep the lines of this process, as the program writes them.
fn keep_lines() {
    static BEGUN: Once = Once::new();
    BEGUN.call_once(|| {
        let filter = EnvFilter::new("off,mitt::audit=info");
        let layer = tracing_subscriber::fmt::layer().json().with_writer(|| Log).with_filter(filter);
        tracing_subscriber::registry().with(layer).init();
    });
}

/// Returns the fields of the lines that contain one of these texts.
fn lines(about: &[&str]) -> Vec<Value> {
    let log = String::from_utf8(LOG.lock().unwrap().clone()).unwrap();
    let lines = log.lines().filter(|line| about.iter().any(|it| line.contains(it)));
    lines.map(|line| serde_json::from_str::<Value>(line).unwrap()["fields"].clone()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_change_download_and_refusal_has_a_line_without_contents() {
    keep_lines();
    let server = Server::for_tenants().await;
    let alice = server.alice.clone();
    let send = async |call: Call| server.send(call.token(&alice)).await;
    let form = [("file", "salaries-of-ann.csv", "name,pay\nAnn,987654\n")];
    let file = send(Call::form("/v1/files", &[("purpose", "user_data")], &form)).await.json();
    let file = file["id"].as_str().unwrap().to_owned();
    let body = run("Please deliver the pay of Ann.");
    let state = send(Call::post("/v1/runs?wait=true", &body)).await.json();
    let run = state["id"].as_str().unwrap().to_owned();
    let link = state["files"][0]["url"].as_str().unwrap();
    let link = link.split_once("/v1/").map(|(_, rest)| format!("/v1/{rest}")).unwrap();
    let digest = state["files"][0]["sha256"].as_str().unwrap();
    // Reading leaves no line; downloads do, with and without a token.
    assert_eq!(send(Call::get(&format!("/v1/runs/{run}"))).await.status, 200);
    assert_eq!(send(Call::get(&format!("/v1/runs/{run}/files/summary.md"))).await.status, 200);
    assert_eq!(server.get(&link).await.status, 200);
    assert_eq!(send(Call::get(&format!("/v1/files/{file}/content"))).await.status, 200);
    let keyed = Call::post(&format!("/v1/runs/{run}/messages"), &json!({ "instruction": "More." }));
    assert_eq!(send(keyed.header("x-model-key", "sk-secret-4711")).await.status, 403);
    assert_eq!(send(Call::new(Method::DELETE, &format!("/v1/files/{file}"))).await.status, 200);
    assert_eq!(send(Call::new(Method::DELETE, &format!("/v1/runs/{run}"))).await.status, 204);
    let wrong = Call::get("/v1/runs").token("mitt_wrong-token-of-nobody-0815");
    assert_eq!(server.send(wrong).await.status, 401);

    let found = lines(&[&file, &run, digest]);
    let said: Vec<String> = found
        .iter()
        .map(|line| {
            assert_eq!(line["tenant"], "alice", "{line}");
            let message = line["message"].as_str().unwrap();
            let operation = line["operation"].as_str().map(|it| format!(": {it}"));
            format!("{message}{}", operation.unwrap_or_default())
        })
        .collect();
    for expected in [
        "a file was uploaded",
        "a run was created",
        "a run ended",
        "a request was answered: get_run_file",
        "a file was downloaded by its link",
        "a request was answered: openai_get_file_content",
        "a request was refused: add_run_message",
        "a file was deleted",
        "a request was answered: openai_delete_file",
        "a run was deleted",
        "a request was answered: delete_run",
    ] {
        assert!(said.iter().any(|it| it == expected), "{expected}: {said:#?}");
    }
    assert!(!said.iter().any(|it| it.ends_with(": get_run")), "{said:#?}");
    let refused = found.iter().find(|it| it["operation"] == "add_run_message").unwrap();
    assert_eq!((&refused["status"], &refused["code"]), (&json!(403), &json!("key_not_allowed")));
    assert_eq!(
        (&refused["own_model_key"], &refused["object"]),
        (&json!(true), &json!(format!("run={run}")))
    );
    let ended = found.iter().find(|it| it["message"] == "a run ended").unwrap();
    assert_eq!((&ended["status"], &ended["code"]), (&json!("completed"), &json!("")));
    assert!(ended["input_tokens"].is_u64(), "{ended}");
    let tokens = lines(&["\"reason\":\"token\""]);
    assert!(tokens.iter().any(|it| it["message"] == "a request was refused"), "{tokens:?}");
    let log = String::from_utf8(LOG.lock().unwrap().clone()).unwrap();
    for private in
        ["Ann", "salaries", "987654", "summary.md", "sk-secret", "nobody-0815", alice.as_str()]
    {
        assert!(!log.contains(private), "{private}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_call_over_mcp_has_a_line_without_contents() {
    const UNKNOWN: &str = "no_such__audited_tool";
    keep_lines();
    let server = Server::for_tenants().await;
    let mut client = Client::connect(server.address, Some(&server.bob)).await;
    client.initialize().await;
    let code = json!({ "code": "print('pay-of-eve: 445566')" });
    for (tool, arguments) in [
        ("python__run", &code),
        ("python__run", &json!({ "cod": "pay-of-eve" })),
        (UNKNOWN, &json!({})),
    ] {
        let call = json!({ "name": tool, "arguments": arguments });
        client.request("tools/call", call).await;
    }
    let log = String::from_utf8(LOG.lock().unwrap().clone()).unwrap();
    let calls = lines(&["\"a tool was called\""]);
    let session = &calls.iter().find(|it| it["tool"] == UNKNOWN).unwrap()["session"];
    assert_eq!(session.as_str().map(str::len), Some(16), "{session}");
    let calls: Vec<&Value> = calls.iter().filter(|it| it["session"] == *session).collect();
    let outcomes: Vec<&Value> = calls.iter().map(|it| &it["outcome"]).collect();
    assert_eq!(outcomes, ["ok", "arguments", "unknown-tool"]);
    for call in &calls {
        assert_eq!(call["tenant"], "bob");
        assert!(call["milliseconds"].is_u64() && call["file_bytes"] == 0, "{call}");
    }
    assert_eq!(calls[0]["argument_bytes"], code.to_string().len());
    assert!(calls[0]["result_bytes"].as_u64() > Some(10), "{}", calls[0]);
    assert_eq!(calls[1]["result_bytes"], 0);
    for private in ["pay-of-eve", "445566", &client.headers["mcp-session-id"], &server.bob] {
        assert!(!log.contains(private), "{private}");
    }
}
