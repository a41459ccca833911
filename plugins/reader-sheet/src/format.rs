//! Reads number formats: which of them show a number as a date or as an identifier.

use crate::item::Item;
use crate::padding::Padding;
use crate::value::{Value, date_time, number, plain};
use calamine::{ExcelDateTime, ExcelDateTimeType};
use mitt_number_format::Kind;

/// The most formats of a workbook that show identifiers.
const MAX_PADDINGS: usize = 256;

/// What a number format shows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum NumberFormat {
    #[default]
    Number,
    DateTime,
    /// Elapsed hours, minutes or seconds, such as `[h]:mm`.
    Duration,
    /// An identifier. The number is that of its format in [`Paddings`].
    Code(u16),
}

/// The formats of a workbook that show identifiers.
#[derive(Default)]
pub(crate) struct Paddings(Vec<Padding>);

impl Paddings {
    /// Returns what a format shows.
    pub(crate) fn shown(&mut self, format: &str) -> NumberFormat {
        match NumberFormat::of(format) {
            NumberFormat::Number => self.add(Padding::of(format)),
            shown => shown,
        }
    }

    /// Returns what a format with this `padding` shows.
    pub(crate) fn add(&mut self, padding: Option<Padding>) -> NumberFormat {
        let Some(padding) = padding else { return NumberFormat::Number };
        let known = self.0.iter().position(|other| *other == padding);
        // A workbook has only a few of them. More would slow down the search.
        let at = match known {
            None if self.0.len() >= MAX_PADDINGS => return NumberFormat::Number,
            None => {
                self.0.push(padding);
                self.0.len() - 1
            }
            Some(at) => at,
        };
        u16::try_from(at).map_or(NumberFormat::Number, NumberFormat::Code)
    }

    pub(crate) fn get(&self, index: u16) -> Option<&Padding> {
        self.0.get(usize::from(index))
    }
}

impl NumberFormat {
    /// Returns what a built-in format shows. It has an id but no text in the file.
    pub(crate) fn built_in(id: u16) -> Self {
        match id {
            14..=22 | 27..=36 | 45 | 47 | 50..=58 => Self::DateTime,
            46 => Self::Duration,
            _ => Self::Number,
        }
    }

    /// Returns what a format shows, from the text of its first section.
    pub(crate) fn of(format: &str) -> Self {
        match mitt_number_format::kind(format) {
            Kind::Date => Self::DateTime,
            Kind::Elapsed => Self::Duration,
            _ => Self::Number,
        }
    }

    /// Returns a number in this format. `is_1904` selects the date system of the workbook.
    pub(crate) fn value(self, serial: f64, is_1904: bool) -> Value {
        let kind = match self {
            Self::Number | Self::Code(_) => return self.padded(number(serial)),
            Self::DateTime => ExcelDateTimeType::DateTime,
            Self::Duration => ExcelDateTimeType::TimeDelta,
        };
        plain(date_time(ExcelDateTime::new(serial, kind, is_1904)))
    }

    /// Returns a number as an identifier, if the format shows one and the number is whole.
    pub(crate) fn padded(self, value: Value) -> Value {
        match (self, &value.item) {
            (Self::Code(padding), &Item::Number { scale: 0, units }) => {
                Value { item: Item::Code { padding, units }, ..value }
            }
            _ => value,
        }
    }
}

/// Returns the number of an RK value of the binary formats: an integer or the upper half of a float, possibly divided
/// by a hundred.
pub(crate) fn rk(bytes: [u8; 4]) -> f64 {
    let bits = u32::from_le_bytes(bytes);
    let value = if bits & 2 != 0 {
        f64::from(bits.cast_signed() >> 2)
    } else {
        f64::from_bits(u64::from(bits & !3) << 32)
    };
    if bits & 1 != 0 { value / 100.0 } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_told_from_numbers() {
        for format in [
            "yyyy-mm-dd",
            "H:MM:SS;@",
            "[$-404]e\"年\"m\"月\"",
            "*-d",
            "[Red]d",
            "h AM/PM",
            "[$-804]aaaa;@",
            "aaa",
            "e",
            "ggge",
        ] {
            assert_eq!(NumberFormat::of(format), NumberFormat::DateTime, "{format}");
        }
        for format in ["[h]:mm", "[Blue]\\+[hh]:mm", "[>=100][Magenta][s].00", "[MM]"] {
            assert_eq!(NumberFormat::of(format), NumberFormat::Duration, "{format}");
        }
        for format in [
            "General",
            "Standard",
            "[Red][<-25]General",
            "[Magenta][>=100]0",
            "0\" days\"",
            "\\d0",
            "0_d",
            "#,##0*y",
            "0;d",
            "0.00E+00",
            "# ?/?",
            "[$USD] 0",
            "\"unclosed d",
        ] {
            assert_eq!(NumberFormat::of(format), NumberFormat::Number, "{format}");
        }
    }

    #[test]
    fn short_numbers_are_integers_floats_and_hundredths() {
        assert_eq!(rk([0x02 | 50 << 2, 0, 0, 0]), 50.0);
        assert_eq!(rk(((-7i32 << 2) | 3).to_le_bytes()), -0.07);
        assert_eq!(rk([0, 0, 0xF8, 0x3F]), 1.5);
    }
}
