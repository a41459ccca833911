//! A server of the Model Context Protocol, the interface for agents.
//!
//! A process has one [`Server`]; a [`Connection`] answers one client. This module does not know how messages travel, except
//! for standard input and output, which are a part of the protocol itself. Tools, schemas, limits and isolation are those of
//! the library: nothing here decides what a call may do.
//!
//! Revisions 2025-06-18, 2025-11-25 and 2026-07-28 are supported. Older ones have neither structured results nor links to
//! files; a client that requests one is offered 2025-11-25.
//!
//! The state of a client is a [`Session`](mitt::Session): documents, files, journal. A connection that began with
//! `initialize` has its own, which ends with it. Requests of 2026-07-28 have no connection: those of one [`Client`] share a
//! session.

mod about;
mod activation;
mod apps;
mod audit;
mod calls;
mod catalogue;
mod catalogues;
mod changes;
mod client;
mod compiling;
mod completion;
mod connection;
mod documents;
mod elicitation;
mod files;
mod folders;
mod guard;
mod kept_files;
pub(crate) mod links;
mod long_calls;
mod methods;
mod options;
mod pages;
mod pictures;
mod prompts;
pub(crate) mod raw_message;
mod request;
mod resources;
mod results;
mod schemas;
mod server;
mod session_slots;
mod shared;
mod skills;
mod stdio;
mod tasks;
mod tool_lists;
mod traces;
pub(crate) mod uri;

pub use guard::Connection;
pub use options::{Client, Images, Observed, Observer, ResourceLinks, Schemas, ServerOptions};
pub use server::{Counts, Server};
