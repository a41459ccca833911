//! Converts Arrow arrays to chunks of the host's columns, which have the same layout.

use arrow_array::cast::AsArray as _;
use arrow_array::types::{
    ArrowDictionaryKeyType, ArrowPrimitiveType, ByteArrayType, Date32Type, Date64Type,
    Decimal32Type, Decimal64Type, Decimal128Type, Float16Type, Float32Type, Float64Type, Int8Type,
    Int16Type, Int32Type, Int64Type, LargeUtf8Type, Time32MillisecondType, Time32SecondType,
    Time64MicrosecondType, Time64NanosecondType, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type, Utf8Type,
};
use arrow_array::{Array, GenericByteArray};
use arrow_schema::{DataType, TimeUnit};
use hashbrown::HashMap;
use mitt_reader_kit::Cell;
use mitt_reader_kit::tables::{Bits, Chunk, Texts, Values};

use crate::lost::Lost;
use crate::nested;

/// Days from 0000-01-01 to 9999-12-31, which ISO 8601 writes with four digits.
const DAYS: std::ops::RangeInclusive<i64> = -719_528..=2_932_896;

/// Microseconds in a day.
const DAY: i64 = 86_400_000_000;

/// Texts that are examined before dictionary encoding.
const SAMPLE: usize = 512;

/// Returns the cells of an array.
pub(crate) fn chunk(array: &dyn Array, lost: &mut Lost) -> Chunk {
    let nulls = array.logical_nulls();
    let is_valid = |at: usize| nulls.as_ref().is_none_or(|nulls| nulls.is_valid(at));
    if array.is_empty() || nulls.as_ref().is_some_and(|nulls| nulls.null_count() == array.len()) {
        return Values::Empty(array.len()).into();
    }
    let values = match array.data_type() {
        DataType::Boolean => {
            let bits = array.as_boolean();
            Values::Booleans((0..bits.len()).map(|at| bits.value(at)).collect())
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
            match values.iter().map(|value| i64::try_from(*value)).collect() {
                Ok(values) => Values::Integers(values),
                Err(_) => {
                    let units = values.iter().map(|value| i128::from(*value)).collect();
                    Values::WideDecimals { scale: 0, units }
                }
            }
        }
        DataType::Float16 => {
            return floats(array, lost, |at| {
                array.as_primitive::<Float16Type>().value(at).to_f64()
            });
        }
        DataType::Float32 => {
            let values = array.as_primitive::<Float32Type>().values();
            return floats(array, lost, |at| values[at].into());
        }
        DataType::Float64 => {
            let values = array.as_primitive::<Float64Type>().values();
            return floats(array, lost, |at| values[at]);
        }
        DataType::Decimal32(_, scale @ 0..=18) => {
            let units = array.as_primitive::<Decimal32Type>().values();
            Values::Decimals {
                scale: *scale as u8,
                units: units.iter().map(|it| i64::from(*it)).collect(),
            }
        }
        DataType::Decimal64(_, scale @ 0..=18) => {
            let units = array.as_primitive::<Decimal64Type>().values();
            // The type has at most 18 digits. Files may violate this in the slot of a null, and damaged files anywhere.
            if units.iter().any(|it| it.unsigned_abs() >= 10u64.pow(18)) {
                return nested::chunk(array, lost);
            }
            Values::Decimals { scale: *scale as u8, units: units.to_vec() }
        }
        DataType::Decimal128(_, scale @ 0..=38) => {
            let units = array.as_primitive::<Decimal128Type>().values();
            match decimals(*scale as u8, units, is_valid) {
                Some(values) => values,
                None => return nested::chunk(array, lost),
            }
        }
        DataType::Utf8 => texts(array.as_bytes::<Utf8Type>()),
        DataType::LargeUtf8 => texts(array.as_bytes::<LargeUtf8Type>()),
        DataType::Utf8View => {
            let views = array.as_string_view();
            interned((0..views.len()).map(|at| views.value(at).as_bytes()))
        }
        DataType::Dictionary(_, values) if **values == DataType::Utf8 => match dictionary(array) {
            Some(values) => values,
            None => return nested::chunk(array, lost),
        },
        DataType::Date32 => {
            let days = array.as_primitive::<Date32Type>().values();
            return dates(array, lost, |at| i64::from(days[at]));
        }
        DataType::Date64 => {
            let millis = array.as_primitive::<Date64Type>().values();
            // Milliseconds of whole days. Some writers store the time of day in them.
            let is_date = |at| !is_valid(at) || millis[at] % (DAY / 1_000) == 0;
            if (0..array.len()).all(is_date) {
                return dates(array, lost, |at| millis[at].div_euclid(DAY / 1_000));
            }
            return moments(array, None, lost, |at| millis[at].checked_mul(1_000));
        }
        DataType::Time32(_) | DataType::Time64(_) => return times(array, lost),
        DataType::Timestamp(unit, zone) => return timestamps(array, *unit, zone.as_deref(), lost),
        _ => return nested::chunk(array, lost),
    };
    Chunk::new(values, (0..array.len()).map(is_valid).collect())
}

fn integers<T: ArrowPrimitiveType>(array: &dyn Array) -> Values
where
    T::Native: Into<i64>,
{
    let values = array.as_primitive::<T>().values();
    Values::Integers(values.iter().map(|value| (*value).into()).collect())
}

/// Returns values and their validity. `of` is called for cells that are not null, and returns `None` for a value that cannot
/// be kept.
fn kept<V: Default>(array: &dyn Array, mut of: impl FnMut(usize) -> Option<V>) -> (Vec<V>, Bits) {
    let nulls = array.logical_nulls();
    let mut validity = Bits::default();
    let values = (0..array.len()).map(|at| {
        let is_valid = nulls.as_ref().is_none_or(|nulls| nulls.is_valid(at));
        let value = if is_valid { of(at) } else { None };
        validity.push(value.is_some());
        value.unwrap_or_default()
    });
    (values.collect(), validity)
}

fn floats(array: &dyn Array, lost: &mut Lost, of: impl Fn(usize) -> f64) -> Chunk {
    let (values, validity) = kept(array, |at| {
        let value = of(at);
        lost.not_finite += u64::from(!value.is_finite());
        value.is_finite().then_some(value)
    });
    Chunk::new(Values::Floats(values), validity)
}

/// Returns decimals in the narrowest form; `None` if one has more than 38 digits.
fn decimals(scale: u8, units: &[i128], is_valid: impl Fn(usize) -> bool) -> Option<Values> {
    let most = (0..units.len()).filter(|at| is_valid(*at)).map(|at| units[at].unsigned_abs());
    let most = most.max().unwrap_or_default();
    if scale <= 18 && most < 10u128.pow(18) {
        let units = units.iter().map(|it| i64::try_from(*it).unwrap_or_default()).collect();
        return Some(Values::Decimals { scale, units });
    }
    (most < 10u128.pow(38)).then(|| Values::WideDecimals { scale, units: units.to_vec() })
}

fn texts<T: ByteArrayType>(array: &GenericByteArray<T>) -> Values {
    let texts = |at: usize| AsRef::<[u8]>::as_ref(array.value(at));
    interned((0..array.len()).map(texts))
}

/// Returns texts, with dictionary encoding if the first ones repeat.
fn interned<'a>(texts: impl ExactSizeIterator<Item = &'a [u8]> + Clone) -> Values {
    let mut keys: HashMap<&[u8], u32> = HashMap::new();
    let n_sample = texts.len().min(SAMPLE);
    texts.clone().take(n_sample).for_each(|text| {
        let next = keys.len() as u32;
        keys.entry(text).or_insert(next);
    });
    if keys.len() * 2 > n_sample {
        return Values::Texts(texts.map(text).collect());
    }
    keys.clear();
    let mut values = Texts::default();
    let keys = texts.map(|bytes| {
        *keys.entry(bytes).or_insert_with(|| {
            values.push(text(bytes));
            values.len() as u32 - 1
        })
    });
    Values::Dictionary { keys: keys.collect(), values }
}

fn text(bytes: &[u8]) -> &str {
    // The libraries validate what they read.
    std::str::from_utf8(bytes).expect("texts of Arrow are UTF-8")
}

/// Returns a dictionary; `None` for keys above 32 bits, which no program writes.
fn dictionary(array: &dyn Array) -> Option<Values> {
    fn of<K: ArrowDictionaryKeyType>(array: &dyn Array) -> Option<Values>
    where
        K::Native: TryInto<u32>,
    {
        let dictionary = array.as_dictionary::<K>();
        let values = dictionary.values().as_bytes::<Utf8Type>();
        let n_values = values.len() as u32;
        let keys = dictionary.keys();
        let keys = (0..keys.len()).map(|at| {
            if keys.is_valid(at) {
                keys.value(at).try_into().ok().filter(|key| *key < n_values)
            } else {
                Some(0)
            }
        });
        let keys = keys.collect::<Option<_>>()?;
        Some(Values::Dictionary {
            keys,
            values: values.iter().map(Option::unwrap_or_default).collect(),
        })
    }
    let DataType::Dictionary(keys, _) = array.data_type() else { return None };
    match **keys {
        DataType::Int8 => of::<Int8Type>(array),
        DataType::Int16 => of::<Int16Type>(array),
        DataType::Int32 => of::<Int32Type>(array),
        DataType::UInt8 => of::<UInt8Type>(array),
        DataType::UInt16 => of::<UInt16Type>(array),
        DataType::UInt32 => of::<UInt32Type>(array),
        _ => None,
    }
}

fn dates(array: &dyn Array, lost: &mut Lost, of: impl Fn(usize) -> i64) -> Chunk {
    let (days, validity) = kept(array, |at| {
        let day = Some(of(at)).filter(|day| DAYS.contains(day));
        lost.outside += u64::from(day.is_none());
        day.map(|day| day as i32)
    });
    Chunk::new(Values::Dates(days), validity)
}

fn times(array: &dyn Array, lost: &mut Lost) -> Chunk {
    let (micros, validity) = kept(array, |at| {
        let micros = time(array, at, lost).filter(|micros| (0..DAY).contains(micros));
        lost.outside += u64::from(micros.is_none());
        micros
    });
    Chunk::new(Values::Times(micros), validity)
}

/// Returns the microseconds of a time of day.
fn time(array: &dyn Array, at: usize, lost: &mut Lost) -> Option<i64> {
    match array.data_type() {
        DataType::Time32(TimeUnit::Second) => {
            i64::from(array.as_primitive::<Time32SecondType>().value(at)).checked_mul(1_000_000)
        }
        DataType::Time32(_) => {
            i64::from(array.as_primitive::<Time32MillisecondType>().value(at)).checked_mul(1_000)
        }
        DataType::Time64(TimeUnit::Nanosecond) => {
            Some(cut(array.as_primitive::<Time64NanosecondType>().value(at), lost))
        }
        _ => Some(array.as_primitive::<Time64MicrosecondType>().value(at)),
    }
}

/// Converts nanoseconds to microseconds, and counts those that lose digits.
fn cut(nanos: i64, lost: &mut Lost) -> i64 {
    lost.nanoseconds += u64::from(nanos % 1_000 != 0);
    nanos.div_euclid(1_000)
}

fn timestamps(array: &dyn Array, unit: TimeUnit, zone: Option<&str>, lost: &mut Lost) -> Chunk {
    match unit {
        TimeUnit::Second => {
            let values = array.as_primitive::<TimestampSecondType>().values();
            moments(array, zone, lost, |at| values[at].checked_mul(1_000_000))
        }
        TimeUnit::Millisecond => {
            let values = array.as_primitive::<TimestampMillisecondType>().values();
            moments(array, zone, lost, |at| values[at].checked_mul(1_000))
        }
        TimeUnit::Microsecond => {
            let values = array.as_primitive::<TimestampMicrosecondType>().values();
            moments(array, zone, lost, |at| Some(values[at]))
        }
        TimeUnit::Nanosecond => {
            let values = array.as_primitive::<TimestampNanosecondType>().values();
            let mut cuts = Lost::default();
            let chunk = moments(array, zone, lost, |at| Some(cut(values[at], &mut cuts)));
            lost.nanoseconds += cuts.nanoseconds;
            chunk
        }
    }
}

/// Returns date-times, in the local time of a zone. `of` returns microseconds since 1970-01-01.
fn moments(
    array: &dyn Array,
    zone: Option<&str>,
    lost: &mut Lost,
    mut of: impl FnMut(usize) -> Option<i64>,
) -> Chunk {
    let mut zones = std::mem::take(&mut lost.zones);
    let mut zone = zone.map(|name| zones.of_name(name));
    let (micros, validity) = kept(array, |at| {
        let mut micros = of(at);
        if let (Some(zone), Some(moment)) = (&mut zone, micros) {
            let local = zone.local(moment);
            lost.repeated += u64::from(local.is_some_and(|local| local.is_repeated));
            micros = local.map(|local| local.micros);
        }
        let micros = micros.filter(|micros| DAYS.contains(&micros.div_euclid(DAY)));
        lost.outside += u64::from(micros.is_none());
        micros
    });
    lost.zones = zones;
    Chunk::new(Values::DateTimes(micros), validity)
}

/// Returns the cell of a row.
pub(crate) fn cell(array: &dyn Array, at: usize, lost: &mut Lost) -> Cell {
    chunk(&*array.slice(at, 1), lost).cell(0)
}
