//! Tables in and out by Arrow's C stream interface.

use std::mem::MaybeUninit;

use arrow_array::cast::AsArray as _;
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::{Array as _, ArrayRef, RecordBatch, RecordBatchIterator, RecordBatchReader as _};
use mitt::{Error, ErrorKind, Resource, Result, Table};

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
    /// [`ErrorKind::Input`] - the stream reports an error, or an array breaks the rules of its type. [`ErrorKind::Limit`]
    /// - there are more bytes.
    pub fn batches(self, most_bytes: u64) -> Result<Vec<RecordBatch>> {
        let wrong = |error: &dyn std::fmt::Display| Error::input(error.to_string()).at("stream");
        let mut reader = RecordBatchStreamReader::try_new(self.0).map_err(|error| wrong(&error))?;
        let (mut batches, mut bytes) = (Vec::new(), 0_u64);
        for batch in reader.by_ref() {
            let batch = batch.map_err(|error| wrong(&error))?;
            for (field, column) in batch.schema().fields().iter().zip(batch.columns()) {
                let checked = column.to_data().validate_full();
                checked.map_err(|error| {
                    let place = format!("column `{}`", field.name());
                    Error::input(error.to_string()).at(place).at("stream")
                })?;
                bytes = bytes.saturating_add(part_bytes(column));
                if bytes > most_bytes {
                    return Err(Error::limit(Resource::Documents, most_bytes, bytes).at("stream"));
                }
            }
            batches.push(batch);
        }
        if batches.is_empty() {
            batches.push(RecordBatch::new_empty(reader.schema()));
        }
        Ok(batches)
    }
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
        match self.0.is_null() {
            false => Ok(()),
            true => {
                let message = "expected a place for the stream, got a null pointer";
                Err(Problem::of_parameter(mitt_code::MITT_NULL_POINTER, "stream", message))
            }
        }
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
