//! The loop: ask the model, make the calls that it wants, give back their results; until it wants no more calls.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use serde_json::json;

use crate::agent::Agent;
use crate::log::{Entry, History, LoggedRun, RunLog};
use crate::meter::Budget;
use crate::model::{Cost, Image, Message, Usage};
use crate::offer::Offer;
use crate::prompt::{self, Brief};
use crate::route::Routed;
use crate::spent::Spent;
use crate::tags;
use crate::team::{Delegated, Seat, TeamLimits, TeamRun};
use crate::wanted::missing;
use mitt::{CallReport, Document, Event, EventSink, Session};
use mitt_base::{Error, Resource, Result, lock, text};

/// What came of an instruction.
#[derive(Debug)]
#[non_exhaustive]
pub struct RunReport {
    /// The model's last words. What they leave out is added: files that were asked for and not delivered, and that an
    /// answer was cut off.
    pub text: String,
    /// Number of turns it took.
    pub turns: u64,
    /// Every call that the model made, in order.
    pub calls: Vec<CallReport>,
    /// What came of the tasks that it gave to agents, in order.
    pub delegated: Vec<Delegated>,
    /// Tokens of all turns, where the service tells them, those of agents that worked for it included.
    pub usage: Usage,
    /// What that costs, if the prices of all models are known.
    pub cost: Option<Cost>,
    /// Names of the files that were delivered, those of a process that died before included.
    pub delivered: Vec<String>,
    /// Kinds of files that the instruction asks for and that were not delivered, such as `a PDF file`.
    pub missing: Vec<String>,
}

/// A conversation of a user and a model over a session. What was said before is known to the model in what comes after.
pub struct Conversation<'a> {
    pub(crate) agent: &'a Agent,
    pub(crate) session: Session,
    /// The agent and the session that it began with.
    pub(crate) home: Home<'a>,
    /// The agent that it was handed over to.
    pub(crate) acting: Option<Acting>,
    pub(crate) offer: Offer,
    pub(crate) history: History,
    pub(crate) seat: Seat,
    /// The skill that the next instruction is to use.
    pub(crate) hint: Option<String>,
    /// When the time for the instruction that is followed is over.
    deadline: Option<Instant>,
    /// Names of the documents that the model was told of.
    told: HashSet<String>,
    /// Names of those whose texts it was shown, if it is shown any.
    shown: HashSet<String>,
    is_resumed: bool,
}

/// Whose conversation it is.
#[derive(Clone)]
pub(crate) struct Home<'a> {
    pub(crate) agent: &'a Agent,
    pub(crate) session: Session,
}

/// An agent that a conversation was handed over to.
pub(crate) struct Acting {
    /// Its number in the session.
    pub(crate) id: u64,
    pub(crate) name: String,
}

impl<'a> Conversation<'a> {
    pub(crate) async fn new(agent: &'a Agent, session: &Session) -> Conversation<'a> {
        Conversation::at(agent, session.clone(), Seat::default()).await
    }

    /// At a place in a run.
    pub(crate) async fn at(agent: &'a Agent, session: Session, seat: Seat) -> Conversation<'a> {
        let offer = Offer::of(&session, agent, seat.depth);
        Conversation::with(agent, session, offer, History::default(), seat).await
    }

    /// As the entries of a log say.
    pub(crate) async fn resumed(
        agent: &'a Agent,
        session: &Session,
        run: &LoggedRun,
    ) -> Conversation<'a> {
        let mut offer = Offer::of(session, agent, 0);
        let mut history = History::default();
        let (mut tables, mut calls) = (1, 1);
        let mut acting = None;
        for entry in run.entries() {
            let step = match entry {
                Entry::Of { entry, .. } => entry,
                entry => entry,
            };
            if let Entry::Transferred { to } = entry {
                acting = to.as_ref().map(|to| to.name.clone());
            }
            if let Entry::Result(result) = step {
                tables = tables.max(result.next_table);
                calls = calls.max(result.number.saturating_add(1));
            }
            if let Entry::Routed { trace } = entry
                && let Some(skill) = Routed::of(trace.clone(), "").skill_name()
            {
                offer.use_skill(skill);
            }
            history.apply(entry.clone());
        }
        offer.activate_again(history.messages());
        // No name of a table or a result that was let go with the process may mean another one.
        session.number_calls_from(calls);
        session.number_tables_from(tables.max(session.next_table()));
        let (session, seat) = (session.clone(), Seat::default());
        let mut conversation = Conversation::with(agent, session, offer, history, seat).await;
        conversation.is_resumed = true;
        if let Some(name) = acting {
            if conversation.take_over(&name).await.is_none() {
                let text = format!(
                    "the agent {name} is not there any more: the session's own model has the conversation"
                );
                conversation.note(0, text);
            }
            let text = conversation.system().await;
            conversation.history.apply(Entry::System { text });
        }
        conversation.shown = run.documents().map(|document| document.name.clone()).collect();
        conversation
    }

    async fn with(
        agent: &'a Agent,
        session: Session,
        offer: Offer,
        history: History,
        seat: Seat,
    ) -> Conversation<'a> {
        let told = session.documents().iter().map(|document| document.name.clone()).collect();
        let mut conversation = Conversation {
            agent,
            home: Home { agent, session: session.clone() },
            session,
            acting: None,
            offer,
            history,
            seat,
            hint: None,
            deadline: None,
            told,
            shown: HashSet::new(),
            is_resumed: false,
        };
        let text = conversation.system().await;
        conversation.history.apply(Entry::System { text });
        conversation
    }

    /// The host's instructions.
    pub(crate) async fn system(&self) -> String {
        let brief = Brief {
            instructions: self.agent.instructions(),
            skills: self.agent.skills(),
            documents: self.seat.documents.as_deref(),
            is_delegated: self.seat.depth > 0,
        };
        prompt::system(&self.session, &self.offer, &brief).await
    }

    /// Write down what happens from here on.
    pub fn log_to(&mut self, log: RunLog) {
        self.seat.log = Some(Arc::new(Mutex::new(log)));
        if self.is_resumed {
            self.enter(Entry::Resumed { next_table: self.session.next_table() });
        }
        if let Some(Message::System(text)) = self.history.messages().first() {
            self.enter(Entry::System { text: text.clone() });
        }
    }

    /// Write down where a document of the session came from, so that the conversation can be resumed with it.
    pub fn log_document(&mut self, document: &Document, path: Option<PathBuf>) {
        let problem = self.seat.log.as_ref().and_then(|log| {
            let mut log = lock(log);
            log.document(document, path);
            log.take_problem()
        });
        self.tell_of_log(problem);
    }

    /// What was said so far, the host's instructions first.
    pub fn messages(&self) -> &[Message] {
        self.history.messages()
    }

    /// Whether an instruction was not followed to its end: it failed, its future was dropped, or its process died.
    /// [`Conversation::go_on`] goes on with it.
    pub fn is_unfinished(&self) -> bool {
        self.history.open().is_some()
    }

    /// Let the model follow an instruction.
    ///
    /// Dropping the future stops the model and its calls; the conversation can go on after that, and after an error.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Model`](mitt_base::ErrorKind::Model) - the model failed, refused, or wrote wrong arguments again and again.
    /// [`ErrorKind::Input`](mitt_base::ErrorKind::Input), [`ErrorKind::Arguments`](mitt_base::ErrorKind::Arguments) - with
    /// [routing](crate::AgentBuilder::routing): a command names no skill, or its arguments cannot be read; nothing was said to the model.
    /// [`ErrorKind::Limit`](mitt_base::ErrorKind::Limit) - a limit of [`AgentLimits`](crate::AgentLimits) was reached. Files that were
    /// delivered before stay. A failed call is not an error here: the model is told, and may do better.
    pub async fn say(&mut self, instruction: &str) -> Result<RunReport> {
        self.say_with(instruction, Vec::new()).await
    }

    /// As [`Conversation::say`], with pictures for the model to look at.
    ///
    /// # Errors
    ///
    /// As [`Conversation::say`]; [`ErrorKind::Model`](mitt_base::ErrorKind::Model) - the model takes no pictures.
    pub async fn say_with(&mut self, instruction: &str, images: Vec<Image>) -> Result<RunReport> {
        let model = self.agent.model();
        if !images.is_empty() && !model.takes_images() {
            let error = Error::model(format!("{} takes no pictures", model.name()));
            return Err(error.hint("leave them out, or take a model that looks at pictures"));
        }
        self.seat.sink = None;
        self.begin(instruction, images).await?;
        self.finish().await
    }

    /// As [`Conversation::say`]; whoever listens goes on to do so, and `spent` counts however it ends.
    pub(crate) async fn say_counting(
        &mut self,
        instruction: &str,
        spent: &mut Spent,
    ) -> Result<RunReport> {
        self.begin(instruction, Vec::new()).await?;
        self.finish_counting(spent).await
    }

    /// As [`Conversation::say`]; `sink` hears of each step.
    pub(crate) async fn say_told(
        &mut self,
        instruction: &str,
        sink: EventSink,
    ) -> Result<RunReport> {
        self.seat.sink = Some(sink);
        self.begin(instruction, Vec::new()).await?;
        self.finish().await
    }

    /// As [`Conversation::say_counting`]; the host says `with` behind the instruction, in which nothing counts as asked for.
    pub(crate) async fn say_beside(
        &mut self,
        instruction: &str,
        with: &str,
        spent: &mut Spent,
    ) -> Result<RunReport> {
        let with = self.new_documents() + &self.new_texts() + with;
        self.enter(Entry::User { text: instruction.to_owned(), with, images: Vec::new() });
        self.finish_counting(spent).await
    }

    /// Go on with an instruction that was not followed to its end: calls that have a result are not made again. None if there is no
    /// such instruction. The limits count anew.
    ///
    /// # Errors
    ///
    /// As [`Conversation::say`].
    pub async fn go_on(&mut self) -> Result<Option<RunReport>> {
        self.seat.sink = None;
        match self.is_unfinished() {
            true => self.finish().await.map(Some),
            false => Ok(None),
        }
    }

    async fn finish(&mut self) -> Result<RunReport> {
        self.finish_counting(&mut Spent::default()).await
    }

    async fn finish_counting(&mut self, spent: &mut Spent) -> Result<RunReport> {
        if self.seat.depth == 0 || self.seat.run.is_none() {
            let limits = self.agent.team().map_or_else(TeamLimits::default, |team| team.bounds());
            self.seat.run = Some(Arc::new(TeamRun::new(limits)));
        }
        let time = self.agent.limits().time;
        self.deadline = Instant::now().checked_add(time);
        let done = match tokio::time::timeout(time, self.follow(spent)).await {
            Ok(done) => done,
            Err(_) => {
                let limit = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
                let error = Error::limit(Resource::ModelTime, limit, limit.saturating_add(1));
                Err(error.hint("split the task, or allow more time; what was delivered stays"))
            }
        };
        let failure = done.as_ref().err();
        let failure = failure.map(|error| (error.kind().name().to_owned(), error.to_string()));
        self.enter(Entry::Ended { failure });
        done
    }

    /// What comes next follows from the last message.
    async fn follow(&mut self, spent: &mut Spent) -> Result<RunReport> {
        loop {
            let can_react = self.agent.model().can_react() && !self.session.reads_only();
            let calls = self.history.unanswered();
            if !calls.is_empty() {
                self.make_calls(&calls, spent).await?;
                continue;
            }
            let Some(answer) = self.history.last_answer() else {
                self.turn(spent).await?;
                continue;
            };
            let said = answer.text.clone();
            let Some(open) = self.history.open() else {
                return Ok(spent.report(said, Vec::new(), Vec::new()));
            };
            let mut missing = missing(&open.instruction, &open.delivered);
            let said = match self.agent.has_tags() {
                true => self.without_tags(&said, &mut missing),
                false => said,
            };
            if missing.is_empty() || open.is_reminded || !can_react {
                let delivered = open.delivered.iter().cloned().collect();
                return Ok(spent.report(said, delivered, missing));
            }
            let text = format!(
                "(From the host, not from the user.) {} was asked for and has not been delivered. Deliver it now with a tool, or say plainly why you cannot.",
                missing.join(" and ")
            );
            self.enter(Entry::Host { text });
        }
    }

    /// What was said without the tags of files that are there; those of others are missing.
    fn without_tags(&self, said: &str, missing: &mut Vec<String>) -> String {
        let files = self.session.artifacts();
        let is_there = |name: &str| files.iter().any(|file| file.name == name);
        let claimed = tags::claimed(said);
        let absent = claimed.iter().filter(|name| !is_there(name));
        missing.extend(absent.map(|name| format!("the file {}", text::one_line(name))));
        tags::without(said, is_there)
    }

    /// Take a step, and write it down.
    pub(crate) fn enter(&mut self, entry: Entry) {
        let agent = self.session.agent().filter(|_| self.seat.depth > 0);
        // A model may repeat what it should not know, such as the key of its service.
        let problem = self.seat.write(agent, &entry, |line| self.agent.model().redacted(line));
        self.history.apply(entry);
        self.tell_of_log(problem);
    }

    /// What the agents share that work for the instruction that is followed.
    pub(crate) fn team_run(&self) -> Arc<TeamRun> {
        self.seat.run.clone().unwrap_or_else(|| Arc::new(TeamRun::new(TeamLimits::default())))
    }

    /// What is left for the instruction that is followed.
    pub(crate) fn left(&self, spent: &Spent) -> Budget {
        let (limits, used) = (self.agent.limits(), spent.used());
        let turns = limits.turns.unwrap_or(self.session.host().session_limits().model_turns);
        let left = self.deadline.map(|it| it.saturating_duration_since(Instant::now()));
        let cost = limits.cost.map(|most| most.saturating_sub(used.cost().unwrap_or_default()));
        Budget {
            turns: turns.saturating_sub(used.turns),
            tokens: limits.tokens.saturating_sub(used.tokens()),
            cost,
            calls: limits.calls.saturating_sub(used.calls),
            time: left.unwrap_or(limits.time),
        }
    }

    /// Names of the files that were delivered for the instruction that is followed.
    pub(crate) fn delivered(&self) -> Vec<String> {
        let open = self.history.open();
        open.map_or_else(Vec::new, |open| open.delivered.iter().cloned().collect())
    }

    fn tell_of_log(&mut self, problem: Option<Error>) {
        if let Some(problem) = problem {
            self.note(0, problem.render());
        }
    }

    pub(crate) fn note(&self, turn: u64, text: String) {
        self.session.note("model-note", json!({ "turn": turn, "text": text }));
        self.emit(&Event::ModelNote { turn, text });
    }

    /// Tell whoever listens of a step.
    pub(crate) fn emit(&self, event: &Event) {
        self.tell(&self.session, event);
    }

    /// As [`Conversation::emit`], of a step in this session.
    pub(crate) fn tell(&self, session: &Session, event: &Event) {
        session.emit(event);
        if let Some(sink) = &self.seat.sink {
            sink(&session.tagged(event));
        }
    }

    /// Whether the model was told of the document of this name.
    pub(crate) fn is_told(&self, document: &str) -> bool {
        self.told.contains(document)
    }

    /// The documents that came since the model was told of any.
    pub(crate) fn new_documents(&mut self) -> String {
        let documents = self.session.documents();
        let new: Vec<_> = documents.iter().filter(|it| !self.told.contains(&it.name)).collect();
        if new.is_empty() {
            return String::new();
        }
        let list = prompt::documents_list(new.iter().map(|document| document.as_ref()));
        self.told.extend(new.iter().map(|document| document.name.clone()));
        format!("\n\nNew documents:\n{list}")
    }

    /// Texts of the documents that came since the model was shown any.
    pub(crate) fn new_texts(&mut self) -> String {
        let Some(budget) = &self.agent.limits().documents else { return String::new() };
        let documents = self.session.documents();
        let new = documents.iter().map(AsRef::as_ref);
        let new: Vec<&Document> = new.filter(|it| !self.shown.contains(&it.name)).collect();
        let texts = prompt::texts(&new, budget);
        self.shown.extend(new.iter().map(|document| document.name.clone()));
        texts
    }
}

#[cfg(test)]
#[path = "conversation_tests.rs"]
mod tests;
