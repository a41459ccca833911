//! The fast path for text that can only be UTF-8, as most large files of values are. It copies nothing.

use memchr::{memchr, memchr2, memmem};

/// Bytes at the beginning of a text in which a first line or word ends.
const BEGINNING_BYTES: usize = 8 << 10;

/// Returns bytes as text if they can only be UTF-8. `None` if [`decode`](crate::decode) must detect the encoding.
pub fn utf8(bytes: &[u8]) -> Option<&str> {
    let text = simdutf8::basic::from_utf8(bytes).ok()?;
    let begins = &bytes[..bytes.len().min(BEGINNING_BYTES)];
    // Escape sequences switch character sets in 7-bit encodings, and UTF-16 and UTF-32 have zeros.
    if begins.contains(&0) || memchr(0x1B, bytes).is_some() {
        return None;
    }
    // 7-bit encodings without escape sequences (HZ, UTF-7), and Hebrew in EBCDIC, which is all ASCII and has no blanks.
    let may_be_other = bytes.is_ascii()
        && (memchr2(b'+', 0x0E, bytes).is_some()
            || memmem::find(bytes, b"~{").is_some()
            || memchr2(b' ', b'\n', begins).is_none());
    (!may_be_other).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode;

    #[test]
    fn what_is_utf8_beyond_doubt_decodes_to_itself() {
        let long = "编号,name\n1,é\r\n".repeat(2_000);
        let pieces = [
            "a,b\n1,2\n",
            "年份,收入\n2024,1\n",
            "é",
            "+AGE-\n",
            "~{VP~}\n",
            "\x1b$BF|\x1b(B",
            "a\0b\0",
            "\x0e1\x0f",
            " ",
            "\u{FEFF}a\n",
            "<?xml version='1.0' encoding='ISO-8859-5'?>\n",
            "\u{7}",
            &long,
        ];
        for first in pieces {
            for second in pieces {
                let text = format!("{first}{second}");
                if let Some(found) = utf8(text.as_bytes()) {
                    let decoded = decode::decode_only(text.clone().into_bytes());
                    assert_eq!(decoded.text, found, "{text:?}");
                    assert!(decoded.warnings.is_empty(), "{text:?}: {:?}", decoded.warnings);
                }
            }
        }
        assert!(utf8(long.as_bytes()).is_some());
        assert!(utf8(b"a,b\n1,2\n").is_some());
        for other in ["a+b\n", "~{VP~}\n", "\x1b$BF|\x1b(B\n", "a\0b\0\n", "K@@@"] {
            assert!(utf8(other.as_bytes()).is_none(), "{other:?}");
        }
        assert!(utf8(b"caf\xe9\n").is_none());
    }
}
