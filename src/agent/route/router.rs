//! The gates together: how a message is handled before a model sees it, and whether something may be started for it.
//!
//! Knows commands, intents and the context that the caller provides. Knows no session.

use super::guardrail::{Fork, Guardrail, Verdict};
use super::intent::{Intent, classify};
use super::slash::{Candidate, Resolved, Typed, resolve};
use super::trace::{Forks, GuardrailOutcome, Kept, NameOutcome, NamedBy, Record, Trace};
use mitt::skill::split_arguments;
use mitt_base::{Error, ErrorKind};

/// Message with its context.
#[derive(Clone, Copy, Debug, Default)]
pub struct Incoming<'a> {
    /// The words.
    pub message: &'a str,
    /// Skill that the sender wants to use. A command in the message takes precedence.
    pub hint: Option<&'a str>,
    /// `true` if documents came with it.
    pub has_new_documents: bool,
    /// `true` if pictures came with it.
    pub has_pictures: bool,
    /// `true` if the model has asked something, or a call waits for an approval.
    pub is_question_pending: bool,
    /// `true` if the messages for the model include results of calls.
    pub has_tool_results: bool,
    /// `true` if a skill is active.
    pub has_active_skill: bool,
}

/// How a message is handled.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Routed {
    /// Intent of the message. [`Intent::Action`] if it names a skill; small talk that keeps its tools is [`Intent::Ambiguous`].
    pub intent: Intent,
    /// The words for the model, with a doubled slash reduced to one.
    pub words: String,
    /// Skill to use without a choice by the model.
    pub skill: Option<Called>,
    /// `true` if the model is shown tools.
    pub has_tools: bool,
    /// Decision about the start of sub-agents and plans.
    pub forks: Forks,
    /// Trace of the decisions.
    pub trace: Trace,
}

/// Skill that the message named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Called {
    /// Name of the skill.
    pub skill: String,
    /// Arguments, split.
    pub arguments: Vec<String>,
    /// All arguments as typed.
    pub all: String,
}

/// Why a message goes to no model.
#[derive(Debug)]
pub struct NotRouted {
    /// Error with advice.
    pub error: Error,
    /// Decisions of the gates.
    pub trace: Trace,
}

impl Default for Routed {
    /// Returns a message without routing, from which nothing is removed.
    fn default() -> Routed {
        Routed::of(Trace::default(), "")
    }
}

impl Routed {
    /// Returns how these words are handled according to the trace, except for the arguments of a named skill.
    pub fn of(trace: Trace, words: &str) -> Routed {
        let found = trace.records().iter().find_map(|record| match record {
            Record::Intent { intent, kept } => Some((*intent, kept.is_some())),
            _ => None,
        });
        let is_named = trace.records().iter().any(|record| matches!(record, Record::Named { .. }));
        let (intent, has_tools, forks) = match found {
            Some((Intent::Chitchat, false)) => (Intent::Chitchat, false, Forks::Suppressed),
            Some((Intent::Meta, _)) => (Intent::Meta, true, Forks::Suppressed),
            Some((Intent::Action, _)) => (Intent::Action, true, Forks::Allowed),
            Some(_) => (Intent::Ambiguous, true, Forks::NeedConfirmation),
            None if is_named => (Intent::Action, true, Forks::Allowed),
            None => (Intent::Ambiguous, true, Forks::Allowed),
        };
        Routed { intent, words: words.to_owned(), skill: None, has_tools, forks, trace }
    }

    /// Returns the name of the skill that was named and is used.
    pub fn skill_name(&self) -> Option<&str> {
        self.trace.records().iter().find_map(|record| match record {
            Record::Named { outcome: NameOutcome::Direct, skill, .. } => skill.as_deref(),
            _ => None,
        })
    }
}

/// Gates of an agent. A cheap handle.
#[derive(Clone, Default)]
pub struct Router {
    guardrail: Option<Guardrail>,
}

/// Result of work that had to pass the gates.
#[derive(Debug)]
#[non_exhaustive]
pub struct Started<T> {
    /// Answer of gate 2, if it was asked.
    pub verdict: Option<Verdict>,
    /// Result of the work; `None` if it was not allowed to start or to end.
    pub done: Option<T>,
}

impl Router {
    /// Returns gates 0 and 1; everything that gate 2 would be asked about may start.
    pub fn new() -> Router {
        Router::default()
    }

    /// Sets the model of gate 2.
    #[must_use]
    pub fn guardrail(mut self, guardrail: Guardrail) -> Router {
        self.guardrail = Some(guardrail);
        self
    }

    /// See [`route()`].
    ///
    /// # Errors
    ///
    /// Those of [`route()`].
    pub fn route(
        &self,
        incoming: Incoming<'_>,
        skills: &[Candidate<'_>],
    ) -> Result<Routed, Box<NotRouted>> {
        route(incoming, skills)
    }

    /// Runs `work`, a sub-agent or a plan, if the routed message allows it: never for a question about abilities; for an
    /// ambiguous message and a fork that writes or is expensive, as gate 2 says. The decisions are added to the message's trace.
    pub async fn start<T>(
        &self,
        routed: &mut Routed,
        fork: Fork,
        work: impl Future<Output = T>,
    ) -> Started<T> {
        let forks = match routed.forks {
            Forks::NeedConfirmation if !fork.is_guarded() => Forks::Allowed,
            forks => forks,
        };
        routed.trace.push(Record::Fork { kind: fork.kind, forks });
        match (forks, &self.guardrail) {
            (Forks::Suppressed, _) => Started { verdict: None, done: None },
            (Forks::NeedConfirmation, Some(guardrail)) => {
                let (verdict, done) = guardrail.around(&routed.words, fork, work).await;
                routed.trace.push(verdict.record());
                Started { verdict: Some(verdict), done }
            }
            (Forks::NeedConfirmation, None) => {
                let (outcome, is_allowed) = (GuardrailOutcome::Off, true);
                routed.trace.push(Record::Guardrail { outcome, is_allowed });
                Started { verdict: None, done: Some(work.await) }
            }
            (Forks::Allowed, _) => Started { verdict: None, done: Some(work.await) },
        }
    }
}

/// Routes a message through gates 0 and 1. The result depends only on the message, the skills and the context.
///
/// # Errors
///
/// The message names an unknown, ambiguous or non-invocable skill, or its arguments are invalid.
pub fn route(incoming: Incoming<'_>, skills: &[Candidate<'_>]) -> Result<Routed, Box<NotRouted>> {
    let (name, by, words, all) = match (Typed::of(incoming.message), incoming.hint) {
        (Typed::Command { name, arguments }, _) => {
            (name, NamedBy::Slash, incoming.message, arguments)
        }
        (Typed::Words(words) | Typed::Escaped(words), Some(hint)) => {
            (hint, NamedBy::Hint, words, words.trim())
        }
        (Typed::Words(words) | Typed::Escaped(words), None) => {
            return Ok(by_intent(incoming, words));
        }
    };
    let resolved = resolve(name, skills);
    let refused = |outcome, error| {
        let trace = Trace::new(vec![Record::Named { by, outcome, skill: None }]);
        Err(Box::new(NotRouted { error, trace }))
    };
    if let Some(error) = resolved.error(name, by == NamedBy::Slash) {
        let outcome = match resolved {
            Resolved::Ambiguous(_) => NameOutcome::Ambiguous,
            Resolved::NotInvocable(_) => NameOutcome::NotUserInvocable,
            _ => NameOutcome::NotFound,
        };
        return refused(outcome, error);
    }
    let Resolved::Found(skill) = resolved else {
        return refused(NameOutcome::NotFound, Error::bug("a skill that was found has no name"));
    };
    let arguments = match by {
        NamedBy::Slash => split_arguments(all),
        // Words next to a hint are one argument, since they were not written as a command.
        NamedBy::Hint => Ok(vec![all.to_owned()]),
    };
    match arguments {
        Ok(arguments) => {
            let called = Called { skill: skill.clone(), arguments, all: all.to_owned() };
            let outcome = NameOutcome::Direct;
            let trace = Trace::new(vec![Record::Named { by, outcome, skill: Some(skill) }]);
            Ok(Routed { skill: Some(called), ..Routed::of(trace, words) })
        }
        Err(error) => refused(NameOutcome::WrongArguments, error.at(format!("/{name}"))),
    }
}

/// Returns why something was not started: by the small model's answer, or because of the words themselves.
pub(crate) fn refusal(intent: Intent, verdict: Option<&Verdict>) -> Error {
    let why = match (verdict, intent) {
        (Some(verdict), _) => format!("the guardrail says `{}`", verdict.outcome.name()),
        (None, Intent::Chitchat) => "the user's words are small talk".to_owned(),
        (None, _) => "the user asked a question about abilities".to_owned(),
    };
    Error::new(ErrorKind::Denied, format!("not started: {why}"))
}

fn by_intent(incoming: Incoming<'_>, words: &str) -> Routed {
    let intent = classify(words);
    let kept = match intent {
        Intent::Chitchat if incoming.has_new_documents => Some(Kept::NewDocuments),
        Intent::Chitchat if incoming.has_pictures => Some(Kept::Pictures),
        Intent::Chitchat if incoming.is_question_pending => Some(Kept::QuestionPending),
        Intent::Chitchat if incoming.has_tool_results => Some(Kept::ToolsUsed),
        Intent::Chitchat if incoming.has_active_skill => Some(Kept::ActiveSkill),
        _ => None,
    };
    Routed::of(Trace::new(vec![Record::Intent { intent, kept }]), words)
}
