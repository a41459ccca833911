//! Types of handles: of a component's resources, or of the host's tables.

use std::sync::Arc;

use super::super::types::{ResourceType, Type};

/// Returns the type of an owned handle.
pub(super) fn owned(resource: Arc<ResourceType>) -> Type {
    type_of(resource, Type::Own)
}

/// Returns the type of a borrowed handle.
pub(super) fn borrowed(resource: Arc<ResourceType>) -> Type {
    type_of(resource, Type::Borrow)
}

/// Returns `true` for a type whose meaning another name does not change.
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

/// Returns the type of a handle: of the host's own tables, in any version, or of a resource of the component.
fn type_of(resource: Arc<ResourceType>, other: fn(Arc<ResourceType>) -> Type) -> Type {
    let interface = resource.instance.as_deref().and_then(|it| it.split('@').next());
    match (resource.name.as_str(), interface) {
        ("table", Some("mitt:host/tables")) => Type::TableHandle,
        _ => other(resource),
    }
}
