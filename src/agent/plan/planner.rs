//! Planner: the models that plan, reflect and report, the reviewer, and the limits.

use std::sync::Arc;

use super::agent_steps::AgentSteps;
use super::limits::PlanLimits;
use super::review::{AcceptPlans, PlanReview};
use super::step::StepRunner;
use crate::agent::Agent;
use crate::model::ChatModel;
use crate::team::AgentMd;

/// Follows an instruction by a plan: a model makes it, workers run its steps, each result is reflected on, and a report is
/// written and delivered. One value can serve many sessions.
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

/// Builder of a [`Planner`].
pub struct PlannerBuilder {
    planner: Planner,
}

impl Planner {
    /// Returns a builder for a planner whose steps run like this agent. The agent's tokens, cost and time apply to a whole plan,
    /// its turns and calls to each step. A step may name an agent of its team
    /// ([`AgentBuilder::team`](crate::AgentBuilder::team)).
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

    /// Returns the team's agent of this name, and its model if it has one of its own.
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
    /// Changes the limits of a plan.
    #[must_use]
    pub fn limits(mut self, change: impl FnOnce(&mut PlanLimits)) -> PlannerBuilder {
        change(&mut self.planner.limits);
        self
    }

    /// Sets the model that makes plans. Default: the agent's.
    #[must_use]
    pub fn model_of_plans(mut self, model: Arc<dyn ChatModel>) -> PlannerBuilder {
        self.planner.plans = Some(model);
        self
    }

    /// Sets the model that reflects on results. Default: the agent's.
    #[must_use]
    pub fn model_of_reflections(mut self, model: Arc<dyn ChatModel>) -> PlannerBuilder {
        self.planner.reflections = Some(model);
        self
    }

    /// Sets the model that writes the report. Default: the agent's.
    #[must_use]
    pub fn model_of_reports(mut self, model: Arc<dyn ChatModel>) -> PlannerBuilder {
        self.planner.reports = Some(model);
        self
    }

    /// Sets the runner of steps. Default: [`AgentSteps`].
    #[must_use]
    pub fn steps(mut self, steps: Arc<dyn StepRunner>) -> PlannerBuilder {
        self.planner.steps = steps;
        self
    }

    /// Sets the agents that a step may name, each with a description on one line. The runner of steps must know them. Default:
    /// those of the agent's team.
    #[must_use]
    pub fn agents(mut self, agents: impl IntoIterator<Item = (String, String)>) -> PlannerBuilder {
        self.planner.agents = agents.into_iter().collect();
        self
    }

    /// Sets the reviewer of a plan, before its steps run. Default: [`AcceptPlans`].
    #[must_use]
    pub fn review(mut self, review: Arc<dyn PlanReview>) -> PlannerBuilder {
        self.planner.review = review;
        self
    }

    /// Builds the planner.
    pub fn build(self) -> Planner {
        self.planner
    }
}
