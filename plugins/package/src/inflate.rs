//! Unpacks a deflated content whose size is stated.

use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress};

/// Most bytes that a packed byte stands for: two bits are the shortest copy of the longest text, 258 bytes.
const MAX_RATIO: usize = 4 * 258;

/// Unpacks a content into a buffer of its size, because one that grows needs up to three times as much. Returns `None` if the
/// content is damaged or has another size than is stated. A size that the packed bytes cannot have does not become a buffer.
pub fn inflated(packed: &[u8], stated: usize) -> Option<Vec<u8>> {
    if stated > packed.len().saturating_mul(MAX_RATIO) {
        return None;
    }
    let mut content = vec![0; stated];
    let mut state = Box::<DecompressorOxide>::default();
    let flags = TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
    let (status, _, written) = decompress(&mut state, packed, &mut content, 0, flags);
    (status == TINFLStatus::Done && written == stated).then_some(content)
}
