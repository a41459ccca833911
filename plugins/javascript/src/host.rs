//! What the engine needs of its host: the interfaces of the contract, and tables that stay in the host.

use crate::contract::mitt::host::{catalog, documents, script_host, tool_batches, tools};
use crate::contract::types::{self, Error};
use mitt_guest::tables::Chunk;
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
    /// Calls several tools. Returns the results of the first ones, in order: at least of one.
    fn call_all(&self, calls: &[tool_batches::ToolCall]) -> Vec<Result<String, tools::Failure>>;
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

/// A table of the host.
pub trait HostTable {
    /// Returns the names of the columns.
    fn columns(&self) -> Vec<String>;
    /// Returns the number of rows.
    fn rows(&self) -> u64;
    /// Returns cells of a column.
    ///
    /// # Errors
    /// The column does not exist.
    fn slice(&self, column: u32, start: u64, length: u64) -> Result<Chunk, Error>;
    /// Returns some columns under other names.
    ///
    /// # Errors
    /// A column does not exist, or a name is empty or repeated.
    fn select(&self, columns: &[(u32, String)]) -> Result<Rc<dyn HostTable>, Error>;
    /// Returns some rows.
    fn range(&self, start: u64, length: u64) -> Rc<dyn HostTable>;
    /// Keeps the table among the session's results, and returns the reference.
    fn keep(&self) -> String;
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
