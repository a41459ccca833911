//! Working days: weekends and holidays are left out.

use super::{Whole, each, want};
use crate::calc::coerce::{self, finite, integer};
use crate::calc::evaluate::{Evaluator, Outcome, Value};
use crate::calc::grid::Stop;
use crate::value::{ErrorCode, Scalar};

/// The first day after the last one of Excel.
const END: i64 = 2_958_466;
/// Days off in a week that begins on Monday.
type Weekend = [bool; 7];

pub(super) fn find(name: &str) -> Option<(usize, usize, Whole)> {
    Some(match name {
        "NETWORKDAYS" => (2, 3, |e, v| between(e, v, None, v.get(2))),
        "NETWORKDAYS.INTL" => (2, 4, |e, v| between(e, v, v.get(2), v.get(3))),
        "WORKDAY" => (2, 3, |e, v| after(e, v, None, v.get(2))),
        "WORKDAY.INTL" => (2, 4, |e, v| after(e, v, v.get(2), v.get(3))),
        _ => return None,
    })
}

/// Returns which days of a week are off: a number of Excel's list, or seven digits from Monday on.
fn weekend(value: &Scalar) -> Result<Weekend, ErrorCode> {
    if let Scalar::Text(text) = value {
        let mut days = [false; 7];
        let all: Vec<char> = text.chars().collect();
        if all.len() != 7 || all.iter().any(|it| !matches!(it, '0' | '1')) {
            return Err(ErrorCode::Value);
        }
        days.iter_mut().zip(all).for_each(|(day, c)| *day = c == '1');
        return Ok(days);
    }
    let number = if *value == Scalar::Empty { 1 } else { integer(value)? };
    let mut days = [false; 7];
    match number {
        // Saturday and Sunday, Sunday and Monday, and so on.
        1..=7 => {
            days[((number + 4) % 7) as usize] = true;
            days[((number + 5) % 7) as usize] = true;
        }
        // Sunday, Monday, and so on.
        11..=17 => days[((number + 2) % 7) as usize] = true,
        _ => return Err(ErrorCode::Num),
    }
    Ok(days)
}

/// What is not worked on.
struct Calendar {
    weekend: Weekend,
    /// Holidays that are no days of the weekend, each once, sorted.
    holidays: Vec<i64>,
    /// What a serial number and the number of its weekday differ by.
    shift: i64,
}

impl Calendar {
    fn is_off(&self, day: i64) -> bool {
        // Monday is zero.
        self.weekend[(day + self.shift).rem_euclid(7) as usize]
    }

    /// Returns the working days from one day to another, both included.
    fn count(&self, first: i64, last: i64) -> i64 {
        let each = self.weekend.iter().filter(|it| !**it).count() as i64;
        let weeks = (last - first + 1) / 7;
        let rest = (first + weeks * 7..=last).filter(|day| !self.is_off(*day)).count() as i64;
        let from = self.holidays.partition_point(|it| *it < first);
        let to = self.holidays.partition_point(|it| *it <= last);
        weeks * each + rest - (to - from) as i64
    }
}

fn calendar(
    e: &mut Evaluator<'_>,
    days: Option<&Value>,
    holidays: Option<&Value>,
) -> Result<Result<Calendar, ErrorCode>, Stop> {
    let weekend = match days {
        None | Some(Value::Missing) => Ok([false, false, false, false, false, true, true]),
        Some(value) => weekend(&e.one(value)?),
    };
    let weekend = match weekend {
        Ok(weekend) => weekend,
        Err(code) => return Ok(Err(code)),
    };
    // 1 January 1900 counts as a Sunday, 1 January 1904 is a Friday with the number zero.
    let shift = if e.environment.from_1904 { 4 } else { 5 };
    let mut calendar = Calendar { weekend, holidays: Vec::new(), shift };
    let (mut all, mut error) = (Vec::new(), None);
    if let Some(value) = holidays {
        each(e, value, &mut |value, _| match value {
            Scalar::Empty => {}
            value => match day(&value) {
                Ok(day) => all.push(day),
                Err(code) => drop(error.get_or_insert(code)),
            },
        })?;
    }
    all.retain(|day| !calendar.is_off(*day));
    all.sort_unstable();
    all.dedup();
    calendar.holidays = all;
    Ok(error.map_or(Ok(calendar), Err))
}

fn day(value: &Scalar) -> Result<i64, ErrorCode> {
    let serial = coerce::number(value)?;
    if (0.0..END as f64).contains(&serial) {
        Ok(serial.floor() as i64)
    } else {
        Err(ErrorCode::Num)
    }
}

fn between(
    e: &mut Evaluator<'_>,
    v: &[Value],
    days: Option<&Value>,
    holidays: Option<&Value>,
) -> Outcome {
    let calendar = want!(calendar(e, days, holidays)?);
    e.lift_two(v[0].clone(), v[1].clone(), &|first, last| {
        let (first, last) = (day(first)?, day(last)?);
        finite(if first <= last {
            calendar.count(first, last) as f64
        } else {
            -(calendar.count(last, first) as f64)
        })
    })
}

fn after(
    e: &mut Evaluator<'_>,
    v: &[Value],
    days: Option<&Value>,
    holidays: Option<&Value>,
) -> Outcome {
    let calendar = want!(calendar(e, days, holidays)?);
    // Seven days off would never end.
    if calendar.weekend.iter().all(|it| *it) {
        return Ok(Value::error(ErrorCode::Value));
    }
    e.lift_two(v[0].clone(), v[1].clone(), &|first, count| {
        let (first, count) = (day(first)?, integer(count)?);
        if count == 0 {
            return finite(first as f64);
        }
        let reached = |at: i64| {
            if count > 0 {
                calendar.count(first + 1, at) >= count
            } else {
                calendar.count(at, first - 1) >= -count
            }
        };
        // By halves between the first day and the end of the calendar.
        let (mut near, mut far) = (first, if count > 0 { END } else { -1 });
        while (far - near).abs() > 1 {
            let middle = near + (far - near) / 2;
            if reached(middle) { far = middle } else { near = middle }
        }
        if (0..END).contains(&far) { finite(far as f64) } else { Err(ErrorCode::Num) }
    })
}
