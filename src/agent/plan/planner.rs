//! Follows instructions by plans: which models plan, judge and report, who reviews, and how far it may go.

use std::sync::Arc;

use super::agent_steps::AgentSteps;
use super::limits::PlanLimits;
use super::review::{AcceptPlans, PlanReview};
use super::step::StepRunner;
use crate::agent::Agent;
use crate::model::ChatModel;
use mitt::skill::AgentMd;

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
    /// each step. A step may name one of its team ([`AgentBuilder::team`](crate::AgentBuilder::team)).
    pub fn builder(agent: Agent) -> PlannerBuilder {
        let team = agent.team().into_iter().flat_map(|team| team.members());
        let agents = team.map(|(name, file, _)| (name.to_owned(), file.description.clone()));
        let agents = agents.collect();
        PlannerBuilder {
            planner: Planner {
                agent,
                plans: None,
                reflections: None,
                reports: None,
                steps: Arc::new(AgentSteps),
                agents,
                review: Arc::new(AcceptPlans),
                limits: PlanLimits::default(),
            },
        }
    }

    pub(super) fn agent(&self) -> &Agent {
        &self.agent
    }

    pub(super) fn limits(&self) -> &PlanLimits {
        &self.limits
    }

    /// The agent of the team with this name, and its model if that is another one.
    pub(super) fn member(&self, name: &str) -> Option<(&AgentMd, Option<&Arc<dyn ChatModel>>)> {
        let mut members = self.agent.team()?.members();
        members.find(|(member, ..)| *member == name).map(|(_, file, model)| (file, model))
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

    /// Agents that a step may name, each with what it does in a line. Whoever does the steps has to know them. Default those of the
    /// agent's team.
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
