//! Durations and sizes as people write them.

use std::time::Duration;

use mitt_base::limits::{KIB, MIB};

/// Parses a duration: `500ms`, `15s`, `2m`, `1h`, or several units in descending order, such as `1m30s`. `None` for anything
/// else.
pub fn parse_duration(text: &str) -> Option<Duration> {
    const UNITS: [(&str, u64); 4] = [("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];
    let mut rest = text;
    let mut millis: u64 = 0;
    // Each unit may occur once, in descending order.
    let mut allowed = &UNITS[..];
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let number: u64 = rest[..digits].parse().ok()?;
        rest = &rest[digits..];
        let unit_end = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let position = allowed.iter().position(|(unit, _)| *unit == &rest[..unit_end])?;
        millis = millis.checked_add(number.checked_mul(allowed[position].1)?)?;
        allowed = &allowed[position + 1..];
        rest = &rest[unit_end..];
    }
    (!text.is_empty()).then(|| Duration::from_millis(millis))
}

/// Parses a size: `64MiB`, `512KiB`, `1GiB`, or a number of bytes. `None` for anything else.
pub fn parse_size(text: &str) -> Option<u64> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let number: u64 = text[..digits].parse().ok()?;
    let unit = match &text[digits..] {
        "" => 1,
        "KiB" => KIB,
        "MiB" => MIB,
        "GiB" => 1024 * MIB,
        _ => return None,
    };
    number.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        for (text, millis) in [
            ("500ms", 500),
            ("15s", 15_000),
            ("2m", 120_000),
            ("1h", 3_600_000),
            ("1m30s", 90_000),
            ("1h2m3s4ms", 3_723_004),
            ("0s", 0),
        ] {
            assert_eq!(parse_duration(text), Some(Duration::from_millis(millis)), "{text}");
        }
        for text in [
            "",
            "15",
            "s",
            "-5s",
            "1.5s",
            "30s1m",
            "1s1s",
            "5 s",
            "5S",
            "99999999999999999999s",
            "1m30",
        ] {
            assert_eq!(parse_duration(text), None, "{text}");
        }
    }

    #[test]
    fn sizes() {
        for (text, bytes) in
            [("0", 0), ("17", 17), ("2KiB", 2048), ("256MiB", 256 * MIB), ("1GiB", 1024 * MIB)]
        {
            assert_eq!(parse_size(text), Some(bytes), "{text}");
        }
        for text in ["", "MiB", "1MB", "1.5MiB", "-1", "1 MiB", "99999999999999999999"] {
            assert_eq!(parse_size(text), None, "{text}");
        }
    }
}
