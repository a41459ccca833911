//! The sandbox: loads components, gives each call a fresh store, and ends it when a limit is reached.
//!
//! Knows wasmtime and limits. Knows no skills, sessions, models or files to render: the caller of [`Engine::prepare`] links what
//! a plugin may import beyond WASI.

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
pub(crate) mod extism;
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
pub(crate) mod preview1;
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
pub use call::Usage;
pub(crate) use call::{Body, CallOutput, Prepared, Resident, Returned};
pub(crate) use clock::{CallClock, limited};
pub use compile::BOUNDS;
#[cfg(feature = "compile")]
pub(crate) use compile::extism as plug_in;
pub use compiler::Bound;
pub(crate) use compiler::{CompileLocation, Compiler, Order, Urgency, Wanted};
pub use config::{Engine, EngineOptions, ProblemSink};
pub use environment::Environment;
pub use keys::{PrivateKey, PublicKey};
pub(crate) use load::ComponentSummary;
pub use load::{MAX_COMPONENT_BYTES, PluginBytes};
pub(crate) use native::MAX_RECORD_BYTES;
pub use native::{CodeSource, NativeCode, Precompiled, Signer};
pub use native_load::WASMTIME_VERSION;
pub(crate) use native_magic::is_native_code;
pub use plugin::Plugin;
pub(crate) use recording::Recording;
pub(crate) use scheduler::{SchedulerHandle, for_the_same};
pub(crate) use store::{StoreCore, StoreData};
pub use stored::StoredComponent;
pub use target::Target;
pub(crate) use wasi::{is_linked, way_out};
