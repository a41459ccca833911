//! Plans: an instruction that is followed in steps, several at the same time, each with a second look at what it gave.
//!
//! [`Planner`] does all of it. The parts are useful alone: [`Plan`] reads and checks a plan, [`Reflection`] a second look,
//! [`StepState`] says which state may follow which, and [`LoggedRun::plan`](crate::LoggedRun::plan) shows how far a plan of a log has
//! come. [`PlanReview`] lets a person decide, [`StepRunner`] does steps in another way.
//!
//! Knows models and sessions. How a person is asked, and where logs lie, is the business of the caller.

mod agent_steps;
mod ask;
mod gate;
mod limits;
mod make;
mod parse;
mod planner;
mod purse;
mod record;
mod reflect;
mod reflection;
mod report;
mod review;
mod run;
mod shape;
mod start;
mod step;
mod step_state;
mod task;
mod told;

pub use agent_steps::AgentSteps;
pub use limits::{FailedNeed, MAX_STEPS, PlanLimits};
pub use planner::{Planner, PlannerBuilder};
pub(crate) use record::PlanEntry;
pub use record::{Attempt, PlanRecord, StepRecord};
pub use reflection::{Reflection, ReflectionOutcome};
pub use review::{AcceptPlans, DecidedPlan, PlanDecision, PlanDesk, PlanReview};
pub use run::{PlanReport, PlanRun};
pub use shape::{Plan, Step, StepKind};
pub use step::{StepResult, StepRunner, StepTask};
pub use step_state::{Acceptance, StepState};
pub use task::TaskMessage;
