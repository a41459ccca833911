//! The text of long tables. The text of a document shows only their first rows, and its tables have all of them.

use super::blocks::Source;
use mitt_guest::tables::Source as Table;
use mitt_guest::tables::wit::types::{Cell, Error, Place};

/// Rows that are read at once.
const ROWS: u64 = 2_000;

/// Returns `true` if a text has only tables and headings, and fewer rows than its tables.
pub(crate) fn is_partial(text: &str, n_tables: usize, n_rows: u64) -> bool {
    let lines = text.lines().filter(|it| it.starts_with('|')).count() as u64;
    is_tabular(text) && n_tables > 0 && lines < n_rows.saturating_add(2 * n_tables as u64)
}

/// Returns `true` if a text has only tables and headings.
pub(crate) fn is_tabular(text: &str) -> bool {
    text.lines().all(|it| it.is_empty() || it.starts_with(['|', '#']))
}

/// Replaces the text of a document by that of its tables with their names, at most `most` bytes.
///
/// # Errors
///
/// Those of [`Table::slice`].
pub(crate) fn replace<T: Table>(
    source: &mut Source,
    tables: &[(String, T)],
    most: usize,
) -> Result<(), Error> {
    let mut text = String::new();
    let mut places = Vec::new();
    source.is_cut = false;
    'all: for (name, table) in tables {
        if !name.is_empty() {
            places.push(Place { offset: text.chars().count() as u64, label: name.clone() });
            text.push_str(name);
            text.push_str("\n\n");
        }
        let columns = table.columns();
        push_row(&mut text, columns.iter().map(|it| it.name.as_str()));
        push_row(&mut text, columns.iter().map(|_| "---"));
        let mut start = 0;
        while start < table.rows() {
            if text.len() > most {
                source.is_cut = true;
                break 'all;
            }
            let chunks: Result<Vec<_>, Error> =
                (0..columns.len() as u32).map(|column| table.slice(column, start, ROWS)).collect();
            let chunks = chunks?;
            let n_rows = ROWS.min(table.rows() - start) as usize;
            for row in 0..n_rows {
                let cells: Vec<String> = chunks.iter().map(|it| shown(it.cell(row))).collect();
                push_row(&mut text, cells.iter().map(String::as_str));
            }
            start += ROWS;
        }
        text.push('\n');
    }
    // Cells have no markup, and offsets would be those of this text.
    *source = Source {
        text,
        places,
        is_plain: true,
        has_offsets: false,
        name: source.name.clone(),
        is_cut: source.is_cut,
    };
    Ok(())
}

fn shown(cell: Cell) -> String {
    match cell {
        Cell::Null => String::new(),
        Cell::Boolean(value) => value.to_string(),
        Cell::Number(text) | Cell::Text(text) => text,
    }
}

fn push_row<'c>(out: &mut String, cells: impl Iterator<Item = &'c str>) {
    out.push('|');
    for cell in cells {
        out.push(' ');
        out.push_str(&cell.replace(['\n', '\r'], " ").replace('|', "\\|"));
        out.push_str(" |");
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::super::compare;
    use super::*;
    use mitt_guest::tables::{Chunk, Memory};

    fn table(n: i64, changed: i64) -> Memory {
        let keys: Vec<String> = (0..n).map(|it| format!("item | {it}")).collect();
        let texts = Chunk::texts(keys.iter().map(|it| Some(it.as_str())));
        let numbers = Chunk::integers(
            (0..n).map(|it| (it != 3).then_some(if it == changed { -1 } else { it })),
        );
        Memory::new(vec![("Item", texts), ("Price", numbers)])
    }

    fn source(name: &str) -> Source {
        let text = "| Item | Price |\n| --- | --- |\n| item \\| 0 | 0 |\n".to_owned();
        Source {
            name: name.to_owned(),
            text,
            places: Vec::new(),
            is_plain: false,
            is_cut: true,
            has_offsets: true,
        }
    }

    #[test]
    fn all_rows_of_long_tables_are_compared() {
        let (mut a, mut b) = (source("a.csv"), source("b.csv"));
        assert!(
            is_partial(&a.text, 1, 5_000)
                && !is_partial(&a.text, 1, 1)
                && !is_partial("text\n", 1, 5_000)
        );
        replace(&mut a, &[("Sheet".to_owned(), table(5_000, 0))], 1 << 20).unwrap();
        replace(&mut b, &[("Sheet".to_owned(), table(5_000, 4_567))], 1 << 20).unwrap();
        assert!(!a.is_cut && a.text.contains("| item \\| 3 |  |"));
        let found = compare(a, b, 10);
        assert_eq!(found.total, 2, "{:?}", found.differences);
        let last = &found.differences[1];
        assert_eq!(last.place, "Sheet, table 1, row 4568 (item | 4567)");
        assert_eq!((last.before.as_str(), last.after.as_str()), ("Price: 4567", "Price: -1"));
        assert_eq!((last.before_offset, last.after_offset), (None, None));
        let mut cut = source("c.csv");
        replace(&mut cut, &[(String::new(), table(5_000, 0))], 10_000).unwrap();
        assert!(cut.is_cut && cut.text.len() < 100_000);
    }
}
