//! The loop of an agent: asks the model, makes the calls that it requests, and returns their results, until it requests no more.
//!
//! Any chat model with tools can drive a session, through an implementation of [`ChatModel`]. It reports its errors as
//! [`Error::model`](mitt::Error::model).
//!
//! ```
//! use std::sync::Arc;
//!
//! use async_trait::async_trait;
//! use futures_util::stream;
//! use mitt::{Error, ErrorKind, Host, SessionOptions};
//! use mitt_agent::Agent;
//! use mitt_agent::model::{ChatEvent, ChatModel, ChatRequest, ChatStream, Message, ModelCall};
//!
//! /// Reads a table and says what is in it. A real model would send `request` to a service and pass its answer on.
//! struct Scripted {
//!     is_reachable: bool,
//! }
//!
//! #[async_trait]
//! impl ChatModel for Scripted {
//!     fn name(&self) -> &str {
//!         "scripted"
//!     }
//!
//!     async fn chat<'a>(&'a self, request: ChatRequest<'a>) -> mitt::Result<ChatStream<'a>> {
//!         if !self.is_reachable {
//!             let error = Error::model("the model cannot be reached").at("models.example.org");
//!             return Err(error.hint("check the network").retryable(true));
//!         }
//!         let event = match request.messages.last() {
//!             Some(Message::Tool { content, .. }) => ChatEvent::Text(format!("It says {content}")),
//!             _ => ChatEvent::Call(ModelCall {
//!                 id: "call-1".into(),
//!                 name: "document_tool__read_table".into(),
//!                 arguments: r#"{"name": "sales.csv"}"#.into(),
//!             }),
//!         };
//!         Ok(Box::pin(stream::iter([Ok(event)])))
//!     }
//! }
//!
//! # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
//! let host = Host::builder().build()?;
//! let session = host.session(SessionOptions::default())?;
//! session.add_document_bytes("sales.csv", "month,revenue\nJanuary,1.2k\n".into()).await?;
//!
//! let agent = Agent::builder(Arc::new(Scripted { is_reachable: true })).build();
//! let report = agent.run(&session, "What is in sales.csv?").await?;
//! assert_eq!(
//!     report.text,
//!     r#"It says {"columns":["month","revenue"],"rows":[["January","1.2k"]],"$ref":"t:1"}"#
//! );
//! assert_eq!((report.turns, report.calls.len()), (2, 1));
//!
//! let agent = Agent::builder(Arc::new(Scripted { is_reachable: false })).build();
//! let error = agent.run(&session, "What is in sales.csv?").await.unwrap_err();
//! assert_eq!(error.kind(), &ErrorKind::Model);
//! assert_eq!(
//!     error.render(),
//!     "models.example.org: the model cannot be reached\nhint: check the network"
//! );
//! assert!(error.is_retryable(), "the caller may try again");
//! # Ok::<(), mitt::Error>(())
//! # }).unwrap();
//! ```
//!
//! Knows models and sessions. Never touches wasmtime.

#![forbid(unsafe_code)]

mod agent;
mod answer_form;
mod caller_function;
mod calls;
mod citations;
mod compact;
mod conversation;
mod delegation;
mod demand;
mod earlier;
mod files;
mod formed;
#[cfg(test)]
mod full_disk;
mod instructions;
mod log;
#[cfg(test)]
mod memory_log;
pub mod model;
mod offer;
mod options;
mod pending;
pub mod plan;
mod plan_record;
mod prompt;
mod replay;
mod report;
mod requested_formats;
mod required;
pub mod route;
mod routing;
mod run_event;
mod run_usage;
mod scripts;
mod seed;
mod steering;
mod stream;
mod tags;
mod team;
mod turn;
mod usage;
mod window;

pub use agent::{Agent, AgentBuilder};
pub use answer_form::{AnswerForm, AnswerMismatch};
pub use caller_function::{CallerFunction, MAX_FUNCTION_BYTES, MAX_FUNCTIONS};
pub use conversation::Conversation;
pub use delegation::{SubAgent, Task};
pub use demand::Demand;
pub use earlier::{EarlierMessage, Speaker};
pub use log::{LoggedDocument, LoggedRun, LoggedStep, MAX_LOG_BYTES, PlanCall, RunHeader, RunLog};
pub use mitt::offer::ToolMode;
pub use options::AgentLimits;
pub use replay::{Difference, Replayed, replay};
pub use report::{Delegated, RunReport, Spent};
pub use run_event::{AgentCost, AgentStatus, AgentStep, PlannedStep, RunEvent};
pub use scripts::{AroundScripts, MakeScript, ScriptDone};
pub use steering::Steering;
pub use stream::RunItem;
pub use team::{AgentMd, AgentSource, DELEGATE, Listed, Roster, TRANSFER, Team, TeamLimits};
pub use usage::Budget;
