//! Rounds numbers as spreadsheets do: in decimal, from their first 15 digits, and half away from zero.

use crate::value::lexeme;
use std::fmt::Write as _;

/// The significant digits that spreadsheets keep of a number.
const SIGNIFICANT: usize = 15;

/// The digits of a number without its sign. The number is `0.d₁d₂d₃…` × 10^`exponent`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Digits {
    /// Values from 0 to 9, without zeros at both ends. Empty for zero.
    digits: Vec<u8>,
    exponent: i32,
}

impl Digits {
    /// Returns the digits of a finite number.
    pub(super) fn of(value: f64) -> Self {
        Self::parse(&lexeme(value))
    }

    /// Returns the digits of a number in JSON notation.
    pub(super) fn parse(text: &str) -> Self {
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let mantissa = mantissa.trim_start_matches('-');
        let (whole, decimals) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = whole.bytes().chain(decimals.bytes()).filter(u8::is_ascii_digit);
        let exponent: i32 = exponent.parse().unwrap_or(0);
        let mut number = Self {
            digits: digits.map(|digit| digit - b'0').collect(),
            exponent: exponent.saturating_add(whole.len() as i32),
        };
        number.trim();
        if number.digits.len() > SIGNIFICANT {
            number.round_significant(SIGNIFICANT as i32);
        }
        number
    }

    pub(super) fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    /// Returns the exponent of the first digit: 0 for `1.5`, 2 for `150`. It is 0 for zero.
    pub(super) fn magnitude(&self) -> i32 {
        if self.is_zero() { 0 } else { self.exponent - 1 }
    }

    /// Multiplies with a power of ten.
    pub(super) fn shift(&mut self, power: i32) {
        if !self.is_zero() {
            self.exponent += power;
        }
    }

    /// Rounds to a number of digits after the point; a negative number rounds to tens, hundreds and so on.
    pub(super) fn round(&mut self, decimals: i32) {
        let kept = self.exponent.saturating_add(decimals);
        if kept < 0 {
            *self = Self::default();
            return;
        }
        let kept = kept as usize;
        let Some(next) = self.digits.get(kept).copied() else { return };
        self.digits.truncate(kept);
        if next >= 5 {
            self.increment();
        }
        self.trim();
    }

    /// Rounds to a number of significant digits.
    pub(super) fn round_significant(&mut self, count: i32) {
        self.round(count - self.exponent);
    }

    /// Adds one to the last digit.
    fn increment(&mut self) {
        for digit in self.digits.iter_mut().rev() {
            if *digit < 9 {
                *digit += 1;
                return;
            }
            *digit = 0;
        }
        self.digits.insert(0, 1);
        self.exponent += 1;
    }

    fn trim(&mut self) {
        while self.digits.last() == Some(&0) {
            self.digits.pop();
        }
        let leading = self.digits.iter().take_while(|digit| **digit == 0).count();
        self.digits.drain(..leading);
        self.exponent -= leading as i32;
        if self.digits.is_empty() {
            self.exponent = 0;
        }
    }

    /// Returns the number of digits before the point, 0 for numbers below one.
    pub(super) fn n_whole(&self) -> usize {
        self.exponent.max(0) as usize
    }

    /// Returns a digit before the point, as a character. `place` counts from 0 for the ones.
    pub(super) fn whole(&self, place: usize) -> char {
        self.digit(i64::from(self.exponent) - 1 - place as i64)
    }

    /// Returns a digit after the point, as a character. `place` counts from 0 for the tenths.
    pub(super) fn decimal(&self, place: usize) -> char {
        self.digit(i64::from(self.exponent) + place as i64)
    }

    /// Returns the number of digits after the point.
    pub(super) fn n_decimals(&self) -> usize {
        (self.digits.len() as i32 - self.exponent).max(0) as usize
    }

    fn digit(&self, index: i64) -> char {
        let digit = usize::try_from(index).ok().and_then(|index| self.digits.get(index));
        char::from(b'0' + digit.copied().unwrap_or(0))
    }

    /// Appends the number without needless zeros: `0.5`, `1200`.
    pub(super) fn write(&self, out: &mut String) {
        match self.n_whole() {
            0 => out.push('0'),
            count => (0..count).rev().for_each(|place| out.push(self.whole(place))),
        }
        if self.n_decimals() > 0 {
            out.push('.');
            (0..self.n_decimals()).for_each(|place| out.push(self.decimal(place)));
        }
    }
}

/// Appends a number as the format `General` shows it: in at most eleven characters and a sign.
pub(super) fn write_general(value: f64, out: &mut String) {
    write_general_digits(Digits::of(value), value < 0.0, out);
}

/// Appends a number of which the digits are known.
pub(super) fn write_general_digits(mut digits: Digits, is_negative: bool, out: &mut String) {
    /// The most characters without a sign.
    const WIDTH: i32 = 11;
    if is_negative && !digits.is_zero() {
        out.push('-');
    }
    let magnitude = digits.magnitude();
    if (-4..WIDTH).contains(&magnitude) {
        let room = WIDTH - 1 - magnitude.max(0) - 1;
        let mut rounded = digits.clone();
        rounded.round(room.max(0));
        // Rounding may need one more digit before the point.
        if rounded.magnitude() < WIDTH {
            rounded.write(out);
            return;
        }
    } else if magnitude < 0 && digits.n_decimals() as i32 <= WIDTH - 2 {
        digits.write(out);
        return;
    }
    digits.round_significant(6);
    write_scientific(&digits, out);
}

fn write_scientific(digits: &Digits, out: &mut String) {
    let magnitude = digits.magnitude();
    let mut mantissa = digits.clone();
    mantissa.shift(-magnitude);
    mantissa.write(out);
    _ = write!(out, "E{}{:02}", if magnitude < 0 { '-' } else { '+' }, magnitude.abs());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rounded(value: f64, decimals: i32) -> String {
        let mut digits = Digits::of(value);
        digits.round(decimals);
        let mut out = String::new();
        digits.write(&mut out);
        out
    }

    #[test]
    fn halves_are_rounded_away_from_zero_in_decimal() {
        for (value, decimals, expected) in [
            (1.005, 2, "1.01"),
            (0.125, 2, "0.13"),
            (2.5, 0, "3"),
            (999.996, 2, "1000"),
            (0.05, 1, "0.1"),
            (0.04, 1, "0"),
            (0.5, 0, "1"),
            (0.0, 2, "0"),
            (149.0, -2, "100"),
            (1e300, 0, &format!("1{}", "0".repeat(300))),
        ] {
            assert_eq!(rounded(value, decimals), expected, "{value} {decimals}");
        }
    }

    #[test]
    fn digits_are_at_most_fifteen() {
        for (text, expected) in [
            ("0.30000000000000004", "0.3"),
            ("-123456789012345678", "123456789012346000"),
            ("1.5e3", "1500"),
            ("9.999999999999999e-5", "0.0001"),
            ("0.0", "0"),
            ("1e99999999999", "1"),
        ] {
            let mut out = String::new();
            Digits::parse(text).write(&mut out);
            assert_eq!(out, expected, "{text}");
        }
    }

    #[test]
    fn general_numbers_fit_into_eleven_characters() {
        for (value, expected) in [
            (0.0, "0"),
            (-0.0, "0"),
            (1_234_567.0, "1234567"),
            (0.1 + 0.2, "0.3"),
            (1.0 / 3.0, "0.333333333"),
            (-1.0 / 3.0, "-0.333333333"),
            (1_234.567_891_234, "1234.567891"),
            (12_345_678_901.0, "12345678901"),
            (12_345_678_901.5, "12345678902"),
            (123_456_789_012.0, "1.23457E+11"),
            (99_999_999_999.9, "1E+11"),
            (1.234_567E-4, "0.000123457"),
            (1.234_567E-5, "1.23457E-05"),
            (0.000_000_001, "0.000000001"),
            (1.2E-9, "1.2E-09"),
            (-6.022E23, "-6.022E+23"),
            (f64::MAX, "1.79769E+308"),
        ] {
            let mut out = String::new();
            write_general(value, &mut out);
            assert_eq!(out, expected, "{value:e}");
        }
    }
}
