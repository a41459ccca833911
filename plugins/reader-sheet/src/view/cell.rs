//! Writes a cell as JSON: what it shows, its value, its formula and its style.

use super::json::{Object, push_text};
use super::number_format::NumberKind;
use super::styles::{Style, Styles};
use crate::item::Item;
use crate::value::{Value, from_data, from_digits, lexeme};
use crate::xlsx::{Cell, CellType, integer, unescape_units};
use calamine::Data;
use mitt_reader_kit::clean;
use mitt_reader_kit::tables::calendar::DAY;
use std::borrow::Cow;
use std::fmt::Write as _;

/// The most characters of a cell, the limit of spreadsheets.
const MAX_TEXT: usize = 32_767;

/// The longest formula, in bytes. Spreadsheets allow 8 192 characters.
const MAX_FORMULA: usize = 8_192;

/// The most characters of a number that `General` certainly shows as it is.
const MAX_PLAIN: usize = 11;

/// Microseconds from the first day of a calendar to 1970-01-01: 1899-12-30, or 1904-01-01.
const TO_1970: [i64; 2] = [25_569 * DAY, 24_107 * DAY];

/// The value of a cell.
pub(super) enum Content<'a> {
    Empty,
    Text(Cow<'a, str>),
    Number {
        value: f64,
        /// The number in JSON notation.
        digits: Cow<'a, str>,
    },
    Boolean(bool),
    Error(Cow<'a, str>),
}

/// What the cells of a workbook refer to.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    pub(super) strings: &'a [Item],
    pub(super) is_1904: bool,
    /// `true` if the sheet shows nothing for zero.
    pub(super) hides_zeros: bool,
}

/// Returns the item of a text of a cell. Blanks at its beginning stay, because they indent it.
pub(super) fn text_item(text: &str) -> Item {
    match clean(text).trim_end() {
        "" => Item::Null,
        text => Item::text_of(text),
    }
}

/// Returns the value of a cell; `None` if it is damaged.
pub(super) fn content<'a>(cell: &'a Cell, context: Context<'a>) -> Option<Content<'a>> {
    let Cell { kind, value, is_inline, .. } = cell;
    if value.is_empty() {
        return Some(Content::Empty);
    }
    let raw = || std::str::from_utf8(value).ok();
    let text = |text: &str| match text_item(text) {
        Item::Text(text) => Content::Text(Cow::Owned(text.to_string())),
        _ => Content::Empty,
    };
    Some(match kind {
        _ if *is_inline => text(&unescape_units(raw()?)),
        CellType::Plain | CellType::Number => match number(value) {
            Some(number) => number,
            None if *kind == CellType::Plain => text(raw()?),
            None => return None,
        },
        CellType::Shared => match context.strings.get(integer(value.trim_ascii())? as usize)? {
            Item::Text(text) => Content::Text(Cow::Borrowed(text)),
            _ => Content::Empty,
        },
        CellType::Text => text(&unescape_units(raw()?)),
        CellType::Boolean => match value.trim_ascii() {
            b"" => Content::Empty,
            b"0" => Content::Boolean(false),
            b"1" => Content::Boolean(true),
            word if word.eq_ignore_ascii_case(b"false") => Content::Boolean(false),
            word if word.eq_ignore_ascii_case(b"true") => Content::Boolean(true),
            _ => return None,
        },
        CellType::Error => match text(raw()?) {
            Content::Text(text) => Content::Error(text),
            _ => Content::Empty,
        },
        CellType::Date => date(raw()?, context.is_1904),
        CellType::Inline => Content::Empty,
        CellType::Unknown => return None,
    })
}

fn number(value: &[u8]) -> Option<Content<'_>> {
    let text = std::str::from_utf8(value).ok()?.trim_ascii();
    let float: f64 = text.parse().ok()?;
    if is_canonical(text.as_bytes()) {
        return Some(Content::Number { value: float, digits: Cow::Borrowed(text) });
    }
    // A number that no float can hold is text.
    if !float.is_finite() {
        return Some(Content::Text(Cow::Borrowed(text)));
    }
    // Whole numbers keep all the digits that the file has.
    let is_long =
        text.len() > MAX_PLAIN && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    let digits = match from_digits(text).filter(|_| is_long) {
        Some(Value { item, .. }) => item.text().into_owned(),
        None => lexeme(float),
    };
    Some(Content::Number { value: float, digits: Cow::Owned(digits) })
}

/// Returns `true` for a number of at most 15 digits that is the shortest decimal of its float, in JSON notation.
fn is_canonical(text: &[u8]) -> bool {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    let (whole, decimals) = match digits.iter().position(|byte| *byte == b'.') {
        Some(point) => (&digits[..point], &digits[point + 1..]),
        None => (digits, &b"1"[..]),
    };
    let are_digits = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    digits.len() <= 16
        && are_digits(whole)
        && are_digits(decimals)
        && whole.len() + decimals.len() <= 16
        && (whole[0] != b'0' || whole.len() == 1 && digits.len() > 1 || text == b"0")
        && decimals.last() != Some(&b'0')
        && digits.iter().filter(|byte| **byte != b'.').count() <= 15
        // Programs write smaller numbers with an exponent.
        && !decimals.starts_with(b"000000")
}

/// Returns a date that is stored as text as its serial number.
fn date(text: &str, is_1904: bool) -> Content<'static> {
    let Value { item, .. } = from_data(&Data::DateTimeIso(text.to_owned()));
    let to_1970 = TO_1970[usize::from(is_1904)];
    let micros = match item {
        Item::Date(days) => i64::from(days) * DAY + to_1970,
        Item::DateTime(micros) => micros.get() + to_1970,
        Item::Time(micros) => micros.get(),
        Item::Null => return Content::Empty,
        other => return Content::Text(Cow::Owned(other.text().into_owned())),
    };
    let value = micros as f64 / DAY as f64;
    Content::Number { value, digits: Cow::Owned(lexeme(value)) }
}

/// Returns a formula as spreadsheets show it, after `=`; `None` if it is empty or too long.
pub(super) fn formula(text: &str) -> Option<String> {
    // Marks of functions that are newer than the format of the file.
    const MARKS: [&str; 3] = ["_xlfn.", "_xlws.", "_xlpm."];
    if text.len() > MAX_FORMULA {
        return None;
    }
    let mut text = clean(text).trim().trim_start_matches('=').to_owned();
    for mark in MARKS {
        if text.contains(mark) {
            text = text.replace(mark, "");
        }
    }
    (!text.is_empty()).then(|| format!("={text}"))
}

/// Writes cells. Its buffers are reused.
#[derive(Default)]
pub(super) struct CellWriter {
    pub(super) json: String,
    /// What the last cell shows.
    pub(super) shown: String,
}

impl CellWriter {
    /// Writes a cell to `json`. Returns `false` if it differs in nothing from a cell that does not exist.
    pub(super) fn write(
        &mut self,
        content: &Content<'_>,
        formula: Option<&str>,
        style: &Style,
        styles: &mut Styles,
        context: Context<'_>,
    ) -> bool {
        let Self { json, shown } = self;
        json.clear();
        shown.clear();
        match content {
            Content::Empty => {
                if formula.is_none() && !style.look.is_visible() {
                    return false;
                }
                let mut object = Object::new(json);
                finish(&mut object, styles.id(style.look), formula);
                object.end();
            }
            Content::Text(text) => {
                let text = bounded(text);
                let (display, color) = style.number_format.text(&text);
                let id = styles.id(style.look.colored(color));
                shown.push_str(&display);
                if id == 0 && formula.is_none() && display == text {
                    push_text(json, &text);
                    return true;
                }
                let mut object = Object::new(json);
                object.text("d", &display);
                if display != text {
                    object.text("v", &text);
                }
                object.text("k", "t");
                finish(&mut object, id, formula);
                object.end();
            }
            Content::Number { value, digits } => {
                number_cell((json, shown), (*value, digits), formula, style, styles, context);
            }
            Content::Boolean(value) => {
                shown.push_str(if *value { "TRUE" } else { "FALSE" });
                let mut object = Object::new(json);
                object.text("d", shown);
                object.plain("v", value);
                object.text("k", "b");
                finish(&mut object, styles.id(style.look), formula);
                object.end();
            }
            Content::Error(text) => {
                shown.push_str(&bounded(text));
                let mut object = Object::new(json);
                object.text("d", shown);
                object.text("k", "e");
                finish(&mut object, styles.id(style.look), formula);
                object.end();
            }
        }
        true
    }
}

fn number_cell(
    (json, shown): (&mut String, &mut String),
    (value, digits): (f64, &str),
    formula: Option<&str>,
    style: &Style,
    styles: &mut Styles,
    context: Context<'_>,
) {
    let format = &style.number_format;
    let mut color = None;
    let mut kind = NumberKind::Number;
    if context.hides_zeros && value == 0.0 {
    } else if format.is_general() && digits.len() <= MAX_PLAIN && !digits.contains('e') {
        shown.push_str(digits);
    } else {
        let written = format.write_digits(value, digits, context.is_1904, shown);
        (color, kind) = (written.color, written.kind);
    }
    let mut object = Object::new(json);
    object.text("d", shown);
    let date = kind.date(value, context.is_1904).map(|value| value.item);
    match date.filter(Item::is_text) {
        Some(date) => {
            object.text("v", &date.text());
            object.text("k", "d");
        }
        None => {
            object.member("v").push_str(digits);
            object.text("k", "n");
        }
    }
    finish(&mut object, styles.id(style.look.colored(color)), formula);
    object.end();
}

fn finish(object: &mut Object<'_>, style: u32, formula: Option<&str>) {
    if style > 0 {
        _ = write!(object.member("s"), "{style}");
    }
    if let Some(formula) = formula {
        object.text("f", formula);
    }
}

/// Returns the text, without what no cell can hold.
fn bounded(text: &str) -> Cow<'_, str> {
    if text.len() <= MAX_TEXT {
        return Cow::Borrowed(text);
    }
    match text.char_indices().nth(MAX_TEXT) {
        Some((at, _)) => Cow::Owned(format!("{}…", &text[..at])),
        None => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STYLES: &str = "<styleSheet><numFmts><numFmt numFmtId=\"164\" formatCode=\"0.0;[Red]-0.0;;&quot;» &quot;@\"/></numFmts>\
        <fills><fill/><fill><patternFill patternType=\"solid\"><fgColor rgb=\"FF00FF00\"/></patternFill></fill></fills>\
        <cellXfs><xf/><xf numFmtId=\"164\"/><xf numFmtId=\"14\"/><xf fillId=\"1\"/><xf numFmtId=\"46\"/></cellXfs></styleSheet>";

    fn written(content: &Content<'_>, style: usize, formula: Option<&str>) -> String {
        let mut styles = Styles::read(STYLES.as_bytes(), b"");
        let style = styles.style(style);
        let context = Context { strings: &[], is_1904: false, hides_zeros: false };
        let mut writer = CellWriter::default();
        if writer.write(content, formula, &style, &mut styles, context) {
            writer.json
        } else {
            "nothing".to_owned()
        }
    }

    fn number(text: &'static str) -> Content<'static> {
        super::number(text.as_bytes()).unwrap()
    }

    #[test]
    fn canonical_numbers_are_the_shortest() {
        for text in [
            "0",
            "7",
            "-12",
            "1.5",
            "100",
            "0.1",
            "-0.07",
            "123456789.01234",
            "999999999999999",
            "0.000001",
            "123456789012.345",
        ] {
            assert!(is_canonical(text.as_bytes()), "{text}");
            assert_eq!(lexeme(text.parse().unwrap()), text);
        }
        for text in [
            "",
            "-",
            ".",
            ".5",
            "5.",
            "1.2.3",
            "1e5",
            "+1",
            " 1",
            "1.50",
            "007",
            "-0",
            "0.0",
            "00.5",
            "0.0000001",
            "1234567890123456",
            "--1",
        ] {
            assert!(!is_canonical(text.as_bytes()), "{text}");
        }
        for (text, expected) in [
            ("1.50", "1.5"),
            ("-0", "0"),
            (" +7 ", "7"),
            ("1E5", "100000"),
            ("123456789012345678", "123456789012345678"),
        ] {
            let Content::Number { digits, .. } = number(text) else { panic!("{text}") };
            assert_eq!(digits, expected);
        }
        assert!(matches!(number("1E400"), Content::Text(_)));
    }

    #[test]
    fn cells_of_all_kinds() {
        let text = |text: &'static str| Content::Text(Cow::Borrowed(text));
        for (content, style, formula, expected) in [
            (Content::Empty, 0, None, "nothing"),
            (Content::Empty, 3, None, r#"{"s":1}"#),
            (Content::Empty, 0, Some("=A1"), r#"{"f":"=A1"}"#),
            (text("a\"b"), 0, None, r#""a\"b""#),
            (text("a"), 3, None, r#"{"d":"a","k":"t","s":1}"#),
            (text("a"), 1, None, r#"{"d":"» a","v":"a","k":"t"}"#),
            (text("a"), 0, Some("=B1"), r#"{"d":"a","k":"t","f":"=B1"}"#),
            (number("1234.50"), 0, None, r#"{"d":"1234.5","v":1234.5,"k":"n"}"#),
            (
                number("0.33333333333333331"),
                0,
                None,
                r#"{"d":"0.333333333","v":0.3333333333333333,"k":"n"}"#,
            ),
            (number("123456789012"), 0, None, r#"{"d":"1.23457E+11","v":123456789012,"k":"n"}"#),
            (number("1e-20"), 0, None, r#"{"d":"1E-20","v":1e-20,"k":"n"}"#),
            (number("-2.25"), 1, None, r#"{"d":"-2.3","v":-2.25,"k":"n","s":1}"#),
            (number("2.25"), 1, None, r#"{"d":"2.3","v":2.25,"k":"n"}"#),
            (number("45657"), 2, None, r#"{"d":"2024-12-31","v":"2024-12-31","k":"d"}"#),
            (number("-3"), 2, None, "{\"d\":\"########\",\"v\":-3,\"k\":\"n\"}"),
            (
                number("1.5"),
                4,
                Some("=A1"),
                r#"{"d":"36:00:00","v":"PT36H0M0S","k":"d","f":"=A1"}"#,
            ),
            (Content::Boolean(true), 0, None, r#"{"d":"TRUE","v":true,"k":"b"}"#),
            (Content::Error(Cow::Borrowed("#N/A")), 0, None, r##"{"d":"#N/A","k":"e"}"##),
        ] {
            assert_eq!(written(&content, style, formula), expected);
        }
    }

    #[test]
    fn dates_that_are_text_have_a_number() {
        for (text, is_1904, expected) in [
            ("2024-12-31", false, "45657"),
            ("2024-12-31T12:00:00Z", false, "none"),
            ("2024-12-31T12:00:00", false, "45657.5"),
            ("2024-12-31", true, "44195"),
            ("12:00:00", false, "0.5"),
            ("soon", false, "none"),
        ] {
            let digits = match date(text, is_1904) {
                Content::Number { digits, .. } => digits,
                _ => "none".into(),
            };
            assert_eq!(digits, expected, "{text}");
        }
    }

    #[test]
    fn formulas_have_no_marks() {
        assert_eq!(formula("_xlfn.XLOOKUP(A1,B:B,C:C)").unwrap(), "=XLOOKUP(A1,B:B,C:C)");
        assert_eq!(formula(" =1+1").unwrap(), "=1+1");
        assert_eq!(formula(""), None);
        assert_eq!(formula(&"1+".repeat(9_000)), None);
    }

    #[test]
    fn long_texts_end_where_cells_end() {
        let long = "年".repeat(MAX_TEXT + 5);
        assert_eq!(bounded(&long).chars().count(), MAX_TEXT + 1);
        assert!(matches!(bounded("short"), Cow::Borrowed("short")));
    }
}
