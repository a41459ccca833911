//! Delegation: a task to an agent with a conversation of its own, or the conversation itself to another agent.
//!
//! A [`SubAgent`] works alone, without a model that delegates to it. The session enforces the restrictions of an agent
//! ([`Session::for_agent`](mitt::Session::for_agent)); nothing relies on a model's obedience.

mod delegate;
mod inputs;
mod sub_agent;
mod transfer;

pub use sub_agent::{SubAgent, Task};
