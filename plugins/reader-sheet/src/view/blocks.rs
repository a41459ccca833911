//! Collects the cells of a worksheet as JSON, in parts of a thousand rows, within a number of bytes.

use mitt_reader_kit::Part;

/// Rows of a part.
pub(super) const ROWS: u32 = 1_000;

/// The most cells of a part.
const MAX_CELLS: usize = 1 << 22;

/// The bytes of an empty row, with its comma.
const EMPTY_ROW: usize = "[],".len();

/// The bytes of an empty cell, with its comma.
const EMPTY_CELL: usize = "null,".len();

/// A cell of the part that is being collected.
#[derive(Clone, Copy)]
struct Place {
    /// Index of the row in the part.
    row: u16,
    column: u16,
    /// Start of its JSON, which ends at the next line feed.
    start: u32,
}

/// The parts of a worksheet.
pub(super) struct Blocks {
    sheet: usize,
    parts: Vec<Part>,
    /// Bytes that the parts may still have.
    left: usize,
    block: u32,
    /// Cells of the open part, and their JSON. No JSON has a line feed, so that one ends each cell.
    places: Vec<Place>,
    json: String,
    is_disordered: bool,
    /// Bytes of the empty cells of the open part, an upper bound.
    gaps: usize,
    /// The first row that no longer fits.
    cut: Option<u32>,
    /// The last row of the sheet that has a cell, and its last column.
    last_row: Option<u32>,
    last_column: Option<u32>,
    late: usize,
}

/// The finished parts of a worksheet.
pub(super) struct Finished {
    pub(super) parts: Vec<Part>,
    /// Bytes that are left for other sheets.
    pub(super) left: usize,
    /// Number of rows in the parts.
    pub(super) rows: u32,
    pub(super) columns: u32,
    /// The first and the last row that were left out for lack of space.
    pub(super) omitted: Option<(u32, u32)>,
    /// Number of cells that were left out because their part was finished.
    pub(super) late: usize,
}

impl Blocks {
    /// Makes parts for the sheet at index `sheet`, of at most `left` bytes.
    pub(super) fn new(sheet: usize, left: usize) -> Self {
        Self {
            sheet,
            parts: Vec::new(),
            left,
            block: 0,
            places: Vec::new(),
            json: String::new(),
            is_disordered: false,
            gaps: 0,
            cut: None,
            last_row: None,
            last_column: None,
            late: 0,
        }
    }

    /// Returns `true` if the row is left out, so that its cells need no JSON.
    pub(super) fn leaves_out(&mut self, row: u32) -> bool {
        let is_left_out = self.cut.is_some_and(|cut| row >= cut);
        if is_left_out {
            self.last_row = self.last_row.max(Some(row));
        }
        is_left_out
    }

    /// Adds a cell. A later one in the same place replaces it.
    pub(super) fn push(&mut self, row: u32, column: u32, json: &str) {
        if row / ROWS < self.block {
            self.late += 1;
            return;
        }
        if row / ROWS > self.block {
            self.close(ROWS);
            self.skip_to(row / ROWS);
        }
        if self.leaves_out(row) {
            return;
        }
        let in_block = (row % ROWS) as u16;
        let (gap, is_forward) = match self.places.last() {
            Some(last) if last.row == in_block => {
                (column.saturating_sub(u32::from(last.column) + 1), u32::from(last.column) < column)
            }
            last => (column, last.is_none_or(|last| last.row < in_block)),
        };
        let gaps = self.gaps + gap as usize * EMPTY_CELL;
        let bytes = self.json.len() + json.len() + gaps + (ROWS as usize + 1) * EMPTY_ROW;
        if bytes > self.left || self.places.len() >= MAX_CELLS {
            self.cut_at(row);
            return;
        }
        self.gaps = gaps;
        self.is_disordered |= !is_forward;
        let start = self.json.len() as u32;
        self.places.push(Place { row: in_block, column: column as u16, start });
        self.json.push_str(json);
        self.json.push('\n');
        self.last_row = self.last_row.max(Some(row));
        self.last_column = self.last_column.max(Some(column));
    }

    /// Leaves out a row and all rows after it.
    fn cut_at(&mut self, row: u32) {
        self.cut = Some(row);
        self.places.retain(|place| u32::from(place.row) < row % ROWS);
        self.last_row = self.last_row.max(Some(row));
    }

    /// Begins a later part. Those between are empty.
    fn skip_to(&mut self, block: u32) {
        while self.block < block {
            if self.left < (ROWS as usize + 1) * EMPTY_ROW {
                self.cut = self.cut.or(Some(self.block * ROWS));
            }
            if self.cut.is_some() {
                self.block = block;
                return;
            }
            self.close(ROWS);
        }
    }

    /// Finishes the open part with a number of rows, and begins the next one.
    fn close(&mut self, rows: u32) {
        if self.cut.is_some_and(|cut| cut <= self.block * ROWS) {
            self.block += 1;
            return;
        }
        let rows = match self.cut {
            Some(cut) => rows.min(cut - self.block * ROWS),
            None => rows,
        };
        if self.is_disordered {
            // The sort is stable, so that the last of several cells in one place is behind the others.
            self.places.sort_by_key(|place| (place.row, place.column));
        }
        let bytes = self.json.len() + self.gaps + (rows as usize + 1) * EMPTY_ROW;
        let mut out = String::with_capacity(bytes.min(self.left));
        let mut places = self.places.iter().peekable();
        out.push('[');
        for row in 0..rows {
            out.push_str(if row > 0 { ",[" } else { "[" });
            let mut column = 0;
            while let Some(place) = places.next_if(|place| u32::from(place.row) == row) {
                let is_replaced = places
                    .peek()
                    .is_some_and(|next| (next.row, next.column) == (place.row, place.column));
                if is_replaced {
                    continue;
                }
                for _ in column..place.column {
                    out.push_str("null,");
                }
                let json = &self.json[place.start as usize..];
                out.push_str(json.split('\n').next().unwrap_or_default());
                out.push(',');
                column = place.column + 1;
            }
            if out.ends_with(',') {
                out.pop();
            }
            out.push(']');
        }
        out.push(']');
        self.left = self.left.saturating_sub(out.len());
        let name = format!("{}/{}", self.sheet, self.block);
        self.parts.push(Part { name, bytes: out.into_bytes() });
        self.places.clear();
        self.json.clear();
        self.gaps = 0;
        self.is_disordered = false;
        self.block += 1;
    }

    pub(super) fn finish(mut self) -> Finished {
        let used = self.last_row.map_or(0, |row| row + 1);
        let shown = used.min(self.cut.unwrap_or(u32::MAX));
        if shown > self.block * ROWS {
            self.close(shown - self.block * ROWS);
        }
        let Self { parts, left, cut, last_column, late, last_row, .. } = self;
        Finished {
            parts,
            left,
            rows: shown,
            columns: last_column.map_or(0, |column| column + 1),
            omitted: cut.zip(last_row),
            late,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(part: &Part) -> (&str, &str) {
        (&part.name, std::str::from_utf8(&part.bytes).unwrap())
    }

    #[test]
    fn cells_are_put_in_order() {
        let mut blocks = Blocks::new(3, 100_000);
        for (row, column, json) in
            [(0, 2, "1"), (0, 0, "2"), (2, 1, "3"), (0, 2, "4"), (1, 0, "5"), (1, 1, "6")]
        {
            blocks.push(row, column, json);
        }
        let finished = blocks.finish();
        assert_eq!(text(&finished.parts[0]), ("3/0", "[[2,null,4],[5,6],[null,3]]"));
        assert_eq!((finished.rows, finished.columns, finished.late), (3, 3, 0));
        assert_eq!(finished.omitted, None);
        assert_eq!(finished.left, 100_000 - 27);
    }

    #[test]
    fn parts_between_are_empty_and_late_cells_are_counted() {
        let mut blocks = Blocks::new(0, 100_000);
        blocks.push(5, 0, "1");
        blocks.push(2001, 0, "2");
        blocks.push(7, 0, "3");
        let finished = blocks.finish();
        let names: Vec<&str> = finished.parts.iter().map(|part| part.name.as_str()).collect();
        assert_eq!(names, ["0/0", "0/1", "0/2"]);
        assert_eq!(text(&finished.parts[2]).1, "[[],[2]]");
        assert_eq!(finished.parts[1].bytes.len(), 3_001);
        assert!(text(&finished.parts[0]).1.starts_with("[[],[],[],[],[],[1],[],"));
        assert_eq!((finished.rows, finished.late), (2002, 1));
    }

    #[test]
    fn a_sheet_ends_where_the_bytes_end() {
        let mut blocks = Blocks::new(0, 10_000);
        for row in 0..5_000 {
            blocks.push(row, 0, "\"abcdef\"");
            blocks.push(row, 1, "0");
        }
        let finished = blocks.finish();
        let bytes: usize = finished.parts.iter().map(|part| part.bytes.len()).sum();
        assert!(bytes <= 10_000 && finished.left == 10_000 - bytes, "{bytes}");
        let (from, to) = finished.omitted.unwrap();
        assert_eq!((finished.rows, to), (from, 4_999));
        assert!(from > 300);
        let end = text(&finished.parts[(from as usize - 1) / 1_000]).1;
        assert!(end.ends_with("[\"abcdef\",0]]"), "{end}");
    }

    #[test]
    fn far_cells_take_the_bytes_of_the_empty_ones_before_them() {
        let mut blocks = Blocks::new(0, 100_000);
        blocks.push(0, 16_383, "1");
        blocks.push(1, 16_383, "2");
        let finished = blocks.finish();
        assert_eq!((finished.rows, finished.omitted), (1, Some((1, 1))));
        let mut blocks = Blocks::new(0, 100_000);
        blocks.push(1_048_575, 0, "1");
        let finished = blocks.finish();
        assert!(finished.parts.len() < 40);
        assert_eq!(finished.omitted.unwrap().1, 1_048_575);
        assert_eq!(Blocks::new(0, 0).finish().rows, 0);
    }
}
