//! Classifies a column of a table by its head and its cells: numbers, dates or text. Knows no file format.

use super::number::Number;
use crate::model::cjk::is_cjk;

/// Widest column, in characters of the default font.
const MAX_WIDTH: usize = 50;

/// Words in the head of columns whose numbers are identifiers.
const IDENTIFIERS: [&str; 16] = [
    "编号",
    "编码",
    "代码",
    "号码",
    "电话",
    "手机",
    "邮编",
    "账号",
    "卡号",
    "身份证",
    "工号",
    "学号",
    "phone",
    "code",
    "zip",
    "account",
];

/// Kind of all values of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Values {
    Texts,
    Numbers,
    Dates,
}

/// What a column holds.
pub(super) struct Column {
    /// Kind of its values.
    pub(super) kind: Values,
    /// Number format of its cells; `None` is the general format.
    pub(super) format: Option<String>,
    /// Width in characters of the default font.
    pub(super) width: usize,
    /// Count of numbers that a cell cannot hold. They alone make the column text.
    pub(super) long: usize,
}

impl Column {
    /// Returns the kind, number format and width of a column with this head and these cells.
    pub(super) fn of(head: &str, cells: &[String]) -> Column {
        let said = || cells.iter().filter(|cell| !cell.is_empty());
        let longest =
            said().map(String::as_str).chain([head]).flat_map(str::lines).map(width).max();
        let width = (longest.unwrap_or(0) + 2).clamp(6, MAX_WIDTH);
        let text = Column { kind: Values::Texts, format: None, width, long: 0 };
        if said().next().is_some() && said().all(|cell| is_date(cell)) {
            let format = Some("yyyy-mm-dd".to_owned());
            return Column { kind: Values::Dates, format, ..text };
        }
        let lower = head.to_lowercase();
        let is_name = IDENTIFIERS.iter().any(|word| lower.contains(word))
            || lower
                .split(|c: char| !c.is_alphanumeric())
                .any(|word| matches!(word, "id" | "no" | "tel" | "sku"));
        if is_name {
            return text;
        }
        let mut numbers = Vec::new();
        for cell in said().filter(|cell| {
            !matches!(cell.as_str(), "-" | "–" | "—" | "——" | "－" | "/" | "n/a" | "N/A")
        }) {
            match Number::parse(cell) {
                Some(number) => numbers.push(number),
                None => return text,
            }
        }
        let Some(first) = numbers.first() else { return text };
        // A column has one meaning: 5 % and 5 do not mix, nor do ¥5 and $5.
        let is_alike =
            numbers.iter().all(|it| it.is_percent == first.is_percent && it.sign == first.sign);
        let long = numbers.iter().filter(|number| !number.fits()).count();
        match is_alike {
            true if long > 0 => Column { long, ..text },
            true => {
                let format = Number::format(&numbers);
                Column { kind: Values::Numbers, format, ..text }
            }
            false => text,
        }
    }
}

/// Returns the width of a text in characters of the default font.
fn width(text: &str) -> usize {
    text.chars().map(|c| if is_cjk(c) { 2 } else { 1 }).sum()
}

/// Returns `true` for a day such as `2024-12-31`, from 1900 on, which a cell stores as a date.
pub(super) fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts[..] else { return false };
    let number = |part: &str, length: usize| -> Option<u32> {
        let is_plain = part.len() == length && part.bytes().all(|b| b.is_ascii_digit());
        if is_plain { part.parse().ok() } else { None }
    };
    let (Some(year), Some(month), Some(day)) = (number(year, 4), number(month, 2), number(day, 2))
    else {
        return false;
    };
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return false,
    };
    year >= 1900 && (1..=days).contains(&day)
}
