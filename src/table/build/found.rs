//! What a finished column of texts is, when every cell says so: numbers in scientific notation, booleans.
//!
//! One cell tells too little (`1E3` may be a product), and so this waits for the last one. No text is changed unless all of the column
//! become something else.

use super::column::ColumnBuilder;
use crate::cell::{Cell, CellRef};
use crate::chunk::Problem;
use crate::column::Values;
use crate::names::is_plain_number;
use crate::text::Texts;

/// The spellings of booleans that programs write: most, spreadsheets, Python.
const BOOLEANS: [[&str; 2]; 3] = [["false", "true"], ["FALSE", "TRUE"], ["False", "True"]];

/// The column with another type, if all its texts are of it.
pub(super) fn found(column: &ColumnBuilder) -> Result<Option<ColumnBuilder>, Problem> {
    let (values, validity) = column.parts();
    if let Values::Dictionary(_, texts) = values
        && let Some(spelling) = spelling(texts)
    {
        return again(
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
    match is_scientific {
        true => again(values, |at| validity.is_valid(at), |text| CellRef::Number(text)),
        false => Ok(None),
    }
}

/// The one spelling that all texts have.
fn spelling(texts: &Texts) -> Option<&'static [&'static str; 2]> {
    BOOLEANS.iter().find(|spelling| all(texts, |text| spelling.contains(&text)))
}

/// Whether there are texts, and each of them is so. The first stands for null and may have no cell.
fn all(texts: &Texts, is_so: impl Fn(&str) -> bool) -> bool {
    let mut written =
        (0..texts.len()).map(|at| texts.get(at)).filter(|text| !text.is_empty()).peekable();
    written.peek().is_some() && written.all(is_so)
}

/// Whether `text` is a number with an exponent. One such as `1E3` is so only among numbers (not if it `is_alone`): without a point or a
/// sign of the exponent it may be an identifier.
fn is_scientific(text: &str, is_alone: bool) -> bool {
    let Some((mantissa, exponent)) = text.split_once(['e', 'E']) else { return false };
    let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    is_plain_number(mantissa)
        && (1..=3).contains(&digits.len())
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && (!is_alone || mantissa.contains('.') || digits.len() < exponent.len())
}

/// The column with other cells in the place of its texts.
fn again(
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
