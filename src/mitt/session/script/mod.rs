//! Scripts in a session: from the arguments of a run to its answer, and what is left behind for the next one.
//!
//! Knows engines as `capability` shows them. What a script is as plain data, its tool and its answer, is in `crate::script`.

mod allowed;
mod attempt;
mod checked;
mod kept;
mod modules;
mod recorded;
mod run;
mod run_script;
mod stubs;
mod tape;
mod variables;

pub(super) use allowed::AllowedModules;
pub(super) use checked::ScriptCall;
pub(super) use kept::KeptInstances;
pub(super) use run::{Record, ScriptRun};
