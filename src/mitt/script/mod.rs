//! Plain data of scripts: the tool that runs them, their output, the result for the caller, and the types of a session's tools
//! for editors.
//!
//! Knows values, limits and nothing that runs: `capability/` links engines, `skill/` finds them, and `session/` runs them.

mod definition;
mod outcome;
mod output;
mod stubs;

pub(crate) use definition::{EngineName, RUN, ScriptArguments, function, policy_title};
pub(crate) use outcome::{CalledTool, Ended, Line, Outcome};
pub use output::OutputStream;
pub(crate) use output::{Captured, Listener, Output};
pub(crate) use stubs::{
    StubModule, python_stub_files, python_stubs, typescript_stub_files, typescript_stubs,
};
