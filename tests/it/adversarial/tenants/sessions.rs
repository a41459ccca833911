//! Sessions with invented names, and whose sessions are ended to make room for them.

use mitt_serve::http::HttpLimits;
use mitt_serve::mcp::ServerOptions;
use serde_json::{Value, json};

use super::{Two, two};
use crate::http::client::{Client, SOON, initialize};

/// Sends a request of 2026-07-28 in the session with this name.
async fn named(client: &mut Client, session: &str, method: &str, mut params: Value) -> Value {
    if !session.is_empty() {
        params["_meta"] = json!({ "mitt/session": session });
    }
    client.modern(method, params).await.json()
}

async fn call(client: &mut Client, session: &str, tool: &str, arguments: Value) -> Value {
    named(client, session, "tools/call", json!({ "name": tool, "arguments": arguments })).await
}

async fn add(client: &mut Client, session: &str, name: &str) {
    let added = call(client, session, "documents__add", json!({ "name": name, "text": "x" })).await;
    assert_eq!(added["result"]["isError"], false, "{added}");
}

async fn documents(client: &mut Client, session: &str) -> Vec<String> {
    let answer = named(client, session, "resources/list", json!({})).await;
    let list = answer["result"]["resources"].as_array().unwrap_or_else(|| panic!("{answer}"));
    let uris = list.iter().map(|it| it["uri"].as_str().unwrap().to_owned());
    uris.filter(|uri| uri.starts_with("mitt://documents/")).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn made_up_names_end_nobody_elses_session() {
    for method in ["tools/list", "resources/list", "tools/call"] {
        let Two { server, mut mallory, mut alice, .. } =
            two(ServerOptions::default(), |_| {}).await;
        add(&mut alice, "", "precious.txt").await;
        add(&mut alice, "second", "other.txt").await;
        for number in 0..260 {
            let params = match method {
                "tools/call" => json!({ "name": "conformance__empty", "arguments": {} }),
                _ => json!({}),
            };
            let answer = named(&mut mallory, &format!("made up {number}"), method, params).await;
            assert!(answer["result"].is_object(), "{answer}");
        }
        // A request that only looks opens none; otherwise the client's own sessions made room.
        let own = if method == "tools/call" { 64 } else { 0 };
        assert_eq!(server.server.server().counts().sessions, 2 + own, "{method}");
        assert_eq!(documents(&mut alice, "").await, ["mitt://documents/precious.txt"]);
        assert_eq!(documents(&mut alice, "second").await, ["mitt://documents/other.txt"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn handshakes_end_nobody_elses_session() {
    let Two { mallory, mut alice, server, .. } = two(ServerOptions::default(), |_| {}).await;
    add(&mut alice, "", "precious.txt").await;
    let mut client = mallory.again().await;
    let mut statuses = Vec::new();
    for _ in 0..260 {
        statuses.push(client.post(&initialize()).await.status);
    }
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 64);
    assert!(statuses[64..].iter().all(|status| *status == 429), "{statuses:?}");
    assert_eq!(documents(&mut alice, "").await, ["mitt://documents/precious.txt"]);
    // There is room for more of her sessions.
    let mut again = alice.again().await;
    again.initialize().await;
    assert_eq!(server.server.server().counts().sessions, 66);
}

/// The same with few places in all: the last ones are kept for clients without any.
#[tokio::test(flavor = "multi_thread")]
async fn a_greedy_client_leaves_places() {
    let limits = HttpLimits { sessions: 20, ..HttpLimits::default() };
    let options = ServerOptions { max_sessions: 20, ..ServerOptions::default() };
    let Two { mallory, mut alice, server: _server, .. } =
        two(options, |it| it.limits = limits).await;
    let mut client = mallory.again().await;
    let mut opened = 0;
    for _ in 0..40 {
        let reply = client.post(&initialize()).await;
        opened += usize::from(reply.status == 200);
        assert!([200, 429].contains(&reply.status), "{reply:?}");
    }
    assert_eq!(opened, 10);
    add(&mut alice, "", "a.txt").await;
    let mut again = alice.again().await;
    again.initialize().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_makes_room_of_ones_own_and_is_told() {
    let options = ServerOptions { max_sessions_per_client: 2, ..ServerOptions::default() };
    let Two { server, mut mallory, mut alice, .. } = two(options, |_| {}).await;
    add(&mut alice, "", "hers.txt").await;
    add(&mut mallory, "first", "first.txt").await;
    add(&mut mallory, "second", "second.txt").await;
    call(&mut mallory, "third", "conformance__empty", json!({})).await;
    assert_eq!(server.server.server().counts().sessions, 3);
    assert_eq!(documents(&mut mallory, "second").await, ["mitt://documents/second.txt"]);
    // A list of tools is not where a client expects this notice.
    let tools = named(&mut mallory, "first", "tools/list", json!({})).await;
    assert!(tools["result"].is_object(), "{tools}");
    let told = call(&mut mallory, "first", "conformance__empty", json!({})).await;
    let message = told["error"]["message"].as_str().unwrap();
    assert!(
        message.starts_with(
            "the session `first` has ended, and its documents and files are gone: it made room for other sessions of the same client"
        ),
        "{message}"
    );
    assert!(message.contains("hint: give the documents again"), "{message}");
    // Reported once; then the session starts anew. A session that was never used ends silently.
    let again = call(&mut mallory, "first", "conformance__empty", json!({})).await;
    assert_eq!(again["result"]["isError"], false, "{again}");
    let blank = call(&mut mallory, "third", "conformance__empty", json!({})).await;
    assert_eq!(blank["result"]["isError"], false, "{blank}");
    assert_eq!(documents(&mut alice, "").await, ["mitt://documents/hers.txt"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_was_away_for_too_long_is_told() {
    let idle = std::time::Duration::from_millis(300);
    let options = ServerOptions { idle, ..ServerOptions::default() };
    let Two { mut mallory, mut alice, server: _server, .. } = two(options, |_| {}).await;
    add(&mut alice, "", "hers.txt").await;
    tokio::time::sleep(idle * 3).await;
    // Any request looks for expired sessions.
    call(&mut mallory, "", "conformance__empty", json!({})).await;
    let told = named(&mut alice, "", "resources/list", json!({})).await;
    let message = told["error"]["message"].as_str().unwrap_or_else(|| panic!("{told}"));
    assert!(message.contains("the session has ended"), "{message}");
    assert!(message.contains("nobody used it"), "{message}");
    assert!(documents(&mut alice, "").await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_that_is_in_use_makes_room() {
    let options = ServerOptions { max_sessions_per_client: 2, ..ServerOptions::default() };
    let Two { server, mut mallory, mut alice, .. } = two(options, |_| {}).await;
    let mut sleepers = Vec::new();
    for name in ["one", "two"] {
        let mut client = mallory.again().await;
        sleepers.push(tokio::spawn(async move {
            call(&mut client, name, "conformance__sleep", json!({ "ms": 4_000 })).await
        }));
    }
    let begun = std::time::Instant::now();
    while server.server.running_calls() < 2 {
        assert!(begun.elapsed() < SOON);
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    let refused = call(&mut mallory, "three", "conformance__empty", json!({})).await;
    let error = &refused["error"];
    assert_eq!(error["data"]["kind"], "busy", "{refused}");
    let message = error["message"].as_str().unwrap();
    assert!(message.starts_with("all 2 sessions that a client may have are in use"), "{message}");
    assert!(message.contains("or go on in one that is open"), "{message}");
    let hers = call(&mut alice, "", "conformance__empty", json!({})).await;
    assert_eq!(hers["result"]["isError"], false, "{hers}");
    for sleeper in sleepers {
        let slept = sleeper.await.unwrap();
        assert_eq!(slept["result"]["isError"], false, "{slept}");
    }
}

/// Names are remembered within bounds, and a client cannot displace the notices for another one.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_remembered_of_one_is_not_pushed_out_by_another() {
    let options = ServerOptions { max_sessions_per_client: 1, ..ServerOptions::default() };
    let Two { mut mallory, mut alice, server: _server, .. } = two(options, |_| {}).await;
    add(&mut alice, "hers", "hers.txt").await;
    call(&mut alice, "next", "conformance__empty", json!({})).await;
    for number in 0..100 {
        add(&mut mallory, &format!("{number}"), "a.txt").await;
    }
    let told = named(&mut alice, "hers", "resources/list", json!({})).await;
    assert!(told["error"]["message"].as_str().unwrap().contains("`hers` has ended"), "{told}");
    let told = named(&mut mallory, "90", "resources/list", json!({})).await;
    assert!(told["error"].is_object(), "{told}");
    // Of her own names, the oldest are forgotten.
    assert!(documents(&mut mallory, "1").await.is_empty());
}
