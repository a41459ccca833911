//! A timeline with a fixed step, made of points in any order.

use crate::moment::{day_serial, serial_day};
use crate::value::ErrorCode;

/// Most missing points of a timeline, as a part of all.
const MAX_MISSING: f64 = 0.3;

/// What becomes of several values at the same time, by Excel's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aggregation {
    Average,
    Count,
    Max,
    Median,
    Min,
    Sum,
}

impl Aggregation {
    /// Returns the aggregation of a number. `COUNT` and `COUNTA` are the same for numbers.
    pub(super) fn of(number: f64) -> Option<Self> {
        Some(match number as i64 {
            0 | 1 => Self::Average,
            2 | 3 => Self::Count,
            4 => Self::Max,
            5 => Self::Median,
            6 => Self::Min,
            7 => Self::Sum,
            _ => return None,
        })
    }

    fn apply(self, values: &mut [f64]) -> f64 {
        let count = values.len() as f64;
        match self {
            Self::Average => values.iter().sum::<f64>() / count,
            Self::Count => count,
            Self::Max => values.iter().copied().fold(f64::MIN, f64::max),
            Self::Min => values.iter().copied().fold(f64::MAX, f64::min),
            Self::Sum => values.iter().sum(),
            Self::Median => {
                values.sort_by(f64::total_cmp);
                (values[(values.len() - 1) / 2] + values[values.len() / 2]) / 2.0
            }
        }
    }
}

/// Values at times of a fixed step.
#[derive(Debug)]
pub(super) struct Series {
    pub(super) values: Vec<f64>,
    /// In days, or in months if `day` has a value.
    pub(super) step: f64,
    last: f64,
    /// The day of the month that all dates have.
    day: Option<i64>,
    from_1904: bool,
}

impl Series {
    /// Makes a series of times and values.
    ///
    /// # Errors
    /// `#NUM!` - there are fewer than two times, they have no fixed step, or too many are missing.
    pub(super) fn of(
        mut points: Vec<(f64, f64)>,
        completes: bool,
        aggregation: Aggregation,
        from_1904: bool,
    ) -> Result<Self, ErrorCode> {
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut merged: Vec<(f64, f64)> = Vec::with_capacity(points.len());
        for same in points.chunk_by(|a, b| a.0 == b.0) {
            let mut values: Vec<f64> = same.iter().map(|it| it.1).collect();
            merged.push((same[0].0, aggregation.apply(&mut values)));
        }
        if let Some(day) = common_day(&merged, from_1904) {
            let months = merged.iter().map(|(time, value)| {
                let (year, month, _) = serial_day(*time, from_1904);
                ((year * 12 + month) as f64, *value)
            });
            let months: Vec<(f64, f64)> = months.collect();
            if let Ok((values, step, last)) = completed(&months, completes) {
                return Ok(Self { values, step, last, day: Some(day), from_1904 });
            }
        }
        let (values, step, last) = completed(&merged, completes)?;
        Ok(Self { values, step, last, day: None, from_1904 })
    }

    /// Returns how many steps a time is behind the last one.
    ///
    /// # Errors
    /// `#NUM!` - the time is before the last one.
    pub(super) fn steps_ahead(&self, time: f64) -> Result<f64, ErrorCode> {
        let at = match self.day {
            None => time,
            Some(day) => {
                let (year, month, own) = serial_day(time, self.from_1904);
                let first = day_serial(year, month, 1, self.from_1904);
                let (next_year, next) = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
                let length = day_serial(next_year, next, 1, self.from_1904) - first;
                (year * 12 + month) as f64 + (own - day) as f64 / length
            }
        };
        let ahead = (at - self.last) / self.step;
        let rounded = if (ahead - ahead.round()).abs() < 1e-9 { ahead.round() } else { ahead };
        match rounded {
            ahead if (0.0..1e6).contains(&ahead) => Ok(ahead),
            _ => Err(ErrorCode::Num),
        }
    }
}

/// Returns the day of the month that all times have, if they are dates of several months.
fn common_day(points: &[(f64, f64)], from_1904: bool) -> Option<i64> {
    let is_date = |time: f64| time.fract() == 0.0 && (61.0..2_958_466.0).contains(&time);
    if points.len() < 2 || !points.iter().all(|it| is_date(it.0)) {
        return None;
    }
    let day = serial_day(points[0].0, from_1904).2;
    points.iter().all(|it| serial_day(it.0, from_1904).2 == day).then_some(day)
}

/// Returns the values at all times, the step and the last time. A missing value is the mean of its neighbours, or zero.
fn completed(points: &[(f64, f64)], completes: bool) -> Result<(Vec<f64>, f64, f64), ErrorCode> {
    let steps = points.windows(2).map(|pair| pair[1].0 - pair[0].0);
    let step = steps.clone().reduce(f64::min).ok_or(ErrorCode::Num)?;
    let (Some(first), Some(last)) = (points.first(), points.last()) else {
        return Err(ErrorCode::Num);
    };
    let all = ((last.0 - first.0) / step).round() + 1.0;
    if all - points.len() as f64 > MAX_MISSING * all {
        return Err(ErrorCode::Num);
    }
    let mut values = vec![first.1];
    for (pair, distance) in points.windows(2).zip(steps) {
        let count = (distance / step).round();
        if (distance / step - count).abs() > 1e-6 * count {
            return Err(ErrorCode::Num);
        }
        let missing = if completes { (pair[0].1 + pair[1].1) / 2.0 } else { 0.0 };
        values.resize(values.len() + count as usize - 1, missing);
        values.push(pair[1].1);
    }
    Ok((values, step, last.0))
}
