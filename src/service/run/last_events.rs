//! Reads the last stored events of a run, for what its record does not have after the end of its process.

use super::entry::Entry;
use super::event::{EventData, RunEvent};
use super::output::RunOutput;
use super::state::{RunState, RunUsage};
use crate::store::{RunKey, Store, StoreResult, Stream};

/// Events that are read at once.
const AT_ONCE: u64 = 64;

/// Events at the end of a run among which its answer is looked for.
const LAST_EVENTS: u64 = 64;

/// Returns what the models had used by the last event, number `last`, of the work that a run had begun; nothing if no event says
/// so.
pub(super) async fn last_usage(
    store: &dyn Store,
    entry: &Entry,
    last: u64,
) -> StoreResult<RunUsage> {
    let (key, begun_after) = (entry.key(), entry.work.begun_after.unwrap_or_default());
    let mut end = last;
    while end > begun_after {
        let start = end.saturating_sub(AT_ONCE).max(begun_after);
        let read = events(store, &key, start, end).await?;
        let usage = read.iter().rev().find_map(|event| match &event.data {
            EventData::Usage { usage } | EventData::Ended { usage, .. } => Some(*usage),
            _ => None,
        });
        if let Some(usage) = usage {
            return Ok(usage);
        }
        end = start;
    }
    Ok(RunUsage::default())
}

/// Returns the events after number `after` up to number `last`, without those that a later version wrote.
pub(super) async fn events(
    store: &dyn Store,
    key: &RunKey,
    after: u64,
    last: u64,
) -> StoreResult<Vec<RunEvent>> {
    let (mut events, mut read) = (Vec::new(), after);
    while read < last {
        let most = usize::try_from(last - read).unwrap_or(usize::MAX);
        let records = store.read(key, Stream::Events, read, most).await?;
        if records.is_empty() {
            break;
        }
        read += records.len() as u64;
        for record in &records {
            events.extend(serde_json::from_slice::<RunEvent>(record).ok());
        }
    }
    Ok(events)
}

/// Returns a state with the value of its answer, if the answer has one.
///
/// # Errors
///
/// The store failed.
pub(super) async fn with_output(
    store: &dyn Store,
    key: &RunKey,
    mut state: RunState,
) -> StoreResult<RunState> {
    if state.has_output {
        state.output = match state.text.as_deref().and_then(RunOutput::of) {
            Some(output) => Some(output),
            // The record has the beginning of a long answer, and the event the whole.
            None => last_output(store, key).await?,
        };
    }
    Ok(state)
}

async fn last_output(store: &dyn Store, key: &RunKey) -> StoreResult<Option<RunOutput>> {
    let last = store.last(key, Stream::Events).await?;
    let read = events(store, key, last.saturating_sub(LAST_EVENTS), last).await?;
    Ok(read.iter().rev().find_map(|event| match &event.data {
        EventData::Ended { text: Some(text), has_output: true, .. } => RunOutput::of(text),
        _ => None,
    }))
}
