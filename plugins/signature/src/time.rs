//! Times of PDF and ASN.1 as seconds since 1970.

use std::time::Duration;

use der::{DateTime, Decode as _};

/// Returns the time of a date in PDF, such as `D:20261127233101+01'00'`; `None` if it is none.
///
/// A date without a zone counts as UTC.
pub fn parse_pdf_date(text: &str) -> Option<i64> {
    let digits = text.trim().strip_prefix("D:").unwrap_or(text.trim());
    let split = digits.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(digits.len());
    let (digits, zone) = digits.split_at(split);
    let part = |range: std::ops::Range<usize>, default: u8| match digits.get(range) {
        Some(two) => two.parse().ok(),
        None => Some(default),
    };
    let year = digits.get(0..4)?.parse().ok()?;
    let local = seconds(
        year,
        part(4..6, 1)?,
        part(6..8, 1)?,
        part(8..10, 0)?,
        part(10..12, 0)?,
        part(12..14, 0)?,
    )?;
    let sign = match zone.chars().next() {
        Some('+') => -1,
        Some('-') => 1,
        _ => return Some(local),
    };
    let mut numbers = zone[1..].split('\'').map(|number| number.parse::<u8>().ok());
    let hours = numbers.next().flatten()?;
    let minutes = numbers.next().flatten().unwrap_or(0);
    if hours > 23 || minutes > 59 {
        return None;
    }
    Some(local + sign * (i64::from(hours) * 3600 + i64::from(minutes) * 60))
}

/// Returns the time of a `GeneralizedTime` in UTC. Time stamps have fractions of a second, which are dropped.
pub(crate) fn parse_generalized(value: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(value).ok()?.strip_suffix('Z')?;
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let is_number = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
    if whole.len() != 14 || !is_number(whole) || !is_number(fraction) {
        return None;
    }
    parse_pdf_date(whole)
}

/// Returns the time of a `Time` of ASN.1, which has two forms.
pub(crate) fn parse_asn1(der: &[u8]) -> Option<i64> {
    let time = x509_cert::time::Time::from_der(der).ok()?;
    i64::try_from(time.to_unix_duration().as_secs()).ok()
}

/// Returns the time as text: `2026-11-27 23:31:01 UTC`.
pub fn text(seconds: i64) -> String {
    let date = u64::try_from(seconds)
        .ok()
        .and_then(|seconds| DateTime::from_unix_duration(Duration::from_secs(seconds)).ok());
    match date {
        Some(date) => format!(
            "{:04}-{:02}-{:02} {:02}:{:02}:{:02} UTC",
            date.year(),
            date.month(),
            date.day(),
            date.hour(),
            date.minutes(),
            date.seconds()
        ),
        None => format!("{seconds} seconds since 1970"),
    }
}

fn seconds(year: u16, month: u8, day: u8, hour: u8, minute: u8, second: u8) -> Option<i64> {
    let date = DateTime::new(year, month, day, hour, minute, second).ok()?;
    i64::try_from(date.unix_duration().as_secs()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_pdf_with_and_without_zones() {
        let noon = 1_795_737_600 + 12 * 3600;
        assert_eq!(text(noon), "2026-11-27 12:00:00 UTC");
        for same in [
            "D:20261127120000Z",
            "D:20261127120000",
            "20261127120000+00'00'",
            "D:20261127130000+01'00'",
        ] {
            assert_eq!(parse_pdf_date(same), Some(noon), "{same}");
        }
        assert_eq!(parse_pdf_date("D:20261127073000-04'30"), Some(noon));
        assert_eq!(parse_pdf_date("D:2026"), Some(1_767_225_600));
        for wrong in
            ["", "D:", "D:20261327", "D:20261127120000+99'00'", "D:20261127120000+é", "yesterday"]
        {
            assert_eq!(parse_pdf_date(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn fractions_of_time_stamps_are_dropped() {
        assert_eq!(parse_generalized(b"20261127120000.123Z"), Some(1_795_737_600 + 12 * 3600));
        for wrong in [&b"20261127120000"[..], b"202611271200Z", b"20261127120000.x Z", b"\xff"] {
            assert_eq!(parse_generalized(wrong), None);
        }
    }
}
