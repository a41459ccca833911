//! Panics are caught at three edges: around a call, a document and a request. The one that panicked ends as an error; nothing
//! else is affected.
//!
//! What a panic says may quote a document or an argument. It goes to the panic hook of the program, which is the operator's,
//! and never into an answer.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};

use futures_util::FutureExt as _;

use crate::Error;

static CAUGHT: AtomicU64 = AtomicU64::new(0);

/// Carry out `future`, in which `place` happens. If it panics it is dropped, and the error asks to report it.
///
/// Whatever it shared is valid at every step, or behind a lock that nobody holds halfway: that is looked at where the locks
/// are.
pub async fn caught<F: Future>(place: &'static str, future: F) -> Result<F::Output, Error> {
    AssertUnwindSafe(future).catch_unwind().await.map_err(|_| noticed(place))
}

/// As [`caught`], of what does not wait. Used where something is tidied up after a panic.
pub fn caught_now<R>(place: &'static str, work: impl FnOnce() -> R) -> Result<R, Error> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| noticed(place))
}

/// How many were caught in this process.
pub fn count() -> u64 {
    CAUGHT.load(Ordering::Relaxed)
}

/// Count a panic that was caught in `place`, and say what is told of it.
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
