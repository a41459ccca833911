//! Shows a change of a text: the words around it, before and after.

use super::normal::{self, hash};
use super::sequence::{Budget, align};
use std::ops::Range;

/// Most characters of a side.
pub(crate) const MAX_SIDE: usize = 300;
/// Bytes of context on each side of a change.
const CONTEXT: usize = 40;
/// Most bytes of a text that is cut into words to find its changes.
const MAX_CUT: usize = 200_000;
/// Most bytes of a word at the end of what two texts share.
const MAX_WORD: usize = 100;
/// Most characters that one change shows.
const MAX_CHANGE: usize = 160;

/// A change, in bytes of both texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hunk {
    old: Range<usize>,
    new: Range<usize>,
}

/// Returns the changes of two texts by words.
///
/// What both ends share is left out first. If the rest is too long for the budget, it is one change.
pub(crate) fn hunks(old: &str, new: &str, budget: &mut Budget) -> Vec<Hunk> {
    let (start, end) = shared_ends(old, new);
    let (old_rest, new_rest) = (start..old.len() - end, start..new.len() - end);
    let longest = old_rest.len().max(new_rest.len());
    if longest > MAX_CUT || !budget.may_cut(old_rest.len() + new_rest.len()) {
        return vec![Hunk { old: old_rest, new: new_rest }];
    }
    let mut out = words(&old[old_rest], &new[new_rest], budget);
    for hunk in &mut out {
        hunk.old = hunk.old.start + start..hunk.old.end + start;
        hunk.new = hunk.new.start + start..hunk.new.end + start;
    }
    out
}

/// Returns the lengths of the words that two texts share at their beginning and at their end.
fn shared_ends(old: &str, new: &str) -> (usize, usize) {
    let n_bytes = old.bytes().zip(new.bytes()).take_while(|(a, b)| a == b).count();
    let is_break = |at: &usize| old.is_char_boundary(*at) && old[..*at].ends_with(' ');
    let start = (n_bytes.saturating_sub(MAX_WORD)..=n_bytes).rev().find(is_break).unwrap_or(0);
    let (a, b) = (&old[start..], &new[start..]);
    let n_bytes = a.bytes().rev().zip(b.bytes().rev()).take_while(|(a, b)| a == b).count();
    let is_break =
        |it: &usize| a.is_char_boundary(a.len() - it) && a[a.len() - it..].starts_with(' ');
    let end = (n_bytes.saturating_sub(MAX_WORD)..=n_bytes).rev().find(is_break).unwrap_or(0);
    (start, end)
}

/// Returns the changes of two texts by words.
fn words(old: &str, new: &str, budget: &mut Budget) -> Vec<Hunk> {
    let tokens = |text: &str| -> (Vec<u64>, Vec<usize>) {
        let (mut hashes, mut starts, mut at) = (Vec::new(), Vec::new(), 0);
        for word in normal::words(text) {
            hashes.push(hash(word));
            starts.push(at);
            at += word.len();
        }
        starts.push(at);
        (hashes, starts)
    };
    let ((old_words, old_at), (new_words, new_at)) = (tokens(old), tokens(new));
    let gaps = align(&old_words, &new_words, budget).gaps(old_words.len(), new_words.len());
    let mut out: Vec<Hunk> = Vec::new();
    for gap in gaps {
        let hunk = Hunk {
            old: old_at[gap.old.start]..old_at[gap.old.end],
            new: new_at[gap.new.start]..new_at[gap.new.end],
        };
        match out.last_mut() {
            // Changes with only a space or a sign between them read better as one.
            Some(last) if !old[last.old.end..hunk.old.start].contains(char::is_alphanumeric) => {
                last.old.end = hunk.old.end;
                last.new.end = hunk.new.end;
            }
            _ => out.push(hunk),
        }
    }
    out
}

/// Returns both texts, shortened around their changes.
pub(crate) fn change(old: &str, new: &str, budget: &mut Budget) -> (String, String) {
    let hunks = hunks(old, new, budget);
    let (mut parts, mut n_shown): (Vec<Hunk>, usize) = (Vec::new(), 0);
    let mut shown: Vec<Vec<Hunk>> = Vec::new();
    for hunk in &hunks {
        let around = Hunk { old: around(old, &hunk.old), new: around(new, &hunk.new) };
        match parts.last_mut() {
            Some(last) if around.old.start <= last.old.end || around.new.start <= last.new.end => {
                last.old.end = around.old.end;
                last.new.end = around.new.end;
                if let Some(last) = shown.last_mut() {
                    last.push(hunk.clone());
                }
            }
            _ => {
                parts.push(around);
                shown.push(vec![hunk.clone()]);
            }
        }
    }
    let (mut before, mut after) = (Side::new(old), Side::new(new));
    for (part, hunks) in parts.iter().zip(&shown) {
        if n_shown > 0 && (before.length >= MAX_SIDE || after.length >= MAX_SIDE) {
            break;
        }
        before.push(&part.old, hunks.iter().map(|it| &it.old));
        after.push(&part.new, hunks.iter().map(|it| &it.new));
        n_shown += hunks.len();
    }
    let rest = match hunks.len() - n_shown {
        0 => String::new(),
        1 => " (and 1 more change)".to_owned(),
        rest => format!(" (and {rest} more changes)"),
    };
    (before.end(), after.end() + &rest)
}

/// Returns a range with words around it.
fn around(text: &str, range: &Range<usize>) -> Range<usize> {
    let start = text.floor_char_boundary(range.start.saturating_sub(CONTEXT));
    let end = text.floor_char_boundary(range.end + CONTEXT).max(range.end);
    // Whole words, unless the text has no spaces.
    let start = match text[start..range.start].find(' ') {
        Some(space) if start > 0 => start + space + 1,
        _ => start,
    };
    let end = match text[range.end..end].rfind(' ') {
        Some(space) if end < text.len() => range.end + space,
        _ => end,
    };
    start..end
}

/// One side of a change while it is written.
struct Side<'a> {
    text: &'a str,
    out: String,
    length: usize,
    end: usize,
}

impl<'a> Side<'a> {
    fn new(text: &'a str) -> Side<'a> {
        Side { text, out: String::new(), length: 0, end: 0 }
    }

    fn push<'h>(&mut self, part: &Range<usize>, hunks: impl Iterator<Item = &'h Range<usize>>) {
        if part.start > self.end {
            self.out.push_str(if self.out.is_empty() { "…" } else { " … " });
        }
        let mut at = part.start;
        for hunk in hunks {
            self.write(&self.text[at..hunk.start]);
            self.write(&shortened(&self.text[hunk.clone()], MAX_CHANGE));
            at = hunk.end;
        }
        self.write(&self.text[at..part.end.max(at)]);
        self.end = part.end.max(at);
    }

    fn write(&mut self, text: &str) {
        self.length += text.chars().count();
        self.out.push_str(text);
    }

    fn end(mut self) -> String {
        if self.end < self.text.len() {
            self.out.push('…');
        }
        shortened(self.out.trim(), MAX_SIDE * 2)
    }
}

/// Returns a text of at most so many characters: its beginning and its end.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    if text.len() <= most || text.chars().count() <= most {
        return text.to_owned();
    }
    let (head, tail) = (most * 2 / 3, most / 3 - 1);
    let head: String = text.chars().take(head).collect();
    let tail_at = text.char_indices().rev().nth(tail - 1).map_or(0, |it| it.0);
    format!("{}…{}", head.trim_end(), text[tail_at..].trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(old: &str, new: &str) -> (String, String) {
        change(old, new, &mut Budget::new())
    }

    #[test]
    fn a_change_is_shown_with_the_words_around_it() {
        let text = |days: &str| {
            format!(
                "{}the term of {days} days after the invoice {}",
                "before ".repeat(20),
                "after ".repeat(20)
            )
        };
        let (before, after) = shown(&text("30"), &text("45"));
        assert!(before.contains("the term of 30 days") && before.len() < 120, "{before}");
        assert!(
            after.contains("the term of 45 days") && after.starts_with('…') && after.ends_with('…'),
            "{after}"
        );
        assert_eq!(
            shown("costs 1.50 EUR", "costs 1.5 EUR"),
            ("costs 1.50 EUR".into(), "costs 1.5 EUR".into())
        );
        assert_eq!(shown("净利润增长", "净利润下降"), ("净利润增长".into(), "净利润下降".into()));
        assert_eq!(shown("a", ""), ("a".into(), String::new()));
    }

    #[test]
    fn many_and_long_changes_are_counted() {
        let text = |n: u32| {
            (0..40)
                .map(|at| format!("x{} {} ", at * n, "same words stand here and there ".repeat(4)))
                .collect::<String>()
        };
        let (before, after) = shown(&text(1), &text(2));
        assert!(before.chars().count() < 700 && after.contains("more changes"), "{after}");
        let (before, after) = shown("a b", &format!("a {} b", "new ".repeat(10_000)));
        assert!(before == "a b" && after.chars().count() < 300, "{after}");
        assert_eq!(shortened(&"年".repeat(301), 300).chars().count(), 300);
    }
}
