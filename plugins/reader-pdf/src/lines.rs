//! Joins lines that were broken to fit a page.

use std::ops::Range;

/// Words that keep the hyphen before them: `pre- and post-war`, `Vor- und Nachteile`.
const SUSPENDED: [&str; 12] =
    ["and", "or", "to", "und", "oder", "bzw", "bis", "et", "ou", "y", "o", "en"];

/// Returns the ranges to remove so that words divided at the end of a line are whole: hyphens with the space after
/// them, soft hyphens, and spaces between Chinese characters at the end of a line.
pub(crate) fn joints(text: &str) -> Vec<Range<usize>> {
    let mut joints = Vec::new();
    let mut before = [' '; 2];
    for (at, character) in text.char_indices() {
        let end = at + character.len_utf8();
        let rest = text.get(end..).unwrap_or_default();
        let next = rest.trim_start();
        let gap = rest.len() - next.len();
        let joint = match character {
            '\u{ad}' => gap > 0,
            '-' | '\u{2010}' | '\u{2011}' => gap > 0 && is_divided(before, next, &rest[..gap]),
            '\n' => is_unspaced(before[1]) && next.chars().next().is_some_and(is_unspaced),
            _ => false,
        };
        if joint {
            joints.push(at..end + gap);
        }
        before = [before[1], character];
    }
    joints
}

/// Returns whether a word continues after a hyphen: letters on both sides, and the second part in lower case and not in
/// [`SUSPENDED`].
fn is_divided(before: [char; 2], next: &str, gap: &str) -> bool {
    let word: String = next.chars().take_while(|character| character.is_alphabetic()).collect();
    gap.trim_matches(' ').len() <= 1
        && before.iter().all(|character| character.is_alphabetic() && !is_unspaced(*character))
        && word.chars().next().is_some_and(char::is_lowercase)
        && word.chars().count() > 1
        && !SUSPENDED.contains(&word.as_str())
}

/// Returns a text without `ranges`. The text begins at `start` of the text that the ranges refer to.
pub(crate) fn without(text: &str, start: usize, ranges: &[Range<usize>]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut kept = 0;
    let first = ranges.partition_point(|range| range.end <= start);
    for range in ranges.get(first..).unwrap_or_default() {
        if range.start >= start + text.len() {
            break;
        }
        let from = range.start.saturating_sub(start);
        out.push_str(text.get(kept..from).unwrap_or_default());
        kept = (range.end - start).min(text.len());
    }
    out.push_str(text.get(kept..).unwrap_or_default());
    out
}

/// Removes the spaces of a table cell that are between two Chinese characters because the line was full. `width` is the
/// width of the cell in points. The lines are not known here. If another character of [`LARGEST`] would have fit, the
/// line was not full, and the author wrote the space, as between two names.
pub(crate) fn unwrapped(text: String, width: f32) -> String {
    if !text.contains(' ') {
        return text;
    }
    let (mut out, mut line, mut before) = (String::with_capacity(text.len()), 0.0, ' ');
    for (at, character) in text.char_indices() {
        let next = text.get(at + 1..).and_then(|rest| rest.chars().next()).unwrap_or(' ');
        let is_between = character == ' ' && is_unspaced(before) && is_unspaced(next);
        if is_between && (line + 1.0) * LARGEST >= width {
            line = 0.0;
        } else {
            line += if is_unspaced(character) { 1.0 } else { 0.5 };
            out.push(character);
        }
        before = character;
    }
    out
}

/// Width in points that a character of a table rarely exceeds, with its share of the margins of the cell.
const LARGEST: f32 = 14.0;

/// Returns whether a character belongs to a script without spaces between words.
pub(crate) fn is_unspaced(character: char) -> bool {
    matches!(character,
        '\u{2e80}'..='\u{303f}' | '\u{3040}'..='\u{30ff}' | '\u{3100}'..='\u{312f}' | '\u{31a0}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe4f}' | '\u{ff00}'..='\u{ff65}'
        | '\u{20000}'..='\u{3ffff}')
}

/// Returns whether the lines are in a script whose letters all have one width, and so not a program.
pub(crate) fn is_prose(lines: &str) -> bool {
    let (mut wide, mut all) = (0, 0);
    for character in lines.chars().filter(|character| !character.is_whitespace()) {
        all += 1;
        wide += usize::from(is_unspaced(character));
    }
    wide * 5 >= all && wide > 0
}

/// Returns the paragraphs of Chinese or Japanese lines. A line begins a paragraph if it is indented, has a list mark,
/// or follows a line that ends early.
pub(crate) fn paragraphs(lines: &str) -> Vec<String> {
    let width = |line: &str| {
        line.trim_end().chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum::<usize>()
    };
    let widest = lines.lines().map(width).max().unwrap_or(0);
    let indent =
        |line: &str| line.chars().take_while(|character| character.is_whitespace()).count();
    let mut out: Vec<String> = Vec::new();
    let mut before: Option<&str> = None;
    for line in lines.lines() {
        let is_new = match before {
            None => true,
            Some(before) => {
                before.trim().is_empty()
                    || indent(line) > indent(before)
                    || width(before) * 10 < widest * 8
                    || begins_item(line.trim_start())
            }
        };
        before = Some(line);
        let line = line.trim();
        match out.last_mut() {
            Some(last) if !is_new => {
                let is_close = last.chars().last().is_some_and(is_unspaced)
                    && line.chars().next().is_some_and(is_unspaced);
                if !is_close {
                    last.push(' ');
                }
                last.push_str(line);
            }
            _ if line.is_empty() => {}
            _ => out.push(line.to_owned()),
        }
    }
    out
}

/// Returns whether a line begins a list item: `1.`, `一、`, `（二）`, `•`, `第三条`.
fn begins_item(line: &str) -> bool {
    let Some(first) = line.chars().next() else { return false };
    let number = |text: &str| {
        text.chars()
            .take_while(|c| c.is_ascii_digit() || "一二三四五六七八九十百".contains(*c))
            .map(char::len_utf8)
            .sum::<usize>()
    };
    let after =
        |text: &str| text.get(number(text)..).and_then(|rest| rest.chars().next()).unwrap_or(' ');
    match first {
        '•' | '·' | '●' | '■' | '◆' | '➢' => true,
        '(' | '（' | '第' => {
            let rest = line.get(first.len_utf8()..).unwrap_or_default();
            number(rest) > 0 && ")）条章节".contains(after(rest))
        }
        _ => number(line) > 0 && ".、．".contains(after(line)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn divided_words_are_joined() {
        for (text, expected) in [
            ("organi- sation", "organisation"),
            ("organi\u{2010} sation", "organisation"),
            ("organi\u{ad} sation", "organisation"),
            ("pre- and post-war", "pre- and post-war"),
            ("Vor- und Nachteile", "Vor- und Nachteile"),
            ("Jean- Paul", "Jean- Paul"),
            ("1990- today", "1990- today"),
            ("a - b", "a - b"),
            ("中文\n字符", "中文字符"),
            ("中文\nword", "中文\nword"),
        ] {
            assert_eq!(without(text, 0, &joints(text)), expected, "{text}");
        }
    }

    #[test]
    fn only_full_lines_of_a_cell_are_joined() {
        for (text, width, expected) in [
            ("日活跃用户（万 人）", 108.0, "日活跃用户（万人）"),
            ("张三 李四", 120.0, "张三 李四"),
            ("张三 李四", 30.0, "张三李四"),
            ("收入 revenue 增长", 20.0, "收入 revenue 增长"),
            ("张三 李四", f32::INFINITY, "张三 李四"),
        ] {
            assert_eq!(unwrapped(text.into(), width), expected, "{text} in {width}");
        }
    }

    #[test]
    fn lines_of_chinese_become_paragraphs() {
        let lines = "    本合同自双方签字盖章之日起生效，\n有效期为三年，期满后如双方无异议则\n自动延长。\n    任何一方均可提前三十日以书面形式通\n知 PDF\nReader 对方。\n一、甲方\n二、乙方";
        assert_eq!(
            paragraphs(lines),
            [
                "本合同自双方签字盖章之日起生效，有效期为三年，期满后如双方无异议则自动延长。",
                "任何一方均可提前三十日以书面形式通知 PDF",
                "Reader 对方。",
                "一、甲方",
                "二、乙方",
            ]
        );
        assert!(is_prose("本合同 abc") && !is_prose("let x = \"中\";\nlet y = 3;"));
    }
}
