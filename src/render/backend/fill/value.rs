//! Conversion of values to cells: type, and content in XML.

use super::book::encoded;
use super::styles::{Styles, is_date};
use crate::model::fill_values::FillValue;
use crate::shared::template::format::Format;
use crate::shared::xml_tokens::escape;
use mitt_base::number::held_by_cell;

/// Most UTF-16 units of a text in a cell.
pub(super) const MAX_TEXT: usize = 32_767;
/// Most characters of a number that is written as given. A longer one is written in its shortest form.
const MAX_NUMBER: usize = mitt_base::limits::MAX_NUMBER_LENGTH;

/// The content of a cell.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum CellValue {
    Empty,
    Number(String),
    Bool(bool),
    Text(String),
    /// A text with formats of its own, as XML.
    Rich(String),
}

/// The converted value, and a warning about it.
pub(super) struct ConvertedValue {
    pub(super) cell_value: CellValue,
    pub(super) style: u32,
    pub(super) odd: Option<Odd>,
}

/// Reason why a value is not written as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Odd {
    /// A number that a cell cannot hold.
    LongNumber,
    /// A date that Excel does not support.
    OldDate,
    /// Text with characters that XML cannot hold.
    Characters,
}

/// Converts a single value for a cell with this format. The error describes a mistake in the value.
pub(super) fn make(
    value: &FillValue,
    style: u32,
    styles: &mut Styles,
    from_1904: bool,
) -> Result<ConvertedValue, String> {
    let mut converted = ConvertedValue { cell_value: CellValue::Empty, style, odd: None };
    match value {
        FillValue::Empty => {}
        FillValue::Bool(value) => converted.cell_value = CellValue::Bool(*value),
        FillValue::Number(number) => {
            let valid = is_number(number) && number.parse::<f64>().is_ok_and(f64::is_finite);
            if !valid {
                let shown = mitt_base::text::cut_bytes(number, 60).escape_debug();
                return Err(format!("expected a number that Excel has, got `{shown}`"));
            }
            converted.cell_value = match held_by_cell(number) {
                Some(_) if number.len() <= MAX_NUMBER => CellValue::Number(number.clone()),
                Some(value) => CellValue::Number(format!("{value:?}")),
                None => {
                    converted.odd = Some(Odd::LongNumber);
                    text(number)?
                }
            };
        }
        FillValue::Date(date) => match serial(date, from_1904) {
            Some(Ok((serial, with_time))) => {
                converted.cell_value = CellValue::Number(serial);
                converted.style = styles.for_date(style, with_time);
            }
            Some(Err(())) => {
                converted.odd = Some(Odd::OldDate);
                converted.cell_value = text(date)?;
            }
            None => {
                let shown = mitt_base::text::cut_bytes(date, 60).escape_debug();
                return Err(format!(
                    "expected a date such as `2026-01-31` or `2026-01-31T08:30:00`, got `{shown}`"
                ));
            }
        },
        FillValue::Text(content) => {
            let date = if styles.shows_dates(style) { serial(content, from_1904) } else { None };
            match date {
                Some(Ok((serial, _))) => converted.cell_value = CellValue::Number(serial),
                Some(Err(())) => {
                    converted.odd = Some(Odd::OldDate);
                    converted.cell_value = text(content)?;
                }
                None => {
                    converted.cell_value = text(content)?;
                    let odd = |c: char| c.is_control() && !matches!(c, '\t' | '\n' | '\r');
                    converted.odd = content.contains(odd).then_some(Odd::Characters);
                }
            }
        }
        FillValue::List(_) | FillValue::Record(_) | FillValue::Table(_) => {
            return Err(format!("expected one value, got {}", value.kind()));
        }
    }
    Ok(converted)
}

/// Returns a value with its type, and the number format of a cell that shows it as its placeholder wants. `None` if only
/// text
/// can.
pub(super) fn typed(
    value: &FillValue,
    format: &Format<'_>,
    from_1904: bool,
) -> Option<(FillValue, String)> {
    let code = number_format(format.in_excel()?)?;
    let value = match value {
        FillValue::Date(text) | FillValue::Text(text) if is_date(&code) => {
            serial(text.trim(), from_1904)?.ok()?;
            FillValue::Date(text.trim().to_owned())
        }
        FillValue::Number(_) if !is_date(&code) => value.clone(),
        FillValue::Text(text) if !is_date(&code) && is_number(text.trim()) => {
            FillValue::Number(text.trim().to_owned())
        }
        _ => return None,
    };
    let holds = match &value {
        FillValue::Number(number) => held_by_cell(number).is_some(),
        _ => true,
    };
    holds.then_some((value, code))
}

/// Returns a format as the file has it, where letters without a meaning are in quotation marks. `None` for one whose point
/// and
/// comma have each other's place, which means something else in a file.
fn number_format(code: &str) -> Option<String> {
    const SIGNS: &str = "0#?.,%;:/-+() @$¥€£";
    const LETTERS: &str = "yYmMdDhHsSaAeE";
    let mut out = String::new();
    let is_number = outside(code).contains(['0', '#', '?']);
    let mut comma = None;
    let mut chars = code.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' | '\'' => {
                let text: String =
                    chars.by_ref().map(|it| it.1).take_while(|it| *it != c).collect();
                out.push_str(&format!("\"{text}\""));
            }
            '\\' | '_' | '*' => {
                out.push(c);
                out.push(chars.next()?.1);
            }
            '[' => {
                let end = at + code.get(at..)?.find(']')?;
                out.push_str(code.get(at..=end)?);
                while chars.clone().next().is_some_and(|it| it.0 <= end) {
                    chars.next();
                }
            }
            ',' => {
                comma = Some(at);
                out.push(c);
            }
            // `#.##0,00`.
            '.' if comma.is_none()
                && code.get(at..)?.contains(',')
                && is_swapped(code.get(at + 1..)?) =>
            {
                return None;
            }
            c if SIGNS.contains(c) => out.push(c),
            'E' | 'e' if is_number && code.get(at + 1..)?.starts_with(['+', '-']) => out.push('E'),
            c if LETTERS.contains(c) && !is_number => out.push(c),
            c if c.eq_ignore_ascii_case(&'p') && !is_number => out.push(c),
            c => {
                let text = format!("\"{c}\"");
                match out.strip_suffix('"').map(str::len).filter(|_| !text.contains("\"\"")) {
                    // One quoted text instead of two.
                    Some(length) => {
                        out.truncate(length);
                        out.push_str(text.get(1..)?);
                    }
                    None => out.push_str(&text),
                }
            }
        }
    }
    (!out.is_empty() && out.chars().count() <= 255).then_some(out)
}

/// Returns a format without what stands in quotation marks and brackets.
fn outside(code: &str) -> String {
    let mut out = String::new();
    let mut end = None;
    for c in code.chars() {
        match (c, end) {
            (c, Some(close)) => end = Some(close).filter(|close| c != *close),
            ('"', None) => end = Some('"'),
            ('\'', None) => end = Some('\''),
            ('[', None) => end = Some(']'),
            (c, None) => out.push(c),
        }
    }
    out
}

/// Returns `true` if a point is followed by a group of digits and a comma with decimals.
fn is_swapped(rest: &str) -> bool {
    let digits = rest.find(|c: char| !matches!(c, '0' | '#')).unwrap_or(rest.len());
    digits > 0 && rest[digits..].strip_prefix(',').is_some_and(|it| it.starts_with(['0', '#']))
}

/// Returns text for a cell; an error if it is too long.
pub(super) fn text(content: &str) -> Result<CellValue, String> {
    let units = content.encode_utf16().count();
    match units <= MAX_TEXT {
        true if content.is_empty() => Ok(CellValue::Empty),
        // Excel has a single character for line breaks.
        true => Ok(CellValue::Text(content.replace("\r\n", "\n").replace('\r', "\n"))),
        false => Err(format!("expected a text of at most {MAX_TEXT} characters, got {units}")),
    }
}

impl CellValue {
    /// Appends the cell; `open` is the beginning of its tag with all attributes except its type.
    pub(super) fn push(&self, out: &mut String, prefix: &str, open: &str) {
        out.push_str(open);
        match self {
            CellValue::Empty => out.push_str("/>"),
            CellValue::Number(number) => {
                let number = escape(number);
                out.push_str(&format!("><{prefix}v>{number}</{prefix}v></{prefix}c>"));
            }
            CellValue::Bool(value) => {
                let value = u8::from(*value);
                out.push_str(&format!(" t=\"b\"><{prefix}v>{value}</{prefix}v></{prefix}c>"));
            }
            CellValue::Text(text) => {
                // The type makes it a text, whatever its first character.
                out.push_str(&format!(
                    " t=\"inlineStr\"><{prefix}is><{prefix}t xml:space=\"preserve\">{}</{prefix}t></{prefix}is></{prefix}c>",
                    escape(&encoded(text))
                ));
            }
            CellValue::Rich(xml) => {
                out.push_str(&format!(
                    " t=\"inlineStr\"><{prefix}is>{xml}</{prefix}is></{prefix}c>"
                ));
            }
        }
    }
}

/// Returns `true` for a number in JSON notation.
pub(crate) fn is_number(text: &str) -> bool {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let all_digits =
        |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    all_digits(whole)
        && (whole.len() == 1 || !whole.starts_with('0'))
        && fraction.is_none_or(all_digits)
        && exponent.is_none_or(|it| all_digits(it.strip_prefix(['+', '-']).unwrap_or(it)))
}

/// Returns Excel's serial number of a date, and `true` if it has a time. `None` if it is not a date; an error if Excel does
/// not support it.
pub(super) fn serial(text: &str, from_1904: bool) -> Option<Result<(String, bool), ()>> {
    let (date, time) = match text.split_once(['T', ' ']) {
        Some((date, time)) => (date, Some(time)),
        None => (text, None),
    };
    let number = |text: &str, length: usize| {
        let plain = text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit());
        if plain { text.parse::<i64>().ok() } else { None }
    };
    let mut parts = date.split('-');
    let year = number(parts.next()?, 4)?;
    let month = number(parts.next()?, 2).filter(|it| (1..=12).contains(it))?;
    let day = number(parts.next()?, 2)?;
    if parts.next().is_some() || day < 1 || day > month_days(year, month) {
        return None;
    }
    let mut thousandths = 0;
    if let Some(time) = time {
        let (whole, fraction) = time.split_once('.').unwrap_or((time, ""));
        let mut parts = whole.split(':');
        let hour = number(parts.next()?, 2).filter(|it| *it < 24)?;
        let minute = number(parts.next()?, 2).filter(|it| *it < 60)?;
        let second = parts.next().map_or(Some(0), |it| number(it, 2).filter(|it| *it < 60))?;
        if parts.next().is_some() || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let millis: String = fraction.chars().chain("000".chars()).take(3).collect();
        thousandths = ((hour * 60 + minute) * 60 + second) * 1_000 + millis.parse::<i64>().ok()?;
    }
    let days = days(year, month, day);
    let serial = if from_1904 {
        days - self::days(1904, 1, 1)
    } else {
        let since = days - self::days(1899, 12, 30);
        // Excel counts 29 February 1900, which did not exist.
        if since < 61 { since - 1 } else { since }
    };
    if serial < i64::from(!from_1904) {
        return Some(Err(()));
    }
    let number = match thousandths {
        0 => serial.to_string(),
        some => format!("{}", serial as f64 + some as f64 / 86_400_000.0),
    };
    Some(Ok((number, time.is_some())))
}

fn month_days(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Returns days since 1970-01-01.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year - era * 400;
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_excel() {
        for (text, expected) in [
            ("1900-01-01", "1"),
            ("1900-02-28", "59"),
            ("1900-03-01", "61"),
            ("2024-02-29", "45351"),
            ("2000-02-29", "36585"),
            ("2023-04-30", "45046"),
            ("2026-11-24T12:00", "46350.5"),
            ("9999-12-31 23:59:59", "2958465.999988426"),
        ] {
            assert_eq!(serial(text, false).unwrap().unwrap().0, expected, "{text}");
        }
        assert_eq!(serial("1904-01-01", true).unwrap().unwrap().0, "0");
        assert_eq!(serial("1899-12-31", false), Some(Err(())));
        for text in [
            "2023-02-29",
            "2024-1-1",
            "2024-13-01",
            "2024-01-01T25:00",
            "2024-01-01Z",
            "",
            "今天",
            "2024-01-01T1:00",
            "2024-01-01T24:00",
            "2024-01-01T00:60",
            "2024-01-01T00:00:60",
            "2024-01-01T00:00:00:00",
            "2024-02-30",
            "2023-04-31",
            "2023-06-31",
            "2023-12-32",
            "2024-01-00",
            "1900-02-29",
        ] {
            assert_eq!(serial(text, false), None, "{text}");
        }
    }

    #[test]
    fn numbers_are_those_of_json() {
        for text in ["0", "-1.50", "1e3", "12E-7", "0.1"] {
            assert!(is_number(text), "{text}");
        }
        for text in ["", "+1", "01", "1.", ".5", "1,5", "0x1", "NaN", "inf", "1e", "１"] {
            assert!(!is_number(text), "{text}");
        }
    }

    #[test]
    fn formats_of_placeholders_are_those_of_files() {
        for (code, expected) in [
            ("#,##0.00", Some("#,##0.00")),
            ("0.0 kg", Some("0.0 \"kg\"")),
            ("yyyy年m月d日", Some("yyyy\"年\"m\"月\"d\"日\"")),
            ("0.0E+00", Some("0.0E+00")),
            ("[$-804]yyyy \"x\"", Some("[$-804]yyyy \"x\"")),
            ("[Red]0;[Blue]-0", Some("[Red]0;[Blue]-0")),
            ("0E0", Some("0\"E\"0")),
            ("0 'kg'", Some("0 \"kg\"")),
            ("_(0_)", Some("_(0_)")),
            ("#.##0,00", None),
            ("0\\", None),
        ] {
            assert_eq!(number_format(code).as_deref(), expected, "{code}");
        }
        // As long as Excel allows.
        assert_eq!(number_format(&"0".repeat(255)), Some("0".repeat(255)));
        assert_eq!(number_format(&"0".repeat(256)), None);
        assert_eq!(number_format(""), None);
    }

    #[test]
    fn numbers_that_a_cell_holds_are_numbers() {
        let long = format!("0.5{}", "0".repeat(1_000));
        for (number, expected) in [
            ("0.3333333333333333", Some("0.3333333333333333")),
            ("14.285714285714286", Some("14.285714285714286")),
            ("0.30000000000000004", Some("0.30000000000000004")),
            ("0.00012300", Some("0.00012300")),
            ("100e9", Some("100e9")),
            (&long, Some("0.5")),
            ("1234567890123456", None),
            ("0.12345678901234567890", None),
        ] {
            let value = FillValue::Number(number.to_owned());
            let converted = make(&value, 0, &mut Styles::default(), false).unwrap();
            match expected {
                Some(text) => {
                    assert_eq!(
                        (converted.cell_value, converted.odd),
                        (CellValue::Number(text.into()), None)
                    );
                }
                None => assert_eq!(
                    (converted.cell_value, converted.odd),
                    (CellValue::Text(number.into()), Some(Odd::LongNumber))
                ),
            }
        }
    }
}
