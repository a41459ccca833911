//! What must hold for every input of the tools that edit, redact and check files. Each function takes bytes from a fuzzer,
//! or from a generator with a fixed seed, and panics when a property is broken. Knows files of other programs, some of
//! whose bytes it changes; knows no sandbox, so that a panic here is a trap there.

mod damage;
mod formulas;
mod mails;
mod office;
mod pages;
mod signatures;

pub use formulas::formula;
pub use mails::{mail, redacted_text};
pub use office::{deck, docx, sheet};
pub use pages::pdf;
pub use signatures::signature;

/// Longest message of an error, in bytes.
const LONGEST_MESSAGE: usize = 16 * 1024;

/// Checks that a refusal is a message of bounded length.
fn bounded(error: &dyn std::fmt::Display) {
    let text = error.to_string();
    assert!(!text.is_empty() && text.len() <= LONGEST_MESSAGE, "a message of {} bytes", text.len());
}
