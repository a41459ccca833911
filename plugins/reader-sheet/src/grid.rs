//! Reduces a worksheet to the rectangle that is used.

use crate::item::Item;
use crate::place::column_name;
use crate::rows::Row;
use calamine::Dimensions;

/// Most adjacent empty rows or columns that are kept. They separate blocks, but a model pays for each.
const MAX_GAP: u32 = 5;

/// Most gaps that a warning names.
const MAX_NAMED: usize = 3;

/// Most columns of a normal sheet, which are marked in a table. Others, as in a damaged file, are sorted.
const USUAL_COLUMNS: usize = 1 << 14;

/// The used rectangle of a worksheet. Its first and last row and column are not empty.
pub(crate) struct Grid {
    /// The values of each row, by column in the rectangle.
    pub(crate) rows: Vec<Row>,
    pub(crate) width: usize,
    /// Row number in the worksheet of each row, from 0.
    pub(crate) row_numbers: Vec<u32>,
    /// Merged regions inside the rectangle, in its own coordinates.
    pub(crate) merged: Vec<Region>,
    /// Sentence about empty rows and columns that were left out.
    pub(crate) left_out: Option<String>,
}

/// Merged cells. `bottom` and `right` are inclusive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Region {
    pub(crate) top: usize,
    pub(crate) left: usize,
    pub(crate) bottom: usize,
    pub(crate) right: usize,
}

/// Numbers of the rows or columns of the worksheet that are in the grid, ascending.
struct Axis(Vec<u32>);

impl Grid {
    /// Lays out the cells of a sheet as a rectangle with at most `allowed` cells. Returns the cells as an error if they
    /// are too far apart.
    ///
    /// A single cell in the last row and column of a small sheet must not create seventeen billion cells, nor
    /// thousands. Long gaps are left out, and all gaps if the rectangle is too large otherwise.
    pub(crate) fn new(
        cells: Vec<(u32, Row)>,
        merged: &[Dimensions],
        allowed: usize,
    ) -> Result<Self, Vec<(u32, Row)>> {
        let used_rows = Axis::of(cells.iter().map(|(row, _)| *row));
        let used_columns = Axis::of_columns(&cells);
        let fits =
            |rows: &Axis, columns: &Axis| rows.0.len().saturating_mul(columns.0.len()) <= allowed;
        let spread = (used_rows.with_gaps(MAX_GAP), used_columns.with_gaps(MAX_GAP));
        let (rows, columns) =
            if fits(&spread.0, &spread.1) { spread } else { (used_rows, used_columns) };
        if !fits(&rows, &columns) {
            return Err(cells);
        }
        let mut grid = Vec::with_capacity(rows.0.len());
        let mut cells = cells.into_iter().peekable();
        for number in &rows.0 {
            let mut row =
                cells.next_if(|(row, _)| row == number).map_or_else(Row::default, |row| row.1);
            // Both are ascending, and in most rows the columns are adjacent.
            let mut index = 0;
            for (column, _) in &mut row {
                if columns.0.get(index) != Some(column) {
                    index = columns.0.partition_point(|used| used < column);
                }
                *column = index as u32;
                index += 1;
            }
            grid.push(row);
        }
        let merged =
            merged.iter().filter_map(|region| Region::inside(region, &rows, &columns)).collect();
        let left_out = [
            rows.left_out("rows", |row| (row + 1).to_string()),
            columns.left_out("columns", column_name),
        ];
        let left_out: Vec<String> = left_out.into_iter().flatten().collect();
        let left_out =
            (!left_out.is_empty()).then(|| format!("{} were left out", left_out.join(" and ")));
        Ok(Self { rows: grid, width: columns.0.len(), row_numbers: rows.0, merged, left_out })
    }
}

/// Returns the value of a row in a column.
pub(crate) fn value(row: &Row, column: usize) -> &Item {
    let place = row.binary_search_by_key(&column, |(column, _)| *column as usize);
    place.map_or(&Item::Null, |place| &row[place].1)
}

impl Axis {
    fn of(numbers: impl Iterator<Item = u32>) -> Self {
        let mut numbers: Vec<u32> = numbers.collect();
        numbers.sort_unstable();
        numbers.dedup();
        Self(numbers)
    }

    /// Returns the columns that are used in rows.
    fn of_columns(rows: &[(u32, Row)]) -> Self {
        let mut is_used = [false; USUAL_COLUMNS];
        let mut others = Vec::new();
        for (column, _) in rows.iter().flat_map(|(_, row)| row) {
            match is_used.get_mut(*column as usize) {
                Some(is_used) => *is_used = true,
                None => others.push(*column),
            }
        }
        let usual = (0..).zip(is_used).filter(|(_, is_used)| *is_used).map(|(column, _)| column);
        Self::of(usual.chain(others))
    }

    /// Returns the numbers, with gaps up to `longest` filled.
    fn with_gaps(&self, longest: u32) -> Self {
        let mut numbers = Vec::with_capacity(self.0.len());
        for number in &self.0 {
            let next = numbers.last().map_or(*number, |last| last + 1);
            if number - next <= longest {
                numbers.extend(next..*number);
            }
            numbers.push(*number);
        }
        Self(numbers)
    }

    /// Returns what is missing between the first and the last number, such as `empty rows 2-9, 12 and 40-99`; `None` if
    /// nothing is.
    fn left_out(&self, what: &str, name: impl Fn(u32) -> String) -> Option<String> {
        let gaps: Vec<(u32, u32)> = self
            .0
            .windows(2)
            .filter(|pair| pair[1] - pair[0] > 1)
            .map(|pair| (pair[0] + 1, pair[1] - 1))
            .collect();
        let named: Vec<String> = gaps
            .iter()
            .take(MAX_NAMED)
            .map(|(first, last)| {
                if first == last {
                    name(*first)
                } else {
                    format!("{}-{}", name(*first), name(*last))
                }
            })
            .collect();
        let all: u32 = gaps.iter().map(|(first, last)| last - first + 1).sum();
        match gaps.len() {
            0 => None,
            count if count > MAX_NAMED => {
                Some(format!("{all} empty {what} ({}, …)", named.join(", ")))
            }
            _ => Some(format!("empty {what} {}", named.join(", "))),
        }
    }

    /// Returns the indices of the numbers from `first` to `last`; `None` if `first` is not on the axis.
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
    use crate::intake::MAX_CELLS;
    use crate::rows::Rows;

    /// Returns the values of a row. `.` is empty.
    fn texts(row: &Row, width: usize) -> String {
        let texts = (0..width).map(|column| match value(row, column) {
            Item::Null => ".".to_owned(),
            item => item.text().into_owned(),
        });
        texts.collect::<Vec<_>>().join(" ")
    }

    fn grid(
        cells: &[(u32, u32, &str)],
        merged: &[[(u32, u32); 2]],
        allowed: usize,
    ) -> Option<Grid> {
        let mut rows = Rows::default();
        for (row, column, value) in cells {
            rows.push(*row, *column, Item::text_of(value));
        }
        let merged: Vec<_> =
            merged.iter().map(|[start, end]| Dimensions::new(*start, *end)).collect();
        Grid::new(rows.finish(), &merged, allowed).ok()
    }

    #[test]
    fn the_used_rectangle_keeps_its_gaps() {
        let grid =
            grid(&[(5, 3, "a"), (7, 5, "b")], &[[(5, 3), (5, 900)], [(0, 0), (1, 1)]], MAX_CELLS)
                .unwrap();
        assert_eq!(grid.rows.len(), 3);
        assert_eq!(grid.width, 3);
        assert_eq!(texts(&grid.rows[0], 3), "a . .");
        assert_eq!(texts(&grid.rows[2], 3), ". . b");
        assert_eq!(grid.row_numbers, [5, 6, 7]);
        assert_eq!(grid.merged, [Region { top: 0, left: 0, bottom: 0, right: 2 }]);
        assert_eq!(grid.left_out, None);
    }

    #[test]
    fn far_cells_cost_nothing() {
        let grid = grid(&[(0, 0, "a"), (1_048_575, 16_383, "b")], &[], MAX_CELLS).unwrap();
        assert_eq!(grid.rows.len(), 2);
        assert_eq!(
            (texts(&grid.rows[0], 2), texts(&grid.rows[1], 2)),
            ("a .".into(), ". b".into())
        );
        assert_eq!(
            grid.left_out.unwrap(),
            "empty rows 2-1048575 and empty columns B-XFC were left out"
        );
    }

    #[test]
    fn long_gaps_are_left_out_and_counted() {
        let at = |row| (row, 0, "x");
        let kept = grid(&[at(0), at(6)], &[], MAX_CELLS).unwrap();
        assert_eq!((kept.rows.len(), kept.left_out), (7, None));
        let gap = grid(&[at(0), at(7)], &[], MAX_CELLS).unwrap();
        assert_eq!(gap.rows.len(), 2);
        assert_eq!(gap.left_out.unwrap(), "empty rows 2-7 were left out");
        let many: Vec<_> = (0..5).map(|number| at(number * 10)).collect();
        assert_eq!(
            grid(&many, &[], MAX_CELLS).unwrap().left_out.unwrap(),
            "36 empty rows (2-10, 12-20, 22-30, …) were left out"
        );
    }

    #[test]
    fn an_empty_sheet_has_no_rows() {
        let grid = grid(&[], &[[(0, 0), (1, 1)]], MAX_CELLS).unwrap();
        assert!(grid.rows.is_empty() && grid.merged.is_empty());
        assert_eq!(grid.width, 0);
    }

    #[test]
    fn what_does_not_fit_has_no_grid() {
        let cells: Vec<_> = (0..40).map(|number| (number * 2, number * 2, "x")).collect();
        assert_eq!(grid(&cells, &[], 1600).unwrap().rows.len(), 40, "without any gap");
        assert!(grid(&cells, &[], 1599).is_none());
    }
}
