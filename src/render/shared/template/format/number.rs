//! Numbers in a format such as `#,##0.00;(#,##0.00)`. Works on decimal digits, never in binary.

use super::wanted;
use crate::FillValue;
use mitt_base::text;

/// Most digits of a number, before or after its point.
const MAX_DIGITS: usize = 100;

/// Syntax of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NumberSyntax {
    /// `%` multiplies by a hundred, brackets hold colours and currencies.
    Excel,
    /// `%` and brackets are ordinary characters.
    Word,
}

/// A number in decimal digits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Decimal {
    pub(super) is_negative: bool,
    /// Digits before the point, without leading zeros.
    pub(super) whole: Vec<u8>,
    pub(super) behind: Vec<u8>,
}

impl Decimal {
    /// Returns the number in a value, which may be text.
    pub(super) fn of(value: &FillValue, picture: &str) -> Result<Decimal, String> {
        let number = match value {
            FillValue::Number(text) | FillValue::Text(text) => Decimal::read(text.trim()),
            _ => None,
        };
        number.ok_or_else(|| wanted("a number", picture, value))
    }

    /// Parses a number in JSON notation with a limited number of digits.
    fn read(text: &str) -> Option<Decimal> {
        let (is_negative, rest) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (digits, exponent) = match rest.split_once(['e', 'E']) {
            Some((digits, exponent)) => (digits, exponent.parse::<i32>().ok()?),
            None => (rest, 0),
        };
        let (whole, behind) = digits.split_once('.').unwrap_or((digits, "0"));
        let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
        if !is_digits(whole) || !is_digits(behind) || text.len() > 2 * MAX_DIGITS {
            return None;
        }
        let mut all: Vec<u8> = whole.bytes().chain(behind.bytes()).map(|it| it - b'0').collect();
        let mut point = i32::try_from(whole.len()).ok()?.checked_add(exponent)?;
        let most = i32::try_from(2 * MAX_DIGITS).ok()?;
        if !(-most..=most).contains(&point) {
            return None;
        }
        while point < 0 {
            all.insert(0, 0);
            point += 1;
        }
        let point = usize::try_from(point).ok()?;
        if all.len() < point {
            all.resize(point, 0);
        }
        let behind = all.split_off(point);
        let zeros = all.iter().take_while(|digit| **digit == 0).count();
        let whole = all.split_off(zeros);
        (whole.len() <= MAX_DIGITS).then_some(Decimal { is_negative, whole, behind })
    }

    /// Multiplies by this power of ten.
    fn shifted(mut self, by: usize) -> Decimal {
        for _ in 0..by {
            let digit = if self.behind.is_empty() { 0 } else { self.behind.remove(0) };
            if !(self.whole.is_empty() && digit == 0) {
                self.whole.push(digit);
            }
        }
        self
    }

    /// Divides by this power of ten.
    fn reduced(mut self, by: usize) -> Decimal {
        for _ in 0..by {
            self.behind.insert(0, self.whole.pop().unwrap_or(0));
        }
        self
    }

    /// Rounds to this many decimals; five is rounded away from zero, as in Word and Excel.
    pub(super) fn rounded(mut self, decimals: usize) -> Decimal {
        let up = self.behind.get(decimals).is_some_and(|digit| *digit >= 5);
        self.behind.resize(decimals, 0);
        if up {
            let mut carries = true;
            for digit in self.behind.iter_mut().rev().chain(self.whole.iter_mut().rev()) {
                *digit += 1;
                carries = *digit == 10;
                if !carries {
                    break;
                }
                *digit = 0;
            }
            if carries {
                self.whole.insert(0, 1);
            }
        }
        self.is_negative &= !self.is_zero();
        self
    }

    pub(super) fn is_zero(&self) -> bool {
        self.whole.iter().chain(&self.behind).all(|digit| *digit == 0)
    }
}

/// A token of a format.
#[derive(Clone, Debug, PartialEq, Eq)]
enum NumberToken {
    /// `0`, `#` or `?`.
    Digit(char),
    Point,
    Text(String),
    Percent,
}

/// A section of a format between semicolons.
#[derive(Debug, Default)]
struct Section {
    tokens: Vec<NumberToken>,
    has_groups: bool,
    /// Commas behind the last digit, each of which divides by a thousand.
    thousands: usize,
    /// `#.##0,00`: point and comma have each other's meaning.
    is_swapped: bool,
}

/// Writes a number in a format.
pub(super) fn write(
    value: &FillValue,
    picture: &str,
    syntax: NumberSyntax,
) -> Result<String, String> {
    let number = Decimal::of(value, picture)?;
    let fault = |what: &str| format!("the format `{}`: {what}", text::shortened(picture, 60));
    let sections = sections(picture);
    if sections.len() > 4 {
        return Err(fault("expected at most four parts with `;` between them"));
    }
    let read = |at: usize| {
        sections.get(at).map(|it| section(it, syntax)).transpose().map_err(|what| fault(&what))
    };
    let [first, second, third] = [read(0)?, read(1)?, read(2)?];
    // Without digits in the format, the number would be lost.
    let first = first
        .filter(Section::has_digits)
        .ok_or_else(|| fault("expected digits such as `0` or `#`"))?;
    // A number that the first section rounds to zero counts as zero.
    let is_zero = first.number(number.clone()).is_zero();
    Ok(match (second, third) {
        (_, Some(third)) if is_zero => third.write(number, false),
        (Some(second), _) if number.is_negative && !is_zero => second.write(number, false),
        _ => first.write(number, true),
    })
}

/// Splits a format at semicolons outside of quotation marks.
fn sections(picture: &str) -> Vec<&str> {
    let mut sections = Vec::new();
    let (mut start, mut quote, mut is_escaped) = (0, None, false);
    for (at, c) in picture.char_indices() {
        match c {
            _ if std::mem::take(&mut is_escaped) => {}
            '\\' => is_escaped = true,
            _ if quote == Some(c) => quote = None,
            '"' | '\'' if quote.is_none() => quote = Some(c),
            ';' if quote.is_none() => {
                sections.push(&picture[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    sections.push(&picture[start..]);
    sections
}

fn section(text: &str, syntax: NumberSyntax) -> Result<Section, String> {
    let mut section = Section { is_swapped: is_swapped(text), ..Section::default() };
    let (point, group) = if section.is_swapped { (',', '.') } else { ('.', ',') };
    let mut rest = text.chars().peekable();
    let mut commas = 0;
    while let Some(c) = rest.next() {
        let mut literal = String::new();
        match c {
            '0' | '#' | '?' => {
                section.has_groups |= commas > 0;
                commas = 0;
                section.tokens.push(NumberToken::Digit(c));
                continue;
            }
            'x' if syntax == NumberSyntax::Word => {
                return Err("`x` for digits that are left out is not known".into());
            }
            c if c == point => {
                if section.tokens.contains(&NumberToken::Point) {
                    return Err("expected one point".into());
                }
                section.divide(std::mem::take(&mut commas), syntax);
                section.tokens.push(NumberToken::Point);
                continue;
            }
            c if c == group => {
                // Before any digit it is an ordinary character.
                if section.has_digits() {
                    commas += 1;
                    continue;
                }
                literal.push(c);
            }
            '%' if syntax == NumberSyntax::Excel => {
                section.tokens.push(NumberToken::Percent);
                continue;
            }
            '"' | '\'' if c == '"' || syntax == NumberSyntax::Word => loop {
                match rest.next() {
                    Some(inner) if inner == c => break,
                    Some(inner) => literal.push(inner),
                    None => return Err(format!("`{c}` has no end")),
                }
            },
            '\\' => literal.extend(rest.next()),
            '[' if syntax == NumberSyntax::Excel => {
                let inside: String = rest.by_ref().take_while(|c| *c != ']').collect();
                match inside.strip_prefix('$') {
                    // `[$¥-804]` is a currency.
                    Some(currency) => {
                        literal.push_str(currency.split('-').next().unwrap_or_default());
                    }
                    None => {
                        return Err(format!(
                            "`[{inside}]` is not known: colours and conditions are left out of it; Chinese figures are `{{{{name|大写}}}}`"
                        ));
                    }
                }
            }
            // Space of the width of a character, and a character that fills the cell.
            '_' | '*' if syntax == NumberSyntax::Excel => {
                rest.next();
                continue;
            }
            'E' | 'e' if matches!(rest.peek(), Some('+' | '-')) => {
                return Err("powers of ten (`E+00`) are not known".into());
            }
            c => literal.push(c),
        }
        match section.tokens.last_mut() {
            Some(NumberToken::Text(before)) => before.push_str(&literal),
            _ => section.tokens.push(NumberToken::Text(literal)),
        }
    }
    section.divide(commas, syntax);
    Ok(section)
}

/// Returns `true` for a format with a decimal comma: `#.##0,00`, `0,00`.
fn is_swapped(text: &str) -> bool {
    let signs: String = text.chars().filter(|c| matches!(c, '0' | '#' | '?' | '.' | ',')).collect();
    let (point, comma) = (signs.rfind('.'), signs.rfind(','));
    match (point, comma) {
        (Some(point), Some(comma)) => comma > point && signs.len() - comma > 1,
        // Three digits follow a group separator; `0,0` is also often meant as one.
        (None, Some(comma)) => {
            let behind = &signs[comma + 1..];
            let is_point = behind.len() == 2 || behind.len() > 3;
            is_point && signs.matches(',').count() == 1 && behind.bytes().all(|it| it == b'0')
        }
        _ => false,
    }
}

impl Section {
    fn has_digits(&self) -> bool {
        self.tokens.iter().any(|it| matches!(it, NumberToken::Digit(_)))
    }

    /// Applies trailing commas, with which Excel shows thousands.
    fn divide(&mut self, commas: usize, syntax: NumberSyntax) {
        if syntax == NumberSyntax::Excel {
            self.thousands += commas;
        }
    }

    fn decimals(&self) -> usize {
        let behind = self.tokens.iter().skip_while(|it| **it != NumberToken::Point);
        behind.filter(|it| matches!(it, NumberToken::Digit(_))).count()
    }

    /// Returns the number whose digits are written.
    fn number(&self, number: Decimal) -> Decimal {
        let percents = self.tokens.iter().filter(|it| **it == NumberToken::Percent).count();
        number.shifted(2 * percents).reduced(3 * self.thousands).rounded(self.decimals())
    }

    fn write(&self, number: Decimal, with_sign: bool) -> String {
        let has_digits = self.has_digits();
        let number = self.number(number);
        let (point, group) = if self.is_swapped { (',', '.') } else { ('.', ',') };
        let at_point = self
            .tokens
            .iter()
            .position(|it| *it == NumberToken::Point)
            .unwrap_or(self.tokens.len());
        let (whole, behind) = self.tokens.split_at(at_point);
        // Built from right to left, then reversed.
        let mut out: Vec<char> = Vec::new();
        let mut digits = number.whole.iter().rev();
        let mut places = whole.iter().filter(|it| matches!(it, NumberToken::Digit(_))).count();
        let mut count = 0;
        let push = |out: &mut Vec<char>, digit: char, count: &mut usize| {
            if self.has_groups && *count > 0 && count.is_multiple_of(3) {
                out.push(group);
            }
            out.push(digit);
            *count += 1;
        };
        for token in whole.iter().rev() {
            match token {
                NumberToken::Digit(kind) => {
                    places -= 1;
                    match (digits.next(), kind) {
                        (Some(digit), _) => push(&mut out, char::from(b'0' + digit), &mut count),
                        (None, '0') => push(&mut out, '0', &mut count),
                        (None, '?') => push(&mut out, ' ', &mut count),
                        (None, _) => {}
                    }
                    if places == 0 {
                        // Digits without a placeholder of their own precede the first one.
                        for digit in digits.by_ref() {
                            push(&mut out, char::from(b'0' + digit), &mut count);
                        }
                    }
                }
                NumberToken::Text(text) => out.extend(text.chars().rev()),
                NumberToken::Percent => out.push('%'),
                NumberToken::Point => {}
            }
        }
        // `.00` has no placeholder before its point, but the number may have digits there.
        let left: Vec<char> = digits.map(|digit| char::from(b'0' + digit)).collect();
        if has_digits {
            out.extend(left);
        }
        if number.is_negative && with_sign {
            out.push('-');
        }
        let mut text: String = out.into_iter().rev().collect();
        // Trailing zeros are written where the format has `0`.
        let kinds: Vec<char> = behind
            .iter()
            .filter_map(|it| if let NumberToken::Digit(kind) = it { Some(*kind) } else { None })
            .collect();
        let mut last = kinds.len();
        while last > 0
            && kinds.get(last - 1) != Some(&'0')
            && number.behind.get(last - 1).is_none_or(|digit| *digit == 0)
        {
            last -= 1;
        }
        let mut at = 0;
        for token in behind {
            match token {
                NumberToken::Point if last > 0 || kinds.is_empty() => text.push(point),
                NumberToken::Point => {}
                NumberToken::Digit(kind) => {
                    if at < last {
                        text.push(char::from(b'0' + number.behind.get(at).copied().unwrap_or(0)));
                    } else if *kind == '?' {
                        text.push(' ');
                    }
                    at += 1;
                }
                NumberToken::Text(literal) => text.push_str(literal),
                NumberToken::Percent => text.push('%'),
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(number: &str, picture: &str, syntax: NumberSyntax) -> Result<String, String> {
        write(&FillValue::Number(number.to_owned()), picture, syntax)
    }

    #[test]
    fn numbers_are_written_as_excel_does() {
        for (number, picture, expected) in [
            ("1234567.891", "#,##0.00", "1,234,567.89"),
            ("0", "#,##0.00", "0.00"),
            ("0.005", "0.00", "0.01"),
            ("1.005", "0.00", "1.01"),
            ("-0.001", "0.00", "0.00"),
            ("-1234.5", "#,##0.00", "-1,234.50"),
            ("-1234.5", "#,##0.00;(#,##0.00)", "(1,234.50)"),
            ("0", "0;-0;\"none\"", "none"),
            ("0.1254", "0.0%", "12.5%"),
            ("-0.5", "0%", "-50%"),
            ("9.995", "0.00", "10.00"),
            ("12", "0000", "0012"),
            ("12", "#,##0", "12"),
            ("0.5", "#.##", ".5"),
            ("5", "0.##", "5"),
            ("5.1", "0.0#", "5.1"),
            ("1234567", "#,##0,", "1,235"),
            ("1234567", "0.0,,", "1.2"),
            ("1234567", "0,0", "1,234,567"),
            ("1234", "\"¥\"#,##0.00", "¥1,234.00"),
            ("1234", "¥#,##0.00元", "¥1,234.00元"),
            ("1234", "[$€-407] #,##0", "€ 1,234"),
            ("1234.5", "#.##0,00", "1.234,50"),
            ("1234.5", "0,00", "1234,50"),
            ("13800138000", "000-0000-0000", "138-0013-8000"),
            ("1e3", "#,##0", "1,000"),
            ("1.5e-3", "0.0000", "0.0015"),
            ("123456789012345678901234567890", "#,##0", "123,456,789,012,345,678,901,234,567,890"),
            ("7", "0\\ \"kg\"_)", "7 kg"),
            ("0.1", "0.00;0.00;0.00;@", "0.10"),
        ] {
            assert_eq!(
                of(number, picture, NumberSyntax::Excel).as_deref(),
                Ok(expected),
                "{picture}"
            );
        }
    }

    #[test]
    fn pictures_of_word_differ_in_their_signs() {
        for (number, picture, expected) in [
            ("12.5", "0.0%", "12.5%"),
            ("1234.5", "$#,##0.00", "$1,234.50"),
            ("1234.5", "#,##0.00 'net'", "1,234.50 net"),
            ("-3", "#,##0.00;[#,##0.00]", "[3.00]"),
        ] {
            assert_eq!(
                of(number, picture, NumberSyntax::Word).as_deref(),
                Ok(expected),
                "{picture}"
            );
        }
    }

    #[test]
    fn what_cannot_be_written_is_refused() {
        for (number, picture, expected) in [
            ("1", "[Red]0", "`[Red]` is not known"),
            ("1", "0.00E+00", "powers of ten"),
            ("1", "0;0;0;0;0", "at most four parts"),
            ("1", "0\"x", "has no end"),
            ("1", "0.0.0", "expected one point"),
            ("1", "", "digits such as"),
            ("1", "元", "digits such as"),
            ("1", "General", "digits such as"),
            ("1e999999999", "0", "expected a number"),
            ("1e150", "0", "expected a number"),
            ("", "0", "expected a number"),
            ("0x1F", "0", "expected a number"),
        ] {
            let error = of(number, picture, NumberSyntax::Excel).unwrap_err();
            assert!(error.contains(expected), "{picture}: {error}");
        }
        assert!(of("1", "xx0", NumberSyntax::Word).unwrap_err().contains("`x`"));
    }
}
