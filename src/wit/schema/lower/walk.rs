//! The schemas inside of a schema that was written for a client.

use serde_json::{Map, Value};

/// Where a schema stands in another one.
#[derive(Clone, Copy)]
pub(super) enum Place<'a> {
    /// It is the property of this name.
    Property(&'a str),
    /// It is the definition of this name.
    Definition(&'a str),
    /// It describes items, other properties, or is an alternative.
    Inside,
}

/// Visits the schemas directly inside of one, in the order in which they are written.
pub(super) fn each(
    keywords: &mut Map<String, Value>,
    mut visit: impl FnMut(Place<'_>, &mut Value),
) {
    if let Some(Value::Object(parts)) = keywords.get_mut("properties") {
        parts.iter_mut().for_each(|(name, part)| visit(Place::Property(name), part));
    }
    if let Some(Value::Object(parts)) = keywords.get_mut("$defs") {
        parts.iter_mut().for_each(|(name, part)| visit(Place::Definition(name), part));
    }
    for keyword in ["items", "additionalProperties"] {
        if let Some(part) = keywords.get_mut(keyword) {
            visit(Place::Inside, part);
        }
    }
    if let Some(Value::Array(parts)) = keywords.get_mut("anyOf") {
        parts.iter_mut().for_each(|part| visit(Place::Inside, part));
    }
}
