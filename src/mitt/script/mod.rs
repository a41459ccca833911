//! Scripts, as far as they are plain data: the tool that runs them, what a script writes, the answer that a caller gets, the
//! types of a session's tools for editors.
//!
//! Knows values, limits and nothing that runs: engines are linked in `capability/`, found in `skill/` and run in `session/`.

mod definition;
mod outcome;
mod output;
mod stubs;

pub(crate) use definition::{EngineName, RUN, ScriptArguments, function, policy_title};
pub(crate) use outcome::{CalledTool, Ended, Line, Outcome};
pub use output::OutputStream;
pub(crate) use output::{Captured, Listener, Output};
pub(crate) use stubs::{StubModule, stub_files, stubs};
