//! Functions of Python that Mitt calls: tools, models, and what receives events.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use mitt::{Error, ErrorKind, Event, EventSink, Result};
use mitt_c::binding::{Answer, bounded, event_text, in_event, reported};
use pyo3::prelude::*;

/// Switch for the events of a session. No event is written as JSON while nothing listens.
#[pyclass(frozen, module = "mitt._mitt")]
#[derive(Default)]
pub(crate) struct Switch(Arc<AtomicBool>);

#[pymethods]
impl Switch {
    #[new]
    fn new() -> Switch {
        Switch::default()
    }

    /// Turns events on or off.
    fn set(&self, is_on: bool) {
        self.0.store(is_on, Ordering::Relaxed);
    }
}

/// Returns a function that calls `function` with the JSON of each event while the switch is on.
pub(crate) fn events(switch: &Switch, function: Py<PyAny>) -> EventSink {
    let is_on = switch.0.clone();
    Arc::new(move |event: &Event| {
        if !is_on.load(Ordering::Relaxed) {
            return;
        }
        let text = event_text(event);
        in_event(|| {
            // An interpreter that ends gets no events.
            Python::try_attach(|py| {
                if let Err(error) = function.call1(py, (text,)) {
                    error.write_unraisable(py, Some(function.bind(py)));
                }
            });
        });
    })
}

/// State of an answer.
enum StopState {
    Waiting(Option<Py<PyAny>>),
    Answered,
    Stopped,
}

/// Reports that an answer is not needed any more, because its call was cancelled or reached its deadline.
#[pyclass(frozen, module = "mitt._mitt")]
#[derive(Clone)]
pub(crate) struct Stop(Arc<Mutex<StopState>>);

impl Stop {
    fn replace(&self, state: StopState) -> StopState {
        std::mem::replace(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner), state)
    }
}

#[pymethods]
impl Stop {
    /// Calls `function` when the answer is not needed any more: now, if that is so already.
    fn on_stop(&self, py: Python<'_>, function: Py<PyAny>) -> PyResult<()> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match *state {
            StopState::Waiting(_) => *state = StopState::Waiting(Some(function)),
            StopState::Answered => {}
            StopState::Stopped => {
                drop(state);
                function.call0(py)?;
            }
        }
        Ok(())
    }
}

/// Stops the function that answers, unless it has answered.
struct StopAtEnd(Stop);

impl Drop for StopAtEnd {
    fn drop(&mut self) {
        let mut state = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let StopState::Waiting(function) = &mut *state {
            let function = function.take();
            *state = StopState::Stopped;
            drop(state);
            let Some(function) = function else { return };
            Python::try_attach(|py| {
                if let Err(error) = function.call0(py) {
                    error.write_unraisable(py, Some(function.bind(py)));
                }
            });
        }
    }
}

/// A function that takes a request and a [`Stop`], and returns whether it succeeded, and its answer.
pub(crate) struct Function(Arc<Py<PyAny>>);

impl Function {
    pub(crate) fn new(function: Py<PyAny>) -> Function {
        Function(Arc::new(function))
    }
}

#[async_trait]
impl Answer for Function {
    async fn answer(&self, request: String, kind: ErrorKind) -> Result<Vec<u8>> {
        let (function, stop) =
            (self.0.clone(), Stop(Arc::new(Mutex::new(StopState::Waiting(None)))));
        let stop_at_end = StopAtEnd(stop.clone());
        let work = move || {
            Python::try_attach(|py| {
                let called = function.call1(py, (request, stop));
                called.and_then(|answer| answer.extract::<(bool, String)>(py)).map_err(|error| {
                    // The package catches what users raise. This is an error of the package, or the end of the interpreter.
                    error.write_unraisable(py, Some(function.bind(py)));
                })
            })
        };
        let answered = tokio::task::spawn_blocking(work).await;
        stop_at_end.0.replace(StopState::Answered);
        let (is_ok, text) = match answered {
            Ok(Some(Ok(answer))) => answer,
            Ok(None) => return Err(Error::new(ErrorKind::Host, "the interpreter of Python ended")),
            Ok(Some(Err(()))) | Err(_) => {
                return Err(Error::bug("a function of Python left no answer"));
            }
        };
        if !is_ok {
            return Err(reported(kind, text.as_bytes(), "the function gave no message"));
        }
        bounded(text.into_bytes())
    }
}
