//! Functions of finance.

use super::{Whole, number, numbers, want};
use crate::calc::evaluate::{Evaluator, Outcome, Value};
use crate::value::ErrorCode;

pub(super) fn find(name: &str) -> Option<(usize, usize, Whole)> {
    Some(match name {
        "PMT" => (3, 5, |e, v| annuity(e, v, payment)),
        "PV" => (3, 5, |e, v| {
            annuity(e, v, |rate, periods, payment, future, due| {
                if rate == 0.0 {
                    return -future - payment * periods;
                }
                let growth = (1.0 + rate).powf(periods);
                -(future + payment * (1.0 + rate * due) * (growth - 1.0) / rate) / growth
            })
        }),
        "FV" => (3, 5, |e, v| annuity(e, v, future)),
        "NPER" => (3, 5, |e, v| {
            annuity(e, v, |rate, payment, present, future, due| {
                if rate == 0.0 {
                    return -(present + future) / payment;
                }
                let part = payment * (1.0 + rate * due) / rate;
                ((part - future) / (present + part)).ln() / (1.0 + rate).ln()
            })
        }),
        "IPMT" => (4, 6, |e, v| interest(e, v, true)),
        "PPMT" => (4, 6, |e, v| interest(e, v, false)),
        "NPV" => (2, 255, |e, v| {
            let rate = want!(number(e, v.first(), 0.0)?);
            let all = want!(numbers(e, &v[1..])?);
            Ok(Value::number(worth(rate, &all) / (1.0 + rate)))
        }),
        "IRR" => (1, 2, |e, v| {
            let all = want!(numbers(e, &v[..1])?);
            let guess = want!(number(e, v.get(1), 0.1)?);
            let has_both = all.iter().any(|it| *it > 0.0) && all.iter().any(|it| *it < 0.0);
            let root = solved(guess, |rate| worth(rate, &all)).filter(|_| has_both);
            Ok(root.map_or(Value::error(ErrorCode::Num), Value::number))
        }),
        "RATE" => (3, 6, |e, v| {
            let mut all = [0.0, 0.0, 0.0, 0.0, 0.0, 0.1];
            for (at, place) in all.iter_mut().enumerate() {
                *place = want!(number(e, v.get(at), *place)?);
            }
            let [periods, payment, present, later, due, guess] = all;
            let root = solved(guess, |rate| future(rate, periods, payment, present, due) - later);
            Ok(root.map_or(Value::error(ErrorCode::Num), Value::number))
        }),
        "XNPV" => (3, 3, |e, v| {
            let rate = want!(number(e, v.first(), 0.0)?);
            let (values, days) = (want!(numbers(e, &v[1..2])?), want!(numbers(e, &v[2..3])?));
            if values.len() == days.len() && !days.is_empty() {
                Ok(Value::number(dated(rate, &values, &days)))
            } else {
                Ok(Value::error(ErrorCode::Num))
            }
        }),
        "XIRR" => (2, 3, |e, v| {
            let (values, days) = (want!(numbers(e, &v[..1])?), want!(numbers(e, &v[1..2])?));
            let guess = want!(number(e, v.get(2), 0.1)?);
            let fits = values.len() == days.len() && !days.is_empty();
            let root = solved(guess, |rate| dated(rate, &values, &days)).filter(|_| fits);
            Ok(root.map_or(Value::error(ErrorCode::Num), Value::number))
        }),
        "SLN" => (3, 3, |e, v| {
            let all = want!(numbers(e, v)?);
            let [cost, salvage, life] = all[..] else { return Ok(Value::error(ErrorCode::Value)) };
            if life == 0.0 {
                Ok(Value::error(ErrorCode::Div0))
            } else {
                Ok(Value::number((cost - salvage) / life))
            }
        }),
        "EFFECT" => (2, 2, |e, v| {
            let (rate, periods) =
                (want!(number(e, v.first(), 0.0)?), want!(number(e, v.get(1), 0.0)?).trunc());
            if rate <= 0.0 || periods < 1.0 {
                return Ok(Value::error(ErrorCode::Num));
            }
            Ok(Value::number((1.0 + rate / periods).powf(periods) - 1.0))
        }),
        _ => return None,
    })
}

fn annuity(e: &mut Evaluator<'_>, v: &[Value], f: fn(f64, f64, f64, f64, f64) -> f64) -> Outcome {
    let mut all = [0.0; 5];
    for (at, place) in all.iter_mut().enumerate() {
        *place = want!(number(e, v.get(at), 0.0)?);
    }
    let [a, b, c, d, due] = all;
    Ok(Value::number(f(a, b, c, d, f64::from(u8::from(due != 0.0)))))
}

pub(super) fn payment(rate: f64, periods: f64, present: f64, future: f64, due: f64) -> f64 {
    if rate == 0.0 {
        return -(present + future) / periods;
    }
    let growth = (1.0 + rate).powf(periods);
    -rate * (present * growth + future) / ((1.0 + rate * due) * (growth - 1.0))
}

pub(super) fn future(rate: f64, periods: f64, payment: f64, present: f64, due: f64) -> f64 {
    if rate == 0.0 {
        return -present - payment * periods;
    }
    let growth = (1.0 + rate).powf(periods);
    -(present * growth + payment * (1.0 + rate * due) * (growth - 1.0) / rate)
}

fn interest(e: &mut Evaluator<'_>, v: &[Value], is_interest: bool) -> Outcome {
    let mut all = [0.0; 6];
    for (at, place) in all.iter_mut().enumerate() {
        *place = want!(number(e, v.get(at), 0.0)?);
    }
    let [rate, period, periods, present, later, due] = all;
    if period < 1.0 || period > periods {
        return Ok(Value::error(ErrorCode::Num));
    }
    let paid = payment(rate, periods, present, later, due);
    let mut interest = future(rate, period - 1.0, paid, present, due) * rate;
    if due != 0.0 {
        interest = if period == 1.0 {
            0.0
        } else {
            (future(rate, period - 2.0, paid, present, due) - paid) * rate
        };
    }
    Ok(Value::number(if is_interest { interest } else { paid - interest }))
}

/// Returns the worth of payments, the first of them now.
pub(super) fn worth(rate: f64, all: &[f64]) -> f64 {
    all.iter().rev().fold(0.0, |sum, it| sum / (1.0 + rate) + it)
}

fn dated(rate: f64, values: &[f64], days: &[f64]) -> f64 {
    let first = days.first().copied().unwrap_or(0.0);
    values
        .iter()
        .zip(days)
        .map(|(value, day)| value / (1.0 + rate).powf((day - first) / 365.0))
        .sum()
}

/// Lowest rate that [`solved`] tries, above the loss of everything.
const LOWEST_RATE: f64 = -0.999_999;

/// Returns where a function is zero, near a guess, by the secant method. Returns `None` if the search does not converge, and if it
/// ends at [`LOWEST_RATE`], where a function without a zero leads it.
fn solved(guess: f64, f: impl Fn(f64) -> f64) -> Option<f64> {
    let (mut a, mut b) = (guess, guess + 0.01);
    let (mut fa, mut fb) = (f(a), f(b));
    for _ in 0..200 {
        // A step is small at a zero, and also after a point where the function is huge.
        let is_zero = || f(b - 1e-9) * f(b + 1e-9) <= 0.0;
        if fb.abs() < 1e-10 || (b - a).abs() < 1e-14 && is_zero() {
            return Some(b).filter(|it| it.is_finite() && *it > LOWEST_RATE);
        }
        if fa == fb {
            return None;
        }
        let next = (b - fb * (b - a) / (fb - fa)).max(LOWEST_RATE);
        (a, fa) = (b, fb);
        (b, fb) = (next, f(next));
    }
    None
}
