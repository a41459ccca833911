//! Routing: decisions about a message before a model sees it, and before anything large is started for it.
//!
//! There are three gates, each of which leaves a [`Record`]. None of them picks a skill, which is up to the user or the model:
//!
//! - **Gate 0** ([`Typed`], [`resolve`]): `/skill arguments` and hints name a skill. Errors in them are reported without asking a
//!   model.
//! - **Gate 1** ([`classify`]): words alone distinguish small talk, questions about abilities, jobs, and ambiguous messages. It
//!   may only remove: small talk gets no tools, questions about abilities start no sub-agent and no plan.
//! - **Gate 2** ([`Guardrail`]): before a sub-agent or a plan that writes or is expensive, a small model is asked whether work is
//!   wanted at all, if the words did not say so.
//!
//! [`route()`] combines gates 0 and 1, a [`Router`] all three. All of it can be used without an agent.
//!
//! # Example: a command and a question
//!
//! ```
//! use mitt_agent::route::{Candidate, Forks, Incoming, route};
//!
//! let skills = [Candidate { name: "excel-tool", by_user: true }];
//! let incoming = |message| Incoming { message, ..Incoming::default() };
//!
//! let routed = route(incoming("/Excel_Tool 2025 'first quarter'"), &skills).unwrap();
//! assert_eq!(routed.trace.to_string(), "slash_direct");
//! assert_eq!(routed.skill.unwrap().arguments, ["2025", "first quarter"]);
//!
//! let routed = route(incoming("What can you do?"), &skills).unwrap();
//! assert_eq!((routed.trace.to_string().as_str(), routed.forks), ("confident_direct+meta", Forks::Suppressed));
//! ```
//!
//! Knows no session and starts nothing.

mod guardrail;
mod intent;
mod router;
mod slash;
mod text;
mod trace;
mod words;

pub use guardrail::{
    DEFAULT_GUARDRAIL_TIMEOUT, DEFAULT_GUARDRAIL_TOKENS, Fork, Guardrail, GuardrailMode, Verdict,
};
pub use intent::{Intent, MAX_CHITCHAT_CHARACTERS, classify};
pub(crate) use router::refusal;
pub use router::{Called, Incoming, NotRouted, Routed, Router, Started, route};
pub use slash::{Candidate, Resolved, Typed, resolve};
pub use trace::{ForkKind, Forks, GuardrailOutcome, Kept, NameOutcome, NamedBy, Record, Trace};

#[cfg(test)]
mod tests;
