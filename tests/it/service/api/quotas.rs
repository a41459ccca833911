//! Quotas of a tenant over all interfaces that store something.

use std::time::Duration;

use hyper::Method;
use mitt_service::run::Policy;
use serde_json::{Value, json};

use crate::service::support::{Call, Server, Setup, run};

async fn server(policy: Policy) -> Server {
    Server::with(Setup { policy, ..Setup::default() }).await
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_stored_is_bounded_over_all_interfaces() {
    let server = server(Policy { stored_bytes: Some(12), ..Policy::default() }).await;
    let container = server.post_json("/v1/containers", &json!({ "name": "c" })).await.json();
    let container = format!("/v1/containers/{}", container["id"].as_str().unwrap());
    let file = [("file", "a.csv", "a\n1\n2\n3\n4\n")];
    let added = server.send(Call::form(&format!("{container}/files"), &[], &file)).await;
    assert_eq!(added.status, 200, "{added:?}");
    // Ten bytes are there, and two more fit.
    let three = [("file", "b.csv", "b\n1")];
    let calls = || {
        let upload = Call::new(Method::POST, "/v1/uploads").header("upload-length", "3");
        vec![
            ("runs", Call::form("/v1/runs", &[("instruction", "Go.")], &three)),
            ("uploads", upload),
            ("files", Call::form("/v1/files", &[("purpose", "user_data")], &three)),
            ("containers", Call::form(&format!("{container}/files"), &[], &three)),
        ]
    };
    for (name, call) in calls() {
        let reply = server.send(call).await;
        assert_eq!(reply.status, 429, "{name}: {reply:?}");
        let text = reply.text();
        let number = "10 bytes are stored of 12; 3 more do not fit";
        assert!(text.contains(number) && text.contains("delete runs"), "{name}: {text}");
    }
    let body = json!({
        "instruction": "Go.", "documents": [{ "name": "b.csv", "text": "b\n1" }],
    });
    let problem = server.post_json("/v1/runs", &body).await.problem(429, "quota_exceeded");
    assert!(problem["hint"].is_string(), "{problem}");
    // What is refused stays nowhere: two bytes still fit.
    let two =
        Call::form("/v1/runs?wait=true", &[("instruction", "Go.")], &[("file", "c.csv", "c\n")]);
    let reply = server.send(two).await;
    assert_eq!(reply.status, 201, "{reply:?}");
    // Now there is no room for a script.
    let script = json!({ "code": "1" });
    let path = format!("{container}/scripts");
    let reply = server.post_json(&path, &script).await;
    assert_eq!(reply.status, 429, "{reply:?}");
    assert!(reply.text().contains("12 bytes are stored of 12; 1 more do not fit"), "{reply:?}");
    // The container goes, and there is room again.
    let deleted = server.send(Call::new(Method::DELETE, &container)).await;
    assert_eq!(deleted.status, 200, "{deleted:?}");
    for (name, call) in calls().into_iter().take(1) {
        let reply = server.send(call).await;
        assert_eq!(reply.status, 201, "{name}: {reply:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_expires_makes_room() {
    let server = server(Policy { stored_bytes: Some(10), ..Policy::default() }).await;
    let fields = [
        ("purpose", "user_data"),
        ("expires_after[anchor]", "created_at"),
        ("expires_after[seconds]", "3600"),
    ];
    let upload = |name| Call::form("/v1/files", &fields, &[("file", name, "0123456789")]);
    assert_eq!(server.send(upload("a.txt")).await.status, 200);
    let reply = server.send(upload("b.txt")).await;
    assert_eq!((reply.status, &reply.json()["error"]["code"]), (429, &json!("insufficient_quota")));
    server.let_expire(Duration::from_secs(7_200)).await;
    // The content is released first, and deleted by the next sweep.
    server.let_expire(Duration::from_secs(60)).await;
    assert_eq!(server.send(upload("b.txt")).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_are_bounded_and_the_same_request_is_answered() {
    let server = server(Policy { runs: Some(1), ..Policy::default() }).await;
    let create = || Call::post("/v1/runs?wait=true", &run("Go.")).header("idempotency-key", "k");
    let first: Value = server.send(create()).await.json();
    let problem = server.post_json("/v1/runs", &run("Go.")).await.problem(429, "quota_exceeded");
    assert_eq!(problem["detail"], "1 runs are kept, which is the most");
    let again = server.send(create()).await;
    assert_eq!((again.status, &again.json()["id"]), (200, &first["id"]));
    let delete = format!("/v1/runs/{}", first["id"].as_str().unwrap());
    assert_eq!(server.send(Call::new(Method::DELETE, &delete)).await.status, 204);
    assert_eq!(server.post_json("/v1/runs", &run("Go.")).await.status, 201);
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_that_work_are_bounded() {
    let server = server(Policy { active_runs: Some(1), ..Policy::default() }).await;
    server.post_json("/v1/runs", &run("Work slowly.")).await;
    let reply = server.post_json("/v1/runs", &run("Go.")).await;
    let problem = reply.problem(429, "quota_exceeded");
    assert_eq!(problem["detail"], "1 runs work or are queued, which is the most");
    assert_eq!(reply.headers["retry-after"], "5");
    server.release_turn();
}
