//! The capability `workspace`: reading and writing of the session's workspace.
//!
//! Its functions are linked by hand because generated ones would first copy the content of a file, up to 64 MiB for each call.

use std::sync::Arc;

use mitt_contract::host::mitt::host::workspace as wit;
use wasmtime::component::Linker;

use super::shared::{Nobody, ServiceError};
use mitt_engine::StoreData;

/// Name of the interface in imports.
const INTERFACE: &str = "mitt:host/workspace@0.1.0";

/// Interface to the session.
pub trait Workspace: Send + Sync + 'static {
    /// Returns names and sizes of the files in the workspace, sorted by name.
    fn workspace_list(&self) -> Vec<(String, u64)>;

    /// Returns the content of a file, without copying it.
    fn workspace_read(&self, name: &str) -> Result<Arc<Vec<u8>>, ServiceError>;

    /// Creates or replaces a file.
    fn workspace_write(&self, name: &str, content: Vec<u8>) -> Result<(), ServiceError>;

    /// Removes a file.
    fn workspace_remove(&self, name: &str) -> Result<(), ServiceError>;
}

/// Bounds of the grant `workspace`. The default sets none beyond the limits of the session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkspaceBounds {
    /// Most bytes of the session's workspace after a write of the skill; `None` sets no bound.
    pub bytes: Option<u64>,
    /// Most files of the session's workspace after a write of the skill; `None` sets no bound.
    pub files: Option<u64>,
    /// `true` if the skill can only read the workspace.
    pub read_only: bool,
}

impl WorkspaceBounds {
    /// Returns the bounds as text for people, one by one.
    pub(super) fn describe(&self) -> Vec<String> {
        let read_only = self.read_only.then(|| "reading only".to_owned());
        let files = self.files.map(|most| format!("at most {most} files"));
        let bytes = self.bytes.map(|most| format!("at most {most} bytes"));
        [read_only, files, bytes].into_iter().flatten().collect()
    }

    /// Returns `session` within these bounds.
    pub(super) fn bound(&self, session: Arc<dyn Workspace>) -> Arc<dyn Workspace> {
        if *self == WorkspaceBounds::default() {
            session
        } else {
            Arc::new(Bounded { session, bounds: self.clone() })
        }
    }
}

struct Bounded {
    session: Arc<dyn Workspace>,
    bounds: WorkspaceBounds,
}

impl Bounded {
    fn check_write(&self, name: &str, size: u64) -> Result<(), ServiceError> {
        self.check_not_read_only()?;
        let files = self.session.workspace_list();
        let (mut count, mut bytes) = (1, size);
        for (_, size) in files.iter().filter(|(other, _)| other != name) {
            count += 1;
            bytes += size;
        }
        let over = |what: &str, most: u64, used: u64| {
            Err(ServiceError::Quota(format!(
                "the skill is granted a workspace of at most {most} {what}, and this would make {used}"
            )))
        };
        match (self.bounds.files, self.bounds.bytes) {
            (Some(most), _) if count > most => over("files", most, count),
            (_, Some(most)) if bytes > most => over("bytes", most, bytes),
            _ => Ok(()),
        }
    }

    fn check_not_read_only(&self) -> Result<(), ServiceError> {
        if self.bounds.read_only {
            Err(ServiceError::Unsupported(
                "the skill is granted the workspace for reading only".to_owned(),
            ))
        } else {
            Ok(())
        }
    }
}

impl Workspace for Bounded {
    fn workspace_list(&self) -> Vec<(String, u64)> {
        self.session.workspace_list()
    }

    fn workspace_read(&self, name: &str) -> Result<Arc<Vec<u8>>, ServiceError> {
        self.session.workspace_read(name)
    }

    fn workspace_write(&self, name: &str, content: Vec<u8>) -> Result<(), ServiceError> {
        self.check_write(name, content.len() as u64)?;
        self.session.workspace_write(name, content)
    }

    fn workspace_remove(&self, name: &str) -> Result<(), ServiceError> {
        self.check_not_read_only()?;
        self.session.workspace_remove(name)
    }
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

/// Links the interface. `host_getter` finds the session in a store's data.
pub(super) fn link<T: StoreData>(
    linker: &mut Linker<T>,
    host_getter: fn(&mut T) -> Arc<dyn Workspace>,
) -> wasmtime::Result<()> {
    let mut workspace = linker.instance(INTERFACE)?;
    workspace.func_wrap("list", move |mut store, ()| {
        let files = host_getter(store.data_mut()).workspace_list();
        let infos: Vec<wit::FileInfo> =
            files.into_iter().map(|(name, size)| wit::FileInfo { name, size }).collect();
        Ok((infos,))
    })?;
    workspace.func_wrap("read", move |mut store, (name,): (String,)| {
        let content = host_getter(store.data_mut()).workspace_read(&name);
        Ok((content.map_err(ServiceError::into_wit),))
    })?;
    workspace.func_wrap("write", move |mut store, (name, content): (String, Vec<u8>)| {
        let written = host_getter(store.data_mut()).workspace_write(&name, content);
        Ok((written.map_err(ServiceError::into_wit),))
    })?;
    workspace.func_wrap("remove", move |mut store, (name,): (String,)| {
        let removed = host_getter(store.data_mut()).workspace_remove(&name);
        Ok((removed.map_err(ServiceError::into_wit),))
    })
}
