//! A plugin: a loaded component and its interface.
//!
//! Does not know where components come from; that is `load.rs`.

use std::sync::Arc;

use wasmtime::component::Component;
use wasmtime::component::types::ComponentItem;

use mitt_wit::value::Interface;

/// A component, ready to be instantiated. A cheap handle.
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

    /// What an instance takes of the host's memory beside its linear memories and tables, in bytes: globals, references to
    /// functions, imports, segments. It is charged to the memory of the store that it is made in.
    pub fn instance_bytes(&self) -> u64 {
        self.instance_bytes
    }

    /// How large its native code is, with what belongs to it, in bytes.
    pub fn native_bytes(&self) -> u64 {
        let image = self.component.image_range();
        (image.end as usize).saturating_sub(image.start as usize) as u64
    }

    /// Names of the imports that need something to be there: functions and resources. Types are only names for what the
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

    /// Its exported functions and its imports.
    pub fn interface(&self) -> &Arc<Interface> {
        &self.interface
    }
}

impl std::fmt::Debug for Plugin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Plugin").field("interface", &self.interface).finish_non_exhaustive()
    }
}
