//! Tables of a font file, and numbers in them.

/// Most tables of a font.
pub(crate) const MAX_TABLES: usize = 256;

/// Returns a table of the font whose directory begins at `start`.
pub(crate) fn table_at<'f>(font: &'f [u8], start: usize, name: &[u8; 4]) -> Option<&'f [u8]> {
    let count = u16_at(font, start.checked_add(4)?).map(usize::from)?;
    let entries = (0..count.min(MAX_TABLES)).map(|at| start + 12 + 16 * at);
    let mut entries = entries.filter(|entry| font.get(*entry..entry + 4) == Some(name));
    let entry = entries.next()?;
    let (offset, length) = (u32_at(font, entry + 8)? as usize, u32_at(font, entry + 12)? as usize);
    // A table that is cut off is returned as far as it goes.
    let rest = font.get(offset..)?;
    Some(rest.get(..length).unwrap_or(rest))
}

pub(crate) fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    let bytes = bytes.get(at..)?.get(..2)?;
    Some(u16::from_be_bytes(bytes.try_into().ok()?))
}

pub(crate) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..)?.get(..4)?;
    Some(u32::from_be_bytes(bytes.try_into().ok()?))
}
