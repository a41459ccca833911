//! Compilation from the bytes of a component to native code. This is the only folder that uses Cranelift and wasmparser, which
//! are present only in builds with the feature `compile`; other builds have `compile_disabled.rs` instead.
//!
//! Input and output are bytes, so that another process can do the work. The engine's [`Compiler`] decides where it is done. Knows
//! no cache and no store.

mod check;
#[cfg(feature = "extism")]
pub mod extism;
#[cfg(not(feature = "extism"))]
#[path = "extism_disabled.rs"]
pub mod extism;
mod refused;

use std::borrow::Cow;
use std::hash::{Hash as _, Hasher};

use wasmtime::Config;

use super::compiler::{CompileLocation, Compiled, Compiler, Order};
use super::native_load;
use super::target::Target;
use check::Checked;
use mitt_base::{Error, ErrorKind, Result};
use mitt_wit::value::Interface;

pub use check::BOUNDS;

/// Checks and compiles a component, in the place that `compiler` chooses or in this process.
///
/// # Errors
///
/// [`ErrorKind::Load`] - it uses unsupported features, is too large or too complex, has an unsupported interface, or wasmtime
/// refuses it although the check passed.
/// [`ErrorKind::Limit`], [`ErrorKind::Busy`] - see [`Compiler::compile`].
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
        Some(CompileLocation::Elsewhere(code)) => code,
        Some(CompileLocation::Here(turn)) => {
            let code = native_code(engine, checked.bytes());
            drop(turn);
            code?
        }
        None => native_code(engine, checked.bytes())?,
    };
    Ok(Compiled { code, interface, instance_bytes: checked.instance_bytes() })
}

/// Checks a component without compiling it. Returns its interface, and the imports that must be provided.
///
/// # Errors
///
/// [`ErrorKind::Load`] - same as [`compile`], for errors that are found before compilation.
pub(super) fn summarize(component: &[u8]) -> Result<(Interface, Vec<String>)> {
    let component = extism::component(Cow::Borrowed(component))?;
    let (mut interface, needs) = Interface::with_needs(Checked::new(&component)?.bytes())?;
    extism::named(&mut interface);
    Ok((interface, needs))
}

/// Compiles a checked component to native code for the target of `engine`.
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

/// Returns an engine of this configuration that compiles for another processor and loads nothing. `None` if `target` is this
/// processor.
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

/// Configures the compiler in addition to the settings of every build.
pub(super) fn configure(config: &mut Config) {
    config.cranelift_nan_canonicalization(true);
}

/// Hashes the code that is generated around the modules of a plug-in, which affects the native code. Compressed bytes may be a
/// plug-in, so it is hashed for them, too.
pub(super) fn hash_around(stored: &[u8], hasher: &mut impl Hasher) {
    const COMPONENT: [u8; 8] = *b"\0asm\x0d\0\x01\0";

    if stored.get(..8) != Some(&COMPONENT) {
        extism::AROUND.hash(hasher);
    }
}

/// Hashes the engine's configuration, as far as it affects native code.
pub(super) fn hash_settings(engine: &wasmtime::Engine, hasher: &mut impl Hasher) {
    engine.precompile_compatibility_hash().hash(hasher);
}
