//! The obfuscation of Excel 95, which later versions offer too. It is not encryption.

use crate::wrong_password;
use mitt_reader_kit::Error;

/// Longest password, in letters.
const MAX_PASSWORD: usize = 15;

/// The padding of a password.
const FILLING: [u8; 15] =
    [0xBB, 0xFF, 0xFF, 0xBA, 0xFF, 0xFF, 0xB9, 0x80, 0x00, 0xBE, 0x0F, 0x00, 0xBF, 0x0F, 0x00];

/// Returns the array for the content of records.
///
/// # Errors
/// The password is wrong.
pub(super) fn array(key: u16, verifier: u16, units: &[u16]) -> Result<[u8; 16], Error> {
    // A letter of two bytes counts as one of them.
    let letters: Vec<u8> = units
        .iter()
        .map(|unit| match unit.to_le_bytes() {
            [0, high] => high,
            [low, _] => low,
        })
        .collect();
    if letters.is_empty() || letters.len() > MAX_PASSWORD || hash(&letters) != verifier {
        return Err(wrong_password());
    }
    let mut array = [0; 16];
    let filled = letters.iter().chain(&FILLING);
    for ((place, letter), key) in
        array.iter_mut().zip(filled).zip(key.to_le_bytes().into_iter().cycle())
    {
        *place = (letter ^ key).rotate_left(2);
    }
    Ok(array)
}

/// Removes the obfuscation of a record's content, which ends at the offset `end` of its stream.
pub(super) fn apply(array: &[u8; 16], end: usize, content: &mut [u8]) {
    // The position in the array depends on the end of the record, not on its start.
    let from = end % array.len();
    for (byte, over) in content.iter_mut().zip(array.iter().cycle().skip(from)) {
        *byte = byte.rotate_left(3) ^ over;
    }
}

fn hash(letters: &[u8]) -> u16 {
    let rotated = |letter: u8, by: usize| {
        let (letter, by) = (u32::from(letter), by as u32 % 15);
        ((letter << by | letter >> (15 - by)) & 0x7FFF) as u16
    };
    let all = letters.iter().zip(1..).map(|(letter, by)| rotated(*letter, by));
    all.fold(letters.len() as u16 ^ 0xCE4B, |hash, letter| hash ^ letter)
}
