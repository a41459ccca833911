//! Reads how properties of Word 97 to 2003 let text look, as far as that hides it.

use super::bytes::{i16_at, i32_at, u16_at};
use crate::unseen::Paint;
use crate::unseen::word_styles::{Look, ParagraphLook};

/// Longest chain of parent styles.
const MAX_PARENTS: usize = 30;

/// Most styles of a document.
const MAX_STYLES: usize = 4_096;

/// Highest exact line, in twentieths of a point, in which letters are cut off.
const FLAT: i16 = -20;

/// The property modifiers of a list, each with its number and its operand.
pub(super) struct Modifiers<'a>(pub(super) &'a [u8]);

impl<'a> Iterator for Modifiers<'a> {
    type Item = (u16, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let number = u16_at(self.0, 0)?;
        let rest = self.0.get(2..)?;
        let (skip, length) = match number >> 13 {
            0 | 1 => (0, 1),
            3 => (0, 4),
            7 => (0, 3),
            6 => match (number, rest.first()?) {
                // Definitions of tables have a length of two bytes, one too large.
                (0xD606 | 0xD608, _) => (2, usize::from(u16_at(rest, 0)?).checked_sub(1)?),
                // Changes of tabulators may be longer than a byte can say.
                (0xC615, 255) => {
                    let removed = 4 * usize::from(*rest.get(1)?);
                    (1, 2 + removed + 3 * usize::from(*rest.get(2 + removed)?))
                }
                (_, length) => (1, usize::from(*length)),
            },
            _ => (0, 2),
        };
        let operand = rest.get(skip..skip + length)?;
        self.0 = rest.get(skip + length..)?;
        Some((number, operand))
    }
}

/// The look of a run of characters.
#[derive(Clone, Debug, Default)]
pub(super) struct Run {
    pub(super) look: Look,
    pub(super) style: Option<u16>,
    /// `true` for text that was deleted while changes were tracked.
    pub(super) is_deleted: bool,
}

impl Run {
    /// Takes the modifiers of a list. `hidden` is what the styles say about hidden text.
    pub(super) fn take(&mut self, list: &[u8], hidden: bool) {
        let look = &mut self.look;
        for (number, operand) in Modifiers(list) {
            let Some(&first) = operand.first() else { continue };
            let word = u16_at(operand, 0);
            match number {
                0x0800 => self.is_deleted = first != 0,
                0x083C => look.hidden = switched(first, hidden),
                0x0838 | 0x0839 | 0x0854 | 0x0858 => look.has_effects |= first != 0,
                0x0882 => look.is_complex = Some(first != 0),
                0x2A0C => look.highlight = Some(indexed(first.into(), Paint::Clear)),
                0x2A42 => look.colour = Some(indexed(first.into(), Paint::Unknown)),
                0x4A30 => self.style = word,
                0x4A43 => look.size = points(word),
                0x4A61 => look.complex_size = points(word),
                0x4852 => look.width = word.map(f64::from),
                0x4866 => look.shade = word.map(old_shade),
                0x6870 => look.colour = Some(plain(operand, Paint::Unknown)),
                0xCA71 => look.shade = Some(shade(operand)),
                _ => {}
            }
        }
    }
}

/// Returns a size in points; `None` for nothing, which is not a size.
fn points(half: Option<u16>) -> Option<f64> {
    half.filter(|half| *half > 0).map(|half| f64::from(half) / 2.0)
}

fn switched(value: u8, of_style: bool) -> Option<bool> {
    match value {
        0 => Some(false),
        1 => Some(true),
        // The other values follow the style, or contradict it.
        0x81 => Some(!of_style),
        _ => None,
    }
}

/// What a paragraph is, and what it lies on.
#[derive(Clone, Debug, Default)]
pub(super) struct Paragraph {
    pub(super) style: u16,
    pub(super) look: ParagraphLook,
    /// Number of tables around it.
    pub(super) tables: usize,
    /// `true` for the end of a row of the outermost table.
    pub(super) ends_row: bool,
    /// `true` for the end of a row, or of a cell, of a table in a table.
    pub(super) ends_inner_row: bool,
    /// `true` in a frame, which may lie on anything.
    pub(super) is_in_frame: bool,
    /// Paints of the cells of the row that it ends.
    pub(super) cells: Vec<Paint>,
    /// `true` if cells may have paints that are not known.
    pub(super) has_other_fills: bool,
    pub(super) table_style: Option<u16>,
}

impl Paragraph {
    pub(super) fn take(&mut self, list: &[u8]) {
        for (number, operand) in Modifiers(list) {
            let Some(&first) = operand.first() else { continue };
            match number {
                0x2416 if first != 0 => self.tables = self.tables.max(1),
                0x6649 => {
                    let depth = i32_at(operand, 0).and_then(|it| usize::try_from(it).ok());
                    self.tables = depth.unwrap_or_default();
                }
                0x2417 => self.ends_row = first != 0,
                0x244C => self.ends_inner_row = first != 0,
                0x261B | 0x8418 | 0x8419 => self.is_in_frame = true,
                0x442D => self.look.shade = u16_at(operand, 0).map(old_shade),
                0xC64D => self.look.shade = Some(shade(operand)),
                0x6412 => {
                    let is_flat = i16_at(operand, 0).is_some_and(|it| (FLAT..0).contains(&it));
                    self.look.is_flat = Some(is_flat && u16_at(operand, 2) == Some(0));
                }
                // The rest of the properties is elsewhere.
                0x6645 | 0x6646 => self.has_other_fills = true,
                0x563A => self.table_style = u16_at(operand, 0),
                0xD609 => {
                    let cells = operand.chunks_exact(2).filter_map(|cell| u16_at(cell, 0));
                    self.cells(0, cells.map(old_shade));
                }
                0xD612 => self.cells(0, operand.chunks_exact(10).map(shade)),
                0xD616 => self.cells(22, operand.chunks_exact(10).map(shade)),
                0xD60C => self.cells(44, operand.chunks_exact(10).map(shade)),
                // Single cells, all cells, or what replaces the style of the table.
                0xD62D | 0xD62E | 0xD660 => {
                    let fill = operand.get(operand.len().saturating_sub(10)..).map(shade);
                    self.has_other_fills |= fill != Some(Paint::Clear);
                }
                0xD670..=0xD672 => {
                    let fills = operand.chunks_exact(10).map(shade);
                    self.has_other_fills |= fills
                        .zip(&self.cells)
                        .any(|(new, known)| new != Paint::Clear && new != *known)
                        || self.cells.is_empty();
                }
                0x7627 | 0x7628 => self.has_other_fills = true,
                _ => {}
            }
        }
    }

    fn cells(&mut self, first: usize, fills: impl Iterator<Item = Paint>) {
        self.cells.truncate(first);
        self.cells.resize(first, Paint::Clear);
        self.cells.extend(fills.take(64 - first));
    }
}

/// Returns a colour of Word by its number. `automatic` is that of number 0.
fn indexed(number: u16, automatic: Paint) -> Paint {
    let rgb: u32 = match number {
        0 => return automatic,
        1 => 0x00_0000,
        2 => 0x00_00FF,
        3 => 0x00_FFFF,
        4 => 0x00_FF00,
        5 => 0xFF_00FF,
        6 => 0xFF_0000,
        7 => 0xFF_FF00,
        8 => 0xFF_FFFF,
        9 => 0x00_0080,
        10 => 0x00_8080,
        11 => 0x00_8000,
        12 => 0x80_0080,
        13 => 0x80_0000,
        14 => 0x80_8000,
        15 => 0x80_8080,
        16 => 0xC0_C0C0,
        _ => return Paint::Unknown,
    };
    let [_, red, green, blue] = rgb.to_be_bytes();
    Paint::Plain([red, green, blue])
}

/// Returns a colour of four bytes, of which the last says whether it is automatic.
fn plain(data: &[u8], automatic: Paint) -> Paint {
    match *data {
        [red, green, blue, 0, ..] => Paint::Plain([red, green, blue]),
        [_, _, _, 0xFF, ..] => automatic,
        _ => Paint::Unknown,
    }
}

/// Returns the paint of a shading of Word 97.
fn old_shade(value: u16) -> Paint {
    let [front, back, pattern] = [value & 0x1F, value >> 5 & 0x1F, value >> 10];
    match pattern {
        _ if value == 0xFFFF => Paint::Clear,
        0 => indexed(back, Paint::Clear),
        1 => indexed(front, Paint::Plain([0; 3])),
        _ => Paint::Unknown,
    }
}

/// Returns the paint of a shading of Word 2000 and later: two colours and a pattern.
fn shade(data: &[u8]) -> Paint {
    let colour = |at: usize, automatic| plain(data.get(at..).unwrap_or_default(), automatic);
    match u16_at(data, 8) {
        Some(0 | 0xFFFF) => colour(4, Paint::Clear),
        Some(1) => colour(0, Paint::Plain([0; 3])),
        _ => Paint::Unknown,
    }
}

#[derive(Debug, Default)]
struct Style {
    parent: usize,
    paragraph: Paragraph,
    run: Run,
    has_fills: bool,
}

/// The styles of a document.
#[derive(Debug, Default)]
pub(super) struct Styles(Vec<Style>);

impl Styles {
    /// Reads the part of the table stream with the styles.
    pub(super) fn parse(data: &[u8]) -> Self {
        let mut found = Self::default();
        found.read(data);
        found
    }

    fn read(&mut self, data: &[u8]) -> Option<()> {
        let head = usize::from(u16_at(data, 0)?);
        let (count, base) = (u16_at(data, 2)?, usize::from(u16_at(data, 4)?));
        let mut rest = data.get(2 + head..)?;
        for _ in 0..usize::from(count).min(MAX_STYLES) {
            let length = usize::from(u16_at(rest, 0)?);
            let entry = rest.get(2..2 + length)?;
            self.0.push(style(entry, base).unwrap_or_default());
            rest = rest.get(2 + length + length % 2..)?;
        }
        Some(())
    }

    /// Returns a style and its parents.
    fn chain(&self, number: u16) -> impl Iterator<Item = &Style> {
        let first = self.0.get(usize::from(number));
        std::iter::successors(first, |style| self.0.get(style.parent)).take(MAX_PARENTS)
    }

    /// Returns the look of a paragraph style and of its text.
    pub(super) fn paragraph(&self, number: u16) -> ParagraphLook {
        self.chain(number).fold(ParagraphLook::default(), |look, style| {
            let own =
                ParagraphLook { look: style.run.look.clone(), ..style.paragraph.look.clone() };
            look.over(&own)
        })
    }

    pub(super) fn character(&self, number: u16) -> Look {
        self.chain(number).fold(Look::default(), |look, style| look.over(&style.run.look))
    }

    /// Returns whether a style of a table may fill cells.
    pub(super) fn has_fills(&self, number: u16) -> bool {
        self.chain(number).any(|style| style.has_fills)
    }
}

/// Reads an entry of the styles, whose fixed part has `base` bytes.
fn style(entry: &[u8], base: usize) -> Option<Style> {
    /// Kinds of styles.
    const PARAGRAPH: u16 = 1;
    const CHARACTER: u16 = 2;
    const TABLE: u16 = 3;
    let kinds = u16_at(entry, 2)?;
    let mut found = Style { parent: usize::from(kinds >> 4), ..Style::default() };
    let mut at = base + 2 + 2 * (usize::from(u16_at(entry, base)?) + 1);
    let mut next = || -> Option<&[u8]> {
        let length = usize::from(u16_at(entry, at)?);
        let list = entry.get(at + 2..at + 2 + length)?;
        at += 2 + length + length % 2;
        Some(list)
    };
    match kinds & 0xF {
        PARAGRAPH => {
            let list = next()?;
            found.paragraph.take(list.get(2..).unwrap_or_default());
            found.run.take(next().unwrap_or_default(), false);
        }
        CHARACTER => found.run.take(next()?, false),
        // Parts of a table, such as its first row, have lists in the lists.
        TABLE => {
            const SHADES: [u8; 10] = [0x09, 0x0C, 0x12, 0x16, 0x2D, 0x2E, 0x60, 0x70, 0x71, 0x72];
            found.has_fills = entry.windows(2).any(|pair| match *pair {
                [low, 0xD6] => SHADES.contains(&low),
                [0x4D, 0xC6] | [0x71, 0xCA] | [0x2D, 0x44] | [0x66, 0x48] => true,
                [0x27 | 0x28, 0x76] => true,
                _ => false,
            });
        }
        _ => {}
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modifiers_of_all_lengths_are_followed() {
        let list = [
            &[0x3C, 0x08, 1][..],
            &[0x43, 0x4A, 2, 0],
            &[0x70, 0x68, 255, 255, 255, 0],
            &[0x08, 0xD6, 4, 0, 1, 2, 3],
            &[0x15, 0xC6, 255, 1, 9, 9, 9, 9, 1, 8, 8, 8],
            &[0x71, 0xCA, 10, 0, 0, 0, 0xFF, 1, 2, 3, 0, 0, 0],
            &[0x42, 0x2A, 8],
        ]
        .concat();
        let numbers: Vec<u16> = Modifiers(&list).map(|(number, _)| number).collect();
        assert_eq!(numbers, [0x083C, 0x4A43, 0x6870, 0xD608, 0xC615, 0xCA71, 0x2A42]);
        let mut run = Run::default();
        run.take(&list, false);
        assert_eq!(run.look.hidden, Some(true));
        assert_eq!(run.look.size, Some(1.0));
        assert_eq!(run.look.shade, Some(Paint::Plain([1, 2, 3])));
        for cut in 0..list.len() {
            Run::default().take(&list[..cut], false);
            Paragraph::default().take(&list[..cut]);
        }
    }

    #[test]
    fn shades_are_plain_or_not_known() {
        for (value, expected) in [
            (0xFFFF, Paint::Clear),
            (0, Paint::Clear),
            (8 << 5, Paint::Plain([255; 3])),
            (1 << 10 | 9, Paint::Plain([0, 0, 128])),
            (1 << 10, Paint::Plain([0; 3])),
            (5 << 10, Paint::Unknown),
            (31 << 5, Paint::Unknown),
        ] {
            assert_eq!(old_shade(value), expected, "{value:x}");
        }
        let new = |front: [u8; 4], back: [u8; 4], pattern: u8| {
            shade(&[&front[..], &back, &[pattern, 0]].concat())
        };
        let (automatic, navy) = ([0, 0, 0, 0xFF], [0, 0, 128, 0]);
        assert_eq!(new(automatic, automatic, 0), Paint::Clear);
        assert_eq!(new(automatic, navy, 0), Paint::Plain([0, 0, 128]));
        assert_eq!(new(automatic, navy, 1), Paint::Plain([0; 3]));
        assert_eq!(new(navy, automatic, 1), Paint::Plain([0, 0, 128]));
        assert_eq!(new(navy, automatic, 5), Paint::Unknown);
    }
}
