//! Tables by Arrow's PyCapsule interface.
// SAFETY: the only use is a pointer out of a capsule whose name says what it points to.
#![allow(unsafe_code, reason = "a capsule of another package holds a pointer")]

use arrow_array::ffi::FFI_ArrowSchema;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchIterator};
use mitt_c::binding::TakenStream;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::problem::raised;

/// A table of a session, as Arrow's columns.
#[pyclass(frozen, module = "mitt._mitt")]
pub(crate) struct Table(pub(crate) RecordBatch);

#[pymethods]
impl Table {
    /// Number of rows.
    #[getter]
    fn rows(&self) -> usize {
        self.0.num_rows()
    }

    /// Names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.0.schema().fields().iter().map(|field| field.name().clone()).collect()
    }

    /// Differences between these columns and those of the session, as warnings.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        mitt::arrow::export_warnings(self.0.schema_ref())
    }

    /// Returns the columns as a stream of one batch. They are shared, and not copied.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // A producer may ignore it; there are no kernels here to cast columns with.
        drop(requested_schema);
        let reader = RecordBatchIterator::new([Ok(self.0.clone())], self.0.schema());
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }

    /// Returns the types of the columns.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(&*self.0.schema())
            .map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }
}

/// Takes the stream out of a capsule, which holds a released one then.
///
/// # Errors
///
/// Returns an error if the capsule holds no stream, or the stream was taken already.
pub(crate) fn taken(capsule: &Bound<'_, PyCapsule>) -> PyResult<TakenStream> {
    let pointer = capsule.pointer_checked(Some(c"arrow_array_stream"))?;
    let pointer = pointer.as_ptr().cast::<FFI_ArrowArrayStream>();
    // SAFETY: a capsule of this name points to a stream that is valid or released, by Arrow's PyCapsule interface. It lives
    // while the capsule is borrowed, and the thread is attached to the interpreter, so that nobody else takes it at once.
    let stream = unsafe { TakenStream::take(pointer) };
    stream.map_err(|problem| raised(capsule.py(), &problem))
}
