//! The sandbox of [Mitt](https://docs.rs/mitt): loads components, gives each call a fresh store, and ends it when a limit is
//! reached.
//!
//! Knows wasmtime and limits. Knows no skills, sessions, models or files to render: the caller of [`EngineInternal::prepare`]
//! links what a plugin may import beyond WASI.
//!
//! Its interface is for `mitt` and changes with it. `mitt` re-exports what is meant for others, and its version speaks for those
//! items alone.

mod cache;
mod call;
mod clock;
mod compared_files;
#[cfg(feature = "compile")]
mod compile;
#[cfg(not(feature = "compile"))]
#[path = "compile_disabled.rs"]
mod compile;
mod compiler;
mod config;
mod environment;
#[cfg(feature = "extism")]
pub mod extism;
mod internal;
mod keys;
mod limiter;
mod load;
mod native;
mod native_file;
mod native_load;
mod native_magic;
mod output;
mod plugin;
#[cfg(feature = "extism")]
pub mod preview1;
mod proposals;
mod recording;
mod scheduler;
#[cfg(target_os = "linux")]
mod stacks;
mod store;
mod stored;
mod tables;
mod target;
mod wasi;

pub use cache::CacheDir;
pub use call::{Body, CallOutput, Prepared, Resident, Returned, Usage};
pub use clock::{CallClock, Stopped, limited};
pub use compile::BOUNDS;
#[cfg(feature = "compile")]
pub use compile::extism as plug_in;
pub use compiler::{Bound, CompileLocation, Compiler, Order, Urgency, Wanted};
pub use config::{Engine, EngineOptions, ProblemSink};
pub use environment::Environment;
pub use internal::{
    CacheDirInternal, EngineInternal, EnvironmentInternal, PluginBytesInternal, PluginInternal,
    StoredComponentInternal, UsageInternal,
};
pub use keys::{PrivateKey, PublicKey};
pub use load::{ComponentSummary, MAX_COMPONENT_BYTES, PluginBytes};
pub use native::{CodeSource, MAX_RECORD_BYTES, NativeCode, Precompiled, Signer};
pub use native_load::WASMTIME_VERSION;
pub use native_magic::is_native_code;
pub use output::OutputLog;
pub use plugin::Plugin;
pub use recording::Recording;
pub use scheduler::{Scheduler, SchedulerHandle, for_the_same};
pub use store::{StoreCore, StoreData};
pub use stored::StoredComponent;
pub use target::Target;
pub use wasi::{is_linked, way_out};
