//! Parses numbers as people write them in tables: `1,234.5`, `-12.5%`, `¥1.2亿`, `(5)`, `3.4 pp`. Knows no columns.

/// Content of a cell of a table.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cell {
    /// Empty, or a symbol for a missing value.
    Gap,
    /// A number.
    Number(Number),
    /// Something else.
    Text,
}

/// A number with prefix and suffix.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Number {
    /// Value including 万, 亿, K, M, B; of a percentage the number as written.
    pub(crate) value: f64,
    /// Currency: `¥`, `US$`, `EUR`.
    pub(crate) prefix: String,
    /// Unit: `%`, `元`, `kg`.
    pub(crate) suffix: String,
}

/// Notations for a missing value.
const NOTHING: [&str; 17] = [
    "-", "–", "—", "——", "/", "--", "…", "...", "n/a", "na", "null", "none", "nan", "nil", "无",
    "缺", "暂无",
];

/// Currencies before a number.
const CURRENCIES: [&str; 24] = [
    "US$", "HK$", "NT$", "A$", "C$", "RMB", "CNY", "¥", "￥", "$", "€", "£", "₹", "₩", "EUR",
    "USD", "GBP", "JPY", "CHF", "HKD", "TWD", "SGD", "AUD", "CAD",
];

/// Names of powers of ten, longest first.
const POWERS: [(&str, f64); 9] = [
    ("万亿", 1e12),
    ("百万", 1e6),
    ("千万", 1e7),
    ("亿", 1e8),
    ("万", 1e4),
    ("bn", 1e9),
    ("K", 1e3),
    ("M", 1e6),
    ("B", 1e9),
];

/// Most characters of a unit.
const MAX_UNIT: usize = 8;

/// Parses a cell.
pub(crate) fn cell(text: &str) -> Cell {
    let text = text.trim();
    if text.is_empty() || NOTHING.iter().any(|it| text.eq_ignore_ascii_case(it)) {
        return Cell::Gap;
    }
    number(text).map_or(Cell::Text, Cell::Number)
}

fn number(text: &str) -> Option<Number> {
    let inside = |open: char, close: char| text.strip_prefix(open)?.strip_suffix(close);
    let (mut rest, mut is_negative) = match inside('(', ')').or_else(|| inside('（', '）')) {
        // Negative numbers in accounting notation.
        Some(inside) => (inside.trim(), true),
        None => (text, false),
    };
    let mut prefix = "";
    // The sign is before or behind the currency.
    for _ in 0..2 {
        if let Some(behind) = rest.strip_prefix(['-', '−', '–', '－']) {
            (rest, is_negative) = (behind.trim_start(), !is_negative);
        } else if let Some(behind) = rest.strip_prefix(['+', '＋']) {
            rest = behind.trim_start();
        }
        if let Some(found) =
            CURRENCIES.iter().find(|it| prefix.is_empty() && rest.starts_with(**it))
        {
            (prefix, rest) = (found, rest[found.len()..].trim_start());
        }
    }
    let is_digit =
        |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '，' | '\u{A0}' | '\u{202F}');
    let end = rest.find(|c: char| !is_digit(c)).unwrap_or(rest.len());
    let (digits, mut behind) = rest.split_at(end);
    let mut digits = plain_digits(digits.trim_end_matches(['\u{A0}', '\u{202F}']))?;
    if let Some((exponent, tail)) = exponent(behind) {
        digits.push_str(exponent);
        behind = tail;
    }
    let mut value: f64 = digits.parse().ok()?;
    behind = behind.trim();
    for (name, power) in POWERS {
        // In `5 kg` and `5 Kunden`, the letter is no thousand.
        let tail = behind.strip_prefix(name);
        let is_name = |tail: &&str| !tail.starts_with(|c: char| c.is_ascii_alphabetic());
        if let Some(tail) = tail.filter(is_name) {
            (value, behind) = (value * power, tail.trim_start());
            break;
        }
    }
    let suffix = behind.replace('％', "%");
    let is_unit = suffix.chars().count() <= MAX_UNIT
        && suffix.chars().all(|c| {
            !c.is_ascii_digit()
                && !c.is_control()
                && !matches!(c, '-' | ':' | '年' | '月' | '日' | '季' | '.')
        });
    let value = if is_negative { -value } else { value };
    (is_unit && value.is_finite()).then(|| Number { value, prefix: prefix.into(), suffix })
}

/// Returns digits and a point without commas, which must be between groups of three.
fn plain_digits(text: &str) -> Option<String> {
    let text = text.replace(['，', '\u{A0}', '\u{202F}'], ",");
    let (whole, behind) = text.split_once('.').map_or((&*text, None), |(a, b)| (a, Some(b)));
    let mut groups = whole.split(',');
    let first = groups.next().unwrap_or_default();
    let mut plain = first.to_owned();
    for group in groups {
        if group.len() != 3 || first.len() > 3 || first.is_empty() {
            return None;
        }
        plain.push_str(group);
    }
    if let Some(behind) = behind {
        if behind.contains(['.', ',']) {
            return None;
        }
        plain.push('.');
        plain.push_str(behind);
    }
    plain.contains(|c: char| c.is_ascii_digit()).then_some(plain)
}

/// Splits off an exponent such as `e-5`, and returns the rest.
fn exponent(text: &str) -> Option<(&str, &str)> {
    let digits = text.strip_prefix(['e', 'E'])?;
    let digits = digits.strip_prefix(['+', '-']).unwrap_or(digits);
    let count = digits.bytes().take_while(u8::is_ascii_digit).count();
    let end = text.len() - digits.len() + count;
    (1..=3).contains(&count).then(|| text.split_at(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_people_write_them() {
        for (text, value, prefix, suffix) in [
            ("1", 1.0, "", ""),
            ("1,234.5", 1234.5, "", ""),
            ("1，234", 1234.0, "", ""),
            ("-12.5%", -12.5, "", "%"),
            ("＋3％", 3.0, "", "%"),
            ("¥1.2亿", 1.2e8, "¥", ""),
            ("-$5", -5.0, "$", ""),
            ("$-5", -5.0, "$", ""),
            ("(5)", -5.0, "", ""),
            ("（1,000）", -1000.0, "", ""),
            ("12 万元", 120_000.0, "", "元"),
            ("3.4 pp", 3.4, "", "pp"),
            ("5 kg", 5.0, "", "kg"),
            ("2.5M", 2.5e6, "", ""),
            ("1e-3", 0.001, "", ""),
            ("1E5", 100_000.0, "", ""),
            ("−7", -7.0, "", ""),
            (".5", 0.5, "", ""),
            ("US$ 3bn", 3e9, "US$", ""),
            ("EUR 9.29", 9.29, "EUR", ""),
            ("-CHF 1,200", -1200.0, "CHF", ""),
        ] {
            let want = Number { value, prefix: prefix.into(), suffix: suffix.into() };
            assert_eq!(cell(text), Cell::Number(want), "{text}");
        }
    }

    #[test]
    fn gaps_are_no_zeros_and_text_is_no_number() {
        for text in ["", " ", "-", "—", "N/A", "null", "无", "/"] {
            assert_eq!(cell(text), Cell::Gap, "{text}");
        }
        for text in [
            "2024年",
            "2024-01-05",
            "10:30",
            "1.2.3",
            "Q1",
            "1,23",
            "12,5",
            "约 5",
            "1e9999",
            "3 of a kind of",
            "EURO 5",
        ] {
            assert_eq!(cell(text), Cell::Text, "{text}");
        }
    }
}
