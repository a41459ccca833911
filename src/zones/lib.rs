//! Local times of the zones that columns of moments name, by the database of zones that is built into the program.
//!
//! A [`Zone`] is that of one column. It keeps the spans of time that were looked up, because the moments of a column are mostly
//! in a few of them.
//!
//! ```
//! use mitt_zones::Zone;
//!
//! let mut zone = Zone::of_name("Asia/Shanghai");
//! // 1970-01-01T00:00:00Z, in microseconds.
//! let local = zone.local(0).unwrap();
//! assert_eq!(local.micros, 8 * 3_600 * 1_000_000);
//! assert!(!local.is_repeated);
//! ```
//!
//! Knows no columns, tables or files.

#![forbid(unsafe_code)]

use jiff::Timestamp;
use jiff::tz::{TimeZone, TimeZoneDatabase};

/// Most spans of a zone that are kept. 1 024 are five centuries of summers and winters.
const MAX_SPANS: usize = 1_024;

/// Microseconds of a second.
const SECOND: i64 = 1_000_000;

/// The zone of a column of moments.
#[derive(Debug)]
pub enum Zone {
    /// An offset from UTC, in seconds.
    Fixed(i64),
    /// A zone of the database.
    Named(Named),
    /// Neither an offset nor a name in the database: times stay UTC.
    Unknown,
}

/// A local time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Local {
    /// What the clocks show, in microseconds since 1970-01-01T00:00:00 of theirs.
    pub micros: i64,
    /// `true` if the clocks show it twice, so that another moment has the same local time.
    pub is_repeated: bool,
}

/// A zone of the database, with the spans of time that were looked up.
#[derive(Debug)]
pub struct Named {
    zone: TimeZone,
    /// Spans that do not overlap, by their start.
    spans: Vec<Span>,
}

/// A span of time in which the offset of a zone stays the same, in seconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, Debug)]
struct Span {
    /// The first second.
    start: i64,
    /// The second after the last one.
    end: i64,
    /// The offset from UTC.
    offset: i64,
    /// The offset before the span.
    before: i64,
    /// The offset after the span.
    after: i64,
}

impl Zone {
    /// Finds the zone of a name: `Asia/Shanghai`, `+08:00`, `+0800`, `+08`, `UTC+08:00`.
    pub fn of_name(name: &str) -> Zone {
        let offset = name.strip_prefix("UTC").unwrap_or(name);
        if matches!(offset, "" | "Z" | "z") && !name.is_empty() {
            return Zone::Fixed(0);
        }
        match (parse_offset(offset), TimeZoneDatabase::bundled().get(name)) {
            (Some(seconds), _) => Zone::Fixed(seconds),
            (None, Ok(zone)) => Zone::Named(Named { zone, spans: Vec::new() }),
            (None, Err(_)) => Zone::Unknown,
        }
    }

    /// Returns the local time of a moment in microseconds since 1970-01-01T00:00:00Z; `None` if it exceeds 64 bits.
    pub fn local(&mut self, moment: i64) -> Option<Local> {
        let (offset, is_repeated) = match self {
            Zone::Fixed(offset) => (*offset, false),
            Zone::Named(named) => named.offset(moment.div_euclid(SECOND)),
            Zone::Unknown => (0, false),
        };
        Some(Local { micros: moment.checked_add(offset * SECOND)?, is_repeated })
    }

    /// Makes local times of moments. Returns how many of them are repeated.
    ///
    /// # Errors
    ///
    /// The index of a value that is not null and whose local time exceeds 64 bits.
    pub fn localize(
        &mut self,
        moments: &mut [i64],
        is_null: impl Fn(usize) -> bool,
    ) -> Result<u64, usize> {
        let mut repeated = 0;
        for (at, moment) in moments.iter_mut().enumerate() {
            if is_null(at) {
                continue;
            }
            let local = self.local(*moment).ok_or(at)?;
            *moment = local.micros;
            repeated += u64::from(local.is_repeated);
        }
        Ok(repeated)
    }
}

impl Named {
    /// Returns the offset of a second, and `true` if the clocks show its local time twice.
    fn offset(&mut self, second: i64) -> (i64, bool) {
        let next = self.spans.partition_point(|span| span.start <= second);
        let known = next.checked_sub(1).map(|at| self.spans[at]);
        let span = known.filter(|span| second < span.end).unwrap_or_else(|| {
            let span = self.span(second);
            if self.spans.len() == MAX_SPANS {
                self.spans.clear();
            }
            let at = self.spans.partition_point(|known| known.start <= span.start);
            self.spans.insert(at, span);
            span
        });
        (span.offset, span.is_repeated(second))
    }

    /// Looks up the span of a second.
    fn span(&self, second: i64) -> Span {
        let at = timestamp(second);
        let offset = |at| i64::from(self.zone.to_offset(at).seconds());
        let own = offset(at);
        let previous = self.zone.preceding(timestamp(second.saturating_add(1))).next();
        let next = self.zone.following(at).next();
        let start = previous.map(|change| change.timestamp().as_second());
        Span {
            start: start.unwrap_or(i64::MIN),
            end: next.as_ref().map_or(i64::MAX, |change| change.timestamp().as_second()),
            offset: own,
            before: start.map_or(own, |start| offset(timestamp(start - 1))),
            after: next.map_or(own, |change| i64::from(change.offset().seconds())),
        }
    }
}

impl Span {
    fn is_repeated(&self, second: i64) -> bool {
        second.saturating_sub(self.start) < self.before - self.offset
            || self.end.saturating_sub(second) <= self.offset - self.after
    }
}

/// Returns the moment of a second, or the first or last one that the database knows.
fn timestamp(second: i64) -> Timestamp {
    let second = second.clamp(Timestamp::MIN.as_second(), Timestamp::MAX.as_second());
    Timestamp::from_second(second).unwrap_or_default()
}

/// Parses `+08:00`, `+0800` or `+08` to seconds.
fn parse_offset(text: &str) -> Option<i64> {
    let (sign, digits) = match text.as_bytes() {
        [b'+', digits @ ..] => (1, digits),
        [b'-', digits @ ..] => (-1, digits),
        _ => return None,
    };
    let (hours, minutes) = match *digits {
        [h1, h2] => ([h1, h2], [b'0', b'0']),
        [h1, h2, m1, m2] | [h1, h2, b':', m1, m2] => ([h1, h2], [m1, m2]),
        _ => return None,
    };
    let number = |digits: [u8; 2]| {
        let [tens, ones] = digits.map(|digit| i64::from(digit.wrapping_sub(b'0')));
        (tens < 10 && ones < 10).then_some(tens * 10 + ones)
    };
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    (hours < 24 && minutes < 60).then_some(sign * (hours * 3_600 + minutes * 60))
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::SignedDuration;
    use jiff::civil::DateTime;

    const EPOCH: DateTime = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);

    /// Returns the local time of a moment, and how many moments have it by the count of the zone.
    fn local(zone: &mut Zone, moment: &str) -> (String, u64) {
        let moment: DateTime = moment.parse().unwrap();
        let micros = moment.duration_since(EPOCH).as_micros();
        let mut moments = [i64::try_from(micros).unwrap()];
        let repeated = zone.localize(&mut moments, |_| false).unwrap();
        let local = EPOCH.checked_add(SignedDuration::from_micros(moments[0])).unwrap();
        (local.to_string(), repeated)
    }

    #[test]
    fn a_zone_has_its_local_times_in_all_years() {
        let cases = [
            ("Asia/Shanghai", "2024-01-01T00:00:00", "2024-01-01T08:00:00"),
            // Before standard time: the sun of Shanghai.
            ("Asia/Shanghai", "1900-01-01T00:00:00", "1900-01-01T08:05:43"),
            // China had summer time then.
            ("Asia/Shanghai", "1988-07-01T00:00:00.5", "1988-07-01T09:00:00.5"),
            ("Europe/Berlin", "2024-03-31T00:59:59.999999", "2024-03-31T01:59:59.999999"),
            ("Europe/Berlin", "2024-03-31T01:00:00", "2024-03-31T03:00:00"),
            ("Europe/Berlin", "1969-12-31T23:59:59.999999", "1970-01-01T00:59:59.999999"),
            // After the last year of the table, the rule of the zone goes on.
            ("America/New_York", "2999-07-01T12:00:00", "2999-07-01T08:00:00"),
            ("America/New_York", "9999-12-31T23:00:00", "9999-12-31T18:00:00"),
            ("America/New_York", "0001-01-01T12:00:00", "0001-01-01T07:03:58"),
            // These names count westwards.
            ("Etc/GMT+8", "2024-01-01T08:00:00", "2024-01-01T00:00:00"),
            ("utc", "2024-01-01T08:00:00", "2024-01-01T08:00:00"),
            ("UTC", "2024-01-01T08:00:00", "2024-01-01T08:00:00"),
            ("Z", "2024-01-01T08:00:00", "2024-01-01T08:00:00"),
            ("+08:00", "2024-01-01T08:00:00", "2024-01-01T16:00:00"),
            ("-03:30", "2024-01-01T00:00:00", "2023-12-31T20:30:00"),
            ("+0545", "2024-01-01T00:00:00", "2024-01-01T05:45:00"),
            ("-08", "2024-01-01T08:00:00", "2024-01-01T00:00:00"),
            ("UTC+08:00", "2024-01-01T08:00:00", "2024-01-01T16:00:00"),
        ];
        for (name, moment, expected) in cases {
            let mut zone = Zone::of_name(name);
            assert!(!matches!(zone, Zone::Unknown), "{name}");
            assert_eq!(local(&mut zone, moment), (expected.to_owned(), 0), "{name} {moment}");
        }
    }

    #[test]
    fn what_is_no_zone_is_unknown() {
        let long = "x".repeat(100_000);
        for name in
            ["", "Mars/Olympus", "+8", "+24:00", "+08:60", "+:8:00", "+08:0", "GMT+8", &long]
        {
            let mut zone = Zone::of_name(name);
            assert!(matches!(zone, Zone::Unknown), "{name}");
            assert_eq!(local(&mut zone, "2024-01-01T08:00:00").0, "2024-01-01T08:00:00");
        }
    }

    #[test]
    fn moments_of_a_repeated_hour_are_counted() {
        let mut berlin = Zone::of_name("Europe/Berlin");
        // The clocks go from three back to two at 01:00 UTC.
        for (moment, expected, repeated) in [
            ("2024-10-26T23:59:59", "2024-10-27T01:59:59", 0),
            ("2024-10-27T00:00:00", "2024-10-27T02:00:00", 1),
            ("2024-10-27T00:59:59.5", "2024-10-27T02:59:59.5", 1),
            ("2024-10-27T01:00:00", "2024-10-27T02:00:00", 1),
            ("2024-10-27T01:59:59.9", "2024-10-27T02:59:59.9", 1),
            ("2024-10-27T02:00:00", "2024-10-27T03:00:00", 0),
        ] {
            assert_eq!(local(&mut berlin, moment), (expected.to_owned(), repeated), "{moment}");
        }
    }

    #[test]
    fn spans_that_are_kept_are_bounded() {
        let mut zone = Zone::of_name("Europe/Berlin");
        for year in 1_900..4_000 {
            for (month, hour) in [("01", "01"), ("07", "02")] {
                let moment = format!("{year}-{month}-01T00:00:00");
                let (local, _) = local(&mut zone, &moment);
                let is_now = year > 1_995;
                assert!(!is_now || local == format!("{year}-{month}-01T{hour}:00:00"), "{local}");
            }
        }
        let Zone::Named(Named { spans, .. }) = &zone else { panic!("a zone of the database") };
        assert!(spans.len() <= MAX_SPANS && spans.is_sorted_by_key(|span| span.start));
    }

    #[test]
    fn the_slots_of_nulls_stay_as_they_are() {
        let mut moments = [i64::MAX, 0];
        let mut zone = Zone::Fixed(28_800);
        assert_eq!(zone.localize(&mut moments, |at| at == 0), Ok(0));
        assert_eq!(moments, [i64::MAX, 28_800 * SECOND]);
        assert_eq!(zone.localize(&mut moments, |_| false), Err(0));
        assert_eq!(zone.local(i64::MAX), None);
        let mut berlin = Zone::of_name("Europe/Berlin");
        assert_eq!(berlin.localize(&mut [i64::MIN, i64::MAX], |_| false), Err(1));
    }
}
