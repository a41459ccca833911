//! A function with objects of S3, in this process, against a small server.

mod answer_tests;
#[cfg(feature = "serve")]
mod mcp_tests;
#[cfg(feature = "models")]
mod model_tests;
mod rule_tests;
mod server;

use std::path::Path;
use std::time::Duration;

use clap::Parser as _;
use mitt_base::lock;
use serde_json::{Value, json};
use tokio::time::{Instant, timeout};

use super::answer::{Answer, Outcome};
use super::documents::EventDocument;
use super::event::Event;
use super::failure::Failure;
use super::function::{Function, Task};
use super::object_work;
use super::payload::{MAX_PAYLOAD_BYTES, Reader};
use super::storage::Storage;
use crate::args::{Args, Command};
use mitt::Session;
use mitt::value::Json;
use mitt_base::digest::sha256;
use server::{Server, refusal};

/// Starts a function with these options, without skills: texts and CSV files are read by the host.
fn started(server: &Server, options: &[&str]) -> mitt_base::Result<Function> {
    const PLAIN: [&str; 6] =
        ["mitt", "lambda", "--no-bundled-skills", "--no-cache", "--worker", "never"];
    let args = Args::try_parse_from(PLAIN.iter().chain(options)).unwrap();
    let Command::Lambda(command) = args.command else { panic!("{options:?}") };
    let endpoint = format!("http://127.0.0.1:{}", server.port);
    let variable = |name: &str| {
        let value = match name {
            "AWS_ACCESS_KEY_ID" => "AKIDEXAMPLE",
            "AWS_SECRET_ACCESS_KEY" => "s3cret/+key",
            "AWS_SESSION_TOKEN" => "token",
            "AWS_REGION" => "eu-central-1",
            "AWS_ENDPOINT_URL" => &endpoint,
            _ => return None,
        };
        Some(value.to_owned())
    };
    Function::with(&args.global, &command, Storage::of(&command.s3, variable)?)
}

fn function(server: &Server, options: &[&str]) -> Function {
    started(server, options).unwrap_or_else(|error| panic!("{}", error.render()))
}

fn deadline() -> Instant {
    Instant::now() + Duration::from_secs(120)
}

fn task(reader: Reader) -> Task<'static> {
    Task { ids: vec!["request-1"], deadline: deadline(), reader }
}

fn value(answer: Answer) -> Value {
    serde_json::from_slice(&answer.into_bytes().unwrap()).unwrap()
}

async fn directly(function: &Function, event: Value, reader: Reader) -> Result<Value, Failure> {
    let Event::Direct(event) = Event::read(event.to_string().as_bytes())? else { panic!() };
    event.run(function, &task(reader)).await.map(value)
}

/// Adds a document of an event to a session of its own.
async fn added(function: &Function, document: Value) -> mitt_base::Result<Session> {
    let document = EventDocument::read("documents[0]".to_owned(), document.into())?;
    let session = function.session(&task(Reader::Caller), true)?;
    document.add(function, &session, false).await?;
    Ok(session)
}

async fn refused(function: &Function, document: Value) -> String {
    match added(function, document).await {
        Ok(session) => panic!("{} documents", session.documents().len()),
        Err(error) => error.render(),
    }
}

#[tokio::test]
async fn documents_are_objects_that_the_operator_names() {
    let server = Server::start().await;
    server.put("/in-box/a/月 报+1.csv", "月,n\n1,3\n");
    server.put("/in-box/a/large.txt", "0123456789\n".repeat(800_000));
    server.put("/in-box/ab.csv", "secret");
    let function = function(&server, &["--s3", "s3://in-box/a", "--s3", "s3://open-box"]);
    let session = added(&function, json!({ "url": "s3://in-box/a/月 报+1.csv" })).await.unwrap();
    let document = &session.documents()[0];
    assert_eq!((document.name.as_str(), document.tables.len()), ("月 报+1.csv", 1));
    assert_eq!(document.sha256, sha256("月,n\n1,3\n".as_bytes()));
    let named = json!({ "url": "s3://in-box/a/月 报+1.csv", "name": "b.csv" });
    assert_eq!(added(&function, named).await.unwrap().documents()[0].name, "b.csv");
    // In several pieces.
    let session = added(&function, json!({ "url": "s3://in-box/a/large.txt" })).await.unwrap();
    assert_eq!(session.documents()[0].size, 8_800_000);
    let requests = lock(&server.state).requests.clone();
    assert_eq!(requests.iter().filter(|it| it.ends_with("large.txt")).count(), 3, "{requests:?}");
    for url in
        ["s3://in-box/ab.csv", "s3://in-box/b.csv", "S3://other/a", "s3://in-box/a/../ab.csv"]
    {
        let error = refused(&function, json!({ "url": url })).await;
        assert!(error.starts_with("documents[0]: ") && error.contains("hint: "), "{error}");
        assert!(!error.contains("secret"), "{error}");
    }
    let requests = lock(&server.state).requests.clone();
    assert!(!requests.iter().any(|it| it.contains("ab.csv")), "{requests:?}");
}

#[tokio::test]
async fn without_the_option_nothing_is_read_and_the_option_is_named() {
    let server = Server::start().await;
    server.put("/in-box/a.csv", "n\n1\n");
    for options in [&[][..], &["--s3", "s3://other-box"], &["--results", "s3://in-box/results"]] {
        let function = function(&server, options);
        let error = refused(&function, json!({ "url": "s3://in-box/a.csv" })).await;
        assert!(error.contains("s3://in-box/a.csv: this function may not read"), "{error}");
        assert!(error.contains("`mitt lambda --s3 s3://in-box`"), "{error}");
    }
    assert!(lock(&server.state).requests.is_empty());
    // An address of the web is one of `--fetch-host`.
    let function = function(&server, &["--s3", "s3://in-box"]);
    let error = refused(&function, json!({ "url": "https://example.com/a.csv" })).await;
    assert!(error.contains("no host was allowed"), "{error}");
}

#[tokio::test]
async fn what_s3_refuses_names_the_object_and_the_way_out() {
    let server = Server::start().await;
    server.put("/in-box/empty.csv", "");
    let cases = [
        ("forbidden", refusal("403 Forbidden", "", "AccessDenied"), "s3:GetObject"),
        ("bucket", refusal("404 Not Found", "", "NoSuchBucket"), "create the bucket"),
        (
            "region",
            refusal("301 Moved", "x-amz-bucket-region: eu-west-1\r\n", "PermanentRedirect"),
            "set `--s3-region` to `eu-west-1`",
        ),
        (
            "huge",
            "HTTP/1.1 206 Partial\r\nConnection: close\r\nContent-Length: 4194304\r\nContent-Range: bytes 0-4194303/5000000000\r\n\r\n"
                .to_owned() + &"x".repeat(4_194_304),
            "5000000000",
        ),
    ];
    for (key, reply, _) in &cases {
        lock(&server.state).refusals.insert(format!("/in-box/{key}"), reply.clone());
    }
    let function = function(&server, &["--s3", "s3://in-box"]);
    for (key, _, expected) in &cases {
        let error = refused(&function, json!({ "url": format!("s3://in-box/{key}") })).await;
        assert!(error.starts_with(&format!("documents[0]: s3://in-box/{key}: ")), "{error}");
        assert!(error.contains(expected) && !error.contains("s3cret"), "{error}");
    }
    let error = refused(&function, json!({ "url": "s3://in-box/none.csv" })).await;
    assert!(error.contains("s3://in-box/none.csv: there is no such object"), "{error}");
    let error = added(&function, json!({ "url": "s3://in-box/empty.csv" })).await.err().unwrap();
    assert_eq!(error.input_problem(), Some("empty"), "{}", error.render());
}

#[tokio::test]
async fn a_wrong_environment_is_an_error_of_the_start() {
    let server = Server::start().await;
    let args = Args::try_parse_from(["mitt", "lambda", "--s3", "s3://in-box"]).unwrap();
    let Command::Lambda(command) = args.command else { panic!() };
    let error = Storage::of(&command.s3, |_| None).unwrap_err().render();
    assert!(error.contains("AWS_ACCESS_KEY_ID is not set"), "{error}");
    let error = Storage::of(&command.s3, |name| {
        (name != "AWS_REGION").then(|| match name {
            "AWS_DEFAULT_REGION" | "AWS_ENDPOINT_URL" | "AWS_ENDPOINT_URL_S3" => String::new(),
            _ => "x".to_owned(),
        })
    });
    let error = error.unwrap_err().render();
    assert!(error.contains("`--s3-region`"), "{error}");
    let options = ["--results", "s3://out-box", "--out", "files"];
    assert!(Args::try_parse_from(["mitt", "lambda"].iter().chain(&options)).is_err());
    for (option, value, expected) in
        [("--rules", "none.yaml", "none.yaml"), ("--record", "none.jsonl", "--record: ")]
    {
        let error = started(&server, &[option, value]).err().unwrap().render();
        assert!(error.contains(expected), "{error}");
    }
    assert!(!Path::new("none.jsonl").exists());
}

#[tokio::test]
async fn files_that_do_not_fit_are_objects_with_signed_links() {
    let server = Server::start().await;
    let options = ["--results", "s3://out-box/r", "--link-life", "10m"];
    let function = function(&server, &options);
    // At once, and in parts.
    for size in [5_000_000, 20_000_000] {
        let content: Vec<u8> = (0..size).map(|n| (n % 251) as u8).collect();
        let file = ("报告.pdf".to_owned(), content.clone());
        let task = task(Reader::Caller);
        let answer = Answer::of_file(&function, &task, file, json!({}), Vec::new()).await;
        let answer = value(answer.unwrap());
        let file = &answer["files"][0];
        assert_eq!(file["s3"], "s3://out-box/r/request-1/files/报告.pdf", "{answer}");
        assert_eq!((&file["size"], &file["sha256"]), (&json!(size), &json!(sha256(&content))));
        assert!(file["expires"].as_str().unwrap().ends_with('Z') && file.get("base64").is_none());
        let link = file["url"].as_str().unwrap();
        assert!(link.contains("X-Amz-Expires=600&") && link.contains("X-Amz-Signature="), "{link}");
        assert!(server.follow(link).await == content);
        let types = lock(&server.state).media_types.clone();
        assert_eq!(types["/out-box/r/request-1/files/报告.pdf"], "application/pdf");
    }
    // One that fits stays in the answer, unless nobody reads it.
    let small = json!({ "render": { "text": "# A", "name": "a.html" } });
    let answer = directly(&function, small.clone(), Reader::Caller).await.unwrap();
    assert!(answer["files"][0]["base64"].is_string(), "{answer}");
    let answer = directly(&function, small, Reader::Nobody).await.unwrap();
    assert_eq!(answer["files"][0]["s3"], "s3://out-box/r/request-1/files/a.html");
    assert!(server.text("/out-box/r/request-1/files/a.html").unwrap().contains("<h1"));
}

#[tokio::test]
async fn a_result_that_does_not_fit_is_an_object_too() {
    let server = Server::start().await;
    let outcome = || Outcome {
        result: Json::from("\"".repeat(MAX_PAYLOAD_BYTES / 2 + 1)),
        usage: None,
        printed: String::new(),
        warnings: Vec::new(),
    };
    let function_with = function(&server, &["--results", "s3://out-box"]);
    let task = task(Reader::Caller);
    let session = function_with.session(&task, true).unwrap();
    let answer = Answer::of_session(&function_with, &task, &session, outcome()).await;
    let answer = value(answer.unwrap());
    let stored = server.text("/out-box/request-1/result.json").unwrap();
    let file = &answer["result_file"];
    assert_eq!(
        (&file["size"], &file["sha256"]),
        (&json!(stored.len()), &json!(sha256(stored.as_bytes())))
    );
    assert!(answer.get("result").is_none() && file["url"].is_string(), "{answer}");
    let function = function(&server, &[]);
    let answer = Answer::of_session(&function, &task, &session, outcome()).await;
    let error = answer.unwrap_err().render();
    assert!(error.starts_with("result: ") && error.contains("--results"), "{error}");
}

#[tokio::test]
async fn a_file_that_is_given_up_leaves_nothing() {
    let server = Server::start().await;
    let function = function(&server, &["--results", "s3://out-box"]);
    let file = || ("a.pdf".to_owned(), vec![7; 20_000_000]);
    let path = "/out-box/request-1/files/a.pdf";
    let keep = async || {
        let task = task(Reader::Caller);
        Answer::of_file(&function, &task, file(), json!({}), Vec::new()).await
    };
    // The function is ended while a part is sent.
    lock(&server.state).hanging.insert(path.to_owned());
    let mut keeping = Box::pin(keep());
    let parts = || lock(&server.state).requests.iter().filter(|it| it.starts_with("PUT ")).count();
    while parts() < 2 {
        assert!(timeout(Duration::from_millis(20), &mut keeping).await.is_err());
    }
    assert_eq!(lock(&server.state).uploads.len(), 1);
    drop(keeping);
    function.storage().settle(Duration::from_secs(60)).await;
    assert!(lock(&server.state).uploads.is_empty() && server.paths().is_empty());
    // S3 refuses.
    lock(&server.state).hanging.clear();
    let denied = refusal("403 Forbidden", "", "AccessDenied");
    lock(&server.state).refusals.insert(path.to_owned(), denied);
    let error = keep().await.unwrap_err().render();
    assert!(
        error.starts_with(&format!("s3:/{path}: ")) && error.contains("s3:PutObject"),
        "{error}"
    );
    function.storage().settle(Duration::from_secs(60)).await;
    assert!(lock(&server.state).uploads.is_empty() && server.paths().is_empty());
}

/// Writes a file of rules, and returns its path.
fn rules(folder: &Path, rules: &str) -> String {
    let path = folder.join("rules.yaml");
    std::fs::write(&path, format!("schema: 1\nrules:\n{rules}")).unwrap();
    path.display().to_string()
}

/// Returns the event of objects with these keys, which are encoded.
fn created(keys: &[&str]) -> Value {
    let record = |key: &&str| {
        json!({
            "eventSource": "aws:s3", "eventName": "ObjectCreated:Put",
            "s3": { "bucket": { "name": "in-box" }, "object": { "key": key, "size": 5 } },
        })
    };
    json!({ "Records": keys.iter().map(record).collect::<Vec<_>>() })
}

async fn handled(function: &Function, event: Value) -> Result<Value, Failure> {
    let Event::Objects(event) = Event::read(event.to_string().as_bytes())? else { panic!() };
    object_work::handle(function, &["request-1"], deadline(), event).await
}

#[tokio::test]
async fn objects_become_texts_tables_and_files_by_rules() {
    let (server, folder) = (Server::start().await, tempfile::tempdir().unwrap());
    let mut template = rust_xlsxwriter::Workbook::new();
    template.add_worksheet().write_string(0, 0, "{{customer}}").unwrap();
    std::fs::write(folder.path().join("order.xlsx"), template.save_to_buffer().unwrap()).unwrap();
    let rules = rules(
        folder.path(),
        "  - { from: 's3://in-box/**/*.csv', do: text, to: 's3://out-box/{folder}/{name}.md' }
  - { from: 's3://in-box/**/*.csv', do: tables, to: 's3://out-box/{folder}/{name}-{table}.csv' }
  - { from: 's3://in-box/**/*.csv', do: tables, to: 's3://out-box/{folder}/{name}.json' }
  - { from: 's3://in-box/*.md', do: render, to: 's3://out-box/{name}.html', options: { language: zh-CN } }
  - { from: 's3://in-box/*.json', do: fill, template: order.xlsx, to: 's3://out-box/{name}.xlsx' }
",
    );
    let function = function(&server, &["--rules", &rules]);
    server.put("/in-box/2025/月 报.csv", "月,n\n1,=1+1\n");
    server.put("/in-box/note.md", "\u{feff}# 标题\n");
    server.put("/in-box/x.json", r#"{"customer": "公司"}"#);
    let event =
        created(&["2025/%E6%9C%88+%E6%8A%A5.csv", "note.md", "x.json", "other.bin", "new/"]);
    let report = handled(&function, event).await;
    let report = report.unwrap_or_else(|failure| panic!("{}", failure.error.render()));
    let text = |path: &str| server.text(path).unwrap_or_else(|| panic!("{path}: {report}"));
    assert!(text("/out-box/2025/月 报.md").contains("| 月"), "{report}");
    assert_eq!(text("/out-box/2025/月 报-1.csv"), "月,n\n1,'=1+1\n");
    let tables: Value = serde_json::from_str(&text("/out-box/2025/月 报.json")).unwrap();
    assert_eq!(tables["tables"][0]["columns"], json!(["月", "n"]), "{tables}");
    assert!(text("/out-box/note.html").contains("标题"));
    let made = lock(&server.state).objects["/out-box/x.xlsx"].clone();
    assert!(made.starts_with(b"PK"));
    let outputs = report["objects"][0]["outputs"].as_array().unwrap();
    assert_eq!((outputs.len(), &outputs[0]["s3"]), (3, &json!("s3://out-box/2025/月 报.md")));
    assert_eq!(outputs[1]["sha256"], sha256("月,n\n1,'=1+1\n".as_bytes()));
    let warnings = report["objects"][0]["warnings"].to_string();
    assert!(warnings.contains("apostrophe"), "{report}");
    assert_eq!(report["objects"][3]["skipped"], "no rule has it");
    assert_eq!(report["objects"][4]["skipped"], "a folder");
}

#[tokio::test]
async fn an_object_that_fails_is_named_and_the_others_are_done() {
    let (server, folder) = (Server::start().await, tempfile::tempdir().unwrap());
    let yaml = "  - { from: 's3://in-box/*.csv', do: text, to: 's3://out-box/{name}.md' }\n";
    let rules = rules(folder.path(), yaml);
    let function = function(&server, &["--rules", &rules]);
    server.put("/in-box/a.csv", "n\n1\n");
    server.put("/in-box/empty.csv", "");
    let failure =
        handled(&function, created(&["none.csv", "a.csv", "empty.csv"])).await.unwrap_err();
    let error = failure.error.render();
    assert!(error.starts_with("s3://in-box/none.csv: there is no such object"), "{error}");
    assert!(
        error.contains("1 more rules or objects failed") && error.contains("empty.csv"),
        "{error}"
    );
    let report = failure.answer.unwrap();
    assert_eq!(report["objects"][1]["outputs"][0]["s3"], "s3://out-box/a.md", "{report}");
    assert!(server.text("/out-box/a.md").is_some());
    assert_eq!(server.paths().len(), 3);
    // The size in the event suffices to refuse an object.
    let mut event = created(&["a.csv"]);
    event["Records"][0]["s3"]["object"]["size"] = json!(5_000_000_000_u64);
    let requests = lock(&server.state).requests.len();
    let error = handled(&function, event).await.unwrap_err().error.render();
    assert!(error.starts_with("s3://in-box/a.csv: ") && error.contains("5000000000"), "{error}");
    assert_eq!(lock(&server.state).requests.len(), requests);
    let error = handled(&self::function(&server, &[]), created(&["a.csv"])).await.unwrap_err();
    assert!(error.error.render().contains("`mitt lambda --rules`"));
}

#[tokio::test]
async fn limits_of_documents_are_those_of_the_options() {
    let server = Server::start().await;
    server.put("/in-box/a.txt", "0123456789");
    let function = function(&server, &["--s3", "s3://in-box", "--document-size", "9"]);
    let error = refused(&function, json!({ "url": "s3://in-box/a.txt" })).await;
    assert!(error.contains("s3://in-box/a.txt") && error.contains("10"), "{error}");
}
