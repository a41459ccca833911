//! Approval of calls that may destroy something: asks the approver, or pauses the call, and applies the decision.
//!
//! Knows calls and their callers. `resume.rs` continues a paused call.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;

use super::approval::{ApprovalRequest, Approver, Decision};
use super::call_id::CallId;
use super::caller::Caller;
use super::event::Event;
use super::state::Inner;
use crate::engine::CallClock;
use crate::skill::Tool;
use mitt_base::digest::sha256;
use mitt_base::{Error, ErrorKind, Result, text};

/// Longest wait for an [`Approver`]; after that the call is paused.
const MAX_WAIT: Duration = Duration::from_secs(5 * 60);

impl Inner {
    /// Obtains approval for a call of `tool`, if the tool needs one.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Denied`] - the call was refused. [`ErrorKind::Paused`] - the decision comes later; `caller` holds the
    /// request.
    pub(super) async fn approved(
        &self,
        tool: &Tool,
        arguments: &str,
        (call, caller): (CallId, &Caller),
    ) -> Result<()> {
        let approver = caller.root.options.approver.as_ref().or(self.approver.as_ref());
        let is_asked = approver.is_some()
            || caller.run.is_some()
            || caller.depth == 0 && caller.root.decided.is_some();
        if !is_asked || !tool.policy().destructive {
            return Ok(());
        }
        let request = self.request(tool, arguments, (call, caller))?;
        let decision = match self.known_decision(&request, caller)? {
            Some(decision) => decision,
            None => {
                let decision = match approver {
                    Some(approver) => self.ask(approver, &request, caller).await,
                    None => Decision::Pause,
                };
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

    async fn ask(
        &self,
        approver: &Arc<dyn Approver>,
        request: &ApprovalRequest,
        caller: &Caller,
    ) -> Decision {
        caller.emit(self, &Event::Asked { request: request.clone() });
        // The script's clock stands still while a person decides.
        let stopped = caller.clock.as_ref().map(CallClock::stop);
        let decision = tokio::time::timeout(MAX_WAIT, approver.decide(request)).await;
        drop(stopped);
        let decision = decision.unwrap_or(Decision::Pause);
        let (call, id) = (request.call, request.id.clone());
        caller.emit(self, &Event::Decided { call, id, decision: decision.clone() });
        decision
    }

    fn request(
        &self,
        tool: &Tool,
        arguments: &str,
        (call, caller): (CallId, &Caller),
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
            depth: caller.depth,
        })
    }

    /// Returns the decision that a resumed call brings along, if it is about this request.
    fn known_decision(
        &self,
        request: &ApprovalRequest,
        caller: &Caller,
    ) -> Result<Option<Decision>> {
        let Some(decided) = &caller.root.decided else { return Ok(None) };
        let decision = decided.take(request);
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

    /// Pauses the root call: the call itself, or the script that makes it.
    fn pause(&self, request: ApprovalRequest, caller: &Caller) -> Result<()> {
        let message = format!("`{}` waits for approval {}", request.tool, request.id);
        let paused = Error::new(ErrorKind::Paused, message);
        match &caller.run {
            None if caller.depth == 0 => {
                caller.root.set_paused(Some(request));
                Err(paused)
            }
            Some(run) if caller.depth == 1 => match run.can_pause() {
                Ok(()) => {
                    caller.root.set_paused(Some(request));
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

    pub(super) fn note_decision(&self, request: &ApprovalRequest, decision: &Decision) {
        let (decision, reason) = match decision {
            Decision::Approve => ("approved", None),
            Decision::Deny(reason) => ("denied", Some(text::cut_bytes(reason, 1_024))),
            Decision::Pause => ("paused", None),
        };
        let details = json!({
            "id": request.id, "tool": request.tool, "version": request.version, "fingerprint": request.fingerprint,
            "arguments_hash": self.journal.hash(&request.arguments_sha256), "depth": request.depth, "decision": decision, "reason": reason,
            "call": request.call.number, "parent": request.call.parent,
        });
        self.journal.note_well("approval", details, self.host.environment().now());
    }
}

#[cold]
fn denied(request: &ApprovalRequest, reason: &str) -> Error {
    let reason = text::one_line(text::cut_bytes(reason, 1_024));
    Error::new(ErrorKind::Denied, format!("`{}` was not approved: {reason}", request.tool))
}
