//! Hosts and sessions.
//!
//! Nothing of the library runs while a thread holds the interpreter lock, because other threads of Mitt may wait for it.

use std::sync::Arc;

use mitt_c::binding::{self, HostObject, Problem};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule};

use crate::callbacks::{Function, Switch, events};
use crate::problem::raised;
use crate::table::{self, Table};
use crate::work::{Output, Work};

/// Drops a value without the interpreter lock.
fn dropped<T: Send>(value: T) {
    Python::try_attach(|py| py.detach(move || drop(value)));
}

/// A host with its threads.
#[pyclass(frozen, module = "mitt._mitt")]
pub(crate) struct Host(Option<Arc<HostObject>>);

impl Drop for Host {
    fn drop(&mut self) {
        dropped(self.0.take());
    }
}

/// Does work of a host without the interpreter lock, and raises its error.
fn run_on<T: Send>(
    py: Python<'_>,
    host: &HostObject,
    work: impl FnOnce() -> Result<T, Problem> + Send,
) -> PyResult<T> {
    let work = || {
        host.check()?;
        work()
    };
    let done = py.detach(|| binding::caught(work));
    done.map_err(|problem| raised(py, &problem))
}

impl Host {
    fn run<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Arc<HostObject>) -> Result<T, Problem> + Send,
    ) -> PyResult<T> {
        // It is there until it is dropped.
        let Some(host) = &self.0 else { unreachable!("a host that was dropped is not used") };
        run_on(py, host, || work(host))
    }
}

#[pymethods]
impl Host {
    #[new]
    fn new(py: Python<'_>, options: &str) -> PyResult<Host> {
        let made = py.detach(|| binding::caught(|| binding::new_host(options)));
        Ok(Host(Some(Arc::new(made.map_err(|problem| raised(py, &problem))?))))
    }

    /// Adds a tool for sessions that are opened after that.
    fn add_tool(&self, py: Python<'_>, definition: &str, function: Py<PyAny>) -> PyResult<()> {
        self.run(py, |host| {
            let tool = binding::new_tool(definition, Arc::new(Function::new(function)))?;
            Ok(host.change(|host| host.with_tool(tool))?)
        })
    }

    /// Checks the options of a session, without opening one.
    fn check_session(&self, py: Python<'_>, options: &str) -> PyResult<()> {
        self.run(py, |_| binding::session_options(options, None).map(drop))
    }

    /// Opens a session with tools of its own.
    fn session(
        &self,
        py: Python<'_>,
        options: &str,
        tools: Vec<(String, Py<PyAny>)>,
        switch: &Bound<'_, Switch>,
        function: Py<PyAny>,
    ) -> PyResult<Session> {
        let events = events(switch.get(), function);
        self.run(py, |host| {
            let options = binding::session_options(options, Some(events))?;
            let mut with_tools = host.host();
            for (definition, function) in tools {
                let tool = binding::new_tool(&definition, Arc::new(Function::new(function)))?;
                with_tools = with_tools.with_tool(tool)?;
            }
            let session = with_tools.session(options)?;
            Ok(Session(Some(Opened { session, host: host.clone() })))
        })
    }
}

struct Opened {
    session: mitt::Session,
    host: Arc<HostObject>,
}

/// A session, which keeps its host.
#[pyclass(frozen, module = "mitt._mitt")]
pub(crate) struct Session(Option<Opened>);

impl Drop for Session {
    fn drop(&mut self) {
        dropped(self.0.take());
    }
}

impl Session {
    fn run<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mitt::Session, &Arc<HostObject>) -> Result<T, Problem> + Send,
    ) -> PyResult<T> {
        // It is there until it is dropped.
        let Some(opened) = &self.0 else { unreachable!("a session that was dropped is not used") };
        run_on(py, &opened.host, || work(&opened.session, &opened.host))
    }

    fn call_work<F: Future<Output = mitt::Result<mitt::CallReport>> + Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mitt::Session) -> Result<F, Problem> + Send,
    ) -> PyResult<Work> {
        self.run(py, |session, host| {
            let work = work(session)?;
            let work = async move { Ok(Output::Text(binding::call_text(&work.await?))) };
            Ok(Work::on_host(host.clone(), work))
        })
    }

    fn text_work<F: Future<Output = mitt::Result<String>> + Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mitt::Session) -> Result<F, Problem> + Send,
    ) -> PyResult<Work> {
        self.run(py, |session, host| {
            let work = work(session)?;
            Ok(Work::on_host(host.clone(), async move { Ok(Output::Text(work.await?)) }))
        })
    }
}

#[pymethods]
impl Session {
    /// Reads a file: see `mitt_session_add_document`.
    fn add(&self, py: Python<'_>, name: &str, data: Vec<u8>, options: &str) -> PyResult<Work> {
        self.text_work(py, |session| binding::add_document(session, name, data, options))
    }

    /// Returns how many bytes a document may have.
    fn document_bytes(&self, py: Python<'_>) -> PyResult<u64> {
        self.run(py, |_, host| Ok(host.host().session_limits().document_bytes))
    }

    /// Adds a table out of a capsule with an Arrow stream.
    fn add_table(
        &self,
        py: Python<'_>,
        name: String,
        stream: &Bound<'_, PyCapsule>,
    ) -> PyResult<Work> {
        let stream = table::taken(stream)?;
        self.run(py, |session, host| {
            let most_bytes = host.host().session_limits().documents_bytes;
            let work = binding::add_table(session, name, stream, most_bytes);
            Ok(Work::on_host(host.clone(), async move { Ok(Output::Text(work.await?)) }))
        })
    }

    /// Returns a table: see `mitt_session_table`.
    fn table(&self, py: Python<'_>, reference: &str) -> PyResult<Table> {
        self.run(py, |session, _| Ok(Table(binding::batch(&session.table(reference)?)?)))
    }

    /// Calls a tool: see `mitt_session_call`.
    fn call(&self, py: Python<'_>, tool: &str, arguments: &str, options: &str) -> PyResult<Work> {
        self.call_work(py, |session| binding::call(session, tool, arguments, options))
    }

    /// Runs a script: see `mitt_session_script`.
    fn script(
        &self,
        py: Python<'_>,
        language: &str,
        source: &str,
        options: &str,
    ) -> PyResult<Work> {
        self.call_work(py, |session| binding::script(session, language, source, options))
    }

    /// Continues a call: see `mitt_session_resume`.
    fn resume(&self, py: Python<'_>, id: &str, decision: &str) -> PyResult<Work> {
        self.call_work(py, |session| binding::resume(session, id, decision))
    }

    /// Returns the tools: see `mitt_session_tools`.
    fn tools(&self, py: Python<'_>) -> PyResult<Work> {
        self.text_work(py, |session| Ok(binding::tools(session)))
    }

    /// Lets a model follow an instruction: see `mitt_agent_run`.
    fn follow(
        &self,
        py: Python<'_>,
        instruction: &str,
        options: &str,
        model: Py<PyAny>,
    ) -> PyResult<Work> {
        let model = Arc::new(Function::new(model));
        self.text_work(py, |session| binding::run(session, instruction, options, model))
    }

    /// Returns what the session holds: see `mitt_session_state`.
    fn state(&self, py: Python<'_>) -> PyResult<String> {
        self.run(py, |session, _| Ok(binding::state(session)))
    }

    /// Returns the delivered files: see `mitt_session_artifacts`.
    fn artifacts(&self, py: Python<'_>) -> PyResult<String> {
        self.run(py, |session, _| Ok(binding::artifacts(session)))
    }

    /// Returns the content of a delivered file.
    fn artifact<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.run(py, |session, _| Ok(session.artifact_content(name)?))?;
        Ok(PyBytes::new(py, &bytes))
    }
}
