//! Scripts in a session: from the arguments of a run to its answer, and what is left behind for the next one.
//!
//! Knows engines as `capability` shows them. What a script is as plain data, its tool and its answer, is in `crate::script`.

mod attempt;
mod kept;
mod modules;
mod run_script;
mod stubs;
mod tape;

pub(super) use attempt::{Resumption, ScriptCall, ScriptRun};
pub(super) use kept::KeptInstances;
pub(super) use modules::AllowedModules;
