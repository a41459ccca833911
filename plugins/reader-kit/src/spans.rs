//! Tables whose cells span rows and columns: their header.

use std::ops::Range;

use crate::{Cell, cell_as_str, column_names, single_line};

/// Most rows that one header may have; a taller block of merged cells is data.
const MAX_HEADER_ROWS: usize = 4;

/// One cell and the rectangle that it covers.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// Row of its upper end, from 0.
    pub row: usize,
    /// Column of its left end, from 0.
    pub column: usize,
    /// Rows that it covers, at least 1.
    pub rows: usize,
    /// Columns that it covers, at least 1.
    pub columns: usize,
    /// Its content.
    pub cell: Cell,
}

/// How many rows the header has: more than one where a group heading spans columns beside a heading that spans rows.
pub fn header_depth(first_row: &[&Piece], height: usize) -> usize {
    let depth = first_row.iter().map(|piece| piece.rows).max().unwrap_or(1);
    let is_grouped = first_row.iter().any(|piece| piece.columns > 1 && piece.rows == 1);
    if is_grouped && depth <= MAX_HEADER_ROWS && depth < height { depth } else { 1 }
}

/// One name per column: the headings above it from top to bottom, a merged one counting for all its columns.
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
