//! `/v1/responses` with a container: scripts, files, and requests that are sent again.

use hyper::Method;
use serde_json::{Value, json};

use crate::service::support::{Call, Server};

const NUMBERS: &str = "a\n1\n2\n";

/// Uploads a file, and returns its identifier.
async fn uploaded(server: &Server) -> Value {
    let file = [("file", "numbers.csv", NUMBERS)];
    let reply = server.send(Call::form("/v1/files", &[("purpose", "user_data")], &file)).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    reply.json()["id"].clone()
}

fn interpreter(container: &Value) -> Value {
    json!([{ "type": "code_interpreter", "container": container }])
}

async fn respond(server: &Server, body: &Value) -> Value {
    let reply = server.post_json("/v1/responses", body).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    let response = reply.json();
    assert_eq!(response["status"], "completed", "{response}");
    response
}

/// Returns the items of a type.
fn items<'a>(response: &'a Value, kind: &str) -> Vec<&'a Value> {
    response["output"].as_array().unwrap().iter().filter(|it| it["type"] == kind).collect()
}

/// Returns container and output of the only script of a response.
fn script(response: &Value) -> (String, String) {
    let calls = items(response, "code_interpreter_call");
    assert_eq!((calls.len(), &calls[0]["status"]), (1, &json!("completed")), "{response}");
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    (text(&calls[0]["container_id"]), text(&calls[0]["outputs"][0]["logs"]))
}

/// Returns the files that the text of a response cites: names and identifiers.
fn cited(response: &Value, container: &str) -> Vec<(String, String)> {
    let messages = items(response, "message");
    let parts = messages.iter().flat_map(|it| it["content"].as_array().unwrap());
    let annotations = parts.flat_map(|it| it["annotations"].as_array().unwrap());
    let files = annotations.filter(|it| it["type"] == "container_file_citation");
    files
        .map(|it| {
            assert_eq!(it["container_id"], container);
            let text = |key: &str| it[key].as_str().unwrap().to_owned();
            (text("filename"), text("file_id"))
        })
        .collect()
}

async fn paths(server: &Server, container: &str) -> Vec<String> {
    let list = server.get(&format!("/v1/containers/{container}/files?order=asc")).await.json();
    let files = list["data"].as_array().unwrap().iter();
    let mut paths: Vec<String> = files.map(|it| it["path"].as_str().unwrap().to_owned()).collect();
    paths.sort();
    paths
}

#[tokio::test(flavor = "multi_thread")]
async fn scripts_run_in_the_container_of_the_request() {
    let server = Server::start().await;
    let auto = json!({ "type": "auto", "file_ids": [uploaded(&server).await] });
    let code = "[python] text = open('/mnt/data/numbers.csv').read()\n\
        open('/mnt/data/out.txt', 'w').write(text.upper())\nprint(text.count('\\n'), 'lines')";
    let document = json!({
        "type": "input_file", "filename": "notes.txt", "file_data": "data:text/plain;base64,aGVsbG8="
    });
    let content = json!([{ "type": "input_text", "text": code }, document]);
    let input = json!([{ "role": "user", "content": content }]);
    let body = json!({ "input": input, "tools": interpreter(&auto) });
    let first = respond(&server, &body).await;
    let (container, logs) = script(&first);
    assert!(container.starts_with("cntr_") && logs.contains("3 lines"), "{first}");
    let of_container = ["/mnt/data/notes.txt", "/mnt/data/numbers.csv", "/mnt/data/out.txt"];
    assert_eq!(paths(&server, &container).await, of_container);
    let files = cited(&first, &container);
    assert_eq!(files.len(), 1, "{first}");
    let (name, id) = &files[0];
    assert_eq!(name, "out.txt");
    let path = format!("/v1/containers/{container}/files/{id}/content");
    assert_eq!(server.get(&path).await.text(), "A\n1\n2\n");
    // The next instruction goes on in the same container, also without naming it.
    let code = "[python] print(open('out.txt').read().count('1'), open('notes.txt').read())";
    let body = json!({ "input": code, "previous_response_id": first["id"] });
    let second = respond(&server, &body).await;
    let (same, logs) = script(&second);
    assert_eq!(same, container);
    assert!(logs.contains("1 hello"), "{logs}");
    assert!(cited(&second, &container).is_empty(), "{second}");
    // A named container, in another run.
    let code = "[python] open('more.txt', 'w').write('m')\nprint(open('out.txt').read().count('2'), 'two')";
    let body = json!({ "input": code, "tools": interpreter(&json!(container)) });
    let third = respond(&server, &body).await;
    assert!(script(&third).1.contains("1 two"), "{third}");
    assert_eq!(cited(&third, &container)[0].0, "more.txt");
    assert_eq!(paths(&server, &container).await.len(), 4);
    // A container that is gone is refused, and the result says so if one vanishes later.
    let gone = Call::new(Method::DELETE, &format!("/v1/containers/{container}"));
    assert_eq!(server.send(gone).await.status, 200);
    assert_eq!(server.post_json("/v1/responses", &body).await.status, 404);
    let body = json!({ "input": "[python] print('alone')", "previous_response_id": second["id"] });
    let (_, logs) = script(&respond(&server, &body).await);
    assert!(
        logs.contains("alone") && logs.contains("without the files of the container"),
        "{logs}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_with_a_container_that_is_sent_again_makes_nothing_new() {
    let server = Server::start().await;
    let auto = json!({ "type": "auto", "file_ids": [uploaded(&server).await] });
    let body = json!({ "input": "[python] print(1)", "tools": interpreter(&auto) });
    let send = |body: &Value| {
        let call = Call::post("/v1/responses", body).header("idempotency-key", "k");
        server.send(call)
    };
    let (first, again) = (send(&body).await, send(&body).await);
    assert_eq!((first.status, again.status), (200, 200), "{again:?}");
    let (first, again) = (first.json(), again.json());
    assert_eq!(first["id"], again["id"]);
    assert_eq!(script(&first), script(&again));
    let containers = server.get("/v1/containers").await.json();
    assert_eq!(containers["data"].as_array().unwrap().len(), 1, "{containers}");
    let other = json!({ "input": "[python] print(2)", "tools": interpreter(&auto) });
    let reply = send(&other).await;
    assert_eq!(reply.status, 400, "{reply:?}");
    assert_eq!(reply.json()["error"]["code"], "idempotency_key_reused");
    let other =
        json!({ "input": "[python] print(1)", "tools": interpreter(&json!({ "type": "auto" })) });
    assert_eq!(send(&other).await.json()["error"]["code"], "idempotency_key_reused");
}

#[tokio::test(flavor = "multi_thread")]
async fn responses_and_threads_go_with_their_run() {
    let server = Server::start().await;
    let response = respond(&server, &json!({ "input": "Go." })).await;
    let id = response["id"].as_str().unwrap();
    let run = format!("run_{}", id["resp_".len()..].rsplit_once('_').unwrap().0);
    let delete = Call::new(Method::DELETE, &format!("/v1/runs/{run}"));
    assert_eq!(server.send(delete).await.status, 204);
    assert_eq!(server.get(&format!("/v1/responses/{id}")).await.status, 404);
    let body = json!({ "input": "On.", "previous_response_id": id });
    let reply = server.post_json("/v1/responses", &body).await;
    assert_eq!(reply.json()["error"]["code"], "previous_response_not_found", "{reply:?}");
    // A thread begins again.
    let message = json!({ "id": "m1", "role": "user", "content": "Go." });
    let input = json!({ "threadId": "t", "runId": "r1", "messages": [message] });
    let of_thread = server.post_json("/v1/ag-ui", &input).await.text();
    let runs = server.get("/v1/runs").await.json();
    let run = runs["runs"][0]["id"].as_str().unwrap().to_owned();
    assert!(of_thread.contains(&run), "{of_thread}");
    let delete = Call::new(Method::DELETE, &format!("/v1/runs/{run}"));
    assert_eq!(server.send(delete).await.status, 204);
    let again = server.post_json("/v1/ag-ui", &input).await.text();
    assert!(again.contains("RUN_FINISHED") && !again.contains(&run), "{again}");
}

#[tokio::test(flavor = "multi_thread")]
async fn operations_that_do_not_exist_are_not_found_and_name_the_way_out() {
    let server = Server::start().await;
    for (path, way_out) in [
        ("/v1/responses/compact", "previous_response_id"),
        ("/v1/responses/input_tokens", "`usage` of a response"),
    ] {
        let reply = server.post_json(path, &json!({ "input": "x" })).await;
        let error = reply.json()["error"].clone();
        assert_eq!((reply.status, &error["code"]), (404, &json!("not_found")), "{reply:?}");
        assert!(error["message"].as_str().unwrap().contains(way_out), "{error}");
        // Other methods of these paths are about a response of this name.
        let reply = server.get(path).await;
        assert_eq!(reply.status, 404, "{reply:?}");
        assert!(!reply.text().contains(way_out), "{reply:?}");
    }
    assert_eq!(server.post_json("/v1/responses/resp_1", &json!({})).await.status, 405);
}

/// Returns the run of a response.
fn run_of(response: &Value) -> String {
    let id = response["id"].as_str().unwrap();
    format!("run_{}", id.strip_prefix("resp_").unwrap().rsplit_once('_').unwrap().0)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_earlier_response_is_continued_in_a_run_of_its_own() {
    let server = Server::start().await;
    let file = json!([{ "type": "input_file", "file_id": uploaded(&server).await }]);
    let content = json!([{ "type": "input_text", "text": "First: deliver." }, file[0]]);
    let first =
        respond(&server, &json!({ "input": [{ "role": "user", "content": content }] })).await;
    let next = |text: &str, previous: &Value| json!({ "input": text, "previous_response_id": previous["id"] });
    let second = respond(&server, &next("Second.", &first)).await;
    let third = respond(&server, &next("Third.", &second)).await;
    assert_eq!(run_of(&third), run_of(&first));
    // A branch from the first one knows it and its document and files, and nothing that came later.
    let branch = respond(&server, &next("Another way.", &first)).await;
    assert_eq!(branch["previous_response_id"], first["id"]);
    let run = run_of(&branch);
    assert_ne!(run, run_of(&first));
    let log = server.log_of(&run);
    for (text, is_known) in
        [("First: ", true), ("Second.", false), ("Third.", false), ("Another way.", true)]
    {
        assert_eq!(log.contains(text), is_known, "{text}");
    }
    let state = server.get(&format!("/v1/runs/{run}")).await.json();
    assert_eq!(state["documents"][0]["name"], "numbers.csv", "{state}");
    let names = |state: &Value| {
        let files = state["files"].as_array().unwrap().iter();
        files.map(|it| it["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(&state), ["summary.md", "月报.html"]);
    let path = format!("/v1/runs/{run}/files/summary.md");
    assert_eq!(server.get(&path).await.status, 200, "the files are of the new run, too");
    // The first run is as it was, and both go on.
    respond(&server, &next("Fourth.", &third)).await;
    let more = respond(&server, &next("Another way still.", &branch)).await;
    assert_eq!(run_of(&more), run);
    assert!(!server.log_of(&run_of(&first)).contains("Another way"));
    // Without the first run, the branch stays.
    let reply =
        server.send(Call::new(Method::DELETE, &format!("/v1/runs/{}", run_of(&first)))).await;
    assert_eq!(reply.status, 204, "{reply:?}");
    let path = format!("/v1/runs/{run}/files/summary.md");
    assert_eq!(server.get(&path).await.status, 200);
    respond(&server, &next("And on.", &more)).await;
    // What is not stored leaves nothing.
    let mut unstored = next("Do not keep it.", &more);
    unstored["store"] = json!(false);
    let before = server.get("/v1/runs").await.json()["runs"].as_array().unwrap().len();
    respond(&server, &unstored).await;
    let after = server.get("/v1/runs").await.json()["runs"].as_array().unwrap().len();
    assert!(after <= before + 1, "it has files, so it may stay for an hour");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_response_within_an_instruction_has_no_branch_and_the_error_names_the_last() {
    let server = Server::start().await;
    let tools = json!([{ "type": "function", "name": "look", "parameters": { "type": "object" } }]);
    let body = json!({ "input": "[function look]", "tools": tools });
    let first = respond(&server, &body).await;
    let call = items(&first, "function_call")[0]["call_id"].clone();
    let output = json!([{ "type": "function_call_output", "call_id": call, "output": "yes" }]);
    let id = &first["id"];
    let second = respond(&server, &json!({ "input": output, "previous_response_id": id })).await;
    let reply = server
        .post_json("/v1/responses", &json!({ "input": "Other.", "previous_response_id": id }))
        .await;
    let error = reply.json()["error"].clone();
    assert_eq!((reply.status, &error["code"]), (400, &json!("previous_response_continued")));
    let last = format!("the last response of the run is `{}`", second["id"].as_str().unwrap());
    assert!(error["message"].as_str().unwrap().contains(&last), "{error}");
}
