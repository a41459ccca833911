//! Capabilities of plugins: the interfaces of `wit/`, and those that an embedder adds. Each is linked only if the skill is
//! granted it.
//!
//! Each capability is one file: its interface to the session (a trait), the bounds of its grant, its functions, and their
//! linking. The session of `mitt` implements each trait separately, so that wrappers (bounds of grants, a record for scripts that pause)
//! replace only what they change. For an instance without a session, `Nobody` implements all of them.
//!
//! - **A new capability of Mitt** is a file like `log.rs`. The compiler then demands the other places: a case of [`Capability`],
//!   a field of `Services`, an arm in `link.rs`, and the implementation of the session.
//! - **A new file format** is a row of the table in `render.rs`, a case of its `Deliverable`, a function in `wit/render.wit`, and a
//!   file in `session/delivery/formats/`.
//! - **A capability of an embedder** needs nothing here: it is one call of
//!   `HostBuilder::capability` of `mitt`. It is granted, refused, approved and limited like Mitt's own.
//!
//! Knows wasmtime and the contract. Does not know what a session is: the caller of a plugin passes `Services`, which answer all
//! requests of the plugin.
//!
//! ```text
//! artifact.rs name.rs shared.rs    shared by all
//!   catalog.rs documents.rs fetch.rs files.rs log.rs render.rs tables.rs tools.rs workspace.rs   one capability each
//!   script_host.rs     additional functions of script engines
//!   origin.rs          origin of a call, for capabilities of an embedder
//!     services.rs      one service per capability
//!       bounds.rs      bounds of all grants
//!       context.rs     data of a store
//!         own.rs       capabilities of an embedder
//!         extism.rs    host functions of Extism plug-ins
//!           link.rs    imports: refused or linked
//!             reader.rs script.rs   readers and script engines
//! ```

mod artifact;
mod bounds;
mod catalog;
mod context;
mod documents;
#[cfg(feature = "extism")]
mod extism;
#[cfg(not(feature = "extism"))]
#[path = "extism_disabled.rs"]
mod extism;
mod fetch;
mod files;
mod link;
mod log;
mod name;
mod origin;
mod own;
mod reader;
mod reading;
mod render;
mod script;
mod script_host;
mod services;
mod shared;
mod signing;
mod tables;
mod tools;
mod workspace;

pub use artifact::{Artifact, Contents, ContentsInternal};
pub use bounds::GrantBounds;
pub use context::{CallContext, CallContextInternal};
#[cfg(feature = "extism")]
pub use extism::{ExtismFunction, ExtismResult};
pub use fetch::FetchBounds;
pub use log::LogLevel;
pub use name::Capability;
pub use render::RenderBounds;
pub use workspace::WorkspaceBounds;

pub use catalog::{Catalog, CatalogEntry};
pub use documents::Documents;
#[cfg(feature = "extism")]
pub use extism::capability as extism_capability;
pub(crate) use extism::is_host as is_for_plug_ins;
pub use fetch::Web;
pub use files::{EditedFile, Files};
pub(crate) use link::{OWN, check_import, check_needs, is_for_engines, prepare, wanted_by};
pub use log::Log;
pub use origin::Origin;
pub(crate) use own::is_ones_own;
pub use own::{OwnCapabilities, OwnCapability};
pub use reader::{
    Parts, PieceOutput, PreparedReader, ReaderContent, ReaderFailure, ReaderFile, ReaderOutput,
    ReaderPiece, ReaderWith, Share,
};
pub use render::{Change, ChartPicture, Deliverable, Filling, Format, Render, Word};
pub use script::{PreparedScript, ScriptInstance, ScriptRequest, ScriptValue, Uncaught};
pub use script_host::{ScriptFunction, ScriptHost, ScriptModule, ScriptStream};
pub use services::Services;
pub use shared::ServiceError;
pub use signing::Signing;
pub use tools::{
    CallResult, Parameter, ToolBounds, ToolBoundsInternal, ToolCall, ToolFailure, ToolInfo, Tools,
};
pub use workspace::Workspace;
