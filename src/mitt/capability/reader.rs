//! Reader plugins: bytes in, text and tables out, in a store that has nothing but a log.

use std::sync::Arc;

use mitt_contract::host::mitt::host::types;
use mitt_contract::reader::ReaderPlugin;
use mitt_contract::reader::exports::mitt::host::reader;

use super::link::check_imports;
use super::log;
use super::name::Capability;
use super::own::OwnCapabilities;
use super::shared::{Types, error_text};
use crate::engine::{CallOutput, Engine, Environment, Plugin, Prepared, StoreCore, StoreData};
use crate::table::{Cell, NamedTable, Table};
use mitt_base::limits::CallLimits;
use mitt_base::memory::{Account, Charge};
use mitt_base::{Error, Result};

/// What a reader found in a file.
pub(crate) struct ReaderContent {
    pub(crate) title: Option<String>,
    pub(crate) markdown: String,
    pub(crate) tables: Vec<NamedTable>,
    pub(crate) warnings: Vec<String>,
    /// The charge for what the reader returned. It is held until the document is made.
    pub(crate) working: Charge,
}

/// Why a reader gave up on a file.
#[derive(Debug)]
pub(crate) struct ReaderFailure(pub(crate) String);

struct ReaderState {
    core: StoreCore,
}

impl StoreData for ReaderState {
    fn core(&mut self) -> &mut StoreCore {
        &mut self.core
    }
}

/// A reader plugin whose imports are resolved. A cheap handle.
#[derive(Clone)]
pub(crate) struct PreparedReader {
    prepared: Prepared<ReaderState>,
}

impl PreparedReader {
    /// Resolve a reader's imports: a log and nothing else, whatever its manifest says.
    pub(crate) fn new(engine: &Engine, plugin: &Plugin) -> Result<PreparedReader> {
        check_imports(plugin, &[Capability::Log], &OwnCapabilities::default())?;
        let prepared = engine.prepare(plugin, |linker| {
            types::add_to_linker::<ReaderState, Types>(linker, |_| Types)?;
            log::link(linker, |state: &mut ReaderState| log::Asked {
                session: None,
                core: &mut state.core,
            })
        })?;
        Ok(PreparedReader { prepared })
    }

    /// Read a file whose type is known.
    pub(crate) async fn read(
        &self,
        bytes: Arc<[u8]>,
        extension: &str,
        limits: &CallLimits,
        environment: &Environment,
        memory: &Account,
    ) -> CallOutput<Result<ReaderContent, ReaderFailure>> {
        let core = StoreCore::new(limits, environment).charged_to(memory);
        let state = ReaderState { core };
        let extension = extension.to_owned();
        let output = self
            .prepared
            .enter(state, limits, |store, instance| {
                Box::pin(async move {
                    let reader = ReaderPlugin::new(&mut *store, &instance)?;
                    reader.mitt_host_reader().call_read(&mut *store, &bytes, &extension).await
                })
            })
            .await;
        let CallOutput { result, usage, printed } = output;
        let result = match result {
            Ok(Ok(content)) => convert_apart(content, memory).await.map(Ok),
            Ok(Err(error)) => Ok(Err(ReaderFailure(error_text(error)))),
            Err(error) => Err(error),
        };
        CallOutput { result, usage, printed }
    }
}

/// What a reader returned, as the crate keeps it. For two million cells the conversion takes a while, in which a thread of
/// the executor could serve nobody else; what the reader returned stays in memory until it is done.
async fn convert_apart(content: reader::Content, memory: &Account) -> Result<ReaderContent> {
    let working = memory.charge(content_bytes(&content)).map_err(Error::reached)?;
    tokio::task::spawn_blocking(move || kept(content, working))
        .await
        .map_err(|error| Error::bug(format!("a reader's answer cannot be taken over: {error}")))
}

fn cell(cell: types::Cell) -> Cell {
    match cell {
        types::Cell::Null => Cell::Null,
        types::Cell::Boolean(value) => Cell::Boolean(value),
        types::Cell::Number(lexeme) => Cell::Number(lexeme.into()),
        types::Cell::Text(text) => Cell::of_text(&text),
    }
}

/// What a reader returned, as the crate keeps it.
fn kept(content: reader::Content, working: Charge) -> ReaderContent {
    let table = |table: types::NamedTable| NamedTable {
        name: table.name,
        data: Table {
            columns: table.data.columns,
            rows: table
                .data
                .rows
                .into_iter()
                .map(|row| row.into_iter().map(cell).collect())
                .collect(),
        },
    };
    ReaderContent {
        title: content.title,
        markdown: content.markdown,
        tables: content.tables.into_iter().map(table).collect(),
        warnings: content.warnings,
        working,
    }
}

/// What a reader's answer keeps, and what is made of it beside it.
fn content_bytes(content: &reader::Content) -> u64 {
    let cell = |cell: &types::Cell| match cell {
        types::Cell::Number(text) | types::Cell::Text(text) => text.len() + 2 * size_of::<usize>(),
        types::Cell::Null | types::Cell::Boolean(_) => 0,
    };
    let slot = size_of::<types::Cell>();
    let row = |row: &Vec<types::Cell>| row.iter().map(|it| slot + cell(it)).sum::<usize>();
    let text = |text: &String| size_of::<String>() + text.len();
    let table = |table: &types::NamedTable| {
        table.data.columns.iter().map(text).sum::<usize>()
            + table.data.rows.iter().map(|it| size_of::<Vec<Cell>>() + row(it)).sum::<usize>()
    };
    let tables = content.tables.iter().map(table).sum::<usize>();
    let warnings = content.warnings.iter().map(text).sum::<usize>();
    2 * (tables + warnings + content.markdown.len()) as u64
}
