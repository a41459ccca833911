//! The digest that documents, artifacts and arguments are known by.

use sha2::{Digest as _, Sha256};

/// SHA-256 as 64 lower-case hexadecimal digits.
pub(crate) fn sha256(content: &[u8]) -> String {
    use std::fmt::Write as _;

    Sha256::digest(content).iter().fold(String::with_capacity(64), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
