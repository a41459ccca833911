//! A plugin: a loaded component and its interface.

use std::borrow::Cow;
use std::io::Read as _;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use wasmtime::component::Component;
use wasmtime::component::types::ComponentItem;

#[cfg(feature = "compile")]
use super::Compiled;
use super::{Engine, WASMTIME_VERSION};
use crate::limits::MIB;
use crate::value::Interface;
use crate::{Error, ErrorKind, Result};

/// Largest component that is loaded, decompressed. CPython with its standard library is 19 MB.
pub(crate) const MAX_COMPONENT_BYTES: u64 = 256 * MIB;

/// Where a component comes from.
#[derive(Clone, Debug)]
pub enum PluginBytes {
    /// A component in binary form.
    Wasm(Cow<'static, [u8]>),
    /// The same, compressed with zstd.
    Zstd(Cow<'static, [u8]>),
    /// Native code made by [`Engine::precompile`], and the record that belongs to it.
    Precompiled(Cow<'static, [u8]>, Box<Precompiled>),
}

/// What is recorded beside native code that was compiled ahead of time.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Precompiled {
    /// Version of wasmtime that made it; another one refuses it.
    pub wasmtime: String,
    /// BLAKE3 of the native code in hexadecimal digits.
    pub blake3: String,
    /// Exported functions and imports, as the component declared them.
    pub interface: Interface,
}

/// A component, ready to be instantiated. A cheap handle.
#[derive(Clone)]
pub struct Plugin {
    pub(super) component: Component,
    interface: Arc<Interface>,
}

impl Plugin {
    pub(super) fn new(component: Component, interface: Interface) -> Plugin {
        Plugin { component, interface: Arc::new(interface) }
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
    /// [`ErrorKind::Load`] - not a component, or one that uses what this engine does not support.
    /// [`ErrorKind::Disabled`] - it needs compiling and this build has no compiler.
    /// [`ErrorKind::Denied`] - native code, while [`EngineOptions::allow_precompiled`](super::EngineOptions) is off.
    pub fn load(&self, bytes: &PluginBytes) -> Result<Plugin> {
        match bytes {
            PluginBytes::Precompiled(code, record) => self.load_precompiled(code, record),
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

    fn load_precompiled(&self, code: &[u8], record: &Precompiled) -> Result<Plugin> {
        if !self.inner.options.allow_precompiled {
            return Err(Error::new(ErrorKind::Denied, "native code compiled ahead of time is not allowed here")
                .hint("allow it with `--allow-precompiled` if you made it yourself, or load the `.wasm` instead"));
        }
        if record.wasmtime != WASMTIME_VERSION {
            let message = format!(
                "compiled ahead of time for wasmtime {WASMTIME_VERSION} expected, got one for {}",
                record.wasmtime
            );
            return Err(
                Error::new(ErrorKind::Load, message).hint("compile it again with `mitt compile`")
            );
        }
        if blake3::hash(code).to_hex().as_str() != record.blake3 {
            return Err(Error::new(
                ErrorKind::Load,
                "the native code does not match its record: it was damaged or replaced",
            )
            .hint("compile it again with `mitt compile`"));
        }
        let component = super::cache::deserialize(&self.inner.wasmtime, code).map_err(|error| {
            Error::new(ErrorKind::Load, "the native code was made for another engine")
                .hint("compile it again with `mitt compile` on a build of the same version for the same processor")
                .caused_by(error.into_boxed_dyn_error())
        })?;
        Ok(Plugin::new(component, record.interface.clone()))
    }

    #[cfg(feature = "compile")]
    fn compile(&self, stored: &[u8], bytes: &PluginBytes) -> Result<Plugin> {
        let (code, interface) = self.compile_to_code(&bytes.component()?)?;
        let plugin = Plugin::new(code, interface);
        if let Some(cache) = &self.inner.options.cache {
            cache.store(&self.inner.wasmtime, stored, &plugin);
        }
        Ok(plugin)
    }

    #[cfg(feature = "compile")]
    fn compile_to_code(&self, component: &[u8]) -> Result<(Component, Interface)> {
        let interface = Interface::from_component(component)?;
        let wasmtime = &self.inner.wasmtime;
        let compiled = self.inner.compiler.as_ref().map(|compiler| compiler.compile(component));
        let code = match compiled.transpose()? {
            Some(Compiled::Code(code)) => {
                super::cache::deserialize(wasmtime, &code).map_err(|error| {
                    Error::bug(format!("the native code of the worker cannot be loaded: {error:#}"))
                })?
            }
            None => Component::from_binary(wasmtime, component).map_err(refused)?,
            Some(Compiled::Here(turn)) => {
                let code = Component::from_binary(wasmtime, component).map_err(refused);
                drop(turn);
                code?
            }
        };
        Ok((code, interface))
    }

    /// Native code of a component that was checked, for another engine of the same configuration.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - it cannot be compiled.
    #[cfg(feature = "compile")]
    pub(crate) fn native_code(&self, component: &[u8]) -> Result<Vec<u8>> {
        self.inner.wasmtime.precompile_component(component).map_err(refused)
    }

    /// Compile a component to native code that a build without a compiler can load.
    ///
    /// # Errors
    ///
    /// As [`Engine::load`].
    #[cfg(feature = "compile")]
    pub fn precompile(&self, bytes: &PluginBytes) -> Result<(Vec<u8>, Precompiled)> {
        let (component, interface) = self.compile_to_code(&bytes.component()?)?;
        let code = component.serialize().map_err(|error| {
            Error::new(ErrorKind::Host, "the compiled code cannot be written out")
                .caused_by(error.into_boxed_dyn_error())
        })?;
        let blake3 = blake3::hash(&code).to_hex().to_string();
        Ok((code, Precompiled { wasmtime: WASMTIME_VERSION.into(), blake3, interface }))
    }

    #[cfg(not(feature = "compile"))]
    fn compile(&self, _stored: &[u8], _bytes: &PluginBytes) -> Result<Plugin> {
        Err(Error::new(ErrorKind::Disabled("compile"), "a `.wasm` component needs compiling, and this build has no compiler")
            .hint("compile the skill ahead of time with `mitt compile` of a full build of the same version"))
    }
}

/// The compiler does not take a component.
#[cfg(feature = "compile")]
#[cold]
fn refused(error: wasmtime::Error) -> Error {
    let refused = Error::new(ErrorKind::Load, "the component cannot be compiled");
    // wasmtime refuses the whole component, also for a single function that nobody wants to call.
    let refused = match format!("{error:#}").contains("requires the component model") {
        true => refused.hint(
            "build it without streams, futures, error contexts and async functions, which this host does not have",
        ),
        false => refused,
    };
    refused.caused_by(error.into_boxed_dyn_error())
}

impl PluginBytes {
    /// BLAKE3 of what is stored.
    pub(crate) fn stored_hash(&self) -> blake3::Hash {
        let (PluginBytes::Wasm(stored)
        | PluginBytes::Zstd(stored)
        | PluginBytes::Precompiled(stored, _)) = self;
        blake3::hash(stored)
    }

    /// The component in binary form.
    pub(crate) fn component(&self) -> Result<Cow<'_, [u8]>> {
        match self {
            PluginBytes::Wasm(bytes) => Ok(Cow::Borrowed(bytes)),
            PluginBytes::Zstd(bytes) => decompress(bytes).map(Cow::Owned),
            PluginBytes::Precompiled(..) => Err(Error::new(
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
