//! The title in a compound file's summary.

use super::text::CodePage;
use crate::bytes::{u16_at, u32_at, utf16};

const CODE_PAGE: u32 = 1;
const TITLE: u32 = 2;

/// The title in a property set; none without one.
pub(super) fn title(set: &[u8]) -> Option<String> {
    let section = set.get(u32_at(set, 44)? as usize..)?;
    let count = u32_at(section, 4)?.min(1000) as usize;
    let find = |wanted: u32| {
        (0..count)
            .find(|index| u32_at(section, 8 + 8 * index) == Some(wanted))
            .and_then(|index| section.get(u32_at(section, 12 + 8 * index)? as usize..))
    };
    let code_page = find(CODE_PAGE).and_then(|property| u16_at(property, 4)).unwrap_or(1252);
    let property = find(TITLE)?;
    let length = u32_at(property, 4)? as usize;
    let text = property.get(8..)?;
    match u16_at(property, 0)? {
        0x1E if code_page == 1200 => Some(utf16(text.get(..length)?)),
        0x1E => Some(CodePage::of(code_page)?.decode(text.get(..length)?)),
        0x1F => Some(utf16(text.get(..length.checked_mul(2)?)?)),
        _ => None,
    }
}
