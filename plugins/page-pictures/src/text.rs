//! Texts of a file in warnings.

/// Returns a text as one line of at most `most` characters, without control characters.
pub(crate) fn line(text: &str, most: usize) -> String {
    let clean = |c: char| if c.is_control() { ' ' } else { c };
    let mut out: String = text.chars().take(most).map(clean).collect();
    if text.chars().nth(most).is_some() {
        out.push('…');
    }
    out.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn a_text_becomes_one_short_line() {
        assert_eq!(line("a\nb\u{7}c ", 9), "a b c");
        assert_eq!(line("一二三四", 3), "一二三…");
    }
}
