//! Numbers as people write them, and the exact comparison of two of them. No floating-point number takes part.

use std::ops::Range;

/// Most digits of a number that is compared.
const MAX_DIGITS: usize = 30;

/// Fewest digits of a shown number that a rounded one can have. With fewer, too many other numbers would be the same.
const MIN_ROUNDED_DIGITS: u32 = 2;

/// Most characters behind a number that are taken for its unit.
const MAX_UNIT_CHARACTERS: usize = 16;

/// Units that change the value, longer ones before those that they begin with, with their powers of ten.
const UNITS: [(&str, i32); 29] = [
    ("个百分点", -2),
    ("個百分點", -2),
    ("百分点", -2),
    ("百分點", -2),
    ("percentage points", -2),
    ("percentage point", -2),
    ("percent", -2),
    ("pp", -2),
    ("%", -2),
    ("％", -2),
    ("‰", -3),
    ("万亿", 12),
    ("萬億", 12),
    ("十亿", 9),
    ("十億", 9),
    ("千万", 7),
    ("千萬", 7),
    ("百万", 6),
    ("百萬", 6),
    ("亿", 8),
    ("億", 8),
    ("万", 4),
    ("萬", 4),
    ("trillion", 12),
    ("billion", 9),
    ("million", 6),
    ("thousand", 3),
    ("bn", 9),
    ("mn", 6),
];

/// What may stand before a number and does not change it.
const PREFIXES: [&str; 27] = [
    "US$", "HK$", "NT$", "RMB", "CNY", "USD", "EUR", "GBP", "JPY", "HKD", "¥", "￥", "$", "€", "£",
    "₩", "₹", "约", "約", "≈", "~", "～", "±", "+", "＋", "(", "（",
];

/// Separators of groups of three digits.
const SEPARATORS: [char; 6] = [',', '\'', '’', '\u{a0}', '\u{2009}', '\u{202f}'];

const MINUS: [char; 4] = ['-', '−', '－', '–'];
const CURRENCIES: [char; 7] = ['¥', '￥', '$', '€', '£', '₩', '₹'];

/// A number as it is written: `units / 10^scale`, times the power of ten of its unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number {
    units: i128,
    /// Digits after the decimal point; negative for a number with an exponent.
    scale: i32,
    /// Power of ten of the unit; 0 without one.
    power: i32,
}

/// How a number of a source is the same as a shown one. The better one is less.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Likeness {
    /// Both are equal.
    Exact,
    /// The number of the source is the shown one if it is rounded, or if its sign is left out.
    Rounded,
}

impl Number {
    /// Reads a value that is a number with its sign, currency and unit. `None` if it is anything else.
    pub fn of_value(value: &str) -> Option<Number> {
        let mut rest = value.trim();
        // Accountants write negative numbers in parentheses.
        let mut is_negative =
            rest.starts_with(['(', '（']) && rest.ends_with([')', '）']) && rest.len() > 2;
        loop {
            rest = rest.trim_start();
            if let Some(after) = rest.strip_prefix(MINUS) {
                (is_negative, rest) = (true, after);
            } else if let Some(after) = PREFIXES.iter().find_map(|it| rest.strip_prefix(*it)) {
                rest = after;
            } else {
                break;
            }
        }
        rest.chars().next().and_then(digit)?;
        let (number, length) = read(rest);
        let unit = rest.get(length..)?.trim();
        let has_digit = unit.chars().any(char::is_numeric);
        if has_digit || unit.chars().count() > MAX_UNIT_CHARACTERS {
            return None;
        }
        number.map(|number| number.signed(is_negative))
    }

    /// Reads a number in JSON's notation.
    pub fn of_json(lexeme: &str) -> Option<Number> {
        let (is_negative, rest) = match lexeme.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, lexeme),
        };
        let (number, length) = read(rest);
        number.filter(|_| length == rest.len()).map(|number| number.signed(is_negative))
    }

    fn signed(self, is_negative: bool) -> Number {
        let units = if is_negative { -self.units } else { self.units };
        Number { units, ..self }
    }

    /// Returns how a number of a source is the same as this one, which is shown to a person. A number without a unit may have
    /// it elsewhere, such as in the name of its column.
    pub fn likeness(self, source: Number) -> Option<Likeness> {
        let shifts = match (self.power, source.power) {
            (shown, 0) => [0, shown],
            (0, of_source) => [0, -of_source],
            (shown, of_source) => [shown - of_source; 2],
        };
        shifts.into_iter().filter_map(|shift| self.compared(source, shift)).min()
    }

    /// Compares the digits of this number with those of `source` divided by 10^`shift`.
    fn compared(self, source: Number, shift: i32) -> Option<Likeness> {
        let source_scale = source.scale.checked_add(shift)?;
        let common = self.scale.max(source_scale);
        // One in the last shown digit.
        let last_digit = power_of_ten(common.checked_sub(self.scale)?)?;
        let shown = self.units.checked_mul(last_digit)?;
        let found = source.units.checked_mul(power_of_ten(common.checked_sub(source_scale)?)?)?;
        let difference = shown.unsigned_abs().abs_diff(found.unsigned_abs());
        if difference == 0 {
            let is_exact = (shown < 0) == (found < 0);
            return Some(if is_exact { Likeness::Exact } else { Likeness::Rounded });
        }
        let n_digits = self.units.unsigned_abs().checked_ilog10().map_or(0, |log| log + 1);
        let is_rounded = n_digits >= MIN_ROUNDED_DIGITS
            && source_scale > self.scale
            && difference.checked_mul(2)? <= last_digit.unsigned_abs();
        is_rounded.then_some(Likeness::Rounded)
    }
}

/// Calls `each` with each number in a text and its range in bytes, until `each` returns `false`. What is part of a name or of a
/// version is no number.
pub fn numbers(text: &str, mut each: impl FnMut(Number, Range<usize>) -> bool) {
    let mut at = 0;
    while let Some(start) = next_digit(text, at) {
        let (number, length) = read(&text[start..]);
        at = start + length.max(1);
        let Some(number) = number.filter(|_| !is_attached(&text[..start])) else { continue };
        if !each(number.signed(has_minus(&text[..start])), start..at) {
            return;
        }
    }
}

/// Returns the index of the next digit from `at` on.
fn next_digit(text: &str, mut at: usize) -> Option<usize> {
    /// First byte of digits of full width, and of other characters.
    const FULL_WIDTH: u8 = 0xEF;
    loop {
        let rest = text.as_bytes().get(at..)?;
        let found = rest.iter().position(|byte| byte.is_ascii_digit() || *byte == FULL_WIDTH)?;
        at += found;
        let character = text.get(at..)?.chars().next()?;
        if digit(character).is_some() {
            return Some(at);
        }
        at += character.len_utf8();
    }
}

/// Returns `true` if what stands before a digit makes it a part of a name.
fn is_attached(before: &str) -> bool {
    let mut characters = before.chars().rev();
    match characters.next() {
        Some('.' | '_') => true,
        Some('n' | 'r' | 't') => characters.next() != Some('\\'),
        Some(character) => character.is_ascii_alphabetic(),
        None => false,
    }
}

/// Returns `true` if a minus stands before a number. Between two numbers it is a hyphen.
fn has_minus(before: &str) -> bool {
    let before = before.strip_suffix(CURRENCIES).unwrap_or(before);
    let Some(rest) = before.strip_suffix(MINUS) else { return false };
    !rest.ends_with(|character: char| character.is_alphanumeric() || character == ')')
}

/// Reads the number at the beginning of a text, with its unit, and returns it with its length in bytes. The number is `None`
/// if it has too many digits or is something else, such as a version.
fn read(text: &str) -> (Option<Number>, usize) {
    let mut reader = Reader { text, at: 0, units: Some(0), n_digits: 0 };
    reader.digits();
    if (1..=3).contains(&reader.n_digits) {
        while reader.group() {}
    }
    let mut scale = 0_i32;
    if reader.is_point() {
        let before = reader.n_digits;
        reader.at += 1;
        reader.digits();
        scale = i32::try_from(reader.n_digits - before).unwrap_or(i32::MAX);
        if reader.is_point() {
            while reader.is_point() {
                reader.at += 1;
                reader.digits();
            }
            return (None, reader.at);
        }
    }
    let scale = scale.saturating_sub(reader.exponent());
    let is_number = (1..=MAX_DIGITS).contains(&reader.n_digits);
    let units = reader.units.filter(|_| is_number);
    let (power, length) = unit(reader.rest());
    (units.map(|units| Number { units, scale, power }), reader.at + length)
}

/// Reads a number character by character.
struct Reader<'a> {
    text: &'a str,
    at: usize,
    /// `None` if there are too many digits.
    units: Option<i128>,
    n_digits: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Reads the digits that follow.
    fn digits(&mut self) {
        for character in self.rest().chars() {
            let Some(digit) = digit(character) else { return };
            self.at += character.len_utf8();
            self.n_digits += 1;
            self.units = self.units.and_then(|units| units.checked_mul(10)?.checked_add(digit));
        }
    }

    /// Reads a separator of groups with exactly three digits behind it.
    fn group(&mut self) -> bool {
        let mut characters = self.rest().chars();
        let Some(separator) = characters.next().filter(|it| SEPARATORS.contains(it)) else {
            return false;
        };
        let n_digits = characters.take(4).take_while(|it| digit(*it).is_some()).count();
        if n_digits == 3 {
            self.at += separator.len_utf8();
            self.digits();
        }
        n_digits == 3
    }

    /// Returns `true` if a decimal point with a digit behind it follows.
    fn is_point(&self) -> bool {
        let mut characters = self.rest().chars();
        characters.next() == Some('.') && characters.next().and_then(digit).is_some()
    }

    /// Reads an exponent of at most three digits; 0 without one.
    fn exponent(&mut self) -> i32 {
        let Some(rest) = self.rest().strip_prefix(['e', 'E']) else { return 0 };
        let (is_negative, digits) = match rest.strip_prefix(['-', '+']) {
            Some(digits) => (rest.starts_with('-'), digits),
            None => (false, rest),
        };
        let length = digits.bytes().take_while(u8::is_ascii_digit).count();
        let is_end = !digits[length..].starts_with(char::is_alphanumeric);
        let Ok(exponent) = digits[..length].parse::<i32>() else { return 0 };
        if length > 3 || !is_end {
            return 0;
        }
        self.at = self.text.len() - digits.len() + length;
        if is_negative { -exponent } else { exponent }
    }
}

/// Returns the power of ten of the unit at the beginning of a text, and its length in bytes with a space before it.
fn unit(text: &str) -> (i32, usize) {
    let unspaced = text.strip_prefix([' ', '\u{a0}', '\u{202f}', '\u{3000}']).unwrap_or(text);
    let found = UNITS.iter().find(|(unit, _)| {
        let Some(beginning) = unspaced.get(..unit.len()) else { return false };
        let after = &unspaced[unit.len()..];
        let is_word = unit.starts_with(|it: char| it.is_ascii_alphabetic());
        beginning.eq_ignore_ascii_case(unit)
            && !(is_word && after.starts_with(|it: char| it.is_ascii_alphanumeric()))
    });
    found.map_or((0, 0), |(unit, power)| (*power, text.len() - unspaced.len() + unit.len()))
}

/// Returns the value of a digit, also of full width.
fn digit(character: char) -> Option<i128> {
    match character {
        '0'..='9' => Some(i128::from(u32::from(character) - u32::from('0'))),
        '０'..='９' => Some(i128::from(u32::from(character) - u32::from('０'))),
        _ => None,
    }
}

fn power_of_ten(exponent: i32) -> Option<i128> {
    10_i128.checked_pow(u32::try_from(exponent).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Number {
        Number::of_value(text).unwrap_or_else(|| panic!("{text} is no number"))
    }

    fn likeness(shown: &str, source: &str) -> Option<Likeness> {
        value(shown).likeness(value(source))
    }

    #[test]
    fn values_are_numbers_with_signs_currencies_and_units() {
        let number = |units, scale, power| Number { units, scale, power };
        for (text, expected) in [
            ("14,523,000", number(14_523_000, 0, 0)),
            ("12.50 %", number(1250, 2, -2)),
            ("12.5％", number(125, 1, -2)),
            ("1,452.3万人", number(14_523, 1, 4)),
            ("¥1.26亿", number(126, 2, 8)),
            ("约 3 千万元", number(3, 0, 7)),
            ("3.2个百分点", number(32, 1, -2)),
            ("−3.2%", number(-32, 1, -2)),
            ("(1,234)", number(-1234, 0, 0)),
            ("-$5", number(-5, 0, 0)),
            ("+8.4%", number(84, 1, -2)),
            ("1'234.5", number(12_345, 1, 0)),
            ("1\u{202f}234", number(1234, 0, 0)),
            ("１２", number(12, 0, 0)),
            ("1.5 million", number(15, 1, 6)),
            ("2024年", number(2024, 0, 0)),
            ("1.5e-7", number(15, 8, 0)),
            ("2E3", number(2, -3, 0)),
            ("5 km", number(5, 0, 0)),
        ] {
            assert_eq!(value(text), expected, "{text}");
        }
        let long = "1".repeat(MAX_DIGITS + 1);
        for no_number in ["", "-", "Q3", "2024-12-31", "1.2.3", "12 of 30", "１２．5", "%", &long]
        {
            assert_eq!(Number::of_value(no_number), None, "{no_number}");
        }
    }

    #[test]
    fn equal_values_are_exact_however_they_are_written() {
        for (shown, source) in [
            ("12.5%", "0.125"),
            ("12.5%", "12.5"),
            ("12.50%", "12.5%"),
            ("0.125", "12.5%"),
            ("1,452.3万", "14523000"),
            ("1,452.3万", "1452.3"),
            ("14,523,000", "1,452.3万"),
            ("1.26亿", "12,600万"),
            ("1.26亿", "126 million"),
            ("-3.2%", "-0.032"),
            ("0", "0.00"),
            ("1.5e-7", "0.00000015"),
        ] {
            assert_eq!(likeness(shown, source), Some(Likeness::Exact), "{shown} {source}");
        }
    }

    #[test]
    fn a_source_may_have_more_digits_or_another_sign() {
        for (shown, source) in [
            ("12.5%", "0.12487"),
            ("12.5%", "0.12450"),
            ("12.5%", "12.5499"),
            ("1.3亿", "126000000"),
            ("3.2%", "-0.032"),
            ("3.2%", "-0.0319"),
            ("33.33", "33.333333333333336"),
        ] {
            assert_eq!(likeness(shown, source), Some(Likeness::Rounded), "{shown} {source}");
        }
        for (shown, source) in [
            ("12.5%", "0.1256"),
            ("12.5%", "0.12"),
            ("12.5", "0.125"),
            ("12", "11.4"),
            // One digit would be found everywhere.
            ("5", "4.7"),
            ("0.0", "0.01"),
            ("1,452.3万", "1,452.3亿"),
            ("2024", "2025"),
        ] {
            assert_eq!(likeness(shown, source), None, "{shown} {source}");
        }
    }

    #[test]
    fn numbers_that_cannot_be_compared_are_not_the_same() {
        let most = "9".repeat(MAX_DIGITS);
        assert_eq!(likeness(&most, &most), Some(Likeness::Exact));
        let tiny = Number::of_json("1e-999").unwrap();
        assert_eq!(value(&most).likeness(tiny), None);
        assert_eq!(tiny.likeness(value(&most)), None);
    }

    #[test]
    fn numbers_are_found_in_texts() {
        let text =
            "DAU 增长12.5%（1,452.3万），v1.2.3 and Q3, A1, -4 of 2024-12-31; \\n7 x_9 .5 ５";
        let mut found = Vec::new();
        numbers(text, |number, range| {
            found.push((text[range].to_owned(), number.units));
            true
        });
        let found: Vec<_> = found.iter().map(|(text, units)| (text.as_str(), *units)).collect();
        let expected = [
            ("12.5%", 125),
            ("1,452.3万", 14_523),
            ("4", -4),
            ("2024", 2024),
            ("12", 12),
            ("31", 31),
            ("7", 7),
            ("５", 5),
        ];
        assert_eq!(found, expected);
        let mut count = 0;
        numbers("1 2 3", |_, _| {
            count += 1;
            count < 2
        });
        assert_eq!(count, 2);
    }

    #[test]
    fn numbers_of_json_are_whole() {
        assert_eq!(Number::of_json("-0.125"), Number::of_value("-0.125"));
        assert_eq!(Number::of_json("1e3").unwrap().scale, -3);
        assert_eq!(Number::of_json("12 %"), Some(Number { units: 12, scale: 0, power: -2 }));
        assert_eq!(Number::of_json("12 apples"), None);
    }
}
