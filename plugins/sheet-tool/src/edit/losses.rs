//! References that a batch loses (`#REF!`), in formulas, names, charts and rules.

use super::charts;
use super::state::Batch;
use crate::book::{Book, cells};
use crate::error::Result;
use crate::refs::{At, quoted_sheet};
use mitt_package::{counted, either};
use std::collections::BTreeMap;

/// Most places that a warning names.
const MAX_PLACES: usize = 20;
const LOST: &str = "#REF!";

/// Numbers of lost references.
#[derive(Debug, Default)]
pub(crate) struct Losses {
    /// By the part of the sheet, because its name and place can change.
    formulas: BTreeMap<String, usize>,
    /// By words for the user.
    others: BTreeMap<String, usize>,
}

/// Counts the lost references of a workbook.
pub(crate) fn count(book: &Book) -> Result<Losses> {
    let mut found = Losses::default();
    for sheet in &book.sheets {
        let Some(text) = &sheet.text else { continue };
        found.formulas.insert(sheet.part.clone(), places(book, &sheet.part, usize::MAX).len());
        // Rules stand around the cells.
        let rules = text.head.matches(LOST).count() + text.tail.matches(LOST).count();
        if rules > 0 {
            found.others.insert(format!("rules of the sheet `{}`", sheet.name), rules);
        }
    }
    for name in book.names.iter().filter(|it| !it.is_hidden) {
        let count = name.formula.matches(LOST).count();
        if count > 0 {
            *found.others.entry(format!("the name `{}`", name.name)).or_default() += count;
        }
    }
    for chart in charts::all(book)? {
        let count = chart.sources.iter().filter(|it| it.contains(LOST)).count();
        if count > 0 {
            found.others.insert(format!("the chart `{}` ({})", chart.name, chart.title), count);
        }
    }
    Ok(found)
}

/// Returns the first places of formulas of a sheet that have lost a reference.
fn places(book: &Book, part: &str, most: usize) -> Vec<String> {
    let mut found = Vec::new();
    let Some(sheet) = book.sheets.iter().find(|it| it.part == part) else { return found };
    let Some(text) = &sheet.text else { return found };
    if memchr::memmem::find(text.data.as_bytes(), LOST.as_bytes()).is_none() {
        return found;
    }
    for row in &text.rows {
        for cell in cells(text.row_text(row)).filter(|it| it.raw.contains(LOST)) {
            if cell.formula().is_some_and(|it| it.text.contains(LOST)) {
                let at = At { row: row.number, column: cell.column };
                found.push(format!("{}!{at}", quoted_sheet(&sheet.name)));
                if found.len() >= most {
                    return found;
                }
            }
        }
    }
    found
}

/// Warns of references that were not lost before the batch.
pub(crate) fn warn(batch: &mut Batch, before: &Losses) -> Result<()> {
    let after = count(&batch.book)?;
    for (part, new) in &after.formulas {
        let old = before.formulas.get(part).copied().unwrap_or(0);
        if *new > old {
            let places = places(&batch.book, part, MAX_PLACES).join(", ");
            let lost = either(new - old, "lost its references", "lost their references");
            let formulas = counted(new - old, "formula");
            batch.warn(format!("{formulas} {lost} (#REF!): {places}"));
        }
    }
    for (place, new) in &after.others {
        if *new > before.others.get(place).copied().unwrap_or(0) {
            batch.warn(format!("{place} lost a reference (#REF!)"));
        }
    }
    Ok(())
}
