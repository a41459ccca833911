//! Decodes text files, and parses delimited values and Markdown into text and typed columns.
//!
//! The plugin `reader-text` runs this parser in the sandbox. Builds without that plugin run it in the host. They first
//! charge what [`delimited::working_bytes`] or [`markdown::working_bytes`] returns. The parser keeps the positions of a few
//! records only, so wide rows cannot raise its memory above that.
//!
//! Knows no host and no plugin.

#![forbid(unsafe_code)]

pub mod budget;
mod clean;
mod columns;
pub mod decode;
pub mod delimited;
mod field;
pub mod markdown;
mod number;
mod table;
mod time;
mod utf8;

pub use clean::single_line;
pub use table::{Cell, Chunk, Problem, Sink, Texts, Values};
pub use utf8::utf8;
