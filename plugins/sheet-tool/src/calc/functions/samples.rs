//! Statistics that `statistics` has not: quantiles without the ends, moments, and all values with texts and booleans.

use super::ranges::{over, over_all};
use super::statistics::{mean, sorted, sums, variance};
use super::{Whole, number, numbers, want};
use crate::calc::coerce;
use crate::calc::evaluate::{Evaluator, Outcome, Value};
use crate::value::{Array, ErrorCode, Scalar};

pub(super) fn find(name: &str) -> Option<(usize, usize, Whole)> {
    Some(match name {
        "KURT" => (1, 255, |e, v| over(e, v, kurtosis)),
        "SKEW.P" => (1, 255, |e, v| {
            over(e, v, |all| {
                let (mean, deviation) = (mean(all)?, variance(all, false)?.sqrt());
                if all.len() < 3 || deviation == 0.0 {
                    return Err(ErrorCode::Div0);
                }
                let cubes = all.iter().map(|it| ((it - mean) / deviation).powi(3));
                Ok(cubes.sum::<f64>() / all.len() as f64)
            })
        }),
        "STDEVA" => (1, 255, |e, v| over_all(e, v, |all| variance(all, true).map(f64::sqrt))),
        "STDEVPA" => (1, 255, |e, v| over_all(e, v, |all| variance(all, false).map(f64::sqrt))),
        "VARA" => (1, 255, |e, v| over_all(e, v, |all| variance(all, true))),
        "VARPA" => (1, 255, |e, v| over_all(e, v, |all| variance(all, false))),
        "TRIMMEAN" => (2, 2, |e, v| {
            let all = sorted(&want!(numbers(e, &v[..1])?));
            let part = want!(number(e, v.get(1), 0.0)?);
            if all.is_empty() || !(0.0..1.0).contains(&part) {
                return Ok(Value::error(ErrorCode::Num));
            }
            // As many at each end; fifteen digits count.
            let cut = (all.len() as f64 * part * (1.0 + 1e-15) / 2.0).floor() as usize;
            Ok(Value::number(want!(mean(&all[cut..all.len() - cut]))))
        }),
        "PERCENTILE.EXC" => (2, 2, |e, v| inner(e, v, 1.0)),
        "QUARTILE.EXC" => (2, 2, |e, v| inner(e, v, 4.0)),
        "PERCENTRANK.EXC" => (2, 3, inner_rank),
        "MODE.MULT" => (1, 255, |e, v| {
            let found = modes(&want!(numbers(e, v)?));
            Ok(if found.is_empty() {
                Value::error(ErrorCode::NotAvailable)
            } else {
                Value::array(Array::column(found.into_iter().map(Scalar::Number).collect()))
            })
        }),
        "PROB" => (3, 4, probability),
        "STEYX" => (2, 2, |e, v| {
            let s = want!(sums(e, v)?);
            if s.n < 3.0 || s.yy == 0.0 {
                return Ok(Value::error(ErrorCode::Div0));
            }
            Ok(Value::number(((s.xx - s.xy * s.xy / s.yy).max(0.0) / (s.n - 2.0)).sqrt()))
        }),
        "PERCENTOF" => (2, 2, |e, v| {
            let (part, all) = (want!(numbers(e, &v[..1])?), want!(numbers(e, &v[1..])?));
            let all: f64 = all.iter().sum();
            if all == 0.0 {
                return Ok(Value::error(ErrorCode::Div0));
            }
            Ok(Value::number(part.iter().sum::<f64>() / all))
        }),
        _ => return None,
    })
}

fn kurtosis(all: &[f64]) -> Result<f64, ErrorCode> {
    let n = all.len() as f64;
    let (mean, deviation) = (mean(all)?, variance(all, true)?.sqrt());
    if n < 4.0 || deviation == 0.0 {
        return Err(ErrorCode::Div0);
    }
    let fourth: f64 = all.iter().map(|it| ((it - mean) / deviation).powi(4)).sum();
    let front = n * (n + 1.0) / ((n - 1.0) * (n - 2.0) * (n - 3.0));
    Ok(front * fourth - 3.0 * (n - 1.0) * (n - 1.0) / ((n - 2.0) * (n - 3.0)))
}

/// Returns the numbers that occur most often, and more than once, in the order of their first place.
pub(super) fn modes(all: &[f64]) -> Vec<f64> {
    let order = sorted(all);
    let most = order.chunk_by(|a, b| a == b).map(<[f64]>::len).max().unwrap_or(0);
    let count = |x: f64| order.partition_point(|it| *it <= x) - order.partition_point(|it| *it < x);
    let mut seen = std::collections::BTreeSet::new();
    let mut found = all.to_vec();
    found.retain(|x| most > 1 && count(*x) == most && seen.insert((x + 0.0).to_bits()));
    found
}

fn inner(e: &mut Evaluator<'_>, v: &[Value], of: f64) -> Outcome {
    let all = sorted(&want!(numbers(e, &v[..1])?));
    e.lift_one(v[1].clone(), &|part| {
        let part = coerce::number(part)?;
        let part = if of == 1.0 { part } else { part.trunc() / of };
        coerce::finite(inner_quantile(&all, part)?)
    })
}

/// Returns a quantile of which the first and the last value are no ends.
pub(super) fn inner_quantile(sorted: &[f64], part: f64) -> Result<f64, ErrorCode> {
    let at = part * (sorted.len() as f64 + 1.0);
    if sorted.is_empty() || at < 1.0 || at > sorted.len() as f64 {
        return Err(ErrorCode::Num);
    }
    let low = at.floor() as usize - 1;
    let high = (low + 1).min(sorted.len() - 1);
    Ok(sorted[low] + at.fract() * (sorted[high] - sorted[low]))
}

fn inner_rank(e: &mut Evaluator<'_>, v: &[Value]) -> Outcome {
    let all = sorted(&want!(numbers(e, &v[..1])?));
    let x = want!(number(e, v.get(1), 0.0)?);
    let digits = want!(number(e, v.get(2), 3.0)?).trunc();
    let (Some(first), Some(last)) = (all.first(), all.last()) else {
        return Ok(Value::error(ErrorCode::Num));
    };
    if digits < 1.0 {
        return Ok(Value::error(ErrorCode::Num));
    }
    if x < *first || x > *last {
        return Ok(Value::error(ErrorCode::NotAvailable));
    }
    let below = all.partition_point(|it| *it < x);
    let rank = if all[below] == x {
        below as f64 + 1.0
    } else {
        below as f64 + (x - all[below - 1]) / (all[below] - all[below - 1])
    };
    let scale = 10_f64.powf(digits.min(15.0));
    let share = rank / (all.len() as f64 + 1.0) * scale;
    // Cut, but not by the last binary digit.
    let cut = if (share - share.round()).abs() < 1e-9 { share.round() } else { share.floor() };
    Ok(Value::number(cut / scale))
}

fn probability(e: &mut Evaluator<'_>, v: &[Value]) -> Outcome {
    let (xs, parts) = (e.as_values(&v[0])?, e.as_values(&v[1])?);
    let low = want!(number(e, v.get(2), 0.0)?);
    let high = want!(number(e, v.get(3), low)?);
    if xs.cells.len() != parts.cells.len() {
        return Ok(Value::error(ErrorCode::NotAvailable));
    }
    let (mut all, mut within) = (0.0, 0.0);
    for pair in xs.cells.iter().zip(&parts.cells) {
        match pair {
            (Scalar::Number(x), Scalar::Number(part)) => {
                if *part <= 0.0 || *part > 1.0 {
                    return Ok(Value::error(ErrorCode::Num));
                }
                all += part;
                within += if (low..=high).contains(x) { *part } else { 0.0 };
            }
            (Scalar::Error(code), _) | (_, Scalar::Error(code)) => return Ok(Value::error(*code)),
            _ => {}
        }
    }
    if (all - 1.0_f64).abs() < 1e-7 {
        Ok(Value::number(within))
    } else {
        Ok(Value::error(ErrorCode::Num))
    }
}
