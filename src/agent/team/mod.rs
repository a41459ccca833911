//! Agents that a model delegates to: a task to an agent with a conversation of its own, or the conversation itself to another
//! agent.
//!
//! A [`Roster`] lists the agents, a [`Team`] sets their limits. A [`SubAgent`] works alone, without a model that delegates to it.
//! The session enforces the restrictions of an agent ([`Session::for_agent`](mitt::Session::for_agent)); nothing relies on a
//! model's obedience.

mod conversation_context;
mod delegate;
mod foreign;
mod inputs;
mod limits;
mod members;
mod roster;
mod run;
mod running_work;
mod sub_agent;
#[cfg(test)]
mod tests;
mod transfer;

pub(crate) use conversation_context::{ConversationContext, SharedLog, write};
pub use limits::TeamLimits;
pub use members::{DELEGATE, Listed, TRANSFER, Team};
pub use roster::{AgentSource, Roster};
pub(crate) use run::TeamRun;
pub(crate) use running_work::RunningWork;
pub use sub_agent::{Delegated, SubAgent, Task};
