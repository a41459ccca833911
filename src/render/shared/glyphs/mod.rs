//! Characters and fonts for all backends that draw a PDF: symbols for emoji, boxes for missing characters, break
//! opportunities, the bundled fonts. Knows no typesetter.

#[cfg(feature = "pdf")]
pub(crate) mod breaks;
mod bundled;
pub(crate) mod missing;
pub(crate) mod scripts;
mod signs;
mod walk;

#[cfg(feature = "pdf-compact")]
pub(crate) use self::bundled::unpacked_mono;
pub(crate) use self::bundled::{chinese_font, unpacked};
pub(crate) use self::walk::Walk;

/// Most characters in an error or a warning.
pub(crate) const MAX_LISTED: usize = 20;

/// Returns a character with its code point.
pub(crate) fn named(c: char) -> String {
    format!("{c} (U+{:04X})", u32::from(c))
}

/// Returns at most `most` of the items, and the number of the others.
pub(crate) fn listed(items: impl ExactSizeIterator<Item = String>, most: usize) -> String {
    let more = items.len().saturating_sub(most);
    let mut listed: Vec<_> = items.take(most).collect();
    if more > 0 {
        listed.push(format!("and {more} more"));
    }
    listed.join(", ")
}
