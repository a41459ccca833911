//! Decides when a request is repeated, and how long that waits.
//!
//! Knows status codes. Sends nothing and knows no clock.

use std::time::Duration;

/// Most times that a request is sent, including the first.
pub(super) const TRIES: u32 = 4;

/// Longest wait before the second try. It doubles with each further try.
pub(super) const BACKOFF: Duration = Duration::from_millis(500);

/// Longest wait. If a service asks for more, the caller gets the error at once.
pub(super) const MAX_WAIT: Duration = Duration::from_secs(60);

/// Returns `true` if the same request may succeed later. 409 is not among them: the conflict would still be there.
pub(super) fn is_retryable(status: u16) -> bool {
    matches!(status, 408 | 429 | 500 | 502 | 503 | 504 | 529)
}

/// Returns how long to wait after `tried` failures: the larger of what the service asks for and a random part of the
/// backoff, so that many clients do not return together. `random` is from 0 to 1.
pub(super) fn wait(
    tried: u32,
    backoff: Duration,
    after: Option<Duration>,
    random: f64,
) -> Result<Duration, Duration> {
    let rung = backoff.saturating_mul(1 << tried.saturating_sub(1).min(16)).min(MAX_WAIT);
    let wait = rung.mul_f64(random).max(after.unwrap_or_default());
    if wait > MAX_WAIT { Err(wait) } else { Ok(wait) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_and_the_larger_counts() {
        let ms = Duration::from_millis;
        let waits = [1, 2, 3].map(|tried| wait(tried, BACKOFF, None, 1.0).unwrap());
        assert_eq!(waits, [ms(500), ms(1_000), ms(2_000)]);
        assert_eq!(wait(1, BACKOFF, None, 0.5), Ok(ms(250)));
        assert_eq!(wait(3, BACKOFF, Some(ms(100)), 1.0), Ok(ms(2_000)));
        assert_eq!(wait(1, BACKOFF, Some(ms(7_000)), 1.0), Ok(ms(7_000)));
        assert_eq!(wait(1, BACKOFF, Some(MAX_WAIT), 1.0), Ok(MAX_WAIT));
        assert_eq!(wait(1, BACKOFF, Some(ms(60_001)), 1.0), Err(ms(60_001)));
        assert_eq!(wait(u32::MAX, Duration::MAX, None, 1.0), Ok(MAX_WAIT));
    }

    #[test]
    fn what_passes() {
        let retryable: Vec<u16> = (100..600).filter(|status| is_retryable(*status)).collect();
        assert_eq!(retryable, [408, 429, 500, 502, 503, 504, 529]);
    }
}
