//! MCP over streamable HTTP, with health, readiness and metrics.
//!
//! Only this module knows HTTP. It knows no skill and no call: an accepted request goes to rmcp's transport, which asks
//! [`mcp::Server`](crate::mcp::Server) for a connection. A request is checked in this order: connections, header, `Host` and
//! `Origin`, token, concurrent requests, body.
//!
//! A file that a tool delivered is also available by a signed link, without a token: see `files.rs`.
//!
//! Each token is a separate client, with its own transport and sessions. The id of a session means nothing to another
//! client: clients share no table.

mod access;
mod body;
mod browser;
mod connection;
mod cookie;
mod cors;
mod files;
mod limits;
mod login_links;
mod message;
mod metrics;
mod options;
mod refusal_log;
mod refusals;
mod route;
mod routed;
mod routes;
mod server;
mod sessions;
mod shared;
mod signed_tokens;
mod stream;
mod tenant_limits;
mod token_client;
mod token_headers;
mod tokens;
mod uploads;

pub use body::HttpResponse;
pub use limits::HttpLimits;
pub use options::HttpOptions;
pub use routes::{BodyPieces, BodyRefusal, Route, RoutedRequest, Routes, WholeBody};
pub use server::HttpServer;
pub use tenant_limits::TenantLimits;
pub use tokens::{Token, TokenEntry};
