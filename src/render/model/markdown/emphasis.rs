//! Corrects `**` and `~~` beside Chinese punctuation before the text is parsed, so that they mean what the author meant.
//!
//! CommonMark decides from the neighbours of a run of `*` whether it opens or closes. Its rule expects spaces around
//! punctuation, which Chinese does not have, so `**真，**她` keeps its asterisks
//! (<https://github.com/commonmark/commonmark-spec/issues/650>). A character that is neither space nor punctuation, inserted
//! between the run and the punctuation, makes the rule see two letters; it is removed afterwards. It may end up in code as
//! well, and is removed there too, so this pass need not know what code is.

use std::collections::BTreeSet;

use super::super::cjk::{is_cjk, is_punctuation};

/// Text for the parser.
pub(super) struct Prepared {
    pub(super) text: String,
    /// The character to remove from everything that was parsed.
    pub(super) sentinel: char,
}

/// Normalises line breaks, drops control characters, and inserts sentinels beside runs of `*` and `~`.
pub(super) fn prepare(source: &str) -> Prepared {
    let sentinel = unused(source);
    let clean = clean(source);
    let mut text = String::with_capacity(clean.len() + 16);
    let mut rest = clean.as_str();
    let mut before = None;
    while let Some(c) = rest.chars().next() {
        if c != '*' && c != '~' {
            text.push(c);
            before = Some(c);
            rest = &rest[c.len_utf8()..];
            continue;
        }
        let len = rest.find(|next| next != c).unwrap_or(rest.len());
        let (run, tail) = rest.split_at(len);
        let (left, right) = sentinels(before, tail.chars().next());
        if left {
            text.push(sentinel);
        }
        text.push_str(run);
        if right {
            text.push(sentinel);
        }
        before = Some(c);
        rest = tail;
    }
    Prepared { text, sentinel }
}

/// Returns a private-use character that is not in the text. If all of them are, the first one is removed from the text.
fn unused(source: &str) -> char {
    const FIRST: char = '\u{E0F0}';
    const LAST: char = '\u{F8FF}';
    let used: BTreeSet<char> = source.chars().filter(|c| (FIRST..=LAST).contains(c)).collect();
    (FIRST..=LAST).find(|c| !used.contains(c)).unwrap_or(FIRST)
}

/// Returns whether a sentinel is needed before and after a run between these two characters.
fn sentinels(before: Option<char>, after: Option<char>) -> (bool, bool) {
    let (Some(before), Some(after)) = (before, after) else { return (false, false) };
    // An escaped run is no run, and a sentinel after the backslash would undo the escape.
    let is_plain = |c: char| c.is_whitespace() || c == '\\';
    if is_plain(before)
        || is_plain(after)
        || !(is_cjk(before) || is_cjk(after) || is_quote(before) || is_quote(after))
    {
        return (false, false);
    }
    match (is_punctuation(before), is_punctuation(after)) {
        (true, false) => (true, false),
        (false, true) => (false, true),
        _ => (false, false),
    }
}

/// Returns `true` for quotation marks and dashes that Chinese shares with Latin.
fn is_quote(c: char) -> bool {
    matches!(c, '‘' | '’' | '“' | '”' | '…' | '—')
}

fn clean(source: &str) -> String {
    let mut text = String::with_capacity(source.len());
    let mut chars = source.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\r' => {
                if chars.peek() != Some(&'\n') {
                    text.push('\n');
                }
            }
            '\n' | '\t' => text.push(c),
            // Authors use line and paragraph separators as line breaks.
            '\u{2028}' | '\u{2029}' => text.push('\n'),
            '\u{FEFF}' => {}
            c if c.is_control() => {}
            c => text.push(c),
        }
    }
    text
}
