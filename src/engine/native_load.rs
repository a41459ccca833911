//! The only place where native code enters this process.
//!
//! Native code is not sandboxed, so wasmtime loads it in `unsafe` functions only. They are called in this file only; each use
//! says why it is sound. Each function here has one caller, which verifies the code.
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

/// Enables the compiler features in `flags` for processors other than this one. Only for `compile::engine_for`.
#[cfg(feature = "compile")]
pub(super) fn allow_features(config: &mut wasmtime::Config, flags: &[String]) {
    for flag in flags {
        // SAFETY: they are names of processor features from a fixed list (`Target::settings`), and no other settings of the
        // compiler. Code that uses a feature is loaded only by wasmtime, which checks that this processor has it.
        unsafe { config.cranelift_flag_enable(flag) };
    }
}

/// Loads verified native code. Only for `Engine::load_native`.
pub(super) fn vouched_for(engine: &Engine, code: &[u8]) -> Result<Component> {
    // SAFETY: the caller found the hash of the code in a record that was sealed with a secret of this user, or signed with a key
    // that the embedder trusts (`EngineOptions::precompiled_keys`). Only `Engine::precompile` makes such records, for code that
    // wasmtime has just compiled; the owner of the signing key is trusted as much as the program.
    unsafe { Component::deserialize(engine, code) }
}

/// Loads code that was just compiled. Only for `Engine::load`.
pub(super) fn just_compiled(engine: &Engine, code: &[u8]) -> Result<Component> {
    // SAFETY: the code comes from `compile::compile`, which has it from wasmtime's compiler: in this process, in memory that
    // nothing else has accessed, or from a worker. A worker is a process of the same program and version that this process
    // started, and it answers over a pipe that no other process has.
    unsafe { Component::deserialize(engine, code) }
}

/// Maps a file of verified native code, or of this user's cache. Only for `Engine::load_file` and `CacheDir::load`.
pub(super) fn mapped(engine: &Engine, file: &File) -> Result<Component> {
    let Some(path) = path_of(file) else {
        // Reads the file that was checked, even if its name refers to another one by now.
        let mut file = file.try_clone()?;
        file.rewind()?;
        let code = mitt_base::plain_file::content(file, u64::MAX)?;
        // SAFETY: see below.
        return unsafe { Component::deserialize(engine, code) };
    };
    // SAFETY: the file holds code compiled by wasmtime. Either the caller has compared it with a hash that was verified as in
    // `vouched_for`, or with one made with a secret that only this user can read; or the operator stated that only those who can
    // change this program can change the file. It cannot have changed since then, nor can it while it is mapped: only this user
    // and the administrator can write to it (`Identity::of`, `FolderTrust::of`), and this program replaces files of native code
    // by renaming, never in place. wasmtime itself refuses code of another version, configuration or processor.
    unsafe { Component::deserialize_file(engine, path) }
}

/// Returns a path to this open file, even if its name now refers to another one: wasmtime opens the file that it maps.
#[cfg(unix)]
fn path_of(file: &File) -> Option<std::path::PathBuf> {
    use std::os::fd::AsRawFd as _;

    let folder = if cfg!(target_os = "linux") { "/proc/self/fd" } else { "/dev/fd" };
    let path = std::path::Path::new(folder).join(file.as_raw_fd().to_string());
    // A sandbox may not provide the folder.
    path.exists().then_some(path)
}

#[cfg(not(unix))]
fn path_of(_: &File) -> Option<std::path::PathBuf> {
    None
}
