//! Writes a sheet as Markdown.

use crate::columns::Sheet;
use crate::grid::value;
use crate::intake::Asides;
use crate::item::Item;
use crate::place::cell_name;
use mitt_reader_kit::{push_head, push_row, single_line};
use std::fmt::Write as _;

/// Smallest table, in cells, that may be written as a list. A smaller one is legible even if it is nearly empty.
const MIN_LISTED: usize = 500;

/// Most bytes of rows in the text of a workbook. The last row is written whole. A model does not read more of a table
/// as text, and the table itself is complete.
pub(crate) const MAX_ROW_BYTES: usize = 400_000;

/// Appends the cells of a sheet: as a table, or as a list of rows if most of the table would be empty. Returns how many
/// rows were written.
///
/// `row_numbers` has the row in the sheet of each row of the table, from 0. `left` is the number of bytes that rows may
/// still have.
pub(crate) fn push_cells(
    out: &mut String,
    table: &Sheet,
    row_numbers: &[u32],
    left: &mut usize,
) -> usize {
    let is_list = is_sparse(table);
    if is_list {
        push_list_head(out, table);
    } else {
        push_head(out, &table.columns);
    }
    for (index, (row, number)) in table.rows.iter().zip(row_numbers).enumerate() {
        if *left == 0 {
            return index;
        }
        let before = out.len();
        if is_list {
            push_list_row(out, table, row, *number);
        } else {
            push_row(out, (0..table.columns.len()).map(|column| value(row, column).text()));
        }
        *left = left.saturating_sub(out.len() - before);
    }
    table.rows.len()
}

fn push_list_head(out: &mut String, table: &Sheet) {
    out.push_str("Most cells are empty. Each line is a row of the sheet and names the columns that hold something.\n\n");
    let named = table.columns.iter().enumerate().filter(|(index, name)| !is_made_up(*index, name));
    let named: Vec<&str> = named.map(|(_, name)| name.as_str()).collect();
    if !named.is_empty() {
        _ = writeln!(out, "Columns: {}\n", named.join("; "));
    }
}

fn push_list_row(out: &mut String, table: &Sheet, row: &[(u32, Item)], number: u32) {
    let mut between = format!("- row {}: ", number + 1);
    for (column, item) in row {
        let name = &table.columns[*column as usize];
        _ = write!(out, "{between}{name} = {}", single_line(&item.text()));
        between = "; ".to_owned();
    }
    if between == "; " {
        out.push('\n');
    }
}

/// Returns whether a list of rows takes less than half the space of a table.
fn is_sparse(table: &Sheet) -> bool {
    const EMPTY_CELL: usize = "  |".len();
    const ROW: usize = "- row 100: ".len();
    let area = table.columns.len() * table.rows.len();
    let listed = |(column, _): &(u32, Item)| table.columns[*column as usize].len() + " = ; ".len();
    let filled: usize = table.rows.iter().flatten().map(listed).sum();
    area >= MIN_LISTED && 2 * (filled + ROW * table.rows.len()) < EMPTY_CELL * area
}

/// Returns whether a column has no heading, so that its name only gives its position.
fn is_made_up(index: usize, name: &str) -> bool {
    name.strip_prefix("column_").is_some_and(|number| number == (index + 1).to_string())
}

/// Appends comments and drawings.
pub(crate) fn push_asides(out: &mut String, asides: &Asides) {
    if !asides.comments.is_empty() {
        out.push_str("\nComments:\n\n");
    }
    for comment in &asides.comments {
        let cell = cell_name(comment.row, comment.column);
        _ = match comment.author.as_str() {
            "" => writeln!(out, "- {cell}: {}", comment.text),
            author => writeln!(out, "- {cell} ({author}): {}", comment.text),
        };
    }
    push_list(out, "Text boxes", asides.boxes.iter());
    push_list(out, "Charts, by their titles", asides.charts.iter().flatten());
}

fn push_list<'a>(out: &mut String, heading: &str, mut items: impl Iterator<Item = &'a String>) {
    if let Some(first) = items.next() {
        _ = writeln!(out, "\n{heading}:\n\n- {first}");
    }
    for item in items {
        _ = writeln!(out, "- {item}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_that_is_mostly_empty_is_a_list() {
        let width = 60;
        let mut columns: Vec<String> =
            (1..=width).map(|number| format!("column_{number}")).collect();
        columns[0] = "Name".into();
        let rows = (0..10).map(|row| {
            let name = (0, Item::text_of(&format!("n{row}")));
            let number = (row * 5, Item::number(f64::from(row)));
            match row {
                0 => vec![number],
                5 => Vec::new(),
                _ => vec![name, number],
            }
        });
        let rows = rows.map(Vec::into_boxed_slice).collect();
        let table = Sheet { columns, rows };
        let mut out = String::new();
        let mut left = MAX_ROW_BYTES;
        let shown = push_cells(&mut out, &table, &(10..20).collect::<Vec<_>>(), &mut left);
        assert_eq!(shown, 10);
        let lines: Vec<&str> = out.lines().collect();
        assert_eq!(lines[2], "Columns: Name");
        assert_eq!(lines[4], "- row 11: Name = 0");
        assert_eq!(lines[5], "- row 12: Name = n1; column_6 = 1");
        assert_eq!(
            lines[9], "- row 17: Name = n6; column_31 = 6",
            "a row without anything is no line"
        );
        let mut small = table;
        small.rows.truncate(2);
        let mut out = String::new();
        push_cells(&mut out, &small, &[0, 1], &mut left);
        assert!(out.starts_with("| Name | column_2 |"), "{out}");
    }

    #[test]
    fn rows_are_shown_as_far_as_the_text_may_go() {
        let row = |row: u32| vec![(0, Item::number(f64::from(row)))].into_boxed_slice();
        let table = Sheet { columns: vec!["n".into()], rows: (1..=9).map(row).collect() };
        let mut out = String::new();
        let mut left = 8;
        assert_eq!(push_cells(&mut out, &table, &[0; 9], &mut left), 2);
        assert_eq!(out, "| n |\n| --- |\n| 1 |\n| 2 |\n");
        assert_eq!(push_cells(&mut out, &table, &[0; 9], &mut left), 0);
    }
}
