//! Securities with coupons: dates of coupons, prices, yields, accrued interest.

use super::Single;
use super::arguments::{ensure, flag, real, whole};
use super::date::{Day, date, last_day, thirty, year_part};
use crate::calc::coerce::finite;
use crate::calc::evaluate::Environment;
use crate::moment::{day_serial, days_from_civil};
use crate::value::{ErrorCode, Scalar};

type Done = Result<Scalar, ErrorCode>;

/// Most periods between the issue and the settlement of `ACCRINT`.
const MAX_PERIODS: i64 = 40_000;

pub(super) fn find(name: &str) -> Option<Single> {
    Some(match name {
        "COUPDAYBS" => (3, 4, |e, a| finite(Coupons::read(e, a, 2)?.before())),
        "COUPDAYS" => (3, 4, |e, a| finite(Coupons::read(e, a, 2)?.length())),
        "COUPDAYSNC" => (3, 4, |e, a| finite(Coupons::read(e, a, 2)?.after())),
        "COUPNCD" => (3, 4, |e, a| serial(e, Coupons::read(e, a, 2)?.next)),
        "COUPPCD" => (3, 4, |e, a| serial(e, Coupons::read(e, a, 2)?.previous)),
        "COUPNUM" => (3, 4, |e, a| finite(Coupons::read(e, a, 2)?.count)),
        "PRICE" => (6, 7, |e, a| {
            let coupons = Coupons::read(e, a, 5)?;
            let (rate, yields, redemption) = (real(a, 2, 0.0)?, real(a, 3, 0.0)?, real(a, 4, 0.0)?);
            ensure(rate >= 0.0 && yields >= 0.0 && redemption > 0.0)?;
            finite(coupons.price(rate, yields, redemption))
        }),
        "YIELD" => (6, 7, |e, a| {
            let coupons = Coupons::read(e, a, 5)?;
            let (rate, price, redemption) = (real(a, 2, 0.0)?, real(a, 3, 0.0)?, real(a, 4, 0.0)?);
            ensure(rate >= 0.0 && price > 0.0 && redemption > 0.0)?;
            finite(coupons.yields(rate, price, redemption))
        }),
        "DURATION" => (5, 6, |e, a| finite(duration(e, a)?.0)),
        "MDURATION" => (5, 6, |e, a| finite(duration(e, a)?.1)),
        "ACCRINT" => (6, 8, accrued),
        _ => return None,
    })
}

fn serial(e: &Environment, day: Day) -> Done {
    finite(day_serial(day.0, day.1, day.2, e.from_1904))
}

/// Returns a day some months later; the last day of a month stays one if that is wanted.
pub(super) fn moved(day: Day, months: i64, is_end: bool) -> Day {
    let all = day.0 * 12 + day.1 - 1 + months;
    let (year, month) = (all.div_euclid(12), all.rem_euclid(12) + 1);
    let last = last_day(year, month);
    (year, month, if is_end { last } else { day.2.min(last) })
}

pub(super) fn is_end(day: Day) -> bool {
    day.2 == last_day(day.0, day.1)
}

pub(super) fn actual(first: Day, last: Day) -> f64 {
    (days_from_civil(last.0, last.1, last.2) - days_from_civil(first.0, first.1, first.2)) as f64
}

/// Returns days by a basis of counting.
pub(super) fn days(first: Day, last: Day, basis: i64) -> f64 {
    match basis {
        0 => thirty(first, last, false) as f64,
        4 => thirty(first, last, true) as f64,
        _ => actual(first, last),
    }
}

pub(super) fn basis(a: &[Scalar], at: usize) -> Result<i64, ErrorCode> {
    let basis = whole(a, at, 0.0)?;
    ensure((0.0..=4.0).contains(&basis))?;
    Ok(basis as i64)
}

/// Coupons around a settlement.
pub(super) struct Coupons {
    settlement: Day,
    pub(super) previous: Day,
    pub(super) next: Day,
    /// Coupons from the settlement to the maturity.
    pub(super) count: f64,
    /// Coupons of a year.
    frequency: f64,
    basis: i64,
}

impl Coupons {
    /// Reads settlement, maturity, frequency and basis; the last two are together.
    fn read(e: &Environment, a: &[Scalar], at: usize) -> Result<Self, ErrorCode> {
        let (settlement, maturity) = (date(e, a, 0)?, date(e, a, 1)?);
        let (frequency, basis) = (whole(a, at, 0.0)?, basis(a, at + 1)?);
        ensure([1.0, 2.0, 4.0].contains(&frequency) && settlement < maturity)?;
        Ok(Self::between(settlement, maturity, frequency, basis))
    }

    /// Counts coupons from the maturity back to the settlement before it.
    pub(super) fn between(settlement: Day, maturity: Day, frequency: f64, basis: i64) -> Self {
        let step = (12.0 / frequency) as i64;
        let is_end = is_end(maturity);
        let coupon = |back: i64| moved(maturity, -step * back, is_end);
        let months = (maturity.0 - settlement.0) * 12 + maturity.1 - settlement.1;
        let mut count = (months / step - 1).max(0);
        while coupon(count + 1) > settlement {
            count += 1;
        }
        let (previous, next) = (coupon(count + 1), coupon(count));
        Self { settlement, previous, next, count: (count + 1) as f64, frequency, basis }
    }

    /// Returns the days of the coupon's period.
    pub(super) fn length(&self) -> f64 {
        match self.basis {
            1 => actual(self.previous, self.next),
            3 => 365.0 / self.frequency,
            _ => 360.0 / self.frequency,
        }
    }

    fn before(&self) -> f64 {
        days(self.previous, self.settlement, self.basis)
    }

    fn after(&self) -> f64 {
        match self.basis {
            0 | 4 => self.length() - self.before(),
            _ => actual(self.settlement, self.next),
        }
    }

    fn price(&self, rate: f64, yields: f64, redemption: f64) -> f64 {
        let (coupon, share) = (100.0 * rate / self.frequency, self.after() / self.length());
        let interest = coupon * self.before() / self.length();
        let step = yields / self.frequency;
        if self.count <= 1.0 {
            return (coupon + redemption) / (1.0 + share * step) - interest;
        }
        let annuity = if step == 0.0 {
            self.count
        } else {
            (1.0 - (1.0 + step).powf(-self.count)) / step * (1.0 + step)
        };
        (redemption * (1.0 + step).powf(1.0 - self.count) + coupon * annuity)
            / (1.0 + step).powf(share)
            - interest
    }

    fn yields(&self, rate: f64, price: f64, redemption: f64) -> f64 {
        let (coupon, share) = (100.0 * rate / self.frequency, self.after() / self.length());
        if self.count <= 1.0 {
            let paid = price + coupon * self.before() / self.length();
            return ((coupon + redemption) / paid - 1.0) * self.frequency / share;
        }
        let mut high = self.frequency;
        while self.price(rate, high, redemption) > price && high < 1e12 {
            high *= 2.0;
        }
        halved(-self.frequency * (1.0 - 1e-9), high, |x| self.price(rate, x, redemption) > price)
    }
}

/// Returns where a condition ends to hold, by halving a range until nothing is left to halve.
pub(super) fn halved(mut low: f64, mut high: f64, holds: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..200 {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            break;
        }
        if holds(middle) { low = middle } else { high = middle }
    }
    low + (high - low) / 2.0
}

/// Returns the duration of Macaulay and the modified one.
fn duration(e: &Environment, a: &[Scalar]) -> Result<(f64, f64), ErrorCode> {
    let coupons = Coupons::read(e, a, 4)?;
    let (rate, yields) = (real(a, 2, 0.0)?, real(a, 3, 0.0)?);
    ensure(rate >= 0.0 && yields >= 0.0)?;
    let (step, share) = (yields / coupons.frequency, coupons.after() / coupons.length());
    let (mut weighted, mut sum) = (0.0, 0.0);
    for at in 0..coupons.count as u64 {
        let time = share + at as f64;
        let is_last = at as f64 + 1.0 == coupons.count;
        let paid = 100.0 * rate / coupons.frequency + if is_last { 100.0 } else { 0.0 };
        let worth = paid * (1.0 + step).powf(-time);
        weighted += worth * time;
        sum += worth;
    }
    let years = weighted / sum / coupons.frequency;
    Ok((years, years / (1.0 + step)))
}

/// Adds the interest of each period from the issue, or from the first interest, to the settlement.
fn accrued(e: &Environment, a: &[Scalar]) -> Done {
    let (issue, first, settlement) = (date(e, a, 0)?, date(e, a, 1)?, date(e, a, 2)?);
    let (rate, frequency, basis) = (real(a, 3, 0.0)?, whole(a, 5, 0.0)?, basis(a, 6)?);
    let par = match a.get(4) {
        None | Some(Scalar::Empty) => 1000.0,
        _ => real(a, 4, 1000.0)?,
    };
    ensure(rate > 0.0 && par > 0.0 && [1.0, 2.0, 4.0].contains(&frequency) && issue < settlement)?;
    let start = if flag(a, 7, true)? || settlement <= first { issue } else { first };
    let step = (12.0 / frequency) as i64;
    let end = is_end(first);
    let coupon = |at: i64| moved(first, step * at, end);
    let months = (start.0 - first.0) * 12 + start.1 - first.1;
    let before = months.div_euclid(step) - 1;
    let mut sum = 0.0;
    for at in before..before + MAX_PERIODS {
        let (from, to) = (coupon(at), coupon(at + 1));
        if from >= settlement {
            return finite(par * rate / frequency * sum);
        }
        let (begin, stop) = (from.max(start), to.min(settlement));
        if begin < stop {
            let length = match basis {
                1 => actual(from, to),
                3 => 365.0 / frequency,
                _ => 360.0 / frequency,
            };
            sum += days(begin, stop, basis) / length;
        }
    }
    Err(ErrorCode::Num)
}

/// Securities without coupons: those at a discount, those with interest at maturity, treasury bills.
pub(super) fn find_plain(name: &str) -> Option<Single> {
    Some(match name {
        "ACCRINTM" => (4, 5, |e, a| {
            let (rate, par) = (real(a, 2, 0.0)?, real(a, 3, 1000.0)?);
            ensure(rate > 0.0 && par > 0.0)?;
            finite(par * rate * years(e, a, 4)?)
        }),
        "DISC" => (4, 5, |e, a| {
            let (price, redemption) = paid(a)?;
            finite((redemption - price) / redemption / years(e, a, 4)?)
        }),
        "INTRATE" | "YIELDDISC" => (4, 5, |e, a| {
            let (price, redemption) = paid(a)?;
            finite((redemption - price) / price / years(e, a, 4)?)
        }),
        "RECEIVED" => (4, 5, |e, a| {
            let (price, discount) = paid(a)?;
            let rest = 1.0 - discount * years(e, a, 4)?;
            ensure(rest > 0.0)?;
            finite(price / rest)
        }),
        "PRICEDISC" => (4, 5, |e, a| {
            let (discount, redemption) = paid(a)?;
            finite(redemption * (1.0 - discount * years(e, a, 4)?))
        }),
        "PRICEMAT" => (5, 6, |e, a| {
            let (rate, yields) = (real(a, 3, 0.0)?, real(a, 4, 0.0)?);
            ensure(rate >= 0.0 && yields >= 0.0)?;
            let [whole, left, passed] = matured(e, a)?;
            finite((100.0 + whole * rate * 100.0) / (1.0 + left * yields) - passed * rate * 100.0)
        }),
        "YIELDMAT" => (5, 6, |e, a| {
            let (rate, price) = (real(a, 3, 0.0)?, real(a, 4, 0.0)?);
            ensure(rate >= 0.0 && price > 0.0)?;
            let [whole, left, passed] = matured(e, a)?;
            finite(((1.0 + whole * rate) / (price / 100.0 + passed * rate) - 1.0) / left)
        }),
        "TBILLPRICE" => (3, 3, |e, a| {
            let (days, discount) = bill(e, a)?;
            let price = 100.0 * (1.0 - discount * days / 360.0);
            ensure(price > 0.0)?;
            finite(price)
        }),
        "TBILLYIELD" => (3, 3, |e, a| {
            let (days, price) = bill(e, a)?;
            finite((100.0 - price) / price * 360.0 / days)
        }),
        "TBILLEQ" => (3, 3, |e, a| {
            let (days, discount) = bill(e, a)?;
            if days <= 182.0 {
                return finite(365.0 * discount / (360.0 - discount * days));
            }
            let (price, year) =
                (1.0 - discount * days / 360.0, if days == 366.0 { 366.0 } else { 365.0 });
            let term = days / year;
            let root = (term * term - (2.0 * term - 1.0) * (1.0 - 1.0 / price)).sqrt();
            finite(2.0 * (root - term) / (2.0 * term - 1.0))
        }),
        _ => return None,
    })
}

/// Returns the part of a year from the settlement, or the issue, to the maturity.
fn years(e: &Environment, a: &[Scalar], at: usize) -> Result<f64, ErrorCode> {
    let (first, last) = (date(e, a, 0)?, date(e, a, 1)?);
    ensure(first < last)?;
    year_part(first, last, basis(a, at)?)
}

/// Returns the two amounts or rates of a security at a discount.
fn paid(a: &[Scalar]) -> Result<(f64, f64), ErrorCode> {
    let (first, second) = (real(a, 2, 0.0)?, real(a, 3, 0.0)?);
    ensure(first > 0.0 && second > 0.0)?;
    Ok((first, second))
}

/// Returns parts of a year: from issue to maturity, from settlement to maturity, from issue to settlement.
fn matured(e: &Environment, a: &[Scalar]) -> Result<[f64; 3], ErrorCode> {
    let (settlement, maturity, issue) = (date(e, a, 0)?, date(e, a, 1)?, date(e, a, 2)?);
    let basis = basis(a, 5)?;
    ensure(settlement < maturity && issue <= settlement)?;
    Ok([
        year_part(issue, maturity, basis)?,
        year_part(settlement, maturity, basis)?,
        year_part(issue, settlement, basis)?,
    ])
}

/// Returns the days of a treasury bill, a year at most, and its discount or price.
fn bill(e: &Environment, a: &[Scalar]) -> Result<(f64, f64), ErrorCode> {
    let (settlement, maturity) = (date(e, a, 0)?, date(e, a, 1)?);
    let value = real(a, 2, 0.0)?;
    ensure(settlement < maturity && maturity <= moved(settlement, 12, false) && value > 0.0)?;
    Ok((actual(settlement, maturity), value))
}
