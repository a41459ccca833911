//! Depreciation of assets.

use super::arguments::{ensure, real, reals, whole};
use super::bonds::{basis, days};
use super::date::{Day, date, last_day};
use super::{Single, Whole, number, want};
use crate::calc::coerce::{finite, truth};
use crate::calc::evaluate::{Environment, Evaluator, Outcome, Value};
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
        "AMORLINC" => (6, 7, |e, a| {
            let french = French::read(e, a)?;
            let (cost, rest) = (french.cost, french.cost - french.salvage);
            if french.period > french.life {
                return finite(0.0);
            }
            let (first, _) = french.first(french.rate);
            let yearly = french.rate * cost;
            finite(match french.period {
                0.0 => first,
                period => (rest - first - (period - 1.0) * yearly).clamp(0.0, yearly),
            })
        }),
        "AMORDEGRC" => (6, 7, |e, a| French::read(e, a)?.falling()),
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

/// An asset as French accountants see it.
struct French {
    cost: f64,
    purchased: Day,
    first_end: Day,
    salvage: f64,
    period: f64,
    rate: f64,
    basis: i64,
    /// Years of its life.
    life: f64,
}

impl French {
    fn read(e: &Environment, a: &[Scalar]) -> Result<Self, ErrorCode> {
        let (cost, purchased, first_end) = (real(a, 0, 0.0)?, date(e, a, 1)?, date(e, a, 2)?);
        let (salvage, period) = (real(a, 3, 0.0)?, whole(a, 4, 0.0)?);
        let (rate, basis) = (real(a, 5, 0.0)?, basis(a, 6)?);
        ensure(cost >= 0.0 && salvage >= 0.0 && salvage <= cost && period >= 0.0)?;
        ensure(rate > 0.0 && purchased <= first_end && basis != 2)?;
        let life = (1.0 / rate).ceil();
        Ok(Self { cost, purchased, first_end, salvage, period, rate, basis, life })
    }

    /// Returns the loss until the end of the first period by a rate, and the number of periods.
    fn first(&self, rate: f64) -> (f64, f64) {
        let is_leap = |day: Day| last_day(day.0, 2) == 29;
        let without_leap_day = |day: Day| match day {
            (year, 2, 28..) if is_leap(day) && matches!(self.basis, 1 | 3) => (year, 2, 28),
            day => day,
        };
        let year = match self.basis {
            1 if is_leap(self.purchased) => 366.0,
            1 | 3 => 365.0,
            _ => 360.0,
        };
        let (from, to) = (without_leap_day(self.purchased), without_leap_day(self.first_end));
        let part = days(from, to, self.basis) / year * rate * self.cost;
        let (loss, periods) =
            if part == 0.0 { (self.cost * rate, self.life) } else { (part, self.life + 1.0) };
        (loss.min(self.cost - self.salvage), periods)
    }

    /// Returns the loss of a period by a multiple of the rate; the last two periods halve and take the rest.
    fn falling(&self) -> Done {
        let years = 1.0 / self.rate;
        ensure(!(0.0..=3.0).contains(&years) && !(4.0..=5.0).contains(&years))?;
        if self.cost == self.salvage || self.period > self.life {
            return finite(0.0);
        }
        ensure(self.period <= MAX_PERIODS)?;
        let factor = match self.life {
            life if (3.0..=4.0).contains(&life) => 1.5,
            life if (5.0..=6.0).contains(&life) => 2.0,
            life if life > 6.0 => 2.5,
            _ => 1.0,
        };
        let mut rate = self.rate * factor;
        let (first, periods) = self.first(rate);
        if self.period == 0.0 {
            return finite(first.round());
        }
        let (mut loss, mut rest) = (0.0, self.cost - first.round());
        for at in 1..=self.period as u64 {
            let is_last_but_one = periods - at as f64 - 1.0 == 2.0;
            loss = if rest < self.salvage {
                0.0
            } else if is_last_but_one {
                rest * 0.5
            } else {
                rest * rate
            };
            if is_last_but_one {
                rate = 1.0;
            }
            rest -= loss;
        }
        finite(loss.round())
    }
}

/// Falls by a fixed rate that has three decimals.
fn fixed(_: &Environment, a: &[Scalar]) -> Done {
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
    let old = if rate == 1.0 {
        if period == 1.0 { cost } else { 0.0 }
    } else {
        cost * (1.0 - rate).powf(period - 1.0)
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
