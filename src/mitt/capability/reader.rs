//! Reader plugins: bytes in, text and tables out, in a store that has nothing but a log and the means to make tables.

use std::sync::Arc;

use mitt_contract::host::mitt::host::types;
use mitt_contract::reader::ReaderPlugin;
use mitt_contract::reader::exports::mitt::host::reader;
use mitt_table::NamedTable;

use super::link::check_imports;
use super::log;
use super::name::Capability;
use super::own::OwnCapabilities;
use super::shared::{Types, error_text};
use super::tables;
use crate::engine::{CallOutput, Engine, Environment, Plugin, Prepared, StoreCore, StoreData};
use mitt_base::limits::CallLimits;
use mitt_base::memory::{Account, Charge};
use mitt_base::rows::Rows;
use mitt_base::{Error, Result};

/// What a reader found in a file.
pub(crate) struct ReaderContent {
    pub(crate) title: Option<String>,
    pub(crate) markdown: String,
    pub(crate) tables: Vec<NamedTable>,
    pub(crate) warnings: Vec<String>,
    /// The charge for the texts that the reader returned. It is held until the document is made; tables hold their own.
    pub(crate) working: Charge,
}

/// Why a reader gave up on a file.
#[derive(Debug)]
pub(crate) struct ReaderFailure(pub(crate) String);

struct ReaderState {
    core: StoreCore,
    tables: Account,
    rows: Rows,
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
    /// Resolve a reader's imports: a log and tables and nothing else, whatever its manifest says.
    pub(crate) fn new(engine: &Engine, plugin: &Plugin) -> Result<PreparedReader> {
        check_imports(plugin, &[Capability::Log, Capability::Tables], &OwnCapabilities::default())?;
        let prepared = engine.prepare(plugin, |linker| {
            types::add_to_linker::<ReaderState, Types>(linker, |_| Types)?;
            log::link(linker, |state: &mut ReaderState| log::Asked {
                session: None,
                core: &mut state.core,
            })?;
            tables::link(linker, |state: &mut ReaderState| tables::Asked {
                account: state.tables.clone(),
                rows: state.rows.clone(),
                core: &mut state.core,
            })
        })?;
        Ok(PreparedReader { prepared })
    }

    /// Read a file whose type is known. `memory` is charged while it is read, `tables` for what comes of it; `rows` is told of the rows.
    pub(crate) async fn read(
        &self,
        bytes: Arc<[u8]>,
        extension: &str,
        limits: &CallLimits,
        environment: &Environment,
        (memory, tables): (&Account, &Account),
        rows: &Rows,
    ) -> CallOutput<Result<ReaderContent, ReaderFailure>> {
        let core = StoreCore::new(limits, environment).charged_to(memory);
        let state = ReaderState { core, tables: tables.clone(), rows: rows.clone() };
        let extension = extension.to_owned();
        let output = self
            .prepared
            .enter(state, limits, |store, instance| {
                Box::pin(async move {
                    let reader = ReaderPlugin::new(&mut *store, &instance)?;
                    let read = reader.mitt_host_reader();
                    let content = read.call_read(&mut *store, &bytes, &extension).await?;
                    Ok(match content {
                        Ok(content) => Ok(taken(content, store.data_mut().core())?),
                        Err(error) => Err(error),
                    })
                })
            })
            .await;
        let CallOutput { result, usage, printed } = output;
        let result = match result {
            Ok(Ok(content)) => charged(content, memory).map(Ok),
            Ok(Err(error)) => Ok(Err(ReaderFailure(error_text(error)))),
            Err(error) => Err(error),
        };
        CallOutput { result, usage, printed }
    }
}

/// What a reader returned, with the tables that its handles stand for.
struct Taken {
    content: reader::Content,
    tables: Vec<NamedTable>,
}

fn taken(mut content: reader::Content, core: &mut StoreCore) -> wasmtime::Result<Taken> {
    let mut tables = Vec::with_capacity(content.tables.len());
    for found in std::mem::take(&mut content.tables) {
        tables.push(NamedTable { name: found.name, data: core.table().delete(found.data)? });
    }
    Ok(Taken { content, tables })
}

fn charged(taken: Taken, memory: &Account) -> Result<ReaderContent> {
    let Taken { content, tables } = taken;
    let text = |text: &String| size_of::<String>() + text.len();
    let names = tables.iter().map(|table| text(&table.name)).sum::<usize>();
    let warnings = content.warnings.iter().map(text).sum::<usize>();
    let bytes = (names + warnings + content.markdown.len()) as u64;
    let working = memory.charge(bytes).map_err(Error::reached)?;
    Ok(ReaderContent {
        title: content.title,
        markdown: content.markdown,
        tables,
        warnings: content.warnings,
        working,
    })
}
