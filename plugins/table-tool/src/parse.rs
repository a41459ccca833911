//! Parses numbers as people write them. Every text is a number, null, or refused with a reason; nothing is guessed.
//!
//! Knows one text at a time, and no tables. Does no arithmetic: a multiplier moves the decimal point.

use crate::number::{MAX_LEXEME, Number};
use crate::problem::quote;
use crate::units::{Unit, suffix, take_currency, take_multiplier};

/// Longest text; longer ones are prose.
const MAX_CHARS: usize = 200;

/// Texts for a missing value, in lower case.
const NULLS: [&str; 25] = [
    "",
    "-",
    "--",
    "---",
    "—",
    "——",
    "–",
    "−",
    "/",
    "\\",
    "n/a",
    "#n/a",
    "na",
    "n.a.",
    "nan",
    "null",
    "none",
    "nil",
    "无",
    "暂无",
    "不适用",
    "未披露",
    "…",
    "...",
    "……",
];

/// The meaning of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    Null,
    Number {
        number: Number,
        /// The unit that was removed.
        unit: Option<Unit>,
        /// `true` if it may be an identifier: `007`, or a long run of digits.
        is_identifier: bool,
    },
}

/// Digits before and after the point.
struct Digits {
    whole: String,
    fraction: String,
    exponent: i64,
    is_grouped: bool,
}

/// Parses a text.
pub(crate) fn read(text: &str) -> Result<Reading, String> {
    if text.chars().nth(MAX_CHARS).is_some() {
        return Err(format!("not a number: longer than {MAX_CHARS} characters"));
    }
    let folded = fold(text);
    let trimmed = folded.trim();
    if NULLS.contains(&trimmed.to_lowercase().as_str()) {
        return Ok(Reading::Null);
    }
    let (body, is_accounting) = open_parentheses(trimmed)?;
    let (mut is_negative, mut currency, mut rest) = (None, None, body.trim_start());
    loop {
        if let Some(sign) = rest.chars().next().filter(|char| matches!(char, '+' | '-'))
            && is_negative.replace(sign == '-').is_none()
        {
            rest = rest[1..].trim_start();
        } else if currency.is_none()
            && let Some((sign, code, behind)) = take_currency(rest)
        {
            currency = Some((sign, code));
            rest = behind.trim_start();
        } else {
            break;
        }
    }
    if is_accounting && is_negative.is_some() {
        return Err("both parentheses and a sign".to_owned());
    }
    if !rest.starts_with(|char: char| char.is_ascii_digit() || char == '.') {
        return Err(why_no_number(rest));
    }
    let (digits, behind) = take_digits(rest)?;
    let behind = behind.trim();
    let has_unit = !behind.is_empty() || currency.is_some();
    let is_identifier = !has_unit && !digits.is_grouped && looks_like_code(&digits);
    let (digits, behind, power) = compound(digits, behind)?;
    let unit = join_units(currency, behind)?;
    let power = power + unit.as_ref().map_or(0, |unit| i64::from(unit.power));
    let text = format!("{}{}", digits.whole, digits.fraction);
    let exponent = digits.exponent - digits.fraction.len() as i64 + power;
    let number = Number::from_parts(is_negative.unwrap_or(is_accounting), &text, exponent);
    match number.filter(|number| number.lexeme().len() <= MAX_LEXEME) {
        Some(number) => Ok(Reading::Number { number, unit, is_identifier }),
        None => Err(format!("too long: a number has at most {MAX_LEXEME} characters")),
    }
}

/// Replaces full-width and typographic forms of characters by the plain ones.
fn fold(text: &str) -> String {
    let folded = text.chars().filter_map(|char| match char {
        '\u{200b}' | '\u{feff}' | '\u{2060}' => None,
        '\u{3000}' => Some(' '),
        // Full-width ASCII has a fixed distance.
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(char as u32 - 0xfee0),
        '￥' => Some('¥'),
        '\u{2212}' | '\u{fe63}' => Some('-'),
        '萬' => Some('万'),
        '億' => Some('亿'),
        other => Some(other),
    });
    folded.collect()
}

/// Removes the parentheses of a negative number, `(1,234)`. A currency or a unit may be outside them.
fn open_parentheses(text: &str) -> Result<(String, bool), String> {
    let has_digit = |text: &str| text.contains(|char: char| char.is_ascii_digit());
    match (text.split_once('('), text.contains(')')) {
        (None, false) => Ok((text.to_owned(), false)),
        (Some((before, behind)), true) => match behind.split_once(')') {
            Some((inner, after))
                if !has_digit(before)
                    && has_digit(inner)
                    && !has_digit(after)
                    && !after.contains(['(', ')'])
                    && !inner.contains('(') =>
            {
                Ok((format!("{before}{inner}{after}"), true))
            }
            _ => Err(why_no_number(text)),
        },
        _ => Err("a parenthesis without its partner".to_owned()),
    }
}

/// Returns the digits at the start of a text, with separators checked, and the rest.
fn take_digits(text: &str) -> Result<(Digits, &str), String> {
    let is_part = |char: char| {
        char.is_ascii_digit()
            || matches!(char, '.' | ',' | '\'' | '’' | '\u{a0}' | '\u{2009}' | '\u{202f}')
    };
    let end = text.find(|char| !is_part(char)).unwrap_or(text.len());
    let (run, mut rest) = text.split_at(end);
    // A no-break space may also be before the unit.
    let run = run.trim_end();
    let mut digits = check_separators(run)?;
    if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
        let n_sign = usize::from(exponent.starts_with(['+', '-']));
        let n_digits = exponent[n_sign..].bytes().take_while(u8::is_ascii_digit).count();
        if n_digits > 0 {
            let (value, behind) = exponent.split_at(n_sign + n_digits);
            digits.exponent =
                value.parse::<i32>().map_err(|_| "the exponent is too large".to_owned())?.into();
            rest = behind;
        }
    }
    Ok((digits, rest))
}

fn check_separators(run: &str) -> Result<Digits, String> {
    let (whole, fraction) = run.split_once('.').unwrap_or((run, ""));
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_digits(fraction) || (whole.is_empty() && fraction.is_empty()) {
        return Err(ambiguous(run));
    }
    let mut groups = whole.split(|char: char| !char.is_ascii_digit());
    let first = groups.next().unwrap_or_default();
    let is_grouped = first.len() != whole.len();
    let mut separators = whole.chars().filter(|char| !char.is_ascii_digit());
    let separator = separators.next();
    let is_uniform = separators.all(|other| Some(other) == separator);
    if is_grouped
        && !(is_uniform
            && (1..=3).contains(&first.len())
            && groups.all(|group| group.len() == 3)
            && first != "0")
    {
        return Err(ambiguous(run));
    }
    let whole = whole.chars().filter(char::is_ascii_digit).collect();
    Ok(Digits { whole, fraction: fraction.to_owned(), exponent: 0, is_grouped })
}

fn ambiguous(run: &str) -> String {
    format!(
        "ambiguous separators in {}: expected digits in groups of three and a decimal point, such as `1,234.5`",
        quote(run)
    )
}

fn looks_like_code(digits: &Digits) -> bool {
    let is_integer = digits.fraction.is_empty() && digits.exponent == 0;
    is_integer
        && ((digits.whole.len() > 1 && digits.whole.starts_with('0')) || digits.whole.len() > 15)
}

/// Parses `1亿2000万元`: parts with descending multipliers. Returns the digits, the rest, and the multiplier of all.
fn compound(first: Digits, behind: &str) -> Result<(Digits, &str, i64), String> {
    let second = |rest: &str| rest.starts_with(|char: char| char.is_ascii_digit());
    let Some((power, rest)) = take_multiplier(behind).filter(|(_, rest)| second(rest)) else {
        return Ok((first, behind, 0));
    };
    let is_plain =
        |digits: &Digits| digits.fraction.is_empty() && digits.exponent == 0 && !digits.is_grouped;
    let parts_text = || "several numbers: expected one, or parts such as `1亿2000万`".to_owned();
    if !is_plain(&first) {
        return Err(parts_text());
    }
    let (mut whole, mut power, mut rest) = (first.whole, power, rest);
    loop {
        let (part, behind) = take_digits(rest)?;
        let (part_power, behind) = match take_multiplier(behind) {
            Some((part_power, behind)) => (part_power, behind),
            None => (0, behind),
        };
        let width = usize::try_from(power - part_power).unwrap_or(0);
        // `3万5` means 35000 or 30005. With all digits written, a part has one meaning.
        let has_all_digits =
            part.whole.len() == width || (part_power > 0 && part.whole.len() <= width);
        if !is_plain(&part) || !has_all_digits {
            return Err(parts_text());
        }
        whole.push_str(&"0".repeat(width - part.whole.len()));
        whole.push_str(&part.whole);
        (power, rest) = (part_power, behind);
        if !second(rest) || power == 0 {
            break;
        }
    }
    Ok((
        Digits { whole, fraction: String::new(), exponent: 0, is_grouped: false },
        rest.trim_start(),
        i64::from(power),
    ))
}

/// Joins a currency before the number and a unit after it.
fn join_units(currency: Option<(&str, &str)>, behind: &str) -> Result<Option<Unit>, String> {
    let unit = if behind.is_empty() {
        None
    } else {
        Some(suffix(behind).map_err(|text| why_no_unit(behind).unwrap_or(text))?)
    };
    match (currency, unit) {
        (None, unit) => Ok(unit),
        (Some((sign, code)), None) => {
            Ok(Some(Unit { text: sign.to_owned(), base: code.to_owned(), power: 0 }))
        }
        (Some((sign, code)), Some(unit)) => {
            let base = match unit.base.as_str() {
                _ if unit.power < 0 => return Err("both a currency and a percent sign".to_owned()),
                "" => code,
                base => merge_bases(code, base)
                    .ok_or_else(|| format!("two units: {} and {}", quote(sign), quote(behind)))?,
            };
            Ok(Some(Unit {
                text: format!("{sign}{}", unit.text),
                base: base.to_owned(),
                power: unit.power,
            }))
        }
    }
}

/// Returns the more precise of two currencies if they can be the same: `¥` is yuan or yen, `$` one of the dollars.
pub(crate) fn merge_bases<'a>(one: &'a str, two: &'a str) -> Option<&'a str> {
    let covers = |sign: &str, code: &str| match sign {
        "¥" => matches!(code, "CNY" | "JPY"),
        "$" => matches!(code, "USD" | "HKD" | "TWD" | "SGD" | "AUD" | "CAD"),
        _ => false,
    };
    if one == two || covers(two, one) {
        Some(one)
    } else if covers(one, two) {
        Some(two)
    } else {
        None
    }
}

fn why_no_number(text: &str) -> String {
    let has_digit = text.contains(|char: char| char.is_ascii_digit());
    match text.chars().next() {
        Some('约' | '近' | '超' | '~' | '≈' | '>' | '<' | '≥' | '≤' | '逾' | '达') if has_digit => {
            "not an exact number".to_owned()
        }
        _ => "not a number".to_owned(),
    }
}

/// Returns a better reason than an unknown unit.
fn why_no_unit(behind: &str) -> Option<String> {
    let has_digit = behind.contains(|char: char| char.is_ascii_digit());
    match behind.chars().next()? {
        '+' | '余' | '多' | '以' | '左' | '起' => Some("not an exact number".to_owned()),
        '-' | '~' | '—' | '–' | '至' | '到' | '/' | ':' | '年' | '月' if has_digit => {
            Some("several numbers: a range, a date or a time".to_owned())
        }
        '年' | '月' | '日' | '号' => Some("a date".to_owned()),
        _ if has_digit => Some("several numbers".to_owned()),
        _ => None,
    }
}
