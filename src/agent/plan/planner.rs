//! Follows instructions by plans: which models plan, judge and report, who reviews, and how far it may go.

use std::sync::Arc;

use super::limits::PlanLimits;
use super::review::{AcceptPlans, PlanReview};
use super::run::{PlanReport, PlanRun};
use super::step::{AgentSteps, StepRunner};
use crate::agent::Agent;
use crate::log::LoggedRun;
use crate::model::ChatModel;
use mitt::Session;
use mitt_base::{Error, ErrorKind, Result};

/// Follows an instruction by a plan: a model makes it, workers do its steps, a second look is taken at each result, and a report
/// is written and delivered. One value can serve many sessions.
///
/// # Example
///
/// ```no_run
/// # async fn follow(agent: mitt_agent::Agent, session: mitt::Session) -> mitt::Result<()> {
/// use mitt_agent::plan::Planner;
///
/// let planner = Planner::builder(agent).limits(|limits| limits.workers = 8).build();
/// let report = planner.run(&session, "Compare both years, and give me the report as PDF").await?;
/// println!("{}\n{:?} {:?}", report.text, report.delivered, report.missing);
/// # Ok(())
/// # }
/// ```
pub struct Planner {
    agent: Agent,
    plans: Option<Arc<dyn ChatModel>>,
    reflections: Option<Arc<dyn ChatModel>>,
    reports: Option<Arc<dyn ChatModel>>,
    steps: Arc<dyn StepRunner>,
    agents: Vec<(String, String)>,
    review: Arc<dyn PlanReview>,
    limits: PlanLimits,
}

/// Makes a [`Planner`].
pub struct PlannerBuilder {
    planner: Planner,
}

impl Planner {
    /// A planner whose steps are done as this agent works. Its tokens, cost and time hold for a whole plan, its turns and calls for
    /// each step.
    pub fn builder(agent: Agent) -> PlannerBuilder {
        PlannerBuilder {
            planner: Planner {
                agent,
                plans: None,
                reflections: None,
                reports: None,
                steps: Arc::new(AgentSteps),
                agents: Vec::new(),
                review: Arc::new(AcceptPlans),
                limits: PlanLimits::default(),
            },
        }
    }

    /// Follow an instruction by a plan.
    ///
    /// # Errors
    ///
    /// As [`PlanRun::go`].
    pub async fn run(&self, session: &Session, instruction: &str) -> Result<PlanReport> {
        self.begin(session, instruction).go().await
    }

    /// A plan for the instruction, which [`PlanRun::go`] makes and carries out.
    pub fn begin<'a>(&'a self, session: &'a Session, instruction: &str) -> PlanRun<'a> {
        PlanRun::new(self, session, instruction)
    }

    /// Go on with a plan that was logged: what was decided stays so, and no step is done again that has a result. An attempt that was
    /// under way begins anew, and so does a look at a result. The limits count anew. The session has to have the documents of the run.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - the run has no plan, was followed to its end, or its log is damaged.
    pub fn resume<'a>(&'a self, session: &'a Session, run: &LoggedRun) -> Result<PlanRun<'a>> {
        let instruction = run.instructions().next_back();
        let Some(instruction) = instruction.filter(|_| !run.is_finished()) else {
            return Err(Error::new(ErrorKind::Input, "the run was followed to its end"));
        };
        // A run that died before its plan was made makes it now.
        let record = run.plan()?.unwrap_or_default();
        PlanRun::new(self, session, instruction).resumed(record)
    }

    pub(super) fn agent(&self) -> &Agent {
        &self.agent
    }

    pub(super) fn limits(&self) -> &PlanLimits {
        &self.limits
    }

    pub(super) fn agents(&self) -> &[(String, String)] {
        &self.agents
    }

    pub(super) fn review(&self) -> &dyn PlanReview {
        self.review.as_ref()
    }

    pub(super) fn steps(&self) -> Arc<dyn StepRunner> {
        self.steps.clone()
    }

    pub(super) fn model_of_plans(&self) -> Arc<dyn ChatModel> {
        self.plans.clone().unwrap_or_else(|| self.agent.shared_model())
    }

    pub(super) fn model_of_reflections(&self) -> Arc<dyn ChatModel> {
        self.reflections.clone().unwrap_or_else(|| self.agent.shared_model())
    }

    pub(super) fn model_of_reports(&self) -> Arc<dyn ChatModel> {
        self.reports.clone().unwrap_or_else(|| self.agent.shared_model())
    }
}

impl PlannerBuilder {
    /// Change how far a plan may go.
    #[must_use]
    pub fn limits(mut self, change: impl FnOnce(&mut PlanLimits)) -> PlannerBuilder {
        change(&mut self.planner.limits);
        self
    }

    /// The model that makes plans. Default the agent's.
    #[must_use]
    pub fn model_of_plans(mut self, model: Arc<dyn ChatModel>) -> PlannerBuilder {
        self.planner.plans = Some(model);
        self
    }

    /// The model that takes a second look at results. Default the agent's.
    #[must_use]
    pub fn model_of_reflections(mut self, model: Arc<dyn ChatModel>) -> PlannerBuilder {
        self.planner.reflections = Some(model);
        self
    }

    /// The model that writes the report. Default the agent's.
    #[must_use]
    pub fn model_of_reports(mut self, model: Arc<dyn ChatModel>) -> PlannerBuilder {
        self.planner.reports = Some(model);
        self
    }

    /// Who does the steps. Default [`AgentSteps`].
    #[must_use]
    pub fn steps(mut self, steps: Arc<dyn StepRunner>) -> PlannerBuilder {
        self.planner.steps = steps;
        self
    }

    /// Agents that a step may name, each with what it does in a line. Whoever does the steps has to know them. Default none.
    #[must_use]
    pub fn agents(mut self, agents: impl IntoIterator<Item = (String, String)>) -> PlannerBuilder {
        self.planner.agents = agents.into_iter().collect();
        self
    }

    /// Who is shown a plan before its steps are done. Default [`AcceptPlans`].
    #[must_use]
    pub fn review(mut self, review: Arc<dyn PlanReview>) -> PlannerBuilder {
        self.planner.review = review;
        self
    }

    /// The planner.
    pub fn build(self) -> Planner {
        self.planner
    }
}
