//! Page numbers, and lines that are repeated at the ends of pages.
//!
//! A reader leaves out most of them. Those that it keeps would be noise, because they move when the text before them grows.

use super::block::{Block, Kind};
use mitt_guest::tables::wit::types::Place;
use std::collections::HashMap;

/// Blocks at each end of a page that may be such lines.
const DEPTH: usize = 2;
/// Fewest pages that are evidence of a repeated line.
const MIN_PAGES: u32 = 3;
/// Longest line of this kind, in bytes.
const MAX_BYTES: usize = 200;
/// Most numbers of a line, one of which may count the pages.
const MAX_NUMBERS: usize = 4;
/// Words around the number of a page.
const WORDS: [&str; 12] =
    ["page", "p", "of", "seite", "von", "s", "página", "de", "sur", "第", "页", "共"];

/// Returns `true` if a place is a page, which has ends.
pub(crate) fn is_page(label: &str) -> bool {
    label.starts_with("page ")
}

/// Returns the blocks that are page numbers or repeated lines. The first of equal lines stays, so that a changed header
/// is found.
pub(crate) fn find(text: &str, places: &[Place], blocks: &[Block]) -> Vec<usize> {
    let lines = ends_of_pages(text, places, blocks);
    let mut counts: HashMap<String, u32> = HashMap::new();
    for (_, page, line, _) in &lines {
        for key in keys(line, *page) {
            *counts.entry(key).or_default() += 1;
        }
    }
    let mut seen: HashMap<String, u32> = HashMap::new();
    let mut out = Vec::new();
    for (index, page, line, is_last) in lines {
        let repeated: Vec<String> = keys(line, page)
            .into_iter()
            .filter(|it| counts.get(it).is_some_and(|it| *it >= MIN_PAGES))
            .collect();
        let is_copy = repeated.iter().any(|it| seen.contains_key(it));
        for key in repeated {
            *seen.entry(key).or_default() += 1;
        }
        if is_copy || is_last && is_page_number(line, page) {
            out.push(index);
        }
    }
    out
}

/// Returns short blocks at the ends of pages: index, number of the page, text, and `true` if nothing stands beyond.
fn ends_of_pages<'t>(
    text: &'t str,
    places: &[Place],
    blocks: &[Block],
) -> Vec<(usize, u64, &'t str, bool)> {
    let mut out = Vec::new();
    let start = |offset: u64| blocks.partition_point(|it| u64::from(it.at) < offset);
    for (index, place) in places.iter().enumerate() {
        if !is_page(&place.label) {
            continue;
        }
        let number =
            place.label.trim_start_matches("page ").trim().parse().unwrap_or(index as u64 + 1);
        let (from, to) = (
            start(place.offset),
            places.get(index + 1).map_or(blocks.len(), |it| start(it.offset)),
        );
        let to = to.max(from);
        for (at, block) in (from..to).zip(&blocks[from..to]) {
            let is_near = at < from + DEPTH || at + DEPTH >= to;
            let line = text[block.range.start as usize..block.range.end as usize].trim();
            let is_short = line.len() <= MAX_BYTES && !line.contains('\n');
            if is_near && is_short && matches!(block.kind, Kind::Paragraph | Kind::Heading) {
                out.push((at, number, line, at == from || at + 1 == to));
            }
        }
    }
    out
}

/// Returns the line itself, and forms of it in which one number is relative to the page.
fn keys(line: &str, page: u64) -> Vec<String> {
    let mut out = vec![format!("={line}")];
    let mut rest = 0;
    for _ in 0..MAX_NUMBERS {
        let Some(start) = line[rest..].find(|it: char| it.is_ascii_digit()).map(|it| it + rest)
        else {
            break;
        };
        let end =
            line[start..].find(|it: char| !it.is_ascii_digit()).map_or(line.len(), |it| it + start);
        if let Ok(number) = line[start..end].parse::<i64>() {
            let page = i64::try_from(page).unwrap_or(i64::MAX);
            out.push(format!(
                "~{}\u{0}{}\u{0}{}",
                &line[..start],
                number.wrapping_sub(page),
                &line[end..]
            ));
        }
        rest = end;
    }
    out
}

/// Returns `true` for a line such as `12`, `- 12 -`, `Page 12 of 30` or `第 12 页` on page 12.
fn is_page_number(line: &str, page: u64) -> bool {
    let mut words = line.split(|it: char| !it.is_alphanumeric()).filter(|it| !it.is_empty());
    let mut is_own = false;
    let is_all = words.all(|word| {
        let word = word.trim_start_matches(['第', '共']).trim_end_matches('页');
        let number = word.parse::<u64>();
        is_own |= number.as_ref() == Ok(&page);
        number.is_ok() || word.is_empty() || WORDS.contains(&word.to_lowercase().as_str())
    });
    is_all && is_own
}

#[cfg(test)]
mod tests {
    use super::is_page_number;

    #[test]
    fn numbers_of_pages_are_known() {
        for line in ["1", "- 1 -", "Page 1", "第 1 页 共 9 页", "第1页", "Seite 1 von 9"] {
            assert!(is_page_number(line, 1) && !is_page_number(line, 2), "{line}");
        }
        assert!(!is_page_number("Chapter 1", 1) && !is_page_number("2024", 1));
    }
}
