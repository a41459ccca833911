//! Reader plugins: bytes in, text and tables out, in a store that has only a log and functions to make tables.

use std::ops::Range;
use std::sync::Arc;

use mitt_contract::host::mitt::host::types;
use mitt_contract::reader::exports::mitt::host::{reader, reader_pieces, reader_shares};
use mitt_table::NamedTable;
use wasmtime::Store;
use wasmtime::component::Instance;

use super::link::check_imports;
use super::log;
use super::name::Capability;
use super::own::OwnCapabilities;
use super::shared::Types;
use super::tables;
use mitt_base::limits::CallLimits;
use mitt_base::memory::{Account, Charge};
use mitt_base::rows::Rows;
use mitt_base::{Error, InputProblem, Result};
use mitt_engine::{
    Body, CallOutput, Engine, EngineInternal as _, Environment, Plugin, Prepared, StoreCore,
    StoreData,
};
use mitt_types::Place;

/// What a reader found in a file.
pub struct ReaderContent {
    /// Title from the file's own metadata.
    pub title: Option<String>,
    /// Other metadata of the file, as names and values.
    pub metadata: Vec<(String, String)>,
    /// The text as Markdown.
    pub markdown: String,
    /// Start of each page, slide, sheet or chapter, in order.
    pub places: Vec<Place>,
    /// The tables, in order.
    pub tables: Vec<NamedTable>,
    /// Files inside of the file.
    pub parts: Parts,
    /// Numbers of the pages that are pictures of text.
    pub scanned: Vec<u32>,
    /// What could not be read, one sentence each.
    pub warnings: Vec<String>,
    /// The charge for the texts that the reader returned. It is held until the document is made; tables hold their own.
    pub working: Charge,
}

/// Files inside of a file.
#[derive(Default)]
pub struct Parts {
    /// Names, including folders, and contents.
    pub files: Vec<(String, Vec<u8>)>,
    /// Charge for their bytes.
    pub charge: Charge,
}

/// Reason why a reader gave up on a file.
#[derive(Debug)]
pub struct ReaderFailure {
    /// The problem, if the reader named one.
    pub outcome: Option<InputProblem>,
    /// Text of the error.
    pub text: String,
}

/// File as it is described to a reader.
#[derive(Clone, Copy)]
pub struct ReaderFile<'a> {
    /// Name of the file.
    pub name: &'a str,
    /// Extension for its type, without a dot.
    pub extension: &'a str,
    /// Password of the file, if the caller gave one.
    pub password: Option<&'a str>,
}

/// Settings for the call of a reader.
#[derive(Clone)]
pub struct ReaderWith {
    /// Limits of the call.
    pub limits: CallLimits,
    /// Clock and random numbers of the reader.
    pub environment: Environment,
    /// Account that is charged while the file is read.
    pub memory: Account,
    /// Account that is charged for the resulting tables.
    pub tables: Account,
    /// Reporter of rows as they are read.
    pub rows: Rows,
}

/// Output of the call of a reader.
pub type ReaderOutput<R> = CallOutput<Result<R, ReaderFailure>>;

/// Part of a file that one of several instances has read.
pub struct Share {
    bytes: Vec<u8>,
    charge: Charge,
}

/// Rows of one piece of a file.
pub struct ReaderPiece {
    /// Rows, and the name of the table.
    pub table: NamedTable,
    /// Notes of the reader, for [`PreparedReader::finish`].
    pub report: Vec<u8>,
    /// Charge for name and report.
    pub charge: Charge,
}

/// Result of one of several instances; `None` if the file must be read by a single one.
pub type PieceOutput<R> = CallOutput<Option<R>>;

/// Interface of readers of which several instances each parse the whole file and read a share of it.
const SHARES: &str = "mitt:host/reader-shares@0.1.0";

/// Interface of readers of which several instances each get a piece of the file.
const PIECES: &str = "mitt:host/reader-pieces@0.1.0";

impl From<ReaderFile<'_>> for reader::File {
    fn from(file: ReaderFile<'_>) -> reader::File {
        reader::File {
            name: file.name.to_owned(),
            extension: file.extension.to_owned(),
            password: file.password.map(str::to_owned),
        }
    }
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

/// Reader plugin with resolved imports. A cheap handle.
#[derive(Clone)]
pub struct PreparedReader {
    prepared: Prepared<ReaderState>,
}

impl PreparedReader {
    /// Resolves a reader's imports: a log and tables and nothing else, whatever its manifest says.
    pub fn new(engine: &Engine, plugin: &Plugin) -> Result<PreparedReader> {
        check_imports(plugin, &[Capability::Log, Capability::Tables], &OwnCapabilities::default())?;
        let prepared = engine.prepare(plugin, |linker| {
            types::add_to_linker::<ReaderState, Types>(linker, |_| Types)?;
            log::link(linker, |state: &mut ReaderState| log::LogHost {
                session: None,
                core: &mut state.core,
            })?;
            tables::link(linker, |state: &mut ReaderState| tables::TablesHost {
                account: state.tables.clone(),
                rows: state.rows.clone(),
                core: &mut state.core,
            })
        })?;
        Ok(PreparedReader { prepared })
    }

    /// Returns whether several instances can each read a share of a file that all of them have.
    pub fn shares(&self) -> bool {
        self.prepared.exports(SHARES)
    }

    /// Returns whether several instances can each read a piece of a file.
    pub fn has_pieces(&self) -> bool {
        self.prepared.exports(PIECES)
    }

    /// Returns how many more readers could compute at the moment.
    pub fn free_slots(&self) -> usize {
        self.prepared.free_slots()
    }

    /// Reads a file whose type is known.
    pub async fn read(
        &self,
        bytes: Arc<[u8]>,
        file: ReaderFile<'_>,
        with: &ReaderWith,
    ) -> ReaderOutput<ReaderContent> {
        let file = reader::File::from(file);
        let output = self.enter(with, |store, instance| {
            Box::pin(async move {
                let pre = instance.instance_pre(&*store);
                let reader = reader::GuestIndices::new(&pre)?.load(&mut *store, &instance)?;
                let content = reader.call_read(&mut *store, &bytes, &file).await?;
                taken(content, store.data_mut().core())
            })
        });
        content(output.await, with)
    }

    /// Reads the share `index` of `count` of a file.
    pub async fn share(
        &self,
        bytes: Arc<[u8]>,
        file: ReaderFile<'_>,
        (index, count): (u32, u32),
        with: &ReaderWith,
    ) -> ReaderOutput<Share> {
        let file = reader::File::from(file);
        let output = self.enter(with, |store, instance| {
            Box::pin(async move {
                let reader = sharing(store, &instance)?;
                reader.call_share(&mut *store, &bytes, &file, index, count).await
            })
        });
        output.await.and_then(|share| match share {
            Ok(bytes) => {
                let charge = with.memory.charge(bytes.len() as u64).map_err(Error::reached)?;
                Ok(Ok(Share { bytes, charge }))
            }
            Err(failure) => Ok(Err(failed(failure))),
        })
    }

    /// Joins the shares of a file, which must be complete and in order.
    pub async fn join(&self, shares: Vec<Share>, with: &ReaderWith) -> ReaderOutput<ReaderContent> {
        let split = |Share { bytes, charge }: Share| (bytes, charge);
        let (shares, charges): (Vec<_>, Vec<_>) = shares.into_iter().map(split).unzip();
        let output = self.enter(with, |store, instance| {
            Box::pin(async move {
                let reader = sharing(store, &instance)?;
                let content = reader.call_join(&mut *store, &shares).await?;
                drop((shares, charges));
                taken(content, store.data_mut().core())
            })
        });
        content(output.await, with)
    }

    /// Reads the piece `index` of a file, which is `bytes[range]`. The beginning of the file is `bytes[..head]`.
    pub async fn piece(
        &self,
        bytes: Arc<[u8]>,
        head: usize,
        range: Range<usize>,
        extension: &str,
        index: u32,
        with: &ReaderWith,
    ) -> PieceOutput<ReaderPiece> {
        let extension = extension.to_owned();
        let output = self.enter(with, |store, instance| {
            Box::pin(async move {
                let reader = piecewise(store, &instance)?;
                let (head, piece) = (&bytes[..head], &bytes[range]);
                let read =
                    reader.call_read_piece(&mut *store, head, piece, &extension, index).await?;
                let Some(reader_pieces::Piece { name, rows, report }) = read else {
                    return Ok(None);
                };
                let data = store.data_mut().core().table().delete(rows)?;
                Ok(Some((NamedTable { name, data, place: None }, report)))
            })
        });
        output.await.and_then(|read| {
            let Some((table, report)) = read else { return Ok(None) };
            let kept = (report.len() + table.name.len()) as u64;
            let charge = with.memory.charge(kept).map_err(Error::reached)?;
            Ok(Some(ReaderPiece { table, report, charge }))
        })
    }

    /// Returns the content of a file without its table, from the reports on all its pieces, in their order. The beginning of the
    /// file is `bytes[..head]`.
    pub async fn finish(
        &self,
        bytes: Arc<[u8]>,
        head: usize,
        extension: &str,
        reports: Vec<Vec<u8>>,
        with: &ReaderWith,
    ) -> PieceOutput<ReaderContent> {
        let extension = extension.to_owned();
        let output = self.enter(with, |store, instance| {
            Box::pin(async move {
                let reader = piecewise(store, &instance)?;
                reader.call_finish(&mut *store, &bytes[..head], &extension, &reports).await
            })
        });
        output.await.and_then(|summary| {
            let Some(reader_pieces::Summary { markdown, warnings }) = summary else {
                return Ok(None);
            };
            let content = reader::Content {
                title: None,
                metadata: Vec::new(),
                markdown,
                places: Vec::new(),
                tables: Vec::new(),
                parts: Vec::new(),
                scanned: Vec::new(),
                warnings,
            };
            charged(Taken { content, tables: Vec::new() }, &with.memory).map(Some)
        })
    }

    /// Runs `body` on an instance of its own.
    async fn enter<R>(&self, with: &ReaderWith, body: impl Body<ReaderState, R>) -> CallOutput<R> {
        let core = StoreCore::new(&with.limits, &with.environment).charged_to(&with.memory);
        let state = ReaderState { core, tables: with.tables.clone(), rows: with.rows.clone() };
        self.prepared.enter(state, &with.limits, body).await
    }
}

/// Returns the exports of an instance for shares.
fn sharing(
    store: &mut Store<ReaderState>,
    instance: &Instance,
) -> wasmtime::Result<reader_shares::Guest> {
    reader_shares::GuestIndices::new(&instance.instance_pre(&*store))?.load(store, instance)
}

/// Returns the exports of an instance for pieces.
fn piecewise(
    store: &mut Store<ReaderState>,
    instance: &Instance,
) -> wasmtime::Result<reader_pieces::Guest> {
    reader_pieces::GuestIndices::new(&instance.instance_pre(&*store))?.load(store, instance)
}

fn content(
    output: CallOutput<Result<Taken, reader::Failure>>,
    with: &ReaderWith,
) -> ReaderOutput<ReaderContent> {
    output.and_then(|content| match content {
        Ok(content) => charged(content, &with.memory).map(Ok),
        Err(failure) => Ok(Err(failed(failure))),
    })
}

/// Result of a reader, with the tables that its handles refer to.
struct Taken {
    content: reader::Content,
    tables: Vec<NamedTable>,
}

fn taken(
    content: Result<reader::Content, reader::Failure>,
    core: &mut StoreCore,
) -> wasmtime::Result<Result<Taken, reader::Failure>> {
    let mut content = match content {
        Ok(content) => content,
        Err(failure) => {
            // The reader gave up for lack of memory, so the error names the limit that was reached.
            return match core.table_limit() {
                Some(limit) => Err(Error::reached(limit.clone()).into()),
                None => Ok(Err(failure)),
            };
        }
    };
    let mut tables = Vec::with_capacity(content.tables.len());
    for found in std::mem::take(&mut content.tables) {
        let data = core.table().delete(found.data)?;
        tables.push(NamedTable { name: found.name, data, place: found.place });
    }
    Ok(Ok(Taken { content, tables }))
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
