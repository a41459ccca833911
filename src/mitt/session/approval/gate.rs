//! Approval of calls that may destroy something: asks the approver, or pauses the call, and applies the decision.
//!
//! Knows the makers of calls as [`Asker`]s. `call/resume.rs` continues a paused call.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;

use super::super::approval_request::{ApprovalRequest, ApprovedFile, Approver, Decision};
use super::super::call_id::CallId;
use super::super::context::SessionContext;
use super::super::event::Event;
use super::asker::Asker;
use super::named_files::{changed, named_files};
use super::pending_calls::{Pending, PendingCalls};
use crate::engine::CallClock;
use mitt_base::digest::sha256;
use mitt_base::{Error, ErrorKind, Remedy, Result, text};
use mitt_skill::{Tool, ToolInternal as _};
use mitt_types::signing::SigningKeysInternal as _;

/// Longest wait for an [`Approver`]; after that the call is paused.
const MAX_WAIT: Duration = Duration::from_secs(5 * 60);

/// Approvals of a session: who decides, and which calls wait for a decision.
pub(in crate::session) struct ApprovalGate {
    context: Arc<SessionContext>,
    /// Decides about calls that bring no approver of their own.
    approver: Option<Arc<dyn Approver>>,
    pending: PendingCalls,
}

impl ApprovalGate {
    pub(in crate::session) fn new(
        context: Arc<SessionContext>,
        approver: Option<Arc<dyn Approver>>,
    ) -> ApprovalGate {
        ApprovalGate { context, approver, pending: PendingCalls::default() }
    }

    /// Returns the requests of calls that wait for an approval, in the order of the calls.
    pub(in crate::session) fn list(&self) -> Vec<ApprovalRequest> {
        self.pending.list()
    }

    /// Takes a call that waits for an approval.
    pub(in crate::session) fn take(&self, id: &str) -> Option<Pending> {
        self.pending.take(id)
    }

    /// Keeps a call until somebody decides about it.
    ///
    /// # Errors
    ///
    /// Those of [`PendingCalls::add`].
    pub(in crate::session) fn add(&self, pending: Pending) -> Result<()> {
        self.pending.add(pending, self.context.account())
    }

    /// Obtains approval for a call of `tool`, if the tool needs one. `find` returns the SHA-256 of a file of the session.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Denied`] - the call was refused, or it signs and there is nobody to ask. [`ErrorKind::Paused`] - the decision comes later; `asker` holds the
    /// request.
    pub(in crate::session) async fn approved(
        &self,
        tool: &Tool,
        arguments: &str,
        call: CallId,
        asker: &dyn Asker,
        find: &(dyn Fn(&str) -> Option<String> + Sync),
    ) -> Result<()> {
        let approver = asker.approver().or(self.approver.as_ref());
        let is_asked = approver.is_some()
            || asker.script().is_some()
            || asker.depth() == 0 && asker.decided().is_some();
        if !tool.policy().destructive {
            return Ok(());
        }
        if !is_asked {
            // A signature speaks for a person, so that it fails closed.
            let is_refused = tool.needs_signing_key() && !self.context.signing_keys().is_unasked();
            return if is_refused { Err(nobody_to_ask(tool)) } else { Ok(()) };
        }
        let files = || named_files(arguments, find);
        let request = self.request(tool, (arguments, files()), (call, asker.depth()))?;
        let decision = match known_decision(&request, asker)? {
            Some(decision) => decision,
            None => {
                let decision = match approver {
                    Some(approver) => self.ask(approver, &request, asker).await,
                    None => Decision::Pause,
                };
                self.note_decision(&request, &decision);
                decision
            }
        };
        match decision {
            Decision::Approve => match changed(&request.files, &files()) {
                Some(name) => Err(changed_since(&request, name)),
                None => Ok(()),
            },
            Decision::Deny(reason) => Err(denied(&request, &reason)),
            Decision::Pause => pause(request, asker),
        }
    }

    async fn ask(
        &self,
        approver: &Arc<dyn Approver>,
        request: &ApprovalRequest,
        asker: &dyn Asker,
    ) -> Decision {
        asker.emit(&self.context, &Event::Asked { request: Box::new(request.clone()) });
        // The script's clock stands still while a person decides.
        let stopped = asker.clock().map(CallClock::stop);
        let decision = tokio::time::timeout(MAX_WAIT, approver.decide(request)).await;
        drop(stopped);
        let decision = decision.unwrap_or(Decision::Pause);
        let (call, id) = (request.call, request.id.clone());
        asker.emit(&self.context, &Event::Decided { call, id, decision: decision.clone() });
        decision
    }

    fn request(
        &self,
        tool: &Tool,
        (arguments, files): (&str, Vec<ApprovedFile>),
        (call, depth): (CallId, u64),
    ) -> Result<ApprovalRequest> {
        let number = self.pending.next_id();
        Ok(ApprovalRequest {
            id: number.to_string(),
            number,
            call,
            tool: tool.name.to_string(),
            title: tool.policy().title.clone(),
            version: tool.version().to_owned(),
            fingerprint: tool.fingerprint()?.to_hex().to_string(),
            arguments: arguments.to_owned(),
            arguments_sha256: sha256(arguments.as_bytes()),
            files,
            depth,
        })
    }

    /// Records a decision in the journal.
    pub(in crate::session) fn note_decision(&self, request: &ApprovalRequest, decision: &Decision) {
        let (decision, reason) = match decision {
            Decision::Approve => ("approved", None),
            Decision::Deny(reason) => ("denied", Some(text::cut_bytes(reason, 1_024))),
            Decision::Pause => ("paused", None),
        };
        let details = json!({
            "id": request.id, "tool": request.tool, "version": request.version, "fingerprint": request.fingerprint,
            "arguments_hash": self.context.journal().hash(&request.arguments_sha256), "depth": request.depth, "decision": decision, "reason": reason,
            "call": request.call.number, "parent": request.call.parent,
        });
        self.context.journal().note_well("approval", details, self.context.now());
    }
}

/// Returns the decision that a resumed call brings along, if it is about this request.
fn known_decision(request: &ApprovalRequest, asker: &dyn Asker) -> Result<Option<Decision>> {
    let Some(decided) = asker.decided() else { return Ok(None) };
    let decision = decided.take(request);
    if decision == Some(Decision::Approve) && decided.request.fingerprint != request.fingerprint {
        let message = format!(
            "`{}` was replaced since version {} of its skill was approved",
            request.tool, decided.request.version
        );
        return Err(
            Error::new(ErrorKind::Denied, message).hint("make the call again, and ask again")
        );
    }
    if decision == Some(Decision::Approve)
        && let Some(name) = changed(&decided.request.files, &request.files)
    {
        return Err(changed_since(request, name));
    }
    Ok(decision)
}

#[cold]
fn changed_since(request: &ApprovalRequest, name: &str) -> Error {
    let name = text::one_line(text::cut_bytes(name, 256));
    let message = format!("`{name}` was changed since the call of `{}` was approved", request.tool);
    Error::new(ErrorKind::Denied, message).hint("make the call again, and ask again")
}

/// Pauses the root call: the call itself, or the script that makes it.
fn pause(request: ApprovalRequest, asker: &dyn Asker) -> Result<()> {
    let message = format!("`{}` waits for approval {}", request.tool, request.id);
    let paused = Error::new(ErrorKind::Paused, message);
    match asker.script() {
        None if asker.depth() == 0 => {
            asker.set_paused(request);
            Err(paused)
        }
        Some(run) if asker.depth() == 1 => match run.can_pause() {
            Ok(()) => {
                asker.set_paused(request);
                Err(paused)
            }
            Err(why) => Err(denied(&request, why)),
        },
        // The enclosing calls may have had effects, which a second run would repeat.
        _ => Err(denied(
            &request,
            "it needs an approval, and only a call by the outermost script can wait for one",
        )),
    }
}

#[cold]
fn nobody_to_ask(tool: &Tool) -> Error {
    let message =
        format!("`{}` signs after an approval, and nobody is there to approve", tool.name);
    Error::new(ErrorKind::Denied, message).remedy(Remedy::SigningApproval)
}

#[cold]
fn denied(request: &ApprovalRequest, reason: &str) -> Error {
    let reason = text::one_line(text::cut_bytes(reason, 1_024));
    Error::new(ErrorKind::Denied, format!("`{}` was not approved: {reason}", request.tool))
}
