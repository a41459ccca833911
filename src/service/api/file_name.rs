//! Names of files that clients send: made safe, never refused.

use mitt_base::file_name::check_file_name;
use mitt_base::visible::{self, Lines};

/// Longest name in bytes. It leaves room for a number that is added to a second file of the same name.
const MOST_BYTES: usize = 200;

/// The name of a file that came without one.
const UNNAMED: &str = "document";

/// Returns a plain file name like the one that a client sent: without folders, without characters that some system does not
/// store, and not too long. The extension stays.
pub(super) fn safe_name(sent: &str) -> String {
    let last = sent.rsplit(['/', '\\']).next().unwrap_or_default();
    let plain = |character: char| {
        let is_wrong = matches!(character, ':' | '<' | '>' | '"' | '|' | '?' | '*')
            || visible::first(character.encode_utf8(&mut [0; 4]), Lines::One).is_some();
        if is_wrong { '_' } else { character }
    };
    let name: String = last.chars().map(plain).collect();
    let name = shortened(name.trim_start_matches(['.', ' ']).trim_end_matches(['.', ' ']));
    if name.is_empty() {
        return UNNAMED.to_owned();
    }
    if check_file_name(&name).is_ok() {
        return name;
    }
    // A device of Windows, such as `con.txt`.
    let name = format!("_{name}");
    if check_file_name(&name).is_ok() { name } else { UNNAMED.to_owned() }
}

fn shortened(name: &str) -> String {
    if name.len() <= MOST_BYTES {
        return name.to_owned();
    }
    let (stem, extension) = match name.rsplit_once('.') {
        Some((stem, extension)) if extension.len() <= 20 => (stem, format!(".{extension}")),
        _ => (name, String::new()),
    };
    let stem = mitt_base::text::cut_bytes(stem, MOST_BYTES - extension.len());
    format!("{}{extension}", stem.trim_end_matches(['.', ' ']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_becomes_a_plain_one() {
        for (sent, expected) in [
            ("report.xlsx", "report.xlsx"),
            ("销售 2024.csv", "销售 2024.csv"),
            ("../../etc/passwd", "passwd"),
            ("C:\\Users\\a\\b.docx", "b.docx"),
            ("a:b*c?.txt", "a_b_c_.txt"),
            ("a\r\nb\u{202e}.pdf", "a__b_.pdf"),
            (".env", "env"),
            ("a. ", "a"),
            ("con.txt", "_con.txt"),
            ("", "document"),
            ("...", "document"),
            ("a/", "document"),
        ] {
            let name = safe_name(sent);
            assert_eq!(name, expected, "{sent:?}");
            assert_eq!(check_file_name(&name), Ok(()), "{sent:?}");
        }
    }

    #[test]
    fn a_long_name_keeps_its_extension() {
        let name = safe_name(&format!("{}.xlsx", "销".repeat(300)));
        assert!(name.len() <= MOST_BYTES && name.ends_with("销.xlsx"), "{name}");
        let name = safe_name(&"x".repeat(1_000));
        assert_eq!(name.len(), MOST_BYTES);
    }
}
