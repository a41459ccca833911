//! Converts tables from and to Apache Arrow's arrays, for embedders that hold their data in `arrow-rs` or reach it through
//! Arrow's C data interface or IPC format. Each buffer is copied once.
//!
//! | Arrow | column |
//! |---|---|
//! | `Null` | empty |
//! | `Boolean`, the extension type `arrow.bool8` | boolean |
//! | `Int8` to `Int64`, `UInt8` to `UInt64` | integer; numbers beyond 2^63 - 1 make it a decimal |
//! | `Float16` to `Float64` | float; NaN and infinite numbers count as empty, with a warning |
//! | `Decimal32` to `Decimal256` | decimal, without a fraction integer; numbers of more than 38 digits are refused |
//! | `Utf8`, `LargeUtf8`, `Utf8View` | text |
//! | `Date32`, `Date64` | date; `Date64` with a time of day: date-time |
//! | `Time32`, `Time64` | time; nanoseconds are cut to microseconds, with a warning |
//! | `Timestamp` | date-time; nanoseconds as above. With a time zone: the local time of the zone, with a warning |
//! | dictionaries of these | the same; a warning if the dictionary is ordered |
//! | `Binary`, lists, `Struct`, `Map`, `Duration`, `Interval`, `Union`, `RunEndEncoded` | refused |
//!
//! Other extension types are taken as their storage, with a warning. Metadata of fields is not kept. Empty and repeated
//! names of columns are refused. A refusal names the column, its index and its type.
//!
//! In the other direction, integers become `Int64`, decimals `Decimal128` of 18 or 38 digits, floats `Float64`, repeated
//! texts a dictionary with 32-bit keys, times and date-times microseconds without a zone, empty columns `Null`, and mixed
//! columns texts, with the metadata [`MIXED`] on the field. NaN and infinite numbers come out as they went in.

mod cells;
mod import;

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, Decimal128Array, DictionaryArray, Float64Array,
    Int32Array, Int64Array, LargeStringArray, NullArray, RecordBatch, RecordBatchOptions,
    StringArray, Time64MicrosecondArray, TimestampMicrosecondArray,
};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, Field, Schema};

use crate::cell::Cell;
use crate::chunk::Chunk;
use crate::column::Column;
use crate::table::Table;
use crate::text::Texts;
use crate::values::Values;

use import::shown;
pub use import::{ArrowBuilder, place};

/// Key and value in the metadata of a text field that was a mixed column.
pub const MIXED: (&str, &str) = ("mitt:column-type", "mixed");

impl Table {
    /// Returns the table as a batch of Arrow's arrays.
    ///
    /// # Errors
    ///
    /// Arrow's errors, with the name and the index of the column: a dictionary has more than 2^31 texts. A smaller
    /// [`range`](Table::range) may have fewer.
    pub fn to_arrow(&self) -> Result<RecordBatch, ArrowError> {
        let (mut fields, mut arrays) = (Vec::new(), Vec::new());
        for (index, (name, column)) in self.columns().enumerate() {
            let array = to_array(column).map_err(|error| {
                let ty = column.column_type().name();
                let message = format!("column `{name}` (index {index}, type {ty}): {error}");
                ArrowError::InvalidArgumentError(message)
            })?;
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

/// Returns a sentence for each column of a batch of [`Table::to_arrow`] that has other cells than the table: those of mixed
/// columns, which are texts.
pub fn export_warnings(schema: &Schema) -> Vec<String> {
    let fields = schema.fields().iter().enumerate();
    let mixed = fields.filter(|(_, field)| is_mixed(field));
    mixed
        .map(|(index, field)| {
            let name = shown(field.name());
            format!("column `{name}` (index {index}): its cells of several types are texts")
        })
        .collect()
}

/// Returns `true` for a text field that was a mixed column.
fn is_mixed(field: &Field) -> bool {
    field.metadata().get(MIXED.0).is_some_and(|ty| ty == MIXED.1)
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
            if i32::try_from(texts.len()).is_err() {
                return Err(ArrowError::DictionaryKeyOverflowError);
            }
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

#[cfg(test)]
mod tests;
