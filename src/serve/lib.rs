//! Mitt as a server: the Model Context Protocol over standard input and output ([`mcp`]), and over HTTP ([`http`]).

#![forbid(unsafe_code)]

#[cfg(feature = "http")]
pub mod http;
pub mod mcp;
