//! Stores a value of a worksheet in little memory, because there may be millions.

use crate::unseen::Unseen;
use mitt_reader_kit::Cell;
use mitt_reader_kit::tables::Decimal;
use mitt_reader_kit::tables::calendar::{date_text, date_time_text, time_text};
use std::borrow::Cow;
use std::rc::Rc;

/// The most digits of a number that is kept in 64 bits.
pub(crate) const MAX_DIGITS: u32 = 18;

/// A value. Cloning a text only counts a reference.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Item {
    #[default]
    Null,
    Boolean(bool),
    /// A decimal with at most 18 digits, at most 18 of them after the point. The units are the digits without the
    /// point, which is before the last `scale` digits.
    Number {
        scale: u8,
        units: Long,
    },
    /// A whole number in a format that shows an identifier. A finished sheet has no such items.
    Code {
        padding: u16,
        units: Long,
    },
    /// Any other number, in JSON notation.
    Lexeme(Rc<str>),
    Text(Rc<str>),
    /// Days since 1970-01-01.
    Date(i32),
    /// Microseconds since midnight.
    Time(Long),
    /// Microseconds since 1970-01-01T00:00:00.
    DateTime(Long),
}

/// An `i64` in two halves. An [`Item`] then has 12 bytes in WebAssembly, and not 16 because of alignment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Long([u32; 2]);

impl From<i64> for Long {
    fn from(value: i64) -> Long {
        let bits = value.cast_unsigned();
        Long([bits as u32, (bits >> 32) as u32])
    }
}

impl Long {
    pub(crate) fn get(self) -> i64 {
        (u64::from(self.0[0]) | u64::from(self.0[1]) << 32).cast_signed()
    }
}

impl Item {
    /// Returns whether a cell whose format shows as little as `unseen` says does not show this.
    pub(crate) fn is_hidden_by(&self, unseen: Unseen) -> bool {
        match self {
            Item::Null => false,
            Item::Text(text) => unseen.hides_text(text),
            Item::Boolean(_) => unseen.hides_truth(),
            _ => unseen.hides_number(),
        }
    }

    pub(crate) fn text_of(text: &str) -> Item {
        Item::Text(Rc::from(text))
    }

    /// Returns a finite number as the shortest decimal with the same bits.
    pub(crate) fn number(value: f64) -> Item {
        /// Decimals with fewer digits than this differ in their bits, so the one with the right bits is the shortest.
        const BOUND: f64 = 1e15;
        const POWERS: [f64; 7] = [1.0, 10.0, 100.0, 1e3, 1e4, 1e5, 1e6];
        for (scale, power) in (0..).zip(POWERS) {
            let units = (value * power).round();
            if units.abs() >= BOUND {
                break;
            }
            // Both operands are exact, so the quotient is the number nearest to the decimal.
            if units / power == value {
                return Item::Number { scale, units: Long::from(units as i64) };
            }
        }
        Item::decimal(&crate::value::lexeme(value))
    }

    /// Returns a number in JSON notation with these digits.
    pub(crate) fn decimal(text: &str) -> Item {
        let fits = |decimal: &Decimal| {
            decimal.scale <= MAX_DIGITS as u8
                && decimal.units.unsigned_abs() < 10u128.pow(MAX_DIGITS)
        };
        match Decimal::parse(text).filter(fits) {
            Some(Decimal { units, scale }) => {
                Item::Number { scale, units: Long::from(units as i64) }
            }
            None => Item::Lexeme(Rc::from(text)),
        }
    }

    /// Returns the value as text; empty for null.
    pub(crate) fn text(&self) -> Cow<'_, str> {
        match self {
            Item::Null => Cow::Borrowed(""),
            Item::Boolean(true) => Cow::Borrowed("true"),
            Item::Boolean(false) => Cow::Borrowed("false"),
            Item::Number { scale, units } => {
                Cow::Owned(Decimal { units: units.get().into(), scale: *scale }.text())
            }
            Item::Code { units, .. } => Cow::Owned(units.get().to_string()),
            Item::Lexeme(text) | Item::Text(text) => Cow::Borrowed(text),
            Item::Date(days) => Cow::Owned(date_text(*days)),
            Item::Time(micros) => Cow::Owned(time_text(micros.get())),
            Item::DateTime(micros) => Cow::Owned(date_time_text(micros.get())),
        }
    }

    pub(crate) fn cell(&self) -> Cell {
        match self {
            Item::Null => Cell::Null,
            Item::Boolean(value) => Cell::Boolean(*value),
            Item::Number { .. } | Item::Code { .. } | Item::Lexeme(_) => {
                Cell::Number(self.text().into_owned())
            }
            _ => Cell::Text(self.text().into_owned()),
        }
    }

    /// Returns whether the value is text or looks like it. Headings may be dates.
    pub(crate) fn is_text(&self) -> bool {
        matches!(self, Item::Text(_) | Item::Date(_) | Item::Time(_) | Item::DateTime(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_the_shortest_exact_decimals() {
        for (value, expected) in [
            (0.0, "0"),
            (-0.0, "0"),
            (0.1, "0.1"),
            (0.1 + 0.2, "0.30000000000000004"),
            (1234.5, "1234.5"),
            (-7.0, "-7"),
            (-0.07, "-0.07"),
            (1e20, "100000000000000000000"),
            (1e21, "1e21"),
            (1.5e-7, "0.00000015"),
            (1.5e-20, "1.5e-20"),
            (1.0 / 3.0, "0.3333333333333333"),
            (0.476_190_476_190_476_2, "0.4761904761904762"),
            (0.000_001, "0.000001"),
            (999_999_999_999_999.0, "999999999999999"),
            (9_007_199_254_740_993.0, "9007199254740992"),
            (123_456_789.012_345_6, "123456789.0123456"),
            (f64::MAX, "1.7976931348623157e308"),
        ] {
            assert_eq!(Item::number(value).text(), expected);
        }
        // Every decimal with up to 15 digits is read back exactly.
        for step in 0..20_000u64 {
            let units = step.wrapping_mul(6_364_136_223_846_793_005) % 1_000_000_000_000_000;
            for scale in 0..=6 {
                let text = Decimal { units: units.into(), scale }.text();
                assert_eq!(Item::number(text.parse().unwrap()).text(), text);
            }
        }
    }

    #[test]
    fn an_item_takes_twelve_bytes_in_webassembly() {
        // Pointers and lengths have four bytes on 32-bit machines.
        assert_eq!(size_of::<Item>(), if usize::BITS == 64 { 24 } else { 12 });
    }

    #[test]
    fn long_numbers_are_whole() {
        for value in [0, -1, i64::MIN, i64::MAX, 1 << 40] {
            assert_eq!(Long::from(value).get(), value);
        }
    }
}
