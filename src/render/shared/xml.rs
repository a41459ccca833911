//! Escapes text for XML and HTML. All text of a document passes through here, so none of it becomes markup.

use super::losses::{LossKind, Losses};

/// Writes the text of an element, or of an attribute in double quotes, and records characters that XML cannot hold.
pub(crate) fn push_text(out: &mut String, text: &str, losses: &mut Losses) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            _ if is_legal(c) => out.push(c),
            _ => losses.record(LossKind::Character, &format!("U+{:04X}", u32::from(c))),
        }
    }
}

impl Losses {
    /// Records the characters of a text that the format cannot hold.
    pub(crate) fn record_illegal(&mut self, text: &str) {
        push_text(&mut String::new(), text, self);
    }
}

/// Returns `true` if XML 1.0 and HTML can hold a character. The controls from U+007F to U+009F are legal in XML, but nothing
/// shows them.
pub(crate) fn is_legal(c: char) -> bool {
    matches!(c, '\t' | '\n' | ' '..='\u{7E}' | '\u{A0}'..='\u{D7FF}' | '\u{E000}'..='\u{FDCF}' | '\u{FDF0}'..='\u{FFFD}')
        || (c > '\u{FFFF}' && u32::from(c) & 0xFFFE != 0xFFFE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_never_markup_and_never_illegal() {
        let mut losses = Losses::default();
        let mut out = String::new();
        push_text(
            &mut out,
            "a<b>&\"'c]]>\u{0}\u{1B}\u{7F}\u{85}\u{FFFE}\u{1FFFF}\r中🚀\t\n",
            &mut losses,
        );
        assert_eq!(out, "a&lt;b&gt;&amp;&quot;'c]]&gt;中🚀\t\n");
        insta::assert_snapshot!(losses.into_warnings().join("\n"), @"control characters are left out: `U+0000` (title), `U+001B` (title), `U+007F` (title), and 4 more");
    }
}
