//! WIT types to JSON Schema 2020-12.
//!
//! The schema accepts exactly what the check in [`crate::value`] accepts, apart from the two lists in the documentation
//! there; the check is the authority.
//!
//! These schemas know nothing of the dialects of providers; [`lower`] translates them. Schemas that others wrote go the other way:
//! [`params`] and [`ty`] make types of them.

mod absent;
mod digits;
mod generate;
pub mod lower;
mod read;

#[cfg(all(test, feature = "read"))]
mod tests;

pub use absent::{without_absent, without_absent_in};
use generate::{BASE64, TABLE};
pub use generate::{arguments, result};
pub use read::{params, ty};
