//! Encodes values that a component returned as JSON, in the form that `decode/` accepts.
//!
//! wasmtime has checked that a value fits its type, so a value that does not is our own fault. Promises that a type's
//! documentation makes and the type cannot express (a decimal is a number, a row has a cell per column) are checked here;
//! breaking them is the plugin's fault.

mod fault;
mod resource;
mod table;

use super::json::{Json, duplicate};
use super::number::Number;
use super::path::Path;
use super::range::EXACT_INTEGER;
use super::types::{Field, Function, Type, VariantType};
use fault::{Fault, plugin};
use mitt_base::error::{Error, ErrorKind, Result};
use std::collections::HashMap;
use table::{encode_bytes, encode_cell, encode_decimal, encode_table};
use wasmtime::component::Val;

/// The outcome of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Its result, or the `ok` of it; null if there is none.
    Value(Json),
    /// The `err` of its result: the plugin ran and reported an error.
    Failure(Failure),
}

/// Cases of a plugin's error type that say that the same call may succeed later. Any other case, and an error that is only a
/// text, does not.
const PASSING_CASES: [&str; 10] = [
    "again",
    "busy",
    "interrupted",
    "rate-limited",
    "temporary",
    "timed-out",
    "timeout",
    "try-again",
    "unavailable",
    "would-block",
];

/// An error that a plugin reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    message: String,
    /// The case, if the error has cases.
    case: Option<String>,
    value: Json,
    is_retryable: bool,
}

impl Outcome {
    /// Returns the value, or the failure as an error of kind [`ErrorKind::Plugin`].
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Plugin`] - the plugin reported an error.
    pub fn into_result(self) -> Result<Json> {
        match self {
            Outcome::Value(json) => Ok(json),
            Outcome::Failure(failure) => Err(failure.into()),
        }
    }
}

impl Failure {
    /// Returns its text. A case with text becomes `case: text`, as in `not-found: no document "a.pdf"`.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the whole error as JSON.
    pub fn value(&self) -> &Json {
        &self.value
    }

    /// Returns `true` if the name of its case says that the same call may succeed later, as `busy` does.
    pub fn is_retryable(&self) -> bool {
        self.is_retryable
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Error {
        let length = failure.message.chars().count();
        let kept = match &failure.case {
            Some(case) => format!("`{case}`, and a text of {length} characters"),
            None => format!("a text of {length} characters"),
        };
        Error::new(ErrorKind::Plugin, failure.message).retryable(failure.is_retryable).kept_as(kept)
    }
}

impl Function {
    /// Returns what this function returned as JSON.
    ///
    /// # Errors
    ///
    /// - [`ErrorKind::Plugin`] - the result breaks a promise of its type, such as a table with rows of different lengths.
    /// - [`ErrorKind::Host`] - the value does not fit the type, which wasmtime excludes.
    pub fn outcome(&self, result: Option<Val>) -> Result<Outcome> {
        let at = Path::root("result");
        let outcome = match (&self.result, result) {
            (None, None) => Ok(Outcome::Value(Json::Null)),
            (Some(ty), Some(val)) => outcome(ty, val, &at),
            _ => Err(Fault::misfit("function")),
        };
        outcome.map_err(|fault| fault.into_error(&self.name))
    }
}

/// Returns what `function` returned as JSON. An error that the plugin reported has kind [`ErrorKind::Plugin`].
///
/// # Errors
///
/// Those of [`Function::outcome`] and [`Outcome::into_result`].
pub fn result(function: &Function, value: Option<Val>) -> Result<Json> {
    function.outcome(value)?.into_result()
}

fn outcome(ty: &Type, val: Val, at: &Path<'_>) -> Result<Outcome, Fault> {
    let (types, val) = match (ty.target(), val) {
        (Type::Result(types), Val::Result(val)) => (types, val),
        (_, val) => return encode(ty, val, at).map(Outcome::Value),
    };
    match val {
        Ok(val) => encode_payload(types.0.as_ref(), val, at)
            .map(|json| Outcome::Value(json.unwrap_or_default())),
        Err(val) => {
            let value = encode_payload(types.1.as_ref(), val, at)?.unwrap_or_default();
            let message = match types.1.as_ref().map(Type::target) {
                None => "the plugin reported an error without a text".to_owned(),
                Some(Type::Variant(_)) => case_text(&value).unwrap_or_else(|| value.to_string()),
                Some(_) => value.as_str().map_or_else(|| value.to_string(), str::to_owned),
            };
            let case = match types.1.as_ref().map(Type::target) {
                Some(Type::Variant(_)) => value.get("tag").and_then(Json::as_str),
                Some(Type::Enum(_)) => value.as_str(),
                _ => None,
            };
            let is_retryable =
                case.is_some_and(|case| PASSING_CASES.contains(&case.replace('_', "-").as_str()));
            let case = case.map(str::to_owned);
            Ok(Outcome::Failure(Failure { message, case, value, is_retryable }))
        }
    }
}

/// Returns `case: text` for an encoded variant whose payload is a text or missing.
fn case_text(value: &Json) -> Option<String> {
    let tag = value.get("tag")?.as_str()?;
    match value.get("val") {
        None => Some(tag.to_owned()),
        Some(Json::String(text)) => Some(format!("{tag}: {text}")),
        Some(_) => None,
    }
}

/// Encodes `val`, which has type `ty`.
fn encode(ty: &Type, val: Val, at: &Path<'_>) -> Result<Json, Fault> {
    Ok(match (ty, val) {
        (Type::String, Val::String(text)) => Json::String(text),
        (Type::Bool, Val::Bool(value)) => Json::Bool(value),
        (Type::U8, Val::U8(value)) => value.into(),
        (Type::U16, Val::U16(value)) => value.into(),
        (Type::U32, Val::U32(value)) => value.into(),
        (Type::S8, Val::S8(value)) => value.into(),
        (Type::S16, Val::S16(value)) => value.into(),
        (Type::S32, Val::S32(value)) => value.into(),
        (Type::U64, Val::U64(value)) if i128::from(value) <= EXACT_INTEGER => value.into(),
        (Type::S64, Val::S64(value)) if i128::from(value).abs() <= EXACT_INTEGER => value.into(),
        (Type::U64, Val::U64(value)) => value.to_string().into(),
        (Type::S64, Val::S64(value)) => value.to_string().into(),
        (Type::F32, Val::Float32(value)) => float(Number::from_f32(value), f64::from(value)),
        (Type::F64, Val::Float64(value)) => float(Number::from_f64(value), value),
        (Type::Char, Val::Char(value)) => Json::String(value.into()),
        (Type::Bytes, val) => encode_bytes(val)?,
        (Type::Cell, val) => encode_cell(val, at)?,
        (Type::Decimal, val) => encode_decimal(val, at)?,
        (Type::Table, val) => encode_table(val, at)?,
        // The owner of the tables has replaced the table by its JSON.
        (Type::Json | Type::Object | Type::TableHandle, Val::String(text)) => {
            match Json::parse(&text, u64::MAX, Json::MAX_DEPTH) {
                Ok(json) => json,
                Err(error) => return plugin(at, || error.to_string()),
            }
        }
        (Type::Alias(alias), val) => encode(&alias.ty, val, at)?,
        (Type::Narrowed(narrowed), val) => encode(&narrowed.ty, val, at)?,
        (Type::List(element), Val::List(items)) => encode_list(element, items, at)?,
        (Type::FixedList(element, _), Val::FixedLengthList(items)) => {
            encode_list(element, items, at)?
        }
        (Type::Tuple(types), Val::Tuple(items)) if types.len() == items.len() => {
            let items = types
                .iter()
                .zip(items)
                .enumerate()
                .map(|(index, (ty, item))| encode(ty, item, &at.index(index)));
            Json::Array(items.collect::<Result<_, _>>()?)
        }
        (Type::Map(types), Val::Map(pairs)) => encode_map(&types.0, &types.1, pairs, at)?,
        (Type::Record(record), Val::Record(fields)) => encode_record(&record.fields, fields, at)?,
        (Type::Variant(variant), Val::Variant(case, val)) => {
            encode_variant(variant, &case, val, at)?
        }
        (Type::Enum(_), Val::Enum(name)) => Json::String(name),
        (Type::Flags(_), Val::Flags(names)) => {
            Json::Array(names.into_iter().map(Json::String).collect())
        }
        (Type::Option(_), Val::Option(None)) => Json::Null,
        (Type::Option(inner), Val::Option(Some(val))) if inner.admits_null() => {
            tagged("some", Some(encode(inner, *val, &at.key("val"))?))
        }
        (Type::Option(inner), Val::Option(Some(val))) => encode(inner, *val, at)?,
        (Type::Result(types), Val::Result(Ok(val))) => {
            tagged("ok", encode_payload(types.0.as_ref(), val, &at.key("val"))?)
        }
        (Type::Result(types), Val::Result(Err(val))) => {
            tagged("err", encode_payload(types.1.as_ref(), val, &at.key("val"))?)
        }
        // `resource.rs` has replaced the resource by its handle.
        (Type::Own(_), Val::String(handle)) => Json::String(handle),
        (Type::Own(_) | Type::Borrow(_) | Type::Unsupported(_), _) => {
            return plugin(at, || format!("`{ty}` has no JSON form"));
        }
        (ty, _) => return Err(Fault::misfit(ty)),
    })
}

fn float(finite: Option<Number>, value: f64) -> Json {
    match finite {
        Some(number) => Json::Number(number),
        // The schema of results allows it, because a failed division should not cost the rest of the result.
        None if value.is_nan() => "NaN".into(),
        None if value > 0.0 => "Infinity".into(),
        None => "-Infinity".into(),
    }
}

fn tagged(tag: &str, val: Option<Json>) -> Json {
    Json::object([("tag", Json::from(tag))].into_iter().chain(val.map(|val| ("val", val))))
}

fn encode_payload(
    ty: Option<&Type>,
    val: Option<Box<Val>>,
    at: &Path<'_>,
) -> Result<Option<Json>, Fault> {
    match (ty, val) {
        (None, None) => Ok(None),
        (Some(ty), Some(val)) => encode(ty, *val, at).map(Some),
        _ => Err(Fault::misfit("payload of a case")),
    }
}

fn encode_list(element: &Type, items: Vec<Val>, at: &Path<'_>) -> Result<Json, Fault> {
    let items =
        items.into_iter().enumerate().map(|(index, item)| encode(element, item, &at.index(index)));
    Ok(Json::Array(items.collect::<Result<_, _>>()?))
}

fn encode_record(fields: &[Field], vals: Vec<(String, Val)>, at: &Path<'_>) -> Result<Json, Fault> {
    if fields.len() != vals.len() {
        return Err(Fault::misfit("record"));
    }
    let mut entries = Vec::with_capacity(fields.len());
    for (field, (name, val)) in fields.iter().zip(vals) {
        if field.name != name {
            return Err(Fault::misfit("record"));
        }
        entries.push((field.key.clone(), encode(&field.ty, val, &at.key(&field.key))?));
    }
    Ok(Json::Object(entries))
}

fn encode_variant(
    variant: &VariantType,
    name: &str,
    val: Option<Box<Val>>,
    at: &Path<'_>,
) -> Result<Json, Fault> {
    let case = variant
        .cases
        .iter()
        .find(|case| case.name == name)
        .ok_or_else(|| Fault::misfit(&variant.name))?;
    let val = encode_payload(case.ty.as_ref(), val, &at.key("val"))?;
    Ok(tagged(name, val))
}

/// Encodes a map. In WIT the last of equal keys wins; JSON must not have duplicates.
fn encode_map(
    key: &Type,
    value: &Type,
    pairs: Vec<(Val, Val)>,
    at: &Path<'_>,
) -> Result<Json, Fault> {
    let by_name = matches!(key.target(), Type::String);
    let mut entries = Vec::with_capacity(pairs.len());
    for (index, (name, val)) in pairs.into_iter().enumerate() {
        let at = at.index(index);
        entries.push((encode(key, name, &at)?, encode(value, val, &at)?));
    }
    let names: Vec<String> = entries.iter().map(|(name, _)| name.to_string()).collect();
    if duplicate(names.iter().map(String::as_str)).is_some() {
        let last: HashMap<&str, usize> =
            names.iter().enumerate().map(|(index, name)| (name.as_str(), index)).collect();
        let mut index = 0;
        entries.retain(|_| {
            index += 1;
            last.get(names[index - 1].as_str()) == Some(&(index - 1))
        });
    }
    if !by_name {
        let pairs =
            entries.into_iter().map(|(key, value)| Json::object([("key", key), ("value", value)]));
        return Ok(Json::Array(pairs.collect()));
    }
    let entries = entries.into_iter().map(|(name, value)| match name {
        Json::String(name) => Ok((name, value)),
        _ => Err(Fault::misfit(key)),
    });
    Ok(Json::Object(entries.collect::<Result<_, _>>()?))
}
