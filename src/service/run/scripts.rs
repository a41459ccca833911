//! The scripts of a run's model. In a run with a container, they find its files, and what they write is in the container and
//! among the files of the run.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use futures_util::future::BoxFuture;

use super::containers::{ContainerDone, ContainerSession, Containers};
use super::keeper::Keeper;
use super::state::RunFile;
use super::writer::{Outbox, owner_of};
use crate::store::{RunKey, Store};
use mitt::{Artifact, Session};
use mitt_agent::{AroundScripts, MakeScript, ScriptDone};
use mitt_base::lock;

/// The scripts of a run's model.
pub(super) struct RunScripts {
    pub(super) containers: Arc<dyn Containers>,
    pub(super) store: Arc<dyn Store>,
    pub(super) key: RunKey,
    pub(super) keeper: Arc<Keeper>,
    pub(super) outbox: Arc<Outbox>,
    /// `true` while calls are made that no client sees.
    pub(super) is_quiet: Arc<AtomicBool>,
    /// What keeps the files of the session, from the first script on.
    pub(super) open: Mutex<Option<Arc<dyn ContainerSession>>>,
}

impl RunScripts {
    fn of_session(&self, session: &Session) -> Arc<dyn ContainerSession> {
        let mut open = lock(&self.open);
        open.get_or_insert_with(|| self.containers.session(session, self.is_quiet.clone())).clone()
    }

    /// Makes a file of a container one of the run. Returns `false` if its content is gone.
    async fn deliver(&self, file: &RunFile) -> bool {
        let owner = owner_of(&self.key.id);
        if let Err(error) = self.store.keep(&self.key.tenant, &file.sha256, &owner).await {
            tracing::warn!(run = self.key.id, ?error, "a file of a container was not delivered");
            return false;
        }
        self.outbox.push_stored(file.clone());
        true
    }
}

impl AroundScripts for RunScripts {
    fn takes(&self, session: &Session, tool: &str) -> bool {
        // Agents that the model asks have sessions of their own.
        session.agent().is_none()
            && session.script_tool("python").is_ok_and(|it| it.as_str() == tool)
    }

    fn run<'a>(
        &'a self,
        session: &'a Session,
        arguments: &'a str,
        make: MakeScript<'a>,
    ) -> BoxFuture<'a, ScriptDone> {
        Box::pin(async move {
            let entry = self.keeper.entry().await;
            let Some(container) = entry.work.container else {
                return ScriptDone { report: make(arguments.to_owned()).await, notes: Vec::new() };
            };
            let files = self.of_session(session);
            let done = files.run(&container, &entry.state.documents, arguments, make).await;
            let ContainerDone { mut report, written, notes } = done;
            for file in written {
                if self.deliver(&file).await {
                    let RunFile { name, media_type, sha256, size, .. } = file;
                    let contents = Default::default();
                    report.artifacts.push(Artifact { name, media_type, size, sha256, contents });
                }
            }
            ScriptDone { report, notes }
        })
    }
}
