//! Models over HTTP, against a server that sends exactly what a test defines, and when.

mod failures;
mod keys;
mod limits;
mod retries;
mod server;
mod text_calls;
mod tls;
mod wires;

use std::time::Duration;

use futures_util::StreamExt as _;
use mitt::{Error, Result};
use mitt_agent::model::http::{HttpModel, HttpModelBuilder, Secret};
use mitt_agent::model::{ChatEvent, ChatModel, ChatRequest, Message, ModelSpec};

/// Key of all tests, which no message may contain.
const KEY: &str = "sk-test-0123456789abcdef";

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// Returns a client with short delays.
fn client(name: &str) -> HttpModelBuilder {
    let spec = ModelSpec::parse_with(name, &|_| None).unwrap();
    HttpModel::builder(spec).key(Secret::new(KEY)).backoff(ms(2)).first_byte_timeout(ms(5_000))
}

/// Returns the events of a model, and the error that ended them.
async fn ask(model: &dyn ChatModel) -> (Vec<ChatEvent>, Option<Error>) {
    let messages = [Message::user("Hi")];
    ask_with(model, ChatRequest::new(&messages, &[])).await
}

async fn ask_with(
    model: &dyn ChatModel,
    request: ChatRequest<'_>,
) -> (Vec<ChatEvent>, Option<Error>) {
    let stream = match model.chat(request).await {
        Ok(stream) => stream,
        Err(error) => return (Vec::new(), Some(error)),
    };
    let mut events: Vec<Result<ChatEvent>> = stream.collect().await;
    let error = match events.pop() {
        Some(Err(error)) => Some(error),
        last => {
            events.extend(last);
            None
        }
    };
    (events.into_iter().collect::<Result<_>>().unwrap(), error)
}

/// Formats both, without the port and without random times.
fn formatted(url: &str, (events, error): &(Vec<ChatEvent>, Option<Error>)) -> String {
    let mut lines: Vec<String> = events.iter().map(|event| format!("{event:?}")).collect();
    lines.extend(
        error.as_ref().map(|error| format!("{} passes: {}", error.render(), error.is_retryable())),
    );
    lines.join("\n").replace(url, "URL")
}

/// Runs a test with a time limit.
fn run(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let limit = Duration::from_secs(60);
    runtime.block_on(async { tokio::time::timeout(limit, test).await }).expect("the test hangs");
}
