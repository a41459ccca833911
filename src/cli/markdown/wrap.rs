//! Breaks styled words into lines of a terminal.
//!
//! Text is passed on at once. Only the last word waits, because the next character decides where it ends.

use console::measure_text_width;

use super::inline::{Span, Style};
use mitt_base::visible::{Lines, visible};

const RESET: &str = "\u{1b}[0m";

/// Characters that begin no line, and those that end none.
const NEVER_FIRST: &str = "，。、；：！？）】》」』”’…—～·％,.;:!?)]}";
const NEVER_LAST: &str = "（【《「『“‘([{";

/// Returns `text` in `style`, without control characters.
pub(super) fn styled(text: &str, style: Style) -> String {
    let text = text.replace('\t', "    ");
    let shown = visible(&text, Lines::One);
    let codes = [
        (style.bold, "1"),
        (style.dim, "2"),
        (style.italic, "3"),
        (style.underlined, "4"),
        (style.struck, "9"),
        (style.code, "36"),
    ];
    let codes: Vec<&str> = codes.iter().filter(|(is, _)| *is).map(|(_, code)| *code).collect();
    if codes.is_empty() || shown.is_empty() {
        shown.into_owned()
    } else {
        format!("\u{1b}[{}m{shown}{RESET}", codes.join(";"))
    }
}

/// Returns the number of terminal columns that `text` takes.
pub(super) fn width(text: &str) -> usize {
    measure_text_width(&visible(text, Lines::One))
}

/// Breaks text into lines.
pub(super) struct Wrap {
    /// Columns of the terminal.
    columns: usize,
    /// The beginning of further lines of the block, and its columns.
    indent: (String, usize),
    /// Columns that the current line has already.
    used: usize,
    /// The last word, which may continue, and the number of spaces before it.
    word: Vec<Span>,
    spaces: usize,
    out: String,
}

impl Wrap {
    pub(super) fn new(columns: usize) -> Wrap {
        let indent = (String::new(), 0);
        Wrap { columns, indent, used: 0, word: Vec::new(), spaces: 0, out: String::new() }
    }

    /// Begins a line with `first`, which is already styled; further lines of the block begin with `next`.
    pub(super) fn begin(&mut self, first: &str, next: &str) {
        self.out.push_str(first);
        self.used = measure_text_width(first);
        self.indent = (next.to_owned(), measure_text_width(next));
    }

    pub(super) fn push(&mut self, span: &Span) {
        for character in span.text.chars() {
            if character.is_whitespace() && !span.style.code {
                self.end_word();
                // No space at the beginning of a line, such as after the mark of a heading.
                self.spaces = usize::from(self.used > self.indent.1);
                continue;
            }
            if self.breaks_before(character) {
                self.end_word();
            }
            match self.word.last_mut() {
                Some(last) if last.style == span.style => last.text.push(character),
                _ => self.word.push(Span { text: character.into(), style: span.style }),
            }
        }
    }

    /// Returns `true` if a line can end between the last word and `character`. Wide characters are words by themselves.
    fn breaks_before(&self, character: char) -> bool {
        let columns = |it: char| measure_text_width(it.encode_utf8(&mut [0; 4]));
        let mut behind = self.word.iter().rev().flat_map(|span| span.text.chars().rev()).peekable();
        // A character of a picture may be a sequence of several.
        if behind.peek() == Some(&'\u{200d}') || columns(character) == 0 {
            return false;
        }
        let Some(before) = behind.find(|it| columns(*it) > 0) else { return false };
        (columns(before) > 1 || columns(character) > 1)
            && !NEVER_FIRST.contains(character)
            && !NEVER_LAST.contains(before)
    }

    fn end_word(&mut self) {
        if self.word.is_empty() {
            return;
        }
        let word = std::mem::take(&mut self.word);
        let columns: usize = word.iter().map(|span| width(&span.text)).sum();
        let spaces = std::mem::take(&mut self.spaces);
        if self.used > self.indent.1 && self.used + spaces + columns > self.columns {
            self.out.push('\n');
            self.out.push_str(&self.indent.0);
            self.used = self.indent.1;
        } else {
            self.out.extend(std::iter::repeat_n(' ', spaces));
            self.used += spaces;
        }
        self.used += columns;
        word.iter().for_each(|span| self.out.push_str(&styled(&span.text, span.style)));
    }

    /// Ends the line.
    pub(super) fn end(&mut self) {
        self.end_word();
        self.out.push('\n');
        (self.used, self.spaces) = (0, 0);
        self.indent = (String::new(), 0);
    }

    /// Passes text on that is not broken into lines.
    pub(super) fn raw(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// Returns the text that can be shown now.
    pub(super) fn take(&mut self) -> String {
        std::mem::take(&mut self.out)
    }
}
