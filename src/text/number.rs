//! Recognizes and parses numbers in cells.

use crate::field::Field;

/// Most bytes of a number. A longer one stays text.
const MAX_LENGTH: usize = 64;

/// Most digits of a decimal.
pub(crate) const MAX_DIGITS: u32 = 38;

/// A decimal number, `units / 10^scale`. Its fraction has no trailing zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Decimal {
    pub(crate) units: i128,
    pub(crate) scale: u8,
}

/// The notation of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// `12`, `-7`, `0`.
    Whole,
    /// `12.5`, `0.125`, `1234.500`: a decimal point, which cannot be a thousands separator.
    Point,
    /// `1.250`: a decimal point or a thousands separator.
    PointOrGroup,
    /// `1.000.000`: points as thousands separators.
    PointGroups,
    /// `12,5`, `0,125`, `12.500,00`: a decimal comma.
    Comma,
    /// `1,250`: a decimal comma or a thousands separator.
    CommaOrGroup,
    /// `1,000,000`: commas as thousands separators.
    CommaGroups,
    /// `1,200.50`: commas as thousands separators and a decimal point.
    GroupedPoint,
}

/// Returns the form of `text`. `None` if it is not a number, such as the identifier `007`, or `+1`.
pub(crate) fn form(text: &[u8]) -> Option<Form> {
    if text.len() > MAX_LENGTH {
        return None;
    }
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    let (mut points, mut commas) = (0, 0);
    for byte in digits {
        match byte {
            b'0'..=b'9' => {}
            b'.' => points += 1,
            b',' => commas += 1,
            _ => return None,
        }
    }
    let first = digits.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(digits.len());
    if first == 0 || (first > 1 && digits[0] == b'0') || !digits[digits.len() - 1].is_ascii_digit()
    {
        return None;
    }
    let is_grouped = |part: &[u8], mark: u8| {
        let mut groups = part.split(|byte| *byte == mark);
        let begins = groups.next().is_some_and(|it| (1..=3).contains(&it.len()) && it != b"0");
        begins && groups.all(|it| it.len() == 3)
    };
    let last = |mark: u8| memchr::memrchr(mark, digits).unwrap_or(0);
    Some(match (points, commas) {
        (0, 0) => Form::Whole,
        (1, 0) if is_grouped(digits, b'.') => Form::PointOrGroup,
        (1, 0) => Form::Point,
        (0, 1) if is_grouped(digits, b',') => Form::CommaOrGroup,
        (0, 1) => Form::Comma,
        (_, 0) if is_grouped(digits, b'.') => Form::PointGroups,
        (0, _) if is_grouped(digits, b',') => Form::CommaGroups,
        (_, 1) if is_grouped(&digits[..last(b',')], b'.') && last(b'.') < last(b',') => Form::Comma,
        (1, _) if is_grouped(&digits[..last(b'.')], b',') && last(b',') < last(b'.') => {
            Form::GroupedPoint
        }
        _ => return None,
    })
}

/// Returns `true` if `text` can only be a number: digits with an optional minus sign and fraction.
pub(crate) fn is_plain(text: &[u8]) -> bool {
    matches!(form(text), Some(Form::Whole | Form::Point | Form::PointOrGroup))
}

/// Parses a whole number of at most 18 digits, as most are. `None` for any other text.
#[inline(always)]
pub(crate) fn short_whole(text: Field<'_>) -> Option<i64> {
    let (digits, is_negative) = unsigned(text);
    let value = match digits.len() {
        1..=8 if digits.byte(0) != b'0' || digits.len() == 1 => {
            last_digits(digits.word_before(digits.len()), digits.len())
        }
        9..=18 => digits_of(digits),
        _ => None,
    };
    value.map(|value| if is_negative { -value } else { value })
}

/// Parses a plain number of at most 18 digits at `scale`. `None` if it is not one, or does not fit.
#[inline(always)]
pub(crate) fn short_decimal(text: Field<'_>, scale: u8) -> Option<i64> {
    let (digits, is_negative) = unsigned(text);
    let (length, behind) = (digits.len(), usize::from(scale));
    // The fast path: the number has exactly `scale` decimals and at most eight digits.
    let value = match length.checked_sub(behind + 1) {
        Some(whole @ 1..=7)
            if behind > 0
                && whole + behind <= 8
                && digits.byte(whole) == b'.'
                && (digits.byte(0) != b'0' || whole == 1) =>
        {
            let fraction = 8 * (8 - behind as u32);
            let word = digits.word_before(length) >> fraction << fraction;
            last_digits(word | digits.word_before(whole) >> (64 - fraction), whole + behind)
        }
        _ => None,
    };
    let value = value.or_else(|| any_decimal(digits.bytes(), scale));
    value.map(|value| if is_negative { -value } else { value })
}

#[inline(always)]
fn unsigned(text: Field<'_>) -> (Field<'_>, bool) {
    if !text.is_empty() && text.byte(0) == b'-' {
        (text.behind_first(), true)
    } else {
        (text, false)
    }
}

/// Parses the last `count` bytes of a word, one to eight, as digits.
#[inline(always)]
fn last_digits(word: u64, count: usize) -> Option<i64> {
    let unused = 8 * (8 - count as u32);
    eight_digits(word >> unused << unused | ZEROS.unbounded_shr(64 - unused)).map(i64::from)
}

const ZEROS: u64 = u64::from_le_bytes([b'0'; 8]);

/// Parses eight digits at once, the first in the lowest byte. `None` if a byte is not a digit.
#[inline(always)]
pub(crate) fn eight_digits(word: u64) -> Option<u32> {
    // After the XOR, the value of a digit is below ten.
    let values = word ^ ZEROS;
    let is_more = (values.wrapping_add(0x7676_7676_7676_7676) | values) & 0x8080_8080_8080_8080;
    if is_more != 0 {
        return None;
    }
    // Joins digits to pairs, pairs to fours, and fours to the number.
    let pairs = (values.wrapping_mul(10) + (values >> 8)) & 0x00FF_00FF_00FF_00FF;
    let fours = (pairs.wrapping_mul(100) + (pairs >> 16)) & 0x0000_FFFF_0000_FFFF;
    let all = fours.wrapping_mul(10_000).wrapping_add(fours >> 32);
    // The upper half has intermediate results.
    Some(all as u32)
}

/// Parses digits. `None` if the first one is a zero.
fn digits_of(digits: Field<'_>) -> Option<i64> {
    let bytes = digits.bytes().iter();
    let value = bytes.clone().try_fold(0_i64, |value, byte| {
        let digit = byte.wrapping_sub(b'0');
        (digit <= 9).then(|| value * 10 + i64::from(digit))
    });
    value.filter(|_| digits.byte(0) != b'0')
}

fn any_decimal(digits: &[u8], scale: u8) -> Option<i64> {
    if digits.is_empty()
        || digits.len() > 19
        || (digits[0] == b'0' && digits.get(1).is_some_and(u8::is_ascii_digit))
    {
        return None;
    }
    let (mut value, mut behind, mut point) = (0_i64, 0_u8, false);
    for (at, byte) in digits.iter().enumerate() {
        let digit = byte.wrapping_sub(b'0');
        if digit <= 9 {
            // Trailing zeros of a fraction do not change the number.
            if point && behind == scale {
                return digits[at..].iter().all(|byte| *byte == b'0').then_some(value);
            }
            value = value.checked_mul(10)?.checked_add(i64::from(digit))?;
            behind += u8::from(point);
        } else if *byte == b'.' && !point && at > 0 && at + 1 < digits.len() {
            point = true;
        } else {
            return None;
        }
    }
    for _ in behind..scale {
        value = value.checked_mul(10)?;
    }
    (value < 10_i64.pow(18)).then_some(value)
}

/// Parses a number in JSON notation, with or without an exponent. `None` if it needs more than 38 digits.
pub(crate) fn decimal(text: &[u8]) -> Option<Decimal> {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    let (mut units, mut scale, mut point) = (0_u128, 0_i32, false);
    let mut exponent = 0_i32;
    for (at, byte) in digits.iter().enumerate() {
        match byte {
            b'0'..=b'9' => {
                units = units.checked_mul(10)?.checked_add(u128::from(byte - b'0'))?;
                scale += i32::from(point);
            }
            b'.' => point = true,
            b'e' | b'E' => {
                exponent = std::str::from_utf8(&digits[at + 1..]).ok()?.parse().ok()?;
                break;
            }
            _ => return None,
        }
    }
    if units == 0 {
        return Some(Decimal { units: 0, scale: 0 });
    }
    while scale > 0 && units.is_multiple_of(10) {
        (units, scale) = (units / 10, scale - 1);
    }
    scale = scale.checked_sub(exponent)?;
    while scale < 0 {
        (units, scale) = (units.checked_mul(10)?, scale + 1);
    }
    while scale > 0 && units.is_multiple_of(10) {
        (units, scale) = (units / 10, scale - 1);
    }
    let units = i128::try_from(units).ok().filter(|units| *units < 10_i128.pow(MAX_DIGITS))?;
    let scale = u8::try_from(scale).ok().filter(|scale| u32::from(*scale) <= MAX_DIGITS)?;
    Some(Decimal { units: if digits.len() < text.len() { -units } else { units }, scale })
}

impl Decimal {
    /// Returns the units at a larger scale. `None` if they have more than 38 digits.
    pub(crate) fn at(self, scale: u8) -> Option<i128> {
        let factor = 10_i128.checked_pow(u32::from(scale.checked_sub(self.scale)?))?;
        self.units
            .checked_mul(factor)
            .filter(|units| units.unsigned_abs() < 10_u128.pow(MAX_DIGITS))
    }
}

/// Writes a number with a decimal comma to `out` in JSON notation: `12.500,00` becomes `12500.00`.
pub(crate) fn from_comma(text: &[u8], out: &mut Vec<u8>) {
    out.clear();
    out.extend(text.iter().filter(|byte| **byte != b'.').map(|byte| match byte {
        b',' => b'.',
        byte => *byte,
    }));
}

/// How certainly a text is a number with an exponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exponent {
    /// `1.5E10`, `1E+10`: it can be nothing else.
    Sure,
    /// `7E2`: it may be an identifier.
    MaybeCode,
}

/// Returns how certainly a text is a number with an exponent. `None` if it is not one.
pub(crate) fn exponent(text: &[u8]) -> Option<Exponent> {
    let at = memchr::memchr2(b'e', b'E', text)?;
    let (mantissa, exponent) = (&text[..at], &text[at + 1..]);
    let digits =
        exponent.strip_prefix(b"+").or_else(|| exponent.strip_prefix(b"-")).unwrap_or(exponent);
    let is_one = is_plain(mantissa)
        && (1..=3).contains(&digits.len())
        && digits.iter().all(u8::is_ascii_digit);
    is_one.then(|| {
        if mantissa.contains(&b'.') || digits.len() < exponent.len() {
            Exponent::Sure
        } else {
            Exponent::MaybeCode
        }
    })
}

/// Returns `true` if a double can hold a number of this size.
pub(crate) fn is_finite(text: &[u8]) -> bool {
    let number = std::str::from_utf8(text).ok().and_then(|text| text.parse::<f64>().ok());
    number.is_some_and(f64::is_finite)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_show_what_may_be_thousands() {
        for (text, expected) in [
            ("12", Some(Form::Whole)),
            ("-0.5", Some(Form::Point)),
            ("0.125", Some(Form::Point)),
            ("1234.500", Some(Form::Point)),
            ("1.250", Some(Form::PointOrGroup)),
            ("1.000.000", Some(Form::PointGroups)),
            ("0,05", Some(Form::Comma)),
            ("-1.355,90", Some(Form::Comma)),
            ("1,250", Some(Form::CommaOrGroup)),
            ("1,200,000", Some(Form::CommaGroups)),
            ("1,200.50", Some(Form::GroupedPoint)),
            ("01.02.2026", None),
            ("007", None),
            ("1.2.3", None),
            ("5.", None),
            (".5", None),
            ("1e3", None),
            ("", None),
            ("-", None),
        ] {
            assert_eq!(form(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn decimals_are_exact() {
        assert_eq!(short_decimal("-12.50".into(), 1), Some(-125));
        assert_eq!(short_decimal("12".into(), 3), Some(12_000));
        assert_eq!(short_decimal("0.05".into(), 1), None);
        assert_eq!(short_decimal("007".into(), 0), None);
        assert_eq!(short_decimal("1000000000000000000".into(), 0), None);
        assert_eq!(decimal(b"1.50E+3"), Some(Decimal { units: 1500, scale: 0 }));
        assert_eq!(decimal(b"1E400"), None);
        assert_eq!(exponent(b"1.5E10"), Some(Exponent::Sure));
        assert_eq!(exponent(b"7E2"), Some(Exponent::MaybeCode));
        assert_eq!(exponent(b"SE2"), None);
        assert!(!is_finite(b"1E400") && is_finite(b"1E300"));
    }

    #[test]
    fn short_numbers_are_what_their_digits_say() {
        let mut texts: Vec<String> = [
            "", "-", "--1", ".", "1.", ".1", "1.1.1", "0", "-0", "00", "01", "-01.5", "0.5", "1e3",
            "1 2", "/9", "9:", "１",
        ]
        .map(String::from)
        .to_vec();
        for length in 0..21 {
            let digits = &"123456789012345678901"[..length];
            texts.extend([
                digits.to_owned(),
                format!("-{digits}"),
                format!("{digits}x"),
                format!("x{digits}"),
            ]);
            texts.extend((0..6).map(|zeros| format!("{digits}.50{}", "0".repeat(zeros))));
            texts.extend((0..12).map(|count| format!("-{digits}.{}", &"987654321098"[..count])));
        }
        for text in &texts {
            // The bytes around a field do not change its value.
            for (before, behind) in
                [("", ""), ("1", "2"), ("abcdefgh,", ",12345678"), ("12345678", "\n")]
            {
                let source = format!("{before}{text}{behind}");
                let field = Field::new(&source, before.len(), before.len() + text.len());
                let digits = text.strip_prefix('-').unwrap_or(text);
                let is_whole = (1..=18).contains(&digits.len())
                    && digits.bytes().all(|it| it.is_ascii_digit())
                    && (digits.len() == 1 || !digits.starts_with('0'));
                let whole = is_whole.then(|| text.parse::<i64>().unwrap());
                assert_eq!(short_whole(field), whole, "{source:?}");
                for scale in 0..10 {
                    let value = any_decimal(digits.as_bytes(), scale);
                    let value = value.map(|it| if text.starts_with('-') { -it } else { it });
                    assert_eq!(short_decimal(field, scale), value, "{source:?} {scale}");
                    let exact =
                        is_plain(text.as_bytes()).then(|| decimal(text.as_bytes())).flatten();
                    let exact = exact.and_then(|it| it.at(scale));
                    if let (Some(value), Some(exact)) = (value, exact) {
                        assert_eq!(i128::from(value), exact, "{source:?} {scale}");
                    }
                }
            }
        }
    }
}
