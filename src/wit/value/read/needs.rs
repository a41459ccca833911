//! Reads the interface of a component alone, and lists its imports other than types.

use super::super::types::Interface;
use mitt_base::error::Result;
use wit_parser::{Resolve, TypeDefKind, TypeId, WorldId, WorldItem};

impl Interface {
    /// Reads the interface of a component.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`](mitt_base::error::ErrorKind::Load) - the bytes are not a valid component, or its types are too
    /// large.
    pub fn from_component(bytes: &[u8]) -> Result<Interface> {
        Interface::with_needs(bytes).map(|(interface, _)| interface)
    }
}

/// Returns the imports without which a component cannot be instantiated.
pub(super) fn needs(resolve: &Resolve, world: WorldId) -> Vec<String> {
    let is_resource = |id: &TypeId| matches!(resolve.types[*id].kind, TypeDefKind::Resource);
    let is_needed = |item: &WorldItem| match item {
        WorldItem::Interface { id, .. } => {
            let interface = &resolve.interfaces[*id];
            !interface.functions.is_empty() || interface.types.values().any(is_resource)
        }
        WorldItem::Function(_) => true,
        WorldItem::Type { id, .. } => is_resource(id),
    };
    let imports = &resolve.worlds[world].imports;
    let needed = imports.iter().filter(|(_, item)| is_needed(item));
    needed.map(|(key, _)| resolve.name_world_key(key)).collect()
}
