//! Blocks of code. They are divided, because Typst sets a block as one paragraph, in quadratic time. Long lines get a sign
//! where they continue.

use serde_json::{Value, json};

use super::Converter;
use crate::shared::glyphs::breaks::breakable;
use crate::shared::highlight::{Code, HighlightSpan, Token};
use crate::shared::losses::LossKind;

/// Most characters of a word of code that stays whole: as many as fit on a line.
const MAX_CODE_WORD: usize = 80;

/// Most lines of code that are set together.
const LINES_PER_CHUNK: usize = 100;

/// Most lines of coloured code that are set together. None is longer than a few hundred characters.
const LINES_OF_COLOR: usize = 25;

/// Most characters of a line of code that are set together. The lines that are set together have at most four times as many
/// bytes.
const CHARACTERS_PER_CHUNK: usize = 2_000;

/// Most characters in the long lines of a document that get a continuation sign, because Typst lays out each of these lines
/// twice. Lines beyond the limit wrap without a sign.
pub(super) const MAX_MARKED: usize = 200_000;

/// Fewest characters for which a long line counts, because even a short one costs memory.
const MIN_MARKED: usize = 100;

/// Fewest columns of code, however deeply it is nested, and most blocks around it that make a difference.
const MIN_COLUMNS: usize = 12;
const MAX_DEPTH: usize = 20;

impl Converter<'_> {
    /// Returns code in a language: in colours, if it is known.
    pub(super) fn code(&mut self, language: Option<&str>, text: &str) -> Value {
        let columns = self.code_columns();
        let lines = match self.highlighter.lines(language, text, self.cancel) {
            Code::Lines(lines) => lines,
            code => {
                if code == Code::TooMuch {
                    self.losses.record(LossKind::PlainCode, language.unwrap_or_default());
                }
                let text = breakable(&self.plain(text), columns.min(MAX_CODE_WORD));
                let chunks = chunks(&text, columns, &mut self.marked_left);
                return json!({ "type": "code-block", "chunks": chunks });
            }
        };
        let mut chunks: Vec<Value> = Vec::new();
        let mut together: Vec<Vec<(Option<&str>, String)>> = Vec::new();
        for line in lines {
            self.pieces += line.len();
            let mut column = 0;
            let pieces = line.into_iter().map(|HighlightSpan { token, text }| {
                let text = untabbed(&self.plain(text), &mut column);
                (token.map(Token::name), breakable(&text, columns.min(MAX_CODE_WORD)))
            });
            let pieces: Vec<_> = pieces.collect();
            let width: usize = pieces.iter().map(|(_, text)| width_of_code(text)).sum();
            if width > columns && is_marked(width, &mut self.marked_left) {
                chunks.extend(colored(&mut together));
                chunks.extend(long_line(&pieces));
                continue;
            }
            together.push(pieces);
            if together.len() == LINES_OF_COLOR {
                chunks.extend(colored(&mut together));
            }
        }
        chunks.extend(colored(&mut together));
        json!({ "type": "code-block", "chunks": chunks })
    }

    /// Returns the columns that surely fit here: lists, quotations and notes reduce the width of the text.
    fn code_columns(&self) -> usize {
        const INSET: f64 = 16.0;
        const STEP: f64 = 24.0;
        const COLUMN: f64 = 0.602;
        let around = u32::try_from(self.depth.min(MAX_DEPTH)).unwrap_or(0);
        let width = self.room.upright - INSET - STEP * f64::from(around);
        let columns = width / (COLUMN * self.code_size);
        // At least a few letters, whatever the size.
        (columns.max(0.0) as usize).max(MIN_COLUMNS)
    }
}

/// Replaces tabs by spaces, as Typst does when it draws code itself.
fn untabbed(text: &str, column: &mut usize) -> String {
    const TAB: usize = 2;
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        let width = if c == '\t' { TAB - *column % TAB } else { 1 };
        match c {
            '\t' => out.extend(std::iter::repeat_n(' ', width)),
            c => out.push(c),
        }
        *column += width;
    }
    out
}

/// Takes lines of coloured code that are set together.
fn colored(lines: &mut Vec<Vec<(Option<&str>, String)>>) -> Option<Value> {
    if lines.is_empty() {
        return None;
    }
    let text = |line: &Vec<(Option<&str>, String)>| {
        line.iter().map(|(_, text)| text.as_str()).collect::<String>()
    };
    let all = lines.iter().map(text).collect::<Vec<_>>().join("\n");
    Some(json!({ "text": all, "lines": std::mem::take(lines) }))
}

/// Returns the lines of a block of code in groups that are each set in little time. Lines that are wider than `columns` are
/// groups of their own, which the template draws with a sign where they continue, as long as `left` allows it.
fn chunks(text: &str, columns: usize, left: &mut usize) -> Vec<Value> {
    let mut chunks: Vec<Value> = Vec::new();
    let mut together = String::new();
    let mut lines = 0;
    let flush = |together: &mut String, lines: &mut usize, chunks: &mut Vec<Value>| {
        if std::mem::take(lines) > 0 {
            chunks.push(Value::String(std::mem::take(together)));
        }
    };
    for line in text.split('\n') {
        let width = width_of_code(line);
        if width > columns && is_marked(width, left) {
            flush(&mut together, &mut lines, &mut chunks);
            chunks.extend(long_line(&[(None, line.to_owned())]));
            continue;
        }
        let mut rest = line;
        let mut is_first = true;
        // A longer line is wrapped anyway, and continues in the next group.
        while is_first || !rest.is_empty() {
            let end =
                rest.char_indices().nth(CHARACTERS_PER_CHUNK).map_or(rest.len(), |(at, _)| at);
            let (part, tail) = rest.split_at(end);
            let has_room = lines < LINES_PER_CHUNK
                && is_first
                && together.len() + part.len() <= 4 * CHARACTERS_PER_CHUNK;
            if !has_room {
                flush(&mut together, &mut lines, &mut chunks);
            }
            if lines > 0 {
                together.push('\n');
            }
            together.push_str(part);
            lines += 1;
            (rest, is_first) = (tail, false);
        }
    }
    flush(&mut together, &mut lines, &mut chunks);
    chunks
}

/// Returns the width of a line of code in columns. A Chinese character is five thirds of a column wide.
fn width_of_code(line: &str) -> usize {
    let thirds: usize = line
        .chars()
        .map(|c| match c {
            '\u{200B}' => 0,
            '\t' => 6,
            c if c >= '\u{1100}' => 5,
            _ => 3,
        })
        .sum();
    thirds.div_ceil(3)
}

/// Takes a long line of `width` columns from what is `left`. Returns `false`, and takes nothing, if it is too long.
fn is_marked(width: usize, left: &mut usize) -> bool {
    let rest = left.checked_sub(width.max(MIN_MARKED));
    *left = rest.unwrap_or(*left);
    rest.is_some()
}

/// Returns a line of code that does not fit, in parts that are set in little time: pieces with their styles, the indent of
/// the line, and whether a part continues the one before.
fn long_line(pieces: &[(Option<&str>, String)]) -> Vec<Value> {
    let whole: String = pieces.iter().map(|(_, text)| text.as_str()).collect();
    let indent = whole.chars().take_while(|c| *c == ' ').count();
    let mut parts: Vec<Vec<(Option<&str>, &str)>> = vec![Vec::new()];
    let mut room = CHARACTERS_PER_CHUNK;
    for (look, text) in pieces {
        let mut rest = text.as_str();
        while !rest.is_empty() {
            let end = rest.char_indices().nth(room).map_or(rest.len(), |(at, _)| at);
            let (part, tail) = rest.split_at(end);
            room -= part.chars().count();
            if let Some(last) = parts.last_mut().filter(|_| !part.is_empty()) {
                last.push((*look, part));
            }
            rest = tail;
            if room == 0 && !rest.is_empty() {
                parts.push(Vec::new());
                room = CHARACTERS_PER_CHUNK;
            }
        }
    }
    let parts = parts.into_iter().enumerate();
    parts
        .map(|(at, pieces)| json!({ "pieces": pieces, "indent": indent, "goes_on": at > 0 }))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_parts_of_their_own_and_nothing_is_lost() {
        let mut left = 2 * MIN_MARKED - 1;
        let text = format!("a\nb\n  {}\nc\n", "x y ".repeat(10));
        let parts = chunks(&text, 20, &mut left);
        let [first, long, last] = &parts[..] else { panic!("{parts:?}") };
        assert_eq!((first, last), (&json!("a\nb"), &json!("c\n")));
        assert_eq!((&long["indent"], &long["goes_on"]), (&json!(2), &json!(false)));
        assert_eq!(long["pieces"], json!([[null, format!("  {}", "x y ".repeat(10))]]));
        assert_eq!(left, MIN_MARKED - 1);
        // A line of several parts keeps its styles.
        let pieces = [(Some("name"), "n".repeat(1_500)), (None, "p".repeat(1_500))];
        let parts = long_line(&pieces);
        assert_eq!(parts.len(), 2);
        assert_eq!(parts[1]["goes_on"], json!(true));
        assert_eq!(parts[0]["pieces"][1], json!([null, "p".repeat(500)]));
        assert_eq!(parts[1]["pieces"], json!([[null, "p".repeat(1_000)]]));
        // No line beyond the limit is marked, and the remainder is kept for shorter lines.
        assert_eq!(chunks(&text, 20, &mut left), [json!(text)]);
        assert_eq!(left, MIN_MARKED - 1);
        // Empty lines count as well.
        assert_eq!(chunks("", 20, &mut 1), [json!("")]);
        assert_eq!(chunks("\n", 20, &mut 1), [json!("\n")]);
    }

    #[test]
    fn chinese_characters_are_wider() {
        assert_eq!(
            (width_of_code("abc"), width_of_code("汉字汉"), width_of_code("\t\u{200B}")),
            (3, 5, 2)
        );
    }
}
