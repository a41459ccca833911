//! Lists of runs, and the search in them.

use super::entry::Entry;
use super::shared::Shared;
use super::state::RunState;
use crate::problem::Problem;
use crate::store::{ListRuns, Record};
use mitt_base::text::cut_bytes;

/// Records that a search reads at once.
const AT_ONCE: usize = 50;

/// Most runs that one search looks at.
const MOST_SEARCHED: usize = 500;

/// Most bytes of an instruction and of an answer that are searched. People look for what they wrote themselves, which is short.
const MAX_SEARCHED_BYTES: usize = 64 * 1024;

/// Returns runs, newest first.
///
/// # Errors
///
/// The store failed.
pub(super) async fn list(
    shared: &Shared,
    tenant: &str,
    list: &ListRuns,
) -> Result<Vec<RunState>, Problem> {
    let records = shared.options.store.list(tenant, list).await?;
    let mut states = Vec::new();
    for record in records {
        let state = listed(shared, record, list.status.as_deref()).await?;
        // A list does not need what may be long.
        states.extend(state.map(|state| RunState {
            request: None,
            citations: Vec::new(),
            ..state
        }));
    }
    Ok(states)
}

/// Returns runs that contain `text`, newest first, and the identifier of the run before which the search goes on; `None` at the
/// end.
///
/// # Errors
///
/// The store failed.
pub(super) async fn search(
    shared: &Shared,
    tenant: &str,
    list: &ListRuns,
    text: &str,
) -> Result<(Vec<RunState>, Option<String>), Problem> {
    let text = text.to_lowercase();
    let mut batch = ListRuns { limit: AT_ONCE, ..list.clone() };
    let (mut found, mut n_searched) = (Vec::new(), 0);
    loop {
        let records = shared.options.store.list(tenant, &batch).await?;
        let is_last = records.len() < AT_ONCE;
        for record in records {
            n_searched += 1;
            batch.before = Some(record.id.clone());
            let state = listed(shared, record, list.status.as_deref()).await?;
            if let Some(state) = state
                && is_found(&state, &text).await
            {
                found.push(RunState { request: None, citations: Vec::new(), ..state });
            }
            if found.len() >= list.limit {
                return Ok((found, batch.before));
            }
        }
        if is_last {
            return Ok((found, None));
        }
        if n_searched >= MOST_SEARCHED {
            return Ok((found, batch.before));
        }
    }
}

/// Returns a run of a list; `None` if its status is not the wanted one any more.
async fn listed(
    shared: &Shared,
    record: Record,
    status: Option<&str>,
) -> Result<Option<RunState>, Problem> {
    let mut entry = Entry::read(record)?;
    if entry.is_abandoned(shared.now_ms()) {
        entry = shared.interrupt(entry).await?;
        if status.is_some_and(|status| status != entry.state.status.name()) {
            return Ok(None);
        }
    }
    Ok(Some(entry.state))
}

/// Does what [`contains`] does, after others had a turn: a search looks at many long texts.
async fn is_found(state: &RunState, text: &str) -> bool {
    tokio::task::yield_now().await;
    contains(state, text)
}

/// Returns `true` if the title, the first instruction or the last answer of a run contains `text`, which is in lower case. A
/// very long instruction is not in the record, and is not searched.
fn contains(state: &RunState, text: &str) -> bool {
    let instruction = state.request.as_ref().map(|request| request.instruction.as_str());
    let texts = [Some(state.title.as_str()), instruction, state.text.as_deref()];
    let searched = texts.into_iter().flatten().map(|it| cut_bytes(it, MAX_SEARCHED_BYTES));
    searched.map(str::to_lowercase).any(|it| it.contains(text))
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[tokio::test]
    async fn a_search_lets_others_run_between_two_runs() {
        let state = serde_json::json!({
            "id": "run_1", "status": "completed", "title": "The Heron", "model": "m", "created_ms": 1,
            "updated_ms": 1, "documents": [], "files": [], "usage": {}, "options": {},
        });
        let state: RunState = serde_json::from_value(state).unwrap();
        assert_eq!(is_found(&state, "heron").now_or_never(), None);
        assert!(is_found(&state, "heron").await && !is_found(&state, "kingfisher").await);
    }
}
