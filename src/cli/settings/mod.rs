//! Settings: what files named `mitt.toml`, and variables of the environment, say where nobody typed an option.
//!
//! A project's file may come from a stranger, who wants it believed as soon as somebody works in his folder. What it may say is
//! in [`Reach`](key::Reach), and nothing else decides it. Knows no command, and neither asks nor keeps a key.

mod file;
mod find;
mod key;
mod merged;
mod value;

pub(crate) use file::tenant_and_path;
pub(crate) use find::{Looked, State, Whose};
pub(crate) use key::{
    CSV_FORMULAS, DEFAULT_CSV_FORMULAS, DEFAULT_OCR, DEFAULT_OUT, DEFAULT_WORKER, Key, OCR, WORKERS,
};
pub(crate) use merged::Settings;
pub(crate) use value::{Found, Origin, Value};

/// The format of the files as JSON Schema, for editors.
pub(crate) const JSON_SCHEMA: &str = include_str!("mitt.schema.json");
