//! Problems of a call's arguments: collected, bounded, and written so that a model can fix them in one turn.

use super::json::Json;
use super::number;
use super::path::Path;
use super::types::Type;
use super::write::write_string;
use mitt_base::error::{Error, ErrorKind};
use mitt_base::text::nearest;
use std::fmt::Write;

/// Problems that are reported in full; further ones are only counted.
const MAX_REPORTED: usize = 20;
/// Longest line of a report, in characters.
const MAX_LINE_CHARACTERS: usize = 400;
/// Longest part of a value or type that is shown, in characters.
const MAX_SHOWN_CHARACTERS: usize = 60;
/// Names that are compared with a misspelled one.
const MAX_COMPARED_NAMES: usize = 1_000;
/// Names that are listed if none is similar.
const MAX_LISTED_NAMES: usize = 12;

/// Hint for JSON inside a string.
pub(super) const NOT_A_STRING: &str = "write the JSON itself, not a string that holds it";

/// The text of a problem: in full for the caller, and without the value for a journal.
pub(super) struct ProblemText {
    full: String,
    kept: Option<String>,
}

impl ProblemText {
    /// Makes a text that quotes no value.
    pub(super) fn of_type(text: impl Into<String>) -> ProblemText {
        let full = text.into();
        ProblemText { kept: Some(full.clone()), full }
    }

    /// Appends text that a journal does not keep.
    pub(super) fn and(mut self, more: &str) -> ProblemText {
        self.full.push_str(more);
        self
    }
}

/// A text that may quote a value.
impl From<String> for ProblemText {
    fn from(full: String) -> ProblemText {
        ProblemText { full, kept: None }
    }
}

/// The problems found so far.
#[derive(Default)]
pub(super) struct Problems {
    lines: Vec<String>,
    /// The first problem, in the form for a journal.
    kept: Option<String>,
    count: usize,
    /// Places whose problem is already reported, so that it is not repeated in other words.
    known: Vec<String>,
}

impl Problems {
    /// Records that `text` is wrong at `at`. The text is made only if it will be reported.
    #[cold]
    pub(super) fn add<T: Into<ProblemText>>(&mut self, at: &Path<'_>, text: impl FnOnce() -> T) {
        if !self.known.is_empty() && self.known.contains(&at.to_string()) {
            return;
        }
        self.count += 1;
        if self.lines.len() < MAX_REPORTED {
            let ProblemText { full, kept } = text().into();
            self.lines.push(cut(&format!("{at}: {full}"), MAX_LINE_CHARACTERS));
            self.kept.get_or_insert_with(|| {
                let kept = kept.as_deref().unwrap_or("not what the interface asks for");
                cut(&format!("{}: {kept}", at.without_values()), MAX_LINE_CHARACTERS)
            });
        }
    }

    /// Ignores further problems at `at`, where the value is a placeholder for one that was refused.
    pub(super) fn known(&mut self, at: &Path<'_>) {
        // When the report is full, further problems are only counted.
        if !self.is_full() {
            self.known.push(at.to_string());
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns `true` if further problems are only counted.
    pub(super) fn is_full(&self) -> bool {
        self.lines.len() >= MAX_REPORTED
    }

    /// Returns the error that reports the problems; `None` if there are none.
    pub(super) fn into_error(self) -> Option<Error> {
        let unreported = self.count - self.lines.len();
        let kept = self.kept.unwrap_or_default();
        match self.count {
            0 => None,
            1 => {
                let line = self.lines.into_iter().next()?;
                Some(Error::new(ErrorKind::Arguments, line).kept_as(kept))
            }
            count => {
                let sum = format!("{count} problems with the arguments");
                let kept = format!("{sum}, the first: {kept}");
                let mut error = Error::new(ErrorKind::Arguments, sum).kept_as(kept);
                for line in self.lines {
                    error = error.detail(line);
                }
                if unreported > 0 {
                    error = error.detail(format!("and {unreported} more"));
                }
                Some(error)
            }
        }
    }
}

/// Returns `expected u32, got string "12"; write the number without quotes`.
pub(super) fn mismatch(ty: &Type, got: &Json) -> ProblemText {
    let expected = expected(ty);
    let kept = format!("expected {expected}, got {}", shape(got));
    let mut full = format!("expected {expected}, got {}", shown(got));
    if let Some(hint) = hint(ty.target(), got) {
        full.push_str("; ");
        full.push_str(&hint);
    }
    ProblemText { full, kept: Some(kept) }
}

/// Describes a value without quoting it: `string of 2 characters`.
fn shape(json: &Json) -> String {
    match json {
        Json::Null | Json::Bool(_) | Json::Number(_) => json.kind().to_owned(),
        Json::String(text) => format!("string of {} characters", text.chars().count()),
        Json::Array(items) => format!("array of {}", items.len()),
        Json::Object(entries) => format!("object of {}", entries.len()),
    }
}

/// Describes what a type expects, in WIT notation and, if that is not clear enough, in JSON terms.
pub(super) fn expected(ty: &Type) -> String {
    let name = cut(&ty.to_string(), MAX_SHOWN_CHARACTERS);
    match ty.target() {
        Type::Option(inner) if inner.admits_null() => {
            format!("{name} (null or {{\"tag\": \"some\", \"val\"}})")
        }
        Type::Option(inner) => match form(inner) {
            Some(form) => format!("{name} ({form} or null)"),
            None => name,
        },
        _ => match form(ty) {
            Some(form) => format!("{name} ({form})"),
            None => name,
        },
    }
}

/// Describes a type in JSON terms, unless its name is clear enough.
fn form(ty: &Type) -> Option<String> {
    let form = match ty.target() {
        Type::List(_) | Type::Tuple(_) => "an array",
        Type::FixedList(_, length) => return Some(format!("an array of {length}")),
        Type::Map(types) if matches!(types.0.target(), Type::String) => "an object",
        Type::Map(_) => "an array of {\"key\", \"value\"}",
        Type::Record(_) => "an object",
        Type::Variant(_) | Type::Result(_) => "an object {\"tag\", \"val\"}",
        Type::Enum(_) => "a string",
        Type::Flags(_) => "an array of strings",
        Type::Bytes => "a base64 string",
        Type::Char => "a string of one character",
        Type::Own(_) | Type::Borrow(_) => "a handle",
        Type::Cell => "null, boolean, number or string",
        Type::Decimal => "a number",
        Type::Json => "any value",
        Type::Object => "an object, or a string that holds one",
        Type::Table => "an array of objects or {\"columns\", \"rows\"}",
        Type::TableHandle => "an array of objects, {\"columns\", \"rows\"} or {\"$ref\"}",
        _ => return None,
    };
    Some(form.to_owned())
}

/// Returns a value in the form of a problem: `string "12"`.
pub(super) fn shown(json: &Json) -> String {
    match json {
        Json::Null => "null".to_owned(),
        Json::Bool(value) => format!("boolean {value}"),
        Json::Number(number) => format!("number {}", cut(number.as_str(), MAX_SHOWN_CHARACTERS)),
        Json::String(text) => format!("string {}", quoted(text)),
        Json::Array(items) => format!("array of {}", items.len()),
        Json::Object(entries) if entries.is_empty() => "empty object".to_owned(),
        Json::Object(entries) => {
            let mut text = "object with".to_owned();
            for (position, (key, _)) in entries.iter().take(4).enumerate() {
                text.push_str(if position == 0 { " " } else { ", " });
                text.push_str(&quoted(key));
            }
            if entries.len() > 4 {
                text.push_str(", …");
            }
            text
        }
    }
}

/// Returns `text` in double quotes, escaped and cut.
pub(super) fn quoted(text: &str) -> String {
    let mut shown = String::new();
    // Writing to a string cannot fail.
    let _ = write_string(&mut shown, &cut(text, MAX_SHOWN_CHARACTERS));
    shown
}

/// Returns the nearest of `names`, as the end of a sentence, or all of them if they are few.
pub(super) fn suggestion<'a>(
    wanted: &str,
    names: impl Iterator<Item = &'a str> + Clone,
    plural: &str,
) -> String {
    // Misspelled names are rarely longer, and a report must not take long.
    let near = if wanted.len() <= MAX_SHOWN_CHARACTERS {
        nearest(wanted, names.clone().take(MAX_COMPARED_NAMES))
    } else {
        Vec::new()
    };
    if let Some(name) = near.first() {
        return format!("; did you mean `{}`?", cut(name, MAX_SHOWN_CHARACTERS));
    }
    listed(names, plural)
}

/// Returns the first of `names`, as the end of a sentence; empty if there are none.
pub(super) fn listed<'a>(names: impl Iterator<Item = &'a str>, plural: &str) -> String {
    let mut text = String::new();
    for (position, name) in names.enumerate() {
        if position == MAX_LISTED_NAMES {
            text.push_str(", …");
            break;
        }
        text.push_str(if position == 0 { "; " } else { ", " });
        if position == 0 {
            let _ = write!(text, "{plural}: ");
        }
        let _ = write!(text, "`{}`", cut(name, MAX_SHOWN_CHARACTERS));
    }
    text
}

/// Returns `text`, cut to at most `length` characters.
pub(super) fn cut(text: &str, length: usize) -> String {
    match text.char_indices().nth(length) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn hint(ty: &Type, got: &Json) -> Option<String> {
    let numeric = ty.is_number();
    match (ty, got) {
        (_, Json::Null) if !ty.admits_null() => None,
        (_, Json::String(text)) if numeric && number::is_number(text) => {
            Some("write the number without quotes".into())
        }
        (_, Json::String(text)) if numeric => quantity(text),
        (Type::Bool, Json::String(text)) if matches!(&**text, "true" | "false") => {
            Some(format!("write {text} without quotes"))
        }
        (Type::String | Type::Char, Json::Number(_) | Json::Bool(_)) => {
            Some("write it in double quotes".into())
        }
        (Type::Option(inner), _) if inner.admits_null() => {
            let value = if matches!(got, Json::Array(_) | Json::Object(_)) {
                "…".to_owned()
            } else {
                cut(&got.to_string(), MAX_SHOWN_CHARACTERS)
            };
            Some(format!("write {{\"tag\": \"some\", \"val\": {value}}}"))
        }
        (Type::Option(inner), _) => hint(inner.target(), got),
        (
            Type::List(_)
            | Type::FixedList(..)
            | Type::Tuple(_)
            | Type::Table
            | Type::TableHandle
            | Type::Map(_)
            | Type::Record(_)
            | Type::Variant(_),
            Json::String(text),
        ) if text.trim_start().starts_with(['[', '{']) => Some(NOT_A_STRING.into()),
        (Type::Table | Type::TableHandle, Json::String(_)) => {
            Some("write its rows as objects, not as text".into())
        }
        (Type::Variant(variant), Json::String(text)) => {
            let case =
                variant.cases.iter().find(|case| super::types::same_name(&case.name, text))?;
            Some(if case.ty.is_some() {
                format!("write {{\"tag\": {}, \"val\": …}}", quoted(&case.name))
            } else {
                format!("write {{\"tag\": {}}}", quoted(&case.name))
            })
        }
        (Type::List(_), Json::Object(_)) => Some("write an array, also for one element".into()),
        _ => None,
    }
}

/// Returns what to write instead of a number with a unit or with thousands separators.
fn quantity(text: &str) -> Option<String> {
    let plain = text.trim().replace([',', '_', ' '], "");
    if number::is_number(&plain) && plain.len() <= MAX_SHOWN_CHARACTERS {
        return Some(format!("write it as {plain}"));
    }
    let digits = |character: char| character.is_ascii_digit() || "+-.,eE".contains(character);
    let unit = text.trim().trim_start_matches(digits);
    let amount = &text.trim()[..text.trim().len() - unit.len()];
    let is_amount = number::is_number(&amount.trim_end_matches(['e', 'E']).replace(',', ""));
    (is_amount && unit.chars().count() <= 12).then(|| {
        format!(
            "write the number alone, without {}, in the unit of the description",
            quoted(unit.trim())
        )
    })
}
