//! Links with which a browser gets a file: for everybody who has one, for a time, and for nothing else.

use std::time::{Duration, Instant};

use hyper::Method;
use mitt_serve::http::{HttpLimits, HttpOptions};
use mitt_serve::mcp::ServerOptions;
use serde_json::{Value, json};

use super::client::{Client, Reply, Running, SOON, options, read, start, start_with};
use super::tokens::{Tokens, token};

/// Returns the link in the answer to a call that delivered a file, which is in the data and in the text.
fn link(answer: &Value) -> String {
    let file = &answer["result"]["structuredContent"]["files"][0];
    assert_eq!(file["uri"], "mitt://artifacts/embedded.txt", "{answer}");
    let url = file["url"].as_str().unwrap_or_else(|| panic!("{answer}"));
    assert!(answer["result"]["content"][0]["text"].as_str().unwrap().contains(url), "{answer}");
    url.to_owned()
}

/// Returns the path of a link.
fn path(server: &Running, url: &str) -> String {
    let base = format!("http://{}", server.address);
    url.strip_prefix(&base).unwrap_or_else(|| panic!("{url} is not at {base}")).to_owned()
}

async fn delivered(client: &mut Client) -> String {
    link(&client.call("conformance__deliver", json!({})).await)
}

/// Opens a link as a browser does: without a token or a session.
async fn open(server: &Running, method: Method, path: &str, more: &[(&str, &str)]) -> Reply {
    let mut browser = server.client().await;
    browser.headers.remove("content-type");
    read(browser.send(method, path, more, "").await).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_opens_a_link_without_a_token() {
    let (alice, line) = token("alice");
    let tokens = Tokens::new(&[line]);
    let server = start(tokens.options()).await;
    let mut client = server.client_with(&alice).await;
    client.initialize().await;
    let path = path(&server, &delivered(&mut client).await);
    let reply = open(&server, Method::GET, &path, &[]).await;
    assert_eq!((reply.status, reply.text.is_empty()), (200, false), "{reply:?}");
    for (name, value) in [
        ("content-type", "text/plain"),
        (
            "content-disposition",
            "attachment; filename=\"embedded.txt\"; filename*=UTF-8''embedded.txt",
        ),
        ("x-content-type-options", "nosniff"),
        ("content-security-policy", "sandbox; default-src 'none'"),
        ("cache-control", "private, no-store"),
        ("referrer-policy", "no-referrer"),
    ] {
        assert!(reply.headers[name].starts_with(value), "{name}: {reply:?}");
    }
    let head = open(&server, Method::HEAD, &path, &[]).await;
    assert_eq!((head.status, head.text.as_str()), (200, ""));
    assert_eq!(head.headers["content-length"], reply.text.len().to_string());
    assert_eq!(open(&server, Method::POST, &path, &[]).await.status, 405);
    // Not under another name of the server, which could be an attacker's page.
    let reply = open(&server, Method::GET, &path, &[("host", "evil.example")]).await;
    assert_eq!(reply.status, 403);
    // Requests of 2026-07-28 get links too, of their own session.
    let other = link(&client.modern_call("conformance__deliver", json!({})).await);
    assert_ne!(other, path);
    assert_eq!(open(&server, Method::GET, &self::path(&server, &other), &[]).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_is_for_one_file_of_one_session() {
    let server = start(options()).await;
    let mut client = server.client().await;
    client.initialize().await;
    let path = path(&server, &delivered(&mut client).await);
    let (start, name) = path.rsplit_once('/').unwrap();
    let signed = start.strip_prefix("/files/").unwrap();
    for index in 0..signed.len() {
        let mut other = signed.as_bytes().to_vec();
        // Not the next letter: it differs only in the lowest bits, which the last character does not use.
        other[index] = if other[index] == b'A' { b'Q' } else { b'A' };
        let other = format!("/files/{}/{name}", String::from_utf8(other).unwrap());
        assert_eq!(open(&server, Method::GET, &other, &[]).await.status, 404, "{other}");
    }
    for other in [
        "/files/".to_owned(),
        format!("/files/{signed}"),
        format!("/files/{signed}/other.txt"),
        format!("/files/{signed}/../{name}"),
        format!("/files//{name}"),
        format!("/files/{signed}{signed}/{name}"),
    ] {
        assert_eq!(open(&server, Method::GET, &other, &[]).await.status, 404, "{other}");
    }
    assert_eq!(open(&server, Method::GET, &path, &[]).await.status, 200);
    let metrics = server.client().await.get("/metrics").await.text;
    for line in [
        "mitt_http_requests_total{route=\"files\",status=\"200\"}",
        "mitt_http_requests_total{route=\"files\",status=\"404\"}",
    ] {
        assert!(metrics.contains(line), "{metrics}");
    }
}

/// Most clients end their session when they exit, and their user opens the link afterwards.
#[tokio::test(flavor = "multi_thread")]
async fn a_link_outlives_its_session() {
    let folder = tempfile::tempdir().unwrap();
    for files in [None, Some(folder.path().to_owned())] {
        let of_server = ServerOptions { files: files.clone(), ..ServerOptions::default() };
        let server = start_with(of_server, options()).await;
        let mut idle = server.client().await;
        idle.initialize().await;
        let mut client = server.client().await;
        client.initialize().await;
        let path = path(&server, &delivered(&mut client).await);
        let before = open(&server, Method::GET, &path, &[]).await;
        let ended = client.send(Method::DELETE, "/mcp", &[], "").await;
        assert_eq!(ended.status(), 204);
        let begun = Instant::now();
        while server.server.server().counts().sessions > 1 {
            assert!(begun.elapsed() < SOON, "the session has not ended");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        for _ in 0..20 {
            let reply = open(&server, Method::GET, &path, &[]).await;
            assert_eq!((reply.status, &reply.text), (200, &before.text), "{reply:?}");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let Some(files) = files else { continue };
        // The session that delivered has a folder, the other has none.
        let sessions: Vec<_> = std::fs::read_dir(files.join("local")).unwrap().collect();
        assert_eq!(sessions.len(), 1, "{sessions:?}");
        let session = sessions[0].as_ref().unwrap().path();
        let written = std::fs::read_to_string(session.join("embedded.txt")).unwrap();
        assert_eq!(written, before.text);
        // A changed file is not served under the name of the delivered one.
        std::fs::write(session.join("embedded.txt"), "something else, and longer").unwrap();
        assert_eq!(open(&server, Method::GET, &path, &[]).await.status, 404);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn links_of_a_token_that_is_taken_back_lead_nowhere() {
    let (alice, line) = token("alice");
    let tokens = Tokens::new(&[line]);
    let server = start(tokens.options()).await;
    let mut client = server.client_with(&alice).await;
    client.initialize().await;
    let old = path(&server, &delivered(&mut client).await);
    let new = path(&server, &link(&client.modern_call("conformance__deliver", json!({})).await));
    tokens.write(&[token("bob").1]);
    server.server.reload_tokens().unwrap();
    for path in [old, new] {
        let begun = Instant::now();
        while open(&server, Method::GET, &path, &[]).await.status != 404 {
            assert!(begun.elapsed() < SOON, "{path}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_expires() {
    let life = ServerOptions { link_life: Duration::from_secs(2), ..ServerOptions::default() };
    let server = start_with(life, options()).await;
    let mut client = server.client().await;
    client.initialize().await;
    let path = path(&server, &delivered(&mut client).await);
    let begun = Instant::now();
    let reply = loop {
        let reply = open(&server, Method::GET, &path, &[]).await;
        if reply.status != 200 {
            break reply;
        }
        assert!(begun.elapsed() < SOON);
        tokio::time::sleep(Duration::from_millis(100)).await;
    };
    assert_eq!(reply.status, 410, "{reply:?}");
    assert!(reply.text.contains("expired"), "{reply:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn links_begin_with_the_address_that_the_operator_names() {
    let public_url = Some("https://mcp.example.org/mitt/".to_owned());
    let server = start(HttpOptions { public_url, ..options() }).await;
    let mut client = server.client().await;
    client.initialize().await;
    let link = delivered(&mut client).await;
    assert!(link.starts_with("https://mcp.example.org/mitt/files/"), "{link}");
    // A server without links still says where the file is, and for how long.
    let none = ServerOptions { link_life: Duration::ZERO, ..ServerOptions::default() };
    let server = start_with(none, options()).await;
    let mut client = server.client().await;
    client.initialize().await;
    let answer = client.call("conformance__deliver", json!({})).await;
    let file = &answer["result"]["structuredContent"]["files"][0];
    let warnings = ["in memory only, until the session ends"];
    let expected = json!({
        "name": "embedded.txt", "uri": "mitt://artifacts/embedded.txt", "warnings": warnings,
    });
    assert_eq!(*file, expected);
    for wrong in ["mcp.example.org", "ftp://mcp.example.org", "https://a.example/?b", ""] {
        let options = HttpOptions { public_url: Some(wrong.to_owned()), ..options() };
        let server = mitt_serve::http::HttpServer::bind(
            super::client::host(),
            ServerOptions::default(),
            options,
        );
        assert!(server.await.is_err(), "{wrong}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn downloads_at_once_are_bounded() {
    let limits = HttpLimits { downloads: 0, ..HttpLimits::default() };
    let server = start(HttpOptions { limits, ..options() }).await;
    let mut client = server.client().await;
    client.initialize().await;
    let path = path(&server, &delivered(&mut client).await);
    let reply = open(&server, Method::GET, &path, &[]).await;
    assert_eq!(reply.status, 503, "{reply:?}");
    assert!(reply.headers.contains_key("retry-after"));
}
