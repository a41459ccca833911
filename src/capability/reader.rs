//! Reader plugins: bytes in, text and tables out, in a store that has nothing but a log.

use std::sync::Arc;

use wasmtime::component::{HasData, Linker};

use super::bindings::{self, ReaderPlugin};
use super::{Capability, check_imports, convert};
use crate::Result;
use crate::engine::{CallOutput, Engine, Environment, Plugin, Prepared, StoreCore, StoreData};
use crate::limits::CallLimits;
use crate::table::NamedTable;

/// What a reader found in a file.
pub(crate) struct ReaderContent {
    pub(crate) title: Option<String>,
    pub(crate) markdown: String,
    pub(crate) tables: Vec<NamedTable>,
    pub(crate) warnings: Vec<String>,
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
    ) -> CallOutput<Result<ReaderContent, ReaderFailure>> {
        let state = ReaderState { core: StoreCore::new(limits, environment) };
        let extension = extension.to_owned();
        self.prepared
            .enter(state, limits, |store, instance| {
                Box::pin(async move {
                    let reader = ReaderPlugin::new(&mut *store, &instance)?;
                    let read = reader
                        .mitt_host_reader()
                        .call_read(&mut *store, &bytes, &extension)
                        .await?;
                    Ok(read
                        .map(convert::content)
                        .map_err(|error| ReaderFailure(convert::error_text(error))))
                })
            })
            .await
    }
}
