//! Compiling: from the bytes of a component to native code. The one folder that knows Cranelift and wasmparser, which only builds
//! with the feature `compile` have; the others have `compile_disabled.rs` in its place.
//!
//! Bytes go in and bytes come out, so that another process can do it. The engine's [`Compiler`] decides where it is done.
//! Knows no cache and no store.

mod check;
#[cfg(feature = "extism")]
pub(crate) mod extism;
#[cfg(not(feature = "extism"))]
#[path = "extism_disabled.rs"]
pub(crate) mod extism;
mod refused;

use std::borrow::Cow;
use std::hash::{Hash as _, Hasher};

use wasmtime::Config;

use super::compiler::{Compiled, Compiler, Order, Place};
use super::native_load;
use super::target::Target;
use check::Checked;
use mitt_base::{Error, ErrorKind, Result};
use mitt_wit::value::Interface;

pub use check::BOUNDS;

/// Check and compile a component, where `compiler` says, or in this process.
///
/// # Errors
///
/// [`ErrorKind::Load`] - it uses what this engine does not have, is too large or involved, its interface is not supported, or
/// wasmtime refuses what the check let pass.
/// [`ErrorKind::Limit`], [`ErrorKind::Busy`] - as [`Compiler::compile`].
pub(super) fn compile<'a>(
    engine: &wasmtime::Engine,
    (compiler, order): (Option<&dyn Compiler>, Order),
    component: impl FnOnce() -> Result<Cow<'a, [u8]>>,
) -> Result<Compiled> {
    let component = extism::component(component()?)?;
    let checked = Checked::new(&component)?;
    let mut interface = Interface::from_component(checked.bytes())?;
    extism::named(&mut interface);
    let place = compiler.map(|compiler| compiler.compile(checked.bytes(), order)).transpose()?;
    let code = match place {
        Some(Place::Elsewhere(code)) => code,
        Some(Place::Here(turn)) => {
            let code = native_code(engine, checked.bytes());
            drop(turn);
            code?
        }
        None => native_code(engine, checked.bytes())?,
    };
    Ok(Compiled { code, interface, instance_bytes: checked.instance_bytes() })
}

/// Check a component without compiling it: its interface, and the imports that need something to be there.
///
/// # Errors
///
/// [`ErrorKind::Load`] - as [`compile`], for what is found before anything is compiled.
pub(super) fn look(component: &[u8]) -> Result<(Interface, Vec<String>)> {
    let component = extism::component(Cow::Borrowed(component))?;
    let (mut interface, needs) = Interface::with_needs(Checked::new(&component)?.bytes())?;
    extism::named(&mut interface);
    Ok((interface, needs))
}

/// Native code of a component that was checked, for what `engine` compiles for.
///
/// # Errors
///
/// [`ErrorKind::Load`] - it cannot be compiled.
pub(super) fn native_code(engine: &wasmtime::Engine, component: &[u8]) -> Result<Vec<u8>> {
    engine.precompile_component(component).map_err(|error| {
        Error::new(ErrorKind::Load, "the component cannot be compiled")
            .caused_by(error.into_boxed_dyn_error())
    })
}

/// An engine of this configuration that compiles for another processor, and loads nothing; none for the one at hand.
///
/// # Errors
///
/// [`ErrorKind::Disabled`] - this build does not compile for `target`.
pub(super) fn engine_for(target: Target, mut config: Config) -> Result<Option<wasmtime::Engine>> {
    let Some((triple, flags)) = target.settings() else { return Ok(None) };
    let not_here = |error: wasmtime::Error| {
        let message = format!("this build does not compile for {target}");
        Error::new(ErrorKind::Disabled("cross"), message)
            .hint("compile there, or with a build that has the feature `cross`")
            .caused_by(error.into_boxed_dyn_error())
    };
    config.target(&triple).map_err(not_here)?;
    native_load::allow_features(&mut config, &flags);
    wasmtime::Engine::new(&config).map(Some).map_err(not_here)
}

/// What the compiler is told beyond the configuration that every build has.
pub(super) fn configure(config: &mut Config) {
    config.cranelift_nan_canonicalization(true);
}

/// What is put around the modules of a plug-in before it is compiled, and so decides its native code too. Of what is packed nobody
/// knows yet what it is.
pub(super) fn hash_around(stored: &[u8], hasher: &mut impl Hasher) {
    const COMPONENT: [u8; 8] = *b"\0asm\x0d\0\x01\0";

    if stored.get(..8) != Some(&COMPONENT) {
        extism::AROUND.hash(hasher);
    }
}

/// What of the engine's configuration decides what native code looks like.
pub(super) fn hash_settings(engine: &wasmtime::Engine, hasher: &mut impl Hasher) {
    engine.precompile_compatibility_hash().hash(hasher);
}
