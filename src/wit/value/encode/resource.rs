//! Encodes resources as handles, with a number for each that a call returns.

use super::super::handles::{Handles, handle};
use super::super::tables::parts;
use super::super::types::{Function, Type};
use super::Outcome;
use mitt_base::error::Result;
use wasmtime::component::Val;

impl Function {
    /// Does what [`Function::outcome`] does for a function that returns handles of resources: each gets a number from
    /// `handles`.
    ///
    /// # Errors
    ///
    /// Those of [`Function::outcome`] and [`Handles::give`]. The caller must take back handles that were assigned before the
    /// error.
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

/// Replaces each resource by its handle.
fn name_handles(ty: &Type, val: &mut Val, handles: &mut dyn Handles) -> Result<()> {
    parts(ty, val, &mut |ty, val| {
        if let (Type::Own(resource), Val::Resource(found)) = (ty, &*val) {
            *val = Val::String(handle(resource, handles.give(resource, *found)?));
        }
        Ok(())
    })
}
