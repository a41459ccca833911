//! Tables: named columns of equal length.

use std::collections::HashSet;
use std::sync::Arc;

use mitt_base::memory::Charge;

use crate::cell::{Cell, CellRef};
use crate::chunk::Problem;
use crate::column::Column;

/// A table: named columns of equal length. It never changes, and cloning it copies no cells.
///
/// Column names are unique and not empty; [`column_names`](crate::column_names) makes them so.
#[derive(Clone, Debug, Default)]
pub struct Table {
    columns: Arc<[NamedColumn]>,
    rows: usize,
}

#[derive(Clone, Debug, PartialEq)]
struct NamedColumn {
    name: Arc<str>,
    column: Column,
}

/// A table found in a document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NamedTable {
    /// Name of the worksheet, or the caption or nearest heading above the table; may be empty.
    pub name: String,
    /// Its content.
    pub data: Table,
    /// Its place in the document, in words: `page 3`, `sheet Umsatz`. `None` if it is unknown.
    pub place: Option<String>,
}

impl NamedTable {
    /// Makes a table without a place.
    pub fn new(name: impl Into<String>, data: Table) -> NamedTable {
        NamedTable { name: name.into(), data, place: None }
    }
}

impl Table {
    pub(crate) fn from_columns(columns: Vec<(String, Column)>, rows: usize) -> Table {
        let named = |(name, column): (String, Column)| NamedColumn { name: name.into(), column };
        Table { columns: columns.into_iter().map(named).collect(), rows }
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the number of columns.
    pub fn width(&self) -> usize {
        self.columns.len()
    }

    /// Returns the number of cells, without the header.
    pub fn cell_count(&self) -> usize {
        self.rows.saturating_mul(self.width())
    }

    /// Returns the columns from left to right, with their names.
    pub fn columns(&self) -> impl ExactSizeIterator<Item = (&str, &Column)> {
        self.columns.iter().map(|named| (&*named.name, &named.column))
    }

    /// Returns the names of the columns.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.columns.iter().map(|named| &*named.name)
    }

    /// Returns the column at `index`.
    pub fn column(&self, index: usize) -> Option<&Column> {
        self.columns.get(index).map(|named| &named.column)
    }

    /// Returns the cell in a row and a column, which must exist. Numbers and dates are written into `text`.
    pub fn cell<'a>(&'a self, row: usize, column: usize, text: &'a mut String) -> CellRef<'a> {
        self.columns[column].column.cell(row, text)
    }

    /// Returns the cells of the `length` rows from `start` on, fewer at the end.
    pub fn cells(&self, start: usize, length: usize) -> Rows<'_> {
        let start = start.min(self.rows);
        Rows { table: self, next: start, end: start + length.min(self.rows - start) }
    }

    /// Returns some columns under new names. Copies nothing.
    pub fn select(&self, columns: Vec<(usize, String)>) -> Result<Table, Problem> {
        check_names(columns.iter().map(|(_, name)| name.as_str()))?;
        let chosen = columns.into_iter().map(|(index, name)| match self.column(index) {
            Some(column) => Ok((name, column.clone())),
            None => Err(Problem::Nothing("column", index, self.width())),
        });
        Ok(Table::from_columns(chosen.collect::<Result<_, _>>()?, self.rows))
    }

    /// Returns the `length` rows from `start` on, fewer at the end. Copies nothing.
    pub fn range(&self, start: usize, length: usize) -> Table {
        let start = start.min(self.rows);
        let length = length.min(self.rows - start);
        let part = |named: &NamedColumn| NamedColumn {
            name: named.name.clone(),
            column: named.column.range(start, length),
        };
        Table { columns: self.columns.iter().map(part).collect(), rows: length }
    }

    /// Returns the columns of this table followed by those of `right`. Copies nothing.
    pub fn beside(&self, right: &Table) -> Result<Table, Problem> {
        if self.rows != right.rows {
            return Err(Problem::Ragged(self.rows, right.rows));
        }
        check_names(self.names().chain(right.names()))?;
        let columns = self.columns.iter().chain(right.columns.iter()).cloned().collect();
        Ok(Table { columns, rows: self.rows })
    }

    /// Returns the bytes of all data that the columns are ranges of.
    pub fn kept_bytes(&self) -> u64 {
        let mut seen = HashSet::new();
        let own = self.columns.iter().map(|named| size_of_val(named) + named.name.len());
        let columns = self.columns.iter().map(|named| &named.column);
        let shared = columns.filter(|column| seen.insert(column.address())).map(Column::kept_bytes);
        own.sum::<usize>() as u64 + shared.sum::<u64>()
    }

    /// Returns the table as GitHub Flavored Markdown, ending with a line feed; empty without columns.
    ///
    /// Pipes are escaped. A line feed inside a cell becomes a space, because a row is one line; the table itself keeps it.
    pub fn to_markdown(&self) -> String {
        let mut out = String::new();
        self.push_markdown(&mut out, usize::MAX);
        out
    }

    /// Returns a row in the form of [`Table::to_markdown`], with its line feed; empty if there is no such row.
    pub fn markdown_row(&self, row: usize) -> String {
        let mut out = String::new();
        if row < self.rows {
            let mut text = String::new();
            out.push('|');
            for named in self.columns.iter() {
                push_cell(&mut out, named.column.cell(row, &mut text).as_str());
            }
            out.push('\n');
        }
        out
    }

    /// Writes the table as Markdown: the header, and as many whole rows as fit in `most` characters. Returns their number.
    pub fn push_markdown(&self, out: &mut String, most: usize) -> usize {
        if self.columns.is_empty() {
            return 0;
        }
        let start = out.len();
        push_row(out, self.names());
        push_row(out, self.names().map(|_| "---"));
        let mut written = out[start..].chars().count();
        let mut text = String::new();
        for row in 0..self.rows {
            let at = out.len();
            out.push('|');
            for named in self.columns.iter() {
                push_cell(out, named.column.cell(row, &mut text).as_str());
                // A character has at most four bytes. Checking here avoids writing a row of long texts to its end.
                if (out.len() - at) / 4 > most.saturating_sub(written) {
                    out.truncate(at);
                    return row;
                }
            }
            out.push('\n');
            written += out[at..].chars().count();
            if written > most {
                out.truncate(at);
                return row;
            }
        }
        self.rows
    }
}

/// Two tables are equal if their names and cells are, in whatever layout.
impl PartialEq for Table {
    fn eq(&self, other: &Table) -> bool {
        self.rows == other.rows && self.columns == other.columns
    }
}

/// Iterates over the rows of a table.
pub struct Rows<'a> {
    table: &'a Table,
    next: usize,
    end: usize,
}

impl Iterator for Rows<'_> {
    type Item = Vec<Cell>;

    fn next(&mut self) -> Option<Vec<Cell>> {
        if self.next >= self.end {
            return None;
        }
        let mut text = String::new();
        let columns = self.table.columns.iter();
        let row = columns.map(|named| named.column.cell(self.next, &mut text).to_cell()).collect();
        self.next += 1;
        Some(row)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.end - self.next, Some(self.end - self.next))
    }
}

impl ExactSizeIterator for Rows<'_> {}

/// Checks that names are not empty and not repeated.
pub(crate) fn check_names<'a>(names: impl Iterator<Item = &'a str>) -> Result<(), Problem> {
    let mut seen = HashSet::new();
    for name in names {
        if name.is_empty() {
            return Err(Problem::NoName);
        }
        if !seen.insert(name) {
            return Err(Problem::Twice(name.to_owned()));
        }
    }
    Ok(())
}

fn push_row<'a>(out: &mut String, cells: impl Iterator<Item = &'a str>) {
    out.push('|');
    cells.for_each(|cell| push_cell(out, cell));
    out.push('\n');
}

fn push_cell(out: &mut String, cell: &str) {
    out.push(' ');
    let plain = !cell.bytes().any(|byte| matches!(byte, b'|' | b'\n' | b'\r'));
    if plain {
        out.push_str(cell.trim());
    } else {
        for (index, line) in cell.lines().filter(|line| !line.trim().is_empty()).enumerate() {
            if index > 0 {
                out.push(' ');
            }
            out.push_str(&line.trim().replace('|', "\\|"));
        }
    }
    out.push_str(" |");
}

/// An empty column whose memory is charged to nobody.
impl Default for Column {
    fn default() -> Column {
        Column::new(
            crate::Values::Empty(0),
            crate::Validity::default(),
            Arc::new(Charge::nobodys()),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(names: &[&str], rows: &[&[&str]]) -> Table {
        let row = |row: &&[&str]| row.iter().map(|cell| Cell::Text((*cell).into())).collect();
        let rows: Vec<Vec<Cell>> = rows.iter().map(row).collect();
        Table::of_rows(names.iter().map(|name| (*name).to_owned()).collect(), &rows).unwrap()
    }

    #[test]
    fn a_table_is_markdown_of_one_line_for_each_row() {
        let table =
            table(&["a", "b|c"], &[&[" x ", "1|2"], &["li\n\n  ne \r\ntwo", ""], &["|", "y"]]);
        let expected =
            "| a | b\\|c |\n| --- | --- |\n| x | 1\\|2 |\n| li ne two |  |\n| \\| | y |\n";
        assert_eq!(table.to_markdown(), expected);
        let lines: Vec<&str> = expected.split_inclusive('\n').collect();
        for row in 0..3 {
            assert_eq!(table.markdown_row(row), lines[row + 2]);
        }
        assert_eq!(table.markdown_row(3), "");
        assert_eq!(Table::default().to_markdown(), "");
    }

    #[test]
    fn as_many_whole_rows_are_written_as_fit() {
        let table = table(&["größe", "𝄞"], &[&["𝄞𝄞𝄞𝄞", "x"], &["ä", "𝄞𝄞"], &["", "plain text"]]);
        let whole = table.to_markdown();
        let lines: Vec<&str> = whole.split_inclusive('\n').collect();
        let length = |rows: usize| -> usize {
            lines[..rows + 2].iter().map(|line| line.chars().count()).sum()
        };
        // What stands before the table does not count.
        let before = "before\n".repeat(100);
        for most in 0..=length(3) + 1 {
            let rows = (1..=3).take_while(|rows| length(*rows) <= most).count();
            let mut out = before.clone();
            assert_eq!(table.push_markdown(&mut out, most), rows, "{most}");
            assert_eq!(out, before.clone() + &lines[..rows + 2].concat(), "{most}");
        }
    }

    #[test]
    fn rows_say_how_many_are_left() {
        let table = table(&["a", "b"], &[&["1"], &["2"], &["3"], &["4"]]);
        assert_eq!((table.rows(), table.width(), table.cell_count()), (4, 2, 8));
        for (start, length, count) in
            [(0, 9, 4), (1, 2, 2), (3, usize::MAX, 1), (4, 1, 0), (9, 9, 0)]
        {
            let mut rows = table.cells(start, length);
            for left in (0..count).rev() {
                assert_eq!(rows.len(), left + 1);
                assert!(rows.next().is_some());
            }
            assert_eq!((rows.len(), rows.next()), (0, None), "{start} {length}");
        }
    }

    #[test]
    fn tables_are_equal_if_names_and_cells_are() {
        let one = table(&["a"], &[&["x"], &["y"]]);
        assert_eq!(one, table(&["a"], &[&["x"], &["y"]]));
        for other in [
            table(&["b"], &[&["x"], &["y"]]),
            table(&["a"], &[&["x"], &["z"]]),
            table(&["a"], &[&["x"]]),
            table(&["a"], &[&["x"], &["y"], &["z"]]),
        ] {
            assert_ne!(one, other);
        }
    }

    #[test]
    fn names_and_columns_count_as_kept() {
        let bytes = |name: &str| table(&[name], &[&["x"]]).kept_bytes();
        assert_eq!(bytes(&"n".repeat(1_000)), bytes("n") + 999);
        let (left, right) = (table(&["a"], &[&["x"][..]; 500]), table(&["b"], &[&["y"][..]; 500]));
        let both = left.beside(&right).unwrap();
        // Two columns of four bytes a row, which are not the same.
        assert_eq!(both.kept_bytes(), left.kept_bytes() + right.kept_bytes());
        let column = left.column(0).unwrap();
        assert!(column.kept_bytes() > 2_000, "{}", column.kept_bytes());
        let rows: Vec<Vec<Cell>> = (0..8_000)
            .map(|at| if at % 2 == 0 { vec![] } else { vec![Cell::Number("7".into())] })
            .collect();
        let with_nulls = Table::of_rows(vec!["a".into()], &rows).unwrap();
        let values = with_nulls.column(0).unwrap().values().0.kept_bytes() as u64;
        // A bit for each cell.
        assert!(with_nulls.column(0).unwrap().kept_bytes() >= values + 1_000);
    }
}
