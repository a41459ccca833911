//! Replacement for `compile/` in builds without the feature `compile`, which run only code that was compiled ahead of time.

use std::borrow::Cow;
use std::hash::Hasher;

use wasmtime::Config;

use super::compiler::{Bound, Compiled, Compiler, Order};
use super::target::Target;
use mitt_base::{Error, ErrorKind, Remedy, Result};
use mitt_wit::value::Interface;

/// Nothing is compiled, so there are no bounds.
pub const BOUNDS: [Bound; 0] = [];

/// Would compile a component.
///
/// # Errors
///
/// Always [`ErrorKind::Disabled`].
pub(super) fn compile<'a>(
    _: &wasmtime::Engine,
    _: (Option<&dyn Compiler>, Order),
    _: impl FnOnce() -> Result<Cow<'a, [u8]>>,
) -> Result<Compiled> {
    Err(disabled())
}

/// Would check a component.
///
/// # Errors
///
/// Always [`ErrorKind::Disabled`].
pub(super) fn summarize(_: &[u8]) -> Result<(Interface, Vec<String>)> {
    Err(disabled())
}

#[cold]
fn disabled() -> Error {
    Error::new(
        ErrorKind::Disabled("compile"),
        "a `.wasm` component needs compiling, and this build has no compiler",
    )
    .remedy(Remedy::CompileElsewhere)
}

/// Would compile a checked component to native code.
///
/// # Errors
///
/// Always [`ErrorKind::Disabled`].
pub(super) fn native_code(_: &wasmtime::Engine, _: &[u8]) -> Result<Vec<u8>> {
    Err(Error::new(ErrorKind::Disabled("compile"), "this build of mitt has no compiler"))
}

/// Would return an engine that compiles for another processor.
///
/// # Errors
///
/// None; the attempt to compile fails later.
pub(super) fn engine_for(_: Target, _: Config) -> Result<Option<wasmtime::Engine>> {
    Ok(None)
}

/// There is no compiler to configure.
pub(super) fn configure(_: &mut Config) {}

/// A build without a compiler fills no cache, so there is nothing to look up.
pub(super) fn hash_around(_: &[u8], _: &mut impl Hasher) {}

pub(super) fn hash_settings(_: &wasmtime::Engine, _: &mut impl Hasher) {}
