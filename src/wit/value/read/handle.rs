//! Handles: of resources of a component, or of the host's own tables.

use std::sync::Arc;

use super::super::types::{ResourceType, Type};

/// The type of a handle: of the host's own tables, of whatever version, or of a resource of the component.
pub(super) fn type_of(resource: Arc<ResourceType>, other: fn(Arc<ResourceType>) -> Type) -> Type {
    let interface = resource.instance.as_deref().and_then(|it| it.split('@').next());
    match (resource.name.as_str(), interface) {
        ("table", Some("mitt:host/tables")) => Type::TableHandle,
        _ => other(resource),
    }
}
