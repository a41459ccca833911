//! Code pages of 256 characters: those of browsers, DOS, Macintosh and EBCDIC.

use encoding_rs::Encoding;

use super::tables::{Characters, PAGES};

pub(super) use super::tables::Page;

/// Other names that texts declare, with the labels of their code pages.
const ALIASES: [(&str, &str); 26] = [
    ("mac-cyrillic", "x-mac-cyrillic"),
    ("maccyrillic", "x-mac-cyrillic"),
    ("macgreek", "mac-greek"),
    ("x-mac-greek", "mac-greek"),
    ("macturkish", "mac-turkish"),
    ("x-mac-turkish", "mac-turkish"),
    ("maccentraleurope", "mac-centraleurope"),
    ("x-mac-ce", "mac-centraleurope"),
    ("x-mac-centraleurroman", "mac-centraleurope"),
    ("maciceland", "mac-iceland"),
    ("x-mac-icelandic", "mac-iceland"),
    ("maccroatian", "mac-croatian"),
    ("x-mac-croatian", "mac-croatian"),
    ("macromania", "mac-romania"),
    ("x-mac-romanian", "mac-romania"),
    ("ptcp154", "pt154"),
    ("cyrillic-asian", "pt154"),
    ("rk1048", "kz1048"),
    ("strk1048-2002", "kz1048"),
    ("00858", "858"),
    ("37", "037"),
    ("01047", "1047"),
    ("01140", "1140"),
    ("dos-862", "862"),
    ("dos-720", "720"),
    ("1125-ruscii", "1125"),
];

impl Page {
    /// Returns the code page that a text declares. `label` is in lower case.
    pub(super) fn declared(label: &str) -> Option<&'static Page> {
        let number = label
            .strip_prefix("ibm")
            .or_else(|| label.strip_prefix("csibm"))
            .or_else(|| label.strip_prefix("cp"))
            .map(|number| number.trim_start_matches(['-', '_']));
        let label = number.unwrap_or(label);
        let alias = ALIASES.iter().find(|(alias, _)| *alias == label);
        let label = alias.map_or(label, |(_, label)| *label);
        PAGES.iter().find(|page| page.label == label)
    }

    /// Returns the encoding as browsers know it. `None` if they do not.
    pub(super) fn encoding(&self) -> Option<&'static Encoding> {
        match self.characters {
            Characters::Web => Encoding::for_label(self.label.as_bytes()),
            _ => None,
        }
    }

    pub(super) fn is_mainframe(&self) -> bool {
        matches!(self.characters, Characters::All(_))
    }

    /// Returns the name for `iconv`. `None` if the one of Linux does not have the code page.
    pub(super) fn converter(&self) -> Option<String> {
        let name = match self.label {
            "720" | "mac-greek" | "mac-turkish" | "mac-iceland" | "mac-croatian"
            | "mac-romania" => return None,
            "x-mac-cyrillic" => "MAC-CYRILLIC".into(),
            "iso-8859-8-i" => "ISO-8859-8".into(),
            "kz1048" => "RK1048".into(),
            label if self.is_mainframe() => format!("IBM{label}"),
            label if label.starts_with(|first: char| first.is_ascii_digit()) => {
                format!("CP{label}")
            }
            label => label.to_ascii_uppercase(),
        };
        Some(name)
    }

    /// Returns the character of each byte; `U+FFFD` for bytes without one.
    pub(super) fn table(&self) -> [char; 256] {
        let mut table = ['\0'; 256];
        for (byte, character) in (0..=u8::MAX).zip(&mut table) {
            *character = char::from(byte);
        }
        match self.characters {
            Characters::Upper(text) => fill(&mut table[128..], text),
            Characters::All(text) => fill(&mut table, text),
            Characters::Web => {
                if let Some(encoding) = self.encoding() {
                    for (byte, character) in (128..=u8::MAX).zip(&mut table[128..]) {
                        let one = [byte];
                        let (text, _) = encoding.decode_without_bom_handling(&one);
                        *character = text.chars().next().unwrap_or(char::REPLACEMENT_CHARACTER);
                    }
                }
            }
        }
        table
    }

    /// Returns the text, and `true` if some bytes are not valid.
    pub(super) fn decode(&self, bytes: &[u8]) -> (String, bool) {
        if let Some(encoding) = self.encoding() {
            let (text, has_errors) = encoding.decode_without_bom_handling(bytes);
            return (text.into_owned(), has_errors);
        }
        let table = self.table();
        let mut has_errors = false;
        let text = bytes.iter().map(|byte| {
            let character = table[usize::from(*byte)];
            has_errors |= character == char::REPLACEMENT_CHARACTER;
            character
        });
        (text.collect(), has_errors)
    }
}

fn fill(table: &mut [char], text: &str) {
    for (place, character) in table.iter_mut().zip(text.chars()) {
        *place = character;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_whole() {
        for page in &PAGES {
            let count = match page.characters {
                Characters::Web => {
                    assert!(page.encoding().is_some_and(Encoding::is_single_byte), "{page:?}");
                    continue;
                }
                Characters::Upper(text) => text.chars().count() + 128,
                Characters::All(text) => text.chars().count(),
            };
            assert_eq!(count, 256, "{}", page.label);
        }
    }

    #[test]
    fn pages_are_found_by_many_names() {
        for (name, label) in [
            ("ibm850", "850"),
            ("cp850", "850"),
            ("cp-775", "775"),
            ("csibm1026", "1026"),
            ("ibm037", "037"),
            ("cp037", "037"),
            ("ibm00858", "858"),
            ("macgreek", "mac-greek"),
            ("mac-cyrillic", "x-mac-cyrillic"),
            ("koi8-t", "koi8-t"),
        ] {
            assert_eq!(Page::declared(name).unwrap().label, label, "{name}");
        }
        assert!(Page::declared("cp0").is_none() && Page::declared("").is_none());
        let page = |name| Page::declared(name).unwrap();
        assert_eq!(page("cp852").decode(b"P\xfd\xa1li\xe7").0, "Příliš");
        assert_eq!(page("cp775").decode(b"\xd0\xb6\x88").0, "ąČł");
        assert_eq!(page("cp1026").decode(b"\xc9\x84\x5b").0, "Id\u{130}");
    }
}
