//! What every room of [Mitt](https://docs.rs/mitt) stands on: the error type, every limit, names, text, digests, accounts of
//! memory, locks, files that are safe to open and to write.
//!
//! Plain data and small functions. Knows no WebAssembly, no skill and no session. Made for Mitt's own crates: what is meant for
//! others is in `mitt` again, and only that keeps its form between minor versions.

#![forbid(unsafe_code)]

pub mod by_line;
pub mod digest;
pub mod error;
pub mod file_name;
pub mod formulas;
pub mod limits;
pub mod locks;
pub mod memory;
pub mod number;
pub mod output_folder;
pub mod panics;
pub mod plain_file;
pub mod rows;
pub mod scratch;
pub mod text;
pub mod time;
pub mod tokens;
pub mod visible;

pub use error::{Error, ErrorKind, InputProblem, Limit, Resource, Result};
pub use limits::{
    BlockingLimits, CallLimits, ConcurrencyLimits, MemoryLimits, PartsLimits, SessionLimits,
};
pub use locks::{lock, unpoisoned};
pub use memory::MemoryUsage;
