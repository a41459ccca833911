//! Long calls become tasks, which the client polls.
//!
//! Only clients of 2026-07-28 that declare the extension get tasks. A call becomes a task only after a time, so that short
//! calls cost nothing more than before.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use rmcp::ErrorData;
use rmcp::model::{CallToolResponse, CallToolResult, ContentBlock, CreateTaskResult, JsonObject};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::calls::{Call, RetriedCall};
use super::client::ClientSession;
use super::tasks::State;
use super::{elicitation, results};
use mitt_base::Error;

/// Makes a call that becomes a task if it takes longer than [`ServerOptions::task_after`](super::ServerOptions). Until then,
/// `cancelled` ends it.
pub(super) async fn make(
    call: Call,
    cancelled: &CancellationToken,
) -> Result<CallToolResponse, ErrorData> {
    let (client, tool) = (call.client.clone(), call.tool.clone());
    let cancel = client.ended().child_token();
    // Dropping the request cancels the call as well.
    let guard = cancel.clone().drop_guard();
    let (first, stop) = (call.clone(), cancel.clone());
    let mut made = tokio::spawn(async move { results::answered(first.make(&stop)).await });
    let patience = call.server.options().task_after;
    let waiting = tokio::time::timeout(patience, &mut made);
    tokio::select! {
        biased;
        () = cancelled.cancelled() => {
            return Err(results::cancelled());
        }
        ended = waiting => if let Ok(result) = ended {
            return joined(result);
        }
    }
    let now = client.session.host().environment().now();
    let Some(task) = client.tasks.add(&tool, now, cancel.clone()) else {
        return tokio::select! {
            biased;
            () = cancelled.cancelled() => Err(results::cancelled()),
            result = made => joined(result),
        };
    };
    guard.disarm();
    // The request is answered now, and its progress token is invalid from here on.
    call.audience.is_answered.store(true, Ordering::Relaxed);
    let id = task.task_id.clone();
    tokio::spawn(async move {
        let made = joined(made.await);
        let result = results::answered(answered(call, &id, made, &cancel)).await;
        finish(&client, &id, result);
    });
    Ok(CallToolResponse::Task(CreateTaskResult::new(task)))
}

/// Continues a task whose call may need an approval: it waits for `tasks/update`, and goes on.
async fn answered(
    call: Call,
    id: &str,
    mut result: Result<CallToolResponse, ErrorData>,
    cancel: &CancellationToken,
) -> Result<CallToolResponse, ErrorData> {
    while let Ok(CallToolResponse::InputRequired(answer_required)) = &result {
        let requests = answer_required.input_requests.clone().unwrap_or_default();
        let now = call.client.session.host().environment().now();
        let answer = call.client.tasks.ask(id, requests, now).ok_or_else(results::cancelled)?;
        let waiting = tokio::time::timeout(elicitation::STATE_TTL, answer);
        let answer = tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(results::cancelled()),
            answer = waiting => answer,
        };
        let Ok(Ok(responses)) = answer else { return Ok(unanswered().into()) };
        let state = answer_required.request_state.clone().unwrap_or_default();
        let retried = Some(RetriedCall { state, responses: Some(responses) });
        result = Box::pin(Call { retried, ..call.clone() }.make(cancel)).await;
    }
    result
}

fn finish(client: &Arc<ClientSession>, id: &str, result: Result<CallToolResponse, ErrorData>) {
    let written = match &result {
        Ok(CallToolResponse::Complete(result)) => serde_json::to_value(result),
        Ok(_) => serde_json::to_value(unanswered()),
        Err(error) => serde_json::to_value(error),
    };
    let object = match written {
        Ok(Value::Object(object)) => object,
        _ => JsonObject::new(),
    };
    let state = match result {
        Ok(_) => State::Completed(object),
        Err(_) => State::Failed(object),
    };
    client.tasks.end(id, state, client.session.host().environment().now());
}

/// Returns the result of a task that waited for an approval in vain.
fn unanswered() -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(
        "a tool needs an approval, and nobody answered within 10 min\n\
         hint: answer what `tasks/get` asks with `tasks/update`",
    )])
}

fn joined(
    result: Result<Result<CallToolResponse, ErrorData>, tokio::task::JoinError>,
) -> Result<CallToolResponse, ErrorData> {
    // Panics were caught inside; the task may have been ended with the runtime.
    result.unwrap_or_else(|_| Err(results::refused(&Error::bug("a task was lost"))))
}
