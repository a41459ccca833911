//! Documents that are uploaded over HTTP and not through a model, and sessions that connections share.

use hyper::Method;
use mitt_base::SessionLimits;
use mitt_serve::mcp::ServerOptions;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::client::{Client, Running, builder, options, read, start, start_host, start_with};
use super::tokens::{Tokens, token};

/// Returns the path of the link for uploading `name`.
async fn link(server: &Running, client: &mut Client, name: &str) -> String {
    let answer = client.call("documents__add", json!({ "name": name })).await;
    let warning = answer["result"]["structuredContent"]["warnings"][0].as_str().unwrap();
    let url =
        warning.split('\'').find(|it| it.starts_with("http")).unwrap_or_else(|| panic!("{answer}"));
    let base = format!("http://{}", server.address);
    url.strip_prefix(&base).unwrap_or_else(|| panic!("{url}")).to_owned()
}

async fn names(client: &mut Client) -> String {
    client.request("resources/list", json!({})).await.to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_is_uploaded_by_a_link() {
    let (alice, line) = token("alice");
    let tokens = Tokens::new(&[line]);
    let server = start(tokens.options()).await;
    let mut client = server.client_with(&alice).await;
    client.initialize().await;
    let path = link(&server, &mut client, "销售 2024.csv").await;
    let mut other = server.client().await;
    let put = other.send(Method::PUT, &path, &[], "a,b\n1,2\n").await;
    let reply = read(put).await;
    assert_eq!(reply.status, 201, "{reply:?}");
    let added: Value = serde_json::from_str(&reply.text).unwrap();
    assert_eq!((&added["name"], &added["tables"]), (&json!("销售 2024.csv"), &json!(1)));
    assert!(names(&mut client).await.contains("销售 2024.csv"));
    // The link is for this name only, and is not a link to a file.
    for wrong in [
        path.replace("2024", "2025"),
        path.replace("/documents/", "/files/"),
        "/documents/x/a.csv".to_owned(),
    ] {
        let method = if wrong.starts_with("/files/") { Method::GET } else { Method::PUT };
        let reply = read(other.send(method, &wrong, &[], "x").await).await;
        assert_eq!(reply.status, 404, "{wrong}: {reply:?}");
    }
    // A second upload is another document, as the answer says.
    let reply = read(other.send(Method::PUT, &path, &[], "a,b\n3,4\n").await).await;
    assert!(reply.text.contains("this one is `销售 2024 (2).csv`"), "{reply:?}");
    let wrong = client.call("documents__add", json!({ "name": "a/b.csv" })).await;
    assert!(wrong["result"]["content"].to_string().contains("is a path"), "{wrong}");
    let damaged = link(&server, &mut client, "x.pdf").await;
    let reply = read(other.send(Method::PUT, &damaged, &[], "%PDF-1.7 broken").await).await;
    assert_eq!(reply.status, 422, "{reply:?}");
    let ended = client.send(Method::DELETE, "/mcp", &[], "").await;
    assert_eq!(ended.status(), 204);
    let begun = std::time::Instant::now();
    loop {
        let reply = read(other.send(Method::PUT, &path, &[], "a\n1\n").await).await;
        if reply.status == 410 {
            break;
        }
        assert!(begun.elapsed() < super::client::SOON, "{reply:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_is_posted_to_the_session_that_a_token_shares() {
    let (alice, alices) = token("alice");
    let (bob, bobs) = token("bob");
    let tokens = Tokens::new(&[alices, bobs]);
    let server = start(tokens.options()).await;
    let mut client = server.client_with(&alice).await;
    let reply =
        read(client.send(Method::POST, "/documents?name=a%20b.csv", &[], "a\n1\n").await).await;
    assert_eq!(reply.status, 201, "{reply:?}");
    let list = client.modern("resources/list", json!({})).await.text;
    assert!(list.contains("a b.csv"), "{list}");
    let mut other = server.client_with(&bob).await;
    let list = other.modern("resources/list", json!({})).await.text;
    assert!(!list.contains("a b.csv"), "{list}");
    for (path, status) in [("/documents", 400), ("/documents?name=..%2Fx", 422)] {
        let reply = read(client.send(Method::POST, path, &[], "x").await).await;
        assert_eq!(reply.status, status, "{path}: {reply:?}");
    }
    let mut nobody = server.client().await;
    let reply = read(nobody.send(Method::POST, "/documents?name=a.csv", &[], "x").await).await;
    assert_eq!(reply.status, 401, "{reply:?}");
    let reply = client.get("/documents").await;
    assert_eq!(reply.status, 405, "{reply:?}");
}

/// LangChain's `get_tools` opens a session for each call.
#[tokio::test(flavor = "multi_thread")]
async fn connections_share_a_session_on_request() {
    for shares_sessions in [true, false] {
        let of_server = ServerOptions { shares_sessions, ..ServerOptions::default() };
        let server = start_with(of_server, options()).await;
        let mut first = server.client().await;
        first.initialize().await;
        first.call("documents__add", json!({ "name": "a.csv", "text": "a\n1\n" })).await;
        let ended = first.send(Method::DELETE, "/mcp", &[], "").await;
        assert_eq!(ended.status(), 204);
        let mut second = server.client().await;
        second.initialize().await;
        assert_eq!(names(&mut second).await.contains("a.csv"), shares_sessions);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_too_large_is_answered_when_it_was_sent() {
    let session = SessionLimits { document_bytes: 5 << 20, ..SessionLimits::default() };
    let host = builder().session_limits(session).build().unwrap();
    let server = start_host(host, ServerOptions::default(), options()).await;
    // A client that writes its whole request before it reads.
    for (path, size, status) in [
        ("POST /mcp", 8 << 20, "413"),
        ("POST /documents?name=a.csv", 8 << 20, "413"),
        ("POST /documents?name=a.csv", 4 << 20, "201"),
    ] {
        let mut stream = tokio::net::TcpStream::connect(server.address).await.unwrap();
        let head = format!(
            "{path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: {size}\r\nConnection: close\r\n\r\n",
            server.address
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        let line = b"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n".repeat(2 << 10);
        for _ in 0..size / line.len() {
            stream.write_all(&line).await.unwrap_or_else(|error| panic!("{path} {size}: {error}"));
        }
        let mut reply = String::new();
        stream.read_to_string(&mut reply).await.unwrap();
        assert!(reply.starts_with(&format!("HTTP/1.1 {status}")), "{path} {size}: {reply}");
    }
}
