//! Characters and the fonts that have them, whichever backend draws a PDF: signs in place of emoji, boxes in place of what no
//! font has, places where words may break, the bundled fonts. Knows no typesetter.

#[cfg(feature = "pdf")]
pub(crate) mod breaks;
mod bundled;
pub(crate) mod missing;
pub(crate) mod scripts;
mod signs;
mod walk;

pub(crate) use self::bundled::unpacked;
#[cfg(feature = "pdf-compact")]
pub(crate) use self::bundled::unpacked_mono;
pub(crate) use self::walk::Walk;

/// Most characters that an error or a warning lists.
pub(crate) const MAX_LISTED: usize = 20;

/// A character and its number.
pub(crate) fn named(c: char) -> String {
    format!("{c} (U+{:04X})", u32::from(c))
}

/// At most so many of the items, and how many more there are.
pub(crate) fn listed(items: impl ExactSizeIterator<Item = String>, most: usize) -> String {
    let more = items.len().saturating_sub(most);
    let mut listed: Vec<_> = items.take(most).collect();
    if more > 0 {
        listed.push(format!("and {more} more"));
    }
    listed.join(", ")
}
