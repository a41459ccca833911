//! Checks the outlines of a font before anything draws them: how much one glyph is once all of its parts are followed. Knows
//! the tables `glyf`, `loca` and `CFF ` of OpenType (ISO/IEC 14496-22, 5.3 and 5.4); draws nothing.
//!
//! A glyph of `glyf` may consist of other glyphs, which may do the same: 28 glyphs of two parts each make 268 million.
//! Subroutines of `CFF ` call each other in the same way.

use std::collections::BTreeSet;

use super::font_tables::{table_at, u16_at, u32_at};

/// Most levels of nested glyphs. Font editors write one or two, and a font can declare at most 16.
const MAX_DEPTH: usize = 16;

/// Most parts of a glyph over all levels. Arabic ligatures of several words have about 30.
const MAX_PARTS: u64 = 1_000;

/// Most bytes of outlines for one glyph, and for all glyphs of a font.
const MAX_GLYPH_BYTES: u64 = 1 << 20;
const MAX_FONT_BYTES: u64 = 512 << 20;

/// Most numbers and operators of `CFF ` for one glyph, and for all glyphs of a font.
const MAX_GLYPH_STEPS: u64 = 200_000;
const MAX_FONT_STEPS: u64 = 200_000_000;

/// Most levels of `CFF ` subroutines, from the specification (Adobe Technical Note 5177, appendix B).
const MAX_CALLS: usize = 10;

/// Most numbers on the stack of `CFF `. The specification allows 48, its second version 513.
const MAX_STACK: usize = 513;

/// Outlines of the fonts of a file, each checked once, however many fonts share it.
#[derive(Default)]
pub(crate) struct Outlines {
    seen: BTreeSet<(usize, usize)>,
}

impl Outlines {
    /// Returns `true` if each glyph of the font whose directory begins at `start` is drawn in bounded time.
    pub(crate) fn are_bounded(&mut self, font: &[u8], start: usize) -> bool {
        let place = |table: &[u8]| (table.as_ptr() as usize, table.len());
        if let (Some(glyf), Some(loca)) =
            (table_at(font, start, b"glyf"), table_at(font, start, b"loca"))
            && self.seen.insert(place(glyf))
        {
            let is_long = table_at(font, start, b"head")
                .and_then(|head| u16_at(head, 50))
                .is_none_or(|format| format != 0);
            if !(Glyphs { glyf, loca, is_long }).are_bounded() {
                return false;
            }
        }
        match table_at(font, start, b"CFF ") {
            Some(cff) if self.seen.insert(place(cff)) => cff_is_bounded(cff),
            _ => true,
        }
    }
}

/// The glyphs of a TrueType font.
struct Glyphs<'f> {
    glyf: &'f [u8],
    loca: &'f [u8],
    is_long: bool,
}

/// Size of a glyph over all levels.
#[derive(Clone, Copy, Default)]
struct Cost {
    parts: u64,
    bytes: u64,
    /// Number of levels below it.
    levels: usize,
}

impl<'f> Glyphs<'f> {
    fn are_bounded(&self) -> bool {
        let count = (self.loca.len() / if self.is_long { 4 } else { 2 }).saturating_sub(1);
        let count = count.min(usize::from(u16::MAX) + 1);
        let mut known: Vec<Option<Cost>> = vec![None; count];
        let mut all = 0_u64;
        (0..count).all(|glyph| match self.cost(glyph, 0, &mut known) {
            Some(cost) => {
                all += cost.bytes;
                all <= MAX_FONT_BYTES
            }
            None => false,
        })
    }

    fn data(&self, glyph: usize) -> &'f [u8] {
        let at = |index: usize| {
            if self.is_long {
                u32_at(self.loca, 4 * index).map(|it| it as usize)
            } else {
                u16_at(self.loca, 2 * index).map(|it| 2 * usize::from(it))
            }
        };
        let (Some(first), Some(last)) = (at(glyph), at(glyph + 1)) else { return &[] };
        // A last offset behind the table or before the first one ends at the table's own end, as some libraries read it.
        let last = if last > first { last.min(self.glyf.len()) } else { first };
        self.glyf.get(first..last).unwrap_or_default()
    }

    /// Returns the size of a glyph; `None` if it is too large or contains itself.
    fn cost(&self, glyph: usize, depth: usize, known: &mut [Option<Cost>]) -> Option<Cost> {
        let Some(before) = known.get(glyph) else { return Some(Cost::default()) };
        if let Some(cost) = before {
            return Some(*cost);
        }
        if depth > MAX_DEPTH {
            return None;
        }
        let data = self.data(glyph);
        let mut cost = Cost { parts: 1, bytes: data.len() as u64, levels: 0 };
        let is_of_others = u16_at(data, 0).is_some_and(|contours| contours & 0x8000 != 0);
        if is_of_others {
            let mut at = 10;
            while let (Some(flags), Some(part)) = (u16_at(data, at), u16_at(data, at + 2)) {
                let inner = self.cost(usize::from(part), depth + 1, known)?;
                cost.parts += inner.parts;
                cost.bytes += inner.bytes;
                cost.levels = cost.levels.max(inner.levels + 1);
                if cost.parts > MAX_PARTS || cost.bytes > MAX_GLYPH_BYTES || cost.levels > MAX_DEPTH
                {
                    return None;
                }
                if flags & 0x20 == 0 {
                    break;
                }
                let arguments = if flags & 0x1 == 0 { 2 } else { 4 };
                let scale = match flags {
                    _ if flags & 0x8 != 0 => 2,
                    _ if flags & 0x40 != 0 => 4,
                    _ if flags & 0x80 != 0 => 8,
                    _ => 0,
                };
                at += 4 + arguments + scale;
            }
        }
        if cost.bytes > MAX_GLYPH_BYTES {
            return None;
        }
        if let Some(known) = known.get_mut(glyph) {
            *known = Some(cost);
        }
        Some(cost)
    }
}

/// Returns `true` if each glyph of `CFF ` is drawn in bounded time; `false` for a table that cannot be read.
fn cff_is_bounded(cff: &[u8]) -> bool {
    followed(cff).unwrap_or(false)
}

/// Runs the program of each glyph and only counts its operators.
fn followed(cff: &[u8]) -> Option<bool> {
    let (_, at) = index(cff, usize::from(*cff.get(2)?))?;
    let (dictionaries, at) = index(cff, at)?;
    let (_, at) = index(cff, at)?;
    let (global, _) = index(cff, at)?;
    let top = dictionaries.get(0)?;
    let (glyphs, _) = index(cff, number_of(top, 17)?.last().copied()?)?;
    let local: Vec<Index<'_>> = match number_of(top, 12 << 8 | 36).and_then(|it| it.last().copied())
    {
        None => vec![local_of(cff, top)],
        Some(fonts) => {
            let (fonts, _) = index(cff, fonts)?;
            (0..fonts.count).map(|at| local_of(cff, fonts.get(at).unwrap_or_default())).collect()
        }
    };
    // Without subroutines, each glyph is as long as its own program.
    if global.count == 0 && local.iter().all(|it| it.count == 0) {
        return Some(true);
    }
    let select = number_of(top, 12 << 8 | 37).and_then(|it| it.last().copied());
    let select = select.and_then(|at| cff.get(at..));
    let mut all = 0_u64;
    for glyph in 0..glyphs.count {
        let font = select.map_or(0, |select| font_of(select, glyph).unwrap_or(usize::MAX));
        let nothing = Index::default();
        let local = local.get(font).unwrap_or(&nothing);
        let mut drawn =
            CharstringInterpreter { global: &global, local, stack: Vec::new(), stems: 0, steps: 0 };
        if drawn.run(glyphs.get(glyph).unwrap_or_default(), 0) == After::TooMuch {
            return Some(false);
        }
        all += drawn.steps;
        if all > MAX_FONT_STEPS {
            return Some(false);
        }
    }
    Some(true)
}

/// An INDEX: byte strings by number.
#[derive(Default)]
struct Index<'f> {
    count: usize,
    size: usize,
    offsets: &'f [u8],
    data: &'f [u8],
}

/// Returns the INDEX that begins at `at`, and its end.
fn index(cff: &[u8], at: usize) -> Option<(Index<'_>, usize)> {
    let count = usize::from(u16_at(cff, at)?);
    if count == 0 {
        return Some((Index::default(), at + 2));
    }
    let size = usize::from(*cff.get(at + 2)?);
    let offsets = cff.get(at + 3..)?.get(..(count + 1) * size)?;
    // Offsets count from the byte before the data.
    let data = cff.get(at + 2 + offsets.len()..)?;
    let index = Index { count, size, offsets, data };
    let end = index.offset(count)?;
    Some((index, at + 2 + offsets.len() + end))
}

impl<'f> Index<'f> {
    fn offset(&self, at: usize) -> Option<usize> {
        let bytes = self.offsets.get(at * self.size..)?.get(..self.size)?;
        (1..=4)
            .contains(&self.size)
            .then(|| bytes.iter().fold(0, |all, byte| all << 8 | usize::from(*byte)))
    }

    fn get(&self, at: usize) -> Option<&'f [u8]> {
        self.data.get(self.offset(at)?..self.offset(at + 1)?)
    }
}

/// Returns the operands of an operator in a dictionary. Operands that cannot be offsets become `usize::MAX`.
fn number_of(dictionary: &[u8], wanted: u16) -> Option<Vec<usize>> {
    let mut numbers = Vec::new();
    let mut at = 0;
    while let Some(first) = dictionary.get(at).copied() {
        let next = |by: usize| dictionary.get(at + by).copied().map(i64::from);
        let (number, length) = match first {
            0..=21 => {
                let operator = match first {
                    12 => 12 << 8 | u16::from(*dictionary.get(at + 1)?),
                    _ => u16::from(first),
                };
                if operator == wanted {
                    return Some(numbers);
                }
                numbers.clear();
                at += if first == 12 { 2 } else { 1 };
                continue;
            }
            28 => (i64::from(u16_at(dictionary, at + 1)? as i16), 3),
            29 => (i64::from(u32_at(dictionary, at + 1)? as i32), 5),
            // A decimal number, which is never an offset, ends with half a byte of ones.
            30 => {
                let rest = dictionary.get(at + 1..)?;
                let end = rest.iter().position(|byte| byte & 0xF == 0xF || byte >> 4 == 0xF)?;
                (-1, end + 2)
            }
            32..=246 => (i64::from(first) - 139, 1),
            247..=250 => ((i64::from(first) - 247) * 256 + next(1)? + 108, 2),
            251..=254 => (-(i64::from(first) - 251) * 256 - next(1)? - 108, 2),
            _ => return None,
        };
        if numbers.len() == MAX_STACK {
            return None;
        }
        numbers.push(usize::try_from(number).unwrap_or(usize::MAX));
        at += length;
    }
    None
}

/// Returns the local subroutines of a font within the table.
fn local_of<'f>(cff: &'f [u8], dictionary: &[u8]) -> Index<'f> {
    let found = || {
        let private = number_of(dictionary, 18)?;
        let [size, at] = private[..] else { return None };
        let inner = cff.get(at..)?.get(..size)?;
        let subroutines = number_of(inner, 19)?.last().copied()?;
        Some(index(cff, at.checked_add(subroutines)?)?.0)
    };
    found().unwrap_or_default()
}

/// Returns the font within the table that draws a glyph.
fn font_of(select: &[u8], glyph: usize) -> Option<usize> {
    match select.first()? {
        0 => select.get(1 + glyph).copied().map(usize::from),
        3 => {
            let ranges = usize::from(u16_at(select, 1)?);
            let first = |at: usize| u16_at(select, 3 + 3 * at).map(usize::from);
            // The ranges are sorted.
            let (mut low, mut high) = (0, ranges);
            while low < high {
                let middle = low.midpoint(high);
                if first(middle)? <= glyph { low = middle + 1 } else { high = middle }
            }
            select.get(3 + 3 * low.checked_sub(1)? + 2).copied().map(usize::from)
        }
        _ => None,
    }
}

/// How a program ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum After {
    Return,
    End,
    TooMuch,
}

/// A glyph whose program is run.
struct CharstringInterpreter<'f> {
    global: &'f Index<'f>,
    local: &'f Index<'f>,
    /// The operands, if their values are known.
    stack: Vec<Option<i32>>,
    stems: usize,
    steps: u64,
}

impl CharstringInterpreter<'_> {
    fn run(&mut self, program: &[u8], depth: usize) -> After {
        let mut at = 0;
        while let Some(first) = program.get(at).copied() {
            self.steps += 1;
            if self.steps > MAX_GLYPH_STEPS || self.stack.len() > MAX_STACK {
                return After::TooMuch;
            }
            let next = |by: usize| i32::from(program.get(at + by).copied().unwrap_or(0));
            let (number, length) = match first {
                28 => (Some(i32::from(u16_at(program, at + 1).unwrap_or(0) as i16)), 3),
                32..=246 => (Some(i32::from(first) - 139), 1),
                247..=250 => (Some((i32::from(first) - 247) * 256 + next(1) + 108), 2),
                251..=254 => (Some(-(i32::from(first) - 251) * 256 - next(1) - 108), 2),
                // A fraction.
                255 => (None, 5),
                _ => {
                    at += 1;
                    match first {
                        1 | 3 | 18 | 23 => self.end_stems(),
                        19 | 20 => {
                            self.end_stems();
                            at += self.stems.div_ceil(8);
                        }
                        10 | 29 => {
                            let of = if first == 10 { self.local } else { self.global };
                            match self.call(of, depth) {
                                After::Return => {}
                                ended => return ended,
                            }
                        }
                        11 => return After::Return,
                        14 => return After::End,
                        12 => {
                            let second = program.get(at).copied().unwrap_or(0);
                            at += 1;
                            self.calculate(second);
                        }
                        _ => self.stack.clear(),
                    }
                    continue;
                }
            };
            self.stack.push(number);
            at += length;
        }
        After::Return
    }

    fn end_stems(&mut self) {
        self.stems += self.stack.len() / 2;
        self.stack.clear();
    }

    fn call(&mut self, of: &Index<'_>, depth: usize) -> After {
        let bias = match of.count {
            0..1_240 => 107,
            1_240..33_900 => 1_131,
            _ => 32_768,
        };
        // No tool writes a calculated number of a subroutine.
        let Some(number) = self.stack.pop().flatten() else { return After::TooMuch };
        if depth == MAX_CALLS {
            return After::TooMuch;
        }
        match usize::try_from(number + bias).ok().and_then(|number| of.get(number)) {
            Some(program) => self.run(program, depth + 1),
            None => After::End,
        }
    }

    /// Applies a two-byte operator: only the number of operands and results matters, not their values.
    fn calculate(&mut self, second: u8) {
        let (takes, gives) = match second {
            9 | 14 | 18 | 26 | 29 | 21 => (1, usize::from(second != 18)),
            3 | 4 | 10..=12 | 15 | 24 => (2, 1),
            5 => (1, 1),
            20 => (2, 0),
            22 => (4, 1),
            23 => (0, 1),
            27 => (1, 2),
            28 => (2, 2),
            30 => (2, 0),
            // Curves, and operators that no library knows.
            _ => (usize::MAX, 0),
        };
        self.stack.truncate(self.stack.len().saturating_sub(takes));
        self.stack.extend(std::iter::repeat_n(None, gives));
    }
}

#[cfg(test)]
mod tests {
    use super::super::font_counts::font_fault;

    /// Returns a font file with these tables.
    fn font(tables: &[(&[u8; 4], Vec<u8>)]) -> Vec<u8> {
        let mut font = b"\0\x01\0\0".to_vec();
        font.extend((tables.len() as u16).to_be_bytes());
        font.extend([0; 6]);
        let mut at = 12 + 16 * tables.len();
        for (name, table) in tables {
            font.extend(*name);
            font.extend(0_u32.to_be_bytes());
            font.extend((at as u32).to_be_bytes());
            font.extend((table.len() as u32).to_be_bytes());
            at += table.len();
        }
        tables.iter().for_each(|(_, table)| font.extend(table));
        font
    }

    /// Returns a font of glyphs, each of which is an outline or consists of others.
    fn glyphs(glyphs: &[&[u16]]) -> Vec<u8> {
        let (mut glyf, mut loca) = (Vec::new(), vec![0; 4]);
        for parts in glyphs {
            glyf.extend(if parts.is_empty() { 1_i16 } else { -1 }.to_be_bytes());
            glyf.extend([0; 8]);
            for (at, part) in parts.iter().enumerate() {
                let more = if at + 1 < parts.len() { 0x20_u16 } else { 0 };
                glyf.extend(more.to_be_bytes());
                glyf.extend(part.to_be_bytes());
                glyf.extend([0; 2]);
            }
            loca.extend((glyf.len() as u32).to_be_bytes());
        }
        let mut head = vec![0; 54];
        head[51] = 1;
        font(&[(b"head", head), (b"loca", loca), (b"glyf", glyf)])
    }

    #[test]
    fn glyphs_in_each_other_have_an_end() {
        assert_eq!(font_fault(&glyphs(&[&[], &[0, 0], &[1, 0], &[9]])), None);
        let fault =
            Some("its glyphs are too deep in each other, or made of too many parts, to be drawn");
        // Two parts each, in ascending and in descending order.
        let ways: [fn(u16) -> u16; 2] = [|at| at + 1, |at| at.saturating_sub(1)];
        for next in ways {
            let parts: Vec<[u16; 2]> = (0..28).map(|at| [next(at); 2]).collect();
            let mut all: Vec<&[u16]> = parts.iter().map(<[u16; 2]>::as_slice).collect();
            if next(1) == 0 {
                all[0] = &[];
            }
            assert_eq!(font_fault(&glyphs(&all)), fault);
        }
        // Glyphs within themselves, a long chain of one part each, one glyph of many parts.
        assert_eq!(font_fault(&glyphs(&[&[1], &[0]])), fault);
        let chain: Vec<[u16; 1]> = (0..100_u16).map(|at| [at.saturating_sub(1)]).collect();
        let mut all: Vec<&[u16]> = chain.iter().map(<[u16; 1]>::as_slice).collect();
        all[0] = &[];
        assert_eq!(font_fault(&glyphs(&all)), fault);
        assert_eq!(font_fault(&glyphs(&all[..10])), None);
        assert_eq!(font_fault(&glyphs(&[&[], &[0; 2_000]])), fault);
        assert_eq!(font_fault(&glyphs(&[&[], &[0; 500]])), None);
    }

    /// Returns an INDEX.
    fn index(pieces: &[Vec<u8>]) -> Vec<u8> {
        let mut index = (pieces.len() as u16).to_be_bytes().to_vec();
        if pieces.is_empty() {
            return index;
        }
        index.push(4);
        let mut at = 1_u32;
        index.extend(at.to_be_bytes());
        for piece in pieces {
            at += piece.len() as u32;
            index.extend(at.to_be_bytes());
        }
        pieces.iter().for_each(|piece| index.extend(piece));
        index
    }

    /// Returns a font of one glyph, with subroutines.
    fn compact(glyph: &[u8], subroutines: &[Vec<u8>]) -> Vec<u8> {
        let before =
            [index(&[b"F".to_vec()]), index(&[vec![0; 6]]), index(&[]), index(subroutines)];
        let place = 4 + before.iter().map(Vec::len).sum::<usize>() as u32;
        let mut top = vec![29];
        top.extend(place.to_be_bytes());
        top.push(17);
        let mut cff = vec![1, 0, 4, 4];
        cff.extend(index(&[b"F".to_vec()]));
        cff.extend(index(&[top]));
        cff.extend(index(&[]));
        cff.extend(index(subroutines));
        cff.extend(index(&[glyph.to_vec()]));
        font(&[(b"CFF ", cff)])
    }

    #[test]
    fn subroutines_in_each_other_have_an_end() {
        // Numbers of subroutines are biased by 107, operands by 139.
        let call = |number: u8| [number + 32, 29];
        let twice = |number: u8| [call(number), call(number)].concat();
        // One line.
        let lines = vec![139, 140, 5, 11];
        assert_eq!(font_fault(&compact(&call(0), std::slice::from_ref(&lines))), None);
        let deep: Vec<Vec<u8>> =
            (0..9).map(|at| call(at + 1).repeat(20)).chain([lines.clone()]).collect();
        let fault = font_fault(&compact(&call(0), &deep));
        assert!(fault.is_some_and(|it| it.starts_with("its glyphs are too deep")));
        // A subroutine that calls itself, and an unknown number.
        assert!(font_fault(&compact(&call(0), &[twice(0)])).is_some());
        assert!(
            font_fault(&compact(&[255, 0, 0, 0, 0, 29], std::slice::from_ref(&lines))).is_some()
        );
        // A mask of two bytes, the second of which would be a call: nine stems of two numbers each.
        let mask = [vec![139; 18], vec![18, 19, 0, 29, 14]].concat();
        assert_eq!(font_fault(&compact(&mask, &[lines])), None);
        assert!(font_fault(&font(&[(b"CFF ", vec![1, 0, 4])])).is_some());
    }
}
