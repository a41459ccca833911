//! Collects statistics about the cells of a column.

use super::Style;
use crate::clean;
use crate::number::{self, Exponent, Form};
use crate::time;

/// Spellings of booleans: those of most programs, of spreadsheets, and of Python.
pub(super) const BOOLEANS: [[&[u8]; 2]; 3] =
    [[b"false", b"true"], [b"FALSE", b"TRUE"], [b"False", b"True"]];

/// Most bytes of a cell that is kept as an example.
const EXAMPLE: usize = 40;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Number(Form),
    Exponent(Exponent),
    Date,
    Time,
    DateTime,
    Boolean(usize),
    Other,
}

pub(super) const CLASSES: usize = 17;

impl Class {
    fn index(self) -> usize {
        match self {
            Class::Number(form) => form as usize,
            Class::Exponent(Exponent::Sure) => 8,
            Class::Exponent(Exponent::MaybeCode) => 9,
            Class::Date => 10,
            Class::Time => 11,
            Class::DateTime => 12,
            Class::Boolean(spelling) => 13 + spelling,
            Class::Other => 16,
        }
    }

    /// Returns the class of a trimmed cell, which must not be empty.
    pub(super) fn of(text: &[u8]) -> Class {
        match text[0] {
            b'0'..=b'9' | b'-' => {}
            b't' | b'f' | b'T' | b'F' => {
                let spelling = BOOLEANS.iter().position(|spelling| spelling.contains(&text));
                return spelling.map_or(Class::Other, Class::Boolean);
            }
            _ => return Class::Other,
        }
        if let Some(form) = number::form(text) {
            return Class::Number(form);
        }
        match text.get(2) {
            Some(b':') if time::time(text).is_some() => return Class::Time,
            _ => {}
        }
        if text.get(4) == Some(&b'-') {
            if time::date_of(text).is_some() {
                return Class::Date;
            }
            if time::date_time(text).is_some() {
                return Class::DateTime;
            }
        }
        number::exponent(text).map_or(Class::Other, Class::Exponent)
    }
}

/// The first cell of some form.
#[derive(Clone, Debug, Default)]
pub(super) struct First {
    pub(super) line: usize,
    pub(super) text: String,
}

/// The size of the numbers of a column, for one meaning of points and commas.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Size {
    pub(super) scale: u32,
    pub(super) whole_digits: u32,
    /// `true` if a number does not fit in 64 bits.
    pub(super) is_long: bool,
    /// `true` if a number has more digits than a decimal can have.
    pub(super) is_too_long: bool,
}

impl Size {
    fn take(&mut self, whole: usize, fraction: usize) {
        self.whole_digits = self.whole_digits.max(whole as u32);
        self.scale = self.scale.max(fraction as u32);
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    counts: [u32; CLASSES],
    pub(super) point: Size,
    pub(super) comma: Size,
    /// The size of the numbers with an exponent.
    pub(super) exponent: Size,
    /// The first number with an exponent that is too large for a double.
    pub(super) beyond: Option<First>,
    /// The first cells of forms that decide what a point means or that warnings quote.
    pub(super) first_comma: Option<First>,
    pub(super) first_unclear: Option<First>,
    pub(super) first_with_comma: Option<First>,
    pub(super) first_code: Option<First>,
}

impl Seen {
    /// Adds a trimmed cell, which must not be empty.
    pub(crate) fn see(&mut self, text: &str, line: usize) {
        let bytes = text.as_bytes();
        if let Some(value) = number::short_whole(text.into()) {
            self.counts[Form::Whole as usize] += 1;
            let digits = bytes.len() - usize::from(value < 0 || bytes[0] == b'-');
            self.point.take(digits, 0);
            self.comma.take(digits, 0);
            return;
        }
        if !bytes.iter().all(|byte| matches!(byte, b' '..=b'~')) {
            // No number, date or boolean has such characters, but cleaning may remove them.
            let cleaned = clean::text(text);
            if cleaned.len() == text.len() || cleaned.trim().is_empty() || !cleaned.is_ascii() {
                self.counts[Class::Other.index()] += 1;
            } else {
                self.see(&cleaned.trim().replace(['\t', '\n'], "\u{b7}"), line);
            }
            return;
        }
        let class = Class::of(bytes);
        self.counts[class.index()] += 1;
        let first = |place: &mut Option<First>| {
            if place.is_none() {
                *place = Some(First { line, text: text[..text.len().min(EXAMPLE)].to_owned() });
            }
        };
        match class {
            Class::Number(form) => {
                if matches!(
                    form,
                    Form::Comma | Form::CommaOrGroup | Form::CommaGroups | Form::GroupedPoint
                ) {
                    first(&mut self.first_with_comma);
                }
                match form {
                    Form::PointOrGroup => first(&mut self.first_unclear),
                    Form::Comma | Form::PointGroups => first(&mut self.first_comma),
                    _ => {}
                }
                self.measure(bytes, form);
            }
            Class::Exponent(sure) => {
                if sure == Exponent::MaybeCode {
                    first(&mut self.first_code);
                }
                match number::decimal(bytes) {
                    Some(it) => {
                        let digits =
                            it.units.unsigned_abs().checked_ilog10().map_or(1, |log| log + 1);
                        let whole = digits.saturating_sub(u32::from(it.scale)).max(1);
                        self.exponent.take(whole as usize, usize::from(it.scale));
                    }
                    None => {
                        self.exponent.is_too_long = true;
                        if !number::is_finite(bytes) {
                            first(&mut self.beyond);
                        }
                    }
                }
            }
            _ => {}
        }
    }

    fn measure(&mut self, bytes: &[u8], form: Form) {
        let digits = bytes.strip_prefix(b"-").unwrap_or(bytes);
        let count = |part: &[u8]| part.iter().filter(|byte| byte.is_ascii_digit()).count();
        let fraction = |mark: u8| match memchr::memrchr(mark, digits) {
            Some(at) => {
                let fraction = &digits[at + 1..];
                let kept = fraction.iter().rposition(|byte| *byte != b'0').map_or(0, |at| at + 1);
                (count(&digits[..at]), kept)
            }
            None => (count(digits), 0),
        };
        if matches!(form, Form::Whole | Form::Point | Form::PointOrGroup) {
            let (whole, kept) = fraction(b'.');
            self.point.take(whole, kept);
            if kept == 0 && whole > 18 {
                let text = std::str::from_utf8(&digits[..whole]).unwrap_or_default();
                let is_negative = digits.len() < bytes.len();
                let fits = if is_negative {
                    format!("-{text}").parse::<i64>().is_ok()
                } else {
                    text.parse::<i64>().is_ok()
                };
                self.point.is_long |= !fits;
                self.comma.is_long |= !fits;
            }
        }
        if matches!(
            form,
            Form::Whole | Form::PointOrGroup | Form::PointGroups | Form::Comma | Form::CommaOrGroup
        ) {
            let (whole, kept) = fraction(b',');
            self.comma.take(whole, kept);
            self.comma.is_long |= whole > 18 && form != Form::Whole;
        }
    }

    /// Counts the cells that are not blank.
    pub(super) fn total(&self) -> u32 {
        self.counts.iter().sum()
    }

    pub(super) fn of(&self, forms: &[Form]) -> u32 {
        forms.iter().map(|form| self.counts[*form as usize]).sum()
    }

    pub(super) fn count(&self, class: Class) -> u32 {
        self.counts[class.index()]
    }

    /// Counts the numbers in any form without an exponent.
    pub(super) fn numbers_of_any_form(&self) -> u32 {
        self.counts[..8].iter().sum()
    }

    /// Counts the numbers in this style.
    pub(super) fn numbers(&self, style: Style) -> u32 {
        match style {
            Style::Point => self.of(&[Form::Whole, Form::Point, Form::PointOrGroup]),
            Style::Comma => self.of(&[
                Form::Whole,
                Form::PointOrGroup,
                Form::PointGroups,
                Form::Comma,
                Form::CommaOrGroup,
            ]),
            Style::Cautious => self.of(&[Form::Whole, Form::Point]),
            Style::Text => 0,
        }
    }
}

/// Returns `true` if this form is a number in this style.
pub(super) fn is_number(form: Form, style: Style) -> bool {
    match style {
        Style::Point => matches!(form, Form::Whole | Form::Point | Form::PointOrGroup),
        Style::Comma => !matches!(form, Form::Point | Form::CommaGroups | Form::GroupedPoint),
        Style::Cautious => matches!(form, Form::Whole | Form::Point),
        Style::Text => false,
    }
}
