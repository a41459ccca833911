//! The stage: files of a running attempt, whole and written, that are not delivered yet.
//!
//! When a stage is dropped, the files that are still on it disappear: they are removed, and were never registered.

use std::sync::Mutex;

use super::artifacts::Written;
use super::call_id::CallId;
use crate::capability::Artifact;
use mitt_base::lock;

/// A file that is to be delivered.
pub(super) struct Staged {
    /// The call that made it.
    pub(super) call: CallId,
    pub(super) written: Written,
    pub(super) warnings: Vec<String>,
}

impl Staged {
    /// What the file will be.
    pub(super) fn artifact(&self) -> &Artifact {
        &self.written.artifact
    }
}

/// Files by name, in the order of their first mention.
#[derive(Default)]
pub(super) struct Stage {
    files: Mutex<Vec<Staged>>,
}

impl Stage {
    /// Add a file; it replaces one of the same name.
    pub(super) fn add(&self, staged: Staged) {
        let mut files = lock(&self.files);
        match files.iter_mut().find(|file| file.artifact().name == staged.artifact().name) {
            Some(old) => *old = staged,
            None => files.push(staged),
        }
    }

    /// Take all files.
    pub(super) fn take(&self) -> Vec<Staged> {
        std::mem::take(&mut *lock(&self.files))
    }
}
