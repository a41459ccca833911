//! Loading a plugin: from the cache, from native code that somebody vouches for, or by compiling its component.

use std::borrow::Cow;
use std::io::Read as _;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::cache::CacheDir;
use super::compiler::{Compiled, Order, Urgency, Wanted};
use super::config::Engine;
use super::native::{self, NativeCode, Precompiled, Signer};
use super::plugin::Plugin;
use super::target::Target;
use super::{compile, native_load};
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

/// What is known of a component without its native code.
pub(crate) struct Look {
    pub(crate) interface: Arc<Interface>,
    /// As [`Plugin::needs`].
    pub(crate) needs: Vec<String>,
    /// There, if its native code was.
    pub(crate) plugin: Option<Plugin>,
}

impl Look {
    pub(crate) fn of(plugin: Plugin) -> Look {
        let (interface, needs) = (plugin.interface().clone(), plugin.needs());
        Look { interface, needs, plugin: Some(plugin) }
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
        self.load_as(bytes, Wanted::NOW)
    }

    /// As [`Engine::load`], for whoever wants it in another way.
    pub(crate) fn load_as(&self, bytes: &PluginBytes, wanted: Wanted<'_>) -> Result<Plugin> {
        match bytes {
            PluginBytes::Precompiled(native) => self.load_native(native),
            PluginBytes::Wasm(stored) | PluginBytes::Zstd(stored) => {
                if let Some(plugin) = self.cached(stored) {
                    return Ok(plugin);
                }
                (wanted.compiling)(true);
                // Another process may be at it: then what it makes is used.
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

    fn cached(&self, stored: &[u8]) -> Option<Plugin> {
        self.inner.options.cache.as_ref()?.load(&self.inner.wasmtime, stored)
    }

    /// What a component exports and imports, found without compiling it.
    ///
    /// # Errors
    ///
    /// Same as [`Engine::load`], for what is found before anything is compiled.
    pub(crate) fn look(&self, bytes: &PluginBytes) -> Result<Look> {
        let loaded = match bytes {
            PluginBytes::Precompiled(native) => Some(self.load_native(native)?),
            PluginBytes::Wasm(stored) | PluginBytes::Zstd(stored) => self.cached(stored),
        };
        if let Some(plugin) = loaded {
            return Ok(Look::of(plugin));
        }
        let (interface, needs) = compile::look(&bytes.component()?)?;
        Ok(Look { interface: Arc::new(interface), needs, plugin: None })
    }

    fn compile(&self, stored: &[u8], bytes: &PluginBytes, urgency: Urgency) -> Result<Plugin> {
        let order = Order { target: Target::Native, urgency };
        let Compiled { code, interface, instance_bytes } = self.compiled(bytes, order)?;
        if let Some(cache) = &self.inner.options.cache {
            let facts = (instance_bytes, &interface);
            match cache.store(&self.inner.wasmtime, stored, &code, facts) {
                // From the file: its pages are given back when memory is short, and shared with other processes.
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

    /// Tell the operator, once, that each process compiles anew.
    #[cold]
    fn not_kept(&self, cache: &CacheDir, error: std::io::Error) {
        let Some(told) = &self.inner.options.cache_problems else { return };
        if self.inner.is_cache_problem_told.swap(true, Ordering::Relaxed) {
            return;
        }
        let folder = cache.path().display();
        let message = format!("compiled components cannot be kept in {folder}");
        let error = Error::new(ErrorKind::Host, message).caused_by(error);
        told(&error.hint("they are compiled again at every start; name a folder that only you can write to with `--cache-dir` or `MITT_CACHE_DIR`"));
    }

    fn compiled(&self, bytes: &PluginBytes, order: Order) -> Result<Compiled> {
        let compiler = (self.inner.compiler.as_deref(), order);
        let other = self.for_target(order.target)?;
        let engine = other.as_ref().unwrap_or(&self.inner.wasmtime);
        compile::compile(engine, compiler, || bytes.component())
    }

    /// Compile a component to native code that a build without a compiler can load, for the skill of this name and the processor
    /// at hand.
    ///
    /// # Errors
    ///
    /// Same as [`Engine::load`]. [`ErrorKind::Host`] - [`Signer::Installation`] without a private cache folder.
    pub fn precompile(
        &self,
        skill: &str,
        bytes: &PluginBytes,
        signer: Signer<'_>,
    ) -> Result<(Vec<u8>, Precompiled)> {
        self.precompile_for(Target::Native, skill, bytes, signer)
    }

    /// As [`Engine::precompile`], for other processors.
    ///
    /// # Errors
    ///
    /// Same as [`Engine::precompile`]. [`ErrorKind::Disabled`] - this build does not compile for `target`.
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

    /// Native code of a component that was checked, for any engine of the same configuration on processors of this kind.
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
    /// What is stored of the component; nothing where there is only native code.
    pub(crate) fn stored(&self) -> Option<&[u8]> {
        match self {
            PluginBytes::Wasm(stored) | PluginBytes::Zstd(stored) => Some(stored),
            PluginBytes::Precompiled(_) => None,
        }
    }

    /// BLAKE3 of it.
    pub(crate) fn stored_hash(&self) -> Result<blake3::Hash> {
        self.stored().map(blake3::hash).ok_or_else(no_component)
    }

    /// The component in binary form.
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
