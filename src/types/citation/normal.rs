//! Texts in the form in which quotations are compared: without spaces, Markdown, case, and differences of width.

/// Returns `true` for a character that has no meaning for a comparison: spaces, invisible characters, marks of Markdown.
fn is_dropped(character: char) -> bool {
    character.is_whitespace()
        || character.is_control()
        || matches!(character, '*' | '_' | '`' | '\\' | '~' | '|' | '#')
        || matches!(character, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
}

/// Returns the usual form of a character that is written in several ways.
fn folded(character: char) -> char {
    match character {
        // Full width.
        '\u{ff01}'..='\u{ff5e}' => {
            char::from_u32(u32::from(character) - 0xfee0).unwrap_or(character)
        }
        '‘' | '’' | '‚' | '′' => '\'',
        '“' | '”' | '„' | '«' | '»' | '「' | '」' | '『' | '』' | '″' => '"',
        '–' | '—' | '‐' | '‑' | '−' | '―' => '-',
        '。' => '.',
        '、' => ',',
        _ => character,
    }
}

/// Appends a text in its normal form.
pub(super) fn push_normal(out: &mut String, text: &str) {
    for character in text.chars().map(folded).filter(|it| !is_dropped(*it)) {
        if character.is_ascii() {
            out.push(character.to_ascii_lowercase())
        } else {
            out.extend(character.to_lowercase())
        }
    }
}

/// Returns a text in its normal form.
pub(super) fn normal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    push_normal(&mut out, text);
    out
}

/// Returns `true` if the parts stand in a text one after the other. The first begins before `end`. All are in normal form.
pub(super) fn stands_in(parts: &[String], text: &str, end: usize) -> bool {
    let Some((first, others)) = parts.split_first() else { return false };
    let Some(start) = text.find(first.as_str()).filter(|start| *start < end) else { return false };
    let mut at = start + first.len();
    for part in others {
        let Some(found) = text.get(at..).and_then(|rest| rest.find(part.as_str())) else {
            return false;
        };
        at += found + part.len();
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_read_the_same_are_the_same() {
        for (a, b) in [
            ("The  Supplier\nshall", "the supplier shall"),
            ("**Total** _2024_", "Total 2024"),
            ("ＡＢＣ１２％", "abc12%"),
            ("净利润，增长", "净利润, 增长"),
            ("co\u{ad}operate", "cooperate"),
            ("“it’s”", "\"it's\""),
            ("2023–2024", "2023-2024"),
        ] {
            assert_eq!(normal(a), normal(b), "{a} {b}");
        }
        assert_ne!(normal("45 days"), normal("46 days"));
    }

    #[test]
    fn parts_stand_in_their_order() {
        let text = normal("The supplier delivers the goods within 45 days.");
        let parts = |parts: &[&str]| parts.iter().map(|it| normal(it)).collect::<Vec<_>>();
        let end = text.len();
        assert!(stands_in(&parts(&["the supplier", "45 days"]), &text, end));
        assert!(!stands_in(&parts(&["45 days", "the supplier"]), &text, end));
        assert!(!stands_in(&parts(&["45 days"]), &text, 10));
        assert!(!stands_in(&[], &text, end));
    }
}
