//! Builds tables from parts: appended rows, and a range of a worksheet.

use crate::column;
use crate::problems::{quoted, unknown_column};
use mitt_guest::nearest;
use mitt_guest::tables::{Build, Chunk, Error, Source, Values};

/// Returns the rows of `data`, followed by those of `more`. Columns are matched by name.
pub(crate) fn append<T: Source>(data: &T, more: &T) -> Result<T, Error> {
    let names: Vec<String> = data.columns().into_iter().map(|column| column.name).collect();
    let given: Vec<String> = more.columns().into_iter().map(|column| column.name).collect();
    if more.rows() == 0 {
        let own: Vec<(u32, String)> = (0..).zip(names).collect();
        return data.select(&own);
    }
    let unknown: Vec<String> = given
        .iter()
        .filter(|name| !names.contains(name))
        .map(|name| format!("rows.{name}: {}", unknown_column(name, &names)))
        .collect();
    if !unknown.is_empty() {
        return Err(Error::InvalidArgument(unknown.join("\n")));
    }
    let mut source = more.select(&(0..).zip(given.iter().cloned()).collect::<Vec<_>>())?;
    let mut columns = Vec::with_capacity(names.len());
    let mut width = given.len() as u32;
    for name in &names {
        let index = match given.iter().position(|other| other == name) {
            Some(index) => index as u32,
            None => {
                let nulls = Chunk::from(Values::Empty(more.rows() as usize));
                source = source.beside(&T::from_columns(vec![(name.clone(), nulls)])?)?;
                width += 1;
                width - 1
            }
        };
        columns.push((index, name.clone()));
    }
    let builder = T::Builder::new(&names);
    builder.append_table(data)?;
    builder.append_table(&source.select(&columns)?)?;
    builder.finish()
}

/// Returns the table of the worksheet with this name; the first table without a name.
pub(crate) fn of_sheet(
    names: &[String],
    wanted: Option<&str>,
    document: &str,
) -> Result<usize, Error> {
    let Some(wanted) = wanted else {
        return match names.len() {
            0 => Err(Error::NotFound(format!("document {} has no tables", quoted(document)))),
            _ => Ok(0),
        };
    };
    let found = names.iter().position(|name| name == wanted);
    found.ok_or_else(|| {
        let there = names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", ");
        let meant = nearest(wanted, names.iter().map(String::as_str));
        let meant =
            meant.map(|name| format!(", did you mean {}", quoted(name))).unwrap_or_default();
        Error::NotFound(format!("sheet: expected one of {there}, got {}{meant}", quoted(wanted)))
    })
}

/// Returns a range of a worksheet. Its first row has the names of the columns.
pub(crate) fn range<T: Source>(table: &T, range: Option<&str>) -> Result<T, Error> {
    let names: Vec<String> = table.columns().into_iter().map(|column| column.name).collect();
    let all = Range { columns: (0, names.len().saturating_sub(1)), rows: (0, usize::MAX) };
    let wanted = match range {
        None => all,
        Some(text) => Range::parse(text).ok_or_else(|| {
            let got = quoted(text);
            Error::InvalidArgument(format!(
                "range: expected cells such as `B2:D10`, `B:D` or `2:10`, got {got}"
            ))
        })?,
    };
    let last = wanted.columns.1.min(names.len().saturating_sub(1));
    if wanted.columns.0 >= names.len() {
        let (count, got) = (names.len(), quoted(range.unwrap_or_default()));
        return Err(Error::InvalidArgument(format!(
            "range: expected columns among the {count} of the sheet, got {got}"
        )));
    }
    let columns: Vec<(u32, String)> =
        (wanted.columns.0..=last).map(|index| (index as u32, names[index].clone())).collect();
    // The names are in row 1.
    let first = wanted.rows.0.saturating_sub(1);
    let end = wanted.rows.1;
    Ok(table.select(&columns)?.range(first as u64, end.saturating_sub(first) as u64))
}

/// Columns and rows, from 0, ends included.
#[derive(Debug, PartialEq)]
struct Range {
    columns: (usize, usize),
    rows: (usize, usize),
}

impl Range {
    /// Parses `B2:D10`, `B2`, `B:D` or `2:10`, with or without `$`.
    fn parse(text: &str) -> Option<Range> {
        let text: String = text.chars().filter(|c| *c != '$' && !c.is_whitespace()).collect();
        let (from, to) = text.split_once(':').unwrap_or((&text, &text));
        let has_letters = from.chars().any(|c| c.is_ascii_alphabetic());
        let has_digits = from.chars().any(|c| c.is_ascii_digit());
        let range = match (has_letters && has_digits, has_letters) {
            (true, _) => {
                let (from, to) = (column::cell(from)?, column::cell(to)?);
                Range { columns: (from.0, to.0), rows: (from.1, to.1) }
            }
            (false, true) => {
                Range { columns: (column::index(from)?, column::index(to)?), rows: (0, usize::MAX) }
            }
            (false, false) => {
                let row = |text: &str| column::cell(&format!("A{text}")).map(|(_, row)| row);
                Range { columns: (0, usize::MAX), rows: (row(from)?, row(to)?) }
            }
        };
        (range.columns.0 <= range.columns.1 && range.rows.0 <= range.rows.1).then_some(range)
    }
}

#[cfg(test)]
mod tests {
    use super::{append, of_sheet, range};
    use mitt_guest::tables::{Cell, Error, Memory, Source as _};

    fn number(lexeme: &str) -> Cell {
        Cell::Number(lexeme.to_owned())
    }

    fn text(text: &str) -> Cell {
        Cell::Text(text.to_owned())
    }

    fn table(columns: &[&str], rows: Vec<Vec<Cell>>) -> Memory {
        let names: Vec<String> = columns.iter().map(|name| (*name).to_owned()).collect();
        Memory::from_rows(&names, &rows).expect("a table")
    }

    #[test]
    fn rows_are_put_below_a_table() {
        let data = table(&["a", "b"], vec![vec![number("1"), text("x")]]);
        let more = table(&["b"], vec![vec![text("y")], vec![text("z")]]);
        let rows = append(&data, &more).unwrap().to_rows();
        assert_eq!(
            rows,
            [[number("1"), text("x")], [Cell::Null, text("y")], [Cell::Null, text("z")]]
        );
        let other = table(&["B", "c"], vec![vec![text("y"), text("z")]]);
        assert_eq!(
            append(&data, &other).unwrap_err(),
            Error::InvalidArgument(
                "rows.B: expected a column of the data (`a`, `b`), got `B`, did you mean `b`\n\
                 rows.c: expected a column of the data (`a`, `b`), got `c`"
                    .to_owned()
            )
        );
        let none = table(&[], Vec::new());
        assert_eq!(append(&data, &none).unwrap().to_rows(), data.to_rows());
    }

    #[test]
    fn ranges_of_a_sheet() {
        let data = table(
            &["a", "b", "c"],
            (2..6)
                .map(|row| ["a", "b", "c"].map(|column| text(&format!("{column}{row}"))).to_vec())
                .collect(),
        );
        for (cells, names, first, count) in [
            (None, "a b c", Some("a2"), 4),
            (Some("B2:C3"), "b c", Some("b2"), 2),
            (Some("$b$3"), "b", Some("b3"), 1),
            (Some("B1:B3"), "b", Some("b2"), 2),
            (Some("A1:C1"), "a b c", None, 0),
            (Some("C:C"), "c", Some("c2"), 4),
            (Some("B"), "b", Some("b2"), 4),
            (Some("b:z"), "b c", Some("b2"), 4),
            (Some("4:99"), "a b c", Some("a4"), 2),
            (Some("A90:B99"), "a b", None, 0),
        ] {
            let part = range(&data, cells).unwrap();
            let found: Vec<_> = part.columns().into_iter().map(|column| column.name).collect();
            let cell = part.to_rows().first().map(|row| row[0].clone());
            assert_eq!(
                (found.join(" ").as_str(), cell, part.rows()),
                (names, first.map(text), count),
                "{cells:?}"
            );
        }
        for wrong in ["", "B2:A1", "B2:C", "A0", "A1:B2:C3", "+1", "AAAA1", "D1"] {
            assert!(matches!(range(&data, Some(wrong)), Err(Error::InvalidArgument(_))), "{wrong}");
        }
        let names = ["Sales".to_owned(), "成本".to_owned()];
        assert_eq!(of_sheet(&names, None, "a.xlsx"), Ok(0));
        assert_eq!(of_sheet(&names, Some("成本"), "a.xlsx"), Ok(1));
        assert_eq!(
            of_sheet(&names, Some("sales"), "a.xlsx"),
            Err(Error::NotFound(
                "sheet: expected one of `Sales`, `成本`, got `sales`, did you mean `Sales`"
                    .to_owned()
            ))
        );
        assert_eq!(
            of_sheet(&[], None, "a.txt"),
            Err(Error::NotFound("document `a.txt` has no tables".to_owned()))
        );
    }
}
