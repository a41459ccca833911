//! The calls that an attempt makes inside of itself: how many there may be, what each was, and the files that came of them.
//!
//! Knows no session. Kept apart from `services.rs` because the record of a script needs them, too (`script/recorded.rs`).

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use crate::capability::Artifact;
use crate::script::CalledTool;
use mitt_base::memory::{Account, Charge};
use mitt_base::{Error, Resource, Result, lock};

/// What a call inside of one leaves in its record, in bytes: itself, and each file that came of it.
const RECORD_BYTES: u64 = 256;
const RECORD_FILE_BYTES: u64 = 512;

/// How many calls are made inside of one outermost call.
pub(super) struct CallCount {
    most: u64,
    made: AtomicU64,
}

impl CallCount {
    pub(super) fn new(most: u64) -> CallCount {
        CallCount { most, made: AtomicU64::new(0) }
    }

    /// Count one more.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Limit`](mitt_base::ErrorKind::Limit) - it is one too many.
    pub(super) fn add(&self) -> Result<()> {
        let calls = self.made.fetch_add(1, Ordering::Relaxed) + 1;
        match calls > self.most {
            true => Err(Error::limit(Resource::ToolCalls, self.most, calls)),
            false => Ok(()),
        }
    }
}

/// A call that was made, and the files that came of it.
pub(super) type Made = (CalledTool, Vec<Artifact>);

/// The calls inside of one attempt.
pub(super) struct InnerCalls {
    count: Arc<CallCount>,
    state: Mutex<State>,
}

struct State {
    made: Vec<Made>,
    /// All files that are there because of the attempt so far.
    artifacts: Vec<Artifact>,
    /// Of the list of calls.
    charge: Charge,
}

impl InnerCalls {
    pub(super) fn new(count: Arc<CallCount>, memory: &Account) -> InnerCalls {
        let state = State { made: Vec::new(), artifacts: Vec::new(), charge: memory.nothing() };
        InnerCalls { count, state: Mutex::new(state) }
    }

    /// Count one that is about to be made.
    ///
    /// # Errors
    ///
    /// Same as [`CallCount::add`].
    pub(super) fn begin(&self) -> Result<()> {
        self.count.add()
    }

    /// Note one that has ended.
    ///
    /// # Errors
    ///
    /// There is no memory for the note.
    pub(super) fn note(&self, called: CalledTool, artifacts: &[Artifact]) -> Result<()> {
        let file = |artifact: &Artifact| RECORD_FILE_BYTES + artifact.contents.bytes();
        let bytes = RECORD_BYTES + artifacts.iter().map(file).sum::<u64>();
        let mut state = self.state();
        state.charge.grow(bytes).map_err(Error::reached)?;
        state.add((called, artifacts.to_vec()));
        Ok(())
    }

    /// Calls that a first run made: this one does not make them again, but they count.
    ///
    /// # Errors
    ///
    /// Same as [`CallCount::add`].
    pub(super) fn made_before(&self, made: Vec<Made>) -> Result<()> {
        for made in made {
            self.begin()?;
            self.state().add(made);
        }
        Ok(())
    }

    /// How many have ended.
    pub(super) fn n_made(&self) -> usize {
        self.state().made.len()
    }

    /// Those that have ended since there were so many.
    pub(super) fn made_since(&self, before: usize) -> Vec<Made> {
        self.state().made.get(before..).unwrap_or_default().to_vec()
    }

    /// A file of the attempt itself.
    pub(super) fn add_artifact(&self, artifact: Artifact) {
        self.state().add_artifact(artifact);
    }

    /// The files that are there because of the attempt so far.
    pub(super) fn artifacts(&self) -> Vec<Artifact> {
        self.state().artifacts.clone()
    }

    /// The same, for the report of the call.
    pub(super) fn take_artifacts(&self) -> Vec<Artifact> {
        std::mem::take(&mut self.state().artifacts)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

impl State {
    fn add(&mut self, made: Made) {
        for artifact in &made.1 {
            self.add_artifact(artifact.clone());
        }
        self.made.push(made);
    }

    fn add_artifact(&mut self, artifact: Artifact) {
        self.artifacts.retain(|other| other.name != artifact.name);
        self.artifacts.push(artifact);
    }
}
