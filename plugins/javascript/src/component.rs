//! The component: one interpreter per instance, made when its module was pre-initialised.

use crate::Engine;
use crate::contract::exports::mitt::host::script::{Guest, Request, Uncaught, Value};
use crate::contract::mitt::host::{
    catalog, documents, script_host, tool_batches, tools, workspace,
};
use crate::contract::{tables, types};
use crate::host::{Host, HostTable};
use mitt_guest::tables::{Build, Chunk, Source};
use std::cell::RefCell;
use std::rc::Rc;

thread_local! {
    static ENGINE: RefCell<Option<Engine>> = const { RefCell::new(None) };
}

/// Compiles the prelude. Called while the component is built; every instance begins with the memory after this call.
#[unsafe(export_name = "wizer.initialize")]
extern "C" fn initialize() {
    ENGINE.set(Some(Engine::new()));
}

fn with_engine<T>(use_it: impl FnOnce(&mut Engine) -> T) -> T {
    mitt_guest::report_panics();
    ENGINE.with_borrow_mut(|engine| use_it(engine.get_or_insert_with(Engine::new)))
}

struct Component;

impl Guest for Component {
    fn run(request: Request) -> Result<Value, Uncaught> {
        with_engine(|engine| engine.run(Box::new(Imports), &request))
    }

    fn dump() -> Result<Vec<u8>, types::Error> {
        with_engine(|engine| engine.dump())
    }

    fn load(state: Vec<u8>) -> Result<(), types::Error> {
        with_engine(|engine| engine.load(&state))
    }
}

crate::contract::export!(Component with_types_in crate::contract);

/// The host in a component.
struct Imports;

impl Host for Imports {
    fn write(&self, stream: script_host::Stream, text: &str) {
        script_host::write(stream, text);
    }

    fn at(&self, line: u32) {
        script_host::at(line);
    }

    fn arguments(&self) -> Vec<String> {
        script_host::arguments()
    }

    fn modules(&self) -> Vec<String> {
        script_host::modules()
    }

    fn load_module(&self, name: &str) -> Option<script_host::Module> {
        script_host::load_module(name)
    }

    fn call(&self, tool: &str, arguments: &str) -> Result<String, tools::Failure> {
        tools::call(tool, arguments)
    }

    fn call_all(&self, calls: &[tool_batches::ToolCall]) -> Vec<Result<String, tools::Failure>> {
        tool_batches::call_all(calls)
    }

    fn tools(&self) -> Vec<tools::Tool> {
        tools::list()
    }

    fn documents(&self) -> Vec<documents::DocumentInfo> {
        documents::list()
    }

    fn text(&self, name: &str, characters: u64) -> Result<String, types::Error> {
        documents::text(name, 0, characters).map(|range| range.text)
    }

    fn catalog(&self) -> Vec<catalog::Entry> {
        catalog::list()
    }

    fn open(&self, reference: &str) -> Result<Rc<dyn HostTable>, types::Error> {
        catalog::open(reference).map(Handle::shared)
    }

    fn build(
        &self,
        columns: &[String],
        parts: Vec<Vec<Chunk>>,
    ) -> Result<Rc<dyn HostTable>, types::Error> {
        let builder = <tables::Builder as Build>::new(columns);
        for chunks in parts {
            Build::append(&builder, chunks)?;
        }
        Build::finish(builder).map(Handle::shared)
    }

    fn files(&self) -> Vec<(String, u64)> {
        workspace::list().into_iter().map(|file| (file.name, file.size)).collect()
    }

    fn read(&self, name: &str) -> Result<Vec<u8>, types::Error> {
        workspace::read(name)
    }

    fn write_file(&self, name: &str, content: &[u8]) -> Result<(), types::Error> {
        workspace::write(name, content)
    }

    fn remove(&self, name: &str) -> Result<(), types::Error> {
        workspace::remove(name)
    }
}

/// A table of the host, by its handle.
struct Handle(tables::Table);

impl Handle {
    fn shared(table: tables::Table) -> Rc<dyn HostTable> {
        Rc::new(Handle(table))
    }
}

impl HostTable for Handle {
    fn columns(&self) -> Vec<String> {
        self.0.columns().into_iter().map(|column| column.name).collect()
    }

    fn rows(&self) -> u64 {
        self.0.rows()
    }

    fn slice(&self, column: u32, start: u64, length: u64) -> Result<Chunk, types::Error> {
        Source::slice(&self.0, column, start, length)
    }

    fn select(&self, columns: &[(u32, String)]) -> Result<Rc<dyn HostTable>, types::Error> {
        self.0.select(columns).map(Handle::shared)
    }

    fn range(&self, start: u64, length: u64) -> Rc<dyn HostTable> {
        Handle::shared(self.0.range(start, length))
    }

    fn keep(&self) -> String {
        catalog::keep(&self.0)
    }
}
