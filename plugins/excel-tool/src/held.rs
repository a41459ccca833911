//! Which numbers a double holds: the one rule by which cells, JSON, charts and totals decide between a number and text.
//!
//! `plugins/excel-tool/src/held.rs` is the same file, as plugins are built without the crates of the host. A test compares
//! both.

use std::fmt::Write;

/// So many significant digits survive every way through a double.
const SAFE_DIGITS: usize = 15;

/// The first whole number that has more of them.
const SAFE: u64 = 10_u64.pow(15);

/// No double has more significant digits in its shortest form.
const MOST_DIGITS: usize = 17;

/// From here on a whole number is longer than identifiers are.
const BEYOND_IDENTIFIERS: f64 = 1e21;

/// The double that holds a number in JSON's notation. `None` if none does, or if the text is no such number.
///
/// A double holds a number if the double's shortest form has the same digits: `0.1`, `0.3333333333333333`, `1e300`. It holds neither
/// `0.12345678901234567890` nor `9007199254740993` nor `1e400`.
pub fn held(number: &str) -> Option<f64> {
    let parts = Parts::of(number)?;
    let value: f64 = number.parse().ok()?;
    let count = parts.count();
    if count == 0 {
        return Some(value);
    }
    if !value.is_finite() || value == 0.0 || count > MOST_DIGITS {
        return None;
    }
    let is_safe = count <= SAFE_DIGITS && value.is_normal();
    (is_safe || Shortest::of(value).parts()?.digits().eq(parts.digits())).then_some(value)
}

/// The double that a cell of a workbook holds, for a number in JSON's notation. `None` if the cell is text.
///
/// A cell holds what a double [holds](held). Whole numbers of more than 15 significant digits are an exception, as they are mostly
/// identifiers: spreadsheets show only 15 of their digits, and lose the others when somebody edits the cell. They stay text, unless they
/// have more than 21 digits: those are results of calculations.
pub fn held_by_cell(number: &str) -> Option<f64> {
    let value = held(number)?;
    let is_number = value == 0.0
        || value.is_normal()
            && (value.fract() != 0.0
                || value.abs() >= BEYOND_IDENTIFIERS
                || Parts::of(number).is_some_and(|parts| parts.count() <= SAFE_DIGITS));
    is_number.then_some(value)
}

/// [`held_by_cell`] for the decimal `units / 10^scale`. Keeps no text, as tables have many of them.
pub fn units_held_by_cell(units: i64, scale: u8) -> bool {
    let (mut digits, mut scale) = (units.unsigned_abs(), scale);
    while scale > 0 && digits.is_multiple_of(10) {
        (digits, scale) = (digits / 10, scale - 1);
    }
    if scale == 0 {
        while digits >= SAFE && digits.is_multiple_of(10) {
            digits /= 10;
        }
        return digits < SAFE;
    }
    if digits < SAFE {
        return true;
    }
    let value = match 10_u64.checked_pow(scale.into()) {
        // Two whole numbers that are exact in binary give the nearest double.
        Some(divisor) if digits < 1 << 53 && scale <= 18 => digits as f64 / divisor as f64,
        _ => format!("{digits}e-{scale}").parse().unwrap_or(f64::NAN),
    };
    let shortest = Shortest::of(value);
    let shown = shortest
        .parts()
        .map(|parts| parts.digits().fold(0_u64, |all, digit| all * 10 + u64::from(digit - b'0')));
    shown == Some(digits)
}

/// Whether every reader of JSON gets a number of this size, be it rounded: not infinity, and not zero in place of a tiny one.
pub fn in_range(number: &str) -> bool {
    let Some(parts) = Parts::of(number) else { return false };
    let Ok(value) = number.parse::<f64>() else { return false };
    value.is_finite() && (value != 0.0 || parts.count() == 0)
}

/// The digits of a number that count, around its point.
struct Parts<'a> {
    whole: &'a [u8],
    fraction: &'a [u8],
}

impl<'a> Parts<'a> {
    /// The parts of a number in JSON's notation. Zeros in front of it are let pass.
    fn of(number: &'a str) -> Option<Parts<'a>> {
        let unsigned = number.strip_prefix('-').unwrap_or(number);
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, Some(exponent)),
            None => (unsigned, None),
        };
        let (whole, fraction) = match mantissa.split_once('.') {
            Some((whole, fraction)) => (whole, Some(fraction)),
            None => (mantissa, None),
        };
        let all_digits =
            |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let is_number = all_digits(whole)
            && fraction.is_none_or(all_digits)
            && exponent.is_none_or(|it| all_digits(it.strip_prefix(['+', '-']).unwrap_or(it)));
        is_number.then(|| Parts {
            whole: whole.as_bytes(),
            fraction: fraction.unwrap_or_default().as_bytes(),
        })
    }

    fn all(&self) -> impl DoubleEndedIterator<Item = u8> + 'a {
        self.whole.iter().chain(self.fraction).copied()
    }

    /// The number of significant digits; 0 for zero.
    fn count(&self) -> usize {
        let leading = self.all().take_while(|digit| *digit == b'0').count();
        let trailing = self.all().rev().take_while(|digit| *digit == b'0').count();
        (self.whole.len() + self.fraction.len()).saturating_sub(leading + trailing)
    }

    /// The significant digits.
    fn digits(&self) -> impl Iterator<Item = u8> + 'a {
        self.all().skip_while(|digit| *digit == b'0').take(self.count())
    }
}

/// The shortest form of a double, in scientific notation.
struct Shortest {
    text: [u8; 32],
    length: usize,
}

impl Shortest {
    fn of(value: f64) -> Shortest {
        let mut shortest = Shortest { text: [0; 32], length: 0 };
        // The longest has 24 characters.
        let _ = write!(shortest, "{value:e}");
        shortest
    }

    fn parts(&self) -> Option<Parts<'_>> {
        Parts::of(std::str::from_utf8(self.text.get(..self.length)?).ok()?)
    }
}

impl Write for Shortest {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        let end = self.length + text.len();
        let room = self.text.get_mut(self.length..end).ok_or(std::fmt::Error)?;
        room.copy_from_slice(text.as_bytes());
        self.length = end;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_double_holds_what_it_writes_again() {
        for number in [
            "0",
            "-0.0",
            "0.1",
            "0.30000000000000004",
            "0.3333333333333333",
            "14.285714285714286",
            "0.4761904761904762",
            "-1.7976931348623157e308",
            "5e-324",
            "2.2250738585072014e-308",
            "667082108456853.3",
            "123456789012345",
            "9007199254740992",
            "1200000000000000000",
            "100000000000000000000000000000",
            "123456789012345680",
            "0.50000000000000000000000000000000000",
        ] {
            assert_eq!(held(number), number.parse().ok(), "{number}");
            assert!(in_range(number), "{number}");
        }
        for number in [
            "9007199254740993",
            "123456789012345678",
            "0.12345678901234567",
            // Digits of 0.1 that its shortest form does not have.
            "0.10000000000000001",
            "0.1000000000000000055511151231257827",
            "12345678901234567890.123",
            "0.12345678901234567890",
            "4.9406564584124654417e-324",
            "1.2345e-322",
        ] {
            assert_eq!(held(number), None, "{number}");
            assert!(in_range(number), "{number}");
        }
        for number in ["1e400", "-1E400", "1e-400", "1e99999999999999999999"] {
            assert_eq!((held(number), in_range(number)), (None, false), "{number}");
        }
        for text in ["", "-", "+1", "1.", ".5", "inf", "nan", "1e", "0x1", "1_0", "1,5", " 1", "１"]
        {
            assert_eq!((held(text), in_range(text)), (None, false), "{text}");
        }
        let long = format!("1.{}1", "0".repeat(100_000));
        assert_eq!(held(&long), None);
        assert_eq!(held(&format!("1{}", "0".repeat(300))), Some(1e300));
    }

    #[test]
    fn cells_hold_fractions_and_no_long_identifiers() {
        for (number, expected) in [
            ("0", true),
            ("-0.05", true),
            ("0.3333333333333333", true),
            ("1763668414461.4285", true),
            ("4503599627370495.5", true),
            ("123456789012345", true),
            ("1234567890123456", false),
            ("110101199003070017", false),
            ("9007199254740992", false),
            ("12345678901234568.0", false),
            ("1.2345678901234568e16", false),
            ("1200000000000000000", true),
            ("1.4285714285714285e29", true),
            ("123456789012345678901234", false),
            ("1e300", true),
            ("1e-310", false),
            ("1e400", false),
            ("0.12345678901234567890", false),
        ] {
            let found = held_by_cell(number);
            assert_eq!(found.is_some(), expected, "{number}");
            assert!(found.is_none() || found == number.parse().ok(), "{number}");
        }
    }

    /// Numbers of 64 bits, the same each time.
    fn scattered(count: usize) -> impl Iterator<Item = u64> {
        let step = |bits: &u64| {
            let next = bits.wrapping_mul(6_364_136_223_846_793_005);
            Some(next.wrapping_add(1_442_695_040_888_963_407))
        };
        std::iter::successors(Some(0x9E37_79B9_7F4A_7C15), step).take(count)
    }

    #[test]
    fn decimals_follow_the_rule_of_their_text() {
        let check = |units: i64, scale: u8| {
            let text = format!("{units}e-{scale}");
            let expected = held_by_cell(&text).is_some();
            assert_eq!(units_held_by_cell(units, scale), expected, "{text}");
            expected
        };
        let (mut held, mut not) = (0, 0);
        for (index, bits) in scattered(20_000).enumerate() {
            let scale = (index % 39) as u8;
            // Of any length, and results of divisions.
            check((bits as i64) >> (bits % 60), scale);
            let value = (bits % 100_000) as f64 / 7.0;
            let text = format!("{value}");
            let places = text.split_once('.').map_or(0, |(_, places)| places.len());
            if let Ok(units) = text.replace('.', "").parse() {
                assert!(check(units, places as u8), "{text}");
                if check(units + 1, places as u8) { held += 1 } else { not += 1 }
            }
        }
        assert!(held > 100 && not > 100, "{held} {not}");
        for (units, scale) in [
            (0, 0),
            (0, 38),
            (i64::MIN, 0),
            (i64::MIN, 38),
            (i64::MAX, 1),
            (i64::MAX, 18),
            (i64::MAX, 19),
        ] {
            check(units, scale);
        }
    }

    #[test]
    fn every_double_holds_itself() {
        for bits in scattered(20_000) {
            let value = f64::from_bits(bits);
            if !value.is_finite() {
                continue;
            }
            for text in [format!("{value:?}"), format!("{value:e}")] {
                assert_eq!(held(&text).map(f64::to_bits), Some(value.to_bits()), "{text}");
            }
        }
    }
}
