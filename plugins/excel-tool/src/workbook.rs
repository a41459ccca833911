//! Complete workbooks: from the arguments of a tool to the request to the host.

use crate::cells::Failed;
use crate::problems::Problems;
use crate::sheet::{Input, Place, Sheet, given, sheet};
use mitt_guest::tables::{Error, Source};

const DEFAULT_FILENAME: &str = "report.xlsx";
pub(crate) const DEFAULT_SHEET_NAME: &str = "Sheet1";

/// A workbook for the host to write.
#[derive(Debug)]
pub(crate) struct Workbook<T> {
    pub(crate) title: Option<String>,
    pub(crate) sheets: Vec<Sheet<T>>,
    pub(crate) filename: String,
}

/// Returns a workbook of one sheet.
///
/// # Errors
/// All problems, one per line.
pub(crate) fn single<T: Source>(
    input: &Input<'_, T>,
    filename: Option<&str>,
) -> Result<Workbook<T>, Failed> {
    let place = Place { tables: vec![("data".to_owned(), "options.".to_owned())] };
    let mut problems = Problems::default();
    let filename = checked_filename(filename, &mut problems);
    let made = sheet(input, &place, &mut problems)?;
    problems.into_result().map_err(Error::InvalidArgument)?;
    Ok(Workbook { title: None, sheets: made.into_iter().collect(), filename })
}

/// Does what [`single`] does for several sheets.
pub(crate) fn several<T: Source>(
    inputs: &[Input<'_, T>],
    filename: Option<&str>,
    title: Option<String>,
) -> Result<Workbook<T>, Failed> {
    let mut problems = Problems::default();
    let filename = checked_filename(filename, &mut problems);
    if inputs.is_empty() {
        problems.add("sheets", "expected at least one sheet, got none");
    }
    let mut sheets = Vec::with_capacity(inputs.len());
    for (index, input) in inputs.iter().enumerate() {
        let of = |table: usize| match table {
            0 => format!("sheets[{index}]."),
            table => format!("sheets[{index}].more[{}].", table - 1),
        };
        let place = Place {
            tables: (0..input.tables.len())
                .map(|table| (format!("{}data", of(table)), of(table)))
                .collect(),
        };
        sheets.extend(sheet(input, &place, &mut problems)?);
    }
    problems.into_result().map_err(Error::InvalidArgument)?;
    Ok(Workbook { title: title.filter(|title| !title.trim().is_empty()), sheets, filename })
}

fn checked_filename(filename: Option<&str>, problems: &mut Problems) -> String {
    let mut filename = given(filename).unwrap_or(DEFAULT_FILENAME).to_owned();
    if !filename.contains('.') {
        filename.push_str(".xlsx");
    }
    if let Err(problem) = mitt_guest::check_filename(&filename, &["xlsx"]) {
        problems.add("filename", problem);
    }
    filename
}
