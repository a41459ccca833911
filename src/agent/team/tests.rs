//! Agents that work for others, with misbehaving models.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use futures_util::stream;
use serde_json::{Value, json};

use super::*;
use crate::model::{
    ChatEvent, ChatModel, ChatRequest, ChatStream, Cost, Message, ModelCall, Prices, ToolSpec,
    Usage,
};
use crate::run_event::{AgentStatus, RunEvent};
use crate::team::AgentMd;
use crate::{Agent, Budget, Delegated, RunItem, RunReport, SubAgent, Task, ToolMode};
use mitt::{Error, Event, Result, Session, SessionOptions};

mod caps;
mod forks;
mod functions;
mod gates;
mod handing_over;
mod logged;
mod reading;
mod work;

/// Returns the model's answer to its n-th request, from 0, given the conversation; `None` if it never answers.
type Says = Box<dyn Fn(&[Message], usize) -> Option<Vec<ChatEvent>> + Send + Sync>;

/// Model that plays a role.
struct Role {
    name: String,
    says: Says,
    asked: Mutex<Vec<(Vec<Message>, Vec<ToolSpec>)>>,
}

#[async_trait]
impl ChatModel for Role {
    fn name(&self) -> &str {
        &self.name
    }

    async fn chat<'a>(&'a self, request: ChatRequest<'a>) -> Result<ChatStream<'a>> {
        let (messages, tools) = (request.messages.to_vec(), request.tools.to_vec());
        let turn =
            messages.iter().filter(|message| matches!(message, Message::Assistant(_))).count();
        let said = (self.says)(&messages, turn);
        self.asked.lock().unwrap().push((messages, tools));
        // Yields like a slow service, so that others get their turn.
        tokio::task::yield_now().await;
        match said {
            Some(events) => {
                let events = events.into_iter().map(|event| match event {
                    ChatEvent::Note(text) if text == "broken" => Err(Error::model("broken")),
                    event => Ok(event),
                });
                Ok(Box::pin(stream::iter(events)))
            }
            None => Ok(Box::pin(stream::pending())),
        }
    }
}

fn says(text: &str) -> Vec<ChatEvent> {
    vec![ChatEvent::Text(text.into())]
}

fn calls(calls: &[(&str, Value)]) -> Vec<ChatEvent> {
    let call = |(index, (name, arguments)): (usize, &(&str, Value))| {
        let (name, arguments) = ((*name).into(), arguments.to_string());
        ChatEvent::Call(ModelCall { id: format!("c{index}"), name, arguments })
    };
    calls.iter().enumerate().map(call).collect()
}

fn task(agent: &str, text: &str) -> (&'static str, Value) {
    (DELEGATE, json!({ "agent": agent, "task": text, "inputs": [] }))
}

fn excel(name: &str) -> (&'static str, Value) {
    ("excel_tool__create_excel", json!({ "data": [{ "a": 1 }], "filename": name }))
}

fn used(tokens: u64) -> ChatEvent {
    ChatEvent::Usage(Usage { input: tokens, ..Usage::default() })
}

/// Answers of a model, turn by turn; the last one repeats forever.
fn script(turns: impl IntoIterator<Item = Vec<ChatEvent>>) -> Says {
    let turns: Vec<_> = turns.into_iter().collect();
    Box::new(move |_, turn| turns.get(turn).or(turns.last()).cloned())
}

/// Host with agents, each of which has a model of its own.
struct Stage {
    session: Session,
    models: BTreeMap<String, Arc<Role>>,
    files: Vec<AgentMd>,
    events: Arc<Mutex<Vec<Event>>>,
    change: Option<fn(&mut TeamLimits)>,
    mode: ToolMode,
}

impl Stage {
    fn new(main: Says) -> Stage {
        let events = Arc::<Mutex<Vec<Event>>>::default();
        let heard = events.clone();
        let host = crate::memory_log::host().build().unwrap();
        let options = SessionOptions {
            events: Some(Arc::new(move |event| heard.lock().unwrap().push(event.clone()))),
            ..SessionOptions::default()
        };
        let session = host.session(options).unwrap();
        let mut stage = Stage {
            session,
            models: BTreeMap::new(),
            files: Vec::new(),
            events,
            change: None,
            mode: ToolMode::All,
        };
        stage.model("main", main);
        stage
    }

    fn model(&mut self, name: &str, says: Says) {
        let role = Role { name: name.to_owned(), says, asked: Mutex::default() };
        self.models.insert(name.to_owned(), Arc::new(role));
    }

    /// Adds an agent of this name, with further lines of its file, and the answers of its model.
    fn agent(mut self, name: &str, front: &str, says: Says) -> Stage {
        let text = format!(
            "---\nname: {name}\ndescription: The {name}.\nmodel: {name}\n{front}---\nYou are the {name}.\n"
        );
        self.files.push(AgentMd::parse(text.as_bytes(), &format!("{name}.md")).unwrap());
        self.model(name, says);
        self
    }

    fn limits(mut self, change: fn(&mut TeamLimits)) -> Stage {
        self.change = Some(change);
        self
    }

    fn team(&self) -> Team {
        let mut roster = Roster::new();
        for file in &self.files {
            roster.add(file.clone(), AgentSource::BuiltIn);
        }
        let team = Team::new(roster, |name| {
            let model: Arc<dyn ChatModel> = self.models[name].clone();
            Ok(model)
        });
        assert!(team.problems().is_empty(), "{:?}", team.problems());
        match self.change {
            Some(change) => team.limits(change),
            None => team,
        }
    }

    fn main(&self) -> crate::AgentBuilder {
        Agent::builder(self.models["main"].clone()).tools(self.mode).team(self.team())
    }

    async fn run(&self, instruction: &str) -> Result<RunReport> {
        self.main().build().run(&self.session, instruction).await
    }

    async fn document(&self, name: &str, content: &str) {
        self.session.add_document_bytes(name, content.into()).await.unwrap();
    }

    /// Returns the messages of the n-th request to a model, as texts.
    fn asked(&self, model: &str, index: usize) -> Vec<String> {
        let text = |message: &Message| match message {
            Message::System(text) => format!("system: {text}"),
            Message::User { text, .. } => format!("user: {text}"),
            Message::Assistant(answer) => format!("model: {}", answer.text),
            Message::Tool { content, .. } => format!("tool: {content}"),
        };
        self.models[model].asked.lock().unwrap()[index].0.iter().map(text).collect()
    }

    fn requests(&self, model: &str) -> usize {
        self.models[model].asked.lock().unwrap().len()
    }

    fn tools(&self, model: &str, index: usize) -> Vec<String> {
        let asked = self.models[model].asked.lock().unwrap();
        asked[index].1.iter().map(|tool| tool.name.clone()).collect()
    }

    /// Returns the results that a model had received at its n-th request.
    fn results(&self, model: &str, index: usize) -> Vec<String> {
        let asked = self.asked(model, index);
        asked.iter().filter_map(|it| it.strip_prefix("tool: ").map(str::to_owned)).collect()
    }

    /// Returns the events of agents, a line each.
    fn tree(&self) -> Vec<String> {
        let line = |event: &Event| match RunEvent::from_event(event)? {
            RunEvent::AgentStarted { id, parent, agent, step, .. } => {
                Some(format!("{id} in {parent:?}: {agent} {step:?}"))
            }
            RunEvent::AgentEnded { id, status, failure, .. } => {
                Some(format!("{id}: {} {}", status.name(), failure.as_deref().unwrap_or("")))
            }
            _ => None,
        };
        self.events.lock().unwrap().iter().filter_map(line).collect()
    }
}

fn result(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}
