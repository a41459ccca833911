//! Quotations in a line of an answer.

use std::ops::Range;

/// A quotation with its marks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Quotation {
    /// Range with the marks.
    pub(super) outer: Range<usize>,
    /// Range of the text.
    pub(super) inner: Range<usize>,
    /// `true` for text between backticks.
    pub(super) is_code: bool,
}

/// Marks with those that end them.
const MARKS: [(char, &[char]); 7] = [
    ('“', &['”']),
    ('„', &['“', '”']),
    ('「', &['」']),
    ('『', &['』']),
    ('«', &['»']),
    ('"', &['"']),
    ('`', &['`']),
];

/// Returns the quotations in a range of a text, in order. One without an end is none, and quotations in quotations are left out.
pub(super) fn quotations(text: &str, range: Range<usize>) -> Vec<Quotation> {
    let mut found = Vec::new();
    let mut open: Option<(usize, usize, char, &[char])> = None;
    for (at, character) in text[range.clone()].char_indices() {
        let (at, end) = (range.start + at, range.start + at + character.len_utf8());
        match open {
            Some((start, inner, mark, ends)) if ends.contains(&character) => {
                found.push(Quotation { outer: start..end, inner: inner..at, is_code: mark == '`' });
                open = None;
            }
            Some(_) => {}
            None => {
                let mark = MARKS.iter().find(|(mark, _)| *mark == character);
                open = mark.map(|(mark, ends)| (at, end, *mark, *ends));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotations_have_the_marks_of_several_languages() {
        let text = "a \"b\" “c ‘d’” „e“ 「f『g』」 «h» `i` \"open";
        let found: Vec<_> = quotations(text, 0..text.len())
            .into_iter()
            .map(|it| (&text[it.inner], it.is_code))
            .collect();
        let of = |text| (text, false);
        assert_eq!(found, [of("b"), of("c ‘d’"), of("e"), of("f『g』"), of("h"), ("i", true)]);
    }
}
