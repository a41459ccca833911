//! Writes a deflated content with some ranges replaced. Blocks that refer to nothing that changed are copied.

use super::inflate::{Block, Checkpoint, HISTORY_BYTES, unpacked};
use miniz_oxide::deflate::core::{
    CompressorOxide, TDEFLFlush, TDEFLStatus, compress_to_output, create_comp_flags_from_zip_params,
};
use std::ops::Range;
use std::rc::Rc;

/// Level of compression.
const LEVEL: i32 = 6;
/// Most bytes that are compressed anew; beyond, the whole content is better written in one piece.
const MAX_ANEW_BYTES: usize = 16 << 20;

/// A range of the unpacked content, and what comes there.
#[derive(Debug)]
pub(super) struct Change<'a> {
    pub(super) range: Range<usize>,
    pub(super) new: &'a str,
    /// A place before the range where unpacking can begin.
    pub(super) from: Rc<Checkpoint>,
}

/// A part of the content that is compressed anew.
struct Region<'a> {
    from: Rc<Checkpoint>,
    /// Index of the first block behind it; `None` if it reaches the end.
    end: Option<usize>,
    changes: Vec<&'a Change<'a>>,
}

/// Returns the packed content with changes, which are in order. `length` is the length of the unpacked content.
pub(super) fn spliced(
    packed: &[u8],
    blocks: &[Block],
    length: usize,
    changes: &[Change<'_>],
) -> Option<Vec<u8>> {
    let bits = packed.len().checked_mul(8)?;
    let mut out = Vec::with_capacity(packed.len() + (64 << 10));
    // Index of the block from which blocks are copied; `None` behind the end.
    let mut next = Some(0);
    for region in regions(blocks, length, changes)? {
        copy(packed, blocks, next?..region.from.block, &mut out)?;
        let end = region.end.map_or(length, |it| blocks[it].at);
        let text = changed(unpacked(packed, blocks, &region.from, end)?, &region)?;
        compress(&text, region.end.is_none(), &mut out)?;
        next = region.end;
        if let Some(next) = next {
            out.extend(phase(blocks[next].bit)?);
        }
    }
    if let Some(next) = next {
        join(packed, blocks[next].bit, bits, &mut out)?;
    }
    Some(out)
}

/// Finds what is compressed anew: from the last place in front of a change to the first block that refers to nothing in it.
fn regions<'a>(
    blocks: &[Block],
    length: usize,
    changes: &'a [Change<'a>],
) -> Option<Vec<Region<'a>>> {
    let mut found: Vec<Region<'a>> = Vec::new();
    for change in changes {
        let behind = blocks.partition_point(|it| it.at < change.range.end + HISTORY_BYTES);
        // Blocks of no content shift by even numbers of bits only.
        let end = (behind..blocks.len()).find(|it| blocks[*it].bit.is_multiple_of(2));
        match found.last_mut() {
            Some(region) if region.end.is_none_or(|it| it >= change.from.block) => {
                region.end = end;
                region.changes.push(change);
            }
            _ => found.push(Region { from: change.from.clone(), end, changes: vec![change] }),
        }
    }
    let size =
        |it: &Region<'_>| it.end.map_or(length, |end| blocks[end].at).saturating_sub(it.from.at);
    (found.iter().map(size).sum::<usize>() <= MAX_ANEW_BYTES).then_some(found)
}

/// Returns the text of a region with its changes.
fn changed(old: Vec<u8>, region: &Region<'_>) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(old.len() + 1_024);
    let mut copied = 0;
    for change in &region.changes {
        let start = change.range.start.checked_sub(region.from.at)?;
        out.extend(old.get(copied..start)?);
        out.extend(change.new.as_bytes());
        copied = change.range.end - region.from.at;
    }
    out.extend(old.get(copied..)?);
    Some(out)
}

/// Copies whole blocks, and fills up the last byte with a block of no content.
fn copy(packed: &[u8], blocks: &[Block], range: Range<usize>, out: &mut Vec<u8>) -> Option<()> {
    let (start, end) = (blocks.get(range.start)?.bit, blocks.get(range.end)?.bit);
    join(packed, start, end, out)?;
    if !end.is_multiple_of(8) {
        // Three bits for a stored block, zeros up to the next byte, and its length.
        if end % 8 > 5 {
            out.push(0);
        }
        out.extend([0, 0, 0xff, 0xff]);
    }
    Some(())
}

/// Appends bits whose place in the byte is the same in both contents.
fn join(packed: &[u8], start: usize, end: usize, out: &mut Vec<u8>) -> Option<()> {
    if start == end {
        return Some(());
    }
    let (first, phase) = (start / 8, start % 8);
    let copied = match phase {
        0 => first,
        _ => {
            *out.last_mut()? |= packed.get(first)? & (0xff << phase);
            first + 1
        }
    };
    out.extend(packed.get(copied..end.div_ceil(8))?);
    if !end.is_multiple_of(8) {
        *out.last_mut()? &= (1 << (end % 8)) - 1;
    }
    Some(())
}

/// Returns blocks of no content that end where a block at `bit` begins in its byte. The last byte is not full.
fn phase(bit: usize) -> Option<Vec<u8>> {
    // A fixed block of no content has ten bits: `0`, `01` and seven zeros.
    let (mut bits, mut count) = (0_u64, 0);
    while count % 8 != bit % 8 {
        bits |= 2 << count;
        count += 10;
        if count > 50 {
            return None;
        }
    }
    Some(bits.to_le_bytes()[..count.div_ceil(8)].to_vec())
}

/// Appends a text. Without the end of the content, what follows begins in a new byte.
fn compress(text: &[u8], is_end: bool, out: &mut Vec<u8>) -> Option<()> {
    let mut state = Box::new(CompressorOxide::new(create_comp_flags_from_zip_params(LEVEL, 0, 0)));
    let (flush, wanted) = if is_end {
        (TDEFLFlush::Finish, TDEFLStatus::Done)
    } else {
        (TDEFLFlush::Sync, TDEFLStatus::Okay)
    };
    let (status, read) = compress_to_output(&mut state, text, flush, |bytes| {
        out.extend(bytes);
        true
    });
    (status == wanted && read == text.len()).then_some(())
}

#[cfg(test)]
mod tests {
    use super::super::inflate::Inflater;
    use super::*;

    #[test]
    fn a_region_without_a_block_behind_it_counts_to_the_end() {
        let from = Inflater::new(&[]).checkpoint(0).unwrap();
        let changes = [Change { range: 10..20, new: "x", from }];
        let blocks = [0, 801, 1_601].map(|bit| Block { bit, at: bit * 100 });
        let found = regions(&blocks, MAX_ANEW_BYTES, &changes).unwrap();
        assert!(found.len() == 1 && found[0].end.is_none());
        assert!(regions(&blocks, MAX_ANEW_BYTES + 1, &changes).is_none());
        // Changes of one region count it once.
        let from = changes[0].from.clone();
        let both = [10..20, 30..40].map(|range| Change { range, new: "x", from: from.clone() });
        assert_eq!(regions(&blocks, MAX_ANEW_BYTES, &both).map(|it| it.len()), Some(1));
    }
}
