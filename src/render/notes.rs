//! Footnotes of formats in which a note cannot stand within a note: numbers in the order of the references, and what stands
//! in place of a reference that can have no note.

use std::collections::{BTreeMap, BTreeSet};

use super::doc::{Block, Doc, for_each_text, references};

/// Characters of a footnote that are repeated where another one refers to it again.
const MAX_REPEATED_CHARACTERS: usize = 40;

/// What stands in place of a reference.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Reference {
    /// The first one in the text: the note with this number.
    First(usize),
    /// Another one in the text: the number of a note that is there already.
    Again(usize),
    /// One within a note, to a note of the text: the number only.
    Number(usize),
    /// One within a note, to a note that nothing else refers to: its text, or the beginning of it.
    Inline(String),
    /// There is no such note.
    Nothing,
}

/// Numbers of the notes of a document.
pub(crate) struct Notes<'a> {
    all: &'a [Vec<Block>],
    /// Number of each footnote that has been referred to.
    numbers: BTreeMap<usize, usize>,
    in_notes: bool,
    /// Footnotes whose text stands within another one already.
    inlined: BTreeSet<usize>,
}

impl<'a> Notes<'a> {
    pub(crate) fn of(doc: &'a Doc) -> Notes<'a> {
        let (numbers, inlined) = (BTreeMap::new(), BTreeSet::new());
        Notes { all: &doc.footnotes, numbers, in_notes: false, inlined }
    }

    /// The next reference in the order of the text, to the note with this index.
    pub(crate) fn reference(&mut self, index: usize) -> Reference {
        if let Some(number) = self.numbers.get(&index) {
            return match self.in_notes {
                true => Reference::Number(*number),
                false => Reference::Again(*number),
            };
        }
        let Some(blocks) = self.all.get(index) else { return Reference::Nothing };
        if self.in_notes {
            // The whole text once, and its beginning at every other place: many references to a long note would
            // otherwise be gigabytes.
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

    /// The notes that only a note refers to which has no number itself. A chain of them is followed without recursion, as it
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

    /// The text has ended: the notes that were referred to, by number. From here on references are within notes.
    pub(crate) fn begin(&mut self) -> Vec<&'a [Block]> {
        self.in_notes = true;
        let mut order: Vec<_> =
            self.numbers.iter().map(|(index, number)| (*number, *index)).collect();
        order.sort_unstable();
        order.into_iter().filter_map(|(_, index)| self.all.get(index)).map(Vec::as_slice).collect()
    }
}

/// At most so many characters of the text of some blocks, and whether there are more.
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
