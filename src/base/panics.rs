//! Panics are caught at three edges: around a call, a document and a request. The work that panicked ends with an error;
//! nothing else is affected.
//!
//! The message of a panic may quote a document or an argument. It goes only to the panic hook of the program, which is for
//! the operator, and never into an answer.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};

use futures_util::FutureExt as _;

use crate::{Error, ErrorKind};

static CAUGHT: AtomicU64 = AtomicU64::new(0);

/// Runs `future`. If it panics it is dropped, and the returned error asks for a report and names `place`. If tokio panicked because
/// its runtime is missing or has no timer, the error says so instead.
///
/// This is unwind-safe because shared values are valid after each step, or stand behind a lock that is never left halfway;
/// see [`locks`](crate::locks).
pub async fn caught<F: Future>(place: &'static str, future: F) -> Result<F::Output, Error> {
    let caught = AssertUnwindSafe(future).catch_unwind().await;
    caught.map_err(|payload| runtime_fault(place, &*payload).unwrap_or_else(|| noticed(place)))
}

/// Returns the error for a panic of tokio whose cause is the caller's runtime. tokio has no method that asks whether a runtime has
/// a timer, so the message is all there is to go by; it quotes nothing.
fn runtime_fault(place: &str, payload: &(dyn Any + Send)) -> Option<Error> {
    let message = match payload.downcast_ref::<&str>() {
        Some(message) => message,
        None => payload.downcast_ref::<String>()?.as_str(),
    };
    let missing = if message.contains("timers are disabled") {
        "a timer, and this tokio runtime has none"
    } else if message.contains("there is no reactor running") {
        "a tokio runtime, and there is none here"
    } else {
        return None;
    };
    Some(
        Error::new(ErrorKind::Host, format!("{place} needs {missing}"))
            .hint("build the runtime with `enable_all()` or `enable_time()`"),
    )
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
    use std::time::Duration;

    use super::*;

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

    #[test]
    fn a_runtime_without_a_timer_is_named_as_the_cause() {
        let bare = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let sleep = || caught("the call", async { tokio::time::sleep(Duration::ZERO).await });
        let error = bare.block_on(sleep()).unwrap_err();
        assert_eq!(
            error.render(),
            "the call needs a timer, and this tokio runtime has none\n\
             hint: build the runtime with `enable_all()` or `enable_time()`"
        );
        let error = futures_util::FutureExt::now_or_never(sleep()).unwrap().unwrap_err();
        assert_eq!(error.to_string(), "the call needs a tokio runtime, and there is none here");
        assert_eq!(*error.kind(), ErrorKind::Host);
    }
}
