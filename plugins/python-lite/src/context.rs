//! What surrounds the script that is running: its host, and what may be asked only once.

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
    /// Write output.
    fn write(&self, stream: script_host::Stream, text: &str);
    /// Tell the line of the script that is running.
    fn at(&self, line: u32);
    /// What stands in `sys.argv` behind the name of the script.
    fn arguments(&self) -> Vec<String>;
    /// Names of the modules that are skills.
    fn modules(&self) -> Vec<String>;
    /// What such a module has.
    fn load_module(&self, name: &str) -> Option<script_host::Module>;
    /// Call a tool.
    fn call(&self, tool: &str, arguments: &str) -> Result<String, tools::Failure>;
    /// The tools of the session.
    fn tools(&self) -> Vec<tools::Tool>;
    /// The documents of the session.
    fn documents(&self) -> Vec<documents::DocumentInfo>;
    /// The whole text of a document.
    fn text(&self, name: &str, characters: u64) -> Result<String, types::Error>;
    /// All tables of the session.
    fn catalog(&self) -> Vec<catalog::Entry>;
    /// The table of a reference.
    fn open(&self, reference: &str) -> Result<Rc<dyn HostTable>, types::Error>;
    /// Make a table of parts, each with one chunk for a column.
    fn build(
        &self,
        columns: &[String],
        parts: Vec<Vec<Chunk>>,
    ) -> Result<Rc<dyn HostTable>, types::Error>;
    /// Names and sizes of the workspace's files.
    fn files(&self) -> Vec<(String, u64)>;
    /// Content of a file.
    fn read(&self, name: &str) -> Result<Vec<u8>, types::Error>;
    /// Write a file.
    fn write_file(&self, name: &str, content: &[u8]) -> Result<(), types::Error>;
    /// Remove a file.
    fn remove(&self, name: &str) -> Result<(), types::Error>;
}

/// Surroundings of one run.
pub(crate) struct Context {
    pub(crate) host: Box<dyn Host>,
    pub(crate) allowed: Option<Vec<String>>,
    /// Functions of the modules that were imported, by tool.
    pub(crate) functions: RefCell<HashMap<String, Rc<Function>>>,
    pub(crate) files: RefCell<Files>,
    pub(crate) output: RefCell<Pending>,
    pub(crate) tables: Rc<Opened>,
    /// The script that runs, and the place in it that the host was told last.
    pub(crate) script: Script,
}

/// A script, for the places in it.
#[derive(Default)]
pub(crate) struct Script {
    /// What monty calls its file.
    pub(crate) file: String,
    pub(crate) code: String,
    pub(crate) told: Cell<Option<u32>>,
}

/// A tool as a function of a module.
pub(crate) struct Function {
    pub(crate) module: String,
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) parameters: Vec<tools::Parameter>,
}

/// A part of a module in Python.
pub(crate) struct Part {
    /// Its name as a module.
    pub(crate) path: String,
    /// What tracebacks call its file; none for the standard library, which they leave out.
    pub(crate) file: Option<String>,
    pub(crate) source: String,
}

/// Classes of the prelude that the host makes instances of.
#[derive(Clone, Copy, Default)]
pub(crate) struct Classes {
    pub(crate) table: Option<MontyUuid>,
}

thread_local! {
    static CURRENT: RefCell<Option<Rc<Context>>> = const { RefCell::new(None) };
    /// What the script itself may import is bounded, what the prelude imports for it is not.
    pub(crate) static IN_LIBRARY: Cell<bool> = const { Cell::new(true) };
    pub(crate) static CLASSES: Cell<Classes> = const { Cell::new(Classes { table: None }) };
    /// What was run in Python beside scripts.
    pub(crate) static PARTS: RefCell<Vec<Part>> = const { RefCell::new(Vec::new()) };
    /// Path of the part that runs, or that an exception left.
    pub(crate) static BEGUN: RefCell<String> = const { RefCell::new(String::new()) };
    /// Number of the run, counted from 1; what was asked of the host in an earlier one is asked again.
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

    /// Tell the host the line at `offset` of the text of `file`, if that is the script.
    pub(crate) fn at(&self, file: &str, offset: u32) -> bool {
        if file != self.script.file {
            return false;
        }
        if self.script.told.replace(Some(offset)) != Some(offset) {
            let before = usize::try_from(offset).unwrap_or(usize::MAX).min(self.script.code.len());
            let ends =
                self.script.code.as_bytes()[..before].iter().filter(|byte| **byte == b'\n').count();
            self.host.at(u32::try_from(ends + 1).unwrap_or(u32::MAX));
        }
        true
    }

    /// Make it the current one until `run` is over.
    pub(crate) fn enter<T>(self: &Rc<Self>, run: impl FnOnce() -> T) -> T {
        CURRENT.set(Some(Rc::clone(self)));
        IN_LIBRARY.set(false);
        RUN.set(RUN.get() + 1);
        let result = run();
        IN_LIBRARY.set(true);
        CURRENT.set(None);
        result
    }

    /// The context of the running script; none while the prelude is compiled.
    pub(crate) fn current() -> Option<Rc<Self>> {
        CURRENT.with_borrow(Clone::clone)
    }

    /// Whether the script itself may import a top-level module.
    pub(crate) fn allows(&self, name: &str) -> bool {
        self.allowed.as_ref().is_none_or(|allowed| allowed.iter().any(|module| module == name))
    }
}
