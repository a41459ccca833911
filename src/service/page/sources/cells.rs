//! Looks for a value in the sheets of a file, in the rows and columns that a person sees.

use std::time::Instant;

use super::found::{Found, MOST_OF_ONE, SourceKind, SourceMatch, shortened};
use super::wanted::Wanted;
use mitt_base::written_number::Likeness;
use mitt_serve::preview::{Cell, MAX_ROWS, Preview, Scalar};

/// Fewest texts of a row that are taken for the names of columns, if the row has nothing else.
const MIN_NAMES: usize = 2;

/// Returns the cells that hold a value. Ends at the deadline.
pub(super) fn search(
    preview: &Preview,
    (kind, name): (SourceKind, &str),
    wanted: &Wanted,
    deadline: Instant,
) -> Found {
    let mut found = Found::default();
    for (number, sheet) in preview.sheets().iter().enumerate() {
        let (mut from, mut names) = (0, Vec::new());
        loop {
            if found.is_full(MOST_OF_ONE) || Instant::now() >= deadline {
                found.has_more = true;
                return found;
            }
            // A damaged sheet does not hide the others.
            let Ok(block) = preview.rows_now(number, from, MAX_ROWS) else { break };
            for (row, cells) in (from..).zip(&block.rows) {
                for (column, cell) in cells.iter().enumerate() {
                    let Some(likeness) = cell.as_ref().and_then(|cell| likeness(wanted, cell))
                    else {
                        continue;
                    };
                    if found.wants(likeness, MOST_OF_ONE) {
                        found.add(SourceMatch {
                            label: label(&sheet.name, row, column as u64),
                            sheet: Some(number as u64),
                            row: Some(row),
                            column: Some(column as u64),
                            excerpt: excerpt(cells, column, &names),
                            ..SourceMatch::new(kind, name, likeness)
                        });
                    }
                }
                if let Some(header) = names_in(cells) {
                    names = header;
                }
            }
            from += block.rows.len() as u64;
            if block.rows.is_empty() || from >= block.total {
                break;
            }
        }
    }
    found
}

/// Returns how a cell is the same as the wanted value.
fn likeness(wanted: &Wanted, cell: &Cell) -> Option<Likeness> {
    let value = match (wanted, cell) {
        (Wanted::Text { .. }, _) | (_, Cell::Text(_)) => None,
        (Wanted::Number(_), Cell::Value(cell)) => cell.value.as_ref(),
    };
    match value {
        Some(Scalar::Integer(whole)) => wanted.in_number(&whole.to_string()),
        // The shortest decimal that stands for the number, which is the one in the file.
        Some(Scalar::Number(number)) => wanted.in_number(&number.to_string()),
        Some(Scalar::Boolean(_)) => None,
        Some(Scalar::Text(text)) => wanted.best_in(text),
        None => wanted.best_in(cell.text()),
    }
}

/// Returns `true` for a cell with words.
fn is_text(cell: &Cell) -> bool {
    match cell {
        Cell::Text(_) => true,
        Cell::Value(value) => matches!(value.value, None | Some(Scalar::Text(_))),
    }
}

/// Returns the names of columns in a row that has texts alone.
fn names_in(cells: &[Option<Cell>]) -> Option<Vec<String>> {
    let n_cells = cells.iter().flatten().count();
    let is_header = n_cells >= MIN_NAMES && cells.iter().flatten().all(is_text);
    let name = |cell: &Option<Cell>| shortened(cell.as_ref().map_or("", Cell::text));
    is_header.then(|| cells.iter().map(name).collect())
}

/// Returns a cell with the first text of its row and the name of its column, which say what it is.
fn excerpt(cells: &[Option<Cell>], column: usize, names: &[String]) -> String {
    let value = cells.get(column).and_then(Option::as_ref).map_or("", Cell::text);
    let mut others = cells.iter().enumerate().filter(|(other, _)| *other != column);
    let label = others.find_map(|(_, cell)| cell.as_ref().filter(|cell| is_text(cell)));
    let label = label.map(|cell| shortened(cell.text()));
    let name = names.get(column).filter(|name| !name.is_empty());
    let mut shown = String::new();
    if let Some(label) = label {
        shown = format!("{label} · ");
    }
    if let Some(name) = name {
        shown = format!("{shown}{name}: ");
    }
    format!("{shown}{}", shortened(value))
}

fn label(sheet: &str, row: u64, column: u64) -> String {
    match sheet {
        "" => cell_name(row, column),
        sheet => format!("{sheet}!{}", cell_name(row, column)),
    }
}

/// Returns the name of a cell, such as `B7` for row 6 and column 1.
fn cell_name(row: u64, column: u64) -> String {
    let mut letters = Vec::new();
    let mut rest = column + 1;
    while rest > 0 {
        let letter = u8::try_from((rest - 1) % 26).unwrap_or_default();
        letters.insert(0, char::from(b'A' + letter));
        rest = (rest - 1) / 26;
    }
    format!("{}{}", String::from_iter(letters), row + 1)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use mitt::{Error, Host};
    use mitt_serve::preview::{CellValue, PreviewFile, Previews};

    async fn preview(csv: &str) -> Preview {
        let host = Host::builder().no_cache().bundled_skills(false).build().unwrap();
        let file = PreviewFile {
            tenant: "acme",
            name: "sales.csv",
            media_type: "",
            sha256: "0123",
            size: csv.len() as u64,
            is_rendered: false,
        };
        let content = csv.as_bytes().to_vec();
        let previews = Previews::new(host);
        previews.open(file, || async move { Ok::<_, Error>(content) }).await.unwrap()
    }

    fn found(preview: &Preview, value: &str, time: Duration) -> (Vec<SourceMatch>, bool) {
        let deadline = Instant::now() + time;
        let origin = (SourceKind::Document, "sales.csv");
        search(preview, origin, &Wanted::of(value), deadline).into_best()
    }

    #[tokio::test]
    async fn a_number_is_found_in_its_cell() {
        let sales = preview("月份,收入（万元）\n1月,1452.3\n2月,9.5\n").await;
        let soon = Duration::from_secs(60);
        let (matches, has_more) = found(&sales, "1,452.3万元", soon);
        assert_eq!((matches.len(), has_more), (1, false), "{matches:?}");
        let SourceMatch { sheet, row, column, excerpt, is_exact, label, .. } = &matches[0];
        assert_eq!((*sheet, *row, *column), (Some(0), Some(1), Some(1)));
        assert_eq!((excerpt.as_str(), *is_exact), ("1月 · 收入（万元）: 1452.3", true));
        assert!(label.ends_with("!B2"), "{label}");
        let (rounded, _) = found(&sales, "1452", soon);
        assert_eq!((rounded.len(), rounded[0].is_exact), (1, false));
        assert!(found(&sales, "1453", soon).0.is_empty());
        assert_eq!(found(&sales, "收入（万元）", soon).0[0].row, Some(0));
        assert_eq!(found(&sales, "9.5", Duration::ZERO), (Vec::new(), true));
    }

    #[tokio::test]
    async fn one_sheet_does_not_take_all_places() {
        let many = preview(&format!("a,b\n{}", "7,7\n".repeat(100))).await;
        let (matches, has_more) = found(&many, "7", Duration::from_secs(60));
        assert_eq!((matches.len(), has_more), (MOST_OF_ONE, true));
    }

    #[test]
    fn values_of_cells_count_rather_than_what_is_displayed() {
        let cell = |displayed: &str, value| {
            let displayed = displayed.to_owned();
            Cell::Value(CellValue { displayed, value: Some(value), ..CellValue::default() })
        };
        let wanted = Wanted::of("12.5%");
        let rounded = cell("12.5 %", Scalar::Number(0.124_87));
        assert_eq!(likeness(&wanted, &rounded), Some(Likeness::Rounded));
        assert_eq!(likeness(&wanted, &cell("x", Scalar::Number(0.125))), Some(Likeness::Exact));
        assert_eq!(likeness(&wanted, &cell("12.5", Scalar::Boolean(true))), None);
        let text = cell("12.5 % of all", Scalar::Integer(1));
        assert_eq!(likeness(&Wanted::of("all"), &text), Some(Likeness::Exact));
    }

    #[test]
    fn cells_have_the_names_of_a_spreadsheet() {
        for (row, column, name) in
            [(0, 0, "A1"), (6, 1, "B7"), (9, 25, "Z10"), (0, 26, "AA1"), (1, 701, "ZZ2")]
        {
            assert_eq!(cell_name(row, column), name);
        }
    }
}
