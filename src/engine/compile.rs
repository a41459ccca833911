//! Compiling: from a component that was checked to native code. The one place where Cranelift is called.
//!
//! A function of bytes to bytes, so that it can be done elsewhere, such as in a process of its own. Knows no cache and no store.

use super::check::Checked;
use crate::value::Interface;
use crate::{Error, ErrorKind, Result};

/// What became of a component.
pub(super) struct Compiled {
    /// Native code as wasmtime writes it out.
    pub(super) code: Vec<u8>,
    /// Its exported functions and its imports.
    pub(super) interface: Interface,
}

/// Compile a component.
///
/// # Errors
///
/// [`ErrorKind::Load`] - its interface is not supported, or wasmtime refuses what the check let pass.
pub(super) fn compile(engine: &wasmtime::Engine, component: &Checked<'_>) -> Result<Compiled> {
    let interface = Interface::from_component(component.bytes())?;
    let code = engine.precompile_component(component.bytes()).map_err(|error| {
        Error::new(ErrorKind::Load, "the component cannot be compiled")
            .caused_by(error.into_boxed_dyn_error())
    })?;
    Ok(Compiled { code, interface })
}
