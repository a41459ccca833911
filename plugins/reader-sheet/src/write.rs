//! A sheet as Markdown.

use crate::intake::Asides;
use crate::place::cell_name;
use mitt_reader_kit::{Cell, Table, cell_as_str, push_table, single_line};
use std::fmt::Write as _;

/// Smallest table, in cells, that may be written as a list: a small one is legible however empty it is.
const MIN_LISTED: usize = 500;

/// Append the cells of a sheet: as a table, or as a list of rows where most of a table would be empty.
///
/// `row_numbers` says which row of the sheet each row of the table is, from zero.
pub(crate) fn push_cells(out: &mut String, table: &Table, row_numbers: &[u32]) {
    if !is_sparse(table) {
        push_table(out, table);
        return;
    }
    out.push_str("Most cells are empty. Each line is a row of the sheet and names the columns that hold something.\n\n");
    let named = table.columns.iter().enumerate().filter(|(index, name)| !is_made_up(*index, name));
    let named: Vec<&str> = named.map(|(_, name)| name.as_str()).collect();
    if !named.is_empty() {
        _ = writeln!(out, "Columns: {}\n", named.join("; "));
    }
    for (row, number) in table.rows.iter().zip(row_numbers) {
        let mut between = format!("- row {}: ", number + 1);
        for (name, cell) in table.columns.iter().zip(row).filter(|(_, cell)| **cell != Cell::Null) {
            _ = write!(out, "{between}{name} = {}", single_line(cell_as_str(cell)));
            between = "; ".to_owned();
        }
        if between == "; " {
            out.push('\n');
        }
    }
}

/// Whether a list of rows takes less than half of what a table would.
fn is_sparse(table: &Table) -> bool {
    const EMPTY_CELL: usize = "  |".len();
    const ROW: usize = "- row 100: ".len();
    let area = table.columns.len() * table.rows.len();
    let filled: usize = table
        .rows
        .iter()
        .flat_map(|row| table.columns.iter().zip(row))
        .filter(|(_, cell)| **cell != Cell::Null)
        .map(|(name, _)| name.len() + " = ; ".len())
        .sum();
    area >= MIN_LISTED && 2 * (filled + ROW * table.rows.len()) < EMPTY_CELL * area
}

/// Whether a column has no heading, so that its name only says where it is.
fn is_made_up(index: usize, name: &str) -> bool {
    name.strip_prefix("column_").is_some_and(|number| number == (index + 1).to_string())
}

/// Append what stands beside the cells.
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
        let rows: Vec<Vec<Cell>> = (0..10)
            .map(|row| {
                let mut cells = vec![Cell::Null; width];
                if row != 5 {
                    cells[0] = Cell::Text(format!("n{row}"));
                    cells[row * 5] = Cell::Number(row.to_string());
                }
                cells
            })
            .collect();
        let table = Table { columns, rows };
        let mut out = String::new();
        push_cells(&mut out, &table, &(10..20).collect::<Vec<_>>());
        let lines: Vec<&str> = out.lines().collect();
        assert_eq!(lines[2], "Columns: Name");
        assert_eq!(lines[4], "- row 11: Name = 0");
        assert_eq!(lines[5], "- row 12: Name = n1; column_6 = 1");
        assert_eq!(
            lines[9], "- row 17: Name = n6; column_31 = 6",
            "a row without anything is no line"
        );
        let small = Table { columns: table.columns, rows: table.rows[..2].to_vec() };
        let mut out = String::new();
        push_cells(&mut out, &small, &[0, 1]);
        assert!(out.starts_with("| Name | column_2 |"), "{out}");
    }
}
