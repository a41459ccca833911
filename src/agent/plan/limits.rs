//! How far a plan may go.

use std::time::Duration;

use mitt_base::{Error, Resource};

/// Most steps that any plan may have, whatever is configured.
pub const MAX_STEPS: usize = 200;

/// Most workers, whatever is configured.
pub(super) const MAX_WORKERS: usize = 64;

/// How far a plan may go, beside the agent's own [`AgentLimits`](crate::AgentLimits): its tokens, cost and time hold for the whole
/// plan, its turns and calls for each step.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PlanLimits {
    /// Steps of the plan. Default 20, at most [`MAX_STEPS`].
    pub steps: usize,
    /// Steps that are done at the same time. Default 4, at most 64.
    pub workers: usize,
    /// How often a second look may send a step back; after that its result counts as it is. Default 2: a step is done three times
    /// at most. 0 takes no second look. Failures that may pass by themselves are tried again as often.
    pub attempts: u64,
    /// How often the model may correct a plan that is not sound. Default 2.
    pub repairs: u64,
    /// How often whoever reviews a plan may reject it. Default 3.
    pub rejections: u64,
    /// Scripts of one attempt of a processing step that may fail before the attempt does. Default 3 repairs: the fourth failure
    /// ends it.
    pub script_repairs: u64,
    /// Wall clock of one attempt of a step. Default 10 minutes.
    pub step_time: Duration,
    /// Turns of all models together. Default 500.
    pub turns: u64,
    /// Characters of one result that are kept, and shown to the steps that need it and to the reporter. Default 16 000.
    pub result_characters: u64,
    /// What becomes of a step that needs one without a result. Default [`FailedNeed::Skip`].
    pub failed_need: FailedNeed,
}

/// What becomes of a step when one that it needs has no result.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub enum FailedNeed {
    /// It is skipped, and so are those that need it.
    #[default]
    Skip,
    /// It is done, and told what failed.
    Run,
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
    /// The number of steps that holds.
    pub(super) fn most_steps(&self) -> usize {
        self.steps.clamp(1, MAX_STEPS)
    }

    /// The number of workers that holds.
    pub(super) fn most_workers(&self) -> usize {
        self.workers.clamp(1, MAX_WORKERS)
    }
}

/// It took longer than `time`.
#[cold]
pub(super) fn too_long(time: Duration) -> Error {
    let limit = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    Error::limit(Resource::ModelTime, limit, limit.saturating_add(1))
        .hint("allow more time, or plan smaller steps; what is done stays")
}
