//! Panics are caught at three edges: around a call, a document and a request. The work that panicked ends with an error;
//! nothing else is affected.
//!
//! The message of a panic may quote a document or an argument. It goes only to the panic hook of the program, which is for
//! the operator, and never into an answer.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};

use futures_util::FutureExt as _;

use crate::Error;

static CAUGHT: AtomicU64 = AtomicU64::new(0);

/// Runs `future`. If it panics it is dropped, and the returned error asks for a report and names `place`.
///
/// This is unwind-safe because shared values are valid after each step, or stand behind a lock that is never left halfway;
/// see [`locks`](crate::locks).
pub async fn caught<F: Future>(place: &'static str, future: F) -> Result<F::Output, Error> {
    AssertUnwindSafe(future).catch_unwind().await.map_err(|_| noticed(place))
}

/// Does what [`caught`] does for work that does not wait. Used to tidy up after a panic.
pub fn caught_now<R>(place: &'static str, work: impl FnOnce() -> R) -> Result<R, Error> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| noticed(place))
}

/// Returns how many panics were caught in this process.
pub fn count() -> u64 {
    CAUGHT.load(Ordering::Relaxed)
}

/// Counts a panic that was caught in `place`, and returns the error for it.
#[cold]
pub fn noticed(place: &'static str) -> Error {
    CAUGHT.fetch_add(1, Ordering::Relaxed);
    tracing::error!(
        place,
        "a panic was caught; its message was written where the program's panics go"
    );
    Error::bug(format!("{place} ended by an internal error"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    #[tokio::test]
    async fn a_panic_is_an_error_that_tells_nothing_of_it() {
        let before = count();
        let error = caught("the call", async { panic!("the secret is {}", 42) }).await;
        let error = error.unwrap_err();
        assert_eq!(
            error.render(),
            "the call ended by an internal error; this is a fault in mitt, please report it"
        );
        assert_eq!(*error.kind(), ErrorKind::Host);
        assert!(caught_now("it", || panic!("again")).is_err());
        assert!(count() >= before + 2);
        assert_eq!(caught("the call", async { 7 }).await.unwrap(), 7);
    }
}
