//! Requests about a run that exists: further instructions, answers, results, cancellation, deletion.

use std::collections::BTreeSet;
use std::time::Duration;

use super::check::{self, Problems};
use super::create::{MAX_INLINE_BYTES, budget_of, check_key, idempotency_key, stored_documents};
use super::desk::{ACCEPT, CHANGE, REJECT, plan_of};
use super::entry::{Entry, InboxRecord, MessageKey};
use super::options::{Policy, ToolOutput};
use super::quota::{check_active, inline_bytes, room};
use super::shared::{Shared, missing};
use super::spec::{AnswerDemand, Message};
use super::state::{Answer, Question, RunState, RunStatus};
use super::usage::check_budget;
use super::waiting::was_sent;
use crate::problem::Problem;
use crate::store::{IdempotencyKey, RunKey, StoreError, Stream};
use mitt_base::Error;
use mitt_serve::AUDIT_TARGET;

/// Most requests that wait in the inbox of a run.
const MAX_WAITING: u64 = 100;

/// Most bytes of the reason of a decision.
const MAX_REASON_BYTES: usize = 100_000;

/// Most bytes of the result of a function of the caller.
const MAX_OUTPUT_BYTES: usize = 1024 * 1024;

/// Longest wait for a run that works to be cancelled.
const CANCEL: Duration = Duration::from_secs(10);

/// Longest wait for an answer to be read.
const ANSWERED: Duration = Duration::from_secs(2);

/// Longest wait for a title to be read.
const RENAMED: Duration = Duration::from_secs(2);

/// Attempts to add an instruction while others add to the inbox.
const ATTEMPTS: usize = 50;

/// Time between two looks at a run that is being changed.
const LOOK: Duration = Duration::from_millis(5);

/// Sends a further instruction. With an idempotency key, the same request has its effect once.
pub(super) async fn say(
    shared: &Shared,
    key: &RunKey,
    policy: &Policy,
    message: Message,
    model_key: Option<String>,
    idempotency: Option<&str>,
) -> Result<RunState, Problem> {
    let mut problems = Problems::default();
    check::instruction("/instruction", &message.instruction, &mut problems);
    check::documents(&message.documents, MAX_INLINE_BYTES, &mut problems);
    check::output_schema(message.output_schema.as_ref(), &mut problems);
    problems.into_result()?;
    let sent = idempotency.map(|text| message_key(text, &message)).transpose()?;
    if let Some(sent) = &sent
        && was_sent_before(shared, key, sent).await?.is_none()
    {
        // The process may have ended between the two steps.
        return Ok(shared.wake(key).await?.state);
    }
    let entry = admitted(shared, key, policy, model_key).await?;
    room(&*shared.options.store, &key.tenant, policy)
        .await?
        .check(inline_bytes(&message.documents))?;
    if is_example(shared, &entry) {
        let detail = "the example is a recording, which follows no further instruction";
        return Err(Problem::conflict("example_over", detail).hint("begin a new run with a model"));
    }
    if entry.waits_for_functions() {
        let problem =
            Problem::conflict("waits_for_functions", "the run waits for functions of yours");
        return Err(problem.hint("hand in their results first, or cancel the run"));
    }
    check_waiting(shared, key, &entry).await?;
    let documents = stored_documents(shared, key, message.documents).await?;
    let record = InboxRecord::Message {
        text: message.instruction,
        documents,
        container: message.container,
        demand: message.demand.with_schema(message.output_schema),
        sent_ms: shared.now_ms(),
        key: sent.clone(),
    };
    match &sent {
        Some(sent) => send_once(shared, key, &record, sent).await?,
        None => {
            shared.send(key, &record).await?;
        }
    }
    Ok(shared.wake(key).await?.state)
}

/// Returns the key of a further instruction.
fn message_key(text: &str, message: &Message) -> Result<MessageKey, Problem> {
    let IdempotencyKey { key, request } = idempotency_key(text, message)?;
    Ok(MessageKey { key, request })
}

/// Returns the number of the last record of the inbox; `None` if an instruction with this key is in the inbox.
///
/// # Errors
///
/// 422 `idempotency_key_reused` - another instruction has the key; 404 - the tenant has no such run.
async fn was_sent_before(
    shared: &Shared,
    key: &RunKey,
    sent: &MessageKey,
) -> Result<Option<u64>, Problem> {
    let store = &*shared.options.store;
    let last = store.last(key, Stream::Inbox).await.map_err(missing(key))?;
    let found = was_sent(store, key, sent, (last, shared.now_ms())).await;
    let is_known = found.map_err(missing(key))?;
    Ok((!is_known).then_some(last))
}

/// Adds an instruction to the inbox, unless another request has added it meanwhile.
async fn send_once(
    shared: &Shared,
    key: &RunKey,
    record: &InboxRecord,
    sent: &MessageKey,
) -> Result<(), Problem> {
    let line = serde_json::to_vec(record).map_err(Error::bug)?;
    let records = [bytes::Bytes::from(line)];
    for _ in 0..ATTEMPTS {
        let Some(last) = was_sent_before(shared, key, sent).await? else { return Ok(()) };
        let store = &shared.options.store;
        match store.append(key, Stream::Inbox, Some(last), &records).await {
            Ok(_) => return Ok(()),
            // Something was added after the look.
            Err(StoreError::Conflict(_)) => {}
            Err(error) => return Err(missing(key)(error)),
        }
    }
    Err(StoreError::Conflict(0).into())
}

/// Checks that the inbox of a run has room for a further request.
///
/// # Errors
///
/// 429 `too_many_messages` - it has none.
async fn check_waiting(shared: &Shared, key: &RunKey, entry: &Entry) -> Result<(), Problem> {
    let last = shared.options.store.last(key, Stream::Inbox).await.map_err(missing(key))?;
    if last.saturating_sub(entry.state.inbox_done) < MAX_WAITING {
        return Ok(());
    }
    let detail = format!("{MAX_WAITING} requests wait for the run already");
    let problem = Problem::new(429, "too_many_messages", detail).retry_after(5);
    Err(problem.hint("wait until the model has read the others"))
}

/// Sets the title of a run. If a worker has the run, the worker writes the title: another write would end its work.
pub(super) async fn rename(
    shared: &Shared,
    key: &RunKey,
    title: &str,
) -> Result<RunState, Problem> {
    let mut problems = Problems::default();
    check::title("/title", title, &mut problems);
    problems.into_result()?;
    let end = tokio::time::Instant::now() + RENAMED;
    let mut sent: Option<u64> = None;
    loop {
        let last = shared.options.store.last(key, Stream::Inbox).await.map_err(missing(key))?;
        let mut is_owned = false;
        let changed = shared.change(key, |entry| {
            let is_done = sent.is_some_and(|number| entry.work.titled >= number);
            is_owned = !is_done && entry.has_owner(shared.now_ms());
            if is_done || is_owned {
                return Ok(false);
            }
            title.clone_into(&mut entry.state.title);
            // Titles that an owner has left in the inbox are older.
            entry.work.titled = entry.work.titled.max(last);
            Ok(true)
        });
        let entry = changed.await?;
        if !is_owned {
            return Ok(entry.state);
        }
        if sent.is_none() {
            check_waiting(shared, key, &entry).await?;
            let record = InboxRecord::Title { title: title.to_owned() };
            sent = Some(shared.send(key, &record).await?);
        } else if tokio::time::Instant::now() >= end {
            // The owner takes it along with its next write.
            return Ok(RunState { title: title.to_owned(), ..entry.state });
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// Continues what was interrupted.
pub(super) async fn resume(
    shared: &Shared,
    key: &RunKey,
    policy: &Policy,
    model_key: Option<String>,
) -> Result<RunState, Problem> {
    let entry = shared.entry(key).await?;
    match entry.state.status {
        RunStatus::Interrupted | RunStatus::Cancelled | RunStatus::Failed => {}
        status => {
            let detail = format!("the run is {}: there is nothing to continue", status.name());
            return Err(Problem::conflict("nothing_to_continue", detail));
        }
    }
    admitted(shared, key, policy, model_key).await?;
    shared.send(key, &InboxRecord::Resume).await?;
    Ok(shared.wake(key).await?.state)
}

/// Checks that a run may go on, and notes what its tenant may use now.
async fn admitted(
    shared: &Shared,
    key: &RunKey,
    policy: &Policy,
    model_key: Option<String>,
) -> Result<Entry, Problem> {
    check_key(policy, model_key.as_deref())?;
    let entry = shared.entry(key).await?;
    let budget = budget_of(policy);
    let now = shared.options.host.environment().now();
    check_budget(&*shared.options.store, &key.tenant, now, budget).await?;
    // A run that works already takes no further place.
    if !matches!(entry.state.status, RunStatus::Queued | RunStatus::Running) {
        check_active(shared, &key.tenant, policy).await?;
    }
    has_key(shared, &entry, key, model_key)?;
    let models = check::models_of(&shared.options, policy);
    let is_listed = models.iter().any(|model| model.name == entry.state.model);
    if !is_listed && !is_example(shared, &entry) {
        let detail = format!("you may not use the model `{}` any more", entry.state.model);
        return Err(Problem::new(403, "model_not_allowed", detail).hint("begin a new run"));
    }
    shared
        .change(key, |entry| {
            if entry.work.budget == budget || entry.has_owner(shared.now_ms()) {
                return Ok(false);
            }
            entry.work.budget = budget;
            Ok(true)
        })
        .await
}

fn is_example(shared: &Shared, entry: &Entry) -> bool {
    shared.options.example_of(&entry.state.model, &entry.state.metadata).is_some()
}

/// Keeps the key of a run that was begun with one.
fn has_key(
    shared: &Shared,
    entry: &Entry,
    key: &RunKey,
    model_key: Option<String>,
) -> Result<(), Problem> {
    match model_key {
        Some(model_key) if entry.work.has_own_key => shared.keep_key(key, model_key),
        None if entry.work.has_own_key && shared.key_of(key).is_none() => {
            let detail = "the key of the model's service is kept in memory only, and is gone";
            return Err(Problem::conflict(super::context::KEY_MISSING, detail)
                .hint("send it again in `X-Model-Key`"));
        }
        _ => {}
    }
    Ok(())
}

/// Answers a question.
pub(super) async fn answer(
    shared: &Shared,
    key: &RunKey,
    answer: Answer,
) -> Result<RunState, Problem> {
    let entry = shared.entry(key).await?;
    let question = entry.state.question.as_ref().filter(|it| it.id() == answer.question);
    let decisions: &[&str] = match question {
        Some(Question::Approval { .. }) => &[ACCEPT, REJECT],
        Some(Question::Plan { .. }) => &[ACCEPT, REJECT, CHANGE],
        Some(Question::Functions { .. }) | None => {
            let problem = Problem::conflict("no_such_question", "this question does not wait");
            return Err(problem.hint("read the run again: `question` is the one that waits"));
        }
    };
    let mut problems = Problems::default();
    if !decisions.contains(&answer.decision.as_str()) {
        let wrong = super::agent::unknown(decisions, &answer.decision);
        problems.add("/decision", wrong.to_string());
    }
    if answer.text.as_ref().is_some_and(|text| text.len() > MAX_REASON_BYTES) {
        problems.add("/text", format!("expected at most {MAX_REASON_BYTES} bytes, got more"));
    }
    match (&answer.plan, answer.decision == CHANGE) {
        (None, true) => problems.add("/plan", "expected a plan, got nothing"),
        (Some(plan), true) => {
            if let Err(error) = plan_of(plan) {
                error.details().iter().for_each(|it| problems.add("/plan", it.as_str()));
                if error.details().is_empty() {
                    problems.add("/plan", error.to_string());
                }
            }
        }
        (_, false) => {}
    }
    problems.into_result()?;
    let id = answer.question.clone();
    shared.send(key, &InboxRecord::Answer(answer)).await?;
    let mut state = shared.wake(key).await?.state;
    // The client shall not see its question again.
    let end = tokio::time::Instant::now() + ANSWERED;
    while state.question.as_ref().is_some_and(|question| question.id() == id)
        && tokio::time::Instant::now() < end
    {
        tokio::time::sleep(LOOK).await;
        state = shared.entry(key).await?.state;
    }
    Ok(state)
}

/// Hands in results of the caller's functions, with what the caller demands of the answer from then on.
pub(super) async fn provide(
    shared: &Shared,
    key: &RunKey,
    (outputs, demand): (Vec<ToolOutput>, AnswerDemand),
    model_key: Option<String>,
) -> Result<RunState, Problem> {
    let entry = shared.entry(key).await?;
    has_key(shared, &entry, key, model_key)?;
    complete(&entry, &outputs)?;
    for ToolOutput { call, output } in outputs.clone() {
        shared.send(key, &InboxRecord::Output { call, output }).await?;
    }
    let changed = shared.change(key, |entry| {
        // Another request may have handed them in meanwhile. The first result of a call counts.
        let is_complete = complete(entry, &outputs)?;
        entry.work.given.extend(outputs.iter().map(|output| output.call.clone()));
        entry.work.demand = demand.clone();
        if is_complete {
            entry.state.status = RunStatus::Queued;
            entry.state.question = None;
        }
        Ok(true)
    });
    Ok(changed.await?.state)
}

/// Checks results of the caller's functions, and returns whether each call has one then.
fn complete(entry: &Entry, outputs: &[ToolOutput]) -> Result<bool, Problem> {
    let question = entry.state.question.as_ref().filter(|_| entry.waits_for_functions());
    let Some(Question::Functions { calls, .. }) = question else {
        let detail = "the run waits for no function of yours";
        return Err(Problem::conflict("no_call_waits", detail));
    };
    let mut given: BTreeSet<_> = entry.work.given.iter().cloned().collect();
    let mut problems = Problems::default();
    for (index, output) in outputs.iter().enumerate() {
        let at = format!("/outputs/{index}");
        if !calls.iter().any(|call| call.id == output.call) {
            let ids: Vec<&str> = calls.iter().map(|call| call.id.as_str()).collect();
            let wrong = super::agent::unknown(&ids, &output.call);
            problems.add(format!("{at}/call"), wrong.to_string());
        } else if !given.insert(output.call.clone()) {
            problems.add(format!("{at}/call"), "expected one result, got another one");
        }
        if output.output.len() > MAX_OUTPUT_BYTES {
            let detail = format!("expected at most {MAX_OUTPUT_BYTES} bytes, got more");
            problems.add(format!("{at}/output"), detail);
        }
    }
    problems.into_result()?;
    Ok(calls.iter().all(|call| given.contains(&call.id)))
}

/// Cancels what a run does, and waits for that for some time.
pub(super) async fn cancel(shared: &Shared, key: &RunKey) -> Result<RunState, Problem> {
    let mut entry = shared.entry(key).await?;
    if !entry.state.status.is_active() {
        return Ok(entry.state);
    }
    shared.send(key, &InboxRecord::Cancel).await?;
    let end = tokio::time::Instant::now() + CANCEL;
    loop {
        entry = shared.entry(key).await?;
        if !entry.state.status.is_active() {
            return Ok(entry.state);
        }
        if !entry.has_owner(shared.now_ms()) {
            match shared.end(entry.clone(), RunStatus::Cancelled, None).await {
                Ok(entry) => return Ok(entry.state),
                // A worker has taken it just now, and reads its inbox.
                Err(StoreError::Conflict(_)) => {}
                Err(error) => return Err(missing(key)(error)),
            }
        }
        if tokio::time::Instant::now() >= end {
            return Ok(entry.state);
        }
        tokio::time::sleep(LOOK).await;
    }
}

/// Deletes a run for good.
pub(super) async fn delete(shared: &Shared, key: &RunKey) -> Result<(), Problem> {
    cancel(shared, key).await?;
    if let Some(local) = shared.local(key) {
        local.forget.cancel();
    }
    shared.forget_key(key);
    shared.options.store.delete(key).await.map_err(missing(key))?;
    tracing::info!(target: AUDIT_TARGET, tenant = key.tenant, run = key.id, "a run was deleted");
    Ok(())
}
