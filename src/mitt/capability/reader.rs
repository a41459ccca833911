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
use super::shared::Types;
use super::tables;
use crate::document::Place;
use crate::engine::{CallOutput, Engine, Environment, Plugin, Prepared, StoreCore, StoreData};
use mitt_base::limits::CallLimits;
use mitt_base::memory::{Account, Charge};
use mitt_base::rows::Rows;
use mitt_base::{Error, InputProblem, Result};

/// What a reader found in a file.
pub(crate) struct ReaderContent {
    pub(crate) title: Option<String>,
    pub(crate) metadata: Vec<(String, String)>,
    pub(crate) markdown: String,
    pub(crate) places: Vec<Place>,
    pub(crate) tables: Vec<NamedTable>,
    pub(crate) parts: Parts,
    /// Numbers of pages that are pictures of text.
    pub(crate) scanned: Vec<u32>,
    pub(crate) warnings: Vec<String>,
    /// The charge for the texts that the reader returned. It is held until the document is made; tables hold their own.
    pub(crate) working: Charge,
}

/// Files inside of a file.
#[derive(Default)]
pub(crate) struct Parts {
    /// Name there, with folders, and content.
    pub(crate) files: Vec<(String, Vec<u8>)>,
    /// Of their bytes.
    pub(crate) charge: Charge,
}

/// Why a reader gave up on a file.
#[derive(Debug)]
pub(crate) struct ReaderFailure {
    pub(crate) outcome: Option<InputProblem>,
    pub(crate) text: String,
}

/// What a reader is told of a file.
#[derive(Clone, Copy)]
pub(crate) struct ReaderFile<'a> {
    pub(crate) name: &'a str,
    pub(crate) extension: &'a str,
    pub(crate) password: Option<&'a str>,
}

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
        file: ReaderFile<'_>,
        limits: &CallLimits,
        environment: &Environment,
        (memory, tables): (&Account, &Account),
        rows: &Rows,
    ) -> CallOutput<Result<ReaderContent, ReaderFailure>> {
        let core = StoreCore::new(limits, environment).charged_to(memory);
        let state = ReaderState { core, tables: tables.clone(), rows: rows.clone() };
        let file = reader::File {
            name: file.name.to_owned(),
            extension: file.extension.to_owned(),
            password: file.password.map(str::to_owned),
        };
        let output = self
            .prepared
            .enter(state, limits, |store, instance| {
                Box::pin(async move {
                    let reader = ReaderPlugin::new(&mut *store, &instance)?;
                    let read = reader.mitt_host_reader();
                    let content = read.call_read(&mut *store, &bytes, &file).await?;
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
            Ok(Err(failure)) => Ok(Err(failed(failure))),
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
        let data = core.table().delete(found.data)?;
        tables.push(NamedTable { name: found.name, data, place: found.place });
    }
    Ok(Taken { content, tables })
}

fn charged(taken: Taken, memory: &Account) -> Result<ReaderContent> {
    let Taken { content, tables } = taken;
    let text = |text: &String| size_of::<String>() + text.len();
    let table = |table: &NamedTable| text(&table.name) + table.place.as_ref().map_or(0, text);
    let bytes = tables.iter().map(table).sum::<usize>()
        + content.warnings.iter().map(text).sum::<usize>()
        + content.metadata.iter().map(|(name, value)| text(name) + text(value)).sum::<usize>()
        + content.places.iter().map(|it| size_of::<Place>() + text(&it.label)).sum::<usize>()
        + size_of_val(&content.scanned[..])
        + content.markdown.len();
    let working = memory.charge(bytes as u64).map_err(Error::reached)?;
    let part = |part: &reader::Part| text(&part.name) + part.bytes.len();
    let charge = memory.charge(content.parts.iter().map(part).sum::<usize>() as u64);
    let charge = charge.map_err(Error::reached)?;
    let files = content.parts.into_iter().map(|part| (part.name, part.bytes)).collect();
    let place = |place: types::Place| Place { offset: place.offset, label: place.label };
    Ok(ReaderContent {
        title: content.title,
        metadata: content.metadata,
        markdown: content.markdown,
        places: content.places.into_iter().map(place).collect(),
        tables,
        parts: Parts { files, charge },
        scanned: content.scanned,
        warnings: content.warnings,
        working,
    })
}

fn failed(failure: reader::Failure) -> ReaderFailure {
    let (outcome, text) = match failure {
        reader::Failure::Encrypted(text) => (Some(InputProblem::Encrypted), text),
        reader::Failure::Corrupt(text) => (Some(InputProblem::Corrupt), text),
        reader::Failure::UnsupportedType(text) => (Some(InputProblem::UnsupportedType), text),
        reader::Failure::TooLarge(text) => (Some(InputProblem::TooLarge), text),
        reader::Failure::Other(text) => (None, text),
    };
    ReaderFailure { outcome, text }
}
