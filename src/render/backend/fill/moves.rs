//! Moves of the rows of a sheet: repeated rows push those below them down, rows with nothing but marks disappear.
//!
//! Knows nothing of the contents of rows.

use super::refs::{Area, At};

/// Most areas that a list of areas may become when one of them is within repeated rows.
const MAX_AREAS: u32 = 1_000;

/// Rows that are repeated.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Block {
    pub(super) first: u32,
    pub(super) last: u32,
    /// Number of copies, at least one.
    pub(super) copies: u32,
    /// The list for which they are repeated, by which blocks of other sheets are found.
    pub(super) list: String,
    /// `true` if the first copy is the existing rows, and the others are new below it.
    pub(super) appends: bool,
    /// `true` if its rows are a group, to which all references of its own formulas lead.
    pub(super) is_group: bool,
}

impl Block {
    pub(super) fn height(&self) -> u32 {
        self.last - self.first + 1
    }

    fn contains(&self, row: u32) -> bool {
        (self.first..=self.last).contains(&row)
    }

    fn growth(&self) -> u64 {
        u64::from(self.height()) * u64::from(self.copies - 1)
    }
}

/// The moves of one sheet. Rows are counted from 1; new rows may be beyond the end of a sheet, which the caller checks.
#[derive(Clone, Debug, Default)]
pub(super) struct Moves {
    /// Blocks from top to bottom, without overlaps.
    blocks: Vec<Block>,
    /// For each block, the number of rows by which everything behind it moves down.
    grown: Vec<u64>,
    /// Rows that disappear, sorted.
    removed: Vec<u32>,
    /// Those of them that had content, sorted.
    dropped: Vec<u32>,
}

impl Moves {
    pub(super) fn new(blocks: Vec<Block>, removed: Vec<u32>) -> Moves {
        Moves::with_dropped(blocks, removed, Vec::new())
    }

    /// Returns the moves where conditions remove rows with content as well.
    pub(super) fn with_dropped(
        mut blocks: Vec<Block>,
        mut removed: Vec<u32>,
        mut dropped: Vec<u32>,
    ) -> Moves {
        dropped.sort_unstable();
        removed.extend(&dropped);
        blocks.sort_by_key(|block| block.first);
        removed.sort_unstable();
        let mut sum = 0;
        let mut grow = |block: &Block| {
            sum += block.growth();
            sum
        };
        let grown = blocks.iter().map(&mut grow).collect();
        removed.dedup();
        Moves { blocks, grown, removed, dropped }
    }

    pub(super) fn is_nothing(&self) -> bool {
        self.removed.is_empty() && self.grown.last().is_none_or(|all| *all == 0)
    }

    pub(super) fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    pub(super) fn is_removed(&self, row: u32) -> bool {
        self.removed.binary_search(&row).is_ok()
    }

    /// Returns `true` if all rows of an area disappear.
    pub(super) fn is_gone(&self, area: Area) -> bool {
        let rows = area.first.row..=area.last.row;
        let at = self.removed.partition_point(|it| it < rows.start());
        let count = self.removed[at..].partition_point(|it| it <= rows.end());
        count as u64 == u64::from(area.last.row - area.first.row) + 1
    }

    /// Returns `true` if a row between these, both included, disappears with its content.
    pub(super) fn drops(&self, first: u32, last: u32) -> bool {
        let at = self.dropped.partition_point(|it| *it < first);
        self.dropped.get(at).is_some_and(|it| *it <= last)
    }

    /// Returns the index of the block that contains a row.
    pub(super) fn block(&self, row: u32) -> Option<usize> {
        let at = self.blocks.partition_point(|block| block.last < row);
        self.blocks.get(at).filter(|block| block.contains(row)).map(|_| at)
    }

    /// Returns the new row of an old one: the first one of several, or the next row if it disappears.
    pub(super) fn first(&self, row: u32) -> u32 {
        let above = self.blocks.partition_point(|block| block.last < row);
        let grown = above.checked_sub(1).and_then(|at| self.grown.get(at)).copied().unwrap_or(0);
        let removed = self.removed.partition_point(|it| *it < row) as u64;
        let now = u64::from(row) + grown;
        // A damaged file may name row 0.
        let new = now - removed.min(now.saturating_sub(1));
        u32::try_from(new).unwrap_or(u32::MAX)
    }

    /// Returns the last new row of an old one, or the previous row if it disappears.
    pub(super) fn last(&self, row: u32) -> u32 {
        let Some(block) = self.block(row).and_then(|at| self.blocks.get(at)) else {
            let here = self.first(row);
            return if self.is_removed(row) { here.saturating_sub(1).max(1) } else { here };
        };
        self.first(row).saturating_add(u32::try_from(block.growth()).unwrap_or(u32::MAX))
    }

    /// Returns the new row of a row of a block in one of its copies, from 0.
    pub(super) fn copy(&self, row: u32, copy: u32) -> u32 {
        let height = self.block(row).and_then(|at| self.blocks.get(at)).map_or(0, Block::height);
        self.first(row).saturating_add(height.saturating_mul(copy))
    }

    /// Returns the new area of an area, which grows with the rows in it.
    pub(super) fn area(&self, area: Area) -> Area {
        let first = self.first(area.first.row);
        let last = self.last(area.last.row).max(first);
        Area { first: At { row: first, ..area.first }, last: At { row: last, ..area.last } }
    }

    /// Returns an area in each copy if it is a part of repeated rows; otherwise as one area.
    pub(super) fn areas(&self, area: Area) -> Vec<Area> {
        if self.is_gone(area) && self.drops(area.first.row, area.last.row) {
            return Vec::new();
        }
        let block = self.block(area.first.row).and_then(|at| self.blocks.get(at));
        match block.filter(|block| block.contains(area.last.row) && area.rows() < block.height()) {
            Some(block) if block.copies <= MAX_AREAS => {
                (0..block.copies).map(|copy| self.in_copy(area, copy)).collect()
            }
            _ => vec![self.area(area)],
        }
    }

    /// Returns an area within a block in each copy; `None` if it is not within one.
    pub(super) fn repeated(&self, area: Area) -> Option<Vec<Area>> {
        let block = self.blocks.get(self.block(area.first.row)?)?;
        let within = block.contains(area.last.row);
        within.then(|| (0..block.copies).map(|copy| self.in_copy(area, copy)).collect())
    }

    fn in_copy(&self, area: Area, copy: u32) -> Area {
        Area {
            first: At { row: self.copy(area.first.row, copy), ..area.first },
            last: At { row: self.copy(area.last.row, copy), ..area.last },
        }
    }

    /// Returns `true` if rows from `first` to `last` begin or end in the middle of a block of several rows.
    pub(super) fn splits(&self, first: u32, last: u32) -> bool {
        let cut = |row: u32, is_first: bool| {
            self.block(row).and_then(|at| self.blocks.get(at)).is_some_and(|block| {
                block.copies > 1
                    && block.height() > 1
                    && if is_first { row > block.first } else { row < block.last }
            })
        };
        cut(first, true) || cut(last, false)
    }
}

#[cfg(test)]
mod tests {
    use super::super::refs::area;
    use super::*;

    fn block(first: u32, last: u32, copies: u32) -> Block {
        Block { first, last, copies, list: "l".into(), appends: false, is_group: false }
    }

    #[test]
    fn rows_below_are_pushed_down_and_areas_grow() {
        let moves = Moves::new(vec![block(5, 5, 3), block(8, 9, 2)], vec![4, 6]);
        let rows: Vec<_> = (1..=11).map(|row| (moves.first(row), moves.last(row))).collect();
        let expected = [
            (1, 1),
            (2, 2),
            (3, 3),
            (4, 3),
            (4, 6),
            (7, 6),
            (7, 7),
            (8, 10),
            (9, 11),
            (12, 12),
            (13, 13),
        ];
        assert_eq!(rows, expected);
        assert_eq!(moves.copy(9, 1), 11);
        let mapped = |text: &str| moves.area(area(text).unwrap()).to_string();
        assert_eq!(mapped("B5:B5"), "B4:B6");
        assert_eq!(mapped("B4:B6"), "B4:B6");
        assert_eq!(mapped("A1:C11"), "A1:C13");
        let many = |text: &str| {
            moves.areas(area(text).unwrap()).iter().map(Area::to_string).collect::<Vec<_>>()
        };
        assert_eq!(many("D8"), ["D8", "D10"]);
        assert_eq!(many("D5"), ["D4:D6"]);
        assert!(moves.splits(8, 8) && !moves.splits(8, 9) && !moves.splits(5, 5));
        assert!(Moves::new(vec![block(1, 1, 1)], vec![]).is_nothing());
        assert_eq!(Moves::new(vec![], vec![1, 2]).first(1), 1);
        assert_eq!((moves.first(0), moves.last(0)), (0, 0));
    }
}
