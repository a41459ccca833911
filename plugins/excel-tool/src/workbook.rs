//! Whole workbooks: from the arguments of a tool to what the host is asked to write.

use crate::bindings::exports::mitt::excel_tool::tools::{SheetInput, SheetOptions};
use crate::bindings::mitt::host::render::Workbook;
use crate::bindings::mitt::host::types::Table;
use crate::problems::{Problems, quoted};
use crate::sheet::{Place, given, sheet};

const DEFAULT_FILENAME: &str = "report.xlsx";
const DEFAULT_SHEET_NAME: &str = "Sheet1";

/// A workbook of one sheet and its file name; otherwise all problems, one per line.
pub(crate) fn single(
    data: Table,
    filename: Option<String>,
    options: Option<SheetOptions>,
) -> Result<(Workbook, String), String> {
    let input = with_options(data, options);
    let place = Place {
        name: "options.sheet_name".to_owned(),
        data: "data".to_owned(),
        options: "options.".to_owned(),
    };
    let mut problems = Problems::default();
    let filename = checked_filename(filename, &mut problems);
    let made = sheet(&input, &place, &mut problems);
    problems.into_result()?;
    Ok((Workbook { title: None, sheets: made.into_iter().collect() }, filename))
}

fn with_options(data: Table, options: Option<SheetOptions>) -> SheetInput {
    let name = options
        .as_ref()
        .and_then(|options| given(options.sheet_name.as_deref()))
        .unwrap_or(DEFAULT_SHEET_NAME);
    let name = name.to_owned();
    match options {
        Some(SheetOptions {
            sheet_name: _,
            columns,
            totals,
            total_label,
            charts,
            freeze_header,
            auto_filter,
        }) => SheetInput {
            name,
            data,
            columns,
            totals,
            total_label,
            charts,
            freeze_header,
            auto_filter,
        },
        None => SheetInput {
            name,
            data,
            columns: None,
            totals: None,
            total_label: None,
            charts: None,
            freeze_header: None,
            auto_filter: None,
        },
    }
}

/// A workbook of several sheets and its file name; otherwise all problems, one per line.
pub(crate) fn several(
    inputs: &[SheetInput],
    filename: Option<String>,
    title: Option<String>,
) -> Result<(Workbook, String), String> {
    let mut problems = Problems::default();
    let filename = checked_filename(filename, &mut problems);
    if inputs.is_empty() {
        problems.add("sheets", "expected at least one sheet, got none");
    }
    let mut sheets = Vec::with_capacity(inputs.len());
    for (index, input) in inputs.iter().enumerate() {
        let place = Place {
            name: format!("sheets[{index}].name"),
            data: format!("sheets[{index}].data"),
            options: format!("sheets[{index}]."),
        };
        let same = |other: &SheetInput| other.name.to_lowercase() == input.name.to_lowercase();
        if let Some(first) = inputs[..index].iter().position(same) {
            let what = format!(
                "expected names that differ in more than case, got {} again after sheets[{first}]",
                quoted(&input.name)
            );
            problems.add(&place.name, what);
        }
        sheets.extend(sheet(input, &place, &mut problems));
    }
    problems.into_result()?;
    Ok((Workbook { title: title.filter(|title| !title.trim().is_empty()), sheets }, filename))
}

fn checked_filename(filename: Option<String>, problems: &mut Problems) -> String {
    let mut filename = given(filename.as_deref()).unwrap_or(DEFAULT_FILENAME).to_owned();
    if !filename.contains('.') {
        filename.push_str(".xlsx");
    }
    if let Err(problem) = mitt_guest::check_filename(&filename, &["xlsx"]) {
        problems.add("filename", problem);
    }
    filename
}
