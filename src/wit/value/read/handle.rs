//! Handles: of resources of a component, or of the host's own tables.

use std::sync::Arc;

use super::super::types::{ResourceType, Type};

/// The type of an owned handle.
pub(super) fn owned(resource: Arc<ResourceType>) -> Type {
    type_of(resource, Type::Own)
}

/// The type of a borrowed handle.
pub(super) fn borrowed(resource: Arc<ResourceType>) -> Type {
    type_of(resource, Type::Borrow)
}

/// Whether a type has a meaning that a further name does not change.
pub(super) fn is_well_known(ty: &Type) -> bool {
    matches!(
        ty,
        Type::Cell
            | Type::Table
            | Type::TableHandle
            | Type::Decimal
            | Type::Own(_)
            | Type::Borrow(_)
    )
}

/// The type of a handle: of the host's own tables, of whatever version, or of a resource of the component.
fn type_of(resource: Arc<ResourceType>, other: fn(Arc<ResourceType>) -> Type) -> Type {
    let interface = resource.instance.as_deref().and_then(|it| it.split('@').next());
    match (resource.name.as_str(), interface) {
        ("table", Some("mitt:host/tables")) => Type::TableHandle,
        _ => other(resource),
    }
}
