//! Exact sums for `sum`, `total` and `avg`, which can also subtract the rows that leave a window.

use crate::decimal::{Decimal, marked, short, units};
use crate::wide;
use rusqlite::types::{Value, ValueRef};

/// A sum so far.
#[derive(Default)]
pub(crate) struct Total {
    whole: i128,
    n_whole: u64,
    /// The sum of decimals for each exponent. There are few exponents, and each sum has room for more rows than any table
    /// has.
    decimals: Vec<(i32, i128)>,
    n_decimals: u64,
    /// The sum of numbers that are not exact.
    inexact: f64,
    n_inexact: u64,
    /// The number of texts that are not numbers; they count as 0.
    n_texts: u64,
}

impl Total {
    /// Returns the sum of whole numbers, and of decimals with the digits after their point. Each sum has the number of its numbers.
    pub(crate) fn of(whole: i128, n_whole: u64, decimals: Option<(i128, u64, u8)>) -> Self {
        let (units, n_decimals, places) = decimals.unwrap_or_default();
        let decimals = if n_decimals > 0 { vec![(-i32::from(places), units)] } else { Vec::new() };
        Self { whole, n_whole, decimals, n_decimals, ..Self::default() }
    }

    pub(crate) fn count(&self) -> u64 {
        self.n_whole + self.n_decimals + self.n_inexact + self.n_texts
    }

    pub(crate) fn add(&mut self, value: ValueRef<'_>) {
        self.change(value, 1);
    }

    pub(crate) fn take_away(&mut self, value: ValueRef<'_>) {
        self.change(value, -1);
    }

    fn change(&mut self, value: ValueRef<'_>, sign: i8) {
        let bump = |count: &mut u64| *count = count.wrapping_add_signed(sign.into());
        match value {
            ValueRef::Null => {}
            ValueRef::Integer(number) => {
                self.whole += i128::from(number) * i128::from(sign);
                bump(&mut self.n_whole);
            }
            ValueRef::Real(number) => {
                // Most numbers of a column have the scale of the previous one.
                if let Some((exponent, sum)) = self.decimals.last_mut()
                    && let Ok(places) = u8::try_from(-*exponent)
                    && let Some(units) = units(number, places)
                    && let Some(changed) = sum.checked_add(i128::from(units) * i128::from(sign))
                {
                    *sum = changed;
                    return bump(&mut self.n_decimals);
                }
                match short(number) {
                    Some(decimal) => self.change_decimal(decimal, sign),
                    None => {
                        self.inexact += number * f64::from(sign);
                        bump(&mut self.n_inexact);
                    }
                }
            }
            ValueRef::Text(bytes) => {
                let text = std::str::from_utf8(bytes).unwrap_or_default();
                match wide::read(text) {
                    Some(decimal) => self.change_decimal(decimal, sign),
                    None => match Decimal::parse(text.trim()) {
                        Some(decimal) => self.change_decimal(decimal, sign),
                        None => bump(&mut self.n_texts),
                    },
                }
            }
            ValueRef::Blob(_) => bump(&mut self.n_texts),
        }
    }

    fn change_decimal(&mut self, decimal: Decimal, sign: i8) {
        let slot = self.decimals.iter_mut().find(|(exponent, _)| *exponent == decimal.exponent);
        let change = decimal.digits * i128::from(sign);
        let sum = slot.as_ref().map_or(Some(change), |(_, sum)| sum.checked_add(change));
        match (sum, slot) {
            (Some(sum), Some(slot)) => slot.1 = sum,
            (Some(sum), None) => self.decimals.push((decimal.exponent, sum)),
            (None, _) => {
                // The sum of numbers with more than 30 digits has overflowed.
                self.inexact += decimal.to_double_or_marked() * f64::from(sign);
                self.n_inexact = self.n_inexact.wrapping_add_signed(sign.into());
                return;
            }
        }
        self.n_decimals = self.n_decimals.wrapping_add_signed(sign.into());
    }

    /// Returns the exact sum; `None` if a number was not exact, or if the sum needs more than 38 digits.
    pub(crate) fn exact(&self) -> Option<Decimal> {
        if self.n_inexact > 0 {
            return None;
        }
        let mut total = Decimal { digits: self.whole, exponent: 0 };
        for &(exponent, digits) in &self.decimals {
            total = total.plus(Decimal { digits, exponent }.shortest())?;
        }
        Some(total.shortest())
    }

    fn nearest(&self) -> f64 {
        let decimals = self
            .decimals
            .iter()
            .map(|&(exponent, digits)| Decimal { digits, exponent }.to_double_or_marked());
        marked(self.inexact + self.whole as f64 + decimals.sum::<f64>())
    }

    fn real(&self) -> f64 {
        self.exact().map_or_else(|| self.nearest(), Decimal::to_double_or_marked)
    }

    /// Returns `sum`: whole if all numbers are whole, null without numbers.
    ///
    /// # Errors
    /// A whole sum does not fit in 64 bits.
    pub(crate) fn sum(&self) -> Result<Value, &'static str> {
        Ok(match self.count() {
            0 => Value::Null,
            count if count == self.n_whole => Value::Integer(
                i64::try_from(self.whole)
                    .map_err(|_| "integer overflow: the sum of whole numbers does not fit into 64 bits; use total() or decimal_sum()")?,
            ),
            _ => Value::Real(self.real()),
        })
    }

    /// Returns `total`, which is never null and never whole.
    pub(crate) fn total(&self) -> Value {
        Value::Real(self.real())
    }

    /// Returns `avg`; null without numbers.
    pub(crate) fn mean(&self) -> Value {
        let count = self.count();
        if count == 0 {
            return Value::Null;
        }
        let exact = self.exact().and_then(|total| {
            let digits = total.digits.checked_mul(10_i128.pow(15))?;
            let quotient =
                Decimal { digits: digits / i128::from(count), exponent: total.exponent - 15 };
            (digits % i128::from(count) == 0).then(|| quotient.to_double()).flatten()
        });
        Value::Real(exact.unwrap_or_else(|| marked(self.real() / count as f64)))
    }

    /// Returns `decimal_sum`, which is exact up to 38 digits.
    pub(crate) fn decimal_sum(&self) -> Result<Value, &'static str> {
        if self.count() == 0 {
            return Ok(Value::Null);
        }
        let exact = self
            .exact()
            .ok_or("decimal_sum: a number is not exact, or the sum has more than 38 digits")?;
        Ok(exact.to_double().map_or_else(|| Value::Text(wide::write(exact)), Value::Real))
    }
}
