//! The format of a template, and its conversion to `.xlsx`.

use super::package::Package;
use crate::FillOptions;
use mitt_base::error::InputProblem;
use mitt_base::{Error, Remedy, Result};

const CONTENT_TYPES: &str = "[Content_Types].xml";
/// Content types of the workbook part. Excel opens no `.xlsx` with any other than the second.
const TEMPLATE: &str = "spreadsheetml.template.main+xml";
const WORKBOOK: &str = "spreadsheetml.sheet.main+xml";

/// If an `.xlsx` is required, refuses macros and turns an Excel template into a workbook.
pub(super) fn check(package: &mut Package<'_>, options: &FillOptions) -> Result<()> {
    if !options.as_xlsx {
        return Ok(());
    }
    let Some(types) = package.text(CONTENT_TYPES)? else { return Ok(()) };
    let has_macros = types.contains(".macroEnabled.")
        || package.names().any(|name| name.to_lowercase().ends_with("vbaproject.bin"));
    if has_macros {
        return Err(Error::input("the template has macros, which no `.xlsx` may have")
            .with_problem(InputProblem::UnsupportedType)
            .remedy(Remedy::KeepMacros));
    }
    if types.contains(TEMPLATE) {
        package.set(CONTENT_TYPES, types.replace(TEMPLATE, WORKBOOK));
    }
    Ok(())
}
