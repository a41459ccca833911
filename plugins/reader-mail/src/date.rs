//! Dates and times of Windows.

/// Converts tenths of a microsecond since 1601 to ISO 8601 in UTC; `None` for a time that a mail cannot have.
pub(crate) fn of_windows(ticks: u64) -> Option<String> {
    const SECONDS_TO_1970: u64 = 11_644_473_600;
    const LAST_YEAR: i64 = 9_999;
    let seconds = (ticks / 10_000_000).checked_sub(SECONDS_TO_1970)?;
    let (days, second) = (i64::try_from(seconds / 86_400).ok()?, seconds % 86_400);
    // Days are counted in eras of 400 years that begin in March.
    let shifted = days + 719_468;
    let (era, day) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    (seconds > 0 && year <= LAST_YEAR).then(|| {
        let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_windows_are_those_of_the_calendar() {
        for (ticks, expected) in [
            (116_444_736_010_000_000, Some("1970-01-01T00:00:01Z")),
            (133_534_569_070_000_000, Some("2024-02-26T21:35:07Z")),
            (133_537_247_999_999_999, Some("2024-02-29T23:59:59Z")),
            (0, None),
            (u64::MAX, None),
        ] {
            assert_eq!(of_windows(ticks).as_deref(), expected);
        }
    }
}
