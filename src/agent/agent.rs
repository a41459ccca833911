//! A model with the way in which it is let work.

use std::sync::Arc;

use crate::conversation::{Conversation, RunReport};
use crate::log::LoggedRun;
use crate::model::{ChatModel, Cost, Prices, Usage};
use crate::options::AgentLimits;
use crate::route::Router;
use mitt::Session;
use mitt::offer::ToolMode;
use mitt_base::Result;

/// A model, which tools it is shown and how far it may go. One value can serve many sessions.
pub struct Agent {
    model: Arc<dyn ChatModel>,
    mode: ToolMode,
    limits: AgentLimits,
    /// None for those that come with this version.
    prices: Option<Prices>,
    has_tags: bool,
    router: Option<Router>,
}

/// Makes an [`Agent`].
pub struct AgentBuilder {
    agent: Agent,
}

impl Agent {
    /// An agent with this model.
    pub fn builder(model: Arc<dyn ChatModel>) -> AgentBuilder {
        let (mode, limits) = (ToolMode::default(), AgentLimits::default());
        let agent = Agent { model, mode, limits, prices: None, has_tags: false, router: None };
        AgentBuilder { agent }
    }

    /// Let the model follow an instruction with the session's documents and tools.
    ///
    /// # Errors
    ///
    /// As [`Conversation::say`].
    pub async fn run(&self, session: &Session, instruction: &str) -> Result<RunReport> {
        self.conversation(session).await.say(instruction).await
    }

    /// Begin a conversation over the session.
    pub async fn conversation<'a>(&'a self, session: &'a Session) -> Conversation<'a> {
        Conversation::new(self, session).await
    }

    /// Go on with a conversation that was logged: everything that was said and done is known, and no call is made again that has
    /// a result. [`Conversation::go_on`] finishes what was under way.
    ///
    /// The session has to have the same documents, which the log names ([`LoggedRun::documents`]). What lived in the session of the
    /// process that ended is gone: tables of results, variables of scripts, files of the workspace. A call that names such a table
    /// is refused with the reason.
    pub async fn resume<'a>(&'a self, session: &'a Session, run: &LoggedRun) -> Conversation<'a> {
        Conversation::resumed(self, session, run).await
    }

    pub(crate) fn model(&self) -> &dyn ChatModel {
        self.model.as_ref()
    }

    pub(crate) fn mode(&self) -> ToolMode {
        self.mode
    }

    pub(crate) fn has_tags(&self) -> bool {
        self.has_tags
    }

    /// The gates that instructions go through, if any.
    pub(crate) fn router(&self) -> Option<&Router> {
        self.router.as_ref()
    }

    pub(crate) fn limits(&self) -> &AgentLimits {
        &self.limits
    }

    /// What these requests cost, if the model's price is known.
    pub(crate) fn cost(&self, requests: &[Usage]) -> Option<Cost> {
        let prices = self.prices.as_ref().unwrap_or(Prices::known());
        let costs = requests.iter().map(|usage| prices.cost(self.model.name(), usage));
        costs.sum()
    }
}

impl AgentBuilder {
    /// Show the tools so. Default [`ToolMode::Script`].
    #[must_use]
    pub fn tools(mut self, mode: ToolMode) -> AgentBuilder {
        self.agent.mode = mode;
        self
    }

    /// Change how far a run may go.
    #[must_use]
    pub fn limits(mut self, change: impl FnOnce(&mut AgentLimits)) -> AgentBuilder {
        change(&mut self.agent.limits);
        self
    }

    /// Count what the model costs by these prices. Default [`Prices::known`].
    #[must_use]
    pub fn prices(mut self, prices: Prices) -> AgentBuilder {
        self.agent.prices = Some(prices);
        self
    }

    /// Whether tags in the model's answer count, for models that were taught to deliver by them: `<<<RENDER:pdf>>>` alone in the last line
    /// has the answer rendered, as if the model had called `report__deliver`; `[FILE_GENERATED: report.xlsx]` names a file, which must have
    /// been delivered. Default no: then they are text.
    #[must_use]
    pub fn tags(mut self, count: bool) -> AgentBuilder {
        self.agent.has_tags = count;
        self
    }

    /// Let instructions go through these gates before the model sees them: `/skill arguments` uses a skill, small talk goes without tools,
    /// questions about abilities start no sub-agents. Default none: then a slash is text, and every instruction has all tools.
    #[must_use]
    pub fn routing(mut self, router: Router) -> AgentBuilder {
        self.agent.router = Some(router);
        self
    }

    /// The agent.
    pub fn build(self) -> Agent {
        self.agent
    }
}
