//! Converts tables from and to Apache Arrow's arrays, for embedders that hold their data in `arrow-rs` or reach it through
//! Arrow's C data interface or IPC format. Each buffer is copied once.
//!
//! | Arrow | column |
//! |---|---|
//! | `Null` | empty |
//! | `Boolean` | boolean |
//! | `Int8` to `Int64`, `UInt8` to `UInt64` | integer; numbers beyond 2^63 - 1 make it a decimal |
//! | `Float16` to `Float64` | float |
//! | `Decimal32` to `Decimal256` | decimal; numbers of more than 38 digits are refused |
//! | `Utf8`, `LargeUtf8`, `Utf8View`, dictionaries of them | text |
//! | `Date32`, `Date64` | date; `Date64` with a time of day: date-time |
//! | `Time32`, `Time64` | time |
//! | `Timestamp` | date-time; a timestamp with a time zone becomes UTC |
//!
//! In the other direction, integers become `Int64`, decimals `Decimal128`, repeated texts a dictionary with 32-bit keys,
//! times and date-times microseconds, and mixed columns texts, with the metadata [`MIXED`] on the field.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type,
    Decimal256Type, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, Time32MillisecondType, Time32SecondType, Time64MicrosecondType,
    Time64NanosecondType, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Date32Array, Decimal128Array, DictionaryArray, Float64Array,
    Int32Array, Int64Array, LargeStringArray, NullArray, RecordBatch, RecordBatchOptions,
    StringArray, Time64MicrosecondArray, TimestampMicrosecondArray,
};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType, Field, Schema, TimeUnit};

use crate::build::TableBuilder;
use crate::cell::Cell;
use crate::chunk::{Chunk, Problem};
use crate::column::Column;
use crate::number::power;
use crate::table::Table;
use crate::text::Texts;
use crate::validity::Validity;
use crate::values::Values;

/// Key and value in the metadata of a text field that was a mixed column.
pub const MIXED: (&str, &str) = ("mitt:column-type", "mixed");

/// Rows that are in memory twice while they are converted.
const ROWS_AT_ONCE: usize = 65_536;

impl Table {
    /// Returns the table as a batch of Arrow's arrays.
    ///
    /// # Errors
    ///
    /// Arrow's errors, for a dictionary with more than 2 GiB of texts. A smaller [`range`](Table::range) may have fewer
    /// texts.
    pub fn to_arrow(&self) -> Result<RecordBatch, ArrowError> {
        let (mut fields, mut arrays) = (Vec::new(), Vec::new());
        for (name, column) in self.columns() {
            let array = to_array(column)?;
            let mut field = Field::new(name, array.data_type().clone(), true);
            if matches!(column.values().0, Values::Mixed(_)) {
                field.set_metadata(HashMap::from([(MIXED.0.to_owned(), MIXED.1.to_owned())]));
            }
            fields.push(field);
            arrays.push(array);
        }
        // In a table without columns, nothing else gives the number of rows.
        let options = RecordBatchOptions::new().with_row_count(Some(self.rows()));
        RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), arrays, &options)
    }
}

impl TableBuilder {
    /// Appends the rows of a batch of Arrow's arrays, which has as many columns; its names are ignored.
    ///
    /// # Errors
    ///
    /// [`Problem::Foreign`] - a column's type has no counterpart here, such as a list. [`Problem::InColumn`] - a value does
    /// not fit: a decimal of more than 38 digits, a time that is not a whole number of microseconds, a date outside of the
    /// years 0 to 9999. The builder then holds part of the batch; drop it.
    pub fn append_arrow(&mut self, batch: &RecordBatch) -> Result<(), Problem> {
        for start in (0..batch.num_rows()).step_by(ROWS_AT_ONCE) {
            let part = batch.slice(start, ROWS_AT_ONCE.min(batch.num_rows() - start));
            let schema = part.schema_ref();
            let named = part.columns().iter().zip(schema.fields());
            let chunks = named.map(|(array, field)| {
                let chunk = of_array(array).map_err(|problem| {
                    problem.unwrap_or_else(|| Problem::Foreign {
                        column: field.name().clone(),
                        ty: field.data_type().to_string(),
                    })
                });
                chunk.and_then(|chunk| chunk.check().map(|()| chunk)).map_err(|problem| {
                    match problem {
                        problem @ Problem::Foreign { .. } => problem,
                        Problem::Value(at, what) => Problem::InColumn(
                            field.name().clone(),
                            Box::new(Problem::Value(start + at, what)),
                        ),
                        problem => Problem::InColumn(field.name().clone(), Box::new(problem)),
                    }
                })
            });
            self.append(chunks.collect::<Result<_, _>>()?)?;
        }
        Ok(())
    }
}

fn to_array(column: &Column) -> Result<ArrayRef, ArrowError> {
    let Chunk { values, validity } = column.slice(0, column.len());
    let length = column.len();
    let nulls = (validity.nulls() > 0).then(|| {
        NullBuffer::new(BooleanBuffer::new(Buffer::from_vec(validity.into_bytes()), 0, length))
    });
    Ok(match values {
        Values::Empty(length) => Arc::new(NullArray::new(length)),
        Values::Booleans(bits, length) => {
            let bits = BooleanBuffer::new(Buffer::from_vec(bits), 0, length);
            Arc::new(BooleanArray::new(bits, nulls))
        }
        Values::Integers(values) => Arc::new(Int64Array::try_new(values.into(), nulls)?),
        Values::Decimals(scale, units) => {
            let units: Vec<i128> = units.into_iter().map(i128::from).collect();
            decimals(units, 18, scale, nulls)?
        }
        Values::WideDecimals(scale, units) => decimals(units, 38, scale, nulls)?,
        Values::Floats(values) => Arc::new(Float64Array::try_new(values.into(), nulls)?),
        Values::Texts(texts) => to_texts(texts, nulls)?,
        Values::Dictionary(keys, texts) => {
            // The key in the slot of a null may be invalid; all others are less than the number of texts.
            let keys = keys.into_iter().map(|key| i32::try_from(key).unwrap_or_default());
            let keys = Int32Array::try_new(keys.collect::<Vec<_>>().into(), nulls)?;
            Arc::new(DictionaryArray::try_new(keys, to_texts(Texts::clone(&texts), None)?)?)
        }
        Values::Dates(days) => Arc::new(Date32Array::try_new(days.into(), nulls)?),
        Values::Times(micros) => Arc::new(Time64MicrosecondArray::try_new(micros.into(), nulls)?),
        Values::DateTimes(micros) => {
            Arc::new(TimestampMicrosecondArray::try_new(micros.into(), nulls)?)
        }
        Values::Mixed(cells) => {
            let text =
                |cell: &Cell| (*cell != Cell::Null).then(|| cell.borrow().as_str().to_owned());
            Arc::new(cells.iter().map(text).collect::<LargeStringArray>())
        }
    })
}

fn decimals(
    units: Vec<i128>,
    digits: u8,
    scale: u8,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef, ArrowError> {
    let array = Decimal128Array::try_new(units.into(), nulls)?;
    // Values have at most 38 digits, so the scale always fits in `i8`.
    let scale = i8::try_from(scale).unwrap_or(i8::MAX);
    Ok(Arc::new(array.with_precision_and_scale(digits, scale)?))
}

fn to_texts(texts: Texts, nulls: Option<NullBuffer>) -> Result<ArrayRef, ArrowError> {
    let is_short = i32::try_from(texts.byte_len()).is_ok();
    let (offsets, bytes) = texts.into_parts();
    let bytes = Buffer::from_vec(bytes);
    Ok(if is_short {
        let offsets = offsets.into_iter().map(|at| i32::try_from(at).unwrap_or(i32::MAX));
        let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets.collect::<Vec<_>>()));
        Arc::new(StringArray::try_new(offsets, bytes, nulls)?)
    } else {
        let offsets: Vec<i64> = offsets.into_iter().map(i64::from).collect();
        Arc::new(LargeStringArray::try_new(OffsetBuffer::new(offsets.into()), bytes, nulls)?)
    })
}

/// Converts the cells of an array. The error is `None` if the array's type has no counterpart.
fn of_array(array: &ArrayRef) -> Result<Chunk, Option<Problem>> {
    let length = array.len();
    let nulls = array.logical_nulls();
    let is_null = |at: usize| nulls.as_ref().is_some_and(|nulls| nulls.is_null(at));
    let outside = |at: usize, what: &'static str| Some(Problem::Value(at, what));
    let values = match array.data_type() {
        DataType::Null => Values::Empty(length),
        DataType::Boolean => {
            Values::Booleans(array.as_boolean().values().sliced().to_vec(), length)
        }
        DataType::Int8 => integers::<Int8Type>(array),
        DataType::Int16 => integers::<Int16Type>(array),
        DataType::Int32 => integers::<Int32Type>(array),
        DataType::Int64 => Values::Integers(array.as_primitive::<Int64Type>().values().to_vec()),
        DataType::UInt8 => integers::<UInt8Type>(array),
        DataType::UInt16 => integers::<UInt16Type>(array),
        DataType::UInt32 => integers::<UInt32Type>(array),
        DataType::UInt64 => {
            let values = array.as_primitive::<UInt64Type>().values();
            narrowed(0, values.iter().map(|value| Some(i128::from(*value))).collect(), is_null)
                .map_err(|at| outside(at, "integer"))?
        }
        DataType::Float16 => Values::Floats(
            array.as_primitive::<Float16Type>().values().iter().map(|it| it.to_f64()).collect(),
        ),
        DataType::Float32 => Values::Floats(
            array.as_primitive::<Float32Type>().values().iter().map(|it| f64::from(*it)).collect(),
        ),
        DataType::Float64 => Values::Floats(array.as_primitive::<Float64Type>().values().to_vec()),
        DataType::Decimal32(_, scale) => {
            of_decimals(*scale, array.as_primitive::<Decimal32Type>().values(), is_null, |it| {
                Some((*it).into())
            })?
        }
        DataType::Decimal64(_, scale) => {
            of_decimals(*scale, array.as_primitive::<Decimal64Type>().values(), is_null, |it| {
                Some((*it).into())
            })?
        }
        DataType::Decimal128(_, scale) => {
            of_decimals(*scale, array.as_primitive::<Decimal128Type>().values(), is_null, |it| {
                Some(*it)
            })?
        }
        DataType::Decimal256(_, scale) => {
            of_decimals(*scale, array.as_primitive::<Decimal256Type>().values(), is_null, |it| {
                it.to_i128()
            })?
        }
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
            Values::Texts(of_texts(array)?)
        }
        DataType::Dictionary(..) => of_dictionary(array)?,
        DataType::Date32 => Values::Dates(array.as_primitive::<Date32Type>().values().to_vec()),
        DataType::Date64 => of_date64(array.as_primitive::<Date64Type>().values(), is_null)
            .map_err(|at| outside(at, "date-time"))?,
        DataType::Time32(TimeUnit::Second) => Values::Times(
            micros::<Time32SecondType>(array, 1_000_000, is_null)
                .map_err(|at| outside(at, "time"))?,
        ),
        DataType::Time32(_) => Values::Times(
            micros::<Time32MillisecondType>(array, 1_000, is_null)
                .map_err(|at| outside(at, "time"))?,
        ),
        DataType::Time64(TimeUnit::Nanosecond) => Values::Times(
            of_nanos::<Time64NanosecondType>(array, is_null).map_err(|at| outside(at, TIME))?,
        ),
        DataType::Time64(_) => {
            Values::Times(array.as_primitive::<Time64MicrosecondType>().values().to_vec())
        }
        DataType::Timestamp(unit, _) => Values::DateTimes(
            match unit {
                TimeUnit::Second => micros::<TimestampSecondType>(array, 1_000_000, is_null),
                TimeUnit::Millisecond => micros::<TimestampMillisecondType>(array, 1_000, is_null),
                TimeUnit::Microsecond => {
                    Ok(array.as_primitive::<TimestampMicrosecondType>().values().to_vec())
                }
                TimeUnit::Nanosecond => of_nanos::<TimestampNanosecondType>(array, is_null),
            }
            .map_err(|at| outside(at, DATE_TIME))?,
        ),
        _ => return Err(None),
    };
    Ok(Chunk { validity: validity(nulls.as_ref(), &values), values })
}

/// What a time in nanoseconds must be.
const TIME: &str = "time of whole microseconds";
const DATE_TIME: &str = "date-time of whole microseconds, years 0 to 9999";

fn validity(nulls: Option<&NullBuffer>, values: &Values) -> Validity {
    let length = values.len();
    match nulls {
        Some(nulls) if !matches!(values, Values::Empty(_)) => {
            let bytes = nulls.inner().sliced().to_vec();
            let count = length.div_ceil(8);
            let bytes = bytes.get(..count).map(<[u8]>::to_vec).unwrap_or(bytes);
            Validity::from_bytes(bytes, length).unwrap_or_else(|| Validity::all(true, length))
        }
        _ => Validity::all(true, length),
    }
}

fn integers<T: ArrowPrimitiveType>(array: &ArrayRef) -> Values
where
    T::Native: Into<i64>,
{
    Values::Integers(
        array.as_primitive::<T>().values().iter().map(|value| (*value).into()).collect(),
    )
}

/// Returns numbers without their decimal point in the narrowest form that holds all of them, or the index of one that none
/// can hold.
fn narrowed(
    scale: u8,
    units: Vec<Option<i128>>,
    is_null: impl Fn(usize) -> bool,
) -> Result<Values, usize> {
    let most = power(38).unwrap_or(i128::MAX).unsigned_abs();
    let mut wide = Vec::with_capacity(units.len());
    for (at, unit) in units.into_iter().enumerate() {
        let unit = unit.filter(|unit| unit.unsigned_abs() < most);
        wide.push(match (unit, is_null(at)) {
            (Some(unit), _) => unit,
            (None, true) => 0,
            (None, false) => return Err(at),
        });
    }
    let valid = |at: &usize| !is_null(*at);
    if scale == 0 && (0..wide.len()).filter(valid).all(|at| i64::try_from(wide[at]).is_ok()) {
        return Ok(Values::Integers(
            wide.into_iter().map(|unit| i64::try_from(unit).unwrap_or_default()).collect(),
        ));
    }
    let is_narrow = |unit: i128| unit.unsigned_abs() < 10_u128.pow(18);
    if scale <= 18 && (0..wide.len()).filter(valid).all(|at| is_narrow(wide[at])) {
        let units = wide.into_iter().map(|unit| i64::try_from(unit).unwrap_or_default()).collect();
        return Ok(Values::Decimals(scale, units));
    }
    Ok(Values::WideDecimals(scale, wide))
}

fn of_decimals<N>(
    scale: i8,
    units: &[N],
    is_null: impl Fn(usize) -> bool,
    wide: impl Fn(&N) -> Option<i128>,
) -> Result<Values, Option<Problem>> {
    // A negative scale means zeros before the decimal point.
    let (scale, factor) = match u8::try_from(scale) {
        Ok(scale) => (scale, Some(1)),
        Err(_) => (0, power(scale.unsigned_abs())),
    };
    if scale > 38 {
        return Err(Some(Problem::Scale(scale, 38)));
    }
    let units = units.iter().map(|unit| wide(unit)?.checked_mul(factor?)).collect();
    narrowed(scale, units, is_null)
        .map_err(|at| Some(Problem::Value(at, "decimal of at most 38 digits")))
}

fn of_texts(array: &ArrayRef) -> Result<Texts, Option<Problem>> {
    fn all<'a>(texts: impl Iterator<Item = Option<&'a str>>) -> Result<Texts, Option<Problem>> {
        let mut all = Texts::default();
        for text in texts {
            if !all.push(text.unwrap_or_default()) {
                return Err(Some(Problem::Texts));
            }
        }
        Ok(all)
    }
    match array.data_type() {
        DataType::Utf8 => all(array.as_string::<i32>().iter()),
        DataType::LargeUtf8 => all(array.as_string::<i64>().iter()),
        DataType::Utf8View => all(array.as_string_view().iter()),
        _ => Err(None),
    }
}

fn of_dictionary(array: &ArrayRef) -> Result<Values, Option<Problem>> {
    let Some(dictionary) = array.as_any_dictionary_opt() else { return Err(None) };
    let texts = of_texts(dictionary.values())?;
    // Keys beyond 32 bits would need as many texts.
    let keys = if dictionary.values().is_empty() {
        vec![0; array.len()]
    } else {
        let keys = dictionary.normalized_keys();
        keys.into_iter().map(|key| u32::try_from(key).unwrap_or(u32::MAX)).collect()
    };
    Ok(Values::Dictionary(keys, Arc::new(texts)))
}

/// Converts milliseconds: to dates, or to dates with times if one of them has a time.
fn of_date64(values: &[i64], is_null: impl Fn(usize) -> bool) -> Result<Values, usize> {
    const DAY: i64 = 86_400_000;
    let valid = |at: &usize| !is_null(*at);
    if (0..values.len()).filter(valid).all(|at| values[at] % DAY == 0) {
        let days = (0..values.len()).map(|at| match i32::try_from(values[at] / DAY) {
            Ok(day) => Ok(day),
            Err(_) if is_null(at) => Ok(0),
            Err(_) => Err(at),
        });
        return days.collect::<Result<_, _>>().map(Values::Dates);
    }
    scaled(values.iter().copied(), 1_000, is_null).map(Values::DateTimes)
}

fn micros<T: ArrowPrimitiveType>(
    array: &ArrayRef,
    factor: i64,
    is_null: impl Fn(usize) -> bool,
) -> Result<Vec<i64>, usize>
where
    T::Native: Into<i64>,
{
    scaled(array.as_primitive::<T>().values().iter().map(|value| (*value).into()), factor, is_null)
}

fn scaled(
    values: impl Iterator<Item = i64>,
    factor: i64,
    is_null: impl Fn(usize) -> bool,
) -> Result<Vec<i64>, usize> {
    let values = values.enumerate().map(|(at, value)| match value.checked_mul(factor) {
        Some(value) => Ok(value),
        None if is_null(at) => Ok(0),
        None => Err(at),
    });
    values.collect()
}

/// Converts nanoseconds to microseconds without loss.
fn of_nanos<T: ArrowPrimitiveType<Native = i64>>(
    array: &ArrayRef,
    is_null: impl Fn(usize) -> bool,
) -> Result<Vec<i64>, usize> {
    let values = array.as_primitive::<T>().values().iter().enumerate();
    let values = values.map(|(at, value)| match value % 1_000 {
        0 => Ok(value / 1_000),
        _ if is_null(at) => Ok(0),
        _ => Err(at),
    });
    values.collect()
}

#[cfg(test)]
mod tests;
