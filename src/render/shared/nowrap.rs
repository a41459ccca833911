//! Parts of a cell that stay on one line: short texts in brackets, such as the unit of a column, and numbers with their
//! units.
//!
//! Chinese may break between any two characters, and "（万 / 元）" over two lines is hard to read. Knows no widths.

use std::ops::Range;

use crate::model::cjk::{is_cjk, is_han};

/// Most half ems of a text that stays whole. A longer text in brackets is a sentence.
pub(crate) const MAX_NOWRAP: usize = 16;

/// Units that may follow a number.
const UNITS: &str = "万亿千百元年月日季度个家人户吨米倍次台件天时分秒岁页位名份股点";

/// Returns the parts of `text` that stay whole, in order.
pub(crate) fn nowrap_parts(text: &str) -> Vec<Range<usize>> {
    let mut parts: Vec<Range<usize>> = Vec::new();
    let mut before: Option<char> = None;
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let part = bracketed(&text[at..], c, before).or_else(|| quantity(&text[at..], before));
        let length = part.unwrap_or(c.len_utf8());
        if part.is_some() {
            parts.push(at..at + length);
        }
        before = text[at..at + length].chars().next_back();
        at += length;
    }
    parts
}

/// Does what [`nowrap_parts`] does for a head of several lines: short Chinese words stay whole as well, so that no character
/// stands alone.
pub(crate) fn nowrap_parts_of_head(text: &str) -> Vec<Range<usize>> {
    let kept = nowrap_parts(text);
    let mut all = Vec::new();
    let mut at = 0;
    for part in kept.iter().cloned().chain(std::iter::once(text.len()..text.len())) {
        let gap = text.get(at..part.start).unwrap_or_default();
        let mut run: Option<Range<usize>> = None;
        for (place, c) in gap.char_indices().chain(std::iter::once((gap.len(), ' '))) {
            match (&mut run, is_han(c)) {
                (Some(run), true) => run.end = at + place + c.len_utf8(),
                (None, true) => run = Some(at + place..at + place + c.len_utf8()),
                (_, false) => {
                    let is_word =
                        |run: &Range<usize>| (2..=4).contains(&text[run.clone()].chars().count());
                    all.extend(run.take().filter(is_word));
                }
            }
        }
        at = part.end;
        if !part.is_empty() {
            all.push(part);
        }
    }
    all
}

/// Returns the width of a text in half ems, slightly less than `table` counts.
fn half_ems(text: &str) -> usize {
    text.chars().map(|c| if is_cjk(c) { 2 } else { 1 }).sum()
}

/// Returns the length of the text in brackets at the beginning of `text`.
fn bracketed(text: &str, open: char, before: Option<char>) -> Option<usize> {
    let close = match open {
        '（' => '）',
        '(' => ')',
        '［' => '］',
        '[' => ']',
        _ => return None,
    };
    // `f(x)` is one word, which never breaks.
    if open.is_ascii() && before.is_some_and(|c| !c.is_whitespace() && !is_cjk(c)) {
        return None;
    }
    let mut length = 0;
    for c in text.chars().take(MAX_NOWRAP + 1) {
        length += c.len_utf8();
        if c == close {
            let after = text[length..].chars().next();
            let is_word = close.is_ascii() && after.is_some_and(|c| c.is_ascii_alphanumeric());
            return (!is_word && half_ems(&text[..length]) <= MAX_NOWRAP).then_some(length);
        }
        if length > open.len_utf8() && matches!(c, '（' | '(' | '[' | '［' | '\n') {
            return None;
        }
    }
    None
}

/// Returns the length of the number with its unit at the beginning of `text`, if a line could break between them.
fn quantity(text: &str, before: Option<char>) -> Option<usize> {
    let is_sign =
        |c: char| matches!(c, '+' | '-' | '−' | '±' | '¥' | '￥' | '$' | '€' | '£' | '约' | '≈');
    if before
        .is_some_and(|c| is_sign(c) || c.is_ascii_alphanumeric() || matches!(c, '.' | ',' | '/'))
    {
        return None;
    }
    let digits_at = text.find(|c| !is_sign(c))?;
    let rest = &text[digits_at..];
    let digits = rest.find(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | ','))?;
    if digits == 0 || !rest.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let behind = &rest[digits..];
    let space = usize::from(behind.starts_with(' '));
    let unit: usize = behind[space..]
        .chars()
        .take(2)
        .take_while(|c| UNITS.contains(*c))
        .map(char::len_utf8)
        .sum();
    let length = digits_at + digits + space + unit;
    (unit > 0 && half_ems(&text[..length]) <= MAX_NOWRAP).then_some(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> Vec<&str> {
        nowrap_parts(text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn units_and_numbers_stay_whole() {
        for (text, expected) in [
            ("2024 年收入（万元）", &["2024 年", "（万元）"][..]),
            ("收入（万 / 元）同比", &["（万 / 元）"]),
            ("Revenue (USD m)", &["(USD m)"]),
            ("¥1.2亿", &["¥1.2亿"]),
            ("-3 万元、5 个", &["-3 万元", "5 个"]),
            ("约12.5 万", &["约12.5 万"]),
            // Lines break nowhere in these, or may break anywhere.
            ("12,600.00", &[]),
            ("38.15%", &[]),
            ("f(x) A12年 v1.2年", &[]),
            ("(s)tart", &[]),
            ("（这是一句很长的说明文字，不是单位）", &[]),
            ("（没有结束", &[]),
            ("（（万元））", &["（万元）"]),
            ("", &[]),
        ] {
            assert_eq!(parts(text), expected, "{text}");
        }
    }

    #[test]
    fn short_words_of_a_head_stay_whole() {
        let parts = |text: &'static str| -> Vec<&str> {
            nowrap_parts_of_head(text).into_iter().map(|range| &text[range]).collect()
        };
        assert_eq!(parts("2019 年 Q1 收入（万元）"), ["2019 年", "收入", "（万元）"]);
        assert_eq!(parts("营业收入同比增长率 GDP 元"), [""; 0]);
        assert_eq!(parts("同比"), ["同比"]);
    }

    #[test]
    fn any_text_is_cut_between_characters() {
        for text in ["（é）", "１２年", "€(", "年年年", "1", "1 ", "+", "（\n）", "(\u{301})"]
        {
            nowrap_parts_of_head(text)
                .into_iter()
                .for_each(|range| assert!(text.get(range).is_some(), "{text}"));
        }
    }
}
