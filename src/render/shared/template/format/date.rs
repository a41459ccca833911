//! Dates in a format such as `yyyy-mm-dd` or `d MMMM yyyy`.

use super::{chinese, wanted};
use crate::FillValue;
use mitt_base::text;

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const DAYS: [&str; 7] =
    ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const CHINESE_DAYS: [&str; 7] = ["日", "一", "二", "三", "四", "五", "六"];

/// Syntax of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DateSyntax {
    /// `m` is a month, or a minute beside hours and seconds.
    Excel,
    /// `M` is a month, `m` a minute.
    Word,
}

/// A date with an optional time of day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Date {
    year: u32,
    month: u32,
    day: u32,
    hour: u32,
    minute: u32,
    second: u32,
}

impl Date {
    /// Parses ISO 8601: `2026-01-31`, `2026-01-31T08:30`, `2026-01-31 08:30:00.5Z`.
    fn read(text: &str) -> Option<Date> {
        let (date, time) = match text.split_once(['T', ' ']) {
            Some((date, time)) => (date, Some(time)),
            None => (text, None),
        };
        let two = |text: &str, most: u32| {
            let is_two = text.len() == 2 && text.bytes().all(|it| it.is_ascii_digit());
            text.parse().ok().filter(|number| is_two && *number <= most)
        };
        let mut parts = date.split('-');
        let year =
            parts.next().filter(|it| it.len() == 4 && it.bytes().all(|b| b.is_ascii_digit()))?;
        let (year, month) = (year.parse().ok()?, two(parts.next()?, 12)?);
        let day = two(parts.next()?, 31)?;
        let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let days = match month {
            2 if is_leap => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        };
        if parts.next().is_some() || month == 0 || !(1..=days).contains(&day) {
            return None;
        }
        let (mut hour, mut minute, mut second) = (0, 0, 0);
        if let Some(time) = time {
            // The time zone does not change what is written.
            let end = time.find(['Z', 'z', '+', '-']).unwrap_or(time.len());
            let mut parts = time[..end].split(':');
            hour = two(parts.next()?, 23)?;
            minute = two(parts.next()?, 59)?;
            second = match parts.next() {
                Some(seconds) => two(seconds.split('.').next()?, 59)?,
                None => 0,
            };
            if parts.next().is_some() {
                return None;
            }
        }
        Some(Date { year, month, day, hour, minute, second })
    }

    /// Returns the weekday from 0 for Sunday; Sakamoto's method.
    fn weekday(&self) -> usize {
        const SHIFT: [u32; 12] = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4];
        let shift = SHIFT.get(self.month as usize - 1).copied().unwrap_or(0);
        // A year with the same weekdays, so that the subtraction cannot go below zero.
        let year = self.year + 400 - u32::from(self.month < 3);
        ((year + year / 4 - year / 100 + year / 400 + shift + self.day) % 7) as usize
    }
}

/// Returns `true` for a format of dates, which has letters of dates and no digit placeholders.
pub(super) fn is_picture(picture: &str) -> bool {
    let plain = without_quotes(picture);
    let letters = "yYmMdDhHsSaAeE";
    !plain.contains(['0', '#', '?']) && plain.contains(|c: char| letters.contains(c))
}

/// Returns a format without quoted and escaped text.
fn without_quotes(picture: &str) -> String {
    tokens(picture)
        .into_iter()
        .filter_map(|it| {
            if let DateToken::Letters(c, n) = it { Some(c.to_string().repeat(n)) } else { None }
        })
        .collect()
}

/// A token of a format.
#[derive(Clone, Debug, PartialEq, Eq)]
enum DateToken {
    /// A letter that is not plain text, and its repetitions.
    Letters(char, usize),
    Text(String),
}

fn tokens(picture: &str) -> Vec<DateToken> {
    let mut tokens: Vec<DateToken> = Vec::new();
    let mut rest = picture.chars();
    while let Some(c) = rest.next() {
        match c {
            '"' | '\'' => {
                tokens.push(DateToken::Text(rest.by_ref().take_while(|it| *it != c).collect()));
            }
            '\\' => tokens.push(DateToken::Text(rest.next().into_iter().collect())),
            c => match tokens.last_mut() {
                Some(DateToken::Letters(before, count)) if *before == c => *count += 1,
                _ => tokens.push(DateToken::Letters(c, 1)),
            },
        }
    }
    tokens
}

/// Writes a date in a format.
pub(super) fn write(
    value: &FillValue,
    picture: &str,
    syntax: DateSyntax,
) -> Result<String, String> {
    let date = match value {
        FillValue::Date(text) | FillValue::Text(text) => Date::read(text.trim()),
        _ => None,
    };
    let date =
        date.ok_or_else(|| wanted("a date such as `2026-01-31` (ISO 8601)", picture, value))?;
    // `[DBNum1]` writes the numbers of a date in Chinese.
    let (figures, body) = match picture.strip_prefix("[DBNum1]") {
        Some(body) => (true, body),
        None => (false, picture),
    };
    let is_chinese = body.chars().any(|c| ('\u{4E00}'..='\u{9FFF}').contains(&c));
    let tokens = tokens(body);
    let has_month = tokens.iter().any(|it| matches!(it, DateToken::Letters('M', _)));
    let noon = ["am/pm", "AM/PM", "A/P", "上午/下午"];
    let has_noon = noon.iter().any(|it| body.contains(it));
    let mut out = String::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        at += 1;
        let (letter, count) = match token {
            DateToken::Text(text) => {
                out.push_str(text);
                continue;
            }
            DateToken::Letters(letter, count) => (*letter, *count),
        };
        let counted = |number: u32| match (figures, count) {
            (true, _) => chinese::small(number),
            (false, 1) => number.to_string(),
            (false, _) => format!("{number:02}"),
        };
        let hour = match (has_noon, date.hour % 12) {
            (false, _) => date.hour,
            (true, 0) => 12,
            (true, hour) => hour,
        };
        match letter {
            'y' | 'Y' if figures && count > 2 => out.push_str(&chinese::year(date.year)),
            'y' | 'Y' if count <= 2 => out.push_str(&format!("{:02}", date.year % 100)),
            'y' | 'Y' => out.push_str(&format!("{:04}", date.year)),
            // The Chinese Word writes dates in Chinese numerals so: `EEEE年O月A日`.
            'E' | 'e' if count > 2 => out.push_str(&chinese::year(date.year)),
            'O' => out.push_str(&chinese::small(date.month)),
            'A' if count == 1 && !has_noon => out.push_str(&chinese::small(date.day)),
            'M' | 'm' if letter == 'M' || !is_minute(&tokens, at - 1, syntax, has_month) => {
                let name = MONTHS.get(date.month as usize - 1).copied().unwrap_or_default();
                match count {
                    1 | 2 => out.push_str(&counted(date.month)),
                    _ if is_chinese => out.push_str(&(chinese::small(date.month) + "月")),
                    3 => out.push_str(name.get(..3).unwrap_or(name)),
                    _ => out.push_str(name),
                }
            }
            'm' => out.push_str(&counted(date.minute)),
            'd' | 'D' => {
                let name = DAYS.get(date.weekday()).copied().unwrap_or_default();
                let short = CHINESE_DAYS.get(date.weekday()).copied().unwrap_or_default();
                match count {
                    1 | 2 => out.push_str(&counted(date.day)),
                    3 if is_chinese => out.push_str(&format!("周{short}")),
                    _ if is_chinese => out.push_str(&format!("星期{short}")),
                    3 => out.push_str(name.get(..3).unwrap_or(name)),
                    _ => out.push_str(name),
                }
            }
            // Excel's Chinese weekdays.
            'a' if count >= 3 => {
                let short = CHINESE_DAYS.get(date.weekday()).copied().unwrap_or_default();
                out.push_str(if count > 3 { "星期" } else { "" });
                out.push_str(short);
            }
            'H' => {
                out.push_str(&counted(if syntax == DateSyntax::Word { date.hour } else { hour }))
            }
            'h' if syntax == DateSyntax::Word => out.push_str(&counted(match date.hour % 12 {
                0 => 12,
                hour => hour,
            })),
            'h' => out.push_str(&counted(hour)),
            's' | 'S' => out.push_str(&counted(date.second)),
            'a' | 'A' | '上' if has_noon => {
                let rest = text_of(&tokens[at - 1..]);
                let Some(name) = noon.iter().find(|name| rest.starts_with(**name)) else {
                    out.extend(std::iter::repeat_n(letter, count));
                    continue;
                };
                let (before, after) = name.split_once('/').unwrap_or_default();
                out.push_str(if date.hour < 12 { before } else { after });
                // Each character of the name is a token.
                at += name.chars().count() - 1;
            }
            c if c.is_ascii_alphabetic() || matches!(c, '[' | ']') => {
                return Err(format!(
                    "the format `{}`: `{c}` is not known; put text into quotation marks",
                    text::shortened(picture, 60)
                ));
            }
            c => out.extend(std::iter::repeat_n(c, count)),
        }
    }
    Ok(out)
}

/// Returns the characters of tokens.
fn text_of(tokens: &[DateToken]) -> String {
    let text = |token: &DateToken| match token {
        DateToken::Letters(c, count) => c.to_string().repeat(*count),
        DateToken::Text(text) => text.clone(),
    };
    tokens.iter().map(text).collect()
}

/// Returns `true` if `m` is a minute: always in a Word format with another letter for months, otherwise beside hours and
/// seconds.
fn is_minute(tokens: &[DateToken], at: usize, syntax: DateSyntax, has_month: bool) -> bool {
    if syntax == DateSyntax::Word && has_month {
        return true;
    }
    let is = |token: Option<&DateToken>, letters: &str| matches!(token, Some(DateToken::Letters(c, _)) if letters.contains(*c));
    let is_letter =
        |token: &&DateToken| matches!(token, DateToken::Letters(c, _) if c.is_ascii_alphabetic());
    let before = tokens[..at].iter().rev().find(is_letter);
    let after = tokens[at + 1..].iter().find(is_letter);
    is(before, "hH") || is(after, "sS")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(date: &str, picture: &str, syntax: DateSyntax) -> Result<String, String> {
        write(&FillValue::Date(date.to_owned()), picture, syntax)
    }

    #[test]
    fn dates_are_written_as_excel_and_word_do() {
        for (picture, expected) in [
            ("yyyy-mm-dd", "2026-03-05"),
            ("yyyy-MM-dd", "2026-03-05"),
            ("yyyy年m月d日", "2026年3月5日"),
            ("yyyy\"年\"m\"月\"d\"日\"", "2026年3月5日"),
            ("d mmmm yyyy", "5 March 2026"),
            ("ddd, d mmm yy", "Thu, 5 Mar 26"),
            ("yyyy/m/d aaaa", "2026/3/5 星期四"),
            ("yyyy年m月d日 dddd", "2026年3月5日 星期四"),
            ("dd.mm.yyyy hh:mm", "05.03.2026 14:07"),
            ("h:mm AM/PM", "2:07 PM"),
            ("h:mm:ss am/pm", "2:07:09 pm"),
            ("mm:ss", "07:09"),
            ("[DBNum1]yyyy年m月d日", "二〇二六年三月五日"),
            ("m/d/yyyy", "3/5/2026"),
        ] {
            assert!(is_picture(picture), "{picture}");
            let written = of("2026-03-05T14:07:09", picture, DateSyntax::Excel);
            assert_eq!(written.as_deref(), Ok(expected), "{picture}");
        }
        for (picture, expected) in [
            ("yyyy-MM-dd HH:mm", "2026-03-05 14:07"),
            ("d MMMM yyyy", "5 March 2026"),
            ("dddd, MMMM d, yyyy", "Thursday, March 5, 2026"),
            ("EEEE年O月A日", "二〇二六年三月五日"),
            ("yyyy'年'M'月'd'日'", "2026年3月5日"),
            ("h:mm am/pm", "2:07 pm"),
            // A common mistake.
            ("yyyy-mm-dd", "2026-03-05"),
        ] {
            let written = of("2026-03-05 14:07:09", picture, DateSyntax::Word);
            assert_eq!(written.as_deref(), Ok(expected), "{picture}");
        }
        for (date, expected) in
            [("1900-01-01", "Monday"), ("2000-02-29", "Tuesday"), ("0001-01-01", "Monday")]
        {
            assert_eq!(of(date, "dddd", DateSyntax::Word).as_deref(), Ok(expected), "{date}");
        }
    }

    #[test]
    fn what_is_no_date_is_refused() {
        for date in [
            "2026-02-29",
            "2026-13-01",
            "2026-00-10",
            "26-01-01",
            "5",
            "",
            "2026-01-01T25:00",
            "2026-1-1",
            "2026-01-01-01",
        ] {
            assert!(
                of(date, "yyyy", DateSyntax::Excel).unwrap_err().contains("a date such as"),
                "{date}"
            );
        }
        assert!(
            of("2026-01-31", "yyyy Q", DateSyntax::Excel).unwrap_err().contains("`Q` is not known")
        );
        for picture in ["0.00", "#,##0 \"days\"", "¥#,##0.00元", "\"d\"0"] {
            assert!(!is_picture(picture), "{picture}");
        }
    }
}
