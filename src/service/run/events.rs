//! Translates what a session reports and what the log of a run says into events for watchers.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::event::EventData;
use super::options::{Models, public_text};
use super::state::{Failure, FunctionCall, RunDocument};
use super::usage::Meter;
use super::writer::Outbox;
use mitt::{CallId, Document, Event, OutputStream};
use mitt_agent::model::{ModelCall, Usage};
use mitt_agent::plan::Plan;
use mitt_agent::{AnswerMismatch, LoggedStep, RunEvent as AgentEvent};
use mitt_base::rows::grouped;
use mitt_base::{Error, lock, text};

/// Most tables in the summary of a document. Summaries of up to 1 000 documents are in the record of a run.
const MAX_TABLES: usize = 8;

/// Most warnings in the summary of a document.
const MAX_WARNINGS: usize = 5;

/// Most bytes of a name and of a warning in it.
const MAX_NAME_BYTES: usize = 80;
const MAX_WARNING_BYTES: usize = 200;

/// Most characters of an error.
const MAX_ERROR_CHARACTERS: usize = 10_000;

/// Translates the steps of a run.
pub(super) struct Translator {
    outbox: Arc<Outbox>,
    meter: Arc<Meter>,
    models: Arc<dyn Models>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    agents: BTreeMap<Option<u64>, AgentState>,
    /// Names of documents that are read again, which is nothing new.
    known: BTreeSet<String>,
}

/// What is known of the run's own model or of an agent.
#[derive(Default)]
struct AgentState {
    /// Number of the last turn that began.
    turn: u64,
    /// Tokens of a turn that has not ended.
    usage: Usage,
    /// Calls of the last answer that have not begun: identifier and name.
    requested: VecDeque<(String, String)>,
}

impl Translator {
    pub(super) fn new(
        outbox: Arc<Outbox>,
        meter: Arc<Meter>,
        models: Arc<dyn Models>,
    ) -> Translator {
        Translator { outbox, meter, models, state: Mutex::default() }
    }

    /// Begins a session, whose turns and agents are numbered anew. Documents of these names are read again.
    pub(super) fn begin(&self, known: impl IntoIterator<Item = String>) {
        *lock(&self.state) = State { agents: BTreeMap::new(), known: known.into_iter().collect() };
    }

    /// Ends the reading of documents that are known.
    pub(super) fn has_read_known(&self) {
        lock(&self.state).known.clear();
    }

    /// Translates a step of the session.
    pub(super) fn event(&self, event: &Event) {
        let (agent, event) = event.in_agent();
        if let Some(event) = AgentEvent::from_event(event) {
            return self.run_event(agent, event);
        }
        let push = |data: EventData| self.outbox.push(agent, data);
        let progress = |text: String| push(EventData::Progress { text });
        match event {
            Event::Fetching { url, .. } => progress(format!("fetching {url}")),
            Event::DocumentStarted { name, size, .. } if !self.is_known(name) => {
                push(EventData::DocumentStarted { name: name.clone(), size: *size });
            }
            Event::DocumentReady { document, .. } if !self.is_known(&document.name) => {
                push(EventData::DocumentReady { document: run_document(document) });
            }
            Event::Rows { name, step, rows, of, .. } => progress(step.sentence(name, *rows, *of)),
            Event::Compiling { skill, elapsed, .. } => {
                progress(format!("compiling {skill}: {} s", elapsed.as_secs()));
            }
            Event::CallStarted { call, tool, depth } => {
                let model_call = match depth {
                    0 => self.requested(agent, tool),
                    _ => None,
                };
                let (call, tool) = (id_of(call), tool.clone());
                push(EventData::CallStarted { call, model_call, tool, depth: *depth });
            }
            Event::CallFinished { call, tool, depth, usage, failure } => {
                let failure = failure.as_ref().map(|(kind, message)| Failure {
                    code: (*kind).to_owned(),
                    message: self.public(message),
                    hint: None,
                });
                push(EventData::CallEnded {
                    call: id_of(call),
                    tool: tool.clone(),
                    depth: *depth,
                    duration_ms: u64::try_from(usage.duration.as_millis()).unwrap_or(u64::MAX),
                    failure,
                });
            }
            Event::Output { call, stream, text, .. } => {
                let stream = match stream {
                    OutputStream::Stdout => "stdout",
                    OutputStream::Stderr => "stderr",
                };
                let (call, stream, text) = (id_of(call), stream.to_owned(), text.clone());
                push(EventData::Output { call, stream, text });
            }
            Event::Delivered { artifact, warnings, .. } => {
                self.outbox.push_file(agent, artifact.clone(), warnings.clone());
            }
            // Questions and decisions come from the desk, and the rest is detail.
            _ => {}
        }
    }

    /// Translates a step of a model, a plan or an agent.
    fn run_event(&self, agent: Option<u64>, event: &AgentEvent) {
        let push = |data: EventData| self.outbox.push(agent, data);
        match event {
            AgentEvent::ModelText { turn, text } => {
                self.turn_began(agent, *turn);
                push(EventData::Text { turn: *turn, text: text.clone() });
            }
            AgentEvent::ModelReasoning { turn, text } => {
                self.turn_began(agent, *turn);
                push(EventData::Reasoning { turn: *turn, text: text.clone() });
            }
            AgentEvent::ModelCall { turn, .. } => self.turn_began(agent, *turn),
            AgentEvent::ModelUsage { turn, input, cached, output } => {
                self.turn_began(agent, *turn);
                let mut state = lock(&self.state);
                let usage = &mut state.agents.entry(agent).or_default().usage;
                (usage.input, usage.cached, usage.output) = (*input, *cached, *output);
            }
            AgentEvent::Turn { number, model, .. } => {
                self.turn_began(agent, *number);
                let usage = {
                    let mut state = lock(&self.state);
                    std::mem::take(&mut state.agents.entry(agent).or_default().usage)
                };
                self.meter.add_elsewhere(model, &usage);
            }
            AgentEvent::ModelNote { text, .. } => push(EventData::Note { text: self.public(text) }),
            AgentEvent::PlanStep { id, state, attempt, detail } => push(EventData::PlanStep {
                id: id.clone(),
                state: (*state).to_owned(),
                attempt: *attempt,
                detail: self.public(detail),
            }),
            AgentEvent::AgentStarted { id, parent, agent, task, .. } => {
                push(EventData::AgentStarted {
                    id: *id,
                    parent: *parent,
                    name: agent.clone(),
                    task: task.clone(),
                })
            }
            AgentEvent::AgentEnded { id, agent, status, failure, .. } => {
                push(EventData::AgentEnded {
                    id: *id,
                    name: agent.clone(),
                    status: status.name().to_owned(),
                    failure: failure.as_deref().map(|failure| self.public(failure)),
                })
            }
            // Plans come from their review, and the rest is detail.
            _ => {}
        }
    }

    /// Translates a line of the log.
    pub(super) fn line(&self, line: &str) {
        let Ok(step) = LoggedStep::parse(line.as_bytes()) else { return };
        match step {
            LoggedStep::Instruction { text } | LoggedStep::Steered { text } => {
                self.outbox.push(None, EventData::Instruction { text });
            }
            LoggedStep::Answer { agent, text, calls, .. } => {
                let turn = {
                    let mut state = lock(&self.state);
                    let of = state.agents.entry(agent).or_default();
                    let named = |call: &ModelCall| (call.id.clone(), call.name.clone());
                    of.requested = calls.iter().map(named).collect();
                    // The report of a plan is no turn of the run's own model, but its answer.
                    of.turn = of.turn.max(1);
                    of.turn
                };
                let calls = calls.into_iter().map(function_call).collect();
                self.outbox.push(agent, EventData::TurnEnded { turn, text, calls });
            }
            LoggedStep::Result { agent, call_id, content, is_error, .. } => {
                let content = if is_error { self.public(&content) } else { content };
                self.outbox
                    .push(agent, EventData::CallResult { model_call: call_id, content, is_error });
            }
            _ => {}
        }
    }

    /// Returns a text without what clients must not read.
    fn public(&self, text: &str) -> String {
        public_text(&*self.models, text).unwrap_or_else(|| text.to_owned())
    }

    fn is_known(&self, document: &str) -> bool {
        lock(&self.state).known.contains(document)
    }

    /// Reports that a turn began, if this is new.
    fn turn_began(&self, agent: Option<u64>, turn: u64) {
        {
            let mut state = lock(&self.state);
            let of = state.agents.entry(agent).or_default();
            if of.turn == turn {
                return;
            }
            of.turn = turn;
        }
        self.outbox.push(agent, EventData::TurnStarted { turn });
    }

    /// Returns the identifier of the model's call that begins now.
    fn requested(&self, agent: Option<u64>, tool: &str) -> Option<String> {
        let mut state = lock(&self.state);
        let requested = &mut state.agents.get_mut(&agent)?.requested;
        let at = requested.iter().position(|(_, name)| name == tool)?;
        requested.remove(at).map(|(id, _)| id)
    }
}

/// Returns the event of a plan.
pub(super) fn plan_event(number: u64, plan: &Plan) -> EventData {
    let step = |step: &mitt_agent::plan::Step| {
        json!({
            "id": step.id, "title": step.title, "description": step.description,
            "kind": step.kind.name(), "needs": step.needs, "agent": step.agent,
        })
    };
    let steps = plan.steps.iter().map(step).collect();
    EventData::Plan { number, title: plan.title.clone(), steps }
}

/// Returns a call of a function as clients see it.
pub(super) fn function_call(call: ModelCall) -> FunctionCall {
    FunctionCall { id: call.id, name: call.name, arguments: call.arguments }
}

/// Returns a document as clients see it.
pub(super) fn run_document(document: &Document) -> RunDocument {
    RunDocument {
        name: document.name.clone(),
        sha256: document.sha256.clone(),
        size: document.size,
        summary: Some(summary(document)),
    }
}

fn summary(document: &Document) -> Value {
    let cut = |text: &str, bytes| text::cut_bytes(text, bytes).to_owned();
    let tables = document.tables.iter().take(MAX_TABLES).map(|table| {
        json!({
            "name": cut(&table.name, MAX_NAME_BYTES), "rows": table.data.rows(), "columns": table.data.columns().count(),
        })
    });
    let warnings = document.warnings.iter().take(MAX_WARNINGS);
    let mut warnings: Vec<String> = warnings.map(|it| cut(it, MAX_WARNING_BYTES)).collect();
    let title = document.title.as_deref().map(|title| cut(title, MAX_WARNING_BYTES));
    if let Some(more @ 1..) = document.warnings.len().checked_sub(MAX_WARNINGS) {
        warnings.push(format!("and {} more", grouped(more as u64)));
    }
    json!({
        "media_type": document.media_type, "title": title, "characters": document.characters,
        "places": document.places.len(), "tables": tables.collect::<Vec<_>>(),
        "n_tables": document.tables.len(), "warnings": warnings,
    })
}

/// Code of an instruction whose answer never had the form that the client demanded.
pub(crate) const OUTPUT_MISMATCH: &str = "output_mismatch";

/// Returns an error as clients see it: without the addresses of models.
pub(super) fn failure(models: &dyn Models, error: &Error) -> Failure {
    let mut message = error.to_string();
    for detail in error.details() {
        message.push('\n');
        message.push_str(detail);
    }
    let message = text::shortened(&message, MAX_ERROR_CHARACTERS);
    let public = |text: String| public_text(models, &text).unwrap_or(text);
    let (message, hint) = (public(message), error.hints().first().cloned().map(public));
    let code = match AnswerMismatch::of(error) {
        Some(_) => OUTPUT_MISMATCH,
        None => error.kind().name(),
    };
    Failure { code: code.to_owned(), message, hint }
}

fn id_of(call: &CallId) -> String {
    call.number.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::control::Control;
    use crate::run::entry::DayBudget;
    use crate::run::state::RunUsage;
    use crate::store::FolderStore;
    use mitt::Host;

    /// A model that is given by its address.
    struct Addressed;

    impl Models for Addressed {
        fn list(&self) -> Vec<crate::run::ModelInfo> {
            Vec::new()
        }

        fn open(
            &self,
            name: &str,
            _: Option<&str>,
        ) -> mitt_base::Result<Arc<dyn mitt_agent::model::ChatModel>> {
            Err(Error::model(format!("no model {name}")))
        }

        fn hidden(&self) -> Vec<(String, String)> {
            vec![("http://10.0.0.5:8080/v1#qwen3".to_owned(), "local".to_owned())]
        }
    }

    #[test]
    fn a_failure_names_the_model_as_clients_do() {
        let error = Error::model("it did not answer")
            .at("http://10.0.0.5:8080/v1#qwen3")
            .hint("is http://10.0.0.5:8080/v1#qwen3 there?");
        let failure = failure(&Addressed, &error);
        assert_eq!(failure.message, "local: it did not answer");
        assert_eq!(failure.hint.as_deref(), Some("is local there?"));
    }

    fn in_agent(event: impl Into<Event>) -> Event {
        Event::InAgent { agent: 7, event: Arc::new(event.into()) }
    }

    fn usage_and_turn(model: &str) -> [Event; 2] {
        [
            in_agent(AgentEvent::ModelUsage { turn: 1, input: 5, cached: 1, output: 2 }),
            in_agent(AgentEvent::Turn {
                number: 1,
                model: model.to_owned(),
                text: String::new(),
                n_calls: 0,
                duration: std::time::Duration::ZERO,
            }),
        ]
    }

    #[tokio::test]
    async fn steps_of_agents_have_their_number_and_their_calls_and_their_usage() {
        let folder = tempfile::tempdir().unwrap();
        let host = Host::builder().no_cache().bundled_skills(false).build().unwrap();
        let clock = Arc::new(|| std::time::Duration::from_secs(1));
        let store = Arc::new(FolderStore::open(folder.path(), clock).unwrap());
        let outbox = Arc::new(Outbox::new(host.clone()));
        let control = Arc::new(Control::default());
        let meter = Arc::new(Meter::new((store, host), "acme", control, |_| {}));
        meter.begin(RunUsage::default(), DayBudget::default());
        let translator = Translator::new(outbox.clone(), meter.clone(), Arc::new(Addressed));

        translator.event(&in_agent(AgentEvent::ModelText { turn: 1, text: "Hm".into() }));
        for event in usage_and_turn("other/model") {
            translator.event(&event);
        }
        let answer = json!({ "of": { "agent": 7, "entry": { "answer": {
            "answer": { "calls": [
                { "id": "a", "name": "x__read", "arguments": "{}" },
                { "id": "b", "name": "x__read", "arguments": "{}" },
            ] },
            "usage": {},
        } } } });
        translator.line(&answer.to_string());
        let started = |number, depth| {
            in_agent(Event::CallStarted {
                call: CallId { number, parent: None },
                tool: "x__read".into(),
                depth,
            })
        };
        for (number, depth) in [(1, 0), (2, 1), (3, 0), (4, 0)] {
            translator.event(&started(number, depth));
        }
        let events = outbox.take_events().await;
        assert!(events.iter().all(|(agent, _)| *agent == Some(7)));
        let mut events = events.into_iter().map(|(_, data)| data);
        assert_eq!(events.next(), Some(EventData::TurnStarted { turn: 1 }));
        assert_eq!(events.next(), Some(EventData::Text { turn: 1, text: "Hm".into() }));
        assert!(
            matches!(events.next(), Some(EventData::TurnEnded { turn: 1, calls, .. }) if calls.len() == 2)
        );
        let ids = events.map(|data| match data {
            EventData::CallStarted { model_call, .. } => model_call,
            other => panic!("{other:?}"),
        });
        let ids: Vec<_> = ids.collect();
        assert_eq!(ids, [Some("a".to_owned()), None, Some("b".to_owned()), None]);
        let used = meter.usage();
        assert_eq!((used.turns, used.input_tokens, used.output_tokens), (1, 5, 2));
    }
}
