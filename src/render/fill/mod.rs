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

use super::{FillOptions, FillValue, FillValues, Filled};
use mitt_base::Result;

/// Fills a workbook (`.xlsx`, `.xlsm`) with values.
///
/// A value goes to the cells whose text names it (`{{customer.name}}`; alone in its cell it keeps its type), to the cell or
/// range of its address (`Sheet1!B2`, `Sheet1!B5:E5`) or to the range of a defined name. A row whose cells name fields of a
/// list (`{{items.price}}`), rows between `{{#items}}` and `{{/items}}`, and a range of one row are repeated for each row of
/// the list, with formats, formulas and merged cells. Content below is pushed down, and references everywhere follow.
///
/// Lists within the items of a list repeat rows within rows (`{{orders.lines.price}}`, or rows between marks),
/// `{{months.*}}` repeats
/// its column, and a sheet that is called `{{departments.name}}` is copied for each item. Rows between `{{#if total >
/// 1000}}` and
/// `{{/if}}` depend on a condition. Expressions and formats are those of templates of Word: `{{price * quantity|#,##0.00}}`,
/// `{{sum(items.total)}}`. `{{logo|picture}}` shows a picture; [`xlsx_files`] names those that are needed.
///
/// # Errors
///
/// [`Input`](mitt_base::ErrorKind::Input) - the template is no workbook of this kind, damaged, encrypted, signed, or too
/// large. [`Arguments`](mitt_base::ErrorKind::Arguments) - values are missing or do not fit: all of them, each with its
/// place.
pub fn fill_xlsx(template: &[u8], values: &FillValues, options: &FillOptions) -> Result<Filled> {
    let mut package = Package::open(template)?;
    kind::check(&mut package, options)?;
    let none = FillValues::new();
    let values = Values::new(values, &none);
    Passes::new(&values, options).fill(package)
}

/// Returns the names of the pictures that a filling may show, in the order of the values: texts that end in `.png`, `.jpg`
/// or `.jpeg`,
/// and `picture` in records. Empty if nothing in the template asks for a picture. The caller gives those that exist in
/// [`FillOptions::pictures`].
///
/// # Errors
///
/// [`Input`](mitt_base::ErrorKind::Input) - the template is no package, damaged, encrypted, or too large.
pub fn xlsx_files(template: &[u8], values: &FillValues) -> Result<Vec<String>> {
    pictures::names(&mut Package::open(template)?, values)
}

/// Appends rows below those of a sheet, in the format of the last one.
///
/// In an Excel table they become part of it. `sheet` is the name of a sheet or of a table; `None` is the first sheet. Rows
/// are records with the names of the columns, or a table; lists go from left to right. A row of totals stays the last one.
///
/// # Errors
///
/// Those of [`fill_xlsx`]; [`Arguments`](mitt_base::ErrorKind::Arguments) - there is no such sheet, or no such column: all
/// of them.
pub fn append_xlsx(
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
