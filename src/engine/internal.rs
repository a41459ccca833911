//! Methods for `mitt` alone, of types that it re-exports.
//!
//! A public method of such a type is part of `mitt`'s own interface. The methods of these traits are not, because `mitt` does
//! not re-export the traits. Each of them calls the method of the same name in the file of its type.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use rand::rngs::StdRng;
use wasmtime::component::Linker;

use super::cache::CacheDir;
use super::call::{Prepared, Usage};
use super::compiler::{Compiler, Wanted};
use super::config::{Engine, EngineOptions};
use super::environment::Environment;
use super::load::{ComponentSummary, PluginBytes};
use super::native::Precompiled;
use super::plugin::Plugin;
use super::scheduler::Scheduler;
use super::store::StoreData;
use super::stored::StoredComponent;
use super::target::Target;
use mitt_base::Result;

/// Methods of [`Engine`] for `mitt` alone.
pub trait EngineInternal: Sized {
    /// Does what [`Engine::new`] does; `compiler` decides where and when components are compiled.
    ///
    /// # Errors
    ///
    /// Those of [`Engine::new`].
    fn with(options: EngineOptions, compiler: Option<Arc<dyn Compiler>>) -> Result<Self>;

    /// Returns an empty linker, to test what a capability links.
    fn linker<T: StoreData>(&self) -> Linker<T>;

    /// Resolves a plugin's imports: a minimal WASI, and what `capabilities` links.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`](mitt_base::ErrorKind::Load) - an import is not available or has another type than the host's.
    fn prepare<T: StoreData>(
        &self,
        plugin: &Plugin,
        capabilities: impl FnOnce(&mut Linker<T>) -> wasmtime::Result<()>,
    ) -> Result<Prepared<T>>;

    /// Does what [`Engine::load`] does, with an urgency and a listener.
    ///
    /// # Errors
    ///
    /// Those of [`Engine::load`].
    fn load_as(&self, bytes: &PluginBytes, wanted: Wanted<'_>) -> Result<Plugin>;

    /// Returns exports and imports of a component without compiling it.
    ///
    /// # Errors
    ///
    /// Those of [`Engine::load`], for errors that are found before compilation.
    fn summarize(&self, bytes: &PluginBytes) -> Result<ComponentSummary>;

    /// Compiles a checked component for any engine of the same configuration on processors of this kind.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`](mitt_base::ErrorKind::Load) - it cannot be compiled.
    /// [`ErrorKind::Disabled`](mitt_base::ErrorKind::Disabled) - this build has no compiler.
    fn native_code(&self, target: Target, component: &[u8]) -> Result<Vec<u8>>;

    /// Returns the BLAKE3 hash of the stored component from which trusted native code for `skill` was compiled. Reads only the
    /// record.
    ///
    /// # Errors
    ///
    /// Those of [`Engine::load`] for native code.
    fn component_of(&self, record: &Precompiled, skill: &str) -> Result<blake3::Hash>;

    /// Returns how long one call waits for a component to be compiled.
    fn load_wait(&self) -> Duration;

    /// Returns how long a compilation may take; zero if nothing ends it.
    fn compile_time(&self) -> Duration;

    /// Returns the scheduler of guests.
    fn scheduler(&self) -> &Scheduler;
}

impl EngineInternal for Engine {
    fn with(options: EngineOptions, compiler: Option<Arc<dyn Compiler>>) -> Result<Engine> {
        Engine::with(options, compiler)
    }

    fn linker<T: StoreData>(&self) -> Linker<T> {
        self.linker()
    }

    fn prepare<T: StoreData>(
        &self,
        plugin: &Plugin,
        capabilities: impl FnOnce(&mut Linker<T>) -> wasmtime::Result<()>,
    ) -> Result<Prepared<T>> {
        self.prepare(plugin, capabilities)
    }

    fn load_as(&self, bytes: &PluginBytes, wanted: Wanted<'_>) -> Result<Plugin> {
        self.load_as(bytes, wanted)
    }

    fn summarize(&self, bytes: &PluginBytes) -> Result<ComponentSummary> {
        self.summarize(bytes)
    }

    fn native_code(&self, target: Target, component: &[u8]) -> Result<Vec<u8>> {
        self.native_code(target, component)
    }

    fn component_of(&self, record: &Precompiled, skill: &str) -> Result<blake3::Hash> {
        self.component_of(record, skill)
    }

    fn load_wait(&self) -> Duration {
        self.load_wait()
    }

    fn compile_time(&self) -> Duration {
        self.compile_time()
    }

    fn scheduler(&self) -> &Scheduler {
        self.scheduler()
    }
}

/// Methods of [`CacheDir`] for `mitt` alone.
pub trait CacheDirInternal {
    /// Derives a key of this user for `context` from the folder's secret. `None` if the folder is not private.
    fn derived_key(&self, context: &str) -> Option<[u8; 32]>;
}

impl CacheDirInternal for CacheDir {
    fn derived_key(&self, context: &str) -> Option<[u8; 32]> {
        self.derived_key(context)
    }
}

/// Methods of [`Environment`] for `mitt` alone.
pub trait EnvironmentInternal {
    /// Returns a generator for the host itself, such as for delays. It is not for secrets.
    fn random(&self) -> StdRng;

    /// Returns 256 bits that cannot be guessed. With a seed they are always the same.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Host`](mitt_base::ErrorKind::Host) - the system has no random numbers.
    fn secret(&self) -> Result<[u8; 32]>;
}

impl EnvironmentInternal for Environment {
    fn random(&self) -> StdRng {
        self.random()
    }

    fn secret(&self) -> Result<[u8; 32]> {
        self.secret()
    }
}

/// Methods of [`Plugin`] for `mitt` alone.
pub trait PluginInternal {
    /// Returns the names of the imports that must be provided: functions and resources.
    fn needs(&self) -> Vec<String>;
}

impl PluginInternal for Plugin {
    fn needs(&self) -> Vec<String> {
        self.needs()
    }
}

/// Methods of [`PluginBytes`] for `mitt` alone.
pub trait PluginBytesInternal {
    /// Returns the bytes of the component as stored; `None` for native code.
    fn stored(&self) -> Option<&[u8]>;

    /// Returns the BLAKE3 hash of the stored bytes.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`](mitt_base::ErrorKind::Load) - it is native code.
    fn stored_hash(&self) -> Result<blake3::Hash>;

    /// Returns the component in binary form.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`](mitt_base::ErrorKind::Load) - it is native code, or damaged, or too large.
    fn component(&self) -> Result<Cow<'_, [u8]>>;
}

impl PluginBytesInternal for PluginBytes {
    fn stored(&self) -> Option<&[u8]> {
        self.stored()
    }

    fn stored_hash(&self) -> Result<blake3::Hash> {
        self.stored_hash()
    }

    fn component(&self) -> Result<Cow<'_, [u8]>> {
        self.component()
    }
}

/// Methods of [`StoredComponent`] for `mitt` alone.
pub trait StoredComponentInternal {
    /// Makes a component whose hash is already known if it is in `hash`.
    fn hashed(bytes: Cow<'static, [u8]>, hash: OnceLock<blake3::Hash>) -> Self;
}

impl StoredComponentInternal for StoredComponent {
    fn hashed(bytes: Cow<'static, [u8]>, hash: OnceLock<blake3::Hash>) -> StoredComponent {
        StoredComponent::hashed(bytes, hash)
    }
}

/// Methods of [`Usage`] for `mitt` alone.
pub trait UsageInternal {
    /// Returns the usage of two concurrent calls.
    #[must_use]
    fn beside(self, other: Usage) -> Usage;

    /// Returns the usage of two consecutive calls.
    #[must_use]
    fn then(self, other: Usage) -> Usage;
}

impl UsageInternal for Usage {
    fn beside(self, other: Usage) -> Usage {
        self.beside(other)
    }

    fn then(self, other: Usage) -> Usage {
        self.then(other)
    }
}
