//! Approval of calls that may destroy something.
//!
//! [`ApprovalGate`] owns the session's approver and the calls that wait for a decision. Knows the makers of calls as [`Asker`]s,
//! and scripts as far as they can be run again.

mod asker;
mod gate;
mod named_files;
mod pending_calls;
mod preview;

pub(super) use asker::Asker;
pub(super) use gate::ApprovalGate;
pub(super) use pending_calls::{Decided, Pending};
