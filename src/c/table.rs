//! Tables in and out by Arrow's C stream interface.

use std::ffi::{CStr, c_void};
use std::mem::MaybeUninit;
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi_and_data_type};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{
    Array as _, ArrayRef, RecordBatch, RecordBatchIterator, RecordBatchOptions, make_array,
};
use arrow_schema::{DataType, Field, Fields, Schema, SchemaRef};
use mitt::{Error, ErrorKind, Resource, Result, Table, arrow};
use mitt_base::text::{one_line, shortened};

use crate::code::mitt_code;
use crate::problem::Problem;

/// The stream of a caller, which Mitt owns now and releases.
pub struct TakenStream(FFI_ArrowArrayStream);

impl TakenStream {
    /// Takes the stream over, and marks the structure of the caller as released.
    ///
    /// # Safety
    ///
    /// `stream` is null, or points to a structure that can be read and written, and that is released or a valid stream.
    ///
    /// # Errors
    ///
    /// [`mitt_code::MITT_NULL_POINTER`] - the pointer is null. [`mitt_code::MITT_INPUT`] - the stream was released
    /// already.
    pub unsafe fn take(stream: *mut FFI_ArrowArrayStream) -> Result<TakenStream, Problem> {
        if stream.is_null() {
            let message = "expected a stream, got a null pointer";
            return Err(Problem::of_parameter(mitt_code::MITT_NULL_POINTER, "stream", message));
        }
        // SAFETY: the caller of this function promises a valid structure. It is marked as released, so nobody else releases
        // it.
        let taken = unsafe { FFI_ArrowArrayStream::from_raw(stream) };
        if taken.release().is_none() {
            let message = "expected a stream, got one that was released";
            return Err(Problem::of_parameter(mitt_code::MITT_INPUT, "stream", message));
        }
        Ok(TakenStream(taken))
    }

    /// Reads all batches of the stream: at most `most_bytes` of arrays.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - the stream reports an error, has other arrays than batches of columns, or an array breaks the
    /// rules of its type. [`ErrorKind::Limit`] - there are more bytes.
    pub fn batches(mut self, most_bytes: u64) -> Result<Vec<RecordBatch>> {
        let wrong = |error: &dyn std::fmt::Display| Error::input(error.to_string()).at("stream");
        let schema = self.schema()?;
        let DataType::Struct(fields) = schema.data_type() else {
            let message = format!(
                "expected a table, got a single column of Arrow's type {}",
                schema.data_type()
            );
            return Err(wrong(&message).hint("make a table of one column"));
        };
        let schema = Arc::new(Schema::new(fields.clone()));
        let (mut batches, mut bytes) = (Vec::new(), 0_u64);
        while let Some(array) = self.next(fields)? {
            let batch = batch_of(array, &schema)?;
            for (index, (field, column)) in fields.iter().zip(batch.columns()).enumerate() {
                let checked = column.to_data().validate_full();
                checked.map_err(|error| {
                    Error::input(error.to_string()).at(arrow::place(index, field)).at("stream")
                })?;
                bytes = bytes.saturating_add(part_bytes(column));
                if bytes > most_bytes {
                    return Err(Error::limit(Resource::Documents, most_bytes, bytes).at("stream"));
                }
            }
            batches.push(batch);
        }
        if batches.is_empty() {
            batches.push(RecordBatch::new_empty(schema));
        }
        Ok(batches)
    }
}

impl TakenStream {
    /// Reads the type of the arrays.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - the stream reports an error or lacks a function, or a column has a type that only its producer
    /// knows, such as 128-bit integers of polars.
    fn schema(&mut self) -> Result<Field> {
        let Some(get_schema) = self.0.get_schema() else {
            return Err(
                Error::input("expected a function `get_schema`, got a null pointer").at("stream")
            );
        };
        let mut schema = FFI_ArrowSchema::empty();
        // SAFETY: the stream is valid, and the place for the schema is a local variable.
        if unsafe { get_schema(&raw mut self.0, &raw mut schema) } != 0 {
            return Err(self.failed());
        }
        for (index, child) in schema.children().enumerate() {
            if let Err(error) = Field::try_from(child) {
                let shown = |text: &str| one_line(&shortened(text, 120));
                let (name, format) =
                    (shown(child.name().unwrap_or_default()), shown(child.format()));
                let place = format!("column `{name}` (index {index}, format `{format}`)");
                return Err(Error::input(error.to_string())
                    .at(place)
                    .at("stream")
                    .hint("cast the column to a type of Arrow, for example to text"));
            }
        }
        Field::try_from(&schema).map_err(|error| Error::input(error.to_string()).at("stream"))
    }

    /// Reads the next array of structs with these fields; `None` at the end.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Input`] - the stream reports an error or lacks a function, or the array breaks the rules of the interface.
    fn next(&mut self, fields: &Fields) -> Result<Option<ArrayRef>> {
        let Some(get_next) = self.0.get_next() else {
            return Err(
                Error::input("expected a function `get_next`, got a null pointer").at("stream")
            );
        };
        let mut array = FFI_ArrowArray::empty();
        // SAFETY: the stream is valid, and the place for the array is a local variable.
        if unsafe { get_next(&raw mut self.0, &raw mut array) } != 0 {
            return Err(self.failed());
        }
        if array.is_released() {
            return Ok(None);
        }
        // SAFETY: the array is valid by the rules of the interface, except for buffers of nulls.
        let data = unsafe {
            forget_buffers_of_nulls((&raw mut array).cast(), fields);
            from_ffi_and_data_type(array, DataType::Struct(fields.clone()))
        };
        let data = data.map_err(|error| Error::input(error.to_string()).at("stream"))?;
        Ok(Some(make_array(data)))
    }

    /// Returns the error that the last function of the stream reported.
    fn failed(&mut self) -> Error {
        let message = self.0.get_last_error().and_then(|get_last_error| {
            // SAFETY: the stream is valid; the text lives until the next call of one of its functions.
            unsafe {
                let text = get_last_error(&raw mut self.0);
                (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().into_owned())
            }
        });
        let message = message.unwrap_or_else(|| "the stream fails without a message".to_owned());
        Error::input(shortened(&message, 10_000)).at("stream")
    }
}

/// The beginning of `ArrowArray` of Arrow's C data interface.
#[repr(C)]
struct ArrayHead {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *mut *const c_void,
    children: *mut *mut ArrayHead,
}

/// Forgets the buffers of columns of nulls, which have none by the rules. Polars gives them one, and `arrow-array` then
/// refuses the whole table.
///
/// # Safety
///
/// `array` is a valid array of structs with these fields.
unsafe fn forget_buffers_of_nulls(array: *mut ArrayHead, fields: &Fields) {
    // SAFETY: the caller promises it. The producer frees by its private data, not by these numbers.
    unsafe {
        if (*array).n_children != fields.len() as i64 {
            return;
        }
        for (index, _) in
            fields.iter().enumerate().filter(|(_, it)| *it.data_type() == DataType::Null)
        {
            (**(*array).children.add(index)).n_buffers = 0;
        }
    }
}

/// Returns an array of structs as a batch. A batch has no place for nulls that are whole rows.
fn batch_of(array: ArrayRef, schema: &SchemaRef) -> Result<RecordBatch> {
    let rows = array.len();
    if array.null_count() > 0 {
        let nulls = array.null_count();
        let message =
            format!("expected rows of values, got {nulls} of {rows} rows that are null as a whole");
        return Err(Error::input(message)
            .at("stream")
            .hint("drop these rows, or make their fields null"));
    }
    let columns = array.as_struct().columns().to_vec();
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(schema.clone(), columns, &options)
        .map_err(|error| Error::input(error.to_string()).at("stream"))
}

/// Returns the bytes of an array that was checked. Batches are often parts of one table, and each of them has its buffers:
/// only the part counts.
fn part_bytes(array: &ArrayRef) -> u64 {
    let texts = array.as_string_view_opt().map_or(0, |it| it.total_buffer_bytes_used());
    let binaries = array.as_binary_view_opt().map_or(0, |it| it.total_buffer_bytes_used());
    let rest = array.to_data().get_slice_memory_size();
    rest.map_or_else(|_| array.get_buffer_memory_size(), |rest| rest + texts + binaries) as u64
}

/// The place of a caller for a stream.
pub(crate) struct StreamOut(*mut FFI_ArrowArrayStream);

impl StreamOut {
    /// Wraps the parameter, and marks the structure as released, so that nobody releases what was there before.
    ///
    /// # Safety
    ///
    /// `stream` is null, or writable until the value ends, and holds no stream.
    pub(crate) unsafe fn new(stream: *mut FFI_ArrowArrayStream) -> StreamOut {
        if !stream.is_null() {
            let place = stream.cast::<MaybeUninit<FFI_ArrowArrayStream>>();
            // SAFETY: the caller of this function promises it. What is there is not dropped.
            unsafe { place.write(MaybeUninit::new(FFI_ArrowArrayStream::empty())) };
        }
        StreamOut(stream)
    }

    /// Checks that there is a place.
    ///
    /// # Errors
    ///
    /// [`mitt_code::MITT_NULL_POINTER`] - there is none.
    pub(crate) fn check(&self) -> Result<(), Problem> {
        if self.0.is_null() {
            let message = "expected a place for the stream, got a null pointer";
            return Err(Problem::of_parameter(mitt_code::MITT_NULL_POINTER, "stream", message));
        }
        Ok(())
    }

    /// Writes a stream of one batch.
    pub(crate) fn set(&self, batch: RecordBatch) {
        let schema = batch.schema();
        let reader = RecordBatchIterator::new([Ok(batch)], schema);
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        if !self.0.is_null() {
            let place = self.0.cast::<MaybeUninit<FFI_ArrowArrayStream>>();
            // SAFETY: `new` was promised that it can be written to. A released structure, as `new` left it, has nothing to
            // drop.
            unsafe { place.write(MaybeUninit::new(stream)) };
        }
    }
}

/// Returns a table as one batch.
///
/// # Errors
///
/// [`ErrorKind::Limit`] - a column has more distinct texts than Arrow's dictionaries hold.
pub fn batch(table: &Table) -> Result<RecordBatch> {
    table.to_arrow().map_err(|error| Error::new(ErrorKind::Host, error.to_string()).at("table"))
}
