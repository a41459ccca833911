//! Runs a typesetter on a stack that is large enough for it.

use crate::{Pdf, PdfOptions};
use mitt_base::{Error, ErrorKind, Result};

/// Typesets on a thread with a stack of `stack_bytes`: layout recurses, and deep documents need more than a normal thread
/// has. A panic becomes an error.
pub(crate) fn on_own_stack(
    stack_bytes: usize,
    options: &PdfOptions,
    render: impl FnOnce() -> Result<Pdf> + Send,
) -> Result<Pdf> {
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .name("mitt-pdf".into())
            .stack_size(stack_bytes)
            .spawn_scoped(scope, render)
            .map_err(|error| Error::new(ErrorKind::Host, "cannot start a thread").caused_by(error))?
            .join()
            // A cancelled rendering may panic.
            .unwrap_or_else(|_| {
                options.common.cancel.check().and(Err(Error::bug("typesetting panicked")))
            })
    })
}
