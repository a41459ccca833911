//! State of scripts in a session: allowed modules, output, the record that a second run needs, and instances that stay between
//! scripts.
//!
//! Knows no session. `script_execution/` runs scripts; their plain data, tool and result are in `crate::script`.

mod allowed_modules;
mod kept_instances;
mod recorded_services;
mod run;
mod tape;

pub(super) use allowed_modules::AllowedModules;
pub(super) use kept_instances::{KeptInstances, Slot, turn};
pub(super) use recorded_services::RecordedServices;
pub(super) use run::{Record, ScriptRun};
