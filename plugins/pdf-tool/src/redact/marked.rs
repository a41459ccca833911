//! Texts that stand for marked content.

use crate::content::Operation;
use crate::object::Object;
use crate::redact::level::Level;
use crate::write::put_plain;

/// Removes texts that stand for marked content.
pub(super) fn strip(level: &mut Level, operation: &Operation<'_>) {
    let Some(Object::Dict(dict)) = operation.operands.get(1) else { return };
    if !["ActualText", "Alt", "E", "Contents"].iter().any(|it| dict.has(it)) {
        return;
    }
    let mut dict = dict.clone();
    for key in ["ActualText", "Alt", "E", "Contents"] {
        dict.remove(key);
    }
    let mut new = Vec::new();
    put_plain(&mut new, &operation.operands[0]);
    new.push(b' ');
    put_plain(&mut new, &Object::Dict(dict));
    new.push(b' ');
    new.extend_from_slice(operation.operator);
    level.edits.push((operation.span.clone(), new));
}
