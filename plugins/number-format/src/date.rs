//! Writes dates, times of day and elapsed times.

use crate::locale::Language;
use crate::section::{HalfDay, Kind, Part, Section, Token};
use mitt_guest::tables::calendar::{Civil, civil};
use std::fmt::Write as _;

/// The first serial number after the year 9999.
const END: f64 = 2_958_466.0;

/// Days from the first day of the dates from 1900 to that of the dates from 1904.
const DAYS_TO_1904: f64 = 1462.0;

/// The most digits of a fraction of a second.
const MAX_DECIMALS: usize = 3;

const SECONDS: i64 = 86_400;

/// An era of a calendar of East Asia.
struct Era {
    /// Year, month and day.
    first_day: (i64, u32, u32),
    /// The last year before the first of the era.
    before: i64,
    /// The name in one letter or character, in short, and in full.
    names: [&'static str; 3],
}

impl Era {
    fn name(&self, width: usize) -> &'static str {
        self.names[width.clamp(1, 3) - 1]
    }
}

/// Japanese eras since dates have serial numbers, newest first.
static JAPANESE_ERAS: [Era; 5] = [
    Era { first_day: (2019, 5, 1), before: 2018, names: ["R", "令", "令和"] },
    Era { first_day: (1989, 1, 8), before: 1988, names: ["H", "平", "平成"] },
    Era { first_day: (1926, 12, 25), before: 1925, names: ["S", "昭", "昭和"] },
    Era { first_day: (1912, 7, 30), before: 1911, names: ["T", "大", "大正"] },
    Era { first_day: (1868, 9, 8), before: 1867, names: ["M", "明", "明治"] },
];

static TAIWANESE_ERAS: [Era; 1] =
    [Era { first_day: (1912, 1, 1), before: 1911, names: ["民國", "民國", "中華民國"] }];

/// A serial number, taken apart.
struct Moment {
    /// Days since 1899-12-31, and the day 60 that only the dates from 1900 have.
    day: i64,
    /// Seconds of the day.
    second: i64,
    /// Fraction of the second, in units of 10^-`decimals`.
    fraction: i64,
    decimals: usize,
}

impl Moment {
    /// Rounds to the digits of seconds that a format shows.
    fn of(serial: f64, decimals: usize) -> Self {
        let units = 10_i64.pow(decimals as u32);
        let (day, rest) = (serial.floor(), serial - serial.floor());
        let rest = (rest * (SECONDS * units) as f64).round() as i64;
        let (carried, rest) = (rest / (SECONDS * units), rest % (SECONDS * units));
        Self { day: day as i64 + carried, second: rest / units, fraction: rest % units, decimals }
    }

    fn date(&self) -> Civil {
        /// Days from 1899-12-30 to 1970-01-01.
        const TO_1970: i64 = 25_569;
        match self.day {
            0 => Civil { year: 1900, month: 1, day: 0 },
            60 => Civil { year: 1900, month: 2, day: 29 },
            day @ ..60 => civil((day + 1 - TO_1970) as i32),
            day => civil((day - TO_1970) as i32),
        }
    }

    /// Returns the weekday, 0 for Sunday. Day 1 is a Sunday for spreadsheets.
    fn weekday(&self) -> usize {
        (self.day + 6).rem_euclid(7) as usize
    }

    fn write_fraction(&self, width: usize, out: &mut String) {
        let digits = format!("{:0width$}", self.fraction, width = self.decimals);
        let digits = digits.get(..width.min(self.decimals)).unwrap_or_default();
        _ = write!(out, ".{digits}");
    }
}

/// Appends a number in a section of dates or times. Returns `false` if no calendar has the number.
pub fn write(section: &Section, value: f64, is_1904: bool, out: &mut String) -> bool {
    let fraction = |token: &Token| if let Token::Fraction(width) = token { *width } else { 0 };
    let decimals = section.tokens.iter().map(fraction).max().unwrap_or(0).min(MAX_DECIMALS);
    let mut serial = value;
    if section.kind == Kind::Elapsed {
        if serial < 0.0 && is_1904 {
            out.push('-');
            serial = -serial;
        }
    } else if is_1904 {
        serial += DAYS_TO_1904;
    }
    if !(0.0..END).contains(&serial) {
        return false;
    }
    let moment = Moment::of(serial, decimals);
    let writer = Writer {
        section,
        date: moment.date(),
        moment,
        counts_to_12: section.tokens.iter().any(|it| matches!(it, Token::Date(Part::HalfDay(_)))),
    };
    for token in &section.tokens {
        writer.token(token, out);
    }
    true
}

struct Writer<'a> {
    section: &'a Section,
    date: Civil,
    moment: Moment,
    counts_to_12: bool,
}

impl Writer<'_> {
    fn token(&self, token: &Token, out: &mut String) {
        match token {
            Token::Literal(text) => out.push_str(text),
            Token::Date(part) => self.part(*part, out),
            Token::Fraction(width) => self.moment.write_fraction(*width, out),
            // These are text in a date.
            Token::Digit(digit) => out.push(*digit),
            Token::Point => out.push('.'),
            Token::Comma => out.push(','),
            Token::Percent => out.push('%'),
            Token::Slash => out.push('/'),
            Token::Exponent(_) | Token::General => {}
        }
    }

    fn part(&self, part: Part, out: &mut String) {
        let Moment { day, second, .. } = self.moment;
        let Civil { year, month, day: of_month } = self.date;
        let hours = second / 3600;
        match part {
            Part::Year(width) => self.year(i64::from(year), width, out),
            Part::BuddhistYear(width) => self.year(i64::from(year) + 543, width, out),
            Part::Month(width @ ..=2) => self.number(i64::from(month), width, out),
            Part::Month(width) => {
                self.language().write_month(month.saturating_sub(1) as usize, width, out);
            }
            Part::Day(width @ ..=2) => self.number(i64::from(of_month), width, out),
            Part::Day(width) => {
                self.language().write_weekday(self.moment.weekday(), width.min(4), out);
            }
            Part::Weekday(width) => {
                // Only programs in East Asian languages offer it, and those in Chinese without naming their language.
                let language = self.section.language.unwrap_or(Language::Chinese);
                language.write_weekday(self.moment.weekday(), width.min(4), out);
            }
            Part::Era(width) => out.push_str(self.era().map_or("", |it| it.name(width))),
            Part::EraYear(width) => match self.era() {
                Some(era) => self.number(i64::from(year) - era.before, width.min(2), out),
                None => self.year(i64::from(year), 4, out),
            },
            Part::Hour(width) if self.counts_to_12 => {
                self.number((hours + 11) % 12 + 1, width.min(2), out);
            }
            Part::Hour(width) => self.number(hours, width.min(2), out),
            Part::Minute(width) => self.number(second / 60 % 60, width, out),
            Part::Second(width) => self.number(second % 60, width.min(2), out),
            Part::ElapsedHours(width) => self.number(day * 24 + hours, width, out),
            Part::ElapsedMinutes(width) => self.number(day * 1440 + second / 60, width, out),
            Part::ElapsedSeconds(width) => self.number(day * SECONDS + second, width, out),
            Part::HalfDay(half) => out.push_str(match (half, hours < 12) {
                (HalfDay::Long, true) => "AM",
                (HalfDay::Long, false) => "PM",
                (HalfDay::Short, true) => "A",
                (HalfDay::Short, false) => "P",
                (HalfDay::ShortLower, true) => "a",
                (HalfDay::ShortLower, false) => "p",
                (HalfDay::Chinese, true) => "上午",
                (HalfDay::Chinese, false) => "下午",
            }),
        }
    }

    fn language(&self) -> Language {
        self.section.language.unwrap_or_default()
    }

    /// Returns the era of the date in the calendar of the section's language.
    fn era(&self) -> Option<&'static Era> {
        let Civil { year, month, day } = self.date;
        let date = (i64::from(year), month, day);
        let eras: &[Era] = match self.language() {
            Language::Japanese => &JAPANESE_ERAS,
            Language::Taiwanese => &TAIWANESE_ERAS,
            _ => &[],
        };
        eras.iter().find(|it| it.first_day <= date)
    }

    fn year(&self, year: i64, width: usize, out: &mut String) {
        let text = match width {
            ..=2 => format!("{:02}", year % 100),
            _ => format!("{year:04}"),
        };
        match self.section.numerals {
            Some(numerals) => out.push_str(&numerals.each(&text)),
            None => out.push_str(&text),
        }
    }

    fn number(&self, number: i64, width: usize, out: &mut String) {
        match self.section.numerals {
            Some(numerals) => out.push_str(&numerals.date_part(&number.to_string())),
            None => _ = write!(out, "{number:0width$}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(format: &str, serial: f64, is_1904: bool) -> String {
        let mut out = String::new();
        if write(&Section::of(format), serial, is_1904, &mut out) { out } else { "none".to_owned() }
    }

    #[test]
    fn dates_of_both_calendars() {
        for (serial, is_1904, expected) in [
            (0.0, false, "1900-01-00 Sat"),
            (1.0, false, "1900-01-01 Sun"),
            (59.0, false, "1900-02-28 Tue"),
            (60.0, false, "1900-02-29 Wed"),
            (61.0, false, "1900-03-01 Thu"),
            (45_657.0, false, "2024-12-31 Tue"),
            (44_195.0, true, "2024-12-31 Tue"),
            (0.0, true, "1904-01-01 Fri"),
            (2_958_465.0, false, "9999-12-31 Fri"),
            (2_958_466.0, false, "none"),
            (-1.0, false, "none"),
            (f64::NAN, false, "none"),
        ] {
            assert_eq!(shown("yyyy-mm-dd ddd", serial, is_1904), expected);
        }
    }

    #[test]
    fn times_are_rounded_to_what_is_shown() {
        for (format, serial, expected) in [
            ("h:mm", 0.5, "12:00"),
            ("h:mm AM/PM", 0.0, "12:00 AM"),
            ("hh:mm:ss a/p", 0.75, "06:00:00 p"),
            ("h:mm A/P", 0.25, "6:00 A"),
            ("上午/下午h\"时\"mm\"分\"", 0.75, "下午6时00分"),
            ("h:mm:ss", 0.999_999_9, "0:00:00"),
            ("h:mm:ss.000", 0.707_07, "16:58:10.848"),
            ("mm:ss.0", 0.707_07, "58:10.8"),
            ("[h]:mm:ss", 1.5, "36:00:00"),
            ("[h]:mm:ss", 2.999_999_999_999_999_6, "72:00:00"),
            ("[mm]:ss", 0.125, "180:00"),
            ("[ss]", 0.001, "86"),
            ("yyyy-mm-dd hh:mm", 45_657.354_166_666_664, "2024-12-31 08:30"),
            ("d-mmm-yy", 45_657.0, "31-Dec-24"),
            ("[DBNum1][$-804]yyyy\"年\"m\"月\"d\"日\"", 45_657.0, "二〇二四年十二月三十一日"),
            ("[$-804]aaaa", 45_657.0, "星期二"),
            ("aaaa", 45_657.0, "星期二"),
            ("yyyy\"年\"m\"月\"d\"日\" aaa", 45_657.0, "2024年12月31日 周二"),
            ("[$-zh-CN]dddd", 45_657.0, "星期二"),
            ("[$-409]aaaa", 45_657.0, "Tuesday"),
            ("dddd", 45_657.0, "Tuesday"),
            ("e", 45_657.0, "2024"),
            ("ggge\"年\"", 45_657.0, "2024年"),
            ("[$-404]e/m/d", 45_657.0, "113/12/31"),
            ("[$-404]ggge\"年\"", 45_657.0, "中華民國113年"),
            ("[$-411]ggge\"年\"m\"月\"d\"日\"", 45_657.0, "令和6年12月31日"),
            ("[$-411]ge.m.d", 43_585.0, "H31.4.30"),
            ("[$-411]gge", 43_586.0, "令1"),
            ("[$-ja-JP]ggee", 9_856.0, "昭01"),
            ("[$-411]ggge", 1.0, "明治33"),
            ("m/d/yyyy", 45_657.0, "12/31/2024"),
        ] {
            assert_eq!(shown(format, serial, false), expected, "{format}");
        }
        assert_eq!(shown("[h]:mm", -0.25, true), "-6:00");
        assert_eq!(shown("[h]:mm", -0.25, false), "none");
    }
}
