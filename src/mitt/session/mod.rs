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
mod artifacts;
mod asking;
mod attempts;
mod call;
mod call_id;
mod caller;
mod compile_progress;
mod deliver;
mod documents;
mod event;
mod folder;
mod given_pictures;
mod granted;
mod guarded;
mod handed_over;
mod handles;
mod host;
mod host_tools;
mod inner_calls;
mod journal;
mod left_out;
mod model_text;
mod moved_places;
mod options;
mod own_files;
mod pending;
mod pictures;
#[cfg(feature = "extism")]
mod plug_in;
mod recovery;
mod report;
mod requests;
mod resident;
mod results;
mod resume;
mod running;
mod script;
mod services;
mod shown;
mod stage;
mod state;
mod tables;
mod templates;
mod torn;
mod values;
mod wave;
mod workspace;

pub use add_document::DocumentOptions;
pub use approval::{ApprovalRequest, Approver, Decision};
pub use attempts::Attempt;
pub use call_id::CallId;
pub use event::{AgentCost, AgentStatus, AgentStep, Event, EventSink, PlannedStep, RowStep};
pub use folder::{make_subfolder, state_file, write_private};
pub use host::{Ahead, Changes, GuardSource, Host, HostBuilder, TenantCharge, Watch, engine_alone};
pub use model_text::ModelText;
pub use options::CallOptions;
pub use report::CallReport;
pub use results::TableResults;
pub use state::{DEFAULT_TENANT, Session, SessionOptions};
