//! The data of a store in which a plugin runs.

use super::services::Services;
use crate::engine::{StoreCore, StoreData};

/// Data of a store in which a tool or a script runs. The services are those of one call, even where the store outlives it.
pub(crate) struct CallContext {
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
}

impl StoreData for CallContext {
    fn core(&mut self) -> &mut StoreCore {
        &mut self.core
    }
}
