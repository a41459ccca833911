//! Converts between JSON and WIT values: [`value`] is the mapping and its check, [`schema`] the schema that a model gets.
//! Knows no store, no instance and no skill.
#![cfg_attr(feature = "read", doc = "", doc = include_str!("README.md"))]
#![forbid(unsafe_code)]

pub mod schema;
pub mod value;

pub use mitt_base::{Error, ErrorKind, Result};
