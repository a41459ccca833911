//! Creates runs: checks the request, stores its documents, and submits it.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;

use super::check::{self, Problems};
use super::documents::write;
use super::entry::{Current, DayBudget, DocumentOrigin, Entry, NewDocument, Work};
use super::options::{EXAMPLE_KEY, EXAMPLE_MODEL, Policy};
use super::quota::{check_active, check_kept, inline_bytes, room};
use super::shared::Shared;
use super::spec::{CreateRun, DocumentSource, RunOptions};
use super::state::{RunDocument, RunState};
use super::usage::check_budget;
use super::writer::owner_of;
use crate::files::Files;
use crate::problem::Problem;
use crate::store::{
    IdempotencyKey, RunKey, StoreError, StoreResult, Submitted, new_id, read_whole,
};
use mitt_base::digest::sha256;
use mitt_base::limits::MIB;
use mitt_base::{Error, text};
use mitt_serve::AUDIT_TARGET;

/// Most bytes of a document in a request.
pub(super) const MAX_INLINE_BYTES: usize = 8 * MIB as usize;

/// Most bytes of an idempotency key.
const MAX_KEY_BYTES: usize = 255;

/// Most bytes of a request in the record of its run, which is written again and again.
const MAX_KEPT_REQUEST: usize = 64 * 1024;

/// Characters of a title that is made of an instruction.
const TITLE: usize = 80;

/// Returns what a tenant may use in a day.
pub(super) fn budget_of(policy: &Policy) -> DayBudget {
    DayBudget {
        tokens: policy.tokens_per_day,
        picodollars: policy.cost_per_day.map(|cost| cost.picodollars()),
    }
}

/// Creates a run, or returns the one that the same request created before, and `false`. Whether it is the same, the key says.
///
/// # Errors
///
/// 422 `invalid_body` with all problems; 429 `budget_exhausted`, `quota_exceeded`; 403 `key_not_allowed`.
pub(super) async fn create(
    shared: &Shared,
    tenant: &str,
    policy: &Policy,
    request: CreateRun,
    model_key: Option<String>,
    idempotency: Option<IdempotencyKey>,
) -> Result<(RunState, bool), Problem> {
    let options = &shared.options;
    let mut problems = Problems::default();
    check::request(options, policy, &request, &mut problems);
    check::word_rules(shared, tenant, &request.options, &mut problems).await?;
    check::documents(&request.documents, MAX_INLINE_BYTES, &mut problems);
    let model = check::model_of(options, policy, request.model.as_deref(), &mut problems)?;
    problems.into_result()?;
    check_key(policy, model_key.as_deref())?;
    let own = (model.as_str(), model_key.as_deref());
    check::run_models(shared, policy, &request.options, own)?;
    // What was done before needs neither a budget nor a quota.
    if let Some(key) = &idempotency
        && let Some(state) = created(shared, tenant, key).await?
    {
        return Ok((state, false));
    }
    let budget = budget_of(policy);
    let now = options.host.environment().now();
    check_budget(&*options.store, tenant, now, budget).await?;
    room(&*options.store, tenant, policy).await?.check(inline_bytes(&request.documents))?;
    let new = NewRun { request, model, budget, model_key, idempotency };
    submit(shared, tenant, policy, new).await
}

/// Returns the run that a request with this key created; `None` if there is none.
///
/// # Errors
///
/// 422 `idempotency_key_reused` - it was another request.
pub(super) async fn created(
    shared: &Shared,
    tenant: &str,
    key: &IdempotencyKey,
) -> Result<Option<RunState>, Problem> {
    match shared.options.store.submitted(tenant, key).await? {
        Some(record) => Ok(Some(shared.entry(&record.key()).await?.state)),
        None => Ok(None),
    }
}

/// Creates a run of an example. Its model costs nothing and belongs to no list, so it needs no policy but the budget.
///
/// # Errors
///
/// 404 `not_found` - there is no such example; 429 `budget_exhausted`.
pub(super) async fn example(
    shared: &Shared,
    tenant: &str,
    policy: &Policy,
    name: &str,
) -> Result<RunState, Problem> {
    let options = &shared.options;
    let Some(example) = options.example(name) else {
        return Err(Problem::not_found("example", name));
    };
    let budget = budget_of(policy);
    let now = options.host.environment().now();
    check_budget(&*options.store, tenant, now, budget).await?;
    let document = |(name, content): &(String, Vec<u8>)| DocumentSource::Content {
        name: name.clone(),
        content: STANDARD.encode(content),
    };
    let request = CreateRun {
        instruction: example.instruction.clone(),
        documents: example.documents.iter().map(document).collect(),
        model: Some(EXAMPLE_MODEL.to_owned()),
        title: Some(example.title.clone()),
        // A recording decides nothing, and gives no work to agents.
        options: RunOptions { no_routing: true, agents: Some(Vec::new()), ..RunOptions::default() },
        metadata: BTreeMap::from([(EXAMPLE_KEY.to_owned(), example.name.clone())]),
        ..CreateRun::default()
    };
    let model = EXAMPLE_MODEL.to_owned();
    let new = NewRun { request, model, budget, model_key: None, idempotency: None };
    room(&*options.store, tenant, policy).await?.check(inline_bytes(&new.request.documents))?;
    submit(shared, tenant, policy, new).await.map(|(state, _)| state)
}

/// A run that was checked.
struct NewRun {
    request: CreateRun,
    model: String,
    budget: DayBudget,
    model_key: Option<String>,
    idempotency: Option<IdempotencyKey>,
}

/// Stores the documents of a new run and submits it.
async fn submit(
    shared: &Shared,
    tenant: &str,
    policy: &Policy,
    NewRun { mut request, model, budget, model_key, idempotency }: NewRun,
) -> Result<(RunState, bool), Problem> {
    let options = &shared.options;
    // Before anything is stored. Below they are checked once more.
    check_kept(shared, tenant, policy).await?;
    check_active(shared, tenant, policy).await?;
    let key = RunKey { tenant: tenant.to_owned(), id: new_id("run_")? };
    let sources = std::mem::take(&mut request.documents);
    let documents = match stored_documents(shared, &key, sources).await {
        Ok(documents) => documents,
        Err(problem) => {
            release(shared, &key).await;
            return Err(problem);
        }
    };
    let created_ms = shared.now_ms();
    let title = request.title.clone().unwrap_or_else(|| title_of(&request.instruction));
    let mut work = Work {
        documents: documents.iter().map(|it| it.origin.clone()).collect(),
        current: Some(Current { inbox: None, before: 0 }),
        budget,
        has_own_key: model_key.is_some(),
        container: request.container.clone(),
        // Only here, because later instructions have demands of their own.
        demand: std::mem::take(&mut request.demand).with_schema(request.output_schema.take()),
        ..Work::default()
    };
    let (kept, blob) = match kept_request(shared, &key, &request).await {
        Ok(kept) => kept,
        Err(problem) => {
            release(shared, &key).await;
            return Err(problem);
        }
    };
    work.request = blob;
    let own_model_key = work.has_own_key;
    let state = RunState {
        title,
        documents: documents.into_iter().map(run_document).collect(),
        options: request.options.clone(),
        metadata: request.metadata.clone(),
        request: kept,
        ..RunState::new(&key.id, model, created_ms)
    };
    // Before a worker can take the run.
    if let Some(model_key) = model_key {
        shared.keep_key(&key, model_key);
    }
    let record = Entry::new(tenant, state, work).to_record()?;
    let submitted = within_quotas(shared, tenant, policy, async {
        Ok(options.store.submit(record, idempotency.as_ref()).await?)
    });
    let submitted = submitted.await;
    if !matches!(submitted, Ok(Submitted::New(_))) {
        shared.forget_key(&key);
        release(shared, &key).await;
    }
    match submitted? {
        Submitted::New(record) => {
            tracing::info!(
                target: AUDIT_TARGET, tenant, run = key.id, own_model_key, "a run was created"
            );
            Ok((Entry::read(record)?.state, true))
        }
        Submitted::Known(record) => {
            let state = shared.entry(&record.key()).await?.state;
            Ok((state, false))
        }
    }
}

/// Stores a new run, unless the tenant has as many as it may have. Runs of a tenant with a quota are stored one after the other,
/// so that requests at the same time do not exceed it together.
async fn within_quotas<T>(
    shared: &Shared,
    tenant: &str,
    policy: &Policy,
    stored: impl Future<Output = Result<T, Problem>>,
) -> Result<T, Problem> {
    if policy.runs.is_none() && policy.active_runs.is_none() {
        return stored.await;
    }
    let _turn = shared.counting.lock().await;
    check_kept(shared, tenant, policy).await?;
    check_active(shared, tenant, policy).await?;
    stored.await
}

/// Returns the title of a run whose request has none: the instruction on one line, cut where it is longer than a title.
pub(super) fn title_of(instruction: &str) -> String {
    // Lines become one, with a space between them.
    let instruction = instruction.split_whitespace().collect::<Vec<_>>().join(" ");
    if instruction.chars().nth(TITLE).is_none() {
        return text::one_line(&instruction);
    }
    let start: String = instruction.chars().take(TITLE - 1).collect();
    format!("{}…", text::one_line(start.trim_end()))
}

/// Returns the request for the record of the run, or stores it as a file of the run and returns its digest.
pub(super) async fn kept_request(
    shared: &Shared,
    key: &RunKey,
    request: &CreateRun,
) -> Result<(Option<Box<CreateRun>>, Option<String>), Problem> {
    let bytes = serde_json::to_vec(request).map_err(Error::bug)?;
    if bytes.len() <= MAX_KEPT_REQUEST {
        return Ok((Some(Box::new(request.clone())), None));
    }
    let blob = write(&*shared.options.store, key, &bytes).await?;
    Ok((None, Some(blob.sha256)))
}

/// Returns the request that created a run.
///
/// # Errors
///
/// The store failed.
pub(super) async fn request_of(
    shared: &Shared,
    key: &RunKey,
    entry: &Entry,
) -> StoreResult<CreateRun> {
    let Some(sha256) = &entry.work.request else {
        return Ok(entry.state.request.as_deref().cloned().unwrap_or_default());
    };
    let bytes = read_whole(&*shared.options.store, &key.tenant, sha256).await?;
    Ok(serde_json::from_slice(&bytes).map_err(Error::bug)?)
}

/// Checks that a tenant may bring a key.
///
/// # Errors
///
/// 403 `key_not_allowed` - it may not.
pub(super) fn check_key(policy: &Policy, key: Option<&str>) -> Result<(), Problem> {
    match key {
        Some(_) if !policy.may_bring_key => {
            Err(Problem::new(403, "key_not_allowed", "you may not send a key of a model's service")
                .hint("leave out `X-Model-Key`; the service has its own keys"))
        }
        _ => Ok(()),
    }
}

/// Releases what was stored for a run that does not exist.
pub(super) async fn release(shared: &Shared, key: &RunKey) {
    let released = shared.options.store.release(&key.tenant, &owner_of(&key.id)).await;
    if let Err(error) = released {
        tracing::warn!(run = key.id, ?error, "files of a run that was not created stay");
    }
}

/// Returns the key with the hash of a request. Its members have an order, so that equal requests have equal hashes.
///
/// # Errors
///
/// 400 `invalid_idempotency_key` - the key is too long or empty.
pub(super) fn idempotency_key(
    key: &str,
    request: &(impl Serialize + ?Sized),
) -> Result<IdempotencyKey, Problem> {
    if key.is_empty() || key.len() > MAX_KEY_BYTES {
        let detail =
            format!("`Idempotency-Key`: expected 1 to {MAX_KEY_BYTES} bytes, got {}", key.len());
        return Err(Problem::bad("invalid_idempotency_key", detail));
    }
    let canonical = serde_json::to_vec(request).map_err(Error::bug)?;
    Ok(IdempotencyKey { key: key.to_owned(), request: sha256(&canonical) })
}

pub(super) fn run_document(new: NewDocument) -> RunDocument {
    RunDocument { name: new.name, sha256: new.sha256, size: new.size, summary: None }
}

/// Stores the documents of a request, so that the run owns them.
///
/// # Errors
///
/// 422 `invalid_body` with all documents that are wrong.
pub(super) async fn stored_documents(
    shared: &Shared,
    key: &RunKey,
    sources: Vec<DocumentSource>,
) -> Result<Vec<NewDocument>, Problem> {
    let store = &*shared.options.store;
    let files = Files::new(shared.options.store.clone());
    let (mut documents, mut problems) = (Vec::new(), Problems::default());
    for (index, source) in sources.into_iter().enumerate() {
        let at = format!("/documents/{index}");
        match source {
            DocumentSource::File { file, name } => match files.get(&key.tenant, &file).await {
                Ok(uploaded) => {
                    let kept = store.keep(&key.tenant, &uploaded.sha256, &owner_of(&key.id)).await;
                    match kept {
                        Ok(()) => documents.push(NewDocument {
                            name: name.unwrap_or(uploaded.name),
                            sha256: uploaded.sha256,
                            size: uploaded.size,
                            origin: DocumentOrigin::Stored,
                        }),
                        Err(StoreError::Missing) => {
                            problems.add(format!("{at}/file"), "its content is gone");
                        }
                        Err(error) => return Err(error.into()),
                    }
                }
                Err(problem) if problem.status == 404 => {
                    problems.add(format!("{at}/file"), problem.detail.clone());
                }
                Err(problem) => return Err(problem),
            },
            DocumentSource::Url { url, name } => {
                let last = url.split(['?', '#']).next().and_then(|path| path.rsplit('/').next());
                let shown = name.clone().or(last.map(str::to_owned)).unwrap_or_default();
                let origin = DocumentOrigin::Url { url, name };
                documents.push(NewDocument { name: shown, sha256: String::new(), size: 0, origin });
            }
            DocumentSource::Text { name, text } => {
                documents.push(inline(shared, key, name, text.as_bytes()).await?);
            }
            DocumentSource::Content { name, content } => match STANDARD.decode(content.trim()) {
                Ok(content) => documents.push(inline(shared, key, name, &content).await?),
                Err(error) => {
                    problems.add(format!("{at}/content"), format!("expected base64: {error}"));
                }
            },
        }
    }
    problems.into_result().map(|()| documents)
}

async fn inline(
    shared: &Shared,
    key: &RunKey,
    name: String,
    content: &[u8],
) -> Result<NewDocument, Problem> {
    let blob = write(&*shared.options.store, key, content).await?;
    let (sha256, size) = (blob.sha256, blob.size);
    Ok(NewDocument { name, sha256, size, origin: DocumentOrigin::Stored })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_title_of_a_long_instruction_is_its_beginning() {
        assert_eq!(title_of("  A report\n"), "A report");
        assert_eq!(title_of("A report\nas PDF"), "A report as PDF");
        assert_eq!(title_of(&"年".repeat(TITLE)), "年".repeat(TITLE));
        assert_eq!(title_of(&"年".repeat(TITLE + 1)), format!("{}…", "年".repeat(TITLE - 1)));
        assert_eq!(title_of(&format!("A {}", " ".repeat(100))), "A");
        assert_eq!(title_of(&format!("A{}b", " ".repeat(100))), "A b");
    }
}
