//! The imports of a component, without those that are types alone.

use wit_parser::{Resolve, TypeDefKind, TypeId, WorldId, WorldItem};

/// The imports of a component of which an instance cannot be made without them.
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
