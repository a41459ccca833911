//! How calls end early: by the client, with their session, or with the server.

use std::time::{Duration, Instant};

use hyper::Method;
use mitt_serve::http::{HttpLimits, HttpOptions};
use serde_json::json;

use super::client::{Running, SOON, modern, options, read, request, said, start};

async fn until_calls(server: &Running, count: usize) -> Duration {
    let begun = Instant::now();
    while server.server.running_calls() != count {
        assert!(begun.elapsed() < SOON, "{} calls run", server.server.running_calls());
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    begun.elapsed()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_a_session_stops_its_calls_at_once() {
    let server = start(options()).await;
    let mut client = server.client().await;
    client.initialize().await;
    let mut caller = client.again().await;
    let call = request("tools/call", json!({ "name": "conformance__spin", "arguments": {} }));
    let stream = caller.send(Method::POST, "/mcp", &[], call.to_string()).await;
    until_calls(&server, 1).await;
    let reply = client.send(Method::DELETE, "/mcp", &[], "").await;
    assert!(reply.status().is_success(), "{reply:?}");
    let took = until_calls(&server, 0).await;
    assert!(took < Duration::from_secs(1), "{took:?}");
    read(stream).await;
    assert_eq!(client.post(&request("tools/list", json!({}))).await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_closed_stream_stops_its_call() {
    let server = start(options()).await;
    let mut client = server.client().await;
    let (headers, call) =
        modern("tools/call", json!({ "name": "conformance__spin", "arguments": {} }));
    let headers: Vec<_> = headers.iter().map(|(k, v)| (*k, v.as_str())).collect();
    let waiting = client.send(Method::POST, "/mcp", &headers, call.to_string());
    assert!(tokio::time::timeout(Duration::from_millis(300), waiting).await.is_err());
    until_calls(&server, 1).await;
    drop(client);
    let took = until_calls(&server, 0).await;
    assert!(took < Duration::from_secs(2), "{took:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_request_stops_its_call() {
    let server = start(options()).await;
    let mut client = server.client().await;
    client.initialize().await;
    let mut caller = client.again().await;
    let call = request("tools/call", json!({ "name": "conformance__spin", "arguments": {} }));
    let _stream = caller.send(Method::POST, "/mcp", &[], call.to_string()).await;
    until_calls(&server, 1).await;
    let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } });
    assert_eq!(client.post(&cancel).await.status, 202);
    let took = until_calls(&server, 0).await;
    assert!(took < Duration::from_secs(1), "{took:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shutdown_lets_calls_end() {
    let mut server = start(options()).await;
    let mut client = server.client().await;
    client.initialize().await;
    let mut caller = client.again().await;
    let call =
        request("tools/call", json!({ "name": "conformance__sleep", "arguments": { "ms": 800 } }));
    let stream = caller.send(Method::POST, "/mcp", &[], call.to_string()).await;
    until_calls(&server, 1).await;
    let mut watcher = server.client().await;
    assert_eq!(watcher.get("/healthz").await.status, 200);
    let address = server.address;
    let (reply, ()) = tokio::join!(read(stream), server.shut_down());
    assert!(said(&reply.json()).contains("800"), "{reply:?}");
    assert!(tokio::net::TcpStream::connect(address).await.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shutdown_waits_no_longer_than_its_grace() {
    let limits = HttpLimits { grace: Duration::from_millis(300), ..HttpLimits::default() };
    let mut server = start(HttpOptions { limits, ..options() }).await;
    let mut client = server.client().await;
    client.initialize().await;
    let mut listener = client.again().await;
    let news = listener.send(Method::GET, "/mcp", &[], "").await;
    let mut caller = client.again().await;
    let call = request("tools/call", json!({ "name": "conformance__spin", "arguments": {} }));
    let stream = caller.send(Method::POST, "/mcp", &[], call.to_string()).await;
    until_calls(&server, 1).await;
    let begun = Instant::now();
    server.shut_down().await;
    assert!(begun.elapsed() < Duration::from_secs(6), "{:?}", begun.elapsed());
    assert_eq!(server.server.running_calls(), 0);
    drop((stream, news));
}
