//! The one way for native code into this process.
//!
//! Native code is not sandboxed, so wasmtime loads it in `unsafe` functions only. They are called here and nowhere else; each use
//! says why it is sound. Who vouches for a piece of code is looked at by the callers, of which each function here has one.
#![allow(
    unsafe_code,
    reason = "wasmtime cannot load native code without it; each use says why it is sound"
)]

use std::fs::File;
use std::io::Seek as _;

use wasmtime::component::Component;
use wasmtime::{Engine, Result};

/// Version of wasmtime that this crate runs components with; part of the cache key.
pub const WASMTIME_VERSION: &str = "48.0.8";

/// Let the compiler use what `flags` name, on other processors than this one. For `compile::engine_for` only.
#[cfg(feature = "compile")]
pub(super) fn allow_features(config: &mut wasmtime::Config, flags: &[String]) {
    for flag in flags {
        // SAFETY: they are names of features of a processor, from a fixed list (`Target::settings`), and no other settings of the
        // compiler. Code that uses a feature is loaded only by wasmtime, which looks whether this processor has it.
        unsafe { config.cranelift_flag_enable(flag) };
    }
}

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

/// Map a file of native code that somebody vouches for, or that this user's cache holds. For `Engine::load_file` and
/// `CacheDir::load` only.
pub(super) fn mapped(engine: &Engine, file: &File) -> Result<Component> {
    let Some(path) = path_of(file) else {
        // Read from the file that was looked at, wherever its name leads by now.
        let mut file = file.try_clone()?;
        file.rewind()?;
        let code = mitt_base::plain_file::content(file, u64::MAX)?;
        // SAFETY: as below.
        return unsafe { Component::deserialize(engine, code) };
    };
    // SAFETY: the file holds what wasmtime has compiled: the caller has compared it with a hash that a key vouches for, as
    // `vouched_for` says, or with one that was made with a secret which only this user can read; or the operator said that nobody
    // can have changed it who could not change this program. It cannot have changed since, nor can it while it is mapped: only
    // this user and the administrator can write to it (`Identity::of`, `Place::of`), and this program replaces files of native
    // code by renaming, never in place. wasmtime itself refuses code of another version, configuration or processor.
    unsafe { Component::deserialize_file(engine, path) }
}

/// A path that leads to this very file, whatever its name has become: wasmtime opens what it maps.
#[cfg(unix)]
fn path_of(file: &File) -> Option<std::path::PathBuf> {
    use std::os::fd::AsRawFd as _;

    let folder = if cfg!(target_os = "linux") { "/proc/self/fd" } else { "/dev/fd" };
    let path = std::path::Path::new(folder).join(file.as_raw_fd().to_string());
    // In a sandbox there may be none.
    path.exists().then_some(path)
}

#[cfg(not(unix))]
fn path_of(_: &File) -> Option<std::path::PathBuf> {
    None
}
