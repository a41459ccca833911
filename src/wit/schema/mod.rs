//! WIT types to JSON Schema 2020-12.
//!
//! The schema accepts exactly what the check in [`crate::value`] accepts, apart from the two lists in the documentation
//! there; the check is the authority.
//!
//! These schemas know nothing of the dialects of providers; [`lower`] translates them.

mod digits;
mod generate;
pub mod lower;

#[cfg(all(test, feature = "read"))]
mod tests;

use generate::{BASE64, TABLE};
pub use generate::{arguments, result};
