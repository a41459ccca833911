//! Scripts of a session: allowed modules, output, the record that a second run needs, instances and variables that stay between
//! scripts.
//!
//! [`Scripts`] owns what scripts leave behind. Knows no calls: `call/script_attempt.rs` runs scripts; their plain data, tool and
//! result are in `crate::script`.

mod allowed_modules;
mod grants;
mod kept_instances;
mod recorded_services;
mod run;
mod scripts;
mod tape;
mod variables;

pub(super) use allowed_modules::AllowedModules;
pub(super) use grants::granted_to_script;
pub(super) use kept_instances::KeptInstances;
pub(super) use recorded_services::RecordedServices;
pub(super) use run::{Record, ScriptRun};
pub(super) use scripts::Scripts;
