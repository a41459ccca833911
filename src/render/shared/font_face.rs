//! A face of a font, as choosing among fonts needs it. Reads no file.

use std::ops::Range;

/// A face of a font.
pub(crate) struct Face {
    pub(crate) family: String,
    /// `true` if it is neither italic nor oblique.
    pub(crate) is_upright: bool,
    pub(crate) weight: u16,
    /// Numbers of the characters that it has, in ascending order.
    pub(crate) coverage: Vec<Range<u32>>,
}

impl Face {
    /// Returns `true` if it has this character.
    pub(crate) fn has(&self, c: char) -> bool {
        let point = u32::from(c);
        let after = self.coverage.partition_point(|range| range.start <= point);
        self.coverage.get(after.wrapping_sub(1)).is_some_and(|range| range.contains(&point))
    }

    /// Returns the numbers of its characters.
    pub(crate) fn points(&self) -> impl Iterator<Item = u32> {
        self.coverage.iter().cloned().flatten()
    }
}
