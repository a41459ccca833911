//! Work that was asked for: it runs on threads of Mitt while the caller waits without the interpreter lock, or it ends
//! in a call of a function.

use std::pin::Pin;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use mitt_c::binding::{CancelObject, HostObject, Made, Problem, caught};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyTuple};

use crate::problem::raised;

/// Interval in which a waiting thread looks for signals, such as that of Ctrl-C.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(50);

/// A flag that ends work.
#[pyclass(frozen, module = "mitt._mitt")]
#[derive(Default)]
pub(crate) struct Cancel {
    own: Arc<CancelObject>,
    others: Mutex<Others>,
}

/// State of a flag.
#[derive(Default)]
struct Others {
    /// `true` once the flag is set.
    is_set: bool,
    functions: Vec<Py<PyAny>>,
}

#[pymethods]
impl Cancel {
    #[new]
    fn new() -> Cancel {
        Cancel::default()
    }

    /// Ends the work to which the flag was given, and work to which it will be given. May be called from any thread.
    fn set(&self, py: Python<'_>) -> PyResult<()> {
        // Tasks that are woken may wait for the interpreter.
        let functions = py.detach(|| {
            let mut others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
            others.is_set = true;
            let functions = std::mem::take(&mut others.functions);
            drop(others);
            self.own.set();
            functions
        });
        functions.iter().try_for_each(|function| function.call0(py).map(drop))
    }

    /// Returns `true` if the flag is set.
    fn is_set(&self) -> bool {
        self.others.lock().unwrap_or_else(PoisonError::into_inner).is_set
    }

    /// Calls `function` when the flag is set: now, if it is set already.
    fn on_set(&self, py: Python<'_>, function: Py<PyAny>) -> PyResult<()> {
        let mut others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        if others.is_set {
            drop(others);
            return function.call0(py).map(drop);
        }
        others.functions.push(function);
        Ok(())
    }

    /// Removes a function that was given to `on_set`.
    fn forget(&self, function: &Bound<'_, PyAny>) {
        let mut others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        let removed: Vec<_> = others.functions.extract_if(.., |other| other.is(function)).collect();
        // Dropping a function may run code of Python, which may use the flag.
        drop(others);
        drop(removed);
    }
}

/// The value that work returns.
pub(crate) enum Output {
    Text(String),
    File(Made),
}

impl Output {
    fn into_python(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        Ok(match self {
            Output::Text(text) => PyString::new(py, &text).into_any(),
            Output::File(made) => {
                let bytes = PyBytes::new(py, &made.bytes).into_any();
                let report = PyString::new(py, &made.report.to_string()).into_any();
                PyTuple::new(py, [bytes, report])?.into_any()
            }
        })
    }
}

/// The result of work on its way to Python.
type Ended = Result<Output, Problem>;

/// Work as a future on the threads of a host.
type Running = Pin<Box<dyn Future<Output = mitt::Result<Output>> + Send>>;

enum Kind {
    OnHost(Arc<HostObject>, Running),
    OnThread(Box<dyn FnOnce(&CancelObject) -> Ended + Send>),
}

/// Work that can be done once.
#[pyclass(frozen, module = "mitt._mitt")]
pub(crate) struct Work(Mutex<Option<Kind>>);

impl Work {
    /// Returns work of a host.
    pub(crate) fn on_host(
        host: Arc<HostObject>,
        work: impl Future<Output = mitt::Result<Output>> + Send + 'static,
    ) -> Work {
        Work(Mutex::new(Some(Kind::OnHost(host, Box::pin(work)))))
    }

    /// Returns work that blocks a thread.
    fn on_thread(work: impl FnOnce(&CancelObject) -> Ended + Send + 'static) -> Work {
        Work(Mutex::new(Some(Kind::OnThread(Box::new(work)))))
    }

    fn take(&self) -> PyResult<Kind> {
        let kind = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        kind.ok_or_else(|| PyRuntimeError::new_err("the work was done already"))
    }
}

impl Kind {
    /// Starts the work. `done` is called on a thread of Mitt.
    fn start(
        self,
        cancel: Arc<CancelObject>,
        done: impl FnOnce(Ended) + Send + 'static,
    ) -> Result<(), Problem> {
        match self {
            Kind::OnHost(host, work) => {
                // The threads of the host go on until the work has ended, also when session and host are closed.
                let kept = host.clone();
                host.start(Some(cancel), work, move |ended| {
                    done(ended);
                    drop(kept);
                })
            }
            Kind::OnThread(work) => {
                let thread = std::thread::Builder::new().name("mitt-file".to_owned());
                let started = thread.spawn(move || done(caught(|| work(&cancel))));
                let failed = |error| {
                    let message = "a thread cannot be started";
                    let error = mitt::Error::new(mitt::ErrorKind::Host, message).caused_by(error);
                    Problem::from(error)
                };
                started.map(drop).map_err(failed)
            }
        }
    }
}

#[pymethods]
impl Work {
    /// Does the work and returns its result. An exception of a signal handler ends it.
    fn run<'py>(
        &self,
        py: Python<'py>,
        cancel: &Bound<'py, Cancel>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (kind, cancel) = (self.take()?, cancel.get().own.clone());
        let ended = py.detach(move || {
            let (sender, receiver) = mpsc::sync_channel(1);
            // The caller waits for it.
            kind.start(cancel.clone(), move |ended| drop(sender.send(ended)))
                .map_err(Failed::Work)?;
            loop {
                match receiver.recv_timeout(SIGNAL_INTERVAL) {
                    Ok(ended) => return ended.map_err(Failed::Work),
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => {
                        let error = mitt::Error::new(
                            mitt::ErrorKind::Host,
                            "the threads of the host ended",
                        );
                        return Err(Failed::Work(error.into()));
                    }
                }
                if let Err(signal) = Python::attach(|py| py.check_signals()) {
                    cancel.set();
                    // Nothing of the work is left when the exception goes on.
                    let _ = receiver.recv();
                    return Err(Failed::Signal(signal));
                }
            }
        });
        match ended {
            Ok(output) => output.into_python(py),
            Err(Failed::Work(problem)) => Err(raised(py, &problem)),
            Err(Failed::Signal(signal)) => Err(signal),
        }
    }

    /// Starts the work. `done` is called with the result or none, and an exception or none, on a thread of Mitt.
    fn start(&self, py: Python<'_>, cancel: &Bound<'_, Cancel>, done: Py<PyAny>) -> PyResult<()> {
        let (kind, cancel) = (self.take()?, cancel.get().own.clone());
        let finish = move |ended: Ended| {
            // An interpreter that ends waits for nothing.
            Python::try_attach(move |py| {
                let result = ended.map_err(|problem| raised(py, &problem));
                let called = match result.and_then(|output| output.into_python(py)) {
                    Ok(output) => done.call1(py, (output, py.None())),
                    Err(error) => done.call1(py, (py.None(), error)),
                };
                if let Err(error) = called {
                    error.write_unraisable(py, Some(done.bind(py)));
                }
            });
        };
        py.detach(move || kind.start(cancel, finish)).map_err(|problem| raised(py, &problem))
    }
}

enum Failed {
    Work(Problem),
    Signal(PyErr),
}

/// Makes a file from Markdown: see `mitt_render`.
#[pyfunction]
pub(crate) fn render(format: String, markdown: String, options: String) -> Work {
    Work::on_thread(move |cancel| {
        mitt_c::binding::render(&format, &markdown, &options, Some(cancel)).map(Output::File)
    })
}

/// Fills a template: see `mitt_fill`.
#[pyfunction]
pub(crate) fn fill(template: Vec<u8>, values: String, options: String) -> Work {
    Work::on_thread(move |cancel| {
        mitt_c::binding::fill(&template, &values, &options, Some(cancel)).map(Output::File)
    })
}
