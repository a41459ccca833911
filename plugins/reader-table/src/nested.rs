//! Converts values without a column type cell by cell: nested values to JSON, bytes, durations.

use std::fmt::Write as _;

use arrow_array::Array;
use arrow_array::cast::{AsArray as _, as_run_array};
use arrow_array::types::{
    ArrowPrimitiveType, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type,
    DurationMicrosecondType, DurationMillisecondType, DurationNanosecondType, DurationSecondType,
    Int16Type, Int32Type, Int64Type, IntervalDayTimeType, IntervalMonthDayNanoType,
    IntervalYearMonthType, RunEndIndexType,
};
use arrow_schema::{DataType, IntervalUnit, TimeUnit};
use mitt_reader_kit::Cell;
use mitt_reader_kit::tables::{Chunk, Values};

use crate::column;
use crate::lost::Lost;

/// Most bytes of a value that are shown as digits.
const MAX_SHOWN_BYTES: usize = 4096;

/// Most characters of a number, as in `decimal` of the contract.
const MAX_NUMBER_LENGTH: usize = 64;

/// Most levels of nested values.
const MAX_DEPTH: usize = 64;

/// Converts an array cell by cell.
pub(crate) fn chunk(array: &dyn Array, lost: &mut Lost) -> Chunk {
    let cells: Vec<Cell> = (0..array.len()).map(|at| cell(array, at, lost)).collect();
    if cells.iter().any(|cell| matches!(cell, Cell::Boolean(_) | Cell::Number(_))) {
        return Values::Mixed(cells).into();
    }
    Chunk::texts(cells.iter().map(|cell| match cell {
        Cell::Text(text) => Some(text.as_str()),
        _ => None,
    }))
}

fn cell(array: &dyn Array, at: usize, lost: &mut Lost) -> Cell {
    if array.is_null(at) {
        return Cell::Null;
    }
    match array.data_type() {
        DataType::Dictionary(..) => {
            let Some(dictionary) = array.as_any_dictionary_opt() else { return unknown(lost) };
            let key = dictionary.keys().slice(at, 1);
            let key = match column::cell(&*key, 0, lost) {
                Cell::Number(key) => key.parse::<usize>().ok(),
                _ => None,
            };
            match key.filter(|key| *key < dictionary.values().len()) {
                Some(key) => cell(dictionary.values(), key, lost),
                None => Cell::Null,
            }
        }
        DataType::RunEndEncoded(ends, _) => match ends.data_type() {
            DataType::Int16 => run::<Int16Type>(array, at, lost),
            DataType::Int32 => run::<Int32Type>(array, at, lost),
            _ => run::<Int64Type>(array, at, lost),
        },
        DataType::Binary => bytes(array.as_binary::<i32>().value(at), lost),
        DataType::LargeBinary => bytes(array.as_binary::<i64>().value(at), lost),
        DataType::BinaryView => bytes(array.as_binary_view().value(at), lost),
        DataType::FixedSizeBinary(_) => bytes(array.as_fixed_size_binary().value(at), lost),
        DataType::Decimal32(..) => {
            number(array.as_primitive::<Decimal32Type>().value_as_string(at))
        }
        DataType::Decimal64(..) => {
            number(array.as_primitive::<Decimal64Type>().value_as_string(at))
        }
        DataType::Decimal128(..) => {
            number(array.as_primitive::<Decimal128Type>().value_as_string(at))
        }
        DataType::Decimal256(..) => {
            number(array.as_primitive::<Decimal256Type>().value_as_string(at))
        }
        DataType::Duration(unit) => Cell::Text(match unit {
            TimeUnit::Second => duration::<DurationSecondType>(array, at, 1),
            TimeUnit::Millisecond => duration::<DurationMillisecondType>(array, at, 1_000),
            TimeUnit::Microsecond => duration::<DurationMicrosecondType>(array, at, 1_000_000),
            TimeUnit::Nanosecond => duration::<DurationNanosecondType>(array, at, 1_000_000_000),
        }),
        DataType::Interval(unit) => Cell::Text(interval(array, *unit, at)),
        ty if ty.is_nested() && !matches!(ty, DataType::Union(..)) => {
            let mut json = String::new();
            push_json(&mut json, array, at, 0, lost);
            Cell::Text(json)
        }
        DataType::Union(..) => unknown(lost),
        // Other types have their own columns.
        _ if has_column(array.data_type()) => column::cell(array, at, lost),
        _ => unknown(lost),
    }
}

fn has_column(ty: &DataType) -> bool {
    use DataType::{Boolean, Date32, Date64, LargeUtf8, Time32, Time64, Timestamp, Utf8, Utf8View};
    let is_other = matches!(
        ty,
        Boolean
            | Utf8
            | LargeUtf8
            | Utf8View
            | Date32
            | Date64
            | Time32(_)
            | Time64(_)
            | Timestamp(..)
    );
    is_other || ty.is_integer() || ty.is_floating()
}

fn unknown(lost: &mut Lost) -> Cell {
    lost.unknown += 1;
    Cell::Null
}

fn run<R: RunEndIndexType>(array: &dyn Array, at: usize, lost: &mut Lost) -> Cell {
    let run = as_run_array::<R>(array);
    cell(run.values(), run.get_physical_index(at), lost)
}

/// Returns a number, or text if it has too many digits for the contract.
fn number(text: String) -> Cell {
    if text.len() > MAX_NUMBER_LENGTH { Cell::Text(text) } else { Cell::Number(text) }
}

fn bytes(bytes: &[u8], lost: &mut Lost) -> Cell {
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => Cell::Text(text.to_owned()),
        _ if bytes.len() > MAX_SHOWN_BYTES => {
            lost.blobs += 1;
            Cell::Null
        }
        _ => {
            lost.bytes += 1;
            let mut digits = String::with_capacity(bytes.len() * 2);
            // Writing to a `String` cannot fail.
            bytes.iter().for_each(|byte| _ = write!(digits, "{byte:02x}"));
            Cell::Text(digits)
        }
    }
}

/// Returns a duration as ISO 8601: `PT1H30M`, `-PT0.5S`. The type sets the unit.
fn duration<T: ArrowPrimitiveType<Native = i64>>(
    array: &dyn Array,
    at: usize,
    parts: u64,
) -> String {
    let value = array.as_primitive::<T>().value(at);
    let sign = if value < 0 { "-" } else { "" };
    format!("{sign}PT{}", clock(value.unsigned_abs(), parts))
}

/// Returns hours, minutes and seconds.
fn clock(value: u64, parts: u64) -> String {
    let (seconds, fraction) = (value / parts, value % parts);
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let mut text = String::new();
    for (n, unit) in [(hours, 'H'), (minutes, 'M')] {
        if n > 0 {
            text.push_str(&format!("{n}{unit}"));
        }
    }
    if fraction > 0 {
        let digits = format!("{:0width$}", fraction, width = parts.ilog10() as usize);
        text.push_str(&format!("{seconds}.{}S", digits.trim_end_matches('0')));
    } else if seconds > 0 || text.is_empty() {
        text.push_str(&format!("{seconds}S"));
    }
    text
}

/// Returns months, days and a time as ISO 8601: `P1M2DT3H`. Each negative part has its sign.
fn interval(array: &dyn Array, unit: IntervalUnit, at: usize) -> String {
    let (months, days, nanos) = match unit {
        IntervalUnit::YearMonth => (array.as_primitive::<IntervalYearMonthType>().value(at), 0, 0),
        IntervalUnit::DayTime => {
            let value = array.as_primitive::<IntervalDayTimeType>().value(at);
            (0, value.days, i64::from(value.milliseconds) * 1_000_000)
        }
        IntervalUnit::MonthDayNano => {
            let value = array.as_primitive::<IntervalMonthDayNanoType>().value(at);
            (value.months, value.days, value.nanoseconds)
        }
    };
    let mut text = String::from("P");
    for (n, unit) in [(months, 'M'), (days, 'D')] {
        if n != 0 {
            text.push_str(&format!("{n}{unit}"));
        }
    }
    if nanos != 0 || text.len() == 1 {
        let sign = if nanos < 0 { "-" } else { "" };
        text.push_str(&format!("T{sign}{}", clock(nanos.unsigned_abs(), 1_000_000_000)));
    }
    text
}

/// Writes the value of a row as JSON.
fn push_json(json: &mut String, array: &dyn Array, at: usize, depth: usize, lost: &mut Lost) {
    if depth > MAX_DEPTH {
        lost.unknown += 1;
        return json.push_str("null");
    }
    if array.is_null(at) {
        return json.push_str("null");
    }
    match array.data_type() {
        DataType::List(_) => push_list(json, &*array.as_list::<i32>().value(at), depth, lost),
        DataType::LargeList(_) => push_list(json, &*array.as_list::<i64>().value(at), depth, lost),
        DataType::ListView(_) => {
            push_list(json, &*array.as_list_view::<i32>().value(at), depth, lost);
        }
        DataType::LargeListView(_) => {
            push_list(json, &*array.as_list_view::<i64>().value(at), depth, lost);
        }
        DataType::FixedSizeList(..) => {
            push_list(json, &*array.as_fixed_size_list().value(at), depth, lost);
        }
        DataType::Struct(fields) => {
            let columns = array.as_struct().columns();
            json.push('{');
            for (index, (field, column)) in fields.iter().zip(columns).enumerate() {
                push_key(json, index, field.name());
                push_json(json, column, at, depth + 1, lost);
            }
            json.push('}');
        }
        DataType::Map(..) => {
            let entries = array.as_map().value(at);
            json.push('{');
            for row in 0..entries.len() {
                let key = match cell(entries.column(0), row, lost) {
                    Cell::Null => String::new(),
                    Cell::Boolean(value) => value.to_string(),
                    Cell::Number(text) | Cell::Text(text) => text,
                };
                push_key(json, row, &key);
                push_json(json, entries.column(1), row, depth + 1, lost);
            }
            json.push('}');
        }
        _ => match cell(array, at, lost) {
            Cell::Null => json.push_str("null"),
            Cell::Boolean(value) => json.push_str(if value { "true" } else { "false" }),
            Cell::Number(text) => json.push_str(&text),
            // The values of a dictionary of nested values are JSON already.
            Cell::Text(text) if crate::is_nested(array.data_type()) => json.push_str(&text),
            Cell::Text(text) => push_text(json, &text),
        },
    }
}

fn push_list(json: &mut String, values: &dyn Array, depth: usize, lost: &mut Lost) {
    json.push('[');
    for at in 0..values.len() {
        if at > 0 {
            json.push(',');
        }
        push_json(json, values, at, depth + 1, lost);
    }
    json.push(']');
}

fn push_key(json: &mut String, index: usize, key: &str) {
    if index > 0 {
        json.push(',');
    }
    push_text(json, key);
    json.push(':');
}

fn push_text(json: &mut String, text: &str) {
    // A text always has a JSON form.
    json.push_str(&serde_json::to_string(text).unwrap_or_default());
}
