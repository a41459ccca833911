//! The trait by which an engine asks where and when a component is compiled, and what comes of it.
#![cfg_attr(
    not(feature = "compile"),
    allow(dead_code, reason = "a build without a compiler asks for none")
)]

use std::time::Duration;

use super::target::Target;
use mitt_base::Result;
use mitt_wit::value::Interface;

/// Compiles for an engine that has the same configuration as this one, or lets the engine do so itself.
///
/// What it is given was checked: it is a component within the bounds of this host.
pub(crate) trait Compiler: Send + Sync {
    /// Compile a component as ordered. Blocks, first until it is its turn among those of its urgency.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`](mitt_base::ErrorKind::Load) - it cannot be compiled.
    /// [`ErrorKind::Limit`](mitt_base::ErrorKind::Limit) - it took too much time or memory, and would again.
    fn compile(&self, component: &[u8], order: Order) -> Result<Place>;

    /// How long a compilation may take.
    fn compile_time(&self) -> Duration;

    /// How long one call waits for a compilation.
    fn load_wait(&self) -> Duration;
}

/// Why a component is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Urgency {
    /// A call waits for it.
    Call,
    /// It will be needed: it must take nothing away from calls.
    Ahead,
}

/// What is to be made of a component, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Order {
    /// The processor that is to run it.
    pub(crate) target: Target,
    pub(crate) urgency: Urgency,
}

/// How a component is wanted, and who hears of it.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'a> {
    pub(crate) urgency: Urgency,
    /// Told `true` once it has to be compiled, and `false` if another process turns out to have done it.
    pub(crate) compiling: &'a dyn Fn(bool),
}

impl Wanted<'_> {
    /// At once, with nobody who wants to hear of it.
    pub(crate) const NOW: Wanted<'static> = Wanted { urgency: Urgency::Call, compiling: &|_| () };
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
