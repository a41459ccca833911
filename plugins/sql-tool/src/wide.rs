//! Decimals of more than 15 digits in SQLite: texts that begin with a vertical tab.
//!
//! SQLite skips white space before a number, so such a text is converted to its number. A text of a document almost never
//! begins so; one that does and continues with a number is treated as a number.

use crate::decimal::Decimal;
use std::cmp::Ordering;

/// The first character of these texts.
const MARK: char = '\u{b}';

/// Returns the text of a decimal of more than 15 digits.
pub(crate) fn write(decimal: Decimal) -> String {
    format!("{MARK}{}", decimal.text())
}

/// Parses the decimal of such a text.
pub(crate) fn read(text: &str) -> Option<Decimal> {
    Decimal::parse(text.strip_prefix(MARK)?)
}

/// Returns a text that was made from such numbers without their marks.
pub(crate) fn without_marks(text: String) -> String {
    if text.contains(MARK) { text.replace(MARK, "") } else { text }
}

/// Compares such numbers. A text that is not a number comes last.
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

/// Compares numbers whose exponents differ so much that their magnitudes do.
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
