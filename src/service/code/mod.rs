//! Sandboxes: sessions in which scripts of a client run, with files that outlive a process.
//!
//! A sandbox is a container of OpenAI's interface, and a session of LibreChat's. Its files are in the store; its session
//! with the variables of its scripts is in memory, as long as it is used.
//!
//! | file | contents |
//! |---|---|
//! | `state` | what a sandbox, its files, a script and a result are |
//! | `language` | which languages there are |
//! | `hint` | what to use in place of what the interpreter lacks |
//! | `outcome` | the result of a script |
//! | `prelude` | Python that runs before the script, so that foreign code finds `/mnt/data` and asyncio |
//! | `records` | sandboxes and files in the store |
//! | `work` | one session of Mitt with the files of a sandbox |
//! | `live` | the sessions in memory |
//! | `sandboxes` | all of it together |
//! | `guest` | scripts of other sessions with the files of a sandbox |

mod guest;
mod hint;
mod language;
mod live;
mod outcome;
mod prelude;
mod records;
mod sandboxes;
mod state;
#[cfg(test)]
mod tests;
mod work;

pub(crate) use guest::{GivenDocument, GuestDone, GuestScripts};
pub(crate) use language::{is_javascript, unsupported};
pub(crate) use prelude::{CallerTool, CallerTools};
pub(crate) use sandboxes::SandboxCall;
pub(crate) use sandboxes::{SandboxOptions, Sandboxes};
pub(crate) use state::file_name;
pub(crate) use state::{NewSandbox, SandboxFile, SandboxState, Script, ScriptResult};
