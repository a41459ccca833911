//! Footnotes for formats in which a note cannot contain a note: numbers in the order of the references, and replacements for
//! references that cannot have a note.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::doc::{Block, Doc, for_each_text, references};

/// Most characters of a footnote's text that are repeated within another footnote.
const MAX_REPEATED_CHARACTERS: usize = 40;

/// What replaces a reference.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Reference {
    /// The first reference in the text: the note with this number.
    First(usize),
    /// A later reference in the text: the number of an existing note.
    Again(usize),
    /// A reference within a note, to a note of the text: only the number.
    Number(usize),
    /// A reference within a note, to a note that the text does not refer to: its text, or the beginning of it.
    Inline(String),
    /// The note does not exist.
    Nothing,
}

/// Numbers of a document's notes.
pub(crate) struct Notes<'a> {
    all: &'a [Vec<Block>],
    /// Number of each footnote that the text refers to.
    numbers: BTreeMap<usize, usize>,
    in_notes: bool,
    /// Footnotes whose text is part of another one.
    inlined: BTreeSet<usize>,
}

impl<'a> Notes<'a> {
    pub(crate) fn of(doc: &'a Doc) -> Notes<'a> {
        let (numbers, inlined) = (BTreeMap::new(), BTreeSet::new());
        Notes { all: &doc.footnotes, numbers, in_notes: false, inlined }
    }

    /// Records the next reference in the order of the text, to the note with this index.
    pub(crate) fn reference(&mut self, index: usize) -> Reference {
        if let Some(number) = self.numbers.get(&index) {
            return if self.in_notes {
                Reference::Number(*number)
            } else {
                Reference::Again(*number)
            };
        }
        let Some(blocks) = self.all.get(index) else { return Reference::Nothing };
        if self.in_notes {
            // The whole text is inserted once, and its beginning everywhere else: many references to a long note would
            // otherwise make gigabytes.
            let most =
                if self.inlined.insert(index) { usize::MAX } else { MAX_REPEATED_CHARACTERS };
            let (mut text, is_cut) = beginning(blocks, most);
            if is_cut {
                text.push('…');
            }
            if most == usize::MAX {
                self.add_notes_within(blocks, &mut text);
            }
            return Reference::Inline(text);
        }
        let number = self.numbers.len() + 1;
        self.numbers.insert(index, number);
        Reference::First(number)
    }

    /// Adds the notes that only a note without a number refers to. A chain of them is followed without recursion, because it
    /// can be as long as the document.
    fn add_notes_within(&mut self, blocks: &'a [Block], text: &mut String) {
        let mut waiting = references(blocks);
        while let Some(index) = waiting.pop_front() {
            let Some(blocks) = self.all.get(index) else { continue };
            if !self.numbers.contains_key(&index) && self.inlined.insert(index) {
                text.push_str(" [");
                for_each_text(blocks, &mut |part| text.push_str(part));
                text.push(']');
                waiting.extend(references(blocks));
            }
        }
    }

    /// Ends the text. Returns the notes that it refers to, by number. Later references are within notes.
    pub(crate) fn begin(&mut self) -> Vec<&'a [Block]> {
        self.in_notes = true;
        let mut order: Vec<_> =
            self.numbers.iter().map(|(index, number)| (*number, *index)).collect();
        order.sort_unstable();
        order.into_iter().filter_map(|(_, index)| self.all.get(index)).map(Vec::as_slice).collect()
    }
}

/// Returns at most `most` characters of the text of some blocks, and `true` if there are more.
fn beginning(blocks: &[Block], most: usize) -> (String, bool) {
    let mut text = String::new();
    let mut left = most;
    let mut is_cut = false;
    for_each_text(blocks, &mut |part| {
        let end = part.char_indices().nth(left).map_or(part.len(), |(end, _)| end);
        is_cut |= end < part.len();
        text.push_str(&part[..end]);
        left -= part[..end].chars().count();
    });
    (text, is_cut)
}
