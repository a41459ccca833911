//! One agent that does one task, in a conversation of its own.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use serde_json::json;

use super::at_work::AtWork;
use super::inputs::{self, Inputs};
use super::members::Team;
use super::seat::Seat;
use crate::agent::Agent;
use crate::conversation::{Conversation, RunReport};
use crate::log::{Entry, LoggedAgent};
use crate::meter::{Budget, Meter};
use crate::model::{ChatModel, Prices};
use crate::spent::Spent;
use mitt::offer::ToolMode;
use mitt::skill::AgentMd;
use mitt::{AgentCost, AgentStatus, Session};
use mitt_base::{Result, text};

/// Characters of a task in events and in the journal.
const SHOWN: usize = 200;

/// Longest task, in bytes.
pub(super) const MAX_TASK: usize = 100_000;

/// What an agent is to do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Task {
    /// All that it needs to know: it sees nothing of other conversations.
    pub text: String,
    /// Names of documents, of tables (`t:3`) and of delivered files that it is told of. Where a document is among them, it is told of
    /// no other.
    pub inputs: Vec<String>,
}

impl Task {
    /// A task without inputs.
    pub fn new(text: impl Into<String>) -> Task {
        Task { text: text.into(), inputs: Vec::new() }
    }

    /// With one more input.
    #[must_use]
    pub fn input(mut self, name: impl Into<String>) -> Task {
        self.inputs.push(name.into());
        self
    }
}

/// What came of a task.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Delegated {
    /// Identifies the work within the session, as events tell; none if it never began.
    pub id: Option<u64>,
    /// The agent's name.
    pub agent: String,
    /// How it ended.
    pub status: AgentStatus,
    /// The agent's last words, as many as may come back.
    pub summary: String,
    /// Why the task was not done.
    pub failure: Option<String>,
    /// Names of the files that it delivered, also if it failed later.
    pub artifacts: Vec<String>,
    /// What it used, with those that it gave work to.
    pub cost: AgentCost,
}

impl Delegated {
    /// Of work that never began.
    pub(super) fn refused(agent: &str, why: String) -> Delegated {
        Delegated {
            id: None,
            agent: agent.to_owned(),
            status: AgentStatus::Failed,
            summary: String::new(),
            failure: Some(why),
            artifacts: Vec::new(),
            cost: AgentCost::default(),
        }
    }

    /// Whether the task was done.
    pub fn is_done(&self) -> bool {
        self.status == AgentStatus::Done
    }

    /// As a model is told.
    pub(super) fn to_json(&self) -> String {
        let mut told = json!({ "agent": self.agent, "status": self.status.name() });
        if !self.summary.is_empty() {
            told["summary"] = self.summary.as_str().into();
        }
        if let Some(why) = &self.failure {
            told["why"] = why.as_str().into();
        }
        if !self.artifacts.is_empty() {
            told["files"] = json!(self.artifacts);
        }
        told.to_string()
    }
}

/// An agent, ready to do tasks. One value can serve many sessions, and many tasks at the same time.
pub struct SubAgent {
    agent: Arc<AgentMd>,
    model: Arc<dyn ChatModel>,
    mode: ToolMode,
    prices: Option<Arc<Prices>>,
    team: Option<Arc<Team>>,
    summary_characters: u64,
}

impl SubAgent {
    /// An agent that works with this model, and gives no work to others.
    pub fn new(agent: AgentMd, model: Arc<dyn ChatModel>) -> SubAgent {
        SubAgent {
            agent: Arc::new(agent),
            model,
            mode: ToolMode::default(),
            prices: None,
            team: None,
            summary_characters: super::TeamLimits::default().summary_characters,
        }
    }

    /// One that works for `caller`.
    pub(super) fn below(
        agent: Arc<AgentMd>,
        model: Arc<dyn ChatModel>,
        caller: &Agent,
    ) -> SubAgent {
        let team = caller.team().cloned();
        let limits = team.as_ref().map(|team| team.limits).unwrap_or_default();
        SubAgent {
            agent,
            model,
            mode: caller.mode(),
            prices: caller.shared_prices(),
            team,
            summary_characters: limits.summary_characters,
        }
    }

    /// Show it the tools so. Default [`ToolMode::Script`].
    #[must_use]
    pub fn tools(mut self, mode: ToolMode) -> SubAgent {
        self.mode = mode;
        self
    }

    /// Count what its model costs by these prices. Default [`Prices::known`].
    #[must_use]
    pub fn prices(mut self, prices: Prices) -> SubAgent {
        self.prices = Some(Arc::new(prices));
        self
    }

    /// Cut its summary after so many characters. Default 4 000.
    #[must_use]
    pub fn summary_characters(mut self, most: u64) -> SubAgent {
        self.summary_characters = most;
        self
    }

    /// What its file says.
    pub fn file(&self) -> &AgentMd {
        &self.agent
    }

    /// Do a task in the session, with the tools that the agent's file leaves it. Its model sees the task, its inputs and its own
    /// work, and nothing else. Dropping the future stops it.
    ///
    /// Whatever goes wrong is in what comes back: a model that cannot be reached, a budget that is used up, an input that is not
    /// there.
    pub async fn run(&self, session: &Session, task: &Task, budget: Budget) -> Delegated {
        match inputs::find(session, &task.inputs) {
            Ok(inputs) => {
                let seat = Seat { depth: 1, ..Seat::default() };
                self.run_at(session.clone(), task.text.clone(), inputs, budget, seat).await
            }
            Err(error) => Delegated::refused(&self.agent.name, error.render()),
        }
    }

    /// As [`SubAgent::run`], at a place in a run. Boxed, because agents can give work to agents.
    pub(super) fn run_at<'s>(
        &'s self,
        session: Session,
        task: String,
        inputs: Inputs,
        budget: Budget,
        seat: Seat,
    ) -> Pin<Box<dyn Future<Output = Delegated> + Send + 's>> {
        Box::pin(self.work(session, task, inputs, budget, seat))
    }

    async fn work(
        &self,
        parent: Session,
        task: String,
        inputs: Inputs,
        budget: Budget,
        mut seat: Seat,
    ) -> Delegated {
        let session = parent.narrowed(self.agent.narrowing());
        let meter = Arc::new(Meter::below(seat.above.take()));
        let work = AtWork::new(&parent, &session, &self.agent.name, meter.clone());
        let work = work.noted(seat.sink.clone());
        let narrowing = self.agent.narrowing();
        let logged = LoggedAgent::new(work.id(), parent.agent(), &self.agent.name, &narrowing);
        // A problem with the log is told by the conversation that writes next.
        let _ = seat.write(None, &Entry::Delegated(logged), str::to_owned);
        work.begin(text::one_line(&text::shortened(&task, SHOWN)));
        if budget.is_used_up() {
            let why = "nothing is left of the budget of this run".to_owned();
            return self.ended(work, Err(why), Vec::new());
        }
        if !inputs.documents.is_empty() {
            seat.documents = Some(inputs.documents);
        }
        let agent = self.agent_within(&budget);
        let text = match inputs.text.is_empty() {
            true => task,
            false => format!("{task}\n\nInputs:\n{}", inputs.text),
        };
        let mut conversation = Conversation::at(&agent, session, seat).await;
        let mut spent = Spent::counted_by(meter);
        let done = conversation.say_counting(&text, &mut spent).await;
        let delivered = conversation.delivered();
        self.ended(work, self.summed_up(done), delivered)
    }

    /// What came of work that ends now: its summary with its files, or why it failed; what it delivered stays in any case.
    fn ended(
        &self,
        mut work: AtWork,
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

    /// The agent as the loop runs it.
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
