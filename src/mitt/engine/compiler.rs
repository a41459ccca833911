//! The trait by which an engine asks where and when a component is compiled, and what comes of it.
#![cfg_attr(
    not(feature = "compile"),
    allow(dead_code, reason = "a build without a compiler asks for none")
)]

use std::time::Duration;

use mitt_base::Result;
use mitt_wit::value::Interface;

/// Compiles for an engine that has the same configuration as this one, or lets the engine do so itself.
///
/// What it is given was checked: it is a component within the bounds of this host.
pub(crate) trait Compiler: Send + Sync {
    /// Compile a component. Blocks, first until it is its turn.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`](mitt_base::ErrorKind::Load) - it cannot be compiled.
    /// [`ErrorKind::Limit`](mitt_base::ErrorKind::Limit) - it took too much time or memory, and would again.
    fn compile(&self, component: &[u8]) -> Result<Place>;

    /// How long a compilation may take.
    fn compile_time(&self) -> Duration;

    /// How long one call waits for a compilation.
    fn load_wait(&self) -> Duration;
}

/// Where a component is compiled.
pub(crate) enum Place {
    /// It was, elsewhere: native code, as `Engine::native_code` gives it.
    Elsewhere(Vec<u8>),
    /// It is the engine's turn to compile, as long as this is kept.
    Here(Box<dyn Send>),
}

/// What became of a component.
pub(super) struct Compiled {
    /// Native code as wasmtime writes it out.
    pub(super) code: Vec<u8>,
    /// Its exported functions and its imports.
    pub(super) interface: Interface,
    /// What an instance takes of the host's memory beside its memories and tables.
    pub(super) instance_bytes: u64,
}

/// A bound: what it counts, in which unit, and how much of it is allowed.
#[derive(Clone, Copy, Debug)]
pub struct Bound {
    /// Its name in lists.
    pub name: &'static str,
    /// What is counted.
    pub what: &'static str,
    /// The most that is allowed.
    pub most: u64,
}
