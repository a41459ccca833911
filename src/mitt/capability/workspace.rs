//! The capability `workspace`: read and write the session's workspace.
//!
//! Its functions are linked by hand because generated ones would copy the content of a file first, up to 64 MiB for each call.

use std::sync::Arc;

use mitt_contract::host::mitt::host::workspace as wit;
use wasmtime::component::Linker;

use super::shared::{Nobody, ServiceError};
use crate::engine::StoreData;

/// The interface, as it is imported.
const INTERFACE: &str = "mitt:host/workspace@0.1.0";

/// What it asks of a session.
pub(crate) trait Workspace: Send + Sync + 'static {
    /// Names and sizes of the files in the workspace, sorted by name.
    fn workspace_list(&self) -> Vec<(String, u64)>;

    /// A file of the workspace, shared with it.
    fn workspace_read(&self, name: &str) -> Result<Arc<Vec<u8>>, ServiceError>;

    /// Create or replace a file of the workspace.
    fn workspace_write(&self, name: &str, content: Vec<u8>) -> Result<(), ServiceError>;

    /// Remove a file of the workspace.
    fn workspace_remove(&self, name: &str) -> Result<(), ServiceError>;
}

impl Workspace for Nobody {
    fn workspace_list(&self) -> Vec<(String, u64)> {
        Vec::new()
    }

    fn workspace_read(&self, _: &str) -> Result<Arc<Vec<u8>>, ServiceError> {
        Err(ServiceError::no_session())
    }

    fn workspace_write(&self, _: &str, _: Vec<u8>) -> Result<(), ServiceError> {
        Err(ServiceError::no_session())
    }

    fn workspace_remove(&self, _: &str) -> Result<(), ServiceError> {
        Err(ServiceError::no_session())
    }
}

/// Link the interface. `asked` finds in a store's data who answers.
pub(super) fn link<T: StoreData>(
    linker: &mut Linker<T>,
    asked: fn(&mut T) -> Arc<dyn Workspace>,
) -> wasmtime::Result<()> {
    let mut workspace = linker.instance(INTERFACE)?;
    workspace.func_wrap("list", move |mut store, ()| {
        let files = asked(store.data_mut()).workspace_list();
        let infos: Vec<wit::FileInfo> =
            files.into_iter().map(|(name, size)| wit::FileInfo { name, size }).collect();
        Ok((infos,))
    })?;
    workspace.func_wrap("read", move |mut store, (name,): (String,)| {
        let content = asked(store.data_mut()).workspace_read(&name);
        Ok((content.map_err(ServiceError::into_wit),))
    })?;
    workspace.func_wrap("write", move |mut store, (name, content): (String, Vec<u8>)| {
        let written = asked(store.data_mut()).workspace_write(&name, content);
        Ok((written.map_err(ServiceError::into_wit),))
    })?;
    workspace.func_wrap("remove", move |mut store, (name,): (String,)| {
        let removed = asked(store.data_mut()).workspace_remove(&name);
        Ok((removed.map_err(ServiceError::into_wit),))
    })
}
