//! The tape: what a script asked of its session, and the answers. A second run of the script gets the same answers, so that
//! nothing is done twice.
//!
//! It stands between the script and the checks of its grants, so that refusals are recorded as answers too. If the second run asks
//! for something else than the first, it has diverged and is ended. Does not know why a script is run again.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;

use super::super::services::CallServices;
use crate::capability::{
    Artifact, Deliverable, LogLevel, ServiceError, Services, ToolFailure, ToolInfo,
};
use crate::document::Document;
use crate::script::CalledTool;
use mitt_base::digest::sha256;
use mitt_base::limits::MIB;
use mitt_base::memory::{Account, Charge};
use mitt_base::{Error, ErrorKind, Result};

/// Most bytes of answers that are kept. A script that got more cannot be run again.
const MAX_BYTES: u64 = 16 * MIB;
/// Most answers that are kept.
const MAX_ENTRIES: usize = 10_000;

/// Questions and answers, in order.
pub(in crate::session) struct Tape {
    state: Mutex<State>,
    /// Whose memory the answers are: they are there longer than a call, if the script is paused.
    budget: Account,
}

#[derive(Clone, Default)]
struct State {
    /// Shared by the first run and the second.
    entries: Vec<Arc<Entry>>,
    /// The next one to be answered again.
    next: usize,
    bytes: u64,
    is_full: bool,
    diverged: Option<String>,
}

struct Entry {
    asked: Asked,
    answer: Answer,
    _charge: Charge,
}

/// What an answer costs beside its content, in bytes.
const ENTRY_BYTES: u64 = 128;

/// A question. Contents by their hash.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Asked {
    Call { tool: String, arguments_sha256: String },
    List,
    Read { name: String },
    Write { name: String, sha256: String },
    Remove { name: String },
}

#[derive(Clone, Debug, PartialEq)]
enum Answer {
    Called { result: Result<String, ToolFailure>, called: Vec<(CalledTool, Vec<Artifact>)> },
    Files(Vec<(String, u64)>),
    Content(Result<Arc<Vec<u8>>, ServiceError>),
    Done(Result<(), ServiceError>),
}

impl std::fmt::Display for Asked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Asked::Call { tool, arguments_sha256 } => {
                let short = arguments_sha256.get(..12).unwrap_or_default();
                write!(f, "a call of `{tool}` with arguments {short}")
            }
            Asked::List => f.write_str("the files of the workspace"),
            Asked::Read { name } => write!(f, "the file `{name}`"),
            Asked::Write { name, .. } => write!(f, "writing the file `{name}`"),
            Asked::Remove { name } => write!(f, "removing the file `{name}`"),
        }
    }
}

impl Answer {
    fn size(&self) -> usize {
        match self {
            Answer::Called { result: Ok(text), .. } => text.len(),
            Answer::Called { result: Err(failure), .. } => {
                let (ToolFailure::UnknownTool(text)
                | ToolFailure::Arguments(text)
                | ToolFailure::Plugin(text)
                | ToolFailure::Trap(text)) = failure;
                text.len()
            }
            Answer::Files(files) => files.iter().map(|(name, _)| name.len() + 8).sum(),
            Answer::Content(Ok(content)) => content.len(),
            Answer::Content(Err(_)) | Answer::Done(_) => 64,
        }
    }
}

impl Tape {
    pub(in crate::session) fn new(budget: &Account) -> Tape {
        Tape { state: Mutex::default(), budget: budget.clone() }
    }

    /// For a second run.
    pub(in crate::session) fn rewound(&self) -> Tape {
        let state = State { next: 0, diverged: None, ..self.state().clone() };
        Tape { state: Mutex::new(state), budget: self.budget.clone() }
    }

    /// Whether everything was kept that a second run needs.
    pub(in crate::session) fn is_whole(&self) -> bool {
        !self.state().is_full
    }

    /// Why the second run was another one.
    pub(in crate::session) fn divergence(&self) -> Option<Error> {
        let told = self.state().diverged.clone()?;
        let message = format!("the script did something else than before it was paused: {told}");
        Some(Error::new(ErrorKind::Denied, message).hint(
            "run it anew: what a script does may depend on its documents, files, arguments, clock and random numbers only",
        ))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The answer of the first run to this question; none when the second one has got beyond it.
    fn again(&self, asked: &Asked) -> Option<Answer> {
        let mut state = self.state();
        let entry = state.entries.get(state.next)?.clone();
        if entry.asked != *asked {
            state.diverged.get_or_insert_with(|| format!("{} expected, got {asked}", entry.asked));
            return None;
        }
        state.next += 1;
        Some(entry.answer.clone())
    }

    fn has_diverged(&self) -> bool {
        self.state().diverged.is_some()
    }

    fn add(&self, asked: Asked, answer: &Answer) {
        let mut state = self.state();
        let size = answer.size() as u64 + ENTRY_BYTES;
        state.bytes = state.bytes.saturating_add(size);
        let has_room =
            !state.is_full && state.bytes <= MAX_BYTES && state.entries.len() < MAX_ENTRIES;
        let charge = if has_room { self.budget.charge(size).ok() } else { None };
        let Some(charge) = charge else {
            state.is_full = true;
            state.entries = Vec::new();
            state.next = 0;
            return;
        };
        state.entries.push(Arc::new(Entry { asked, answer: answer.clone(), _charge: charge }));
        state.next = state.entries.len();
    }
}

/// The services of a script that may be run again.
pub(in crate::session) struct Recorded {
    /// The services with the bounds of the skill's grants.
    services: Arc<dyn Services>,
    /// The services of the call, without these bounds.
    call: Arc<CallServices>,
    tape: Arc<Tape>,
    /// As they were at the beginning of the first run.
    documents: Arc<[Arc<Document>]>,
}

impl Recorded {
    pub(in crate::session) fn new(
        services: Arc<dyn Services>,
        call: Arc<CallServices>,
        tape: Arc<Tape>,
        documents: Arc<[Arc<Document>]>,
    ) -> Recorded {
        Recorded { services, call, tape, documents }
    }

    /// Answer as before, or ask and write down. None once the run has diverged: nothing is done any more then.
    fn answered(&self, asked: Asked, ask: impl FnOnce() -> Answer) -> Option<Answer> {
        if let Some(answer) = self.tape.again(&asked) {
            return Some(answer);
        }
        if self.tape.has_diverged() {
            return None;
        }
        let answer = ask();
        self.tape.add(asked, &answer);
        Some(answer)
    }
}

fn diverged() -> ServiceError {
    ServiceError::Unsupported("the script did something else than before it was paused".to_owned())
}

#[async_trait]
impl Services for Recorded {
    fn documents(&self) -> Vec<Arc<Document>> {
        self.documents.to_vec()
    }

    fn workspace_list(&self) -> Vec<(String, u64)> {
        match self.answered(Asked::List, || Answer::Files(self.services.workspace_list())) {
            Some(Answer::Files(files)) => files,
            _ => Vec::new(),
        }
    }

    fn workspace_read(&self, name: &str) -> Result<Arc<Vec<u8>>, ServiceError> {
        let asked = Asked::Read { name: name.to_owned() };
        match self.answered(asked, || Answer::Content(self.services.workspace_read(name))) {
            Some(Answer::Content(content)) => content,
            _ => Err(diverged()),
        }
    }

    fn workspace_write(&self, name: &str, content: Vec<u8>) -> Result<(), ServiceError> {
        let asked = Asked::Write { name: name.to_owned(), sha256: sha256(&content) };
        match self.answered(asked, || Answer::Done(self.services.workspace_write(name, content))) {
            Some(Answer::Done(done)) => done,
            _ => Err(diverged()),
        }
    }

    fn workspace_remove(&self, name: &str) -> Result<(), ServiceError> {
        let asked = Asked::Remove { name: name.to_owned() };
        match self.answered(asked, || Answer::Done(self.services.workspace_remove(name))) {
            Some(Answer::Done(done)) => done,
            _ => Err(diverged()),
        }
    }

    async fn deliver(
        &self,
        what: Deliverable,
        filename: String,
    ) -> Result<Result<Artifact, ServiceError>> {
        // Files of the script itself are delivered when it has succeeded, not before a pause.
        self.services.deliver(what, filename).await
    }

    async fn tools(&self) -> Result<Vec<ToolInfo>> {
        self.services.tools().await
    }

    async fn call_tool(&self, name: &str, arguments: &str) -> Result<Result<String, ToolFailure>> {
        let tool = mitt_base::text::one_line(mitt_base::text::cut_bytes(name, 128));
        let asked = Asked::Call { tool, arguments_sha256: sha256(arguments.as_bytes()) };
        if let Some(answer) = self.tape.again(&asked) {
            let Answer::Called { result, called } = answer else {
                return Err(Error::bug("a call was answered with something else"));
            };
            self.call.called_before(called)?;
            return Ok(result);
        }
        if let Some(error) = self.tape.divergence() {
            return Err(error);
        }
        let before = self.call.n_called();
        let result = self.services.call_tool(name, arguments).await?;
        let called = self.call.called_since(before);
        self.tape.add(asked, &Answer::Called { result: result.clone(), called });
        Ok(result)
    }

    fn log(&self, level: LogLevel, message: &str) {
        self.services.log(level, message);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_run_gets_the_first_ones_answers_until_it_diverges() {
        let tape = Tape::new(&Account::root(mitt_base::Resource::SessionMemory, u64::MAX));
        let read = |name: &str| Asked::Read { name: name.to_owned() };
        let content = |text: &str| Answer::Content(Ok(Arc::new(text.into())));
        assert!(tape.again(&read("a")).is_none());
        tape.add(read("a"), &content("1"));
        tape.add(read("a"), &content("2"));
        let second = tape.rewound();
        assert_eq!(second.again(&read("a")), Some(content("1")));
        assert!(second.again(&read("b")).is_none());
        let error = second.divergence().unwrap().to_string();
        assert!(error.ends_with("the file `a` expected, got the file `b`"), "{error}");
        let third = second.rewound();
        assert!(third.again(&read("a")).is_some() && third.again(&read("a")).is_some());
        assert!(third.again(&read("c")).is_none() && third.divergence().is_none());
    }

    #[test]
    fn a_tape_has_an_end() {
        let budget = Account::root(mitt_base::Resource::SessionMemory, 40 << 20);
        let tape = Tape::new(&budget);
        let large = Answer::Content(Ok(Arc::new(vec![0; 1 << 20])));
        for _ in 0..15 {
            tape.add(Asked::List, &large);
        }
        assert!(tape.is_whole());
        tape.add(Asked::List, &large);
        assert!(!tape.is_whole() && tape.state().entries.is_empty());
        assert_eq!(budget.usage().used, 0);
        // Where there is no memory for it, too.
        let _others = budget.charge(39 << 20).unwrap();
        let tape = Tape::new(&budget);
        tape.add(Asked::List, &large);
        assert!(!tape.is_whole());
    }
}
