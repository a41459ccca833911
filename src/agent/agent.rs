//! A model with the way in which it is let work.

use std::sync::Arc;

use crate::conversation::{Conversation, RunReport};
use crate::log::LoggedRun;
use crate::model::ChatModel;
use crate::options::{AgentLimits, ToolMode};
use mitt::Session;
use mitt_base::Result;

/// A model, which tools it is shown and how far it may go. One value can serve many sessions.
pub struct Agent {
    model: Arc<dyn ChatModel>,
    mode: ToolMode,
    limits: AgentLimits,
}

/// Makes an [`Agent`].
pub struct AgentBuilder {
    agent: Agent,
}

impl Agent {
    /// An agent with this model.
    pub fn builder(model: Arc<dyn ChatModel>) -> AgentBuilder {
        let agent = Agent { model, mode: ToolMode::default(), limits: AgentLimits::default() };
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

    pub(crate) fn limits(&self) -> &AgentLimits {
        &self.limits
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

    /// The agent.
    pub fn build(self) -> Agent {
        self.agent
    }
}
