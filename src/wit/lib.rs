//! JSON to WIT values and back.
//!
//! [`value`] is the mapping and its check; [`schema`] is what a model is told. Knows no store, no instance and no skill.

#![forbid(unsafe_code)]

pub mod schema;
pub mod value;
