//! The digest that documents, artifacts and arguments are known by.

use sha2::{Digest as _, Sha256};

/// SHA-256 as 64 lower-case hexadecimal digits.
pub(crate) fn sha256(content: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";

    // Every call has one, and the formatter takes ten times as long as the hash of a short text.
    let digits =
        |byte: &u8| [byte >> 4, byte & 15].map(|half| char::from(DIGITS[usize::from(half)]));
    Sha256::digest(content).iter().flat_map(digits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_those_of_the_standard() {
        // FIPS 180-4, examples of NIST.
        for (content, digest) in [
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ] {
            assert_eq!(sha256(content.as_bytes()), digest);
        }
    }
}
