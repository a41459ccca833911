//! Renders Markdown on a terminal while it arrives.
//!
//! Text is shown as soon as it is understood: words of a paragraph at once, emphasis when its end arrives, a table with its
//! last row. Only the marks are left out. All escape sequences are made here: control characters in the text are made
//! visible first.
//!
//! No library does it: `termimad` and similar ones need the whole text, and so does a parser such as pulldown-cmark.

mod inline;
mod table;
mod wrap;

use inline::{Style, spans};
use wrap::{Wrap, styled};

/// Most rows of a table that wait for its end; later rows are shown as they are.
const MOST_ROWS: usize = 500;

/// Deepest indentation that is kept, in columns.
const DEEPEST: usize = 24;

/// Longest rule.
const RULE: usize = 40;

const DIM: Style =
    Style { dim: true, bold: false, italic: false, struck: false, code: false, underlined: false };
const CODE: Style =
    Style { code: true, dim: false, bold: false, italic: false, struck: false, underlined: false };

/// Renders one answer.
pub(super) struct Markdown {
    columns: usize,
    wrap: Wrap,
    /// The incomplete line, and how much of it is shown.
    line: String,
    shown: usize,
    /// The kind of the line, once it is known.
    partial: Option<PartialLine>,
    /// The mark that ends the current block of code.
    fence: Option<String>,
    /// Rows of the incomplete table.
    rows: Vec<String>,
}

/// A line of text whose beginning is shown.
#[derive(Clone, Copy)]
enum PartialLine {
    Text,
    Heading,
    Code,
}

/// The kind of a line.
#[derive(Debug, PartialEq)]
enum LineKind {
    Blank,
    Row,
    Rule,
    /// The fence.
    Fence(String),
    /// Its level, and the bytes of its mark.
    Heading(usize, usize),
    /// The text that replaces the first bytes.
    Item(String, usize),
    Quote(usize),
    Paragraph,
}

impl Markdown {
    /// Makes a renderer for a terminal with this number of columns.
    pub(super) fn new(columns: usize) -> Markdown {
        let columns = columns.max(20);
        Markdown {
            columns,
            wrap: Wrap::new(columns),
            line: String::new(),
            shown: 0,
            partial: None,
            fence: None,
            rows: Vec::new(),
        }
    }

    /// Adds `text` and returns what can be shown now.
    pub(super) fn push(&mut self, text: &str) -> String {
        for part in text.split_inclusive('\n') {
            match part.strip_suffix('\n') {
                Some(part) => {
                    self.line.push_str(part.strip_suffix('\r').unwrap_or(part));
                    self.end_line();
                }
                None => {
                    self.line.push_str(part);
                    self.go_on(false);
                }
            }
        }
        self.wrap.take()
    }

    /// Returns the rest at the end of the text. The next call of `push` begins another text.
    pub(super) fn finish(&mut self) -> String {
        if !self.line.is_empty() {
            self.end_line();
        }
        self.end_table();
        self.fence = None;
        self.wrap.take()
    }

    fn end_line(&mut self) {
        self.go_on(true);
        if self.partial.is_some() {
            self.wrap.end();
        }
        self.line.clear();
        (self.shown, self.partial) = (0, None);
    }

    /// Shows the part of the line that is understood; all of it if it `is_whole`.
    fn go_on(&mut self, is_whole: bool) {
        if self.partial.is_none() && !self.begin(is_whole) {
            return;
        }
        let Some(partial) = self.partial else { return };
        let rest = &self.line[self.shown..];
        if let PartialLine::Code = partial {
            self.wrap.raw(&styled(rest, CODE));
            self.shown = self.line.len();
            return;
        }
        let before = self.line[..self.shown].chars().next_back();
        let (mut found, read) = spans(rest, before, is_whole);
        self.shown += read;
        for span in &mut found {
            span.style.bold |= matches!(partial, PartialLine::Heading);
            self.wrap.push(span);
        }
    }

    /// Determines the kind of the line and shows its beginning. Returns `true` if its text can be shown.
    fn begin(&mut self, is_whole: bool) -> bool {
        if let Some(fence) = &self.fence {
            let text = self.line.trim();
            let is_end =
                text.len() >= fence.len() && text.bytes().all(|it| fence.as_bytes()[0] == it);
            if is_whole && is_end {
                self.wrap.raw(&(styled(&self.line, DIM) + "\n"));
                self.fence = None;
                return false;
            }
            if !is_whole && text.bytes().all(|it| fence.as_bytes()[0] == it) {
                return false;
            }
            self.partial = Some(PartialLine::Code);
            return true;
        }
        let Some(kind) = kind(&self.line, is_whole) else { return false };
        if kind != LineKind::Row {
            self.end_table();
        }
        let kind = match kind {
            LineKind::Row if self.rows.len() < MOST_ROWS => {
                self.rows.push(self.line.clone());
                return false;
            }
            kind => kind,
        };
        let indent = " ".repeat(indentation(&self.line).min(DEEPEST));
        let margin = self.line.len() - self.line.trim_start().len();
        match kind {
            LineKind::Blank => self.wrap.raw("\n"),
            LineKind::Rule => {
                self.wrap.raw(&(styled(&"─".repeat(self.columns.min(RULE)), DIM) + "\n"));
            }
            LineKind::Fence(fence) => {
                self.wrap.raw(&(styled(&self.line, DIM) + "\n"));
                self.fence = Some(fence);
            }
            LineKind::Heading(_, mark) => {
                self.shown = mark;
                self.partial = Some(PartialLine::Heading);
            }
            LineKind::Item(mark, length) => {
                let next = format!("{indent}{}", " ".repeat(wrap::width(&mark)));
                self.wrap.begin(&format!("{indent}{mark}"), &next);
                self.shown = length;
                self.partial = Some(PartialLine::Text);
            }
            LineKind::Quote(length) => {
                let bar = styled("│ ", DIM);
                self.wrap.begin(&bar, &bar);
                self.shown = length;
                self.partial = Some(PartialLine::Text);
            }
            LineKind::Row | LineKind::Paragraph => {
                self.wrap.begin(&indent, &indent);
                self.shown = margin;
                self.partial = Some(PartialLine::Text);
            }
        }
        self.partial.is_some()
    }

    /// Shows the complete table. Rows that are not a table are shown as lines of text.
    fn end_table(&mut self) {
        let rows = std::mem::take(&mut self.rows);
        if rows.is_empty() {
            return;
        }
        if let Some(table) = table::table(&rows, self.columns) {
            return self.wrap.raw(&table);
        }
        for row in &rows {
            spans(row, None, true).0.iter().for_each(|span| self.wrap.push(span));
            self.wrap.end();
        }
    }
}

fn indentation(line: &str) -> usize {
    let space = line.chars().take_while(|it| it.is_whitespace());
    space.map(|it| if it == '\t' { 4 } else { 1 }).sum()
}

/// Returns the kind of `line`. `None` if that depends on the next characters.
fn kind(line: &str, is_whole: bool) -> Option<LineKind> {
    let text = line.trim_start();
    let margin = line.len() - text.len();
    let Some(first) = text.chars().next() else {
        return is_whole.then_some(LineKind::Blank);
    };
    let run = text.chars().take_while(|it| *it == first).count();
    let behind = |length: usize| text[length..].chars().next();
    let waits = |kind| if is_whole { Some(kind) } else { None };
    match first {
        '#' if run <= 6 => match behind(run) {
            None => waits(LineKind::Paragraph),
            Some(next) if next.is_whitespace() => Some(LineKind::Heading(run, margin + run)),
            Some(_) => Some(LineKind::Paragraph),
        },
        '|' => waits(LineKind::Row),
        '`' | '~' => match run {
            3.. if first == '~' || !text[run..].contains('`') => {
                waits(LineKind::Fence(text[..run].to_owned()))
            }
            _ if run == text.len() => waits(LineKind::Paragraph),
            _ => Some(LineKind::Paragraph),
        },
        '-' | '*' | '_' | '+' => {
            let is_alone = text.chars().all(|it| it == first || it == ' ');
            if is_alone && !is_whole {
                return None;
            }
            if is_alone && first != '+' && text.matches(first).count() >= 3 {
                return Some(LineKind::Rule);
            }
            match behind(1) {
                Some(' ') if first != '_' => Some(LineKind::Item("• ".to_owned(), margin + 2)),
                _ => Some(LineKind::Paragraph),
            }
        }
        '0'..='9' => {
            let digits = text.bytes().take_while(u8::is_ascii_digit).count();
            match (behind(digits), text[digits..].chars().nth(1)) {
                _ if digits > 9 => Some(LineKind::Paragraph),
                (None, _) | (Some('.' | ')'), None) => waits(LineKind::Paragraph),
                (Some('.' | ')'), Some(' ')) => {
                    Some(LineKind::Item(text[..digits + 2].to_owned(), margin + digits + 2))
                }
                _ => Some(LineKind::Paragraph),
            }
        }
        '>' => match text.char_indices().find(|(_, it)| !['>', ' '].contains(it)) {
            Some((at, _)) => Some(LineKind::Quote(margin + at)),
            None => waits(LineKind::Quote(line.len())),
        },
        _ => Some(LineKind::Paragraph),
    }
}

#[cfg(test)]
mod tests;
