//! Messages of a client whose memory is full: results of finished work are sent, and messages that free memory are read.

use mitt::MemoryLimits;
use mitt_serve::mcp::ServerOptions;
use serde_json::json;

use crate::http::client::{Client, Running, builder, options, start_host};

/// Starts a server whose tenants may hold this many bytes.
async fn start(per_tenant: u64) -> (Running, Client) {
    let memory = MemoryLimits { per_tenant, ..MemoryLimits::default() };
    let host = builder().memory(memory).build().unwrap();
    let server = start_host(host, ServerOptions::default(), options()).await;
    let client = server.client().await;
    (server, client)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_is_there_is_sent_whatever_it_weighs() {
    let (_server, mut client) = start(MemoryLimits::default().per_tenant).await;
    let whole = client.modern("tools/list", json!({})).await;
    let size = whole.text.len() as u64;
    // The request weighs more than this, so request and answer together weigh more than this plus the answer.
    let less = 7_000;
    let (_server, mut client) = start(less).await;
    assert_eq!(client.modern("tools/list", json!({})).await.status, 503);
    let (_server, mut client) = start(less + size).await;
    let answer = client.modern("tools/list", json!({})).await;
    assert_eq!((answer.status, &answer.text.len()), (200, &whole.text.len()), "{answer:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_memory_requests_are_to_come_later_and_notifications_get_no_answer() {
    let (_server, mut client) = start(1).await;
    let refused = client.post(&json!({ "jsonrpc": "2.0", "id": "\u{e9}", "method": "ping" })).await;
    assert_eq!((refused.status, refused.headers["retry-after"].as_str()), (503, "1"));
    let error = refused.json();
    assert_eq!((&error["id"], &error["error"]["code"]), (&json!("\u{e9}"), &json!(-32603)));
    let notification = |reason: &str| {
        let params = json!({ "requestId": 1, "reason": reason });
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params })
    };
    let answer = json!({ "jsonrpc": "2.0", "id": 7, "result": { "action": "decline" } });
    for heard in [notification(""), notification(&"x".repeat(60_000)), answer] {
        let reply = client.post(&heard).await;
        assert_ne!(reply.status, 503, "{reply:?}");
    }
    let large = client.post(&notification(&"x".repeat(200_000))).await;
    assert_eq!((large.status, large.headers["retry-after"].as_str()), (503, "1"));
    assert!(large.headers["content-type"].starts_with("text/plain"), "{large:?}");
    let mut heavy = notification("");
    heavy["params"]["list"] = vec![[0]; 200_000].into();
    let heavy = client.post(&heavy).await;
    assert_eq!((heavy.status, heavy.headers.get("retry-after")), (413, None));
    assert!(heavy.headers["content-type"].starts_with("text/plain"), "{heavy:?}");
}
