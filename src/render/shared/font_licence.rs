//! Reads the licence that a font states. Knows the table `name` of OpenType (ISO/IEC 14496-22, 5.2.9).

use super::font_tables::{table_at, u16_at, u32_at};

/// Most characters of one text.
const MAX_TEXT: usize = 20_000;

/// Ids of names: licence, its address, copyright.
const WANTED: [u16; 3] = [13, 14, 0];

/// Returns copyright and licence as the font file states them; `None` if it states no licence.
#[must_use]
pub fn font_licence(font: &[u8]) -> Option<String> {
    let start = if font.starts_with(b"ttcf") { u32_at(font, 12)? as usize } else { 0 };
    let table = table_at(font, start, b"name")?;
    let [licence, address, copyright] = WANTED.map(|id| name(table, id));
    if licence.is_none() && address.is_none() {
        return None;
    }
    let said: Vec<String> = [copyright, licence, address].into_iter().flatten().collect();
    Some(said.join("\n\n") + "\n")
}

/// Returns a name in the table, preferably from UTF-16, otherwise from ASCII.
fn name(table: &[u8], id: u16) -> Option<String> {
    let count = usize::from(u16_at(table, 2)?);
    let texts = table.get(usize::from(u16_at(table, 4)?)..)?;
    let records = (0..count).map(|at| 6 + 12 * at).filter(|at| u16_at(table, at + 6) == Some(id));
    let mut found = None;
    for at in records {
        let (platform, length) = (u16_at(table, at)?, usize::from(u16_at(table, at + 8)?));
        let offset = usize::from(u16_at(table, at + 10)?);
        let Some(bytes) = texts.get(offset..).and_then(|rest| rest.get(..length)) else { continue };
        let text: String = match platform {
            0 | 3 => {
                let units = bytes.chunks_exact(2).filter_map(|pair| u16_at(pair, 0));
                char::decode_utf16(units).map(|c| c.unwrap_or('\u{FFFD}')).take(MAX_TEXT).collect()
            }
            _ => bytes.iter().filter(|it| it.is_ascii()).map(|it| char::from(*it)).collect(),
        };
        let is_better = platform == 3 || found.is_none();
        if is_better && !text.trim().is_empty() {
            found = Some(text.trim().to_owned());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a font with nothing but a table of names: platform, id, text.
    fn font(names: &[(u16, u16, &str)]) -> Vec<u8> {
        let mut table = vec![0, 0];
        table.extend((names.len() as u16).to_be_bytes());
        table.extend((6 + 12 * names.len() as u16).to_be_bytes());
        let mut texts = Vec::new();
        for (platform, id, text) in names {
            let bytes: Vec<u8> = match platform {
                3 => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
                _ => text.bytes().collect(),
            };
            let record = [*platform, 1, 0, *id, bytes.len() as u16, texts.len() as u16];
            table.extend(record.map(u16::to_be_bytes).concat());
            texts.extend(bytes);
        }
        table.extend(texts);
        let mut font = vec![0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0];
        font.extend(b"name\0\0\0\0");
        font.extend(28_u32.to_be_bytes());
        font.extend((table.len() as u32).to_be_bytes());
        font.extend(table);
        font
    }

    #[test]
    fn a_font_says_its_licence() {
        let whole = font(&[
            (1, 0, "(c) somebody"),
            (3, 0, "© somebody"),
            (3, 1, "Family"),
            (3, 13, "SIL Open Font License 1.1"),
            (1, 14, "https://openfontlicense.org"),
        ]);
        assert_eq!(
            font_licence(&whole).as_deref(),
            Some("© somebody\n\nSIL Open Font License 1.1\n\nhttps://openfontlicense.org\n")
        );
        // A copyright is no licence.
        assert_eq!(font_licence(&font(&[(3, 0, "© somebody"), (3, 13, " ")])), None);
        assert_eq!(font_licence(b""), None);
        assert_eq!(font_licence(b"ttcf\0\x01\0\0\0\0\0\x01\xff\xff\xff\xff"), None);
    }
}
