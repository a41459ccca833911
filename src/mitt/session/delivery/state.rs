//! The files that a session delivers, and where they go.
//!
//! Knows the folder and its journal. The other files of this folder make the files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::super::content::Content;
use super::super::context::SessionContext;
use super::super::guard::SessionGuard;
use super::super::journal::{self, FileRecords};
use super::artifacts::Artifacts;
use mitt_base::Result;
use mitt_base::formulas::Formulas;
use mitt_base::output_folder::OutputFolder;
use mitt_skill::capability::Artifact;

/// Delivered files of a session.
pub(in crate::session) struct Delivery {
    pub(super) context: Arc<SessionContext>,
    pub(super) guard: SessionGuard,
    pub(super) content: Arc<Content>,
    pub(super) artifacts: Artifacts,
    pub(super) csv_formulas: Formulas,
}

/// Where the files of a session go.
pub(in crate::session) struct Target {
    /// Folder that is open. `None` keeps the files in memory.
    pub(in crate::session) folder: Option<Arc<OutputFolder>>,
    /// Files of the folder that earlier sessions wrote.
    pub(in crate::session) own: FileRecords,
    /// Folder that is opened when the first file is written.
    pub(in crate::session) later: Option<PathBuf>,
}

impl Delivery {
    pub(in crate::session) fn new(
        context: Arc<SessionContext>,
        guard: SessionGuard,
        content: Arc<Content>,
        target: Target,
        csv_formulas: Formulas,
    ) -> Delivery {
        let Target { folder, own, later } = target;
        let limits = context.host().session_limits();
        let artifacts = Artifacts::open(folder, own, limits, context.account());
        if let Some(path) = later {
            artifacts.opens_later(path);
        }
        Delivery { context, guard, content, artifacts, csv_formulas }
    }

    /// Returns the delivered files, in the order of their first delivery.
    pub(in crate::session) fn list(&self) -> Vec<Artifact> {
        self.artifacts.list()
    }

    /// Returns the content of a delivered file.
    ///
    /// # Errors
    ///
    /// Those of [`Session::artifact_content`](crate::Session::artifact_content).
    pub(in crate::session) fn artifact_bytes(&self, name: &str) -> Result<Vec<u8>> {
        self.artifacts.content(name)
    }

    /// Returns the folder of the files; `None` if they are in memory.
    pub(in crate::session) fn folder(&self) -> Option<&Path> {
        self.artifacts.folder()
    }

    /// Opens the folder if it was left for the first file to open.
    ///
    /// # Errors
    ///
    /// Those of [`Host::session`](crate::Host::session).
    pub(super) fn open_folder(&self) -> Result<()> {
        self.artifacts.open_now(|path| {
            let folder = journal::open(path)?;
            let journal = self.context.journal();
            journal.write_to(&folder)?;
            let most = self.context.host().session_limits().artifact_bytes;
            let own = journal::recover(Some(&folder), journal, most, self.context.now());
            Ok((folder, own))
        })
    }
}
