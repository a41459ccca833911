//! Tokens: who has access, and what happens when a token is revoked.

use std::time::{Duration, Instant};

use hyper::Method;
use mitt_serve::http::{HttpOptions, Token};
use serde_json::json;
use tempfile::NamedTempFile;

use super::client::{SOON, initialize, options, read, request, start};

/// A file of tokens that can be changed.
pub(crate) struct Tokens {
    pub(crate) file: NamedTempFile,
}

impl Tokens {
    pub(crate) fn new(lines: &[String]) -> Tokens {
        let tokens = Tokens { file: NamedTempFile::new().unwrap() };
        tokens.write(lines);
        tokens
    }

    pub(crate) fn write(&self, lines: &[String]) {
        let text = format!("schema: 1\ntokens:\n{}\n", lines.join("\n"));
        std::fs::write(self.file.path(), text).unwrap();
    }

    pub(crate) fn options(&self) -> HttpOptions {
        HttpOptions { tokens: Some(self.file.path().into()), ..options() }
    }
}

pub(crate) fn token(tenant: &str) -> (String, String) {
    let token = Token::generate().unwrap();
    (token.reveal().to_owned(), token.entry(tenant).to_string())
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_without_a_token() {
    let (alice, line) = token("alice");
    let tokens = Tokens::new(&[line]);
    let server = start(tokens.options()).await;
    let mut client = server.client().await;
    let reply = client.post(&initialize()).await;
    assert_eq!(reply.status, 401);
    // The advice is wherever a client looks: in the challenge, in the body, and in the answer to a registration.
    let challenge = &reply.headers["www-authenticate"];
    assert!(challenge.starts_with("Bearer realm=\"mitt\", error_description="), "{challenge}");
    let header = "`Authorization: Bearer <token>`";
    assert!(challenge.contains(header) && reply.text.contains(header), "{reply:?}");
    let discovery = client.get("/.well-known/oauth-protected-resource/mcp").await;
    assert!(discovery.status == 404 && discovery.text.contains(header), "{discovery:?}");
    let registration = read(client.send(Method::POST, "/register", &[], "{}").await).await;
    assert_eq!(registration.status, 403);
    let description = registration.json()["error_description"].as_str().unwrap().to_owned();
    assert!(description.contains(header), "{description}");
    let (other, _) = token("alice");
    for wrong in [
        format!("Bearer {other}"),
        format!("Bearer {alice}x"),
        format!("Bearer {}", &alice[..alice.len() - 1]),
        format!("Basic {alice}"),
        "Bearer ".into(),
        alice.clone(),
    ] {
        let reply = client
            .send(Method::POST, "/mcp", &[("authorization", &wrong)], initialize().to_string())
            .await;
        let reply = read(reply).await;
        assert_eq!(reply.status, 401, "{wrong}");
        let challenge = &reply.headers["www-authenticate"];
        assert!(
            challenge.starts_with("Bearer realm=\"mitt\", error=\"invalid_token\", "),
            "{challenge}"
        );
        assert!(!reply.text.contains(&alice));
    }
    // A token in the address does not count.
    let reply = client
        .send(Method::POST, &format!("/mcp?access_token={alice}"), &[], initialize().to_string())
        .await;
    assert_eq!(reply.status(), 401);
    assert_eq!(client.get("/healthz").await.status, 200);
    for scheme in ["Bearer", "bearer", "BEARER"] {
        let value = format!("{scheme} {alice}");
        let reply = client
            .send(Method::POST, "/mcp", &[("authorization", &value)], initialize().to_string())
            .await;
        assert_eq!(read(reply).await.status, 200, "{scheme}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn metrics_have_a_token_of_their_own() {
    let (alice, line) = token("alice");
    let (watcher, watch) = token("x");
    let watch = watch.replace("tenant: \"x\"", "metrics: true");
    let tokens = Tokens::new(&[line, watch]);
    let server = start(tokens.options()).await;
    assert_eq!(server.client().await.get("/metrics").await.status, 401);
    assert_eq!(server.client_with(&alice).await.get("/metrics").await.status, 403);
    let mut watcher = server.client_with(&watcher).await;
    assert_eq!(watcher.get("/metrics").await.status, 200);
    assert_eq!(watcher.post(&initialize()).await.status, 403);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revoked_token_ends_sessions_streams_and_calls() {
    let (alice, alice_line) = token("alice");
    let (bob, bob_line) = token("bob");
    let tokens = Tokens::new(&[alice_line, bob_line.clone()]);
    let server = start(tokens.options()).await;
    let mut alice = server.client_with(&alice).await;
    let mut bob = server.client_with(&bob).await;
    alice.initialize().await;
    bob.initialize().await;
    let mut listener = alice.again().await;
    let stream = listener.send(Method::GET, "/mcp", &[], "").await;
    assert_eq!(stream.status(), 200);
    let mut caller = alice.again().await;
    let call = request("tools/call", json!({ "name": "conformance__spin", "arguments": {} }));
    let call = caller.send(Method::POST, "/mcp", &[], call.to_string()).await;
    let mut modern = alice.again().await;
    let modern = tokio::spawn(async move {
        modern.modern("tools/call", json!({ "name": "conformance__spin", "arguments": {} })).await
    });
    tokio::time::sleep(Duration::from_millis(300)).await;
    let begun = Instant::now();
    tokens.write(&[bob_line]);
    server.server.reload_tokens().unwrap();
    read(stream).await;
    let call = read(call).await;
    assert!(
        !call.messages().iter().any(|message| message["result"]["isError"] == false),
        "{call:?}"
    );
    let modern = modern.await.unwrap();
    assert!(begun.elapsed() < SOON / 2, "{:?}", begun.elapsed());
    assert!(modern.status >= 400 || modern.json()["result"]["isError"] != false, "{modern:?}");
    assert_eq!(alice.post(&request("tools/list", json!({}))).await.status, 401);
    // Other clients do not notice.
    assert!(bob.request("tools/list", json!({})).await["result"].is_object());
    let metrics = wait_for_no_calls(&server).await;
    assert!(metrics, "calls of the revoked token still run");
}

/// Returns `true` if the calls have ended, according to the server's counter; the fixture cannot tell.
async fn wait_for_no_calls(server: &super::client::Running) -> bool {
    let begun = Instant::now();
    while begun.elapsed() < SOON {
        if server.server.running_calls() == 0 {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    false
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_file_is_noticed_and_a_broken_one_changes_nothing() {
    let (alice, alice_line) = token("alice");
    let (bob, bob_line) = token("bob");
    let tokens = Tokens::new(std::slice::from_ref(&alice_line));
    let server = start(tokens.options()).await;
    let mut alice = server.client_with(&alice).await;
    let mut bob = server.client_with(&bob).await;
    assert_eq!(bob.post(&initialize()).await.status, 401);
    alice.initialize().await;
    std::fs::write(tokens.file.path(), "schema: 1\ntokens: [{ tenant: a").unwrap();
    assert!(server.server.reload_tokens().unwrap_err().render().contains("tokens"));
    assert!(alice.request("tools/list", json!({})).await["result"].is_object());
    tokens.write(&[alice_line, bob_line]);
    let begun = Instant::now();
    while bob.post(&initialize()).await.status == 401 {
        assert!(begun.elapsed() < SOON, "the file was not read again");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    // The session of a valid token continues.
    assert!(alice.request("tools/list", json!({})).await["result"].is_object());
}
