//! Fields of a message: folded lines (RFC 5322), words in other scripts (RFC 2047), and parameters (RFC 2231).
//!
//! Values were checked before: none has a line break.

use std::fmt::Write as _;

use crate::address::Address;
use crate::encode::base64;

/// Columns after which a line is folded.
const COLUMNS: usize = 76;
/// Most characters of an encoded word, and what is around its text.
const MAX_ENCODED_WORD: usize = 75;
const MARKS: usize = "=?UTF-8?B??=".len();

/// Returns the field of a text such as a subject.
pub(crate) fn text(name: &str, value: &str) -> String {
    let mut line = Line::new(name);
    if needs_encoding(value) {
        for word in encoded_words(value, COLUMNS.saturating_sub(line.column + 1)) {
            line.push(&word);
        }
    } else {
        value.split(' ').filter(|word| !word.is_empty()).for_each(|word| line.push(word));
    }
    line.end()
}

/// Returns the field of a list of values that have no spaces, such as message IDs.
pub(crate) fn tokens<'a>(name: &str, values: impl IntoIterator<Item = &'a str>) -> String {
    let mut line = Line::new(name);
    values.into_iter().for_each(|value| line.push(value));
    line.end()
}

/// Returns the field of addresses.
pub(crate) fn addresses(name: &str, addresses: &[Address]) -> String {
    let mut line = Line::new(name);
    for (index, address) in addresses.iter().enumerate() {
        let comma = if index + 1 < addresses.len() { "," } else { "" };
        match &address.name {
            Some(name) => {
                for word in phrase(name, COLUMNS.saturating_sub(line.column + 1)) {
                    line.push(&word);
                }
                line.push(&format!("<{}>{comma}", address.mailbox()));
            }
            None => line.push(&format!("{}{comma}", address.mailbox())),
        }
    }
    line.end()
}

/// Returns `Content-Type` of a file.
///
/// Its name is here for old programs, as an encoded word; [`disposition`] has the exact one.
pub(crate) fn content_type(media_type: &str, file_name: &str) -> String {
    let mut out = format!("Content-Type: {media_type};\r\n name=\"");
    if needs_encoding(file_name) {
        let words = encoded_words(file_name, MAX_ENCODED_WORD - 7);
        out.push_str(&words.join("\r\n "));
    } else {
        out.push_str(&escaped(file_name));
    }
    out.push_str("\"\r\n");
    out
}

/// Returns `Content-Disposition` of a file.
pub(crate) fn disposition(kind: &str, file_name: &str) -> String {
    /// Columns of a piece of a name; its key comes before it.
    const PIECE: usize = COLUMNS - 18;
    if file_name.len() < PIECE && !needs_encoding(file_name) {
        return format!("Content-Disposition: {kind};\r\n filename=\"{}\"\r\n", escaped(file_name));
    }
    let mut pieces = vec!["UTF-8''".to_owned()];
    // Many parsers decode each piece for itself, so a character is in one piece.
    for c in file_name.chars() {
        let mut encoded = String::new();
        if c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_') {
            encoded.push(c);
        } else {
            for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                let _ = write!(encoded, "%{byte:02X}");
            }
        }
        match pieces.last_mut() {
            Some(piece) if piece.len() + encoded.len() <= PIECE => piece.push_str(&encoded),
            _ => pieces.push(encoded),
        }
    }
    let mut out = format!("Content-Disposition: {kind}");
    if let [only] = &*pieces {
        let _ = write!(out, ";\r\n filename*={only}");
    } else {
        for (index, piece) in pieces.iter().enumerate() {
            let _ = write!(out, ";\r\n filename*{index}*={piece}");
        }
    }
    out.push_str("\r\n");
    out
}

/// Returns the words of a display name: as it is, quoted or encoded. The first has `room` columns.
fn phrase(name: &str, room: usize) -> Vec<String> {
    if needs_encoding(name) {
        return encoded_words(name, room);
    }
    let is_atom = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-/=?^_`{|}~".contains(c);
    let words: Vec<String> = name.split(' ').map(str::to_owned).collect();
    if words.iter().all(|word| !word.is_empty() && word.chars().all(is_atom)) {
        return words;
    }
    // Folding adds no space, so a quoted string may be folded between its words.
    let quoted = format!("\"{}\"", escaped(name));
    quoted.split(' ').map(str::to_owned).collect()
}

/// Returns a text for a quoted string.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

/// Returns `true` if a text cannot stand in a field as it is: it has other characters, looks encoded, has spaces that
/// folding would lose, or a word too long for a line.
fn needs_encoding(text: &str) -> bool {
    !text.bytes().all(|byte| (b' '..=b'~').contains(&byte))
        || text.contains("=?")
        || text.contains("  ")
        || text.starts_with(' ')
        || text.ends_with(' ')
        || text.split(' ').any(|word| word.len() > MAX_ENCODED_WORD - 7)
}

/// Returns a text as encoded words of whole characters. The first has `room` columns if that is enough for a character.
fn encoded_words(text: &str, room: usize) -> Vec<String> {
    let bytes_of = |columns: usize| columns.saturating_sub(MARKS) / 4 * 3;
    let full = bytes_of(MAX_ENCODED_WORD);
    let first = bytes_of(room.min(MAX_ENCODED_WORD));
    // Another line gives more than a few letters at the end of this one.
    let mut limit = if first < 12 { full } else { first };
    let mut words = Vec::new();
    let mut chunk = String::new();
    for c in text.chars() {
        if chunk.len() + c.len_utf8() > limit {
            words.push(std::mem::take(&mut chunk));
            limit = full;
        }
        chunk.push(c);
    }
    words.push(chunk);
    words.iter().map(|word| format!("=?UTF-8?B?{}?=", base64(word.as_bytes()))).collect()
}

/// A field whose lines are folded between words.
struct Line {
    out: String,
    column: usize,
    is_empty: bool,
}

impl Line {
    fn new(name: &str) -> Self {
        Self { out: format!("{name}:"), column: name.len() + 1, is_empty: true }
    }

    fn push(&mut self, word: &str) {
        // A first line without a value is allowed but some programs do not read it.
        if self.column + 1 + word.len() > COLUMNS && !self.is_empty {
            self.out.push_str("\r\n");
            self.column = 0;
        }
        self.out.push(' ');
        self.out.push_str(word);
        self.column += 1 + word.len();
        self.is_empty = false;
    }

    fn end(mut self) -> String {
        self.out.push_str("\r\n");
        self.out
    }
}

#[cfg(test)]
mod tests {
    use super::{addresses, content_type, disposition, text, tokens};
    use crate::address::Address;

    fn one(input: &str) -> String {
        let address = Address::parse("to[0]", input).unwrap();
        addresses("To", &[address])
    }

    #[test]
    fn short_subjects_stay() {
        assert_eq!(text("Subject", "Budget 2026"), "Subject: Budget 2026\r\n");
        assert_eq!(text("Subject", ""), "Subject:\r\n");
    }

    #[test]
    fn other_subjects_are_encoded_words() {
        assert_eq!(text("Subject", "季度报告"), "Subject: =?UTF-8?B?5a2j5bqm5oql5ZGK?=\r\n");
        for unusual in ["=?UTF-8?B?eA==?=", "a  b", &"x".repeat(100)] {
            assert!(text("Subject", unusual).starts_with("Subject: =?UTF-8?B?"), "{unusual}");
        }
    }

    #[test]
    fn long_fields_are_folded() {
        for long in
            ["word ".repeat(180).trim(), &"季度报告".repeat(60), &"x".repeat(900), &"😀".repeat(99)]
        {
            let field = text("Subject", long);
            assert!(field.lines().count() > 5);
            for line in field.lines() {
                assert!(line.len() <= 76, "{line}");
                assert!(!line.trim().is_empty());
            }
            assert!(field.lines().skip(1).all(|line| line.starts_with(' ')));
        }
        let ids: Vec<_> = (0..20).map(|n| format!("<{n}.abcdefghijklmnop@example.com>")).collect();
        let field = tokens("References", ids.iter().map(String::as_str));
        assert!(field.lines().all(|line| line.len() <= 76));
    }

    #[test]
    fn display_names() {
        for (input, expected) in [
            ("anna@example.com", "To: anna@example.com\r\n"),
            ("Anna Li <anna@example.com>", "To: Anna Li <anna@example.com>\r\n"),
            ("Li, Anna (HR) <a@example.com>", "To: \"Li, Anna (HR)\" <a@example.com>\r\n"),
            ("\"A \\\"B\\\" C\" <a@example.com>", "To: \"A \\\"B\\\" C\" <a@example.com>\r\n"),
            ("李娜 <a@example.com>", "To: =?UTF-8?B?5p2O5aic?= <a@example.com>\r\n"),
        ] {
            assert_eq!(one(input), expected);
        }
    }

    #[test]
    fn names_of_files() {
        assert_eq!(
            disposition("attachment", "a b.pdf"),
            "Content-Disposition: attachment;\r\n filename=\"a b.pdf\"\r\n"
        );
        assert_eq!(
            disposition("inline", "图.png"),
            "Content-Disposition: inline;\r\n filename*=UTF-8''%E5%9B%BE.png\r\n"
        );
        let long = disposition("attachment", &format!("{}.xlsx", "年度报告".repeat(20)));
        assert!(long.contains(" filename*0*=UTF-8''%") && long.contains(";\r\n filename*5*="));
        assert!(long.lines().all(|line| line.len() <= 78), "{long}");
        let ascii = disposition("attachment", &"a".repeat(200));
        assert!(ascii.lines().all(|line| line.len() <= 78), "{ascii}");
        assert_eq!(
            content_type("image/png", "图.png"),
            "Content-Type: image/png;\r\n name=\"=?UTF-8?B?5Zu+LnBuZw==?=\"\r\n"
        );
        let quoted = content_type("text/csv", "a\"b\\c.csv");
        assert!(quoted.contains("name=\"a\\\"b\\\\c.csv\""), "{quoted}");
    }
}
