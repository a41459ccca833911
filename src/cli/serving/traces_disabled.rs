//! This build sends no traces.

use mitt_base::Result;
use tracing_subscriber::layer::Identity;

/// None are.
pub(super) enum Traces {}

/// No spans are made.
pub(super) const FILTER: &str = ",mitt::traces=off";

pub(super) fn start() -> Result<Option<Traces>> {
    Ok(None)
}

impl Traces {
    pub(super) fn layer(&self) -> Identity {
        match *self {}
    }
}
