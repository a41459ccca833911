//! Handles of resources in JSON: the string `h:<type>:<n>`, which callers treat as opaque.
//!
//! Knows the form of a handle. Only [`Handles`] knows which resource it stands for, who owns it and whether it is live;
//! stores and instances are unknown here.

use super::types::ResourceType;
use mitt_base::error::Result;
use std::collections::BTreeMap;
use std::sync::Arc;
use wasmtime::component::ResourceAny;

/// The handles that calls of one skill may name: the skill's part of a session's table.
pub trait Handles {
    /// Returns the resource of handle `number` if it is live, has type `ty` and belongs to the skill.
    ///
    /// # Errors
    ///
    /// Why it does not, as the end of a sentence about the handle: `which an earlier call consumed`. Empty if no such handle
    /// was ever given out.
    fn find(&self, number: u64, ty: &ResourceType) -> Result<ResourceAny, String>;

    /// Returns the numbers of the skill's live handles of type `ty`, in ascending order.
    fn live(&self, ty: &ResourceType) -> Vec<u64>;

    /// Assigns a number, never used before, to a resource that a call returns.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Limit`](mitt_base::ErrorKind::Limit) - too many handles are live.
    fn give(&mut self, ty: &Arc<ResourceType>, resource: ResourceAny) -> Result<u64>;
}

/// Returns handle `number` of a resource of type `ty` in its JSON form: `h:reader:3`.
pub fn handle(ty: &ResourceType, number: u64) -> String {
    format!("h:{}:{number}", ty.name)
}

/// Returns the type name and the number of a handle. `None` for any other text.
pub fn parse_handle(text: &str) -> Option<(&str, u64)> {
    let (name, digits) = text.strip_prefix("h:")?.rsplit_once(':')?;
    let canonical = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
    (canonical && !name.is_empty()).then(|| Some((name, digits.parse().ok()?)))?
}

/// The handles among the arguments of one call.
pub(super) struct GivenHandles<'h> {
    pub(super) table: Option<&'h dyn Handles>,
    /// By number; `true` if the call takes ownership.
    given: BTreeMap<u64, bool>,
}

impl<'h> GivenHandles<'h> {
    pub(super) fn new(table: Option<&'h dyn Handles>) -> GivenHandles<'h> {
        GivenHandles { table, given: BTreeMap::new() }
    }

    /// Returns the numbers of those that the call takes ownership of.
    pub(super) fn consumed(&self) -> Vec<u64> {
        self.given.iter().filter(|(_, owned)| **owned).map(|(number, _)| *number).collect()
    }

    /// Returns the resource of `text`, or why there is none, as the end of a sentence, perhaps empty.
    pub(super) fn take(
        &mut self,
        table: &dyn Handles,
        ty: &ResourceType,
        text: &str,
        owned: bool,
    ) -> Result<ResourceAny, String> {
        let parsed = parse_handle(text).filter(|(name, _)| *name == ty.name);
        let (_, number) = parsed.ok_or_else(String::new)?;
        let found = table.find(number, ty)?;
        match self.given.insert(number, owned) {
            // wasmtime would refuse it in the middle of the call, and the store would end.
            Some(before) if owned || before => {
                Err("which is given twice, although the call consumes it".into())
            }
            _ => Ok(found),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_are_written_in_one_way() {
        let ty = ResourceType { name: "big-reader".into(), instance: None };
        for number in [1, 10, u64::MAX] {
            assert_eq!(parse_handle(&handle(&ty, number)), Some(("big-reader", number)));
        }
        for text in [
            "",
            "h",
            "h:",
            "h::1",
            "h:a",
            "h:a:",
            "h:a:0",
            "h:a:01",
            "h:a:+1",
            "h:a:-1",
            "h:a:1 ",
            " h:a:1",
            "H:a:1",
            "a:1",
            "h:a:1.0",
            "h:a:18446744073709551616",
            "h:a:١",
        ] {
            assert_eq!(parse_handle(text), None, "{text}");
        }
    }
}
