//! Clients of MCP read objects that the operator named.

use hyper::header::{ACCEPT, CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::{HeaderMap, Method};
use serde_json::{Value, json};

use super::super::function::Function;
use super::super::http;
use super::super::http_event::HttpEvent;
use super::super::payload::Reader;
use super::server::Server;
use super::{function, task};

/// Lets a client add the document with this address, and returns the answer.
async fn added(function: &Function, url: &str) -> Value {
    const REVISION: &str = "2026-07-28";
    let mut meta = json!({});
    meta["io.modelcontextprotocol/protocolVersion"] = json!(REVISION);
    meta["io.modelcontextprotocol/clientInfo"] = json!({ "name": "test", "version": "1" });
    meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
    let tool = "documents__add";
    let params = json!({ "name": tool, "arguments": { "url": url }, "_meta": meta });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let mut headers = HeaderMap::new();
    headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    for (name, value) in
        [("mcp-protocol-version", REVISION), ("mcp-method", "tools/call"), ("mcp-name", tool)]
    {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    let event = HttpEvent {
        method: Method::POST,
        uri: "/mcp".parse().unwrap(),
        headers,
        body: body.to_string().into(),
        is_authorized: true,
    };
    let answer = http::answer(function, &task(Reader::HttpClient), event).await;
    let answer: Value = serde_json::from_slice(&answer).unwrap();
    assert_eq!(answer["statusCode"], 200, "{answer}");
    serde_json::from_str(answer["body"].as_str().unwrap()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_of_mcp_reads_objects_that_the_operator_names() {
    let server = Server::start().await;
    server.put("/in-box/a/b.csv", "n\n1\n");
    server.put("/in-box/c.csv", "secret\n1\n");
    let function = function(&server, &["--s3", "s3://in-box/a"]);
    let answer = added(&function, "s3://in-box/a/b.csv").await;
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    assert!(answer["result"].to_string().contains("b.csv"), "{answer}");
    let answer = added(&function, "s3://in-box/c.csv").await;
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    assert!(answer.to_string().contains("may not read this object"), "{answer}");
    assert!(!answer.to_string().contains("secret"), "{answer}");
}
