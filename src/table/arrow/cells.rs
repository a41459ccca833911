//! Converts Arrow's arrays to chunks of columns, and counts what changes on the way.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type,
    Decimal256Type, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, Time32MillisecondType, Time32SecondType, Time64MicrosecondType,
    Time64NanosecondType, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, TimeUnit};
use arrow_select::take::take;
use mitt_zones::Zone;

use crate::chunk::{Chunk, Problem};
use crate::number::power;
use crate::text::Texts;
use crate::validity::Validity;
use crate::values::Values;

/// Counts the cells of a column that a table cannot keep as they are.
#[derive(Default)]
pub(super) struct Changed {
    /// Times that were cut to microseconds.
    pub(super) nanoseconds: u64,
    /// Numbers that are NaN or infinite.
    pub(super) not_finite: u64,
    /// Local times of an hour that the clocks repeat.
    pub(super) repeated: u64,
}

/// Returns the way out for a type that no column holds; `None` for the types of [`of_array`].
pub(super) fn way_out(ty: &DataType) -> Option<&'static str> {
    Some(match ty {
        DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView
        | DataType::FixedSizeBinary(_) => {
            "make it text, for example as hexadecimal digits or Base64, or leave it out"
        }
        DataType::List(_)
        | DataType::LargeList(_)
        | DataType::ListView(_)
        | DataType::LargeListView(_)
        | DataType::FixedSizeList(..) => {
            "write each list as text, for example as JSON, or make a row of each item"
        }
        DataType::Struct(_) => {
            "make a column of each field, or write the values as text, for example as JSON"
        }
        DataType::Map(..) => "write each map as text, for example as JSON",
        DataType::Duration(_) => "make it a number, for example of seconds",
        DataType::Interval(_) | DataType::Union(..) => "cast it to text",
        DataType::RunEndEncoded(..) => "write out its values",
        DataType::Dictionary(_, values) => return way_out(values),
        _ => return None,
    })
}

/// Converts the cells of an array. `zone` is that of timestamps.
pub(super) fn of_array(
    array: &ArrayRef,
    zone: &mut Zone,
    changed: &mut Changed,
) -> Result<Chunk, Problem> {
    let length = array.len();
    let nulls = array.logical_nulls();
    let is_null = |at: usize| nulls.as_ref().is_some_and(|nulls| nulls.is_null(at));
    let outside = |what: &'static str| move |at: usize| Problem::Value(at, what);
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
                .map_err(outside("integer"))?
        }
        DataType::Float16 | DataType::Float32 | DataType::Float64 => {
            floats(array, is_null, changed)
        }
        DataType::Decimal32(_, scale) => {
            let units = array.as_primitive::<Decimal32Type>().values();
            of_decimals(*scale, units, is_null, |it| Some((*it).into()))?
        }
        DataType::Decimal64(_, scale) => {
            let units = array.as_primitive::<Decimal64Type>().values();
            of_decimals(*scale, units, is_null, |it| Some((*it).into()))?
        }
        DataType::Decimal128(_, scale) => {
            let units = array.as_primitive::<Decimal128Type>().values();
            of_decimals(*scale, units, is_null, |it| Some(*it))?
        }
        DataType::Decimal256(_, scale) => {
            let units = array.as_primitive::<Decimal256Type>().values();
            of_decimals(*scale, units, is_null, |it| it.to_i128())?
        }
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
            Values::Texts(of_texts(array)?)
        }
        DataType::Dictionary(_, values) if is_text(values) => of_dictionary(array)?,
        DataType::Dictionary(..) => return written_out(array, zone, changed),
        DataType::Date32 => Values::Dates(array.as_primitive::<Date32Type>().values().to_vec()),
        DataType::Date64 => of_date64(array.as_primitive::<Date64Type>().values(), is_null)
            .map_err(outside(DATE))?,
        DataType::Time32(_) | DataType::Time64(_) => {
            Values::Times(times(array, is_null, changed).map_err(outside(TIME))?)
        }
        DataType::Timestamp(..) => {
            let micros = moments(array, zone, is_null, changed);
            Values::DateTimes(micros.map_err(outside(DATE_TIME))?)
        }
        ty => return Err(Problem::Foreign(way_out(ty).unwrap_or("cast it to text"))),
    };
    Ok(Chunk { validity: validity(nulls.as_ref(), &values), values })
}

/// What a date of a column is.
pub(super) const DATE: &str = "date of the years 0 to 9999";
/// What a date with a time of a column is.
pub(super) const DATE_TIME: &str = "date-time of the years 0 to 9999";
/// What a time of a column is.
pub(super) const TIME: &str = "time of a day";

fn is_text(ty: &DataType) -> bool {
    matches!(ty, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

/// Converts a dictionary of other values than texts, which columns store one by one.
fn written_out(array: &ArrayRef, zone: &mut Zone, changed: &mut Changed) -> Result<Chunk, Problem> {
    let foreign = || Problem::Foreign(way_out(array.data_type()).unwrap_or("write out its values"));
    let dictionary = array.as_any_dictionary_opt().ok_or_else(foreign)?;
    if matches!(dictionary.values().data_type(), DataType::Dictionary(..)) {
        return Err(foreign());
    }
    let values = take(dictionary.values(), dictionary.keys(), None).map_err(|_| foreign())?;
    of_array(&values, zone, changed)
}

fn floats(array: &ArrayRef, is_null: impl Fn(usize) -> bool, changed: &mut Changed) -> Values {
    let values: Vec<f64> = match array.data_type() {
        DataType::Float16 => {
            array.as_primitive::<Float16Type>().values().iter().map(|it| it.to_f64()).collect()
        }
        DataType::Float32 => {
            array.as_primitive::<Float32Type>().values().iter().map(|it| f64::from(*it)).collect()
        }
        _ => array.as_primitive::<Float64Type>().values().to_vec(),
    };
    let not_finite = (0..values.len()).filter(|at| !values[*at].is_finite() && !is_null(*at));
    changed.not_finite += not_finite.count() as u64;
    Values::Floats(values)
}

fn times(
    array: &ArrayRef,
    is_null: impl Fn(usize) -> bool,
    changed: &mut Changed,
) -> Result<Vec<i64>, usize> {
    match array.data_type() {
        DataType::Time32(TimeUnit::Second) => micros::<Time32SecondType>(array, 1_000_000, is_null),
        DataType::Time32(_) => micros::<Time32MillisecondType>(array, 1_000, is_null),
        DataType::Time64(TimeUnit::Nanosecond) => {
            Ok(of_nanos::<Time64NanosecondType>(array, is_null, changed))
        }
        _ => Ok(array.as_primitive::<Time64MicrosecondType>().values().to_vec()),
    }
}

fn moments(
    array: &ArrayRef,
    zone: &mut Zone,
    is_null: impl Fn(usize) -> bool,
    changed: &mut Changed,
) -> Result<Vec<i64>, usize> {
    let DataType::Timestamp(unit, name) = array.data_type() else { return Ok(Vec::new()) };
    let mut moments = match unit {
        TimeUnit::Second => micros::<TimestampSecondType>(array, 1_000_000, &is_null)?,
        TimeUnit::Millisecond => micros::<TimestampMillisecondType>(array, 1_000, &is_null)?,
        TimeUnit::Microsecond => array.as_primitive::<TimestampMicrosecondType>().values().to_vec(),
        TimeUnit::Nanosecond => of_nanos::<TimestampNanosecondType>(array, &is_null, changed),
    };
    if name.is_some() {
        changed.repeated += zone.localize(&mut moments, is_null)?;
    }
    Ok(moments)
}

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
) -> Result<Values, Problem> {
    // A negative scale means zeros before the decimal point.
    let (scale, factor) = match u8::try_from(scale) {
        Ok(scale) => (scale, Some(1)),
        Err(_) => (0, power(scale.unsigned_abs())),
    };
    if scale > 38 {
        return Err(Problem::Scale(scale, 38));
    }
    let units = units.iter().map(|unit| wide(unit)?.checked_mul(factor?)).collect();
    narrowed(scale, units, is_null).map_err(|at| Problem::Value(at, "decimal of at most 38 digits"))
}

fn of_texts(array: &ArrayRef) -> Result<Texts, Problem> {
    fn all<'a>(texts: impl Iterator<Item = Option<&'a str>>) -> Result<Texts, Problem> {
        let mut all = Texts::default();
        for text in texts {
            if !all.push(text.unwrap_or_default()) {
                return Err(Problem::Texts);
            }
        }
        Ok(all)
    }
    match array.data_type() {
        DataType::Utf8 => all(array.as_string::<i32>().iter()),
        DataType::LargeUtf8 => all(array.as_string::<i64>().iter()),
        _ => all(array.as_string_view().iter()),
    }
}

fn of_dictionary(array: &ArrayRef) -> Result<Values, Problem> {
    let dictionary = array.as_any_dictionary();
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

/// Converts nanoseconds to microseconds, and counts those that are cut.
fn of_nanos<T: ArrowPrimitiveType<Native = i64>>(
    array: &ArrayRef,
    is_null: impl Fn(usize) -> bool,
    changed: &mut Changed,
) -> Vec<i64> {
    let values = array.as_primitive::<T>().values();
    let cut = (0..values.len()).filter(|at| values[*at] % 1_000 != 0 && !is_null(*at));
    changed.nanoseconds += cut.count() as u64;
    values.iter().map(|value| value.div_euclid(1_000)).collect()
}
