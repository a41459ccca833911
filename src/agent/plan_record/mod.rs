//! Plans as data: their text as a model writes it, their steps, and their progress as a log has it.
//!
//! Knows no model and runs nothing.

mod parse;
mod record;
mod reflection;
mod shape;
mod step_state;

pub use record::{Attempt, FailedNeed, PlanRecord, StepRecord};
pub(crate) use record::{Decided, PlanEntry};
pub use reflection::{Reflection, ReflectionOutcome};
pub use shape::{Plan, Step, StepKind};
pub use step_state::{Acceptance, StepState};
