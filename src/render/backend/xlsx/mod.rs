//! Workbook to XLSX: a writer of our own for rows, which keeps none of them, and rust_xlsxwriter for everything else.
//!
//! rust_xlsxwriter keeps every cell until the end (280 MB for a million). Its constant-memory mode needs a folder for
//! temporary files, which a host at the edge does not have, and has no values for charts. So it writes the workbook without
//! rows, and the rows, compressed as they come, are inserted. Cells in the description are checked before anything is
//! written, cells of tables while they are written. A broken rule is always a list of places, never a broken file.

mod cell_problems;
mod cells;
mod charts;
mod check;
mod counted_cells;
mod design;
#[cfg(test)]
mod design_tests;
mod formula;
mod names;
mod package;
mod print;
mod problems;
mod rows;
mod rules;
mod size;
mod skeleton;
mod strings;
mod styles;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use self::counted_cells::CountedCells;
use self::problems::Problems;
use self::rows::Shared;
use self::skeleton::Skeleton;
use self::strings::Strings;
use self::styles::Styles;
use crate::model::workbook::{Block, Sheet, SheetRows, Workbook, Xlsx, XlsxOptions};
use mitt_base::memory::Charge;
use mitt_base::{Error, ErrorKind, Result};

/// Writes a workbook.
pub(super) fn xlsx(book: &Workbook, options: &XlsxOptions) -> Result<Xlsx> {
    let (sheet_names, mut warnings) = names::repaired(book);
    let names = names::of(book, &sheet_names);
    check::check(book, &names, &options.cancel)?;
    let frame_bytes = size::frame_bytes(book);
    let mut charge = match &options.memory {
        Some(account) => account.nothing(),
        None => Charge::nobodys(),
    };
    charge.grow(frame_bytes as u64).map_err(Error::reached)?;
    let mut shared = Shared {
        skeleton: Skeleton::new(book, options)?,
        styles: Styles::default(),
        strings: Strings::default(),
        names,
        problems: Problems::default(),
        long_numbers: CountedCells::long_numbers(),
        formulas_without_value: CountedCells::formulas_without_value(),
        cancel: &options.cancel,
        rows: &options.rows,
        charge,
        kept_bytes: frame_bytes,
    };
    let mut rows = Vec::with_capacity(book.sheets.len());
    for (sheet, name) in book.sheets.iter().zip(&sheet_names) {
        shared.skeleton.add(sheet, name, &mut shared.styles, &options.cancel)?;
        rows.push(rows::write(sheet, &mut shared)?);
    }
    shared.problems.into_result()?;
    warnings.extend(shared.long_numbers.into_warnings());
    warnings.extend(shared.formulas_without_value.into_warnings());
    options.cancel.check()?;
    // The file, in addition to the pieces of which it is made.
    let bytes = 2 * shared.kept_bytes + shared.strings.kept_bytes();
    shared.charge.resize(bytes as u64).map_err(Error::reached)?;
    let bytes = shared.skeleton.finish(rows, &shared.styles, shared.strings)?;
    let rows_of =
        |(sheet, name): (&Sheet, &String)| SheetRows { name: name.clone(), rows: row_count(sheet) };
    let sheets = book.sheets.iter().zip(&sheet_names).map(rows_of).collect();
    Ok(Xlsx { bytes, warnings, sheets })
}

/// Returns the number of rows below the headers of a sheet.
fn row_count(sheet: &Sheet) -> u64 {
    let rows =
        |block: &Block| block.data.as_ref().map_or(0, |data| data.table.rows()) + block.rows.len();
    sheet.blocks.iter().map(rows).sum::<usize>() as u64
}

/// Returns the header row of a block: its first row, or the one below the title.
fn header_row(block: &Block) -> u32 {
    block.row.saturating_add(u32::from(block.title.is_some()))
}

fn column_number(index: usize) -> u16 {
    u16::try_from(index).unwrap_or(u16::MAX)
}

/// Returns the letters of a column: `A` for 0, `AA` for 26.
fn letters(index: usize) -> String {
    let mut rest = index + 1;
    let mut letters = Vec::new();
    while rest > 0 {
        rest -= 1;
        letters.push(b'A' + u8::try_from(rest % 26).unwrap_or_default());
        rest /= 26;
    }
    letters.iter().rev().map(|letter| char::from(*letter)).collect()
}

/// Returns `true` if XML 1.0 can hold a character.
fn is_legal(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..)
}

/// Returns the text without characters for which Excel would call the file damaged.
fn legal(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_legal) {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(text.chars().filter(|c| is_legal(*c)).collect())
    }
}

/// Returns the error for all problems that a caller can cause.
fn refused(problems: Vec<String>) -> Error {
    Error::new(ErrorKind::Arguments, problems.join("\n"))
}
