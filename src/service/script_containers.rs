//! The containers in which scripts of runs find and leave files: sandboxes.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use async_trait::async_trait;

use crate::code::{GivenDocument, GuestDone, GuestScripts, SandboxFile, Sandboxes};
use crate::problem::Problem;
use crate::run::{ContainerDone, ContainerSession, Containers, RunDocument, RunFile};
use mitt::Session;
use mitt_agent::MakeScript;

/// Sandboxes as containers of runs.
pub(crate) struct ScriptContainers(pub(crate) Sandboxes);

struct Scripts(GuestScripts);

impl Containers for ScriptContainers {
    fn session(&self, session: &Session, is_quiet: Arc<AtomicBool>) -> Arc<dyn ContainerSession> {
        Arc::new(Scripts(GuestScripts::new(self.0.clone(), session, is_quiet)))
    }
}

#[async_trait]
impl ContainerSession for Scripts {
    async fn run(
        &self,
        container: &str,
        documents: &[RunDocument],
        arguments: &str,
        make: MakeScript<'_>,
    ) -> ContainerDone {
        let given: Vec<GivenDocument> = documents.iter().map(given).collect();
        let turn = match self.0.begin(container, &given, arguments).await {
            Ok(turn) => turn,
            Err(problem) => {
                let note = format!(
                    "The script ran without the files of the container: {}",
                    reason(&problem)
                );
                let report = make(arguments.to_owned()).await;
                return ContainerDone { report, written: Vec::new(), notes: vec![note] };
            }
        };
        let report = make(turn.arguments.clone()).await;
        let (written, notes) = match turn.end(&report).await {
            Ok(GuestDone { written, notes }) => (written, notes),
            Err(problem) => {
                let note =
                    format!("What the script wrote is not in the container: {}", reason(&problem));
                (Vec::new(), vec![note])
            }
        };
        ContainerDone { report, written: written.into_iter().map(run_file).collect(), notes }
    }
}

fn given(document: &RunDocument) -> GivenDocument {
    let RunDocument { name, sha256, size, .. } = document.clone();
    GivenDocument { name, sha256, size }
}

fn run_file(file: SandboxFile) -> RunFile {
    let SandboxFile { name, media_type, sha256, size, .. } = file;
    RunFile { name, media_type, sha256, size, pages: None, url: None }
}

fn reason(problem: &Problem) -> String {
    tracing::debug!(code = problem.code, "a script has no container");
    mitt_base::text::one_line(&problem.detail)
}
