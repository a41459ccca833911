//! The sandbox: loads components, gives each call a fresh store, and ends it when a limit is reached.
//!
//! Knows wasmtime and limits. Knows no skills, sessions, models or files to render: what a plugin may import beyond
//! WASI is linked by the caller of [`Engine::prepare`].

mod cache;
mod call;
mod clock;
mod compiler;
mod config;
mod plugin;
mod recording;
#[cfg(target_os = "linux")]
mod stacks;
mod store;
mod wasi;

pub use cache::CacheDir;
pub use call::{CallOutput, Usage};
pub(crate) use call::{Prepared, Resident};
pub(crate) use clock::CallClock;
pub(crate) use compiler::{Compiled, Compiler};
pub use config::{Engine, EngineOptions, WASMTIME_VERSION};
pub(crate) use plugin::MAX_COMPONENT_BYTES;
pub use plugin::{Plugin, PluginBytes, Precompiled};
pub(crate) use recording::Recording;
pub use store::{Environment, OutputLog, StoreCore, StoreData};
pub(crate) use wasi::{is_linked, way_out};
