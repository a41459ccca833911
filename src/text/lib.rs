//! Text files: bytes to characters, and delimited values and Markdown to text and typed columns.
//!
//! This is the parser of the plugin `reader-text`, so that foreign text is taken apart in the sandbox. Builds without that plugin call it
//! in the host, under a charge that [`delimited::working_bytes`] and [`markdown::working_bytes`] name before anything is allocated. The
//! parser keeps the places of a few records only: its memory has a bound that the width of a row cannot raise.
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
