//! Runs that are created by a form with files.

use serde_json::{Value, json};

use crate::service::support::{Call, Server, Setup};

const OPTIONS: (&str, &str) = ("options", r#"{"tools": "all", "no_routing": true}"#);

fn names(state: &Value) -> Vec<&str> {
    state["documents"].as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn files_of_a_form_are_documents_of_the_run() {
    let server = Server::start().await;
    let call = Call::form(
        "/v1/runs?wait=true",
        &[("instruction", "Go."), ("title", "Mine"), OPTIONS, ("metadata", r#"{"a": "b"}"#)],
        &[
            ("document", "销售.csv", "m,r\n1,2\n"),
            ("files[]", "../b.csv", "m,r\n3,4\n"),
            // A browser sends this if no file was chosen.
            ("file", "", ""),
        ],
    );
    let reply = server.send(call).await;
    assert_eq!(reply.status, 201, "{reply:?}");
    let state = reply.json();
    assert_eq!(names(&state), ["销售.csv", "b.csv"]);
    assert_eq!((&state["title"], &state["metadata"]), (&json!("Mine"), &json!({ "a": "b" })));
    // A further instruction can bring more.
    let path = format!("/v1/runs/{}/messages?wait=true", state["id"].as_str().unwrap());
    let call = Call::form(&path, &[("instruction", "More.")], &[("file", "c.csv", "m\n1\n")]);
    let reply = server.send(call).await;
    assert_eq!((reply.status, names(&reply.json())), (200, vec!["销售.csv", "b.csv", "c.csv"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_that_is_sent_again_is_the_same_run() {
    let server = Server::start().await;
    let call = |content: &str, key: &str| {
        Call::form(
            "/v1/runs?wait=true",
            &[("instruction", "Go."), OPTIONS],
            &[("document", "a.csv", content)],
        )
        .header("idempotency-key", key)
    };
    let first = server.send(call("m\n1\n", "k")).await;
    let again = server.send(call("m\n1\n", "k")).await;
    assert_eq!((first.status, again.status), (201, 200), "{again:?}");
    assert_eq!(first.json()["id"], again.json()["id"]);
    server.send(call("m\n2\n", "k")).await.problem(422, "idempotency_key_reused");
    let other = server.send(call("m\n1\n", "l")).await;
    assert_eq!(other.status, 201, "{other:?}");
    assert_ne!(first.json()["id"], other.json()["id"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn all_problems_of_a_form_are_reported_and_no_file_stays() {
    let server = Server::start().await;
    let call = Call::form(
        "/v1/runs",
        &[("titel", "a"), ("options", "{"), ("document", "text"), ("model", "a"), ("model", "b")],
        &[("picture", "a.png", "x"), ("document", "b.csv", "m\n1\n")],
    );
    let problem = server.send(call).await.problem(422, "invalid_body");
    let mut places: Vec<&str> = problem["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["pointer"].as_str().unwrap())
        .collect();
    places.sort_unstable();
    assert_eq!(places, ["", "/document", "/model", "/options", "/picture", "/titel"]);
    // A form that is right but for its model leaves no file either.
    let call = Call::form(
        "/v1/runs",
        &[("instruction", "Go."), ("model", "none")],
        &[("document", "b.csv", "m\n1\n")],
    );
    let reply = server.send(call).await;
    assert!((400..500).contains(&reply.status), "{reply:?}");
    let files = server.get("/v1/files").await;
    assert!(!files.text().contains("b.csv"), "{files:?}");
    let call =
        Call::new(hyper::Method::POST, "/v1/runs").header("content-type", "multipart/form-data");
    server.send(call).await.problem(415, "unsupported_media_type");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_is_bounded() {
    let server = Server::with(Setup { upload_bytes: 1 << 20, ..Setup::default() }).await;
    let call = |size: usize| {
        let content = "a\n".repeat(size / 2);
        Call::form(
            "/v1/runs?wait=true",
            &[("instruction", "Go."), OPTIONS],
            &[("document", "a.csv", content.as_str())],
        )
    };
    server.send(call(2 << 20)).await.problem(413, "too_large");
    let reply = server.send(call(512 << 10)).await;
    assert_eq!(reply.status, 201, "{reply:?}");
    let many: Vec<(&str, &str, &str)> = (0..101).map(|_| ("file", "a.csv", "a\n")).collect();
    let call = Call::form("/v1/runs", &[("instruction", "Go.")], &many);
    server.send(call).await.problem(413, "too_large");
}
