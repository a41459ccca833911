//! The sandbox: loads components, gives each call a fresh store, and ends it when a limit is reached.
//!
//! Knows wasmtime and limits. Knows no skills, sessions, models or files to render: what a plugin may import beyond
//! WASI is linked by the caller of [`Engine::prepare`].

mod cache;
mod call;
#[cfg(feature = "compile")]
mod check;
mod clock;
#[cfg(feature = "compile")]
mod compile;
mod compiler;
mod config;
mod keys;
mod native;
mod plugin;
mod proposals;
mod recording;
#[cfg(target_os = "linux")]
mod stacks;
mod store;
mod turns;
mod wasi;

pub use cache::CacheDir;
pub use call::{CallOutput, Usage};
pub(crate) use call::{Prepared, Resident};
#[cfg(feature = "compile")]
pub use check::BOUNDS;
pub use clock::CallClock;
pub(crate) use clock::limited;
pub use compiler::{Compiler, Place};
pub use config::{Engine, EngineOptions, WASMTIME_VERSION};
pub use keys::{PrivateKey, PublicKey};
pub(crate) use native::{MAX_NATIVE_BYTES, MAX_RECORD_BYTES, is_native_code};
pub use native::{NativeCode, Precompiled, Signer};
pub use plugin::MAX_COMPONENT_BYTES;
pub use plugin::{Plugin, PluginBytes};
pub(crate) use recording::Recording;
pub use store::{Environment, OutputLog, StoreCore, StoreData};
pub(crate) use turns::Member;
pub(crate) use wasi::{is_linked, way_out};
