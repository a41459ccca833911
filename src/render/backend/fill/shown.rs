//! What a placeholder shows: a value, a result, a picture. Finds the mistakes in placeholders.

use super::problems::Problems;
use super::scope::{Binding, Scope, Values};
use crate::FillValue;
use crate::shared::template::format::{self, Format};
use crate::shared::template::{foreign, marks};
use mitt_base::number::held_by_cell;
use mitt_base::text;

/// The content of a placeholder.
pub(super) enum Shown<'t> {
    /// A value, and the format in which it is written.
    Value(FillValue, Option<Format<'t>>),
    Picture(Option<PictureName>),
}

/// A picture that a value names, and the size that the placeholder gives it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PictureName {
    pub(super) file: String,
    /// Its alternative text.
    pub(super) alternative: String,
}

/// Returns what a placeholder shows here, alone in its cell or beside text. `None` if a problem was recorded.
pub(super) fn shown<'t, 'v>(
    values: &Values<'v>,
    mark: &'t str,
    scope: &Scope<'v>,
    (place, problems): (&str, &mut Problems),
    is_alone: bool,
) -> Option<Shown<'t>> {
    if let Some(found) = values.find(mark, scope) {
        return single(mark, found, (place, problems)).map(|value| Shown::Value(value, None));
    }
    if let Some((name, kind)) = format::parts(mark) {
        let (kind, rest) = kind.split_once([':', '：']).unwrap_or((kind, ""));
        match kind.trim() {
            "picture" if rest.trim().is_empty() => {
                return picture(values, name, scope, (place, problems));
            }
            "picture" => {
                problems.other(format!("{place}: `{{{{{}}}}}`: a picture has the size of its cell; make the cell larger, or merge cells, and write `{{{{{name}|picture}}}}`", text::one_line(mark)));
                return None;
            }
            kind @ ("markdown" | "table" | "chart" | "document") => {
                let way = match kind {
                    "table" => "name its columns in a row, as in `{{items.price}}`",
                    "chart" => "put a chart over the repeated rows; it grows with them",
                    _ => "write the text as a value of its own",
                };
                problems.other(format!(
                    "{place}: `{{{{{}}}}}`: only templates of Word have `|{kind}`; {way}",
                    text::one_line(mark)
                ));
                return None;
            }
            _ => {}
        }
    }
    let (name, format) = format::split(mark);
    let format = match format.transpose() {
        Ok(format) => format,
        Err(what) => {
            problems.other(format!("{place}: `{}`: {what}", text::one_line(mark)));
            return None;
        }
    };
    let value = match values.find(name, scope) {
        Some(found) => single(name, found, (place, problems))?,
        None if marks::is_expression(name) => {
            let is_plain = format.is_none() && !is_alone;
            let value = values.calculated(name, is_plain, scope, (place, problems))?;
            if is_alone { in_cell(value) } else { value }
        }
        None => {
            match foreign::mark(name) {
                Some(form) => {
                    problems.other(format!("{place}: `{{{{{}}}}}`: {form}", text::one_line(name)))
                }
                None => problems.missing(name, missing_place(place, scope)),
            }
            return None;
        }
    };
    if let Some(what) = format.as_ref().and_then(|format| format.write(&value).err()) {
        problems.other(format!("{place}: `{}`: {what}", text::one_line(name)));
        return None;
    }
    Some(Shown::Value(value, format))
}

/// Returns a result with the digits that a cell holds: fifteen of those that do not end.
fn in_cell(value: FillValue) -> FillValue {
    match value {
        FillValue::Number(lexeme) if lexeme.contains('.') && held_by_cell(&lexeme).is_none() => {
            let rounded = lexeme.parse::<f64>().ok().map(|number| format!("{number:.14e}"));
            let number = rounded.and_then(|text| text.parse::<f64>().ok());
            FillValue::Number(number.map_or(lexeme, |number| number.to_string()))
        }
        value => value,
    }
}

fn missing_place(place: &str, scope: &Scope<'_>) -> String {
    match scope.as_ref().and_then(|level| level.index) {
        Some(index) => format!("{place} (row {} of the list)", index + 1),
        None => place.to_owned(),
    }
}

fn single(
    name: &str,
    found: Binding<'_>,
    (place, problems): (&str, &mut Problems),
) -> Option<FillValue> {
    match found {
        Binding::Number(number) => Some(FillValue::Number(number.to_string())),
        Binding::Value(value) if value.is_single() => Some(value.clone()),
        Binding::Value(value) => {
            let way = match value {
                FillValue::Record(_) => "name one of its fields, as in `{{name.field}}`",
                _ => "name a field of its rows, as in `{{name.field}}`, or a range of cells",
            };
            problems.other(format!(
                "{place}: expected one value for `{name}`, got {}; {way}",
                value.kind()
            ));
            None
        }
    }
}

fn picture<'t, 'v>(
    values: &Values<'v>,
    name: &str,
    scope: &Scope<'v>,
    (place, problems): (&str, &mut Problems),
) -> Option<Shown<'t>> {
    let (file, alternative) = match values.find(name, scope) {
        None => {
            problems.missing(name, missing_place(place, scope));
            return None;
        }
        Some(Binding::Value(FillValue::Empty)) => return Some(Shown::Picture(None)),
        Some(Binding::Value(value @ FillValue::Record(_))) => {
            let text = |key: &str| value.get(key).and_then(FillValue::as_text);
            (text("picture"), text("alt"))
        }
        Some(Binding::Value(value @ FillValue::Text(_))) => (value.as_text(), None),
        Some(_) => (None, None),
    };
    let Some(file) = file else {
        problems.other(format!("{place}: `{}`: expected the name of a picture, or `{{\"picture\": \"logo.png\", \"alt\": \"Logo\"}}`", text::one_line(name)));
        return None;
    };
    let file = file.trim();
    if file.is_empty() {
        return Some(Shown::Picture(None));
    }
    let last = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let stem = last.rsplit_once('.').map_or(last, |(stem, _)| stem);
    let alternative = alternative.unwrap_or(stem);
    let alternative = alternative.chars().filter(|c| crate::shared::xml::is_legal(*c)).collect();
    Some(Shown::Picture(Some(PictureName { file: file.to_owned(), alternative })))
}

/// Returns the text of a placeholder within a sentence.
pub(super) fn in_text<'v>(
    values: &Values<'v>,
    mark: &str,
    scope: &Scope<'v>,
    (place, problems): (&str, &mut Problems),
) -> String {
    match shown(values, mark, scope, (place, problems), false) {
        Some(Shown::Value(value, Some(format))) => format.write(&value).unwrap_or_default(),
        Some(Shown::Value(value, None)) => value.as_text().unwrap_or_default().to_owned(),
        Some(Shown::Picture(None)) | None => String::new(),
        Some(Shown::Picture(Some(_))) => {
            problems.other(format!(
                "{place}: `{{{{{}}}}}` stands beside other text; put it into a cell of its own",
                text::one_line(mark)
            ));
            String::new()
        }
    }
}
