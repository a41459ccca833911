//! Data of a store in which a plugin runs, and the part that an embedder's capabilities see.

use std::any::Any;
use std::sync::Arc;

use wasmtime::component::ResourceTable;

use super::services::Services;
use mitt_engine::{StoreCore, StoreData};

/// Call from which a host function of an embedder is called: the data of the store in which the plugin runs.
///
/// It belongs to one call, even if the plugin's instance outlives the call.
pub struct CallContext {
    core: StoreCore,
    services: Services,
}

impl CallContext {
    /// Returns the services for the plugin.
    pub(super) fn services(&self) -> &Services {
        &self.services
    }

    /// Returns the tenant that owns the session.
    pub fn tenant(&self) -> &str {
        self.services.origin.tenant()
    }

    /// Returns the number of the session, unique in its host.
    pub fn session(&self) -> u64 {
        self.services.origin.session()
    }

    /// Returns the name of the skill whose plugin makes the call, in kebab case.
    pub fn skill(&self) -> &str {
        self.services.origin.skill()
    }

    /// Returns the `SessionOptions::extension` of the session, if it is a `T`.
    pub fn extension<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        self.services.origin.extension()?.downcast().ok()
    }

    /// Returns the table of the store's resources, for interfaces that use them. The limits of the call bound its size.
    pub fn table(&mut self) -> &mut ResourceTable {
        self.core.table()
    }
}

/// Methods of [`CallContext`] for Mitt's own crates.
pub trait CallContextInternal: Sized {
    /// Returns the data of a store for a call that `services` answer.
    fn new(core: StoreCore, services: Services) -> Self;

    /// Serves another call from now on.
    fn serve(&mut self, services: Services);
}

impl CallContextInternal for CallContext {
    fn new(core: StoreCore, services: Services) -> CallContext {
        CallContext { core, services }
    }

    fn serve(&mut self, services: Services) {
        self.services = services;
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
