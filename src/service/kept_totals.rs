//! Totals of the store for `/metrics`: a count that took long is used again for a while.

use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::store::{StoreResult, StoreTotals};

/// A count that took no longer than this is made for each request.
const SHORT: Duration = Duration::from_millis(250);

/// A longer count is used again for this many times as long as it took, so that counting takes a tenth of the time at most,
/// however many servers and programs ask.
const PAUSE: u32 = 9;

/// The last count of what a store holds, if counting took long.
#[derive(Default)]
pub(crate) struct KeptTotals {
    last: Mutex<Option<Count>>,
}

struct Count {
    totals: StoreTotals,
    good_until: Instant,
}

impl KeptTotals {
    /// Returns what the store holds now, as `count` finds it, or the last count if that took long and is not too old. Requests
    /// that come during a count wait for it.
    ///
    /// # Errors
    ///
    /// The store failed.
    pub(crate) async fn get(
        &self,
        count: impl AsyncFnOnce() -> StoreResult<StoreTotals>,
    ) -> StoreResult<StoreTotals> {
        let mut last = self.last.lock().await;
        if let Some(kept) = &*last
            && Instant::now() < kept.good_until
        {
            return Ok(kept.totals.clone());
        }
        let begun = Instant::now();
        let totals = count().await?;
        let took = begun.elapsed();
        let good_until = Instant::now() + took * PAUSE;
        *last = (took > SHORT).then(|| Count { totals: totals.clone(), good_until });
        Ok(totals)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts for a time, and returns the bytes of the totals.
    async fn counted(kept: &KeptTotals, bytes: u64, takes: Duration) -> u64 {
        let count = async || {
            tokio::time::sleep(takes).await;
            Ok(StoreTotals { bytes, ..StoreTotals::default() })
        };
        kept.get(count).await.unwrap().bytes
    }

    #[tokio::test(start_paused = true)]
    async fn a_long_count_is_used_again_for_nine_times_as_long() {
        let (kept, long) = (KeptTotals::default(), Duration::from_secs(2));
        assert_eq!(counted(&kept, 1, long).await, 1);
        tokio::time::advance(Duration::from_secs(17)).await;
        assert_eq!(counted(&kept, 2, long).await, 1);
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(counted(&kept, 3, long).await, 3);
    }

    #[tokio::test(start_paused = true)]
    async fn requests_that_come_together_wait_for_one_count() {
        let (kept, long) = (KeptTotals::default(), Duration::from_secs(2));
        assert_eq!(tokio::join!(counted(&kept, 1, long), counted(&kept, 2, long)), (1, 1));
    }

    #[tokio::test(start_paused = true)]
    async fn a_short_count_is_made_each_time_and_a_failed_one_is_forgotten() {
        let (kept, short) = (KeptTotals::default(), Duration::from_millis(20));
        assert_eq!(counted(&kept, 1, short).await, 1);
        assert_eq!(counted(&kept, 2, short).await, 2);
        let failed = async || {
            tokio::time::sleep(Duration::from_secs(2)).await;
            Err(crate::store::StoreError::Missing)
        };
        assert!(kept.get(failed).await.is_err());
        assert_eq!(counted(&kept, 3, short).await, 3);
    }
}
