//! Runs: an instruction with documents that an agent follows, watched by clients and kept in a [`Store`](crate::store::Store).
//!
//! [`Runs`] is what interfaces use. Knows stores, models and sessions. Knows no HTTP.

mod agent;
mod bench;
mod check;
mod citation;
mod containers;
mod context;
mod control;
mod create;
mod desk;
mod documents;
mod drive;
mod entry;
mod event;
mod events;
mod fork;
mod import;
mod inbox;
mod keeper;
mod last_events;
mod lists;
mod live;
mod log;
mod managed;
mod model_check;
mod options;
mod output;
mod place;
mod quota;
mod recovery;
mod requests;
mod rule_places;
mod runs;
mod scripts;
mod shared;
mod spec;
mod state;
mod stream;
#[cfg(test)]
mod tests;
mod usage;
mod versions;
mod waiting;
mod words;
mod worker;
mod writer;

pub use citation::{RunCitation, RunMissing};
pub use containers::{ContainerDone, ContainerSession, Containers};
pub use event::{EventData, RunEvent};
pub(crate) use events::OUTPUT_MISMATCH;
pub(crate) use fork::ForkPoint;
pub use managed::{FoundServer, FoundServers, ManagedModels, ModelCheck, ModelEntry, NewModel};
pub(crate) use model_check::check as check_model;
pub(crate) use options::public_text;
pub use options::{
    Example, ModelInfo, Models, Policy, RunDefaults, RunsOptions, Teams, ToolOutput,
};
pub use output::RunOutput;
pub(crate) use quota::{Room, room};
pub use runs::Runs;
pub use spec::{
    AnswerDemand, CreateRun, DocumentSource, FunctionTool, ImportRun, Limits, Message, OutputForm,
    PlanOptions, RequiredCall, RunOptions, WordRules,
};
pub use state::{
    Answer, Failure, FunctionCall, Question, RunDocument, RunFile, RunState, RunStatus, RunUsage,
    WaitingInstruction,
};
pub use stream::EventStream;
pub use usage::UsedDay;
pub(crate) use usage::dollars;
