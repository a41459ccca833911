//! A text taken apart into records and fields, with nothing kept but the places of one record.
//!
//! Quotes are read as people and programs write them, and no quote swallows rows: one that is not closed in its own line counts only if
//! what closes it stands where a field ends. Whatever is read against the rule is noted with its line.

use memchr::{memchr, memchr2, memchr3};

use super::ends::Ends;
use crate::field::{Field, Rows, Span};

/// Most columns, as many as a worksheet has. Fields beyond are counted, and must be blank.
pub(crate) const MAX_COLUMNS: usize = 16_384;

/// Fields and bytes after which no further record is taken apart before these are used: what is looked at twice stays near.
pub(crate) const CELLS_AT_ONCE: usize = 4_096;
const BYTES_AT_ONCE: usize = 32 << 10;

/// Lines of one value from which on it is told.
const LONG_VALUE: usize = 100;

/// How fields are parted and quoted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dialect {
    /// `None` for a text of one column.
    pub(crate) delimiter: Option<u8>,
    /// Whether a quote inside of a value has a backslash in front.
    pub(crate) backslash: bool,
}

/// How often something was met, and the line of the first time.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Met {
    pub(crate) count: usize,
    pub(crate) line: usize,
}

impl Met {
    pub(crate) fn at(&mut self, line: usize) {
        if self.count == 0 {
            self.line = line;
        }
        self.count += 1;
    }
}

/// What was read against the rule.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Remarks {
    /// Quotes that nothing closes.
    pub(crate) open: Met,
    /// Text behind a closing quote, or a quote inside of a quoted value.
    pub(crate) behind: Met,
    /// Values of very many lines.
    pub(crate) long: Met,
    /// Rows with fewer or more fields than the header.
    pub(crate) ragged: Met,
}

/// Records that were taken apart together.
pub(crate) struct Batch<'a> {
    /// Their fields, as many as were asked for.
    pub(crate) rows: Rows<'a>,
    /// Whether none of them has a value behind these.
    pub(crate) fits: bool,
}

/// A record has too many values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TooWide {
    pub(crate) line: usize,
}

/// Takes a text apart.
pub(crate) struct Scanner<'a> {
    text: &'a str,
    bytes: &'a [u8],
    dialect: Dialect,
    at: usize,
    line: usize,
    started: usize,
    /// Those of some records, blank ones included, up to the last column that there may be.
    fields: Vec<Span>,
    /// Where those of the last record begin.
    first: usize,
    /// Its fields up to the last that is not blank.
    used: usize,
    unquoted: String,
    count: usize,
    /// Fields of the record that are too many, and blank so far.
    beyond: usize,
    /// Fields of most records, if that is known: it tells where a quote was left open.
    pub(crate) width: Option<usize>,
    pub(crate) remarks: Remarks,
    /// Where fields end, from `at` on.
    next_ends: Ends,
    ends: [bool; 256],
}

impl<'a> Scanner<'a> {
    /// Begin at a place of the text, which is in this line, from 1.
    pub(crate) fn new(text: &'a str, dialect: Dialect, (at, line): (usize, usize)) -> Scanner<'a> {
        let mut ends = [false; 256];
        ends[usize::from(b'\n')] = true;
        ends[usize::from(b'\r')] = true;
        if let Some(delimiter) = dialect.delimiter {
            ends[usize::from(delimiter)] = true;
        }
        Scanner {
            text,
            bytes: text.as_bytes(),
            dialect,
            at,
            line,
            started: line,
            fields: Vec::new(),
            first: 0,
            used: 0,
            unquoted: String::new(),
            count: 0,
            beyond: 0,
            width: None,
            remarks: Remarks::default(),
            next_ends: Ends::new(text.as_bytes(), dialect.delimiter, at),
            ends,
        }
    }

    /// Where the next record begins: place and line.
    pub(crate) fn place(&self) -> (usize, usize) {
        (self.at, self.line)
    }

    /// The line that the record begins in.
    pub(crate) fn first_line(&self) -> usize {
        self.started
    }

    /// Number of fields of the record, blank ones at its end included.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The fields up to the last that is not blank, without blanks around them.
    pub(crate) fn fields(&self) -> impl Iterator<Item = Field<'_>> + Clone {
        self.fields[self.first..][..self.used].iter().map(|span| self.field(*span))
    }

    /// How many fields that are.
    pub(crate) fn used(&self) -> usize {
        self.used
    }

    fn field(&self, span: Span) -> Field<'_> {
        let source = if span.is_unquoted() { &self.unquoted } else { self.text };
        Field::new(source, span.start(), span.end())
    }

    /// Go on to the next record that is not blank. False at the end.
    pub(crate) fn next(&mut self) -> Result<bool, TooWide> {
        self.fields.clear();
        self.unquoted.clear();
        self.more()
    }

    /// Go on by so many records at most, or as many as are looked at together. What was met of them is noted in `remarks`.
    ///
    /// # Errors
    ///
    /// A record is too wide.
    pub(crate) fn rows(&mut self, most: usize, width: usize) -> Result<Batch<'_>, TooWide> {
        self.fields.clear();
        self.unquoted.clear();
        let (mut fits, begun) = (true, self.at);
        let mut rows = 0;
        while rows < most
            && self.fields.len() < CELLS_AT_ONCE
            && self.at - begun < BYTES_AT_ONCE
            && self.more()?
        {
            if self.width.is_some_and(|width| width != self.count) {
                self.remarks.ragged.at(self.started);
            }
            fits &= self.used <= width;
            self.fields.resize(self.first + width, Span::default());
            rows += 1;
        }
        let rows = Rows { text: self.text, unquoted: &self.unquoted, spans: &self.fields, width };
        Ok(Batch { rows, fits })
    }

    /// The next record that is not blank, behind the fields that are there. False at the end.
    fn more(&mut self) -> Result<bool, TooWide> {
        self.first = self.fields.len();
        while self.at < self.bytes.len() {
            self.record()?;
            if self.used > 0 {
                return Ok(true);
            }
            self.fields.truncate(self.first);
        }
        Ok(false)
    }

    fn record(&mut self) -> Result<(), TooWide> {
        self.beyond = 0;
        self.started = self.line;
        loop {
            if self.bytes.get(self.at) == Some(&b'"') {
                let span = self.quoted();
                // The end itself is found below.
                self.next_ends.skip_to(self.bytes, self.at + 1);
                self.keep(self.trimmed(span))?;
            } else {
                self.plain()?;
            }
            let end = self.at;
            self.at += 1;
            match self.bytes.get(end) {
                None => self.at = end,
                Some(b'\n') => self.line += 1,
                Some(b'\r') => {
                    self.line += 1;
                    if self.bytes.get(self.at) == Some(&b'\n') {
                        self.at += 1;
                        self.next_ends.skip_to(self.bytes, self.at);
                    }
                }
                Some(_) => continue,
            }
            self.count = self.so_far();
            let fields = &self.fields[self.first..];
            self.used = fields.iter().rposition(|it| !it.is_empty()).map_or(0, |at| at + 1);
            return Ok(());
        }
    }

    /// Fields of the record, as far as it was taken apart.
    fn so_far(&self) -> usize {
        self.fields.len() - self.first + self.beyond
    }

    /// Fields without quotes, up to the end of the line or to one with a quote. Stops at the end of the last one.
    #[inline(always)]
    fn plain(&mut self) -> Result<(), TooWide> {
        let (bytes, mut ends) = (self.bytes, self.next_ends);
        let delimiter = self.dialect.delimiter;
        let mut at = self.at;
        loop {
            let end = ends.next(bytes);
            let mut span = Span::of_text(at, end);
            if at < end && !(begins_with_sign(bytes[at]) && ends_with_sign(bytes, end)) {
                span = self.trimmed_of_blanks(span);
            }
            self.keep(span)?;
            let is_last = match bytes.get(end) {
                Some(byte) if Some(*byte) == delimiter => bytes.get(end + 1) == Some(&b'"'),
                _ => true,
            };
            if is_last {
                (self.at, self.next_ends) = (end, ends);
                return Ok(());
            }
            at = end + 1;
        }
    }

    /// Keep a field, or count it if it is blank and there are too many.
    #[inline(always)]
    fn keep(&mut self, span: Span) -> Result<(), TooWide> {
        if self.fields.len() - self.first < MAX_COLUMNS {
            self.fields.push(span);
            return Ok(());
        }
        self.beyond += 1;
        self.count = self.so_far();
        if span.is_empty() { Ok(()) } else { Err(TooWide { line: self.started }) }
    }

    /// The field without blanks around it.
    fn trimmed(&self, span: Span) -> Span {
        let source = if span.is_unquoted() { self.unquoted.as_bytes() } else { self.bytes };
        let is_trimmed = span.is_empty()
            || (begins_with_sign(source[span.start()]) && ends_with_sign(source, span.end()));
        if is_trimmed { span } else { self.trimmed_of_blanks(span) }
    }

    fn trimmed_of_blanks(&self, span: Span) -> Span {
        let field = self.field(span).as_str();
        let trimmed = field.trim_start();
        let start = span.start() + (field.len() - trimmed.len());
        span.part(start, start + trimmed.trim_end().len())
    }

    /// Where the delimiter or the end of the line is, from `at` on.
    #[inline]
    fn end_of_field(&self, at: usize) -> usize {
        let rest = &self.bytes[at..];
        at + rest.iter().position(|byte| self.ends[usize::from(*byte)]).unwrap_or(rest.len())
    }

    fn end_of_line(&self, at: usize) -> usize {
        memchr2(b'\n', b'\r', &self.bytes[at..]).map_or(self.bytes.len(), |found| at + found)
    }

    /// A field that begins with a quote.
    fn quoted(&mut self) -> Span {
        let open = self.at;
        let mut from = open + 1;
        if !self.dialect.backslash
            && let Some(found) = memchr3(b'"', b'\n', b'\r', &self.bytes[from..])
            && self.bytes[from + found] == b'"'
            && self.bytes.get(from + found + 1).is_none_or(|byte| self.ends[usize::from(*byte)])
        {
            // As nearly all of them are.
            self.at = from + found + 1;
            return Span::of_text(from, from + found);
        }
        // Whether the value is not simply what stands between the quotes.
        let mut is_changed = false;
        loop {
            let Some(quote) = memchr(b'"', &self.bytes[from..]).map(|found| from + found) else {
                return self.literal(open);
            };
            if self.dialect.backslash && self.is_escaped(from, quote) {
                is_changed = true;
                from = quote + 1;
                continue;
            }
            if self.bytes.get(quote + 1) == Some(&b'"') {
                is_changed = true;
                from = quote + 2;
                continue;
            }
            let lines = self.lines(open, quote);
            if self.closes(quote) {
                if lines > 0 && !self.is_value(open, quote) {
                    return self.literal(open);
                }
                if lines >= LONG_VALUE {
                    self.remarks.long.at(self.line);
                }
                self.line += lines;
                self.at = self.end_of_field(quote + 1);
                return self.value(open, quote, is_changed, (quote + 1, quote + 1));
            }
            if lines > 0 {
                return self.literal(open);
            }
            self.remarks.behind.at(self.line);
            // `"Tube 5" long",10`: the next quote of the field closes it.
            let end = self.end_of_field(quote + 1);
            if let Some(next) = memchr(b'"', &self.bytes[quote + 1..end])
                && self.closes(quote + 1 + next)
            {
                is_changed = true;
                from = quote + 1;
                continue;
            }
            self.at = end;
            return self.value(open, quote, true, (quote + 1, end));
        }
    }

    /// Line ends between two places.
    fn lines(&self, from: usize, to: usize) -> usize {
        let part = &self.bytes[from..to];
        match memchr2(b'\n', b'\r', part) {
            None => 0,
            Some(_) => {
                let ends = part.iter().enumerate().filter(|(at, byte)| {
                    **byte == b'\n' || (**byte == b'\r' && part.get(at + 1) != Some(&b'\n'))
                });
                ends.count()
            }
        }
    }

    /// Whether nothing but blanks stands between a quote and the end of the field.
    fn closes(&self, quote: usize) -> bool {
        let mut rest = self.bytes[quote + 1..].iter();
        rest.find(|byte| self.ends[usize::from(**byte)] || !matches!(byte, b' ' | b'\t'))
            .is_none_or(|byte| self.ends[usize::from(*byte)])
    }

    /// Whether a quote has an odd number of backslashes in front of it, and is not the end of a value such as `"C:\dir\"`.
    fn is_escaped(&self, from: usize, quote: usize) -> bool {
        let before = &self.bytes[from..quote];
        let slashes =
            before.len() - before.iter().rposition(|byte| *byte != b'\\').map_or(0, |at| at + 1);
        if slashes.is_multiple_of(2) {
            return false;
        }
        if !self.closes(quote) {
            return true;
        }
        let rest = &self.bytes[quote + 1..self.end_of_line(quote + 1)];
        memchr(b'"', rest).is_some_and(|next| self.closes(quote + 1 + next))
    }

    /// Whether a quoted value of several lines is one, and not a quote that was left open: the record has as many fields as others
    /// then, or it has not without the quote either.
    fn is_value(&self, open: usize, quote: usize) -> bool {
        let (Some(width), Some(delimiter)) = (self.width, self.dialect.delimiter) else {
            return true;
        };
        let parts = |from: usize| {
            let line = &self.bytes[from..self.end_of_line(from)];
            self.so_far() + 1 + line.iter().filter(|byte| **byte == delimiter).count()
        };
        parts(quote + 1) == width || parts(open) != width
    }

    /// A field that begins with a quote which means nothing.
    fn literal(&mut self, open: usize) -> Span {
        self.remarks.open.at(self.line);
        self.at = self.end_of_field(open + 1);
        Span::of_text(open, self.at)
    }

    /// What stands between two quotes, and what stands behind them.
    fn value(
        &mut self,
        open: usize,
        quote: usize,
        is_changed: bool,
        behind: (usize, usize),
    ) -> Span {
        if !is_changed {
            return Span::of_text(open + 1, quote);
        }
        let start = self.unquoted.len();
        // Whole characters are copied: signs that are left out are ASCII, and so is what they are found by.
        let (mut from, mut at) = (open + 1, open + 1);
        while at < quote {
            let next = self.bytes.get(at + 1).copied().filter(|_| at + 1 < quote);
            let is_left_out = match (self.bytes[at], next) {
                (b'"', Some(b'"')) => true,
                (b'\\', Some(b'"' | b'\\')) => self.dialect.backslash,
                _ => false,
            };
            if is_left_out {
                // One of the two stays.
                self.unquoted.push_str(&self.text[from..at]);
                from = at + 1;
                at += 1;
            }
            at += 1;
        }
        self.unquoted.push_str(&self.text[from..quote]);
        self.unquoted.push_str(&self.text[behind.0..behind.1]);
        Span::of_unquoted(start, self.unquoted.len())
    }
}

/// Whether the first byte of a character says that it is no blank. Blanks beyond ASCII begin with one of four bytes.
#[inline(always)]
fn begins_with_sign(byte: u8) -> bool {
    const SIGNS: [bool; 256] = {
        let mut signs = [false; 256];
        let mut at = 0x21;
        while at < 256 {
            signs[at] = !matches!(at, 0x7F | 0xC2 | 0xE1..=0xE3);
            at += 1;
        }
        signs
    };
    SIGNS[usize::from(byte)]
}

/// Whether the bytes before a place say that no blank ends there.
#[inline(always)]
fn ends_with_sign(bytes: &[u8], end: usize) -> bool {
    match &bytes[..end] {
        [.., last] if last.is_ascii() => begins_with_sign(*last),
        // A blank has two bytes, or three.
        [.., third, second, _] => begins_with_sign(*third) && *second != 0xC2,
        _ => false,
    }
}
