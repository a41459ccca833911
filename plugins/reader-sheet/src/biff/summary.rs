//! Reads the metadata in the property sets of a compound file.

use super::text::CodePage;
use crate::bytes::{array_at, u16_at, u32_at, utf16};
use crate::properties::Properties;
use calamine::{ExcelDateTime, ExcelDateTimeType};

const CODE_PAGE: u32 = 1;
const TITLE: u32 = 2;
const SUBJECT: u32 = 3;
const AUTHOR: u32 = 4;
const KEYWORDS: u32 = 5;
const CREATED: u32 = 12;
const SAVED: u32 = 13;

/// In the second property set.
const COMPANY: u32 = 15;

/// Returns the metadata of both property sets. Either may be missing.
pub(super) fn properties(summary: Option<&[u8]>, of_document: Option<&[u8]>) -> Properties {
    let text = |id| summary.and_then(|set| Set::of(set)?.text(id));
    let time = |id| summary.and_then(|set| Set::of(set)?.time(id));
    Properties {
        title: text(TITLE),
        author: text(AUTHOR),
        subject: text(SUBJECT),
        keywords: text(KEYWORDS),
        company: of_document.and_then(|set| Set::of(set)?.text(COMPANY)),
        created: time(CREATED),
        modified: time(SAVED),
    }
}

/// First section of a property set.
struct Set<'a> {
    section: &'a [u8],
    code_page: u16,
}

impl<'a> Set<'a> {
    fn of(set: &'a [u8]) -> Option<Self> {
        let section = set.get(u32_at(set, 44)? as usize..)?;
        let mut found = Set { section, code_page: 1252 };
        if let Some(page) = found.find(CODE_PAGE).and_then(|property| u16_at(property, 4)) {
            found.code_page = page;
        }
        Some(found)
    }

    /// Returns a property: its type, its length, its content.
    fn find(&self, wanted: u32) -> Option<&'a [u8]> {
        let section = self.section;
        let count = u32_at(section, 4)?.min(1000) as usize;
        (0..count)
            .find(|index| u32_at(section, 8 + 8 * index) == Some(wanted))
            .and_then(|index| section.get(u32_at(section, 12 + 8 * index)? as usize..))
    }

    fn text(&self, id: u32) -> Option<String> {
        let property = self.find(id)?;
        let length = u32_at(property, 4)? as usize;
        let text = property.get(8..)?;
        match u16_at(property, 0)? {
            0x1E if self.code_page == 1200 => Some(utf16(text.get(..length)?)),
            0x1E => Some(CodePage::of(self.code_page)?.decode(text.get(..length)?)),
            0x1F => Some(utf16(text.get(..length.checked_mul(2)?)?)),
            _ => None,
        }
    }

    fn time(&self, id: u32) -> Option<String> {
        let property = self.find(id)?;
        match u16_at(property, 0)? {
            0x40 => iso_time(u64::from_le_bytes(array_at(property, 4)?)),
            _ => None,
        }
    }
}

/// Returns a time in units of 100 ns since 1601 as ISO 8601; `None` before 1970, which means no time.
fn iso_time(ticks: u64) -> Option<String> {
    const TICKS_OF_A_DAY: f64 = 864e9;
    /// Days from 1601 to day 0 of worksheets, and from there to 1970.
    const DAYS: [f64; 2] = [109_205.0, 25_569.0];
    /// First day of the year 10 000.
    const TOO_LATE: f64 = 2_958_466.0;
    let day = ticks as f64 / TICKS_OF_A_DAY - DAYS[0];
    if !(DAYS[1]..TOO_LATE).contains(&day) {
        return None;
    }
    let time = ExcelDateTime::new(day, ExcelDateTimeType::DateTime, false);
    let (year, month, day, hour, minute, second, _) = time.to_ymd_hms_milli();
    Some(format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_iso_8601() {
        for (ticks, expected) in [
            (133_540_974_000_000_000, Some("2024-03-05T07:30:00Z")),
            (133_536_816_000_000_000, Some("2024-02-29T12:00:00Z")),
            (116_444_736_000_000_000, Some("1970-01-01T00:00:00Z")),
            (125_911_584_000_000_000, Some("2000-01-01T00:00:00Z")),
            (0, None),
            (u64::MAX, None),
        ] {
            assert_eq!(iso_time(ticks).as_deref(), expected, "{ticks}");
        }
    }

    /// Returns a property set with one section of these properties: ids, types and contents.
    fn set(properties: &[(u32, u16, Vec<u8>)]) -> Vec<u8> {
        let mut section = [[0; 4], (properties.len() as u32).to_le_bytes()].concat();
        let mut contents = Vec::new();
        for (id, kind, content) in properties {
            let at = 8 + 8 * properties.len() + contents.len();
            section.extend([id.to_le_bytes(), (at as u32).to_le_bytes()].concat());
            contents.extend(u32::from(*kind).to_le_bytes());
            contents.extend(content);
        }
        let begin = [vec![0; 44], 48_u32.to_le_bytes().to_vec()].concat();
        [begin, section, contents].concat()
    }

    fn text(bytes: &[u8], units: usize) -> Vec<u8> {
        [&(units as u32).to_le_bytes()[..], bytes].concat()
    }

    #[test]
    fn summaries_say_what_packages_say() {
        let summary = set(&[
            (CODE_PAGE, 2, 936_u32.to_le_bytes().to_vec()),
            (TITLE, 0x1E, text(b"\xC4\xEA\xB1\xA8\0", 5)),
            (AUTHOR, 0x1F, text(b"\x8B\x73\xB3\x82\0\0", 3)),
            (CREATED, 0x40, 133_540_974_000_000_000_u64.to_le_bytes().to_vec()),
            (SAVED, 0x40, vec![0; 8]),
        ]);
        let of_document = set(&[(COMPANY, 0x1E, text(b"ACME\0", 5))]);
        let found = properties(Some(&summary), Some(&of_document));
        let (title, metadata) = found.into_metadata();
        let metadata: Vec<_> =
            metadata.iter().map(|(name, value)| (&name[..], &value[..])).collect();
        assert_eq!(title.as_deref(), Some("年报"));
        let created = ("created", "2024-03-05T07:30:00Z");
        assert_eq!(metadata, [("author", "王芳"), ("company", "ACME"), created]);
    }

    #[test]
    fn damaged_summaries_say_nothing() {
        let whole =
            set(&[(TITLE, 0x1E, text(b"title", 5)), (AUTHOR, 0x1F, text(b"", u32::MAX as usize))]);
        for end in 0..whole.len() {
            properties(Some(&whole[..end]), Some(&whole[..end]));
        }
        assert_eq!(properties(None, None), Properties::default());
        assert_eq!(properties(Some(&whole), None).author, None);
    }
}
