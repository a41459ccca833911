//! Plain data of scripts: their output, the result for the caller, and the types of a session's tools for editors.
//!
//! Knows values, limits and nothing that runs: `mitt-skill` has the tool that runs scripts, links engines and finds them, and
//! `session/` runs them.

mod outcome;
mod output;
mod stubs;

pub(crate) use outcome::{CalledTool, Ended, Line, Outcome};
pub use output::OutputStream;
pub(crate) use output::{Captured, Listener, Output};
pub(crate) use stubs::{
    StubModule, python_stub_files, python_stubs, typescript_stub_files, typescript_stubs,
};
