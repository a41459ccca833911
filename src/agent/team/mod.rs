//! Agents that a model gives work to: a task to one that works in a conversation of its own, or the conversation itself to another
//! one.
//!
//! Which agents there are says a [`Roster`], how far they may go a [`Team`]. One that works alone, without a model that gives it
//! work, is a [`SubAgent`]. What an agent lacks it lacks in its session ([`Session::narrowed`](mitt::Session::narrowed)): nothing
//! here asks a model to keep to it.

mod at_work;
mod delegate;
mod foreign;
mod inputs;
mod limits;
mod members;
mod roster;
mod run;
mod seat;
mod sub_agent;
#[cfg(test)]
mod tests;
mod transfer;

pub(crate) use at_work::AtWork;
pub use limits::TeamLimits;
pub use members::{DELEGATE, Listed, TRANSFER, Team};
pub use roster::{AgentSource, Roster};
pub(crate) use run::TeamRun;
pub(crate) use seat::{Seat, SharedLog, write};
pub use sub_agent::{Delegated, SubAgent, Task};
