//! Sessions. Each method that does work gets a number, by which `index.js` finds the promise.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use mitt::{CallReport, Error, Event, EventSink, Result, Session, SessionOptions};
use mitt_c::binding::{self, HostObject, Problem, caught};
use napi::bindgen_prelude::Buffer;
use napi_derive::napi;

use crate::bridge::{Environment, Message, Outcome, entry, locked};
use crate::function::JsFunction;
use crate::host::NativeHost;
use crate::table;

/// State of a session. The first use opens it, so that tools can be added before.
enum State {
    New(Box<SessionOptions>, mitt::Host),
    Open(Session),
    /// It could not be opened.
    Failed(Error),
    Closed,
}

/// A session, as JavaScript holds it.
#[napi]
pub struct NativeSession {
    environment: Arc<Environment>,
    host: Mutex<Option<Arc<HostObject>>>,
    state: Mutex<State>,
    /// `true` while JavaScript wants events.
    listens: Arc<AtomicBool>,
}

#[napi]
impl NativeSession {
    /// Checks the options, which are JSON. `number` is that of events.
    #[napi(constructor)]
    pub fn new(host: &NativeHost, number: u32, options: String) -> napi::Result<NativeSession> {
        let object = host.object()?;
        let listens = Arc::new(AtomicBool::new(false));
        let (environment, is_wanted) = (host.environment.clone(), listens.clone());
        let events = move |event: &Event| {
            if is_wanted.load(Ordering::Relaxed) {
                environment.send(Message::Event(number, binding::event_text(event)));
            }
        };
        let events: EventSink = Arc::new(events);
        let options = entry(|| binding::session_options(&options, Some(events)))?;
        let state = State::New(Box::new(options), object.host());
        Ok(NativeSession {
            environment: host.environment.clone(),
            host: Mutex::new(Some(object)),
            state: Mutex::new(state),
            listens,
        })
    }

    /// Adds a tool for this session only. Returns `false` if the session was opened already.
    #[napi]
    pub fn tool(&self, definition: String, function: u32) -> napi::Result<bool> {
        let answer = JsFunction::new(&self.environment, function);
        entry(|| {
            let tool = binding::new_tool(&definition, answer)?;
            match &mut *locked(&self.state) {
                State::New(_, host) => {
                    *host = host.with_tool(tool)?;
                    Ok(true)
                }
                State::Open(_) | State::Failed(_) | State::Closed => Ok(false),
            }
        })
    }

    /// Opens the session now.
    #[napi]
    pub fn open(&self) -> napi::Result<()> {
        self.session().map(drop)
    }

    /// Sends events, or no more.
    #[napi]
    pub fn listen(&self, listens: bool) {
        self.listens.store(listens, Ordering::Relaxed);
    }

    /// Starts to read a document. The bytes are copied.
    #[napi]
    pub fn add(&self, id: u32, name: String, data: Buffer, options: String) -> napi::Result<()> {
        let session = self.session()?;
        let work = entry(|| binding::add_document(&session, &name, data.to_vec(), &options))?;
        self.start(id, work, Outcome::Text)
    }

    /// Starts to add a table, which is a stream of Arrow's IPC format.
    #[napi]
    pub fn add_table(&self, id: u32, name: String, data: Buffer) -> napi::Result<()> {
        let (session, data) = (self.session()?, data.to_vec());
        let most = session.host().session_limits().documents_bytes;
        let work = binding::add_batches(&session, name, move || table::batches(&data, most));
        self.start(id, work, Outcome::Text)
    }

    /// Starts to write a table as a stream of Arrow's IPC format.
    #[napi]
    pub fn table(&self, id: u32, reference: String) -> napi::Result<()> {
        let session = self.session()?;
        let work = async move { table::bytes(&session.table(&reference)?) };
        self.start(id, work, Outcome::Bytes)
    }

    /// Starts a call of a tool.
    #[napi]
    pub fn call(
        &self,
        id: u32,
        tool: String,
        arguments: String,
        options: String,
    ) -> napi::Result<()> {
        let session = self.session()?;
        let work = entry(|| binding::call(&session, &tool, &arguments, &options))?;
        self.start(id, work, called)
    }

    /// Starts a script.
    #[napi]
    pub fn script(
        &self,
        id: u32,
        language: String,
        source: String,
        options: String,
    ) -> napi::Result<()> {
        let session = self.session()?;
        let work = entry(|| binding::script(&session, &language, &source, &options))?;
        self.start(id, work, called)
    }

    /// Starts to continue a call that waits for a decision.
    #[napi]
    pub fn resume(&self, id: u32, request: String, decision: String) -> napi::Result<()> {
        let session = self.session()?;
        let work = entry(|| binding::resume(&session, &request, &decision))?;
        self.start(id, work, called)
    }

    /// Starts to list the tools.
    #[napi]
    pub fn tools(&self, id: u32) -> napi::Result<()> {
        self.start(id, binding::tools(&self.session()?), Outcome::Text)
    }

    /// Starts a model, which is a function of JavaScript, on an instruction.
    #[napi]
    pub fn run(
        &self,
        id: u32,
        instruction: String,
        options: String,
        function: u32,
    ) -> napi::Result<()> {
        let model = JsFunction::new(&self.environment, function);
        let session = self.session()?;
        let work = entry(|| binding::run(&session, &instruction, &options, model))?;
        self.start(id, work, Outcome::Text)
    }

    /// Starts to read a delivered file.
    #[napi]
    pub fn artifact(&self, id: u32, name: String) -> napi::Result<()> {
        let session = self.session()?;
        self.start(id, async move { session.artifact_content(&name) }, Outcome::Bytes)
    }

    /// Returns the delivered files as JSON.
    #[napi]
    pub fn artifacts(&self) -> napi::Result<String> {
        let session = self.session()?;
        entry(|| Ok(binding::artifacts(&session)))
    }

    /// Returns what the session holds as JSON.
    #[napi]
    pub fn state(&self) -> napi::Result<String> {
        let session = self.session()?;
        entry(|| Ok(binding::state(&session)))
    }

    /// Closes the session. It ends with its last call.
    #[napi]
    pub fn close(&self) {
        let state = std::mem::replace(&mut *locked(&self.state), State::Closed);
        drop(state);
        let host = locked(&self.host).take();
        drop(host);
    }

    /// Returns the session, which is opened now if it is new.
    fn session(&self) -> napi::Result<Session> {
        let mut state = locked(&self.state);
        let opened = match std::mem::replace(&mut *state, State::Closed) {
            State::New(options, host) => {
                let opened = entry(|| Ok(host.session(*options)));
                opened?
            }
            State::Open(session) => Ok(session),
            State::Failed(error) => Err(error),
            // `index.js` has its own error for that.
            State::Closed => return Err(napi::Error::from_reason("the session was closed")),
        };
        *state = match &opened {
            Ok(session) => State::Open(session.clone()),
            Err(error) => State::Failed(error.clone()),
        };
        entry(|| Ok(opened?))
    }

    /// Starts work on the threads of the host.
    fn start<T: Send + 'static>(
        &self,
        id: u32,
        work: impl Future<Output = Result<T>> + Send + 'static,
        outcome: impl FnOnce(T) -> Outcome + Send + 'static,
    ) -> napi::Result<()> {
        let host = locked(&self.host).clone();
        let host = host.ok_or_else(|| napi::Error::from_reason("the session was closed"))?;
        let environment = self.environment.clone();
        let flag = environment.begin(id);
        let kept = host.clone();
        let done = move |result: Result<T, Problem>| {
            let outcome = caught(|| result.map(outcome)).unwrap_or_else(Outcome::from);
            environment.done(id, outcome);
            drop(kept);
        };
        entry(|| host.start(Some(flag), work, done)).inspect_err(|_| self.environment.refused(id))
    }
}

/// Returns how a call ended: a call that failed has a report, too.
fn called(report: CallReport) -> Outcome {
    let text = binding::call_text(&report);
    match report.failed() {
        Some(error) => {
            let problem = Problem::from(error.clone());
            Outcome::Failed(problem.json().to_string(), Some(text))
        }
        None => Outcome::Text(text),
    }
}
