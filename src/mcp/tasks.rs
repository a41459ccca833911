//! The tasks extension: a call that takes long becomes a task, which the client asks after.
//!
//! Only clients of 2026-07-28 that declare the extension are given tasks. Whether a call becomes one is decided by how long
//! it takes, so that short calls cost nothing more than before.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rmcp::ErrorData;
use rmcp::model::{
    CallToolResponse, CallToolResult, ContentBlock, CreateTaskResult, DetailedTask, GetTaskResult,
    JsonObject, Task, TaskPayload, TaskStatus,
};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::calls::Call;
use super::client::ClientSession;
use crate::time::timestamp;

/// How long a call runs before it becomes a task.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long the outcome of a task is kept.
const KEPT: Duration = Duration::from_secs(10 * 60);
/// How often a client should ask.
const POLL: Duration = Duration::from_millis(500);
/// Most tasks of a session, those whose outcome is kept included. With more, calls are waited for.
const MAX_TASKS: usize = 64;

/// The tasks of a session.
#[derive(Default)]
pub(super) struct Tasks {
    table: Mutex<HashMap<String, Entry>>,
}

struct Entry {
    tool: String,
    created: Duration,
    updated: Duration,
    state: State,
    cancel: CancellationToken,
    ended: Option<Instant>,
}

#[derive(Clone)]
enum State {
    Working,
    Completed(JsonObject),
    Failed(JsonObject),
    Cancelled,
}

impl Tasks {
    fn with<R>(&self, f: impl FnOnce(&mut HashMap<String, Entry>) -> R) -> R {
        let mut table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        table.retain(|_, entry| entry.ended.is_none_or(|ended| ended.elapsed() < KEPT));
        f(&mut table)
    }

    /// None if there are too many.
    fn add(&self, tool: &str, now: Duration, cancel: CancellationToken) -> Option<Task> {
        let mut bytes = [0_u8; 16];
        getrandom::fill(&mut bytes).ok()?;
        // Whoever guesses it could read another one's result.
        let id = format!("{:032x}", u128::from_ne_bytes(bytes));
        self.with(|table| {
            if table.len() >= MAX_TASKS {
                return None;
            }
            let entry = Entry {
                tool: tool.to_owned(),
                created: now,
                updated: now,
                state: State::Working,
                cancel,
                ended: None,
            };
            let task = entry.task(&id);
            table.insert(id, entry);
            Some(task)
        })
    }

    fn end(&self, id: &str, state: State, now: Duration) {
        self.with(|table| {
            // One that was cancelled stays so.
            if let Some(entry) = table.get_mut(id).filter(|entry| entry.ended.is_none()) {
                (entry.state, entry.updated, entry.ended) = (state, now, Some(Instant::now()));
            }
        });
    }

    /// How far the task is.
    pub(super) fn get(&self, id: &str) -> Result<GetTaskResult, ErrorData> {
        self.with(|table| {
            let entry = table.get(id).ok_or_else(|| unknown(id))?;
            let payload = match entry.state.clone() {
                State::Working => TaskPayload::Working,
                State::Completed(result) => TaskPayload::Completed { result },
                State::Failed(error) => TaskPayload::Failed { error },
                State::Cancelled => TaskPayload::Cancelled,
            };
            Ok(GetTaskResult::new(DetailedTask::new(entry.task(id), payload)))
        })
    }

    /// Stop the task, and its guest with it. One that has ended stays as it is.
    pub(super) fn cancel(&self, id: &str, now: Duration) -> Result<(), ErrorData> {
        self.with(|table| {
            let entry = table.get_mut(id).ok_or_else(|| unknown(id))?;
            if entry.ended.is_none() {
                entry.cancel.cancel();
                entry.state = State::Cancelled;
                (entry.updated, entry.ended) = (now, Some(Instant::now()));
            }
            Ok(())
        })
    }

    /// Tasks never ask for anything, so that there is nothing to take in.
    pub(super) fn update(&self, id: &str) -> Result<(), ErrorData> {
        self.with(|table| table.get(id).map(|_| ()).ok_or_else(|| unknown(id)))
    }
}

impl Entry {
    fn task(&self, id: &str) -> Task {
        let status = match self.state {
            State::Working => TaskStatus::Working,
            State::Completed(_) => TaskStatus::Completed,
            State::Failed(_) => TaskStatus::Failed,
            State::Cancelled => TaskStatus::Cancelled,
        };
        Task::new(id, status, timestamp(self.created), timestamp(self.updated))
            .with_status_message(format!("tool {}", self.tool))
            .with_ttl_ms(millis(KEPT))
            .with_poll_interval_ms(millis(POLL))
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn unknown(id: &str) -> ErrorData {
    let shown = crate::text::one_line(crate::text::cut_bytes(id, 64));
    ErrorData::invalid_params(
        format!("there is no task `{shown}`; its outcome is kept for 10 min"),
        None,
    )
}

/// Make a call which may become a task. `cancelled` ends it as long as it is none.
pub(super) async fn make(
    call: Call,
    cancelled: &CancellationToken,
) -> Result<CallToolResponse, ErrorData> {
    let (client, tool) = (call.client.clone(), call.tool.clone());
    let cancel = client.ended().child_token();
    // Also when the request itself is dropped.
    let guard = cancel.clone().drop_guard();
    let stop = cancel.clone();
    let mut made = tokio::spawn(async move { call.make(&stop).await });
    let waiting = tokio::time::timeout(PATIENCE, &mut made);
    tokio::select! {
        biased;
        () = cancelled.cancelled() => {
            return Err(ErrorData::internal_error("the call was cancelled", None));
        }
        ended = waiting => if let Ok(result) = ended {
            return joined(result);
        }
    }
    let now = client.session.host().environment().now();
    let Some(task) = client.tasks.add(&tool, now, cancel) else {
        return tokio::select! {
            biased;
            () = cancelled.cancelled() => Err(ErrorData::internal_error("the call was cancelled", None)),
            result = made => joined(result),
        };
    };
    guard.disarm();
    let id = task.task_id.clone();
    tokio::spawn(async move {
        let result = joined(made.await);
        finish(&client, &id, result);
    });
    Ok(CallToolResponse::Task(CreateTaskResult::new(task)))
}

fn finish(client: &Arc<ClientSession>, id: &str, result: Result<CallToolResponse, ErrorData>) {
    let written = match &result {
        Ok(CallToolResponse::Complete(result)) => serde_json::to_value(result),
        Ok(_) => serde_json::to_value(unasked()),
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

/// The end of a task that waits for an approval: it cannot ask for one.
fn unasked() -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(
        "a tool of the script needs an approval, and the call had become a task by then\n\
         hint: call that tool by itself, or make the call without declaring tasks",
    )])
}

fn joined(
    result: Result<Result<CallToolResponse, ErrorData>, tokio::task::JoinError>,
) -> Result<CallToolResponse, ErrorData> {
    result.unwrap_or_else(|error| Err(ErrorData::internal_error(error.to_string(), None)))
}
