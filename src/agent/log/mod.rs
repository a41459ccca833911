//! Log of a conversation. The state follows from the entries alone, so a conversation that was read continues like one that never
//! stopped.
//!
//! Knows messages and results of calls. Makes no calls, and asks no model.

mod entry;
mod file;
mod history;
mod plan_calls;
mod step;

pub(crate) use entry::{Delivered, LogEntry, LoggedAgent, LoggedAttempt, LoggedResult};
pub(crate) use file::FilesStored;
pub(crate) use history::{FileRequest, History};
pub(crate) use plan_calls::UnknownCall;

pub use entry::LoggedDocument;
pub use file::{LoggedRun, MAX_LOG_BYTES, RunHeader, RunLog};
pub use plan_calls::PlanCall;
pub use step::LoggedStep;
