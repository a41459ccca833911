//! How long a server asks to wait before another request.
//!
//! Knows headers. Does not decide whether a request is repeated, and knows no clock.

use std::time::{Duration, SystemTime};

use reqwest::header::HeaderMap;

/// Longest wait that is returned: a year is as good as never, and longer durations overflow.
const MAX_SECONDS: f64 = 31_536_000.0;

/// Returns how long the headers of a response ask to wait: `retry-after-ms` in milliseconds, otherwise `retry-after` in seconds or
/// as a date, for which `now` is the present time. `None` if they name no time.
pub fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    let number = |text: &str| text.parse().ok().filter(|n: &f64| n.is_finite() && *n >= 0.0);
    let seconds = |n: f64| Duration::from_secs_f64(n.min(MAX_SECONDS));
    if let Some(milliseconds) = text("retry-after-ms").and_then(number) {
        return Some(seconds(milliseconds / 1_000.0));
    }
    let after = text("retry-after")?;
    if let Some(n) = number(after) {
        return Some(seconds(n));
    }
    let date = httpdate::parse_http_date(after).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(name: &'static str, value: &str) -> Option<Duration> {
        let mut headers = HeaderMap::new();
        headers.insert(name, value.parse().unwrap());
        // Sun, 06 Nov 1994 08:49:37 GMT
        retry_after(&headers, SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777))
    }

    #[test]
    fn three_forms_of_retry_after() {
        let ms = |n| Some(Duration::from_millis(n));
        assert_eq!(after("retry-after-ms", "1500"), ms(1_500));
        assert_eq!(after("retry-after", " 2 "), ms(2_000));
        assert_eq!(after("retry-after", "0.25"), ms(250));
        assert_eq!(after("retry-after", "Sun, 06 Nov 1994 08:49:47 GMT"), ms(10_000));
        assert_eq!(after("retry-after", "Sun, 06 Nov 1994 08:49:07 GMT"), ms(0));
        for wrong in ["soon", "-1", "NaN", "inf", ""] {
            assert_eq!(after("retry-after", wrong), None, "{wrong}");
        }
        assert_eq!(after("retry-after", "1e300"), Some(Duration::from_secs(31_536_000)));
    }
}
