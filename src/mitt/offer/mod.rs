//! What a model sees of a session's tools: all of them, those of the skills that it activates, or the one that runs scripts with
//! a line for each function.
//!
//! Knows skills and tools by their descriptions. Does not know the protocol in which they are shown, and does not decide which
//! may be called.

mod activate;
mod mode;
mod outline;
mod scripts;
mod signature;

pub use activate::{ACTIVATE, activated, brought, called, catalogue, offered};
pub use mode::ToolMode;
pub use outline::{modules, outlines};
pub use scripts::{script_help, script_tools, script_usage};
pub use signature::signatures;

/// Most bytes of a list of functions or skills: together with the tool that runs scripts, less than 3 000 tokens.
const LIST_BYTES: usize = 8_000;

#[cfg(test)]
mod tests;
