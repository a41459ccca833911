//! Opens files of both formats as batches of rows.

use std::io::Cursor;
use std::sync::Arc;

use crate::written::with_zones;
use crate::{Frame, rows_at_a_time};
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_schema::{ArrowError, DataType, Field, Schema, TimeUnit};
use bytes::Bytes;
use mitt_reader_kit::Error;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::basic::Type as PhysicalType;
use parquet::errors::ParquetError;

/// The first and last bytes of an Arrow file; a stream has none.
const ARROW_MAGIC: &[u8] = b"ARROW1";

pub(crate) fn parquet(bytes: &[u8]) -> Result<Frame, Error> {
    if bytes.ends_with(b"PARE") {
        return Err(Error::Unsupported(mitt_reader_kit::ENCRYPTED.into()));
    }
    let bytes = Bytes::copy_from_slice(bytes);
    let mut options = ArrowReaderOptions::new();
    let mut loaded = ArrowReaderMetadata::load(&bytes, options.clone());
    let is_refused = matches!(loaded, Err(ParquetError::ArrowError(_)));
    if is_refused {
        // The Arrow schema in the file may be of a later version. The columns have their types without it.
        options = options.with_skip_arrow_metadata(true);
        loaded = ArrowReaderMetadata::load(&bytes, options.clone());
    }
    let metadata = loaded.map_err(damaged)?;
    let metadata = match without_int96(&metadata) {
        None => metadata,
        Some(schema) => {
            let options = options.clone().with_schema(Arc::new(schema));
            ArrowReaderMetadata::try_new(metadata.metadata().clone(), options).map_err(damaged)?
        }
    };
    // The schema is tried, because the columns can be read without it: times then stand as UTC.
    let zoned = if is_refused { None } else { with_zones(&metadata) };
    let zoned = zoned.and_then(|schema| {
        let options = options.with_schema(Arc::new(schema));
        ArrowReaderMetadata::try_new(metadata.metadata().clone(), options).ok()
    });
    let metadata = zoned.unwrap_or(metadata);
    let n_columns = metadata.schema().fields().len();
    let reader = ParquetRecordBatchReaderBuilder::new_with_metadata(bytes, metadata)
        .with_batch_size(rows_at_a_time(n_columns))
        .build()
        .map_err(damaged)?;
    let schema = arrow_array::RecordBatchReader::schema(&reader);
    Ok(Frame { schema, batches: Box::new(reader) })
}

/// Returns the schema that reads old timestamps of Spark and Impala (`INT96`) as microseconds, if there are some at the top
/// level. Nanoseconds do not reach the year 9999, which such files use for "never".
fn without_int96(metadata: &ArrowReaderMetadata) -> Option<Schema> {
    let parquet = metadata.parquet_schema();
    let is_int96 = |at: usize| {
        let ty = &parquet.root_schema().get_fields()[at];
        ty.is_primitive() && ty.get_physical_type() == PhysicalType::INT96
    };
    let fields = metadata.schema().fields();
    if !(0..fields.len()).any(is_int96) {
        return None;
    }
    let changed = fields.iter().enumerate().map(|(at, field)| match field.data_type() {
        DataType::Timestamp(TimeUnit::Nanosecond, zone) if is_int96(at) => {
            let ty = DataType::Timestamp(TimeUnit::Microsecond, zone.clone());
            Arc::new(Field::clone(field).with_data_type(ty))
        }
        _ => field.clone(),
    });
    Some(Schema::new(changed.collect::<Vec<_>>()))
}

pub(crate) fn arrow(bytes: &[u8]) -> Result<Frame, Error> {
    if bytes.starts_with(b"FEA1") {
        let message =
            "Feather version 1 is not read: save it as version 2 (an Arrow file) or as Parquet";
        return Err(Error::Unsupported(message.into()));
    }
    let is_file = bytes.starts_with(ARROW_MAGIC);
    let bytes = Cursor::new(Bytes::copy_from_slice(bytes));
    Ok(if is_file {
        let reader = FileReader::try_new(bytes, None).map_err(refused)?;
        Frame { schema: reader.schema(), batches: Box::new(reader) }
    } else {
        let reader = StreamReader::try_new(bytes, None).map_err(refused)?;
        Frame { schema: reader.schema(), batches: Box::new(reader) }
    })
}

fn damaged(error: ParquetError) -> Error {
    match error {
        ParquetError::NYI(message) => Error::Unsupported(message),
        error => malformed(&error.to_string()),
    }
}

/// Removes the names of the library's error kinds, which may be nested.
fn malformed(mut message: &str) -> Error {
    const KINDS: [&str; 8] = [
        "Parquet error: ",
        "Parquet argument error: ",
        "Parser error: ",
        "External: ",
        "Io error: ",
        "Ipc error: ",
        "EOF: ",
        "Arrow: ",
    ];
    while let Some(rest) = KINDS.iter().find_map(|kind| message.strip_prefix(kind)) {
        message = rest;
    }
    Error::Malformed(format!("the file is damaged: {message}"))
}

/// Converts an error of reading rows.
pub(crate) fn refused(error: ArrowError) -> Error {
    match error {
        ArrowError::NotYetImplemented(message) => Error::Unsupported(message),
        ArrowError::ExternalError(inner) => match inner.downcast::<ParquetError>() {
            Ok(error) => damaged(*error),
            Err(error) => malformed(&error.to_string()),
        },
        error => malformed(&error.to_string()),
    }
}
