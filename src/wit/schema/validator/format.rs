//! Formats of texts.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::node::Format;

impl Format {
    /// Returns the format of this name; `None` if it is not checked.
    pub(super) fn from_name(name: &str) -> Option<Format> {
        Some(match name {
            "date" => Format::Date,
            "date-time" => Format::DateTime,
            "email" => Format::Email,
            "ipv4" => Format::Ipv4,
            "ipv6" => Format::Ipv6,
            "time" => Format::Time,
            "uuid" => Format::Uuid,
            _ => return None,
        })
    }

    /// Returns whether a text has this format.
    pub(super) fn has(self, text: &str) -> bool {
        match self {
            Format::Date => is_date(text),
            Format::DateTime => {
                let parts = text.split_once(['T', 't', ' ']);
                parts.is_some_and(|(date, time)| is_date(date) && is_time(time))
            }
            Format::Email => text.rsplit_once('@').is_some_and(|(name, host)| {
                let has_space = text.chars().any(char::is_whitespace);
                !name.is_empty() && !host.is_empty() && !has_space
            }),
            Format::Ipv4 => text.parse::<Ipv4Addr>().is_ok(),
            Format::Ipv6 => text.parse::<Ipv6Addr>().is_ok(),
            Format::Time => is_time(text),
            Format::Uuid => is_uuid(text),
        }
    }
}

/// Returns a number of exactly this many digits.
fn digits(text: &str, count: usize) -> Option<u32> {
    let is_number = text.len() == count && text.bytes().all(|it| it.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

/// `2026-02-28`
fn is_date(text: &str) -> bool {
    let mut parts = text.split('-');
    let (year, month, day) = (parts.next(), parts.next(), parts.next());
    let number = |part: Option<&str>, count| part.and_then(|it| digits(it, count));
    let (Some(year), Some(month), Some(day)) = (number(year, 4), number(month, 2), number(day, 2))
    else {
        return false;
    };
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + u32::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return false,
    };
    parts.next().is_none() && (1..=days).contains(&day)
}

/// `23:59:60.5Z`, `10:00:00+01:00`
fn is_time(text: &str) -> bool {
    let Some((clock, zone)) = text.find(['Z', 'z', '+', '-']).map(|at| text.split_at(at)) else {
        return false;
    };
    let (clock, fraction) = clock.split_once('.').map_or((clock, None), |(a, b)| (a, Some(b)));
    let is_fraction = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    let has_zone = match zone {
        "Z" | "z" => true,
        zone => is_clock(&zone[1..], 2),
    };
    is_clock(clock, 3) && fraction.is_none_or(is_fraction) && has_zone
}

/// Returns whether a text is two or three numbers of two digits: hours, minutes and seconds, of which there may be 60.
fn is_clock(text: &str, count: usize) -> bool {
    let most = [23, 59, 60];
    let parts: Vec<_> = text.split(':').collect();
    let fits = |(part, most): (&&str, &u32)| digits(part, 2).is_some_and(|it| it <= *most);
    parts.len() == count && parts.iter().zip(&most).all(fits)
}

fn is_uuid(text: &str) -> bool {
    let parts: Vec<_> = text.split('-').collect();
    let is_hex = |part: &&str| part.bytes().all(|it| it.is_ascii_hexdigit());
    parts.iter().map(|it| it.len()).eq([8, 4, 4, 4, 12]) && parts.iter().all(is_hex)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_days_that_exist_are_dates() {
        for text in ["2024-02-29", "2000-02-29", "2023-02-28", "2023-04-30", "2023-12-31"] {
            assert!(is_date(text), "{text}");
        }
        for text in [
            "2023-02-29",
            "1900-02-29",
            "2024-02-30",
            "2023-04-31",
            "2023-06-31",
            "2023-12-32",
            "2023-13-01",
            "2023-00-01",
            "2023-01-00",
            "2023-1-01",
            "2023-01-01-01",
            "23-01-01",
        ] {
            assert!(!is_date(text), "{text}");
        }
    }
}
