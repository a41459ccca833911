//! Warnings about columns of numbers that contain cells of another type, because they affect calculations and comparisons.

use mitt_table::{CellRef, Column, NamedTable, Values};

/// Least number of rows for which cells of another type are reported. In two rows, either may be the odd one.
const ROWS: usize = 3;
/// Most columns of a document that are reported.
const COLUMNS: usize = 20;
/// Most characters of a cell that are shown.
const SHOWN: u64 = 30;

/// Returns a sentence for each column that has more numbers than other cells.
pub(super) fn of(tables: &[NamedTable]) -> Vec<String> {
    let columns = tables.iter().flat_map(|table| {
        table.data.columns().map(move |(name, column)| (table.name.as_str(), name, column))
    });
    let sentences = columns.filter_map(|(table, name, column)| sentence(table, name, column));
    sentences.take(COLUMNS).collect()
}

fn sentence(table: &str, name: &str, column: &Column) -> Option<String> {
    let (Values::Mixed(_), true) = (column.values().0, column.len() >= ROWS) else { return None };
    let (mut numbers, mut others, mut first) = (0, 0, None);
    let mut written = String::new();
    for row in 0..column.len() {
        match column.cell(row, &mut written) {
            CellRef::Null => {}
            CellRef::Number(_) => numbers += 1,
            other => {
                others += 1;
                first = first.or_else(|| Some((row, shown(other))));
            }
        }
    }
    let (row, text) = first?;
    if numbers <= others {
        return None;
    }
    let place = if table.is_empty() { String::new() } else { format!("{table}: ") };
    let others = if others == 1 { "1 cell is".to_owned() } else { format!("{others} cells are") };
    Some(format!(
        "{place}column {name}: {numbers} numbers; {others} not numeric, the first in row {row} (counted from 0 below the header): {text}"
    ))
}

fn shown(cell: CellRef<'_>) -> String {
    let line = mitt_base::text::single_line(cell.as_str());
    let (kept, is_cut) = mitt_base::text::cut_chars(&line, SHOWN);
    if is_cut { format!("`{kept}…`") } else { format!("`{kept}`") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mitt_table::{Cell, Table};

    fn warnings(cells: Vec<Cell>) -> Vec<String> {
        let rows: Vec<_> = cells.into_iter().map(|cell| vec![cell]).collect();
        let data = Table::of_rows(vec!["收入".into()], &rows).unwrap();
        of(&[NamedTable::new("表", data)])
    }

    #[test]
    fn texts_among_numbers_are_reported() {
        let mut cells = vec![Cell::Number("1".into()); 20];
        cells[7] = Cell::Text("N/A".into());
        cells[9] = Cell::Text("-".into());
        assert_eq!(
            warnings(cells),
            [
                "表: column 收入: 18 numbers; 2 cells are not numeric, the first in row 7 (counted from 0 below the header): `N/A`"
            ]
        );
        let half = (0..20).map(|n| match n % 2 {
            0 => Cell::Number("1".into()),
            _ => Cell::Text("x".into()),
        });
        assert!(warnings(half.collect()).is_empty());
        let [one, two] = ["1", "2"].map(|it| Cell::Number(it.into()));
        assert_eq!(
            warnings(vec![one, Cell::Text("n/a".into()), two]),
            [
                "表: column 收入: 2 numbers; 1 cell is not numeric, the first in row 1 (counted from 0 below the header): `n/a`"
            ]
        );
        assert!(warnings(vec![Cell::Number("1".into()), Cell::Text("x".into())]).is_empty());
        assert!(warnings(vec![Cell::Text("x".into()); 20]).is_empty());
    }
}
