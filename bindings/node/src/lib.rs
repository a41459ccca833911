//! Mitt in Node: what `index.js` is made of.
//!
//! JavaScript calls methods that start work and return at once. Work runs on the threads of a host, and its result comes
//! back as a message on the one thread-safe function of the environment (`bridge.rs`). So do requests to functions in
//! JavaScript, which are tools and models (`function.rs`). Options and results are JSON, files are buffers.
//!
//! Knows the binding interface of `mitt-c`, no JavaScript objects but functions, texts and buffers. Names, checks of
//! types, promises and errors of JavaScript are in `index.js`.
#![allow(unsafe_code, reason = "the macros of napi make the functions that Node calls")]

mod bridge;
pub mod files;
mod function;
mod host;
mod session;
mod table;

use napi_derive::napi;

/// Returns the version of Mitt.
#[napi]
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}
