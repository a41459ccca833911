//! Who does a step, what that one is told, and what comes back.
//!
//! Knows one step. When it is done, and again, is the business of [`PlanRun`](super::PlanRun).

use std::sync::Arc;

use async_trait::async_trait;

use super::shape::Step;
use super::task::TaskMessage;
use crate::agent::Agent;
use crate::team::SharedLog;
use mitt::Session;
use mitt::skill::AgentMd;
use mitt_base::Result;

/// Does steps. The default makes an agent of each that uses the session's tools; another one may send them elsewhere.
///
/// What panics or takes too long is a step that failed.
#[async_trait]
pub trait StepRunner: Send + Sync {
    /// Make one attempt. It stops when it is dropped.
    ///
    /// # Errors
    ///
    /// It could not be done. An error that [may pass](mitt_base::Error::may_pass) is tried again;
    /// [`ErrorKind::Blocked`](mitt_base::ErrorKind::Blocked) ends the plan.
    async fn attempt(&self, task: StepTask) -> Result<StepResult>;
}

/// One attempt of a step.
#[non_exhaustive]
pub struct StepTask {
    /// The session.
    pub session: Session,
    /// Does it. What its model costs is counted for the plan, and its limits are those of a step.
    pub agent: Arc<Agent>,
    /// The step.
    pub step: Step,
    /// The file of the agent that the step names, if it names one.
    pub file: Option<AgentMd>,
    /// What it is told.
    pub message: TaskMessage,
    /// Which attempt it is, from 1.
    pub number: u64,
    /// The log of the plan, into which goes what an agent does.
    pub(crate) log: Option<SharedLog>,
}

/// What an attempt gave.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct StepResult {
    /// The result, for the steps that need it and for the report.
    pub text: String,
    /// Names of the files that were delivered.
    pub delivered: Vec<String>,
    /// How often a script of it failed before one did the work.
    pub repairs: u64,
}

impl StepResult {
    /// A text and no files.
    pub fn text(text: impl Into<String>) -> StepResult {
        StepResult { text: text.into(), ..StepResult::default() }
    }
}
