//! Runs document skills for language models in a sandbox.
//!
//! Mitt runs document skills as WebAssembly components inside your process. A model only ever *calls* a tool: Mitt checks each
//! call against the skill's WIT interface and runs it in a fresh store under limits of fuel, memory and time. The host itself
//! renders files.
//!
//! ```
//! use mitt::{Host, SessionOptions};
//!
//! # #[cfg(all(feature = "bundled", feature = "compile"))]
//! # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
//! let host = Host::builder().build()?;
//! let session = host.session(SessionOptions::default())?;
//! session.add_document_bytes("sales.csv", "月份,收入\n1月,1.2亿\n".into()).await?;
//!
//! let report = session.call("document_tool__read_table", r#"{"name": "sales.csv"}"#).await;
//! assert_eq!(report.result?.to_string(), r#"{"columns":["月份","收入"],"rows":[["1月","1.2亿"]]}"#);
//! assert!(report.usage.fuel > 0);
//!
//! let report = session.call("document_tool__read_table", r#"{"nam": "sales.csv"}"#).await;
//! assert!(report.result.unwrap_err().render().contains("did you mean `name`?"));
//! # Ok::<(), mitt::Error>(())
//! # }).unwrap();
//! ```
//!
//! Calls need a tokio runtime with its timer enabled (`enable_time`): a timer of the runtime enforces the deadline of a call.
//!
//! # Core concepts
//!
//! * [`Host`]: engine, skills and limits. Create one per process. It is a cheap handle, `Send` and `Sync`.
//! * [`Session`]: the unit of isolation, with documents, workspace, artifacts and journal. It is a cheap handle; the session ends
//!   with its last clone.
//! * [`skill::Skill`] and [`skill::Tool`]: a skill is a folder with a manifest and a plugin, a tool is one exported function of
//!   the plugin. The host loads a plugin when it is first needed, and keeps it.
//! * [`CallReport`]: the result of a call, the resources that it used and the files that it delivered. Each call gets an instance
//!   of its own and leaves no state behind, unless it returns handles of resources: those live in the session, together with
//!   their instance.
//! * [`Error`] and [`ErrorKind`]: tell errors of the plugin, limits, traps and faults of the host apart.
//!
//! # Features
//!
//! On by default:
//!
//! * `bundled`: the skills that come with Mitt.
//! * `compile`: a compiler. Without it, only components compiled ahead of time run.
//! * `docx`, `pdf`, `pptx`, `xlsx`: rendering of files in these formats.
//! * `fill`: filling of existing workbooks and documents as templates.
//! * `highlight`: syntax colours for code in documents.
//! * `pdf-compact`: a small PDF typesetter for builds without `pdf`.
//! * `png`: charts as PNG pictures.
//! * `preview`: pages of a PDF as pictures.
//! * `signing`: keys of the operator for signatures of PDF files.
//! * `watch`: reload of skills when their folders change.
//!
//! Off by default:
//!
//! * `arrow`: conversion of tables from and to Arrow arrays (`Session::add_arrow` and the module `arrow`).
//! * `cross`: ahead-of-time compilation for other processors.
//! * `extism`: Extism plug-ins as skills.
//! * `parquet`: tables as Parquet files.
//!
//! Without any feature the crate is the core: engine, typed calls, skills, documents, scripts, sessions.
//!
//! # Not here
//!
//! Mitt offers no containers, does not rely on prompts for safety, and is no general-purpose WebAssembly host. Types of
//! [`wasmtime`] appear only with a plugin's values ([`value`]); they follow the releases of wasmtime, not those of Mitt.

#![forbid(unsafe_code)]

mod check;
mod host;
#[doc(hidden)]
pub mod internal;
pub mod offer;
mod script;
mod session;
pub mod skill;
mod worker;

use mitt_engine as engine;
use mitt_ingest as ingest;

pub use mitt_base::{
    BlockingLimits, CallLimits, ConcurrencyLimits, Error, ErrorKind, InputProblem, Limit,
    MemoryLimits, MemoryUsage, PartsLimits, Remedy, Resource, Result, SessionLimits,
};
pub use mitt_guard as guard;
pub use mitt_ingest::ocr;
pub use mitt_render as render;
pub use mitt_wit::{schema, value};
/// The WebAssembly runtime, for linking with [`HostBuilder::capability`] and for the values of [`value`]. Its types follow its
/// own releases.
pub use wasmtime;

pub use host::{Ahead, Changes, GuardSource, Host, HostBuilder, Watch};
pub use mitt_engine::{
    CacheDir, CodeSource, Engine, EngineOptions, Environment, NativeCode, Plugin, PluginBytes,
    Precompiled, PrivateKey, ProblemSink, PublicKey, Signer, StoredComponent, Target, Usage,
};
pub use mitt_skill::capability::{
    Artifact, CallContext, Capability, Contents, FetchBounds, GrantBounds, LogLevel, RenderBounds,
    ToolBounds, WorkspaceBounds,
};
#[cfg(feature = "extism")]
pub use mitt_skill::capability::{ExtismFunction, ExtismResult};
#[cfg(feature = "arrow")]
pub use mitt_table::arrow;
pub use mitt_table::{Cell, CellRef, Column, ColumnType, NamedTable, Table, TableBuilder};
pub use mitt_types::{
    Citation, CitationOutcome, Citations, Document, EmbeddedFile, EmbeddedFiles, Excerpt, Fetch,
    FetchRequest, Fetched, FetchedBody, HttpBounds, HttpRequest, HttpResponse, LeftOut,
    MissingClaim, PageRect, Place, SigningAlgorithm, SigningKey, SigningKeys, TextBudget,
    WorkbookView, excerpts, url_of,
};
pub use script::OutputStream;
pub use session::{
    ApprovalRequest, ApprovedFile, Approver, Attempt, CallId, CallOptions, CallReport, Decision,
    DocumentOptions, Event, EventSink, LayerEvent, ModelText, OutgoingFile, RowStep, Session,
    SessionOptions, TableResults,
};
pub use worker::{WorkerOptions, is_worker, serve_as_worker};
