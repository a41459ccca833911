//! Limits of a plan.

use std::time::Duration;

use crate::plan_record::FailedNeed;
use mitt_base::{Error, Resource};

/// Most steps of a plan, whatever is configured.
pub const MAX_STEPS: usize = 200;

/// Most workers, whatever is configured.
pub(super) const MAX_WORKERS: usize = 64;

/// Limits of a plan, in addition to the agent's own [`AgentLimits`](crate::AgentLimits), whose tokens, cost and time apply to the
/// whole plan, and whose turns and calls apply to each step.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PlanLimits {
    /// Steps of the plan. Default: 20, at most [`MAX_STEPS`].
    pub steps: usize,
    /// Steps that run concurrently. Default: 4, at most 64.
    pub workers: usize,
    /// How often a reflection may send a step back; after that its result counts as it is. Default: 2, so a step runs at most
    /// three times. 0 disables reflection. Temporary failures are retried as often.
    pub attempts: u64,
    /// How often the model may correct an invalid plan. Default: 2.
    pub repairs: u64,
    /// How often the reviewer may reject a plan. Default: 3.
    pub rejections: u64,
    /// Scripts in one attempt of a processing step that may fail before the attempt does. Default: 3 repairs, so the fourth
    /// failure ends the attempt.
    pub script_repairs: u64,
    /// Wall clock of one attempt of a step. Default: 10 minutes.
    pub step_time: Duration,
    /// Turns of all models together. Default: 500.
    pub turns: u64,
    /// Characters of one result that are kept, and shown to dependent steps and the reporter. Default: 16 000.
    pub result_characters: u64,
    /// What happens to a step that depends on one without a result. Default: [`FailedNeed::Skip`].
    pub failed_need: FailedNeed,
}

impl Default for PlanLimits {
    fn default() -> PlanLimits {
        PlanLimits {
            steps: 20,
            workers: 4,
            attempts: 2,
            repairs: 2,
            rejections: 3,
            script_repairs: 3,
            step_time: Duration::from_secs(10 * 60),
            turns: 500,
            result_characters: 16_000,
            failed_need: FailedNeed::Skip,
        }
    }
}

impl PlanLimits {
    /// Returns the effective number of steps.
    pub(super) fn most_steps(&self) -> usize {
        self.steps.clamp(1, MAX_STEPS)
    }

    /// Returns the effective number of workers.
    pub(super) fn most_workers(&self) -> usize {
        self.workers.clamp(1, MAX_WORKERS)
    }
}

/// Returns the error of work that took longer than `time`.
#[cold]
pub(super) fn too_long(time: Duration) -> Error {
    let limit = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    Error::limit(Resource::ModelTime, limit, limit.saturating_add(1))
        .hint("allow more time, or plan smaller steps; what is done stays")
}
