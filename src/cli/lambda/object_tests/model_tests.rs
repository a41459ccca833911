//! Events `run`, with a model that says the same each time.

use serde_json::json;

use super::super::event::Event;
use super::super::function::Function;
use super::super::payload::Reader;
use super::super::queue;
use super::server::{SAID, Server};
use super::{deadline, directly, function, task};

/// Starts a function with the model of the server and more options.
fn with_model(server: &Server, options: &[&str]) -> Function {
    let model = format!("http://127.0.0.1:{}/v1#mock", server.port);
    function(server, &[options, &["--model", &model]].concat())
}

#[tokio::test]
async fn a_model_works_with_documents_of_an_event() {
    let server = Server::start().await;
    server.put("/in-box/a.csv", "n\n1\n2\n");
    let event = json!({
        "run": { "instruction": "Add up n." },
        "documents": [{ "url": "s3://in-box/a.csv" }, { "name": "b.md", "text": "# B" }],
    });
    let function = with_model(&server, &["--s3", "s3://in-box"]);
    let answer = directly(&function, event.clone(), Reader::Caller).await;
    let answer = answer.unwrap_or_else(|failure| panic!("{}", failure.error.render()));
    assert_eq!(answer["result"]["text"], SAID, "{answer}");
    assert_eq!(answer["result"]["tokens"]["input"], 11, "{answer}");
    let without = super::function(&server, &["--s3", "s3://in-box"]);
    let failure = directly(&without, event, Reader::Caller).await.unwrap_err();
    assert_eq!(failure.error_type(), "Mitt.model");
    assert!(failure.error.render().contains("`mitt lambda --model`"));
}

#[tokio::test]
async fn a_message_fails_if_a_file_of_its_run_is_missing() {
    let server = Server::start().await;
    let function = with_model(&server, &[]);
    let event = json!({ "run": { "instruction": "Make an Excel file of the orders." } });
    let answer = directly(&function, event.clone(), Reader::Caller).await.unwrap();
    assert_eq!(answer["result"]["missing"], json!(["an Excel file"]), "{answer}");
    let failure = directly(&function, event.clone(), Reader::Nobody).await.unwrap_err();
    let error = failure.error.render();
    assert!(error.contains("did not deliver an Excel file"), "{error}");
    assert_eq!(failure.error_type(), "Mitt.model");
    assert_eq!(failure.answer.unwrap()["missing"], json!(["an Excel file"]));
    let message =
        |id: &str, body: String| json!({ "messageId": id, "body": body, "eventSource": "aws:sqs" });
    let whole = json!({ "run": { "instruction": "Add up the orders." } });
    let records = [message("m1", event.to_string()), message("m2", whole.to_string())];
    let batch = json!({ "Records": records }).to_string();
    let Ok(Event::Queue(messages)) = Event::read(batch.as_bytes()) else { panic!("{batch}") };
    let answer = queue::answer(&function, "request-1", deadline(), messages).await;
    let expected = json!({ "batchItemFailures": [{ "itemIdentifier": "m1" }] });
    assert_eq!(answer, expected.to_string());
}

#[tokio::test]
async fn agents_of_a_run_are_noted_and_not_printed() {
    let server = Server::start().await;
    let function = with_model(&server, &["--agents", "built-in"]);
    let session = function.session(&task(Reader::Caller), true).unwrap();
    let (agent_args, settings) = (function.agent_args(), function.settings());
    let (model, tools) = (function.model().unwrap(), agent_args.tools(settings));
    let made = agent_args.agent_with_notes(model, tools, settings, &session, true).await;
    let (_, notes) = made.unwrap();
    assert!(notes.iter().any(|note| note.starts_with("agents: ")), "{notes:?}");
}
