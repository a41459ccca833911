//! Converts WIT types to JSON Schema 2020-12.
//!
//! The schema accepts exactly what the check in [`crate::value`] accepts, apart from the two lists in its documentation; the
//! check is authoritative.
//!
//! A schema that a caller wrote for an answer is not converted: a [`Validator`] applies it as it stands.
//!
//! These schemas know nothing of the dialects of providers; [`lower`] translates them. In the other direction, [`params`]
//! and [`ty`] make types from foreign schemas.

mod absent;
mod digits;
mod generate;
pub mod lower;
mod named;
mod read;
mod validator;

#[cfg(all(test, feature = "read"))]
mod tests;

pub use absent::{without_absent, without_absent_in};
use generate::{BASE64, OBJECT_AS_TEXT, TABLE};
pub use generate::{arguments, result};
pub use named::name_tables;
pub use read::{params, ty};
pub use validator::{SchemaProblem, Validator, Violation};
