//! Handles of resources in JSON: the string `h:<type>:<n>`, opaque to whoever holds it.
//!
//! Knows the form of a handle and where one may stand. What a handle stands for, whose it is and whether it is live,
//! only [`Handles`] knows; stores and instances are not known here.

use super::decode::Decoder;
use super::encode::Outcome;
use super::json::Json;
use super::path::Path;
use super::problem::{expected, listed, shown};
use super::types::{Function, ResourceType, Type};
use mitt_base::error::Result;
use std::collections::BTreeMap;
use std::sync::Arc;
use wasmtime::component::{ResourceAny, Val};

/// The handles that one skill's calls may name: its part of a session's table.
pub trait Handles {
    /// The resource that handle `number` stands for, if it is live, of type `ty`, and the skill's own.
    ///
    /// # Errors
    ///
    /// Why it is none of these, as the end of a sentence about the handle: `which an earlier call consumed`. Empty
    /// when there is nothing to say but that no such handle was given out.
    fn find(&self, number: u64, ty: &ResourceType) -> Result<ResourceAny, String>;

    /// The numbers of the skill's live handles of type `ty`, ascending.
    fn live(&self, ty: &ResourceType) -> Vec<u64>;

    /// A number, never used before, for a resource that a call gives out.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Limit`](mitt_base::ErrorKind::Limit) - too many handles are live.
    fn give(&mut self, ty: &Arc<ResourceType>, resource: ResourceAny) -> Result<u64>;
}

/// Handle `number` of a resource of type `ty`, as JSON has it: `h:reader:3`.
pub fn handle(ty: &ResourceType, number: u64) -> String {
    format!("h:{}:{number}", ty.name)
}

/// The name of the type and the number that a handle is made of. None for any other text.
pub fn parse_handle(text: &str) -> Option<(&str, u64)> {
    let (name, digits) = text.strip_prefix("h:")?.rsplit_once(':')?;
    let canonical = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
    (canonical && !name.is_empty()).then(|| Some((name, digits.parse().ok()?)))?
}

/// The handles among the arguments of one call.
pub(super) struct GivenHandles<'h> {
    table: Option<&'h dyn Handles>,
    /// By number, and whether the call takes ownership.
    given: BTreeMap<u64, bool>,
}

impl<'h> GivenHandles<'h> {
    pub(super) fn new(table: Option<&'h dyn Handles>) -> GivenHandles<'h> {
        GivenHandles { table, given: BTreeMap::new() }
    }

    /// Numbers of those that the call takes ownership of.
    pub(super) fn consumed(&self) -> Vec<u64> {
        self.given.iter().filter(|(_, owned)| **owned).map(|(number, _)| *number).collect()
    }

    /// What `text` stands for; or why nothing, as the end of a sentence that may be empty.
    fn take(
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
            // wasmtime would refuse it in the middle of the call, and end the store.
            Some(before) if owned || before => {
                Err("which is given twice, although the call consumes it".into())
            }
            _ => Ok(found),
        }
    }
}

impl Decoder<'_> {
    /// The resource that a handle of type `ty` stands for.
    pub(super) fn handle(
        &mut self,
        ty: &Type,
        resource: &ResourceType,
        told: &Type,
        json: &Json,
        at: &Path<'_>,
    ) -> Option<Val> {
        let Some(table) = self.handles.table else {
            return self.fail(at, || {
                format!(
                    "`{ty}` has no JSON form without a session, so this function cannot be called"
                )
            });
        };
        let owned = matches!(ty, Type::Own(_));
        let found = match json {
            Json::String(text) => self.handles.take(table, resource, text, owned),
            _ => Err(String::new()),
        };
        let why = match found {
            Ok(found) => return Some(Val::Resource(found)),
            Err(why) if why.is_empty() => why,
            Err(why) => format!(", {why}"),
        };
        self.fail(at, || {
            let live = table.live(resource);
            let names: Vec<String> = live.iter().map(|number| handle(resource, *number)).collect();
            let live = match names.is_empty() {
                true => format!("; no handle of `{}` is live", resource.name),
                false => listed(names.iter().map(String::as_str), "the live handles are"),
            };
            format!("expected {}, got {}{why}{live}", expected(told), shown(json))
        })
    }
}

impl Function {
    /// As [`Function::outcome`], for a function that gives out handles of resources: each gets a number of `handles`.
    ///
    /// # Errors
    ///
    /// As [`Function::outcome`] and [`Handles::give`]. Handles that were given out until then are the caller's to take
    /// back.
    pub fn outcome_with(
        &self,
        mut result: Option<Val>,
        handles: &mut dyn Handles,
    ) -> Result<Outcome> {
        if let (Some(ty), Some(val)) = (&self.result, &mut result) {
            name_handles(ty, val, handles)?;
        }
        self.outcome(result)
    }
}

/// Put the text of a handle in place of each resource. A value is as deep as its type, which bounds the recursion.
fn name_handles(ty: &Type, val: &mut Val, handles: &mut dyn Handles) -> Result<()> {
    match (ty.target(), val) {
        (Type::Own(resource), val) => {
            if let Val::Resource(found) = *val {
                *val = Val::String(handle(resource, handles.give(resource, found)?));
            }
        }
        (Type::List(element), Val::List(items))
        | (Type::FixedList(element, _), Val::FixedLengthList(items)) => {
            for item in items {
                name_handles(element, item, handles)?;
            }
        }
        (Type::Tuple(types), Val::Tuple(items)) => {
            for (ty, item) in types.iter().zip(items) {
                name_handles(ty, item, handles)?;
            }
        }
        (Type::Map(types), Val::Map(pairs)) => {
            for (_, value) in pairs {
                name_handles(&types.1, value, handles)?;
            }
        }
        (Type::Record(record), Val::Record(fields)) => {
            for (field, (_, val)) in record.fields.iter().zip(fields) {
                name_handles(&field.ty, val, handles)?;
            }
        }
        (Type::Variant(variant), Val::Variant(name, Some(val))) => {
            let case = variant.cases.iter().find(|case| case.name == *name);
            if let Some(ty) = case.and_then(|case| case.ty.as_ref()) {
                name_handles(ty, val, handles)?;
            }
        }
        (Type::Option(inner), Val::Option(Some(val))) => name_handles(inner, val, handles)?,
        (Type::Result(types), Val::Result(Ok(Some(val)))) => {
            if let Some(ty) = &types.0 {
                name_handles(ty, val, handles)?;
            }
        }
        (Type::Result(types), Val::Result(Err(Some(val)))) => {
            if let Some(ty) = &types.1 {
                name_handles(ty, val, handles)?;
            }
        }
        _ => {}
    }
    Ok(())
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
