//! Results: of an instruction, and of a task that was delegated for it.

use std::sync::Arc;

use serde_json::json;

use crate::model::{Cost, ModelCall, Usage};
use crate::run_event::{AgentCost, AgentStatus};
use mitt::value::Json;
use mitt::{CallReport, Citations};

/// Result of an instruction.
#[derive(Debug)]
#[non_exhaustive]
pub struct RunReport {
    /// Last words of the model. The host adds what they leave out: requested files that were not delivered, and that an answer
    /// was cut off.
    pub text: String,
    /// The value of `text`, if the caller demanded a [form](crate::Demand::form): JSON that follows it.
    pub output: Option<Json>,
    /// Number of turns.
    pub turns: u64,
    /// Every call that the model made, in order.
    pub calls: Vec<CallReport>,
    /// Results of the tasks that it delegated, in order.
    pub delegated: Vec<Delegated>,
    /// Tokens of all turns, if the service reports them, including those of sub-agents.
    pub usage: Usage,
    /// Cost of the tokens; `None` if a price is unknown.
    pub cost: Option<Cost>,
    /// Names of the delivered files, including those of an earlier process.
    pub delivered: Vec<String>,
    /// Requested kinds of files that were not delivered, such as `a PDF file`. Empty if calls are pending.
    pub missing: Vec<String>,
    /// The citations in `text`, checked by the host: see [`Session::check_citations`](mitt::Session::check_citations).
    pub citations: Arc<Citations>,
    /// Calls of the caller's functions that the instruction waits for; empty if it is completed. See
    /// [`Conversation::provide`](crate::Conversation::provide).
    pub pending: Vec<ModelCall>,
}

/// What an instruction has used so far, including sub-agents: [`Conversation::spent`](crate::Conversation::spent).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Spent {
    /// Turns of models.
    pub turns: u64,
    /// Calls that models requested.
    pub calls: u64,
    /// Tokens, as far as the services report them.
    pub usage: Usage,
    /// Cost of the tokens; `None` if a price is unknown.
    pub cost: Option<Cost>,
}

/// Result of a task.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Delegated {
    /// Number of the work in the session, as in events; `None` if it never began.
    pub id: Option<u64>,
    /// Name of the agent.
    pub agent: String,
    /// How the work ended.
    pub status: AgentStatus,
    /// The agent's last words, up to the limit.
    pub summary: String,
    /// Reason why the task was not completed.
    pub failure: Option<String>,
    /// Names of the delivered files, even if it failed later.
    pub artifacts: Vec<String>,
    /// Cost of the work, including agents that it delegated to.
    pub cost: AgentCost,
}

impl Delegated {
    /// Returns the result of work that never began.
    pub(crate) fn refused(agent: &str, why: String) -> Delegated {
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

    /// Returns whether the task was completed.
    pub fn is_done(&self) -> bool {
        self.status == AgentStatus::Done
    }

    /// Returns the JSON for the model.
    pub(crate) fn to_json(&self) -> String {
        let mut json = json!({ "agent": self.agent, "status": self.status.name() });
        if !self.summary.is_empty() {
            json["summary"] = self.summary.as_str().into();
        }
        if let Some(why) = &self.failure {
            json["why"] = why.as_str().into();
        }
        if !self.artifacts.is_empty() {
            json["files"] = json!(self.artifacts);
        }
        json.to_string()
    }
}
