//! Who answers a plugin: one for each capability, so that whoever stands in between replaces only what it changes.

use std::sync::Arc;

use super::catalog::Catalog;
use super::documents::Documents;
use super::fetch::Web;
use super::log::Log;
use super::origin::Origin;
use super::render::Render;
use super::script_host::ScriptHost;
use super::shared::Nobody;
use super::tools::Tools;
use super::workspace::Workspace;

/// A session, as seen from a plugin: who answers what it asks. Clones are shallow.
#[derive(Clone)]
pub(crate) struct Services {
    /// Asked by `tables` too.
    pub(crate) catalog: Arc<dyn Catalog>,
    pub(crate) documents: Arc<dyn Documents>,
    pub(crate) log: Arc<dyn Log>,
    pub(crate) render: Arc<dyn Render>,
    pub(crate) tools: Arc<dyn Tools>,
    pub(crate) workspace: Arc<dyn Workspace>,
    /// Asked by plug-ins of Extism alone.
    pub(crate) web: Arc<dyn Web>,
    /// Asked by capabilities of an embedder.
    pub(crate) origin: Arc<dyn Origin>,
    /// Asked by engines of scripts alone.
    pub(crate) script: Arc<dyn ScriptHost>,
}

impl Services {
    /// `session` answers everything but scripts.
    pub(crate) fn of<S: Catalog + Documents + Log + Origin + Render + Tools + Web + Workspace>(
        session: &Arc<S>,
    ) -> Services {
        Services {
            catalog: session.clone(),
            documents: session.clone(),
            log: session.clone(),
            render: session.clone(),
            tools: session.clone(),
            web: session.clone(),
            workspace: session.clone(),
            origin: session.clone(),
            script: Arc::new(Nobody),
        }
    }

    /// For instances that are made but never called.
    pub(crate) fn none() -> Services {
        Services::of(&Arc::new(Nobody))
    }
}
