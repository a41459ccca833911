//! Interface to the runner of a step: its input and its result.
//!
//! Knows one step. [`PlanRun`](super::PlanRun) decides when it runs, and how often.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::task::TaskMessage;
use crate::agent::Agent;
use crate::plan_record::Step;
use crate::team::{AgentMd, SharedLog};
use mitt::Session;
use mitt_base::Result;

/// Runs steps. The default uses an agent with the session's tools; another implementation may send them elsewhere.
///
/// A panic or a timeout counts as a failure of the step.
pub trait StepRunner: Send + Sync {
    /// Makes one attempt. Dropping the future stops it.
    ///
    /// # Errors
    ///
    /// The step failed. A [retryable](mitt_base::Error::is_retryable) error is retried;
    /// [`ErrorKind::Blocked`](mitt_base::ErrorKind::Blocked) ends the plan.
    fn attempt(&self, task: StepTask) -> BoxFuture<'_, Result<StepResult>>;
}

/// One attempt of a step.
#[non_exhaustive]
pub struct StepTask {
    /// The session.
    pub session: Session,
    /// Agent for the step. The cost of its model is counted for the plan, and its limits are those of a step.
    pub agent: Arc<Agent>,
    /// The step.
    pub step: Step,
    /// File of the agent that the step names, if any.
    pub file: Option<AgentMd>,
    /// Message for the worker.
    pub message: TaskMessage,
    /// Number of the attempt, from 1.
    pub number: u64,
    /// Log of the plan, which includes the steps of agents.
    pub(crate) log: Option<SharedLog>,
}

/// Result of an attempt.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct StepResult {
    /// The result, for dependent steps and the report.
    pub text: String,
    /// Names of the delivered files.
    pub delivered: Vec<String>,
    /// How many of its scripts failed before one succeeded.
    pub repairs: u64,
}

impl StepResult {
    /// Returns a result with a text and no files.
    pub fn text(text: impl Into<String>) -> StepResult {
        StepResult { text: text.into(), ..StepResult::default() }
    }
}
