//! The way back to JavaScript: messages on one thread-safe function of each environment (the main thread or a worker).
//!
//! The function does not keep the process alive; `index.js` does while it waits.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mitt_c::binding::{CancelObject, Problem, caught};
use napi::bindgen_prelude::{Buffer, Either3, Env, FnArgs, Function, Null, Status};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi_derive::napi;
use tokio::sync::oneshot;

/// A value of a message.
type Value = Either3<String, Buffer, Null>;

/// Kind, number, and up to two values.
type Arguments = FnArgs<(u32, u32, Value, Value)>;

type Dispatch = ThreadsafeFunction<Message, (), Arguments, Status, false, true, 0>;

/// A message to JavaScript. `index.js` has the number of each kind.
pub(crate) enum Message {
    /// Work ended; the second text is a report.
    Done(u32, Outcome),
    /// A request to a function of JavaScript: number of the function, number of the request, the request.
    Ask(u32, u32, String),
    /// The answer to this request is not needed any more.
    Withdrawn(u32),
    /// A function of JavaScript is not needed any more.
    Forget(u32),
    /// An event of a session.
    Event(u32, String),
}

/// The result of work.
pub(crate) enum Outcome {
    Text(String),
    Bytes(Vec<u8>),
    /// A file, and what is known of it.
    Made(Vec<u8>, String),
    /// An error, and the report of a call that failed.
    Failed(String, Option<String>),
}

impl From<Problem> for Outcome {
    fn from(problem: Problem) -> Outcome {
        Outcome::Failed(problem.json().to_string(), None)
    }
}

impl Message {
    fn into_arguments(self) -> Arguments {
        let text = Either3::A;
        let none = || Either3::C(Null);
        let bytes = |bytes: Vec<u8>| Either3::B(Buffer::from(bytes));
        FnArgs::from(match self {
            Message::Done(id, Outcome::Text(result)) => (0, id, text(result), none()),
            Message::Done(id, Outcome::Bytes(result)) => (0, id, bytes(result), none()),
            Message::Done(id, Outcome::Made(result, report)) => {
                (0, id, bytes(result), text(report))
            }
            Message::Done(id, Outcome::Failed(error, report)) => {
                (1, id, text(error), report.map_or_else(none, text))
            }
            Message::Ask(function, id, request) => {
                (2, id, text(request), text(function.to_string()))
            }
            Message::Withdrawn(id) => (3, id, none(), none()),
            Message::Forget(function) => (4, function, none(), none()),
            Message::Event(session, event) => (5, session, text(event), none()),
        })
    }
}

/// An answer of JavaScript: `true` and the result, or `false` and the error.
pub(crate) type Answered = (bool, String);

/// State of an environment of Node that the threads of hosts share.
pub(crate) struct Environment {
    dispatch: Dispatch,
    /// Flags of the work that runs, by its number.
    running: Mutex<BTreeMap<u32, Arc<CancelObject>>>,
    /// Senders of the answers that are awaited, by the number of the request.
    asked: Mutex<HashMap<u32, oneshot::Sender<Answered>>>,
    next_request: AtomicU32,
    is_ended: AtomicBool,
}

impl Environment {
    /// Sends a message. Returns `false` if the environment has ended.
    pub(crate) fn send(&self, message: Message) -> bool {
        let sent = self.dispatch.call(message, ThreadsafeFunctionCallMode::NonBlocking);
        sent == Status::Ok
    }

    /// Returns the flag of work with this number, which [`Environment::done`] ends.
    pub(crate) fn begin(&self, id: u32) -> Arc<CancelObject> {
        let flag = Arc::new(CancelObject::default());
        locked(&self.running).insert(id, flag.clone());
        // Work that begins while the environment ends is ended by whichever of the two comes second.
        if self.is_ended.load(Ordering::SeqCst) {
            flag.set();
        }
        flag
    }

    /// Reports the result of work.
    pub(crate) fn done(&self, id: u32, outcome: Outcome) {
        locked(&self.running).remove(&id);
        self.send(Message::Done(id, outcome));
    }

    /// Forgets work that was refused before it began.
    pub(crate) fn refused(&self, id: u32) {
        locked(&self.running).remove(&id);
    }

    /// Asks a function of JavaScript. Returns the number of the request, and where the answer arrives; `None` if the
    /// environment has ended.
    pub(crate) fn ask(
        &self,
        function: u32,
        request: String,
    ) -> Option<(u32, oneshot::Receiver<Answered>)> {
        let id = self.next_request.fetch_add(1, Ordering::Relaxed);
        let (sender, receiver) = oneshot::channel();
        locked(&self.asked).insert(id, sender);
        if self.is_ended.load(Ordering::SeqCst) || !self.send(Message::Ask(function, id, request)) {
            locked(&self.asked).remove(&id);
            return None;
        }
        Some((id, receiver))
    }

    /// Notifies JavaScript that nobody waits for an answer any more, unless it came.
    pub(crate) fn withdraw(&self, id: u32) {
        if locked(&self.asked).remove(&id).is_some() {
            self.send(Message::Withdrawn(id));
        }
    }

    /// Ends all work, because the environment ends.
    fn end(&self) {
        self.is_ended.store(true, Ordering::SeqCst);
        let running = std::mem::take(&mut *locked(&self.running));
        for flag in running.into_values() {
            flag.set();
        }
        locked(&self.asked).clear();
    }
}

/// The bridge of an environment, as JavaScript holds it.
#[napi]
pub struct Bridge {
    pub(crate) environment: Arc<Environment>,
}

#[napi]
impl Bridge {
    /// Connects an environment: `dispatch` gets all messages.
    #[napi(constructor)]
    pub fn new(
        env: Env,
        #[napi(
            ts_arg_type = "(kind: number, id: number, first: unknown, second: unknown) => void"
        )]
        dispatch: Function<'_, Arguments, ()>,
    ) -> napi::Result<Bridge> {
        let dispatch = dispatch
            .build_threadsafe_function::<Message>()
            .callee_handled::<false>()
            .weak::<true>()
            .build_callback(|context| Ok(context.value.into_arguments()))?;
        let environment = Arc::new(Environment {
            dispatch,
            running: Mutex::default(),
            asked: Mutex::default(),
            next_request: AtomicU32::new(0),
            is_ended: AtomicBool::new(false),
        });
        env.add_env_cleanup_hook(environment.clone(), |environment| environment.end())?;
        Ok(Bridge { environment })
    }

    /// Ends work by its number.
    #[napi]
    pub fn cancel(&self, id: u32) {
        let flag = locked(&self.environment.running).get(&id).cloned();
        if let Some(flag) = flag {
            flag.set();
        }
    }

    /// Answers a request by its number.
    #[napi]
    pub fn answer(&self, id: u32, is_ok: bool, text: String) {
        if let Some(sender) = locked(&self.environment.asked).remove(&id) {
            // A call that was cancelled does not wait any more.
            let _ = sender.send((is_ok, text));
        }
    }
}

/// Locks, also after a panic of another thread: the maps are whole after each statement.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs the body of a function. An error, also the one that stands for a panic, becomes an exception.
pub(crate) fn entry<T>(body: impl FnOnce() -> Result<T, Problem>) -> napi::Result<T> {
    caught(body).map_err(thrown)
}

/// Returns an error as an exception whose message is its JSON, which `index.js` reads.
fn thrown(problem: Problem) -> napi::Error {
    napi::Error::from_reason(problem.json().to_string())
}
