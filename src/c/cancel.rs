//! Flags that end calls.

use mitt::render::Cancel;
use tokio_util::sync::CancellationToken;

/// A flag for calls and one for renderings, which are set together.
#[derive(Default)]
pub(crate) struct CancelObject {
    pub(crate) calls: CancellationToken,
    pub(crate) rendering: Cancel,
}
