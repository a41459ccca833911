//! The one way to end a rendering early. Knows nothing of who wants it ended, or why.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that ends a rendering from another thread. Clones share the flag.
///
/// A renderer looks at it between steps, so it ends soon but not at once. What it returns then is an error of kind
/// [`ErrorKind::Host`](mitt_base::ErrorKind::Host); the caller, who set the flag, knows the true reason.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// A flag that is not set.
    pub fn new() -> Cancel {
        Cancel::default()
    }

    /// End the renderings that look at this flag.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the flag is set.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// # Errors
    ///
    /// [`ErrorKind::Host`](mitt_base::ErrorKind::Host) - the flag is set.
    pub fn check(&self) -> mitt_base::Result<()> {
        if self.is_cancelled() {
            return Err(mitt_base::Error::new(
                mitt_base::ErrorKind::Host,
                "rendering was cancelled",
            ));
        }
        Ok(())
    }
}
