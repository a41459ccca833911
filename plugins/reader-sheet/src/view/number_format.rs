//! Shows values as spreadsheets do, by their number formats.

use super::digits::{Digits, write_general_digits};
use super::quantity;
use crate::value::{Value, date_time, lexeme, plain};
use calamine::{ExcelDateTime, ExcelDateTimeType};
use mitt_number_format::{Kind, Rgb, Section, Token, split, write_date};
use std::borrow::Cow;

/// The longest number format. Spreadsheets accept 255 characters.
const MAX_LENGTH: usize = 1_000;

/// What spreadsheets show for a number that the format cannot show, such as a negative date.
const UNSHOWABLE: &str = "########";

/// A number format that is ready to show values.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct NumberFormat {
    /// The sections for numbers. There is none for `General`.
    sections: Vec<Section>,
    /// The section for text.
    text: Option<Section>,
}

/// How a number is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Shown {
    /// The colour of the section.
    pub(super) color: Option<Rgb>,
    /// The kind of the number.
    pub(super) kind: NumberKind,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum NumberKind {
    #[default]
    Number,
    /// A date or a time of day.
    Date,
    /// Elapsed hours, minutes or seconds.
    Elapsed,
}

impl NumberKind {
    /// Returns the date of a number, as the tables of the reader have it; `None` for a number.
    pub(super) fn date(self, serial: f64, is_1904: bool) -> Option<Value> {
        let kind = match self {
            Self::Number => return None,
            Self::Date => ExcelDateTimeType::DateTime,
            Self::Elapsed => ExcelDateTimeType::TimeDelta,
        };
        Some(plain(date_time(ExcelDateTime::new(serial, kind, is_1904))))
    }
}

impl NumberFormat {
    pub(super) fn of(format: &str) -> Self {
        let name = format.trim();
        let is_general = ["", "general", "standard", "standaard"]
            .iter()
            .any(|known| name.eq_ignore_ascii_case(known));
        if is_general || format.len() > MAX_LENGTH {
            return Self::default();
        }
        let mut sections: Vec<Section> =
            split(format).into_iter().take(4).map(Section::of).collect();
        // A fourth section is for text, and so is a last one with `@`.
        let is_for_text = sections.len() == 4
            || sections.last().is_some_and(|section| section.kind == Kind::Text);
        let text = if is_for_text { sections.pop() } else { None };
        Self { sections, text }
    }

    /// Returns the built-in format of an id, which has no text in the file. Ids from 27 on are those of Chinese
    /// programs. Dates that other languages show differently have the form of ISO 8601.
    pub(super) fn built_in(id: u32) -> Self {
        Self::of(match id {
            1 => "0",
            2 => "0.00",
            3 => "#,##0",
            4 => "#,##0.00",
            5 => "\"$\"#,##0_);\\(\"$\"#,##0\\)",
            6 => "\"$\"#,##0_);[Red]\\(\"$\"#,##0\\)",
            7 => "\"$\"#,##0.00_);\\(\"$\"#,##0.00\\)",
            8 => "\"$\"#,##0.00_);[Red]\\(\"$\"#,##0.00\\)",
            9 => "0%",
            10 => "0.00%",
            11 => "0.00E+00",
            12 => "# ?/?",
            13 => "# ??/??",
            14 => "yyyy-mm-dd",
            15 => "d-mmm-yy",
            16 => "d-mmm",
            17 => "mmm-yy",
            18 => "h:mm AM/PM",
            19 => "h:mm:ss AM/PM",
            20 => "h:mm",
            21 => "h:mm:ss",
            22 => "yyyy-mm-dd h:mm",
            27 | 36 | 50 | 52 | 57 => "yyyy\"年\"m\"月\"",
            28 | 29 | 51 | 53 | 54 | 58 => "m\"月\"d\"日\"",
            30 => "m-d-yy",
            31 => "yyyy\"年\"m\"月\"d\"日\"",
            32 => "h\"时\"mm\"分\"",
            33 => "h\"时\"mm\"分\"ss\"秒\"",
            34 | 55 => "上午/下午h\"时\"mm\"分\"",
            35 | 56 => "上午/下午h\"时\"mm\"分\"ss\"秒\"",
            37 => "#,##0_);\\(#,##0\\)",
            38 => "#,##0_);[Red]\\(#,##0\\)",
            39 => "#,##0.00_);\\(#,##0.00\\)",
            40 => "#,##0.00_);[Red]\\(#,##0.00\\)",
            41 => "_(* #,##0_);_(* \\(#,##0\\);_(* \"-\"_);_(@_)",
            42 => "_(\"$\"* #,##0_);_(\"$\"* \\(#,##0\\);_(\"$\"* \"-\"_);_(@_)",
            43 => "_(* #,##0.00_);_(* \\(#,##0.00\\);_(* \"-\"??_);_(@_)",
            44 => "_(\"$\"* #,##0.00_);_(\"$\"* \\(#,##0.00\\);_(\"$\"* \"-\"??_);_(@_)",
            45 => "mm:ss",
            46 => "[h]:mm:ss",
            47 => "mm:ss.0",
            48 => "##0.0E+0",
            49 => "@",
            _ => "General",
        })
    }

    /// Returns `true` if numbers are shown as in the format `General`.
    pub(super) fn is_general(&self) -> bool {
        self.sections.is_empty()
    }

    /// Appends a finite number, without blanks at its ends.
    pub(super) fn write_number(&self, value: f64, is_1904: bool, out: &mut String) -> Shown {
        self.write_digits(value, &lexeme(value), is_1904, out)
    }

    /// Appends a finite number that is also known in JSON notation.
    pub(super) fn write_digits(
        &self,
        value: f64,
        digits: &str,
        is_1904: bool,
        out: &mut String,
    ) -> Shown {
        let Some((section, has_sign)) = self.section(value) else {
            // A number that does not meet the only condition is shown as in `General`.
            match self.sections.len() {
                0 | 1 => write_general_digits(Digits::parse(digits), value < 0.0, out),
                _ => out.push_str(UNSHOWABLE),
            }
            return Shown::default();
        };
        let kind = match section.kind {
            Kind::Date => NumberKind::Date,
            Kind::Elapsed => NumberKind::Elapsed,
            _ => NumberKind::Number,
        };
        let start = out.len();
        if section.is_date() {
            if !write_date(section, value, is_1904, out) {
                out.truncate(start);
                out.push_str(UNSHOWABLE);
            }
        } else if !section.tokens.is_empty() {
            if value < 0.0 && has_sign {
                out.push('-');
            }
            quantity::write(section, value.abs(), Digits::parse(digits), out);
        }
        trim(out, start);
        Shown { color: section.color, kind }
    }

    /// Returns the section for a number, and `true` if the sign is not part of it.
    fn section(&self, value: f64) -> Option<(&Section, bool)> {
        let sections = &self.sections[..];
        let [first, rest @ ..] = sections else { return None };
        if rest.is_empty() {
            return Some((first, true))
                .filter(|_| first.condition.is_none_or(|it| it.holds(value)));
        }
        if first.condition.is_none() && rest.first().is_none_or(|second| second.condition.is_none())
        {
            return Some(match rest {
                [second, ..] if value < 0.0 => (second, false),
                [_, third, ..] if value == 0.0 => (third, true),
                _ => (first, true),
            });
        }
        // Without a condition of its own, the first section is for positive numbers and the last for all others.
        let meets = |index: usize, section: &Section| match section.condition {
            Some(condition) => condition.holds(value),
            None if index == 0 => value > 0.0,
            None if index == 1 && sections.len() > 2 => value < 0.0,
            None => true,
        };
        let (index, section) =
            sections.iter().enumerate().find(|(index, section)| meets(*index, section))?;
        let is_negative = match section.condition {
            Some(condition) => condition.is_negative(),
            None => index == 1 && sections.len() > 2,
        };
        Some((section, !is_negative))
    }

    /// Returns the text of a cell as the format shows it, and its colour.
    pub(super) fn text<'a>(&self, text: &'a str) -> (Cow<'a, str>, Option<Rgb>) {
        let Some(section) = &self.text else { return (Cow::Borrowed(text), None) };
        if section.tokens == [Token::General] {
            return (Cow::Borrowed(text), section.color);
        }
        let mut out = String::new();
        for token in &section.tokens {
            match token {
                Token::General => out.push_str(text),
                Token::Literal(literal) => out.push_str(literal),
                Token::Digit(digit) => out.push(*digit),
                Token::Point => out.push('.'),
                Token::Comma => out.push(','),
                Token::Percent => out.push('%'),
                Token::Slash => out.push('/'),
                _ => {}
            }
        }
        trim(&mut out, 0);
        (Cow::Owned(out), section.color)
    }
}

/// Removes blanks at both ends of the text after `start`. Formats have them to align numbers.
fn trim(out: &mut String, start: usize) {
    out.truncate(start + out[start..].trim_end().len());
    let leading = out.len() - start - out[start..].trim_start().len();
    out.drain(start..start + leading);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(format: &str, value: f64) -> String {
        let mut out = String::new();
        NumberFormat::of(format).write_number(value, false, &mut out);
        out
    }

    #[test]
    fn sections_are_for_signs_and_conditions() {
        for (format, value, expected) in [
            ("0.0;(0.0)", -1.25, "(1.3)"),
            ("0;-0;\"zero\"", 0.0, "zero"),
            ("0;;", -5.0, ""),
            ("0;;", 0.0, ""),
            (";;;", 5.0, ""),
            ("0", -5.0, "-5"),
            ("\"-\"0.00", -3.14259, "--3.14"),
            ("_($* #,##0.00_);_($* (#,##0.00);_($* \"-\"??_);_(@_)", 1234.5, "$1,234.50"),
            ("_($* #,##0.00_);_($* (#,##0.00);_($* \"-\"??_);_(@_)", -1234.5, "$(1,234.50)"),
            ("_($* #,##0.00_);_($* (#,##0.00);_($* \"-\"??_);_(@_)", 0.0, "$-"),
            ("[<=9999999]###-####;(###) ###-####", 8_675_309.0, "867-5309"),
            ("[<=9999999]###-####;(###) ###-####", 2_813_308_004.0, "(281) 330-8004"),
            ("[Red][<-25]General;[Blue][>25]General;[Green]General", -26.0, "26"),
            ("[Red][<-25]General;[Blue][>25]General;[Green]General", -25.0, "-25"),
            ("[Red][=50]General;[Blue]000", 49.0, "049"),
            ("[>=1000]0,\"k\";0", -5.0, "-5"),
            ("[>1]0;[<0]0", 0.5, "########"),
            ("[<10]0\" low\"", 11.0, "11"),
            ("[<-10]0\" low\"", -11.0, "-11 low"),
            ("yyyy-mm-dd", -1.0, "########"),
            ("@", 12.5, "12.5"),
            ("General", -0.5, "-0.5"),
            ("[$-F800]dddd, mmmm dd, yyyy", 45_657.0, "Tuesday, December 31, 2024"),
            ("[$€-407] #,##0.00", 3.14259, "€ 3.14"),
            ("#,##0.00\\ [$€-1]", -3.14259, "-3.14 €"),
            ("¥#,##0;[Red]¥-#,##0", -12.0, "¥-12"),
            ("0.0\"℃\"", 36.55, "36.6℃"),
        ] {
            assert_eq!(shown(format, value), expected, "{format} {value}");
        }
    }

    #[test]
    fn colors_and_kinds_are_those_of_the_section() {
        let format = NumberFormat::of("0;[Red]-0");
        let mut out = String::new();
        assert_eq!(format.write_number(1.0, false, &mut out).color, None);
        assert_eq!(format.write_number(-1.0, false, &mut out).color, Some([255, 0, 0]));
        for (format, kind) in [
            ("0.00", NumberKind::Number),
            ("h:mm", NumberKind::Date),
            ("[h]:mm", NumberKind::Elapsed),
        ] {
            let shown = NumberFormat::of(format).write_number(1.0, false, &mut out);
            assert_eq!(shown.kind, kind, "{format}");
        }
    }

    #[test]
    fn text_has_a_section_of_its_own() {
        for (format, expected) in [
            ("\"a\";\"b\";\"c\";\"d\"", "d"),
            ("0;0;0;@\"!\"", "foo!"),
            ("\"Hi \"@", "Hi foo"),
            ("@@", "foofoo"),
            ("0.00", "foo"),
            (";;;", ""),
            ("0;0;0;_(@_)", "foo"),
            ("General", "foo"),
        ] {
            assert_eq!(NumberFormat::of(format).text("foo").0, expected, "{format}");
        }
    }

    #[test]
    fn a_format_that_is_too_long_is_general() {
        assert!(NumberFormat::of(&"0".repeat(2_000)).is_general());
        assert!(NumberFormat::built_in(0).is_general());
        assert!(NumberFormat::built_in(500).is_general());
    }
}
