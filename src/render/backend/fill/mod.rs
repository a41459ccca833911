//! Existing workbooks: fills templates, and appends rows to lists.
//!
//! The package is changed in place: only parts that must change are rewritten, and only what must change within them.
//! Everything else (charts, pivot tables, pictures, macros, additions of later versions of Excel) is copied byte for byte,
//! so that nothing is lost. umya-spreadsheet, which reads and writes whole workbooks, lost parts of 68 of 364 real ones.
//!
//! A template is filled in passes: `sheets` copies sheets, `columns` repeats columns, then each pass over rows repeats the
//! outermost groups and follows the outermost conditions, and the last one fills. `layout` knows what the passes made. The
//! steps of a pass: `package` (limits, parts), `book` and `grid` (contents), `parts` and `plan` (repeated rows, cells with
//! values; all mistakes), `model_cells` (the new cells), `calculate` (results of formulas), `write` and `adjust` (parts).

mod adjust;
mod append;
mod book;
mod calculate;
mod columns;
mod evaluate;
mod formula;
mod grid;
mod hints;
mod kind;
mod layout;
mod model;
mod model_cells;
mod model_formulas;
mod moves;
mod package;
mod parts;
mod passes;
mod pictures;
mod placeholder;
mod plan;
mod problems;
mod refs;
mod related_parts;
mod rich;
mod scope;
mod sheet_copies;
mod sheets;
mod shift;
mod shown;
mod styles;
#[cfg(test)]
mod tests;
mod value;
mod warnings;
mod write;

use package::Package;
use passes::Passes;
use scope::Values;

use crate::{FillOptions, FillValue, FillValues, Filled};
use mitt_base::Result;

/// Fills a workbook.
pub(super) fn fill_xlsx(
    template: &[u8],
    values: &FillValues,
    options: &FillOptions,
) -> Result<Filled> {
    let mut package = Package::open(template)?;
    kind::check(&mut package, options)?;
    let none = FillValues::new();
    let values = Values::new(values, &none);
    Passes::new(&values, options).fill(package)
}

/// Returns the names of the pictures that a filling may show.
pub(super) fn xlsx_files(template: &[u8], values: &FillValues) -> Result<Vec<String>> {
    pictures::names(&mut Package::open(template)?, values)
}

/// Appends rows to a sheet.
pub(super) fn append_xlsx(
    workbook: &[u8],
    sheet: Option<&str>,
    rows: &FillValue,
    options: &FillOptions,
) -> Result<Filled> {
    let mut package = Package::open(workbook)?;
    kind::check(&mut package, options)?;
    let none = FillValues::new();
    let values = Values::new(&none, &none);
    Passes::new(&values, options).append(package, sheet, rows)
}
