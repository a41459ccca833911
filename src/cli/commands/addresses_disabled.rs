//! Replaces `addresses.rs` in builds that fetch nothing.

use std::sync::Arc;

use crate::args::Global;
use mitt::Fetch;
use mitt_base::{Error, ErrorKind, Result};

/// No address is allowed.
#[derive(Clone)]
pub(super) struct Addresses;

impl Addresses {
    /// Refuses options that allow addresses.
    pub(super) fn of(global: &Global) -> Result<Addresses> {
        if global.fetch_hosts.is_empty() {
            return Ok(Addresses);
        }
        Err(Error::new(ErrorKind::Disabled("fetch"), "this build of mitt fetches no documents")
            .hint("use a build with the feature `fetch`, or leave out `--fetch-host`"))
    }

    pub(super) fn fetcher(&self) -> Option<Arc<dyn Fetch>> {
        None
    }

    pub(super) fn typed(&self, _: &str) -> Option<Arc<dyn Fetch>> {
        None
    }
}
