//! Limits of an agent.

use std::time::Duration;

use crate::model::Cost;
use mitt::TextBudget;

/// Limits of one run. Files that were delivered before a limit was reached stay.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AgentLimits {
    /// Turns of the model. Default: [`SessionLimits::model_turns`](mitt::SessionLimits::model_turns), 50.
    pub turns: Option<u64>,
    /// Calls that the model may request. Default: 500.
    pub calls: u64,
    /// Tokens of all requests and answers together, as reported by the service. Default: 2 000 000.
    pub tokens: u64,
    /// Cost of the model, by the agent's prices ([`AgentBuilder::prices`](crate::AgentBuilder::prices)). With a limit, a model
    /// without a price is refused. Default: none.
    pub cost: Option<Cost>,
    /// Wall clock of the run. Default: 30 minutes.
    pub time: Duration,
    /// Consecutive turns with invalid arguments and no valid call, or with the same failing calls as the turn before. Default: 3.
    pub wrong_turns: u64,
    /// Scripts that may fail before the run does, which is how often the model may repair them. Default: none; the other limits
    /// apply.
    pub script_repairs: Option<u64>,
    /// How often the model is asked to mend citations of its answer that do not hold. Each time costs a turn. Default: 0; they are
    /// only reported.
    pub citation_repairs: u64,
    /// Characters of the conversation that are sent to the model. Results of old calls are shortened to stay below; the user's
    /// words are not. Default: 400 000, about 100 000 tokens of English.
    pub context_characters: usize,
    /// Estimated tokens of the conversation that are sent to the model, enforced in the same way. The same number of characters
    /// has four times the tokens in Chinese. Default: 100 000.
    pub context_tokens: u64,
    /// How much text of new documents is shown with the user's next words, so that the model need not request short ones.
    /// Default: none; the model sees their names, tables and columns, and reads what it needs.
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
            citation_repairs: 0,
            context_characters: 400_000,
            context_tokens: 100_000,
            documents: None,
        }
    }
}
