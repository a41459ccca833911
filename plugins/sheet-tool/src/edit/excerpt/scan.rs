//! Reads a packed sheet once, from its beginning to its end, and keeps only the rows that an edit looks at.
//!
//! Reads only sheets as programs write them. Whatever is unusual ends it, and the sheet is then read as a whole.

use super::inflate::{Block, Checkpoint, Inflater};
use crate::book::address;
use crate::refs;
use crate::xml::{TagKind, XmlToken, xml_tokens};
use crc32fast::Hasher;
use memchr::{memchr, memchr2, memmem};
use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;

/// Most bytes in front of the rows.
const MAX_HEAD_BYTES: usize = 1 << 20;
/// Most bytes of what is kept.
const MAX_KEPT_BYTES: usize = 8 << 20;
/// Most rows with formulas; where there are more, some of them nearly always depend on what changes.
const MAX_FORMULA_ROWS: usize = if cfg!(test) { 20 } else { 1_000 };

/// A part of the sheet that is kept: what precedes the rows, a row, what follows the rows.
#[derive(Debug)]
pub(super) struct Piece {
    /// The number of a row; `None` for what is around the rows.
    pub(super) row: Option<u32>,
    pub(super) range: Range<usize>,
    /// Where it stands in the text.
    pub(super) kept: Range<usize>,
    pub(super) from: Rc<Checkpoint>,
    /// Checksum of everything between the piece before it and this one.
    pub(super) gap: Hasher,
}

/// What a sheet has for an edit.
#[derive(Debug)]
pub(super) struct Scan {
    pub(super) text: String,
    pub(super) pieces: Vec<Piece>,
    pub(super) blocks: Vec<Block>,
}

/// Returns the pieces of a sheet: its first and its last row, those in `wanted`, those with formulas, and the row in front of a
/// wanted one that does not exist. Returns `None` if the sheet is damaged or unusual.
pub(super) fn scan(
    packed: &[u8],
    unpacked: usize,
    crc: u32,
    wanted: &BTreeSet<u32>,
) -> Option<Scan> {
    let mut scanner = Scanner {
        source: Inflater::new(packed),
        limit: unpacked,
        passed: 0,
        gap: Hasher::new(),
        whole: Hasher::new(),
        text: Vec::new(),
        pieces: Vec::new(),
    };
    let (behind, prefix) = scanner.head()?;
    scanner.keep(0..behind, None)?;
    let end = scanner.rows(behind, &prefix, wanted)?;
    scanner.tail(end, &prefix)?;
    (scanner.source.end() == unpacked && scanner.whole.finalize() == crc).then_some(())?;
    Some(Scan {
        text: String::from_utf8(scanner.text).ok()?,
        pieces: scanner.pieces,
        blocks: scanner.source.blocks,
    })
}

struct Scanner<'a> {
    source: Inflater<'a>,
    /// The length of the content.
    limit: usize,
    /// Offset up to which the content is checked and counted.
    passed: usize,
    gap: Hasher,
    whole: Hasher,
    text: Vec<u8>,
    pieces: Vec<Piece>,
}

/// A row that was read.
struct Row {
    number: u32,
    range: Range<usize>,
    has_formula: bool,
}

impl Scanner<'_> {
    /// Unpacks more, and keeps the bytes from an offset on.
    fn more(&mut self, kept: usize) -> Option<()> {
        if self.source.is_done {
            return None;
        }
        if kept > self.passed {
            self.pass(kept)?;
        }
        self.source.fill(kept)?;
        (self.source.end() <= self.limit).then_some(())
    }

    /// Counts the content up to an offset where a tag begins or ends.
    fn pass(&mut self, to: usize) -> Option<()> {
        let bytes = self.source.bytes(self.passed..to);
        std::str::from_utf8(bytes).ok()?;
        self.gap.update(bytes);
        self.passed = to;
        Some(())
    }

    fn keep(&mut self, range: Range<usize>, row: Option<u32>) -> Option<()> {
        self.pass(range.start)?;
        let gap = std::mem::take(&mut self.gap);
        let start = self.text.len();
        self.text.extend(self.source.bytes(range.clone()));
        if self.text.len() > MAX_KEPT_BYTES {
            return None;
        }
        self.pass(range.end)?;
        self.whole.combine(&gap);
        self.whole.combine(&std::mem::take(&mut self.gap));
        let from = self.source.checkpoint(range.start)?;
        self.pieces.push(Piece { row, range, kept: start..self.text.len(), from, gap });
        Some(())
    }

    /// Returns the offset behind the opening tag of `sheetData`, and the prefix of all names.
    fn head(&mut self) -> Option<(usize, String)> {
        loop {
            self.more(0)?;
            let bytes = self.source.bytes(0..self.source.end());
            let text = match std::str::from_utf8(bytes) {
                Ok(text) => text,
                Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).ok()?,
            };
            let mut all = xml_tokens(text);
            let mut prefix = None;
            while let Some(token) = all.next() {
                let XmlToken::Tag(tag) = token else { continue };
                let prefix = prefix.get_or_insert_with(|| tag.prefix().to_owned());
                if tag.opens("sheetData") {
                    let is_open = tag.kind == TagKind::Open;
                    return is_open.then(|| (all.offset(), prefix.clone()));
                }
            }
            if bytes.len() > MAX_HEAD_BYTES {
                return None;
            }
        }
    }

    /// Reads all rows, keeps some, and returns the offset of what follows them.
    fn rows(&mut self, start: usize, prefix: &str, wanted: &BTreeSet<u32>) -> Option<usize> {
        let close = format!("</{prefix}sheetData");
        let mut wanted = wanted.iter().copied().peekable();
        let mut formula_rows = 0;
        let mut at = start;
        // The row before, and whether it is kept.
        let mut last: Option<(Row, bool)> = None;
        loop {
            let kept = last
                .as_ref()
                .map_or(at, |(row, is_kept)| if *is_kept { at } else { row.range.start });
            at = self.blank(at, kept)?;
            if self.starts_with(at, close.as_bytes(), kept)? {
                if let Some((row, false)) = last {
                    self.keep(row.range, Some(row.number))?;
                }
                return Some(at);
            }
            let row = self.row(at, prefix, kept)?;
            if last.as_ref().is_some_and(|it| it.0.number >= row.number) {
                return None;
            }
            formula_rows += usize::from(row.has_formula);
            if formula_rows > MAX_FORMULA_ROWS {
                return None;
            }
            let mut is_before_new = false;
            while wanted.next_if(|it| *it < row.number).is_some() {
                is_before_new = true;
            }
            let is_wanted = wanted.next_if_eq(&row.number).is_some();
            let is_first = last.is_none();
            if let Some((before, false)) = last
                && is_before_new
            {
                self.keep(before.range, Some(before.number))?;
            }
            let is_kept = is_wanted || is_first || row.has_formula;
            if is_kept {
                self.keep(row.range.clone(), Some(row.number))?;
            }
            at = row.range.end;
            last = Some((row, is_kept));
        }
    }

    /// Returns the offset behind white space.
    fn blank(&mut self, mut at: usize, kept: usize) -> Option<usize> {
        loop {
            match self.source.bytes(at..at + 1).first() {
                Some(byte) if byte.is_ascii_whitespace() => at += 1,
                Some(_) => return Some(at),
                None => self.more(kept)?,
            }
        }
    }

    fn starts_with(&mut self, at: usize, wanted: &[u8], kept: usize) -> Option<bool> {
        while self.source.end() < at + wanted.len() {
            self.more(kept)?;
        }
        Some(self.source.bytes(at..at + wanted.len()) == wanted)
    }

    /// Reads the row that begins at an offset.
    fn row(&mut self, at: usize, prefix: &str, kept: usize) -> Option<Row> {
        let open = format!("<{prefix}row");
        if !self.starts_with(at, open.as_bytes(), kept)? {
            return None;
        }
        let tag_end = loop {
            match memchr(b'>', self.source.bytes(at..self.source.end())) {
                Some(length) => break at + length + 1,
                None => self.more(kept)?,
            }
        };
        let tag = std::str::from_utf8(self.source.bytes(at..tag_end)).ok()?;
        if !matches!(tag.as_bytes().get(open.len()), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            return None;
        }
        let number = refs::row(address(tag)?).filter(|it| (1..=refs::MAX_ROW).contains(it))?;
        if tag.ends_with("/>") {
            return Some(Row { number, range: at..tag_end, has_formula: false });
        }
        let (end, has_formula) = self.row_end(tag_end, prefix, kept)?;
        Some(Row { number, range: at..end, has_formula })
    }

    /// Returns the offset behind the end of a row, and `true` if it has a formula.
    fn row_end(&mut self, start: usize, prefix: &str, kept: usize) -> Option<(usize, bool)> {
        let close = format!("</{prefix}row>");
        let mut has_formula = false;
        let mut at = start;
        loop {
            let end = self.source.end();
            let bytes = self.source.bytes(start..end);
            // Both letters are rare among numbers: one in the end of a row, the other behind `<` or `:` in a formula.
            while let Some(found) = bytes.get(at - start..).and_then(|it| memchr2(b'w', b'f', it)) {
                let found = at - start + found;
                if bytes[found] == b'f' {
                    has_formula |= found > 0 && matches!(bytes[found - 1], b'<' | b':');
                } else if found + 1 == bytes.len() {
                    // The next byte is not unpacked yet.
                    at = start + found;
                    break;
                } else if bytes[..found + 2].ends_with(close.as_bytes()) {
                    return Some((start + found + 2, has_formula));
                }
                at = start + found + 1;
            }
            if bytes.last() != Some(&b'w') || at < end - 1 {
                at = end;
            }
            self.more(kept)?;
        }
    }

    /// Keeps everything from the end of the rows on.
    fn tail(&mut self, start: usize, prefix: &str) -> Option<()> {
        while !self.source.is_done {
            self.more(start)?;
            if self.source.end() - start > MAX_KEPT_BYTES {
                return None;
            }
        }
        let end = self.source.end();
        let close = format!("</{prefix}sheetData");
        // The rows would reach to the last one.
        memmem::find(self.source.bytes(start + 1..end), close.as_bytes()).is_none().then_some(())?;
        self.keep(start..end, None)
    }
}
