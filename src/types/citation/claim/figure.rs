//! Figures in a sentence: its numbers without dates, years, times, and numbers of pages, tables and clauses.

use std::ops::Range;

use mitt_base::written_number::{Number, numbers};

/// Words before a number that name a part of a document or a year, in lower case.
const LABELS: [&str; 38] = [
    "page", "pages", "p.", "pp.", "table", "figure", "fig.", "section", "sec.", "§", "clause",
    "article", "chapter", "slide", "sheet", "row", "rows", "column", "line", "lines", "step",
    "note", "appendix", "annex", "no.", "第", "表", "图", "圖", "附录", "附件", "附注", "seite",
    "tabelle", "fy", "#", "nr.", "№",
];

/// Words before a number that make it a year if it looks like one.
const BEFORE_YEARS: [&str; 22] = [
    "in", "since", "from", "by", "of", "until", "to", "and", "during", "for", "year", "fiscal",
    "than", "vs", "vs.", "q1", "q2", "q3", "q4", "end", "mid", "h1",
];

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// Most bytes around a number that are looked at.
const NEAR: usize = 24;

/// Returns the figures of a text with their ranges.
pub(super) fn figures(text: &str) -> Vec<(Number, Range<usize>)> {
    let mut found = Vec::new();
    numbers(text, |number, range| {
        if is_figure(text, &range) {
            found.push((number, range));
        }
        true
    });
    found
}

fn is_figure(text: &str, range: &Range<usize>) -> bool {
    let (before, after) =
        (&text[..range.start], mitt_base::text::cut_bytes(&text[range.end..], NEAR));
    let before = {
        let mut start = before.len().saturating_sub(NEAR);
        while !before.is_char_boundary(start) {
            start += 1;
        }
        &before[start..]
    };
    let digits = &text[range.clone()];
    let word = last_word(before);
    if LABELS.contains(&word.as_str()) || before.trim_end().ends_with('第') {
        return false;
    }
    // `[1]` is a footnote, `10:30` a time.
    if before.ends_with(['[', '^']) && after.starts_with(']') || is_time(before, after) {
        return false;
    }
    let is_year = is_year(digits);
    if after.trim_start().starts_with('年') && digits.len() == 4 || after.starts_with('月') {
        return false;
    }
    if after.trim_start().starts_with(['日', '号', '號']) && before.trim_end().ends_with('月') {
        return false;
    }
    if is_month(&word) || is_month(&first_word(after)) && digits.len() <= 2 {
        return false;
    }
    // The year behind `December 31,`.
    let is_after_day = before.trim_end().ends_with(',')
        && before.split_whitespace().any(|it| is_month(&it.to_lowercase()));
    if is_year && (is_after_day || BEFORE_YEARS.contains(&word.as_str())) {
        return false;
    }
    !is_date(before, digits, after)
}

/// Returns the word at the end of a text, in lower case.
fn last_word(text: &str) -> String {
    let trimmed = text.trim_end();
    let start =
        trimmed.rfind(|it: char| it.is_whitespace() || matches!(it, '(' | '（' | ',' | '，' | '|'));
    let word = start.map_or(trimmed, |at| {
        trimmed[at..]
            .trim_start_matches(|it: char| !it.is_alphanumeric() && !matches!(it, '§' | '#' | '№'))
    });
    // Chinese has no spaces before `表3`.
    let last = word.chars().next_back().filter(|it| matches!(it, '第' | '表' | '图' | '圖'));
    match last.filter(|_| !word.ends_with("报表") && trimmed.len() == text.len()) {
        Some(last) => last.to_string(),
        None => word.to_lowercase(),
    }
}

fn first_word(text: &str) -> String {
    text.split_whitespace().next().unwrap_or_default().to_lowercase()
}

fn is_month(word: &str) -> bool {
    let letters = word.trim_end_matches(['.', ',']);
    let begins = MONTHS.iter().any(|month| letters.starts_with(month));
    const LONG: [&str; 13] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
        "sept",
    ];
    begins && (letters.len() == 3 || LONG.contains(&letters))
}

fn is_year(digits: &str) -> bool {
    digits.len() == 4 && digits.parse().is_ok_and(|year: u32| (1900..2100).contains(&year))
}

fn is_time(before: &str, after: &str) -> bool {
    let colon =
        |text: &str| text.starts_with(':') && text[1..].starts_with(|it: char| it.is_ascii_digit());
    let ends =
        before.strip_suffix(':').is_some_and(|it| it.ends_with(|it: char| it.is_ascii_digit()));
    ends || colon(after)
}

/// Returns `true` for a part of `2024-12-31`, `31.12.2024`, `2023/24` or `2023–2024`.
fn is_date(before: &str, digits: &str, after: &str) -> bool {
    let is_part = |it: char| it.is_ascii_digit() || matches!(it, '-' | '/' | '–' | '.');
    let start = before
        .rfind(|it| !is_part(it))
        .map_or(0, |at| at + before[at..].chars().next().map_or(0, char::len_utf8));
    let end = after.find(|it| !is_part(it)).unwrap_or(after.len());
    let token = format!("{}{digits}{}", &before[start..], &after[..end]);
    let parts: Vec<&str> =
        token.trim_matches(['-', '/', '–', '.']).split(['-', '/', '–', '.']).collect();
    if !parts.iter().all(|it| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit())) {
        return false;
    }
    match parts.as_slice() {
        [year, month, day] => {
            let is_short = |it: &str| it.len() <= 2;
            (is_year(year) && is_short(month) && is_short(day))
                || (is_short(year) && is_short(month) && is_year(day))
        }
        [first, second] => {
            is_year(first) && (is_year(second) || second.len() == 2) && !token.contains('.')
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        figures(text).into_iter().map(|(_, range)| text[range].trim()).collect()
    }

    #[test]
    fn figures_are_numbers_that_say_how_much() {
        for (text, expected) in [
            ("Revenue was 12.5% of 1,200 in 2024", &["12.5%", "1,200"][..]),
            ("2000 employees", &["2000"]),
            ("2024年收入为1,452.3万元", &["1,452.3万"]),
            ("2024年3月31日的余额是 5 万", &["5 万"]),
            ("第3条规定的违约金为5%", &["5%"]),
            ("表2显示12.5", &["12.5"]),
            ("on 2024-12-31 it was 7", &["7"]),
            ("on 31.12.2024, 31 December 2024 and December 31, 2024 it was 7", &["7"]),
            ("Table 2 on page 3, clause 7.2: 45 days", &["45"]),
            ("at 10:30 there were 5 [1]", &["5"]),
            ("10-15% a year", &["10", "15%"]),
            ("2023/24 and 2023–2024", &[]),
            ("3 years and 3个月", &["3", "3"]),
            ("Q3 2024", &[]),
        ] {
            assert_eq!(found(text), expected, "{text}");
        }
    }
}
