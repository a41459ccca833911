//! Reads how runs of characters on old slides look, as far as that hides them.

use super::art::{Scheme, of_scheme};
use super::bytes::{i16_at, u16_at, u32_at};
use crate::unseen::Paint;

/// Properties of paragraphs in their order, each by the bits that announce it, and its bytes.
const OF_PARAGRAPHS: [(u32, usize); 12] = [
    (0xF, 2),
    (1 << 7, 2),
    (1 << 4, 2),
    (1 << 6, 2),
    (1 << 5, 4),
    (1 << 11, 2),
    (1 << 12, 2),
    (1 << 13, 2),
    (1 << 14, 2),
    (1 << 8, 2),
    (1 << 10, 2),
    (1 << 15, 2),
];
/// Tabulators, which come next, and what is behind them.
const TABULATORS: u32 = 1 << 20;
const BEHIND: [(u32, usize); 3] = [(1 << 16, 2), (0xE_0000, 2), (1 << 21, 2)];

/// Flags of characters, and fonts. The size and the colour come next.
const FLAGS: u32 = 0x3FFF;
const FONTS: [u32; 4] = [1 << 16, 1 << 21, 1 << 22, 1 << 23];
const SIZE: u32 = 1 << 17;
const COLOUR: u32 = 1 << 18;
const POSITION: u32 = 1 << 19;

/// Flags of a shadow and of a relief.
const EFFECTS: u16 = 1 << 4 | 1 << 9;

/// Most runs of a text.
const MAX_RUNS: usize = 100_000;

/// Characters of one look. What a run does not say itself is not known.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Run {
    pub(super) start: usize,
    pub(super) end: usize,
    /// In points.
    pub(super) size: Option<f64>,
    colour: Option<[u8; 4]>,
    has_effects: bool,
}

impl Run {
    pub(super) fn colour(&self, scheme: &Scheme) -> Paint {
        match self.colour {
            _ if self.has_effects => Paint::Unknown,
            Some([red, green, blue, 0xFE]) => Paint::Plain([red, green, blue]),
            Some([.., number]) => of_scheme(number, scheme),
            None => Paint::Unknown,
        }
    }
}

/// Returns the runs of a text of so many characters.
pub(super) fn read(style: &[u8], count: usize) -> Vec<Run> {
    let mut found = Vec::new();
    if read_into(style, count, &mut found).is_none() {
        // What is damaged is not known.
        let start = found.last().map_or(0, |run: &Run| run.end);
        found.push(Run { start, end: count, ..Run::default() });
    }
    found.retain(|run| run.start < run.end);
    found
}

fn read_into(style: &[u8], count: usize, out: &mut Vec<Run>) -> Option<()> {
    let mut rest = style;
    let mut done = 0;
    // The end of a text counts as a character.
    while done <= count {
        let length = u32_at(rest, 0)? as usize;
        let mask = u32_at(rest, 6)?;
        rest = paragraph(mask, rest.get(10..)?)?;
        done = done.checked_add(length.max(1))?;
    }
    let mut start = 0;
    while start < count && out.len() < MAX_RUNS {
        let length = (u32_at(rest, 0)? as usize).max(1);
        let mask = u32_at(rest, 4)?;
        let end = start.checked_add(length)?.min(count);
        let mut run = Run { start, end, ..Run::default() };
        rest = characters(mask, rest.get(8..)?, &mut run)?;
        out.push(run);
        start = end;
    }
    (start >= count).then_some(())
}

/// Returns what follows the properties of a paragraph.
fn paragraph(mask: u32, data: &[u8]) -> Option<&[u8]> {
    let length = |list: &[(u32, usize)]| -> usize {
        list.iter().filter(|(bits, _)| mask & bits != 0).map(|(_, bytes)| bytes).sum()
    };
    let mut rest = data.get(length(&OF_PARAGRAPHS)..)?;
    if mask & TABULATORS != 0 {
        rest = rest.get(2 + 4 * usize::from(u16_at(rest, 0)?)..)?;
    }
    rest.get(length(&BEHIND)..)
}

/// Takes the properties of characters, and returns what follows them.
fn characters<'a>(mask: u32, mut rest: &'a [u8], run: &mut Run) -> Option<&'a [u8]> {
    if mask & FLAGS != 0 {
        run.has_effects = u16_at(rest, 0)? & EFFECTS != 0;
        rest = rest.get(2..)?;
    }
    for _ in FONTS.iter().filter(|font| mask & **font != 0) {
        rest = rest.get(2..)?;
    }
    if mask & SIZE != 0 {
        // A size of nothing is one that is not known.
        run.size = Some(f64::from(i16_at(rest, 0)?)).filter(|size| *size > 0.0);
        rest = rest.get(2..)?;
    }
    if mask & COLOUR != 0 {
        run.colour = rest.first_chunk().copied();
        rest = rest.get(4..)?;
    }
    rest.get(if mask & POSITION != 0 { 2 } else { 0 }..)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_found_behind_paragraphs() {
        let number = |value: u32| value.to_le_bytes().to_vec();
        let paragraphs = [
            number(3),
            vec![0, 0],
            number(1 << 11 | TABULATORS | 1 << 16),
            vec![1, 0, 1, 0, 9, 9, 9, 9, 2, 0],
            number(3),
            vec![0, 0],
            number(0),
        ];
        let runs = [
            number(2),
            number(1 | SIZE | COLOUR),
            vec![1, 0, 1, 0, 255, 255, 255, 0xFE],
            number(4),
            number(1 << 16 | COLOUR | POSITION),
            vec![0, 0, 0, 0, 0, 2, 5, 0],
        ];
        let style = [paragraphs.concat(), runs.concat()].concat();
        let found = read(&style, 5);
        let mut scheme = Scheme::default();
        scheme[2] = Some([1, 2, 3]);
        let looks: Vec<_> =
            found.iter().map(|run| (run.start, run.end, run.size, run.colour(&scheme))).collect();
        assert_eq!(
            looks,
            [(0, 2, Some(1.0), Paint::Plain([255; 3])), (2, 5, None, Paint::Plain([1, 2, 3])),]
        );
        assert_eq!(found[1].colour(&Scheme::default()), Paint::Unknown);
        for cut in 0..style.len() {
            let found = read(&style[..cut], 5);
            assert_eq!(found.last().unwrap().end, 5, "{cut}");
        }
        assert!(read(&[], 0).is_empty());
    }
}
