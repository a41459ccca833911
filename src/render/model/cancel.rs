//! Ends a rendering early. Does not know who ends it, or why.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that ends a rendering from another thread. Clones share the flag.
///
/// A renderer reads the flag between steps, so it ends soon but not at once. It then returns an error of kind
/// [`ErrorKind::Host`](mitt_base::ErrorKind::Host); the caller, who set the flag, knows the true reason.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Creates a flag that is not set.
    pub fn new() -> Cancel {
        Cancel::default()
    }

    /// Ends the renderings that share this flag.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns `true` if the flag is set.
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
