//! The tasks extension: the calls of a session that its client polls, and their outcomes.
//!
//! Knows nothing about calls: `long_calls.rs` makes them and reports their state here.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use rmcp::ErrorData;
use rmcp::model::{
    DetailedTask, GetTaskResult, InputRequests, InputResponses, JsonObject, Task, TaskPayload,
    TaskStatus,
};
use serde_json::Value;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use mitt_base::lock;
use mitt_base::time::timestamp;

/// How long the outcome of a task is kept.
const OUTCOME_TTL: Duration = Duration::from_secs(10 * 60);
/// The polling interval that clients are asked to use.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// Most bytes of the outcomes that are kept for a session, as JSON, without the newest. 4 MiB: a result for a model has some
/// kilobytes.
const MAX_KEPT_BYTES: usize = 4 * 1024 * 1024;
/// Most tasks of a session, including those whose outcome is kept. Further calls do not become tasks.
const MAX_TASKS: usize = 64;

/// The tasks of a session.
#[derive(Default)]
pub(super) struct Tasks {
    table: Mutex<HashMap<String, TaskEntry>>,
}

struct TaskEntry {
    tool: String,
    created: Duration,
    updated: Duration,
    state: State,
    cancel: CancellationToken,
    ended: Option<Instant>,
    /// Size of its outcome, in bytes.
    bytes: usize,
    /// Number of questions so far, so that their keys differ.
    questions: u32,
    /// Receives the answer to the last question.
    answer: Option<oneshot::Sender<InputResponses>>,
}

/// The state of a task.
#[derive(Clone)]
pub(super) enum State {
    Working,
    InputRequired(InputRequests),
    Completed(JsonObject),
    Failed(JsonObject),
    Cancelled,
}

impl Tasks {
    fn with<R>(&self, f: impl FnOnce(&mut HashMap<String, TaskEntry>) -> R) -> R {
        let mut table = lock(&self.table);
        table.retain(|_, entry| entry.ended.is_none_or(|ended| ended.elapsed() < OUTCOME_TTL));
        f(&mut table)
    }

    /// Returns `true` if there is no task, ended or not.
    pub(super) fn is_empty(&self) -> bool {
        self.with(|table| table.is_empty())
    }

    /// Adds a task. `None` if there are too many.
    pub(super) fn add(&self, tool: &str, now: Duration, cancel: CancellationToken) -> Option<Task> {
        let mut bytes = [0_u8; 16];
        getrandom::fill(&mut bytes).ok()?;
        // Random, because anybody who guesses it could read the result of another client.
        let id = format!("{:032x}", u128::from_ne_bytes(bytes));
        self.with(|table| {
            if table.len() >= MAX_TASKS {
                return None;
            }
            let entry = TaskEntry {
                tool: tool.to_owned(),
                created: now,
                updated: now,
                state: State::Working,
                cancel,
                ended: None,
                bytes: 0,
                questions: 0,
                answer: None,
            };
            let task = entry.task(&id);
            table.insert(id, entry);
            Some(task)
        })
    }

    pub(super) fn end(&self, id: &str, state: State, now: Duration) {
        let bytes = state.bytes();
        self.with(|table| {
            // A cancelled task stays cancelled.
            if let Some(entry) = table.get_mut(id).filter(|entry| entry.ended.is_none()) {
                (entry.state, entry.updated, entry.ended) = (state, now, Some(Instant::now()));
                entry.bytes = bytes;
            }
            let mut kept: usize = table.values().map(|entry| entry.bytes).sum();
            while kept.saturating_sub(bytes) > MAX_KEPT_BYTES {
                let older = table.iter_mut().filter(|(other, it)| *other != id && it.bytes > 0);
                let Some((_, oldest)) = older.min_by_key(|(_, entry)| entry.ended) else { return };
                kept -= std::mem::take(&mut oldest.bytes);
                oldest.state = State::Failed(dropped());
            }
        });
    }

    /// Returns the state of the task.
    pub(super) fn get(&self, id: &str) -> Result<GetTaskResult, ErrorData> {
        self.with(|table| {
            let entry = table.get(id).ok_or_else(|| unknown(id))?;
            let payload = match entry.state.clone() {
                State::Working => TaskPayload::Working,
                State::InputRequired(input_requests) => {
                    TaskPayload::InputRequired { input_requests }
                }
                State::Completed(result) => TaskPayload::Completed { result },
                State::Failed(error) => TaskPayload::Failed { error },
                State::Cancelled => TaskPayload::Cancelled,
            };
            Ok(GetTaskResult::new(DetailedTask::new(entry.task(id), payload)))
        })
    }

    /// Cancels the task, and its guest with it. A task that has ended stays unchanged.
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

    /// Asks the client a question. The returned receiver gets the answer. `None` if the task has ended.
    pub(super) fn ask(
        &self,
        id: &str,
        requests: InputRequests,
        now: Duration,
    ) -> Option<oneshot::Receiver<InputResponses>> {
        self.with(|table| {
            let entry = table.get_mut(id).filter(|entry| entry.ended.is_none())?;
            entry.questions += 1;
            let number = entry.questions;
            let numbered = requests.into_iter().map(|(key, it)| (format!("{key}-{number}"), it));
            let (sender, answer) = oneshot::channel();
            entry.state = State::InputRequired(numbered.collect());
            (entry.updated, entry.answer) = (now, Some(sender));
            Some(answer)
        })
    }

    /// Accepts answers to the task's question. Answers to other questions are ignored.
    pub(super) fn update(
        &self,
        id: &str,
        responses: InputResponses,
        now: Duration,
    ) -> Result<(), ErrorData> {
        self.with(|table| {
            let entry = table.get_mut(id).ok_or_else(|| unknown(id))?;
            let State::InputRequired(requests) = &entry.state else { return Ok(()) };
            let number = format!("-{}", entry.questions);
            let own_answers = responses.into_iter().filter(|(key, _)| requests.contains_key(key));
            let own = |(key, answer): (String, Value)| {
                key.strip_suffix(&number).map(|key| (key.to_owned(), answer))
            };
            let answers: InputResponses = own_answers.filter_map(own).collect();
            if !answers.is_empty()
                && let Some(sender) = entry.answer.take()
            {
                (entry.state, entry.updated) = (State::Working, now);
                // The task may have ended at this moment.
                let _ = sender.send(answers);
            }
            Ok(())
        })
    }
}

impl State {
    /// Returns the bytes that the outcome takes as JSON.
    fn bytes(&self) -> usize {
        match self {
            State::Completed(outcome) | State::Failed(outcome) => {
                serde_json::to_vec(outcome).map_or(0, |json| json.len())
            }
            State::Working | State::InputRequired(_) | State::Cancelled => 0,
        }
    }
}

/// Returns the result of a task whose outcome was dropped to make room for others.
fn dropped() -> JsonObject {
    let message = "the outcome of the task made room for those of later ones; ask for it sooner";
    match serde_json::to_value(ErrorData::internal_error(message, None)) {
        Ok(Value::Object(object)) => object,
        _ => JsonObject::new(),
    }
}

impl TaskEntry {
    fn task(&self, id: &str) -> Task {
        let status = match self.state {
            State::Working => TaskStatus::Working,
            State::InputRequired(_) => TaskStatus::InputRequired,
            State::Completed(_) => TaskStatus::Completed,
            State::Failed(_) => TaskStatus::Failed,
            State::Cancelled => TaskStatus::Cancelled,
        };
        Task::new(id, status, timestamp(self.created), timestamp(self.updated))
            .with_status_message(format!("tool {}", self.tool))
            .with_ttl_ms(millis(OUTCOME_TTL))
            .with_poll_interval_ms(millis(POLL_INTERVAL))
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn unknown(id: &str) -> ErrorData {
    let shown = mitt_base::text::one_line(mitt_base::text::cut_bytes(id, 64));
    ErrorData::invalid_params(
        format!("there is no task `{shown}`; its outcome is kept for 10 min"),
        None,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(bytes: usize) -> State {
        let mut outcome = JsonObject::new();
        outcome.insert("text".into(), "x".repeat(bytes).into());
        State::Completed(outcome)
    }

    /// Returns the status of a task, and whether its outcome is there.
    fn status(tasks: &Tasks, id: &str) -> String {
        serde_json::to_value(tasks.get(id).unwrap()).unwrap()["status"].as_str().unwrap().to_owned()
    }

    #[test]
    fn outcomes_are_kept_within_bounds() {
        let tasks = Tasks::default();
        let add = || {
            let task = tasks.add("a__b", Duration::ZERO, CancellationToken::new());
            task.unwrap().task_id
        };
        let ids: Vec<_> = (0..5).map(|_| add()).collect();
        for id in &ids {
            tasks.end(id, outcome(MAX_KEPT_BYTES / 2), Duration::ZERO);
        }
        let kept: Vec<_> = ids.iter().map(|id| status(&tasks, id)).collect();
        assert_eq!(kept, ["failed", "failed", "failed", "completed", "completed"]);
        // The newest outcome is always kept, however large.
        let large = add();
        tasks.end(&large, outcome(MAX_KEPT_BYTES * 3), Duration::ZERO);
        assert_eq!(status(&tasks, &large), "completed");
        let next = add();
        tasks.end(&next, outcome(1), Duration::ZERO);
        assert_eq!(status(&tasks, &large), "failed");
        assert_eq!(status(&tasks, &next), "completed");
    }
}
