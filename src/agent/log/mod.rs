//! The log of a conversation: what it is follows from its entries alone, so that one that was read goes on like one that never
//! stopped.
//!
//! Knows messages and what came of calls. Makes none, and asks no model.

mod entry;
mod file;
mod history;
mod plan_calls;

pub(crate) use entry::{Delivered, Entry, LoggedAgent, LoggedAttempt, LoggedResult};
pub(crate) use history::History;

pub use entry::LoggedDocument;
pub use file::{LoggedRun, MAX_LOG_BYTES, RunHeader, RunLog};
pub use plan_calls::PlanCall;
