//! The loop of an agent: ask the model, make the calls that it wants, give back their results; until it wants no more calls.
//!
//! Any chat model with tools can drive a session: whatever implements [`ChatModel`]. What goes wrong on its side it tells with
//! [`Error::model`](mitt::Error::model).
//!
//! ```
//! use async_trait::async_trait;
//! use futures_util::stream;
//! use mitt::{Error, ErrorKind, Host, SessionOptions};
//! use mitt_agent::model::{ChatEvent, ChatModel, ChatRequest, ChatStream, Message, ModelCall};
//!
//! /// Reads a table and says what is in it. A real one sends `request` to a service and hands on what comes back.
//! struct Scripted {
//!     is_reachable: bool,
//! }
//!
//! #[async_trait]
//! impl ChatModel for Scripted {
//!     fn name(&self) -> &str {
//!         "scripted"
//!     }
//!
//!     async fn chat<'a>(&'a self, request: ChatRequest<'a>) -> mitt::Result<ChatStream<'a>> {
//!         if !self.is_reachable {
//!             let error = Error::model("the model cannot be reached").at("models.example.org");
//!             return Err(error.hint("check the network").passing(true));
//!         }
//!         let event = match request.messages.last() {
//!             Some(Message::Tool { content, .. }) => ChatEvent::Text(format!("It says {content}")),
//!             _ => ChatEvent::Call(ModelCall {
//!                 id: "call-1".into(),
//!                 name: "document_tool__read_table".into(),
//!                 arguments: r#"{"name": "sales.csv"}"#.into(),
//!             }),
//!         };
//!         Ok(Box::pin(stream::iter([Ok(event)])))
//!     }
//! }
//!
//! # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
//! let host = Host::builder().build()?;
//! let session = host.session(SessionOptions::default())?;
//! session.add_document_bytes("sales.csv", "month,revenue\nJanuary,1.2k\n".into()).await?;
//!
//! let model = Scripted { is_reachable: true };
//! let report = mitt_agent::run(&session, &model, "What is in sales.csv?").await?;
//! assert_eq!(
//!     report.text,
//!     r#"It says {"columns":["month","revenue"],"rows":[["January","1.2k"]],"$ref":"t:1"}"#
//! );
//! assert_eq!((report.turns, report.calls.len()), (2, 1));
//!
//! let model = Scripted { is_reachable: false };
//! let error = mitt_agent::run(&session, &model, "What is in sales.csv?").await.unwrap_err();
//! assert_eq!(error.kind(), &ErrorKind::Model);
//! assert_eq!(
//!     error.render(),
//!     "models.example.org: the model cannot be reached\nhint: check the network"
//! );
//! assert!(error.may_pass(), "whoever runs agents may try again");
//! # Ok::<(), mitt::Error>(())
//! # }).unwrap();
//! ```
//!
//! Knows models and sessions. Never touches wasmtime.

#![forbid(unsafe_code)]

pub mod model;
mod prompt;

use std::time::Instant;

use futures_util::StreamExt as _;
use serde_json::json;

use crate::model::{Answer, ChatEvent, ChatModel, ChatRequest, Message, ToolSpec};
use mitt::{CallOptions, CallReport, Event, Session, TableResults, schema};
use mitt_base::{Error, Resource, Result};

/// What came of a run.
#[derive(Debug)]
pub struct RunReport {
    /// The model's last words.
    pub text: String,
    /// Number of turns it took.
    pub turns: u64,
    /// Every call that the model made, in order.
    pub calls: Vec<CallReport>,
}

/// Let `model` follow `instruction` with the session's documents and tools.
///
/// # Errors
///
/// [`ErrorKind::Model`](mitt_base::ErrorKind::Model) - the model failed. [`ErrorKind::Limit`](mitt_base::ErrorKind::Limit) -
/// it took too many turns. Files that were delivered before stay. A failed call is not an error here: the model is
/// told, and may do better.
pub async fn run(session: &Session, model: &dyn ChatModel, instruction: &str) -> Result<RunReport> {
    let limits = session.host().session_limits().clone();
    let tools: Vec<ToolSpec> = session.registry().tools().await.iter().map(tool_spec).collect();
    let system = prompt::system(session);
    let mut messages = vec![Message::System(system), Message::user(instruction)];
    let mut calls = Vec::new();
    for turn in 1..=limits.model_turns {
        let answer = ask(session, model, ChatRequest::new(&messages, &tools), turn).await?;
        messages.push(Message::Assistant(answer.clone()));
        if answer.calls.is_empty() {
            return Ok(RunReport { text: answer.text, turns: turn, calls });
        }
        for call in answer.calls {
            let options = CallOptions::new().tables(TableResults::MODEL);
            let report = session.call_with(&call.name, &call.arguments, options).await;
            messages.push(tool_message(call.id, &report, limits.result_characters));
            calls.push(report);
        }
    }
    Err(Error::limit(Resource::ModelTurns, limits.model_turns, limits.model_turns + 1)
        .hint("split the task, or raise the limit in the host"))
}

async fn ask(
    session: &Session,
    model: &dyn ChatModel,
    request: ChatRequest<'_>,
    turn: u64,
) -> Result<Answer> {
    let start = Instant::now();
    let mut stream = model.chat(request).await?;
    let mut answer = Answer::default();
    while let Some(event) = stream.next().await {
        match event? {
            ChatEvent::Text(text) => answer.text.push_str(&text),
            ChatEvent::Call(call) => answer.calls.push(call),
            ChatEvent::Thought(thought) => answer.reasoning.push(thought),
            _ => {}
        }
    }
    let calls: Vec<_> = answer.calls.iter().map(|call| &call.name).collect();
    session.note("turn", json!({ "number": turn, "model": model.name(), "calls": calls }));
    session.emit(&Event::Turn {
        number: turn,
        model: model.name().to_owned(),
        text: answer.text.clone(),
        n_calls: answer.calls.len(),
        duration: start.elapsed(),
    });
    Ok(answer)
}

fn tool_spec(tool: &mitt::skill::Tool) -> ToolSpec {
    ToolSpec {
        name: tool.name.to_string(),
        description: tool.function.docs.clone(),
        parameters: schema::arguments(&tool.function),
        is_strict: false,
    }
}

fn tool_message(call_id: String, report: &CallReport, limit: u64) -> Message {
    let is_error = report.failure().is_some();
    Message::Tool { call_id, content: report.for_model(limit).to_string(), is_error }
}
