//! Encodes the well-known types of `mitt:host/types`, and bytes.

use super::super::json::{Json, duplicate};
use super::super::number::{Number, is_number};
use super::super::path::Path;
use super::super::problem::quoted;
use super::fault::{Fault, plugin};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use mitt_base::limits::MAX_NUMBER_LENGTH;
use wasmtime::component::Val;

/// Encodes bytes as base64.
pub(super) fn encode_bytes(val: Val) -> Result<Json, Fault> {
    let Val::List(items) = val else { return Err(Fault::misfit("list<u8>")) };
    let bytes: Option<Vec<u8>> = items
        .into_iter()
        .map(|item| if let Val::U8(byte) = item { Some(byte) } else { None })
        .collect();
    bytes
        .map(|bytes| Json::String(BASE64_STANDARD.encode(bytes)))
        .ok_or_else(|| Fault::misfit("list<u8>"))
}

/// Encodes a decimal as a number with all its digits.
pub(super) fn encode_decimal(val: Val, at: &Path<'_>) -> Result<Json, Fault> {
    let Val::String(text) = val else { return Err(Fault::misfit("decimal")) };
    if text.len() > MAX_NUMBER_LENGTH {
        return plugin(at, || {
            format!(
                "a decimal of {} characters; at most {MAX_NUMBER_LENGTH} are allowed",
                text.len()
            )
        });
    }
    if !is_number(&text) {
        return plugin(at, || format!("expected a decimal number, got string {}", quoted(&text)));
    }
    Number::parse(text).map(Json::Number).ok_or_else(|| Fault::misfit("decimal"))
}

/// Encodes a cell as a scalar.
pub(super) fn encode_cell(val: Val, at: &Path<'_>) -> Result<Json, Fault> {
    let Val::Variant(case, payload) = val else { return Err(Fault::misfit("cell")) };
    match (&*case, payload.map(|payload| *payload)) {
        ("null", None) => Ok(Json::Null),
        ("boolean", Some(Val::Bool(value))) => Ok(Json::Bool(value)),
        ("text", Some(Val::String(text))) => Ok(Json::String(text)),
        ("number", Some(digits)) => encode_decimal(digits, at),
        _ => Err(Fault::misfit("cell")),
    }
}

/// Encodes a table as columns and rows.
///
/// Always in this form: it is half as long as an array of objects, keeps the columns of a table without rows, and a plugin
/// cannot inflate it with long column names. A model reads it as well as CSV.
pub(super) fn encode_table(val: Val, at: &Path<'_>) -> Result<Json, Fault> {
    let Val::Record(fields) = val else { return Err(Fault::misfit("table")) };
    let Ok([(_, Val::List(columns)), (_, Val::List(rows))]) =
        <[(String, Val); 2]>::try_from(fields)
    else {
        return Err(Fault::misfit("table"));
    };
    let names: Option<Vec<String>> = columns
        .into_iter()
        .map(|name| if let Val::String(name) = name { Some(name) } else { None })
        .collect();
    let names = names.ok_or_else(|| Fault::misfit("table"))?;
    if let Some(index) = names.iter().position(String::is_empty) {
        return plugin(&at.key("columns").index(index), || "a column name is empty".to_owned());
    }
    if let Some(twice) = duplicate(names.iter().map(String::as_str)) {
        return plugin(&at.key("columns"), || {
            format!("the column {} appears twice", quoted(twice))
        });
    }
    let rows_at = at.key("rows");
    let mut encoded = Vec::with_capacity(rows.len());
    for (index, row) in rows.into_iter().enumerate() {
        let at = rows_at.index(index);
        let Val::List(cells) = row else { return Err(Fault::misfit("table")) };
        if cells.len() != names.len() {
            return plugin(&at, || {
                format!("a row of {} cells in a table of {} columns", cells.len(), names.len())
            });
        }
        let cells =
            cells.into_iter().enumerate().map(|(index, cell)| encode_cell(cell, &at.index(index)));
        encoded.push(Json::Array(cells.collect::<Result<_, _>>()?));
    }
    let columns = names.into_iter().map(Json::String).collect();
    Ok(Json::object([("columns", Json::Array(columns)), ("rows", Json::Array(encoded))]))
}
