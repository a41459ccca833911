//! MCP over streamable HTTP, with health, readiness and metrics.
//!
//! The only room that knows HTTP. Knows no skill and no call: a request that is let in is handed to rmcp's transport, which
//! asks [`mcp::Server`](crate::mcp::Server) for a connection. What is let in is decided here, in this order: connections,
//! header, `Host` and `Origin`, token, requests at once, body.
//!
//! A file that a tool delivered can be had by a signed link too, without a token: `files.rs`.
//!
//! Each token is a client of its own, with a transport and sessions of its own. The id of a session means nothing to
//! another client: there is no table that both could look into.

mod access;
mod body;
mod connection;
mod cors;
mod files;
mod limits;
mod message;
mod metrics;
mod options;
mod refusals;
mod route;
mod server;
mod sessions;
mod shared;
mod stream;
mod token_client;
mod tokens;
mod uploads;

pub use limits::HttpLimits;
pub use options::HttpOptions;
pub use server::HttpServer;
pub use tokens::{Token, TokenEntry};
