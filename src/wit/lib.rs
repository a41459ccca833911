//! JSON to WIT values and back: [`value`] is the mapping and its check, [`schema`] is what a model is told. Knows no store, no
//! instance and no skill.
#![cfg_attr(feature = "read", doc = "", doc = include_str!("README.md"))]
#![forbid(unsafe_code)]

pub mod schema;
pub mod value;

pub use mitt_base::{Error, ErrorKind, Result};
