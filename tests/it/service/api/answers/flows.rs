//! Requests to all operations, in groups whose answers lead from one to the next.

use hyper::Method;
use serde_json::{Value, json};

use super::Watched;
use crate::service::support::{Call, run};

/// A white dot.
const PNG: &[u8] =
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\0\0\0\0\x3a\x7e\x9b\x55\0\0\0\nIDAT\
    \x78\x9c\x63\xf8\x0f\0\x01\x01\x01\0\xb1\x38\xf6\x14\0\0\0\0IEND\xae\x42\x60\x82";

const TABLE: &str = "month,amount\nMay,1452.3\nJune,9.5\n";

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("expected a text, got {value}"))
}

fn call(method: Method, path: &str, body: &Value) -> Call {
    Call::new(method, path).header("content-type", "application/json").body(body.to_string())
}

fn delete(path: &str) -> Call {
    Call::new(Method::DELETE, path)
}

fn post(path: &str) -> Call {
    Call::new(Method::POST, path)
}

/// Creates runs in all ways, and returns the path of one with two versions of its files.
pub(super) async fn runs(watched: &Watched) -> String {
    let mut body = run("Please deliver.");
    body["documents"] = json!([{ "name": "sales.csv", "text": TABLE }]);
    let create = || Call::post("/v1/runs?wait=true", &body).header("idempotency-key", "k");
    let state = watched.done(create()).await.json();
    let again = watched.send(create()).await;
    assert_eq!((again.status, &again.json()["id"]), (200, &state["id"]));
    let path = format!("/v1/runs/{}", text(&state["id"]));
    let messages = format!("{path}/messages");
    let better = json!({ "instruction": "Please deliver better ones." });
    for accepted in ["text/event-stream", "application/zip"] {
        let create = Call::post("/v1/runs", &run("Please deliver."));
        watched.done(create.header("accept", accepted)).await;
    }
    watched.done(Call::post(&format!("{messages}?wait=true"), &better)).await;
    watched.done(Call::post(&messages, &better).header("accept", "text/event-stream")).await;
    for path in [
        "/v1/runs",
        "/v1/runs?search=deliver",
        &path,
        &format!("{path}/sources?value=1452.3"),
        &format!("{path}/events?follow=false"),
        &format!("{path}/events"),
    ] {
        watched.done(Call::get(path)).await;
    }
    let last =
        watched.get(&format!("{path}/events?follow=false&limit=1000")).await.json()["last"].clone();
    let events = Call::get(&format!("{path}/events")).header("last-event-id", &last.to_string());
    assert_eq!(watched.send(events).await.status, 204);
    watched.done(call(Method::PATCH, &path, &json!({ "title": "Herons" }))).await;
    // A run of the command line.
    let first = watched.server.finished_run("Go.", "").await;
    let log = watched.server.log_of(text(&first["id"]));
    let form = Call::form("/v1/runs/import", &[], &[("file", "a.jsonl", &log)]);
    let imported = watched.done(form).await.json();
    watched.done(delete(&format!("/v1/runs/{}", text(&imported["id"])))).await;
    let failed = watched.post("/v1/runs?wait=true", &run("Please fail.")).await;
    assert_eq!(failed.json()["status"], "failed");
    path
}

/// Downloads files, in whole and in part.
pub(super) async fn files_of_a_run(watched: &Watched, run: &str) {
    watched.done(Call::get(&format!("{run}/files"))).await;
    let files = watched.get(&format!("{run}/files?versions=true")).await.json();
    assert!(!files["versions"].as_array().unwrap().is_empty(), "{files}");
    let zip = watched.done(Call::get(&format!("{run}/files.zip"))).await;
    assert_eq!(zip.headers["content-type"], "application/zip");
    let base = format!("http://{}", watched.server.address);
    let link = text(&files["files"][0]["url"]).strip_prefix(&base).unwrap().to_owned();
    for path in [format!("{run}/files/summary.md"), link] {
        let whole = watched.done(Call::get(&path)).await;
        let tag = &whole.headers["etag"];
        for (name, value, status) in [
            ("range", "bytes=0-3", 206),
            ("range", "bytes=900000-", 416),
            ("if-none-match", tag.as_str(), 304),
        ] {
            let reply = watched.send(Call::get(&path).header(name, value)).await;
            assert_eq!(reply.status, status, "{path} {name}");
        }
    }
}

/// Looks at a table, a text and a picture, and compares two versions.
pub(super) async fn previews(watched: &Watched, run: &str) {
    let id = run.rsplit('/').next().unwrap();
    let of_run = |path: &str, more: &str| format!("/v1/previews{path}?run={id}&{more}");
    for path in [
        of_run("", "document=sales.csv"),
        of_run("/rows", "document=sales.csv"),
        of_run("", "file=summary.md"),
        of_run("/text", "file=summary.md"),
    ] {
        let shown = watched.done(Call::get(&path)).await;
        if let Some(tag) = shown.headers.get("etag") {
            let again = watched.send(Call::get(&path).header("if-none-match", tag)).await;
            assert_eq!(again.status, 304, "{path}");
        }
    }
    let files = watched.get(&format!("{run}/files?versions=true")).await.json();
    let versions = files["versions"].as_array().unwrap();
    let earlier = versions.iter().find(|it| it["name"] == "summary.md").unwrap();
    let with = format!("file=summary.md&with={}", text(&earlier["sha256"]));
    let comparison = watched.done(Call::get(&of_run("/comparison", &with))).await.json();
    assert!(comparison.to_string().contains("Better"), "{comparison}");
    let create = post("/v1/uploads")
        .header("tus-resumable", "1.0.0")
        .header("upload-length", &PNG.len().to_string())
        .header("upload-metadata", "filename ZG90LnBuZw==,filetype aW1hZ2UvcG5n")
        .header("content-type", "application/offset+octet-stream")
        .body(PNG);
    let created = watched.done(create).await;
    let upload = created.headers["location"].rsplit('/').next().unwrap().to_owned();
    let state = watched.done(Call::get(&format!("/v1/uploads/{upload}"))).await.json();
    let file = text(&state["file"]["id"]);
    for path in ["", "/picture", "/page"] {
        let shown = watched.done(Call::get(&format!("/v1/previews{path}?upload={file}"))).await;
        let expected = if path.is_empty() { "application/json" } else { "image/png" };
        assert_eq!(shown.headers["content-type"], expected);
    }
}

/// Answers an approval, and a call of a function of the caller.
pub(super) async fn questions(watched: &Watched) {
    let state = watched.done(Call::post("/v1/runs?wait=true", &run("[wipe]"))).await.json();
    assert_eq!(state["question"]["kind"], "approval", "{state}");
    let path = format!("/v1/runs/{}", text(&state["id"]));
    let answer = json!({ "question": state["question"]["id"], "decision": "accept" });
    let answered = watched.done(Call::post(&format!("{path}/answers?wait=true"), &answer)).await;
    assert_eq!(answered.json()["status"], "completed", "{answered:?}");
    watched.done(Call::get(&format!("{path}/events"))).await;
    let tools = json!([{ "type": "function", "name": "look", "parameters": { "type": "object" } }]);
    let body = json!({ "input": "[function look]", "tools": tools });
    let response = watched.done(Call::post("/v1/responses", &body)).await.json();
    let id = text(&response["id"]).strip_prefix("resp_").unwrap().rsplit_once('_').unwrap().0;
    let path = format!("/v1/runs/run_{id}");
    let state = watched.done(Call::get(&path)).await.json();
    let called = &state["question"]["calls"][0]["id"];
    let outputs = json!({ "outputs": [{ "call": called, "output": "yes" }] });
    let path = format!("{path}/functions?wait=true");
    let answered = watched.done(Call::post(&path, &outputs)).await.json();
    assert_eq!(answered["status"], "completed", "{answered}");
}

/// Takes back an instruction that waits, cancels the run and continues it.
pub(super) async fn instructions_that_wait(watched: &Watched) {
    let state = watched.done(Call::post("/v1/runs", &run("Work slowly."))).await.json();
    let path = format!("/v1/runs/{}", text(&state["id"]));
    let messages = format!("{path}/messages");
    let more = json!({ "instruction": "Add a chart." });
    let state = watched.done(Call::post(&messages, &more)).await.json();
    let number = &state["waiting"][0]["number"];
    watched.done(delete(&format!("{messages}/{number}"))).await;
    let cancelled = watched.done(post(&format!("{path}/cancel?wait=true"))).await.json();
    assert_eq!(cancelled["status"], "cancelled", "{cancelled}");
    watched.server.release_turn();
    watched.done(post(&format!("{path}/continue?wait=true"))).await;
}

/// Uploads a file in parts.
pub(super) async fn uploads(watched: &Watched) {
    watched.done(Call::new(Method::OPTIONS, "/v1/uploads")).await;
    let new = || post("/v1/uploads").header("upload-length", "8");
    let path_of = |reply: &crate::service::support::Reply| {
        let id = reply.headers["location"].rsplit('/').next().unwrap();
        format!("/v1/uploads/{id}")
    };
    let path = path_of(&watched.done(new()).await);
    watched.done(Call::new(Method::HEAD, &path)).await;
    let bytes = |method: Method, offset: &str| {
        Call::new(method, &path)
            .header("content-type", "application/offset+octet-stream")
            .header("upload-offset", offset)
            .body("a,b\n")
    };
    watched.done(bytes(Method::PATCH, "0")).await;
    watched.done(Call::get(&path)).await;
    let patch = bytes(Method::POST, "4").header("x-http-method-override", "PATCH");
    watched.done(patch).await;
    watched.done(Call::get(&path)).await;
    watched.done(delete(&path)).await;
    let refused = new().header("tus-resumable", "0.2.2");
    assert_eq!(watched.send(refused).await.status, 412);
}

/// Loads the page as a browser does.
pub(super) async fn page(watched: &Watched) {
    let page = watched.done(Call::get("/")).await;
    let page_text = page.text();
    let assets = page_text.split('"').filter(|it| it.starts_with("/assets/"));
    let mut types = std::collections::BTreeSet::new();
    for asset in assets {
        // Names of modules in folders are longer than the path of the document.
        if asset.matches('/').count() == 3 {
            types.insert(watched.done(Call::get(asset)).await.headers["content-type"].clone());
        }
    }
    assert!(types.len() > 1, "{types:?}");
    let known = Call::get("/").header("if-none-match", &page.headers["etag"]);
    assert_eq!(watched.send(known).await.status, 304);
    for path in ["/v1/session", "/v1/usage?days=2", "/openapi.json"] {
        watched.done(Call::get(path)).await;
    }
    watched.done(Call::post("/v1/examples/yoy", &json!({}))).await;
}

pub(super) async fn settings(watched: &Watched) {
    let words = json!({ "rules": ["heron"] });
    watched.done(call(Method::PUT, "/v1/settings/words", &words)).await;
    let new = json!({ "name": "mine", "model": "ollama/qwen3", "key": "sk-secret" });
    watched.done(Call::post("/v1/settings/models", &new)).await;
    watched.done(Call::get("/v1/settings")).await;
    let default = json!({ "is_default": true });
    watched.done(call(Method::PATCH, "/v1/settings/models/mine", &default)).await;
    watched.done(post("/v1/settings/models/scripted/check")).await;
    watched.done(Call::get("/v1/settings/models/found")).await;
    watched.done(delete("/v1/settings/models/mine")).await;
}

pub(super) async fn tools(watched: &Watched) {
    for path in ["/v1/tools", "/v1/tools/openapi.json?short=true"] {
        watched.done(Call::get(path)).await;
    }
    let code = json!({ "code": "1 + 1" });
    watched.done(Call::post("/v1/tools/python__run", &code)).await;
    let refused = watched.post("/v1/tools/ledger__wipe", &json!({})).await;
    refused.problem(409, "approval_required");
    watched.post("/v1/tools/python__run", &json!({ "cod": 1 })).await.problem(422, "arguments");
    let message = json!({ "id": "m1", "role": "user", "content": "Please deliver." });
    let input = json!({ "threadId": "t", "runId": "r1", "messages": [message] });
    watched.done(Call::post("/v1/ag-ui", &input)).await;
}

pub(super) async fn openai_files(watched: &Watched) {
    let form = [("file", "sales.csv", TABLE)];
    let file = watched.done(Call::form("/v1/files", &[("purpose", "user_data")], &form)).await;
    let path = format!("/v1/files/{}", text(&file.json()["id"]));
    for path in ["/v1/files", &path, &format!("{path}/content")] {
        watched.done(Call::get(path)).await;
    }
    let outside = Call::get(&format!("{path}/content")).header("range", "bytes=900-");
    assert_eq!(watched.send(outside).await.status, 416);
    watched.done(delete(&path)).await;
}

/// Reads the list of models, and makes completions.
pub(super) async fn openai_models(watched: &Watched) {
    watched.done(Call::get("/v1/models")).await;
    watched.done(Call::get("/v1/models/scripted")).await;
    let chat = |text: &str, stream: bool| {
        let messages = json!([{ "role": "user", "content": text }]);
        let options = stream.then(|| json!({ "include_usage": true }));
        let body = json!({ "messages": messages, "stream": stream, "stream_options": options });
        Call::post("/v1/chat/completions", &body)
    };
    for stream in [false, true] {
        watched.done(chat("Please deliver.", stream)).await;
    }
    let failed = watched.done(chat("Please fail.", true)).await;
    assert!(failed.text().contains("\"error\""), "{failed:?}");
    assert!(watched.send(chat("Please fail.", false)).await.status >= 400);
}

pub(super) async fn openai_responses(watched: &Watched) {
    let create = |body: &Value| Call::post("/v1/responses", body);
    let response = watched.done(create(&json!({ "input": "Please deliver." }))).await.json();
    watched.done(create(&json!({ "input": "Go.", "stream": true }))).await;
    watched.done(create(&json!({ "input": "Please fail.", "stream": true }))).await;
    let path = format!("/v1/responses/{}", text(&response["id"]));
    for more in ["", "?stream=true", "/input_items"] {
        watched.done(Call::get(&format!("{path}{more}"))).await;
    }
    watched.done(delete(&path)).await;
    let slow = json!({ "input": "Work slowly.", "background": true });
    let response = watched.done(create(&slow)).await.json();
    let path = format!("/v1/responses/{}/cancel", text(&response["id"]));
    watched.done(post(&path)).await;
}

pub(super) async fn openai_containers(watched: &Watched) {
    let new = json!({ "name": "mine" });
    let container = watched.done(Call::post("/v1/containers", &new)).await.json();
    let path = format!("/v1/containers/{}", text(&container["id"]));
    let files = format!("{path}/files");
    let form = [("file", "sales.csv", TABLE)];
    let file = watched.done(Call::form(&files, &[], &form)).await.json();
    let script = json!({ "code": "open('out.txt', 'w').write('x')\nprint(1)" });
    let done = watched.done(Call::post(&format!("{path}/scripts"), &script)).await.json();
    assert_eq!(done["files"][0]["name"], "out.txt", "{done}");
    let failed = json!({ "code": "1 / 0" });
    watched.done(Call::post(&format!("{path}/scripts"), &failed)).await;
    let file = format!("{files}/{}", text(&file["id"]));
    for path in ["/v1/containers", &path, &files, &file, &format!("{file}/content")] {
        watched.done(Call::get(path)).await;
    }
    watched.done(delete(&file)).await;
    watched.done(delete(&path)).await;
}

/// Does what a server of LibreChat does. Without the prefix, some paths belong to others.
pub(super) async fn librechat(watched: &Watched, prefix: &str) {
    let at = |path: &str| format!("{prefix}{path}");
    watched.done(Call::get(&at("/health"))).await;
    let form = [("file", "sales.csv", TABLE)];
    let uploaded = watched.done(Call::form(&at("/upload"), &[], &form)).await.json();
    let (session, file) = (text(&uploaded["session_id"]), text(&uploaded["files"][0]["fileId"]));
    let form = [("file", "sales.csv", TABLE), ("file", "..", "x")];
    let partial = watched.done(Call::form(&at("/upload/batch"), &[], &form)).await.json();
    assert_eq!(partial["message"], "partial_success", "{partial}");
    let none = watched.send(Call::form(&at("/upload/batch"), &[], &form[1..])).await;
    assert_eq!((none.status, &none.json()["message"]), (400, &json!("error")), "{none:?}");
    let of_file = [
        at(&format!("/sessions/{session}/objects/{file}")),
        at(&format!("/download/{session}/{file}")),
    ];
    for path in of_file {
        watched.done(Call::get(&path)).await;
    }
    let files = json!([{ "id": file, "name": "sales.csv", "storage_session_id": session }]);
    let code = "open('/mnt/data/out.txt', 'w').write('x')\nprint(1)";
    let script = json!({ "lang": "py", "code": code, "files": files });
    let done = watched.done(Call::post(&at("/exec"), &script)).await.json();
    assert_eq!(done["files"][0]["name"], "out.txt", "{done}");
    let tools = json!([{ "name": "look", "parameters": { "type": "object" } }]);
    let script = json!({ "code": "print(await look())", "tools": tools });
    let waits = watched.done(Call::post(&at("/exec/programmatic"), &script)).await.json();
    assert_eq!(waits["status"], "tool_call_required", "{waits}");
    let refused = json!({ "lang": "bash", "code": "ls" });
    assert_eq!(watched.post(&at("/exec"), &refused).await.status, 400);
    if !prefix.is_empty() {
        for detail in ["simple", "summary", "full", "normalized"] {
            let path = at(&format!("/files/{session}?detail={detail}"));
            watched.done(Call::get(&path)).await;
        }
        watched.done(delete(&at(&format!("/files/{session}/{file}")))).await;
    }
}
