//! What is found in the bytes of a document of Word 1997 to 2003 before the library reads it.
//!
//! Formula fields keep readings of characters and fractions in their instruction alone. The library leaves instructions out,
//! so what the field shows is written over it, in place and of the same length.

use crate::marks;
use crate::math;
use crate::notes::Notes;
use encoding_rs::WINDOWS_1252;

/// Characters of one field; a longer one is told and left.
const MAX_FIELD: usize = 600;

const BEGIN: u16 = 0x13;
const RESULT: u16 = 0x14;
const END: u16 = 0x15;

/// Dropped from every text; in both sizes of character.
const NOTHING: u16 = 0xAD;

/// Write out the formula fields in the bytes of a document, whether its characters are of one byte or of two.
pub(crate) fn write_out(bytes: &mut [u8], notes: &mut Notes) {
    for width in [1, 2] {
        let mut at = 0;
        while let Some(found) = next(bytes, at, width) {
            at = found + width;
            let units = (found..)
                .step_by(width)
                .take(MAX_FIELD)
                .map_while(|place| unit(bytes, place, width))
                .collect::<Vec<_>>();
            let Some(end) = units.iter().position(|unit| *unit == END) else {
                notes.unread_fields += 1;
                continue;
            };
            match shown(&units[..=end], width, notes) {
                Some(text) => {
                    for (index, unit) in text.into_iter().enumerate() {
                        let place = found + index * width;
                        bytes[place..place + width].copy_from_slice(&unit.to_le_bytes()[..width]);
                    }
                    at = found + (end + 1) * width;
                }
                None => notes.unread_fields += 1,
            }
        }
    }
}

/// How many equations of an old editor a document or a presentation holds: each leaves its name in the file.
pub(crate) fn old_equations(bytes: &[u8], is_slides: bool) -> usize {
    // A document keeps each in a stream of this name, a presentation packs them and keeps the names of their programs.
    let name = if is_slides { "Equation." } else { "Equation Native" };
    let needle: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
    bytes.windows(needle.len()).filter(|window| *window == needle).count()
}

/// Whether a document has lists, by which its headings may be numbered too.
pub(crate) fn has_lists(bytes: &[u8]) -> bool {
    /// Where the header of the text has the length of the lists.
    const LISTS: usize = 0x2E6;
    // The text begins with its header, at the beginning of a sector.
    bytes
        .chunks(512)
        .zip(0..)
        .filter(|(sector, _)| sector.starts_with(&[0xEC, 0xA5]))
        .filter_map(|(_, index)| bytes.get(index * 512 + LISTS..)?.first_chunk::<4>())
        .any(|length| u32::from_le_bytes(*length) > 2)
}

/// Where the next field begins that is an `EQ`.
fn next(bytes: &[u8], from: usize, width: usize) -> Option<usize> {
    let mut at = from;
    loop {
        at += memchr(&bytes[at.min(bytes.len())..], BEGIN as u8)?;
        let is_letter = |index: usize, letter: u8| {
            unit(bytes, at + index * width, width)
                .is_some_and(|unit| unit == u16::from(letter) || unit == u16::from(letter + 32))
        };
        let blanks =
            (1..4).take_while(|index| is_unit(bytes, at + index * width, width, b' ')).count();
        let name = 1 + blanks;
        let behind = at + (name + 2) * width;
        if is_unit(bytes, at, width, BEGIN as u8)
            && is_letter(name, b'E')
            && is_letter(name + 1, b'Q')
            && (is_unit(bytes, behind, width, b' ') || is_unit(bytes, behind, width, b'\\'))
        {
            return Some(at);
        }
        at += 1;
    }
}

fn memchr(bytes: &[u8], byte: u8) -> Option<usize> {
    bytes.iter().position(|other| *other == byte)
}

fn is_unit(bytes: &[u8], at: usize, width: usize, expected: u8) -> bool {
    unit(bytes, at, width) == Some(u16::from(expected))
}

fn unit(bytes: &[u8], at: usize, width: usize) -> Option<u16> {
    let unit = bytes.get(at..at + width)?;
    Some(u16::from_le_bytes([unit[0], unit.get(1).copied().unwrap_or(0)]))
}

/// What a field shows, in as many characters as it has; `None` if its own result stands behind the instruction, or another
/// field inside.
fn shown(field: &[u16], width: usize, notes: &mut Notes) -> Option<Vec<u16>> {
    let inner = &field[1..field.len() - 1];
    let instruction = inner.split(|unit| *unit == RESULT).next().unwrap_or_default();
    if inner.contains(&BEGIN) || inner.len() > instruction.len() + 1 {
        return None;
    }
    let text = match width {
        // Word writes in one byte what is in the Windows page of Western Europe.
        1 => instruction.iter().filter_map(|unit| of_western(*unit as u8)).collect(),
        _ => String::from_utf16_lossy(instruction),
    };
    let literal = || format!("[{}]", text.trim());
    let fits = |text: &str| {
        let units: Option<Vec<u16>> = match width {
            1 => text.chars().map(western).collect(),
            _ => Some(text.encode_utf16().collect()),
        };
        units.filter(|units| units.len() <= field.len())
    };
    let written = math::from_field(&text).and_then(|text| match text.starts_with('$') {
        true => fits(&marks::raw(&text)).or_else(|| fits(&text)),
        false => fits(&text),
    });
    let mut units = match written {
        Some(units) => units,
        None => {
            notes.unread_fields += 1;
            fits(&literal())?
        }
    };
    units.resize(field.len(), NOTHING);
    Some(units)
}

/// The character of a byte in the Windows page of Western Europe.
fn of_western(byte: u8) -> Option<char> {
    WINDOWS_1252.decode_without_bom_handling(&[byte]).0.chars().next()
}

/// The byte of a character there. The encoders of `encoding_rs` come all together, with their tables, and nothing else is
/// encoded here.
fn western(character: char) -> Option<u16> {
    match character {
        '\0'..='\x7F' => Some(character as u16),
        _ => (0x80..=u8::MAX).find(|byte| of_western(*byte) == Some(character)).map(u16::from),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, width: usize, expected: &str, unread: usize) {
        let wide = |text: &str| {
            text.encode_utf16()
                .flat_map(|unit| unit.to_le_bytes()[..width].to_vec())
                .collect::<Vec<_>>()
        };
        let mut bytes = wide(text);
        let length = bytes.len();
        let mut notes = Notes::default();
        write_out(&mut bytes, &mut notes);
        assert_eq!(bytes.len(), length);
        let text: String = (0..length)
            .step_by(width)
            .map(|at| char::from_u32(unit(&bytes, at, width).unwrap().into()).unwrap())
            .filter(|character| *character != '\u{ad}')
            .collect();
        assert_eq!((marks::read(&text).as_str(), notes.unread_fields), (expected, unread));
    }

    #[test]
    fn old_equations_are_counted_by_their_names() {
        let file: Vec<u8> = "xEquation Native\0Equation.3 Equation Native"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        assert_eq!((old_equations(&file, false), old_equations(&file, true)), (2, 1));
    }

    #[test]
    fn lists_are_told_by_the_header_of_the_text() {
        let mut file = vec![0; 4096];
        assert!(!has_lists(&file));
        file[512..514].copy_from_slice(&[0xEC, 0xA5]);
        assert!(!has_lists(&file));
        file[512 + 0x2E6] = 30;
        assert!(has_lists(&file));
        file.truncate(1200);
        assert!(!has_lists(&file));
    }

    #[test]
    fn fields_are_written_over() {
        check("a\u{13} EQ \\o\\ad(\\s\\up 9(とう),東)\u{15}b", 2, "a東(とう)b", 0);
        check("a\u{13}eq \\f(3,4)         \u{15}b", 2, "a$\\frac{3}{4}$b", 0);
        check("a\u{13} EQ \\f(3,4)  \u{14}\u{15}b", 1, "a$\\frac{3}{4}$b", 0);
        check("\u{13} EQ \\f(\u{e9},4)  \u{14}\u{15}", 1, "$\\frac{\u{e9}}{4}$", 0);
        // Too short for what it shows: as it stands.
        check("a\u{13}EQ \\f(3,4)\u{15}b", 1, "a[EQ \\f(3,4)]b", 1);
        check("a\u{13}EQ \\zz(3)\u{15}b", 2, "a[EQ \\zz(3)]b", 1);
        // With a result, or another field inside.
        check("\u{13}EQ \\f(3,4)\u{14}x\u{15}", 2, "\u{13}EQ \\f(3,4)\u{14}x\u{15}", 1);
        check(
            "\u{13}EQ \\f(\u{13}PAGE\u{15},4)\u{15}",
            2,
            "\u{13}EQ \\f(\u{13}PAGE\u{15},4)\u{15}",
            1,
        );
        check("\u{13}PAGE\u{15} EQ \u{13}EQ ", 1, "\u{13}PAGE\u{15} EQ \u{13}EQ ", 1);
    }
}
