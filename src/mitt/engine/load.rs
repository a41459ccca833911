//! A plugin: a loaded component and its interface.

use std::borrow::Cow;
use std::io::Read as _;
use std::sync::Arc;

use wasmtime::component::Component;
use wasmtime::component::types::ComponentItem;

use super::{Engine, NativeCode};
#[cfg(feature = "compile")]
use super::{Precompiled, Signer};
use mitt_base::limits::MIB;
use mitt_base::{Error, ErrorKind, Result};
use mitt_wit::value::Interface;

/// Largest component that is loaded, in bytes, decompressed. CPython with its standard library is 19 MB.
pub const MAX_COMPONENT_BYTES: u64 = 64 * MIB;

/// Where a component comes from.
#[derive(Clone, Debug)]
pub enum PluginBytes {
    /// A component in binary form.
    Wasm(Cow<'static, [u8]>),
    /// The same, compressed with zstd.
    Zstd(Cow<'static, [u8]>),
    /// Native code made by [`Engine::precompile`], and the record that belongs to it.
    Precompiled(NativeCode),
}

/// A component, ready to be instantiated. A cheap handle.
#[derive(Clone)]
pub struct Plugin {
    pub(super) component: Component,
    interface: Arc<Interface>,
    instance_bytes: u64,
}

impl Plugin {
    pub(super) fn new(component: Component, interface: Interface, instance_bytes: u64) -> Plugin {
        Plugin { component, interface: Arc::new(interface), instance_bytes }
    }

    /// What an instance takes of the host's memory beside its linear memories and tables, in bytes: globals, references to
    /// functions, imports, segments. It is charged to the memory of the store that it is made in.
    pub fn instance_bytes(&self) -> u64 {
        self.instance_bytes
    }

    /// Names of the imports that need something to be there: functions and resources. Types are only names for what the
    /// component itself defines.
    pub(crate) fn needs(&self) -> Vec<String> {
        let engine = self.component.engine();
        let component = self.component.component_type();
        let needed = component.imports(engine).filter(|(_, import)| match &import.ty {
            ComponentItem::Type(_) => false,
            ComponentItem::ComponentInstance(instance) => instance
                .exports(engine)
                .any(|(_, export)| !matches!(export.ty, ComponentItem::Type(_))),
            _ => true,
        });
        needed.map(|(name, _)| name.to_owned()).collect()
    }

    /// Its exported functions and its imports.
    pub fn interface(&self) -> &Arc<Interface> {
        &self.interface
    }
}

impl std::fmt::Debug for Plugin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Plugin").field("interface", &self.interface).finish_non_exhaustive()
    }
}

impl Engine {
    /// Load a component, from the cache where it has one.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - not a component, or one that uses what this engine does not support, or is too large or involved.
    /// [`ErrorKind::Disabled`] - it needs compiling and this build has no compiler.
    /// [`ErrorKind::Denied`] - native code that neither this installation has sealed nor a key of
    /// [`EngineOptions::precompiled_keys`](super::EngineOptions) has signed.
    pub fn load(&self, bytes: &PluginBytes) -> Result<Plugin> {
        match bytes {
            PluginBytes::Precompiled(native) => self.load_native(native),
            PluginBytes::Wasm(stored) | PluginBytes::Zstd(stored) => {
                if let Some(cache) = &self.inner.options.cache
                    && let Some(plugin) = cache.load(&self.inner.wasmtime, stored)
                {
                    return Ok(plugin);
                }
                self.compile(stored, bytes)
            }
        }
    }

    #[cfg(feature = "compile")]
    fn compile(&self, stored: &[u8], bytes: &PluginBytes) -> Result<Plugin> {
        let component = bytes.component()?;
        let checked = super::check::Checked::new(&component)?;
        let instance_bytes = checked.instance_bytes();
        let compiled = super::compile::compile(self, &checked)?;
        let loaded = super::cache::own_code(&self.inner.wasmtime, &compiled).map_err(|error| {
            Error::new(ErrorKind::Host, "the compiled code cannot be loaded")
                .caused_by(error.into_boxed_dyn_error())
        })?;
        let plugin = Plugin::new(loaded, compiled.interface, instance_bytes);
        if let Some(cache) = &self.inner.options.cache {
            cache.store(&self.inner.wasmtime, stored, &compiled.code, &plugin);
        }
        Ok(plugin)
    }

    /// Compile a component to native code that a build without a compiler can load, for the skill of this name.
    ///
    /// # Errors
    ///
    /// As [`Engine::load`]. [`ErrorKind::Host`] - [`Signer::Installation`] without a private cache folder.
    #[cfg(feature = "compile")]
    pub fn precompile(
        &self,
        skill: &str,
        bytes: &PluginBytes,
        signer: Signer<'_>,
    ) -> Result<(Vec<u8>, Precompiled)> {
        let component = bytes.component()?;
        let checked = super::check::Checked::new(&component)?;
        let instance_bytes = checked.instance_bytes();
        let compiled = super::compile::compile(self, &checked)?;
        let facts = (instance_bytes, compiled.interface);
        let hash = bytes.stored_hash();
        let record = super::native::record(self, skill, hash, &compiled.code, facts, signer)?;
        Ok((compiled.code, record))
    }

    #[cfg(not(feature = "compile"))]
    fn compile(&self, _stored: &[u8], _bytes: &PluginBytes) -> Result<Plugin> {
        Err(Error::new(ErrorKind::Disabled("compile"), "a `.wasm` component needs compiling, and this build has no compiler")
            .hint("compile the skill ahead of time with `mitt compile --sign-key` of a full build of the same version, and name the public key with `--precompiled-key`"))
    }
}

impl PluginBytes {
    /// BLAKE3 of what is stored.
    pub(crate) fn stored_hash(&self) -> blake3::Hash {
        blake3::hash(match self {
            PluginBytes::Wasm(stored) | PluginBytes::Zstd(stored) => stored,
            PluginBytes::Precompiled(native) => &native.code,
        })
    }

    /// The component in binary form.
    pub(crate) fn component(&self) -> Result<Cow<'_, [u8]>> {
        match self {
            PluginBytes::Wasm(bytes) => Ok(Cow::Borrowed(bytes)),
            PluginBytes::Zstd(bytes) => decompress(bytes).map(Cow::Owned),
            PluginBytes::Precompiled(_) => Err(Error::new(
                ErrorKind::Load,
                "native code compiled ahead of time where a component is wanted",
            )),
        }
    }
}

fn decompress(bytes: &[u8]) -> Result<Vec<u8>> {
    let damaged = |error: String| {
        Error::new(ErrorKind::Load, format!("the compressed component is damaged: {error}"))
            .hint("copy the skill folder again")
    };
    let decoder = ruzstd::decoding::StreamingDecoder::new(bytes)
        .map_err(|error| damaged(error.to_string()))?;
    let mut component = Vec::new();
    // One byte more than allowed, to tell a component of exactly the size from a larger one.
    decoder
        .take(MAX_COMPONENT_BYTES + 1)
        .read_to_end(&mut component)
        .map_err(|error| damaged(error.to_string()))?;
    if component.len() as u64 > MAX_COMPONENT_BYTES {
        let message = format!("a component of more than {MAX_COMPONENT_BYTES} bytes is not loaded");
        return Err(Error::new(ErrorKind::Load, message));
    }
    Ok(component)
}
