//! Reader plugins: bytes in, text and tables out, in a store that has nothing but a log.

use std::sync::Arc;

use wasmtime::component::{HasData, Linker};

use super::bindings::{self, ReaderPlugin, reader};
use super::{Capability, check_imports, convert};
use crate::engine::{CallOutput, Engine, Environment, Plugin, Prepared, StoreCore, StoreData};
use crate::table::NamedTable;
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

pub(super) struct ReaderState {
    pub(super) core: StoreCore,
}

impl StoreData for ReaderState {
    fn core(&mut self) -> &mut StoreCore {
        &mut self.core
    }
}

impl HasData for ReaderState {
    type Data<'a> = &'a mut ReaderState;
}

/// A reader plugin whose imports are resolved. A cheap handle.
#[derive(Clone)]
pub(crate) struct PreparedReader {
    prepared: Prepared<ReaderState>,
}

impl PreparedReader {
    /// Resolve a reader's imports: a log and nothing else, whatever its manifest says.
    pub(crate) fn new(engine: &Engine, plugin: &Plugin) -> Result<PreparedReader> {
        check_imports(plugin, &[Capability::Log])?;
        let prepared = engine.prepare(plugin, |linker: &mut Linker<ReaderState>| {
            bindings::types::add_to_linker::<ReaderState, ReaderState>(linker, |state| state)?;
            bindings::log::add_to_linker::<ReaderState, ReaderState>(linker, |state| state)
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
            Ok(Err(error)) => Ok(Err(ReaderFailure(convert::error_text(error)))),
            Err(error) => Err(error),
        };
        CallOutput { result, usage, printed }
    }
}

/// What a reader returned, as the crate keeps it. For two million cells the conversion takes a while, in which a thread of
/// the executor could serve nobody else; what the reader returned stays in memory until it is done.
async fn convert_apart(content: reader::Content, memory: &Account) -> Result<ReaderContent> {
    let working = memory.charge(convert::content_bytes(&content)).map_err(Error::reached)?;
    tokio::task::spawn_blocking(move || convert::content(content, working))
        .await
        .map_err(|error| Error::bug(format!("a reader's answer cannot be taken over: {error}")))
}
