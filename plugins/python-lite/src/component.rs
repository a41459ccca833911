//! The component: one interpreter per instance, made when its module was pre-initialised.

use crate::Engine;
use crate::context::Host;
use crate::contract::exports::mitt::host::script::{Guest, Request, Uncaught, Value};
use crate::contract::mitt::host::{documents, script_host, tools, types, workspace};
use std::cell::RefCell;

thread_local! {
    static ENGINE: RefCell<Option<Engine>> = const { RefCell::new(None) };
}

/// Compile the prelude. Called while the component is built; what memory then holds is what every instance begins with.
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

/// The host of the component.
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

    fn tools(&self) -> Vec<tools::Tool> {
        tools::list()
    }

    fn documents(&self) -> Vec<documents::DocumentInfo> {
        documents::list()
    }

    fn text(&self, name: &str, characters: u64) -> Result<String, types::Error> {
        documents::text(name, 0, characters).map(|range| range.text)
    }

    fn tables(&self, name: &str) -> Result<Vec<types::NamedTable>, types::Error> {
        documents::tables(name)
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
