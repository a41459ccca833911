//! The loop of an agent: asks the model, makes the calls that it requests, and returns their results, until it requests no more.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use serde_json::json;

use crate::agent::Agent;
use crate::answer_form::Formed;
use crate::caller_function::UnansweredCalls;
use crate::demand::HeldDemand;
use crate::log::{FileRequest, History, LogEntry, LoggedRun, RunLog};
use crate::model::{Image, Message};
use crate::offer::Offer;
use crate::prompt::{self, Brief};
use crate::report::{RunReport, Spent};
use crate::requested_formats::missing;
use crate::route::Routed;
use crate::run_event::RunEvent;
use crate::run_usage::RunUsage;
use crate::steering::Steering;
use crate::tags;
use crate::team::{ConversationContext, TeamLimits, TeamRun};
use crate::usage::{Budget, UsageCounter};
use mitt::{Document, Event, EventSink, Session};
use mitt_base::{Error, Resource, Result, lock, text};

/// Conversation of a user and a model over a session. The model knows everything that was said before.
pub struct Conversation<'a> {
    pub(crate) agent: &'a Agent,
    pub(crate) session: Session,
    /// Agent and session at the beginning.
    pub(crate) home: Home<'a>,
    /// Agent that has taken the conversation over.
    pub(crate) acting: Option<Acting>,
    pub(crate) offer: Offer,
    pub(crate) history: History,
    pub(crate) context: ConversationContext,
    /// Skill to use for the next instruction.
    pub(crate) hint: Option<String>,
    /// Usage of the last instruction.
    pub(crate) counter: Arc<UsageCounter>,
    /// Further instructions while one is followed.
    steering: Steering,
    /// Demand of the caller on the current instruction.
    pub(crate) held: HeldDemand,
    /// Deadline of the current instruction.
    deadline: Option<Instant>,
    /// Names of the documents that were announced to the model.
    announced: HashSet<String>,
    /// Names of the documents whose texts were shown to the model.
    shown: HashSet<String>,
    is_resumed: bool,
}

/// Original agent and session of a conversation.
#[derive(Clone)]
pub(crate) struct Home<'a> {
    pub(crate) agent: &'a Agent,
    pub(crate) session: Session,
}

/// Agent that has taken a conversation over.
pub(crate) struct Acting {
    /// Number of the agent in the session.
    pub(crate) id: u64,
    pub(crate) name: String,
}

impl Agent {
    /// Lets the model follow an instruction with the session's documents and tools.
    ///
    /// # Errors
    ///
    /// Those of [`Conversation::say`].
    pub async fn run(&self, session: &Session, instruction: &str) -> Result<RunReport> {
        self.conversation(session).await.say(instruction).await
    }

    /// Begins a conversation over the session.
    pub async fn conversation<'a>(&'a self, session: &Session) -> Conversation<'a> {
        Conversation::new(self, session).await
    }

    /// Resumes a conversation from its log. Everything that was said and done is known, and no call with a result is made again.
    /// [`Conversation::go_on`] finishes the current instruction. A call without a result is made again, unless it may have had an
    /// effect that this would repeat: the model reads that this is unknown.
    ///
    /// The session must have the same documents, which the log lists ([`LoggedRun::documents`]). State of the old process's
    /// session is lost: result tables, variables of scripts, files of the workspace. A call that refers to such a table fails
    /// with the reason.
    pub async fn resume<'a>(&'a self, session: &Session, run: &LoggedRun) -> Conversation<'a> {
        Conversation::resumed(self, session, run).await
    }
}

impl<'a> Conversation<'a> {
    async fn new(agent: &'a Agent, session: &Session) -> Conversation<'a> {
        Conversation::at(agent, session.clone(), ConversationContext::default()).await
    }

    /// Returns a conversation in a context within a run.
    pub(crate) async fn at(
        agent: &'a Agent,
        session: Session,
        context: ConversationContext,
    ) -> Conversation<'a> {
        let offer = Offer::of(&session, agent, context.depth);
        Conversation::with(agent, session, offer, History::default(), context).await
    }

    /// Returns the conversation that the entries of a log describe.
    async fn resumed(agent: &'a Agent, session: &Session, run: &LoggedRun) -> Conversation<'a> {
        let mut offer = Offer::of(session, agent, 0);
        let mut history = History::default();
        let (mut tables, mut calls) = (1, 1);
        let mut acting = None;
        for entry in run.entries() {
            let step = match entry {
                LogEntry::FromAgent { entry, .. } => entry,
                entry => entry,
            };
            if let LogEntry::Transferred { to } = entry {
                acting = to.as_ref().map(|to| to.name.clone());
            }
            if let LogEntry::Result(result) = step {
                tables = tables.max(result.next_table);
                calls = calls.max(result.number.saturating_add(1));
            }
            if let LogEntry::Routed { trace } = entry
                && let Some(skill) = Routed::of(trace.clone(), "").skill_name()
            {
                offer.use_skill(skill);
            }
            history.apply(entry.clone());
        }
        offer.activate_again(history.messages());
        // References of the old process to tables and results must not refer to new ones.
        session.number_calls_from(calls);
        session.number_tables_from(tables.max(session.next_table()));
        let (session, context) = (session.clone(), ConversationContext::default());
        let mut conversation = Conversation::with(agent, session, offer, history, context).await;
        conversation.is_resumed = true;
        if let Some(name) = acting {
            if conversation.take_over(&name).await.is_none() {
                let text = format!(
                    "the agent {name} is not there any more: the session's own model has the conversation"
                );
                conversation.note(0, text);
            }
            let text = conversation.system().await;
            conversation.history.apply(LogEntry::System { text });
        }
        conversation.shown = run.documents().map(|document| document.name.clone()).collect();
        conversation
    }

    async fn with(
        agent: &'a Agent,
        session: Session,
        offer: Offer,
        history: History,
        context: ConversationContext,
    ) -> Conversation<'a> {
        let announced = session.documents().iter().map(|document| document.name.clone()).collect();
        let mut conversation = Conversation {
            agent,
            home: Home { agent, session: session.clone() },
            session,
            acting: None,
            offer,
            history,
            context,
            hint: None,
            counter: Arc::default(),
            steering: Steering::default(),
            held: HeldDemand::default(),
            deadline: None,
            announced,
            shown: HashSet::new(),
            is_resumed: false,
        };
        let text = conversation.system().await;
        conversation.history.apply(LogEntry::System { text });
        conversation
    }

    /// Returns the system message.
    pub(crate) async fn system(&self) -> String {
        let brief = Brief {
            instructions: self.agent.instructions(),
            skills: self.agent.skills(),
            documents: self.context.documents.as_deref(),
            is_delegated: self.context.depth > 0,
        };
        prompt::system(&self.session, &self.offer, &brief).await
    }

    /// Writes all further steps to a log.
    pub fn log_to(&mut self, log: RunLog) {
        self.context.log = Some(Arc::new(Mutex::new(log)));
        if self.is_resumed {
            self.record_entry(LogEntry::Resumed { next_table: self.session.next_table() });
        }
        if let Some(Message::System(text)) = self.history.messages().first() {
            self.record_entry(LogEntry::System { text: text.clone() });
        }
    }

    /// Logs the origin of a document, so that the conversation can be resumed with it.
    pub fn log_document(&mut self, document: &Document, path: Option<PathBuf>) {
        let problem = self.context.log.as_ref().and_then(|log| {
            let mut log = lock(log);
            log.document(document, path);
            log.take_problem()
        });
        self.note_log_problem(problem);
    }

    /// Returns all messages so far, beginning with the system message, if there is one.
    pub fn messages(&self) -> &[Message] {
        self.history.messages()
    }

    /// Continues with the model that [`SwitchModel`](crate::model::SwitchModel) has now. The reasoning of the former model is dropped, as only
    /// its service can read it. The tools are described in the form that the new model wants.
    pub fn model_changed(&mut self) {
        for message in self.history.messages_mut() {
            if let Message::Assistant(answer) = message {
                answer.reasoning.clear();
            }
        }
        self.offer.describe_for(self.agent.model());
        let name = self.agent.model().name();
        self.note(0, format!("the model is {name} from now on"));
    }

    /// Returns a handle for further instructions while this conversation follows one.
    pub fn steer(&self) -> Steering {
        self.steering.clone()
    }

    /// Returns what the last instruction has used, even if it failed or its future was dropped. The count starts anew when an
    /// instruction begins or is continued.
    pub fn spent(&self) -> Spent {
        let totals = self.counter.totals();
        Spent { turns: totals.turns, calls: totals.calls, usage: totals.usage, cost: totals.cost() }
    }

    /// Returns whether an instruction was interrupted: it failed, its future was dropped, its process died, or it waits for
    /// [functions of the caller](Conversation::pending).
    /// [`Conversation::go_on`] continues it.
    pub fn is_unfinished(&self) -> bool {
        self.history.open().is_some()
    }

    /// Lets the model follow an instruction.
    ///
    /// Dropping the future stops the model and its calls. The conversation can be continued after that, and after an error. If
    /// the model called [functions of the caller](crate::AgentBuilder::functions), the report has them as
    /// [`pending`](RunReport::pending), and the instruction has not ended.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Model`](mitt_base::ErrorKind::Model) - the model failed, refused, or repeatedly wrote invalid arguments.
    /// [`ErrorKind::Input`](mitt_base::ErrorKind::Input), [`ErrorKind::Arguments`](mitt_base::ErrorKind::Arguments) - with
    /// [routing](crate::AgentBuilder::routing): a command names no skill, or its arguments are invalid; the model received
    /// nothing. [`ErrorKind::Input`](mitt_base::ErrorKind::Input) - a function of the caller has the name of a tool.
    /// [`ErrorKind::Limit`](mitt_base::ErrorKind::Limit) - a limit of [`AgentLimits`](crate::AgentLimits) was reached. Files that
    /// were delivered before stay. A failed call is not an error here: the model sees it and may do better.
    pub async fn say(&mut self, instruction: &str) -> Result<RunReport> {
        self.say_with(instruction, Vec::new()).await
    }

    /// Like [`Conversation::say`], with pictures for the model.
    ///
    /// # Errors
    ///
    /// Those of [`Conversation::say`]; [`ErrorKind::Model`](mitt_base::ErrorKind::Model) - the model accepts no pictures.
    pub async fn say_with(&mut self, instruction: &str, images: Vec<Image>) -> Result<RunReport> {
        let model = self.agent.model();
        if !images.is_empty() && !model.takes_images() {
            let error = Error::model(format!("{} takes no pictures", model.name()));
            return Err(error.hint("leave them out, or take a model that looks at pictures"));
        }
        self.context.sink = None;
        self.begin(instruction, images).await?;
        self.finish().await
    }

    /// Like [`Conversation::say`], without changing the listener. `run_usage` is counted even on errors.
    pub(crate) async fn say_with_usage(
        &mut self,
        instruction: &str,
        run_usage: &mut RunUsage,
    ) -> Result<RunReport> {
        self.begin(instruction, Vec::new()).await?;
        self.finish_with_usage(run_usage).await
    }

    /// Like [`Conversation::say`]; `sink` receives each step.
    pub(crate) async fn say_with_sink(
        &mut self,
        instruction: &str,
        sink: EventSink,
    ) -> Result<RunReport> {
        self.context.sink = Some(sink);
        self.begin(instruction, Vec::new()).await?;
        self.finish().await
    }

    /// Like [`Conversation::say_with_usage`]. The host adds `with` after the instruction; requests for files in it do not count.
    pub(crate) async fn say_with_host_text(
        &mut self,
        instruction: &str,
        with: &str,
        run_usage: &mut RunUsage,
    ) -> Result<RunReport> {
        let with = self.new_documents() + &self.new_texts() + with;
        self.record_entry(LogEntry::User {
            text: instruction.to_owned(),
            with,
            images: Vec::new(),
        });
        self.finish_with_usage(run_usage).await
    }

    /// Continues an interrupted instruction; calls with a result are not made again. Returns `None` if there is none. The limits
    /// start anew. If [functions of the caller](Conversation::pending) have no result yet, it returns at once.
    ///
    /// # Errors
    ///
    /// Those of [`Conversation::say`]; [`ErrorKind::Input`](mitt_base::ErrorKind::Input) - the log has a form of the answer that
    /// this version cannot apply.
    pub async fn go_on(&mut self) -> Result<Option<RunReport>> {
        self.context.sink = None;
        self.begin_demand(false);
        if !self.is_unfinished() {
            return Ok(None);
        }
        self.begin_form(false)?;
        self.finish().await.map(Some)
    }

    async fn finish(&mut self) -> Result<RunReport> {
        self.finish_with_usage(&mut RunUsage::default()).await
    }

    async fn finish_with_usage(&mut self, run_usage: &mut RunUsage) -> Result<RunReport> {
        if self.context.depth == 0 || self.context.run.is_none() {
            let limits = self.agent.team().map_or_else(TeamLimits::default, |team| team.bounds());
            self.context.run = Some(Arc::new(TeamRun::new(limits)));
        }
        self.counter = run_usage.counter();
        let time = self.agent.limits().time;
        self.deadline = Instant::now().checked_add(time);
        let mut done = match tokio::time::timeout(time, self.run_loop(run_usage)).await {
            Ok(done) => done,
            Err(_) => {
                let limit = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
                let error = Error::limit(Resource::ModelTime, limit, limit.saturating_add(1));
                Err(error.hint("split the task, or allow more time; what was delivered stays"))
            }
        };
        if done.as_ref().is_ok_and(|report| !report.pending.is_empty()) {
            return done;
        }
        if let Ok(report) = &mut done {
            self.add_citations(report).await;
        }
        let failure = done.as_ref().err();
        let failure = failure.map(|error| (error.kind().name().to_owned(), error.to_string()));
        self.record_entry(LogEntry::Ended { failure });
        self.end_demand();
        done
    }

    /// Takes the next step, which follows from the last message.
    async fn run_loop(&mut self, run_usage: &mut RunUsage) -> Result<RunReport> {
        loop {
            let can_react = self.agent.model().can_react() && !self.session.reads_only();
            let UnansweredCalls { own, pending } = self.unanswered_calls();
            if !own.is_empty() {
                self.make_calls(&own, run_usage).await?;
                continue;
            }
            if !pending.is_empty() {
                run_usage.begin_calls(pending.len(), self.agent.limits())?;
                let said = self.history.last_text().to_owned();
                let report = run_usage.report(said, self.delivered(), Vec::new());
                return Ok(RunReport { pending, ..report });
            }
            if self.read_steering(run_usage.turns) {
                continue;
            }
            let Some(answer) = self.history.last_answer() else {
                self.turn(run_usage).await?;
                continue;
            };
            let said = answer.text.clone();
            if self.is_unfinished()
                && let Some(text) = self.missing_call(can_react)?
            {
                self.record_entry(LogEntry::Host { text });
                continue;
            }
            let Some(open) = self.history.open() else {
                return Ok(run_usage.report(said, Vec::new(), Vec::new()));
            };
            // Without tools, a model can deliver nothing.
            let requests: &[_] = if self.agent.has_tools() { &open.requests } else { &[] };
            let mut missing = missing_files(requests);
            let mut due = missing_files(requests.iter().filter(|request| !request.is_reminded));
            let mut said = said;
            if self.agent.has_tags() {
                let mut claimed = Vec::new();
                said = self.without_tags(&said, &mut claimed);
                missing.extend(claimed.iter().cloned());
                if requests.iter().any(|request| !request.is_reminded) {
                    due.extend(claimed);
                }
            }
            let may_mend = due.is_empty() && can_react && self.context.depth == 0;
            if may_mend
                && run_usage.take_citation_repair(self.agent.limits())
                && let Some(text) = self.citation_repair(&said).await
            {
                self.record_entry(LogEntry::Host { text });
                continue;
            }
            if due.is_empty() || !can_react {
                let delivered = open.delivered.iter().cloned().collect();
                match self.formed(&said, can_react)? {
                    Formed::Free => return Ok(run_usage.report(said, delivered, missing)),
                    Formed::Value(text, value) => {
                        // More words would not follow the form.
                        let report = run_usage.report(text, delivered, Vec::new());
                        return Ok(RunReport { missing, output: Some(value), ..report });
                    }
                    Formed::Again(text) => {
                        self.record_entry(LogEntry::Host { text });
                        continue;
                    }
                }
            }
            let (was, has, it) = match due.len() {
                1 => ("was", "has", "it"),
                _ => ("were", "have", "them"),
            };
            let text = format!(
                "(From the host, not from the user.) {} {was} asked for and {has} not been delivered. Deliver {it} now with a tool, or \
                 say plainly why you cannot.",
                due.join(" and ")
            );
            self.record_entry(LogEntry::Host { text });
        }
    }

    /// Adds what the user said since the last turn. Returns `false` if that is nothing.
    fn read_steering(&mut self, turn: u64) -> bool {
        let texts = self.steering.take();
        let is_any = !texts.is_empty();
        for text in texts {
            let with = self.new_documents() + &self.new_texts();
            self.record_entry(LogEntry::Steered { text: text.clone(), with });
            // Without the text, because notes are in the journal.
            self.note(turn, "the model reads a further instruction of the user now".to_owned());
            self.steering.report_read(&text);
        }
        // What they want may need calls.
        self.held.is_mending &= !is_any;
        is_any
    }

    /// Returns the text without the tags of existing files. Other tagged files are added to `missing`.
    fn without_tags(&self, said: &str, missing: &mut Vec<String>) -> String {
        let files = self.session.artifacts();
        let is_there = |name: &str| files.iter().any(|file| file.name == name);
        let claimed = tags::claimed(said);
        let absent = claimed.iter().filter(|name| !is_there(name));
        missing.extend(absent.map(|name| format!("the file {}", text::one_line(name))));
        tags::without(said, is_there)
    }

    /// Records a step, and writes it to the log.
    pub(crate) fn record_entry(&mut self, entry: LogEntry) {
        if matches!(entry, LogEntry::User { .. }) {
            // The user says something else in place of going on.
            self.history.unknown().iter().for_each(|call| self.note_unknown(call, 0));
        }
        let agent = self.session.agent().filter(|_| self.context.depth > 0);
        // A model may repeat secrets, such as the key of its service.
        let problem = self.context.write(agent, &entry, |line| self.agent.model().redacted(line));
        self.history.apply(entry);
        self.note_log_problem(problem);
    }

    /// Returns the state that all agents share that work on the current instruction.
    pub(crate) fn team_run(&self) -> Arc<TeamRun> {
        self.context.run.clone().unwrap_or_else(|| Arc::new(TeamRun::new(TeamLimits::default())))
    }

    /// Returns the remaining budget of the current instruction.
    pub(crate) fn left(&self, run_usage: &RunUsage) -> Budget {
        let (limits, totals) = (self.agent.limits(), run_usage.totals());
        let turns = limits.turns.unwrap_or(self.session.host().session_limits().model_turns);
        let left = self.deadline.map(|it| it.saturating_duration_since(Instant::now()));
        let cost = limits.cost.map(|most| most.saturating_sub(totals.cost().unwrap_or_default()));
        Budget {
            turns: turns.saturating_sub(totals.turns),
            tokens: limits.tokens.saturating_sub(totals.tokens()),
            cost,
            calls: limits.calls.saturating_sub(totals.calls),
            time: left.unwrap_or(limits.time),
        }
    }

    /// Returns the names of the files that were delivered for the current instruction, even if it failed; empty if it is
    /// completed.
    pub fn delivered(&self) -> Vec<String> {
        let open = self.history.open();
        open.map_or_else(Vec::new, |open| open.delivered.iter().cloned().collect())
    }

    fn note_log_problem(&mut self, problem: Option<Error>) {
        if let Some(problem) = problem {
            self.note(0, problem.render());
        }
    }

    pub(crate) fn note(&self, turn: u64, text: String) {
        self.session.note("model-note", json!({ "turn": turn, "text": text }));
        self.emit(RunEvent::ModelNote { turn, text });
    }

    /// Sends an event to the listeners.
    pub(crate) fn emit(&self, event: RunEvent) {
        self.emit_in(&self.session, event);
    }

    /// Like [`Conversation::emit`], for a step in this session.
    pub(crate) fn emit_in(&self, session: &Session, event: RunEvent) {
        let event = Event::from(event);
        session.emit(&event);
        if let Some(sink) = &self.context.sink {
            sink(&session.tagged(&event));
        }
    }

    /// Returns whether the document of this name was announced to the model.
    pub(crate) fn is_announced(&self, document: &str) -> bool {
        self.announced.contains(document)
    }

    /// Returns a list of the documents that have not been announced yet, and marks them.
    pub(crate) fn new_documents(&mut self) -> String {
        let documents = self.session.documents();
        let new: Vec<_> =
            documents.iter().filter(|it| !self.announced.contains(&it.name)).collect();
        if new.is_empty() {
            return String::new();
        }
        let list = prompt::documents_list(new.iter().map(|document| document.as_ref()));
        self.announced.extend(new.iter().map(|document| document.name.clone()));
        format!("\n\nNew documents:\n{list}")
    }

    /// Returns the texts of documents that have not been shown yet, and marks them.
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

/// Returns the usual names of the kinds of files that these words ask for and that were not delivered after them.
fn missing_files<'r>(requests: impl IntoIterator<Item = &'r FileRequest>) -> Vec<String> {
    let mut names = Vec::new();
    for name in requests.into_iter().flat_map(|it| missing(&it.text, &it.delivered)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

#[cfg(test)]
#[path = "conversation_tests.rs"]
mod tests;
