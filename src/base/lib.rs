//! The foundation of every crate of [Mitt](https://docs.rs/mitt): the error type, all limits, names, text, digests, memory
//! accounts, locks, and files that are safe to open and to write.
//!
//! Plain data and small functions. Knows no WebAssembly, no skill and no session. Made for Mitt's own crates: `mitt`
//! re-exports what is meant for others, and only those items are stable between minor versions.

#![forbid(unsafe_code)]

pub mod at_most;
pub mod by_line;
pub mod digest;
pub mod error;
pub mod file_name;
pub mod formulas;
pub mod limits;
pub mod locks;
pub mod memory;
pub mod number;
mod open_folder;
pub mod output_folder;
pub mod panics;
pub mod plain_file;
pub mod processors;
pub mod rows;
pub mod scratch;
pub mod text;
pub mod time;
pub mod tokens;
pub mod visible;
pub mod written_number;

pub use error::{Error, ErrorKind, InputProblem, Limit, Remedy, Resource, Result};
pub use limits::{
    BlockingLimits, CallLimits, ConcurrencyLimits, MemoryLimits, PartsLimits, SessionLimits,
};
pub use locks::{lock, unpoisoned};
pub use memory::MemoryUsage;
