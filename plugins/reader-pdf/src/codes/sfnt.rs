//! Reads which letters an embedded TrueType font says its glyphs are.

use encoding_rs::MACINTOSH;
use std::collections::BTreeMap;

/// The most glyphs of a font.
const MAX_GLYPHS: usize = 65_536;

/// Returns the letter of each code, by the names of the glyphs or by the font's own table of characters. A code without
/// a letter is left out.
pub(crate) fn letters(font: &[u8]) -> BTreeMap<u8, char> {
    let Some(codes) = codes(font) else { return BTreeMap::new() };
    let by_character = characters(font);
    let names = names(font);
    let letter = |glyph: u16| {
        let named = names.get(usize::from(glyph)).copied().flatten();
        named.or_else(|| by_character.get(&glyph).copied())
    };
    codes.into_iter().filter_map(|(code, glyph)| Some((code, letter(glyph)?))).collect()
}

fn table<'a>(font: &'a [u8], tag: &[u8; 4]) -> Option<&'a [u8]> {
    let count = usize::from(u16_at(font, 4)?);
    let entry = (0..count)
        .map(|at| 12 + 16 * at)
        .find(|at| font.get(*at..at + 4) == Some(tag.as_slice()))?;
    let (from, length) = (u32_at(font, entry + 8)? as usize, u32_at(font, entry + 12)? as usize);
    let end = from.saturating_add(length).min(font.len());
    font.get(from..end)
}

fn u16_at(data: &[u8], at: usize) -> Option<u16> {
    let bytes = data.get(at..at.checked_add(2)?)?;
    Some(u16::from_be_bytes(bytes.try_into().ok()?))
}

fn u32_at(data: &[u8], at: usize) -> Option<u32> {
    let bytes = data.get(at..at.checked_add(4)?)?;
    Some(u32::from_be_bytes(bytes.try_into().ok()?))
}

/// Returns the tables of characters with these platforms and encodings, in this order.
fn subtables<'a>(cmap: &'a [u8], wanted: &'a [(u16, u16)]) -> impl Iterator<Item = &'a [u8]> {
    let count = u16_at(cmap, 2).map_or(0, usize::from).min(64);
    wanted.iter().flat_map(move |wanted| {
        (0..count).filter_map(move |at| {
            let entry = 4 + 8 * at;
            let key = (u16_at(cmap, entry)?, u16_at(cmap, entry + 2)?);
            let from = u32_at(cmap, entry + 4)? as usize;
            (key == *wanted).then(|| cmap.get(from..)).flatten()
        })
    })
}

/// Returns the glyph of each code of a font without an encoding (ISO 32000-1, 9.6.6.4).
fn codes(font: &[u8]) -> Option<BTreeMap<u8, u16>> {
    let cmap = table(font, b"cmap")?;
    for symbols in subtables(cmap, &[(3, 0), (1, 0)]) {
        let pairs = pairs(symbols);
        let codes: BTreeMap<u8, u16> = pairs
            .into_iter()
            .filter(|(code, glyph)| *glyph != 0 && matches!(code >> 8, 0 | 0xF0..=0xF2))
            .map(|(code, glyph)| ((code & 0xFF) as u8, glyph))
            .collect();
        if !codes.is_empty() {
            return Some(codes);
        }
    }
    None
}

/// Returns the character of each glyph by the table of Unicode characters.
fn characters(font: &[u8]) -> BTreeMap<u16, char> {
    let Some(cmap) = table(font, b"cmap") else { return BTreeMap::new() };
    let wanted = [(3, 10), (3, 1), (0, 4), (0, 3), (0, 2), (0, 1), (0, 0)];
    let unicode = subtables(cmap, &wanted).map(pairs).find(|pairs| !pairs.is_empty());
    let pairs = unicode.unwrap_or_default();
    let letter = |(code, glyph): (u32, u16)| Some((glyph, char::from_u32(code)?));
    pairs.into_iter().rev().filter(|(_, glyph)| *glyph != 0).filter_map(letter).collect()
}

/// Returns the codes of a table and their glyphs.
fn pairs(table: &[u8]) -> Vec<(u32, u16)> {
    read_pairs(table).unwrap_or_default()
}

fn read_pairs(table: &[u8]) -> Option<Vec<(u32, u16)>> {
    let mut pairs = Vec::new();
    match u16_at(table, 0)? {
        0 => {
            let glyphs = table.get(6..262)?;
            pairs.extend((0..).zip(glyphs).map(|(code, glyph)| (code, u16::from(*glyph))));
        }
        4 => {
            let double = usize::from(u16_at(table, 6)?);
            for at in (0..double).step_by(2) {
                let of = |part: usize| {
                    u16_at(table, 14 + part * double + at + usize::from(part > 0) * 2)
                };
                let (end, start) = (of(0)?, of(1)?);
                let (delta, offset) = (of(2)?, of(3)?);
                for code in start..=end {
                    let glyph = match offset {
                        0 => code.wrapping_add(delta),
                        offset => {
                            let place = 16
                                + 3 * double
                                + at
                                + usize::from(offset)
                                + 2 * usize::from(code - start);
                            match u16_at(table, place) {
                                None | Some(0) => 0,
                                Some(glyph) => glyph.wrapping_add(delta),
                            }
                        }
                    };
                    pairs.push((u32::from(code), glyph));
                }
                if pairs.len() > 2 * MAX_GLYPHS {
                    return None;
                }
            }
        }
        6 => {
            let (first, count) = (u32::from(u16_at(table, 6)?), usize::from(u16_at(table, 8)?));
            let glyph = |(at, code)| Some((code, u16_at(table, 10 + 2 * at)?));
            pairs.extend((0..count).zip(first..).map_while(glyph));
        }
        12 => {
            let groups = u32_at(table, 12)?.min(MAX_GLYPHS as u32) as usize;
            for group in 0..groups {
                let of = |part: usize| u32_at(table, 16 + 12 * group + 4 * part);
                let (start, end, glyph) = (of(0)?, of(1)?, of(2)?);
                let count = end.checked_sub(start)?.min(MAX_GLYPHS as u32);
                let glyphs = (0..=count).map(|at| (start + at, glyph.wrapping_add(at) as u16));
                pairs.extend(glyphs);
                if pairs.len() > 2 * MAX_GLYPHS {
                    return None;
                }
            }
        }
        _ => {}
    }
    Some(pairs)
}

/// Returns the letter that the name of each glyph stands for.
fn names(font: &[u8]) -> Vec<Option<char>> {
    table(font, b"post").and_then(read_names).unwrap_or_default()
}

fn read_names(post: &[u8]) -> Option<Vec<Option<char>>> {
    /// The glyphs that have names of the system: `.notdef` first, then the letters of the system in their order.
    const STANDARD: u16 = 258;
    if u32_at(post, 0)? != 0x0002_0000 {
        return None;
    }
    let count = usize::from(u16_at(post, 32)?);
    let mut own = Vec::new();
    let mut rest = post.get(34 + 2 * count..)?;
    while let Some((length, text)) = rest.split_first() {
        let Some((name, next)) = text.split_at_checked(usize::from(*length)) else { break };
        own.push(name);
        rest = next;
    }
    let letter = |at: usize| match u16_at(post, 34 + 2 * at)? {
        index @ 3..=97 => char::from_u32(u32::from(index) + 29),
        index @ 98..=225 => {
            let byte = [(index + 30) as u8];
            MACINTOSH.decode_without_bom_handling(&byte).0.chars().next()
        }
        index => named(own.get(usize::from(index.checked_sub(STANDARD)?))?),
    };
    Some((0..count).map(letter).collect())
}

/// Returns the letter that a glyph name stands for, or `None` if the name is only a number.
pub(crate) fn named(name: &[u8]) -> Option<char> {
    let name = std::str::from_utf8(name).ok()?;
    let base = name.split('.').next().filter(|base| !base.is_empty())?;
    let hex = |digits: &str| {
        let is_hex = digits.len() >= 4 && digits.bytes().all(|it| it.is_ascii_hexdigit());
        char::from_u32(u32::from_str_radix(digits, 16).ok().filter(|_| is_hex)?)
    };
    if base.len() == 1 {
        return base.chars().next();
    }
    let digits = base.strip_prefix("uni").filter(|digits| digits.len() == 4);
    let digits = digits.or_else(|| base.strip_prefix('u').filter(|it| it.len() <= 6));
    digits.and_then(hex).filter(|letter| !letter.is_control()).or_else(|| {
        let known = NAMES.iter().find(|(known, _)| *known == base);
        known.map(|(_, letter)| *letter)
    })
}

/// Names of frequent signs.
const NAMES: [(&str, char); 44] = [
    ("space", ' '),
    ("exclam", '!'),
    ("quotedbl", '"'),
    ("numbersign", '#'),
    ("dollar", '$'),
    ("percent", '%'),
    ("ampersand", '&'),
    ("quotesingle", '\''),
    ("parenleft", '('),
    ("parenright", ')'),
    ("asterisk", '*'),
    ("plus", '+'),
    ("comma", ','),
    ("hyphen", '-'),
    ("period", '.'),
    ("slash", '/'),
    ("zero", '0'),
    ("one", '1'),
    ("two", '2'),
    ("three", '3'),
    ("four", '4'),
    ("five", '5'),
    ("six", '6'),
    ("seven", '7'),
    ("eight", '8'),
    ("nine", '9'),
    ("colon", ':'),
    ("semicolon", ';'),
    ("less", '<'),
    ("equal", '='),
    ("greater", '>'),
    ("question", '?'),
    ("at", '@'),
    ("bracketleft", '['),
    ("bracketright", ']'),
    ("underscore", '_'),
    ("endash", '\u{2013}'),
    ("emdash", '\u{2014}'),
    ("quoteleft", '\u{2018}'),
    ("quoteright", '\u{2019}'),
    ("quotedblleft", '\u{201C}'),
    ("quotedblright", '\u{201D}'),
    ("bullet", '\u{2022}'),
    ("Euro", '\u{20AC}'),
];
