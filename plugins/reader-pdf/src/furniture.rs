//! Removes lines that are repeated at the same end of pages: running heads, page numbers, marks of confidentiality.

use crate::block::{Block, Page};
use std::collections::{HashMap, HashSet};

/// Number of blocks at each end of a page that may be such lines.
const DEPTH: usize = 3;

/// Fewest pages that are evidence.
const MIN_PAGES: usize = 3;

/// Longest line of this kind, in characters.
const MAX_LENGTH: usize = 200;

/// Most lines that a warning names.
const MAX_NAMED: usize = 5;

/// `true` for the top of a page, and a line without its numbers.
type Key = (bool, String);

/// The pages with a line.
#[derive(Default)]
struct Seen {
    /// Page number and the numbers in the line.
    numbers: Vec<(u64, Vec<u64>)>,
}

impl Seen {
    /// Returns whether the line is on most pages from the first to the last that have it. A chapter has its own line,
    /// and the left and the right pages of a book may have different ones. `printed` are the pages that are not empty.
    fn is_often(&self, printed: &[u64]) -> bool {
        let is_most = |of: fn(u64) -> bool| {
            let pages = || self.numbers.iter().map(|(page, _)| *page).filter(|page| of(*page));
            let (Some(first), Some(last)) = (pages().min(), pages().max()) else { return false };
            let all =
                printed.iter().filter(|page| (first..=last).contains(page) && of(**page)).count();
            pages().count() >= MIN_PAGES && pages().count() * 10 >= all * 6
        };
        let of_all = printed.len() >= MIN_PAGES && self.numbers.len() * 10 >= printed.len() * 6;
        of_all
            || is_most(|_| true)
            || is_most(|page| page % 2 == 0)
            || is_most(|page| page % 2 == 1)
    }

    /// Returns whether each number in the line is constant or counts with the pages. Nearly all pages are enough,
    /// because one page may be numbered on its own.
    fn is_steady(&self) -> bool {
        let Some((_, first)) = self.numbers.get(self.numbers.len() / 2) else { return true };
        (0..first.len()).all(|at| {
            let values = || {
                self.numbers.iter().filter_map(|(page, numbers)| Some((*page, *numbers.get(at)?)))
            };
            let Some((page, value)) = values().nth(self.numbers.len() / 2) else { return false };
            let same = values().filter(|(_, other)| *other == value).count();
            let counting = values()
                .filter(|(other, number)| number.wrapping_sub(*other) == value.wrapping_sub(page))
                .count();
            same.max(counting) * 10 >= self.numbers.len() * 8
        })
    }
}

/// Removes the repeated lines from the pages. Returns one of each as it was printed.
pub(crate) fn remove(pages: &mut [Page]) -> Vec<String> {
    let mut counts: HashMap<Key, Seen> = HashMap::new();
    let mut filled = Vec::new();
    for page in pages.iter().filter(|page| !page.blocks.is_empty()) {
        filled.push(page.number.into());
        let lines = |(is_top, at)| key(is_top, page.blocks.get(at)?);
        let mut found: Vec<(Key, Vec<u64>)> = ends(&page.blocks).filter_map(lines).collect();
        found.sort_unstable();
        found.dedup_by(|a, b| a.0 == b.0);
        for (key, numbers) in found {
            counts.entry(key).or_default().numbers.push((page.number.into(), numbers));
        }
    }
    // Most lines are on one page only.
    let repeated: HashSet<Key> = counts
        .into_iter()
        .filter(|(_, seen)| seen.numbers.len() > 1 && seen.is_often(&filled) && seen.is_steady())
        .map(|(key, _)| key)
        .collect();
    let gone: Vec<Vec<usize>> = pages.iter().map(|page| repeated_lines(page, &repeated)).collect();
    // A document that has only such lines keeps them.
    if gone.iter().zip(pages.iter()).all(|(gone, page)| gone.len() == page.blocks.len()) {
        return Vec::new();
    }
    let mut printed: Vec<String> = Vec::new();
    let mut named: HashSet<String> = HashSet::new();
    for (page, gone) in pages.iter_mut().zip(gone) {
        for block in gone.iter().filter_map(|at| page.blocks.get(*at)) {
            if let (Some(((_, line), _)), Some(text)) = (key(true, block), block.text())
                && named.insert(line)
            {
                printed.push(text.plain.clone());
            }
        }
        let mut at = 0;
        page.blocks.retain(|_| {
            at += 1;
            !gone.contains(&(at - 1))
        });
    }
    printed
}

/// Returns the blocks of a page that are repeated lines, from each edge inwards up to the first other block.
fn repeated_lines(page: &Page, repeated: &HashSet<Key>) -> Vec<usize> {
    let is_repeated = |is_top: bool, at: &usize| {
        page.blocks
            .get(*at)
            .and_then(|block| key(is_top, block))
            .is_some_and(|(key, _)| repeated.contains(&key))
    };
    let length = page.blocks.len();
    let mut gone: Vec<usize> =
        (0..DEPTH.min(length)).take_while(|at| is_repeated(true, at)).collect();
    let bottom = (length.saturating_sub(DEPTH).max(gone.len())..length).rev();
    gone.extend(bottom.take_while(|at| is_repeated(false, at)));
    gone
}

/// Returns the warnings for lines and page numbers that were left out.
pub(crate) fn warnings(printed: &[String], page_numbers: usize) -> Vec<String> {
    let mut parts: Vec<String> = printed
        .iter()
        .take(MAX_NAMED)
        .map(|line| format!("`{}`", line.replace('`', "'")))
        .collect();
    if printed.len() > MAX_NAMED {
        parts.push(format!("{} more", printed.len() - MAX_NAMED));
    }
    let mut warnings = Vec::new();
    if !parts.is_empty() {
        let lines = parts.join(", ");
        warnings
            .push(format!("what is repeated at the top or bottom of pages was left out: {lines}"));
    }
    if page_numbers > 0 {
        let pages = if page_numbers == 1 { "page" } else { "pages" };
        warnings.push(format!("page numbers were left out on {page_numbers} {pages}"));
    }
    warnings
}

/// Returns whether a block is `Page 3 of 7` or `第 3 页 / 共 7 页` without its numbers.
pub(crate) fn is_rest_of_number(block: &Block) -> bool {
    const RESTS: [&str; 8] = ["第页", "第页共页", "共页", "页", "page", "pageof", "of", "seitevon"];
    let Some(text) = block.text() else { return false };
    let rest: String = text
        .plain
        .chars()
        .filter(|character| !character.is_whitespace() && *character != '/')
        .collect();
    RESTS.contains(&rest.to_lowercase().as_str())
}

/// Returns the blocks at both ends of a page: `true` if the block is at the top, and its index.
fn ends(blocks: &[Block]) -> impl Iterator<Item = (bool, usize)> {
    let length = blocks.len();
    let top = (0..DEPTH.min(length)).map(|at| (true, at));
    let bottom = (length.saturating_sub(DEPTH)..length).map(|at| (false, at));
    top.chain(bottom)
}

/// Returns the key by which two lines are equal, and the numbers in the line. `Part 1` and `Part 2` are different as
/// headings.
fn key(is_top: bool, block: &Block) -> Option<(Key, Vec<u64>)> {
    let line = &block.text()?.plain;
    if let Block::Heading(..) = block {
        return Some(((is_top, line.clone()), Vec::new()));
    }
    if line.is_empty() || line.chars().count() > MAX_LENGTH {
        return None;
    }
    let mut key = String::with_capacity(line.len());
    let mut numbers = Vec::new();
    for character in line.chars() {
        let Some(digit) = character.to_digit(10) else {
            key.push(character);
            continue;
        };
        if !key.ends_with('#') {
            key.push('#');
            numbers.push(0);
        }
        if let Some(number) = numbers.last_mut() {
            *number = u64::wrapping_add(u64::wrapping_mul(*number, 10), digit.into());
        }
    }
    Some(((is_top, key), numbers))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inline;

    fn pages(lines: &[&[&str]]) -> Vec<Page> {
        let block = |line: &&str| Block::Paragraph(inline::plain(line));
        let page = |(number, lines): (u32, &&[&str])| Page {
            number,
            blocks: lines.iter().map(block).collect(),
            comments: Vec::new(),
        };
        (1..).zip(lines).map(page).collect()
    }

    fn left(pages: &[Page]) -> Vec<Vec<&str>> {
        let line = |block| Block::text(block).unwrap().plain.as_str();
        pages.iter().map(|page| page.blocks.iter().map(line).collect()).collect()
    }

    #[test]
    fn lines_of_most_pages_go_and_are_named_once() {
        let mut all = pages(&[
            &["Acme", "a", "b", "c", "d", "page 1 of 3"],
            &["Acme", "e", "f", "g", "h", "page 2 of 3"],
            &["i", "j", "k", "l", "Acme", "m", "n", "o", "page 3 of 3"],
        ]);
        assert_eq!(remove(&mut all), ["Acme", "page 1 of 3"]);
        assert_eq!(left(&all)[0], ["a", "b", "c", "d"]);
        // In the middle of a page the same line is text.
        assert_eq!(left(&all)[2], ["i", "j", "k", "l", "Acme", "m", "n", "o"]);
    }

    #[test]
    fn two_pages_are_too_few_and_half_is_not_most() {
        let mut all = pages(&[&["Acme", "a"], &["Acme", "b"]]);
        assert!(remove(&mut all).is_empty());
        let mut all = pages(&[&["Acme", "a"], &["b", "c"], &["Acme", "d"], &["e", "f"]]);
        assert!(remove(&mut all).is_empty());
    }

    #[test]
    fn numbers_that_do_not_count_with_the_pages_are_text() {
        let mut all =
            pages(&[&["Sum 17", "a"], &["Sum 5", "b"], &["Sum 80", "c"], &["Sum 3", "d"]]);
        assert!(remove(&mut all).is_empty());
        let mut all =
            pages(&[&["1 of 9, 2024", "a"], &["2 of 9, 2024", "b"], &["3 of 9, 2024", "c"]]);
        assert_eq!(remove(&mut all), ["1 of 9, 2024"]);
        let mut all = pages(&[&["Part 1", "a"], &["Part 2", "b"], &["Part 3", "c"]]);
        for page in &mut all {
            let title = page.blocks.remove(0);
            page.blocks.insert(0, Block::Heading(2, title.text().unwrap().clone()));
        }
        assert!(remove(&mut all).is_empty());
    }

    #[test]
    fn what_is_all_there_is_stays() {
        let mut all = pages(&[&["Page 1"], &["Page 2"], &["Page 3"]]);
        assert!(remove(&mut all).is_empty());
        assert_eq!(left(&all), [["Page 1"], ["Page 2"], ["Page 3"]]);
    }

    #[test]
    fn chapters_have_their_own() {
        let of =
            |chapter: &'static str, words: [&'static str; 4]| words.map(|word| [chapter, word]);
        let all = [
            of("One", ["a", "b", "c", "d"]),
            of("Two", ["e", "f", "g", "h"]),
            of("Three", ["i", "j", "k", "l"]),
        ];
        let all: Vec<&[&str]> = all.as_flattened().iter().map(|page| page.as_slice()).collect();
        let mut all = pages(&all);
        assert_eq!(remove(&mut all), ["One", "Two", "Three"]);
        assert_eq!(left(&all)[11], ["l"]);
    }

    #[test]
    fn left_and_right_pages_have_their_own() {
        let mut all = pages(&[
            &["Right", "a"],
            &["Left", "b"],
            &["Right", "c"],
            &["Left", "d"],
            &["Right", "e"],
            &["Left", "f"],
        ]);
        assert_eq!(remove(&mut all), ["Right", "Left"]);
        assert_eq!(left(&all), [["a"], ["b"], ["c"], ["d"], ["e"], ["f"]]);
    }

    #[test]
    fn the_warning_names_what_is_gone() {
        let lines: Vec<String> = (0..7).map(|number| format!("line {number}")).collect();
        assert!(warnings(&[], 0).is_empty());
        assert_eq!(warnings(&[], 1), ["page numbers were left out on 1 page"]);
        insta::assert_snapshot!(warnings(&lines, 3).join("\n"), @r"
        what is repeated at the top or bottom of pages was left out: `line 0`, `line 1`, `line 2`, `line 3`, `line 4`, 2 more
        page numbers were left out on 3 pages
        ");
    }
}
