//! Containers for the scripts of runs. The code that has containers implements a trait of this module.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use async_trait::async_trait;

use super::state::{RunDocument, RunFile};
use mitt::{CallReport, Session};
use mitt_agent::MakeScript;

/// Containers in which scripts of runs find and leave files.
pub trait Containers: Send + Sync {
    /// Returns what keeps the files of a session those of a container. `is_quiet` is `true` while it makes calls of its own in
    /// the session, which no client sees.
    fn session(&self, session: &Session, is_quiet: Arc<AtomicBool>) -> Arc<dyn ContainerSession>;
}

/// Keeps the files of a session those of a container, around each script.
#[async_trait]
pub trait ContainerSession: Send + Sync {
    /// Runs a script with `make`, which is called once. Before it, the files of the container are those of the session, and
    /// documents of the run are files of the container. After it, files that the script wrote are in the container.
    async fn run(
        &self,
        container: &str,
        documents: &[RunDocument],
        arguments: &str,
        make: MakeScript<'_>,
    ) -> ContainerDone;
}

/// A script that ran in a container.
pub struct ContainerDone {
    /// Report of its call.
    pub report: CallReport,
    /// Files that the script wrote, which the container has. Those that tools delivered are not among them.
    pub written: Vec<RunFile>,
    /// What the model shall know, one line each.
    pub notes: Vec<String>,
}
