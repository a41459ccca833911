//! Recognises pages that are pictures of text.

use crate::block::Block;
use crate::eye::Refused;

/// Share of a page that a picture has to cover.
const MIN_COVERAGE: f32 = 0.5;

/// Most letters of a page that counts as a picture. It may have a stamp or a number.
const MAX_LETTERS: usize = 20;

/// Largest share of readable letters on a page that counts as a picture because its other letters are not known.
const MAX_LEFT: f32 = 0.1;

/// Returns whether next to nothing of a page is left without the letters that are not known.
pub(crate) fn is_unreadable(Refused { letters, left, .. }: Refused) -> bool {
    let all = letters + left;
    letters > left && (left <= MAX_LETTERS || (left as f32) <= MAX_LEFT * all as f32)
}

/// Returns whether the text of a page is in a picture, or in letters without a meaning.
pub(crate) fn is_picture(page: &unpdf::Page, blocks: &[Block]) -> bool {
    let (mut letters, mut unknown) = (0, 0);
    let mut count = |text: &str| {
        for character in text.chars().filter(|character| !character.is_whitespace()) {
            if is_unknown(character) {
                unknown += 1;
            } else if character.is_alphanumeric() {
                letters += 1;
            }
        }
    };
    for block in blocks {
        match block {
            Block::Code(code) => count(code),
            Block::Table(placed) => {
                placed.table.columns.iter().for_each(|column| count(column));
                let cells = placed.table.rows.iter().flatten();
                cells.for_each(|cell| count(mitt_reader_kit::cell_as_str(cell)));
            }
            _ => count(block.text().map_or("", |text| &text.plain)),
        }
    }
    let is_covered = page.image_coverage >= MIN_COVERAGE && letters <= MAX_LETTERS;
    let is_unreadable = page.suppressed_text_runs > 0 && letters == 0 || unknown > letters;
    is_covered || is_unreadable || page.ocr_text_suppressed
}

/// Returns whether a character comes from a font that does not say what its letters are.
pub(crate) fn is_unknown(character: char) -> bool {
    matches!(character, '\u{fffd}' | '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10ffff}')
}
