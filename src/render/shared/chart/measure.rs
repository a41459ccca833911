//! Widths of text, and line breaking. Knows the bundled fonts only by their table.

use super::widths::{BOLD, FULL, OTHER, REGULAR};
use crate::model::cjk::{is_cjk, is_cjk_punctuation};

/// Replaces text that was cut off.
const ELLIPSIS: char = '…';

/// Font of a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Font {
    /// Size in pixels.
    pub(super) size: f64,
    pub(super) is_bold: bool,
}

impl Font {
    pub(super) const fn new(size: f64) -> Font {
        Font { size, is_bold: false }
    }

    pub(super) const fn bold(size: f64) -> Font {
        Font { size, is_bold: true }
    }

    /// Returns the height of a line, in pixels.
    pub(super) fn line(self) -> f64 {
        (self.size * 1.32).round()
    }

    /// Returns the distance from the middle of a line of text down to its baseline.
    pub(super) fn drop(self) -> f64 {
        self.size * 0.35
    }

    /// Returns the width of a text, in pixels.
    pub(super) fn width(self, text: &str) -> f64 {
        text.chars().map(|c| self.width_of(c)).sum()
    }

    fn width_of(self, c: char) -> f64 {
        let table = if self.is_bold { &BOLD } else { &REGULAR };
        let code = u32::from(c);
        let units = match code.checked_sub(0x20).and_then(|at| table.get(at as usize)) {
            Some(units) => *units,
            None if c.is_control() || is_mark(c) => 0,
            None if code < 0x2000 => OTHER,
            None => FULL,
        };
        f64::from(units) * self.size / 1_000.0
    }

    /// Returns `text` in at most `most` lines of at most `width`, and `true` if its end was cut off.
    pub(super) fn wrap(self, text: &str, width: f64, most: usize) -> (Vec<String>, bool) {
        let mut lines = Vec::new();
        let mut rest = text.trim();
        while !rest.is_empty() && lines.len() + 1 < most {
            let end = self.end_of_line(rest, width);
            let (line, tail) = rest.split_at(end);
            lines.push(line.trim_end().to_owned());
            rest = tail.trim_start();
        }
        if rest.is_empty() {
            return (lines, false);
        }
        let (last, is_cut) = self.shorten(rest, width);
        lines.push(last);
        (lines, is_cut)
    }

    /// Returns the end of the first line of `text`, behind at least one character.
    fn end_of_line(self, text: &str, width: f64) -> usize {
        let mut taken = 0.0;
        let mut last_break = None;
        let mut before: Option<char> = None;
        for (at, c) in text.char_indices() {
            if c == '\n' {
                return at + 1;
            }
            if before.is_some_and(|before| may_part(before, c)) {
                last_break = Some(at);
            }
            taken += self.width_of(c);
            if taken > width + 0.01 && at > 0 && !c.is_whitespace() {
                return last_break.unwrap_or(at);
            }
            before = Some(c);
        }
        text.len()
    }

    /// Returns as much of `text` as fits into `width`, with an ellipsis if it was shortened.
    pub(super) fn shorten(self, text: &str, width: f64) -> (String, bool) {
        let text = text.trim();
        if self.width(text) <= width + 0.01 {
            return (text.replace('\n', " "), false);
        }
        let room = width - self.width_of(ELLIPSIS);
        let mut taken = 0.0;
        let fits = |c: &char| {
            taken += self.width_of(*c);
            taken <= room
        };
        let kept: String = text.chars().take_while(fits).collect();
        let kept = kept.trim_end();
        // One character is better than none, however little space there is.
        let kept = if kept.is_empty() { text.chars().take(1).collect() } else { kept.to_owned() };
        (format!("{}{ELLIPSIS}", kept.replace('\n', " ")), true)
    }

    /// Returns the width of the widest word, which no line can break.
    pub(super) fn longest_word(self, text: &str) -> f64 {
        let mut longest = 0.0_f64;
        let mut word = 0.0;
        let mut before: Option<char> = None;
        for c in text.chars() {
            if c.is_whitespace() || before.is_some_and(|before| may_part(before, c)) {
                word = 0.0;
            }
            if !c.is_whitespace() {
                word += self.width_of(c);
            }
            longest = longest.max(word);
            before = Some(c);
        }
        longest
    }
}

/// Returns `true` for marks above or below the previous letter, and characters without width.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36F}' | '\u{200B}'..='\u{200F}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}')
}

/// Returns `true` if a line may end between two characters.
fn may_part(before: char, after: char) -> bool {
    if after.is_whitespace() {
        return false;
    }
    if before.is_whitespace() || matches!(before, '-' | '/' | '–' | '—') {
        return !after.is_ascii_digit() || before.is_whitespace();
    }
    let opens = |c: char| {
        matches!(c, '（' | '《' | '〈' | '「' | '『' | '【' | '〔' | '“' | '‘' | '(' | '[' | '{')
    };
    let closes = |c: char| {
        (is_cjk_punctuation(c) && !opens(c))
            || matches!(c, '”' | '’' | ')' | ']' | '}' | ',' | '.' | ';' | ':' | '!' | '?' | '%')
    };
    (is_cjk(before) || is_cjk(after)) && !opens(before) && !closes(after)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FONT: Font = Font::new(10.0);

    #[test]
    fn lines_break_between_chinese_characters_and_between_words() {
        let wrap = |text: &str, width: f64| FONT.wrap(text, width, 3).0.join("|");
        assert_eq!(wrap("华东地区（含上海）", 50.0), "华东地区|（含上海）");
        assert_eq!(wrap("华东地区，上海", 40.0), "华东地|区，上海");
        assert_eq!(wrap("North America region", 80.0), "North America|region");
        assert_eq!(wrap("Donaudampfschifffahrt", 50.0), "Donauda|mpfschifff|ahrt");
        assert_eq!(wrap("  ", 50.0), "");
        assert_eq!(wrap("2024-01-05", 30.0), "2024-|01-05");
    }

    #[test]
    fn what_does_not_fit_is_told() {
        assert_eq!(
            FONT.wrap("一二三四五六七八九十", 30.0, 2),
            (vec!["一二三".into(), "四五…".into()], true)
        );
        assert_eq!(FONT.shorten("abc", 1.0), ("a…".into(), true));
        assert_eq!(FONT.shorten("abc", 100.0), ("abc".into(), false));
    }

    /// The table has the widths of the fonts with which pictures are drawn.
    #[cfg(feature = "png")]
    #[test]
    fn widths_are_those_of_the_bundled_fonts() {
        for (is_bold, table) in [(false, &REGULAR), (true, &BOLD)] {
            for (c, width) in (' '..='~').zip(table) {
                assert_eq!(super::super::png::advance(c, is_bold), Some(*width), "{c} {is_bold}");
            }
            for c in "中，万（".chars() {
                assert_eq!(super::super::png::advance(c, is_bold), Some(FULL), "{c}");
            }
        }
    }
}
