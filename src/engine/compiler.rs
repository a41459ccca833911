//! Trait by which an engine chooses where and when a component is compiled, and the result of compilation.
#![cfg_attr(
    not(feature = "compile"),
    allow(dead_code, reason = "unused in builds without a compiler")
)]

use std::time::Duration;

use super::target::Target;
use mitt_base::Result;
use mitt_wit::value::Interface;

/// Compiles for an engine of the same configuration, or lets the engine compile itself.
///
/// The component has been checked: it is within the bounds of this host.
pub trait Compiler: Send + Sync {
    /// Compiles a component as ordered. Blocks until it is its turn among those of its urgency, and while it compiles.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`](mitt_base::ErrorKind::Load) - it cannot be compiled.
    /// [`ErrorKind::Limit`](mitt_base::ErrorKind::Limit) - it took too much time or memory, and would do so again.
    fn compile(&self, component: &[u8], order: Order) -> Result<CompileLocation>;

    /// Returns how long a compilation may take.
    fn compile_time(&self) -> Duration;

    /// Returns how long one call waits for a compilation.
    fn load_wait(&self) -> Duration;
}

/// Reason why a component is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Urgency {
    /// A call waits for it.
    Call,
    /// It will be needed later, so it must not delay calls.
    Ahead,
}

/// Target and urgency of a compilation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order {
    /// Processor that the code is for.
    pub target: Target,
    /// Urgency of the compilation.
    pub urgency: Urgency,
}

/// Urgency of a load, and a listener to its compilation.
#[derive(Clone, Copy)]
pub struct Wanted<'a> {
    /// Urgency of a compilation, if the component must be compiled.
    pub urgency: Urgency,
    /// Called with `true` when the component must be compiled, and with `false` if another process turns out to have done it.
    pub compiling: &'a dyn Fn(bool),
}

impl Wanted<'_> {
    /// Urgent, without a listener.
    pub(crate) const NOW: Wanted<'static> = Wanted { urgency: Urgency::Call, compiling: &|_| () };
}

/// Place where a component is compiled.
pub enum CompileLocation {
    /// It was compiled elsewhere: the native code, as from `Engine::native_code`.
    Elsewhere(Vec<u8>),
    /// The engine must compile it now, while it holds this guard.
    Here(Box<dyn Send>),
}

/// Result of compiling a component.
pub(super) struct Compiled {
    /// Native code as serialised by wasmtime.
    pub(super) code: Vec<u8>,
    /// Exported functions and imports.
    pub(super) interface: Interface,
    /// Host memory of an instance in addition to its memories and tables, in bytes.
    pub(super) instance_bytes: u64,
}

/// Bound on a part of a component.
#[derive(Clone, Copy, Debug)]
pub struct Bound {
    /// Name in lists.
    pub name: &'static str,
    /// Description of what is counted, with its unit.
    pub what: &'static str,
    /// Largest allowed value.
    pub most: u64,
}
