//! Sessions: the unit of isolation, with its documents, workspace, artifacts and journal.
//!
//! Knows skills, capabilities and rendering. Does not know models, protocols or user interfaces: the owner of a session adds
//! documents, makes calls, and receives each step as an [`Event`].

mod add_document;
mod add_table;
mod add_url;
mod agent_view;
mod agents;
mod approval;
mod approval_gate;
mod approval_preview;
mod artifacts;
mod attempts;
mod call;
mod call_id;
mod caller;
mod compile_progress;
mod deliver;
mod documents;
mod event;
mod file_records;
mod folder;
mod handles;
mod host_tools;
mod inner_calls;
mod journal;
mod model_text;
mod options;
mod pending_calls;
mod picture_store;
mod pictures;
mod place_mapping;
#[cfg(feature = "extism")]
mod plug_in;
mod recovery;
mod redaction;
mod report;
mod requests;
mod resident_calls;
mod results;
mod resume;
mod script;
mod script_execution;
mod script_grants;
mod services;
mod skipped_files;
mod stage;
mod state;
mod tables;
mod templates;
mod truncated_journal;
mod values;
mod wave;
mod workspace;
mod workspace_delivery;

pub use add_document::DocumentOptions;
pub use approval::{ApprovalRequest, Approver, Decision};
pub use attempts::Attempt;
pub use call_id::CallId;
pub use event::{AgentCost, AgentStatus, AgentStep, Event, EventSink, PlannedStep, RowStep};
pub use folder::{make_subfolder, state_file, write_private};
pub use model_text::ModelText;
pub use options::CallOptions;
pub use report::CallReport;
pub use results::TableResults;
pub use state::{DEFAULT_TENANT, Session, SessionOptions};
