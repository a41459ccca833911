//! Depreciation of assets.

use super::arguments::{ensure, real, reals, whole};
use super::{Single, Whole, number, want};
use crate::calc::coerce::{finite, truth};
use crate::calc::evaluate::{Evaluator, Outcome, Value};
use crate::value::{ErrorCode, Scalar};

type Done = Result<Scalar, ErrorCode>;

/// Most years that `DB` adds up.
const MAX_PERIODS: f64 = 10_000.0;

pub(super) fn find(name: &str) -> Option<Single> {
    Some(match name {
        "SYD" => (4, 4, |_, a| {
            let [cost, salvage, life, period] = reals(a)?;
            ensure(life > 0.0 && salvage >= 0.0 && period >= 1.0 && period <= life)?;
            finite((cost - salvage) * (life - period + 1.0) * 2.0 / (life * (life + 1.0)))
        }),
        "DB" => (4, 5, fixed),
        "DDB" => (4, 5, |_, a| {
            let [cost, salvage, life, period] = reals(a)?;
            let factor = real(a, 4, 2.0)?;
            ensure(cost >= 0.0 && salvage >= 0.0 && life > 0.0 && factor > 0.0)?;
            ensure(period >= 1.0 && period <= life)?;
            finite(falling(cost, salvage, life, period, factor))
        }),
        _ => return None,
    })
}

/// Finds functions that add up many periods.
pub(super) fn find_whole(name: &str) -> Option<(usize, usize, Whole)> {
    (name == "VDB").then_some((5, 7, variable as Whole))
}

/// Falls by a fixed rate that has three decimals.
fn fixed(_: &crate::calc::evaluate::Environment, a: &[Scalar]) -> Done {
    let [cost, salvage, life, period] = reals(a)?;
    let (period, months) = (period.trunc(), whole(a, 4, 12.0)?);
    ensure(cost >= 0.0 && salvage >= 0.0 && life > 0.0 && period >= 1.0)?;
    ensure((1.0..=12.0).contains(&months) && period <= life + 1.0 && period <= MAX_PERIODS)?;
    ensure(months < 12.0 || period <= life)?;
    if cost == 0.0 {
        return finite(0.0);
    }
    let rate = ((1.0 - (salvage / cost).powf(1.0 / life)) * 1000.0).round() / 1000.0;
    let mut amount = cost * rate * months / 12.0;
    let mut sum = 0.0;
    for at in 2..=period as u64 {
        sum += amount;
        amount = (cost - sum) * rate;
        if at as f64 > life {
            amount *= (12.0 - months) / 12.0;
        }
    }
    finite(amount)
}

/// Returns what an asset loses in a period if it falls by a multiple of the straight rate.
fn falling(cost: f64, salvage: f64, life: f64, period: f64, factor: f64) -> f64 {
    let rate = (factor / life).min(1.0);
    let old = match rate == 1.0 {
        true => {
            if period == 1.0 {
                cost
            } else {
                0.0
            }
        }
        false => cost * (1.0 - rate).powf(period - 1.0),
    };
    let new = cost * (1.0 - rate).powf(period);
    (old - new.max(salvage)).max(0.0)
}

/// Returns what an asset loses until a period, with a switch to a straight line where that is more.
fn switched(cost: f64, salvage: f64, life: f64, left: f64, period: f64, factor: f64) -> f64 {
    let end = period.ceil();
    let (mut sum, mut remaining) = (0.0, cost - salvage);
    let mut straight: Option<f64> = None;
    for at in 1..=end as u64 {
        let at = at as f64;
        let mut amount = straight.unwrap_or_else(|| {
            let falls = falling(cost, salvage, life, at, factor);
            let line = remaining / (left - (at - 1.0));
            if line > falls {
                straight = Some(line);
                return line;
            }
            remaining -= falls;
            falls
        });
        if at == end {
            amount *= period + 1.0 - end;
        }
        sum += amount;
    }
    sum
}

fn variable(e: &mut Evaluator<'_>, v: &[Value]) -> Outcome {
    let mut all = [0.0, 0.0, 0.0, 0.0, 0.0, 2.0];
    for (at, place) in all.iter_mut().enumerate() {
        *place = want!(number(e, v.get(at), *place)?);
    }
    let [cost, salvage, life, start, end, factor] = all;
    let is_plain = match v.get(6) {
        None | Some(Value::Missing) => false,
        Some(value) => want!(truth(&e.one(value)?)),
    };
    let fits = cost >= 0.0 && salvage >= 0.0 && life > 0.0 && factor > 0.0;
    want!(ensure(fits && start >= 0.0 && start <= end && end <= life));
    e.grid.work((end.ceil() * 20.0) as u64)?;
    let (first, last) = (start.floor(), end.ceil());
    if is_plain {
        let mut sum = 0.0;
        for at in first as u64 + 1..=last as u64 {
            let at = at as f64;
            let share = end.min(at) - start.max(at - 1.0);
            sum += falling(cost, salvage, life, at, factor) * share;
        }
        return Ok(Value::number(sum));
    }
    // Parts of periods at both ends are taken off.
    let until = |period: f64| switched(cost, salvage, life, life, period, factor);
    let from = |at: f64, periods: f64| {
        switched(cost - until(at), salvage, life, life - at, periods, factor)
    };
    let mut sum = from(first, last - first);
    if start != first {
        sum -= (start - first) * from(first, 1.0);
    }
    if end != last {
        sum -= (last - end) * from(last - 1.0, 1.0);
    }
    Ok(Value::number(sum))
}
