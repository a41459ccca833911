//! Break opportunities in long words.

use super::scripts::{is_without_spaces, may_part};

/// Most bytes of the scheme, such as `https`, at the beginning of an address.
const MAX_SCHEME: usize = 12;

/// Returns `text` with break opportunities in words of more than `limit` characters, so that none exceeds the margin.
pub(crate) fn breakable(text: &str, limit: usize) -> String {
    const ZERO_WIDTH_SPACE: char = '\u{200B}';
    let is_inside = |c: char| !c.is_whitespace() && c < '\u{2E80}' && !is_without_spaces(c);
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(|c| !is_inside(c)).unwrap_or(rest.len());
        let (word, tail) = rest.split_at(end);
        if word.chars().count() <= limit {
            out.push_str(word);
        } else {
            let mut since = 0;
            // The typesetter breaks an address correctly if it recognises the beginning.
            let begin = word.find("://").filter(|at| *at <= MAX_SCHEME).map_or(0, |at| at + 3);
            out.push_str(&word[..begin]);
            let mut letters = word[begin..].chars().peekable();
            while let Some(c) = letters.next() {
                out.push(c);
                since += 1;
                let is_due = since >= (limit / 2).max(1)
                    || (since >= 4
                        && matches!(c, '/' | '_' | '-' | '.' | '&' | '?' | '=' | ':' | ',' | '\\'));
                if is_due && letters.peek().is_none_or(|after| may_part(c, *after)) {
                    out.push(ZERO_WIDTH_SPACE);
                    since = 0;
                }
            }
        }
        let other = tail.chars().next().map_or(0, char::len_utf8);
        out.push_str(&tail[..other]);
        rest = &tail[other..];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_break_between_letters_only() {
        assert_eq!(breakable("abcdef", 4), "ab\u{200B}cd\u{200B}ef\u{200B}");
        // A vowel sign stays with its letter.
        assert_eq!(breakable("ककिक", 2), "क\u{200B}कि\u{200B}क\u{200B}");
        // Scripts without spaces between words, and scripts that join letters, are left alone.
        for word in ["ภาษาไทยภาษาไทย", "العربية"] {
            assert!(
                !breakable(word, 4).trim_end_matches('\u{200B}').contains('\u{200B}'),
                "{word}"
            );
        }
    }
}
