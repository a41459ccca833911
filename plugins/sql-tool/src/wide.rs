//! Decimals of more than 15 digits inside of SQLite: as texts that begin with a vertical tab.
//!
//! SQLite skips white space before a number, so that such a text calculates and converts as the number that it is. A text of a
//! document practically never begins so; where it does and a number follows, it is taken for a number.

use crate::decimal::Decimal;
use std::cmp::Ordering;

/// What they begin with.
const MARK: char = '\u{b}';

/// The text of a decimal of more than 15 digits.
pub(crate) fn write(decimal: Decimal) -> String {
    format!("{MARK}{}", decimal.text())
}

/// The decimal of such a text.
pub(crate) fn read(text: &str) -> Option<Decimal> {
    Decimal::parse(text.strip_prefix(MARK)?)
}

/// A text that was made with such numbers, without their marks.
pub(crate) fn without_marks(text: String) -> String {
    if text.contains(MARK) { text.replace(MARK, "") } else { text }
}

/// How columns of such numbers compare. A text that is no number goes last.
pub(crate) fn compare(left: &str, right: &str) -> Ordering {
    let parse = |text: &str| Decimal::parse(text.trim_matches([MARK, ' ']));
    match (parse(left), parse(right)) {
        (Some(left), Some(right)) => match left.aligned(right) {
            Some((left, right, _)) => left.cmp(&right),
            None => far_apart(left, right),
        },
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => left.cmp(right),
    }
}

/// Numbers whose exponents are so different that their sizes are too.
fn far_apart(left: Decimal, right: Decimal) -> Ordering {
    let size = |number: Decimal| {
        let number = number.shortest();
        number.exponent + number.digits.unsigned_abs().to_string().len() as i32
    };
    match (left.digits.signum(), right.digits.signum()) {
        (1, 1) => size(left).cmp(&size(right)),
        (-1, -1) => size(right).cmp(&size(left)),
        (left, right) => left.cmp(&right),
    }
}

#[cfg(test)]
mod tests {
    use super::{compare, read, write};
    use crate::decimal::Decimal;
    use std::cmp::Ordering::{Equal, Greater, Less};

    #[test]
    fn wide_numbers_compare_as_numbers() {
        for (left, right, expected) in [
            ("\u{b}12345678901234567.89", "10.5", Greater),
            ("\u{b}-12345678901234567.89", "10.5", Less),
            ("9", "10", Less),
            ("1.0", "1", Equal),
            ("1e40", "2", Greater),
            ("-1e40", "2", Less),
            ("abc", "1", Greater),
        ] {
            assert_eq!(compare(left, right), expected, "{left} {right}");
        }
        let number = Decimal::parse("12345678901234567.89").unwrap();
        assert_eq!(read(&write(number)), Some(number));
    }
}
