//! Converts dates and times between columns and ISO 8601 texts.

const DAY: i64 = 86_400_000_000;

/// Returns year, month and day of days since 1970-01-01.
fn date(days: i64) -> (i64, i64, i64) {
    // Years begin in March, so that a leap day is the last day.
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

/// Returns days since 1970-01-01 as `2024-12-31`.
pub(crate) fn date_text(days: i64) -> String {
    let (year, month, day) = date(days);
    format!("{year:04}-{month:02}-{day:02}")
}

/// Does what [`date_text`] does for the years 0 to 9999, which are all that columns have.
pub(crate) fn short_date(days: i64) -> Option<[u8; 10]> {
    let (year, month, day) = date(days);
    let mut text = *b"0000-00-00";
    let mut rest = u16::try_from(year).ok().filter(|year| *year <= 9_999)?;
    for digit in text[..4].iter_mut().rev() {
        *digit += (rest % 10) as u8;
        rest /= 10;
    }
    for (at, number) in [(5, month), (8, day)] {
        text[at] += (number / 10) as u8;
        text[at + 1] += (number % 10) as u8;
    }
    Some(text)
}

/// Returns microseconds since midnight as `08:30:00`, with a fraction if needed.
pub(crate) fn time_text(micros: i64) -> String {
    let seconds = micros / 1_000_000;
    let text = format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    match micros % 1_000_000 {
        0 => text,
        rest => format!("{text}.{rest:06}").trim_end_matches('0').to_owned(),
    }
}

/// Returns microseconds since 1970-01-01T00:00:00 as `2024-12-31T08:30:00`.
pub(crate) fn date_time_text(micros: i64) -> String {
    format!("{}T{}", date_text(micros.div_euclid(DAY)), time_text(micros.rem_euclid(DAY)))
}

/// Parses the result of [`date_text`] to days since 1970-01-01.
pub(crate) fn parse_date(text: &str) -> Option<i32> {
    // From the year 10000 on, days are no longer in the order of their texts, and larger numbers would overflow.
    if text.len() != 10 {
        return None;
    }
    let mut parts = text.splitn(3, '-');
    let mut part = || parts.next()?.parse::<i64>().ok();
    let (year, month, day) = (part()?, part()?, part()?);
    let shifted = if month <= 2 { year - 1 } else { year };
    let era = shifted.div_euclid(400);
    let year_of_era = shifted.rem_euclid(400);
    let day_of_year = (153 * (if month > 2 { month - 3 } else { month + 9 }) + 2) / 5 + day - 1;
    let days = era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100
        + day_of_year
        - 719_468;
    // A date that does not exist, such as 30 February, gives another text.
    (date_text(days) == text).then(|| i32::try_from(days).ok()).flatten()
}

/// Parses the result of [`time_text`] to microseconds since midnight.
pub(crate) fn parse_time(text: &str) -> Option<i64> {
    let (clock, fraction) = text.split_once('.').unwrap_or((text, ""));
    let mut parts = clock.splitn(3, ':').map(|part| part.parse::<i64>().ok());
    let (hour, minute, second) = (parts.next()??, parts.next()??, parts.next()??);
    let fraction: i64 = format!("{fraction:0<6}").parse().ok()?;
    let micros = ((hour * 60 + minute) * 60 + second) * 1_000_000 + fraction;
    (micros < DAY && time_text(micros) == text).then_some(micros)
}

/// Parses the result of [`date_time_text`] to microseconds since 1970-01-01T00:00:00.
pub(crate) fn parse_date_time(text: &str) -> Option<i64> {
    let (date, time) = text.split_once('T')?;
    Some(i64::from(parse_date(date)?) * DAY + parse_time(time)?)
}

#[cfg(test)]
mod tests {
    use super::{
        date_text, date_time_text, parse_date, parse_date_time, parse_time, short_date, time_text,
    };

    #[test]
    fn there_and_back() {
        for (days, text) in [
            (0, "1970-01-01"),
            (19_782, "2024-02-29"),
            (-1, "1969-12-31"),
            (2_932_896, "9999-12-31"),
        ] {
            assert_eq!(date_text(days), text);
            assert_eq!(short_date(days).as_ref().map(|text| &text[..]), Some(text.as_bytes()));
            assert_eq!(parse_date(text).map(i64::from), Some(days));
        }
        for days in -719_528..2_932_897 {
            let text = short_date(days).unwrap();
            assert!(days % 97 != 0 || text == *date_text(days).as_bytes(), "{days}");
        }
        assert_eq!((short_date(-719_529), short_date(2_932_897)), (None, None));
        for text in ["00:00:00", "08:30:00", "23:59:59.5", "12:00:00.000001"] {
            assert_eq!(time_text(parse_time(text).unwrap()), text);
            let both = format!("2024-12-31T{text}");
            assert_eq!(date_time_text(parse_date_time(&both).unwrap()), both);
        }
        for text in ["2024-02-30", "2024-1-1", "24:00:00", "8:30:00", ""] {
            assert_eq!((parse_date(text), parse_time(text)), (None, None), "{text}");
        }
    }
}
