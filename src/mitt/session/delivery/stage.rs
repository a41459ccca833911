//! Stage: complete files of a running attempt that are not delivered yet.
//!
//! When a stage is dropped, its remaining files are removed; they were never registered.

use std::sync::Mutex;

use super::super::call_id::CallId;
use super::artifacts::Written;
use mitt_base::lock;
use mitt_skill::capability::Artifact;

/// File on the stage.
pub(in crate::session) struct Staged {
    /// Call that made it.
    pub(in crate::session) call: CallId,
    pub(in crate::session) written: Written,
    pub(in crate::session) warnings: Vec<String>,
}

impl Staged {
    /// Returns the artifact that the file will become.
    pub(in crate::session) fn artifact(&self) -> &Artifact {
        &self.written.artifact
    }
}

/// Files by name, in the order in which the names were first added.
#[derive(Default)]
pub(in crate::session) struct Stage {
    files: Mutex<Vec<Staged>>,
}

impl Stage {
    /// Adds a file, and replaces one of the same name.
    pub(in crate::session) fn add(&self, staged: Staged) {
        let mut files = lock(&self.files);
        match files.iter_mut().find(|file| file.artifact().name == staged.artifact().name) {
            Some(old) => *old = staged,
            None => files.push(staged),
        }
    }

    /// Takes all files.
    pub(in crate::session) fn take(&self) -> Vec<Staged> {
        std::mem::take(&mut *lock(&self.files))
    }
}
