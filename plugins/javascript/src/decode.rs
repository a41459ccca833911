//! Makes values of JavaScript out of JSON text and of cells.

use mitt_guest::tables::{Cell, Chunk, Decimal, Values};
use rquickjs::{Array, Ctx, Exception, Function, Object, Result, Value};
use serde_json::Value as Json;

/// Most levels of nested JSON, as in the host.
const MAX_DEPTH: u32 = 128;

/// The largest whole number below which all are exact as doubles.
pub(crate) const MAX_SAFE: i64 = (1 << 53) - 1;

/// Digits from which on a number may not be exact as a double.
const LONG_NUMBER: usize = 16;

/// Parses a JSON text. Whole numbers beyond 2^53 become BigInt; `big` makes one of its digits.
pub(crate) fn json<'js>(ctx: &Ctx<'js>, text: &str, big: &Function<'js>) -> Result<Value<'js>> {
    if !has_long_number(text) {
        return ctx.json_parse(text);
    }
    let parsed: Json = serde_json::from_str(text)
        .map_err(|error| Exception::throw_syntax(ctx, &error.to_string()))?;
    value(ctx, &parsed, big, 0)
}

/// Returns `true` if a run of digits is too long for a double. A text in the value may have one, too.
fn has_long_number(text: &str) -> bool {
    let mut run = 0;
    text.bytes().any(|byte| {
        run = if byte.is_ascii_digit() { run + 1 } else { 0 };
        run >= LONG_NUMBER
    })
}

fn value<'js>(ctx: &Ctx<'js>, json: &Json, big: &Function<'js>, depth: u32) -> Result<Value<'js>> {
    if depth > MAX_DEPTH {
        return Err(Exception::throw_range(ctx, &format!("nested deeper than {MAX_DEPTH} levels")));
    }
    Ok(match json {
        Json::Null => Value::new_null(ctx.clone()),
        Json::Bool(value) => Value::new_bool(ctx.clone(), *value),
        Json::Number(text) => number(ctx, &text.to_string(), big)?,
        Json::String(text) => string(ctx, text)?,
        Json::Array(items) => {
            let array = Array::new(ctx.clone())?;
            for (index, item) in items.iter().enumerate() {
                array.set(index, value(ctx, item, big, depth + 1)?)?;
            }
            array.into_value()
        }
        Json::Object(members) => {
            let object = Object::new(ctx.clone())?;
            for (name, member) in members {
                object.set(name.as_str(), value(ctx, member, big, depth + 1)?)?;
            }
            object.into_value()
        }
    })
}

pub(crate) fn string<'js>(ctx: &Ctx<'js>, text: &str) -> Result<Value<'js>> {
    rquickjs::String::from_str(ctx.clone(), text).map(rquickjs::String::into_value)
}

/// Converts a JSON number: a number, a BigInt if it is whole and beyond 2^53, a string if a double would be infinite.
pub(crate) fn number<'js>(ctx: &Ctx<'js>, text: &str, big: &Function<'js>) -> Result<Value<'js>> {
    if let Ok(value) = text.parse::<i64>() {
        return integer(ctx, value);
    }
    if text.trim_start_matches('-').bytes().all(|byte| byte.is_ascii_digit()) {
        return big.call((text,));
    }
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(Value::new_number(ctx.clone(), value)),
        _ => string(ctx, text),
    }
}

fn integer<'js>(ctx: &Ctx<'js>, value: i64) -> Result<Value<'js>> {
    if value.unsigned_abs() <= MAX_SAFE.unsigned_abs() {
        Ok(Value::new_number(ctx.clone(), value as f64))
    } else {
        Value::new_big_int(ctx.clone(), value)
    }
}

/// Returns a cell as a value.
pub(crate) fn cell<'js>(
    ctx: &Ctx<'js>,
    chunk: &Chunk,
    index: usize,
    big: &Function<'js>,
) -> Result<Value<'js>> {
    if chunk.is_null(index) {
        return Ok(Value::new_null(ctx.clone()));
    }
    match &chunk.values {
        Values::Integers(values) => integer(ctx, values[index]),
        Values::Floats(values) if values[index].is_finite() => {
            Ok(Value::new_number(ctx.clone(), values[index]))
        }
        Values::Decimals { scale, units } => decimal(ctx, i128::from(units[index]), *scale, big),
        Values::WideDecimals { scale, units } => decimal(ctx, units[index], *scale, big),
        _ => match chunk.cell(index) {
            Cell::Null => Ok(Value::new_null(ctx.clone())),
            Cell::Boolean(value) => Ok(Value::new_bool(ctx.clone(), value)),
            Cell::Number(text) => number(ctx, &text, big),
            Cell::Text(text) => string(ctx, &text),
        },
    }
}

/// Converts a decimal. A quotient of two exact doubles is the double nearest to it.
fn decimal<'js>(ctx: &Ctx<'js>, units: i128, scale: u8, big: &Function<'js>) -> Result<Value<'js>> {
    let divisor = 10_i128.checked_pow(u32::from(scale)).unwrap_or(i128::MAX);
    if units % divisor == 0 {
        return number(ctx, &(units / divisor).to_string(), big);
    }
    if units.unsigned_abs() < 1 << 53 && scale <= 18 {
        return Ok(Value::new_number(ctx.clone(), units as f64 / divisor as f64));
    }
    number(ctx, &Decimal { units, scale }.text(), big)
}
