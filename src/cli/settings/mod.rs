//! Settings from files named `mitt.toml` and from environment variables, for options that were not typed.
//!
//! A project's file may come from an attacker, and applies as soon as a user works in its folder. [`Reach`](key::Reach)
//! alone decides what it may set. Knows no command, and neither requests nor stores a key.

mod choice;
mod file;
mod find;
mod key;
mod merge;
mod value;

pub(crate) use choice::{Choice, FormulasMode, OcrMode, WorkerMode};
pub(crate) use file::tenant_and_path;
pub(crate) use find::{SearchState, SearchedFile, Whose};
pub(crate) use key::{DEFAULT_OUT, Key};
pub(crate) use merge::Settings;
pub(crate) use value::{Origin, SettingValue, Value};

/// The format of the files as JSON Schema, for editors.
pub(crate) const JSON_SCHEMA: &str = include_str!("mitt.schema.json");
