//! Writes tables as Parquet files, for pandas, polars, DuckDB, Spark and all other readers of the format.
//!
//! | column | Parquet |
//! |---|---|
//! | boolean | `BOOLEAN` |
//! | integer | `INT64` |
//! | decimal of up to 18 digits, of up to 38 | `INT64`, `FIXED_LEN_BYTE_ARRAY(16)`, as `DECIMAL` of 18 or 38 digits |
//! | float | `DOUBLE` |
//! | text, mixed, empty | `BYTE_ARRAY` as `STRING` |
//! | date | `INT32` as `DATE` |
//! | time, date-time | `INT64` as `TIME` and `TIMESTAMP` in microseconds, without a time zone |
//!
//! All columns are optional, because any cell may be null. Pages are compressed with Snappy, which every reader supports.

use std::io::{self, Write};
use std::sync::Arc;

use bytes::Bytes;
use mitt_base::rows::Rows;
use parquet::basic::{Compression, LogicalType, Repetition, TimeUnit, Type as Physical};
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FixedLenByteArray,
    FixedLenByteArrayType, Int32Type, Int64Type,
};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;

use crate::cell::CellRef;
use crate::column::Column;
use crate::table::Table;
use crate::values::{ColumnType, Values};

/// Rows of a row group, whose pages stay in memory until it is written.
const GROUP_ROWS: usize = 131_072;

/// Rows that are in memory twice while they are encoded.
const ROWS_AT_ONCE: usize = 8_192;

/// Bytes of a decimal of up to 38 digits.
const WIDE_BYTES: i32 = 16;

/// Digits of decimals in 64 bits, and in [`WIDE_BYTES`].
const DIGITS: i32 = 18;
const WIDE_DIGITS: i32 = 38;

impl Table {
    /// Writes the table as a Parquet file, in row groups of 131 072 rows, which `count` counts. Mixed columns are written as
    /// text, and so are columns of nulls only.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::InvalidInput`] - the table has no columns, which the format does not allow. Otherwise those of
    /// `out`; what was written before is then not a valid file.
    pub fn write_parquet<W: Write + Send>(&self, out: W, count: &Rows) -> io::Result<()> {
        if self.width() == 0 {
            let message = "a table without columns cannot be written as Parquet";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        let properties = WriterProperties::builder()
            .set_created_by(concat!("mitt version ", env!("CARGO_PKG_VERSION")).to_owned())
            .set_compression(Compression::SNAPPY)
            .build();
        let schema = schema(self).map_err(failed)?;
        let mut file = SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties))
            .map_err(failed)?;
        for start in (0..self.rows()).step_by(GROUP_ROWS) {
            let end = self.rows().min(start + GROUP_ROWS);
            self.write_group(&mut file, start, end).map_err(failed)?;
            count.add(end - start);
        }
        file.close().map(drop).map_err(failed)
    }

    fn write_group<W: Write + Send>(
        &self,
        file: &mut SerializedFileWriter<W>,
        start: usize,
        end: usize,
    ) -> Result<(), ParquetError> {
        let mut group = file.next_row_group()?;
        for (_, column) in self.columns() {
            let Some(mut writer) = group.next_column()? else { break };
            write_column(column, &mut writer, start, end)?;
            writer.close()?;
        }
        group.close().map(drop)
    }
}

fn schema(table: &Table) -> Result<Type, ParquetError> {
    let fields = table.columns().map(|(name, column)| {
        let of = |physical| Type::primitive_type_builder(name, physical);
        let scale = i32::from(column.scale());
        let decimal = |precision| Some(LogicalType::decimal(scale, precision));
        let unit = TimeUnit::MICROS;
        let field = match column.column_type() {
            ColumnType::Boolean => of(Physical::BOOLEAN),
            ColumnType::Integer => of(Physical::INT64),
            ColumnType::Decimal if is_wide(column) => of(Physical::FIXED_LEN_BYTE_ARRAY)
                .with_length(WIDE_BYTES)
                .with_precision(WIDE_DIGITS)
                .with_scale(scale)
                .with_logical_type(decimal(WIDE_DIGITS)),
            ColumnType::Decimal => of(Physical::INT64)
                .with_precision(DIGITS)
                .with_scale(scale)
                .with_logical_type(decimal(DIGITS)),
            ColumnType::Float => of(Physical::DOUBLE),
            ColumnType::Date => of(Physical::INT32).with_logical_type(Some(LogicalType::Date)),
            ColumnType::Time => {
                of(Physical::INT64).with_logical_type(Some(LogicalType::time(false, unit)))
            }
            ColumnType::DateTime => {
                of(Physical::INT64).with_logical_type(Some(LogicalType::timestamp(false, unit)))
            }
            ColumnType::Empty | ColumnType::Text | ColumnType::Mixed => {
                of(Physical::BYTE_ARRAY).with_logical_type(Some(LogicalType::String))
            }
        };
        field.with_repetition(Repetition::OPTIONAL).build().map(Arc::new)
    });
    Type::group_type_builder("schema").with_fields(fields.collect::<Result<_, _>>()?).build()
}

fn is_wide(column: &Column) -> bool {
    matches!(column.values().0, Values::WideDecimals(..))
}

fn write_column(
    column: &Column,
    writer: &mut SerializedColumnWriter<'_>,
    start: usize,
    end: usize,
) -> Result<(), ParquetError> {
    let (values, first) = column.values();
    // Convert each text once, to be shared by its cells.
    let shared: Vec<ByteArray> = match values {
        Values::Dictionary(_, texts) => {
            (0..texts.len()).map(|at| bytes(texts.get_bytes(at))).collect()
        }
        _ => Vec::new(),
    };
    let mut text = String::new();
    for start in (start..end).step_by(ROWS_AT_ONCE) {
        let rows = start..end.min(start + ROWS_AT_ONCE);
        let levels: Vec<i16> = rows.clone().map(|row| column.is_valid(row).into()).collect();
        let valid = rows.filter(|row| column.is_valid(*row));
        let places = valid.clone().map(|row| first + row);
        match values {
            Values::Empty(_) => write::<ByteArrayType>(writer, &levels, Vec::new())?,
            Values::Booleans(..) => {
                let cells = valid.map(|row| column.cell(row, &mut text) == CellRef::Boolean(true));
                let cells = cells.collect();
                write::<BoolType>(writer, &levels, cells)?;
            }
            Values::Integers(values)
            | Values::Decimals(_, values)
            | Values::Times(values)
            | Values::DateTimes(values) => {
                write::<Int64Type>(writer, &levels, places.map(|at| values[at]).collect())?;
            }
            Values::WideDecimals(_, values) => {
                let wide = |at: usize| {
                    let big_endian = values[at].to_be_bytes();
                    FixedLenByteArray::from(bytes(&big_endian))
                };
                write::<FixedLenByteArrayType>(writer, &levels, places.map(wide).collect())?;
            }
            Values::Floats(values) => {
                write::<DoubleType>(writer, &levels, places.map(|at| values[at]).collect())?;
            }
            Values::Dates(days) => {
                write::<Int32Type>(writer, &levels, places.map(|at| days[at]).collect())?;
            }
            Values::Dictionary(keys, _) => {
                let cells = places.map(|at| shared[keys[at] as usize].clone()).collect();
                write::<ByteArrayType>(writer, &levels, cells)?;
            }
            Values::Texts(texts) => {
                let cells = places.map(|at| bytes(texts.get_bytes(at))).collect();
                write::<ByteArrayType>(writer, &levels, cells)?;
            }
            Values::Mixed(_) => {
                let cells = valid.map(|row| bytes(column.cell(row, &mut text).as_str().as_bytes()));
                let cells = cells.collect();
                write::<ByteArrayType>(writer, &levels, cells)?;
            }
        }
    }
    Ok(())
}

fn bytes(text: &[u8]) -> ByteArray {
    Bytes::copy_from_slice(text).into()
}

/// Writes a part of a column: for each cell whether it has a value, and then the values.
fn write<T: DataType>(
    writer: &mut SerializedColumnWriter<'_>,
    levels: &[i16],
    values: Vec<T::T>,
) -> Result<(), ParquetError> {
    writer.typed::<T>().write_batch(&values, Some(levels), None).map(drop)
}

/// Returns the error of `out` if the writer failed because of it.
fn failed(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(error) => io::Error::other(error),
        },
        error => io::Error::other(error),
    }
}
