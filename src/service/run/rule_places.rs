//! Places for reading rules about content that requests bring.

use std::time::Duration;

use mitt::internal::Admission;
use mitt_base::limits::ConcurrencyLimits;
use mitt_base::{Result, panics};

/// Name of the work in the error of a panic.
const READING: &str = "reading rules about content";

/// Returns places for reading rules of requests: two sets at once, one of a tenant, because their patterns take seconds.
pub(super) fn places() -> Admission {
    let wait = Duration::from_secs(30);
    let limits = ConcurrencyLimits { total: 2, per_tenant: 1, queue: 16, wait };
    Admission::new("sets of rules to check", limits)
}

/// Runs `work` with rules of a request on a thread of its own.
///
/// # Errors
///
/// [`ErrorKind::Busy`](mitt_base::ErrorKind::Busy) - no place became free in time.
pub(super) async fn elsewhere<R: Send + 'static>(
    places: &Admission,
    tenant: &str,
    work: impl FnOnce() -> R + Send + 'static,
) -> Result<R> {
    let place = places.acquire(tenant).await?;
    let work = move || {
        let done = work();
        // The work outlives a request that is given up, and needs its place until the end.
        drop(place);
        done
    };
    tokio::task::spawn_blocking(work).await.map_err(|_| panics::noticed(READING))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Instant;

    use super::*;

    #[tokio::test]
    async fn rules_are_checked_beside_the_server_and_one_set_of_a_tenant_at_a_time() {
        let places = places();
        let (at_once, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let read = |tenant| {
            let (at_once, most) = (at_once.clone(), most.clone());
            elsewhere(&places, tenant, move || {
                most.fetch_max(at_once.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                std::thread::sleep(Duration::from_millis(50));
                at_once.fetch_sub(1, Ordering::SeqCst);
            })
        };
        let begun = Instant::now();
        let others = async {
            tokio::task::yield_now().await;
            begun.elapsed()
        };
        let (first, second, others) = tokio::join!(read("a"), read("a"), others);
        assert!(first.is_ok() && second.is_ok() && others < Duration::from_millis(50));
        assert_eq!(most.load(Ordering::SeqCst), 1);
        let (first, second) = tokio::join!(read("a"), read("b"));
        assert!(first.is_ok() && second.is_ok());
    }
}
