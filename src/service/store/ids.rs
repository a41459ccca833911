//! Identifiers that nobody can guess.

use mitt_base::{Error, ErrorKind, Result};

/// Characters of an identifier without its prefix: 21 of 64 characters are 126 random bits. LibreChat's clients demand
/// this length.
pub const ID_CHARACTERS: usize = 21;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";

/// Returns `prefix` followed by 21 random characters of `A-Za-z0-9_-`.
///
/// # Errors
///
/// [`ErrorKind::Host`] - the system has no random numbers.
pub fn new_id(prefix: &str) -> Result<String> {
    let mut bytes = [0_u8; ID_CHARACTERS];
    getrandom::fill(&mut bytes).map_err(|error| {
        Error::new(ErrorKind::Host, "the system has no random numbers").caused_by(error)
    })?;
    let random = bytes.iter().map(|byte| char::from(ALPHABET[usize::from(byte & 63)]));
    Ok(prefix.chars().chain(random).collect())
}
