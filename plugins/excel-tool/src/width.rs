//! Widths of values as they are shown, in characters.

use crate::facts::Facts;
use rust_decimal::prelude::{Decimal, RoundingStrategy};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Space beside the text.
const MARGIN: usize = 2;
const MIN_WIDTH: usize = 8;
/// Most characters of a column; wider columns push the others off the screen.
pub(crate) const MAX_WIDTH: usize = 50;

/// Returns the width of a column whose widest content has the width `content`.
pub(crate) fn column(content: usize) -> f64 {
    let width = (content + MARGIN).clamp(MIN_WIDTH, MAX_WIDTH);
    f64::from(u32::try_from(width).unwrap_or(u32::MAX))
}

/// Returns the width of the longest line. East Asian wide characters count twice.
pub(crate) fn text(text: &str) -> usize {
    text.lines().map(UnicodeWidthStr::width).max().unwrap_or(0)
}

/// Returns the width of the text that a link shows: `[shown](address)`, or the address.
pub(crate) fn link(link: &str) -> usize {
    let link = link.trim();
    let parts = link
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(')'))
        .and_then(|rest| rest.split_once("]("));
    text(match parts {
        Some((shown, _)) if !shown.is_empty() => shown,
        Some((_, address)) => address,
        None => link,
    })
}

/// Returns the width of the widest number of a column: that of its extremes. Without a fixed number of decimals, the
/// extremes get the most decimals of any number.
pub(crate) fn numbers(facts: &Facts, format: Option<&str>) -> usize {
    let one = |number: Option<Decimal>| number.map_or(0, |number| self::number(number, format));
    let extremes = one(facts.min).max(one(facts.max));
    let is_general = format.is_none_or(|format| format.eq_ignore_ascii_case("general"));
    if facts.numbers == 0 || !is_general || facts.shortest_scale == 0 {
        return extremes;
    }
    let whole =
        |number: Option<Decimal>| number.map_or(0, |number| number.trunc().to_string().len());
    extremes.max(whole(facts.min).max(whole(facts.max)) + 1 + facts.shortest_scale as usize)
}

/// Returns the width of a number in a format. This is an estimate for formats with conditions or fractions: only their first
/// section is used.
pub(crate) fn number(value: Decimal, format: Option<&str>) -> usize {
    let Some(format) = format.filter(|format| !format.eq_ignore_ascii_case("general")) else {
        return value.normalize().to_string().len();
    };
    let shape = Shape::of(format);
    if shape.is_date {
        return date(format);
    }
    if shape.is_scientific {
        // One digit before the point, `E` and two digits of the exponent. The sign of the exponent is a literal of the
        // format.
        let point = usize::from(shape.decimals > 0);
        return usize::from(value.is_sign_negative())
            + 1
            + point
            + shape.decimals as usize
            + 3
            + shape.literal;
    }
    let value = if shape.is_percent {
        value.checked_mul(Decimal::ONE_HUNDRED).unwrap_or(value)
    } else {
        value
    };
    let shown =
        value.round_dp_with_strategy(shape.decimals, RoundingStrategy::MidpointAwayFromZero);
    let whole = shown.trunc().abs().to_string().len();
    let separators = if shape.is_grouped { (whole - 1) / 3 } else { 0 };
    let fraction = if shape.decimals > 0 { shape.decimals as usize + 1 } else { 0 };
    usize::from(shown.is_sign_negative()) + whole + separators + fraction + shape.literal
}

/// Returns the width of a date in a format.
pub(crate) fn date(format: &str) -> usize {
    let mut width = 0;
    for run in tokens(format) {
        width += match run {
            Token::Literal(c) => c.width().unwrap_or(0),
            Token::Code(code, count) => match (code.to_ascii_lowercase(), count) {
                ('y', 1 | 2) => 2,
                ('y', _) => 4,
                // These show names of months and days.
                ('m' | 'd', 3) => 3,
                ('m' | 'd', 4..) => 9,
                ('m' | 'd' | 'h' | 's', _) => 2,
                _ => count,
            },
        };
    }
    width
}

#[derive(Default)]
struct Shape {
    literal: usize,
    decimals: u32,
    is_grouped: bool,
    is_percent: bool,
    is_scientific: bool,
    is_date: bool,
}

impl Shape {
    fn of(format: &str) -> Self {
        let mut shape = Self::default();
        let mut in_fraction = false;
        for token in tokens(format) {
            match token {
                Token::Literal(c) => shape.literal += c.width().unwrap_or(0),
                Token::Code('0' | '#' | '?', count) if in_fraction && !shape.is_scientific => {
                    shape.decimals += u32::try_from(count).unwrap_or(u32::MAX).min(30);
                }
                Token::Code('.', _) => in_fraction = true,
                Token::Code(',', _) => shape.is_grouped = true,
                Token::Code('%', count) => {
                    shape.is_percent = true;
                    shape.literal += count;
                }
                Token::Code('E' | 'e', _) => shape.is_scientific = true,
                Token::Code('y' | 'Y' | 'd' | 'D' | 'h' | 'H' | 's' | 'S' | 'm' | 'M', _) => {
                    shape.is_date = true
                }
                Token::Code(..) => {}
            }
        }
        shape.decimals = shape.decimals.min(Decimal::MAX_SCALE);
        shape
    }
}

/// A part of a number format: a literal, or a run of one placeholder.
enum Token {
    Literal(char),
    Code(char, usize),
}

/// Returns the first section of a format. Quotes, escapes, padding and `[…]` are resolved.
fn tokens(format: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut chars = format.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            ';' => break,
            '"' => tokens.extend(chars.by_ref().take_while(|&c| c != '"').map(Token::Literal)),
            '\\' => tokens.extend(chars.next().map(Token::Literal)),
            // A space as wide as the next character.
            '_' => tokens.extend(chars.next().map(|_| Token::Literal(' '))),
            // Fills the rest of the cell.
            '*' => {
                chars.next();
            }
            '[' => {
                let inside: String = chars.by_ref().take_while(|&c| c != ']').collect();
                // `[$€-407]` shows the currency. Colours and conditions show nothing.
                if let Some(currency) = inside.strip_prefix('$') {
                    let symbol = currency.split('-').next().unwrap_or("");
                    tokens.extend(symbol.chars().map(Token::Literal));
                }
            }
            '0' | '#' | '?' | '.' | ',' | '%' | 'E' | 'e' | 'y' | 'Y' | 'm' | 'M' | 'd' | 'D'
            | 'h' | 'H' | 's' | 'S' => match tokens.last_mut() {
                Some(Token::Code(last, count)) if *last == c => *count += 1,
                _ => tokens.push(Token::Code(c, 1)),
            },
            other => tokens.push(Token::Literal(other)),
        }
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::{column, date, number, text};
    use crate::number::decimal;

    #[test]
    fn display_width() {
        for (shown, expected) in
            [("年份", 4), ("Revenue", 7), ("a\n年份年\nbb", 6), ("", 0), ("ｶﾅ", 2), ("e\u{301}", 1)]
        {
            assert_eq!(text(shown), expected, "{shown}");
        }
        for (content, expected) in [(0, 8.0), (6, 8.0), (7, 9.0), (48, 50.0), (500, 50.0)] {
            assert_eq!(column(content), expected, "{content}");
        }
    }

    #[test]
    fn formatted_width() {
        for (value, format, shown) in [
            ("1234567.891", Some("#,##0.00"), "1,234,567.89"),
            ("999.995", Some("#,##0.00"), "1,000.00"),
            ("-1234", Some("#,##0"), "-1,234"),
            ("2024", Some("0"), "2024"),
            ("0.256", Some("0.0%"), "25.6%"),
            ("1234.5", Some("\"US$\"#,##0.00"), "US$1,234.50"),
            ("1234.5", Some("[$€-407]#,##0.00;[Red]-#,##0.00"), "€1,234.50"),
            ("1234.5", Some("[Red]#,##0\\ 元"), "1,235 元"),
            ("12345", Some("0.00E+00"), "1.23E+04"),
            ("12.50", None, "12.5"),
            ("12.50", Some("General"), "12.5"),
            ("45657", Some("yyyy-mm-dd"), "2024-12-31"),
        ] {
            assert_eq!(number(decimal(value).unwrap(), format), text(shown), "{value} {format:?}");
        }
    }

    #[test]
    fn date_width() {
        for (format, shown) in [
            ("yyyy-mm-dd", "2024-12-31"),
            ("yyyy-mm-dd hh:mm:ss", "2024-12-31 08:30:00"),
            ("yyyy\"年\"m\"月\"d\"日\"", "2024年12月31日"),
            ("d mmm yy", "31 Dec 24"),
            ("mmmm yyyy", "September 2024"),
        ] {
            assert_eq!(date(format), text(shown), "{format}");
        }
    }
}
