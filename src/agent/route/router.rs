//! The gates together: what is to be done with a message before a model sees it, and whether something may be started for it.
//!
//! Knows commands, intents and what the caller tells of the conversation. Knows no session.

use super::guardrail::{Fork, Guardrail, Verdict};
use super::intent::{Intent, classify};
use super::slash::{Candidate, Resolved, Typed, resolve};
use super::trace::{Forks, GuardrailOutcome, Kept, NameOutcome, NamedBy, Record, Trace};
use mitt::skill::split_arguments;
use mitt_base::{Error, ErrorKind};

/// A message, and what is known of it beside its words.
#[derive(Clone, Copy, Debug, Default)]
pub struct Incoming<'a> {
    /// The words.
    pub message: &'a str,
    /// The skill that whoever sends them wants to be used. A command in the message goes before it.
    pub hint: Option<&'a str>,
    /// Whether documents came with it.
    pub has_new_documents: bool,
    /// Whether pictures came with it.
    pub has_pictures: bool,
    /// Whether the model has asked something, or a call waits for an approval.
    pub is_question_pending: bool,
    /// Whether results of calls are among the messages that the model is sent.
    pub has_tool_results: bool,
    /// Whether a skill is active.
    pub has_active_skill: bool,
}

/// What is done with a message.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Routed {
    /// What it is. [`Intent::Action`] where a skill was named; small talk that keeps its tools is [`Intent::Ambiguous`].
    pub intent: Intent,
    /// The words for the model: those that were typed, without the slash that was doubled.
    pub words: String,
    /// The skill that is to be used without a model choosing it.
    pub skill: Option<Called>,
    /// Whether the model is shown tools.
    pub has_tools: bool,
    /// Whether sub-agents and plans may be started.
    pub forks: Forks,
    /// How that came.
    pub trace: Trace,
}

/// A skill that was named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Called {
    /// Its name.
    pub skill: String,
    /// Its arguments, one by one.
    pub arguments: Vec<String>,
    /// All of them, as they were typed.
    pub all: String,
}

/// Why a message goes to no model.
#[derive(Debug)]
pub struct NotRouted {
    /// What is wrong, with the way out.
    pub error: Error,
    /// What the gates decided.
    pub trace: Trace,
}

impl Default for Routed {
    /// What a message is without routing: nothing is taken away.
    fn default() -> Routed {
        Routed::of(Trace::default(), "")
    }
}

impl Routed {
    /// What is done with these words follows from the trace, but for the arguments of a skill that was named.
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

    /// The name of the skill that was named and is used.
    pub fn skill_name(&self) -> Option<&str> {
        self.trace.records().iter().find_map(|record| match record {
            Record::Named { outcome: NameOutcome::Direct, skill, .. } => skill.as_deref(),
            _ => None,
        })
    }
}

/// The gates of an agent. A cheap handle.
#[derive(Clone, Default)]
pub struct Router {
    guardrail: Option<Guardrail>,
}

/// What became of something that was to be started.
#[derive(Debug)]
#[non_exhaustive]
pub struct Started<T> {
    /// What gate 2 said, if it was asked.
    pub verdict: Option<Verdict>,
    /// What came of it; none if it was not let start, or not let end.
    pub done: Option<T>,
}

impl Router {
    /// Gates 0 and 1; whatever gate 2 would be asked about may start.
    pub fn new() -> Router {
        Router::default()
    }

    /// Ask this model at gate 2.
    #[must_use]
    pub fn guardrail(mut self, guardrail: Guardrail) -> Router {
        self.guardrail = Some(guardrail);
        self
    }

    /// As [`route()`].
    ///
    /// # Errors
    ///
    /// As [`route()`].
    pub fn route(
        &self,
        incoming: Incoming<'_>,
        skills: &[Candidate<'_>],
    ) -> Result<Routed, Box<NotRouted>> {
        route(incoming, skills)
    }

    /// Do `work`, a sub-agent or a plan, if the message that was routed lets it: never for a question about abilities; if the message is
    /// ambiguous and the fork writes or costs much, as gate 2 says. What was decided is added to the message's trace.
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

/// Route a message past gates 0 and 1. The same message, skills and circumstances always go the same way.
///
/// # Errors
///
/// It names a skill that there is not, or not for people, or that may be several; or its arguments cannot be read.
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
        // Words beside a hint are one argument: nobody wrote them as a command.
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

/// Why something was not started: as the small model says, or because the words are none for it.
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
