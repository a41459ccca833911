//! Tools of other MCP servers: approved once, then checked, bounded and written down as those of Mitt's own.
//!
//! ```
//! use mitt_sources::{Approved, Servers, Sources};
//!
//! let file = r#"{"mcpServers": {"notes": {"command": "notes-server", "args": ["--quiet"], "enabled": true}}}"#;
//! let servers = Servers::parse(file, "mcp.json")?;
//! let sources = Sources::new(&servers, &Approved::default());
//! // Nothing of it is offered before somebody has approved it.
//! assert!(sources.tools().is_empty());
//! assert!(sources.problems()[0].contains("`notes` is not approved"));
//! # Ok::<(), mitt_base::Error>(())
//! ```
//!
//! - [`Servers`]: what a file says of servers, in the form that other programs use too (`mcpServers`).
//! - [`Listing`]: what a server says of its tools, asked by [`Listing::of`], to be shown to a person.
//! - [`Approved`]: what was approved, with the digest of each tool; kept in a file.
//! - [`Sources`]: the approved tools of the enabled servers, for [`HostBuilder::tool`](mitt::HostBuilder::tool).
//!
//! A server is started at the first call of one of its tools, shared by all sessions, and started again after it broke off. One that fails
//! costs its own tools only. Names of its tools are `mcp_<server>__<tool>`: no tool of a skill is hidden by one.
//!
//! # Limits
//!
//! Each limit has its constant: [`MAX_SERVERS`], [`MAX_TOOLS`], [`MAX_DESCRIPTION`]. A message has at most 16 MiB, from a program as over HTTP.
//! Its memory as a tree of values is computed before the tree is built, as for messages of clients. Mitt refuses what a server requests
//! of its client (a model, files, questions to the user).
//!
//! Knows MCP as a client. Serves nothing, and decides nothing about calls: approvals of single calls are the session's.

#![forbid(unsafe_code)]

mod answers;
mod approved;
mod config;
mod connection;
mod expand;
mod http;
mod listing;
mod name;
mod program;
mod result;
mod source;
mod supervisor;
mod tool;
mod transport;
mod weighed;

pub use approved::{Approved, ApprovedTool};
pub use config::{MAX_CONFIG_BYTES, MAX_SERVERS, Server, Servers, Transport};
pub use listing::{Listing, MAX_DESCRIPTION, MAX_TOOLS, OfferedTool};
pub use source::Sources;
pub use supervisor::{is_supervisor, supervise};
