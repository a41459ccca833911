//! Loading of a plugin: from the cache, from trusted native code, or by compiling its component.

use std::borrow::Cow;
use std::io::Read as _;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::cache::CacheDir;
use super::compiler::{Compiled, Order, Urgency, Wanted};
use super::config::Engine;
use super::native::{self, NativeCode, Precompiled, Signer};
use super::plugin::Plugin;
use super::stored::StoredComponent;
use super::target::Target;
use super::{compile, native_load};
use mitt_base::limits::MIB;
use mitt_base::{Error, ErrorKind, Remedy, Result};
use mitt_wit::value::Interface;

/// Largest component that is loaded, in bytes, after decompression. CPython with its standard library is 19 MB.
pub const MAX_COMPONENT_BYTES: u64 = 64 * MIB;

/// Source of a component.
#[derive(Clone, Debug)]
pub enum PluginBytes {
    /// Component in binary form.
    Wasm(StoredComponent),
    /// Component in binary form, compressed with zstd.
    Zstd(StoredComponent),
    /// Native code from [`Engine::precompile`], with its record.
    Precompiled(NativeCode),
}

/// Facts about a component that need no compilation.
pub struct ComponentSummary {
    /// Exported functions and imports.
    pub interface: Arc<Interface>,
    /// Names of the imports that must be provided: functions and resources.
    pub needs: Vec<String>,
    /// The plugin, if its native code was available.
    pub plugin: Option<Plugin>,
}

impl ComponentSummary {
    /// Returns the facts about a plugin that is loaded.
    pub fn of(plugin: Plugin) -> ComponentSummary {
        let (interface, needs) = (plugin.interface().clone(), plugin.needs());
        ComponentSummary { interface, needs, plugin: Some(plugin) }
    }
}

impl Engine {
    /// Loads a component, from the cache if possible.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - it is not a component, uses unsupported features, or is too large or too complex.
    /// [`ErrorKind::Disabled`] - it needs compiling and this build has no compiler.
    /// [`ErrorKind::Denied`] - it is native code that was neither sealed by this installation nor signed with a key of
    /// [`EngineOptions::precompiled_keys`](super::EngineOptions).
    pub fn load(&self, bytes: &PluginBytes) -> Result<Plugin> {
        self.load_as(bytes, Wanted::NOW)
    }

    /// Like [`Engine::load`], with an urgency and a listener.
    pub(crate) fn load_as(&self, bytes: &PluginBytes, wanted: Wanted<'_>) -> Result<Plugin> {
        match bytes {
            PluginBytes::Precompiled(native) => self.load_native(native),
            PluginBytes::Wasm(stored) | PluginBytes::Zstd(stored) => {
                if let Some(plugin) = self.cached(stored) {
                    return Ok(plugin);
                }
                (wanted.compiling)(true);
                // Another process may be compiling it; its result is used then.
                let cache = self.inner.options.cache.as_ref();
                let time = self.compile_time();
                let _turn = cache.and_then(|it| it.turn(&self.inner.wasmtime, stored, time));
                match self.cached(stored) {
                    Some(plugin) => {
                        (wanted.compiling)(false);
                        Ok(plugin)
                    }
                    None => self.compile(stored, bytes, wanted.urgency),
                }
            }
        }
    }

    fn cached(&self, stored: &StoredComponent) -> Option<Plugin> {
        self.inner.options.cache.as_ref()?.load(&self.inner.wasmtime, stored)
    }

    /// Returns exports and imports of a component without compiling it.
    ///
    /// # Errors
    ///
    /// Those of [`Engine::load`], for errors that are found before compilation.
    pub(crate) fn summarize(&self, bytes: &PluginBytes) -> Result<ComponentSummary> {
        let loaded = match bytes {
            PluginBytes::Precompiled(native) => Some(self.load_native(native)?),
            PluginBytes::Wasm(stored) | PluginBytes::Zstd(stored) => self.cached(stored),
        };
        if let Some(plugin) = loaded {
            return Ok(ComponentSummary::of(plugin));
        }
        let (interface, needs) = compile::summarize(&bytes.component()?)?;
        Ok(ComponentSummary { interface: Arc::new(interface), needs, plugin: None })
    }

    fn compile(
        &self,
        stored: &StoredComponent,
        bytes: &PluginBytes,
        urgency: Urgency,
    ) -> Result<Plugin> {
        let order = Order { target: Target::Native, urgency };
        let Compiled { code, interface, instance_bytes } = self.compiled(bytes, order)?;
        if let Some(cache) = &self.inner.options.cache {
            let facts = (instance_bytes, &interface);
            match cache.store(&self.inner.wasmtime, stored, &code, facts) {
                // Loaded from the file: its pages can be reclaimed when memory is short, and are shared with other processes.
                Ok(()) => {
                    if let Some(plugin) = self.cached(stored) {
                        return Ok(plugin);
                    }
                }
                Err(error) => self.not_kept(cache, error),
            }
        }
        let loaded = native_load::just_compiled(&self.inner.wasmtime, &code).map_err(|error| {
            Error::new(ErrorKind::Host, "the compiled code cannot be loaded")
                .caused_by(error.into_boxed_dyn_error())
        })?;
        Ok(Plugin::new(loaded, interface, instance_bytes))
    }

    /// Reports to the operator, once, that each process compiles anew.
    #[cold]
    fn not_kept(&self, cache: &CacheDir, error: std::io::Error) {
        let Some(report) = &self.inner.options.cache_problems else { return };
        if self.inner.is_cache_problem_reported.swap(true, Ordering::Relaxed) {
            return;
        }
        let folder = cache.path().display();
        let message = format!("compiled components cannot be kept in {folder}");
        let error = Error::new(ErrorKind::Host, message).caused_by(error);
        report(&error.remedy(Remedy::KeepCompiled));
    }

    fn compiled(&self, bytes: &PluginBytes, order: Order) -> Result<Compiled> {
        let compiler = (self.inner.compiler.as_deref(), order);
        let other = self.for_target(order.target)?;
        let engine = other.as_ref().unwrap_or(&self.inner.wasmtime);
        compile::compile(engine, compiler, || bytes.component())
    }

    /// Compiles a component to native code that a build without a compiler can load, for the skill of this name and this
    /// processor.
    ///
    /// # Errors
    ///
    /// Those of [`Engine::load`]. [`ErrorKind::Host`] - [`Signer::Installation`] without a private cache folder.
    pub fn precompile(
        &self,
        skill: &str,
        bytes: &PluginBytes,
        signer: Signer<'_>,
    ) -> Result<(Vec<u8>, Precompiled)> {
        self.precompile_for(Target::Native, skill, bytes, signer)
    }

    /// Like [`Engine::precompile`], for other processors.
    ///
    /// # Errors
    ///
    /// Those of [`Engine::precompile`]. [`ErrorKind::Disabled`] - this build cannot compile for `target`.
    pub fn precompile_for(
        &self,
        target: Target,
        skill: &str,
        bytes: &PluginBytes,
        signer: Signer<'_>,
    ) -> Result<(Vec<u8>, Precompiled)> {
        let component = bytes.stored_hash()?;
        let made = self.compiled(bytes, Order { target, urgency: Urgency::Call })?;
        let record = native::record(self, (skill, target), component, &made, signer)?;
        Ok((made.code, record))
    }

    /// Compiles a checked component for any engine of the same configuration on processors of this kind.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - it cannot be compiled. [`ErrorKind::Disabled`] - this build has no compiler.
    pub(crate) fn native_code(&self, target: Target, component: &[u8]) -> Result<Vec<u8>> {
        let other = self.for_target(target)?;
        compile::native_code(other.as_ref().unwrap_or(&self.inner.wasmtime), component)
    }
}

impl PluginBytes {
    /// Returns the bytes of the component as stored; `None` for native code.
    pub(crate) fn stored(&self) -> Option<&[u8]> {
        match self {
            PluginBytes::Wasm(stored) | PluginBytes::Zstd(stored) => Some(stored),
            PluginBytes::Precompiled(_) => None,
        }
    }

    /// Returns the BLAKE3 hash of the stored bytes.
    pub(crate) fn stored_hash(&self) -> Result<blake3::Hash> {
        match self {
            PluginBytes::Wasm(stored) | PluginBytes::Zstd(stored) => Ok(stored.hash()),
            PluginBytes::Precompiled(_) => Err(no_component()),
        }
    }

    /// Returns the component in binary form.
    pub(crate) fn component(&self) -> Result<Cow<'_, [u8]>> {
        match self {
            PluginBytes::Wasm(bytes) => Ok(Cow::Borrowed(bytes)),
            PluginBytes::Zstd(bytes) => decompress(bytes).map(Cow::Owned),
            PluginBytes::Precompiled(_) => Err(no_component()),
        }
    }
}

#[cold]
fn no_component() -> Error {
    let message = "native code compiled ahead of time where a component is wanted";
    Error::new(ErrorKind::Load, message)
}

fn decompress(bytes: &[u8]) -> Result<Vec<u8>> {
    let damaged = |error: String| {
        Error::new(ErrorKind::Load, format!("the compressed component is damaged: {error}"))
            .hint("copy the skill folder again")
    };
    let decoder = ruzstd::decoding::StreamingDecoder::new(bytes)
        .map_err(|error| damaged(error.to_string()))?;
    let mut component = Vec::new();
    // Reads one byte more than allowed, to recognise a component that is too large.
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
