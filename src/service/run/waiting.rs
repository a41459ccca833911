//! Instructions that wait for a run: which there are, which were sent before, and which a client takes back.

use std::time::Duration;

use super::entry::{InboxRecord, MessageKey};
use super::shared::{Shared, missing};
use super::state::{RunState, WaitingInstruction};
use crate::problem::Problem;
use crate::store::{RunKey, Store, StoreError, StoreResult, Stream};
use mitt_base::text;

/// Characters of an instruction in the state of its run.
const SHOWN_CHARACTERS: u64 = 1_000;

/// Records that are read at once.
const AT_ONCE: u64 = 64;

/// Time for which a key of an instruction is known.
const KEY_LIFE: Duration = Duration::from_secs(24 * 60 * 60);

/// Longest wait for the owner of a run to take an instruction back.
const WITHDRAWN: Duration = Duration::from_secs(5);

/// Time between two looks at a run.
const LOOK: Duration = Duration::from_millis(5);

/// Returns a state with the instructions that wait.
///
/// # Errors
///
/// The tenant has no such run.
pub(super) async fn with_waiting(
    store: &dyn Store,
    key: &RunKey,
    state: RunState,
) -> Result<RunState, Problem> {
    let waiting = waiting(store, key, state.inbox_done).await.map_err(missing(key))?;
    Ok(RunState { waiting, ..state })
}

/// Returns the instructions in the inbox that are not begun. `done` is the number of the last record that is done.
async fn waiting(
    store: &dyn Store,
    key: &RunKey,
    done: u64,
) -> StoreResult<Vec<WaitingInstruction>> {
    let last = store.last(key, Stream::Inbox).await?;
    let mut waiting: Vec<WaitingInstruction> = Vec::new();
    for (number, record) in records(store, key, done, last).await? {
        match record {
            Some(InboxRecord::Message { text, sent_ms, .. }) => {
                let text = text::cut_chars(&text, SHOWN_CHARACTERS).0.to_owned();
                waiting.push(WaitingInstruction { number, text, created_ms: sent_ms });
            }
            Some(InboxRecord::Withdraw { message }) => waiting.retain(|it| it.number != message),
            Some(InboxRecord::Cancel) => waiting.clear(),
            _ => {}
        }
    }
    Ok(waiting)
}

/// Returns `true` if an instruction with this key is among the first `last` records of the inbox, and was sent in the last day.
///
/// # Errors
///
/// [`StoreError::KeyReused`] - it was another instruction.
pub(super) async fn was_sent(
    store: &dyn Store,
    key: &RunKey,
    sent: &MessageKey,
    (last, now_ms): (u64, u64),
) -> StoreResult<bool> {
    let life_ms = u64::try_from(KEY_LIFE.as_millis()).unwrap_or(u64::MAX);
    let mut end = last;
    while end > 0 {
        let start = end.saturating_sub(AT_ONCE);
        for (_, record) in records(store, key, start, end).await?.into_iter().rev() {
            let Some(InboxRecord::Message { key: known, sent_ms, .. }) = record else { continue };
            if sent_ms.saturating_add(life_ms) <= now_ms {
                return Ok(false);
            }
            if let Some(known) = known.filter(|known| known.key == sent.key) {
                let is_same = known.request == sent.request;
                return if is_same { Ok(true) } else { Err(StoreError::KeyReused) };
            }
        }
        end = start;
    }
    Ok(false)
}

/// Returns the records of the inbox after number `after` up to number `last`, with their numbers; `None` for one of a later
/// version.
async fn records(
    store: &dyn Store,
    key: &RunKey,
    after: u64,
    last: u64,
) -> StoreResult<Vec<(u64, Option<InboxRecord>)>> {
    let (mut records, mut read) = (Vec::new(), after);
    while read < last {
        let most = usize::try_from(last - read).unwrap_or(usize::MAX);
        let more = store.read(key, Stream::Inbox, read, most).await?;
        if more.is_empty() {
            break;
        }
        for record in more {
            read += 1;
            records.push((read, serde_json::from_slice(&record).ok()));
        }
    }
    Ok(records)
}

/// Takes an instruction back that the model has not begun.
///
/// # Errors
///
/// 404 `not_found` - no such instruction waits; 503 `busy` - the owner of the run did not say in time whether it was begun.
pub(super) async fn withdraw(shared: &Shared, key: &RunKey, number: u64) -> Result<(), Problem> {
    let store = &*shared.options.store;
    let gone = || Problem::not_found("instruction that waits", &number.to_string());
    let entry = shared.entry(key).await?;
    let waits = waiting(store, key, entry.state.inbox_done).await.map_err(missing(key))?;
    if !waits.iter().any(|it| it.number == number) {
        return Err(gone());
    }
    let record = shared.send(key, &InboxRecord::Withdraw { message: number }).await?;
    let end = tokio::time::Instant::now() + WITHDRAWN;
    loop {
        let entry = shared.entry(key).await?;
        let withdrawn = entry.work.withdrawals.iter().find(|it| it.record == record);
        if let Some(withdrawn) = withdrawn {
            return if withdrawn.is_done { Ok(()) } else { Err(gone()) };
        }
        if !entry.has_owner(shared.now_ms()) {
            // The worker that takes the run reads both records before it begins anything.
            return if entry.state.inbox_done < number { Ok(()) } else { Err(gone()) };
        }
        if tokio::time::Instant::now() >= end {
            let problem = Problem::new(503, "busy", "the run did not answer in time");
            return Err(problem.hint("read the run again").retry_after(1));
        }
        tokio::time::sleep(LOOK).await;
    }
}
