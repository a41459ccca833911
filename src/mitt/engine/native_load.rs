//! The one way for native code into this process.
//!
//! Native code is not sandboxed, so wasmtime loads it in `unsafe` functions only. They are called here and nowhere else; each use
//! says why it is sound. Who vouches for a piece of code is looked at by the callers, of which each function here has one.
#![allow(
    unsafe_code,
    reason = "wasmtime cannot load native code without it; each use says why it is sound"
)]

use std::path::Path;

use wasmtime::component::Component;
use wasmtime::{Engine, Result};

/// Version of wasmtime that this crate runs components with; part of the cache key.
pub const WASMTIME_VERSION: &str = "48.0.8";

/// Load native code that somebody vouches for. For `Engine::load_native` only.
pub(super) fn vouched_for(engine: &Engine, code: &[u8]) -> Result<Component> {
    // SAFETY: the caller found the hash of the code in a record that was sealed with a secret of this user, or signed by a key
    // that the embedder named (`EngineOptions::precompiled_keys`). Both are made only by `Engine::precompile`, of what wasmtime
    // has just compiled; whoever has the signing key is trusted as much as the program.
    unsafe { Component::deserialize(engine, code) }
}

/// Load what was just compiled. For `Engine::load` only.
pub(super) fn just_compiled(engine: &Engine, code: &[u8]) -> Result<Component> {
    // SAFETY: the caller has the code from `compile::compile`, which has it from wasmtime's compiler: in memory that nobody else
    // has seen, or in a worker, which is a process of this program that this one started, that said to be of the same version,
    // and that answered over a pipe which nobody else has.
    unsafe { Component::deserialize(engine, code) }
}

/// Load a file of the cache. For `CacheDir::load` only.
pub(super) fn cached(engine: &Engine, code: &Path) -> Result<Component> {
    // SAFETY: the file holds what `Component::serialize` gave to `CacheDir::store`: the caller found that the hash over its bytes
    // was made with a secret that only this user can read. It cannot have changed since, as only this user can write to the
    // folder (`CacheDir::secret` checked owner and mode), and this crate replaces entries by renaming, never in place.
    // wasmtime itself refuses code of another version or configuration.
    unsafe { Component::deserialize_file(engine, code) }
}
