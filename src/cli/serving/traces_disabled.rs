//! Replaces `traces.rs` in builds that send no traces.

use mitt_base::Result;
use tracing_subscriber::layer::Identity;

/// There are no traces.
pub(super) enum Traces {}

/// Disables all spans.
pub(super) const FILTER: &str = ",mitt::traces=off";

pub(super) fn start() -> Result<Option<Traces>> {
    Ok(None)
}

impl Traces {
    pub(super) fn layer(&self) -> Identity {
        match *self {}
    }
}
