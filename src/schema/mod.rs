//! WIT types to JSON Schema 2020-12.
//!
//! The schema describes the canonical form of JSON that [`crate::value`] accepts, as far as JSON Schema can say it. It is
//! never stricter for that form; the check is the authority. It cannot say, and the check does: no `1.0` for an integer,
//! the range of an integer in a string, equal widths of rows, no keys twice. The check also takes names in kebab case,
//! and flags as an object of booleans; there is no reason to offer a model a choice.
//!
//! Knows nothing of providers' dialects: these lower what is made here.

mod generate;

#[cfg(all(test, feature = "compile"))]
mod tests;

pub use generate::{arguments, arguments_json, result, result_json};
