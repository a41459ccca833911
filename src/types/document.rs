//! Document: an input after it was read and cleaned. Plain data, made by `ingest` of `mitt`, read by plugins and models.

use std::sync::Arc;

use mitt_table::NamedTable;

/// An input of a session, as plugins and models see it.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// File name, unique in a session.
    pub name: String,
    /// Media type found from the content.
    pub media_type: String,
    /// Title from the file's own metadata.
    pub title: Option<String>,
    /// Other metadata of the file, such as `author` and `created`, as names and values.
    pub metadata: Vec<(String, String)>,
    /// The text as Markdown, with each table at its place.
    pub text: String,
    /// Length of `text` in Unicode scalar values.
    pub characters: u64,
    /// Start of each page, slide, sheet or chapter, in order; empty if the document has none.
    pub places: Vec<Place>,
    /// The tables of the document by themselves, in order.
    pub tables: Arc<[NamedTable]>,
    /// What could not be read or was changed while reading, one sentence each.
    pub warnings: Vec<String>,
    /// SHA-256 of the file, 64 lower-case hexadecimal digits.
    pub sha256: String,
    /// Size of the file in bytes.
    pub size: u64,
}

/// Start of a part of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Index of the part's first character in the text, in Unicode scalar values.
    pub offset: u64,
    /// Name of the part for people: `page 3`, `slide 2`, `sheet Umsatz`, `chapter 4`.
    pub label: String,
}

impl Document {
    /// Returns at most `length` characters of the text, from character `offset` on. The text before `offset` is not decoded, so
    /// calls near the end of a long text are cheap, too.
    pub fn text_range(&self, offset: u64, length: u64) -> &str {
        let rest = &self.text[self.byte_of(0, offset)..];
        let start = self.text.len() - rest.len();
        &self.text[start..self.byte_of(start, length)]
    }

    /// Returns the byte index `count` characters after byte `start`, or the end of the text if it has fewer.
    fn byte_of(&self, start: usize, count: u64) -> usize {
        let rest = self.text.as_bytes().get(start..).unwrap_or_default();
        let mut left = usize::try_from(count).unwrap_or(usize::MAX);
        if self.characters == self.text.len() as u64 {
            return start + left.min(rest.len());
        }
        let mut at = 0;
        // Whole chunks are only counted, which takes a thirtieth of the time of finding each character.
        for piece in rest.chunks(PIECE) {
            let characters = piece.iter().filter(|byte| begins_character(**byte)).count();
            if characters > left {
                break;
            }
            left -= characters;
            at += piece.len();
        }
        let found =
            rest[at..].iter().enumerate().filter(|(_, byte)| begins_character(**byte)).nth(left);
        start + found.map_or(rest.len(), |(index, _)| at + index)
    }
}

/// Methods of [`Document`] for Mitt's own crates.
pub trait DocumentInternal: Sized {
    /// Returns a document without any content.
    fn empty(name: &str, media_type: &str) -> Self;

    /// Releases unused capacity.
    fn compact(&mut self);

    /// Returns the bytes that the document keeps: itself and its text, but neither the file that it was read from nor what its
    /// tables are charged for.
    fn kept_bytes(&self) -> u64;
}

impl DocumentInternal for Document {
    fn empty(name: &str, media_type: &str) -> Document {
        Document {
            name: name.to_owned(),
            media_type: media_type.to_owned(),
            title: None,
            metadata: Vec::new(),
            characters: 0,
            text: String::new(),
            places: Vec::new(),
            tables: Arc::default(),
            warnings: Vec::new(),
            sha256: String::new(),
            size: 0,
        }
    }

    fn compact(&mut self) {
        self.text.shrink_to_fit();
        self.warnings.shrink_to_fit();
        self.warnings.iter_mut().chain(&mut self.title).for_each(String::shrink_to_fit);
        self.metadata.shrink_to_fit();
        let values = self.metadata.iter_mut().flat_map(|(name, value)| [name, value]);
        let labels = self.places.iter_mut().map(|place| &mut place.label);
        values.chain(labels).for_each(String::shrink_to_fit);
        self.places.shrink_to_fit();
    }

    fn kept_bytes(&self) -> u64 {
        let texts = [&self.name, &self.media_type, &self.text, &self.sha256];
        let warnings = self.warnings.iter().map(String::capacity).sum::<usize>()
            + self.warnings.capacity() * size_of::<String>();
        let pair = |(name, value): &(String, String)| {
            size_of::<(String, String)>() + name.capacity() + value.capacity()
        };
        let place = |place: &Place| size_of::<Place>() + place.label.capacity();
        let own = size_of::<Document>()
            + self.metadata.iter().map(pair).sum::<usize>()
            + self.places.iter().map(place).sum::<usize>()
            + texts.iter().map(|text| text.capacity()).sum::<usize>()
            + self.title.as_ref().map_or(0, String::capacity)
            + warnings;
        let table = |table: &NamedTable| {
            let place = table.place.as_ref().map_or(0, String::capacity);
            (size_of::<NamedTable>() + table.name.capacity() + place) as u64
        };
        own as u64 + self.tables.iter().map(table).sum::<u64>()
    }
}

/// Bytes of a text that are counted at once.
const PIECE: usize = 4_096;

fn begins_character(byte: u8) -> bool {
    // Continuation bytes are `10xxxxxx`.
    byte & 0xC0 != 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(text: &str) -> Document {
        let characters = text.chars().count() as u64;
        Document { text: text.into(), characters, ..Document::empty("a.txt", "text/plain") }
    }

    #[test]
    fn ranges_of_characters_are_those_of_the_text() {
        let long: String = (0..9_000).map(|n| ['a', 'é', '年', '🙂'][n % 4]).collect();
        let ascii = "0123456789".repeat(1_000);
        for text in ["", "a", "年", "é年", &long, &ascii] {
            let document = document(text);
            for offset in [0, 1, 2, 3, 1_638, 4_095, 4_096, 8_998, 8_999, 9_000, 10_000, u64::MAX] {
                for length in [0, 1, 2, 5_000, u64::MAX] {
                    let expected: String = text
                        .chars()
                        .skip(usize::try_from(offset).unwrap())
                        .take(usize::try_from(length).unwrap())
                        .collect();
                    assert_eq!(document.text_range(offset, length), expected, "{offset} {length}");
                }
            }
        }
    }
}
