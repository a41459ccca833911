//! Calls of Extism plug-ins: converts arguments to bytes, and bytes to a result, as the contract of the function says.

use std::sync::Arc;

use super::services::CallServices;
use crate::engine::{CallOutput, Resident};
use mitt_base::Result;
use mitt_skill::{Contracted, Tool, capability::CallContext};
use mitt_wit::schema;
use mitt_wit::value::{self, Json, TypedCall};

/// Calls a function of a plug-in in `instance`.
pub(super) async fn call_plug_in(
    instance: &mut Resident<CallContext>,
    (tool, contract): (&Tool, &Contracted),
    call: TypedCall,
    services: &Arc<CallServices>,
) -> CallOutput<Json> {
    let input = match contract.input(&tool.function, call) {
        Ok(input) => input,
        Err(error) => return CallOutput::failed(error),
    };
    let CallOutput { result, usage, printed } = instance.call_bytes(contract.name(), input).await;
    let result = result.and_then(|given| plug_in_result((tool, contract), given, services));
    CallOutput { result, usage, printed }
}

fn plug_in_result(
    (tool, contract): (&Tool, &Contracted),
    given: Result<Vec<u8>, Vec<u8>>,
    services: &Arc<CallServices>,
) -> Result<Json> {
    let value = contract.output(&tool.function, given)?;
    services.hold_result(value.as_ref())?;
    let result = value::result(&tool.function, value)?;
    // Members that the plug-in left out stay absent instead of becoming null.
    Ok(match &tool.function.result {
        Some(ty) => schema::without_absent_in(ty, result),
        None => result,
    })
}
