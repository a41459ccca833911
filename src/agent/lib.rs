//! The loop of an agent: ask the model, make the calls that it wants, give back their results; until it wants no more calls.
//!
//! Knows models and sessions. Never touches wasmtime.

#![forbid(unsafe_code)]

pub mod model;
mod prompt;

use std::time::Instant;

use futures_util::StreamExt as _;
use serde_json::json;

use crate::model::{ChatEvent, ChatModel, ChatRequest, Message, ModelCall, ToolSpec};
use mitt::{CallReport, Event, Session, schema};
use mitt_base::{Error, Resource, Result, text};

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
    let mut messages = vec![Message::System(system), Message::User(instruction.to_owned())];
    let mut calls = Vec::new();
    for turn in 1..=limits.model_turns {
        let answer =
            ask(session, model, ChatRequest { messages: &messages, tools: &tools }, turn).await?;
        messages
            .push(Message::Assistant { text: answer.text.clone(), calls: answer.calls.clone() });
        if answer.calls.is_empty() {
            return Ok(RunReport { text: answer.text, turns: turn, calls });
        }
        for call in answer.calls {
            let report = session.call(&call.name, &call.arguments).await;
            messages.push(tool_message(call.id, &report, limits.result_characters));
            calls.push(report);
        }
    }
    Err(Error::limit(Resource::ModelTurns, limits.model_turns, limits.model_turns + 1)
        .hint("split the task, or raise the limit in the host"))
}

struct Answer {
    text: String,
    calls: Vec<ModelCall>,
}

async fn ask(
    session: &Session,
    model: &dyn ChatModel,
    request: ChatRequest<'_>,
    turn: u64,
) -> Result<Answer> {
    let start = Instant::now();
    let mut stream = model.chat(request).await?;
    let mut answer = Answer { text: String::new(), calls: Vec::new() };
    while let Some(event) = stream.next().await {
        match event? {
            ChatEvent::Text(text) => answer.text.push_str(&text),
            ChatEvent::Call(call) => answer.calls.push(call),
            ChatEvent::Usage { .. } => {}
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
    }
}

/// A call's result as the model sees it: JSON, or the error's text with its hints; bounded.
fn tool_message(call_id: String, report: &CallReport, limit: u64) -> Message {
    let is_error = report.failure().is_some();
    let content = match &report.result {
        Ok(result) => result.to_string(),
        Err(error) => format!("{}: {}", error.kind().name(), error.render()),
    };
    Message::Tool { call_id, content: text::truncate(&content, limit), is_error }
}
