//! The C interface of Mitt: the functions of `mitt.h`.
//!
//! JSON goes in and comes out as UTF-8 with its length, and the bytes of files stand beside it. Objects are handles:
//! numbers in a registry of the process, so that a handle that was freed, or was never given out, is an error and not a
//! crash. No panic leaves a function, and each error has a code, a message, a place and a hint.
//!
//! Knows the public interface of `mitt` and `mitt-agent` only. `mitt.h` is made from this crate by cbindgen; the test
//! `the_header_is_the_one_of_the_sources` compares it, and writes it with `BLESS=1`.
//!
//! This crate needs unsafe code: it reads memory of its callers. `raw.rs` has what reads and writes through pointers,
//! `callback.rs` what calls functions of the caller, `table.rs` Arrow's structures, and the files of `api/` the functions
//! themselves. Everything else is safe code.
// SAFETY: each use in these files says why it is sound.
#![allow(unsafe_code, reason = "the functions of a C interface take pointers")]
#![allow(clippy::too_many_arguments, reason = "a text is two parameters in C")]
#![allow(non_camel_case_types, reason = "types of the header have names as in C")]

#[cfg(test)]
mod abi_tests;
mod agent_options;
mod answer;
mod api;
mod bytes;
mod callback;
mod cancel;
mod chat_request;
mod chat_response;
mod code;
mod entry;
mod event_json;
mod fields;
mod handles;
mod host_options;
mod host_tool;
mod limits;
mod model;
mod objects;
mod operations;
mod problem;
mod raw;
mod render;
mod reports;
mod rules;
mod runtime;
mod table;

/// Offers the same functions to bindings in Rust, such as those for Python and Node. This module may change with every version.
#[doc(hidden)]
pub mod binding {
    pub use crate::answer::{Answer, bounded, reported};
    pub use crate::cancel::CancelObject;
    pub use crate::entry::caught;
    pub use crate::host_tool::AnsweredTool;
    pub use crate::operations::*;
    pub use crate::problem::Problem;
    pub use crate::render::Made;
    pub use crate::runtime::{HostObject, in_event};
    pub use crate::table::{TakenStream, batch};
}

pub use api::agent::mitt_agent_run;
pub use api::artifacts::{mitt_session_artifact, mitt_session_artifacts};
pub use api::basics::{
    MITT_ABI_VERSION, mitt_abi_version, mitt_bytes_free, mitt_cancel_new, mitt_cancel_set,
    mitt_code_name, mitt_handle_free, mitt_version,
};
pub use api::calls::{
    mitt_session_call, mitt_session_resume, mitt_session_script, mitt_session_tools,
};
pub use api::documents::{
    mitt_session_add_document, mitt_session_add_table, mitt_session_state, mitt_session_table,
};
pub use api::files::{mitt_fill, mitt_render};
pub use api::hosts::{mitt_host_add_tool, mitt_host_new, mitt_session_new};
pub use bytes::mitt_bytes;
pub use callback::{mitt_callback, mitt_event_callback, mitt_free_callback, mitt_reply_set};
pub use code::mitt_code;
pub use handles::{mitt_cancel, mitt_handle, mitt_host, mitt_reply, mitt_session};
