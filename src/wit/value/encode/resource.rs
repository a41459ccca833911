//! Resources to handles: a number for each that a call gives out.

use super::super::handles::{Handles, handle};
use super::super::tables::parts;
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

/// Put the text of a handle in place of each resource.
fn name_handles(ty: &Type, val: &mut Val, handles: &mut dyn Handles) -> Result<()> {
    parts(ty, val, &mut |ty, val| {
        if let (Type::Own(resource), Val::Resource(found)) = (ty, &*val) {
            *val = Val::String(handle(resource, handles.give(resource, *found)?));
        }
        Ok(())
    })
}
