//! Calculates a whole workbook and compares the results with the stored values, to measure how exact the calculation is.

use crate::book::Book;
use crate::calc::{Seed, Session};
use crate::error::Result;
use crate::refs::Area;

/// What a comparison found.
#[derive(Debug, Default)]
pub struct Comparison {
    /// Formulas of the workbook.
    pub formulas: usize,
    pub equal: usize,
    /// Cells without a stored value.
    pub without_value: usize,
    /// Place, formula, stored value and calculated value of each cell that differs.
    pub different: Vec<[String; 4]>,
    /// Place and reason of each formula that was not calculated.
    pub failed: Vec<[String; 2]>,
}

/// Calculates all formulas of a workbook.
///
/// # Errors
/// Those of opening it.
pub fn compare(bytes: Vec<u8>) -> Result<Comparison> {
    let mut book = Book::open(bytes)?;
    let mut session = Session::new(&book);
    let seeds: Vec<Seed> = (0..book.sheets.len())
        .map(|sheet| Seed { sheet, area: Area::SHEET, includes_itself: true })
        .collect();
    session.run(&book, &seeds, &[], false);
    let mut found = Comparison { formulas: session.formula_count(), ..Comparison::default() };
    let place = |book: &Book, sheet: usize, at| format!("{}!{at}", book.sheets[sheet].name);
    for it in &session.calculated {
        let is_new = it.before == crate::value::Scalar::Empty;
        let near = match (&it.before, &it.after) {
            (crate::value::Scalar::Number(a), crate::value::Scalar::Number(b)) => {
                (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1e-6)
            }
            (a, b) => a == b,
        };
        if is_new {
            found.without_value += 1;
            continue;
        }
        if near {
            found.equal += 1;
            continue;
        }
        let formula = book.cell(it.sheet, it.at)?.formula.unwrap_or_default();
        found.different.push([
            place(&book, it.sheet, it.at),
            formula,
            it.before.shown(),
            it.after.shown(),
        ]);
    }
    for it in &session.failures {
        let formula = book.cell(it.sheet, it.at)?.formula.unwrap_or_default();
        found.failed.push([place(&book, it.sheet, it.at), format!("{:?}: {formula}", it.stop)]);
    }
    Ok(found)
}
