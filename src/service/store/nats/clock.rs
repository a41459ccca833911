//! The time of the servers.

use std::sync::Mutex;
#[cfg(test)]
use std::sync::{Arc, atomic::AtomicU64};
use std::time::Duration;

use serde_json::Value;
use tokio::time::Instant;

use super::connection::{Connection, Place, Tried, Trouble};
use mitt_base::lock;

/// Time for which what a server said is counted on by the monotonic clock of this process. If that stands still, as with a
/// machine that sleeps, the time is too early and no lease seems to have ended.
const COUNTED: Duration = Duration::from_secs(5);

/// Returns the time of the servers.
#[derive(Default)]
pub(super) struct Clock {
    /// What a server said, and when.
    said: Mutex<Option<(u64, Instant)>>,
    /// Time that tests set.
    #[cfg(test)]
    fixed_ms: Option<Arc<AtomicU64>>,
}

impl Clock {
    /// Returns a clock that says what a test sets.
    #[cfg(test)]
    pub(super) fn fixed(time_ms: Arc<AtomicU64>) -> Clock {
        Clock { fixed_ms: Some(time_ms), ..Clock::default() }
    }

    /// Notes the time that an answer of a server says.
    pub(super) fn note(&self, answer: &Value) {
        let said = answer["ts"].as_str().and_then(milliseconds);
        if let Some(said) = said {
            *lock(&self.said) = Some((said, Instant::now()));
        }
    }

    /// Returns the time in milliseconds after 1970.
    pub(super) async fn now_ms(&self, connection: &Connection) -> Tried<u64> {
        #[cfg(test)]
        if let Some(fixed) = &self.fixed_ms {
            return Ok(fixed.load(std::sync::atomic::Ordering::Relaxed));
        }
        for _ in 0..2 {
            if let Some((said, when)) = *lock(&self.said)
                && when.elapsed() < COUNTED
            {
                return Ok(said + when.elapsed().as_millis() as u64);
            }
            let info = connection.info(Place::Entries).await?;
            self.note(&info.unwrap_or_default());
        }
        Err(Trouble::passing("a server did not say the time").into())
    }
}

/// Returns the milliseconds after 1970 of a time such as `2026-11-29T09:26:38.709907148Z`.
fn milliseconds(text: &str) -> Option<u64> {
    let (date, time) = text.strip_suffix('Z')?.split_once('T')?;
    let mut date = date.splitn(3, '-').map(|part| part.parse::<u64>().ok());
    let (year, month, day) = (date.next()??, date.next()??, date.next()??);
    let (time, fraction) = time.split_once('.').unwrap_or((time, ""));
    let mut time = time.splitn(3, ':').map(|part| part.parse::<u64>().ok());
    let (hour, minute, second) = (time.next()??, time.next()??, time.next()??);
    if !(1970..10_000).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    // Days since 1 March of year 0, so that a leap day ends a year.
    let (years, months) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days =
        365 * years + years / 4 - years / 100 + years / 400 + (153 * months + 2) / 5 + day - 1;
    let days = days.checked_sub(719_468)?;
    let digits = format!("{fraction:0<3}");
    let fraction: u64 = digits.get(..3)?.parse().ok()?;
    Some((((days * 24 + hour) * 60 + minute) * 60 + second) * 1000 + fraction)
}

#[cfg(test)]
mod unit_tests {
    use super::*;

    #[test]
    fn times_of_servers_are_read() {
        assert_eq!(milliseconds("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(milliseconds("2024-02-29T23:59:59.5Z"), Some(1_709_251_199_500));
        assert_eq!(milliseconds("2026-11-29T09:26:38.709907148Z"), Some(1_795_944_398_709));
        for wrong in ["", "2026-11-29", "2026-13-29T09:26:38Z", "x-11-29T09:26:38Z"] {
            assert_eq!(milliseconds(wrong), None, "{wrong}");
        }
    }
}
