//! Reaches each limit of the server.

use std::time::{Duration, Instant};

use bytes::Bytes;
use hyper::Method;
use mitt_serve::http::{HttpLimits, HttpOptions};
use mitt_serve::mcp::ServerOptions;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::client::{OLD, Running, SOON, initialize, options, read, request, start, start_with};

async fn limited(limits: HttpLimits) -> Running {
    start(HttpOptions { limits, ..options() }).await
}

/// Sends bytes, and reads until the server closes the connection.
async fn raw(server: &Running, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    // It may close before it has read everything.
    let _ = stream.write_all(bytes).await;
    let mut answer = Vec::new();
    let _ = tokio::time::timeout(SOON, stream.read_to_end(&mut answer)).await.expect("still open");
    String::from_utf8_lossy(&answer).into_owned()
}

fn head(more: &str) -> String {
    format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\naccept: application/json, text/event-stream\r\ncontent-type: application/json\r\n{more}\r\n"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn the_size_of_a_body() {
    let server = limited(HttpLimits { body_bytes: 2_000, ..HttpLimits::default() }).await;
    let mut client = server.client().await;
    let fits = initialize().to_string();
    let fits = format!("{fits}{}", " ".repeat(2_000 - fits.len()));
    let reply = client.send(Method::POST, "/mcp", &[], fits.clone()).await;
    assert_eq!(read(reply).await.status, 200);
    let reply = client.send(Method::POST, "/mcp", &[], fits + " ").await;
    assert_eq!(reply.status(), 413);
    // A claimed length that is too large is refused at once.
    let begun = Instant::now();
    let answer = raw(&server, head("content-length: 100000000000\r\n").as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
    assert!(begun.elapsed() < SOON / 2);
    // Without a length, bytes are counted.
    let chunk = format!("400\r\n{}\r\n", "x".repeat(0x400));
    let body = head("transfer-encoding: chunked\r\n") + &chunk.repeat(2) + "0\r\n\r\n";
    let answer = raw(&server, body.as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_number_and_size_of_header_fields() {
    let server = limited(HttpLimits { header_fields: 10, ..HttpLimits::default() }).await;
    let fields = |count: usize| (0..count).map(|n| format!("x-{n}: 1\r\n")).collect::<String>();
    let answer =
        raw(&server, head(&(fields(5) + "connection: close\r\ncontent-length: 0\r\n")).as_bytes())
            .await;
    assert!(!answer.starts_with("HTTP/1.1 431"), "{answer}");
    let answer = raw(&server, head(&fields(20)).as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 431"), "{answer}");
    let server = limited(HttpLimits { header_bytes: 8 * 1024, ..HttpLimits::default() }).await;
    let answer = raw(&server, head(&format!("x: {}\r\n", "x".repeat(9 * 1024))).as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 431"), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_header_that_trickles_and_a_connection_that_is_idle() {
    let header_time = Duration::from_millis(600);
    let server = limited(HttpLimits { header_time, ..HttpLimits::default() }).await;
    // Sending single bytes does not extend the time.
    let mut slow = TcpStream::connect(server.address).await.unwrap();
    let begun = Instant::now();
    for byte in head("").bytes().cycle() {
        if slow.write_all(&[byte]).await.is_err() {
            break;
        }
        let mut answer = [0; 64];
        if let Ok(read) =
            tokio::time::timeout(Duration::from_millis(50), slow.read(&mut answer)).await
        {
            assert!(
                read.map_or(true, |read| read == 0 || answer.starts_with(b"HTTP/1.1 408")),
                "{answer:?}"
            );
            break;
        }
        assert!(begun.elapsed() < SOON, "the server waits for ever");
    }
    assert!(begun.elapsed() >= header_time / 2, "{:?}", begun.elapsed());
    let mut client = server.client().await;
    assert_eq!(client.get("/healthz").await.status, 200);
    tokio::time::sleep(header_time * 3).await;
    assert_eq!(server.server.connections(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_does_not_come() {
    let limits = HttpLimits { body_time: Duration::from_millis(300), ..HttpLimits::default() };
    let server = limited(limits).await;
    let answer = raw(&server, (head("content-length: 10\r\n") + "{").as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_memory_of_all_bodies() {
    let limits = HttpLimits {
        body_bytes: 4096,
        bodies_bytes: 4096,
        body_time: Duration::from_millis(400),
        ..HttpLimits::default()
    };
    let server = limited(limits).await;
    // One announces everything and sends nothing: others do not wait for it.
    let mut first = TcpStream::connect(server.address).await.unwrap();
    first.write_all(head("content-length: 4096\r\n").as_bytes()).await.unwrap();
    tokio::time::sleep(Duration::from_millis(100)).await;
    let mut client = server.client().await;
    let reply = client.post(&initialize()).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    // Received bytes take room until the body is complete or given up.
    let server = limited(HttpLimits {
        body_bytes: 4096,
        bodies_bytes: 4096,
        body_time: Duration::from_secs(3),
        ..HttpLimits::default()
    })
    .await;
    let mut first = TcpStream::connect(server.address).await.unwrap();
    let most = head("content-length: 4096\r\n") + &" ".repeat(4_000);
    first.write_all(most.as_bytes()).await.unwrap();
    tokio::time::sleep(Duration::from_millis(500)).await;
    let mut client = server.client().await;
    let reply = client.post(&initialize()).await;
    assert_eq!(reply.status, 503, "{reply:?}");
    assert!(reply.headers.contains_key("retry-after"));
    drop(first);
    let begun = Instant::now();
    loop {
        let mut client = server.client().await;
        if client.post(&initialize()).await.status == 200 {
            break;
        }
        assert!(begun.elapsed() < SOON, "the room of a body that broke off is not free");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_takes_no_answer_is_given_up() {
    let limits = HttpLimits { write_time: Duration::from_millis(300), ..HttpLimits::default() };
    let server = limited(limits).await;
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    // Thousands of unread responses, until the buffers in between are full.
    let request = "GET /metrics HTTP/1.1\r\nhost: localhost\r\n\r\n".repeat(64);
    let begun = Instant::now();
    while tokio::time::timeout(SOON, stream.write_all(request.as_bytes())).await.unwrap().is_ok() {
        assert!(begun.elapsed() < SOON * 2, "the server still writes");
    }
    assert_eq!(server.server.connections(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn open_connections() {
    let limits = HttpLimits {
        connections: 3,
        body_grace: SOON * 6,
        body_time: SOON * 6,
        ..HttpLimits::default()
    };
    let server = limited(limits).await;
    let mut busy = Vec::new();
    for _ in 0..3 {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        stream.write_all(head("content-length: 10\r\n").as_bytes()).await.unwrap();
        busy.push(stream);
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    let answer = raw(&server, b"").await;
    assert!(answer.starts_with("HTTP/1.1 503") || answer.is_empty(), "{answer}");
    drop(busy.pop());
    let begun = Instant::now();
    while server.server.connections() == 3 {
        assert!(begun.elapsed() < SOON);
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let metrics = server.client().await.get("/metrics").await.text;
    assert!(metrics.contains("mitt_http_refused_total{reason=\"connections\"} 1"), "{metrics}");
}

/// Idle connections keep nobody out.
#[tokio::test(flavor = "multi_thread")]
async fn idle_connections_make_room() {
    let server = limited(HttpLimits { connections: 3, ..HttpLimits::default() }).await;
    let mut idle = Vec::new();
    for bytes in ["", "POST /mcp HTTP/1.1\r\nhost: localh", ""] {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        stream.write_all(bytes.as_bytes()).await.unwrap();
        idle.push(stream);
    }
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    for _ in 0..3 {
        assert_eq!(server.client().await.get("/healthz").await.status, 200);
    }
    // The one that was idle longest was closed.
    let read = tokio::time::timeout(SOON, idle[0].read(&mut [0])).await.unwrap();
    assert!(matches!(read, Ok(0) | Err(_)));
    assert!(server.server.connections() <= 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_of_a_client_and_of_all() {
    for (limits, status) in [
        (HttpLimits { sessions_per_client: 2, ..HttpLimits::default() }, 429),
        (HttpLimits { sessions: 2, ..HttpLimits::default() }, 503),
    ] {
        let server = limited(limits).await;
        let mut first = server.client().await;
        let mut second = server.client().await;
        first.initialize().await;
        second.initialize().await;
        let mut third = server.client().await;
        let reply = third.post(&initialize()).await;
        assert_eq!(reply.status, status, "{reply:?}");
        assert!(reply.headers.contains_key("retry-after"));
        // A place is free when a session ends.
        let reply = second.send(Method::DELETE, "/mcp", &[], "").await;
        assert!(reply.status().is_success());
        let begun = Instant::now();
        while third.post(&initialize()).await.status != 200 {
            assert!(begun.elapsed() < SOON, "the place of an ended session is not free");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_in_which_nothing_happens_ends() {
    let limits = HttpLimits { session_idle: Duration::from_millis(500), ..HttpLimits::default() };
    let server = limited(limits).await;
    let mut client = server.client().await;
    client.initialize().await;
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_millis(1_200) {
        // Each request extends the session.
        assert!(client.request("tools/list", json!({})).await["result"].is_object());
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    assert_eq!(client.post(&request("tools/list", json!({}))).await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_of_a_client_at_once() {
    let server = limited(HttpLimits { requests_per_client: 2, ..HttpLimits::default() }).await;
    let mut client = server.client().await;
    client.initialize().await;
    let call_with_id = |id: u32| {
        let params = json!({ "name": "conformance__sleep", "arguments": { "ms": 20_000 } });
        let mut call = request("tools/call", params);
        call["id"] = json!(id);
        Bytes::from(call.to_string())
    };
    let (mut a, mut b) = (client.again().await, client.again().await);
    let _first = a.send(Method::POST, "/mcp", &[], call_with_id(7)).await;
    let second = b.send(Method::POST, "/mcp", &[], call_with_id(2)).await;
    let begun = Instant::now();
    while server.server.running_calls() < 2 {
        assert!(begun.elapsed() < SOON);
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let reply = client.post(&request("tools/list", json!({}))).await;
    assert_eq!(reply.status, 429, "{reply:?}");
    // A stream of notifications does not count as a request.
    let mut c = client.again().await;
    let stream = c.send(Method::GET, "/mcp", &[], "").await;
    assert_eq!(stream.status(), 200);
    // A client that cancels a call may send another one.
    drop((second, b));
    let begun = Instant::now();
    while client.post(&request("tools/list", json!({}))).await.status == 429 {
        assert!(begun.elapsed() < SOON);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn streams_of_a_client_at_once() {
    let limits =
        HttpLimits { streams_per_client: 2, requests_per_client: 1, ..HttpLimits::default() };
    let server = limited(limits).await;
    let mut open = Vec::new();
    for status in [200, 200, 429] {
        let mut client = server.client().await;
        client.initialize().await;
        let stream = client.send(Method::GET, "/mcp", &[], "").await;
        assert_eq!(stream.status(), status);
        // There is room for a request besides all streams.
        let mut other = client.again().await;
        assert!(other.request("tools/list", json!({})).await["result"].is_object());
        open.push((client, stream));
    }
}

/// Only the two numbers that an operator sets bound them.
#[tokio::test(flavor = "multi_thread")]
async fn a_client_can_have_a_thousand_sessions() {
    const MANY: usize = 1_000;
    let server_options = || ServerOptions {
        max_sessions: 3 * MANY,
        max_sessions_per_tenant: MANY,
        max_sessions_per_client: MANY,
        ..ServerOptions::default()
    };
    let limits =
        || HttpLimits { sessions: 3 * MANY, sessions_per_client: MANY, ..HttpLimits::default() };
    // With a handshake.
    let server = start_with(server_options(), HttpOptions { limits: limits(), ..options() }).await;
    let mut client = server.client().await;
    let mut sessions = Vec::new();
    for _ in 0..MANY {
        let reply = client.post(&initialize()).await;
        assert_eq!(reply.status, 200, "{}: {reply:?}", sessions.len());
        sessions.push(reply.headers["mcp-session-id"].clone());
    }
    assert_eq!(client.post(&initialize()).await.status, 429);
    assert_eq!(server.server.server().counts().sessions, MANY);
    for session in [&sessions[0], &sessions[MANY / 2], &sessions[MANY - 1]] {
        let more = [("mcp-session-id", session.as_str()), ("mcp-protocol-version", OLD)];
        let list = request("tools/list", json!({})).to_string();
        let reply = read(client.send(Method::POST, "/mcp", &more, list).await).await;
        assert!(reply.json()["result"].is_object(), "{reply:?}");
    }
    // Without a handshake: each session keeps what was made in it.
    let server = start_with(server_options(), HttpOptions { limits: limits(), ..options() }).await;
    let mut client = server.client().await;
    let named = |name: usize, method: &str, mut params: serde_json::Value| {
        params["_meta"]["mitt/session"] = json!(name.to_string());
        (method.to_owned(), params)
    };
    for name in 0..MANY {
        let add = json!({
            "name": "documents__add", "arguments": { "name": format!("{name}.txt"), "text": "x" },
        });
        let (method, params) = named(name, "tools/call", add);
        let reply = client.modern(&method, params).await.json();
        assert_eq!(reply["result"]["isError"], false, "{name}: {reply}");
    }
    assert_eq!(server.server.server().counts().sessions, MANY);
    for name in [0, MANY / 2, MANY - 1] {
        let (method, params) = named(name, "resources/list", json!({}));
        let listed = client.modern(&method, params).await.text;
        assert!(listed.contains(&format!("mitt://documents/{name}.txt")), "{listed}");
    }
}
