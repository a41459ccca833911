//! Use of the routing gates in a conversation: before the model receives an instruction, and before something is started for it.
//!
//! Knows conversations. [`crate::route`] makes the decisions.

use std::sync::Arc;

use serde_json::json;

use crate::conversation::Conversation;
use crate::log::LogEntry;
use crate::model::{Image, Message};
use crate::prompt;
use crate::route::{
    Called, Candidate, Fork, Incoming, Intent, NotRouted, Routed, Router, Started, Trace, Typed,
    Verdict, refusal,
};
use crate::run_event::RunEvent;
use crate::run_usage::RunUsage;
use mitt::offer;
use mitt::skill::{GivenArguments, Skill, fill_arguments};
use mitt_base::{Error, ErrorKind, Result, text};

/// Characters at the end of an answer in which a question counts.
const LAST_WORDS: usize = 300;

/// Phrases that ask without a question mark.
const ASKS: [&str; 9] = [
    "let me know",
    "tell me",
    "please confirm",
    "please choose",
    "please provide",
    "请确认",
    "请告诉",
    "请选择",
    "请提供",
];

impl Conversation<'_> {
    /// Uses this skill for the next instruction, which is routed even if the agent has no routing. Names are found like those of
    /// commands: [`route::resolve`](crate::route::resolve).
    pub fn use_skill(&mut self, name: &str) {
        self.hint = Some(name.to_owned());
    }

    /// Begins an instruction.
    ///
    /// # Errors
    ///
    /// It is an invalid command, or a function of the caller has the name of a tool. The model received nothing then.
    pub(crate) async fn begin(&mut self, instruction: &str, images: Vec<Image>) -> Result<()> {
        let hint = self.hint.take();
        self.counter = Arc::default();
        self.begin_demand(true);
        self.check_functions().await?;
        self.begin_form(true)?;
        if hint.is_some() && !self.agent.has_tools() {
            let message = "expected no skill for an agent without tools, got one";
            return Err(Error::new(ErrorKind::Input, message));
        }
        let router = self.agent.router().filter(|_| self.agent.has_tools());
        let routed = match (router, &hint) {
            (None, None) => None,
            (router, _) => Some(
                self.routed_by(router, instruction, hint.as_deref(), !images.is_empty()).await?,
            ),
        };
        let Some(routed) = routed else {
            let with = self.new_documents() + &self.new_texts();
            self.record_entry(LogEntry::User { text: instruction.to_owned(), with, images });
            return Ok(());
        };
        let mut with = match (&routed.skill, routed.intent) {
            (Some(called), _) => self.instructions_of(called).await?,
            (None, Intent::Meta) => prompt::META.to_owned(),
            _ => String::new(),
        };
        with.push_str(&self.new_documents());
        with.push_str(&self.new_texts());
        let Routed { words, trace, intent, .. } = routed;
        self.record_entry(LogEntry::User { text: words, with, images });
        self.report_trace(&trace, intent);
        self.record_entry(LogEntry::Routed { trace });
        Ok(())
    }

    async fn routed_by(
        &self,
        router: Option<&Router>,
        instruction: &str,
        hint: Option<&str>,
        has_pictures: bool,
    ) -> Result<Routed> {
        let messages = self.history.messages();
        let incoming = Incoming {
            message: instruction,
            hint,
            has_new_documents: self.has_new_documents(),
            has_pictures,
            is_question_pending: self.is_unfinished() || asks(messages),
            has_tool_results: messages.iter().any(is_of_calls),
            has_active_skill: self.offer.has_active(),
        };
        let is_named = hint.is_some() || matches!(Typed::of(instruction), Typed::Command { .. });
        let registry = self.session.registry();
        let named = |skill: &Skill| (skill.manifest().name.clone(), skill.invocation().by_user);
        let skills: Vec<_> =
            if is_named { offer::offered(&registry).map(named).collect() } else { Vec::new() };
        let candidates: Vec<_> =
            skills.iter().map(|(name, by_user)| Candidate { name, by_user: *by_user }).collect();
        let routed = router.cloned().unwrap_or_default().route(incoming, &candidates);
        routed.map_err(|not_routed| {
            let NotRouted { error, trace } = *not_routed;
            self.report_trace(&trace, Intent::Ambiguous);
            error
        })
    }

    /// Returns the instructions that are sent with the words of a user who named a skill.
    async fn instructions_of(&mut self, called: &Called) -> Result<String> {
        let registry = self.session.registry();
        let Called { skill: name, arguments, all } = called;
        let skill = offer::activated(&registry, name)?;
        let invocation = skill.invocation();
        let names: Vec<_> = invocation.arguments.iter().map(String::as_str).collect();
        let given = GivenArguments { names: &names, values: arguments, all };
        let filled = fill_arguments(&invocation.body, given)
            .map_err(|error| error.at(format!("the instructions of {name}")))?;
        let limit = self.session.host().session_limits().result_characters;
        let body = text::truncate(&filled.text, limit);
        self.offer.use_skill(name);
        let tools = self.offer.called(&registry, name).await;
        Ok(format!(
            "\n\n(From the host, not from the user.) The user wants the skill `{name}` to be used. Its instructions:\n\n{body}\n\n{tools}"
        ))
    }

    /// Returns whether there are documents that no message of the user has announced.
    fn has_new_documents(&self) -> bool {
        let documents = self.session.documents();
        let is_first = !self.history.messages().iter().any(|it| matches!(it, Message::User { .. }));
        documents.iter().any(|document| is_first || !self.is_announced(&document.name))
    }

    fn report_trace(&self, trace: &Trace, intent: Intent) {
        let (trace, intent) = (trace.to_string(), intent.name());
        self.session.note("routed", json!({ "trace": trace, "intent": intent }));
        self.emit(RunEvent::Routed { trace, intent });
    }

    /// Returns the decisions about the current instruction. Without routing, nothing is removed.
    pub fn routed(&self) -> Routed {
        self.history.open().map(|open| open.routed.clone()).unwrap_or_default()
    }

    /// Returns the messages of a request for small talk; `None` if the model gets its tools.
    pub(crate) fn small_talk(&self) -> Option<Vec<Message>> {
        let messages = self.history.messages();
        let is_bare = self.history.open().is_some_and(|open| !open.routed.has_tools);
        // A model that calls a tool anyway gets tools from then on.
        if !is_bare || messages.iter().any(is_of_calls) {
            return None;
        }
        let system = Message::System(prompt::SMALL_TALK.to_owned());
        let said = messages.iter().filter(|it| !matches!(it, Message::System(_)));
        Some([system].into_iter().chain(said.cloned()).collect())
    }

    /// Runs `work`, sub-agents for the current instruction, if the gates allow it: see [`Router::start`].
    /// [`Conversation::passed`] records the decisions.
    pub(crate) async fn run_gated<T>(
        &self,
        fork: Fork,
        work: impl Future<Output = T>,
    ) -> GatedResult<T> {
        let mut routed = self.routed();
        let Some(router) = self.agent.router() else {
            return GatedResult { routed: None, verdict: None, done: Some(work.await) };
        };
        let Started { verdict, done, .. } = router.start(&mut routed, fork, work).await;
        GatedResult { routed: Some(routed), verdict, done }
    }

    /// Reports and logs the decisions of the gates, and counts the usage of the small model.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Denied`] - the gates refused it; the model reads the reason.
    pub(crate) fn gate_result<T>(
        &mut self,
        gated: GatedResult<T>,
        run_usage: &mut RunUsage,
    ) -> Result<T> {
        let GatedResult { routed, verdict, done } = gated;
        if let Some(verdict) = &verdict {
            run_usage.add_usage(&verdict.usage, self.agent);
        }
        let intent = routed.as_ref().map_or(Intent::Ambiguous, |routed| routed.intent);
        if let Some(Routed { trace, .. }) = routed {
            self.report_trace(&trace, intent);
            self.record_entry(LogEntry::Routed { trace });
        }
        done.ok_or_else(|| {
            // Its words may contain what a rule blocks, so only the outcome is reported.
            let refused = refusal(intent, verdict.as_ref());
            refused.hint(match verdict {
                Some(_) => "do the work here with tools, or ask the user whether it is wanted",
                None => "answer it, or ask the user whether work is wanted",
            })
        })
    }
}

/// Result of work that had to pass the gates.
pub(crate) struct GatedResult<T> {
    /// Trace with the decisions; `None` without routing.
    routed: Option<Routed>,
    verdict: Option<Verdict>,
    done: Option<T>,
}

fn is_of_calls(message: &Message) -> bool {
    match message {
        Message::Tool { .. } => true,
        Message::Assistant(answer) => !answer.calls.is_empty(),
        _ => false,
    }
}

/// Returns whether the last answer asks something.
fn asks(messages: &[Message]) -> bool {
    let Some(Message::Assistant(answer)) = messages.last() else { return false };
    let skipped = answer.text.chars().count().saturating_sub(LAST_WORDS);
    let last: String = answer.text.chars().skip(skipped).collect::<String>().to_lowercase();
    last.contains(['?', '？']) || ASKS.iter().any(|ask| last.contains(ask))
}
