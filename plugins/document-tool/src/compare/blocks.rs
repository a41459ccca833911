//! Cuts the Markdown of a document into blocks: headings, paragraphs, list items, rows of tables, lines of code.
//!
//! Knows one document, no comparison.

use super::block::{Block, Kind};
use super::furniture;
use super::normal::{MAX_SKETCHED, Markup, combined, hash, normal};
use crate::outline::fence_mark;
use crate::search::is_wide;
use mitt_guest::tables::wit::types::Place;
use std::ops::Range;

/// Most blocks of a document. A text of more is compared up to there.
pub(crate) const MAX_BLOCKS: usize = 250_000;

/// Bytes of a paragraph that surely is more than a line.
const LONG_LINE: usize = 80;

/// A text to compare, as the host gives it.
pub(crate) struct Source {
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) places: Vec<Place>,
    /// `true` for plain text, whose characters are no markup.
    pub(crate) is_plain: bool,
    /// `true` if the document is longer than `text`.
    pub(crate) is_cut: bool,
    /// `true` if `text` begins where the document begins, so that offsets are those of the document.
    pub(crate) has_offsets: bool,
}

pub(crate) struct Table {
    pub(crate) header: Vec<String>,
    /// Index of its first block, the header.
    pub(crate) first: usize,
    pub(crate) n_rows: usize,
}

/// A document in blocks.
pub(crate) struct Parsed {
    pub(crate) source: Source,
    pub(crate) blocks: Vec<Block>,
    pub(crate) tables: Vec<Table>,
    /// Parts of paragraphs behind page breaks.
    tails: Vec<Vec<Range<u32>>>,
    /// Number of page numbers and repeated lines that were left out.
    pub(crate) n_furniture: usize,
    /// Indices of the headings.
    headings: Vec<usize>,
}

impl Parsed {
    /// Cuts a document into blocks. With `keeps_marks`, the marks of list items are text: both documents are plain.
    pub(crate) fn new(source: Source, keeps_marks: bool) -> Parsed {
        let mut scan = Scan {
            text: &source.text,
            is_plain: source.is_plain,
            keeps_marks,
            blocks: Vec::new(),
            tables: Vec::new(),
            open: None,
            has_too_many: false,
        };
        scan.all();
        let Scan { blocks, tables, has_too_many, .. } = scan;
        let is_cut = source.is_cut || has_too_many;
        let source = Source { is_cut, ..source };
        let mut parsed = Parsed {
            source,
            blocks,
            tables,
            tails: Vec::new(),
            n_furniture: 0,
            headings: Vec::new(),
        };
        parsed.leave_out_furniture();
        parsed.hash_all();
        parsed
    }

    pub(crate) fn markup(&self) -> Markup {
        Markup { is_plain: self.source.is_plain }
    }

    /// Returns the beginning of the text of a block, enough for its sketch.
    pub(crate) fn beginning(&self, block: &Block) -> String {
        let raw = self.raw(block);
        if raw.len() <= 2 * MAX_SKETCHED {
            return self.content(block);
        }
        normal(&raw[..raw.floor_char_boundary(2 * MAX_SKETCHED)], self.markup())
    }

    /// Returns the text of a block as it is compared.
    pub(crate) fn content(&self, block: &Block) -> String {
        let mut raw = self.raw(block);
        if block.kind != Kind::Row
            && let Some(tail) = block.link.and_then(|it| self.tails.get(it as usize))
        {
            let mut whole = raw.to_owned();
            for range in tail {
                whole.push('\n');
                whole.push_str(&self.source.text[range.start as usize..range.end as usize]);
            }
            return normal(&whole, self.markup());
        }
        if block.kind == Kind::Row {
            raw = raw.trim().trim_start_matches('|');
            return normal(&cells(raw, self.markup()).join(" | "), Markup { is_plain: true });
        }
        normal(raw, self.markup())
    }

    pub(crate) fn raw(&self, block: &Block) -> &str {
        &self.source.text[block.range.start as usize..block.range.end as usize]
    }

    /// Returns the cells of a row.
    pub(crate) fn cells(&self, block: &Block) -> Vec<String> {
        cells(self.raw(block), self.markup())
    }

    /// Returns the blocks of a paragraph as lines.
    pub(crate) fn lines(&self, block: &Block) -> Vec<Block> {
        let (mut start, mut at) = (block.range.start, block.at);
        let mut out = Vec::new();
        for line in self.raw(block).split_inclusive('\n') {
            let range = start..start + line.len() as u32;
            if !line.trim().is_empty() {
                let hash = hash(&normal(line, self.markup()));
                out.push(Block {
                    kind: Kind::Line,
                    range: range.clone(),
                    at,
                    hash,
                    link: None,
                    number: 0,
                });
            }
            start = range.end;
            at += line.chars().count() as u32;
        }
        out
    }

    /// Returns the index of the page, slide or sheet that a character is on.
    pub(crate) fn place_index(&self, at: u32) -> Option<usize> {
        let n_before = self.source.places.partition_point(|it| it.offset <= u64::from(at));
        n_before.checked_sub(1)
    }

    /// Returns the last heading at or above a block.
    pub(crate) fn heading(&self, block: &Block) -> Option<&Block> {
        let n_before = self.headings.partition_point(|it| self.blocks[*it].at <= block.at);
        self.headings.get(n_before.checked_sub(1)?).map(|it| &self.blocks[*it])
    }

    fn leave_out_furniture(&mut self) {
        let found = furniture::find(&self.source.text, &self.source.places, &self.blocks);
        self.n_furniture = found.len();
        let mut is_left_out = vec![false; self.blocks.len()];
        found.iter().for_each(|&it| is_left_out[it] = true);
        let blocks = std::mem::take(&mut self.blocks);
        let mut page = None;
        for (block, is_left_out) in blocks.into_iter().zip(is_left_out) {
            if is_left_out {
                continue;
            }
            let own_page = self.place_index(block.at);
            if own_page != page && self.goes_on(&block, own_page) {
                self.append(block.range);
            } else {
                self.blocks.push(block);
            }
            page = own_page;
        }
        // Rows are never left out, but blocks before tables are.
        for (index, block) in self.blocks.iter().enumerate() {
            if block.kind == Kind::Heading {
                self.headings.push(index);
            }
            if let (Kind::Row, 0, Some(table)) = (block.kind, block.number, block.link) {
                self.tables[table as usize].first = index;
            }
        }
    }

    /// Returns `true` if a block at the beginning of a page goes on with the last paragraph of the page before.
    fn goes_on(&self, block: &Block, page: Option<usize>) -> bool {
        let is_page = page.and_then(|it| self.source.places.get(it));
        if !is_page.is_some_and(|it| furniture::is_page(&it.label)) {
            return false;
        }
        let Some(last) = self.blocks.last() else { return false };
        if (last.kind, block.kind) != (Kind::Paragraph, Kind::Paragraph) {
            return false;
        }
        let last = match last.link.and_then(|it| self.tails.get(it as usize)?.last()) {
            Some(range) => &self.source.text[range.start as usize..range.end as usize],
            None => self.raw(last),
        };
        let (Some(end), Some(start)) =
            (last.trim_end().chars().next_back(), self.raw(block).trim_start().chars().next())
        else {
            return false;
        };
        // A number may be the end of a line of its own, such as a total.
        let is_open = end.is_alphabetic()
            || end.is_numeric() && last.len() >= LONG_LINE
            || matches!(end, ',' | '-' | '\u{ad}' | '，' | '、');
        is_open && (start.is_lowercase() || is_wide(start) && is_wide(end))
    }

    fn append(&mut self, range: Range<u32>) {
        let Some(last) = self.blocks.last_mut() else { return };
        let tail = match last.link {
            Some(it) => it as usize,
            None => {
                last.link = Some(self.tails.len() as u32);
                self.tails.push(Vec::new());
                self.tails.len() - 1
            }
        };
        self.tails[tail].push(range);
    }

    fn hash_all(&mut self) {
        for index in 0..self.blocks.len() {
            let block = &self.blocks[index];
            self.blocks[index].hash = if block.kind == Kind::Row {
                row_hash(&self.cells(block))
            } else {
                hash(&self.content(block))
            };
        }
    }
}

/// Returns the hash of the cells of a row. Empty cells at its end do not count.
pub(crate) fn row_hash<T: AsRef<str>>(cells: &[T]) -> u64 {
    let n_cells = cells.iter().rposition(|it| !it.as_ref().is_empty()).map_or(0, |it| it + 1);
    cells[..n_cells]
        .iter()
        .fold(0x7461_626c_6500_0000, |all, cell| combined(all, hash(cell.as_ref())))
}

/// Returns the normal texts of the cells of a row.
fn cells(row: &str, markup: Markup) -> Vec<String> {
    let row = row.trim();
    let row = row.strip_prefix('|').unwrap_or(row);
    let (mut out, mut start, mut is_escaped) = (Vec::new(), 0, false);
    let mut push = |cell: &str| {
        out.push(if cell.contains("\\|") {
            normal(&cell.replace("\\|", "|"), markup)
        } else {
            normal(cell, markup)
        });
    };
    for (at, it) in row.bytes().enumerate() {
        if it == b'|' && !is_escaped {
            push(&row[start..at]);
            start = at + 1;
        }
        is_escaped = it == b'\\' && !is_escaped;
    }
    if !row[start..].trim().is_empty() {
        push(&row[start..]);
    }
    out
}

/// A block that may go on in the next line.
struct Open {
    kind: Kind,
    range: Range<u32>,
    at: u32,
    number: u32,
}

/// Goes through the lines of a text.
struct Scan<'a> {
    text: &'a str,
    is_plain: bool,
    keeps_marks: bool,
    blocks: Vec<Block>,
    tables: Vec<Table>,
    open: Option<Open>,
    has_too_many: bool,
}

impl<'a> Scan<'a> {
    fn all(&mut self) {
        let (mut start, mut at) = (0_usize, 0_u32);
        let (mut fence, mut table) = (None, None);
        let mut lines = self.text.split_inclusive('\n').peekable();
        while let Some(line) = lines.next() {
            if self.blocks.len() >= MAX_BLOCKS {
                self.has_too_many = true;
                self.open = None;
                return;
            }
            let (line_start, line_at) = (start, at);
            start += line.len();
            at += line.chars().count() as u32;
            let range = line_start as u32..start as u32;
            let trimmed = line.trim();
            if trimmed.is_empty() {
                self.close();
                table = None;
                continue;
            }
            let mark = fence_mark(trimmed);
            if let (Some(open), true) = (fence, mark.is_some()) {
                if mark == Some(open) {
                    fence = None;
                    continue;
                }
            } else if mark.is_some() && !self.is_plain {
                self.close();
                (fence, table) = (mark, None);
                continue;
            }
            if fence.is_some() {
                self.close();
                self.push(Kind::Line, range, line_at, None, 0);
                continue;
            }
            if trimmed.starts_with('|') {
                let begins = table.is_none() && lines.peek().is_some_and(|it| is_rule(it));
                if begins {
                    self.close();
                    let header = cells(trimmed, Markup { is_plain: self.is_plain });
                    table = Some(self.tables.len() as u32);
                    self.tables.push(Table { header, first: self.blocks.len(), n_rows: 0 });
                }
                if let Some(index) = table {
                    if !is_rule(line) || self.tables[index as usize].n_rows != 1 {
                        let number = self.tables[index as usize].n_rows as u32;
                        self.tables[index as usize].n_rows += 1;
                        self.push(Kind::Row, range, line_at, Some(index), number);
                    }
                    continue;
                }
            }
            table = None;
            self.line(line, range, line_at);
        }
        self.close();
    }

    /// Takes a line that belongs to no table and no code.
    fn line(&mut self, line: &'a str, range: Range<u32>, at: u32) {
        let indent = line.len() - line.trim_start().len();
        let trimmed = line.trim_start();
        let level = trimmed.len() - trimmed.trim_start_matches('#').len();
        if !self.is_plain
            && indent <= 3
            && (1..=6).contains(&level)
            && trimmed[level..].starts_with([' ', '\t'])
        {
            self.close();
            let title = trimmed[level..].trim().trim_end_matches('#').trim_end();
            let from = range.start + (line.find(title).unwrap_or_default()) as u32;
            self.push(Kind::Heading, from..from + title.len() as u32, at, None, 0);
            return;
        }
        if let Some((length, number)) = item_mark(trimmed) {
            self.close();
            let skipped = if self.keeps_marks { 0 } else { (indent + length) as u32 };
            let range = range.start + skipped..range.end;
            self.open = Some(Open { kind: Kind::Item, range, at, number });
            return;
        }
        match &mut self.open {
            Some(open) => open.range.end = range.end,
            None => self.open = Some(Open { kind: Kind::Paragraph, range, at, number: 0 }),
        }
    }

    fn close(&mut self) {
        if let Some(open) = self.open.take() {
            self.push(open.kind, open.range, open.at, None, open.number);
        }
    }

    fn push(&mut self, kind: Kind, range: Range<u32>, at: u32, link: Option<u32>, number: u32) {
        self.blocks.push(Block { kind, range, at, hash: 0, link, number });
    }
}

/// Returns `true` for the line below the header of a table.
fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line.starts_with('|') && line.contains('-') && line.chars().all(|it| "|-: ".contains(it))
}

/// Returns the length of the mark of a list item, and its number; 0 for a bullet.
fn item_mark(line: &str) -> Option<(usize, u32)> {
    let n_digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let (mark, number) = match n_digits {
        0 => (
            line.starts_with(['-', '*', '+', '•'])
                .then(|| line.chars().next().map_or(0, char::len_utf8))?,
            0,
        ),
        1..=9 => (
            line[n_digits..].starts_with(['.', ')']).then_some(n_digits + 1)?,
            line[..n_digits].parse().ok()?,
        ),
        _ => return None,
    };
    let text = line[mark..].trim_start();
    let n_spaces = line[mark..].len() - text.len();
    (n_spaces > 0 && !text.is_empty()).then_some((mark + n_spaces, number))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str, is_plain: bool) -> Parsed {
        let source = Source {
            name: "a".to_owned(),
            text: text.to_owned(),
            places: Vec::new(),
            is_plain,
            is_cut: false,
            has_offsets: true,
        };
        Parsed::new(source, is_plain)
    }

    fn shown(parsed: &Parsed) -> Vec<String> {
        let line = |it: &Block| format!("{:?} {}: {}", it.kind, it.at, parsed.content(it));
        parsed.blocks.iter().map(line).collect()
    }

    #[test]
    fn markdown_is_cut_into_blocks() {
        let text = "# A **b** #\nwrapped\ntext\n- one\n  more\n12) two\n\n| a | b\\|c |\n|---|---|\n| 1 | --- |\n\n```\nlet *x*;\n\n| no | table |\n```\n净利润\n";
        assert_eq!(
            shown(&parsed(text, false)),
            [
                "Heading 0: A b",
                "Paragraph 12: wrapped text",
                "Item 25: one more",
                "Item 38: two",
                "Row 47: a | b|c",
                "Row 70: 1 | ---",
                "Line 87: let x;",
                "Line 97: | no | table |",
                "Paragraph 116: 净利润",
            ]
        );
    }

    #[test]
    fn plain_text_has_no_markup() {
        let text = "# comment\n- 5\n\n*x*\n```\n";
        assert_eq!(
            shown(&parsed(text, true)),
            ["Paragraph 0: # comment", "Item 10: - 5", "Paragraph 15: *x* ```"]
        );
    }

    #[test]
    fn rows_have_cells() {
        let parsed = parsed("| a | b |\n|---|---|\n| x\\|y |  |\n| only\n", false);
        assert_eq!(parsed.tables[0].n_rows, 3);
        assert_eq!(parsed.cells(&parsed.blocks[1]), ["x|y", ""]);
        assert_eq!(parsed.cells(&parsed.blocks[2]), ["only"]);
        assert_eq!(row_hash(&["a", ""]), row_hash(&["a"]));
        assert_ne!(row_hash(&["a", "b"]), row_hash(&["ab"]));
    }

    #[test]
    fn a_text_of_too_many_blocks_is_cut() {
        let parsed = parsed(&"- x\n".repeat(MAX_BLOCKS + 5), false);
        assert!(parsed.source.is_cut && parsed.blocks.len() == MAX_BLOCKS);
    }
}
