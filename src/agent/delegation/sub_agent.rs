//! One agent that does one task, in a conversation of its own.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use super::inputs::{self, Inputs};
use crate::agent::Agent;
use crate::conversation::Conversation;
use crate::log::{LogEntry, LoggedAgent};
use crate::model::{ChatModel, Prices};
use crate::report::{Delegated, RunReport};
use crate::run_event::AgentStatus;
use crate::run_usage::RunUsage;
use crate::team::{AgentMd, ConversationContext, RunningWork, Team, TeamLimits};
use crate::usage::{Budget, UsageCounter};
use mitt::Session;
use mitt::offer::ToolMode;
use mitt_base::{Result, text};

/// Characters of a task in events and in the journal.
const SHOWN: usize = 200;

/// Longest task, in bytes.
pub(super) const MAX_TASK: usize = 100_000;

/// Task of an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Task {
    /// Everything that it needs to know: it sees nothing of other conversations.
    pub text: String,
    /// Names of documents, tables (`t:3`) and delivered files that are described to it. If there is a document among them, no
    /// others are listed.
    pub inputs: Vec<String>,
}

impl Task {
    /// Returns a task without inputs.
    pub fn new(text: impl Into<String>) -> Task {
        Task { text: text.into(), inputs: Vec::new() }
    }

    /// Adds an input.
    #[must_use]
    pub fn input(mut self, name: impl Into<String>) -> Task {
        self.inputs.push(name.into());
        self
    }
}

/// Agent that is ready for tasks. One value can serve many sessions, and many concurrent tasks.
pub struct SubAgent {
    agent: Arc<AgentMd>,
    model: Arc<dyn ChatModel>,
    mode: ToolMode,
    prices: Option<Arc<Prices>>,
    team: Option<Arc<Team>>,
    summary_characters: u64,
}

impl SubAgent {
    /// Returns an agent with this model, which cannot delegate.
    pub fn new(agent: AgentMd, model: Arc<dyn ChatModel>) -> SubAgent {
        SubAgent {
            agent: Arc::new(agent),
            model,
            mode: ToolMode::default(),
            prices: None,
            team: None,
            summary_characters: TeamLimits::default().summary_characters,
        }
    }

    /// Returns an agent that works for `caller`.
    pub(super) fn below(
        agent: Arc<AgentMd>,
        model: Arc<dyn ChatModel>,
        caller: &Agent,
    ) -> SubAgent {
        let team = caller.team().cloned();
        let limits = team.as_ref().map(|team| team.bounds()).unwrap_or_default();
        SubAgent {
            agent,
            model,
            mode: caller.mode(),
            prices: caller.shared_prices(),
            team,
            summary_characters: limits.summary_characters,
        }
    }

    /// Sets how tools are shown. Default: [`ToolMode::Script`].
    #[must_use]
    pub fn tools(mut self, mode: ToolMode) -> SubAgent {
        self.mode = mode;
        self
    }

    /// Sets the prices of models. Default: [`Prices::known`].
    #[must_use]
    pub fn prices(mut self, prices: Prices) -> SubAgent {
        self.prices = Some(Arc::new(prices));
        self
    }

    /// Sets the most characters of its summary. Default: 4 000.
    #[must_use]
    pub fn summary_characters(mut self, most: u64) -> SubAgent {
        self.summary_characters = most;
        self
    }

    /// Returns the parsed file of the agent.
    pub fn file(&self) -> &AgentMd {
        &self.agent
    }

    /// Does a task in the session, with the tools that the agent's file allows. Its model sees only the task, its inputs and its
    /// own work. Dropping the future stops it.
    ///
    /// All errors are part of the result: an unavailable model, an exhausted budget, a missing input.
    pub async fn run(&self, session: &Session, task: &Task, budget: Budget) -> Delegated {
        match inputs::find(session, &task.inputs) {
            Ok(inputs) => {
                let context = ConversationContext { depth: 1, ..ConversationContext::default() };
                self.run_at(session.clone(), task.text.clone(), inputs, budget, context).await
            }
            Err(error) => Delegated::refused(&self.agent.name, error.render()),
        }
    }

    /// Like [`SubAgent::run`], at a place in a run. Boxed, because agents can delegate to agents.
    pub(super) fn run_at<'s>(
        &'s self,
        session: Session,
        task: String,
        inputs: Inputs,
        budget: Budget,
        context: ConversationContext,
    ) -> Pin<Box<dyn Future<Output = Delegated> + Send + 's>> {
        Box::pin(self.work(session, task, inputs, budget, context))
    }

    async fn work(
        &self,
        parent: Session,
        task: String,
        inputs: Inputs,
        budget: Budget,
        mut context: ConversationContext,
    ) -> Delegated {
        let session = parent.for_agent(self.agent.tool_filter());
        let counter = Arc::new(UsageCounter::below(context.parent_counter.take()));
        let work = RunningWork::new(&parent, &session, &self.agent.name, counter.clone());
        let work = work.noted(context.sink.clone());
        let filter = self.agent.tool_filter();
        let logged = LoggedAgent::new(work.id(), parent.agent(), &self.agent.name, &filter);
        // The next conversation that writes reports a problem with the log.
        let _ = context.write(None, &LogEntry::Delegated(logged), str::to_owned);
        work.begin(text::one_line(&text::shortened(&task, SHOWN)));
        if budget.is_used_up() {
            let why = "nothing is left of the budget of this run".to_owned();
            return self.ended(work, Err(why), Vec::new());
        }
        if !inputs.documents.is_empty() {
            context.documents = Some(inputs.documents);
        }
        let agent = self.agent_within(&budget);
        let text = if inputs.text.is_empty() {
            task
        } else {
            format!("{task}\n\nInputs:\n{}", inputs.text)
        };
        let mut conversation = Conversation::at(&agent, session, context).await;
        let mut run_usage = RunUsage::counted_by(counter);
        let done = conversation.say_with_usage(&text, &mut run_usage).await;
        let delivered = conversation.delivered();
        self.ended(work, self.summed_up(done), delivered)
    }

    /// Returns the result of work that ends now: its summary with its files, or why it failed. Delivered files stay in any case.
    fn ended(
        &self,
        mut work: RunningWork,
        done: Result<(String, Vec<String>), String>,
        delivered: Vec<String>,
    ) -> Delegated {
        let (status, summary, failure, artifacts) = match done {
            Ok((summary, delivered)) => (AgentStatus::Done, summary, None, delivered),
            Err(why) => (AgentStatus::Failed, String::new(), Some(why), delivered),
        };
        work.end(status, failure.clone());
        let (id, agent, cost) = (Some(work.id()), self.agent.name.clone(), work.cost());
        Delegated { id, agent, status, summary, failure, artifacts, cost }
    }

    fn summed_up(&self, done: Result<RunReport>) -> Result<(String, Vec<String>), String> {
        let report = match done {
            Ok(report) => report,
            Err(error) => return Err(text::shortened(&error.render(), SHOWN * 5).to_string()),
        };
        let said = report.text.trim();
        if said.is_empty() && report.delivered.is_empty() {
            return Err("it said nothing".to_owned());
        }
        let (kept, is_cut) = text::cut_chars(said, self.summary_characters);
        let mut summary = kept.to_owned();
        if is_cut {
            let left = said[kept.len()..].chars().count();
            summary.push_str(&format!("\n[cut: {left} characters of the summary were left out]"));
        }
        Ok((summary, report.delivered))
    }

    /// Returns the agent for the loop.
    fn agent_within(&self, budget: &Budget) -> Agent {
        let turns = self.agent.max_turns.map_or(budget.turns, |most| most.min(budget.turns));
        Agent::builder(self.model.clone())
            .tools(self.mode)
            .instructions(self.agent.instructions.as_str())
            .of_team(self.team.clone(), self.prices.clone(), self.agent.skills.clone())
            .limits(|limits| {
                limits.turns = Some(turns);
                limits.tokens = budget.tokens;
                limits.cost = budget.cost;
                limits.calls = budget.calls;
                limits.time = budget.time;
            })
            .build()
    }
}
