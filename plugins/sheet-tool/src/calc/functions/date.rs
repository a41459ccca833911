//! Functions of dates and times.

use super::Single;
use crate::calc::coerce::{self, finite, integer, number};
use crate::calc::evaluate::Environment;
use crate::moment::{civil_from_days, day_serial, days_from_civil, serial_day};
use crate::value::{ErrorCode, Scalar};

type Done = Result<Scalar, ErrorCode>;
/// Year, month and day.
pub(super) type Day = (i64, i64, i64);

pub(super) fn find(name: &str) -> Option<Single> {
    Some(match name {
        "DATE" => (3, 3, |e, a| {
            let (year, month, day) = (integer(&a[0])?, integer(&a[1])?, integer(&a[2])?);
            let year = if (0..1900).contains(&year) && !e.from_1904 { year + 1900 } else { year };
            let (year, month) = (year + (month - 1).div_euclid(12), (month - 1).rem_euclid(12) + 1);
            if !(1..=9999).contains(&year) || day.abs() > 4_000_000 {
                return Err(ErrorCode::Num);
            }
            let serial = match (year, month) {
                (1900, 1 | 2) if !e.from_1904 => {
                    day_serial(year, month, 1, false) + (day - 1) as f64
                }
                _ => {
                    let (year, month, day) =
                        civil_from_days(days_from_civil(year, month, 1) + day - 1);
                    day_serial(year, month, day, e.from_1904)
                }
            };
            if (0.0..2_958_466.0).contains(&serial) { finite(serial) } else { Err(ErrorCode::Num) }
        }),
        "YEAR" => (1, 1, |e, a| part(e, a, |it| it.0)),
        "MONTH" => (1, 1, |e, a| part(e, a, |it| it.1)),
        "DAY" => (1, 1, |e, a| part(e, a, |it| it.2)),
        "HOUR" => (1, 1, |_, a| finite((seconds(a)? / 3600 % 24) as f64)),
        "MINUTE" => (1, 1, |_, a| finite((seconds(a)? / 60 % 60) as f64)),
        "SECOND" => (1, 1, |_, a| finite((seconds(a)? % 60) as f64)),
        "TIME" => (3, 3, |_, a| {
            let all = number(&a[0])?.trunc() * 3600.0
                + number(&a[1])?.trunc() * 60.0
                + number(&a[2])?.trunc();
            if all < 0.0 { Err(ErrorCode::Num) } else { finite((all / 86_400.0).fract()) }
        }),
        "DATEVALUE" => (1, 1, |_, a| match &a[0] {
            Scalar::Text(text) => {
                coerce::parse(text).map(|it| Scalar::Number(it.floor())).ok_or(ErrorCode::Value)
            }
            _ => Err(ErrorCode::Value),
        }),
        "TIMEVALUE" => (1, 1, |_, a| match &a[0] {
            Scalar::Text(text) => {
                coerce::parse(text).map(|it| Scalar::Number(it.fract())).ok_or(ErrorCode::Value)
            }
            _ => Err(ErrorCode::Value),
        }),
        "WEEKDAY" => (1, 2, |e, a| {
            let serial = day(a, 0)?;
            let kind = a.get(1).map_or(Ok(1), integer)?;
            // Zero is Sunday.
            let weekday = (serial + if e.from_1904 { 5 } else { 6 }).rem_euclid(7);
            finite(match kind {
                1 | 17 => weekday + 1,
                2 | 11 => (weekday + 6) % 7 + 1,
                3 => (weekday + 6) % 7,
                12..=16 => (weekday - (kind - 10)).rem_euclid(7) + 1,
                _ => return Err(ErrorCode::Num),
            } as f64)
        }),
        "WEEKNUM" => (1, 2, |e, a| {
            let kind = a.get(1).map_or(Ok(1), integer)?;
            if kind == 21 {
                return iso_week(e, a);
            }
            let start = match kind {
                1 | 17 => 0,
                2 | 11 => 1,
                12..=16 => kind - 10,
                _ => return Err(ErrorCode::Num),
            };
            let (year, _, _) = date(e, a, 0)?;
            let first = days_from_civil(year, 1, 1);
            let today = absolute(e, day(a, 0)?);
            let offset = (first + 4 - start).rem_euclid(7);
            finite(((today - first + offset).div_euclid(7) + 1) as f64)
        }),
        "ISOWEEKNUM" => (1, 1, iso_week),
        "EDATE" => (2, 2, |e, a| months(e, a, false)),
        "EOMONTH" => (2, 2, |e, a| months(e, a, true)),
        "DAYS" => (2, 2, |_, a| finite((day(a, 0)? - day(a, 1)?) as f64)),
        "DAYS360" => (2, 3, |e, a| {
            let is_european = a.get(2).map_or(Ok(false), coerce::truth)?;
            let (first, last) = (date(e, a, 0)?, date(e, a, 1)?);
            finite(thirty(first, last, is_european) as f64)
        }),
        "DATEDIF" => (3, 3, difference),
        "YEARFRAC" => (2, 3, fraction),
        _ => return None,
    })
}

fn day(a: &[Scalar], at: usize) -> Result<i64, ErrorCode> {
    let serial = number(a.get(at).ok_or(ErrorCode::Value)?)?;
    if (0.0..2_958_466.0).contains(&serial) {
        Ok(serial.floor() as i64)
    } else {
        Err(ErrorCode::Num)
    }
}

pub(super) fn date(e: &Environment, a: &[Scalar], at: usize) -> Result<Day, ErrorCode> {
    Ok(serial_day(day(a, at)? as f64, e.from_1904))
}

/// Returns the days since 1970 of a serial number.
fn absolute(e: &Environment, serial: i64) -> i64 {
    let (year, month, day) = serial_day(serial as f64, e.from_1904);
    days_from_civil(year, month, day)
}

fn part(e: &Environment, a: &[Scalar], of: fn((i64, i64, i64)) -> i64) -> Done {
    finite(of(date(e, a, 0)?) as f64)
}

fn seconds(a: &[Scalar]) -> Result<i64, ErrorCode> {
    let serial = number(&a[0])?;
    if serial < 0.0 {
        return Err(ErrorCode::Num);
    }
    Ok((serial.fract() * 86_400.0).round() as i64)
}

pub(super) fn last_day(year: i64, month: i64) -> i64 {
    let (next_year, next) = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
    days_from_civil(next_year, next, 1) - days_from_civil(year, month, 1)
}

fn months(e: &Environment, a: &[Scalar], is_end: bool) -> Done {
    let (year, month, day) = date(e, a, 0)?;
    let all = year * 12 + month - 1 + integer(&a[1])?;
    let (year, month) = (all.div_euclid(12), all.rem_euclid(12) + 1);
    if !(1900..=9999).contains(&year) {
        return Err(ErrorCode::Num);
    }
    let last = last_day(year, month);
    finite(day_serial(year, month, if is_end { last } else { day.min(last) }, e.from_1904))
}

fn iso_week(e: &Environment, a: &[Scalar]) -> Done {
    let today = absolute(e, day(a, 0)?);
    // The week belongs to the year of its Thursday.
    let thursday = today - (today + 3).rem_euclid(7) + 3;
    let (year, _, _) = civil_from_days(thursday);
    finite(((thursday - days_from_civil(year, 1, 1)).div_euclid(7) + 1) as f64)
}

pub(super) fn thirty(first: Day, last: Day, is_european: bool) -> i64 {
    let (y1, m1, mut d1) = first;
    let (y2, m2, mut d2) = last;
    if is_european {
        (d1, d2) = (d1.min(30), d2.min(30));
    } else {
        let is_last = |y: i64, m: i64, d: i64| m == 2 && d == last_day(y, m);
        if is_last(y1, m1, d1) && is_last(y2, m2, d2) {
            d2 = 30;
        }
        if is_last(y1, m1, d1) || d1 == 31 {
            d1 = 30;
        }
        if d2 == 31 && d1 == 30 {
            d2 = 30;
        }
    }
    (y2 - y1) * 360 + (m2 - m1) * 30 + d2 - d1
}

fn difference(e: &Environment, a: &[Scalar]) -> Done {
    let (from, to) = (day(a, 0)?, day(a, 1)?);
    if from > to {
        return Err(ErrorCode::Num);
    }
    let ((y1, m1, d1), (y2, m2, d2)) = (date(e, a, 0)?, date(e, a, 1)?);
    let months = (y2 - y1) * 12 + m2 - m1 - i64::from(d2 < d1);
    finite(match coerce::text(&a[2])?.to_uppercase().as_str() {
        "D" => to - from,
        "M" => months,
        "Y" => months.div_euclid(12),
        "YM" => months.rem_euclid(12),
        "MD" if d2 >= d1 => d2 - d1,
        "MD" => {
            let (year, month) = if m2 == 1 { (y2 - 1, 12) } else { (y2, m2 - 1) };
            last_day(year, month) - d1 + d2
        }
        "YD" => {
            let year = if (m2, d2) >= (m1, d1) { y2 } else { y2 - 1 };
            days_from_civil(y2, m2, d2) - days_from_civil(year, m1, d1.min(last_day(year, m1)))
        }
        _ => return Err(ErrorCode::Num),
    } as f64)
}

fn fraction(e: &Environment, a: &[Scalar]) -> Done {
    let basis = a.get(2).map_or(Ok(0), integer)?;
    let (first, last) = (date(e, a, 0)?, date(e, a, 1)?);
    finite(year_part(first.min(last), first.max(last), basis)?)
}

/// Returns the part of a year, or the years, between two days by a basis of counting.
pub(super) fn year_part(first: Day, last: Day, basis: i64) -> Result<f64, ErrorCode> {
    let days = (days_from_civil(last.0, last.1, last.2)
        - days_from_civil(first.0, first.1, first.2)) as f64;
    let is_leap = |year: i64| last_day(year, 2) == 29;
    Ok(match basis {
        0 => thirty(first, last, false) as f64 / 360.0,
        1 => {
            let within = (last.0 - first.0) == 0
                || (last.0 - first.0 == 1 && (last.1, last.2) <= (first.1, first.2));
            let length = if within {
                let leaps = (first.0 == last.0 && is_leap(first.0))
                    || (first.0 != last.0
                        && ((is_leap(first.0) && (first.1, first.2) <= (2, 29))
                            || (is_leap(last.0) && (last.1, last.2) >= (2, 29))));
                if leaps { 366.0 } else { 365.0 }
            } else {
                let years = (last.0 - first.0 + 1) as f64;
                (days_from_civil(last.0 + 1, 1, 1) - days_from_civil(first.0, 1, 1)) as f64 / years
            };
            days / length
        }
        2 => days / 360.0,
        3 => days / 365.0,
        4 => thirty(first, last, true) as f64 / 360.0,
        _ => return Err(ErrorCode::Num),
    })
}
