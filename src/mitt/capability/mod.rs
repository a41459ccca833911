//! What plugins may ask of their host: the interfaces of `wit/`, linked one by one as a skill is granted them.
//!
//! Knows wasmtime and the contract. Does not know what a session is: whoever calls a plugin brings a [`Services`] along,
//! which answers everything that the plugin asks for.

mod bindings;
mod convert;
mod reader;
mod script;
mod services;
mod shared;

use std::sync::Arc;

use wasmtime::component::{HasData, Linker};

use crate::engine::{Engine, Plugin, Prepared, StoreCore, StoreData, is_linked, way_out};
use mitt_base::{Error, ErrorKind, Result};

pub(crate) use reader::{PreparedReader, ReaderContent};
pub(crate) use script::{
    PreparedScript, ScriptFunction, ScriptHost, ScriptInstance, ScriptModule, ScriptRequest,
    ScriptState, ScriptStream, ScriptValue, Uncaught,
};
pub use services::{Artifact, LogLevel};
pub(crate) use services::{
    Deliverable, NoServices, Parameter, ServiceError, Services, ToolFailure, ToolInfo,
};

/// A host interface that `skill.yaml` can grant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Capability {
    /// Read the session's documents.
    Documents,
    /// Messages for the operator.
    Log,
    /// Write files.
    Render,
    /// Call other tools of the session.
    Tools,
    /// Read and write the session's workspace.
    Workspace,
}

impl Capability {
    /// All of them, sorted by name.
    pub const ALL: [Capability; 5] = [
        Capability::Documents,
        Capability::Log,
        Capability::Render,
        Capability::Tools,
        Capability::Workspace,
    ];

    /// Its name in `grants`, which is the name of the interface.
    pub fn name(self) -> &'static str {
        match self {
            Capability::Documents => "documents",
            Capability::Log => "log",
            Capability::Render => "render",
            Capability::Tools => "tools",
            Capability::Workspace => "workspace",
        }
    }

    /// The capability of this name.
    pub fn from_name(name: &str) -> Option<Capability> {
        Capability::ALL.into_iter().find(|capability| capability.name() == name)
    }
}

/// The interface that engines of scripts have without a grant, and nobody else has.
const SCRIPT_HOST: &str = "script-host";

/// Data of a store in which a tool runs. The services are those of one call, even where the store outlives it.
pub(crate) struct CallState {
    core: StoreCore,
    services: Arc<dyn Services>,
}

impl CallState {
    pub(crate) fn new(core: StoreCore, services: Arc<dyn Services>) -> CallState {
        CallState { core, services }
    }

    /// Use the services of another call from now on.
    pub(crate) fn serve(&mut self, services: Arc<dyn Services>) {
        self.services = services;
    }
}

impl StoreData for CallState {
    fn core(&mut self) -> &mut StoreCore {
        &mut self.core
    }
}

impl HasData for CallState {
    type Data<'a> = &'a mut CallState;
}

/// Resolve the imports of a tool's plugin, granting it `grants` and nothing else.
///
/// # Errors
///
/// [`ErrorKind::Denied`] - the plugin imports a capability that is not granted.
/// [`ErrorKind::Load`] - it imports what this host does not have.
pub(crate) fn prepare(
    engine: &Engine,
    plugin: &Plugin,
    grants: &[Capability],
) -> Result<Prepared<CallState>> {
    check_imports(plugin, grants)?;
    engine.prepare(plugin, |linker: &mut Linker<CallState>| link(linker, grants, |state| state))
}

/// Link what is granted, and nothing else. `state` finds in a store's data what answers.
fn link<T: StoreData>(
    linker: &mut Linker<T>,
    grants: &[Capability],
    state: fn(&mut T) -> &mut CallState,
) -> wasmtime::Result<()> {
    // Types hold no functions: nothing can be done with them alone.
    bindings::types::add_to_linker::<T, CallState>(linker, state)?;
    for grant in grants {
        match grant {
            Capability::Documents => shared::link_documents(linker, state)?,
            Capability::Log => bindings::log::add_to_linker::<T, CallState>(linker, state)?,
            Capability::Render => bindings::render::add_to_linker::<T, CallState>(linker, state)?,
            Capability::Tools => bindings::tools::add_to_linker::<T, CallState>(linker, state)?,
            Capability::Workspace => shared::link_workspace(linker, state)?,
        }
    }
    Ok(())
}

/// Refuse a plugin that imports what it was not granted, naming the grant; or what nobody can grant.
pub(crate) fn check_imports(plugin: &Plugin, grants: &[Capability]) -> Result<()> {
    plugin.needs().iter().try_for_each(|import| check_import(import, grants))
}

/// Whether an import is of the interface that engines of scripts have without a grant.
pub(crate) fn is_for_engines(import: &str) -> bool {
    host_interface(import) == Some(SCRIPT_HOST)
}

/// The capability that an import such as `mitt:host/log@0.1.0` asks for.
pub(crate) fn wanted_by(import: &str) -> Option<Capability> {
    Capability::from_name(host_interface(import)?)
}

fn host_interface(import: &str) -> Option<&str> {
    import.strip_prefix("mitt:host/").map(|rest| rest.split('@').next().unwrap_or(rest))
}

/// Refuse one import that was not granted, or that this host does not have.
pub(crate) fn check_import(import: &str, grants: &[Capability]) -> Result<()> {
    if is_linked(import) || host_interface(import) == Some("types") {
        return Ok(());
    }
    match wanted_by(import) {
        Some(capability) if grants.contains(&capability) => Ok(()),
        Some(capability) => {
            let name = capability.name();
            let message =
                format!("the plugin imports `{import}`, but its skill does not grant `{name}`");
            Err(Error::new(ErrorKind::Denied, message).hint(format!(
                "add `{name}` to `grants` in `skill.yaml` if the skill should have it"
            )))
        }
        None => Err(unknown_import(import)),
    }
}

fn unknown_import(import: &str) -> Error {
    let known: Vec<_> =
        Capability::ALL.iter().map(|capability| format!("`{}`", capability.name())).collect();
    let error = Error::new(
        ErrorKind::Load,
        format!("the plugin imports `{import}`, which this host does not have"),
    );
    match way_out(import) {
        Some(way_out) => error.hint(way_out),
        None if host_interface(import) == Some(SCRIPT_HOST) => {
            error.hint("only engines of scripts have it, which say `script` in `skill.yaml`")
        }
        None => error.hint(format!("a skill can be granted {} of `mitt:host`", known.join(", "))),
    }
}
