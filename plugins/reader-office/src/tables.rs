//! Lays out tables: every cell in its visible column, merged cells included.
//!
//! The Markdown of the library pads rows at their end, which moves everything after a merged cell to the left.

use crate::{inline, numbering};
use mitt_reader_kit::{
    Cell, Piece, Table, cell_as_str, cell_from_text, header_depth, header_names, single_line,
};
use office_oxide::ir;

/// Most columns that one cell may span. Word allows 63, but the file can give any number.
const MAX_SPAN: usize = 1024;

/// A table with its place in the text.
pub(crate) struct Placed {
    /// Title: a first row that is one cell over the whole width and is not a header.
    pub(crate) title: Option<String>,
    pub(crate) table: Table,
}

/// Lays a table out and separates its header. `None` if it has no text. Returns the number of its cells as an error if
/// that is more than `allowed`.
pub(crate) fn place(table: &ir::Table, allowed: usize) -> Result<Option<Placed>, usize> {
    let mut pieces = pieces(table);
    let width = squeeze_columns(&mut pieces);
    let Some(first) =
        pieces.iter().filter(|piece| piece.cell != Cell::Null).map(|piece| piece.row).min()
    else {
        return Ok(None);
    };
    let height = table.rows.len();
    let cells = width.saturating_mul(height - first);
    if cells > allowed {
        return Err(cells);
    }
    let in_row = |row: usize| pieces.iter().filter(move |piece| piece.row == row);
    let mut header = first;
    let mut title = None;
    if let [only] = in_row(first).collect::<Vec<_>>().as_slice()
        && width > 1
        && only.columns == width
        && only.rows == 1
        && first + 2 < height
    {
        title = Some(single_line(cell_as_str(&only.cell)));
        header += 1;
    }
    let depth = header_depth(in_row(header).collect::<Vec<_>>().as_slice(), height - header);
    let columns = header_names(&pieces, header..header + depth, width);
    let body = header + depth;
    let mut rows = vec![vec![Cell::Null; width]; height.saturating_sub(body)];
    for piece in pieces {
        // Text over several rows names the group of these rows, so it is repeated. A number would be counted twice.
        let repeat = if matches!(piece.cell, Cell::Text(_)) { piece.rows } else { 1 };
        for row in piece.row.max(body)..(piece.row + repeat).min(height) {
            if piece.row >= body
                || matches!(piece.cell, Cell::Text(_)) && piece.row + piece.rows > body
            {
                rows[row - body][piece.column] = piece.cell.clone();
            }
        }
    }
    while rows.last().is_some_and(|row| row.iter().all(|cell| *cell == Cell::Null)) {
        rows.pop();
    }
    Ok(Some(Placed { title, table: Table { columns, rows } }))
}

/// Returns the plain text of blocks in a cell, one line per paragraph.
pub(crate) fn text_of(elements: &[ir::Element]) -> String {
    // A single item is not a list, and a number in it is a number.
    if let [ir::Element::List(list)] = elements
        && let [item] = list.items.as_slice()
        && !list.ordered
        && item.nested.is_none()
    {
        return text_of(&item.content);
    }
    let mut lines = Vec::new();
    collect_lines(elements, &mut lines);
    lines.join("\n")
}

fn collect_lines(elements: &[ir::Element], lines: &mut Vec<String>) {
    let mut push = |text: String| {
        let text = text.trim();
        if !text.is_empty() {
            lines.push(text.to_owned());
        }
    };
    for element in elements {
        match element {
            ir::Element::Heading(heading) => push(inline::to_text(&heading.content)),
            ir::Element::Paragraph(paragraph) => push(inline::to_text(&paragraph.content)),
            ir::Element::CodeBlock(code) => push(mitt_reader_kit::clean(&code.content)),
            ir::Element::Table(table) => {
                for row in &table.rows {
                    let cells: Vec<String> =
                        row.cells.iter().map(|cell| single_line(&text_of(&cell.content))).collect();
                    push(cells.join(" | "));
                }
            }
            ir::Element::List(list) => {
                let mut items = Vec::new();
                list_lines(list, 0, &mut items);
                push(items.join("\n"));
            }
            ir::Element::TextBox(text_box) => push(text_of(&text_box.content)),
            _ => {}
        }
    }
}

/// Adds the items of a list with their markers. Nested ones are indented.
fn list_lines(list: &ir::List, indent: usize, lines: &mut Vec<String>) {
    let first = u64::from(list.start_number.unwrap_or(1));
    for (number, item) in (first..).zip(&list.items) {
        let text = text_of(&item.content);
        let has_label = matches!(item.content.first(), Some(ir::Element::Paragraph(paragraph)) if inline::has_label(&paragraph.content));
        let text = text.trim();
        let line = match (has_label, list.ordered) {
            _ if text.is_empty() => String::new(),
            (true, _) => text.to_owned(),
            (false, true) => format!("{} {text}", numbering::of_list(list, number)),
            (false, false) => format!("- {text}"),
        };
        let inner = if line.is_empty() { indent } else { indent + 2 };
        if !line.is_empty() {
            lines.push(format!("{}{line}", " ".repeat(indent)));
        }
        if let Some(nested) = &item.nested {
            list_lines(nested, inner, lines);
        }
    }
}

/// Returns every cell with its column: the first that no cell before it or above it covers.
fn pieces(table: &ir::Table) -> Vec<Piece> {
    let height = table.rows.len();
    let mut pieces = Vec::new();
    // For each column, the first row in which it is free again.
    let mut free_from: Vec<usize> = Vec::new();
    for (row, cells) in table.rows.iter().enumerate() {
        let mut column = 0;
        for cell in &cells.cells {
            while free_from.get(column).is_some_and(|free| *free > row) {
                column += 1;
            }
            let columns = (cell.col_span.max(1) as usize).min(MAX_SPAN);
            let rows = (cell.row_span.max(1) as usize).min(height - row);
            if free_from.len() < column + columns {
                free_from.resize(column + columns, 0);
            }
            free_from[column..column + columns].fill(row + rows);
            pieces.push(Piece {
                row,
                column,
                rows,
                columns,
                cell: cell_from_text(&text_of(&cell.content)),
            });
            column += columns;
        }
    }
    pieces
}

/// Removes the columns in which no cell begins, because they only continue spans. Returns the number of columns left.
fn squeeze_columns(pieces: &mut [Piece]) -> usize {
    let mut starts: Vec<usize> = pieces.iter().map(|piece| piece.column).collect();
    starts.sort_unstable();
    starts.dedup();
    for piece in pieces {
        let from = starts.partition_point(|start| *start < piece.column);
        let to = starts.partition_point(|start| *start < piece.column + piece.columns);
        piece.column = from;
        piece.columns = to - from;
    }
    starts.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use office_oxide::ir::{Element, InlineContent, Paragraph, TableCell, TableRow, TextSpan};

    /// Makes a table from lines of fields. `text<2` spans two columns, `text^2` two rows, `.` is empty.
    fn table(lines: &[&str]) -> ir::Table {
        let cell = |field: &str| {
            let (field, row_span) =
                field.split_once('^').map_or((field, 1), |(text, n)| (text, n.parse().unwrap()));
            let (field, col_span) =
                field.split_once('<').map_or((field, 1), |(text, n)| (text, n.parse().unwrap()));
            let text = field.replace('.', "");
            let content = vec![InlineContent::Text(TextSpan::plain(text))];
            let content = vec![Element::Paragraph(Paragraph { content, ..Paragraph::default() })];
            TableCell { content, col_span, row_span, ..TableCell::default() }
        };
        let row = |line: &&str| TableRow {
            cells: line.split(' ').map(cell).collect(),
            ..TableRow::default()
        };
        ir::Table { rows: lines.iter().map(row).collect(), ..ir::Table::default() }
    }

    fn check(lines: &[&str], title: Option<&str>, columns: &[&str], rows: &[&[&str]]) {
        let placed = place(&table(lines), 1000).unwrap().unwrap();
        assert_eq!(placed.title.as_deref(), title, "{lines:?}");
        assert_eq!(placed.table.columns, columns, "{lines:?}");
        let found: Vec<Vec<&str>> =
            placed.table.rows.iter().map(|row| row.iter().map(cell_as_str).collect()).collect();
        assert_eq!(found, rows, "{lines:?}");
    }

    #[test]
    fn cells_behind_a_merged_cell_stay_in_their_column() {
        check(
            &["a b c", "x<2 3", "1 2 3"],
            None,
            &["a", "b", "c"],
            &[&["x", "", "3"], &["1", "2", "3"]],
        );
        check(
            &["a b c", "g^2 1 2", "3 4"],
            None,
            &["a", "b", "c"],
            &[&["g", "1", "2"], &["g", "3", "4"]],
        );
        check(&["a b", "7^2 1", "2"], None, &["a", "b"], &[&["7", "1"], &["", "2"]]);
    }

    #[test]
    fn lists_in_cells_keep_their_marks() {
        let item = |text: &str, nested| ir::ListItem {
            content: vec![Element::Paragraph(Paragraph {
                content: vec![InlineContent::Text(TextSpan::plain(text))],
                ..Paragraph::default()
            })],
            nested,
        };
        let list = |ordered, items| ir::List { ordered, items, ..ir::List::default() };
        let inner = list(true, vec![item("x", None), item("y", None)]);
        let outer = list(false, vec![item("a", Some(inner)), item("b", None)]);
        assert_eq!(text_of(&[Element::List(outer)]), "- a\n  1. x\n  2. y\n- b");
        assert_eq!(text_of(&[Element::List(list(false, vec![item("5", None)]))]), "5");
        let labelled = item(&(crate::marks::label("(3)") + "z"), None);
        assert_eq!(text_of(&[Element::List(list(true, vec![labelled]))]), "(3) z");
    }

    #[test]
    fn headers_over_several_columns_and_rows() {
        check(&["Q1<2 Q2", "1 2 3"], None, &["Q1", "Q1_2", "Q2"], &[&["1", "2", "3"]]);
        check(
            &["Region^2 Q1<2 Sum^2", "sales cost", "East 1 2 3"],
            None,
            &["Region", "Q1 sales", "Q1 cost", "Sum"],
            &[&["East", "1", "2", "3"]],
        );
    }

    #[test]
    fn a_title_row_is_no_header() {
        check(&["Sales<2", "a b", "1 2"], Some("Sales"), &["a", "b"], &[&["1", "2"]]);
        check(&["Sales<2", "a b"], None, &["Sales", "Sales_2"], &[&["a", "b"]]);
        check(&[". .", "a b", "1 2"], None, &["a", "b"], &[&["1", "2"]]);
    }

    #[test]
    fn empty_and_enormous_tables() {
        assert!(place(&table(&[". ."]), 1000).unwrap().is_none());
        assert!(place(&ir::Table::default(), 1000).unwrap().is_none());
        assert_eq!(place(&table(&["a b", "1 2"]), 3).err(), Some(4));
    }
}
