//! One file for each row of a list: its name and its values.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use mitt::render::{FillValue, FillValues};
use mitt_base::file_name::check_file_name;
use mitt_base::{Error, ErrorKind, Result};

/// Most files of one command.
const MOST: usize = 100_000;

/// A file to write.
#[derive(Debug)]
pub(super) struct Copy {
    pub(super) path: PathBuf,
    pub(super) values: FillValues,
    /// Its row, counted from 1.
    pub(super) row: usize,
}

/// Returns the files for `rows`, named after `pattern`. Each is filled with `values` and the columns of its row.
///
/// # Errors
///
/// [`ErrorKind::Input`] - there are no rows, the pattern names no column, a value is no name of a file, or two files would have one name.
pub(super) fn copies(rows: FillValue, values: &FillValues, pattern: &Path) -> Result<Vec<Copy>> {
    let refused = |message: String| Error::new(ErrorKind::Input, message);
    let records = records(rows)?;
    let pattern = pattern.to_str().ok_or_else(|| refused("--output: no text in UTF-8".into()))?;
    if records.is_empty() {
        return Err(refused("there are no rows".into()));
    }
    if records.len() > MOST {
        return Err(refused(format!("expected at most {MOST} rows, got {}", records.len())));
    }
    let mut known = HashMap::new();
    let mut copies = Vec::with_capacity(records.len());
    for (at, record) in records.into_iter().enumerate() {
        let row = at + 1;
        let path = path(pattern, &record).map_err(|error| error.at(format!("row {row}")))?;
        if let Some(first) = known.insert(path.to_lowercase(), row) {
            return Err(refused(format!("rows {first} and {row} would both be `{path}`"))
                .hint("name a column in `--output` whose values all differ"));
        }
        let mut values = values.clone();
        for (name, value) in record {
            values.set(&name, value);
        }
        copies.push(Copy { path: path.into(), values, row });
    }
    Ok(copies)
}

/// Returns the rows as values by their names.
fn records(rows: FillValue) -> Result<Vec<Vec<(String, FillValue)>>> {
    let wrong = || {
        Error::new(ErrorKind::Input, "expected rows with named columns")
            .hint("give a CSV file whose first row names the columns, or a JSON list of objects")
    };
    match rows {
        FillValue::Table(table) => {
            let columns = table.columns;
            let row = |cells: Vec<FillValue>| {
                let cells = cells.into_iter().chain(std::iter::repeat(FillValue::Empty));
                columns.iter().cloned().zip(cells).collect()
            };
            Ok(table.rows.into_iter().map(row).collect())
        }
        FillValue::List(rows) => rows
            .into_iter()
            .map(|row| match row {
                FillValue::Record(record) => Ok(record),
                _ => Err(wrong()),
            })
            .collect(),
        _ => Err(wrong()),
    }
}

/// Returns the path that `pattern` gives for a row. A value is part of the name of one file or folder and never adds a
/// folder.
fn path(pattern: &str, record: &[(String, FillValue)]) -> Result<String> {
    let refused = |message: String| Error::new(ErrorKind::Input, message);
    let (mut path, mut rest, mut has_column) = (String::new(), pattern, false);
    while let Some((before, after)) = rest.split_once('{') {
        let (name, behind) = after
            .split_once('}')
            .ok_or_else(|| refused(format!("--output: `{{` without `}}` in `{pattern}`")))?;
        let Some((_, value)) = record.iter().find(|(column, _)| column == name.trim()) else {
            let names: Vec<_> = record.iter().map(|(name, _)| format!("`{{{name}}}`")).collect();
            return Err(refused(format!("--output: no column `{name}`"))
                .hint(format!("there are {}", names.join(", "))));
        };
        let text = match value {
            FillValue::Text(text) | FillValue::Number(text) | FillValue::Date(text) => text.trim(),
            FillValue::Bool(true) => "true",
            FillValue::Bool(false) => "false",
            FillValue::Empty => "",
            _ => {
                return Err(refused(format!("`{name}` is a list, which is no name of a file")));
            }
        };
        if text.is_empty() {
            return Err(refused(format!("`{name}` is empty, and names the file")));
        }
        // By itself a value must be a plain name; times of day have colons, which no file name on Windows has.
        check_file_name(text).map_err(|problem| refused(format!("`{name}`: {problem}")))?;
        path.push_str(before);
        path.push_str(text);
        (rest, has_column) = (behind, true);
    }
    path.push_str(rest);
    if has_column {
        Ok(path)
    } else {
        Err(refused(format!("--output: expected a column in the name, got `{pattern}`"))
            .hint("such as `out/{number}.xlsx`: each row has a file of its own"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mitt::render::FillTable;

    fn table(rows: &[[&str; 2]]) -> FillValue {
        let text = |text: &&str| FillValue::Text((*text).to_owned());
        FillValue::Table(FillTable {
            columns: vec!["number".into(), "name".into()],
            rows: rows.iter().map(|row| row.iter().map(text).collect()).collect(),
        })
    }

    fn paths(rows: &[[&str; 2]], pattern: &str) -> String {
        match copies(table(rows), &FillValues::new(), Path::new(pattern)) {
            Ok(copies) => {
                copies.iter().map(|it| it.path.display().to_string()).collect::<Vec<_>>().join(", ")
            }
            Err(error) => error.render(),
        }
    }

    #[test]
    fn names_come_out_of_columns() {
        let rows = [["1", "甲"], ["2", "乙"]];
        assert_eq!(paths(&rows, "out/{number}-{name}.xlsx"), "out/1-甲.xlsx, out/2-乙.xlsx");
        for (rows, pattern, problem) in [
            (&rows[..], "a.xlsx", "expected a column in the name"),
            (&rows, "{no}.xlsx", "no column `no`"),
            (&rows, "{number.xlsx", "without `}`"),
            (&[], "{number}.xlsx", "there are no rows"),
            (&[["1", "a"], ["1", "b"]], "{number}.xlsx", "rows 1 and 2 would both be `1.xlsx`"),
            (&[["../x", "a"]], "{number}.xlsx", "is a path"),
            (&[["", "a"]], "{number}.xlsx", "`number` is empty"),
        ] {
            let said = paths(rows, pattern);
            assert!(said.contains(problem), "{pattern}: {said}");
        }
    }
}
