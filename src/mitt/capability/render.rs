//! What a plugin's host functions ask of the session that the plugin runs for.

use std::sync::Arc;

use async_trait::async_trait;

use super::script::{ScriptHost, ScriptModule, ScriptStream};
use crate::document::Document;
use mitt_base::Error;
#[cfg(feature = "pdf")]
use mitt_render::PdfOptions;
#[cfg(feature = "xlsx")]
use mitt_render::{Sheet, SheetCell, Workbook};

/// A file that the host wrote and registered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Artifact {
    /// File name without any folder.
    pub name: String,
    /// Media type.
    pub media_type: String,
    /// Size in bytes.
    pub size: u64,
    /// SHA-256 of the content, 64 lower-case hexadecimal digits.
    pub sha256: String,
}

/// What a plugin wants delivered as a file.
#[derive(Debug)]
pub(crate) enum Deliverable {
    /// An Excel workbook.
    #[cfg(feature = "xlsx")]
    Workbook(Box<Workbook>),
    /// Markdown to typeset as PDF.
    #[cfg(feature = "pdf")]
    Pdf {
        /// The text.
        markdown: String,
        /// Its frame.
        options: Box<PdfOptions>,
    },
    /// Text as it is.
    Text(String),
}

impl Deliverable {
    /// How many bytes it takes until it is rendered.
    pub(crate) fn bytes(&self) -> u64 {
        match self {
            #[cfg(feature = "xlsx")]
            Deliverable::Workbook(book) => workbook_bytes(book),
            #[cfg(feature = "pdf")]
            Deliverable::Pdf { markdown, options } => {
                let texts = text_bytes(&options.title) + text_bytes(&options.language);
                (size_of::<PdfOptions>() + texts + markdown.len()) as u64
            }
            Deliverable::Text(text) => text.len() as u64,
        }
    }
}

#[cfg(any(feature = "xlsx", feature = "pdf"))]
fn text_bytes(text: &Option<String>) -> usize {
    text.as_ref().map_or(0, String::len)
}

/// Bytes that a workbook takes. All of its parts are counted, because a short call can make a long list of any of them.
#[cfg(feature = "xlsx")]
fn workbook_bytes(book: &Workbook) -> u64 {
    let sheet = |sheet: &Sheet| {
        let columns = sheet.columns.iter().map(|column| {
            size_of_val(column) + column.header.len() + text_bytes(&column.number_format)
        });
        let charts = sheet.charts.iter().map(|chart| {
            let series = size_of_val(chart.value_columns.as_slice());
            size_of_val(chart) + text_bytes(&chart.title) + series
        });
        let rows = sheet
            .rows
            .iter()
            .map(|row| size_of_val(row) + row.cells.iter().map(cell_bytes).sum::<usize>());
        let own = size_of_val(sheet) + sheet.name.len();
        own + columns.sum::<usize>() + charts.sum::<usize>() + rows.sum::<usize>()
    };
    let own = size_of_val(book) + text_bytes(&book.title);
    (own + book.sheets.iter().map(sheet).sum::<usize>()) as u64
}

#[cfg(feature = "xlsx")]
fn cell_bytes(cell: &SheetCell) -> usize {
    let text = match cell {
        SheetCell::Empty | SheetCell::Boolean(_) => 0,
        SheetCell::Number(text) | SheetCell::Text(text) | SheetCell::Date(text) => text.len(),
        SheetCell::Formula(formula) => formula.expression.len() + formula.value.len(),
        SheetCell::Link(link) => link.url.len() + link.text.len(),
    };
    size_of_val(cell) + text
}

/// A tool, as a plugin is told of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ToolInfo {
    /// Name as a model sees it.
    pub name: String,
    /// Skill in snake case.
    pub skill: String,
    /// Function in snake case.
    pub function: String,
    /// Documentation of the function.
    pub description: String,
    /// Parameters in order.
    pub parameters: Vec<Parameter>,
}

/// A parameter of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Parameter {
    /// Name in snake case.
    pub name: String,
    /// Type in WIT notation.
    pub ty: String,
    /// Whether a call must give it.
    pub required: bool,
}

/// A call by a plugin that failed in a way it may handle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ToolFailure {
    /// No such tool.
    UnknownTool(String),
    /// The arguments do not fit.
    Arguments(String),
    /// The tool reported an error.
    Plugin(String),
    /// The tool crashed.
    Trap(String),
}

/// A request that failed in a way the plugin may handle; the cases are those of `mitt:host/types.error`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ServiceError {
    /// An argument cannot be used.
    InvalidArgument(String),
    /// What was named does not exist.
    NotFound(String),
    /// This host does not support it.
    Unsupported(String),
    /// A quota would be exceeded.
    Quota(String),
}

/// Importance of a log message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// For developers of the plugin.
    Debug,
    /// Progress.
    Info,
    /// Something was changed or left out.
    Warn,
    /// The plugin is about to fail.
    Error,
}

impl LogLevel {
    /// Its name in the journal.
    pub fn name(self) -> &'static str {
        match self {
            LogLevel::Debug => "debug",
            LogLevel::Info => "info",
            LogLevel::Warn => "warn",
            LogLevel::Error => "error",
        }
    }
}

/// A session, as seen from a plugin. Each method answers for one call of one plugin.
///
/// Two classes of failure never mix: [`ServiceError`] and [`ToolFailure`] are values that the guest receives, an
/// [`Error`] ends the guest's store.
#[async_trait]
pub(crate) trait Services: Send + Sync + 'static {
    /// All documents, in the order in which they were given.
    fn documents(&self) -> Vec<Arc<Document>>;

    /// Names and sizes of the files in the workspace, sorted by name.
    fn workspace_list(&self) -> Vec<(String, u64)>;

    /// A file of the workspace, shared with it.
    fn workspace_read(&self, name: &str) -> Result<Arc<Vec<u8>>, ServiceError>;

    /// Create or replace a file of the workspace.
    fn workspace_write(&self, name: &str, content: Vec<u8>) -> Result<(), ServiceError>;

    /// Remove a file of the workspace.
    fn workspace_remove(&self, name: &str) -> Result<(), ServiceError>;

    /// Render a file and write it. It is registered when the attempt that wants it has succeeded.
    async fn deliver(
        &self,
        what: Deliverable,
        filename: String,
    ) -> Result<Result<Artifact, ServiceError>, Error>;

    /// The tools that may be called, sorted by name.
    async fn tools(&self) -> Result<Vec<ToolInfo>, Error>;

    /// Call a tool with arguments as a JSON object; gives its result as JSON.
    async fn call_tool(
        &self,
        name: &str,
        arguments: &str,
    ) -> Result<Result<String, ToolFailure>, Error>;

    /// Note a message for the operator.
    fn log(&self, level: LogLevel, message: &str);
}

/// Services that have nothing, for instances that are made but never called.
pub(crate) struct NoServices;

#[async_trait]
impl Services for NoServices {
    fn documents(&self) -> Vec<Arc<Document>> {
        Vec::new()
    }

    fn workspace_list(&self) -> Vec<(String, u64)> {
        Vec::new()
    }

    fn workspace_read(&self, _: &str) -> Result<Arc<Vec<u8>>, ServiceError> {
        Err(no_session())
    }

    fn workspace_write(&self, _: &str, _: Vec<u8>) -> Result<(), ServiceError> {
        Err(no_session())
    }

    fn workspace_remove(&self, _: &str) -> Result<(), ServiceError> {
        Err(no_session())
    }

    async fn deliver(
        &self,
        _: Deliverable,
        _: String,
    ) -> Result<Result<Artifact, ServiceError>, Error> {
        Ok(Err(no_session()))
    }

    async fn tools(&self) -> Result<Vec<ToolInfo>, Error> {
        Ok(Vec::new())
    }

    async fn call_tool(&self, name: &str, _: &str) -> Result<Result<String, ToolFailure>, Error> {
        Ok(Err(ToolFailure::UnknownTool(format!("Unknown tool: {name}: there is no session"))))
    }

    fn log(&self, _: LogLevel, _: &str) {}
}

#[async_trait]
impl ScriptHost for NoServices {
    fn write(&self, _: ScriptStream, _: &str) {}

    fn modules(&self) -> Vec<String> {
        Vec::new()
    }

    async fn load_module(&self, _: &str) -> Result<Option<Arc<ScriptModule>>, Error> {
        Ok(None)
    }
}

fn no_session() -> ServiceError {
    ServiceError::Unsupported("there is no session".into())
}

#[cfg(all(test, feature = "xlsx", feature = "pdf"))]
mod tests {
    use super::*;
    use mitt_render::{Chart, Formula, Link, SheetColumn, SheetRow};

    /// Each place of a deliverable that a plugin can fill: with a long text in it, it is charged for.
    #[test]
    fn every_part_of_a_deliverable_is_counted() {
        const LONG: usize = 1_000_000;
        let long = || "x".repeat(LONG);
        let cells = |cells| Sheet {
            rows: vec![SheetRow { cells, ..SheetRow::default() }],
            ..Sheet::default()
        };
        let column = |column| Sheet { columns: vec![column], ..Sheet::default() };
        let chart = |chart| Sheet { charts: vec![chart], ..Sheet::default() };
        let formula =
            |expression, value| cells(vec![SheetCell::Formula(Formula { expression, value })]);
        let link = |url, text| cells(vec![SheetCell::Link(Link { url, text })]);
        let none = String::new;
        for sheet in [
            Sheet { name: long(), ..Sheet::default() },
            column(SheetColumn { header: long(), ..SheetColumn::default() }),
            column(SheetColumn { number_format: Some(long()), ..SheetColumn::default() }),
            Sheet { columns: vec![SheetColumn::default(); LONG / 32], ..Sheet::default() },
            chart(Chart { title: Some(long()), ..Chart::default() }),
            chart(Chart { value_columns: vec![0; LONG / 4], ..Chart::default() }),
            Sheet { charts: vec![Chart::default(); LONG / 32], ..Sheet::default() },
            cells(vec![SheetCell::Text(long())]),
            cells(vec![SheetCell::Number(long())]),
            cells(vec![SheetCell::Date(long())]),
            cells(vec![SheetCell::Empty; LONG / 16]),
            formula(long(), none()),
            formula(none(), long()),
            link(long(), none()),
            link(none(), long()),
            Sheet { rows: vec![SheetRow::default(); LONG / 16], ..Sheet::default() },
        ] {
            let what =
                Deliverable::Workbook(Box::new(Workbook { title: None, sheets: vec![sheet] }));
            assert!(what.bytes() >= LONG as u64, "{} of {LONG}", what.bytes());
        }
        let titled = Workbook { title: Some(long()), sheets: Vec::new() };
        assert!(Deliverable::Workbook(Box::new(titled)).bytes() >= LONG as u64);
        for (title, language) in [(Some(long()), None), (None, Some(long()))] {
            let options = Box::new(PdfOptions { title, language, ..PdfOptions::default() });
            let what = Deliverable::Pdf { markdown: String::new(), options };
            assert!(what.bytes() >= LONG as u64);
        }
    }
}
