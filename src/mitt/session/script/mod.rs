//! State of scripts in a session: allowed modules, output, the record that a second run needs, and instances that stay between
//! scripts.
//!
//! Knows no session. `running/` runs scripts; their plain data, tool and result are in `crate::script`.

mod allowed;
mod kept;
mod recorded;
mod run;
mod tape;

pub(super) use allowed::AllowedModules;
pub(super) use kept::{KeptInstances, Slot, turn};
pub(super) use recorded::RecordedServices;
pub(super) use run::{Record, ScriptRun};
