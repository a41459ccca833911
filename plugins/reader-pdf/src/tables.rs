//! Lays out the tables of a page: every cell in its column, merged cells included.

use crate::{inline, lines};
use mitt_reader_kit::{
    Cell, Piece, Table, cell_as_str, cell_from_text, header_depth, header_names, single_line,
};
use serde::{Deserialize, Serialize};

/// A table with its place in the text.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Placed {
    /// Title: a first row that is one cell over the whole width and is not a header.
    pub(crate) title: Option<String>,
    #[serde(with = "as_is")]
    pub(crate) table: Table,
    /// Bytes of its text.
    pub(crate) size: usize,
}

/// What a grid on a page turned out to be.
pub(crate) enum GridContent {
    Table(Placed),
    /// Lines of its cells. The grid is a frame around text, or does not have two rows and columns.
    Lines(Vec<String>),
}

/// Lays a table out and separates its header. Returns the number of its cells as an error if that is more than
/// `allowed`.
pub(crate) fn place(table: &unpdf::Table, allowed: usize) -> Result<GridContent, usize> {
    let mut pieces = pieces(table);
    let width = squeeze_columns(&mut pieces);
    let height = squeeze_rows(&mut pieces);
    if width < 2 || height < 2 {
        let lines = pieces.iter().map(|piece| single_line(cell_as_str(&piece.cell)));
        return Ok(GridContent::Lines(lines.filter(|line| !line.is_empty()).collect()));
    }
    let cells = width.saturating_mul(height);
    if cells > allowed {
        return Err(cells);
    }
    let in_row = |row: usize| pieces.iter().filter(move |piece| piece.row == row);
    let mut header = 0;
    let mut title = None;
    if let [only] = in_row(0).collect::<Vec<_>>().as_slice()
        && only.columns == width
        && only.rows == 1
        && height > 2
    {
        title = Some(single_line(cell_as_str(&only.cell)));
        header += 1;
    }
    let depth = header_depth(in_row(header).collect::<Vec<_>>().as_slice(), height - header);
    let columns = header_names(&pieces, header..header + depth, width);
    let body = header + depth;
    let size = pieces.iter().map(|piece| cell_as_str(&piece.cell).len()).sum();
    let mut rows = vec![vec![Cell::Null; width]; height.saturating_sub(body)];
    for piece in pieces {
        // Text over several rows names the group of these rows, so it is repeated. A number would be counted twice.
        let repeat = if matches!(piece.cell, Cell::Text(_)) { piece.rows } else { 1 };
        for row in piece.row.max(body)..(piece.row + repeat).min(height) {
            if let Some(cell) = rows.get_mut(row - body).and_then(|row| row.get_mut(piece.column)) {
                cell.clone_from(&piece.cell);
            }
        }
    }
    Ok(GridContent::Table(Placed { title, table: Table { columns, rows }, size }))
}

/// Returns every cell with its place.
fn pieces(table: &unpdf::Table) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for (row, (cells, columns)) in table.rows.iter().zip(table.cell_columns()).enumerate() {
        for (cell, column) in cells.cells.iter().zip(columns) {
            let columns = column..column + usize::from(cell.colspan.max(1));
            let widths = table.column_widths.as_deref().and_then(|widths| widths.get(columns));
            let width = widths.map_or(f32::INFINITY, |widths| widths.iter().sum());
            let lines = cell.content.iter().map(|paragraph| {
                lines::unwrapped(inline::text(&paragraph.content, true).plain, width)
            });
            let lines: Vec<String> = lines.filter(|line| !line.is_empty()).collect();
            pieces.push(Piece {
                row,
                column,
                rows: cell.rowspan.max(1).into(),
                columns: cell.colspan.max(1).into(),
                cell: cell_from_text(&lines.join("\n")),
            });
        }
    }
    pieces
}

/// Removes columns without text, which come from spans and double lines. Returns the number of columns left.
fn squeeze_columns(pieces: &mut Vec<Piece>) -> usize {
    let starts = starts(pieces.iter().map(|piece| (piece.column, &piece.cell)));
    for piece in pieces.iter_mut() {
        (piece.column, piece.columns) = moved(&starts, piece.column, piece.columns);
    }
    pieces.retain(|piece| piece.columns > 0);
    starts.len()
}

/// Removes rows without text. Returns the number of rows left.
fn squeeze_rows(pieces: &mut Vec<Piece>) -> usize {
    let starts = starts(pieces.iter().map(|piece| (piece.row, &piece.cell)));
    for piece in pieces.iter_mut() {
        (piece.row, piece.rows) = moved(&starts, piece.row, piece.rows);
    }
    pieces.retain(|piece| piece.rows > 0);
    starts.len()
}

fn starts<'a>(cells: impl Iterator<Item = (usize, &'a Cell)>) -> Vec<usize> {
    let mut starts: Vec<usize> =
        cells.filter(|(_, cell)| **cell != Cell::Null).map(|(start, _)| start).collect();
    starts.sort_unstable();
    starts.dedup();
    starts
}

fn moved(starts: &[usize], at: usize, length: usize) -> (usize, usize) {
    let from = starts.partition_point(|start| *start < at);
    let to = starts.partition_point(|start| *start < at + length);
    (from, to - from)
}

/// Serializes a table for the instance that joins the shares.
mod as_is {
    use super::{Cell, Table};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::borrow::Cow;

    #[derive(Serialize, Deserialize)]
    enum Value<'a> {
        Null,
        Boolean(bool),
        Number(Cow<'a, str>),
        Text(Cow<'a, str>),
    }

    pub(super) fn serialize<S: Serializer>(
        table: &Table,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let value = |cell: &'_ Cell| match cell {
            Cell::Null => Value::Null,
            Cell::Boolean(value) => Value::Boolean(*value),
            Cell::Number(text) => Value::Number(text.clone().into()),
            Cell::Text(text) => Value::Text(text.clone().into()),
        };
        let rows = table.rows.iter().map(|row| row.iter().map(value).collect());
        (&table.columns, rows.collect::<Vec<Vec<Value<'_>>>>()).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Table, D::Error> {
        let (columns, rows) = <(Vec<String>, Vec<Vec<Value<'_>>>)>::deserialize(from)?;
        let cell = |value| match value {
            Value::Null => Cell::Null,
            Value::Boolean(value) => Cell::Boolean(value),
            Value::Number(text) => Cell::Number(text.into_owned()),
            Value::Text(text) => Cell::Text(text.into_owned()),
        };
        let rows = rows.into_iter().map(|row| row.into_iter().map(cell).collect()).collect();
        Ok(Table { columns, rows })
    }
}
