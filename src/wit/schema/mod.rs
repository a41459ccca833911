//! WIT types to JSON Schema 2020-12.
//!
//! The schema accepts exactly what the check in [`crate::value`] accepts, apart from the two lists in the documentation
//! there; the check is the authority.
//!
//! What is made here knows nothing of providers' dialects; [`lower`] writes it in them.

mod digits;
mod generate;
pub mod lower;

#[cfg(all(test, feature = "read"))]
mod tests;

use generate::BASE64;
pub use generate::{arguments, result};
