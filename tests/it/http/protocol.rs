//! Both revisions, and the other paths of the server.

use std::time::Duration;

use http_body_util::BodyExt as _;
use hyper::Method;
use serde_json::json;

use super::client::{NEW, OLD, initialize, options, read, request, said, start};

#[tokio::test(flavor = "multi_thread")]
async fn the_revision_with_sessions() {
    let server = start(options()).await;
    let mut client = server.client().await;
    let result = client.initialize().await;
    assert_eq!(result["protocolVersion"], OLD);
    assert_eq!(result["serverInfo"]["name"], "mitt");
    let tools = client.request("tools/list", json!({})).await;
    let names = tools["result"]["tools"].as_array().unwrap();
    assert!(names.iter().any(|tool| tool["name"] == "conformance__simple_text"), "{tools}");
    let answer = client.call("conformance__simple_text", json!({})).await;
    assert!(said(&answer).contains("This is a simple text response for testing."), "{answer}");
}

/// The TypeScript SDK before 1.24 parses the data of each event as JSON, even the empty data of an event that only has an
/// id.
#[tokio::test(flavor = "multi_thread")]
async fn streams_begin_with_an_empty_event_for_new_clients_only() {
    let server = start(options()).await;
    for (revision, is_primed) in [("2025-06-18", false), (OLD, true)] {
        let mut client = server.client().await;
        let mut hello = initialize();
        hello["params"]["protocolVersion"] = json!(revision);
        let reply = client.post(&hello).await;
        assert_eq!(reply.json()["result"]["protocolVersion"], revision);
        assert!(!begins_empty(&reply.text), "{reply:?}");
        client.headers.insert("mcp-session-id".into(), reply.headers["mcp-session-id"].clone());
        client.headers.insert("mcp-protocol-version".into(), revision.into());
        client.post(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        for message in [
            request("tools/list", json!({})),
            request("tools/call", json!({ "name": "conformance__simple_text", "arguments": {} })),
        ] {
            let reply = client.post(&message).await;
            assert_eq!(begins_empty(&reply.text), is_primed, "{revision}: {reply:?}");
            assert!(reply.json()["result"].is_object(), "{revision}: {reply:?}");
        }
        let mut other = client.again().await;
        let mut reply = other.send(Method::GET, "/mcp", &[], "").await;
        // A stream for old clients stays silent until there is an event.
        let first = tokio::time::timeout(Duration::from_millis(300), reply.frame()).await;
        let first = first.ok().flatten().map(|frame| frame.unwrap().into_data().unwrap());
        let text = first.map(|data| String::from_utf8_lossy(&data).into_owned());
        assert_eq!(text.is_some_and(|text| begins_empty(&text)), is_primed, "{revision}");
    }
}

/// Returns `true` if an event of a stream has empty data.
fn begins_empty(stream: &str) -> bool {
    stream.lines().any(|line| line.trim_end() == "data:")
}

#[tokio::test(flavor = "multi_thread")]
async fn the_revision_without_sessions() {
    let server = start(options()).await;
    let mut client = server.client().await;
    let discovered = client.modern("server/discover", json!({})).await;
    assert_eq!(discovered.status, 200, "{discovered:?}");
    assert!(discovered.headers["content-type"].starts_with("application/json"));
    assert!(!discovered.headers.contains_key("mcp-session-id"));
    let versions = discovered.json()["result"]["supportedVersions"].clone();
    assert!(versions.as_array().unwrap().contains(&json!(NEW)), "{versions}");
    let answer = client.modern_call("conformance__simple_text", json!({})).await;
    assert!(said(&answer).contains("This is a simple text response for testing."), "{answer}");
    // The header and the message must agree.
    let reply = client
        .send(
            Method::POST,
            "/mcp",
            &[("mcp-protocol-version", NEW), ("mcp-method", "tools/call"), ("mcp-name", "other")],
            super::client::modern(
                "tools/call",
                json!({ "name": "conformance__empty", "arguments": {} }),
            )
            .1
            .to_string(),
        )
        .await;
    let reply = read(reply).await;
    assert_eq!((reply.status, reply.json()["error"]["code"].as_i64()), (400, Some(-32020)));
}

#[tokio::test(flavor = "multi_thread")]
async fn arguments_reach_the_check_as_they_were_sent() {
    let server = start(options()).await;
    let mut client = server.client().await;
    client.initialize().await;
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"conformance__sleep","arguments":{"ms":1,"ms":2}}}"#;
    let reply = client.send(Method::POST, "/mcp", &[], body).await;
    let answer = read(reply).await.json();
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    assert!(said(&answer).contains("ms"), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_message_is_refused() {
    let server = start(options()).await;
    let mut client = server.client().await;
    client.initialize().await;
    for body in [
        "",
        "{",
        "null",
        "[]",
        r#"{"jsonrpc":"2.0"}"#,
        "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]",
    ] {
        let reply = client.send(Method::POST, "/mcp", &[], body).await;
        let reply = read(reply).await;
        assert!((400..500).contains(&reply.status), "{body}: {reply:?}");
    }
    let reply = client.send(Method::PUT, "/mcp", &[], "").await;
    assert_eq!(reply.status(), 405);
    let reply = client.send(Method::POST, "/mcp", &[("content-type", "text/plain")], "{}").await;
    assert_eq!(reply.status(), 415);
    let reply = client.send(Method::POST, "/other", &[], initialize().to_string()).await;
    assert_eq!(reply.status(), 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn health_readiness_and_metrics() {
    let server = start(options()).await;
    let mut client = server.client().await;
    assert_eq!(client.get("/healthz").await.text, "ok\n");
    for _ in 0..100 {
        if client.get("/readyz").await.status == 200 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(client.get("/readyz").await.text, "ready\n");
    let reply = client.send(Method::POST, "/metrics", &[], "").await;
    assert_eq!(reply.status(), 405);
    client.initialize().await;
    client.call("conformance__empty", json!({})).await;
    client.call("conformance__failing", json!({})).await;
    client.call("conformance__guess", json!({})).await;
    // A tool of the host is counted like the others.
    client.call("documents__add", json!({ "name": "a.txt", "text": "x" })).await;
    client.call("documents__add", json!({ "text": "x" })).await;
    let metrics = client.get("/metrics").await;
    assert!(metrics.headers["content-type"].starts_with("application/openmetrics-text"));
    for line in [
        "mitt_calls_total{tool=\"conformance__empty\",outcome=\"ok\"} 1",
        "mitt_calls_total{tool=\"conformance__failing\",outcome=\"plugin\"} 1",
        "mitt_call_duration_seconds_count{tool=\"conformance__empty\"} 1",
        "mitt_calls_total{tool=\"documents__add\",outcome=\"ok\"} 1",
        "mitt_calls_total{tool=\"documents__add\",outcome=\"arguments\"} 1",
        "mitt_http_requests_total{route=\"healthz\",status=\"200\"} 1",
        "mitt_sessions 1",
        "mitt_http_connections 1",
    ] {
        assert!(metrics.text.lines().any(|other| other == line), "{line}\n{}", metrics.text);
    }
    assert!(!metrics.text.contains("guess"), "{}", metrics.text);
    assert!(metrics.text.ends_with("# EOF\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_id_is_not_used_twice_at_once_in_a_session() {
    let server = start(options()).await;
    let mut client = server.client().await;
    client.initialize().await;
    let mut other = client.again().await;
    let mut stranger = server.client().await;
    stranger.initialize().await;
    let sleeping =
        tokio::spawn(
            async move { client.call("conformance__sleep", json!({ "ms": 1_500 })).await },
        );
    tokio::time::sleep(Duration::from_millis(500)).await;
    let reply = other.post(&request("ping", json!({}))).await;
    assert_eq!((reply.status, &reply.json()["id"]), (400, &json!(1)), "{reply:?}");
    assert_eq!(reply.json()["error"]["code"], -32600);
    // Another id is accepted, and so is the same id in another session or as a string.
    let mut ping = request("ping", json!({}));
    assert_eq!(stranger.post(&ping).await.json()["result"], json!({}));
    for id in [json!(2), json!("1")] {
        ping["id"] = id;
        assert_eq!(other.post(&ping).await.json()["result"], json!({}));
    }
    let answer = sleeping.await.unwrap();
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    assert_eq!(other.post(&request("ping", json!({}))).await.status, 200);
}
