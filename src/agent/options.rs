//! How far an agent may go.

use std::time::Duration;

use crate::model::Cost;
use mitt::TextBudget;

/// How far one run may go. What was delivered before a limit was reached stays.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AgentLimits {
    /// Turns of the model. Default: [`SessionLimits::model_turns`](mitt::SessionLimits::model_turns), 50.
    pub turns: Option<u64>,
    /// Calls that the model wants made. Default 500.
    pub calls: u64,
    /// Tokens of all requests and answers together, as the service counts them. Default 2 000 000.
    pub tokens: u64,
    /// What the model's service takes by the agent's prices
    /// ([`AgentBuilder::prices`](crate::AgentBuilder::prices)). A model without a price is refused then. Default none.
    pub cost: Option<Cost>,
    /// Wall clock. Default 30 minutes.
    pub time: Duration,
    /// Turns in a row with wrong arguments and no call that was made, or with the same failing calls as the turn before. Default 3.
    pub wrong_turns: u64,
    /// Scripts that may fail before the run does: the model repairs so many. Default none: it may try as long as the other limits
    /// allow.
    pub script_repairs: Option<u64>,
    /// Characters of the conversation that a model is sent. The results of old calls are shortened to keep it; what the
    /// user said is not. Default 400 000, about 100 000 tokens of English.
    pub context_characters: usize,
    /// Estimated tokens of the conversation that a model is sent, kept as `context_characters` are: Chinese has four times the tokens
    /// of as much English. Default 100 000.
    pub context_tokens: u64,
    /// How much of the documents' text is shown with the words of the user that come after them, so that the model need not ask for
    /// what is short. Default none: it is told their names, tables and columns, and reads what it needs.
    pub documents: Option<TextBudget>,
}

impl Default for AgentLimits {
    fn default() -> AgentLimits {
        AgentLimits {
            turns: None,
            calls: 500,
            tokens: 2_000_000,
            cost: None,
            time: Duration::from_secs(30 * 60),
            wrong_turns: 3,
            script_repairs: None,
            context_characters: 400_000,
            context_tokens: 100_000,
            documents: None,
        }
    }
}
