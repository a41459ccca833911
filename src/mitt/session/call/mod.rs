//! Calls: from the arguments of a caller to the report.
//!
//! [`Calls`] owns what the calls of a session share; [`Inner`] holds it beside the other parts of the session, which calls use.
//! The way of a call: `run.rs`, `prepare.rs`, `dispatch.rs`, `services.rs`, and what runs the tool.

mod caller;
mod calls;
mod catalog;
mod dispatch;
mod handles;
mod host_tools;
mod inner;
#[cfg(feature = "extism")]
mod plug_in;
mod prepare;
mod requests;
mod resident_calls;
mod resume;
mod retries;
mod run;
mod script_attempt;
mod script_call;
mod script_modules;
mod services;
mod signatures;
mod tool_calls;
mod wave;

pub(super) use caller::RootCall;
pub(super) use calls::Calls;
pub(super) use inner::Inner;
pub(super) use retries::Deadline;
