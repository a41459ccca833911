//! Every route with another tenant's ids: nothing is there.

use hyper::Method;
use serde_json::{Value, json};

use crate::service::support::{Call, Server};

/// An instruction by which the model delivers a file.
const DELIVER: &str =
    "[python] import report\nprint(report.deliver('# Secret', filename='hello.md').name)";

#[tokio::test(flavor = "multi_thread")]
async fn another_tenant_finds_nothing() {
    let server = Server::for_tenants().await;
    let state = server.finished_run("Please deliver.", &server.alice).await;
    let id = state["id"].as_str().unwrap();
    let upload = Call::new(Method::POST, "/v1/uploads").header("upload-length", "3");
    let upload = server.send(upload.token(&server.alice)).await;
    let upload = upload.headers["location"].rsplit('/').next().unwrap().to_owned();
    let answer = json!({ "question": "q", "decision": "accept" });
    let outputs = json!({ "outputs": [{ "call": "c", "output": "1" }] });
    let message = json!({ "instruction": "Tell me." });
    let run = |path: &str| format!("/v1/runs/{id}{path}");
    let calls = || {
        let patch = Call::new(Method::PATCH, &format!("/v1/uploads/{upload}"))
            .header("content-type", "application/offset+octet-stream")
            .header("upload-offset", "0")
            .body("abc");
        vec![
            Call::get(&run("")),
            Call::get(&run("/events")),
            Call::get(&run("/events?follow=false")),
            Call::get(&run("/files")),
            Call::get(&run("/files/summary.md")),
            Call::get(&run("/files.zip")),
            Call::get(&format!("/v1/runs?before={id}")),
            Call::post(&run("/messages"), &message),
            Call::form(&run("/messages"), &[("instruction", "a")], &[("file", "a.csv", "a\n")]),
            Call::new(Method::DELETE, &run("/messages/1")),
            Call::post(&run("/answers"), &answer),
            Call::post(&run("/functions"), &outputs),
            Call::new(Method::POST, &run("/cancel")),
            Call::new(Method::POST, &run("/continue")),
            Call::new(Method::DELETE, &run("")),
            Call::get(&format!("/v1/uploads/{upload}")),
            patch,
            Call::new(Method::DELETE, &format!("/v1/uploads/{upload}")),
            Call::new(Method::POST, &format!("/v1/uploads/{upload}"))
                .header("x-http-method-override", "DELETE"),
        ]
    };
    for (index, call) in calls().into_iter().enumerate() {
        let reply = server.send(call.token(&server.bob)).await;
        assert_eq!(reply.status, 404, "call {index}: {reply:?}");
        assert!(!reply.text().contains("Report"), "call {index}: {reply:?}");
    }
    let head = Call::new(Method::HEAD, &format!("/v1/uploads/{upload}"));
    assert_eq!(server.send(head.token(&server.bob)).await.status, 404);
    let list = server.send(Call::get("/v1/runs").token(&server.bob)).await.json();
    assert_eq!(list["runs"], json!([]));
    // Nothing of it had an effect.
    let after = server.send(Call::get(&run("")).token(&server.alice)).await.json();
    let plain = |state: &Value| (state["status"].clone(), state["updated_ms"].clone());
    assert_eq!(plain(&after), plain(&state));
    // Without a token, there is not even that.
    for (index, call) in calls().into_iter().enumerate() {
        let reply = server.send(call).await;
        assert_eq!(reply.status, 401, "call {index}: {reply:?}");
        assert!(reply.headers.contains_key("www-authenticate"), "call {index}: {reply:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_cannot_use_another_tenants_file() {
    let server = Server::for_tenants().await;
    let upload = Call::new(Method::POST, "/v1/uploads")
        .header("upload-length", "4")
        .header("content-type", "application/offset+octet-stream")
        .body("a\n1\n");
    let upload = server.send(upload.token(&server.alice)).await;
    let path = format!("/v1/uploads/{}", upload.headers["location"].rsplit('/').next().unwrap());
    let file =
        server.send(Call::get(&path).token(&server.alice)).await.json()["file"]["id"].clone();
    assert!(file.is_string(), "{file}");
    let body = json!({ "instruction": "Go.", "documents": [{ "file": file }] });
    let reply = server.send(Call::post("/v1/runs", &body).token(&server.bob)).await;
    assert!((400..500).contains(&reply.status), "{reply:?}");
    let reply = server.send(Call::post("/v1/runs?wait=true", &body).token(&server.alice)).await;
    assert_eq!(reply.status, 201, "{reply:?}");
    // The same content of two tenants is the file of each.
    let own = Call::form("/v1/runs", &[("instruction", "Go.")], &[("file", "a.csv", "a\n1\n")]);
    assert_eq!(server.send(own.token(&server.bob)).await.status, 201);
}

#[tokio::test(flavor = "multi_thread")]
async fn another_tenant_finds_nothing_over_the_interfaces_of_openai() {
    let server = Server::for_tenants().await;
    let alice = async |call: Call| {
        let reply = server.send(call.token(&server.alice)).await;
        assert_eq!(reply.status, 200, "{reply:?}");
        reply.json()
    };
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let file = [("file", "secret.csv", "secret\n1\n")];
    let uploaded = Call::form("/v1/files", &[("purpose", "user_data")], &file);
    let uploaded = text(&alice(uploaded).await["id"]);
    let container = alice(Call::post("/v1/containers", &json!({ "name": "c" }))).await;
    let container = text(&container["id"]);
    let of_container = |path: &str| format!("/v1/containers/{container}{path}");
    let added = alice(Call::form(&of_container("/files"), &[], &file)).await;
    let added = text(&added["id"]);
    let said = json!({ "input": DELIVER, "tools": [
        { "type": "code_interpreter", "container": container },
    ] });
    let response = alice(Call::post("/v1/responses", &said)).await;
    let response = text(&response["id"]);
    let plain = alice(Call::post("/v1/responses", &json!({ "input": DELIVER }))).await;
    let message = plain["output"].as_array().unwrap().last().unwrap();
    let delivered = text(&message["content"][0]["annotations"][0]["file_id"]);
    let of_response = |path: &str| format!("/v1/responses/{response}{path}");
    let of_file = |path: &str| format!("/v1/files/{uploaded}{path}");
    let with_container = |container: Value| {
        let tool = json!({ "type": "code_interpreter", "container": container });
        Call::post("/v1/responses", &json!({ "input": "x", "tools": [tool] }))
    };
    let calls = vec![
        Call::get(&of_response("")),
        Call::get(&of_response("?stream=true")),
        Call::get(&of_response("/input_items")),
        Call::new(Method::POST, &of_response("/cancel")),
        Call::new(Method::DELETE, &of_response("")),
        Call::get(&of_file("")),
        Call::get(&of_file("/content")),
        Call::new(Method::DELETE, &of_file("")),
        Call::get(&format!("/v1/files/{delivered}")),
        Call::get(&format!("/v1/files/{delivered}/content")),
        Call::new(Method::DELETE, &format!("/v1/files/{delivered}")),
        Call::get(&of_container("")),
        Call::get(&of_container("/files")),
        Call::form(&of_container("/files"), &[], &file),
        Call::post(&of_container("/files"), &json!({ "file_id": uploaded })),
        Call::get(&of_container(&format!("/files/{added}"))),
        Call::get(&of_container(&format!("/files/{added}/content"))),
        Call::new(Method::DELETE, &of_container(&format!("/files/{added}"))),
        Call::post(&of_container("/scripts"), &json!({ "code": "1" })),
        Call::new(Method::DELETE, &of_container("")),
        with_container(json!(container)),
    ];
    for (index, call) in calls.into_iter().enumerate() {
        let reply = server.send(call.token(&server.bob)).await;
        assert_eq!(reply.status, 404, "call {index}: {reply:?}");
        assert!(!reply.text().contains("secret"), "call {index}: {reply:?}");
    }
    // What a body names is refused as a wrong value, as OpenAI does.
    let content = json!([{ "type": "input_file", "file_id": uploaded }]);
    let of_delivered = json!([{ "type": "input_file", "file_id": delivered }]);
    let read = |content: &Value| json!({ "input": [{ "role": "user", "content": content }] });
    let refused = [
        Call::post("/v1/responses", &json!({ "input": "x", "previous_response_id": response })),
        Call::post("/v1/responses", &read(&content)),
        Call::post("/v1/responses", &read(&of_delivered)),
        Call::post("/v1/containers", &json!({ "name": "c", "file_ids": [uploaded] })),
        with_container(json!({ "type": "auto", "file_ids": [uploaded] })),
    ];
    for (index, call) in refused.into_iter().enumerate() {
        let reply = server.send(call.token(&server.bob)).await;
        assert!([400, 404].contains(&reply.status), "call {index}: {reply:?}");
        assert!(!reply.text().contains("secret"), "call {index}: {reply:?}");
    }
    for path in ["/v1/files", "/v1/runs"] {
        let list = server.send(Call::get(path).token(&server.bob)).await.json();
        let all = if path == "/v1/files" { &list["data"] } else { &list["runs"] };
        assert_eq!(*all, json!([]), "{path}");
    }
    // Nothing of it had an effect.
    let after = alice(Call::get(&of_response(""))).await;
    assert_eq!(after["status"], "completed", "{after}");
    alice(Call::get(&of_file(""))).await;
    alice(Call::get(&of_container(&format!("/files/{added}")))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn threads_of_tenants_are_apart() {
    let server = Server::for_tenants().await;
    let follow = async |token: &str, text: &str| {
        let message = json!({ "id": "m1", "role": "user", "content": text });
        let input = json!({ "threadId": "thread", "runId": "r1", "messages": [message] });
        let reply = server.send(Call::post("/v1/ag-ui", &input).token(token)).await;
        assert_eq!(reply.status, 200, "{reply:?}");
        reply.text()
    };
    let run_of = async |token: &str| {
        let runs = server.send(Call::get("/v1/runs").token(token)).await.json();
        assert_eq!(runs["runs"].as_array().map(Vec::len), Some(1), "{runs}");
        runs["runs"][0]["id"].as_str().unwrap().to_owned()
    };
    let of_alice = follow(&server.alice, DELIVER).await;
    assert!(of_alice.contains("hello.md"), "{of_alice}");
    // The same thread and run of another tenant are others.
    let of_bob = follow(&server.bob, "Go.").await;
    assert!(of_bob.contains("RUN_FINISHED") && !of_bob.contains("hello.md"), "{of_bob}");
    let (alice, bob) = (run_of(&server.alice).await, run_of(&server.bob).await);
    assert!(alice != bob && !of_bob.contains(&alice) && !of_alice.contains(&bob));
    let reply = server.send(Call::get(&format!("/v1/runs/{alice}")).token(&server.bob)).await;
    assert_eq!(reply.status, 404, "{reply:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_key_of_a_proxy_decides_beside_a_token_of_another_service() {
    let server = Server::for_tenants().await;
    let run = server.finished_run("Please deliver.", &server.alice).await;
    let run = format!("/v1/runs/{}", run["id"].as_str().unwrap());
    let added = server
        .send(
            Call::form("/librechat/upload", &[], &[("file", "a.csv", "a\n1\n")])
                .token(&server.alice),
        )
        .await;
    let session = format!("/librechat/files/{}", added.json()["session_id"].as_str().unwrap());
    let with = async |path: &str, bearer: &str, key: &str| {
        let call = Call::get(path).header("authorization", bearer).header("x-api-key", key);
        server.send(call).await.status
    };
    let (alice, bob) = (&server.alice, &server.bob);
    let (jwt, revoked) = ("Bearer eyJhbGciOiJIUzI1NiJ9.e30.x", "Bearer mitt_revoked");
    let (of_alice, of_bob) = (format!("Bearer {alice}"), format!("Bearer {bob}"));
    for (path, bearer, key, status) in [
        (&session, jwt, alice.as_str(), 200),
        (&session, revoked, alice, 200),
        (&session, &of_bob, alice, 200),
        (&session, jwt, bob, 404),
        // The key decides, so that a right token beside a wrong key is not looked at.
        (&session, &of_alice, bob, 404),
        (&session, &of_alice, "wrong", 401),
        (&run, jwt, alice, 200),
        (&run, jwt, bob, 404),
        (&run, jwt, "wrong", 401),
        // A token of ours decides; a revoked one gets no rights of the key beside it.
        (&run, revoked, alice, 401),
        (&run, &of_alice, bob, 200),
        (&run, &of_bob, alice, 404),
    ] {
        assert_eq!(with(path, bearer, key).await, status, "{path} {bearer}");
    }
    // Only a token that stands in `Authorization` becomes a link for browsers.
    let link = Call::new(Method::POST, "/v1/session/links").header("authorization", jwt);
    assert!(server.send(link.header("x-api-key", alice)).await.status >= 400);
}
