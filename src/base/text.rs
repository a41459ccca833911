//! Cuts text without breaking characters.

use crate::visible::{Lines, visible};

/// The mark at the end of text that was cut off.
pub const TRUNCATED: &str = "\n[SYSTEM: TRUNCATED]";

/// Returns the longest prefix of `text` of at most `limit` bytes that ends on a character boundary.
pub fn cut_bytes(text: &str, limit: usize) -> &str {
    &text[..text.floor_char_boundary(limit)]
}

/// Returns at most `limit` characters of `text`, and `true` if any were left out.
pub fn cut_chars(text: &str, limit: u64) -> (&str, bool) {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    match text.char_indices().nth(limit) {
        Some((end, _)) => (&text[..end], true),
        None => (text, false),
    }
}

/// Returns `text` in the form that a model gets: at most `limit` characters, followed by the mark [`TRUNCATED`] if any are
/// missing.
pub fn truncate(text: &str, limit: u64) -> String {
    match cut_chars(text, limit) {
        (text, false) => text.to_owned(),
        (text, true) => format!("{text}{TRUNCATED}"),
    }
}

/// Returns the candidates most similar to `name`, best first, at most three, for "did you mean".
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let mut scored: Vec<(usize, &str)> = candidates
        .into_iter()
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(distance, candidate)| {
            // A third of the letters may differ, but not all. A candidate that contains the name is always a good guess.
            let letters = name.chars().count();
            *distance <= letters.max(3) / 3 && (*distance < letters || *distance == 0)
                || candidate.contains(name) && name.len() >= 3
        })
        .collect();
    scored.sort();
    // Names that differ only in case or separators are an exact match; there is no second best.
    if let [(0, candidate), ..] = scored[..] {
        return vec![candidate];
    }
    scored.into_iter().take(3).map(|(_, candidate)| candidate).collect()
}

/// Returns `text` with line breaks and all other misleading characters escaped, so that it cannot forge lines of a message.
pub fn one_line(text: &str) -> String {
    visible(text, Lines::One).into_owned()
}

/// Returns `text` if it has at most `limit` characters; otherwise its beginning and its end, and how many are left out
/// between.
pub fn shortened(text: &str, limit: usize) -> String {
    let characters = text.chars().count();
    if characters <= limit {
        return text.to_owned();
    }
    let head = limit * 2 / 3;
    let tail = limit - head;
    let (start, _) = cut_chars(text, head as u64);
    let end: String = text.chars().skip(characters - tail).collect();
    format!("{start}… ({} of {characters} characters are left out) …{end}", characters - limit)
}

/// Counts the insertions, deletions, replacements and swaps of neighbours between two names, at bounded cost. Case and the
/// difference between kebab case and snake case are ignored.
fn distance(a: &str, b: &str) -> usize {
    let fold = |text: &str| -> Vec<char> {
        let characters = text.chars().flat_map(char::to_lowercase).take(64);
        characters.map(|character| if character == '-' { '_' } else { character }).collect()
    };
    let (a, b) = (fold(a), fold(b));
    let mut before: Vec<usize> = Vec::new();
    let mut previous: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let replace = previous[j] + usize::from(x != y);
            let mut cost = replace.min(previous[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                cost = cost.min(before[j - 1] + 1);
            }
            row.push(cost);
        }
        before = std::mem::replace(&mut previous, row);
    }
    previous[b.len()]
}

/// Returns a fence of backticks that no line of the text can close: one more than its longest run, and at least `least`.
pub fn fence(text: &str, least: usize) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    "`".repeat((longest + 1).max(least))
}

/// Returns the text with each run of white space replaced by one space, and none at its ends.
pub fn single_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_on_boundaries() {
        assert_eq!(cut_bytes("年份", 4), "年");
        assert_eq!(cut_bytes("年份", 6), "年份");
        assert_eq!(cut_chars("年份", 1), ("年", true));
        assert_eq!(truncate("年份", 2), "年份");
        assert_eq!(truncate("年份𝄞", 2), "年份\n[SYSTEM: TRUNCATED]");
    }

    #[test]
    fn fences_are_longer_than_what_they_hold() {
        assert_eq!(fence("年份", 3), "```");
        assert_eq!(fence("````rust\n`x`", 3), "`````");
        assert_eq!(fence("", 4), "````");
    }

    #[test]
    fn long_texts_keep_both_ends() {
        assert_eq!(shortened("年份", 2), "年份");
        assert_eq!(shortened("abcdefghi", 6), "abcd… (3 of 9 characters are left out) …hi");
    }

    #[test]
    fn distances() {
        for (a, b, wanted) in
            [("", "", 0), ("a", "", 1), ("", "ab", 2), ("abc", "acb", 1), ("kitten", "sitting", 3)]
        {
            assert_eq!(distance(a, b), wanted, "{a} {b}");
        }
    }

    #[test]
    fn finds_the_nearest() {
        let names = ["create_excel", "create_workbook", "deliver"];
        assert_eq!(nearest("create_exel", names), ["create_excel"]);
        assert_eq!(nearest("excel", names), ["create_excel"]);
        assert!(nearest("pdf", names).is_empty());
        for (wanted, found) in [
            ("tilte", "title"),
            ("Title", "title"),
            ("file-name", "file_name"),
            ("filename", "file_name"),
        ] {
            assert_eq!(nearest(wanted, ["data", "file_name", "title"]), [found], "{wanted}");
        }
    }
}
