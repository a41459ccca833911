//! Plans: an instruction is followed in steps, several of them concurrently, with a reflection on the result of each.
//!
//! [`Planner`] does everything. The parts can be used separately: [`Plan`] parses and checks a plan, [`Reflection`] parses a
//! reflection, [`StepState`] defines the transitions between states, and [`LoggedRun::plan`](crate::LoggedRun::plan) returns the
//! progress of a logged plan. [`PlanReview`] lets a person decide, [`StepRunner`] runs steps in another way.
//!
//! Knows models and sessions. The caller asks people and stores logs.

mod agent_steps;
mod ask;
mod budget;
mod events;
mod gate;
mod limits;
mod make;
mod planner;
mod reflect;
mod report;
mod review;
mod run;
mod start;
mod step;
mod task;

pub use crate::plan_record::{
    Acceptance, Attempt, FailedNeed, Plan, PlanRecord, Reflection, ReflectionOutcome, Step,
    StepKind, StepRecord, StepState,
};
pub use agent_steps::AgentSteps;
pub use limits::{MAX_STEPS, PlanLimits};
pub use planner::{Planner, PlannerBuilder};
pub use review::{AcceptPlans, DecidedPlan, PlanDecision, PlanDesk, PlanReview};
pub use run::{PlanReport, PlanRun};
pub use step::{StepResult, StepRunner, StepTask};
pub use task::TaskMessage;
