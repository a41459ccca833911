//! What choosing fonts needs of Typst: the faces in a file, and the characters of the bundled fonts.

use std::ops::Range;
use std::sync::Arc;

use typst::foundations::Bytes;
use typst::text::{Font, FontStyle};

use crate::FontSet;
use crate::shared::font_counts::is_sane;
use crate::shared::font_face::Face;

/// Returns the faces in a file; an empty list if the file is not a font.
pub(crate) fn faces(file: Arc<[u8]>) -> Option<Vec<Face>> {
    if !is_sane(&file) {
        return Some(Vec::new());
    }
    Some(Font::iter(Bytes::new(file)).map(|font| face(&font)).collect())
}

fn face(font: &Font) -> Face {
    let info = font.info();
    let mut coverage: Vec<Range<u32>> = Vec::new();
    for point in info.coverage.iter() {
        match coverage.last_mut() {
            Some(last) if last.end == point => last.end += 1,
            _ => coverage.push(point..point + 1),
        }
    }
    Face {
        family: info.family.to_string(),
        is_upright: info.variant.style == FontStyle::Normal,
        weight: info.variant.weight.to_number(),
        coverage,
    }
}

/// Returns one bit for each character that a bundled font draws correctly.
pub(crate) fn bundled() -> Option<Vec<u64>> {
    FontSet::default().faces().ok().map(|faces| faces.covered.clone())
}

/// Returns `true` if the bundled fonts draw all of these letters correctly.
pub(crate) fn is_bundled(letters: &str) -> bool {
    let bundled = FontSet::default().faces();
    bundled.is_ok_and(|faces| letters.chars().all(|c| faces.covers(c)))
}
