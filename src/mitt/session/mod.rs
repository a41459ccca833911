//! Sessions: the unit of isolation, with its documents, workspace, artifacts and journal.
//!
//! Knows skills, capabilities and rendering. Does not know models, protocols or user interfaces: the owner of a session adds
//! documents, makes calls, and receives each step as an [`Event`].
//!
//! The public methods stand in `session.rs`. Six folders own the state of a session, each with one struct: `content/`, `delivery/`,
//! `call/`, `script/`, `approval/` and `guard/`. They share the `context.rs`; `journal/` is what stays on the disk. The other files
//! are plain data.

mod agent_view;
mod approval;
mod approval_request;
mod attempt;
mod call;
mod call_id;
mod citations;
mod compile_progress;
mod content;
mod context;
mod delivery;
mod event;
mod guard;
mod inner_calls;
mod journal;
mod layer_event;
mod model_text;
mod open;
mod options;
mod report;
mod script;
#[allow(clippy::module_inception, reason = "it holds the type of this name")]
mod session;
mod stubs;
mod workspace_files;

pub use approval_request::{ApprovalRequest, ApprovedFile, Approver, Decision};
pub use attempt::Attempt;
pub use call_id::CallId;
pub use content::{DocumentOptions, TableResults};
pub use event::{Event, EventSink, RowStep};
pub use journal::{make_subfolder, state_file, write_private};
pub use layer_event::LayerEvent;
pub use model_text::ModelText;
pub use open::{DEFAULT_TENANT, SessionOptions};
pub use options::CallOptions;
pub use report::CallReport;
pub use session::Session;
pub use workspace_files::OutgoingFile;
