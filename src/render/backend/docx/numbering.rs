//! Numbers and bullets of lists. Each numbered list has a numbering of its own, so that it begins with its own number and
//! continues when a user adds an item in Word.

use std::fmt::Write as _;

use super::namespaces::NAMESPACES;
use crate::shared::ooxml::HEAD;

/// Levels that Word supports.
pub(super) const LEVELS: usize = 9;
/// Indent of each level, in twentieths of a point.
pub(super) const STEP: u32 = 420;

/// Highest number to which Word counts.
const MAX_NUMBER: u64 = 32_767;
/// Most lists with a numbering of their own, because Word slows down with thousands. Items of later lists have their number
/// as text.
const MAX_NUMBERINGS: u32 = 2_000;

/// Numbering of all bullets. One is enough, since bullets do not count.
const BULLETS: u32 = 1;

/// Numberings of a document.
#[derive(Default)]
pub(super) struct Lists {
    /// Level and first number of each numbered list.
    numbered: Vec<(usize, u64)>,
}

impl Lists {
    /// Returns the numbering of the next list, with `items` items from `start`, or of bullets; `None` if Word cannot count
    /// so far.
    pub(super) fn next(&mut self, start: Option<u64>, items: usize, level: usize) -> Option<u32> {
        let Some(start) = start else { return Some(BULLETS) };
        let last = start.saturating_add(items as u64);
        let used = u32::try_from(self.numbered.len()).unwrap_or(u32::MAX);
        if last > MAX_NUMBER || used >= MAX_NUMBERINGS {
            return None;
        }
        self.numbered.push((level.min(LEVELS - 1), start));
        Some(BULLETS + 1 + used)
    }

    /// Returns `word/numbering.xml`.
    pub(super) fn part(&self) -> String {
        let mut xml = format!("{HEAD}<w:numbering {NAMESPACES}>");
        for (id, is_numbered) in [(0, false), (1, true)] {
            let _ = write!(
                xml,
                "<w:abstractNum w:abstractNumId=\"{id}\"><w:multiLevelType w:val=\"hybridMultilevel\"/>"
            );
            (0..LEVELS).for_each(|level| write_level(&mut xml, level, is_numbered));
            xml.push_str("</w:abstractNum>");
        }
        let _ = write!(xml, "<w:num w:numId=\"{BULLETS}\"><w:abstractNumId w:val=\"0\"/></w:num>");
        for (id, (level, start)) in (BULLETS + 1..).zip(&self.numbered) {
            let _ = write!(
                xml,
                "<w:num w:numId=\"{id}\"><w:abstractNumId w:val=\"1\"/><w:lvlOverride w:ilvl=\"{level}\">\
                 <w:startOverride w:val=\"{start}\"/></w:lvlOverride></w:num>"
            );
        }
        xml + "</w:numbering>"
    }
}

fn write_level(xml: &mut String, level: usize, is_numbered: bool) {
    let left = STEP * (level as u32 + 1);
    let (format, text) = match (is_numbered, level % 3) {
        (true, _) => ("decimal", format!("%{}.", level + 1)),
        (false, 0) => ("bullet", "•".to_owned()),
        (false, 1) => ("bullet", "–".to_owned()),
        (false, _) => ("bullet", "▪".to_owned()),
    };
    let _ = write!(
        xml,
        "<w:lvl w:ilvl=\"{level}\"><w:start w:val=\"1\"/><w:numFmt w:val=\"{format}\"/><w:lvlText w:val=\"{text}\"/>\
         <w:lvlJc w:val=\"left\"/><w:pPr><w:ind w:left=\"{left}\" w:hanging=\"{STEP}\"/></w:pPr>"
    );
    if !is_numbered {
        // A bullet must not be as wide as a Chinese character.
        xml.push_str("<w:rPr><w:rFonts w:ascii=\"Arial\" w:hAnsi=\"Arial\" w:eastAsia=\"Arial\" w:cs=\"Arial\" w:hint=\"default\"/></w:rPr>");
    }
    xml.push_str("</w:lvl>");
}
