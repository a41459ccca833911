//! The last events of a run that this process works on, for watchers that need not read the disk.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use tokio::sync::watch;

use super::event::RunEvent;
use mitt_base::lock;

/// Most events that are kept.
const MAX_EVENTS: usize = 256;

/// Most bytes of events that are kept, as they are stored.
const MAX_BYTES: usize = 1024 * 1024;

/// The last events of a run.
pub(super) struct Live {
    ring: Mutex<Ring>,
    now: watch::Sender<Now>,
}

#[derive(Default)]
struct Ring {
    events: VecDeque<(Arc<RunEvent>, usize)>,
    bytes: usize,
    /// Number of the last event, whether or not it is kept.
    last: u64,
}

/// Progress of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Now {
    /// Number of the last event.
    pub(super) last: u64,
    /// `true` while this process works on the run, so that all new events come here first.
    pub(super) is_active: bool,
}

impl Default for Live {
    fn default() -> Live {
        Live { ring: Mutex::default(), now: watch::channel(Now::default()).0 }
    }
}

impl Live {
    /// Begins to work on the run, whose last event has the number `last`.
    pub(super) fn begin(&self, last: u64) {
        let mut ring = lock(&self.ring);
        if ring.last != last {
            *ring = Ring { last, ..Ring::default() };
        }
        drop(ring);
        self.now.send_replace(Now { last, is_active: true });
    }

    /// Adds stored events, each with its size in bytes.
    pub(super) fn add(&self, events: impl IntoIterator<Item = (Arc<RunEvent>, usize)>) {
        let mut ring = lock(&self.ring);
        for (event, bytes) in events {
            ring.last = event.number;
            ring.bytes += bytes;
            ring.events.push_back((event, bytes));
            while ring.events.len() > MAX_EVENTS || ring.bytes > MAX_BYTES {
                let Some((_, bytes)) = ring.events.pop_front() else { break };
                ring.bytes -= bytes;
            }
        }
        let last = ring.last;
        drop(ring);
        self.now.send_modify(|now| now.last = last);
    }

    /// Ends the work on the run.
    pub(super) fn end(&self) {
        self.now.send_modify(|now| now.is_active = false);
    }

    /// Returns at most `most` events after number `after`; `None` if they are not kept, or this process does not work on the
    /// run.
    pub(super) fn after(&self, after: u64, most: usize) -> Option<Vec<Arc<RunEvent>>> {
        if !self.now.borrow().is_active {
            return None;
        }
        let ring = lock(&self.ring);
        if after >= ring.last {
            return Some(Vec::new());
        }
        let first = ring.events.front()?.0.number;
        let skipped = usize::try_from((after + 1).checked_sub(first)?).ok()?;
        Some(ring.events.iter().skip(skipped).take(most).map(|(event, _)| event.clone()).collect())
    }

    /// Returns the number of the last event.
    pub(super) fn last(&self) -> u64 {
        lock(&self.ring).last
    }

    /// Returns `true` while this process works on the run.
    pub(super) fn is_active(&self) -> bool {
        self.now.borrow().is_active
    }

    /// Waits until there is an event after number `after`, or the work ends.
    pub(super) async fn wait(&self, after: u64) {
        let mut now = self.now.subscribe();
        // The sender lives as long as this.
        let _ = now.wait_for(|now| now.last > after || !now.is_active).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::event::EventData;

    fn event(number: u64) -> (Arc<RunEvent>, usize) {
        let data = EventData::Note { text: String::new() };
        (Arc::new(RunEvent { number, time_ms: 0, agent: None, data }), 10)
    }

    fn numbers(events: &[Arc<RunEvent>]) -> Vec<u64> {
        events.iter().map(|event| event.number).collect()
    }

    #[tokio::test]
    async fn the_last_events_are_kept_and_older_ones_are_not() {
        let live = Live::default();
        assert!(live.after(0, 9).is_none(), "nobody works on it");
        live.begin(5);
        assert_eq!(live.after(5, 9).unwrap().len(), 0);
        assert!(live.after(4, 9).is_none(), "event 5 is in the store alone");
        live.add([event(6), event(7)]);
        assert_eq!(numbers(&live.after(5, 9).unwrap()), [6, 7]);
        assert_eq!(numbers(&live.after(6, 9).unwrap()), [7]);
        assert_eq!(numbers(&live.after(5, 1).unwrap()), [6]);
        live.add((8..400).map(event));
        assert!(live.after(7, 9).is_none());
        assert_eq!(live.after(399 - 256, 999).unwrap().len(), MAX_EVENTS);
        live.add([(event(400).0, MAX_BYTES)]);
        assert_eq!(numbers(&live.after(399, 9).unwrap()), [400]);
        assert!(live.after(398, 9).is_none(), "they would be too large together");
        live.wait(399).await;
        live.end();
        live.wait(400).await;
        assert!(live.after(399, 9).is_none());
    }
}
