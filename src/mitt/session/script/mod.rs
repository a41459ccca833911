//! What a script leaves and finds in its session: which modules it may use, its output, the record that a second run needs, and
//! the instances that stay between scripts.
//!
//! Knows no session. How a script is run is in `running/`; what it is as plain data, its tool and its answer, in `crate::script`.

mod allowed;
mod kept;
mod recorded;
mod run;
mod tape;

pub(super) use allowed::AllowedModules;
pub(super) use kept::{KeptInstances, Slot, turn};
pub(super) use recorded::RecordedServices;
pub(super) use run::{Record, ScriptRun};
