//! The data of a store in which a plugin runs, and what of it the capabilities of an embedder see.

use std::any::Any;
use std::sync::Arc;

use wasmtime::component::ResourceTable;

use super::services::Services;
use crate::engine::{StoreCore, StoreData};

/// The call that a host function of an embedder is asked from: the data of the store in which the plugin runs.
///
/// It is that of one call, even where the plugin's instance outlives the call.
pub struct CallContext {
    core: StoreCore,
    services: Services,
}

impl CallContext {
    pub(crate) fn new(core: StoreCore, services: Services) -> CallContext {
        CallContext { core, services }
    }

    /// Use the services of another call from now on.
    pub(crate) fn serve(&mut self, services: Services) {
        self.services = services;
    }

    /// Who answers the plugin.
    pub(super) fn services(&self) -> &Services {
        &self.services
    }

    /// Whose session it is.
    pub fn tenant(&self) -> &str {
        self.services.origin.tenant()
    }

    /// The number of the session, which no other session of its host has.
    pub fn session(&self) -> u64 {
        self.services.origin.session()
    }

    /// The name of the skill whose plugin calls, in kebab case.
    pub fn skill(&self) -> &str {
        self.services.origin.skill()
    }

    /// What the embedder gave to the session as [`SessionOptions::extension`](crate::SessionOptions::extension), if it is a `T`.
    pub fn extension<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        self.services.origin.extension()?.downcast().ok()
    }

    /// The table of the store's resources, for interfaces that have some. It holds as many as the limits of the call allow.
    pub fn table(&mut self) -> &mut ResourceTable {
        self.core.table()
    }
}

impl StoreData for CallContext {
    fn core(&mut self) -> &mut StoreCore {
        &mut self.core
    }
}

impl std::fmt::Debug for CallContext {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CallContext")
            .field("tenant", &self.tenant())
            .field("session", &self.session())
            .field("skill", &self.skill())
            .finish_non_exhaustive()
    }
}
