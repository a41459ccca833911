//! The trait by which an engine asks where and when a component is compiled.

use std::time::Duration;

use mitt_base::Result;

/// Compiles for an engine that has the same configuration as this one, or lets the engine do so itself.
///
/// What it is given was checked: it is a component within the bounds of this host.
pub trait Compiler: Send + Sync {
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
pub enum Place {
    /// It was, elsewhere: native code, as `Engine::native_code` gives it.
    Elsewhere(Vec<u8>),
    /// It is the engine's turn to compile, as long as this is kept.
    Here(Box<dyn Send>),
}
