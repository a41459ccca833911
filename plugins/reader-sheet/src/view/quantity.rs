//! Writes numbers with placeholders for digits: decimals, percentages, scientific notation and fractions.

use super::digits::{Digits, write_general, write_general_digits};
use mitt_number_format::{Kind, Section, Token};
use std::fmt::Write as _;

/// Appends a number in a section. `value` has no sign. `digits` are those of the number.
pub(super) fn write(section: &Section, value: f64, digits: Digits, out: &mut String) {
    match section.kind {
        Kind::Scientific => scientific(section, digits, out),
        Kind::Fraction => fraction(section, value, out),
        _ => decimal(section, digits, out),
    }
}

/// The places for digits in a run of tokens.
fn n_places(tokens: &[Token]) -> usize {
    tokens.iter().filter(|token| matches!(token, Token::Digit(_))).count()
}

/// Tokens before and after the first point.
fn at_point(tokens: &[Token]) -> (&[Token], Option<&[Token]>) {
    match tokens.iter().position(|token| *token == Token::Point) {
        Some(point) => (&tokens[..point], Some(&tokens[point + 1..])),
        None => (tokens, None),
    }
}

fn decimal(section: &Section, mut digits: Digits, out: &mut String) {
    let tokens = &section.tokens[..];
    if tokens.contains(&Token::General) {
        return general(section, &digits, out);
    }
    if n_places(tokens) == 0 {
        return plain(tokens, out);
    }
    let commas = Commas::of(tokens);
    let percents = tokens.iter().filter(|token| **token == Token::Percent).count() as i32;
    digits.shift(2 * percents - 3 * commas.divisions);
    let start = out.len();
    number(tokens, &mut digits, commas.groups, out);
    if let Some(numerals) = section.numerals {
        let shown = numerals.each(&out[start..]);
        out.truncate(start);
        out.push_str(&shown);
    }
}

/// Appends a section without any placeholder.
fn plain(tokens: &[Token], out: &mut String) {
    for token in tokens {
        literal(token, out);
    }
}

/// Appends the text of a token that takes no digits.
fn literal(token: &Token, out: &mut String) {
    match token {
        Token::Literal(text) => out.push_str(text),
        Token::Percent => out.push('%'),
        Token::Slash => out.push('/'),
        Token::Point => out.push('.'),
        _ => {}
    }
}

fn general(section: &Section, digits: &Digits, out: &mut String) {
    for token in &section.tokens {
        match (token, section.numerals) {
            (Token::General, None) => write_general_digits(digits.clone(), false, out),
            (Token::General, Some(numerals)) => {
                let mut text = String::new();
                write_general_digits(digits.clone(), false, &mut text);
                out.push_str(&numerals.number(&text));
            }
            (token, _) => literal(token, out),
        }
    }
}

/// The commas of a section.
#[derive(Default)]
struct Commas {
    /// `true` if one is between places for digits, so that the digits are in groups of three.
    groups: bool,
    /// Number of commas behind the last place. Each divides by a thousand.
    divisions: i32,
}

impl Commas {
    fn of(tokens: &[Token]) -> Self {
        let mut commas = Self::default();
        let (whole, decimals) = at_point(tokens);
        // Those behind the last place before the point divide as well.
        for tokens in [Some(whole), decimals].into_iter().flatten() {
            let last = tokens.iter().rposition(|token| matches!(token, Token::Digit(_)));
            let Some(last) = last else { continue };
            let rest = tokens[last + 1..].iter();
            commas.divisions += rest.take_while(|token| **token == Token::Comma).count() as i32;
        }
        let first = whole.iter().position(|token| matches!(token, Token::Digit(_)));
        let last = whole.iter().rposition(|token| matches!(token, Token::Digit(_)));
        if let Some((first, last)) = first.zip(last) {
            commas.groups = whole[first..last].contains(&Token::Comma);
        }
        commas
    }
}

/// Appends the digits in the places of the tokens, with the text between them.
fn number(tokens: &[Token], digits: &mut Digits, groups: bool, out: &mut String) {
    let (whole, decimals) = at_point(tokens);
    let n_decimals = decimals.map_or(0, n_places);
    digits.round(n_decimals as i32);
    write_whole(whole, digits, groups, out);
    let Some(decimals) = decimals else { return };
    out.push('.');
    let mut place = 0;
    for token in decimals {
        match token {
            Token::Digit(kind) => {
                let digit = digits.decimal(place);
                let is_needed = place < digits.n_decimals();
                match kind {
                    '0' => out.push(digit),
                    _ if is_needed => out.push(digit),
                    '?' => out.push(' '),
                    _ => {}
                }
                place += 1;
            }
            token => literal(token, out),
        }
    }
}

/// Appends the digits before the point. Those without a place precede the first one.
fn write_whole(tokens: &[Token], digits: &Digits, groups: bool, out: &mut String) {
    let mut left = n_places(tokens);
    let n_digits = digits.n_whole();
    let digit = |place: usize, out: &mut String| {
        out.push(digits.whole(place));
        if groups && place > 0 && place.is_multiple_of(3) {
            out.push(',');
        }
    };
    if left == 0 {
        tokens.iter().for_each(|token| literal(token, out));
        (0..n_digits).rev().for_each(|place| digit(place, out));
        return;
    }
    let mut is_first = true;
    for token in tokens {
        let Token::Digit(kind) = token else {
            literal(token, out);
            continue;
        };
        if std::mem::take(&mut is_first) {
            (left..n_digits).rev().for_each(|place| digit(place, out));
        }
        left -= 1;
        match kind {
            _ if left < n_digits => digit(left, out),
            '0' => digit(left, out),
            '?' => out.push(' '),
            _ => {}
        }
    }
}

fn scientific(section: &Section, mut digits: Digits, out: &mut String) {
    let tokens = &section.tokens[..];
    let at = tokens.iter().position(|token| matches!(token, Token::Exponent(_)));
    let (mantissa, exponent) = tokens.split_at(at.unwrap_or(tokens.len()));
    let (whole, decimals) = at_point(mantissa);
    // With several places before the point, the exponent is a multiple of their number.
    let step = n_places(whole).max(1) as i32;
    let n_decimals = decimals.map_or(0, n_places) as i32;
    let mut power = digits.magnitude().div_euclid(step) * step;
    digits.shift(-power);
    digits.round(n_decimals);
    if digits.magnitude() >= step {
        digits.shift(-step);
        power += step;
    }
    number(mantissa, &mut digits, Commas::of(mantissa).groups, out);
    let Some((Token::Exponent(shows_plus), rest)) = exponent.split_first() else { return };
    out.push('E');
    match power {
        ..0 => out.push('-'),
        _ if *shows_plus => out.push('+'),
        _ => {}
    }
    let width = n_places(rest);
    let mut is_written = width == 0;
    for token in rest {
        match token {
            Token::Digit(_) if !std::mem::replace(&mut is_written, true) => {
                _ = write!(out, "{:0width$}", power.abs());
            }
            token => literal(token, out),
        }
    }
}

/// The parts of a section that shows a fraction.
struct FractionParts<'a> {
    /// Tokens of the whole number, and of the text behind it.
    whole: &'a [Token],
    numerator: &'a [Token],
    /// Tokens between the slash and the denominator.
    between: &'a [Token],
    denominator: &'a [Token],
    rest: &'a [Token],
    /// The denominator, if the section names one.
    fixed: Option<u64>,
}

impl<'a> FractionParts<'a> {
    fn of(tokens: &'a [Token]) -> Option<Self> {
        let slash = tokens.iter().position(|token| *token == Token::Slash)?;
        let is_place = |token: &Token| matches!(token, Token::Digit(_));
        let (before, after) = (&tokens[..slash], &tokens[slash + 1..]);
        let last = before.iter().rposition(is_place)?;
        let start =
            before[..last].iter().rposition(|token| !is_place(token)).map_or(0, |at| at + 1);
        // A number such as `16` is text to the parser, except for its zeros.
        let fixed_digits = |token: &Token| match token {
            Token::Literal(text) => text.bytes().all(|byte| byte.is_ascii_digit()),
            token => is_place(token),
        };
        let begin = after.iter().position(fixed_digits).unwrap_or(0);
        let (between, after) = after.split_at(begin);
        let end = after.iter().position(|token| !fixed_digits(token)).unwrap_or(after.len());
        let (denominator, rest) = after.split_at(end);
        let has_literal = denominator.iter().any(|token| !is_place(token));
        let text: String = denominator.iter().map(digit_text).collect();
        let fixed =
            text.parse().ok().filter(|number| has_literal && (1..=1_000_000).contains(number));
        Some(Self {
            whole: &before[..start],
            numerator: &before[start..],
            between,
            denominator,
            rest,
            fixed,
        })
    }
}

fn digit_text(token: &Token) -> String {
    match token {
        Token::Literal(text) => text.clone(),
        Token::Digit(digit) => digit.to_string(),
        _ => String::new(),
    }
}

fn fraction(section: &Section, value: f64, out: &mut String) {
    let Some(parts) = FractionParts::of(&section.tokens) else {
        return plain(&section.tokens, out);
    };
    let has_whole = n_places(parts.whole) > 0;
    let mut whole = if has_whole { value.trunc() } else { 0.0 };
    let rest = value - whole;
    // Such a number has no digits for a fraction, and a numerator might not fit.
    if value >= 1e15 {
        return write_general(value, out);
    }
    let (mut numerator, denominator) = match parts.fixed {
        Some(fixed) => ((rest * fixed as f64).round() as u64, fixed),
        None => convergent(rest, 10_u64.pow(n_places(parts.denominator).clamp(1, 7) as u32) - 1),
    };
    if has_whole && numerator == denominator {
        (whole, numerator) = (whole + 1.0, 0);
    }
    let mut digits = Digits::of(whole);
    digits.round(0);
    if has_whole {
        let shows_nothing = whole == 0.0 && numerator > 0;
        if shows_nothing {
            parts.whole.iter().for_each(|token| match token {
                Token::Digit('0') => out.push('0'),
                token => literal(token, out),
            })
        } else {
            write_whole(parts.whole, &digits, false, out)
        }
        if whole == 0.0 && numerator == 0 && out.trim().is_empty() {
            out.push('0');
        }
        if numerator == 0 {
            // Blanks take the place of the fraction.
            parts.rest.iter().for_each(|token| literal(token, out));
            return;
        }
    }
    let mut digits = Digits::of(numerator as f64);
    digits.round(0);
    let before = out.len();
    write_whole(parts.numerator, &digits, false, out);
    if out[before..].trim().is_empty() {
        out.push('0');
    }
    out.push('/');
    parts.between.iter().for_each(|token| literal(token, out));
    _ = write!(out, "{denominator}");
    parts.rest.iter().for_each(|token| literal(token, out));
}

/// Returns a fraction for a number of at least 0, with a denominator of at most `max`: the last convergent of its
/// continued fraction, which is what spreadsheets show. Another fraction may be nearer.
fn convergent(value: f64, max: u64) -> (u64, u64) {
    let (mut before, mut last) = ((0_u64, 1_u64), (1_u64, 0_u64));
    let mut rest = value;
    // Continued fractions of floats end after a few dozen terms.
    for _ in 0..64 {
        let term = rest.floor();
        let next = |a: u64, b: u64| (term as u64).checked_mul(a)?.checked_add(b);
        let (Some(numerator), Some(denominator)) = (next(last.0, before.0), next(last.1, before.1))
        else {
            break;
        };
        if denominator > max {
            break;
        }
        (before, last) = (last, (numerator, denominator));
        let remainder = rest - term;
        if remainder < 1e-10 {
            break;
        }
        rest = 1.0 / remainder;
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(format: &str, value: f64) -> String {
        let mut out = String::new();
        write(&Section::of(format), value, Digits::of(value), &mut out);
        out
    }

    #[test]
    fn decimals_fill_their_places() {
        for (format, value, expected) in [
            ("0", 1234.5, "1235"),
            ("0.00", 1.005, "1.01"),
            ("#,##0", 1_234_567.0, "1,234,567"),
            ("#,##0.0", 0.0, "0.0"),
            ("0,000", 5.0, "0,005"),
            ("#.##", 5.0, "5."),
            ("#.##", 0.0, "."),
            ("0.0#", 15.04, "15.04"),
            (".00", 3.14259, "3.14"),
            ("0.0,", 12_345.0, "12.3"),
            ("0.0,,\"M\"", 12_345_678.0, "12.3M"),
            ("0%", 0.125, "13%"),
            ("0.0%", 0.125, "12.5%"),
            ("%0", 0.5, "%50"),
            ("000-00-0000", 123_456_789.0, "123-45-6789"),
            ("(###) ###-####", 2_813_308_004.0, "(281) 330-8004"),
            ("000#0#0", 12.0, "000012"),
            ("0.??", 1.5, "1.5 "),
            ("\"days\"", 3.0, "days"),
            ("General\" kg\"", 1.5, "1.5 kg"),
            ("[DBNum2][$-804]General", 1234.5, "壹仟贰佰叁拾肆.伍"),
            ("[DBNum2]G/通用格式", 1234.5, "壹仟贰佰叁拾肆.伍"),
            ("[DBNum1]0", 2024.0, "二〇二四"),
        ] {
            assert_eq!(shown(format, value), expected, "{format} {value}");
        }
    }

    #[test]
    fn exponents_are_multiples_of_the_places() {
        for (format, value, expected) in [
            ("0.00E+00", 12_345.0, "1.23E+04"),
            ("0.00E+00", 0.000_123, "1.23E-04"),
            ("0.00E-00", 12_345.0, "1.23E04"),
            ("##0.0E+0", 12_345.0, "12.3E+3"),
            ("##0.0E+0", 999_960.0, "1.0E+6"),
            ("0.00E+00", 9.999, "1.00E+01"),
            ("0.00E+00", 0.0, "0.00E+00"),
            ("0.0\" x\"E+\"^\"0\"!\"", 120.0, "1.2 xE+^2!"),
        ] {
            assert_eq!(shown(format, value), expected, "{format} {value}");
        }
    }

    #[test]
    fn fractions_are_those_of_spreadsheets() {
        for (format, value, expected) in [
            ("# ?/?", 5.25, "5 1/4"),
            ("# ?/?", 1234.567, "1234 4/7"),
            ("# ?/?", 123.456, "123 1/2"),
            ("# ??/??", 123.456, "123 26/57"),
            ("# ???/???", 123.456, "123  57/125"),
            ("# ? / ?", 2.5, "2 1 / 2"),
            ("# ??/??", 12.34, "12 17/50"),
            ("# ?/?", 5.0, "5"),
            ("# ?/?", 0.5, "1/2"),
            ("# ?/?", 0.0, "0"),
            ("# ?/8", 0.99, "1"),
            ("# ?/16", 2.26, "2 4/16"),
            ("# ??/100", 2.5, "2 50/100"),
            ("??/??", 12.345_678_9, "1000/81"),
            ("# ?/?", 1e16, "1E+16"),
        ] {
            assert_eq!(shown(format, value).trim(), expected, "{format} {value}");
        }
    }
}
