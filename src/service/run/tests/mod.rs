//! Runs with scripted models over a store in a folder.

mod counted;
mod demands;
mod ends;
mod kills;
mod limits;
mod mortal;
mod outputs;
mod page;
mod questions;
mod requests;
mod scripts;
mod story;
mod waiting;

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use futures_util::{StreamExt as _, stream};
use serde_json::{Map, Value, json};
use tokio::sync::Semaphore;

use super::*;
use crate::problem::Problem;
use crate::store::{FolderStore, ListRuns, Store};
use mitt::skill::{HostCall, HostFunction, HostTool, ToolPolicy};
use mitt::value::{Json, Type};
use mitt::{CacheDir, Host, HostBuilder};
use mitt_agent::model::{
    ChatEvent, ChatModel, ChatRequest, ChatStream, Message as ModelMessage, ModelCall, ToolChoice,
    Usage,
};
use mitt_base::{Error, Result};

/// Longest wait of a test for something that must happen.
const SOON: Duration = Duration::from_secs(60);

/// A turn of a scripted model.
#[derive(Default)]
struct Turn {
    events: Vec<ChatEvent>,
    /// Waits for a permit before it answers.
    gate: Option<Arc<Semaphore>>,
}

/// Answers by the last message and the number of messages.
type ByRequest = dyn Fn(&str, usize) -> Vec<ChatEvent> + Send + Sync;

/// Model that answers as scripted, or by its request, and records its requests.
struct Scripted {
    name: String,
    turns: Mutex<VecDeque<Turn>>,
    by_request: Option<Box<ByRequest>>,
    asked: Mutex<Vec<Vec<ModelMessage>>>,
    /// How each request may call tools.
    choices: Mutex<Vec<ToolChoice>>,
    key: Mutex<Option<String>>,
}

#[async_trait]
impl ChatModel for Scripted {
    fn name(&self) -> &str {
        &self.name
    }

    async fn chat<'a>(&'a self, request: ChatRequest<'a>) -> Result<ChatStream<'a>> {
        self.asked.lock().unwrap().push(request.messages.to_vec());
        self.choices.lock().unwrap().push(request.tool_choice.clone());
        if let Some(answers) = &self.by_request {
            let first = request.messages.iter().find_map(|message| match message {
                ModelMessage::User { text, .. } => Some(text.clone()),
                _ => None,
            });
            let n_answers = request
                .messages
                .iter()
                .filter(|it| matches!(it, ModelMessage::Assistant(_)))
                .count();
            let events = answers(&first.unwrap_or_default(), n_answers);
            return Ok(Box::pin(stream::iter(events.into_iter().map(Ok))));
        }
        let turn = self.turns.lock().unwrap().pop_front();
        let Some(turn) = turn else { return Ok(Box::pin(stream::pending())) };
        if let Some(gate) = turn.gate {
            gate.acquire().await.unwrap().forget();
        }
        Ok(Box::pin(stream::iter(turn.events.into_iter().map(Ok))))
    }
}

impl Scripted {
    /// Returns the texts of a request, without the system message.
    fn asked(&self, index: usize) -> Vec<String> {
        let text = |message: &ModelMessage| match message {
            ModelMessage::System(_) => None,
            ModelMessage::User { text, .. } => Some(format!("user: {text}")),
            ModelMessage::Assistant(answer) => Some(format!("model: {}", answer.text)),
            ModelMessage::Tool { content, .. } => Some(format!("tool: {content}")),
            _ => None,
        };
        self.asked.lock().unwrap()[index].iter().filter_map(text).collect()
    }

    fn n_asked(&self) -> usize {
        self.asked.lock().unwrap().len()
    }
}

fn model(name: &str, turns: Vec<Turn>) -> Arc<Scripted> {
    Arc::new(Scripted {
        name: name.to_owned(),
        turns: Mutex::new(turns.into()),
        by_request: None,
        asked: Mutex::default(),
        choices: Mutex::default(),
        key: Mutex::default(),
    })
}

fn usage(input: u64, output: u64) -> ChatEvent {
    let mut usage = Usage::default();
    (usage.input, usage.output) = (input, output);
    ChatEvent::Usage(usage)
}

fn says(text: &str) -> Turn {
    let events = vec![ChatEvent::Text(text.to_owned()), usage(90, 10)];
    Turn { events, gate: None }
}

fn calls(id: &str, name: &str, arguments: &Value) -> Turn {
    let (id, name, arguments) = (id.to_owned(), name.to_owned(), arguments.to_string());
    let call = ChatEvent::Call(ModelCall { id, name, arguments });
    Turn { events: vec![call, usage(90, 10)], gate: None }
}

fn excel(id: &str, file: &str) -> Turn {
    let arguments = json!({ "data": [{ "a": 1 }], "filename": file });
    calls(id, "excel_tool__create_excel", &arguments)
}

fn wipe(id: &str) -> Turn {
    calls(id, "ledger__wipe", &json!({}))
}

impl Turn {
    fn after(mut self, gate: &Arc<Semaphore>) -> Turn {
        self.gate = Some(gate.clone());
        self
    }
}

/// A destructive tool that counts its calls.
struct Wipe(Arc<AtomicU64>);

#[async_trait]
impl HostTool for Wipe {
    fn function(&self) -> HostFunction {
        let policy = ToolPolicy {
            destructive: true,
            title: Some("Wipe the ledger".to_owned()),
            ..ToolPolicy::default()
        };
        let function = HostFunction::new("ledger", "wipe", "Wipes the ledger.").unwrap();
        function.result(Type::String).policy(policy)
    }

    async fn run(&self, _: &dyn HostCall, _: Json) -> Result<Json> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Ok(Json::from("wiped"))
    }
}

/// The models of a test, by name.
struct TestModels(Vec<(String, Arc<Scripted>)>);

impl Models for TestModels {
    fn list(&self) -> Vec<ModelInfo> {
        let info = |(name, _): &(String, Arc<Scripted>)| ModelInfo {
            name: name.clone(),
            provider: "test".to_owned(),
        };
        self.0.iter().map(info).collect()
    }

    fn open(&self, name: &str, key: Option<&str>) -> Result<Arc<dyn ChatModel>> {
        let found = self.0.iter().find(|(of, _)| of == name);
        let (_, model) = found.ok_or_else(|| Error::model(format!("no model {name}")))?;
        *model.key.lock().unwrap() = key.map(str::to_owned);
        Ok(model.clone())
    }
}

/// A store with a model and a host, over which several services may run one after the other.
struct Stage {
    _folder: tempfile::TempDir,
    store: Arc<FolderStore>,
    model: Arc<Scripted>,
    wiped: Arc<AtomicU64>,
    options: RunsOptions,
    park: Duration,
}

impl Stage {
    fn new(turns: Vec<Turn>) -> Stage {
        Stage::with(model("test/scripted", turns), |host| host)
    }

    fn with(model: Arc<Scripted>, change: impl FnOnce(HostBuilder) -> HostBuilder) -> Stage {
        let folder = tempfile::tempdir().unwrap();
        let cache = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/mitt-cache");
        let wiped = Arc::new(AtomicU64::new(0));
        let builder = Host::builder().cache(CacheDir::new(cache)).tool(Wipe(wiped.clone()));
        let host = change(builder).build().unwrap();
        let clock = {
            let host = host.clone();
            Arc::new(move || host.environment().now())
        };
        let store = Arc::new(FolderStore::open(folder.path(), clock).unwrap());
        let models = TestModels(vec![
            ("main".to_owned(), model.clone()),
            ("other".to_owned(), model.clone()),
        ]);
        let options = RunsOptions {
            store: store.clone(),
            host,
            models: Arc::new(models),
            teams: None,
            defaults: RunDefaults::default(),
            examples: Vec::new(),
            workers: 4,
            idle: Duration::from_secs(30),
            lease: Duration::from_secs(20),
            tries_after_loss: 0,
            takes_runs: true,
            containers: None,
            metrics: Arc::default(),
        };
        let park = Duration::from_secs(60);
        Stage { _folder: folder, store, model, wiped, options, park }
    }

    fn start(&self) -> Runs {
        Runs::start_with(self.options.clone(), self.park)
    }

    fn wiped(&self) -> u64 {
        self.wiped.load(Ordering::SeqCst)
    }
}

fn request(instruction: &str) -> CreateRun {
    let options = RunOptions { no_routing: true, tools: Some("all".into()), ..Default::default() };
    CreateRun { instruction: instruction.to_owned(), options, ..CreateRun::default() }
}

fn message(text: &str) -> Message {
    Message { instruction: text.to_owned(), ..Message::default() }
}

async fn create(runs: &Runs, request: CreateRun) -> RunState {
    let created = runs.create("acme", &Policy::default(), request, None, None).await;
    created.unwrap().0
}

async fn get(runs: &Runs, id: &str) -> RunState {
    runs.get("acme", id).await.unwrap()
}

/// Returns all events up to the end of the stream.
async fn follow(runs: &Runs, id: &str, after: u64) -> Vec<RunEvent> {
    let events = runs.events("acme", id, after, true).await.unwrap();
    let events = tokio::time::timeout(SOON, events.collect::<Vec<_>>()).await.unwrap();
    events.into_iter().map(|event| RunEvent::clone(&event.unwrap())).collect()
}

/// Waits until the run has this status, and returns it.
async fn until(runs: &Runs, id: &str, status: RunStatus) -> RunState {
    let waited = async {
        loop {
            let state = get(runs, id).await;
            if state.status == status {
                return state;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(SOON, waited)
        .await
        .unwrap_or_else(|_| panic!("the run does not become {}", status.name()))
}

/// Waits until this holds.
async fn until_true(holds: impl Fn() -> bool) {
    let waited = async {
        while !holds() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(SOON, waited).await.expect("it does not become true");
}

/// Returns the names of the events' types.
fn types(events: &[RunEvent]) -> Vec<String> {
    let name = |event: &RunEvent| {
        serde_json::to_value(event).unwrap()["type"].as_str().unwrap().to_owned()
    };
    events.iter().map(name).collect()
}

fn assert_no_gaps(events: &[RunEvent], first: u64) {
    let numbers: Vec<u64> = events.iter().map(|event| event.number).collect();
    let expected: Vec<u64> = (first..first + events.len() as u64).collect();
    assert_eq!(numbers, expected);
}

async fn content(stage: &Stage, file: &RunFile) -> Vec<u8> {
    let reader = stage.store.blob("acme", &file.sha256).await.unwrap();
    reader.read(0, usize::try_from(reader.size()).unwrap()).await.unwrap().to_vec()
}
