//! Headers of tables whose cells span rows and columns.

use std::ops::Range;

use crate::{Cell, cell_as_str, column_names, single_line};

/// Most rows of a header. A taller block of merged cells is data.
const MAX_HEADER_ROWS: usize = 4;

/// One cell and the rectangle that it covers.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// Its first row, from 0.
    pub row: usize,
    /// Its first column, from 0.
    pub column: usize,
    /// Number of rows that it covers, at least 1.
    pub rows: usize,
    /// Number of columns that it covers, at least 1.
    pub columns: usize,
    /// Its content.
    pub cell: Cell,
}

/// Returns the rows of the header: more than one if a heading that spans columns is beside one that spans rows.
pub fn header_depth(first_row: &[&Piece], height: usize) -> usize {
    let depth = first_row.iter().map(|piece| piece.rows).max().unwrap_or(1);
    let is_grouped = first_row.iter().any(|piece| piece.columns > 1 && piece.rows == 1);
    if is_grouped && depth <= MAX_HEADER_ROWS && depth < height { depth } else { 1 }
}

/// Returns a name for each column: its headings from top to bottom. A merged heading counts for all its columns.
pub fn header_names(pieces: &[Piece], header: Range<usize>, width: usize) -> Vec<String> {
    let mut parts: Vec<Vec<String>> = vec![Vec::new(); width];
    for piece in pieces.iter().filter(|piece| header.contains(&piece.row)) {
        let text = single_line(cell_as_str(&piece.cell));
        if text.is_empty() {
            continue;
        }
        for column in parts.iter_mut().skip(piece.column).take(piece.columns) {
            if column.last() != Some(&text) {
                column.push(text.clone());
            }
        }
    }
    column_names(parts.iter().map(|parts| parts.join(" ")))
}
