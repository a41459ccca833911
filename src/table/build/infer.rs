//! Infers the type of a finished column of texts if every cell agrees: numbers in scientific notation, booleans.
//!
//! A single cell proves too little (`1E3` may be a product), so this waits for the last one. Texts stay unchanged unless the
//! whole column gets another type.

use super::column::ColumnBuilder;
use crate::cell::{Cell, CellRef};
use crate::chunk::Problem;
use crate::names::is_plain_number;
use crate::text::Texts;
use crate::values::Values;

/// The spellings of booleans: of most programs, of spreadsheets, of Python.
const BOOLEANS: [[&str; 2]; 3] = [["false", "true"], ["FALSE", "TRUE"], ["False", "True"]];

/// Returns the column with another type if all its texts have that type.
pub(super) fn inferred(column: &ColumnBuilder) -> Result<Option<ColumnBuilder>, Problem> {
    let (values, validity) = column.parts();
    if let Values::Dictionary(_, texts) = values
        && let Some(spelling) = spelling(texts)
    {
        return replaced(
            values,
            |at| validity.is_valid(at),
            |text| CellRef::Boolean(text == spelling[1]),
        );
    }
    let is_scientific = match values {
        Values::Mixed(cells) => cells.iter().all(|cell| match cell {
            Cell::Null | Cell::Number(_) => true,
            Cell::Text(text) => is_scientific(text, false),
            Cell::Boolean(_) => false,
        }),
        Values::Dictionary(_, texts) => all(texts, |text| is_scientific(text, true)),
        Values::Texts(texts) => {
            (0..texts.len()).all(|at| !validity.is_valid(at) || is_scientific(texts.get(at), true))
        }
        _ => false,
    };
    if is_scientific {
        replaced(values, |at| validity.is_valid(at), |text| CellRef::Number(text))
    } else {
        Ok(None)
    }
}

/// Returns the spelling that all texts follow.
fn spelling(texts: &Texts) -> Option<&'static [&'static str; 2]> {
    BOOLEANS.iter().find(|spelling| all(texts, |text| spelling.contains(&text)))
}

/// Returns `true` if there are texts and all satisfy `is_so`. The first one stands for nulls and may belong to no cell.
fn all(texts: &Texts, is_so: impl Fn(&str) -> bool) -> bool {
    let mut written =
        (0..texts.len()).map(|at| texts.get(at)).filter(|text| !text.is_empty()).peekable();
    written.peek().is_some() && written.all(is_so)
}

/// Returns `true` if `text` is a number with an exponent. Text such as `1E3`, without a decimal point or a sign in the
/// exponent, may be an identifier: it counts only among other numbers, not if it `is_alone`.
fn is_scientific(text: &str, is_alone: bool) -> bool {
    let Some((mantissa, exponent)) = text.split_once(['e', 'E']) else { return false };
    let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    is_plain_number(mantissa)
        && (1..=3).contains(&digits.len())
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && (!is_alone || mantissa.contains('.') || digits.len() < exponent.len())
}

/// Returns the column with its texts replaced by other cells.
fn replaced(
    values: &Values,
    is_valid: impl Fn(usize) -> bool,
    cell: impl Fn(&str) -> CellRef<'_>,
) -> Result<Option<ColumnBuilder>, Problem> {
    let mut column = ColumnBuilder::default();
    let mut written = String::new();
    for at in 0..values.len() {
        column.push(match values.cell(at, &mut written) {
            CellRef::Text(text) if is_valid(at) => cell(text),
            other if is_valid(at) => other,
            _ => CellRef::Null,
        })?;
    }
    Ok(Some(column))
}
