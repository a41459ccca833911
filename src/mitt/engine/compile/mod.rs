//! Compiling: from a component that was checked to native code. The one place where Cranelift is called.
//!
//! Bytes go in and bytes come out, so that another process can do it. The engine's [`Compiler`] decides where it is done.
//! Knows no cache and no store.
//!
//! [`Compiler`]: super::Compiler

use super::check::Checked;
use super::{Engine, Place};
use mitt_base::{Error, ErrorKind, Result};
use mitt_wit::value::Interface;

/// What became of a component.
pub(super) struct Compiled {
    /// Native code as wasmtime writes it out.
    pub(super) code: Vec<u8>,
    /// Its exported functions and its imports.
    pub(super) interface: Interface,
}

/// Compile a component, where the engine's compiler says.
///
/// # Errors
///
/// [`ErrorKind::Load`] - its interface is not supported, or wasmtime refuses what the check let pass.
/// [`ErrorKind::Limit`], [`ErrorKind::Busy`] - as [`Compiler::compile`](super::Compiler::compile).
pub(super) fn compile(engine: &Engine, component: &Checked<'_>) -> Result<Compiled> {
    let interface = Interface::from_component(component.bytes())?;
    let compiler = engine.inner.compiler.as_ref();
    let place = compiler.map(|compiler| compiler.compile(component.bytes())).transpose()?;
    let code = match place {
        Some(Place::Elsewhere(code)) => code,
        Some(Place::Here(turn)) => {
            let code = engine.native_code(component.bytes());
            drop(turn);
            code?
        }
        None => engine.native_code(component.bytes())?,
    };
    Ok(Compiled { code, interface })
}

impl Engine {
    /// Native code of a component that was checked, for any engine of the same configuration.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - it cannot be compiled.
    pub(crate) fn native_code(&self, component: &[u8]) -> Result<Vec<u8>> {
        self.inner.wasmtime.precompile_component(component).map_err(|error| {
            Error::new(ErrorKind::Load, "the component cannot be compiled")
                .caused_by(error.into_boxed_dyn_error())
        })
    }
}
