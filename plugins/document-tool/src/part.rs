//! Cuts parts of a text at good places, and finds the table header that a part lacks.

use unicode_segmentation::GraphemeCursor;

/// Characters after a part that are examined: more than any grapheme cluster has.
pub(crate) const LOOK_AHEAD: u64 = 64;

/// Characters below which a part ends at any grapheme cluster, because the caller wants exactly so little.
const LEAST: u64 = 200;

/// Returns the beginning of a text, at most `length` characters. It ends in its last fifth: after a block if possible, else
/// after a line, else after a grapheme cluster.
pub(crate) fn cut(text: &str, length: u64) -> &str {
    let at = |n: u64| {
        let n = usize::try_from(n).unwrap_or(usize::MAX);
        text.char_indices().nth(n).map(|(at, _)| at)
    };
    let Some(end) = at(length) else { return text };
    let whole = &text[..end];
    if length >= LEAST {
        let from = at(length - length / 5).unwrap_or(0);
        let tail = &whole[from..];
        let block = tail.rfind("\n\n").map(|it| it + 2);
        if let Some(found) = block.or_else(|| tail.rfind('\n').map(|it| it + 1)) {
            return &text[..from + found];
        }
    }
    let mut cursor = GraphemeCursor::new(end, text.len(), true);
    if cursor.is_boundary(text, 0).unwrap_or(true) {
        return whole;
    }
    match cursor.prev_boundary(text, 0) {
        Ok(Some(before)) if before > 0 => &text[..before],
        // One grapheme cluster is longer than the limit.
        _ => whole,
    }
}

/// Returns `true` if the first line belongs to a table.
pub(crate) fn begins_in_table(text: &str) -> bool {
    text.starts_with('|')
}

/// Returns the header, with the line below it, of the table that continues from `before` to `text`. `None` if the table
/// begins in `text`.
pub(crate) fn header_before(before: &str, text: &str) -> Option<String> {
    if !before.ends_with('\n') {
        return None;
    }
    let rows = before.lines().rev().take_while(|line| line.starts_with('|')).count();
    let mut table = before.lines().skip(before.lines().count() - rows).chain(text.lines());
    let (names, rule) = (table.next()?, table.next()?);
    let is_rule = rule.starts_with('|') && rule.chars().all(|c| "|-: ".contains(c));
    (rows > 0 && is_rule).then(|| format!("{names}\n{rule}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_end_with_blocks_lines_or_characters_that_people_see() {
        let paragraph = format!("{}\n\n{}", "a".repeat(850), "b".repeat(500));
        assert_eq!(cut(&paragraph, 1_000).len(), 852);
        let lines = format!("{}\n{}", "a".repeat(950), "b".repeat(500));
        assert_eq!(cut(&lines, 1_000).len(), 951);
        // The block ends too early.
        let early = format!("{}\n\n{}", "a".repeat(100), "b".repeat(1_500));
        assert_eq!(cut(&early, 1_000).len(), 1_000);
        assert_eq!(cut("净利润同比", 3), "净利润");
        assert_eq!(cut("short", 1_000), "short");
        // A family of one grapheme cluster, a flag, an accent.
        let family = "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}";
        assert_eq!(cut(&format!("ab{family}cd"), 4), "ab");
        assert_eq!(cut(&format!("ab{family}cd"), 7), format!("ab{family}"));
        assert_eq!(cut("ab\u{1f1e8}\u{1f1f3}", 3), "ab");
        assert_eq!(cut("cafe\u{301}s", 4), "caf");
        // An empty part would never make progress.
        assert_eq!(cut(family, 2).chars().count(), 2);
        assert_eq!(cut("abc", 0), "");
    }

    #[test]
    fn the_header_of_a_table_is_told_where_its_rows_go_on() {
        let header = "| a | b |\n| --- | ---: |\n";
        let before = format!("text\n\n{header}| 1 | 2 |\n");
        assert_eq!(header_before(&before, "| 3 | 4 |\n").as_deref(), Some(header));
        assert_eq!(
            header_before("text\n\n| a | b |\n", "| --- | --- |\n| 1 | 2 |\n").as_deref(),
            Some("| a | b |\n| --- | --- |\n")
        );
        assert_eq!(header_before("text\n\n", header), None);
        assert_eq!(header_before("| a |\n| --- |\n| 1", "| 2 |\n"), None);
        assert_eq!(header_before("| no | header |\n", "| 1 | 2 |\n| 3 | 4 |\n"), None);
        assert!(begins_in_table("| 1 |\n") && !begins_in_table("a | b"));
    }
}
