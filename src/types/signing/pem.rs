//! Blocks of PEM files.

use base64::Engine as _;
use zeroize::Zeroizing;

use super::problem::malformed;
use mitt_base::{Result, text};

/// Most blocks of a file.
const MAX_BLOCKS: usize = 64;

/// A block.
pub(super) struct Block<'a> {
    pub(super) label: &'a str,
    /// Header lines, which keys have that are encrypted in the old form.
    pub(super) has_headers: bool,
    pub(super) der: Zeroizing<Vec<u8>>,
}

/// Returns `true` if the file has a block.
pub(super) fn is_pem(bytes: &[u8]) -> bool {
    bytes.windows(11).any(|window| window == b"-----BEGIN ")
}

/// Returns the blocks of a file. What is between them is ignored.
///
/// # Errors
///
/// [`ErrorKind::Input`](mitt_base::ErrorKind::Input) - it is no text, a block is cut off or is not base64, or there are more
/// than 64.
pub(super) fn blocks(bytes: &[u8]) -> Result<Vec<Block<'_>>> {
    let text = std::str::from_utf8(bytes).map_err(|_| malformed("the PEM file is not a text"))?;
    let mut blocks = Vec::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once("-----BEGIN ") {
        let cut_off = || malformed("a PEM block is cut off");
        let (label, after) = after.split_once("-----").ok_or_else(cut_off)?;
        let (body, after) = after.split_once("-----END ").ok_or_else(cut_off)?;
        rest = after;
        if blocks.len() == MAX_BLOCKS {
            return Err(malformed(&format!("the PEM file has more than {MAX_BLOCKS} blocks")));
        }
        let mut digits = Zeroizing::new(Vec::with_capacity(body.len()));
        for line in body.lines().filter(|line| !line.contains(':')) {
            digits.extend(line.bytes().filter(|byte| !byte.is_ascii_whitespace()));
        }
        let mut der = Zeroizing::new(Vec::with_capacity(digits.len()));
        base64::engine::general_purpose::STANDARD.decode_vec(&*digits, &mut der).map_err(|_| {
            let label = text::one_line(text::cut_bytes(label, 60));
            malformed(&format!("the PEM block `{label}` is not base64"))
        })?;
        blocks.push(Block { label, has_headers: body.contains(':'), der });
    }
    Ok(blocks)
}
