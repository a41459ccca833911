//! Errors of Mitt as exceptions.

use mitt_c::binding::Problem;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// The function of Python that makes an exception out of the JSON of an error.
static FACTORY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

/// Sets the function that makes an exception out of the JSON text of an error. The first one stays.
#[pyfunction]
pub(crate) fn set_error_factory(py: Python<'_>, factory: Py<PyAny>) {
    // A second import of the package has the same one.
    let _ = FACTORY.set(py, factory);
}

/// Returns the exception of an error.
pub(crate) fn raised(py: Python<'_>, problem: &Problem) -> PyErr {
    let text = problem.json().to_string();
    let Some(factory) = FACTORY.get(py) else { return PyRuntimeError::new_err(text) };
    match factory.call1(py, (text,)) {
        Ok(exception) => PyErr::from_value(exception.into_bound(py)),
        Err(error) => error,
    }
}
