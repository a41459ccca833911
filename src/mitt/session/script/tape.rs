//! Tape of a script: its requests to the session, and the answers. A second run gets the same answers, so that nothing is done
//! twice.
//!
//! If the second run makes another request than the first one, it has diverged and is ended. Does not know why a script is run
//! again.

use std::sync::{Arc, Mutex, MutexGuard};

use super::super::inner_calls::InnerCall;
use mitt_base::limits::MIB;
use mitt_base::memory::{Account, Charge};
use mitt_base::{Error, ErrorKind, Result, lock};
use mitt_skill::capability::{CallResult, ServiceError, ToolFailure};

/// Most bytes of answers that are kept. A script with more cannot be run again.
const MAX_BYTES: u64 = 16 * MIB;
/// Most answers that are kept.
const MAX_ENTRIES: usize = 10_000;

/// Requests and answers, in order.
pub(super) struct Tape {
    state: Mutex<State>,
    /// Account for the answers, which outlive the call if the script is paused.
    budget: Account,
}

#[derive(Clone, Default)]
struct State {
    /// Shared by the first run and the second.
    entries: Vec<Arc<Kept>>,
    /// Index of the next entry to answer from.
    next: usize,
    bytes: u64,
    is_full: bool,
    diverged: Option<String>,
}

struct Kept {
    entry: TapeEntry,
    _charge: Charge,
}

/// Bytes charged for an answer in addition to its content.
const ENTRY_BYTES: u64 = 128;

/// Request of a script. Contents are represented by their hash.
pub(super) trait Question: std::fmt::Display + PartialEq + Sized {
    /// Type of its answer.
    type Answer: Clone;

    /// Returns request and answer of an entry, if it is of this kind.
    fn of(entry: &TapeEntry) -> Option<(&Self, &Self::Answer)>;

    fn with(self, answer: Self::Answer) -> TapeEntry;
}

/// Defines the entries of a tape: for each kind of request, the type of its answer and the size of the answer in bytes.
macro_rules! entries {
    ($($question:ident => $answer:ty, $bytes:expr;)*) => {
        /// Request and its answer.
        pub(super) enum TapeEntry {
            $($question($question, $answer),)*
        }

        impl TapeEntry {
            fn question_text(&self) -> &dyn std::fmt::Display {
                match self {
                    $(TapeEntry::$question(question, _) => question,)*
                }
            }

            fn answer_bytes(&self) -> usize {
                match self {
                    $(TapeEntry::$question(_, answer) => {
                        let bytes: fn(&$answer) -> usize = $bytes;
                        bytes(answer)
                    })*
                }
            }
        }

        $(impl Question for $question {
            type Answer = $answer;

            fn of(entry: &TapeEntry) -> Option<(&Self, &$answer)> {
                match entry {
                    TapeEntry::$question(question, answer) => Some((question, answer)),
                    _ => None,
                }
            }

            fn with(self, answer: $answer) -> TapeEntry {
                TapeEntry::$question(self, answer)
            }
        })*
    };
}

entries! {
    Call => Called, |called| match &called.result {
        Ok(text)
        | Err(
            ToolFailure::UnknownTool(text)
            | ToolFailure::Arguments(text)
            | ToolFailure::Plugin(text)
            | ToolFailure::Trap(text),
        ) => text.len(),
    };
    List => Vec<(String, u64)>, |files| files.iter().map(|(name, _)| name.len() + 8).sum();
    Read => Result<Arc<Vec<u8>>, ServiceError>, |read| read.as_ref().map_or(64, |content| content.len());
    Write => Result<(), ServiceError>, |_| 64;
    Remove => Result<(), ServiceError>, |_| 64;
    Keep => String, String::len;
    ReadFile => Result<Arc<[u8]>, ServiceError>, |read| read.as_ref().map_or(64, |content| content.len());
}

/// Call of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) tool: String,
    pub(super) arguments_sha256: String,
}

/// Result of the call, and the calls that it made.
#[derive(Clone, Debug)]
pub(super) struct Called {
    pub(super) result: CallResult,
    pub(super) made: Vec<InnerCall>,
}

/// Request for the names of all files of the workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct List;

/// Request to read a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Read {
    pub(super) name: String,
}

/// Request to write a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Write {
    pub(super) name: String,
    pub(super) sha256: String,
}

/// Request to keep a table that the script made; the answer is its reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Keep;

/// Request to remove a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Remove {
    pub(super) name: String,
}

/// Request for the content of the file of a document or artifact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ReadFile {
    pub(super) name: String,
}

impl std::fmt::Display for Call {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let short = self.arguments_sha256.get(..12).unwrap_or_default();
        write!(f, "a call of `{}` with arguments {short}", self.tool)
    }
}

impl std::fmt::Display for List {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the files of the workspace")
    }
}

impl std::fmt::Display for Read {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the file `{}`", self.name)
    }
}

impl std::fmt::Display for ReadFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the content of `{}`", self.name)
    }
}

impl std::fmt::Display for Write {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "writing the file `{}`", self.name)
    }
}

impl std::fmt::Display for Keep {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a reference for a table")
    }
}

impl std::fmt::Display for Remove {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "removing the file `{}`", self.name)
    }
}

impl Tape {
    pub(super) fn new(budget: &Account) -> Tape {
        Tape { state: Mutex::default(), budget: budget.clone() }
    }

    /// Returns the tape for a second run, at its start.
    pub(super) fn rewound(&self) -> Tape {
        let state = State { next: 0, diverged: None, ..self.state().clone() };
        Tape { state: Mutex::new(state), budget: self.budget.clone() }
    }

    /// Returns whether everything that a second run needs was kept.
    pub(super) fn is_whole(&self) -> bool {
        !self.state().is_full
    }

    /// Returns the error of a second run that did something else than the first one.
    pub(super) fn divergence(&self) -> Option<Error> {
        let divergence = self.state().diverged.clone()?;
        let message =
            format!("the script did something else than before it was paused: {divergence}");
        Some(Error::new(ErrorKind::Denied, message).hint(
            "run it anew: what a script does may depend on its documents, files, arguments, clock and random numbers only",
        ))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Answers from the tape, or makes the request and records the answer. `None` once the run has diverged: no more requests are
    /// made then.
    pub(super) fn answer<Q: Question>(
        &self,
        question: Q,
        ask: impl FnOnce() -> Q::Answer,
    ) -> Option<Q::Answer> {
        if let Some(answer) = self.again(&question) {
            return Some(answer);
        }
        if self.has_diverged() {
            return None;
        }
        let answer = ask();
        self.add(question, &answer);
        Some(answer)
    }

    /// Returns the first run's answer to this request; `None` if the second run has passed the end of the tape.
    pub(super) fn again<Q: Question>(&self, question: &Q) -> Option<Q::Answer> {
        let mut state = self.state();
        let kept = state.entries.get(state.next)?.clone();
        let Some((_, answer)) = Q::of(&kept.entry).filter(|(before, _)| *before == question) else {
            let before = kept.entry.question_text();
            state.diverged.get_or_insert_with(|| format!("expected {before}, got {question}"));
            return None;
        };
        state.next += 1;
        Some(answer.clone())
    }

    fn has_diverged(&self) -> bool {
        self.state().diverged.is_some()
    }

    pub(super) fn add<Q: Question>(&self, question: Q, answer: &Q::Answer) {
        let entry = question.with(answer.clone());
        let mut state = self.state();
        let size = entry.answer_bytes() as u64 + ENTRY_BYTES;
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
        state.entries.push(Arc::new(Kept { entry, _charge: charge }));
        state.next = state.entries.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_run_gets_the_first_ones_answers_until_it_diverges() {
        let tape = Tape::new(&Account::root(mitt_base::Resource::SessionMemory, u64::MAX));
        let read = |name: &str| Read { name: name.to_owned() };
        let content = |text: &str| Ok(Arc::new(text.into()));
        assert!(tape.again(&read("a")).is_none());
        tape.add(read("a"), &content("1"));
        tape.add(read("a"), &content("2"));
        let second = tape.rewound();
        assert_eq!(second.again(&read("a")), Some(content("1")));
        assert!(second.again(&read("b")).is_none());
        let error = second.divergence().unwrap().to_string();
        assert!(error.ends_with("expected the file `a`, got the file `b`"), "{error}");
        let third = second.rewound();
        assert!(third.again(&read("a")).is_some() && third.again(&read("a")).is_some());
        assert!(third.again(&read("c")).is_none() && third.divergence().is_none());
    }

    #[test]
    fn a_tape_has_an_end() {
        let budget = Account::root(mitt_base::Resource::SessionMemory, 40 << 20);
        let tape = Tape::new(&budget);
        let read = || Read { name: "a".to_owned() };
        let large = Ok(Arc::new(vec![0; 1 << 20]));
        for _ in 0..15 {
            tape.add(read(), &large);
        }
        assert!(tape.is_whole());
        tape.add(read(), &large);
        assert!(!tape.is_whole() && tape.state().entries.is_empty());
        assert_eq!(budget.usage().used, 0);
        // The same happens if there is no memory for it.
        let _others = budget.charge(39 << 20).unwrap();
        let tape = Tape::new(&budget);
        tape.add(read(), &large);
        assert!(!tape.is_whole());
    }
}
