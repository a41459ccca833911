//! Mitt as a server: the Model Context Protocol over standard input and output ([`mcp`]), and over HTTP ([`http`]); and the viewer
//! of documents that web pages and MCP Apps share ([`viewer`]).

#![forbid(unsafe_code)]

#[cfg(feature = "http")]
pub mod http;
pub mod mcp;
pub mod preview;
pub mod viewer;

/// Target of lines of the log for those who look later at who did what. They have identifiers, sizes and codes, and no contents.
pub const AUDIT_TARGET: &str = "mitt::audit";
