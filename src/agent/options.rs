//! How an agent works: which tools it shows, and how far it may go.

use std::time::Duration;

/// How a model is told of the tools. Fewer tokens in each request cost a turn more where a tool has to be looked up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ToolMode {
    /// One tool that runs Python, and a line for each function that a script can call; `help` explains one. As [`ToolMode::All`]
    /// where the host has no engine for Python.
    #[default]
    Script,
    /// A line for each skill, and a tool `activate_skill` that brings the tools of one and its instructions.
    Catalogue,
    /// Every tool with its schema.
    All,
}

impl ToolMode {
    /// All of them.
    pub const ALL: [ToolMode; 3] = [ToolMode::Script, ToolMode::Catalogue, ToolMode::All];

    /// Its name, as the command line takes it.
    pub fn name(self) -> &'static str {
        match self {
            ToolMode::Script => "script",
            ToolMode::Catalogue => "catalogue",
            ToolMode::All => "all",
        }
    }

    /// The mode of this name.
    pub fn from_name(name: &str) -> Option<ToolMode> {
        ToolMode::ALL.into_iter().find(|mode| mode.name() == name)
    }
}

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
    /// What the model's service takes, in millionths of a dollar, by the agent's prices
    /// ([`AgentBuilder::prices`](crate::AgentBuilder::prices)). A model without a price is refused then. Default none.
    pub cost: Option<u64>,
    /// Wall clock. Default 30 minutes.
    pub time: Duration,
    /// Turns in a row with wrong arguments and no call that was made. Default 3.
    pub wrong_turns: u64,
    /// Characters of the conversation that a model is sent. The results of old calls are shortened to keep it; what the
    /// user said is not. Default 400 000, about 100 000 tokens of English.
    pub context_characters: usize,
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
            context_characters: 400_000,
        }
    }
}
