//! Tables as Markdown.

use crate::{Cell, Table, cell_as_str};

/// Append a table in the notation of GitHub Flavored Markdown; nothing without columns.
///
/// A line feed inside a cell becomes a space, because a row is one line; the table apart keeps it.
pub fn push_table(out: &mut String, table: &Table) {
    if table.columns.is_empty() {
        return;
    }
    push_row(out, table.columns.iter().map(String::as_str));
    push_row(out, table.columns.iter().map(|_| "---"));
    for row in &table.rows {
        push_row(out, row.iter().map(|cell: &Cell| cell_as_str(cell)));
    }
}

fn push_row<'a>(out: &mut String, cells: impl Iterator<Item = &'a str>) {
    out.push('|');
    for cell in cells {
        out.push(' ');
        push_cell(out, cell);
        out.push_str(" |");
    }
    out.push('\n');
}

fn push_cell(out: &mut String, text: &str) {
    for (index, line) in text.lines().map(str::trim).filter(|line| !line.is_empty()).enumerate() {
        if index > 0 {
            out.push(' ');
        }
        for character in line.chars() {
            if character == '|' {
                out.push('\\');
            }
            out.push(character);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_one_line_per_row() {
        let table = Table {
            columns: vec!["a|b".into(), "n".into()],
            rows: vec![
                vec![Cell::Text("first\n\nsecond".into()), Cell::Number("1.50".into())],
                vec![Cell::Null, Cell::Boolean(true)],
            ],
        };
        let mut out = String::new();
        push_table(&mut out, &table);
        assert_eq!(out, "| a\\|b | n |\n| --- | --- |\n| first second | 1.50 |\n|  | true |\n");
    }
}
