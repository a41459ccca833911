//! Places for work that takes a thread. Tenants take turns, so that none of them waits for all work of another one.
//!
//! Rows and pages take milliseconds, comparisons seconds. Each kind has places of its own.

use std::time::Duration;

use mitt::internal::Admission;
use mitt::render::Cancel;
use mitt_base::limits::ConcurrencyLimits;
use mitt_base::{Result, panics};

/// Most short work at once. Drawing a page takes a thread for some 100 ms.
const MAX_PLACES: u64 = 4;

/// Most comparisons at once, one of a tenant.
const MAX_COMPARISONS: u64 = 2;

/// Most requests of a tenant that wait for a place, and how long they wait.
const QUEUE: u64 = 64;
const WAIT: Duration = Duration::from_secs(30);

/// How long work takes its thread.
#[derive(Clone, Copy, Debug)]
pub(super) enum Work {
    /// Milliseconds.
    Short,
    /// Seconds.
    Long,
}

/// Places of all tenants. A cheap handle.
#[derive(Clone, Debug)]
pub(super) struct Places {
    short: Admission,
    long: Admission,
}

impl Places {
    pub(super) fn new() -> Places {
        Places::of((mitt_base::processors::count() as u64).clamp(2, MAX_PLACES))
    }

    /// Makes places, at most `total` of them for short work. One tenant can have half of them.
    fn of(total: u64) -> Places {
        let limits =
            |total, per_tenant| ConcurrencyLimits { total, per_tenant, queue: QUEUE, wait: WAIT };
        Places {
            short: Admission::new("previews", limits(total, total / 2)),
            long: Admission::new("comparisons of files", limits(MAX_COMPARISONS, 1)),
        }
    }

    /// Runs `work` of a tenant on a thread, as soon as there is a place for it, and sets its cancel flag when the future is
    /// dropped. `doing` names the work in the error of a panic.
    ///
    /// # Errors
    ///
    /// Those of `work`. [`ErrorKind::Busy`](mitt_base::ErrorKind::Busy) - no place became free in time.
    pub(super) async fn run<R: Send + 'static>(
        &self,
        (kind, tenant): (Work, &str),
        doing: &'static str,
        work: impl FnOnce(&Cancel) -> Result<R> + Send + 'static,
    ) -> Result<R> {
        let places = match kind {
            Work::Short => &self.short,
            Work::Long => &self.long,
        };
        let place = places.acquire(tenant).await?;
        let cancel = Cancel::new();
        let _cancelled_on_drop = CancelOnDrop(cancel.clone());
        let work = move || {
            let result = cancel.check().and_then(|()| work(&cancel));
            // The work may outlive its caller, and needs its place until the end.
            drop(place);
            result
        };
        tokio::task::spawn_blocking(work).await.map_err(|_| panics::noticed(doing))?
    }
}

struct CancelOnDrop(Cancel);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::mpsc;
    use std::thread::sleep;

    use tokio::task::JoinHandle;
    use tokio::time::timeout;

    use super::*;

    const SOON: Duration = Duration::from_secs(20);

    /// Begins work that ends when the flag is set.
    fn held(
        places: &Places,
        (kind, tenant): (Work, &'static str),
        is_over: &Arc<AtomicBool>,
    ) -> JoinHandle<Result<()>> {
        let (places, is_over) = (places.clone(), is_over.clone());
        let work = move |_: &Cancel| {
            while !is_over.load(Ordering::Relaxed) {
                sleep(Duration::from_millis(1));
            }
            Ok(())
        };
        tokio::spawn(async move { places.run((kind, tenant), "waiting", work).await })
    }

    async fn is_quick(places: &Places, kind: Work, tenant: &str) -> bool {
        timeout(SOON, places.run((kind, tenant), "nothing", |_| Ok(()))).await.is_ok()
    }

    #[tokio::test]
    async fn no_tenant_waits_for_all_work_of_another_one() {
        for (total, kind) in [(2, Work::Short), (4, Work::Short), (2, Work::Long)] {
            let (places, is_over) = (Places::of(total), Arc::default());
            let all: Vec<_> = (0..6).map(|_| held(&places, (kind, "a"), &is_over)).collect();
            tokio::time::sleep(Duration::from_millis(20)).await;
            assert!(is_quick(&places, kind, "b").await, "{total} {kind:?}");
            assert!(all.iter().all(|it| !it.is_finished()));
            is_over.store(true, Ordering::Relaxed);
            for one in all {
                one.await.unwrap().unwrap();
            }
        }
    }

    #[tokio::test]
    async fn rows_do_not_wait_for_comparisons() {
        let (places, is_over) = (Places::of(2), Arc::default());
        let all = ["a", "b", "c"].map(|tenant| held(&places, (Work::Long, tenant), &is_over));
        tokio::time::sleep(Duration::from_millis(20)).await;
        assert!(is_quick(&places, Work::Short, "a").await);
        is_over.store(true, Ordering::Relaxed);
        for one in all {
            one.await.unwrap().unwrap();
        }
    }

    #[tokio::test]
    async fn work_ends_when_nobody_waits_for_it() {
        let (ended, has_ended) = mpsc::channel();
        let work = move |cancel: &Cancel| {
            while !cancel.is_cancelled() {
                sleep(Duration::from_millis(1));
            }
            let _ = ended.send(());
            Ok(())
        };
        let places = Places::of(2);
        let run = places.run((Work::Long, "a"), "waiting", work);
        assert!(timeout(Duration::from_millis(20), run).await.is_err());
        has_ended.recv_timeout(SOON).unwrap();
    }
}
