//! Finds the rows and columns of a table from the places of its words.
//!
//! A column ends where white space runs down through all rows with values. Rules are not used: the library already
//! builds tables from rules, and these tables have rules that do not divide the values.

use crate::words::{Line, Word};

/// The room between two cells of a line, in sizes of the font. Justified text has less room between words.
const CELL_GAP: f32 = 0.75;

/// The room between two numbers that are two cells. Groups of digits are closer.
const NUMBER_GAP: f32 = 0.4;

/// The narrowest white space between columns, in sizes of the font.
const CHANNEL: f32 = 0.2;

/// The share of rows with values that may cross the white space between two columns.
const CROSSING: f32 = 0.05;

/// A table with its cells at their places.
#[derive(Debug, Default)]
pub(crate) struct Grid {
    pub(crate) columns: usize,
    pub(crate) rows: Vec<Vec<Cell>>,
}

/// A cell that spans one or more columns.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Cell {
    pub(crate) column: usize,
    pub(crate) span: usize,
    pub(crate) text: String,
}

/// Words of a line that belong together.
#[derive(Debug)]
pub(crate) struct Segment<'a> {
    pub(crate) words: &'a [Word],
    pub(crate) left: f32,
    pub(crate) right: f32,
    pub(crate) is_value: bool,
}

/// Returns whether a text is a number or stands for a missing number.
pub(crate) fn is_value(text: &str) -> bool {
    let text = text.trim();
    let mut digits = 0;
    let mut letters = 0;
    let mut others = 0;
    for character in text.chars() {
        match character {
            _ if character.is_ascii_digit() => digits += 1,
            '.' | ',' | '-' | '−' | '–' | '—' | '+' | '(' | ')' | '[' | ']' | '%' | '$' | '€'
            | '£' | '¥' | '*' | '†' | '‡' | '\'' | ' ' | '\u{a0}' | ':' | '/' | '<' | '>' | '±'
            | '‰' => others += 1,
            '⁰' | '¹' | '²' | '³' | '⁴'..='⁹' => others += 1,
            _ => letters += 1,
        }
    }
    let is_missing = digits == 0
        && letters == 0
        && others > 0
        && others <= 4
        && !text.contains(['*', '†', '$', '€', '%', ':', '/']);
    letters <= usize::from(digits > 0) && digits > 0 && digits >= letters
        || is_missing
        || text == "(X)"
}

/// Returns whether a word is a value with digits. A dash has none.
fn is_number(text: &str) -> bool {
    text.contains(|character: char| character.is_ascii_digit()) && is_value(text)
}

/// Returns how many numbers a text has. Digits in groups of three are one number.
pub(crate) fn numbers(text: &str) -> usize {
    let mut count = 0;
    let mut can_go_on = false;
    for word in text.split_whitespace() {
        let is_group = can_go_on && is_group(word);
        can_go_on = is_number(word)
            && (is_group
                || word.chars().filter(char::is_ascii_digit).count() <= 3
                    && !word.contains(['.', ')', '%']));
        if is_number(word) && !is_group {
            count += 1;
        } else if !is_value(word) {
            // A number in a phrase is not a value.
            return 0;
        }
    }
    count
}

/// Returns whether a word continues a number: it has three digits, and perhaps a mark behind them.
fn is_group(word: &str) -> bool {
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    digits == 3 && !word.as_bytes().get(3).is_some_and(u8::is_ascii_digit)
}

/// Returns the parts of a line that are apart.
pub(crate) fn segments(line: &Line) -> Vec<Segment<'_>> {
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, pair) in line.words.windows(2).enumerate() {
        let [one, other] = pair else { continue };
        let gap = (other.left - one.right) / line.size;
        let are_numbers = is_value(&one.text) && is_value(&other.text);
        if gap > CELL_GAP
            || is_leader(&one.text)
            || are_numbers && gap > NUMBER_GAP && !is_signed(&one.text)
        {
            parts.push(start..at + 1);
            start = at + 1;
        }
    }
    parts.push(start..line.words.len());
    let segment = |range: std::ops::Range<usize>| {
        let words = line.words.get(range)?;
        let (first, last) = (words.first()?, words.last()?);
        let is_value = words.iter().all(|word| is_value(&word.text));
        Some(Segment { words, left: first.left, right: last.right, is_value })
    };
    parts.into_iter().filter_map(segment).collect()
}

/// Returns whether a word is a row of dots that leads from a name to its value.
fn is_leader(text: &str) -> bool {
    text.len() >= 3 && text.bytes().all(|byte| byte == b'.')
}

/// Returns whether a word is only the sign of a number.
fn is_signed(text: &str) -> bool {
    matches!(text, "$" | "€" | "£" | "¥" | "+" | "±" | "<" | ">" | "(")
}

/// Returns the grid of lines, or `None` if they do not have two columns.
pub(crate) fn build(lines: &[Line]) -> Option<Grid> {
    let parts: Vec<Vec<Segment<'_>>> = lines.iter().map(segments).collect();
    let body = body(&parts);
    if body.len() < 2 {
        return None;
    }
    let size = middle(lines.iter().map(|line| line.size).collect())?;
    let mut bounds = channels(&body, size);
    join_columns(&mut bounds, &parts);
    if bounds.is_empty() {
        return None;
    }
    let rows: Vec<Vec<Cell>> =
        lines.iter().zip(&parts).map(|(line, parts)| cells(parts, &bounds, line.size)).collect();
    Some(Grid { columns: bounds.len() + 1, rows })
}

/// Returns the lines that show where columns are: those with values, or else those with several parts.
fn body<'a>(parts: &'a [Vec<Segment<'a>>]) -> Vec<&'a [Segment<'a>]> {
    let several = parts.iter().map(Vec::as_slice).filter(|line| line.len() >= 2);
    let valued: Vec<&[Segment<'_>]> =
        several.clone().filter(|line| line.iter().any(|part| part.is_value)).collect();
    if valued.len() >= 2 { valued } else { several.collect() }
}

/// Returns the middle of each channel of white space that runs down through the lines.
fn channels(body: &[&[Segment<'_>]], size: f32) -> Vec<f32> {
    let allowed = (body.len() as f32 * CROSSING) as i32;
    let mut events: Vec<(f32, i32)> = Vec::new();
    for part in body.iter().flat_map(|line| line.iter()) {
        events.push((part.left, 1));
        events.push((part.right.max(part.left), -1));
    }
    events.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
    let mut bounds = Vec::new();
    let mut depth = 0;
    let mut free: Option<f32> = None;
    let mut was_filled = false;
    for (at, change) in events {
        let before = depth;
        depth += change;
        if before > allowed && depth <= allowed {
            free = Some(at);
            was_filled = true;
        } else if before <= allowed
            && depth > allowed
            && let Some(from) = free.take()
            && was_filled
            && at - from >= size * CHANNEL
        {
            bounds.push((from + at) / 2.0);
        }
    }
    bounds
}

/// Joins columns that no line fills both. Values that are aligned left and right make such columns.
fn join_columns(bounds: &mut Vec<f32>, parts: &[Vec<Segment<'_>>]) {
    let mut together = vec![0_usize; bounds.len()];
    for line in parts {
        let columns: Vec<usize> =
            line.iter().map(|part| column((part.left + part.right) / 2.0, bounds)).collect();
        for pair in columns.windows(2) {
            let [one, other] = pair else { continue };
            if *other == one + 1
                && let Some(count) = together.get_mut(*one)
            {
                *count += 1;
            }
        }
    }
    let mut counts = together.into_iter();
    bounds.retain(|_| counts.next().is_some_and(|count| count > 0));
}

fn column(x: f32, bounds: &[f32]) -> usize {
    bounds.partition_point(|bound| *bound < x)
}

/// Returns the cells of a line.
fn cells(parts: &[Segment<'_>], bounds: &[f32], size: f32) -> Vec<Cell> {
    let mut cells: Vec<Cell> = Vec::new();
    for part in parts {
        let mut from = 0;
        for at in 1..=part.words.len() {
            let is_end = match (part.words.get(at - 1), part.words.get(at)) {
                (Some(one), Some(other)) => {
                    let is_bound = column(one.middle(), bounds) < column(other.middle(), bounds);
                    let gap = other.left - one.right;
                    // A bound counts if the white space around it is wider than a space.
                    let divides =
                        bounds.iter().any(|bound| *bound > one.right && *bound < other.left);
                    is_bound && divides && gap > size * NUMBER_GAP
                }
                _ => true,
            };
            if !is_end {
                continue;
            }
            let Some(words) = part.words.get(from..at) else { continue };
            from = at;
            push(words, bounds, size, &mut cells);
        }
    }
    cells
}

/// Adds words as a cell, or to the cell before if both are in the same column.
fn push(words: &[Word], bounds: &[f32], size: f32, cells: &mut Vec<Cell>) {
    let (Some(first), Some(last)) = (words.first(), words.last()) else { return };
    let text = words.iter().map(|word| word.shown.as_str()).collect::<Vec<_>>().join(" ");
    // A letter that crosses a bound does not make a merged cell.
    let slack = size * 0.5;
    let middle = column((first.left + last.right) / 2.0, bounds);
    let (start, end) = (
        column(first.left + slack, bounds).min(middle),
        column(last.right - slack, bounds).max(middle),
    );
    match cells.last_mut() {
        Some(before) if before.column + before.span > start => {
            before.text.push(' ');
            before.text.push_str(&text);
            before.span = before.span.max(end + 1 - before.column);
        }
        _ => cells.push(Cell { column: start, span: end + 1 - start, text }),
    }
}

/// Returns the median of values.
pub(crate) fn middle(mut values: Vec<f32>) -> Option<f32> {
    values.sort_by(f32::total_cmp);
    values.get(values.len() / 2).copied()
}
