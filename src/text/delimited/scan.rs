//! Splits a text into records and fields. Keeps only the positions of a few records.
//!
//! Accepts quotes as people and programs write them, and loses no row to one. A quote that is not closed in its line counts
//! only if its closing quote is at the end of a field. Irregularities are counted, with the line of the first one.

use memchr::{memchr, memchr2, memchr3};

use super::ends::Ends;
use crate::field::{Field, Rows, Span};

/// Most columns, as many as a worksheet has. Further fields are counted, and must be blank.
pub(crate) const MAX_COLUMNS: usize = 16_384;

/// Fields and bytes after which a batch ends, so that they stay in the CPU cache until they are used.
pub(crate) const CELLS_AT_ONCE: usize = 4_096;
const BYTES_AT_ONCE: usize = 32 << 10;

/// Fewest line ends of a value that is reported as very long.
const LONG_VALUE_LINES: usize = 100;

/// How fields are delimited and quoted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dialect {
    /// `None` for a text of one column.
    pub(crate) delimiter: Option<u8>,
    /// `true` if a quote in a quoted value has a backslash before it.
    pub(crate) has_backslash_escapes: bool,
}

/// The number of occurrences of an irregularity, and the line of the first one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Occurrences {
    pub(crate) count: usize,
    pub(crate) first_line: usize,
}

impl Occurrences {
    pub(crate) fn add(&mut self, line: usize) {
        if self.count == 0 {
            self.first_line = line;
        }
        self.count += 1;
    }
}

/// Deviations from the rules of CSV.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Irregularities {
    /// Quotes that are never closed.
    pub(crate) unclosed_quotes: Occurrences,
    /// Quoted values with text after the closing quote, or with a quote that is not escaped.
    pub(crate) misplaced_quotes: Occurrences,
    /// Values with at least [`LONG_VALUE_LINES`] line ends.
    pub(crate) long_values: Occurrences,
    /// Rows with fewer or more fields than the header.
    pub(crate) ragged_rows: Occurrences,
}

/// Records that were read together.
pub(crate) struct Batch<'a> {
    /// The fields of the records, cut or padded to the requested width.
    pub(crate) rows: Rows<'a>,
    /// `true` if no record has a value beyond this width.
    pub(crate) fits: bool,
}

/// The error for a record with too many values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TooWide {
    pub(crate) line: usize,
}

/// Reads records from a text.
pub(crate) struct Scanner<'a> {
    text: &'a str,
    bytes: &'a [u8],
    dialect: Dialect,
    at: usize,
    line: usize,
    first_line: usize,
    /// Fields of the batch, including blank ones. Each record has at most [`MAX_COLUMNS`].
    fields: Vec<Span>,
    /// Index of the first field of the current record.
    first_field: usize,
    /// Fields of the record up to the last one that is not blank.
    used: usize,
    unquoted: String,
    count: usize,
    /// Fields of the record beyond [`MAX_COLUMNS`].
    excess_fields: usize,
    /// Fields of most records, if known. Helps to detect unclosed quotes.
    pub(crate) width: Option<usize>,
    pub(crate) irregularities: Irregularities,
    /// The ends of fields from `at` on.
    next_ends: Ends,
    is_end: [bool; 256],
}

impl<'a> Scanner<'a> {
    /// Begins at a byte offset and its line, counted from 1.
    pub(crate) fn new(text: &'a str, dialect: Dialect, (at, line): (usize, usize)) -> Scanner<'a> {
        let mut is_end = [false; 256];
        is_end[usize::from(b'\n')] = true;
        is_end[usize::from(b'\r')] = true;
        if let Some(delimiter) = dialect.delimiter {
            is_end[usize::from(delimiter)] = true;
        }
        Scanner {
            text,
            bytes: text.as_bytes(),
            dialect,
            at,
            line,
            first_line: line,
            fields: Vec::new(),
            first_field: 0,
            used: 0,
            unquoted: String::new(),
            count: 0,
            excess_fields: 0,
            width: None,
            irregularities: Irregularities::default(),
            next_ends: Ends::new(text.as_bytes(), dialect.delimiter, at),
            is_end,
        }
    }

    /// Returns where the next record begins: byte offset and line.
    pub(crate) fn position(&self) -> (usize, usize) {
        (self.at, self.line)
    }

    /// Returns the line in which the record begins.
    pub(crate) fn first_line(&self) -> usize {
        self.first_line
    }

    /// Returns the number of fields of the record, including blank ones at its end.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Returns the trimmed fields up to the last one that is not blank.
    pub(crate) fn fields(&self) -> impl Iterator<Item = Field<'_>> + Clone {
        self.fields[self.first_field..][..self.used].iter().map(|span| self.field(*span))
    }

    /// Returns the number of [`Scanner::fields()`].
    pub(crate) fn used(&self) -> usize {
        self.used
    }

    fn field(&self, span: Span) -> Field<'_> {
        let source = if span.is_unquoted() { &self.unquoted } else { self.text };
        Field::new(source, span.start(), span.end())
    }

    /// Reads the next record that is not blank. `false` at the end.
    pub(crate) fn next(&mut self) -> Result<bool, TooWide> {
        self.fields.clear();
        self.unquoted.clear();
        self.next_record()
    }

    /// Reads a batch of at most `max_rows` records that are not blank, and counts their irregularities.
    ///
    /// # Errors
    ///
    /// A record has too many values.
    pub(crate) fn next_rows(
        &mut self,
        max_rows: usize,
        width: usize,
    ) -> Result<Batch<'_>, TooWide> {
        self.fields.clear();
        self.unquoted.clear();
        let (mut fits, start) = (true, self.at);
        let mut rows = 0;
        while rows < max_rows
            && self.fields.len() < CELLS_AT_ONCE
            && self.at - start < BYTES_AT_ONCE
            && self.next_record()?
        {
            if self.width.is_some_and(|width| width != self.count) {
                self.irregularities.ragged_rows.add(self.first_line);
            }
            fits &= self.used <= width;
            self.fields.resize(self.first_field + width, Span::default());
            rows += 1;
        }
        let rows = Rows { text: self.text, unquoted: &self.unquoted, spans: &self.fields, width };
        Ok(Batch { rows, fits })
    }

    /// Appends the fields of the next record that is not blank. `false` at the end.
    fn next_record(&mut self) -> Result<bool, TooWide> {
        self.first_field = self.fields.len();
        while self.at < self.bytes.len() {
            self.read_record()?;
            if self.used > 0 {
                return Ok(true);
            }
            self.fields.truncate(self.first_field);
        }
        Ok(false)
    }

    fn read_record(&mut self) -> Result<(), TooWide> {
        self.excess_fields = 0;
        self.first_line = self.line;
        loop {
            if self.bytes.get(self.at) == Some(&b'"') {
                let span = self.read_quoted();
                // The end itself is handled below.
                self.next_ends.skip_to(self.bytes, self.at + 1);
                self.push_field(self.trimmed(span))?;
            } else {
                self.read_plain()?;
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
            self.count = self.fields_read();
            let fields = &self.fields[self.first_field..];
            self.used = fields.iter().rposition(|it| !it.is_empty()).map_or(0, |at| at + 1);
            return Ok(());
        }
    }

    /// Returns the number of fields of the record that were read so far.
    fn fields_read(&self) -> usize {
        self.fields.len() - self.first_field + self.excess_fields
    }

    /// Reads fields without quotes, until the line ends or a quoted field begins. Stops at the end of the last one.
    #[inline(always)]
    fn read_plain(&mut self) -> Result<(), TooWide> {
        let (bytes, mut ends) = (self.bytes, self.next_ends);
        let delimiter = self.dialect.delimiter;
        let mut at = self.at;
        loop {
            let end = ends.next(bytes);
            let mut span = Span::of_text(at, end);
            if at < end && !(begins_with_non_blank(bytes[at]) && ends_with_non_blank(bytes, end)) {
                span = self.trimmed_of_blanks(span);
            }
            self.push_field(span)?;
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

    /// Appends a field. If the record has too many, the field must be blank, and is only counted.
    #[inline(always)]
    fn push_field(&mut self, span: Span) -> Result<(), TooWide> {
        if self.fields.len() - self.first_field < MAX_COLUMNS {
            self.fields.push(span);
            return Ok(());
        }
        self.excess_fields += 1;
        self.count = self.fields_read();
        if span.is_empty() { Ok(()) } else { Err(TooWide { line: self.first_line }) }
    }

    fn trimmed(&self, span: Span) -> Span {
        let source = if span.is_unquoted() { self.unquoted.as_bytes() } else { self.bytes };
        let is_trimmed = span.is_empty()
            || (begins_with_non_blank(source[span.start()])
                && ends_with_non_blank(source, span.end()));
        if is_trimmed { span } else { self.trimmed_of_blanks(span) }
    }

    fn trimmed_of_blanks(&self, span: Span) -> Span {
        let field = self.field(span).as_str();
        let trimmed = field.trim_start();
        let start = span.start() + (field.len() - trimmed.len());
        span.part(start, start + trimmed.trim_end().len())
    }

    /// Returns the offset of the first delimiter or line end from `at` on.
    #[inline]
    fn end_of_field(&self, at: usize) -> usize {
        let rest = &self.bytes[at..];
        at + rest.iter().position(|byte| self.is_end[usize::from(*byte)]).unwrap_or(rest.len())
    }

    fn end_of_line(&self, at: usize) -> usize {
        memchr2(b'\n', b'\r', &self.bytes[at..]).map_or(self.bytes.len(), |found| at + found)
    }

    /// Reads a field that begins with a quote.
    fn read_quoted(&mut self) -> Span {
        let open = self.at;
        let mut from = open + 1;
        if !self.dialect.has_backslash_escapes
            && let Some(found) = memchr3(b'"', b'\n', b'\r', &self.bytes[from..])
            && self.bytes[from + found] == b'"'
            && self.bytes.get(from + found + 1).is_none_or(|byte| self.is_end[usize::from(*byte)])
        {
            // Nearly all quoted fields are like this.
            self.at = from + found + 1;
            return Span::of_text(from, from + found);
        }
        // `true` if the value differs from the text between the quotes.
        let mut is_changed = false;
        loop {
            let Some(quote) = memchr(b'"', &self.bytes[from..]).map(|found| from + found) else {
                return self.read_literal(open);
            };
            if self.dialect.has_backslash_escapes && self.is_escaped(from, quote) {
                is_changed = true;
                from = quote + 1;
                continue;
            }
            if self.bytes.get(quote + 1) == Some(&b'"') {
                is_changed = true;
                from = quote + 2;
                continue;
            }
            let line_ends = self.count_line_ends(open, quote);
            if self.is_closing(quote) {
                if line_ends > 0 && !self.is_multiline_value(open, quote) {
                    return self.read_literal(open);
                }
                if line_ends >= LONG_VALUE_LINES {
                    self.irregularities.long_values.add(self.line);
                }
                self.line += line_ends;
                self.at = self.end_of_field(quote + 1);
                return self.unquote(open, quote, is_changed, (quote + 1, quote + 1));
            }
            if line_ends > 0 {
                return self.read_literal(open);
            }
            self.irregularities.misplaced_quotes.add(self.line);
            // `"Tube 5" long",10`: the next quote of the field closes it.
            let end = self.end_of_field(quote + 1);
            if let Some(next) = memchr(b'"', &self.bytes[quote + 1..end])
                && self.is_closing(quote + 1 + next)
            {
                is_changed = true;
                from = quote + 1;
                continue;
            }
            self.at = end;
            return self.unquote(open, quote, true, (quote + 1, end));
        }
    }

    fn count_line_ends(&self, from: usize, to: usize) -> usize {
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

    /// Returns `true` if only blanks are between a quote and the end of the field.
    fn is_closing(&self, quote: usize) -> bool {
        let mut rest = self.bytes[quote + 1..].iter();
        rest.find(|byte| self.is_end[usize::from(**byte)] || !matches!(byte, b' ' | b'\t'))
            .is_none_or(|byte| self.is_end[usize::from(*byte)])
    }

    /// Returns `true` if a quote has an odd number of backslashes before it, and does not end a value such as `"C:\dir\"`.
    fn is_escaped(&self, from: usize, quote: usize) -> bool {
        let before = &self.bytes[from..quote];
        let slashes =
            before.len() - before.iter().rposition(|byte| *byte != b'\\').map_or(0, |at| at + 1);
        if slashes.is_multiple_of(2) {
            return false;
        }
        if !self.is_closing(quote) {
            return true;
        }
        let rest = &self.bytes[quote + 1..self.end_of_line(quote + 1)];
        memchr(b'"', rest).is_some_and(|next| self.is_closing(quote + 1 + next))
    }

    /// Returns `true` if a quoted value of several lines is no unclosed quote: with it, the record has as many fields as
    /// most others, or it does not have that many without the quote either.
    fn is_multiline_value(&self, open: usize, quote: usize) -> bool {
        let (Some(width), Some(delimiter)) = (self.width, self.dialect.delimiter) else {
            return true;
        };
        let parts = |from: usize| {
            let line = &self.bytes[from..self.end_of_line(from)];
            self.fields_read() + 1 + line.iter().filter(|byte| **byte == delimiter).count()
        };
        parts(quote + 1) == width || parts(open) != width
    }

    /// Reads a field that begins with an unclosed quote, which is part of the value.
    fn read_literal(&mut self, open: usize) -> Span {
        self.irregularities.unclosed_quotes.add(self.line);
        self.at = self.end_of_field(open + 1);
        Span::of_text(open, self.at)
    }

    /// Returns the value between two quotes, followed by the text in the range `suffix`.
    fn unquote(
        &mut self,
        open: usize,
        quote: usize,
        is_changed: bool,
        suffix: (usize, usize),
    ) -> Span {
        if !is_changed {
            return Span::of_text(open + 1, quote);
        }
        let start = self.unquoted.len();
        // This copies whole characters, because quotes and backslashes are ASCII.
        let (mut from, mut at) = (open + 1, open + 1);
        while at < quote {
            let next = self.bytes.get(at + 1).copied().filter(|_| at + 1 < quote);
            let is_left_out = match (self.bytes[at], next) {
                (b'"', Some(b'"')) => true,
                (b'\\', Some(b'"' | b'\\')) => self.dialect.has_backslash_escapes,
                _ => false,
            };
            if is_left_out {
                // The second character stays.
                self.unquoted.push_str(&self.text[from..at]);
                from = at + 1;
                at += 1;
            }
            at += 1;
        }
        self.unquoted.push_str(&self.text[from..quote]);
        self.unquoted.push_str(&self.text[suffix.0..suffix.1]);
        Span::of_unquoted(start, self.unquoted.len())
    }
}

/// Returns `true` if the first byte of a character shows that it is no blank. Non-ASCII blanks begin with one of four bytes.
#[inline(always)]
fn begins_with_non_blank(byte: u8) -> bool {
    const NON_BLANK: [bool; 256] = {
        let mut non_blank = [false; 256];
        let mut at = 0x21;
        while at < 256 {
            non_blank[at] = !matches!(at, 0x7F | 0xC2 | 0xE1..=0xE3);
            at += 1;
        }
        non_blank
    };
    NON_BLANK[usize::from(byte)]
}

/// Returns `true` if the bytes before an offset show that no blank ends there.
#[inline(always)]
fn ends_with_non_blank(bytes: &[u8], end: usize) -> bool {
    match &bytes[..end] {
        [.., last] if last.is_ascii() => begins_with_non_blank(*last),
        // A non-ASCII blank has two or three bytes.
        [.., third, second, _] => begins_with_non_blank(*third) && *second != 0xC2,
        _ => false,
    }
}
