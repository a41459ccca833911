//! Origin of a call, for capabilities of an embedder.

use std::any::Any;
use std::sync::Arc;

use super::shared::Nobody;

/// Origin of the call that a plugin runs for.
pub trait Origin: Send + Sync + 'static {
    /// Returns the tenant that owns the session.
    fn tenant(&self) -> &str;

    /// Returns the number of the session, unique in its host.
    fn session(&self) -> u64;

    /// Returns the name of the skill whose plugin runs, in kebab case.
    fn skill(&self) -> &str;

    /// Returns the value that the embedder attached to the session.
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
