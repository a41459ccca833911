//! Differences of two texts by words, and of two sequences.

use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::ops::Range;

/// Most products of two lengths that are compared exactly; beyond, only what both ends share is equal.
const MAX_PRODUCT: usize = 60_000_000;

/// A range of the old text and what comes there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hunk {
    pub(crate) old: Range<usize>,
    pub(crate) new: Range<usize>,
}

/// Splits a text into words, white space and single other characters. Returns the offsets where tokens begin, and the
/// end.
pub(crate) fn tokens(text: &str) -> Vec<Range<usize>> {
    let mut out: Vec<Range<usize>> = Vec::new();
    let mut last = Class::Other;
    for (at, it) in text.char_indices() {
        let class = class(it);
        let end = at + it.len_utf8();
        match out.last_mut() {
            Some(token) if class == last && class != Class::Other => token.end = end,
            _ => out.push(at..end),
        }
        last = class;
    }
    out
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Word,
    Space,
    Other,
}

fn class(it: char) -> Class {
    // Chinese, Japanese and Korean have no spaces, so each character is a word.
    let is_ideograph = matches!(it, '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}');
    if it.is_whitespace() && !matches!(it, '\t' | '\n' | '\u{c}') {
        Class::Space
    } else if it.is_alphanumeric() && !is_ideograph || it == '_' {
        Class::Word
    } else {
        Class::Other
    }
}

/// Returns a character in the form in which models write it: straight quotes, plain spaces and hyphens.
pub(crate) fn plain(it: char) -> char {
    match it {
        '\u{a0}' | '\u{202f}' | '\u{2007}' | '\u{2009}' => ' ',
        '\u{2018}' | '\u{2019}' | '\u{201a}' | '\u{201b}' => '\'',
        '\u{201c}' | '\u{201d}' | '\u{201e}' | '\u{201f}' => '"',
        '\u{2010}' | '\u{2011}' | '\u{2012}' | '\u{2013}' => '-',
        other => other,
    }
}

/// Compares two slices. Equal parts come as pairs of ranges.
pub(crate) fn compare<T: Eq + std::hash::Hash + Ord>(old: &[T], new: &[T]) -> Vec<DiffOp> {
    let prefix = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old_rest, new_rest) = (&old[prefix..], &new[prefix..]);
    let suffix =
        old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(a, b)| a == b).count();
    let old_rest = &old_rest[..old_rest.len() - suffix];
    let new_rest = &new_rest[..new_rest.len() - suffix];
    let mut ops = Vec::new();
    if prefix > 0 {
        ops.push(DiffOp::Equal { old_index: 0, new_index: 0, len: prefix });
    }
    if old_rest.len().saturating_mul(new_rest.len()) > MAX_PRODUCT {
        ops.push(DiffOp::Replace {
            old_index: prefix,
            old_len: old_rest.len(),
            new_index: prefix,
            new_len: new_rest.len(),
        });
    } else {
        // The ranges are counted here, because those of a deletion may point to another place of the new side.
        let (mut old_index, mut new_index) = (prefix, prefix);
        for op in capture_diff_slices(Algorithm::Myers, old_rest, new_rest) {
            let (tag, old_range, new_range) = op.as_tag_tuple();
            let (old_len, new_len) = match tag {
                similar::DiffTag::Equal | similar::DiffTag::Replace => {
                    (old_range.len(), new_range.len())
                }
                similar::DiffTag::Delete => (old_range.len(), 0),
                similar::DiffTag::Insert => (0, new_range.len()),
            };
            ops.push(match tag {
                similar::DiffTag::Equal => DiffOp::Equal { old_index, new_index, len: old_len },
                _ => DiffOp::Replace { old_index, old_len, new_index, new_len },
            });
            old_index += old_len;
            new_index += new_len;
        }
    }
    if suffix > 0 {
        ops.push(DiffOp::Equal {
            old_index: old.len() - suffix,
            new_index: new.len() - suffix,
            len: suffix,
        });
    }
    ops
}

/// Returns the places where two texts differ, by words, in order. With `is_lenient`, characters that models write in
/// another form are equal, and keep the form of the old text.
pub(crate) fn words(old: &str, new: &str, is_lenient: bool) -> Vec<Hunk> {
    let (old_tokens, new_tokens) = (tokens(old), tokens(new));
    let form = |text: &str, range: &Range<usize>| -> String {
        let token = &text[range.clone()];
        if is_lenient { token.chars().map(plain).collect() } else { token.to_owned() }
    };
    let old_forms: Vec<String> = old_tokens.iter().map(|it| form(old, it)).collect();
    let new_forms: Vec<String> = new_tokens.iter().map(|it| form(new, it)).collect();
    let at = |tokens: &[Range<usize>], index: usize, end: usize| {
        tokens.get(index).map_or(end, |it| it.start)
    };
    let mut hunks: Vec<Hunk> = Vec::new();
    for op in compare(&old_forms, &new_forms) {
        let (tag, old_range, new_range) = op.as_tag_tuple();
        if tag == similar::DiffTag::Equal {
            continue;
        }
        let hunk = Hunk {
            old: at(&old_tokens, old_range.start, old.len())
                ..at(&old_tokens, old_range.end, old.len()),
            new: at(&new_tokens, new_range.start, new.len())
                ..at(&new_tokens, new_range.end, new.len()),
        };
        match hunks.last_mut() {
            // Changes with only a space between them read better as one.
            Some(last)
                if old[last.old.end..hunk.old.start].chars().all(|it| it == ' ')
                    && (hunk.old.start - last.old.end <= 1) =>
            {
                last.old.end = hunk.old.end;
                last.new.end = hunk.new.end;
            }
            _ => hunks.push(hunk),
        }
    }
    if hunks.len() > 1 && is_scattered(old, new, &hunks) {
        let (first, last) = (hunks[0].clone(), hunks[hunks.len() - 1].clone());
        hunks =
            vec![Hunk { old: first.old.start..last.old.end, new: first.new.start..last.new.end }];
    }
    hunks
}

/// Returns `true` if so few words stay between the changes that one change reads better.
fn is_scattered(old: &str, new: &str, hunks: &[Hunk]) -> bool {
    let count = |text: &str| text.chars().filter(|it| it.is_alphanumeric()).count();
    let (first, last) = (&hunks[0], &hunks[hunks.len() - 1]);
    let all =
        count(&old[first.old.start..last.old.end]).max(count(&new[first.new.start..last.new.end]));
    let gone: usize = hunks.iter().map(|it| count(&old[it.old.clone()])).sum();
    let kept = count(&old[first.old.start..last.old.end]) - gone;
    kept * 4 < all
}

/// Returns how much two texts share, from 0 to 1: words in common, counted twice, of all words.
pub(crate) fn similarity(old: &[&str], new: &[&str]) -> f64 {
    if old.is_empty() && new.is_empty() {
        return 1.0;
    }
    let mut counts = std::collections::HashMap::new();
    for word in old {
        *counts.entry(*word).or_insert(0_usize) += 1;
    }
    let mut common = 0;
    for word in new {
        if let Some(count) = counts.get_mut(word).filter(|it| **it > 0) {
            *count -= 1;
            common += 1;
        }
    }
    2.0 * common as f64 / (old.len() + new.len()) as f64
}

/// Finds a text: exactly, or if that is not there, in the form in which models write quotes, spaces and hyphens. Returns
/// all places that do not overlap, and whether they were found in the other form.
pub(crate) fn find_all(text: &str, wanted: &str) -> (Vec<Range<usize>>, bool) {
    let exact: Vec<Range<usize>> =
        text.match_indices(wanted).map(|(at, found)| at..at + found.len()).collect();
    if !exact.is_empty() || wanted.is_empty() {
        return (exact, false);
    }
    let mut offsets = Vec::new();
    let mut form = String::new();
    for (at, it) in text.char_indices() {
        let start = form.len();
        form.push(plain(it));
        offsets.push((start, at));
    }
    offsets.push((form.len(), text.len()));
    let back =
        |at: usize| offsets.binary_search_by_key(&at, |it| it.0).ok().map(|index| offsets[index].1);
    let wanted: String = wanted.chars().map(plain).collect();
    let found = form
        .match_indices(&wanted)
        .filter_map(|(at, part)| Some(back(at)?..back(at + part.len())?))
        .collect();
    (found, true)
}
