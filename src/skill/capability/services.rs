//! Services for a plugin: one trait object per capability, so that a wrapper replaces only what it changes.

use std::sync::Arc;

use super::catalog::Catalog;
use super::documents::Documents;
use super::fetch::Web;
use super::files::Files;
use super::log::Log;
use super::origin::Origin;
use super::render::Render;
use super::script_host::ScriptHost;
use super::shared::Nobody;
use super::signing::Signing;
use super::tools::Tools;
use super::workspace::Workspace;

/// The session as a plugin sees it, with one service per capability. Clones are shallow.
#[derive(Clone)]
pub struct Services {
    /// Also used by `tables`.
    pub catalog: Arc<dyn Catalog>,
    /// The session's documents.
    pub documents: Arc<dyn Documents>,
    /// Files behind documents, and edited copies.
    pub files: Arc<dyn Files>,
    /// Messages for the operator.
    pub log: Arc<dyn Log>,
    /// Writing of files.
    pub render: Arc<dyn Render>,
    /// Signatures with keys that the operator has named.
    pub signing: Arc<dyn Signing>,
    /// Calls of other tools.
    pub tools: Arc<dyn Tools>,
    /// The session's workspace.
    pub workspace: Arc<dyn Workspace>,
    /// Used only by Extism plug-ins.
    pub web: Arc<dyn Web>,
    /// Used by capabilities of an embedder.
    pub origin: Arc<dyn Origin>,
    /// Used only by script engines.
    pub script: Arc<dyn ScriptHost>,
}

impl Services {
    /// Returns services that are all answered by `session`, without those of scripts.
    pub fn of<S>(session: &Arc<S>) -> Services
    where
        S: Catalog + Documents + Files + Log + Origin + Render + Signing + Tools + Web + Workspace,
    {
        Services {
            catalog: session.clone(),
            documents: session.clone(),
            files: session.clone(),
            log: session.clone(),
            render: session.clone(),
            signing: session.clone(),
            tools: session.clone(),
            web: session.clone(),
            workspace: session.clone(),
            origin: session.clone(),
            script: Arc::new(Nobody),
        }
    }

    /// Returns services for instances that are created but never called.
    pub fn none() -> Services {
        Services::of(&Arc::new(Nobody))
    }
}
