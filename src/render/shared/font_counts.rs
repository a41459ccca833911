//! Checks the counts of a font before a library reads it, because libraries trust them. Knows these counts in the tables of
//! OpenType (ISO/IEC 14496-22, 4.3 and 5.1).

use super::font_glyphs::Outlines;
use super::font_tables::{MAX_TABLES, u16_at, u32_at};

/// Most fonts of a collection.
const MAX_FONTS: u32 = 64;
/// Most subtables of characters, and most characters of one: as many as Unicode has.
const MAX_SUBTABLES: usize = 64;
const MAX_CHARACTERS: u64 = 0x11_0000;

/// Returns why a font file (TTF, OTF, TTC) is not used; `None` if it is.
///
/// Libraries trust its counts and follow nested glyphs to any depth, so both are checked first.
#[must_use]
pub fn font_fault(font: &[u8]) -> Option<&'static str> {
    let starts: Option<Vec<usize>> = if font.starts_with(b"ttcf") {
        u32_at(font, 8).filter(|count| (1..=MAX_FONTS).contains(count)).and_then(|count| {
            (0..count as usize)
                .map(|at| u32_at(font, 12 + 4 * at).map(|start| start as usize))
                .collect()
        })
    } else {
        Some(vec![0])
    };
    match starts {
        Some(starts) if starts.iter().all(|start| is_sane_at(font, *start)) => {
            let mut outlines = Outlines::default();
            let are_bounded = starts.iter().all(|start| outlines.are_bounded(font, *start));
            (!are_bounded).then_some(
                "its glyphs are too deep in each other, or made of too many parts, to be drawn",
            )
        }
        _ => Some("it is no TTF, OTF or TTC font, or is damaged"),
    }
}

/// Returns `true` if [`font_fault`] finds no fault in a font.
pub(crate) fn is_sane(font: &[u8]) -> bool {
    font_fault(font).is_none()
}

/// Checks the font whose directory of tables begins at `start`.
fn is_sane_at(font: &[u8], start: usize) -> bool {
    let Some(count) = u16_at(font, start.saturating_add(4)).map(usize::from) else { return false };
    if count == 0 || count > MAX_TABLES {
        return false;
    }
    (0..count).all(|at| {
        let entry = start + 12 + 16 * at;
        let place = |at| u32_at(font, entry + at).map(|it| it as usize);
        let (Some(offset), Some(length)) = (place(8), place(12)) else { return false };
        let table = font.get(offset..).and_then(|rest| rest.get(..length));
        match (font.get(entry..entry + 4), table) {
            (Some(b"cmap"), Some(table)) => has_sane_characters(table),
            (Some(_), Some(_)) => true,
            // Libraries leave out a table that is cut off.
            (Some(name), None) => name != b"cmap",
            (None, _) => false,
        }
    })
}

/// Checks the table that maps characters to glyphs.
fn has_sane_characters(table: &[u8]) -> bool {
    let Some(count) = u16_at(table, 2).map(usize::from) else { return false };
    count <= MAX_SUBTABLES
        && (0..count).all(|at| {
            let Some(offset) = u32_at(table, 4 + 8 * at + 4).map(|it| it as usize) else {
                return false;
            };
            let Some(subtable) = table.get(offset..) else { return false };
            // Other formats have 16-bit counts.
            match u16_at(subtable, 0) {
                Some(8) => has_sane_groups(subtable, 8_204),
                Some(12 | 13) => has_sane_groups(subtable, 12),
                Some(10) => u32_at(subtable, 16).is_some_and(|it| u64::from(it) <= MAX_CHARACTERS),
                Some(_) => true,
                None => false,
            }
        })
}

/// Checks groups of characters, which follow their number.
fn has_sane_groups(subtable: &[u8], at: usize) -> bool {
    let Some(count) = u32_at(subtable, at) else { return false };
    let groups = subtable.get(at + 4..).unwrap_or_default().chunks_exact(12);
    if groups.len() < count as usize {
        return false;
    }
    let mut characters = 0_u64;
    groups.take(count as usize).all(|group| {
        let (first, last) = (u32_at(group, 0).unwrap_or(0), u32_at(group, 4).unwrap_or(0));
        characters += u64::from(last.saturating_sub(first)) + 1;
        first <= last && characters <= MAX_CHARACTERS
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a font with nothing but a table of characters.
    fn font(cmap: &[u8]) -> Vec<u8> {
        let mut font = b"\0\x01\0\0\0\x01\0\0\0\0\0\0cmap\0\0\0\0".to_vec();
        font.extend(28_u32.to_be_bytes());
        font.extend((cmap.len() as u32).to_be_bytes());
        font.extend(cmap);
        font
    }

    fn groups(groups: &[[u32; 2]]) -> Vec<u8> {
        let mut cmap = vec![0, 0, 0, 1, 0, 3, 0, 10, 0, 0, 0, 12, 0, 12, 0, 0];
        cmap.extend((16 + 12 * groups.len() as u32).to_be_bytes());
        cmap.extend(0_u32.to_be_bytes());
        cmap.extend((groups.len() as u32).to_be_bytes());
        for [first, last] in groups {
            cmap.extend(first.to_be_bytes().into_iter().chain(last.to_be_bytes()).chain([0; 4]));
        }
        cmap
    }

    #[test]
    fn counts_that_no_font_has_are_found() {
        assert!(is_sane(&font(&groups(&[[32, 126], [0x4E00, 0x9FFF]]))));
        for wrong in [
            groups(&[[0, u32::MAX]]),
            groups(&[[0, 0xF_FFFF], [0, 0xF_FFFF]]),
            groups(&[[9, 3]]),
            groups(&[[0, 1]])[..20].to_vec(),
            Vec::new(),
        ] {
            assert!(!is_sane(&font(&wrong)), "{wrong:?}");
        }
        let mut collection = b"ttcf\0\x01\0\0".to_vec();
        collection.extend(u32::MAX.to_be_bytes());
        assert!(!is_sane(&collection));
        assert!(!is_sane(b"ttcf") && !is_sane(b"") && !is_sane(&[0; 64]));
    }

    #[cfg(any(feature = "pdf", feature = "pdf-compact", feature = "png"))]
    #[test]
    fn the_bundled_fonts_are_sane() {
        for packed in mitt_fonts::NOTO {
            let mut font = Vec::new();
            let mut unpacked = ruzstd::decoding::StreamingDecoder::new(packed).unwrap();
            std::io::Read::read_to_end(&mut unpacked, &mut font).unwrap();
            assert!(is_sane(&font));
        }
    }
}
