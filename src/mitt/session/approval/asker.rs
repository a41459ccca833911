//! Maker of a call, as the gate for approvals sees it.

use std::sync::Arc;

use super::super::approval_request::{ApprovalRequest, Approver};
use super::super::context::SessionContext;
use super::super::event::Event;
use super::super::script::ScriptRun;
use super::pending_calls::Decided;
use crate::engine::CallClock;

/// Maker of a call that may need an approval.
pub(in crate::session) trait Asker: Sync {
    /// Returns the approver that the root call brings; `None` for that of the session.
    fn approver(&self) -> Option<&Arc<dyn Approver>>;

    /// Returns the number of enclosing calls.
    fn depth(&self) -> u64;

    /// Returns the decision about the root call, if it was paused before.
    fn decided(&self) -> Option<&Decided>;

    /// Returns the innermost enclosing script.
    fn script(&self) -> Option<&ScriptRun>;

    /// Returns the clock of the enclosing call.
    fn clock(&self) -> Option<&Arc<CallClock>>;

    /// Sets the request that the root call is paused for.
    fn set_paused(&self, request: ApprovalRequest);

    /// Sends an event to the listeners of the session and of the root call.
    fn emit(&self, context: &SessionContext, event: &Event);
}
