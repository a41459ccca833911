//! `mitt lambda` as a program, against a Runtime API that hands out events and collects answers.

mod api;

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::http::client::modern;
use crate::support::{mitt, text};
use api::{Api, MINUTE, Statuses};

/// Returns the event of a script in the small engine of Python.
fn script(code: &str) -> Value {
    json!({ "script": { "code": code, "language": "python-lite" } })
}

fn describe() -> Value {
    json!({ "call": { "tool": "table_tool__describe", "arguments": { "data": [{ "n": 1 }, { "n": 3 }] } } })
}

fn content(file: &Value) -> Vec<u8> {
    STANDARD.decode(file["base64"].as_str().unwrap()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_scripts_and_texts_are_answered() {
    let folder = tempfile::tempdir().unwrap();
    let mut api = Api::start().await;
    let _function = api.function(folder.path(), &[]);
    api.give("call", &describe());
    let answer = api.answer_to("call").await;
    assert!(answer["result"].to_string().contains("\"n\""), "{answer}");
    assert!(answer["usage"]["fuel"].as_u64().unwrap() > 0, "{answer}");
    assert_eq!(answer["files"], json!([]));

    let rows = json!([{ "month": "1月", "revenue": 12.5 }]);
    let make = json!({ "data": rows, "filename": "r.xlsx" });
    api.give("file", &json!({ "call": { "tool": "excel_tool__create_excel", "arguments": make } }));
    let answer = api.answer_to("file").await;
    let file = &answer["files"][0];
    assert_eq!((&file["name"], content(file).starts_with(b"PK")), (&json!("r.xlsx"), true));
    assert_eq!(file["size"].as_u64().unwrap(), content(file).len() as u64);

    let mut read = script("print('read', year)\nlen(documents)");
    read["script"]["inputs"] = json!({ "year": 2025 });
    read["documents"] = json!([
        { "name": "a.csv", "text": "月份,收入\n1月,3\n" },
        { "name": "b.csv", "base64": STANDARD.encode("x\n1\n") },
    ]);
    api.give("script", &read);
    let answer = api.answer_to("script").await;
    assert_eq!(answer["result"]["result"], 2, "{answer}");
    assert_eq!(answer["result"]["stdout"], "read 2025\n", "{answer}");

    let text = "# 季度报告\n\n| 月 | 值 |\n|---|---|\n| 1 | 2 |\n";
    for (name, begins) in
        [("r.html", &b"<!doctype html>"[..]), ("r.pdf", b"%PDF-"), ("r.xlsx", b"PK")]
    {
        api.give("text", &json!({ "render": { "text": text, "name": name, "language": "zh-CN" } }));
        let answer = api.answer_to("text").await;
        let made = content(&answer["files"][0]).to_ascii_lowercase();
        assert!(made.starts_with(&begins.to_ascii_lowercase()), "{name}: {answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bad_event_is_an_error_and_the_next_one_is_answered() {
    let folder = tempfile::tempdir().unwrap();
    let mut api = Api::start().await;
    let function = api.function(folder.path(), &[]);
    for (event, kind, expected) in [
        ("{\"call\": {", "Mitt.arguments", "event: "),
        ("{\"cal\": {}}", "Mitt.arguments", "did you mean `call`?"),
        (
            "{\"call\": {\"tool\": \"table_tool__descripe\"}}",
            "Mitt.unknown-tool",
            "table_tool__describe",
        ),
        (
            "{\"script\": {\"code\": \"1\", \"language\": \"cobol\"}}",
            "Mitt.load",
            "script.language",
        ),
        ("{\"version\": \"1.0\", \"requestContext\": {}}", "Mitt.arguments", "payload format"),
    ] {
        api.give_with("bad", event, MINUTE);
        let (found, message) = api.error_of("bad").await;
        assert_eq!(found, kind, "{event}: {message}");
        assert!(message.contains(expected), "{event}: {message}");
    }
    api.give_with("large", vec![b' '; 6_291_557], MINUTE);
    let (kind, message) = api.error_of("large").await;
    assert_eq!(kind, "Mitt.limit", "{message}");
    assert!(message.contains("6291556") && message.contains("6291557"), "{message}");
    api.give("script", &script("print('before')\n1 // 0"));
    let answered = api.next().await;
    assert!(answered.path.ends_with("/script/error"), "{answered:?}");
    assert_eq!(answered.body["answer"]["stdout"], "before\n", "{answered:?}");
    assert!(answered.body["errorMessage"].as_str().unwrap().contains("ZeroDivisionError"));
    api.give("good", &script("1 + 1"));
    assert_eq!(api.answer_to("good").await["result"]["result"], 2);
    drop(function);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_of_an_invocation_is_there_in_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let mut api = Api::start().await;
    let _function = api.function(folder.path(), &[]);
    let named = |name: &str| {
        let mut event = script("secret = 1\nlist(documents)");
        event["documents"] = json!([{ "name": name, "text": "x\n1\n" }]);
        event
    };
    api.give("first", &named("first.csv"));
    assert_eq!(api.answer_to("first").await["result"]["result"], json!(["first.csv"]));
    api.give("second", &named("second.csv"));
    assert_eq!(api.answer_to("second").await["result"]["result"], json!(["second.csv"]));
    api.give("third", &script("secret"));
    let (_, message) = api.error_of("third").await;
    assert!(message.contains("NameError"), "{message}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_deadline_is_reported_before_the_platform_ends_the_function() {
    let folder = tempfile::tempdir().unwrap();
    let mut api = Api::start().await;
    let _function = api.function(folder.path(), &[]);
    // The skill is loaded before time counts.
    api.give("warm", &script("1"));
    api.answer_to("warm").await;
    let time = Duration::from_secs(2);
    let begun = std::time::Instant::now();
    api.give_with("slow", script("while True:\n    pass").to_string(), time);
    let (kind, message) = api.error_of("slow").await;
    assert!(begun.elapsed() < time, "{:?}: {message}", begun.elapsed());
    assert_eq!(kind, "Mitt.limit", "{message}");
    // The time is over before the work begins.
    api.give_with("late", script("1").to_string(), Duration::ZERO);
    assert_eq!(api.error_of("late").await.0, "Mitt.limit");
    api.give("next", &script("2"));
    assert_eq!(api.answer_to("next").await["result"]["result"], 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_too_large_is_named_and_goes_to_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let code = "open('large.txt', 'w').write('x' * 5_000_000)";
    let event = json!({ "script": { "code": code } });
    let mut api = Api::start().await;
    let function = api.function(folder.path(), &[]);
    api.give("large", &event);
    let (kind, message) = api.error_of("large").await;
    assert_eq!(kind, "Mitt.limit", "{message}");
    for part in ["6291556", "the largest file is `large.txt` with", "--out"] {
        assert!(message.contains(part), "{message}");
    }
    drop(function);
    let _function = api.function(folder.path(), &["--out", "files"]);
    api.give("to-folder", &event);
    let answer = api.answer_to("to-folder").await;
    let file = &answer["files"][0];
    assert_eq!(file["path"], "files/to-folder/large.txt", "{answer}");
    let written = std::fs::metadata(folder.path().join("files/to-folder/large.txt")).unwrap();
    assert_eq!(written.len(), file["size"].as_u64().unwrap());
    api.give("rows", &workbook());
    let answer = api.answer_to("rows").await;
    assert_eq!(answer["files"][0]["path"], "files/rows/r.xlsx", "{answer}");
    assert!(folder.path().join("files/rows/r.xlsx").is_file());
    // Work without files leaves no folder.
    api.give("nothing", &describe());
    api.answer_to("nothing").await;
    assert!(!folder.path().join("files/nothing").exists());
}

fn message(id: &str, body: &str, queue: &str) -> Value {
    json!({
        "messageId": id, "body": body, "receiptHandle": "h", "eventSource": "aws:sqs",
        "eventSourceARN": format!("arn:aws:sqs:us-east-1:0:{queue}"), "awsRegion": "us-east-1",
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_messages_of_a_queue_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let mut api = Api::start().await;
    let function = api.function(folder.path(), &["--out", "files"]);
    let make = workbook();
    let batch = |queue: &str| {
        let of = |id: &str, body: &str| message(id, body, queue);
        json!({ "Records": [
            of("m1", &make.to_string()), of("m2", "no JSON"), of("m3", &script("1 // 0").to_string()),
            of("m4", &describe().to_string()),
        ] })
    };
    let failed = |ids: &[&str]| {
        let failed: Vec<_> = ids.iter().map(|id| json!({ "itemIdentifier": id })).collect();
        json!({ "batchItemFailures": failed })
    };
    api.give("plain", &batch("jobs"));
    assert_eq!(api.answer_to("plain").await, failed(&["m2", "m3"]));
    assert!(folder.path().join("files/plain/m1/r.xlsx").is_file());
    // What comes after a failure waits, as its order counts.
    api.give("ordered", &batch("jobs.fifo"));
    assert_eq!(api.answer_to("ordered").await, failed(&["m2", "m3", "m4"]));
    // A message that takes all of the time leaves the others for the next delivery.
    let slow = json!({ "Records": [
        message("s1", &describe().to_string(), "jobs"),
        message("s2", &script("while True:\n    pass").to_string(), "jobs"),
        message("s3", &describe().to_string(), "jobs"),
    ] });
    // On a fast machine, three seconds suffice to use up the fuel of the script: then it ends before the deadline.
    api.give_with("slow", slow.to_string(), Duration::from_secs(2));
    assert_eq!(api.answer_to("slow").await, failed(&["s2", "s3"]));
    drop(function);
}

/// Returns the event of a call that makes a workbook.
fn workbook() -> Value {
    let rows = json!({ "data": [{ "n": 1 }], "filename": "r.xlsx" });
    json!({ "call": { "tool": "excel_tool__create_excel", "arguments": rows } })
}

/// Returns the event of a POST to a function URL; `authorizer` is what the platform knows of the caller.
fn posted(path: &str, headers: &[(&str, &str)], body: &Value, authorizer: &Value) -> Value {
    let headers: serde_json::Map<String, Value> =
        headers.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
    json!({
        "version": "2.0", "routeKey": "$default", "rawPath": path, "rawQueryString": "",
        "headers": headers, "isBase64Encoded": false, "body": body.to_string(),
        "requestContext": {
            "accountId": "0", "stage": "$default", "authorizer": authorizer,
            "domainName": "x.lambda-url.us-east-1.on.aws",
            "http": { "method": "POST", "path": path, "protocol": "HTTP/1.1" },
        },
    })
}

/// Returns the event of a request of MCP 2026-07-28.
fn mcp(method: &str, params: Value) -> Value {
    let (more, message) = modern(method, params);
    let mut headers: Vec<(&str, &str)> =
        more.iter().map(|(name, value)| (*name, value.as_str())).collect();
    headers.push(("accept", "application/json, text/event-stream"));
    headers.push(("content-type", "application/json"));
    posted("/mcp", &headers, &message, &json!({ "iam": { "userId": "AIDA" } }))
}

/// Returns status and JSON of a response.
fn response(answer: &Value) -> (u64, Value) {
    assert_eq!(answer["isBase64Encoded"], false, "{answer}");
    let body = serde_json::from_str(answer["body"].as_str().unwrap()).unwrap();
    (answer["statusCode"].as_u64().unwrap(), body)
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_over_http_are_answered_to_callers_that_the_platform_knows() {
    let folder = tempfile::tempdir().unwrap();
    let mut api = Api::start().await;
    let _function = api.function(folder.path(), &[]);
    let known = json!({ "jwt": { "claims": { "sub": "a" } } });
    for (path, event, authorizer, status, expected) in [
        ("/events", describe(), &known, 200, "usage"),
        ("/events", describe(), &Value::Null, 401, "AWS_IAM"),
        ("/mcp", json!({}), &json!({}), 401, "authorizer"),
        ("/events", json!({ "cal": 1 }), &known, 400, "did you mean `call`?"),
        ("/events", json!({ "call": { "tool": "none" } }), &known, 404, "Mitt.unknown-tool"),
        ("/v1/runs", json!({}), &known, 404, "`/events`"),
        ("/mcp", json!({ "id": 7, "method": "initialize" }), &known, 400, "-32022"),
    ] {
        api.give(
            "http",
            &posted(path, &[("content-type", "application/json")], &event, authorizer),
        );
        let (found, body) = response(&api.answer_to("http").await);
        assert_eq!(found, status, "{path}: {body}");
        assert!(body.to_string().contains(expected), "{path}: {body}");
    }
    let mut get = posted("/events", &[], &json!({}), &known);
    get["requestContext"]["http"]["method"] = json!("GET");
    api.give("get", &get);
    let answer = api.answer_to("get").await;
    assert_eq!((&answer["statusCode"], &answer["headers"]["allow"]), (&json!(405), &json!("POST")));
    let slow = posted("/events", &[], &script("while True:\n    pass"), &known);
    api.give_with("slow", slow.to_string(), Duration::from_secs(2));
    let (status, body) = response(&api.answer_to("slow").await);
    assert_eq!((status, &body["errorType"]), (422, &json!("Mitt.limit")), "{body}");
    // 3.6 MB as a direct answer, 7.2 MB as the body of a response.
    api.give("large", &posted("/events", &[], &script("'\"' * 1800000"), &known));
    let (status, body) = response(&api.answer_to("large").await);
    assert_eq!((status, &body["errorType"]), (422, &json!("Mitt.limit")), "{body}");
    assert!(body["errorMessage"].as_str().unwrap().contains("hint: return less"), "{body}");
}

#[tokio::test(flavor = "multi_thread")]
async fn mcp_without_sessions_is_served_and_files_are_in_the_answer() {
    let folder = tempfile::tempdir().unwrap();
    let mut api = Api::start().await;
    let _function = api.function(folder.path(), &["--tools", "all"]);
    api.give("discover", &mcp("server/discover", json!({})));
    let (status, answer) = response(&api.answer_to("discover").await);
    assert_eq!(status, 200, "{answer}");
    let make = json!({ "name": "excel_tool__create_excel", "arguments": { "data": [{ "n": 1 }], "filename": "r.xlsx" } });
    api.give("call", &mcp("tools/call", make));
    let (status, answer) = response(&api.answer_to("call").await);
    assert_eq!((status, &answer["result"]["isError"]), (200, &json!(false)), "{answer}");
    let blocks = answer["result"]["content"].as_array().unwrap();
    let file = blocks.iter().find(|block| block["type"] == "resource").expect("a file");
    let blob = STANDARD.decode(file["resource"]["blob"].as_str().unwrap()).unwrap();
    assert!(blob.starts_with(b"PK"), "{file}");
    assert!(blocks.iter().all(|block| block["type"] != "resource_link"), "{answer}");
    // The session of a request is gone in the next one, without a trace.
    let uri = file["resource"]["uri"].as_str().unwrap();
    api.give("read", &mcp("resources/read", json!({ "uri": uri })));
    let (_, answer) = response(&api.answer_to("read").await);
    assert!(answer["error"].is_object(), "{answer}");
    let add =
        json!({ "name": "documents__add", "arguments": { "name": "a.csv", "text": "x\n1\n" } });
    api.give("add", &mcp("tools/call", add));
    let (_, answer) = response(&api.answer_to("add").await);
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    let list = json!({ "name": "document_tool__list_documents", "arguments": {} });
    api.give("list", &mcp("tools/call", list));
    let (_, answer) = response(&api.answer_to("list").await);
    assert!(answer["result"].is_object() && !answer.to_string().contains("a.csv"), "{answer}");
    api.give("listen", &mcp("subscriptions/listen", json!({})));
    let (status, answer) = response(&api.answer_to("listen").await);
    assert_eq!((status, &answer["error"]["code"]), (400, &json!(-32601)), "{answer}");
}

/// Returns the call of a tool that reports its steps.
fn reported(tool: &str, arguments: Value) -> Value {
    let params = json!({ "name": tool, "arguments": arguments, "_meta": { "progressToken": "t" } });
    mcp("tools/call", params)
}

/// Returns the messages in events of MCP, and checks that their files are inside of them.
fn messages(events: &str) -> Vec<Value> {
    assert!(!events.contains("resource_link"), "{events}");
    let data = events.lines().filter_map(|line| line.strip_prefix("data:"));
    data.filter_map(|data| serde_json::from_str(data.trim()).ok()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_over_http_are_streamed() {
    let folder = tempfile::tempdir().unwrap();
    let mut api = Api::start().await;
    let _function = api.function(folder.path(), &["--tools", "all", "--stream"]);
    let iam = json!({ "iam": { "userId": "AIDA" } });
    for (event, status, expected) in
        [(describe(), 200, "usage"), (json!({ "cal": 1 }), 400, "did you mean `call`?")]
    {
        api.give("direct", &posted("/events", &[], &event, &iam));
        let answered = api.next().await;
        let body = answered.frames.as_ref().expect("a stream").concat();
        assert_eq!(answered.body["statusCode"], status, "{answered:?}");
        assert_eq!(answered.body["headers"]["content-type"], "application/json");
        assert!(text(&body).contains(expected) && answered.broken.is_none(), "{answered:?}");
    }
    // Other events are answered as ever.
    api.give("call", &describe());
    assert!(api.next().await.frames.is_none());
    // More than 6 MB.
    let write = script("with open('a.txt', 'w') as file:\n    file.write('x' * 5_500_000)\n1");
    api.give("large", &posted("/events", &[], &write, &iam));
    let body = api.next().await.frames.expect("a stream").concat();
    assert!(body.len() > 7_000_000, "{}", text(&body[..body.len().min(2_000)]));
    let answer: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(content(&answer["files"][0]).len(), 5_500_000);

    let deliver = json!({ "markdown": "# A\n\ntext", "filename": "a.md" });
    api.give("steps", &reported("report__deliver", deliver));
    let answered = api.next().await;
    assert_eq!(answered.body["headers"]["content-type"], "text/event-stream", "{answered:?}");
    let frames = answered.frames.expect("a stream");
    let messages = messages(&text(&frames.concat()));
    assert_eq!(messages[0]["method"], "notifications/progress", "{messages:?}");
    let blocks = messages.last().unwrap()["result"]["content"].as_array().unwrap();
    let file = blocks.iter().find(|block| block["type"] == "resource").expect("a file");
    assert_eq!(file["resource"]["text"], "# A\n\ntext", "{file}");
    // Each event has a frame of its own.
    assert!(frames.len() >= messages.len(), "{frames:?}");

    // An answer that reached the deadline after it began ends with an error.
    let forever =
        json!({ "code": "import report\nreport.deliver('x', 'x.md')\nwhile True:\n    pass" });
    let event = reported("python__run", forever).to_string();
    api.give_with("slow", event, Duration::from_millis(1_500));
    let answered = api.next().await;
    assert_eq!(answered.path, "runtime/invocation/slow/response");
    let frames = answered.frames.unwrap_or_default().concat();
    let (kind, error) = answered.broken.unwrap_or_else(|| panic!("no error: {}", text(&frames)));
    assert_eq!((&*kind, &error["errorType"]), ("Mitt.limit", &json!("Mitt.limit")), "{error}");
    api.give("next", &posted("/events", &[], &describe(), &iam));
    assert_eq!(api.next().await.body["statusCode"], 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn events_of_a_whole_answer_have_their_files() {
    let folder = tempfile::tempdir().unwrap();
    let mut api = Api::start().await;
    let _function = api.function(folder.path(), &["--tools", "all"]);
    let deliver = json!({ "markdown": "# A\n\ntext", "filename": "a.md" });
    api.give("steps", &reported("report__deliver", deliver));
    let answer = api.answer_to("steps").await;
    let messages = messages(answer["body"].as_str().unwrap());
    let result = messages.last().unwrap()["result"].to_string();
    assert!(messages.len() > 1 && result.contains(r##""text":"# A\n\ntext""##), "{messages:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_runtime_api_refuses_ends_the_function_or_becomes_an_error() {
    let folder = tempfile::tempdir().unwrap();
    for status in [404, 500] {
        let api = Api::with(Statuses { next: status, response: 202 }).await;
        let (code, log) = api.function(folder.path(), &[]).ended().await;
        assert_eq!(code, Some(70), "{log}");
        assert!(
            log.contains(&format!("answered {status} to GET runtime/invocation/next")),
            "{log}"
        );
        assert!(log.contains("InternalServerError"), "{log}");
    }
    let mut api = Api::with(Statuses { next: 200, response: 413 }).await;
    let _function = api.function(folder.path(), &[]);
    for id in ["one", "two"] {
        api.give(id, &script("1"));
        api.answer_to(id).await;
        let (kind, message) = api.error_of(id).await;
        assert_eq!(kind, "Mitt.host");
        assert!(message.contains("refused the answer") && message.contains("413"), "{message}");
    }
    let mut api = Api::with(Statuses { next: 200, response: 500 }).await;
    let function = api.function(folder.path(), &[]);
    api.give("lost", &script("1"));
    api.answer_to("lost").await;
    let (code, log) = function.ended().await;
    assert_eq!(code, Some(70), "{log}");
    assert!(log.contains("answered 500 to POST runtime/invocation/lost/response"), "{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_start_that_fails_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let mut api = Api::start().await;
    let (code, log) = api.function(folder.path(), &["--overlay", "none.yaml"]).ended().await;
    assert_eq!(code, Some(8), "{log}");
    let answered = api.next().await;
    assert_eq!(answered.path, "runtime/init/error");
    assert_eq!(answered.error_type.as_deref(), Some("Mitt.load"));
    assert!(answered.body["errorMessage"].as_str().unwrap().contains("none.yaml"), "{answered:?}");
    // Without a Runtime API there is nothing to serve.
    let output = mitt(folder.path(), &["lambda"]);
    let error = text(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{error}");
    assert!(error.contains("AWS_LAMBDA_RUNTIME_API is not set"), "{error}");
}

#[cfg(unix)]
/// Waits until a script has made this file. A fixed time would be too short on a slow machine; on a fast one, the script would use
/// up its fuel.
async fn exists(path: &std::path::Path) {
    let begun = std::time::Instant::now();
    while !path.exists() {
        assert!(begun.elapsed() < MINUTE, "{}", path.display());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signal_ends_it_and_a_kill_leaves_nothing_half_done() {
    let folder = tempfile::tempdir().unwrap();
    let mut api = Api::start().await;
    let function = api.function(folder.path(), &["--out", "files"]);
    api.give("warm", &script("1"));
    api.answer_to("warm").await;
    function.signal("-TERM");
    let (code, log) = function.ended().await;
    assert_eq!(code, Some(0), "{log}");
    assert!(log.lines().all(|line| line.starts_with('{')), "{log}");
    let is_done = |line: &str| {
        let entry: Value = serde_json::from_str(line).unwrap();
        entry["requestId"] == "warm" && entry["message"] == "done"
    };
    assert!(log.lines().any(is_done), "{log}");

    // The signal comes while the answer is handed over.
    let function = api.function(folder.path(), &["--out", "files"]);
    api.give("late", &script("1"));
    api.answer_to("late").await;
    function.signal("-TERM");
    assert_eq!(function.ended().await.0, Some(0));

    let forever = "import excel_tool\nexcel_tool.create_excel([{'n': 1}], filename='half.xlsx')\nwhile True:\n    pass";
    let function = api.function(folder.path(), &["--out", "files"]);
    api.give("ended", &script(forever));
    exists(&folder.path().join("files/ended/half.xlsx")).await;
    function.signal("-TERM");
    let (kind, message) = api.error_of("ended").await;
    assert_eq!(kind, "Mitt.cancelled", "{message}");
    assert_eq!(function.ended().await.0, Some(0));

    let function = api.function(folder.path(), &["--out", "files"]);
    api.give("killed", &script(forever));
    exists(&folder.path().join("files/killed/half.xlsx")).await;
    function.signal("-KILL");
    assert_eq!(function.killed().await, None);
    for id in ["ended", "killed"] {
        for file in std::fs::read_dir(folder.path().join("files").join(id)).into_iter().flatten() {
            let path = file.unwrap().path();
            let is_whole = path.extension().is_none_or(|it| it != "xlsx")
                || std::fs::read(&path).unwrap().starts_with(b"PK");
            assert!(is_whole && !path.to_string_lossy().ends_with(".tmp"), "{path:?}");
        }
    }
}
