//! `/v1/runs`: creation, lists, changes and deletion.

use hyper::Method;
use mitt_serve::http::Routes as _;
use mitt_service::run::{Limits, Policy, RunDefaults};
use serde_json::{Value, json};

use crate::service::support::{Call, SOON, Server, Setup, run};

/// Reads a run until it has this status.
async fn until(server: &Server, id: &str, status: &str) -> Value {
    let begun = std::time::Instant::now();
    loop {
        let state = server.get(&format!("/v1/runs/{id}")).await.json();
        if state["status"] == status {
            return state;
        }
        assert!(begun.elapsed() < SOON, "expected {status}, got {state}");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn only_a_response_that_may_wait_takes_the_place_of_a_stream() {
    let server = Server::start().await;
    for (method, path, is_stream) in [
        (Method::POST, "/v1/runs", true),
        (Method::GET, "/v1/runs", false),
        (Method::PUT, "/v1/runs", false),
        (Method::GET, "/v1/runs/run_x/events", true),
        (Method::HEAD, "/v1/runs/run_x/events", true),
        (Method::GET, "/v1/responses/resp_x", true),
        (Method::DELETE, "/v1/responses/resp_x", false),
        (Method::GET, "/v1/none", false),
    ] {
        let route = server.service.route(&method, path).unwrap();
        assert_eq!(route.is_stream, is_stream, "{method} {path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_created_at_once_and_read_later() {
    let server = Server::start().await;
    let reply = server.post_json("/v1/runs", &run("Work slowly.")).await;
    assert_eq!(reply.status, 201, "{reply:?}");
    let state = reply.json();
    let id = state["id"].as_str().unwrap();
    let address = format!("http://{}/v1/runs/{id}", server.address);
    assert_eq!(reply.headers["location"], address);
    assert!(state.get("request").is_none() && state.get("inbox_done").is_none(), "{state}");
    assert!(["queued", "running"].contains(&state["status"].as_str().unwrap()), "{state}");
    server.release_turn();
    let state = until(&server, id, "completed").await;
    assert_eq!((&state["text"], &state["model"]), (&json!("All is done."), &json!("scripted")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_response_waits_if_the_client_wants_it() {
    let server = Server::start().await;
    let waited = [
        Call::post("/v1/runs?wait=true", &run("Go.")),
        Call::post("/v1/runs", &run("Go.")).header("prefer", "wait"),
        Call::post("/v1/runs", &run("Go.")).header("prefer", "respond-async, wait=60"),
    ];
    for call in waited {
        let reply = server.send(call).await;
        assert_eq!(
            (reply.status, &reply.json()["status"]),
            (201, &json!("completed")),
            "{reply:?}"
        );
        assert_eq!(reply.headers["preference-applied"], "wait");
    }
    // After its time, the client gets what there is.
    let call = Call::post("/v1/runs", &run("Work slowly.")).header("prefer", "wait=1");
    let state = server.send(call).await.json();
    assert!(["queued", "running"].contains(&state["status"].as_str().unwrap()), "{state}");
    server.release_turn();
    until(&server, state["id"].as_str().unwrap(), "completed").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_closed_connection_cancels_nothing() {
    let server = Server::start().await;
    let call = Call::post("/v1/runs", &run("Work slowly.")).header("accept", "text/event-stream");
    let response = server.open(call).await;
    assert_eq!(response.status(), 201);
    let address = response.headers()["location"].to_str().unwrap().to_owned();
    drop(response);
    let id = address.rsplit('/').next().unwrap().to_owned();
    until(&server, &id, "running").await;
    server.release_turn();
    until(&server, &id, "completed").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_is_sent_again_returns_the_first_run() {
    let server = Server::start().await;
    let call = |instruction: &str, key: &str| {
        Call::post("/v1/runs?wait=true", &run(instruction)).header("idempotency-key", key)
    };
    let first = server.send(call("Go.", "a")).await;
    let again = server.send(call("Go.", "a")).await;
    assert_eq!((first.status, again.status), (201, 200), "{again:?}");
    assert_eq!(first.json()["id"], again.json()["id"]);
    let other = server.send(call("Go.", "b")).await;
    assert_ne!(first.json()["id"], other.json()["id"]);
    server.send(call("Go on.", "a")).await.problem(422, "idempotency_key_reused");
    server.send(call("Go.", &"x".repeat(256))).await.problem(400, "invalid_header");
    let list = server.get("/v1/runs").await.json();
    assert_eq!(list["runs"].as_array().unwrap().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn all_problems_of_a_body_are_reported() {
    let server = Server::start().await;
    let wrong = json!({ "instruction": "", "titel": "a", "options": { "tags": 1, "limits": { "turns": 0 } } });
    let problem = server.post_json("/v1/runs", &wrong).await.problem(422, "invalid_body");
    let places: std::collections::BTreeSet<&str> = problem["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["pointer"].as_str().unwrap())
        .collect();
    let expected = ["", "/instruction", "/options/limits/turns", "/options/tags"];
    assert_eq!(places.into_iter().collect::<Vec<_>>(), expected);
    assert_eq!(problem["detail"], "the body has 4 problems");
    let call = Call::new(Method::POST, "/v1/runs").body("{\"instruction\": ");
    server.send(call.header("content-type", "application/json")).await.problem(400, "invalid_json");
    let large = "x".repeat(5 << 20);
    let large = server.post_json("/v1/runs", &run(&large)).await;
    large.problem(413, "too_large");
    let unknown = json!({ "instruction": "Go.", "model": "other" });
    let reply = server.post_json("/v1/runs", &unknown).await;
    assert!((400..500).contains(&reply.status), "{reply:?}");
    let gone = json!({ "instruction": "Go.", "documents": [{ "file": "file-none" }] });
    let reply = server.post_json("/v1/runs", &gone).await;
    assert!((400..500).contains(&reply.status), "{reply:?}");
    assert_eq!(server.get("/v1/runs").await.json()["runs"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_callers_own_key_needs_the_operators_leave() {
    let call = || Call::post("/v1/runs?wait=true", &run("Go.")).header("x-model-key", "sk-1");
    let server = Server::start().await;
    server.send(call()).await.problem(403, "key_not_allowed");
    let policy = Policy { may_bring_key: true, ..Policy::default() };
    let server = Server::with(Setup { policy, ..Setup::default() }).await;
    let reply = server.send(call()).await;
    assert_eq!(reply.status, 201, "{reply:?}");
    assert!(!reply.text().contains("sk-1"), "{reply:?}");
    let id = reply.json()["id"].as_str().unwrap().to_owned();
    let events = server.get(&format!("/v1/runs/{id}/events")).await.text();
    assert!(!events.contains("sk-1"), "{events}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_operators_limits_hold_for_runs() {
    let mut defaults = RunDefaults::default();
    defaults.limits.turns = Some(1);
    defaults.most = Limits { turns: Some(2), calls: Some(3), ..Limits::default() };
    let server = Server::with(Setup { defaults, ..Setup::default() }).await;
    let with = |limits: Value| json!({ "instruction": "Go.", "options": { "limits": limits } });
    let problem = server.post_json("/v1/runs", &with(json!({ "turns": 3, "calls": 4 }))).await;
    let text = problem.text();
    assert_eq!(problem.status, 422, "{text}");
    assert!(text.contains("/options/limits/turns") && text.contains("/options/limits/calls"));
    assert!(text.contains("expected at most 2, which the operator allows, got 3"), "{text}");
    // A script and the answer to it take two turns. A run that asks for nothing has one.
    let body =
        |limits: Value| json!({ "instruction": "[python] 1+1", "options": { "limits": limits } });
    let ended = async |limits: Value| {
        let reply = server.post_json("/v1/runs?wait=true", &body(limits)).await.json();
        reply["status"].as_str().unwrap().to_owned()
    };
    assert_eq!(ended(json!({})).await, "failed");
    assert_eq!(ended(json!({ "turns": 2 })).await, "completed");
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_are_listed_in_pages() {
    let server = Server::start().await;
    let mut ids = Vec::new();
    for number in 0..5 {
        let run = server.finished_run(&format!("Go {number}."), "").await;
        ids.insert(0, run["id"].as_str().unwrap().to_owned());
    }
    let page = async |path: &str| {
        let page = server.get(path).await.json();
        let of = |it: &Value| it["id"].as_str().unwrap().to_owned();
        let ids: Vec<String> = page["runs"].as_array().unwrap().iter().map(of).collect();
        (ids, page["next"].as_str().map(str::to_owned))
    };
    assert_eq!(page("/v1/runs").await, (ids.clone(), None));
    let first = page("/v1/runs?limit=2").await;
    assert_eq!(first, (ids[..2].to_vec(), Some(ids[1].clone())));
    let rest = page(&format!("/v1/runs?limit=3&before={}", ids[1])).await;
    assert_eq!(rest, (ids[2..].to_vec(), None));
    assert_eq!(page("/v1/runs?status=completed&limit=1").await.0, ids[..1]);
    assert_eq!(page("/v1/runs?status=failed").await, (vec![], None));
    for (query, detail) in [
        ("limit=0", "`limit`: expected 1 to 100, got 0"),
        ("limit=101", "`limit`: expected 1 to 100, got 101"),
        ("limit=many", "`limit`: expected a number, got `many`"),
    ] {
        let problem = server.get(&format!("/v1/runs?{query}")).await.problem(400, "invalid_query");
        assert_eq!(problem["detail"], detail);
    }
    server.get("/v1/runs?status=done").await.problem(400, "invalid_query");
    server.get("/v1/runs?before=run_none").await.problem(404, "not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_goes_on_with_a_further_instruction() {
    let server = Server::start().await;
    let id = server.finished_run("Go.", "").await["id"].as_str().unwrap().to_owned();
    let path = format!("/v1/runs/{id}/messages?wait=true");
    let reply = server.post_json(&path, &json!({ "instruction": "Go on." })).await;
    assert_eq!((reply.status, &reply.json()["status"]), (200, &json!("completed")), "{reply:?}");
    server.post_json(&path, &json!({ "text": "Go on." })).await.problem(422, "invalid_body");
    // As a stream, only what is new is sent.
    let last =
        server.get(&format!("/v1/runs/{id}/events?follow=false")).await.json()["last"].clone();
    let call = Call::post(&format!("/v1/runs/{id}/messages"), &json!({ "instruction": "More." }));
    let reply = server.send(call.header("accept", "text/event-stream")).await;
    let events = reply.events();
    assert!(events[0].id > last.as_u64().unwrap(), "{events:?}");
    assert!(events.iter().any(|it| it.name == "ended"), "{events:?}");
    assert!(events.iter().any(|it| it.data["text"] == "More."), "{events:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_cancelled_and_continued() {
    let server = Server::start().await;
    let id = server.post_json("/v1/runs", &run("Work slowly.")).await.json()["id"].clone();
    let id = id.as_str().unwrap();
    until(&server, id, "running").await;
    let call = Call::new(Method::POST, &format!("/v1/runs/{id}/cancel?wait=true"));
    let reply = server.send(call).await;
    assert_eq!((reply.status, &reply.json()["status"]), (200, &json!("cancelled")), "{reply:?}");
    server.release_turn();
    let path = format!("/v1/runs/{id}/continue?wait=true");
    let reply = server.send(Call::new(Method::POST, &path)).await;
    assert_eq!((reply.status, &reply.json()["status"]), (200, &json!("completed")), "{reply:?}");
    let reply = server.send(Call::new(Method::POST, &path)).await;
    reply.problem(409, "nothing_to_continue");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_does_not_wait_is_not_answered() {
    let server = Server::start().await;
    let id = server.finished_run("Go.", "").await["id"].as_str().unwrap().to_owned();
    let answer = json!({ "question": "q", "decision": "accept" });
    let reply = server.post_json(&format!("/v1/runs/{id}/answers"), &answer).await;
    reply.problem(409, "no_such_question");
    let path = format!("/v1/runs/{id}/functions");
    let outputs = json!({ "outputs": [{ "call": "c", "output": "1" }] });
    server.post_json(&path, &outputs).await.problem(409, "no_call_waits");
    server.post_json(&path, &json!({ "outputs": [] })).await.problem(422, "invalid_body");
    server
        .post_json(&path, &json!({ "outputs": [{ "call": 1 }] }))
        .await
        .problem(422, "invalid_body");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_run_is_gone() {
    let server = Server::start().await;
    let id = server.finished_run("Please deliver.", "").await["id"].as_str().unwrap().to_owned();
    let path = format!("/v1/runs/{id}");
    let link = server.get(&path).await.json()["files"][0]["url"].as_str().unwrap().to_owned();
    let link = link.strip_prefix(&format!("http://{}", server.address)).unwrap().to_owned();
    assert_eq!(server.get(&link).await.status, 200);
    let reply = server.send(Call::new(Method::DELETE, &path)).await;
    assert_eq!((reply.status, reply.body.len()), (204, 0));
    for path in [path.clone(), format!("{path}/events"), format!("{path}/files"), link] {
        server.get(&path).await.problem(404, "not_found");
    }
    server.send(Call::new(Method::DELETE, &path)).await.problem(404, "not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_there_is_a_problem() {
    let server = Server::start().await;
    let reply = server.send(Call::new(Method::PUT, "/v1/runs")).await;
    reply.problem(405, "method_not_allowed");
    assert_eq!(reply.headers["allow"], "GET, HEAD, POST");
    server.get("/v1/runs/run_none").await.problem(404, "not_found");
    let problem = server.get("/v1/run").await.problem(404, "not_found");
    assert_eq!(problem["detail"], "nothing is served at `/v1/run`");
    let reply = server.send(Call::new(Method::HEAD, "/v1/runs")).await;
    assert_eq!((reply.status, reply.body.len()), (200, 0));
}

/// A run that works when the server ends does not hold it up: it is stopped, and the client's stream ends.
#[tokio::test(flavor = "multi_thread")]
async fn a_shutdown_stops_running_work() {
    let mut server = Server::start().await;
    let id = server.post_json("/v1/runs", &run("Work slowly.")).await.json()["id"].clone();
    let id = id.as_str().unwrap().to_owned();
    let state = server.get(&format!("/v1/runs/{id}")).await.json();
    assert!(matches!(state["status"].as_str(), Some("queued" | "running")), "{state}");
    // The grace of the server is ten seconds; the model of this run would never answer.
    let ended = tokio::time::timeout(std::time::Duration::from_secs(30), server.shut_down()).await;
    assert!(ended.is_ok(), "the server is still there");
}

#[tokio::test(flavor = "multi_thread")]
async fn further_instructions_wait_and_are_taken_back() {
    let server = Server::start().await;
    let state = server.post_json("/v1/runs", &run("Work slowly.")).await.json();
    let path = format!("/v1/runs/{}", state["id"].as_str().unwrap());
    let messages = format!("{path}/messages");
    let say = |text: &str, key: &str| {
        let body = json!({ "instruction": text });
        let call = Call::post(&messages, &body);
        server.send(if key.is_empty() { call } else { call.header("idempotency-key", key) })
    };
    let first = say("Add a chart.", "k").await.json();
    let again = say("Add a chart.", "k").await;
    assert_eq!((again.status, &again.json()["waiting"]), (200, &first["waiting"]));
    say("Add a table.", "k").await.problem(422, "idempotency_key_reused");
    say("Add a table.", &"x".repeat(256)).await.problem(400, "invalid_header");
    // A form with a file, too.
    let file = [("file", "a.csv", "a\n1\n")];
    for expected in [2, 2] {
        let form = Call::form(&messages, &[("instruction", "Read it.")], &file);
        let state = server.send(form.header("idempotency-key", "f")).await.json();
        assert_eq!(state["waiting"].as_array().map(Vec::len), Some(expected), "{state}");
    }
    let waiting = server.get(&path).await.json()["waiting"].clone();
    assert_eq!(
        (&waiting[0]["text"], &waiting[1]["text"]),
        (&json!("Add a chart."), &json!("Read it."))
    );
    assert!(waiting[0]["created_ms"].as_u64().unwrap() > 0, "{waiting}");
    let delete =
        |number: &str| server.send(Call::new(Method::DELETE, &format!("{messages}/{number}")));
    let number = waiting[0]["number"].to_string();
    assert_eq!(delete(&number).await.status, 204);
    for gone in [number.as_str(), "99", "x", "-1"] {
        delete(gone).await.problem(404, "not_found");
    }
    let left = server.get(&path).await.json()["waiting"].clone();
    assert_eq!(left, json!([waiting[1]]));
    server.release_turn();
    let id = state["id"].as_str().unwrap();
    let state = until(&server, id, "completed").await;
    assert!(state.get("waiting").is_none(), "{state}");
    delete(&waiting[1]["number"].to_string()).await.problem(404, "not_found");
    assert_eq!(state["documents"].as_array().map(Vec::len), Some(1), "{state}");
}
