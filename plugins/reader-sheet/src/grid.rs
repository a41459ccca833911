//! The used part of a worksheet as a rectangle.

use crate::open::{Sheet, too_many_cells_error};
use calamine::Dimensions;
use mitt_reader_kit::{Cell, Error, MAX_CELLS};

/// The used rectangle of a worksheet: its first and last row and column hold something.
pub(crate) struct Grid {
    pub(crate) rows: Vec<Vec<Cell>>,
    /// Merged regions inside the rectangle, in its own coordinates.
    pub(crate) merged: Vec<Region>,
    /// Empty rows and columns inside were left out, because with them it would be too large.
    pub(crate) is_compacted: bool,
}

/// Merged cells: rows and columns from `top`, `left` up to and including `bottom`, `right`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Region {
    pub(crate) top: usize,
    pub(crate) left: usize,
    pub(crate) bottom: usize,
    pub(crate) right: usize,
}

/// Numbers of the rows or columns of a worksheet that the grid has, ascending.
struct Axis(Vec<u32>);

impl Grid {
    /// Spread out the cells of a sheet, when `taken` cells of the workbook are in tables already.
    ///
    /// A single cell in the last row and column of an otherwise small sheet must not cost seventeen billion cells: then
    /// only rows and columns that hold something are kept.
    pub(crate) fn new(sheet: Sheet, taken: usize) -> Result<Self, Error> {
        let used_rows = Axis::of(sheet.cells.iter().map(|(row, _, _)| *row));
        let used_columns = Axis::of(sheet.cells.iter().map(|(_, column, _)| *column));
        let allowed = MAX_CELLS.saturating_sub(taken);
        let is_compacted = used_rows.extent().saturating_mul(used_columns.extent()) > allowed;
        let (rows, columns) = if is_compacted {
            (used_rows, used_columns)
        } else {
            (used_rows.filled(), used_columns.filled())
        };
        if rows.0.len().saturating_mul(columns.0.len()) > allowed {
            return Err(too_many_cells_error());
        }
        let mut grid = vec![vec![Cell::Null; columns.0.len()]; rows.0.len()];
        for (row, column, cell) in sheet.cells {
            if let (Ok(row), Ok(column)) =
                (rows.0.binary_search(&row), columns.0.binary_search(&column))
            {
                grid[row][column] = cell;
            }
        }
        let merged = sheet
            .merged
            .iter()
            .filter_map(|region| Region::inside(region, &rows, &columns))
            .collect();
        Ok(Self { rows: grid, merged, is_compacted })
    }

    pub(crate) fn width(&self) -> usize {
        self.rows.first().map_or(0, Vec::len)
    }
}

impl Axis {
    fn of(numbers: impl Iterator<Item = u32>) -> Self {
        let mut numbers: Vec<u32> = numbers.collect();
        numbers.sort_unstable();
        numbers.dedup();
        Self(numbers)
    }

    fn extent(&self) -> usize {
        match (self.0.first(), self.0.last()) {
            (Some(first), Some(last)) => (last - first) as usize + 1,
            _ => 0,
        }
    }

    fn filled(self) -> Self {
        match (self.0.first(), self.0.last()) {
            (Some(first), Some(last)) => Self((*first..=*last).collect()),
            _ => self,
        }
    }

    /// The indices of the axis that lie from `first` to `last`; none when the region begins outside.
    fn indices(&self, first: u32, last: u32) -> Option<(usize, usize)> {
        let from = self.0.binary_search(&first).ok()?;
        let to = self.0.partition_point(|number| *number <= last).checked_sub(1)?;
        (from <= to).then_some((from, to))
    }
}

impl Region {
    fn inside(region: &Dimensions, rows: &Axis, columns: &Axis) -> Option<Self> {
        let (top, bottom) = rows.indices(region.start.0, region.end.0)?;
        let (left, right) = columns.indices(region.start.1, region.end.1)?;
        (top < bottom || left < right).then_some(Self { top, left, bottom, right })
    }

    pub(crate) fn holds_row(&self, row: usize) -> bool {
        (self.top..=self.bottom).contains(&row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: &str) -> Cell {
        Cell::Text(value.to_owned())
    }

    fn sheet(cells: &[(u32, u32, &str)], merged: &[[(u32, u32); 2]]) -> Sheet {
        Sheet {
            name: "S".into(),
            cells: cells.iter().map(|(row, column, value)| (*row, *column, text(value))).collect(),
            merged: merged.iter().map(|[start, end]| Dimensions::new(*start, *end)).collect(),
        }
    }

    #[test]
    fn the_used_rectangle_keeps_its_gaps() {
        let grid = Grid::new(
            sheet(&[(5, 3, "a"), (7, 5, "b")], &[[(5, 3), (5, 900)], [(0, 0), (1, 1)]]),
            0,
        )
        .unwrap();
        assert_eq!(grid.rows.len(), 3);
        assert_eq!(grid.width(), 3);
        assert_eq!(grid.rows[0], [text("a"), Cell::Null, Cell::Null]);
        assert_eq!(grid.rows[2], [Cell::Null, Cell::Null, text("b")]);
        assert_eq!(grid.merged, [Region { top: 0, left: 0, bottom: 0, right: 2 }]);
        assert!(!grid.is_compacted);
    }

    #[test]
    fn far_cells_cost_nothing() {
        let grid = Grid::new(sheet(&[(0, 0, "a"), (1_048_575, 16_383, "b")], &[]), 0).unwrap();
        assert!(grid.is_compacted);
        assert_eq!(grid.rows, [vec![text("a"), Cell::Null], vec![Cell::Null, text("b")]]);
    }

    #[test]
    fn an_empty_sheet_has_no_rows() {
        let grid = Grid::new(sheet(&[], &[[(0, 0), (1, 1)]]), 0).unwrap();
        assert!(grid.rows.is_empty() && grid.merged.is_empty());
        assert_eq!(grid.width(), 0);
    }

    #[test]
    fn what_other_sheets_took_is_gone() {
        let cells: Vec<_> = (0..40).map(|number| (number, number, "x")).collect();
        assert!(Grid::new(sheet(&cells, &[]), MAX_CELLS - 1000).is_err());
    }
}
