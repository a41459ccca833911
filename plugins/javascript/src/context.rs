//! The state around a running script: its host, its output, its tables.

use crate::contract::mitt::host::{catalog, documents, script_host, tools};
use crate::contract::types;
use crate::engine::Rejection;
use crate::natives::Hooks;
use crate::output::Pending;
use crate::tables::{HostTable, Opened};
use mitt_guest::tables::Chunk;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The host interfaces of the contract.
pub trait Host {
    /// Writes output.
    fn write(&self, stream: script_host::Stream, text: &str);
    /// Reports the line of the script that is running.
    fn at(&self, line: u32);
    /// Returns the arguments of the script.
    fn arguments(&self) -> Vec<String>;
    /// Returns the names of the modules that are skills.
    fn modules(&self) -> Vec<String>;
    /// Returns the content of such a module.
    fn load_module(&self, name: &str) -> Option<script_host::Module>;
    /// Calls a tool.
    fn call(&self, tool: &str, arguments: &str) -> Result<String, tools::Failure>;
    /// Returns the tools of the session.
    fn tools(&self) -> Vec<tools::Tool>;
    /// Returns the documents of the session.
    fn documents(&self) -> Vec<documents::DocumentInfo>;
    /// Returns the whole text of a document.
    fn text(&self, name: &str, characters: u64) -> Result<String, types::Error>;
    /// Returns all tables of the session.
    fn catalog(&self) -> Vec<catalog::Entry>;
    /// Opens the table of a reference.
    fn open(&self, reference: &str) -> Result<Rc<dyn HostTable>, types::Error>;
    /// Makes a table from parts, each with one chunk per column.
    fn build(
        &self,
        columns: &[String],
        parts: Vec<Vec<Chunk>>,
    ) -> Result<Rc<dyn HostTable>, types::Error>;
    /// Returns names and sizes of the files in the workspace.
    fn files(&self) -> Vec<(String, u64)>;
    /// Returns the content of a file.
    fn read(&self, name: &str) -> Result<Vec<u8>, types::Error>;
    /// Writes a file.
    fn write_file(&self, name: &str, content: &[u8]) -> Result<(), types::Error>;
    /// Removes a file.
    fn remove(&self, name: &str) -> Result<(), types::Error>;
}

/// The state of one run.
pub(crate) struct Context {
    pub(crate) host: Box<dyn Host>,
    pub(crate) allowed: Option<Vec<String>>,
    pub(crate) output: RefCell<Pending>,
    pub(crate) tables: Rc<Opened>,
    pub(crate) hooks: Hooks,
    /// Rejected promises that nothing has handled yet.
    pub(crate) rejections: RefCell<Vec<Rejection>>,
    /// The line that the host knows.
    line: Cell<u32>,
}

thread_local! {
    static CURRENT: RefCell<Option<Rc<Context>>> = const { RefCell::new(None) };
}

impl Context {
    pub(crate) fn new(
        host: Box<dyn Host>,
        allowed: Option<Vec<String>>,
        tables: Rc<Opened>,
        hooks: Hooks,
    ) -> Self {
        Self {
            host,
            allowed,
            output: RefCell::default(),
            tables,
            hooks,
            rejections: RefCell::default(),
            line: Cell::new(0),
        }
    }

    /// Reports a line of the script to the host.
    pub(crate) fn at(&self, line: u32) {
        if line > 0 && self.line.replace(line) != line {
            self.host.at(line);
        }
    }

    /// Makes this the current context during `run`.
    pub(crate) fn enter<T>(self: &Rc<Self>, run: impl FnOnce() -> T) -> T {
        CURRENT.set(Some(Rc::clone(self)));
        let result = run();
        CURRENT.set(None);
        result
    }

    /// Returns the context of the running script; `None` while the prelude is compiled.
    pub(crate) fn current() -> Option<Rc<Self>> {
        CURRENT.with_borrow(Clone::clone)
    }

    /// Returns `true` if the script may import a module.
    pub(crate) fn allows(&self, name: &str) -> bool {
        self.allowed.as_ref().is_none_or(|allowed| allowed.iter().any(|module| module == name))
    }
}

/// Returns the text of an error of the host.
pub(crate) fn describe(error: &types::Error) -> String {
    match error {
        types::Error::InvalidArgument(text)
        | types::Error::NotFound(text)
        | types::Error::AlreadyExists(text)
        | types::Error::Unsupported(text)
        | types::Error::Malformed(text)
        | types::Error::Quota(text)
        | types::Error::Other(text) => text.clone(),
    }
}
