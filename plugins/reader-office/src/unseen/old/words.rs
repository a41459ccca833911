//! Finds unseen text in a document of Word 97 to 2003.
//!
//! Its text is in pieces. Lists say which properties the characters have from one place in the file to the next, and which
//! those of paragraphs.

use super::Changes;
use super::bytes::{index_at, u16_at, u32_at};
use super::looks::{Paragraph, Run, Styles};
use super::pages::{Pages, entries, part};
use crate::unseen::word_styles::ParagraphLook;
use crate::unseen::{Paint, Unseen, Why, is_seen};
use std::collections::HashMap;
use std::ops::Range;

/// Version of Word 97. Older ones have other properties.
const WORD_97: u16 = 0x00C1;

/// Places in the head of a document.
const STYLES: usize = 0x00A2;
const RUNS: usize = 0x00FA;
const PARAGRAPHS: usize = 0x0102;
const PIECES: usize = 0x01A2;
const LENGTHS: usize = 0x004C;

/// Bytes of a page of properties.
const PAGE: usize = 512;

/// Most pieces of text with one look, and most lists of properties.
const MAX_SEGMENTS: usize = 1 << 20;

/// Deepest nesting of fields that is followed.
const MAX_FIELDS: usize = 1_000;

/// Most blocks of a row of a table. What lies behind the cells of a longer one is not known.
const MAX_ROW: usize = 10_000;

/// An optional hyphen, which the library leaves out.
const NOTHING: u8 = 0x1F;

/// Marks of the begin, the middle and the end of a field.
const FIELD: [u16; 3] = [0x13, 0x14, 0x15];

/// End of a cell or a row.
const CELL: u16 = 0x07;

/// Returns the name of the stream with the tables of a document; `None` for one that is not looked at.
pub(super) fn table_name(document: &[u8]) -> Option<&'static str> {
    const ENCRYPTED: u16 = 1 << 8;
    const SECOND: u16 = 1 << 9;
    let (magic, version, flags) =
        (u16_at(document, 0)?, u16_at(document, 2)?, u16_at(document, 10)?);
    if magic != 0xA5EC || version < WORD_97 || flags & ENCRYPTED != 0 {
        return None;
    }
    Some(if flags & SECOND != 0 { "/1Table" } else { "/0Table" })
}

/// Returns what has to change in the stream of a document; `None` if it is too intricate.
pub(super) fn changes(document: &[u8], table: &[u8], unseen: &mut Unseen) -> Option<Changes> {
    let Some((pieces, lists)) = pieces(part(document, table, PIECES).unwrap_or_default()) else {
        return Some(Changes::new());
    };
    let runs = Properties::read(document, part(document, table, RUNS), &run_lists)?;
    let paragraphs =
        Properties::read(document, part(document, table, PARAGRAPHS), &paragraph_lists)?;
    let text = Text::split(document, &pieces, &runs)?;
    let styles = Styles::parse(part(document, table, STYLES).unwrap_or_default());
    let remover = Remover {
        document,
        lists: &lists,
        pieces: &pieces,
        runs: &runs,
        paragraphs: &paragraphs,
        styles: &styles,
        stories: stories(document),
        room: [0.0; 2],
        pages: Pages::read(document, table)?,
        looks: HashMap::new(),
        unseen,
        fields: Vec::new(),
        instructions: 0,
        changes: Changes::new(),
        counted: [0, 0],
        is_in_table: false,
    };
    Some(remover.run(&text))
}

/// A piece of the text, of which each character has the same number of bytes.
struct Piece {
    at: usize,
    count: usize,
    width: usize,
    modifier: u16,
}

/// Returns the pieces of the text and the lists of properties that they name.
fn pieces(mut data: &[u8]) -> Option<(Vec<Piece>, Vec<&[u8]>)> {
    let mut lists = Vec::new();
    while data.first() == Some(&1) {
        let length = usize::from(u16_at(data, 1)?);
        lists.push(data.get(3..3 + length)?);
        data = data.get(3 + length..)?;
    }
    let length = index_at(data, 1).filter(|_| data.first() == Some(&2))?;
    let table = data.get(5..5usize.checked_add(length)?)?;
    let mut start = index_at(table, 0)?;
    let mut found = Vec::new();
    for (end, entry) in entries(table, 8) {
        let place = u32_at(entry, 2)?;
        let is_narrow = place & 0x4000_0000 != 0;
        let at = (place & 0x3FFF_FFFF) as usize;
        found.push(Piece {
            at: if is_narrow { at / 2 } else { at },
            count: end.checked_sub(start)?,
            width: if is_narrow { 1 } else { 2 },
            modifier: u16_at(entry, 6)?,
        });
        start = end;
    }
    Some((found, lists))
}

/// Lists of properties, each with the bytes of the file that have them.
struct Properties<'a>(Vec<(Range<usize>, &'a [u8])>);

impl<'a> Properties<'a> {
    /// Reads the pages that a list names; `None` if there are too many.
    fn read(
        document: &'a [u8],
        list: Option<&[u8]>,
        read: &dyn Fn(&'a [u8], usize) -> Option<&'a [u8]>,
    ) -> Option<Self> {
        let mut found = Vec::new();
        for (_, entry) in entries(list.unwrap_or_default(), 4) {
            let number = u32_at(entry, 0).map(|it| (it & 0x003F_FFFF) as usize);
            let page = number.and_then(|it| document.get(it * PAGE..(it + 1) * PAGE));
            let Some(page) = page else { continue };
            let count = usize::from(page[PAGE - 1]);
            for index in 0..count {
                let place = |index: usize| index_at(page, 4 * index);
                if let (Some(start), Some(end)) = (place(index), place(index + 1)) {
                    let list = read(page, 4 * (count + 1) + index).unwrap_or_default();
                    found.push((start..end, list));
                }
            }
            if found.len() > MAX_SEGMENTS {
                return None;
            }
        }
        found.sort_by_key(|(range, _)| range.start);
        Some(Self(found))
    }

    /// Returns the number of the list for a byte of the file, and where it ends.
    fn find(&self, at: usize) -> (Option<usize>, usize) {
        let behind = self.0.partition_point(|(range, _)| range.start <= at);
        let next = self.0.get(behind).map_or(usize::MAX, |(range, _)| range.start);
        match behind.checked_sub(1).and_then(|index| Some((index, self.0.get(index)?))) {
            Some((index, (range, _))) if at < range.end => (Some(index), range.end.min(next)),
            _ => (None, next),
        }
    }

    fn list(&self, index: Option<usize>) -> &'a [u8] {
        index.and_then(|index| self.0.get(index)).map_or(&[][..], |(_, list)| list)
    }
}

/// Returns the properties of a run, from the place of their offset in a page.
fn run_lists(page: &[u8], at: usize) -> Option<&[u8]> {
    let place = 2 * usize::from(*page.get(at)?);
    let length = usize::from(*page.get(place).filter(|_| place > 0)?);
    page.get(place + 1..place + 1 + length)
}

/// Returns the style and the properties of a paragraph. `at` would be the place of an offset of one byte, but these have
/// thirteen.
fn paragraph_lists(page: &[u8], at: usize) -> Option<&[u8]> {
    let first = 4 * (usize::from(page[PAGE - 1]) + 1);
    let place = 2 * usize::from(*page.get(first + 13 * (at - first))?);
    match *page.get(place).filter(|_| place > 0)? {
        0 => {
            let length = 2 * usize::from(*page.get(place + 1)?);
            page.get(place + 2..place + 2 + length)
        }
        words => page.get(place + 1..place + 2 * usize::from(words)),
    }
}

/// Characters of one look behind one another.
struct Segment {
    at: usize,
    count: usize,
    piece: usize,
    run: Option<usize>,
}

/// A paragraph, or a cell.
struct Block {
    segments: Range<usize>,
    /// Place of its first character in the text.
    start: usize,
    /// Its last character, and where that is.
    mark: u16,
    mark_at: usize,
    piece: usize,
}

#[derive(Default)]
struct Text {
    segments: Vec<Segment>,
    blocks: Vec<Block>,
}

impl Text {
    /// Splits the text where its look changes and where paragraphs end; `None` if there are too many parts.
    fn split(document: &[u8], pieces: &[Piece], runs: &Properties<'_>) -> Option<Self> {
        let mut text = Self::default();
        let (mut first, mut start, mut place) = (0, 0, 0);
        // Pieces of a regular file share no bytes, so that together they are not longer than it.
        let mut room = document.len();
        for (index, piece) in pieces.iter().enumerate() {
            let present = document.len().saturating_sub(piece.at) / piece.width;
            let count = piece.count.min(present);
            room = room.checked_sub(count * piece.width)?;
            let mut done = 0;
            while done < count {
                let at = piece.at + done * piece.width;
                let (run, end) = runs.find(at);
                let most = (end.saturating_sub(at) / piece.width).clamp(1, count - done);
                let units = (0..most)
                    .map(|unit| self::unit(document, at + unit * piece.width, piece.width));
                let mark = units.enumerate().find(|(_, unit)| matches!(unit, 0x07 | 0x0C | 0x0D));
                let length = mark.map_or(most, |(unit, _)| unit + 1);
                text.segments.push(Segment { at, count: length, piece: index, run });
                done += length;
                if let Some((_, mark)) = mark {
                    let segments = first..text.segments.len();
                    let mark_at = piece.at + (done - 1) * piece.width;
                    text.blocks.push(Block { segments, start, mark, mark_at, piece: index });
                    first = text.segments.len();
                    start = place + done;
                }
                if text.segments.len() > MAX_SEGMENTS {
                    return None;
                }
            }
            place += piece.count;
        }
        Some(text)
    }
}

fn unit(document: &[u8], at: usize, width: usize) -> u16 {
    match width {
        1 => document.get(at).copied().map_or(0, u16::from),
        _ => u16_at(document, at).unwrap_or_default(),
    }
}

/// The texts of a document, in their order.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Story {
    Main,
    Footnotes,
    Headers,
    Comments,
    Endnotes,
    Boxes,
    HeaderBoxes,
}

/// Returns the texts of a document, each with its begin and its end.
fn stories(document: &[u8]) -> Vec<(Story, Range<usize>)> {
    let kinds = [
        (Story::Main, 0),
        (Story::Footnotes, 1),
        (Story::Headers, 2),
        (Story::Comments, 4),
        (Story::Endnotes, 5),
        (Story::Boxes, 6),
        (Story::HeaderBoxes, 7),
    ];
    let mut start = 0;
    kinds
        .map(|(kind, index)| {
            let length = index_at(document, LENGTHS + 4 * index).unwrap_or_default();
            let range = start..start + length;
            start = range.end;
            (kind, range)
        })
        .to_vec()
}

/// What a block lies on, and how its text looks.
#[derive(Clone)]
struct Place {
    paint: Paint,
    /// `true` if drawings may lie between it and the page.
    is_page: bool,
    is_header: bool,
    name: String,
}

struct Remover<'a> {
    document: &'a [u8],
    lists: &'a [&'a [u8]],
    pieces: &'a [Piece],
    runs: &'a Properties<'a>,
    paragraphs: &'a Properties<'a>,
    styles: &'a Styles,
    stories: Vec<(Story, Range<usize>)>,
    pages: Pages,
    /// Room for letters on drawings behind the text and behind page headers.
    room: [f64; 2],
    /// Looks of paragraph styles that were needed.
    looks: HashMap<u16, ParagraphLook>,
    unseen: &'a mut Unseen,
    /// For each open field, whether its instruction is being read.
    fields: Vec<bool>,
    /// Number of these instructions.
    instructions: usize,
    changes: Changes,
    /// Paragraphs and tables of the text so far.
    counted: [usize; 2],
    is_in_table: bool,
}

impl Remover<'_> {
    fn run(mut self, text: &Text) -> Changes {
        self.room = self.pages.room;
        let mut story = None;
        let mut next = 0;
        while let Some(block) = text.blocks.get(next) {
            let found = self.stories.iter().find(|(_, range)| range.contains(&block.start));
            let Some((kind, range)) = found.cloned() else { break };
            if story != Some(kind) {
                self.fields.clear();
                self.instructions = 0;
                story = Some(kind);
            }
            let first = self.paragraph(block);
            let mut row = vec![first];
            // The fills of cells are at the end of their row.
            while row.len() < MAX_ROW
                && row.last().is_some_and(|it| it.tables > 0 && !(it.ends_row && it.tables == 1))
                && let Some(block) = text.blocks.get(next + row.len())
                && range.contains(&block.start)
            {
                row.push(self.paragraph(block));
                if row.last().is_some_and(|it| it.tables == 0) {
                    row.pop();
                    break;
                }
            }
            self.blocks(text, next, &row, kind, range.start);
            next += row.len();
        }
        self.changes
    }

    /// Handles the blocks of a row of a table, or a block outside of tables.
    fn blocks(&mut self, text: &Text, first: usize, row: &[Paragraph], story: Story, begin: usize) {
        let is_table = row.first().is_some_and(|it| it.tables > 0);
        let end = row.last().filter(|it| it.ends_row);
        let fills = |it: &Paragraph| {
            it.has_other_fills || it.table_style.is_some_and(|style| self.styles.has_fills(style))
        };
        let has_other_fills = end.is_none_or(fills);
        let has_inner_fills = row
            .iter()
            .filter(|it| it.ends_inner_row)
            .any(|it| fills(it) || it.cells.iter().any(|cell| *cell != Paint::Clear));
        if is_table && !self.is_in_table {
            self.counted[1] += usize::from(story == Story::Main);
        }
        self.is_in_table = is_table;
        let mut cell = 0;
        for (paragraph, block) in row.iter().zip(text.blocks.get(first..).unwrap_or_default()) {
            if story == Story::Main && !is_table {
                self.counted[0] += 1;
            }
            let mut place = self.place(story, is_table, block.start - begin);
            if is_table {
                let known = end.and_then(|it| it.cells.get(cell)).copied().unwrap_or(Paint::Clear);
                let is_inner = paragraph.tables > 1;
                match known {
                    _ if has_other_fills || is_inner && has_inner_fills => {
                        place.cover(Paint::Unknown)
                    }
                    paint => place.cover(paint),
                }
                cell += usize::from(block.mark == CELL && !is_inner);
            }
            if paragraph.is_in_frame {
                place.cover(Paint::Unknown);
            }
            self.block(text, block, paragraph, place, story);
        }
    }

    /// Returns what text of a story lies on. `at` is its place in the story.
    fn place(&self, story: Story, is_table: bool, at: usize) -> Place {
        let (paint, is_page) = match story {
            Story::Boxes | Story::HeaderBoxes => {
                (self.pages.text_box(at, story == Story::HeaderBoxes), false)
            }
            // Comments lie beside the page.
            Story::Comments => (Paint::Unknown, false),
            _ => (self.pages.paper, true),
        };
        let name = match story {
            Story::Main if is_table => format!("table {}", self.counted[1]),
            Story::Main => format!("paragraph {}", self.counted[0]),
            Story::Footnotes | Story::Endnotes => "a note".to_owned(),
            Story::Headers => "a header".to_owned(),
            Story::Comments => "a comment".to_owned(),
            Story::Boxes | Story::HeaderBoxes => "a text box".to_owned(),
        };
        Place { paint, is_page, is_header: story == Story::Headers, name }
    }

    /// Returns the properties of a paragraph. They are those of its last character.
    fn paragraph(&self, block: &Block) -> Paragraph {
        let list = self.paragraphs.list(self.paragraphs.find(block.mark_at).0);
        let mut found =
            Paragraph { style: u16_at(list, 0).unwrap_or_default(), ..Paragraph::default() };
        found.take(list.get(2..).unwrap_or_default());
        found.take(self.modifiers(block.piece));
        found
    }

    /// Returns the properties that a piece adds, if it names a list.
    fn modifiers(&self, piece: usize) -> &[u8] {
        let modifier = self.pieces.get(piece).map_or(0, |piece| piece.modifier);
        let list = self.lists.get(usize::from(modifier >> 1)).filter(|_| modifier & 1 != 0);
        list.copied().unwrap_or_default()
    }

    fn block(
        &mut self,
        text: &Text,
        block: &Block,
        paragraph: &Paragraph,
        mut place: Place,
        story: Story,
    ) {
        let styles = self.styles;
        let style = self
            .looks
            .entry(paragraph.style)
            .or_insert_with(|| styles.paragraph(paragraph.style))
            .clone();
        let look = paragraph.look.over(&style);
        place.cover(look.shade.unwrap_or(Paint::Clear));
        let of_paragraph = (look.is_flat == Some(true)).then_some(Why::Tiny);
        for segment in text.segments.get(block.segments.clone()).unwrap_or_default() {
            self.segment(segment, &style, &place, of_paragraph, story);
        }
    }

    fn segment(
        &mut self,
        segment: &Segment,
        style: &ParagraphLook,
        place: &Place,
        of_paragraph: Option<Why>,
        story: Story,
    ) {
        let width = self.pieces.get(segment.piece).map_or(1, |piece| piece.width);
        let run = self.look(segment, style);
        let units: Vec<u16> = (0..segment.count)
            .map(|index| unit(self.document, segment.at + index * width, width))
            .collect();
        // Instructions of fields are not shown.
        let shown: Vec<bool> = units.iter().map(|unit| self.is_shown(*unit)).collect();
        let letters: Vec<u16> =
            units.iter().zip(&shown).filter(|(_, shown)| **shown).map(|(unit, _)| *unit).collect();
        let letters = String::from_utf16_lossy(&letters);
        if run.is_deleted || !letters.contains(is_seen) {
            return;
        }
        let why = of_paragraph.or_else(|| run.look.why(&letters, place.paint));
        let why = why
            .filter(|why| *why != Why::Colour || !self.may_lie_on_a_drawing(&run, place, &letters));
        let Some(why) = why.or_else(|| self.of_piece(segment.piece)) else {
            return self.unseen.seen();
        };
        // Comments are not on the page.
        if story == Story::Comments && why != Why::Hidden {
            return self.unseen.seen();
        }
        self.unseen.add(why, &letters, &place.name);
        let new = units.iter().zip(shown).flat_map(|(unit, shown)| {
            let unit = if shown { u16::from(NOTHING) } else { *unit };
            unit.to_le_bytes().into_iter().take(width)
        });
        self.changes.push((segment.at, new.collect()));
    }

    /// Returns whether a piece is hidden by the one property that it changes.
    fn of_piece(&self, piece: usize) -> Option<Why> {
        const HIDDEN: u16 = 0x01_B8;
        let modifier = self.pieces.get(piece).map_or(0, |piece| piece.modifier);
        (modifier == HIDDEN).then_some(Why::Hidden)
    }

    /// Returns whether a unit of the text is a letter that people may see, and follows fields.
    fn is_shown(&mut self, unit: u16) -> bool {
        let [begin, middle, end] = FIELD;
        match unit {
            it if it == begin && self.fields.len() < MAX_FIELDS => {
                self.fields.push(true);
                self.instructions += 1;
            }
            it if it == middle => {
                if let Some(field) = self.fields.last_mut() {
                    self.instructions -= usize::from(std::mem::take(field));
                }
            }
            it if it == end => {
                self.instructions -= usize::from(self.fields.pop() == Some(true));
            }
            _ => {}
        }
        unit > 0x20 && self.instructions == 0
    }

    /// Returns the look of a segment in a paragraph of a style.
    fn look(&self, segment: &Segment, style: &ParagraphLook) -> Run {
        let lists = [self.runs.list(segment.run), self.modifiers(segment.piece)];
        let mut own = Run::default();
        lists.iter().for_each(|list| own.take(list, false));
        let character = own.style.map(|style| self.styles.character(style)).unwrap_or_default();
        let mut outer = character.over(&style.look);
        // Word shows what a style of paragraphs and one of characters both hide.
        if character.hidden == Some(true) && style.look.hidden == Some(true) {
            outer.hidden = Some(false);
        }
        // Now that the styles are known, so is what the text says about them.
        let mut own = Run::default();
        lists.iter().for_each(|list| own.take(list, outer.hidden == Some(true)));
        Run { look: own.look.over(&outer), ..own }
    }

    /// Returns whether a text in the colour of the page may lie on a drawing, because these have room for it.
    fn may_lie_on_a_drawing(&mut self, run: &Run, place: &Place, letters: &str) -> bool {
        if !place.is_page || run.look.has_ground() {
            return false;
        }
        let letters = letters.chars().filter(|it| is_seen(*it)).count() as f64;
        let room = &mut self.room[usize::from(place.is_header)];
        *room -= letters * run.look.room();
        *room >= 0.0
    }
}

impl Place {
    fn cover(&mut self, paint: Paint) {
        if paint != Paint::Clear {
            (self.paint, self.is_page) = (paint, false);
        }
    }
}
