//! What plugins may ask of their host: the interfaces of `wit/`, linked one by one as a skill is granted them.
//!
//! Each capability is one file: what it asks of a session (a trait), its functions and how they are linked. The session
//! answers; for an instance that has none, [`Nobody`](shared::Nobody) does. A new capability is a file like `log.rs`, a case
//! of [`Capability`], a field of [`Services`] and an arm of `link.rs`: the compiler asks for all but the first.
//!
//! Knows wasmtime and the contract. Does not know what a session is: whoever calls a plugin brings [`Services`] along, which
//! answer everything that the plugin asks for.
//!
//! ```text
//! documents.rs log.rs render.rs tools.rs workspace.rs   one capability each
//! script_host.rs       what engines of scripts have beside them
//!   services.rs        who answers: one for each
//!     context.rs       the data of a store
//!       link.rs        imports: refused or linked
//!         reader.rs script.rs   plugins with an interface of their own
//! name.rs shared.rs    what all of them know
//! ```

mod context;
mod documents;
mod link;
mod log;
mod name;
mod origin;
mod own;
mod reader;
mod render;
mod script;
mod script_host;
mod services;
mod shared;
mod tools;
mod workspace;

pub use context::CallContext;
pub use log::LogLevel;
pub use name::Capability;
pub use render::Artifact;

pub(crate) use documents::Documents;
pub(crate) use link::{OWN, check_import, is_for_engines, prepare, wanted_by};
pub(crate) use log::Log;
pub(crate) use origin::Origin;
pub(crate) use own::{OwnCapabilities, OwnCapability, is_ones_own};
pub(crate) use reader::{PreparedReader, ReaderContent};
pub(crate) use render::{Deliverable, Render};
pub(crate) use script::{PreparedScript, ScriptInstance, ScriptRequest, ScriptValue, Uncaught};
pub(crate) use script_host::{ScriptFunction, ScriptHost, ScriptModule, ScriptStream};
pub(crate) use services::Services;
pub(crate) use shared::ServiceError;
pub(crate) use tools::{Parameter, ToolFailure, ToolInfo, Tools};
pub(crate) use workspace::Workspace;
