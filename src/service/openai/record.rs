//! What is kept of a response: where it stands in its run. Its output is made from the events of the run.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::ids::ResponseId;
use crate::problem::Problem;
use crate::run::{EventData, ForkPoint, RunEvent, RunStatus, RunUsage};
use crate::service::Service;
use crate::store::StoreError;

/// Table of the responses.
const TABLE: &str = "openai_responses";
/// Table of the runs that are deleted when nobody needs them any more.
const UNSTORED: &str = "openai_unstored";
/// Time after which a run that nobody wants stored is deleted: its files have links, and its functions may be answered.
const UNSTORED_LIFE: Duration = Duration::from_secs(60 * 60);
/// Documents that are read from the store at once.
const PAGE: usize = 100;

/// A response.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub(super) struct ResponseRecord {
    pub(super) run: String,
    /// Number of the response in its run, from 1.
    pub(super) number: u64,
    /// The last event of the run before the response.
    pub(super) after: u64,
    /// Records of the run's log before the response; 0 if an earlier version made it.
    #[serde(default)]
    pub(super) log: u64,
    /// What the models had used before.
    pub(super) usage: RunUsage,
    pub(super) begin: Begin,
    pub(super) created_ms: u64,
    pub(super) model: String,
    pub(super) previous: Option<String>,
    pub(super) background: bool,
    /// The container of the code interpreter.
    pub(super) container: Option<String>,
    /// SHA-256 of the [`Details`].
    pub(super) details: String,
    /// `true` if the client deleted it. Its place in the run stays taken.
    #[serde(default)]
    pub(super) is_deleted: bool,
}

/// The event with which a response begins.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
pub(super) enum Begin {
    /// The first one of the run.
    #[default]
    Created,
    /// An instruction.
    Said,
    /// Work of the model, after results of functions or an answer.
    Provided,
}

impl Begin {
    /// Returns `true` if the event belongs to the response, and not to the end of the one before.
    pub(super) fn begins_with(self, event: &RunEvent) -> bool {
        match self {
            Begin::Created => true,
            // A run that fails before it reads the instruction has begun to work, too.
            Begin::Said => matches!(
                event.data,
                EventData::Instruction { .. } | EventData::Status { status: RunStatus::Running }
            ),
            Begin::Provided => matches!(
                event.data,
                EventData::TurnStarted { .. }
                    | EventData::Text { .. }
                    | EventData::CallStarted { .. }
                    | EventData::CallEnded { .. }
                    | EventData::CallResult { .. }
                    | EventData::Answered { .. }
                    | EventData::Status { status: RunStatus::Queued | RunStatus::Running }
            ),
        }
    }
}

/// What is kept of the request.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub(super) struct Details {
    /// What the response repeats.
    pub(super) echo: Map<String, Value>,
    /// The items of the input.
    pub(super) items: Vec<Value>,
}

impl ResponseRecord {
    pub(super) fn id(&self) -> ResponseId {
        ResponseId { run: self.run.clone(), number: self.number }
    }
}

/// Returns a response that was not deleted.
pub(super) async fn find(
    service: &Service,
    tenant: &str,
    id: &str,
) -> Result<ResponseRecord, Problem> {
    let missing = || Problem::not_found("response", id);
    let parsed = ResponseId::parse(id).ok_or_else(missing)?;
    match any(service, tenant, &parsed).await? {
        Some(record) if !record.is_deleted => Ok(record),
        _ => Err(missing()),
    }
}

/// Returns a response, deleted or not.
async fn any(
    service: &Service,
    tenant: &str,
    id: &ResponseId,
) -> Result<Option<ResponseRecord>, Problem> {
    match service.store().document(tenant, TABLE, &id.to_string()).await {
        Ok(document) => Ok(Some(parsed(&document.value)?)),
        Err(StoreError::Missing) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Returns where the run is forked if this response is continued; `None` for the last response, with which the run itself goes on.
///
/// # Errors
///
/// 400 `previous_response_continued` - the next response goes on within the same instruction, so there is no place between them.
pub(super) async fn fork_after(
    service: &Service,
    tenant: &str,
    id: &ResponseId,
) -> Result<Option<ForkPoint>, Problem> {
    let next = ResponseId { run: id.run.clone(), number: id.number + 1 };
    let Some(next) = any(service, tenant, &next).await? else { return Ok(None) };
    if next.begin == Begin::Said && next.log > 0 {
        return Ok(Some(ForkPoint { log: next.log, events: next.after }));
    }
    let all = of_run(service, tenant, &id.run).await?;
    let last = all.into_iter().max_by_key(|it| it.number).filter(|it| !it.is_deleted);
    Err(not_the_last(last.map(|it| it.id()).as_ref()))
}

/// Returns all responses of a run, deleted or not.
pub(super) async fn of_run(
    service: &Service,
    tenant: &str,
    run: &str,
) -> Result<Vec<ResponseRecord>, Problem> {
    let prefix = ResponseId::prefix(run);
    let (mut after, mut records) = (prefix.clone(), Vec::new());
    loop {
        let page = service.store().documents(tenant, TABLE, Some(&after), PAGE).await?;
        for document in &page {
            if !document.key.starts_with(&prefix) {
                return Ok(records);
            }
            records.push(parsed(&document.value)?);
        }
        match page.last() {
            Some(last) if page.len() == PAGE => after.clone_from(&last.key),
            _ => return Ok(records),
        }
    }
}

/// Stores a new response. Its place in the run must be free, so of two requests that continue the same response one fails.
pub(super) async fn enter(
    service: &Service,
    tenant: &str,
    mut record: ResponseRecord,
    details: &Details,
) -> Result<ResponseRecord, Problem> {
    let content = serde_json::to_vec(details).map_err(mitt_base::Error::bug)?;
    let mut writer = service.store().blob_writer(tenant).await?;
    writer.write(&content).await?;
    // The run owns it, so it is deleted with the run.
    record.details = writer.finish(&format!("run:{}", record.run)).await?.sha256;
    let value = serde_json::to_vec(&record).map_err(mitt_base::Error::bug)?;
    let key = record.id().to_string();
    match service.store().put_document(tenant, TABLE, &key, value.into(), Some(0), None).await {
        Ok(_) => Ok(record),
        Err(StoreError::Conflict(_)) => Err(continued_now()),
        Err(error) => Err(error.into()),
    }
}

/// Takes back a new response whose run could not be continued.
pub(super) async fn withdraw(service: &Service, tenant: &str, record: &ResponseRecord) {
    let key = record.id().to_string();
    let _ = service.store().delete_document(tenant, TABLE, &key).await;
}

/// Returns what is kept of a response's request.
pub(super) async fn details(
    service: &Service,
    tenant: &str,
    record: &ResponseRecord,
) -> Result<Details, Problem> {
    let blob = service.store().blob(tenant, &record.details).await?;
    let (size, mut content) = (blob.size(), Vec::new());
    while (content.len() as u64) < size {
        let piece = blob.read(content.len() as u64, 1024 * 1024).await?;
        if piece.is_empty() {
            break;
        }
        content.extend_from_slice(&piece);
    }
    Ok(serde_json::from_slice(&content).map_err(mitt_base::Error::bug)?)
}

/// Deletes a response. With the last one of its run, the run is deleted too.
pub(super) async fn delete(
    service: &Service,
    tenant: &str,
    record: ResponseRecord,
) -> Result<(), Problem> {
    let (run, number) = (record.run.clone(), record.number);
    let all = of_run(service, tenant, &run).await?;
    if all.iter().all(|it| it.is_deleted || it.number == number) {
        return delete_run(service, tenant, &run).await;
    }
    let deleted = ResponseRecord { is_deleted: true, ..record };
    let value = serde_json::to_vec(&deleted).map_err(mitt_base::Error::bug)?;
    let key = deleted.id().to_string();
    service.store().put_document(tenant, TABLE, &key, value.into(), None, None).await?;
    Ok(())
}

async fn delete_run(service: &Service, tenant: &str, run: &str) -> Result<(), Problem> {
    match service.delete_run(tenant, run).await {
        Err(problem) if problem.status != 404 => Err(problem),
        // Somebody deleted it over another interface.
        _ => Ok(()),
    }
}

/// Deletes the responses of a run that was deleted.
///
/// # Errors
///
/// The store failed.
pub(crate) async fn clear(service: &Service, tenant: &str, run: &str) -> Result<(), Problem> {
    let records = of_run(service, tenant, run).await?;
    // Another identifier may have the same beginning.
    for record in records.iter().filter(|it| it.run == run) {
        let key = record.id().to_string();
        service.store().delete_document(tenant, TABLE, &key).await?;
    }
    service.store().delete_document(tenant, UNSTORED, run).await?;
    Ok(())
}

/// Notes that a run is deleted as soon as nobody needs it.
pub(super) async fn mark_unstored(
    service: &Service,
    tenant: &str,
    run: &str,
) -> Result<(), Problem> {
    let until_ms = (service.now() + UNSTORED_LIFE).as_millis();
    let value = until_ms.to_string().into_bytes();
    service.store().put_document(tenant, UNSTORED, run, value.into(), None, None).await?;
    Ok(())
}

/// Deletes a run that nobody wants stored.
pub(super) async fn forget(service: &Service, tenant: &str, run: &str) {
    if let Err(problem) = delete_run(service, tenant, run).await {
        tracing::warn!(run, code = problem.code, "a run that is not stored could not be deleted");
    }
}

/// Deletes runs that nobody wants stored and whose time is over: their clients never came back.
pub(super) async fn sweep(service: &Service, tenant: &str) -> Result<(), Problem> {
    let now = service.now_ms();
    for document in service.store().documents(tenant, UNSTORED, None, PAGE).await? {
        let until = std::str::from_utf8(&document.value).ok().and_then(|it| it.parse().ok());
        if until.is_some_and(|until: u64| now < until) {
            continue;
        }
        match service.runs().get(tenant, &document.key).await {
            // It works longer than that.
            Ok(state) if state.status.is_active() && state.question.is_none() => {}
            Ok(_) => forget(service, tenant, &document.key).await,
            Err(problem) if problem.status == 404 => forget(service, tenant, &document.key).await,
            Err(problem) => return Err(problem),
        }
    }
    Ok(())
}

/// The problem of a request that continues a response from which the run went on within the same instruction. `last` is the last
/// response of the run, if a client can continue it.
fn not_the_last(last: Option<&ResponseId>) -> Problem {
    let detail =
        "a later response goes on with the same instruction already: with its results or answers";
    let (detail, way_out) = match last {
        Some(last) => (
            format!("{detail}; the last response of the run is `{last}`"),
            "name that one, or one that ends an instruction, or send",
        ),
        None => (format!("{detail}; the last response of the run was deleted"), "send"),
    };
    super::error::at("/previous_response_id", "previous_response_continued", detail)
        .hint(format!("{way_out} the earlier messages as `input` of a new response"))
}

/// The problem of a request that continues a response at the same moment as another one.
fn continued_now() -> Problem {
    let detail = "another request continues this response at the same moment";
    super::error::at("/previous_response_id", "previous_response_continued", detail)
        .hint("send the request again: it continues the response in a run of its own")
}

fn parsed(value: &[u8]) -> Result<ResponseRecord, Problem> {
    Ok(serde_json::from_slice(value).map_err(mitt_base::Error::bug)?)
}
