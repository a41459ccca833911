//! Reads comments and text boxes of a worksheet.

use super::globals::Globals;
use super::record::{Record, Version};
use super::text::{Segments, bytes, unicode};
use crate::bytes::u16_at;
use crate::intake::{Failure, Intake};
use std::collections::BTreeMap;

const NOTE: u16 = 0x001C;
const OBJECT: u16 = 0x005D;
const TEXT: u16 = 0x01B6;
const PICTURE: u16 = 0x08;

/// Objects on a sheet. Since Excel 97, the cell and the text of a comment are in different records, in no fixed order.
pub(super) struct Remarks<'a> {
    globals: &'a Globals,
    /// The object that the next text belongs to.
    object: u16,
    pictures: usize,
    texts: BTreeMap<u16, String>,
    notes: Vec<Note>,
}

struct Note {
    row: u32,
    column: u32,
    author: String,
    text: NoteText,
}

enum NoteText {
    Own(String),
    OfObject(u16),
}

impl<'a> Remarks<'a> {
    pub(super) fn new(globals: &'a Globals) -> Self {
        Self { globals, object: 0, pictures: 0, texts: BTreeMap::new(), notes: Vec::new() }
    }

    /// Takes a record. If it is damaged, only the comment is lost.
    pub(super) fn take(&mut self, record: &Record<'_>) -> Option<()> {
        let data = record.data;
        match record.id {
            OBJECT if self.globals.version == Version::Eight => {
                self.object = u16_at(data, 6)?;
                self.pictures += usize::from(u16_at(data, 4)? == PICTURE);
            }
            TEXT => {
                let count = u16_at(data, 10)?;
                let (first, rest) = record.continued.split_first()?;
                let (flags, first) = first.split_first()?;
                let text = Segments::new(first, rest).characters(count.into(), *flags)?;
                self.texts.insert(self.object, text);
            }
            NOTE if self.globals.version == Version::Eight => {
                let author = data.get(8..).and_then(unicode).unwrap_or_default();
                self.note(data, author, NoteText::OfObject(u16_at(data, 6)?))?;
            }
            // Before Excel 97, a long comment continues in records of a row that does not exist.
            NOTE if u16_at(data, 0)? == 0xFFFF => {
                let more = self.old_text(data)?;
                if let Some(Note { text: NoteText::Own(text), .. }) = self.notes.last_mut() {
                    text.push_str(&more);
                }
            }
            NOTE => {
                let text = self.old_text(data)?;
                self.note(data, String::new(), NoteText::Own(text))?;
            }
            _ => {}
        }
        Some(())
    }

    fn old_text(&self, data: &[u8]) -> Option<String> {
        Some(bytes(data.get(6..)?, u16_at(data, 4)?.into(), self.globals.code_page))
    }

    fn note(&mut self, data: &[u8], author: String, text: NoteText) -> Option<()> {
        let (row, column) = (u16_at(data, 0)?.into(), u16_at(data, 2)?.into());
        self.notes.push(Note { row, column, author, text });
        Some(())
    }

    pub(super) fn hand_over(mut self, intake: &mut Intake<'_>) -> Result<(), Failure> {
        for note in self.notes {
            let text = match note.text {
                NoteText::Own(text) => text,
                NoteText::OfObject(object) => self.texts.remove(&object).unwrap_or_default(),
            };
            intake.comment(note.row, note.column, &note.author, &text)?;
        }
        for text in self.texts.into_values() {
            intake.text_box(&text)?;
        }
        (0..self.pictures).for_each(|_| intake.picture());
        Ok(())
    }
}
