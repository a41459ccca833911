//! Dates and times as numbers of days, and as ISO 8601 text.

/// Returns the days since 1970-01-01 of a date of the Gregorian calendar.
pub(crate) fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Returns year, month and day of days since 1970-01-01.
pub(crate) fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

/// Returns the serial number of a day. Excel counts a 29 February 1900 that never was.
pub(crate) fn day_serial(year: i64, month: i64, day: i64, from_1904: bool) -> f64 {
    let days = days_from_civil(year, month, day);
    let serial = days + 25_569;
    let serial = if from_1904 {
        serial - 1462
    } else if serial < 61 {
        serial - 1
    } else {
        serial
    };
    serial as f64
}

/// Returns year, month and day of a serial number.
pub(crate) fn serial_day(serial: f64, from_1904: bool) -> (i64, i64, i64) {
    let whole = serial.floor() as i64;
    if from_1904 {
        return civil_from_days(whole + 1462 - 25_569);
    }
    match whole {
        60 => (1900, 2, 29),
        0 => (1900, 1, 0),
        whole if whole < 60 => civil_from_days(whole + 1 - 25_569),
        whole => civil_from_days(whole - 25_569),
    }
}

/// Returns the serial number of an ISO 8601 text, and `true` if it has a time.
pub(crate) fn serial(text: &str, from_1904: bool) -> Option<(f64, bool)> {
    let (date, time) = match text.split_once(['T', ' ']) {
        Some((date, time)) => (date, Some(time)),
        None => (text, None),
    };
    let parts: Vec<&str> = date.split('-').collect();
    let [year, month, day] = parts[..] else { return None };
    if (year.len(), month.len(), day.len()) != (4, 2, 2) {
        return None;
    }
    let (year, month, day) = (year.parse().ok()?, month.parse().ok()?, day.parse().ok()?);
    if !(1900..=9999).contains(&year)
        || days_from_civil(year, month, day) != round_trip(year, month, day)?
    {
        return None;
    }
    let serial = day_serial(year, month, day, from_1904);
    match time {
        None => Some((serial, false)),
        Some(time) => Some((serial + clock(time.trim_end_matches('Z'))?, true)),
    }
}

fn round_trip(year: i64, month: i64, day: i64) -> Option<i64> {
    let days = days_from_civil(year, month, day);
    (civil_from_days(days) == (year, month, day)).then_some(days)
}

/// Returns the part of a day of `08:30` or `08:30:00.5`.
pub(crate) fn clock(text: &str) -> Option<f64> {
    let parts: Vec<&str> = text.split(':').collect();
    let number = |at: usize| match parts.get(at) {
        Some(part) => part.parse::<f64>().ok().filter(|it| *it >= 0.0),
        None => Some(0.0),
    };
    if !(2..=3).contains(&parts.len()) || parts.iter().any(|it| it.is_empty()) {
        return None;
    }
    let (hours, minutes, seconds) = (number(0)?, number(1)?, number(2)?);
    (hours < 24.0 && minutes < 60.0 && seconds < 60.0)
        .then(|| (hours * 3600.0 + minutes * 60.0 + seconds) / 86_400.0)
}

/// Returns a serial number as ISO 8601 text.
pub(crate) fn iso(serial: f64, from_1904: bool) -> String {
    let seconds = (serial.fract().abs() * 86_400.0).round() as i64;
    let (day, seconds) =
        if seconds >= 86_400 { (serial.floor() + 1.0, 0) } else { (serial.floor(), seconds) };
    let (year, month, date) = serial_day(day, from_1904);
    let clock = format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    match (day as i64, seconds) {
        (0, _) if !from_1904 => clock,
        (_, 0) => format!("{year:04}-{month:02}-{date:02}"),
        _ => format!("{year:04}-{month:02}-{date:02}T{clock}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_have_the_numbers_of_excel() {
        for (text, expected) in [
            ("1900-01-01", 1.0),
            ("1900-02-28", 59.0),
            ("1900-03-01", 61.0),
            ("2024-02-29", 45351.0),
        ] {
            assert_eq!(serial(text, false), Some((expected, false)));
            assert_eq!(iso(expected, false), text);
        }
        assert_eq!(serial("1904-01-02", true), Some((1.0, false)));
        assert_eq!(serial("2024-01-01T12:00", false), Some((45292.5, true)));
        assert_eq!(iso(45292.5, false), "2024-01-01T12:00:00");
        assert_eq!(serial("2023-02-29", false), None);
        assert_eq!(serial_day(60.0, false), (1900, 2, 29));
    }
}
