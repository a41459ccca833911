//! Resources to handles: a number for each that a call gives out.

use super::super::handles::{Handles, handle};
use super::super::types::{Function, Type};
use super::Outcome;
use mitt_base::error::Result;
use wasmtime::component::Val;

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
