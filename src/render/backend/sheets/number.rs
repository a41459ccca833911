//! Numbers in tables of text: recognition, exact value, and a format for a column of them.

use mitt_base::number::held_by_cell;

/// A number as people write it in a table.
#[derive(Debug)]
pub(super) struct Number {
    is_negative: bool,
    whole: String,
    decimals: String,
    is_grouped: bool,
    pub(super) is_percent: bool,
    /// Currency symbol.
    pub(super) sign: Option<char>,
}

impl Number {
    pub(super) fn parse(text: &str) -> Option<Number> {
        let mut rest = text.trim();
        let in_brackets = rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
        rest = in_brackets.unwrap_or(rest);
        let mut is_negative = in_brackets.is_some();
        let mut sign = None;
        // `-¥5` and `¥-5`.
        for _ in 0..2 {
            if let Some(after) = rest.strip_prefix(['-', '−', '－']).filter(|_| !is_negative) {
                (rest, is_negative) = (after.trim_start(), true);
            } else if let Some(after) = rest.strip_prefix('+').filter(|_| !is_negative) {
                rest = after.trim_start();
            }
            let currency =
                rest.chars().next().filter(|c| matches!(c, '¥' | '￥' | '$' | '€' | '£'));
            if let Some(currency) = currency.filter(|_| sign.is_none()) {
                sign = Some(if currency == '￥' { '¥' } else { currency });
                rest = rest[currency.len_utf8()..].trim_start();
            }
        }
        let percent = rest.strip_suffix(['%', '％', '\u{66A}']).map(str::trim_end);
        rest = percent.unwrap_or(rest);
        let (whole, decimals) = match rest.split_once('.') {
            Some((whole, decimals)) if !decimals.is_empty() => (whole, decimals),
            Some(_) => return None,
            None => (rest, ""),
        };
        let is_grouped = whole.contains(',');
        let mut groups = whole.split(',');
        let first = groups.next().unwrap_or_default();
        let is_group = |group: &str, least: usize| {
            (least..=3).contains(&group.len()) && group.bytes().all(|b| b.is_ascii_digit())
        };
        let is_right = if is_grouped {
            is_group(first, 1) && groups.all(|group| is_group(group, 3))
        } else {
            !first.is_empty() && first.bytes().all(|b| b.is_ascii_digit())
        };
        let digits = whole.replace(',', "");
        let is_name = digits.len() > 1 && digits.starts_with('0');
        let is_number = is_right && !is_name && decimals.bytes().all(|b| b.is_ascii_digit());
        is_number.then(|| Number {
            is_negative,
            whole: digits,
            decimals: decimals.to_owned(),
            is_grouped,
            is_percent: percent.is_some(),
            sign,
        })
    }

    /// Returns `true` if a cell of a workbook can hold it.
    pub(super) fn fits(&self) -> bool {
        held_by_cell(&self.exact()).is_some()
    }

    /// Returns the value with all its digits.
    pub(super) fn exact(&self) -> String {
        let (mut whole, mut decimals) = (self.whole.clone(), self.decimals.clone());
        if self.is_percent {
            let padded = format!("{whole:0>3}");
            let (left, moved) = padded.split_at(padded.len() - 2);
            decimals = format!("{moved}{decimals}").trim_end_matches('0').to_owned();
            let left = left.trim_start_matches('0');
            whole = if left.is_empty() { "0".to_owned() } else { left.to_owned() };
        }
        let minus = if self.is_negative { "-" } else { "" };
        if decimals.is_empty() {
            format!("{minus}{whole}")
        } else {
            format!("{minus}{whole}.{decimals}")
        }
    }

    /// Returns the format for the numbers of a column.
    pub(super) fn format(numbers: &[Number]) -> Option<String> {
        let first = numbers.first()?;
        let decimals = numbers.iter().map(|it| it.decimals.len()).max().unwrap_or(0).min(10);
        let is_grouped = numbers.iter().any(|it| it.is_grouped);
        let whole = if is_grouped { "#,##0" } else { "0" };
        let point = if decimals > 0 { "." } else { "" };
        let plain = format!("{whole}{point}{}", "0".repeat(decimals));
        match (first.sign, first.is_percent) {
            (Some(sign), _) => Some(format!("\"{sign}\"{plain}")),
            (None, true) => Some(format!("{plain}%")),
            (None, false) if decimals == 0 && !is_grouped => None,
            (None, false) => Some(plain),
        }
    }
}
