//! Mitt as a server: the Model Context Protocol over standard input and output ([`mcp`]), and over HTTP ([`http`]).

#[cfg(feature = "http")]
pub mod http;
pub mod mcp;
