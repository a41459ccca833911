//! Writes JSON results as WAVE on one line, like the writer of `wasm-wave`.
//!
//! Numbers keep the digits of the JSON; that writer spells out `1e300` with three hundred zeros.

use super::super::json::Json;
use super::super::number::is_integer;
use super::super::types::{Type, same_name};
use super::parse::is_keyword;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use std::fmt::Write;

/// Writes `json`, a value of type `ty`. `None` if it is not one.
pub(super) fn write(out: &mut String, ty: &Type, json: &Json) -> Option<()> {
    match (ty, json) {
        (Type::Alias(alias), json) => write(out, &alias.ty, json)?,
        (Type::Narrowed(narrowed), json) => write(out, &narrowed.ty, json)?,
        (Type::Option(inner), json) => option(out, inner, json)?,
        (Type::Cell, json) => cell(out, json)?,
        (Type::Bytes, Json::String(base64)) => {
            let bytes = BASE64_STANDARD.decode(base64).ok()?;
            list(out, ('[', ']'), &bytes, |out, byte| write!(out, "{byte}").ok())?;
        }
        (Type::List(element) | Type::FixedList(element, _), Json::Array(items)) => {
            list(out, ('[', ']'), items, |out, item| write(out, element, item))?;
        }
        (Type::Tuple(types), Json::Array(items)) if types.len() == items.len() => {
            let items: Vec<_> = types.iter().zip(items).collect();
            list(out, ('(', ')'), &items, |out, (ty, item)| write(out, ty, item))?;
        }
        (Type::Map(types), Json::Object(entries)) => {
            list(out, ('[', ']'), entries, |out, (key, value)| {
                out.push('(');
                text(out, key);
                out.push_str(", ");
                write(out, &types.1, value)?;
                out.push(')');
                Some(())
            })?;
        }
        (Type::Map(types), Json::Array(pairs)) => {
            list(out, ('[', ']'), pairs, |out, pair| {
                out.push('(');
                write(out, &types.0, pair.get("key")?)?;
                out.push_str(", ");
                write(out, &types.1, pair.get("value")?)?;
                out.push(')');
                Some(())
            })?;
        }
        (Type::Record(record), Json::Object(entries)) => {
            let mut parts = Vec::with_capacity(entries.len());
            for (field, (key, value)) in record.fields.iter().zip(entries) {
                if field.key != *key {
                    return None;
                }
                // A field that is `none` is left out.
                if !(field.ty.is_option() && *value == Json::Null) {
                    parts.push((&field.name, &field.ty, value));
                }
            }
            if parts.is_empty() {
                out.push_str("{:}");
            } else {
                list(out, ('{', '}'), &parts, |out, (name, ty, value)| {
                    out.push_str(name);
                    out.push_str(": ");
                    write(out, ty, value)
                })?;
            }
        }
        (Type::Table | Type::TableHandle, Json::Object(_)) => {
            let (Json::Array(columns), Json::Array(rows)) =
                (json.get("columns")?, json.get("rows")?)
            else {
                return None;
            };
            out.push_str("{columns: ");
            list(out, ('[', ']'), columns, |out, column| write(out, &Type::String, column))?;
            out.push_str(", rows: ");
            list(out, ('[', ']'), rows, |out, row| match row {
                Json::Array(cells) => list(out, ('[', ']'), cells, cell),
                _ => None,
            })?;
            out.push('}');
        }
        (Type::Variant(variant), json) => {
            let tag = json.get("tag")?.as_str()?;
            let case = variant.cases.iter().find(|case| same_name(&case.name, tag))?;
            if is_keyword(&case.name) {
                out.push('%');
            }
            tagged(out, &case.name, case.ty.as_ref(), json)?;
        }
        (Type::Result(types), json) => match json.get("tag")?.as_str()? {
            "ok" => tagged(out, "ok", types.0.as_ref(), json)?,
            "err" => tagged(out, "err", types.1.as_ref(), json)?,
            _ => return None,
        },
        (ty, json) => scalar(out, ty, json)?,
    }
    Some(())
}

/// Writes a value whose JSON has no parts, or flags.
fn scalar(out: &mut String, ty: &Type, json: &Json) -> Option<()> {
    match (ty, json) {
        (Type::Bool, Json::Bool(value)) => out.push_str(if *value { "true" } else { "false" }),
        (ty, Json::Number(number)) if ty.is_number() => out.push_str(number.as_str()),
        (Type::U64 | Type::S64, Json::String(digits)) if is_integer(digits) => {
            out.push_str(digits);
        }
        (Type::F32 | Type::F64, Json::String(name)) => out.push_str(match &**name {
            "NaN" => "nan",
            "Infinity" => "inf",
            "-Infinity" => "-inf",
            _ => return None,
        }),
        (Type::Char, Json::String(text)) => {
            let mut characters = text.chars();
            let (Some(character), None) = (characters.next(), characters.next()) else {
                return None;
            };
            out.push('\'');
            escaped(out, character);
            out.push('\'');
        }
        (Type::String | Type::Own(_) | Type::Borrow(_), Json::String(value)) => text(out, value),
        // WAVE has no type for any value: write its JSON as text.
        (Type::Json | Type::Object, json) => text(out, &json.to_string()),
        (Type::Decimal, Json::Number(number)) => text(out, number.as_str()),
        (Type::Enum(_), Json::String(name)) => {
            if is_keyword(name) {
                out.push('%');
            }
            out.push_str(name);
        }
        (Type::Flags(_), Json::Array(names)) => {
            list(out, ('{', '}'), names, |out, name| {
                out.push_str(name.as_str()?);
                Some(())
            })?;
        }
        _ => return None,
    }
    Some(())
}

fn option(out: &mut String, inner: &Type, json: &Json) -> Option<()> {
    if *json == Json::Null {
        out.push_str("none");
        return Some(());
    }
    let value = if inner.admits_null() { json.get("val")? } else { json };
    out.push_str("some(");
    write(out, inner, value)?;
    out.push(')');
    Some(())
}

/// Writes a cell as its variant.
fn cell(out: &mut String, json: &Json) -> Option<()> {
    let (case, digits_or_text) = match json {
        Json::Null => {
            out.push_str("null");
            return Some(());
        }
        Json::Bool(value) => return write!(out, "boolean({value})").ok(),
        Json::Number(number) => ("number(", number.as_str()),
        Json::String(value) => ("text(", value.as_str()),
        Json::Array(_) | Json::Object(_) => return None,
    };
    out.push_str(case);
    text(out, digits_or_text);
    out.push(')');
    Some(())
}

fn tagged(out: &mut String, name: &str, ty: Option<&Type>, json: &Json) -> Option<()> {
    out.push_str(name);
    if let Some(ty) = ty {
        out.push('(');
        write(out, ty, json.get("val")?)?;
        out.push(')');
    }
    Some(())
}

fn list<T>(
    out: &mut String,
    (open, close): (char, char),
    items: &[T],
    mut write_item: impl FnMut(&mut String, &T) -> Option<()>,
) -> Option<()> {
    out.push(open);
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        write_item(out, item)?;
    }
    out.push(close);
    Some(())
}

fn text(out: &mut String, value: &str) {
    out.push('"');
    value.chars().for_each(|character| escaped(out, character));
    out.push('"');
}

/// Writes invisible characters as escapes, so that a result is one line and shows everything that it holds.
fn escaped(out: &mut String, character: char) {
    match character {
        ' '..='~' if !"\"'\\".contains(character) => out.push(character),
        '\\' | '"' | '\'' | '\t' | '\r' | '\n' => out.extend(character.escape_default()),
        control if control.is_control() => out.extend(control.escape_unicode()),
        other => out.extend(other.escape_debug()),
    }
}
