//! A running script as its inner calls see it, and the record that a second run needs.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::allowed_modules::AllowedModules;
use super::tape::Tape;
use crate::engine::Recording;
use crate::script::Output;
use mitt_base::Error;
use mitt_base::memory::Account;
use mitt_types::Document;

/// Running script.
pub(in crate::session) struct ScriptRun {
    pub(in crate::session) output: Output,
    pub(in crate::session) allowed: AllowedModules,
    pub(in crate::session) keeps_state: bool,
    /// `sys.argv[1:]` of the script.
    pub(in crate::session) argv: Arc<[String]>,
    /// Line that the engine reported last, from 1; 0 before the first.
    pub(in crate::session) line: AtomicU32,
    /// Record for a second run. `None` if no tool can make the script pause, or if it could not be run again.
    pub(in crate::session) record: Option<Record>,
}

/// Record that a second run needs.
pub(in crate::session) struct Record {
    /// Arguments as given.
    pub(in crate::session) arguments: Arc<str>,
    /// See [`ScriptRun::argv`].
    pub(in crate::session) argv: Arc<[String]>,
    pub(in crate::session) recording: Recording,
    pub(super) tape: Arc<Tape>,
    /// Documents at the beginning of the first run.
    pub(super) documents: Arc<[Arc<Document>]>,
}

impl ScriptRun {
    /// Returns the line that the script has reached, if its engine reports lines.
    pub(in crate::session) fn line(&self) -> Option<u32> {
        Some(self.line.load(Ordering::Relaxed)).filter(|line| *line > 0)
    }

    /// Returns an error text if the script cannot be run again later.
    pub(in crate::session) fn can_pause(&self) -> Result<(), &'static str> {
        match &self.record {
            Some(record) if record.tape.is_whole() && record.recording.is_whole() => Ok(()),
            Some(_) => Err(
                "the script has read too much to be run again after a pause; make the call earlier, or approve it while the \
                 script runs",
            ),
            None => Err(
                "a script that keeps its variables cannot be run again after a pause; use `one-shot`, or approve the call while \
                 the script runs",
            ),
        }
    }
}

impl Record {
    /// Returns the record for a first run. `budget` is charged for the answers.
    pub(in crate::session) fn new(
        arguments: Arc<str>,
        recording: Recording,
        documents: Vec<Arc<Document>>,
        budget: &Account,
    ) -> Record {
        let tape = Arc::new(Tape::new(budget));
        Record { arguments, argv: Arc::default(), recording, tape, documents: documents.into() }
    }

    /// Returns the record with the arguments of the script.
    pub(in crate::session) fn with_argv(self, argv: Arc<[String]>) -> Record {
        Record { argv, ..self }
    }

    /// Returns the error of a second run that did something else than the first one.
    pub(in crate::session) fn divergence(&self) -> Option<Error> {
        self.tape.divergence()
    }

    /// Returns the record for the next run, which begins at the start.
    pub(in crate::session) fn again(&self) -> Record {
        Record {
            arguments: self.arguments.clone(),
            argv: self.argv.clone(),
            recording: self.recording.again(),
            tape: Arc::new(self.tape.rewound()),
            documents: self.documents.clone(),
        }
    }
}
