//! A text whose lines are joined, for numbers and addresses that go on in the next line. Rules look for them within a line.

use std::ops::Range;

/// Fewest letters in two lines that are joined, so that rows of figures are not, but the end of a short label, such as `ID`, is. A
/// character of Chinese counts as two.
const MIN_LETTERS: usize = 2;

/// What takes the place of an end of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seam {
    /// A blank: the text is divided where it has a separator.
    Blank,
    /// Nothing: the text is divided anywhere.
    Nothing,
}

/// A text with joined lines. Paragraphs, headings, items and rows of tables stay apart.
pub(super) struct JoinedLines {
    text: String,
    seam: Seam,
    /// Where lines were joined: positions of blanks, or of what stands behind the seam.
    seams: Vec<usize>,
    lines: Vec<Line>,
}

/// Where a line stands.
struct Line {
    /// In the text whose lines were joined.
    source: usize,
    /// In the joined text.
    start: usize,
    length: usize,
}

impl JoinedLines {
    pub(super) fn new(text: &str, seam: Seam) -> JoinedLines {
        let mut joined = JoinedLines {
            text: String::with_capacity(text.len()),
            seam,
            seams: Vec::new(),
            lines: Vec::new(),
        };
        let mut before: Option<&str> = None;
        for line in text.lines().map(content) {
            match before {
                Some(before) if goes_on(before, line) => {
                    joined.seams.push(joined.text.len());
                    if seam == Seam::Blank {
                        joined.text.push(' ');
                    }
                }
                Some(_) => joined.text.push('\n'),
                None => {}
            }
            joined.lines.push(Line {
                source: line.as_ptr().addr() - text.as_ptr().addr(),
                start: joined.text.len(),
                length: line.len(),
            });
            joined.text.push_str(line);
            before = Some(line);
        }
        joined
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Returns where a range of the text before stands now; `None` if it is not within one line.
    pub(super) fn place(&self, range: &Range<usize>) -> Option<Range<usize>> {
        let at = self.lines.partition_point(|line| line.source <= range.start).checked_sub(1)?;
        let line = self.lines.get(at)?;
        let from = range.start - line.source;
        let to = range.end.checked_sub(line.source).filter(|to| *to <= line.length)?;
        Some(line.start + from..line.start + to)
    }

    /// Returns where lines were joined within a range.
    pub(super) fn seams_in(&self, range: &Range<usize>) -> &[usize] {
        let first = self.seams.partition_point(|seam| *seam <= range.start);
        let behind = self.seams.partition_point(|seam| *seam < range.end);
        self.seams.get(first..behind).unwrap_or_default()
    }

    /// Returns the text of a range with a blank for each end of a line in it; `None` if there is no such end.
    pub(super) fn over_lines(&self, range: Range<usize>) -> Option<String> {
        let inside = self.seams_in(&range);
        if inside.is_empty() {
            return None;
        }
        if self.seam == Seam::Blank {
            return Some(self.text[range].to_owned());
        }
        let (mut out, mut at) = (String::with_capacity(range.len() + inside.len()), range.start);
        for seam in inside {
            out.push_str(&self.text[at..*seam]);
            out.push(' ');
            at = *seam;
        }
        out.push_str(&self.text[at..range.end]);
        Some(out)
    }
}

/// Returns a line without blanks around it and without the sign of Markdown for a line break within a paragraph.
fn content(line: &str) -> &str {
    let line = line.trim();
    line.strip_suffix('\\').map_or(line, str::trim_end)
}

/// Returns `true` if a sentence may go on from one line to the next.
fn goes_on(before: &str, line: &str) -> bool {
    let is_apart = |line: &str| line.is_empty() || line.starts_with(['|', '#', '>']);
    let is_item = ["- ", "* ", "+ "].iter().any(|mark| line.starts_with(mark));
    if is_apart(before) || is_apart(line) || is_item || before.ends_with('|') {
        return false;
    }
    let letters = |line: &str| -> usize {
        line.chars()
            .filter(|it| it.is_alphabetic())
            .map(|it| if it.is_ascii() { 1 } else { 2 })
            .take(MIN_LETTERS)
            .sum()
    };
    letters(before) + letters(line) >= MIN_LETTERS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_go_on_and_other_lines_stay_apart() {
        let text = "call 138\n0013 now\n\n# 138\n0013 text\n- item one\n- item two\nwraps here\n12 34\n56 78";
        let joined = JoinedLines::new(text, Seam::Blank);
        assert_eq!(
            joined.text(),
            "call 138 0013 now\n\n# 138\n0013 text\n- item one\n- item two wraps here 12 34\n56 78"
        );
        // A character of Chinese says as much as two letters.
        assert_eq!(JoinedLines::new("电 138\n0013", Seam::Nothing).text(), "电 1380013");
        assert_eq!(JoinedLines::new("t 138\n0013", Seam::Nothing).text(), "t 138\n0013");
        assert_eq!(JoinedLines::new("tel 138\n0013\n", Seam::Nothing).text(), "tel 1380013");
        // A line break of a Word file.
        assert_eq!(JoinedLines::new("ID 138\\\n0013 end", Seam::Blank).text(), "ID 138 0013 end");
    }

    #[test]
    fn a_range_is_over_lines_only_if_an_end_of_a_line_is_inside() {
        let joined = JoinedLines::new("call 138\n0013\nnow please", Seam::Nothing);
        assert_eq!(joined.text(), "call 1380013now please");
        let number = 5..12;
        assert_eq!(joined.over_lines(number).as_deref(), Some("138 0013"));
        assert_eq!(joined.over_lines(5..8), None);
        assert_eq!(joined.over_lines(8..12), None);
        assert_eq!(joined.over_lines(12..15), None);
        assert_eq!(joined.over_lines(5..15).as_deref(), Some("138 0013 now"));
        assert_eq!((joined.seams_in(&(5..15)), joined.seams_in(&(8..12))), (&[8, 12][..], &[][..]));
        assert_eq!(joined.place(&(5..8)), Some(5..8));
        assert_eq!(joined.place(&(9..13)), Some(8..12), "there is no end of a line before it");
        assert_eq!(joined.place(&(5..10)), None);
        let blank = JoinedLines::new("call 138\n0013 now", Seam::Blank);
        assert_eq!(blank.over_lines(5..13).as_deref(), Some("138 0013"));
    }
}
