//! Twin of `otel.rs` for builds without the feature `otel`: there are no traces.

use tracing_subscriber::layer::Identity;

use mitt_base::Result;

pub(super) enum Traces {}

pub(super) fn start() -> Result<Option<Traces>> {
    Ok(None)
}

impl Traces {
    pub(super) fn layer(&self) -> Identity {
        match *self {}
    }
}
