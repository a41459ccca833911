//! Approvals: before a tool that may destroy something is called, somebody else decides whether it may; at once or later.
//!
//! Knows calls and what is asked about them. How a paused script is run again is in `tape.rs` and `script.rs`.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::json;

use super::call::{CallReport, Caller};
use super::script::Resumption;
use super::{Inner, Session};
use crate::engine::CallClock;
use crate::skill::Tool;
use mitt_base::digest::sha256;
use mitt_base::memory::{Account, Charge};
use mitt_base::{Error, ErrorKind, Result, text};
use mitt_wit::value::Json;

/// Longest wait for an [`Approver`]; then the call is paused as if it had said so.
const MAX_WAIT: Duration = Duration::from_secs(5 * 60);

/// Most calls of a session that wait for an approval. Of more, the oldest is forgotten.
const MAX_PENDING: usize = 16;

/// A call that somebody is asked to approve. An approval is of these arguments for this version of the tool.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ApprovalRequest {
    /// What [`Session::resume`] wants if the call is paused; unique in its session.
    pub id: String,
    /// The tool.
    pub tool: String,
    /// Its title for people.
    pub title: Option<String>,
    /// Version of its skill.
    pub version: String,
    /// BLAKE3 of the skill's component and manifest: what the approval binds to.
    pub fingerprint: String,
    /// The arguments, as a JSON object.
    pub arguments: String,
    /// SHA-256 of the arguments.
    pub arguments_sha256: String,
    /// How many calls it is inside of: 0 for a call by a model or a user, 1 for one by its script.
    pub depth: u64,
}

/// What becomes of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// It is made.
    Approve,
    /// It is refused, for this reason. A script cannot catch that.
    Deny(String),
    /// It waits until [`Session::resume`]. A script ends here, and is run again then.
    Pause,
}

/// Decides about calls of tools that are marked `destructive` in `skill.yaml`.
///
/// Without one, scripts are paused before such a call, and calls by a model or a user are made.
#[async_trait]
pub trait Approver: Send + Sync {
    /// Decide about one call. The time until then is not counted as the call's; after five minutes the call is paused.
    async fn decide(&self, request: &ApprovalRequest) -> Decision;
}

impl ApprovalRequest {
    pub(super) fn to_json(&self) -> Json {
        let mut entries: Vec<(&str, Json)> =
            vec![("id", self.id.as_str().into()), ("tool", self.tool.as_str().into())];
        entries.extend(self.title.as_deref().map(|title| ("title", title.into())));
        entries.extend([
            ("version", self.version.as_str().into()),
            ("arguments", self.arguments.as_str().into()),
            ("arguments_sha256", self.arguments_sha256.as_str().into()),
        ]);
        Json::object(entries)
    }

    fn is_of_same_call(&self, other: &ApprovalRequest) -> bool {
        self.tool == other.tool && self.arguments_sha256 == other.arguments_sha256
    }
}

/// The calls of a session that wait.
#[derive(Default)]
pub(super) struct PendingCalls {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    last: u64,
    waiting: BTreeMap<u64, (Pending, Charge)>,
}

/// What a waiting call costs beside its texts, in bytes.
const PENDING_BYTES: u64 = 1_024;
/// And a script's readings of two clocks, 65 536 of each.
const READINGS_BYTES: u64 = 2 * 65_536 * 8;

/// Where a limit was reached.
const KEPT: &str = "a call that waits for an approval";

/// A call that waits: the outermost one, and what it waits for.
pub(super) struct Pending {
    pub(super) request: ApprovalRequest,
    pub(super) tool: String,
    pub(super) arguments: String,
    /// What its script did before.
    pub(super) resumption: Option<Resumption>,
}

impl PendingCalls {
    fn next_id(&self) -> u64 {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.last += 1;
        state.last
    }

    /// Keep a call. Where the session has no memory for it, older ones are forgotten, if that helps.
    ///
    /// # Errors
    ///
    /// The limit that it would break though no other call waited. All others wait on then.
    pub(super) fn add(&self, pending: Pending, budget: &Account) -> Result<()> {
        let id = pending.request.id.parse().map_err(Error::bug)?;
        let texts = pending.request.arguments.len() + pending.arguments.len();
        let readings = if pending.resumption.is_some() { READINGS_BYTES } else { 0 };
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
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
        state.waiting.insert(id, (pending, charge));
        if state.waiting.len() > MAX_PENDING {
            state.waiting.pop_first();
        }
        Ok(())
    }

    fn take(&self, id: &str) -> Option<Pending> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.waiting.remove(&id.parse().ok()?).map(|(pending, _)| pending)
    }

    fn list(&self) -> Vec<ApprovalRequest> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.waiting.values().map(|(pending, _)| pending.request.clone()).collect()
    }
}

/// A decision that was made after the pause, for the one call that it is about.
pub(super) struct Decided {
    request: ApprovalRequest,
    decision: Mutex<Option<Decision>>,
}

impl Session {
    /// The calls that wait for an approval, in the order in which they were made. At most 16 are kept: of more, the oldest
    /// cannot be resumed any more.
    pub fn pending(&self) -> Vec<ApprovalRequest> {
        self.inner.pending.list()
    }

    /// Forget a call that waits for an approval which nobody can be asked for.
    pub fn withdraw(&self, id: &str) {
        drop(self.inner.pending.take(id));
    }

    /// Go on with a paused call: the report is that of the whole call.
    ///
    /// A script is run again from its beginning. What it asked of its session before the pause is answered as it was then,
    /// and nothing of it is done a second time; so are clocks and random numbers. A script that asks for something else than
    /// before ends with an error that says so. [`Decision::Pause`] leaves the call waiting.
    ///
    /// An approval is used up by this. It is refused where the tool's skill was replaced in the meantime.
    pub async fn resume(&self, id: &str, decision: Decision) -> CallReport {
        let Some(pending) = self.inner.pending.take(id) else {
            let id = text::one_line(text::cut_bytes(id, 64));
            let error =
                Error::new(ErrorKind::Arguments, format!("no call waits under the id `{id}`"))
                    .hint("each pause can be resumed once; of many, only the latest 16 are kept");
            return CallReport::new("resume", "", Err(error));
        };
        if decision == Decision::Pause {
            let mut report = self.inner.paused_report(&pending);
            if let Err(error) = self.inner.pending.add(pending, &self.inner.budget.account) {
                (report.result, report.approval) = (Err(error), None);
            }
            return report;
        }
        let Pending { request, tool, arguments, resumption } = pending;
        self.inner.note_decision(&request, &decision);
        let decided = Decided { request, decision: Mutex::new(Some(decision)) };
        let mut caller = Caller::outermost(&self.inner);
        caller.decided = Some(Arc::new(decided));
        caller.resumption = resumption.map(Arc::new);
        let call = Box::pin(self.inner.call(&tool, &arguments, &caller));
        self.inner.answered_call(&tool, &arguments, call).await
    }
}

impl Inner {
    /// Ask whether `tool` may be called, where somebody has to be asked.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Denied`] - it may not. [`ErrorKind::Paused`] - that is decided later; the request is left in `caller`.
    pub(super) async fn approved(
        &self,
        tool: &Tool,
        arguments: &str,
        caller: &Caller,
    ) -> Result<()> {
        let is_asked = self.approver.is_some()
            || caller.run.is_some()
            || caller.depth == 0 && caller.decided.is_some();
        if !is_asked || !tool.policy().destructive {
            return Ok(());
        }
        let request = self.request(tool, arguments, caller)?;
        let decision = match self.known_decision(&request, caller)? {
            Some(decision) => decision,
            None => {
                let decision = self.ask(&request, caller).await;
                self.note_decision(&request, &decision);
                decision
            }
        };
        match decision {
            Decision::Approve => Ok(()),
            Decision::Deny(reason) => Err(denied(&request, &reason)),
            Decision::Pause => self.pause(request, caller),
        }
    }

    fn request(&self, tool: &Tool, arguments: &str, caller: &Caller) -> Result<ApprovalRequest> {
        Ok(ApprovalRequest {
            id: self.pending.next_id().to_string(),
            tool: tool.name.to_string(),
            title: tool.policy().title.clone(),
            version: tool.version().to_owned(),
            fingerprint: tool.fingerprint()?.to_hex().to_string(),
            arguments: arguments.to_owned(),
            arguments_sha256: sha256(arguments.as_bytes()),
            depth: caller.depth,
        })
    }

    /// The decision that a resumed call brings along, if it is about this one.
    fn known_decision(
        &self,
        request: &ApprovalRequest,
        caller: &Caller,
    ) -> Result<Option<Decision>> {
        let Some(decided) = &caller.decided else { return Ok(None) };
        let mut decision = decided.decision.lock().unwrap_or_else(PoisonError::into_inner);
        if decision.is_none() || !decided.request.is_of_same_call(request) {
            return Ok(None);
        }
        let decision = decision.take();
        if decision == Some(Decision::Approve) && decided.request.fingerprint != request.fingerprint
        {
            let message = format!(
                "`{}` was replaced since version {} of its skill was approved",
                request.tool, decided.request.version
            );
            return Err(
                Error::new(ErrorKind::Denied, message).hint("make the call again, and ask again")
            );
        }
        Ok(decision)
    }

    async fn ask(&self, request: &ApprovalRequest, caller: &Caller) -> Decision {
        let Some(approver) = &self.approver else { return Decision::Pause };
        // A person is slower than any script may be.
        let _stopped = caller.clock.as_ref().map(CallClock::stop);
        let decision = tokio::time::timeout(MAX_WAIT, approver.decide(request)).await;
        decision.unwrap_or(Decision::Pause)
    }

    /// Leave the call waiting: the outermost one itself, or the script that makes it.
    fn pause(&self, request: ApprovalRequest, caller: &Caller) -> Result<()> {
        let message = format!("`{}` waits for approval {}", request.tool, request.id);
        let paused = Error::new(ErrorKind::Paused, message);
        match &caller.run {
            None if caller.depth == 0 => {
                *caller.paused.lock().unwrap_or_else(PoisonError::into_inner) = Some(request);
                Err(paused)
            }
            Some(run) if caller.depth == 1 => match run.can_pause() {
                Ok(()) => {
                    *caller.paused.lock().unwrap_or_else(PoisonError::into_inner) = Some(request);
                    Err(paused)
                }
                Err(why) => Err(denied(&request, why)),
            },
            // The calls around it have done things already, which a second run would do again.
            _ => Err(denied(
                &request,
                "it needs an approval, and only a call by the outermost script can wait for one",
            )),
        }
    }

    fn note_decision(&self, request: &ApprovalRequest, decision: &Decision) {
        let (decision, reason) = match decision {
            Decision::Approve => ("approved", None),
            Decision::Deny(reason) => ("denied", Some(text::cut_bytes(reason, 1_024))),
            Decision::Pause => ("paused", None),
        };
        let details = json!({
            "id": request.id, "tool": request.tool, "version": request.version, "fingerprint": request.fingerprint,
            "arguments_hash": self.journal.hash(&request.arguments_sha256), "depth": request.depth, "decision": decision, "reason": reason,
        });
        self.journal.note_well("approval", details, self.host.environment().now());
    }

    fn paused_report(&self, pending: &Pending) -> CallReport {
        let request = &pending.request;
        let message = format!("`{}` still waits for approval {}", request.tool, request.id);
        let error = Error::new(ErrorKind::Paused, message);
        let mut report = CallReport::new(&pending.tool, &pending.arguments, Err(error));
        report.approval = Some(request.clone());
        report
    }
}

#[cold]
fn denied(request: &ApprovalRequest, reason: &str) -> Error {
    let reason = text::one_line(text::cut_bytes(reason, 1_024));
    Error::new(ErrorKind::Denied, format!("`{}` was not approved: {reason}", request.tool))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mitt_base::Resource;

    fn pending(calls: &PendingCalls, bytes: usize) -> Pending {
        let request = ApprovalRequest {
            id: calls.next_id().to_string(),
            tool: "a__b".to_owned(),
            title: None,
            version: "1.0.0".to_owned(),
            fingerprint: String::new(),
            arguments: String::new(),
            arguments_sha256: String::new(),
            depth: 0,
        };
        let arguments = " ".repeat(bytes);
        Pending { request, tool: "a__b".to_owned(), arguments, resumption: None }
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
        // More than the session may have, and more than is left beside what is no call.
        assert_eq!(limit(add(60_000).unwrap_err()), Resource::SessionMemory);
        let other = session.charge(19_000).unwrap();
        assert_eq!(limit(add(40_000).unwrap_err()), Resource::SessionMemory);
        assert_eq!(ids(), ["1", "2", "3"]);
        // Nor, though the session might have it, more than others have left of the host's.
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
