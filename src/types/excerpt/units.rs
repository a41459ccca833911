//! Splits a text into units that are shown or left out as a whole: paragraphs, headings, tables, and pieces of longer ones.

use unicode_segmentation::UnicodeSegmentation as _;

use super::TextLimits;
use mitt_base::tokens::{Measure, TextSize};

/// Unit of a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Unit<'a> {
    pub(super) text: &'a str,
    /// Index of its first character in the document.
    pub(super) offset: u64,
    pub(super) size: TextSize,
    /// Number of the table in the text; `None` if the unit is not a table.
    pub(super) table: Option<usize>,
    /// `true` if it ends a paragraph, a heading or a table.
    pub(super) ends_block: bool,
}

/// Iterator over the units of a text. Except for tables and single characters, none is larger than the fraction `most` of
/// `limits`.
pub(super) struct Units<'a> {
    rest: &'a str,
    offset: u64,
    n_tables: usize,
    /// Delimiter of the code block that is open.
    fence: Option<&'a str>,
    /// Most characters and thousandths of tokens of a unit.
    most: (u64, u64),
    /// Measure of the line so far, if the line continues.
    before: Measure,
    is_in_line: bool,
}

/// Least average cost of a character in a long text, in thousandths of a token.
const LEAST_COST: u64 = 50;

impl<'a> Units<'a> {
    pub(super) fn new(text: &'a str, limits: TextLimits, most: u64) -> Units<'a> {
        Units {
            rest: text,
            offset: 0,
            n_tables: 0,
            fence: None,
            most: limits.most(most),
            before: Measure::default(),
            is_in_line: false,
        }
    }

    fn fits(&self, size: TextSize) -> bool {
        size.characters <= self.most.0 && size.thousandths() <= self.most.1
    }

    /// Returns a prefix that is a little longer than the largest unit, so that a line of megabytes is not scanned again for each
    /// of its pieces.
    fn near(&self) -> &'a str {
        let (characters, thousandths) = self.most;
        let most = characters.min(thousandths / LEAST_COST).saturating_add(LONGEST as u64);
        let bytes = usize::try_from(most.saturating_mul(4)).unwrap_or(usize::MAX);
        &self.rest[..self.rest.floor_char_boundary(bytes)]
    }

    /// Returns the length of the table at the start.
    fn table(&self) -> (usize, TextSize) {
        let (mut end, mut size) = (0, TextSize::default());
        for line in self.rest.split_inclusive('\n').take_while(|line| is_row(line)) {
            end += line.len();
            size += TextSize::of(line);
        }
        (end, size)
    }

    /// Returns the length of the lines up to the end of a paragraph, as far as they fit, or of a piece of a line that does not
    /// fit; and whether a block ends there.
    fn lines(&mut self) -> (usize, TextSize, bool) {
        let (mut end, mut size) = (0, TextSize::default());
        let mut has_ended = false;
        let near = self.near();
        let before = std::mem::take(&mut self.before).behind();
        let mut measure = before;
        for line in near.split_inclusive('\n') {
            let is_blank = line.trim().is_empty();
            let is_code = self.fence.is_some();
            if end > 0 && !is_blank && (has_ended || !is_code && (is_row(line) || is_heading(line)))
            {
                return (end, size, true);
            }
            let fits = line.chars().all(|character| {
                measure.push(character);
                self.fits(measure.size())
            });
            // The last line of the prefix may continue after it.
            let is_whole = line.ends_with('\n') || near.len() == self.rest.len();
            if !is_whole || !fits {
                return match end {
                    0 => self.piece(line, before),
                    _ => (end, size, has_ended),
                };
            }
            (end, size) = (end + line.len(), measure.size());
            self.look_for_fence(line);
            has_ended |= self.fence.is_none() && (is_blank || is_heading(line));
        }
        (end, size, true)
    }

    /// Tracks code blocks, in which blank lines do not end a paragraph.
    fn look_for_fence(&mut self, line: &'a str) {
        let line = line.trim();
        let mark = ["```", "~~~"].into_iter().find(|mark| line.starts_with(mark));
        match (self.fence, mark) {
            (None, Some(mark)) => self.fence = Some(mark),
            (Some(open), Some(mark))
                if open == mark && line.trim_matches(['`', '~']).is_empty() =>
            {
                self.fence = None;
            }
            _ => {}
        }
    }

    /// Returns the length of a piece of a line: up to the end of a sentence or of a word, if there is one in its second half,
    /// otherwise to the end of a grapheme.
    fn piece(&mut self, line: &'a str, before: Measure) -> (usize, TextSize, bool) {
        let mut measure = before;
        let (mut end, mut sentence, mut word) = (0, 0, 0);
        for seen in line.graphemes(true) {
            measure.push_text(seen);
            if !self.fits(measure.size()) {
                break;
            }
            end += seen.len();
            if ends_sentence(seen, &line[end..]) {
                sentence = end;
            }
            if seen == " " {
                word = end;
            }
        }
        let end = match () {
            // A single grapheme that does not fit. If it is longer than any that people see, it is divided.
            () if end == 0 => first_seen(line),
            () if sentence > end / 2 => sentence,
            () if word > end / 2 => word,
            () => end,
        };
        let mut measure = before;
        measure.push_text(line.get(..end).unwrap_or(line));
        self.before = measure;
        (end, measure.size(), end == self.rest.len())
    }
}

impl<'a> Iterator for Units<'a> {
    type Item = Unit<'a>;

    fn next(&mut self) -> Option<Unit<'a>> {
        if self.rest.is_empty() {
            return None;
        }
        let is_table = self.fence.is_none() && !self.is_in_line && is_row(self.rest);
        let (end, size, ends_block) = if is_table {
            let (end, size) = self.table();
            (end, size, true)
        } else {
            self.lines()
        };
        let table = is_table.then_some(self.n_tables);
        self.n_tables += usize::from(is_table);
        let (text, rest) = self.rest.split_at_checked(end).unwrap_or((self.rest, ""));
        let unit = Unit { text, offset: self.offset, size, table, ends_block };
        self.is_in_line = !text.ends_with('\n');
        self.rest = rest;
        self.offset += size.characters;
        Some(unit)
    }
}

/// Returns whether a line belongs to a table.
fn is_row(line: &str) -> bool {
    line.starts_with('|')
}

fn is_heading(line: &str) -> bool {
    line.trim_start_matches('#').starts_with(' ') && line.starts_with('#')
}

fn ends_sentence(seen: &str, behind: &str) -> bool {
    match seen {
        "。" | "！" | "？" | "；" | "…" => true,
        "." | "!" | "?" | ";" => behind.starts_with(' '),
        _ => false,
    }
}

/// Longer than anything that people see as one character, in bytes.
const LONGEST: usize = 256;

fn first_seen(line: &str) -> usize {
    let first = line.graphemes(true).next().unwrap_or(line);
    if first.len() <= LONGEST { first.len() } else { first.floor_char_boundary(LONGEST) }
}
