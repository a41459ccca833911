//! Imports of a plugin: links those that are granted, and refuses all others.

use mitt_contract::host::mitt::host::types;
use wasmtime::component::Linker;

use super::context::CallContext;
use super::name::Capability;
use super::own::{OwnCapabilities, is_ones_own};
use super::shared::{ServiceHost, Types};
use super::{catalog, documents, extism, files, log, render};
use super::{script_host, signing, tables, tools, workspace};
use mitt_base::rows::Rows;
use mitt_base::{Error, ErrorKind, Result};
use mitt_engine::{
    Engine, EngineInternal as _, Plugin, PluginInternal as _, Prepared, StoreData as _, is_linked,
    way_out,
};

/// Interface that script engines have without a grant, and no other plugin has.
const SCRIPT_HOST: &str = "script-host";

/// Advice for an import of an interface that is not Mitt's.
pub(crate) const OWN: &str =
    "a program that embeds mitt can offer it as a capability of its own: `HostBuilder::capability`";

/// Resolves the imports of a tool's plugin, granting it `grants` and nothing else. `own` are the embedder's capabilities.
///
/// # Errors
///
/// [`ErrorKind::Denied`] - the plugin imports a capability that is not granted.
/// [`ErrorKind::Load`] - it imports something that this host does not provide.
pub(crate) fn prepare(
    engine: &Engine,
    plugin: &Plugin,
    grants: &[Capability],
    own: &OwnCapabilities,
) -> Result<Prepared<CallContext>> {
    check_imports(plugin, grants, own)?;
    engine.prepare(plugin, |linker| {
        if extism::is_one(plugin) {
            extism::link(linker, grants.contains(&Capability::Fetch))?;
        }
        link(linker, grants, own)
    })
}

/// Like [`prepare`], for the plugin of a script engine, which also gets `script-host`.
///
/// # Errors
///
/// Those of [`prepare`].
pub(super) fn prepare_engine(
    engine: &Engine,
    plugin: &Plugin,
    grants: &[Capability],
    own: &OwnCapabilities,
) -> Result<Prepared<CallContext>> {
    let needs = plugin.needs();
    let needs = needs.iter().filter(|import| !is_for_engines(import));
    needs.into_iter().try_for_each(|import| check_import(import, grants, own))?;
    engine.prepare(plugin, |linker| {
        link(linker, grants, own)?;
        script_host::link(linker, |context: &mut CallContext| {
            ServiceHost(context.services().script.clone())
        })
    })
}

/// Links what is granted, and nothing else.
fn link(
    linker: &mut Linker<CallContext>,
    grants: &[Capability],
    own: &OwnCapabilities,
) -> wasmtime::Result<()> {
    // The interface has only types, which give access to nothing.
    types::add_to_linker::<CallContext, Types>(linker, |_| Types)?;
    for grant in grants {
        match grant {
            Capability::Catalog => catalog::link(linker, |context| catalog::CatalogHost {
                session: context.services().catalog.clone(),
                core: context.core(),
            })?,
            Capability::Documents => documents::link(linker, |context| documents::DocumentsHost {
                session: context.services().documents.clone(),
                core: context.core(),
            })?,
            // No interface has this name; `extism.rs` links the function.
            Capability::Fetch => {}
            Capability::Files => files::link(linker, |context| context.services().files.clone())?,
            Capability::Log => log::link(linker, |context| log::LogHost {
                session: Some(context.services().log.clone()),
                core: context.core(),
            })?,
            Capability::Render => render::link(linker, |context| render::RenderHost {
                session: context.services().render.clone(),
                core: context.core(),
            })?,
            Capability::Signing => {
                signing::link(linker, |context| context.services().signing.clone())?;
            }
            Capability::Tables => tables::link(linker, |context| tables::TablesHost {
                account: context.services().catalog.account(),
                core: context.core(),
                rows: Rows::default(),
            })?,
            Capability::Tools => {
                tools::link(linker, |context| ServiceHost(context.services().tools.clone()))?;
            }
            Capability::Workspace => {
                workspace::link(linker, |context| context.services().workspace.clone())?;
            }
            Capability::Own(name) => own.link(name, linker)?,
        }
    }
    Ok(())
}

/// Refuses a plugin with imports that were not granted, naming the grant, or that cannot be granted.
pub(super) fn check_imports(
    plugin: &Plugin,
    grants: &[Capability],
    own: &OwnCapabilities,
) -> Result<()> {
    check_needs(&plugin.needs(), grants, own)
}

/// Like [`check_imports`], for the imports of a plugin that is not loaded yet.
pub(crate) fn check_needs(
    needs: &[String],
    grants: &[Capability],
    own: &OwnCapabilities,
) -> Result<()> {
    needs.iter().try_for_each(|import| check_import(import, grants, own))
}

/// Returns whether an import belongs to the interface that script engines have without a grant.
pub(crate) fn is_for_engines(import: &str) -> bool {
    host_interface(import) == Some(SCRIPT_HOST)
}

/// Returns the capability that an import such as `mitt:host/log@0.1.0` needs.
pub(crate) fn wanted_by(import: &str) -> Option<Capability> {
    Capability::of_interface(host_interface(import)?)
}

fn host_interface(import: &str) -> Option<&str> {
    import.strip_prefix("mitt:host/").map(|rest| rest.split('@').next().unwrap_or(rest))
}

/// Refuses an import that was not granted, or that this host does not provide.
pub(crate) fn check_import(
    import: &str,
    grants: &[Capability],
    own: &OwnCapabilities,
) -> Result<()> {
    if is_linked(import) || extism::is_host(import) || host_interface(import) == Some("types") {
        return Ok(());
    }
    match wanted_by(import).or_else(|| own.wanted_by(import)) {
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
        Capability::interfaces().map(|capability| format!("`{}`", capability.name())).collect();
    let error = Error::new(
        ErrorKind::Load,
        format!("the plugin imports `{import}`, which this host does not have"),
    );
    match way_out(import) {
        Some(way_out) => error.hint(way_out),
        None if is_for_engines(import) => {
            error.hint("only engines of scripts have it, which say `script` in `skill.yaml`")
        }
        None => {
            if extism::is_user(import) {
                return error.hint("a program that embeds mitt offers such functions: `HostBuilder::extism_functions`; or another module of the plug-in's manifest is named so");
            }
            let error =
                error.hint(format!("a skill can be granted {} of `mitt:host`", known.join(", ")));
            if is_ones_own(import) { error.hint(OWN) } else { error }
        }
    }
}
