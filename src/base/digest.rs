//! SHA-256, which identifies documents, artifacts and arguments, and hexadecimal digits.

use std::io::{self, Read};

use sha2::{Digest as _, Sha256};

/// Bytes of a file that are in memory at once while it is hashed.
const PIECE_BYTES: usize = 64 * 1024;

/// Returns the SHA-256 of `content` as 64 lower-case hexadecimal digits.
pub fn sha256(content: &[u8]) -> String {
    hex(&Sha256::digest(content))
}

/// Returns the SHA-256 of at most the first `max_bytes` of a stream, which is read in pieces.
pub fn sha256_of(content: impl Read, max_bytes: u64) -> io::Result<String> {
    let (mut content, mut hasher) = (content.take(max_bytes), Sha256::new());
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        match content.read(&mut piece) {
            Ok(0) => return Ok(hex(&hasher.finalize())),
            Ok(n) => hasher.update(&piece[..n]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Returns `bytes` as lower-case hexadecimal digits, two for each byte.
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";

    // Every call needs one, and the formatter takes ten times as long as hashing a short text.
    let digits =
        |byte: &u8| [byte >> 4, byte & 15].map(|half| char::from(DIGITS[usize::from(half)]));
    bytes.iter().flat_map(digits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_those_of_the_standard() {
        // Examples of FIPS 180-4 by NIST.
        for (content, digest) in [
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ] {
            assert_eq!(sha256(content.as_bytes()), digest);
        }
    }

    #[test]
    fn a_digest_piece_by_piece_is_that_of_the_whole() {
        let content: Vec<u8> = (0..PIECE_BYTES * 2 + 7).map(|n| n as u8).collect();
        let of = |max_bytes| sha256_of(&*content, max_bytes).unwrap();
        assert_eq!(of(u64::MAX), sha256(&content));
        assert_eq!(of(70_000), sha256(&content[..70_000]));
    }
}
