//! What a model is shown of the tools of a session: all of them, those of skills that it activates, or the one that runs scripts and a
//! line for each function.
//!
//! Knows skills and tools as they are described. Who shows them, and in which words of a service or protocol, is not known here;
//! nor does it decide what may be called.

mod activate;
mod mode;
mod outline;
mod signature;

pub use activate::{ACTIVATE, activated, brought, called, catalogue, offered};
pub use mode::ToolMode;
pub use outline::{RUN_TOOL, modules, outlines};
pub use signature::signatures;

/// Most bytes of a list of functions or skills: with the tool that runs scripts, less than 3 000 tokens.
const LIST_BYTES: usize = 8_000;

#[cfg(test)]
mod tests;
