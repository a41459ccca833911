//! Calls inside of one attempt: how many may be made, what each was, and the files that they produced.
//!
//! Knows no session. Separate from `call/services.rs` because the record of a script needs it, too (`script/recorded_services.rs`).

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use crate::script::CalledTool;
use mitt_base::memory::{Account, Charge};
use mitt_base::{Error, Resource, Result, lock};
use mitt_skill::capability::{Artifact, ContentsInternal as _};

/// Bytes that a call takes in the record of its enclosing call, and bytes for each file that it produced.
const RECORD_BYTES: u64 = 256;
const RECORD_FILE_BYTES: u64 = 512;

/// Number of calls made inside of one root call.
pub(super) struct CallCount {
    most: u64,
    made: AtomicU64,
}

impl CallCount {
    pub(super) fn new(most: u64) -> CallCount {
        CallCount { most, made: AtomicU64::new(0) }
    }

    /// Counts one more call.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Limit`](mitt_base::ErrorKind::Limit) - the limit is exceeded.
    pub(super) fn add(&self) -> Result<()> {
        let calls = self.made.fetch_add(1, Ordering::Relaxed) + 1;
        if calls > self.most {
            Err(Error::limit(Resource::ToolCalls, self.most, calls))
        } else {
            Ok(())
        }
    }
}

/// Call that was made, with the files that it produced.
pub(super) type InnerCall = (CalledTool, Vec<Artifact>);

/// Calls inside of one attempt.
pub(super) struct InnerCalls {
    count: Arc<CallCount>,
    state: Mutex<State>,
}

struct State {
    made: Vec<InnerCall>,
    /// All files that the attempt has produced so far, including inner calls.
    artifacts: Vec<Artifact>,
    /// Charge for the list of calls.
    charge: Charge,
}

impl InnerCalls {
    pub(super) fn new(count: Arc<CallCount>, memory: &Account) -> InnerCalls {
        let state = State { made: Vec::new(), artifacts: Vec::new(), charge: memory.nothing() };
        InnerCalls { count, state: Mutex::new(state) }
    }

    /// Counts a call that is about to be made.
    ///
    /// # Errors
    ///
    /// Those of [`CallCount::add`].
    pub(super) fn begin(&self) -> Result<()> {
        self.count.add()
    }

    /// Records a call that has ended.
    ///
    /// # Errors
    ///
    /// There is no memory for the record.
    pub(super) fn note(&self, called: CalledTool, artifacts: &[Artifact]) -> Result<()> {
        let file = |artifact: &Artifact| RECORD_FILE_BYTES + artifact.contents.bytes();
        let bytes = RECORD_BYTES + artifacts.iter().map(file).sum::<u64>();
        let mut state = self.state();
        state.charge.grow(bytes).map_err(Error::reached)?;
        state.add((called, artifacts.to_vec()));
        Ok(())
    }

    /// Adds the calls of a script's first run. They are not made again, but they count.
    ///
    /// # Errors
    ///
    /// Those of [`CallCount::add`].
    pub(super) fn made_before(&self, made: Vec<InnerCall>) -> Result<()> {
        for made in made {
            self.begin()?;
            self.state().add(made);
        }
        Ok(())
    }

    /// Returns how many calls have ended.
    pub(super) fn n_made(&self) -> usize {
        self.state().made.len()
    }

    /// Returns the calls that have ended since there were `before`.
    pub(super) fn made_since(&self, before: usize) -> Vec<InnerCall> {
        self.state().made.get(before..).unwrap_or_default().to_vec()
    }

    /// Adds a file that the attempt itself produced.
    pub(super) fn add_artifact(&self, artifact: Artifact) {
        self.state().add_artifact(artifact);
    }

    /// Returns the files that the attempt has produced so far.
    pub(super) fn artifacts(&self) -> Vec<Artifact> {
        self.state().artifacts.clone()
    }

    /// Takes the files that the attempt has produced, for the report of the call.
    pub(super) fn take_artifacts(&self) -> Vec<Artifact> {
        std::mem::take(&mut self.state().artifacts)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

impl State {
    fn add(&mut self, made: InnerCall) {
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
