//! Transfer encodings: base64 and quoted-printable, both with short lines and CRLF.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Columns of an encoded line.
const COLUMNS: usize = 76;
/// Bytes of a line of base64.
const LINE_BYTES: usize = COLUMNS / 4 * 3;

/// Returns base64 without line breaks.
pub(crate) fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// Returns base64 in lines of 76 columns, each with a line end.
pub(crate) fn base64_lines(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(base64_size(bytes.len()));
    for line in bytes.chunks(LINE_BYTES) {
        STANDARD.encode_string(line, &mut out);
        out.push_str("\r\n");
    }
    out
}

/// Returns the size of `bytes` bytes as lines of base64.
pub(crate) fn base64_size(bytes: usize) -> usize {
    bytes.div_ceil(3) * 4 + bytes.div_ceil(LINE_BYTES) * 2
}

/// Encodes a text with line ends `\n`. Returns the name of the encoding and the encoded text.
///
/// Quoted-printable stays legible, and base64 is smaller for scripts other than Latin.
pub(crate) fn text(text: &str) -> (&'static str, String) {
    let foreign = text.bytes().filter(|byte| !byte.is_ascii()).count();
    if foreign * 6 > text.len() {
        ("base64", base64_lines(text.replace('\n', "\r\n").as_bytes()))
    } else {
        ("quoted-printable", quoted_printable(text))
    }
}

/// Encodes a text with line ends `\n`. The result ends with a line end.
fn quoted_printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
        let bytes = line.as_bytes();
        let mut column = 0;
        for (index, &byte) in bytes.iter().enumerate() {
            let is_last = index + 1 == bytes.len();
            let is_plain = match byte {
                // Servers remove spaces at the end of a line.
                b' ' | b'\t' => !is_last,
                b'=' => false,
                // A line with one dot ends a message on its way, and `From` is changed in mailboxes.
                b'.' | b'F' => column > 0,
                33..=126 => true,
                _ => false,
            };
            let width = if is_plain { 1 } else { 3 };
            // The last column is for the `=` of a soft line break.
            if column + width > COLUMNS - usize::from(!is_last) {
                out.push_str("=\r\n");
                column = 0;
            }
            if is_plain && !(column == 0 && matches!(byte, b'.' | b'F')) {
                out.push(char::from(byte));
                column += 1;
            } else {
                let _ = write!(out, "={byte:02X}");
                column += 3;
            }
        }
        out.push_str("\r\n");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{base64_lines, base64_size, quoted_printable, text};

    #[test]
    fn base64_has_lines_of_76_columns() {
        for length in [0, 1, 2, 3, 56, 57, 58, 114, 1_000] {
            let lines = base64_lines(&vec![7; length]);
            assert_eq!(lines.len(), base64_size(length), "{length}");
            assert!(lines.split_terminator("\r\n").all(|line| line.len() <= 76));
            assert_eq!(lines.lines().count(), length.div_ceil(57));
        }
    }

    #[test]
    fn quoted_printable_is_plain_where_it_can_be() {
        for (text, expected) in [
            ("", "\r\n"),
            ("a b\n", "a b\r\n"),
            ("a=b ", "a=3Db=20\r\n"),
            ("é\n\n.\nFrom x", "=C3=A9\r\n\r\n=2E\r\n=46rom x\r\n"),
            ("tab\tx\t", "tab\tx=09\r\n"),
        ] {
            assert_eq!(quoted_printable(text), expected);
        }
    }

    #[test]
    fn lines_of_quoted_printable_are_short() {
        for unit in ["a", "é", "= ", ".", "F", "ab "] {
            for length in 70..90 {
                let encoded = quoted_printable(&unit.repeat(length));
                assert!(encoded.lines().all(|line| line.len() <= 76), "{unit} {length}");
                let mut bytes = Vec::new();
                let joined = encoded.replace("=\r\n", "");
                let mut rest = joined.trim_end_matches("\r\n").bytes();
                while let Some(byte) = rest.next() {
                    if byte == b'=' {
                        let hex = [rest.next().unwrap(), rest.next().unwrap()];
                        let hex = std::str::from_utf8(&hex).unwrap();
                        bytes.push(u8::from_str_radix(hex, 16).unwrap());
                    } else {
                        bytes.push(byte);
                    }
                }
                assert_eq!(bytes, unit.repeat(length).as_bytes());
            }
        }
    }

    #[test]
    fn the_script_chooses_the_encoding() {
        assert_eq!(text("Müller and others, all of them").0, "quoted-printable");
        assert_eq!(text("你好").0, "base64");
    }
}
