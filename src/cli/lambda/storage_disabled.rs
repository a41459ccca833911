//! Replaces `storage.rs` in builds without a client of S3.

use std::sync::Arc;
use std::time::Duration;

use crate::args::Lambda;
use mitt::Fetch;
use mitt_base::{Error, ErrorKind, Result};

/// No object can be read or written.
#[derive(Debug)]
pub(super) struct Storage;

/// An object that was written for the caller.
#[derive(Clone, Debug)]
pub(super) struct StoredFile {
    pub(super) address: String,
    pub(super) link: String,
    pub(super) expires: String,
}

/// Returns `true` if an address is that of an object of S3.
fn is_object(url: &str) -> bool {
    url.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("s3://"))
}

impl Storage {
    pub(super) fn start(_: &Lambda) -> Result<Storage> {
        Ok(Storage)
    }

    /// Refuses objects of S3.
    pub(super) fn check(&self, url: &str) -> Result<()> {
        if !is_object(url) {
            return Ok(());
        }
        let message = "this build of mitt reads no objects of S3";
        Err(Error::new(ErrorKind::Disabled("lambda-s3"), message)
            .hint("use a build with the feature `lambda-s3`, or put the document into the event"))
    }

    pub(super) fn fetcher(
        self: &Arc<Storage>,
        other: Option<Arc<dyn Fetch>>,
    ) -> Option<Arc<dyn Fetch>> {
        other
    }

    pub(super) fn has_results(&self) -> bool {
        false
    }

    pub(super) fn stored(&self, _: &[&str], _: &str) -> Result<StoredFile> {
        Err(Error::bug("a file for S3 without a place for it"))
    }

    pub(super) async fn keep(&self, _: &[&str], _: (&str, &str), _: Vec<u8>) -> Result<StoredFile> {
        Err(Error::bug("a file for S3 without a place for it"))
    }

    pub(super) async fn settle(&self, _: Duration) {}
}
