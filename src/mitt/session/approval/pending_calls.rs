//! Calls that wait for an approval, with everything that is needed to make them again.
//!
//! Knows their limits and their charges. A waiting script has left its record (`script/run.rs`).

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use super::super::agent_view::AgentView;
use super::super::approval_request::{ApprovalRequest, Decision};
use super::super::call_id::CallId;
use super::super::script::Record;
use mitt_base::memory::{Account, Charge};
use mitt_base::{Error, Result, lock};

/// Most calls of a session that wait for an approval. With more, the oldest is dropped.
const MAX_PENDING: usize = 16;

/// Waiting calls of a session.
#[derive(Default)]
pub(super) struct PendingCalls {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    last: u64,
    waiting: BTreeMap<u64, (Pending, Charge)>,
}

/// Bytes charged for a waiting call in addition to its texts.
const PENDING_BYTES: u64 = 1_024;
/// Bytes charged for the clock readings of a script: 65 536 of each of two clocks.
const READINGS_BYTES: u64 = 2 * 65_536 * 8;

/// Where a memory limit was reached, for the error.
const KEPT: &str = "a call that waits for an approval";

/// Waiting root call, and the request that it waits for.
pub(in crate::session) struct Pending {
    pub(in crate::session) call: CallId,
    pub(in crate::session) request: ApprovalRequest,
    pub(in crate::session) tool: String,
    pub(in crate::session) arguments: String,
    /// Recorded calls of its script up to the pause.
    pub(in crate::session) before: Option<Record>,
    /// Restrictions of its caller, which also apply when it is resumed.
    pub(in crate::session) agent_view: Option<Arc<AgentView>>,
}

impl PendingCalls {
    pub(super) fn next_id(&self) -> u64 {
        let mut state = lock(&self.state);
        state.last += 1;
        state.last
    }

    /// Keeps a call. If the session lacks memory for it, the oldest calls are dropped, provided that this makes enough room.
    ///
    /// # Errors
    ///
    /// The limit that the call would exceed even if no other call waited. All others keep waiting then.
    pub(super) fn add(&self, pending: Pending, budget: &Account) -> Result<()> {
        let texts = pending.request.arguments.len() + pending.arguments.len();
        let readings = if pending.before.is_some() { READINGS_BYTES } else { 0 };
        let mut state = lock(&self.state);
        let bytes = texts as u64 + readings + PENDING_BYTES;
        let charge = loop {
            let limit = match budget.charge(bytes) {
                Ok(charge) => break charge,
                Err(limit) => limit,
            };
            let others = state.waiting.values().map(|(_, charge)| charge.bytes()).sum();
            if !budget.would_hold(bytes, others) || state.waiting.pop_first().is_none() {
                return Err(Error::reached(limit).at(KEPT));
            }
        };
        state.waiting.insert(pending.request.number, (pending, charge));
        if state.waiting.len() > MAX_PENDING {
            state.waiting.pop_first();
        }
        Ok(())
    }

    pub(super) fn take(&self, id: &str) -> Option<Pending> {
        let mut state = lock(&self.state);
        state.waiting.remove(&id.parse().ok()?).map(|(pending, _)| pending)
    }

    pub(super) fn list(&self) -> Vec<ApprovalRequest> {
        let state = lock(&self.state);
        state.waiting.values().map(|(pending, _)| pending.request.clone()).collect()
    }
}

/// Decision made after the pause, for the one call that it is about.
pub(in crate::session) struct Decided {
    pub(super) request: ApprovalRequest,
    decision: Mutex<Option<Decision>>,
}

impl Decided {
    pub(in crate::session) fn new(request: ApprovalRequest, decision: Decision) -> Decided {
        Decided { request, decision: Mutex::new(Some(decision)) }
    }

    /// Returns the decision if it is about `request` and has not been used.
    pub(super) fn take(&self, request: &ApprovalRequest) -> Option<Decision> {
        if !self.request.is_of_same_call(request) {
            return None;
        }
        lock(&self.decision).take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mitt_base::Resource;

    fn pending(calls: &PendingCalls, bytes: usize) -> Pending {
        let number = calls.next_id();
        let call = CallId { number, parent: None };
        let request = ApprovalRequest {
            id: number.to_string(),
            number,
            call,
            tool: "a__b".to_owned(),
            title: None,
            version: "1.0.0".to_owned(),
            fingerprint: String::new(),
            arguments: String::new(),
            arguments_sha256: String::new(),
            files: Vec::new(),
            depth: 0,
        };
        let arguments = " ".repeat(bytes);
        Pending {
            call,
            request,
            tool: "a__b".to_owned(),
            arguments,
            before: None,
            agent_view: None,
        }
    }

    #[test]
    fn older_calls_are_forgotten_only_if_that_helps() {
        let host = Account::root(Resource::HostMemory, 100_000);
        let session = host.below(Resource::SessionMemory, 50_000);
        let calls = PendingCalls::default();
        let ids = || calls.list().into_iter().map(|it| it.id).collect::<Vec<_>>();
        let add = |bytes| calls.add(pending(&calls, bytes), &session);
        for _ in 0..3 {
            add(9_000).unwrap();
        }
        let limit = |error: Error| error.limit_reached().unwrap().what;
        // This exceeds the limit of the session, and what is left of it next to other charges.
        assert_eq!(limit(add(60_000).unwrap_err()), Resource::SessionMemory);
        let other = session.charge(19_000).unwrap();
        assert_eq!(limit(add(40_000).unwrap_err()), Resource::SessionMemory);
        assert_eq!(ids(), ["1", "2", "3"]);
        // Nor does it help if the call fits the session, but not what others have left of the host's memory.
        let others = host.charge(50_900).unwrap();
        assert!(add(29_500).is_err());
        assert_eq!(ids(), ["1", "2", "3"]);
        drop(others);
        add(15_000).unwrap();
        assert_eq!(ids(), ["3", "7"]);
        drop(other);
        add(48_000).unwrap();
        assert_eq!(ids(), ["8"]);
        assert_eq!(session.usage().used, 48_000 + PENDING_BYTES);
    }
}
