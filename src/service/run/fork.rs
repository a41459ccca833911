//! Makes a run of the beginning of another one, so that a client can go on from an earlier answer.

use bytes::Bytes;

use super::check;
use super::create::{budget_of, check_key, kept_request, release, request_of};
use super::entry::{DocumentOrigin, Entry, Work};
use super::event::{EventData, RunEvent};
use super::last_events::events;
use super::options::Policy;
use super::quota::check_kept;
use super::shared::{Shared, missing};
use super::state::{RunDocument, RunFile, RunState, RunStatus};
use super::usage::check_budget;
use super::writer::owner_of;
use crate::problem::Problem;
use crate::store::{RunKey, StoreError, Stream, new_id};
use mitt_agent::{LoggedRun, MAX_LOG_BYTES};
use mitt_base::Error;
use mitt_serve::AUDIT_TARGET;

/// Records that are read at once.
const AT_ONCE: usize = 256;

/// A place in a run between two instructions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ForkPoint {
    /// Records of the log before it.
    pub(crate) log: u64,
    /// Number of the last event before it.
    pub(crate) events: u64,
}

/// What is before a place in a run.
struct Before {
    lines: Vec<Bytes>,
    run: LoggedRun,
    files: Vec<RunFile>,
}

/// Makes a run that has what another one had at a place: its conversation, its documents and its files. The other run stays as it
/// is.
///
/// # Errors
///
/// 404 - the tenant has no such run; 429 `budget_exhausted`, `quota_exceeded`; 403 `key_not_allowed`, `model_not_allowed`.
pub(super) async fn fork(
    shared: &Shared,
    policy: &Policy,
    of: &RunKey,
    point: ForkPoint,
    model_key: Option<String>,
) -> Result<RunState, Problem> {
    let (store, tenant) = (&*shared.options.store, of.tenant.as_str());
    check_key(policy, model_key.as_deref())?;
    let entry = shared.entry(of).await?;
    if !check::models_of(&shared.options, policy).iter().any(|it| it.name == entry.state.model) {
        let detail = format!("you may not use the model `{}` any more", entry.state.model);
        return Err(Problem::new(403, "model_not_allowed", detail).hint("begin a new run"));
    }
    let now = shared.options.host.environment().now();
    check_budget(store, tenant, now, budget_of(policy)).await?;
    check_kept(shared, tenant, policy).await?;
    let before = before(shared, of, point).await?;
    let key = RunKey { tenant: tenant.to_owned(), id: new_id("run_")? };
    let made = made(shared, policy, (&entry, of), (&key, before), model_key.is_some()).await;
    match made {
        Ok(state) => {
            if let Some(model_key) = model_key {
                shared.keep_key(&key, model_key);
            }
            let (run, from) = (&key.id, &of.id);
            tracing::info!(target: AUDIT_TARGET, tenant, run, from, "a run was forked");
            Ok(state)
        }
        Err(problem) => {
            release(shared, &key).await;
            Err(problem)
        }
    }
}

/// Reads what is before a place.
async fn before(shared: &Shared, of: &RunKey, point: ForkPoint) -> Result<Before, Problem> {
    let store = &*shared.options.store;
    let (mut lines, mut text) = (Vec::new(), Vec::new());
    while (lines.len() as u64) < point.log {
        let left = usize::try_from(point.log).unwrap_or(usize::MAX) - lines.len();
        let read = store.read(of, Stream::Log, lines.len() as u64, left.min(AT_ONCE)).await;
        let read = read.map_err(missing(of))?;
        if read.is_empty() || text.len() as u64 > MAX_LOG_BYTES {
            break;
        }
        for line in read {
            text.extend_from_slice(&line);
            text.push(b'\n');
            lines.push(line);
        }
    }
    let run = LoggedRun::read(&*text)?;
    let mut files: Vec<RunFile> = Vec::new();
    let happened = events(store, of, 0, point.events).await.map_err(missing(of))?;
    for event in happened {
        if let EventData::File { file, .. } = event.data {
            // A later file of the same name replaces it.
            files.retain(|it| it.name != file.name);
            files.push(file);
        }
    }
    Ok(Before { lines, run, files })
}

/// Stores the new run. If it fails, what the run owns is left to be released.
async fn made(
    shared: &Shared,
    policy: &Policy,
    (entry, of): (&Entry, &RunKey),
    (key, before): (&RunKey, Before),
    has_own_key: bool,
) -> Result<RunState, Problem> {
    let store = &*shared.options.store;
    let Before { lines, run, mut files } = before;
    let (documents, origins) = documents(entry, &run);
    for document in documents.iter().filter(|it| !it.sha256.is_empty()) {
        store.keep(&key.tenant, &document.sha256, &owner_of(&key.id)).await?;
    }
    let mut kept = Vec::new();
    for file in files.drain(..) {
        match store.keep(&key.tenant, &file.sha256, &owner_of(&key.id)).await {
            Ok(()) => kept.push(file),
            // An early version that was replaced since may be gone.
            Err(StoreError::Missing) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let request = request_of(shared, of, entry).await?;
    let (request, request_file) = kept_request(shared, key, &request).await?;
    let created_ms = shared.now_ms();
    let work = Work {
        documents: origins,
        request: request_file,
        budget: budget_of(policy),
        container: entry.work.container.clone(),
        has_own_key,
        ..Work::default()
    };
    let of = entry.state.clone();
    let state = RunState {
        status: RunStatus::Completed,
        title: of.title,
        documents,
        files: kept,
        options: of.options,
        metadata: of.metadata,
        request,
        ..RunState::new(&key.id, of.model, created_ms)
    };
    store.submit(Entry::new(&key.tenant, state.clone(), work).to_record()?, None).await?;
    let mut last = 0;
    for lines in lines.chunks(AT_ONCE) {
        last = store.append(key, Stream::Log, Some(last), lines).await?;
    }
    let data = EventData::Status { status: RunStatus::Completed };
    let event = RunEvent { number: 1, time_ms: created_ms, agent: None, data };
    let event = Bytes::from(serde_json::to_vec(&event).map_err(Error::bug)?);
    store.append(key, Stream::Events, Some(0), &[event]).await?;
    Ok(state)
}

/// Returns the documents that the conversation knew, with their origins. Later ones are left out.
fn documents(entry: &Entry, run: &LoggedRun) -> (Vec<RunDocument>, Vec<DocumentOrigin>) {
    let all = entry.state.documents.iter().zip(&entry.work.documents);
    let known = all.filter(|(document, _)| run.documents().any(|it| it.name == document.name));
    known.map(|(document, origin)| (document.clone(), origin.clone())).unzip()
}
