//! Decompresses content on arrival, only as much of it as is needed.

use std::io::Write as _;

use flate2::write::MultiGzDecoder;

/// Compressed bytes between two checks of the decompressed size; they expand at most a thousandfold.
const STEP_BYTES: usize = 4 * 1024;

/// Decompresses gzip.
pub(crate) struct GzipDecoder {
    decoder: MultiGzDecoder<Vec<u8>>,
    /// Bytes that are still needed.
    left: u64,
}

impl GzipDecoder {
    /// Returns a decompressor that yields at most slightly more than `most` bytes.
    pub(crate) fn new(most: u64) -> GzipDecoder {
        GzipDecoder { decoder: MultiGzDecoder::new(Vec::new()), left: most }
    }

    /// Returns the content of these bytes.
    pub(crate) fn push(&mut self, packed: &[u8]) -> std::io::Result<Vec<u8>> {
        for step in packed.chunks(STEP_BYTES) {
            self.decoder.write_all(step)?;
            if self.decoder.get_ref().len() as u64 > self.left {
                break;
            }
        }
        Ok(self.take())
    }

    /// Returns the rest.
    pub(crate) fn finish(&mut self) -> std::io::Result<Vec<u8>> {
        self.decoder.try_finish()?;
        Ok(self.take())
    }

    fn take(&mut self) -> Vec<u8> {
        let bytes = std::mem::take(self.decoder.get_mut());
        self.left = self.left.saturating_sub(bytes.len() as u64);
        bytes
    }
}

#[cfg(test)]
mod tests {
    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn a_bomb_is_not_unpacked_to_its_end() {
        let bomb = packed(&vec![0; 256 << 20]);
        let given = GzipDecoder::new(1 << 20).push(&bomb).unwrap();
        assert!((1 << 20..8 << 20).contains(&given.len()), "{}", given.len());
    }

    #[test]
    fn pieces_of_any_size_give_the_whole() {
        let text = "收入和日活 ".repeat(10_000).into_bytes();
        let packed = packed(&text);
        for size in [1, 7, 4_096, packed.len()] {
            let mut unpacked = GzipDecoder::new(u64::MAX);
            let mut given = Vec::new();
            packed.chunks(size).for_each(|chunk| given.extend(unpacked.push(chunk).unwrap()));
            given.extend(unpacked.finish().unwrap());
            assert!(given == text, "{size}");
        }
        let mut cut = GzipDecoder::new(u64::MAX);
        cut.push(&packed[..packed.len() / 2]).unwrap();
        assert!(cut.finish().is_err());
        assert!(GzipDecoder::new(9).push(b"no gzip at all").is_err());
    }
}
