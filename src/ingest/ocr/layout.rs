//! Converts the TSV output of `tesseract`, one line per word, to text: words to lines, lines to paragraphs.

use super::Recognised;

/// Number of fields of a word, and the level that marks words.
const FIELDS: usize = 12;
const LEVEL_OF_WORDS: &str = "5";

/// If all words of a page together have a confidence below this, in percent, the page counts as a picture without text.
const LEGIBLE: f64 = 30.0;

/// Lines with a confidence below this, in percent, are reported.
const CERTAIN: f64 = 60.0;

/// Most lines of a page that are reported.
const MAX_DOUBTFUL: usize = 3;

/// Most words of a page; the rest is ignored.
const MAX_WORDS: usize = 100_000;

/// A gap between two Chinese words becomes a space if it is wider than this many line heights.
const WIDE_GAP: f64 = 1.5;

/// Limit for a gap between Chinese and other words.
const NARROW_GAP: f64 = 0.35;

/// A line that ends this many line heights before the right edge of its paragraph was ended on purpose: for Chinese, which breaks
/// lines anywhere, and for text with words.
const SHORT_CHINESE: f64 = 1.8;
const SHORT_WORDS: f64 = 4.5;

struct Word<'t> {
    /// Numbers of its block, paragraph and line.
    place: [u32; 3],
    left: f64,
    width: f64,
    height: f64,
    confidence: f64,
    text: &'t str,
}

/// Line of a paragraph.
struct Line {
    paragraph: [u32; 2],
    right: f64,
    height: f64,
    text: String,
    /// Mean confidence of its words, weighted by their letters.
    confidence: f64,
}

/// Returns the text of a page.
pub(super) fn read(tsv: &str) -> Recognised {
    let words: Vec<Word<'_>> = tsv.lines().filter_map(word).take(MAX_WORDS).collect();
    let weight = |word: &Word<'_>| word.text.chars().count() as f64;
    let letters: f64 = words.iter().map(weight).sum();
    if letters == 0.0 {
        return Recognised::default();
    }
    let confidence = words.iter().map(|word| weight(word) * word.confidence).sum::<f64>() / letters;
    if confidence < LEGIBLE {
        return Recognised { confidence: Some(confidence), ..Recognised::default() };
    }
    let lines: Vec<Line> = words.chunk_by(|a, b| a.place == b.place).map(line).collect();
    let paragraphs = lines.chunk_by(|a, b| a.paragraph == b.paragraph).map(paragraph);
    let text = paragraphs.collect::<Vec<_>>().join("\n\n");
    let doubtful = lines.iter().filter(|line| line.confidence < CERTAIN).take(MAX_DOUBTFUL);
    let doubtful = doubtful.map(|line| line.text.clone()).collect();
    Recognised { text, confidence: Some(confidence), doubtful, turned: 0 }
}

fn word(row: &str) -> Option<Word<'_>> {
    let fields: Vec<&str> = row.splitn(FIELDS, '\t').collect();
    let [level, _, block, paragraph, line, _, left, _, width, height, confidence, text] =
        fields[..]
    else {
        return None;
    };
    let text = text.trim();
    if level != LEVEL_OF_WORDS || text.is_empty() {
        return None;
    }
    let number = |field: &str| field.parse::<f64>().ok().filter(|it| it.is_finite());
    Some(Word {
        place: [block.parse().ok()?, paragraph.parse().ok()?, line.parse().ok()?],
        left: number(left)?,
        width: number(width)?,
        height: number(height)?.max(1.0),
        confidence: number(confidence)?.clamp(0.0, 100.0),
        text,
    })
}

fn line(words: &[Word<'_>]) -> Line {
    let (mut text, mut right, mut height) = (String::new(), 0.0, 1.0);
    let (mut sum, mut letters) = (0.0, 0.0);
    for word in words {
        if let (Some(before), Some(next)) = (text.chars().next_back(), word.text.chars().next()) {
            let gap = (word.left - right) / word.height.max(height);
            let is_apart = match (is_joined(before), is_joined(next)) {
                (true, true) => gap > WIDE_GAP,
                (false, false) => true,
                _ => gap > NARROW_GAP,
            };
            text.push_str(if is_apart { " " } else { "" });
        }
        text.push_str(word.text);
        right = word.left + word.width;
        height = f64::max(height, word.height);
        let count = word.text.chars().count() as f64;
        sum += count * word.confidence;
        letters += count;
    }
    let [block, paragraph, _] = words.first().map_or([0; 3], |word| word.place);
    Line {
        paragraph: [block, paragraph],
        right,
        height,
        text,
        confidence: sum / f64::max(letters, 1.0),
    }
}

/// Joins the lines of a paragraph. A line that was ended on purpose, as in a list or an address, stays separate.
fn paragraph(lines: &[Line]) -> String {
    let edge = lines.iter().map(|line| line.right).fold(0.0, f64::max);
    let mut text = String::new();
    let mut runs_on = true;
    for line in lines {
        let next = line.text.chars().next();
        match text.chars().next_back().zip(next) {
            None => {}
            Some(_) if !runs_on => text.push('\n'),
            Some((before, next)) if is_joined(before) && is_joined(next) => {}
            Some(('-' | '\u{ad}', next)) if next.is_lowercase() && is_hyphenated(&text) => {
                text.pop();
            }
            Some(_) => text.push(' '),
        }
        text.push_str(&line.text);
        let is_chinese = line.text.chars().next_back().is_some_and(is_joined);
        let short = if is_chinese { SHORT_CHINESE } else { SHORT_WORDS };
        runs_on = line.right + short * line.height >= edge;
    }
    text
}

/// Returns whether the text ends with a letter and a hyphen.
fn is_hyphenated(text: &str) -> bool {
    text.chars().rev().nth(1).is_some_and(char::is_alphabetic)
}

/// Returns whether a character is written without spaces between words: Chinese, Japanese, and their punctuation.
fn is_joined(character: char) -> bool {
    matches!(character,
        '\u{2e80}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe4f}' | '\u{ff00}'..='\u{ffef}' | '\u{20000}'..='\u{3ffff}'
        | '“' | '”' | '‘' | '’' | '…' | '—' | '·')
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;

    use super::*;

    /// Returns words given as `block paragraph line left width confidence text`, all 20 high.
    fn tsv(words: &[(u32, u32, u32, u32, u32, f64, &str)]) -> String {
        let mut text =
            String::from("level\tpage_num\tblock_num\t…\n1\t1\t0\t0\t0\t0\t0\t0\t9\t9\t-1\t\n");
        for (block, paragraph, line, left, width, confidence, word) in words {
            text.push_str(&format!(
                "5\t1\t{block}\t{paragraph}\t{line}\t1\t{left}\t0\t{width}\t20\t{confidence}\t{word}\n"
            ));
        }
        text
    }

    #[test]
    fn words_become_lines_and_paragraphs() {
        let read = read(&tsv(&[
            (1, 1, 1, 0, 80, 96.0, "2025"),
            (1, 1, 1, 84, 20, 96.0, "年"),
            (1, 1, 1, 105, 500, 95.0, "净利润同比增长"),
            (1, 1, 2, 0, 300, 95.0, "百分之四十。"),
            (1, 1, 2, 310, 60, 95.0, "PDF"),
            (1, 1, 2, 380, 60, 95.0, "文件"),
            (1, 2, 1, 0, 200, 90.0, "An"),
            (1, 2, 1, 210, 400, 90.0, "exam-"),
            (1, 2, 2, 0, 200, 90.0, "ple"),
            (1, 2, 2, 210, 100, 90.0, "here"),
            (2, 1, 1, 0, 60, 90.0, "姓名"),
            (2, 1, 1, 200, 60, 20.0, "王五"),
            (2, 1, 2, 0, 600, 90.0, "Street"),
        ]));
        assert_snapshot!(read.text, @r"
        2025年净利润同比增长百分之四十。 PDF 文件

        An example here

        姓名 王五
        Street
        ");
        assert_eq!(read.confidence.map(f64::round), Some(90.0));
        assert_eq!(read.doubtful, ["姓名 王五"]);
    }

    #[test]
    fn what_is_no_text_is_none() {
        assert_eq!(read(""), Recognised::default());
        assert_eq!(read(&tsv(&[(1, 1, 1, 0, 9, 90.0, " ")])), Recognised::default());
        let noise = read(&tsv(&[(1, 1, 1, 0, 9, 12.0, "~w|")]));
        assert_eq!((noise.text.as_str(), noise.confidence), ("", Some(12.0)));
        // Truncated rows, or rows without numbers.
        assert_eq!(
            read("5\t1\t1\n5\t1\tx\t1\t1\t1\t0\t0\t9\t9\t90\tword\n"),
            Recognised::default()
        );
        assert_eq!(read("5\t1\t1\t1\t1\t1\t0\t0\tNaN\t9\t90\tword\n"), Recognised::default());
    }
}
