//! Converts seconds to dates. Knows no clock.

use std::fmt::Write as _;
use std::time::Duration;

/// A moment in the Gregorian calendar, UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Year; 1970 and later.
    pub year: i64,
    /// 1 to 12.
    pub month: u8,
    /// 1 to 31.
    pub day: u8,
    /// 0 to 23.
    pub hour: u8,
    /// 0 to 59.
    pub minute: u8,
    /// 0 to 59; leap seconds do not exist here.
    pub second: u8,
}

impl Moment {
    /// Returns the moment `time` after 1970-01-01 00:00 UTC. The date is Howard Hinnant's `civil_from_days`.
    pub fn after_epoch(time: Duration) -> Moment {
        let seconds = time.as_secs();
        let days = i64::try_from(seconds / 86_400).unwrap_or(0) + 719_468;
        let era = days.div_euclid(146_097);
        let day_of_era = days.rem_euclid(146_097);
        let year_of_era =
            (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        // Months count from March, so that the leap day is the last of the year.
        let shifted_month = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
        let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
        let small = |value: i64| u8::try_from(value).unwrap_or(0);
        let of_day = |unit: u64, modulus: u64| u8::try_from(seconds / unit % modulus).unwrap_or(0);
        Moment {
            year: year_of_era + era * 400 + i64::from(month <= 2),
            month: small(month),
            day: small(day),
            hour: of_day(3_600, 24),
            minute: of_day(60, 60),
            second: of_day(1, 60),
        }
    }
}

/// Returns the time as RFC 3339 in UTC, to the millisecond.
pub fn timestamp(time: Duration) -> String {
    let Moment { year, month, day, hour, minute, second } = Moment::after_epoch(time);
    let mut text = String::with_capacity(24);
    let two = |text: &mut String, value: u8, before: char| {
        text.push(before);
        text.push(char::from(b'0' + value / 10 % 10));
        text.push(char::from(b'0' + value % 10));
    };
    // Every entry of the journal has a timestamp, so only the year, which may have more digits, goes through the formatter.
    let _ = write!(text, "{year:04}");
    two(&mut text, month, '-');
    two(&mut text, day, '-');
    two(&mut text, hour, 'T');
    two(&mut text, minute, ':');
    two(&mut text, second, ':');
    let millis = u8::try_from(time.subsec_millis() / 10).unwrap_or(0);
    two(&mut text, millis, '.');
    text.push(char::from_digit(time.subsec_millis() % 10, 10).unwrap_or('0'));
    text.push('Z');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_827_696, "2000-02-29T12:34:56.000Z"),
            (1_735_689_599, "2024-12-31T23:59:59.000Z"),
            (4_102_444_800, "2100-01-01T00:00:00.000Z"),
        ] {
            assert_eq!(timestamp(Duration::from_secs(seconds)), text);
        }
        assert_eq!(timestamp(Duration::from_millis(12_907)), "1970-01-01T00:00:12.907Z");
        assert_eq!(timestamp(Duration::from_millis(61_089)), "1970-01-01T00:01:01.089Z");
    }
}
