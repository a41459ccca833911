//! Statistics of numbers.

use super::ranges::over;
use super::{Whole, number, numbers, want};
use crate::calc::evaluate::{Evaluator, Outcome, Value};
use crate::calc::grid::Stop;
use crate::value::{Array, ErrorCode, Scalar};

pub(super) fn find(name: &str) -> Option<(usize, usize, Whole)> {
    Some(match name {
        "MEDIAN" => (1, 255, |e, v| over(e, v, |all| quantile(&sorted(all), 0.5))),
        "MODE" | "MODE.SNGL" => (1, 255, |e, v| over(e, v, mode)),
        "STDEV" | "STDEV.S" => {
            (1, 255, |e, v| over(e, v, |all| variance(all, true).map(f64::sqrt)))
        }
        "STDEVP" | "STDEV.P" => {
            (1, 255, |e, v| over(e, v, |all| variance(all, false).map(f64::sqrt)))
        }
        "VAR" | "VAR.S" => (1, 255, |e, v| over(e, v, |all| variance(all, true))),
        "VARP" | "VAR.P" => (1, 255, |e, v| over(e, v, |all| variance(all, false))),
        "DEVSQ" => (1, 255, |e, v| over(e, v, |all| Ok(variance(all, false)? * all.len() as f64))),
        "AVEDEV" => (1, 255, |e, v| {
            over(e, v, |all| {
                let mean = mean(all)?;
                Ok(all.iter().map(|it| (it - mean).abs()).sum::<f64>() / all.len() as f64)
            })
        }),
        "GEOMEAN" => (1, 255, |e, v| {
            over(e, v, |all| {
                if all.iter().all(|it| *it > 0.0) && !all.is_empty() {
                    Ok((all.iter().map(|it| it.ln()).sum::<f64>() / all.len() as f64).exp())
                } else {
                    Err(ErrorCode::Num)
                }
            })
        }),
        "HARMEAN" => (1, 255, |e, v| {
            over(e, v, |all| {
                if all.iter().all(|it| *it > 0.0) && !all.is_empty() {
                    Ok(all.len() as f64 / all.iter().map(|it| 1.0 / it).sum::<f64>())
                } else {
                    Err(ErrorCode::Num)
                }
            })
        }),
        "SKEW" => (1, 255, |e, v| {
            over(e, v, |all| {
                let n = all.len() as f64;
                let (mean, deviation) = (mean(all)?, variance(all, true)?.sqrt());
                if n < 3.0 || deviation == 0.0 {
                    return Err(ErrorCode::Div0);
                }
                Ok(n / ((n - 1.0) * (n - 2.0))
                    * all.iter().map(|it| ((it - mean) / deviation).powi(3)).sum::<f64>())
            })
        }),
        "LARGE" | "SMALL" => {
            let function: Whole = match name {
                "LARGE" => |e, v| nth(e, v, true),
                _ => |e, v| nth(e, v, false),
            };
            (2, 2, function)
        }
        "PERCENTILE" | "PERCENTILE.INC" => (2, 2, |e, v| quantiles(e, v, 1.0)),
        "QUARTILE" | "QUARTILE.INC" => (2, 2, |e, v| quantiles(e, v, 4.0)),
        "RANK" | "RANK.EQ" => (2, 3, |e, v| rank(e, v, false)),
        "RANK.AVG" => (2, 3, |e, v| rank(e, v, true)),
        "PERCENTRANK" | "PERCENTRANK.INC" => (2, 3, |e, v| {
            let all = sorted(&want!(numbers(e, &v[..1])?));
            let x = want!(number(e, v.get(1), 0.0)?);
            let (Some(first), Some(last)) = (all.first(), all.last()) else {
                return Ok(Value::error(ErrorCode::Num));
            };
            if x < *first || x > *last {
                return Ok(Value::error(ErrorCode::NotAvailable));
            }
            let below = all.iter().filter(|it| **it < x).count();
            let rank = if all.contains(&x) {
                below as f64
            } else {
                below as f64 - 1.0 + (x - all[below - 1]) / (all[below] - all[below - 1])
            };
            Ok(Value::number((rank / (all.len() as f64 - 1.0) * 1000.0).floor() / 1000.0))
        }),
        "CORREL" | "PEARSON" => (2, 2, |e, v| two(e, v, |s| Ok(s.xy / (s.xx * s.yy).sqrt()))),
        "RSQ" => (2, 2, |e, v| two(e, v, |s| Ok(s.xy * s.xy / (s.xx * s.yy)))),
        "SLOPE" => (2, 2, |e, v| two(e, v, |s| Ok(s.xy / s.yy))),
        "INTERCEPT" => (2, 2, |e, v| two(e, v, |s| Ok(s.x - s.xy / s.yy * s.y))),
        "COVAR" | "COVARIANCE.P" => (2, 2, |e, v| two(e, v, |s| Ok(s.xy / s.n))),
        "COVARIANCE.S" => (2, 2, |e, v| two(e, v, |s| Ok(s.xy / (s.n - 1.0)))),
        "FORECAST" | "FORECAST.LINEAR" => (3, 3, |e, v| {
            let x = want!(number(e, v.first(), 0.0)?);
            let s = want!(sums(e, &v[1..])?);
            Ok(Value::number(s.x + s.xy / s.yy * (x - s.y)))
        }),
        "FREQUENCY" => (2, 2, |e, v| {
            let all = want!(numbers(e, &v[..1])?);
            let bins = want!(numbers(e, &v[1..])?);
            let order = sorted(&bins);
            let mut counts = vec![0.0; bins.len() + 1];
            for x in all {
                let at = order.partition_point(|bin| *bin < x);
                counts[at] += 1.0;
            }
            Ok(Value::array(Array::column(counts.into_iter().map(Scalar::Number).collect())))
        }),
        _ => return None,
    })
}

pub(super) fn sorted(all: &[f64]) -> Vec<f64> {
    let mut all = all.to_vec();
    all.sort_by(f64::total_cmp);
    all
}

pub(super) fn mean(all: &[f64]) -> Result<f64, ErrorCode> {
    if all.is_empty() {
        Err(ErrorCode::Div0)
    } else {
        Ok(all.iter().sum::<f64>() / all.len() as f64)
    }
}

pub(super) fn variance(all: &[f64], is_sample: bool) -> Result<f64, ErrorCode> {
    let mean = mean(all)?;
    let count = all.len() as f64 - f64::from(u8::from(is_sample));
    if count <= 0.0 {
        return Err(ErrorCode::Div0);
    }
    Ok(all.iter().map(|it| (it - mean) * (it - mean)).sum::<f64>() / count)
}

pub(super) fn quantile(sorted: &[f64], part: f64) -> Result<f64, ErrorCode> {
    let Some(last) = sorted.len().checked_sub(1) else { return Err(ErrorCode::Num) };
    if !(0.0..=1.0).contains(&part) {
        return Err(ErrorCode::Num);
    }
    let at = part * last as f64;
    let low = at.floor() as usize;
    let high = (low + 1).min(last);
    Ok(sorted[low] + (at - low as f64) * (sorted[high] - sorted[low]))
}

fn mode(all: &[f64]) -> Result<f64, ErrorCode> {
    let sorted = sorted(all);
    let most = sorted.chunk_by(|a, b| a == b).map(<[f64]>::len).max().unwrap_or(0);
    if most < 2 {
        return Err(ErrorCode::NotAvailable);
    }
    let count =
        |x: f64| sorted.partition_point(|it| *it <= x) - sorted.partition_point(|it| *it < x);
    all.iter().copied().find(|it| count(*it) == most).ok_or(ErrorCode::NotAvailable)
}

fn nth(e: &mut Evaluator<'_>, v: &[Value], is_large: bool) -> Outcome {
    let all = sorted(&want!(numbers(e, &v[..1])?));
    e.lift_one(v[1].clone(), &|which| {
        let which = crate::calc::coerce::number(which)?.ceil();
        if which < 1.0 || which > all.len() as f64 {
            return Err(ErrorCode::Num);
        }
        let at = if is_large { all.len() - which as usize } else { which as usize - 1 };
        Ok(Scalar::Number(all[at]))
    })
}

fn quantiles(e: &mut Evaluator<'_>, v: &[Value], of: f64) -> Outcome {
    let all = sorted(&want!(numbers(e, &v[..1])?));
    let part = want!(number(e, v.get(1), 0.0)?);
    let part = if of == 1.0 { part } else { part.trunc() / of };
    Ok(Value::number(want!(quantile(&all, part))))
}

fn rank(e: &mut Evaluator<'_>, v: &[Value], is_mean: bool) -> Outcome {
    let all = want!(numbers(e, &v[1..2])?);
    let is_rising = want!(number(e, v.get(2), 0.0)?) != 0.0;
    e.grid.work(all.len() as u64)?;
    e.lift_one(v[0].clone(), &|x| {
        let x = crate::calc::coerce::number(x)?;
        let equal = all.iter().filter(|it| **it == x).count();
        if equal == 0 {
            return Err(ErrorCode::NotAvailable);
        }
        let before = all.iter().filter(|it| if is_rising { **it < x } else { **it > x }).count();
        let rank = before as f64 + 1.0;
        Ok(Scalar::Number(if is_mean { rank + (equal as f64 - 1.0) / 2.0 } else { rank }))
    })
}

/// Sums of pairs: the first argument is `x`, the second one `y`.
pub(super) struct Sums {
    pub(super) n: f64,
    x: f64,
    y: f64,
    pub(super) xx: f64,
    pub(super) yy: f64,
    pub(super) xy: f64,
}

pub(super) fn sums(e: &mut Evaluator<'_>, v: &[Value]) -> Result<Result<Sums, ErrorCode>, Stop> {
    let (a, b) = (e.as_values(&v[0])?, e.as_values(&v[1])?);
    if a.cells.len() != b.cells.len() {
        return Ok(Err(ErrorCode::NotAvailable));
    }
    let mut pairs = Vec::new();
    for pair in a.cells.iter().zip(&b.cells) {
        match pair {
            (Scalar::Number(x), Scalar::Number(y)) => pairs.push((*x, *y)),
            (Scalar::Error(code), _) | (_, Scalar::Error(code)) => return Ok(Err(*code)),
            _ => {}
        }
    }
    if pairs.is_empty() {
        return Ok(Err(ErrorCode::Div0));
    }
    let n = pairs.len() as f64;
    let (x, y) = (
        pairs.iter().map(|it| it.0).sum::<f64>() / n,
        pairs.iter().map(|it| it.1).sum::<f64>() / n,
    );
    let of = |f: fn(f64, f64) -> f64| pairs.iter().map(|it| f(it.0 - x, it.1 - y)).sum::<f64>();
    Ok(Ok(Sums { n, x, y, xx: of(|x, _| x * x), yy: of(|_, y| y * y), xy: of(|x, y| x * y) }))
}

fn two(e: &mut Evaluator<'_>, v: &[Value], f: fn(&Sums) -> Result<f64, ErrorCode>) -> Outcome {
    let sums = want!(sums(e, v)?);
    let result = want!(f(&sums));
    Ok(if result.is_finite() { Value::number(result) } else { Value::error(ErrorCode::Div0) })
}
