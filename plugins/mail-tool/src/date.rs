//! Dates as mails have them.

const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Returns a date of RFC 3339 in the form of RFC 5322; `None` if it is none.
pub(crate) fn mail_date(text: &str) -> Option<String> {
    let text = text.trim();
    if !text.is_ascii() || text.len() < 20 {
        return None;
    }
    let (local, rest) = text.split_at(19);
    let number = |from: usize, to: usize| -> Option<i32> {
        let digits = local.get(from..to)?;
        digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
    };
    let marks: String = [4, 7, 10, 13, 16].iter().filter_map(|&at| local.chars().nth(at)).collect();
    if !matches!(&*marks, "--T::" | "--t::" | "-- ::") {
        return None;
    }
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let last = match month {
        2 => 28 + i32::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    let is_valid = year >= 1900
        && (1..=12).contains(&month)
        && (1..=last).contains(&day)
        && hour < 24
        && minute < 60
        && second <= 60;
    if !is_valid {
        return None;
    }
    // Fractions of a second are left out.
    let offset = match rest.strip_prefix('.') {
        Some(rest) => {
            let offset = rest.trim_start_matches(|c: char| c.is_ascii_digit());
            (offset.len() < rest.len()).then_some(offset)?
        }
        None => rest,
    };
    let offset = match offset.as_bytes() {
        b"Z" | b"z" => "+0000".to_owned(),
        [sign @ (b'+' | b'-'), a, b, b':', c, d] => {
            let digits = [*a, *b, *c, *d];
            let is_valid = digits.iter().all(u8::is_ascii_digit)
                && &digits[..2] < b"24".as_slice()
                && &digits[2..] < b"60".as_slice();
            is_valid.then(|| {
                std::iter::once(sign).chain(&digits).map(|&byte| char::from(byte)).collect()
            })?
        }
        _ => return None,
    };
    let day_name = DAYS[weekday(year, month, day)];
    let month_name = MONTHS[usize::try_from(month - 1).ok()?];
    Some(format!(
        "{day_name}, {day} {month_name} {year} {hour:02}:{minute:02}:{second:02} {offset}"
    ))
}

/// Returns the day of the week, 0 for Monday, by Sakamoto's method.
fn weekday(year: i32, month: i32, day: i32) -> usize {
    const SHIFTS: [i32; 12] = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4];
    let year = if month < 3 { year - 1 } else { year };
    let shift = usize::try_from(month - 1).map_or(0, |at| SHIFTS[at]);
    let sunday_first = (year + year / 4 - year / 100 + year / 400 + shift + day) % 7;
    usize::try_from((sunday_first + 6) % 7).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::mail_date;

    #[test]
    fn dates() {
        for (text, expected) in [
            ("2026-11-27T22:54:47Z", Some("Fri, 27 Nov 2026 22:54:47 +0000")),
            ("2024-02-29T08:00:00.25+08:00", Some("Thu, 29 Feb 2024 08:00:00 +0800")),
            ("2000-01-01 00:00:00-05:30", Some("Sat, 1 Jan 2000 00:00:00 -0530")),
            ("2023-02-29T08:00:00Z", None),
            ("2026-13-01T08:00:00Z", None),
            ("2026-11-27", None),
            ("2026-11-27T22:54:47", None),
            ("2026-11-27T22:54:47+99:00", None),
            ("2026-11-27T22:54:47+08:75", None),
            ("2026-11-27T22:54:47Z\r\nBcc: a@b.c", None),
            ("2026-11-27T+2:54:47Z", None),
            ("明天", None),
        ] {
            assert_eq!(mail_date(text).as_deref(), expected, "{text}");
        }
    }
}
