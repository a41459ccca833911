//! Unpacks a deflated content piece by piece, and notes where its blocks begin.

use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::inflate_flags::{
    TINFL_FLAG_STOP_ON_BLOCK_BOUNDARY, TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF,
};
use miniz_oxide::inflate::core::{BlockBoundaryState, DecompressorOxide, decompress};
use std::collections::VecDeque;
use std::ops::Range;
use std::rc::Rc;

/// How far back a block refers.
pub(super) const HISTORY_BYTES: usize = 32 << 10;
/// Bytes that are unpacked at once.
const CHUNK_BYTES: usize = if cfg!(test) { 5_000 } else { 256 << 10 };
/// Bytes between places where unpacking can begin.
const STEP_BYTES: usize = if cfg!(test) { 8 << 10 } else { 64 << 10 };
/// Most bytes that are kept at once.
const MAX_BUFFER_BYTES: usize = 24 << 20;
/// Most blocks; a content of 128 MiB usually has 1 000.
const MAX_BLOCKS: usize = 100_000;

/// Where a block begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    /// Offset in the packed content, in bits.
    pub(super) bit: usize,
    /// Offset in the unpacked content.
    pub(super) at: usize,
}

/// A block at whose beginning unpacking can begin again.
#[derive(Debug)]
pub(super) struct Checkpoint {
    /// Index of the block.
    pub(super) block: usize,
    pub(super) at: usize,
    /// What precedes it.
    history: Vec<u8>,
}

/// A content that is unpacked. Offsets are those of the unpacked content.
pub(super) struct Inflater<'a> {
    packed: &'a [u8],
    read: usize,
    state: Box<DecompressorOxide>,
    buffer: Vec<u8>,
    /// Bytes of the buffer that are unpacked.
    filled: usize,
    /// Offset of the first byte of the buffer.
    base: usize,
    pub(super) blocks: Vec<Block>,
    /// Those from the last one before what is kept.
    checkpoints: VecDeque<Rc<Checkpoint>>,
    pub(super) is_done: bool,
}

impl<'a> Inflater<'a> {
    pub(super) fn new(packed: &'a [u8]) -> Self {
        let first = Rc::new(Checkpoint { block: 0, at: 0, history: Vec::new() });
        Self {
            packed,
            read: 0,
            state: Box::default(),
            buffer: Vec::new(),
            filled: 0,
            base: 0,
            blocks: vec![Block { bit: 0, at: 0 }],
            checkpoints: VecDeque::from([first]),
            is_done: false,
        }
    }

    /// Returns the offset behind what is unpacked.
    pub(super) fn end(&self) -> usize {
        self.base + self.filled
    }

    /// Returns bytes that are unpacked and still kept.
    pub(super) fn bytes(&self, range: Range<usize>) -> &[u8] {
        let start = range.start.checked_sub(self.base);
        let kept = start.and_then(|start| {
            self.buffer[..self.filled].get(start..range.end.checked_sub(self.base)?)
        });
        kept.unwrap_or_default()
    }

    /// Returns the last checkpoint before an offset that is still kept.
    pub(super) fn checkpoint(&self, at: usize) -> Option<Rc<Checkpoint>> {
        self.checkpoints.iter().rev().find(|it| it.at <= at).cloned()
    }

    /// Unpacks more, and forgets what precedes `kept`. Returns `None` if the content is damaged or beyond a limit.
    pub(super) fn fill(&mut self, kept: usize) -> Option<()> {
        let kept = kept.clamp(self.base, self.end()) - self.base;
        while self.checkpoints.get(1).is_some_and(|it| it.at <= self.base + kept) {
            self.checkpoints.pop_front();
        }
        let gone = kept.min(self.filled.saturating_sub(HISTORY_BYTES));
        self.buffer.copy_within(gone..self.filled, 0);
        self.filled -= gone;
        self.base += gone;
        let goal = self.filled + CHUNK_BYTES;
        if goal > MAX_BUFFER_BYTES {
            return None;
        }
        if self.buffer.len() < goal {
            self.buffer.resize(goal, 0);
        }
        let flags = TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF | TINFL_FLAG_STOP_ON_BLOCK_BOUNDARY;
        loop {
            let input = self.packed.get(self.read..)?;
            let (status, read, written) =
                decompress(&mut self.state, input, &mut self.buffer, self.filled, flags);
            self.read += read;
            self.filled += written;
            match status {
                TINFLStatus::BlockBoundary => self.note_block()?,
                TINFLStatus::HasMoreOutput => return Some(()),
                TINFLStatus::Done => {
                    self.is_done = true;
                    return Some(());
                }
                _ => return None,
            }
        }
    }

    fn note_block(&mut self) -> Option<()> {
        let unread = usize::from(self.state.block_boundary_state()?.num_bits);
        let block = Block { bit: bit_offset(self.read, unread)?, at: self.end() };
        if self.blocks.len() >= MAX_BLOCKS {
            return None;
        }
        if self.checkpoints.back().is_none_or(|it| block.at >= it.at + STEP_BYTES) {
            let history = self.filled.saturating_sub(HISTORY_BYTES)..self.filled;
            self.checkpoints.push_back(Rc::new(Checkpoint {
                block: self.blocks.len(),
                at: block.at,
                history: self.buffer[history].to_vec(),
            }));
        }
        self.blocks.push(block);
        Some(())
    }
}

/// Returns the offset in bits of what follows `read` bytes, of which the last bits are unread. Returns `None` beyond the
/// numbers of the machine, 512 MiB for 32 bits.
fn bit_offset(read: usize, unread: usize) -> Option<usize> {
    read.checked_mul(8)?.checked_sub(unread)
}

/// Unpacks from a checkpoint to an offset.
pub(super) fn unpacked(
    packed: &[u8],
    blocks: &[Block],
    from: &Checkpoint,
    end: usize,
) -> Option<Vec<u8>> {
    let bit = blocks.get(from.block)?.bit;
    let unread = (8 - bit % 8) % 8;
    let last = if unread == 0 { 0 } else { packed.get(bit / 8)? >> (bit % 8) };
    let mut state = Box::new(DecompressorOxide::from_block_boundary_state(&BlockBoundaryState {
        num_bits: unread as u8,
        bit_buf: last,
        ..BlockBoundaryState::default()
    }));
    let mut buffer = from.history.clone();
    let wanted = buffer.len() + end.checked_sub(from.at)?;
    buffer.resize(wanted, 0);
    let input = packed.get(bit.div_ceil(8)..)?;
    let start = from.history.len();
    let flags = TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
    let (_, _, written) = decompress(&mut state, input, &mut buffer, start, flags);
    if start + written != wanted {
        return None;
    }
    buffer.drain(..start);
    Some(buffer)
}

#[cfg(test)]
mod tests {
    use super::bit_offset;

    #[test]
    fn an_offset_beyond_the_numbers_of_the_machine_is_none() {
        // The same for 32 and for 64 bits.
        let most = usize::MAX / 8;
        assert_eq!(bit_offset(most, 7), Some(most * 8 - 7));
        assert_eq!(bit_offset(most + 1, 7), None);
        assert_eq!((bit_offset(1, 8), bit_offset(0, 1)), (Some(0), None));
    }
}
