//! Clients try to see each other's documents, artifacts and sessions.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hyper::Method;
use mitt::offer::ToolMode;
use mitt_serve::mcp::{Observed, ServerOptions};
use serde_json::{Value, json};

use super::client::{Client, Running, read, request, start, start_with};
use super::tokens::{Tokens, token};

struct Two {
    alice: Client,
    mallory: Client,
    server: Running,
    tokens: Tokens,
}

/// Returns two clients; with `same`, both tokens belong to one tenant.
async fn two(same: bool) -> Two {
    let (alice, alice_line) = token("alice");
    let (mallory, mallory_line) = token(if same { "alice" } else { "mallory" });
    let tokens = Tokens::new(&[alice_line, mallory_line]);
    let server = start(tokens.options()).await;
    Two {
        alice: server.client_with(&alice).await,
        mallory: server.client_with(&mallory).await,
        server,
        tokens,
    }
}

/// Returns everything that a client can read or list, as text.
async fn all_that_is_seen(client: &mut Client, modern: bool) -> String {
    let mut seen = String::new();
    let mut requests = vec![("resources/list", json!({})), ("resources/templates/list", json!({}))];
    for uri in [
        "mitt://artifacts/embedded.txt",
        "mitt://artifacts/",
        "mitt://artifacts/..%2Fembedded.txt",
        "mitt://documents/secret.txt",
        "mitt://documents/embedded.txt",
        "mitt://documents/..%2F..%2Fsecret.txt",
        "mitt://artifacts/secret.txt",
        "file:///embedded.txt",
    ] {
        requests.push(("resources/read", json!({ "uri": uri })));
    }
    for (method, params) in requests {
        let answer = if modern {
            client.modern(method, params).await.json()
        } else {
            client.request(method, params).await
        };
        // An error repeats the requested address.
        if answer["error"].is_null() {
            seen += &answer.to_string();
        }
    }
    seen
}

fn add(name: &str) -> Value {
    json!({ "name": name, "text": "the secret is 42" })
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_share_nothing() {
    for same in [false, true] {
        let Two { mut alice, mut mallory, server: _server, tokens: _tokens } = two(same).await;
        alice.initialize().await;
        let delivered = alice.call("conformance__deliver", json!({})).await;
        assert!(!delivered["result"]["isError"].as_bool().unwrap_or(false), "{delivered}");
        let added = alice.call("documents__add", add("secret.txt")).await;
        assert!(!added["result"]["isError"].as_bool().unwrap_or(false), "{added}");
        let own = all_that_is_seen(&mut alice, false).await;
        assert!(own.contains("embedded.txt") && own.contains("secret is 42"), "{own}");
        mallory.initialize().await;
        let seen = all_that_is_seen(&mut mallory, false).await;
        assert!(!seen.contains("embedded") && !seen.contains("secret"), "{seen}");
        let seen = all_that_is_seen(&mut mallory, true).await;
        assert!(!seen.contains("embedded") && !seen.contains("secret"), "{seen}");
        // Not even another session of the same client sees it.
        let mut second = alice.again().await;
        second.headers.remove("mcp-session-id");
        second.headers.remove("mcp-protocol-version");
        second.initialize().await;
        let seen = all_that_is_seen(&mut second, false).await;
        assert!(!seen.contains("embedded") && !seen.contains("secret"), "{seen}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_without_sessions_share_nothing() {
    for same in [false, true] {
        let Two { mut alice, mut mallory, server: _server, tokens: _tokens } = two(same).await;
        alice.modern_call("conformance__deliver", json!({})).await;
        alice.modern_call("documents__add", add("secret.txt")).await;
        let own = all_that_is_seen(&mut alice.again().await, true).await;
        assert!(own.contains("embedded.txt") && own.contains("secret is 42"), "{own}");
        let seen = all_that_is_seen(&mut mallory, true).await;
        assert!(!seen.contains("embedded") && !seen.contains("secret"), "{seen}");
        mallory.initialize().await;
        let seen = all_that_is_seen(&mut mallory, false).await;
        assert!(!seen.contains("embedded") && !seen.contains("secret"), "{seen}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_id_of_a_session_is_nothing_to_others() {
    for same in [false, true] {
        let Two { mut alice, mut mallory, server: _server, tokens: _tokens } = two(same).await;
        alice.initialize().await;
        let stolen = alice.session();
        mallory.headers.insert("mcp-session-id".into(), stolen);
        mallory.headers.insert("mcp-protocol-version".into(), super::client::OLD.into());
        let reply = mallory.post(&request("tools/list", json!({}))).await;
        assert_eq!(reply.status, 404, "{reply:?}");
        let reply = mallory.send(Method::GET, "/mcp", &[], "").await;
        assert_eq!(read(reply).await.status, 404);
        let reply = mallory.send(Method::GET, "/mcp", &[("last-event-id", "0/0")], "").await;
        assert_eq!(read(reply).await.status, 404);
        let reply = mallory.send(Method::DELETE, "/mcp", &[], "").await;
        assert_eq!(read(reply).await.status, 404);
        // Alice's session still exists.
        assert!(alice.request("tools/list", json!({})).await["result"].is_object());
        // The stolen id still opens nothing.
        mallory.headers.remove("mcp-session-id");
        mallory.initialize().await;
        let seen = all_that_is_seen(&mut mallory, false).await;
        assert!(!seen.contains("embedded"), "{seen}");
    }
}

/// A skill is activated in a session: that of a handshake, or the one that a client's requests name.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_session_activated_is_its_own() {
    let (alice, alice_line) = token("alice");
    let (mallory, mallory_line) = token("alice");
    let tokens = Tokens::new(&[alice_line, mallory_line]);
    let counted = Arc::new(AtomicUsize::new(0));
    let counter = counted.clone();
    let observer = move |ended: &Observed<'_>| {
        assert_eq!((ended.tool, ended.outcome), ("open_skill", "ok"));
        counter.fetch_add(1, Ordering::Relaxed);
    };
    let catalogue = ServerOptions {
        tools: ToolMode::Catalogue,
        observer: Some(Arc::new(observer)),
        ..ServerOptions::default()
    };
    let server = start_with(catalogue, tokens.options()).await;
    let first = ["open_skill", "call_tool", "documents__add"];
    let names = |answer: Value| -> Vec<String> {
        let tools = answer["result"]["tools"].as_array().unwrap_or_else(|| panic!("{answer}"));
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    };
    let activate = json!({ "skill": "conformance" });

    let mut one = server.client_with(&alice).await;
    one.initialize().await;
    let mut other = server.client_with(&alice).await;
    other.initialize().await;
    let answer = one.call("open_skill", activate.clone()).await;
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    let listed = names(one.request("tools/list", json!({})).await);
    assert!(listed.len() > 3 && listed.contains(&"conformance__deliver".to_owned()), "{listed:?}");
    assert_eq!(names(other.request("tools/list", json!({})).await), first);

    // Requests without a connection share a session by token and session name.
    let list = async |token: &str, session: Option<&str>| {
        let mut client = server.client_with(token).await;
        let params = match session {
            Some(name) => json!({ "_meta": { "mitt/session": name } }),
            None => json!({}),
        };
        names(client.modern("tools/list", params).await.json())
    };
    assert_eq!(list(&alice, None).await, first);
    let answer = server.client_with(&alice).await.modern_call("open_skill", activate).await;
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    assert_eq!(list(&alice, None).await, listed);
    assert_eq!(list(&alice, Some("second")).await, first);
    assert_eq!(counted.load(Ordering::Relaxed), 2);
    assert_eq!(list(&mallory, None).await, first);
}
