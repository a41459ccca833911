//! Where a call comes from, for capabilities of an embedder.

use std::any::Any;
use std::sync::Arc;

use super::shared::Nobody;

/// What is known of the call that a plugin runs for.
pub(crate) trait Origin: Send + Sync + 'static {
    /// Whose session it is.
    fn tenant(&self) -> &str;

    /// The number of the session in its host.
    fn session(&self) -> u64;

    /// The name of the skill whose plugin runs, in kebab case.
    fn skill(&self) -> &str;

    /// What the embedder gave to the session.
    fn extension(&self) -> Option<Arc<dyn Any + Send + Sync>>;
}

impl Origin for Nobody {
    fn tenant(&self) -> &str {
        ""
    }

    fn session(&self) -> u64 {
        0
    }

    fn skill(&self) -> &str {
        ""
    }

    fn extension(&self) -> Option<Arc<dyn Any + Send + Sync>> {
        None
    }
}
