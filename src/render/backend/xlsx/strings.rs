//! The texts of a workbook, each of which the file contains once, and their notation in XML.

use hashbrown::HashTable;
use mitt_base::Result;
use mitt_table::Texts;
use std::hash::BuildHasher as _;

use super::package::{CompressedChunk, Writing};

/// Most bytes and most texts that are deduplicated. Later texts are written in their cells: a workbook of a million
/// different texts needs no list of them in memory.
const MAX_BYTES: usize = 16 << 20;
const MAX_TEXTS: usize = 1 << 19;

/// The texts of a workbook.
#[derive(Debug, Default)]
pub(super) struct Strings {
    known: HashTable<u32>,
    hash: hashbrown::DefaultHashBuilder,
    texts: Texts,
    writing: Writing,
}

impl Strings {
    /// Returns the index of a text; `None` if there are too many.
    pub(super) fn index(&mut self, text: &str) -> Result<Option<u32>> {
        let Strings { known, hash, texts, writing } = self;
        let of = hash.hash_one(text);
        if let Some(index) =
            known.find(of, |index| texts.get_bytes(*index as usize) == text.as_bytes())
        {
            return Ok(Some(*index));
        }
        if texts.byte_len() + text.len() > MAX_BYTES
            || texts.len() >= MAX_TEXTS
            || !texts.push(text)
        {
            return Ok(None);
        }
        let index = u32::try_from(texts.len() - 1).unwrap_or(u32::MAX);
        known.insert_unique(of, index, |index| hash.hash_one(texts.get(*index as usize)));
        writing.xml.push_str("<si>");
        push_text(&mut writing.xml, text);
        writing.xml.push_str("</si>");
        writing.turn()?;
        Ok(Some(index))
    }

    /// Returns the bytes that it keeps.
    pub(super) fn kept_bytes(&self) -> usize {
        // The vectors grow by doubling.
        self.known.allocation_size()
            + 2 * (self.texts.byte_len() + 4 * self.texts.len())
            + self.writing.kept_bytes()
    }

    /// Returns the part of the file.
    pub(super) fn finish(self) -> Result<Vec<CompressedChunk>> {
        let head = CompressedChunk::of(&format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n\
             <sst xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\" uniqueCount=\"{}\">",
            self.texts.len()
        ))?;
        Ok(vec![head, self.writing.finish()?, CompressedChunk::of("</sst>")?])
    }
}

/// Writes a text as an element.
pub(super) fn push_text(out: &mut String, text: &str) {
    let blank = [' ', '\t', '\n'];
    let keeps = text.starts_with(blank) || text.ends_with(blank);
    out.push_str(if keeps { "<t xml:space=\"preserve\">" } else { "<t>" });
    push_escaped(out, text, true);
    out.push_str("</t>");
}

/// Writes a text between tags. Leaves out characters that XML forbids. In a cell, `_x0041_` is escaped because it would be
/// read as `A`.
pub(super) fn push_escaped(out: &mut String, text: &str, is_cell: bool) {
    if !text.bytes().any(|byte| matches!(byte, 0..=31 | b'&' | b'<' | b'>' | b'_' | 0xef)) {
        return out.push_str(text);
    }
    for (at, c) in text.char_indices() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            // An unescaped one would be read as a line feed.
            '\r' => out.push_str("_x000D_"),
            '\t' | '\n' => out.push(c),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => {}
            '_' if is_cell && is_escape(&text.as_bytes()[at..]) => out.push_str("_x005F_"),
            c => out.push(c),
        }
    }
}

/// Returns `true` if it begins with an escaped character of the format: `_x0041_`.
fn is_escape(text: &[u8]) -> bool {
    matches!(text, [b'_', b'x', digits @ .., ] if digits.len() > 4 && digits[..4].iter().all(u8::is_ascii_hexdigit) && digits[4] == b'_')
}
