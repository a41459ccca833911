//! Rewrites references in formulas; everything else stays as it is. Does not know where cells go: the caller decides.

use super::lex::{ReferenceEnd, ReferenceToken, Shape, SheetPrefix, Token, tokens};
use crate::refs::{self, At, quoted_sheet};

/// Replacement of a reference.
pub(crate) enum Becomes {
    Same,
    Other(ReferenceToken),
    /// The reference names the same cells of other sheets.
    OtherSheets(SheetPrefix),
    /// Its cells no longer exist.
    Lost,
    /// Its sheet no longer exists.
    LostSheet,
}

/// Calls `becomes` for each reference of a formula. Returns `None` if all stay.
pub(crate) fn rewrite(
    formula: &str,
    mut becomes: impl FnMut(&ReferenceToken) -> Becomes,
) -> Option<String> {
    let mut out = String::new();
    let mut copied = 0;
    for spanned in tokens(formula) {
        let Token::Reference(reference) = &spanned.token else { continue };
        let body = reference.body;
        let (start, text) = match becomes(reference) {
            Becomes::OtherSheets(sheets) => {
                let Some(prefix) = prefix(&sheets) else { continue };
                (spanned.start, format!("{prefix}{}", &formula[body..spanned.end]))
            }
            Becomes::Same => continue,
            Becomes::Other(other)
                if (other.first, other.last) == (reference.first, reference.last) =>
            {
                continue;
            }
            Becomes::Other(other) => (body, other.write()),
            Becomes::Lost => (body, "#REF!".to_owned()),
            Becomes::LostSheet => (spanned.start, "#REF!".to_owned()),
        };
        out.push_str(&formula[copied..start]);
        out.push_str(&text);
        copied = spanned.end;
    }
    match copied {
        0 => None,
        copied => Some(out + &formula[copied..]),
    }
}

/// Returns what stands before the cells, with its `!`; `None` for the own sheet.
fn prefix(sheets: &SheetPrefix) -> Option<String> {
    match sheets {
        SheetPrefix::None => None,
        SheetPrefix::One(name) => Some(format!("{}!", quoted_sheet(name))),
        SheetPrefix::Span(first, last) => {
            let is_plain = [first, last].iter().all(|it| !quoted_sheet(it).starts_with('\''));
            let both = format!("{first}:{last}");
            Some(if is_plain {
                format!("{both}!")
            } else {
                format!("'{}'!", both.replace('\'', "''"))
            })
        }
    }
}

/// Returns the formula with another name for a sheet; `None` if it does not name the sheet.
pub(crate) fn renamed(formula: &str, old: &str, new: &str) -> Option<String> {
    with_sheet(formula, old, new, true)
}

/// Returns the formula with another sheet, but for references to several sheets, as in a copy of the sheet.
pub(crate) fn renamed_alone(formula: &str, old: &str, new: &str) -> Option<String> {
    with_sheet(formula, old, new, false)
}

fn with_sheet(formula: &str, old: &str, new: &str, in_spans: bool) -> Option<String> {
    let same = |name: &str| name.to_lowercase() == old.to_lowercase();
    let mut out = String::new();
    let mut copied = 0;
    for spanned in tokens(formula) {
        let (end, text) = match &spanned.token {
            Token::Reference(ReferenceToken { sheet: SheetPrefix::One(name), body, .. })
                if same(name) =>
            {
                (*body, quoted_sheet(new) + "!")
            }
            Token::Reference(ReferenceToken {
                sheet: SheetPrefix::Span(first, last),
                body,
                ..
            }) if in_spans && (same(first) || same(last)) => {
                let pick = |name: &str| if same(name) { new.to_owned() } else { name.to_owned() };
                (*body, prefix(&SheetPrefix::Span(pick(first), pick(last))).unwrap_or_default())
            }
            Token::ScopedWord(name, word) if same(name) => {
                (spanned.end - word.len(), quoted_sheet(new) + "!")
            }
            _ => continue,
        };
        out.push_str(&formula[copied..spanned.start]);
        out.push_str(&text);
        copied = end;
    }
    match copied {
        0 => None,
        copied => Some(out + &formula[copied..]),
    }
}

/// Returns the formula shifted by rows and columns, as in a shared formula.
pub(crate) fn translated(formula: &str, rows: i64, columns: i64) -> String {
    let moved = |value: u32, by: i64, is_fixed: bool, most: u32| {
        let to = if is_fixed { i64::from(value) } else { i64::from(value) + by };
        u32::try_from(to).ok().filter(|to| (1..=most).contains(to))
    };
    let out = rewrite(formula, |reference| {
        let end = |end: ReferenceEnd| {
            let (fixed_row, fixed_column) = match reference.shape {
                Shape::Cells => (end.fixed_row, end.fixed_column),
                Shape::Columns => (true, end.fixed_column),
                Shape::Rows => (end.fixed_row, true),
            };
            let row = moved(end.at.row, rows, fixed_row, refs::MAX_ROW)?;
            let column = moved(end.at.column, columns, fixed_column, refs::MAX_COLUMN)?;
            Some(ReferenceEnd { at: At { row, column }, ..end })
        };
        match (end(reference.first), reference.last.map(end)) {
            (Some(first), None) => Becomes::Other(ReferenceToken { first, ..reference.clone() }),
            (Some(first), Some(Some(last))) => {
                Becomes::Other(ReferenceToken { first, last: Some(last), ..reference.clone() })
            }
            _ => Becomes::Lost,
        }
    });
    out.unwrap_or_else(|| formula.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_shifted_and_sheets_are_renamed() {
        assert_eq!(translated("A1+$B$2*SUM(C:C,3:3)&\"A1\"", 1, 1), "B2+$B$2*SUM(D:D,4:4)&\"A1\"");
        assert_eq!(translated("A1", -1, 0), "#REF!");
        assert_eq!(translated("LOG10(A1)+Tax_A1", 1, 0), "LOG10(A2)+Tax_A1");
        assert_eq!(
            renamed("Old!A1+'Old'!B2+Other!C3", "old", "New one"),
            Some("'New one'!A1+'New one'!B2+Other!C3".into())
        );
        assert_eq!(renamed("SUM(A:Old!B2)", "Old", "Z"), Some("SUM(A:Z!B2)".into()));
        assert_eq!(renamed("Other!A1", "Old", "New"), None);
    }
}
