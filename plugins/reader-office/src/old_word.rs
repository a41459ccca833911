//! Changes the bytes of a Word 97-2003 document before the library reads it.
//!
//! Formula fields have ruby text and fractions only in their instruction. The library leaves instructions out, so the
//! result of the field is written over it, in place and with the same length.

use crate::marks;
use crate::math;
use crate::notes::Notes;
use encoding_rs::WINDOWS_1252;

/// Most characters of a field. A longer one is not changed.
const MAX_FIELD: usize = 600;

const BEGIN: u16 = 0x13;
const RESULT: u16 = 0x14;
const END: u16 = 0x15;

/// Soft hyphen, which every text drops. Both character widths have it.
const NOTHING: u16 = 0xAD;

/// Replaces the formula fields in a document, for characters of one byte and of two bytes.
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
            match field_result(&units[..=end], width, notes) {
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

/// Returns how many objects of the old equation editor a file holds. Each leaves its name in the file.
pub(crate) fn old_equations(bytes: &[u8], is_slides: bool) -> usize {
    // A document keeps each in a stream of this name. A presentation compresses them and keeps the names of their
    // programs.
    let name = if is_slides { "Equation." } else { "Equation Native" };
    let needle: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
    bytes.windows(needle.len()).filter(|window| *window == needle).count()
}

/// Returns whether a document has lists. Its headings may then be numbered too.
pub(crate) fn has_lists(bytes: &[u8]) -> bool {
    /// Offset of the size of the list table in the file information block.
    const LISTS: usize = 0x2E6;
    // The file information block is at the start of a sector.
    bytes
        .chunks(512)
        .zip(0..)
        .filter(|(sector, _)| sector.starts_with(&[0xEC, 0xA5]))
        .filter_map(|(_, index)| bytes.get(index * 512 + LISTS..)?.first_chunk::<4>())
        .any(|length| u32::from_le_bytes(*length) > 2)
}

/// Returns the start of the next `EQ` field.
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

/// Returns the result of a field, padded to its length. `None` if the field has a stored result or a nested field, or
/// if the result does not fit.
fn field_result(field: &[u16], width: usize, notes: &mut Notes) -> Option<Vec<u16>> {
    let inner = &field[1..field.len() - 1];
    let instruction = inner.split(|unit| *unit == RESULT).next().unwrap_or_default();
    if inner.contains(&BEGIN) || inner.len() > instruction.len() + 1 {
        return None;
    }
    let text = match width {
        // Word writes Windows-1252 characters as one byte.
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
    let written = math::from_field(&text).and_then(|text| {
        if text.starts_with('$') {
            fits(&marks::raw(&text)).or_else(|| fits(&text))
        } else {
            fits(&text)
        }
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

/// Returns the character of a byte in Windows-1252.
fn of_western(byte: u8) -> Option<char> {
    WINDOWS_1252.decode_without_bom_handling(&[byte]).0.chars().next()
}

/// Returns the byte of a character in Windows-1252. The encoders of `encoding_rs` would add the tables of all
/// encodings.
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
        // The field is too short for its result.
        check("a\u{13}EQ \\f(3,4)\u{15}b", 1, "a[EQ \\f(3,4)]b", 1);
        check("a\u{13}EQ \\zz(3)\u{15}b", 2, "a[EQ \\zz(3)]b", 1);
        // Fields with a result or a nested field.
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
