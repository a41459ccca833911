//! Finds the words of a page with their boxes, in lines.

use crate::inline;
use std::collections::BTreeMap;
use unpdf::TextStyle;
use unpdf::parser::TextSpan;

/// The room between two pieces of one word, in sizes of the font.
const ABUTS: f32 = 0.12;

/// How far the baselines of one line may be apart, in sizes of the font.
const SAME_LINE: f32 = 0.45;

/// A word and its place.
#[derive(Clone, Debug)]
pub(crate) struct Word {
    /// The text, as the page has it.
    pub(crate) text: String,
    /// The text, with raised letters marked.
    pub(crate) shown: String,
    pub(crate) left: f32,
    pub(crate) right: f32,
    /// The height of the baseline.
    pub(crate) y: f32,
    pub(crate) size: f32,
}

impl Word {
    pub(crate) fn middle(&self) -> f32 {
        (self.left + self.right) / 2.0
    }
}

/// Words with one baseline, from left to right.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line {
    pub(crate) words: Vec<Word>,
    pub(crate) y: f32,
    pub(crate) size: f32,
}

/// Returns the lines of a page from top to bottom. Turned text is left out.
pub(crate) fn lines(spans: &[TextSpan]) -> Vec<Line> {
    let widths = widths(spans);
    let mut words = Vec::new();
    for span in spans.iter().filter(|span| !span.is_rotated()) {
        split(span, widths.get(span.font_name.as_str()).copied().unwrap_or(1.0), &mut words);
    }
    words.sort_by(|a, b| b.y.total_cmp(&a.y));
    let mut lines: Vec<Line> = Vec::new();
    for word in words {
        match lines.last_mut() {
            Some(line) if line.y - word.y <= line.size.max(word.size) * SAME_LINE => {
                // The larger letters decide the height of the line.
                if word.size > line.size {
                    (line.y, line.size) = (word.y, word.size);
                }
                line.words.push(word);
            }
            _ => lines.push(Line { y: word.y, size: word.size, words: vec![word] }),
        }
    }
    for line in &mut lines {
        line.words.sort_by(|a, b| a.left.total_cmp(&b.left));
        join(line);
    }
    lines
}

/// Joins pieces of words.
fn join(line: &mut Line) {
    let mut joined: Vec<Word> = Vec::with_capacity(line.words.len());
    for mut word in std::mem::take(&mut line.words) {
        let is_raised = word.size < line.size * 0.85 && word.y > line.y + line.size * 0.15;
        if is_raised {
            let style = TextStyle { superscript: true, ..TextStyle::default() };
            word.shown = inline::scripts(std::mem::take(&mut word.shown), &style);
        }
        match joined.last_mut() {
            Some(last)
                if word.left - last.right < last.size.max(word.size) * ABUTS
                    && word.left > last.middle() =>
            {
                last.text.push_str(&word.text);
                last.shown.push_str(&word.shown);
                last.right = last.right.max(word.right);
                last.size = last.size.max(word.size);
            }
            _ => joined.push(word),
        }
    }
    line.words = joined;
}

/// Splits a string into words. The start of each word is computed from usual widths of letters.
fn split(span: &TextSpan, scale: f32, words: &mut Vec<Word>) {
    let size = span.font_size.abs().max(1.0);
    let text = span.text.trim();
    if text.is_empty() {
        return;
    }
    let lead = span.text.len() - span.text.trim_start().len();
    let tail = span.text.trim_start().len() - text.len();
    let blank = |count: usize| count as f32 * size * 0.25;
    let (left, right) = match span.ink_width {
        Some(ink) if span.width_measured => (span.x + blank(lead), span.x + ink),
        _ => (span.x + blank(lead), span.x + (span.width - blank(tail)).max(0.0)),
    };
    let right = if right > left { right } else { left + estimate(text, size) * scale };
    let blanks = text.chars().filter(|character| character.is_whitespace()).count();
    let letters = estimate(text, size) * scale;
    let room = right - left;
    // If all letters have one width, every place is known.
    let each = span.is_monospace.then(|| room / text.chars().count().max(1) as f32);
    let (scale, blank) = match (each, blanks) {
        (Some(each), _) => (scale, each),
        (None, 0) => (scale, 0.0),
        _ if room - letters >= blanks as f32 * size * 0.2 => {
            (scale, (room - letters) / blanks as f32)
        }
        _ => {
            let blank = size * 0.25;
            let rest = (room - blank * blanks as f32).max(room * 0.5);
            (scale * rest / letters.max(0.01), (room - rest) / blanks as f32)
        }
    };
    let mut at = left;
    let mut word = String::new();
    let mut start = left;
    let mut push = |word: &mut String, start: f32, end: f32| {
        if !word.is_empty() {
            let text = std::mem::take(word);
            let shown = text.clone();
            words.push(Word { text, shown, left: start, right: end, y: span.y, size });
        }
    };
    for character in text.chars() {
        if character.is_whitespace() {
            push(&mut word, start, at);
            at += blank;
            continue;
        }
        if word.is_empty() {
            start = at;
        }
        word.push(character);
        at += each.unwrap_or(width(character) * size * scale);
    }
    let end = if blanks == 0 { right } else { at.min(right.max(start)) };
    push(&mut word, start, end);
}

/// Returns the widths of the letters of each font, compared with usual widths.
fn widths(spans: &[TextSpan]) -> BTreeMap<&str, f32> {
    let mut sums: BTreeMap<&str, (f32, f32)> = BTreeMap::new();
    for span in spans {
        let is_word = !span.text.contains(char::is_whitespace);
        if span.width_measured && is_word && span.width > 0.0 && !span.is_rotated() {
            let (real, usual) = sums.entry(&span.font_name).or_default();
            *real += span.width;
            *usual += estimate(&span.text, span.font_size.abs().max(1.0));
        }
    }
    sums.into_iter()
        .filter(|(_, (_, usual))| *usual > 0.0)
        .map(|(font, (real, usual))| (font, (real / usual).clamp(0.5, 2.0)))
        .collect()
}

fn estimate(text: &str, size: f32) -> f32 {
    text.chars().filter(|character| !character.is_whitespace()).map(width).sum::<f32>() * size
}

/// Returns the usual width of a letter in sizes of its font.
fn width(character: char) -> f32 {
    match character {
        '.' | ',' | ':' | ';' | '\'' | '|' | '!' | 'i' | 'l' | 'j' | 'I' => 0.27,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '-' | '/' => 0.34,
        'm' | 'w' | 'M' | 'W' | '%' | '@' => 0.83,
        'A'..='Z' => 0.67,
        _ if crate::lines::is_unspaced(character) => 1.0,
        _ => 0.53,
    }
}
