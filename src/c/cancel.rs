//! Flags that end calls.

use mitt::render::Cancel;
use tokio_util::sync::CancellationToken;

/// A flag for calls and one for renderings, which are set together.
#[derive(Default)]
pub struct CancelObject {
    pub(crate) calls: CancellationToken,
    pub(crate) rendering: Cancel,
}

impl CancelObject {
    /// Ends the work to which the flag was given, and work to which it will be given.
    pub fn set(&self) {
        self.calls.cancel();
        self.rendering.cancel();
    }
}
