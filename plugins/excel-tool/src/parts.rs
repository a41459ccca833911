//! Tables from parts: rows below each other, and a range of a worksheet.

use crate::column;
use crate::problems::{quoted, unknown_column};
use mitt_guest::nearest;
use mitt_guest::tables::{Build, Chunk, Error, Source, Values};

/// The rows of `more` below those of `data`. Columns are found by name.
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

/// The table of a worksheet, by its name; the first one without.
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

/// A range of a worksheet whose first row are the names of the columns.
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
    // Row 1 is that of the names.
    let first = wanted.rows.0.saturating_sub(1);
    let end = wanted.rows.1;
    Ok(table.select(&columns)?.range(first as u64, end.saturating_sub(first) as u64))
}

/// Columns and rows, from 0, both ends included.
#[derive(Debug, PartialEq)]
struct Range {
    columns: (usize, usize),
    rows: (usize, usize),
}

impl Range {
    /// `B2:D10`, `B2`, `B:D` or `2:10`, with or without `$`.
    fn parse(text: &str) -> Option<Range> {
        let text: String = text.chars().filter(|c| *c != '$' && !c.is_whitespace()).collect();
        let (from, to) = text.split_once(':').unwrap_or((&text, &text));
        let has = |text: &str, of: fn(&char) -> bool| text.chars().any(|c| of(&c));
        let (letters, digits): (fn(&char) -> bool, fn(&char) -> bool) =
            (char::is_ascii_alphabetic, char::is_ascii_digit);
        let has_both = has(from, letters) && has(from, digits);
        let range = match (has_both, has(from, letters)) {
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
