//! Hands for language models, with gloves on.
//!
//! Mitt runs document skills as sandboxed WebAssembly components inside your process. A model only ever *calls*: each
//! call is checked against the skill's WIT interface, runs in a fresh store under fuel, memory and time limits, and
//! files are rendered natively by the host.
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
//! Calls need a tokio runtime with its timer enabled (`enable_time`): the deadline of a call is one of its timers.
//!
//! # Core concepts
//!
//! * [`Host`]: engine, skills and limits. One per process; a cheap handle, `Send` and `Sync`.
//! * [`Session`]: the unit of isolation, with documents, workspace, artifacts and journal. A cheap handle; dropped with
//!   its last clone.
//! * [`skill::Skill`] and [`skill::Tool`]: a folder with a manifest and a plugin, and one exported function of it. Plugins
//!   are loaded when first needed and kept by the host.
//! * [`CallReport`]: how a call ended, what it used, what it delivered. A call gets an instance of its own; nothing of
//!   it is left for the next, unless it gives out handles of resources: they live in the session, with their instance.
//! * [`Error`] and [`ErrorKind`]: the plugin's own errors, limits and traps, and faults of the host never mix.
//!
//! # Features
//!
//! On by default; without them the crate is the core: engine, typed calls, skills, documents, scripts, sessions.
//!
//! * `bundled`: the skills that come with Mitt, inside the binary.
//! * `compile`: the compiler. Without it only components that were compiled ahead of time run.
//! * `docx`, `pptx`, `xlsx`: Word files and slides from Markdown; new workbooks.
//! * `fill`: existing workbooks and Word files as templates.
//! * `pdf`, `pdf-compact`: PDF from Markdown with Typst; the same with a small typesetter, for builds without Typst.
//! * `highlight`, `png`, `preview`: colours of code in documents; charts as pictures; the first page of a PDF as a picture.
//! * `watch`: skills are reloaded when their folders change.
//!
//! Off by default:
//!
//! * `arrow`: [`Session::add_table`] also takes Arrow's arrays, and tables convert to them (module `arrow`).
//! * `cross`: `mitt compile` for ARM on x86, and the reverse.
//! * `extism`: Extism plugins as skills.
//! * `parquet`: tables as Parquet files.
//!
//! # Not here
//!
//! Containers, prompts that promise safety, and a general-purpose WebAssembly host. wasmtime's own types ([`wasmtime`]) appear
//! only where a plugin's values do ([`value`]); they follow its releases, not ours.

mod capability;
mod check;
mod document;
mod engine;
mod excerpt;
mod fetch;
mod fill;
#[doc(hidden)]
pub mod house;
mod ingest;
mod json_rows;
pub mod ocr;
pub mod offer;
mod script;
mod session;
pub mod skill;
mod worker;

pub use mitt_base::{
    BlockingLimits, CallLimits, ConcurrencyLimits, Error, ErrorKind, InputProblem, Limit,
    MemoryLimits, MemoryUsage, PartsLimits, Resource, Result, SessionLimits,
};
pub use mitt_guard as guard;
pub use mitt_render as render;
pub use mitt_wit::{schema, value};
/// The runtime: for what is linked with [`HostBuilder::capability`], and for the values of [`value`]. Its types follow its own
/// releases.
pub use wasmtime;

pub use capability::{
    Artifact, CallContext, Capability, Contents, FetchBounds, GrantBounds, LogLevel, RenderBounds,
    ToolBounds, WorkspaceBounds,
};
#[cfg(feature = "extism")]
pub use capability::{ExtismFunction, ExtismResult};
pub use document::{Document, Place};
pub use engine::{
    CacheDir, CodeSource, Engine, EngineOptions, Environment, NativeCode, Plugin, PluginBytes,
    Precompiled, PrivateKey, ProblemSink, PublicKey, Signer, Target, Usage,
};
pub use excerpt::{Excerpt, LeftOut, TextBudget, excerpts};
pub use fetch::{Answer, Asked, AskedBounds, Fetch, FetchRequest, Fetched, FetchedBody, url_of};
#[cfg(feature = "arrow")]
pub use mitt_table::arrow;
pub use mitt_table::{Cell, CellRef, Column, ColumnType, NamedTable, Table, TableBuilder};
pub use script::OutputStream;
pub use session::{
    AgentCost, AgentStatus, AgentStep, Ahead, ApprovalRequest, Approver, Attempt, CallId,
    CallOptions, CallReport, Changes, Decision, DocumentOptions, Event, EventSink, GuardSource,
    Host, HostBuilder, ModelText, PlannedStep, RowStep, Session, SessionOptions, TableResults,
    Watch,
};
pub use worker::{WorkerOptions, is_worker, serve_as_worker};
