//! What goes to S3 so that an answer fits, and what stays away from it.

use std::time::Duration;

use mitt_base::lock;
use serde_json::json;
use tokio::time::{Instant, timeout};

use super::super::answer::{Answer, Outcome};
use super::super::function::Task;
use super::super::payload::{MAX_PAYLOAD_BYTES, Reader};
use super::server::Server;
use super::{function, task, value};
use mitt::value::Json;

fn outcome(result: usize, printed: usize) -> Outcome {
    Outcome {
        result: Json::from("r".repeat(result)),
        usage: None,
        printed: "p".repeat(printed),
        warnings: Vec::new(),
    }
}

#[tokio::test]
async fn parts_that_do_not_fit_together_are_made_to_fit() {
    let server = Server::start().await;
    let function = function(&server, &["--results", "s3://out-box"]);
    let task = task(Reader::Caller);
    let answered = async |result: usize, size: usize| {
        let file = ("a.pdf".to_owned(), vec![7; size]);
        let result = json!("r".repeat(result));
        let answer = Answer::of_file(&function, &task, file, result, Vec::new()).await;
        let answer = value(answer.unwrap_or_else(|error| panic!("{}", error.render())));
        (answer["result"].is_string(), answer["files"][0]["s3"].is_string())
    };
    // The link to the file fits beside the result.
    assert_eq!(answered(MAX_PAYLOAD_BYTES - 5_000, 60_000).await, (true, true));
    assert_eq!(server.paths(), ["/out-box/request-1/files/a.pdf"]);
    // A link is longer than the file, so the result goes.
    lock(&server.state).objects.clear();
    assert_eq!(answered(MAX_PAYLOAD_BYTES - 100, 30).await, (false, false));
    assert_eq!(server.paths(), ["/out-box/request-1/result.json"]);
}

#[tokio::test]
async fn an_answer_that_cannot_fit_leaves_no_object() {
    let server = Server::start().await;
    let function = function(&server, &["--results", "s3://out-box"]);
    let task = task(Reader::Caller);
    let session = function.session(&task, true).unwrap();
    // What was printed goes nowhere.
    let outcome = outcome(MAX_PAYLOAD_BYTES, MAX_PAYLOAD_BYTES);
    let answer = Answer::of_session(&function, &task, &session, outcome).await;
    let error = answer.unwrap_err().render();
    assert!(error.starts_with("answer: ") && error.contains("print less"), "{error}");
    assert!(!error.contains("--results"), "{error}");
    assert!(lock(&server.state).requests.is_empty());
}

#[tokio::test]
async fn a_message_does_not_fail_because_of_an_answer_that_nobody_reads() {
    let server = Server::start().await;
    let function = function(&server, &[]);
    let task = task(Reader::Nobody);
    let file = ("a.pdf".to_owned(), vec![7; MAX_PAYLOAD_BYTES]);
    let answer = Answer::of_file(&function, &task, file, json!({}), Vec::new()).await.unwrap();
    assert_eq!(answer.file_names(), ["a.pdf"]);
    assert_eq!(answer.summary(), json!({ "files": 1, "fileBytes": MAX_PAYLOAD_BYTES }));
    let session = function.session(&task, true).unwrap();
    let outcome = outcome(MAX_PAYLOAD_BYTES, MAX_PAYLOAD_BYTES);
    let answer = Answer::of_session(&function, &task, &session, outcome).await.unwrap();
    assert!(answer.file_names().is_empty());
}

#[tokio::test]
async fn at_the_deadline_a_transfer_ends_and_leaves_nothing() {
    let server = Server::start().await;
    let function = function(&server, &["--results", "s3://out-box"]);
    lock(&server.state).hanging.insert("/out-box/request-1/files/a.pdf".to_owned());
    let deadline = Instant::now() + Duration::from_secs(3);
    let task = Task { deadline, ..task(Reader::Caller) };
    let file = ("a.pdf".to_owned(), vec![7; 20_000_000]);
    let answer = Answer::of_file(&function, &task, file, json!({}), Vec::new());
    let answer = timeout(Duration::from_secs(60), answer).await.expect("it ends by itself");
    let error = answer.unwrap_err();
    assert_eq!(error.kind().name(), "limit", "{}", error.render());
    assert_eq!(error.place(), Some("a.pdf"));
    function.storage().settle(Duration::from_secs(60)).await;
    let state = lock(&server.state);
    assert!(state.requests.iter().any(|it| it.starts_with("PUT ")), "{:?}", state.requests);
    assert!(state.uploads.is_empty() && state.objects.is_empty(), "{:?}", state.requests);
}
