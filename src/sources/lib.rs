//! Tools of other MCP servers: approved once, then checked, limited and recorded like Mitt's own.
//!
//! ```
//! use mitt_sources::{Approved, Servers, Sources};
//!
//! let file = r#"{"mcpServers": {"notes": {"command": "notes-server", "args": ["--quiet"], "enabled": true}}}"#;
//! let servers = Servers::parse(file, "mcp.json")?;
//! let sources = Sources::new(&servers, &Approved::default());
//! // No tool is offered before a person has approved it.
//! assert!(sources.tools().is_empty());
//! assert!(sources.problems()[0].contains("`notes` is not approved"));
//! # Ok::<(), mitt_base::Error>(())
//! ```
//!
//! - [`Servers`]: the servers of a file, in the form that other programs use too (`mcpServers`).
//! - [`Listing`]: a server's description of its tools, fetched by [`Listing::of`] to show it to a person.
//! - [`Approved`]: what was approved, with the digest of each tool; kept in a file.
//! - [`Sources`]: the approved tools of the enabled servers, for [`HostBuilder::tool`](mitt::HostBuilder::tool).
//!
//! A server is started at the first call of one of its tools, shared by all sessions, and restarted after it broke off. A
//! failing server affects only its own tools. Their names are `mcp_<server>__<tool>`, so they never hide a tool of a skill.
//!
//! # Limits
//!
//! Each limit has its constant: [`MAX_SERVERS`], [`MAX_TOOLS`], [`MAX_DESCRIPTION`]. A message has at most 16 MiB, from a
//! program or over HTTP. The memory that it takes as a tree of values is computed before the tree is built, as for messages
//! of clients. Mitt refuses requests of a server to its client (a model, files, questions to the user).
//!
//! Knows MCP as a client. Serves nothing. Approving single calls is up to the session.

#![forbid(unsafe_code)]

mod answers;
mod approved;
mod config;
mod connection;
mod expand;
mod http;
mod last_words;
mod listing;
mod message_weight;
mod name;
mod program;
mod result;
mod source;
mod supervisor;
mod tool;
mod transport;

pub use approved::{Approved, ApprovedTool};
pub use config::{MAX_CONFIG_BYTES, MAX_SERVERS, Server, Servers, Transport};
pub use listing::{Listing, MAX_DESCRIPTION, MAX_TOOLS, OfferedTool};
pub use source::Sources;
pub use supervisor::{is_supervisor, supervise};
