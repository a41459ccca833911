//! Recovers runs whose process ended without giving them back, from the events that it had stored.

use super::entry::Entry;
use super::event::EventData;
use super::keeper::written;
use super::last_events::events;
use super::shared::Shared;
use super::state::{Failure, RunStatus};
use crate::store::{StoreResult, Stream};

/// Code of a run whose processes ended again and again.
const LOST_AGAIN: &str = "process_lost_again";

impl Shared {
    /// Ends the work on a run whose process has ended: as its last event says, if only the record of the run was left to write,
    /// and as interrupted otherwise, unless it goes on by itself ([`RunsOptions::tries_after_loss`]).
    ///
    /// [`RunsOptions::tries_after_loss`]: super::RunsOptions::tries_after_loss
    ///
    /// # Errors
    ///
    /// [`StoreError::Conflict`](crate::store::StoreError::Conflict) - somebody else changed the run.
    pub(super) async fn recover(&self, mut entry: Entry) -> StoreResult<Entry> {
        let ended = self.ended(&entry).await?;
        let Some(EventData::Ended {
            status,
            text,
            has_output,
            missing,
            citations,
            failure,
            usage,
            ..
        }) = ended
        else {
            return self.lost(entry).await;
        };
        let state = &mut entry.state;
        (state.status, state.question) = (status, None);
        state.set_text(text, has_output);
        (state.missing, state.failure) = (missing, failure);
        state.citations = citations;
        state.usage = state.usage.or_more(usage);
        state.updated_ms = self.now_ms();
        if status == RunStatus::Completed {
            entry.work.current = None;
        }
        written(&*self.options.store, &mut entry, None).await?;
        Ok(entry)
    }

    /// Lets a run go on whose process has ended during its work, or ends it.
    async fn lost(&self, mut entry: Entry) -> StoreResult<Entry> {
        let most = self.options.tries_after_loss;
        if most == 0 {
            return self.end(entry, RunStatus::Interrupted, None).await;
        }
        if entry.work.losses >= most {
            let failure = Failure {
                code: LOST_AGAIN.to_owned(),
                message: format!(
                    "the process that worked on the run ended, and so did {most} others that went on with it"
                ),
                hint: Some(
                    "the logs of the processes say why they ended; `continue` tries again"
                        .to_owned(),
                ),
            };
            entry.work.losses = 0;
            return self.end(entry, RunStatus::Failed, Some(failure)).await;
        }
        entry.work.losses += 1;
        entry.hand_over();
        entry.state.updated_ms = self.now_ms();
        written(&*self.options.store, &mut entry, None).await?;
        Ok(entry)
    }

    /// Returns the last event of a run if the work that its process had begun ended with it, and nothing has arrived for the run
    /// since.
    async fn ended(&self, entry: &Entry) -> StoreResult<Option<EventData>> {
        let (store, key) = (&*self.options.store, entry.key());
        let Some(begun_after) = entry.work.begun_after else { return Ok(None) };
        let last = store.last(&key, Stream::Events).await?;
        let Some(before) = last.checked_sub(2).filter(|before| *before >= begun_after) else {
            return Ok(None);
        };
        let arrived = store.last(&key, Stream::Inbox).await?;
        if arrived > entry.state.inbox_done {
            return Ok(None);
        }
        let mut events = events(store, &key, before, last).await?.into_iter();
        // The end of an instruction that others follow has no status before it.
        let (Some(status), Some(end), None) = (events.next(), events.next(), events.next()) else {
            return Ok(None);
        };
        let is_end = match (&status.data, &end.data) {
            (EventData::Status { status: now }, EventData::Ended { status, .. }) => now == status,
            _ => false,
        };
        Ok(is_end.then_some(end.data))
    }
}
