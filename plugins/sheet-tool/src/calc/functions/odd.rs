//! Securities whose first or last period is longer or shorter than the others.

use super::Single;
use super::arguments::{ensure, real, whole};
use super::bonds::{Coupons, actual, basis, days, halved, is_end, moved};
use super::date::{Day, date, last_day};
use crate::calc::coerce::finite;
use crate::calc::evaluate::Environment;
use crate::value::{ErrorCode, Scalar};

/// Most periods of one security.
const MAX_PERIODS: i64 = 40_000;

pub(super) fn find(name: &str) -> Option<Single> {
    Some(match name {
        "ODDFPRICE" => (8, 9, |e, a| {
            let first = First::read(e, a)?;
            let (yields, redemption) = (real(a, 5, 0.0)?, real(a, 6, 0.0)?);
            ensure(yields >= 0.0 && redemption >= 0.0 && first.is_in_step())?;
            finite(first.price(yields, redemption))
        }),
        "ODDFYIELD" => (8, 9, |e, a| {
            let first = First::read(e, a)?;
            let (price, redemption) = (real(a, 5, 0.0)?, real(a, 6, 0.0)?);
            ensure(price > 0.0 && redemption >= 0.0)?;
            let mut high = first.frequency;
            while first.price(high, redemption) > price && high < 1e12 {
                high *= 2.0;
            }
            let low = -first.frequency * (1.0 - 1e-9);
            finite(halved(low, high, |it| first.price(it, redemption) > price))
        }),
        "ODDLPRICE" => (7, 8, |e, a| {
            let last = Last::read(e, a)?;
            let (yields, redemption) = (real(a, 4, 0.0)?, real(a, 5, 0.0)?);
            ensure(yields >= 0.0 && redemption >= 0.0)?;
            let paid = last.all * last.coupon + redemption;
            let discount = last.left * yields / last.frequency + 1.0;
            finite(paid / discount - last.accrued * last.coupon)
        }),
        "ODDLYIELD" => (7, 8, |e, a| {
            let last = Last::read(e, a)?;
            let (price, redemption) = (real(a, 4, 0.0)?, real(a, 5, 0.0)?);
            ensure(price > 0.0 && redemption >= 0.0)?;
            let spent = last.accrued * last.coupon + price;
            let gain = last.all * last.coupon + redemption - spent;
            finite(gain / spent * last.frequency / last.left)
        }),
        _ => return None,
    })
}

/// A security with an odd first period.
struct First {
    settlement: Day,
    maturity: Day,
    issue: Day,
    first: Day,
    frequency: f64,
    basis: i64,
    /// Interest of a whole period.
    coupon: f64,
}

impl First {
    fn read(e: &Environment, a: &[Scalar]) -> Result<Self, ErrorCode> {
        let (settlement, maturity) = (date(e, a, 0)?, date(e, a, 1)?);
        let (issue, first) = (date(e, a, 2)?, date(e, a, 3)?);
        let (rate, frequency) = (real(a, 4, 0.0)?, whole(a, 7, 0.0)?);
        let basis = basis(a, 8)?;
        ensure([1.0, 2.0, 4.0].contains(&frequency) && rate >= 0.0)?;
        ensure(issue < settlement && settlement < first && first < maturity)?;
        let coupon = 100.0 * rate / frequency;
        Ok(Self { settlement, maturity, issue, first, frequency, basis, coupon })
    }

    /// Returns `true` if the first coupon is a whole number of periods before the maturity, without which Excel gives `#NUM!`.
    fn is_in_step(&self) -> bool {
        let months = (self.maturity.0 - self.first.0) * 12 + self.maturity.1 - self.first.1;
        months % self.months() == 0
            && moved(self.maturity, -months, is_end(self.maturity)) == self.first
    }

    /// Returns the months of a period.
    fn months(&self) -> i64 {
        (12.0 / self.frequency) as i64
    }

    fn coupons(&self, from: Day, to: Day) -> Coupons {
        Coupons::between(from, to, self.frequency, self.basis)
    }

    fn price(&self, yields: f64, redemption: f64) -> f64 {
        let around = self.coupons(self.settlement, self.first);
        let length = around.length();
        let odd = days(self.issue, self.first, self.basis);
        if odd < length {
            self.short(yields, redemption, odd / length, length)
        } else {
            self.long(yields, redemption, &around)
        }
    }

    /// Returns the price if the first period is shorter than the others; `part` is its part of a whole one.
    fn short(&self, yields: f64, redemption: f64, part: f64, length: f64) -> f64 {
        let count = self.coupons(self.settlement, self.maturity).count;
        let until = days(self.settlement, self.first, self.basis) / length;
        let accrued = days(self.issue, self.settlement, self.basis) / length;
        let step = 1.0 + yields / self.frequency;
        let later = self.coupon * annuity(step, count - 1.0);
        let paid = self.coupon * part + later + redemption * step.powf(1.0 - count);
        paid / step.powf(until) - self.coupon * accrued
    }

    /// Returns the price if the first period is longer than the others, as if coupons were within.
    fn long(&self, yields: f64, redemption: f64, around: &Coupons) -> f64 {
        let normal = around.length();
        let (mut all, mut accrued) = (0.0, 0.0);
        let mut late = self.first;
        for _ in 1..MAX_PERIODS {
            let early = moved(late, -self.months(), false);
            let length = if self.basis == 1 { actual(early, late) } else { normal };
            let (start, stop) = (self.issue.max(early), self.settlement.min(late));
            all +=
                if early <= self.issue { days(self.issue, late, self.basis) / length } else { 1.0 };
            if start < stop {
                accrued += days(start, stop, self.basis) / length;
            }
            late = early;
            if early <= self.issue {
                break;
            }
        }
        let until = match self.basis {
            2 | 3 => actual(self.settlement, around.next),
            _ => normal - days(around.previous, self.settlement, self.basis),
        };
        // Whole periods from the next such coupon to the first real one.
        let within = around.count - 1.0;
        let count = self.coupons(self.first, self.maturity).count;
        let step = 1.0 + yields / self.frequency;
        let later = self.coupon * annuity(step, count);
        let paid = self.coupon * all + later + redemption * step.powf(-count);
        paid / step.powf(within + until / normal) - self.coupon * accrued
    }
}

/// Returns what payments of one at the end of each period are worth before the first period.
fn annuity(step: f64, count: f64) -> f64 {
    if step == 1.0 { count } else { (1.0 - step.powf(-count)) / (step - 1.0) }
}

/// A security with an odd last period: its parts in whole periods.
struct Last {
    frequency: f64,
    /// Interest of a whole period.
    coupon: f64,
    /// From the last interest to the maturity.
    all: f64,
    /// From the last interest to the settlement.
    accrued: f64,
    /// From the settlement to the maturity.
    left: f64,
}

impl Last {
    fn read(e: &Environment, a: &[Scalar]) -> Result<Self, ErrorCode> {
        let (settlement, maturity, interest) = (date(e, a, 0)?, date(e, a, 1)?, date(e, a, 2)?);
        let (rate, frequency) = (real(a, 3, 0.0)?, whole(a, 6, 0.0)?);
        let basis = basis(a, 7)?;
        ensure([1.0, 2.0, 4.0].contains(&frequency) && rate >= 0.0)?;
        ensure(interest < settlement && settlement < maturity)?;
        let months = (12.0 / frequency) as i64;
        let (mut all, mut accrued, mut left) = (0.0, 0.0, 0.0);
        let mut early = interest;
        for _ in 1..MAX_PERIODS {
            let late = moved(early, months, false);
            let length = whole_days(early, late, basis);
            all += whole_days(early, late.min(maturity), basis) / length;
            accrued += match () {
                () if late < settlement => whole_days(early, late, basis) / length,
                () if early < settlement => days(early, settlement, basis) / length,
                () => 0.0,
            };
            let (start, stop) = (settlement.max(early), maturity.min(late));
            if start < stop {
                left += days(start, stop, basis) / length;
            }
            early = late;
            if late >= maturity {
                return Ok(Self {
                    frequency,
                    coupon: 100.0 * rate / frequency,
                    all,
                    accrued,
                    left,
                });
            }
        }
        Err(ErrorCode::Num)
    }
}

/// Returns days by a basis of counting. By American months of thirty days, the last day of February and a 31st are a 30th at both
/// ends, as in Excel's functions of an odd last period.
fn whole_days(first: Day, last: Day, basis: i64) -> f64 {
    if basis != 0 {
        return days(first, last, basis);
    }
    let thirty = |day: Day| {
        if day.2 == 31 || day.1 == 2 && day.2 == last_day(day.0, 2) { 30 } else { day.2 }
    };
    ((last.0 - first.0) * 360 + (last.1 - first.1) * 30 + thirty(last) - thirty(first)) as f64
}
