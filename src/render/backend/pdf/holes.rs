//! Finds missing glyphs in pages that Typst laid out.

use std::collections::BTreeSet;

use typst::layout::{Frame, FrameItem};

/// Adds the characters of a page that were drawn without a glyph. This is a safeguard: such characters are refused earlier.
pub(super) fn holes(frame: &Frame, found: &mut BTreeSet<char>) {
    for (_, item) in frame.items() {
        match item {
            FrameItem::Group(group) => holes(&group.frame, found),
            FrameItem::Text(text) => {
                for glyph in text.glyphs.iter().filter(|glyph| glyph.id == 0) {
                    found.extend(text.text.get(glyph.range()).into_iter().flat_map(str::chars));
                }
            }
            _ => {}
        }
    }
}
