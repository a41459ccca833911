//! Agents that a model delegates to, and the state that their conversations share in a run.
//!
//! A [`Roster`] lists the agents, a [`Team`] sets their limits. Knows no conversation.

mod agent_md;
mod conversation_context;
mod foreign;
mod limits;
mod members;
mod roster;
mod run;
mod running_work;
#[cfg(test)]
mod tests;

pub use agent_md::AgentMd;
pub(crate) use conversation_context::{ConversationContext, SharedLog, write};
pub use limits::TeamLimits;
pub(crate) use members::MAIN;
pub use members::{DELEGATE, Listed, TRANSFER, Team};
pub use roster::{AgentSource, Roster};
pub(crate) use run::TeamRun;
pub(crate) use running_work::RunningWork;
