//! Workbook to XLSX: rows by a writer of our own that keeps none of them, all the rest by rust_xlsxwriter.
//!
//! rust_xlsxwriter keeps every cell until the end (280 MB for a million); its way of constant memory needs a folder for temporary
//! files, which a host at the edge does not have, and knows no values for charts. So it writes the workbook without rows, and the
//! rows, packed as they come, take their place. What cells are described is checked before anything is written; cells of tables are
//! checked on the way, and a broken rule is always a list of places and never a broken file.

mod cells;
mod charts;
mod check;
mod design;
#[cfg(test)]
mod design_tests;
mod formula;
mod names;
mod package;
mod print;
mod rows;
mod rules;
mod size;
mod skeleton;
mod strings;
mod styles;
#[cfg(test)]
mod tests;
mod told;

use std::borrow::Cow;

use self::check::Problems;
use self::rows::Shared;
use self::skeleton::Skeleton;
use self::strings::Strings;
use self::styles::Styles;
use self::told::LongNumbers;
use super::workbook::{Block, Sheet, SheetRows, Workbook, Xlsx, XlsxOptions};
use mitt_base::memory::Charge;
use mitt_base::{Error, ErrorKind, Result};

/// Write a workbook. Tables in it are read as they are written; the memory that this takes does not grow with them, but for the
/// packed file.
///
/// # Errors
///
/// [`ErrorKind::Arguments`] - the workbook breaks rules of the format; names sheet, row and column of each.
/// [`ErrorKind::Disabled`] - this build has no writer (feature `xlsx`).
/// [`ErrorKind::Limit`] - the account that is charged has not enough memory.
/// [`ErrorKind::Host`] - it was cancelled.
pub fn xlsx(book: &Workbook, options: &XlsxOptions) -> Result<Xlsx> {
    let (sheet_names, mut warnings) = names::repaired(book);
    let names = check::names(book, &sheet_names);
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
        long_numbers: LongNumbers::default(),
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
    options.cancel.check()?;
    // The file, beside the pieces that it is made of.
    let bytes = 2 * shared.kept_bytes + shared.strings.kept_bytes();
    shared.charge.resize(bytes as u64).map_err(Error::reached)?;
    let bytes = shared.skeleton.finish(rows, &shared.styles, shared.strings)?;
    let told =
        |(sheet, name): (&Sheet, &String)| SheetRows { name: name.clone(), rows: row_count(sheet) };
    let sheets = book.sheets.iter().zip(&sheet_names).map(told).collect();
    Ok(Xlsx { bytes, warnings, sheets })
}

/// Rows below the heads of a sheet's columns.
fn row_count(sheet: &Sheet) -> u64 {
    let rows =
        |block: &Block| block.data.as_ref().map_or(0, |data| data.table.rows()) + block.rows.len();
    sheet.blocks.iter().map(rows).sum::<usize>() as u64
}

/// The row of the header of a block: its first, or that below the title.
fn header_row(block: &Block) -> u32 {
    block.row.saturating_add(u32::from(block.title.is_some()))
}

fn column_number(index: usize) -> u16 {
    u16::try_from(index).unwrap_or(u16::MAX)
}

/// `A` for 0, `AA` for 26.
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

/// Whether XML 1.0 can hold a character.
fn is_legal(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..)
}

/// The text without characters that would make Excel call the file damaged.
fn legal(text: &str) -> Cow<'_, str> {
    match text.chars().all(is_legal) {
        true => Cow::Borrowed(text),
        false => Cow::Owned(text.chars().filter(|c| is_legal(*c)).collect()),
    }
}

/// The kind of every error that a caller can cause.
fn refused(problems: Vec<String>) -> Error {
    Error::new(ErrorKind::Arguments, problems.join("\n"))
}
