//! Names of files in archives.

use encoding_rs::GB18030;

/// Most characters of a name that are shown.
const SHOWN: usize = 200;

/// Decodes a name of unknown encoding: as UTF-8 if valid, otherwise as GBK, which Chinese systems write.
pub(crate) fn decode(name: &[u8]) -> String {
    match std::str::from_utf8(name) {
        Ok(name) => name.to_owned(),
        Err(_) => GB18030.decode_without_bom_handling(name).0.into_owned(),
    }
}

/// Returns `true` for files that an operating system created for itself.
pub(crate) fn is_of_a_system(name: &str) -> bool {
    let file = name.rsplit(['/', '\\']).next().unwrap_or_default();
    name.starts_with("__MACOSX/")
        || file.starts_with("._")
        || matches!(file, ".DS_Store" | "Thumbs.db" | "desktop.ini")
}

/// Returns a text on one line, shortened.
pub(crate) fn legible(name: &str) -> String {
    let name: String =
        name.chars().take(SHOWN).map(|it| if it.is_control() { ' ' } else { it }).collect();
    name.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_decoded_and_those_of_systems_known() {
        assert_eq!(decode("年报.docx".as_bytes()), "年报.docx");
        assert_eq!(decode(&[0xc4, 0xea, 0xb1, 0xa8, b'.', b'd', b'o', b'c']), "年报.doc");
        for name in ["__MACOSX/a", "a/._b", ".DS_Store", "x/Thumbs.db"] {
            assert!(is_of_a_system(name), "{name}");
        }
        assert!(!is_of_a_system("a/.env"));
        assert_eq!(legible("a\nb\u{1b}"), "a b");
    }
}
