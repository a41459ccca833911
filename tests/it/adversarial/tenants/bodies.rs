//! Sockets that are opened and not used: bodies that are announced and never sent, slow headers, idle connections.

use std::time::{Duration, Instant};

use mitt_serve::http::HttpLimits;
use mitt_serve::mcp::ServerOptions;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

use super::{Two, two};
use crate::http::client::{Client, SOON, options, start};

const SOCKETS: usize = 60;

/// Returns the beginning of a request with the client's token.
fn head(client: &Client, version: &str, more: &str) -> String {
    let token = client.headers.get("authorization").map(String::as_str).unwrap_or("none");
    format!(
        "POST /mcp HTTP/{version}\r\nhost: localhost\r\nauthorization: {token}\r\naccept: application/json, \
         text/event-stream\r\ncontent-type: application/json\r\n{more}\r\n"
    )
}

/// Opens sockets from several addresses of this machine, and sends the same on each.
async fn sockets(server: &crate::http::client::Running, bytes: &[u8]) -> Vec<TcpStream> {
    let mut opened = Vec::new();
    for number in 0..SOCKETS {
        let socket = TcpSocket::new_v4().unwrap();
        let from = format!("127.0.0.{}:0", 1 + number % 3).parse().unwrap();
        // Some systems have only one loopback address.
        let _ = socket.bind(from);
        let mut stream = socket.connect(server.address).await.unwrap();
        // The server may refuse it before it has read everything.
        let _ = stream.write_all(bytes).await;
        opened.push(stream);
    }
    opened
}

/// Checks that a well-behaved client is served.
async fn is_served(client: &mut Client) {
    let begun = Instant::now();
    let answer = client.modern_call("conformance__empty", json!({})).await;
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    let text = "x".repeat(1024 * 1024);
    let document = json!({ "name": "large.txt", "text": text });
    let answer = client.modern_call("documents__add", document).await;
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_that_do_not_come_are_nobody_elses_concern() {
    let limits = HttpLimits { body_grace: Duration::from_secs(3), ..HttpLimits::default() };
    let announced = "content-length: 4194304\r\n";
    let chunked = "transfer-encoding: chunked\r\n";
    for (version, more, body) in [
        ("1.1", announced.to_owned(), String::new()),
        ("1.0", announced.to_owned(), String::new()),
        ("1.1", format!("{announced}expect: 100-continue\r\n"), String::new()),
        ("1.1", "content-length: 70000\r\n".to_owned(), "{".repeat(60_000)),
        ("1.1", announced.to_owned(), "{".repeat(100_000)),
        ("1.1", chunked.to_owned(), String::new()),
        ("1.1", chunked.to_owned(), "1\r\n{\r\n".repeat(1_000)),
        ("1.1", chunked.to_owned(), format!("19000\r\n{}\r\n", "{".repeat(0x19000))),
    ] {
        let Two { server, mut alice, mut mallory, .. } =
            two(ServerOptions::default(), |it| it.limits = limits.clone()).await;
        let bytes = head(&mallory, version, &more) + &body;
        let opened = sockets(&server, bytes.as_bytes()).await;
        tokio::time::sleep(Duration::from_millis(200)).await;
        is_served(&mut alice).await;
        // The client's own requests pass as well, as long as they are small.
        let answer = mallory.modern_call("conformance__empty", json!({})).await;
        assert_eq!(answer["result"]["isError"], false, "{more}: {answer}");
        drop(opened);
    }
}

/// A client that sends slower than the least rate is refused long before the time limit of a body.
#[tokio::test(flavor = "multi_thread")]
async fn slow_senders_are_given_up_and_counted() {
    let grace = Duration::from_millis(500);
    let limits = HttpLimits { body_grace: grace, ..HttpLimits::default() };
    let server = start(mitt_serve::http::HttpOptions { limits, ..options() }).await;
    let mut client = server.client().await;
    for (more, every) in [
        ("content-length: 4194304\r\n", None),
        ("content-length: 4194304\r\n", Some("{")),
        ("transfer-encoding: chunked\r\n", Some("1\r\n{\r\n")),
    ] {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        // The server's clock begins with the last byte of the header.
        let begun = Instant::now();
        stream.write_all(head(&client, "1.1", more).as_bytes()).await.unwrap();
        let (mut reading, mut writing) = stream.split();
        let trickle = async {
            while let Some(bytes) = every {
                tokio::time::sleep(Duration::from_millis(20)).await;
                if writing.write_all(bytes.as_bytes()).await.is_err() {
                    break;
                }
            }
            std::future::pending::<()>().await;
        };
        let mut answer = [0; 64];
        let read = tokio::select! {
            read = tokio::time::timeout(SOON * 2, reading.read(&mut answer)) => read.unwrap().unwrap(),
            () = trickle => unreachable!(),
        };
        let answer = String::from_utf8_lossy(&answer[..read]).into_owned();
        assert!(answer.starts_with("HTTP/1.1 408"), "{more} {every:?}: {answer}");
        assert!(begun.elapsed() >= grace, "{:?}", begun.elapsed());
    }
    let metrics = client.get("/metrics").await.text;
    let line = "mitt_http_refused_total{reason=\"body-too-slow\"} 3";
    assert!(metrics.contains(line), "{metrics}");
}

/// Without a valid token, no part of a body is read.
#[tokio::test(flavor = "multi_thread")]
async fn a_body_without_a_token_is_not_waited_for() {
    let Two { server, mut alice, .. } = two(ServerOptions::default(), |_| {}).await;
    let stranger = Client::connect(server.address, Some("mitt_no_such_token_at_all")).await;
    let bytes = head(&stranger, "1.1", "content-length: 4194304\r\n");
    for mut stream in sockets(&server, bytes.as_bytes()).await {
        let mut answer = [0; 12];
        tokio::time::timeout(SOON, stream.read_exact(&mut answer)).await.unwrap().unwrap();
        assert_eq!(&answer, b"HTTP/1.1 401");
    }
    is_served(&mut alice).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_of_a_client_are_bounded() {
    let limits = HttpLimits { connections_per_client: 3, ..HttpLimits::default() };
    let Two { mut alice, mallory, server: _server, .. } =
        two(ServerOptions::default(), |it| it.limits = limits).await;
    let mut open = Vec::new();
    for _ in 0..3 {
        let mut client = mallory.again().await;
        is_served(&mut client).await;
        open.push(client);
    }
    let mut fourth = mallory.again().await;
    let reply = fourth.modern("tools/list", json!({})).await;
    assert_eq!((reply.status, reply.headers["connection"].as_str()), (429, "close"), "{reply:?}");
    is_served(&mut alice).await;
    // Open connections are still served, and one that ends makes room.
    is_served(&mut open[0]).await;
    drop(open.pop());
    let begun = Instant::now();
    loop {
        let mut again = mallory.again().await;
        if again.modern("tools/list", json!({})).await.status == 200 {
            break;
        }
        assert!(begun.elapsed() < SOON, "the place of a closed connection is not free");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Slow headers take a connection each, and nothing else; requests on one connection are handled one by one.
#[tokio::test(flavor = "multi_thread")]
async fn headers_that_trickle_and_requests_in_a_row() {
    let limits = HttpLimits { header_time: Duration::from_secs(2), ..HttpLimits::default() };
    let Two { server, mut alice, mallory, .. } =
        two(ServerOptions::default(), |it| it.limits = limits).await;
    let half = head(&mallory, "1.1", "");
    let trickling = sockets(&server, &half.as_bytes()[..half.len() - 4]).await;
    let request = head(&mallory, "1.1", "content-length: 2\r\n") + "{}";
    let _in_a_row = sockets(&server, request.repeat(20).as_bytes()).await;
    is_served(&mut alice).await;
    drop(trickling);
}

/// Values that are repeated in every note, or kept as long as a request is handled, must be short.
#[tokio::test(flavor = "multi_thread")]
async fn progress_tokens_and_ids_are_short() {
    let server = start(options()).await;
    let mut client = server.client().await;
    for (length, is_taken) in [(36, true), (1_024, true), (1_025, false), (1_000_000, false)] {
        let call = json!({
            "name": "conformance__empty", "arguments": {}, "_meta": { "progressToken": "x".repeat(length) },
        });
        let answer = client.modern("tools/call", call).await.json();
        assert_eq!(answer["result"].is_object(), is_taken, "{length}");
        if !is_taken {
            assert_eq!(answer["error"]["code"], -32602, "{length}");
        }
    }
    client.initialize().await;
    for (length, status) in [(36, 200), (254, 200), (255, 400), (1_000_000, 400)] {
        let message = json!({ "jsonrpc": "2.0", "id": "x".repeat(length), "method": "ping" });
        assert_eq!(client.post(&message).await.status, status, "{length}");
    }
}
