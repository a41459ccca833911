//! A text taken apart into records and fields, with nothing kept but the places of one record.
//!
//! Quotes are read as people and programs write them, and no quote swallows rows: one that is not closed in its own line counts only if
//! what closes it stands where a field ends. Whatever is read against the rule is noted with its line.

use memchr::{memchr, memchr2};

/// Most columns, as many as a worksheet has. Fields beyond are counted, and must be blank.
pub(crate) const MAX_COLUMNS: usize = 16_384;

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

/// Where a field is.
#[derive(Clone, Copy, Debug)]
struct Span {
    start: usize,
    end: usize,
    /// Whether it is in `unquoted` instead of the text.
    is_unquoted: bool,
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
    fields: Vec<Span>,
    unquoted: Vec<u8>,
    count: usize,
    /// Fields of most records, if that is known: it tells where a quote was left open.
    pub(crate) width: Option<usize>,
    pub(crate) remarks: Remarks,
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
            unquoted: Vec::new(),
            count: 0,
            width: None,
            remarks: Remarks::default(),
            ends,
        }
    }

    /// Where the next record begins: place and line.
    pub(crate) fn place(&self) -> (usize, usize) {
        (self.at, self.line)
    }

    /// The line that the record begins in.
    pub(crate) fn line(&self) -> usize {
        self.started
    }

    /// Number of fields of the record, blank ones at its end included.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The fields up to the last that is not blank, without blanks around them.
    pub(crate) fn fields(&self) -> impl Iterator<Item = &str> + Clone {
        self.fields.iter().map(|span| self.field(*span))
    }

    /// How many fields that are.
    pub(crate) fn used(&self) -> usize {
        self.fields.len()
    }

    #[inline]
    fn field(&self, span: Span) -> &str {
        match span.is_unquoted {
            false => &self.text[span.start..span.end],
            // Whole characters were copied.
            true => std::str::from_utf8(&self.unquoted[span.start..span.end]).unwrap_or_default(),
        }
    }

    /// Go on to the next record that is not blank. False at the end.
    pub(crate) fn next(&mut self) -> Result<bool, TooWide> {
        while self.at < self.bytes.len() {
            self.record()?;
            if !self.fields.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn record(&mut self) -> Result<(), TooWide> {
        self.fields.clear();
        self.unquoted.clear();
        self.count = 0;
        self.started = self.line;
        loop {
            let span = match self.bytes.get(self.at) {
                Some(b'"') => self.quoted(),
                _ => self.plain(),
            };
            self.keep(span)?;
            match self.bytes.get(self.at) {
                None => return Ok(()),
                Some(b'\n') => self.at += 1,
                Some(b'\r') => {
                    self.at += 1 + usize::from(self.bytes.get(self.at + 1) == Some(&b'\n'));
                }
                Some(_) => {
                    self.at += 1;
                    continue;
                }
            }
            self.line += 1;
            return Ok(());
        }
    }

    /// Count a field, and keep it if it is not blank.
    #[inline]
    fn keep(&mut self, span: Span) -> Result<(), TooWide> {
        let at = self.count;
        self.count += 1;
        let Some(span) = self.trimmed(span) else { return Ok(()) };
        if at >= MAX_COLUMNS {
            return Err(TooWide { line: self.started });
        }
        // Blank ones in between are kept as soon as something follows.
        while self.fields.len() < at {
            self.fields.push(Span { start: 0, end: 0, is_unquoted: false });
        }
        self.fields.push(span);
        Ok(())
    }

    /// The field without blanks around it; `None` if it is blank.
    #[inline]
    fn trimmed(&self, span: Span) -> Option<Span> {
        if span.start == span.end {
            return None;
        }
        let source = if span.is_unquoted { &self.unquoted[..] } else { self.bytes };
        let is_sign = |byte: u8| (b'!'..=b'~').contains(&byte);
        if is_sign(source[span.start]) && is_sign(source[span.end - 1]) {
            return Some(span);
        }
        let field = self.field(span);
        let trimmed = field.trim_start();
        let start = span.start + (field.len() - trimmed.len());
        let trimmed = trimmed.trim_end();
        (!trimmed.is_empty()).then_some(Span { start, end: start + trimmed.len(), ..span })
    }

    #[inline]
    fn plain(&mut self) -> Span {
        let start = self.at;
        self.at = self.end_of_field(start);
        Span { start, end: self.at, is_unquoted: false }
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
            self.count + 1 + line.iter().filter(|byte| **byte == delimiter).count()
        };
        parts(quote + 1) == width || parts(open) != width
    }

    /// A field that begins with a quote which means nothing.
    fn literal(&mut self, open: usize) -> Span {
        self.remarks.open.at(self.line);
        self.at = self.end_of_field(open + 1);
        Span { start: open, end: self.at, is_unquoted: false }
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
            return Span { start: open + 1, end: quote, is_unquoted: false };
        }
        let start = self.unquoted.len();
        let mut rest = open + 1..quote;
        while let Some(byte) = rest.next() {
            let byte = self.bytes[byte];
            let next = (!rest.is_empty()).then(|| self.bytes[rest.start]);
            match (byte, next) {
                (b'"', Some(b'"')) => drop(rest.next()),
                (b'\\', Some(next @ (b'"' | b'\\'))) if self.dialect.backslash => {
                    rest.next();
                    self.unquoted.push(next);
                    continue;
                }
                _ => {}
            }
            self.unquoted.push(byte);
        }
        self.unquoted.extend_from_slice(&self.bytes[behind.0..behind.1]);
        Span { start, end: self.unquoted.len(), is_unquoted: true }
    }
}
