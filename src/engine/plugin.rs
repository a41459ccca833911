//! Plugin: a loaded component and its interface.
//!
//! Does not know where components come from; `load.rs` does.

use std::sync::Arc;

use wasmtime::component::Component;
use wasmtime::component::types::ComponentItem;

use mitt_wit::value::Interface;

/// Component that is ready to be instantiated. A cheap handle.
#[derive(Clone)]
pub struct Plugin {
    pub(super) component: Component,
    interface: Arc<Interface>,
    instance_bytes: u64,
}

impl Plugin {
    pub(super) fn new(component: Component, interface: Interface, instance_bytes: u64) -> Plugin {
        Plugin { component, interface: Arc::new(interface), instance_bytes }
    }

    /// Returns the host memory that an instance takes in addition to its linear memories and tables, in bytes: globals, function
    /// references, imports, segments. It is charged to the memory of the instance's store.
    pub fn instance_bytes(&self) -> u64 {
        self.instance_bytes
    }

    /// Returns the size of the native code with its metadata, in bytes.
    pub fn native_bytes(&self) -> u64 {
        let image = self.component.image_range();
        (image.end as usize).saturating_sub(image.start as usize) as u64
    }

    /// Returns the names of the imports that must be provided: functions and resources. Imported types only name what the
    /// component itself defines.
    pub(crate) fn needs(&self) -> Vec<String> {
        let engine = self.component.engine();
        let component = self.component.component_type();
        let needed = component.imports(engine).filter(|(_, import)| match &import.ty {
            ComponentItem::Type(_) => false,
            ComponentItem::ComponentInstance(instance) => instance
                .exports(engine)
                .any(|(_, export)| !matches!(export.ty, ComponentItem::Type(_))),
            _ => true,
        });
        needed.map(|(name, _)| name.to_owned()).collect()
    }

    /// Returns exported functions and imports.
    pub fn interface(&self) -> &Arc<Interface> {
        &self.interface
    }
}

impl std::fmt::Debug for Plugin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Plugin").field("interface", &self.interface).finish_non_exhaustive()
    }
}
