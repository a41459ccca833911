//! Tests calls of functions: what is accepted, what is refused and in which words, and that every value survives the round
//! trip.

mod accepted;
mod exact;
mod narrow;
pub(crate) mod random;
mod refused;
mod text;
mod wave;

pub(crate) use super::read::tests::{function, interface_of};
use super::*;
use mitt_base::error::Result;
use wasmtime::component::Val;

/// Checks `json` as an argument `x` of type `ty`, with `items` in the same interface, and returns its value.
fn check_with(items: &str, ty: &str, json: &str) -> Result<Val> {
    let function = function(&format!("{items} f: func(x: {ty}) -> {ty};"));
    let arguments = Json::parse(format!("{{\"x\": {json}}}"), 1 << 20, 64)?;
    let call = UntypedCall { name: "test__f", arguments }.check(&function)?;
    let val = call.args()[0].clone();

    // Accepted values survive the round trip, and are accepted again as the same value.
    let Outcome::Value(encoded) = function.outcome(Some(val.clone()))? else { return Ok(val) };
    if !matches!(function.result.as_ref().map(Type::target), Some(Type::Result(_))) {
        let again = UntypedCall { name: "test__f", arguments: Json::object([("x", encoded)]) }
            .check(&function)?;
        assert_eq!(again.args()[0], val, "{ty} {json}");
    }
    Ok(val)
}

fn check(ty: &str, json: &str) -> Result<Val> {
    check_with("", ty, json)
}

/// Returns what `json` is after a round trip.
fn echo(items: &str, ty: &str, json: &str) -> String {
    let function = function(&format!("{items} f: func(x: {ty}) -> {ty};"));
    let val = check_with(items, ty, json).unwrap();
    match function.outcome(Some(val)).unwrap() {
        Outcome::Value(json) => json.to_string(),
        Outcome::Failure(failure) => format!("failed: {}", failure.message()),
    }
}
