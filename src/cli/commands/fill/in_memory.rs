//! Fills a template that is in memory, for functions. Nothing lies beside it.

use super::{FillOrder, filled};
use crate::args::Global;
use crate::commands::{environment, guard};
use mitt::internal::{Check, value_of_file, values_of_json};
use mitt::render::{CommonOptions, DocxOptions, FillValues, Filled, Pictures};
use mitt_base::{Error, Result};

/// Why a picture or a document that a value names is missing.
const NOTHING_BESIDE: &str = "a rule of a function has no files beside the values";

/// Name of the rows of a file that is no JSON.
const ROWS: &str = "rows";

/// Fills `template`, whose filled file has the name `name`, with the values of a file: JSON by its name, otherwise rows, which the
/// template names `rows`.
///
/// # Errors
///
/// Those of `mitt fill`.
pub(crate) fn fill_template(
    global: &Global,
    (name, template): (&str, &[u8]),
    (values_name, values): (&str, Vec<u8>),
) -> Result<Filled> {
    let values = if values_name.to_ascii_lowercase().ends_with(".json") {
        values_of_json(&values)?
    } else {
        let mut rows = FillValues::new();
        rows.set(ROWS, value_of_file(values_name, values)?);
        rows
    };
    let guard = guard(global)?;
    let mut check = Check::new(&guard);
    let mut order = FillOrder::Fill(values);
    if let Some(check) = &mut check {
        check.order(&mut order)?;
    }
    let mut filled = if name.to_ascii_lowercase().ends_with(".docx") {
        word(global, template, order)?
    } else {
        workbook(global, (name, template), order)?
    };
    if let Some(check) = &mut check {
        // Two values may stand side by side in it, and the template has texts of its own.
        if let Some(redacted) = check.office(&filled.bytes, None)? {
            filled.bytes = redacted;
        }
        filled.warnings.extend(check.warning());
    }
    Ok(filled)
}

fn word(global: &Global, template: &[u8], order: FillOrder) -> Result<Filled> {
    let FillOrder::Fill(values) = order else {
        return Err(Error::bug("rows are appended to workbooks only"));
    };
    let mut options = DocxOptions {
        common: CommonOptions {
            created: Some(environment(global)?.now()),
            ..CommonOptions::default()
        },
        ..DocxOptions::default()
    };
    for name in mitt::render::docx_files(template, &values, &options)? {
        options.common.pictures.insert_missing(&name, NOTHING_BESIDE);
    }
    let made = mitt::render::fill_docx(template, &values, None, &options)?;
    Ok(Filled { bytes: made.bytes, warnings: made.warnings })
}

fn workbook(global: &Global, (name, template): (&str, &[u8]), order: FillOrder) -> Result<Filled> {
    let mut pictures = Pictures::default();
    if let FillOrder::Fill(values) = &order {
        for name in mitt::render::xlsx_files(template, values)? {
            pictures.insert_missing(&name, NOTHING_BESIDE);
        }
    }
    let as_xlsx = name.to_ascii_lowercase().ends_with(".xlsx");
    filled(global, (template, &pictures), order, as_xlsx)
}
