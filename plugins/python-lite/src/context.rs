//! The state around a running script: its host, and data of the host that is fetched once.

use crate::contract::mitt::host::{catalog, documents, script_host, tools};
use crate::contract::types;
use crate::files::Files;
use crate::output::Pending;
use crate::tables::{HostTable, Opened};
use mitt_guest::tables::Chunk;
use monty_types::MontyUuid;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

/// The host interfaces of the contract.
pub trait Host {
    /// Writes output.
    fn write(&self, stream: script_host::Stream, text: &str);
    /// Reports the line of the script that is running.
    fn at(&self, line: u32);
    /// Returns `sys.argv` after the name of the script.
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
    /// The functions of imported modules, by tool.
    pub(crate) functions: RefCell<HashMap<String, Rc<Function>>>,
    pub(crate) files: RefCell<Files>,
    pub(crate) output: RefCell<Pending>,
    pub(crate) tables: Rc<Opened>,
    /// The running script, and the line that the host knows.
    pub(crate) script: Script,
}

/// The source of a script, to convert offsets to lines.
#[derive(Default)]
pub(crate) struct Script {
    /// The file name that monty uses.
    pub(crate) file: String,
    pub(crate) code: String,
    pub(crate) reported_offset: Cell<Option<u32>>,
}

/// A tool as a function of a module.
pub(crate) struct Function {
    pub(crate) module: String,
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) parameters: Vec<tools::Parameter>,
}

/// A Python source of a module.
pub(crate) struct Part {
    /// The name of the part as a module.
    pub(crate) path: String,
    /// The file name in tracebacks; `None` for the standard library, which tracebacks omit.
    pub(crate) file: Option<String>,
    pub(crate) source: String,
}

/// Classes of the prelude whose instances the host makes.
#[derive(Clone, Copy, Default)]
pub(crate) struct Classes {
    pub(crate) table: Option<MontyUuid>,
}

thread_local! {
    static CURRENT: RefCell<Option<Rc<Context>>> = const { RefCell::new(None) };
    /// `false` while the script itself runs: its imports are limited, those of the prelude are not.
    pub(crate) static IN_LIBRARY: Cell<bool> = const { Cell::new(true) };
    pub(crate) static CLASSES: Cell<Classes> = const { Cell::new(Classes { table: None }) };
    /// The Python sources that were run besides scripts.
    pub(crate) static PARTS: RefCell<Vec<Part>> = const { RefCell::new(Vec::new()) };
    /// The path of the part that is running, or that raised an exception.
    pub(crate) static BEGUN: RefCell<String> = const { RefCell::new(String::new()) };
    /// The number of the run, counted from 1. Data of the host from an earlier run is fetched again.
    pub(crate) static RUN: Cell<i64> = const { Cell::new(0) };
}

impl Context {
    pub(crate) fn new(
        host: Box<dyn Host>,
        allowed: Option<Vec<String>>,
        script: Script,
        tables: Rc<Opened>,
    ) -> Self {
        Self {
            host,
            allowed,
            functions: RefCell::default(),
            files: RefCell::default(),
            output: RefCell::default(),
            tables,
            script,
        }
    }

    /// Reports the line at `offset` of `file` to the host. Returns `false` if the file is not the script.
    pub(crate) fn at(&self, file: &str, offset: u32) -> bool {
        if file != self.script.file {
            return false;
        }
        if self.script.reported_offset.replace(Some(offset)) != Some(offset) {
            let before = usize::try_from(offset).unwrap_or(usize::MAX).min(self.script.code.len());
            let ends =
                self.script.code.as_bytes()[..before].iter().filter(|byte| **byte == b'\n').count();
            self.host.at(u32::try_from(ends + 1).unwrap_or(u32::MAX));
        }
        true
    }

    /// Makes this the current context during `run`.
    pub(crate) fn enter<T>(self: &Rc<Self>, run: impl FnOnce() -> T) -> T {
        CURRENT.set(Some(Rc::clone(self)));
        IN_LIBRARY.set(false);
        RUN.set(RUN.get() + 1);
        let result = run();
        IN_LIBRARY.set(true);
        CURRENT.set(None);
        result
    }

    /// Returns the context of the running script; `None` while the prelude is compiled.
    pub(crate) fn current() -> Option<Rc<Self>> {
        CURRENT.with_borrow(Clone::clone)
    }

    /// Returns `true` if the script may import a top-level module.
    pub(crate) fn allows(&self, name: &str) -> bool {
        self.allowed.as_ref().is_none_or(|allowed| allowed.iter().any(|module| module == name))
    }
}
