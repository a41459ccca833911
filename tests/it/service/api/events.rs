//! `/v1/runs/{run}/events`: numbered events that nobody misses.

use http_body_util::BodyExt as _;
use serde_json::json;

use crate::service::support::{Call, Event, Reply, SOON, Server, run};

#[tokio::test(flavor = "multi_thread")]
async fn two_watchers_see_the_same_events() {
    let server = Server::start().await;
    let id = server.post_json("/v1/runs", &run("Work slowly.")).await.json()["id"].clone();
    let path = format!("/v1/runs/{}/events", id.as_str().unwrap());
    let (first, second) = (server.get(&path), server.get(&path));
    let release = async {
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        server.release_turn();
    };
    let (first, second, ()) = tokio::join!(first, second, release);
    let (first, second) = (first.events(), second.events());
    assert_eq!(first, second);
    let numbers: Vec<u64> = first.iter().map(|it| it.id).collect();
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
    for event in &first {
        assert_eq!(
            (&event.data["number"], &event.data["type"]),
            (&json!(event.id), &json!(event.name))
        );
    }
    let text: String = first
        .iter()
        .filter(|it| it.name == "text")
        .map(|it| it.data["text"].as_str().unwrap())
        .collect();
    assert_eq!(text, "All is done.");
    assert!(first.iter().any(|it| it.name == "ended"), "{first:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_reconnects_misses_nothing() {
    let server = Server::start().await;
    let id = server.finished_run("Go.", "").await["id"].as_str().unwrap().to_owned();
    let path = format!("/v1/runs/{id}/events");
    let all = server.get(&path).await.events();
    assert!(all.len() > 3, "{all:?}");
    for seen in [0, 1, all.len() - 1] {
        let seen_text = seen.to_string();
        let by_header = server.send(Call::get(&path).header("last-event-id", &seen_text)).await;
        let by_query = server.get(&format!("{path}?after={seen}")).await;
        assert_eq!(by_header.events(), all[seen..]);
        assert_eq!(by_query.events(), all[seen..]);
        // The header is newer than the address.
        let both = Call::get(&format!("{path}?after=0")).header("last-event-id", &seen_text);
        assert_eq!(server.send(both).await.events(), all[seen..]);
    }
    // A browser connects again until a response says that nothing more comes.
    let last = all.len().to_string();
    let reply = server.send(Call::get(&path).header("last-event-id", &last)).await;
    assert_eq!((reply.status, reply.body.len()), (204, 0));
    let reply = server.get(&format!("{path}?after={last}")).await;
    assert_eq!((reply.status, reply.events()), (200, vec![]));
    let ahead = (all.len() + 1).to_string();
    server
        .send(Call::get(&path).header("last-event-id", &ahead))
        .await
        .problem(400, "invalid_query");
    server.send(Call::get(&path).header("last-event-id", "x")).await.problem(400, "invalid_header");
    server.get(&format!("{path}?after=x")).await.problem(400, "invalid_query");
}

#[tokio::test(flavor = "multi_thread")]
async fn events_arrive_while_the_run_works() {
    let server = Server::start().await;
    let call = Call::post("/v1/runs", &run("Work slowly.")).header("accept", "text/event-stream");
    let mut response = server.open(call).await;
    let mut text = String::new();
    // The model waits, and yet the beginning is there.
    while !Event::all(&text).iter().any(|it| it.name == "instruction") {
        let frame = tokio::time::timeout(SOON, response.body_mut().frame()).await.unwrap();
        text += std::str::from_utf8(&frame.unwrap().unwrap().into_data().unwrap()).unwrap();
    }
    assert!(!Event::all(&text).iter().any(|it| it.name == "ended"), "{text}");
    server.release_turn();
    while let Some(frame) = tokio::time::timeout(SOON, response.body_mut().frame()).await.unwrap() {
        text += std::str::from_utf8(&frame.unwrap().into_data().unwrap()).unwrap();
    }
    assert!(Event::all(&text).iter().any(|it| it.name == "ended"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn kept_events_come_in_pages() {
    let server = Server::start().await;
    let id = server.finished_run("Please deliver.", "").await["id"].as_str().unwrap().to_owned();
    let path = format!("/v1/runs/{id}/events");
    let all = server.get(&path).await.events();
    let (mut after, mut numbers) = (0, Vec::new());
    loop {
        let page = server.get(&format!("{path}?follow=false&limit=4&after={after}")).await.json();
        let events = page["events"].as_array().unwrap().clone();
        assert_eq!(page["last"], json!(all.len()));
        assert!(events.len() <= 4);
        numbers.extend(events.iter().map(|it| it["number"].as_u64().unwrap()));
        let Some(last) = events.last() else { break };
        after = last["number"].as_u64().unwrap();
    }
    assert_eq!(numbers, all.iter().map(|it| it.id).collect::<Vec<_>>());
    let by_type = server.send(Call::get(&path).header("accept", "application/json")).await;
    assert_eq!(by_type.json()["events"].as_array().unwrap().len(), all.len().min(100));
    for limit in ["0", "1001", "x"] {
        let reply = server.get(&format!("{path}?follow=false&limit={limit}")).await;
        reply.problem(400, "invalid_query");
    }
    // A delivered file has a link in its event too.
    let file = all.iter().find(|it| it.name == "file").unwrap();
    let url = file.data["file"]["url"].as_str().unwrap();
    assert!(url.starts_with(&format!("http://{}/v1/links/", server.address)), "{url}");
}

/// A stream that is open ends with the token of its client.
#[tokio::test(flavor = "multi_thread")]
async fn an_open_stream_ends_with_its_token() {
    let server = Server::for_tenants().await;
    let call = Call::post("/v1/runs", &run("Work slowly.")).token(&server.alice);
    let id = server.send(call).await.json()["id"].as_str().unwrap().to_owned();
    let call = Call::get(&format!("/v1/runs/{id}/events")).token(&server.alice);
    let stream = server.open(call.header("accept", "text/event-stream")).await;
    assert_eq!(stream.status(), 200);
    server.revoke_alice();
    let ended = tokio::time::timeout(SOON, Reply::read(stream)).await;
    assert!(ended.is_ok(), "the stream is still open");
}
