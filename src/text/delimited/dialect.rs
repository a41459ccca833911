//! Detects the dialect of a text from its beginning.
//!
//! A character is the delimiter if it gives most records the same width. A comma in a few values of a list is not.

use std::collections::BTreeMap;

use super::scan::{Dialect, Scanner};

/// Bytes at the beginning from which the dialect is detected.
const SAMPLE_BYTES: usize = 64 << 10;

/// The possible delimiters, the most likely one first.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// Most records without a delimiter above a table.
pub(super) const MAX_CAPTIONS: usize = 100;

/// How well a delimiter fits. Greater is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Fit {
    /// Records of the most common width.
    pub(super) consistent_records: usize,
    width: usize,
    pub(super) records: usize,
}

/// Returns the dialect of a text, and where its records begin: byte offset and line.
pub(super) fn find(text: &str) -> (Dialect, (usize, usize)) {
    let (delimiter, start) = match declared_delimiter(text) {
        Some((delimiter, at)) => (Some(delimiter), (at, 2)),
        None => (best_delimiter(text).map(|(delimiter, _)| delimiter), (0, 1)),
    };
    (Dialect { delimiter, has_backslash_escapes: has_backslash_escapes(sample(text)) }, start)
}

/// Returns the delimiter in a first line `sep=;`, which Excel uses, and the offset of the next line. `None` without it.
fn declared_delimiter(text: &str) -> Option<(u8, usize)> {
    let end = text.find('\n')?;
    let delimiter = text[..end].trim_end().trim_matches('"').strip_prefix("sep=")?.as_bytes();
    match delimiter {
        [delimiter] if delimiter.is_ascii() => Some((*delimiter, end + 1)),
        // A tab after `sep=`, which trimming removed.
        [] => Some((b'\t', end + 1)),
        _ => None,
    }
}

/// Returns the delimiter that gives most records the same width of at least two; `None` if none fits.
pub(super) fn best_delimiter(text: &str) -> Option<(u8, Fit)> {
    let sample = sample(text);
    // `max_by_key` returns the last of equal elements, so the most likely delimiter comes last.
    DELIMITERS
        .into_iter()
        .rev()
        .filter_map(|delimiter| Some((delimiter, fit(sample, delimiter)?)))
        .max_by_key(|(_, fit)| *fit)
}

/// Returns the beginning of a text, without the line that is cut off at its end.
fn sample(text: &str) -> &str {
    let sample = &text[..text.floor_char_boundary(SAMPLE_BYTES)];
    if sample.len() < text.len() {
        sample.rsplit_once('\n').map_or(sample, |(whole, _)| whole)
    } else {
        sample
    }
}

fn fit(sample: &str, delimiter: u8) -> Option<Fit> {
    let mut scanner = Scanner::new(
        sample,
        Dialect { delimiter: Some(delimiter), has_backslash_escapes: false },
        (0, 1),
    );
    let mut widths = BTreeMap::<usize, usize>::new();
    let (mut records, mut captions) = (0, 0);
    // The line of the next record, unless blank lines come before it.
    let (mut next_line, mut has_gap) = (1, false);
    loop {
        // A record that is too wide counts too. Reading refuses it with its line.
        let is_too_wide = match scanner.next() {
            Ok(true) => false,
            Ok(false) => break,
            Err(_) => true,
        };
        records += 1;
        if scanner.count() == 1 && captions + 1 == records {
            captions += 1;
        } else if captions + 1 == records {
            has_gap = captions > 0 && scanner.first_line() > next_line;
        }
        next_line = scanner.position().1;
        *widths.entry(scanner.count()).or_default() += 1;
        if is_too_wide {
            break;
        }
    }
    let (width, consistent_records) =
        widths.iter().filter(|(width, _)| **width > 1).max_by_key(|(_, count)| **count)?;
    let fit = Fit { consistent_records: *consistent_records, width: *width, records };
    if captions == 0 {
        return Some(fit);
    }
    // The first lines have no delimiter: they are captions, or values of a list in which a few have the character.
    let rest = records - captions;
    let most_are_alike = consistent_records * 10 >= rest * 8;
    let is_table =
        most_are_alike && rest >= 2 && captions <= MAX_CAPTIONS && (has_gap || captions <= rest);
    let is_prose = is_followed_by_blanks(sample, delimiter);
    (is_table && !is_prose).then_some(fit)
}

/// Returns `true` if most of these delimiters have a blank after them, as in sentences.
fn is_followed_by_blanks(sample: &str, delimiter: u8) -> bool {
    if delimiter == b'\t' {
        return false;
    }
    let bytes = sample.as_bytes();
    let (mut all, mut blank) = (0_usize, 0_usize);
    for at in memchr::memchr_iter(delimiter, bytes) {
        all += 1;
        blank += usize::from(bytes.get(at + 1) == Some(&b' '));
    }
    blank * 2 > all
}

/// Returns `true` if quotes in quoted values have a backslash before them, and none is doubled.
fn has_backslash_escapes(sample: &str) -> bool {
    let bytes = sample.as_bytes();
    let is_edge = |byte: Option<&u8>| {
        byte.is_none_or(|byte| matches!(byte, b'\n' | b'\r') || DELIMITERS.contains(byte))
    };
    let (mut slashed, mut doubled) = (0, 0);
    for at in memchr::memchr_iter(b'"', bytes) {
        let (before, behind) = (at.checked_sub(1).map(|at| bytes[at]), bytes.get(at + 1));
        if before == Some(b'\\') && !is_edge(behind) {
            slashed += 1;
        }
        let is_first = behind == Some(&b'"') && before != Some(b'"');
        if is_first && !is_edge(before.as_ref()) && !is_edge(bytes.get(at + 2)) {
            doubled += 1;
        }
    }
    slashed > 0 && doubled == 0
}

#[cfg(test)]
mod tests {
    use super::super::{Summary, shape, tests::CollectedTable};
    use super::*;

    fn read(text: &str) -> (CollectedTable, Summary) {
        let mut table = CollectedTable::default();
        let summary = super::super::read(text, &mut table).unwrap();
        (table, summary)
    }

    fn width(text: &str) -> usize {
        read(text).0.header.len()
    }

    #[test]
    fn a_first_line_declares_the_delimiter() {
        for (first, delimiter) in
            [("sep=|", '|'), ("\"sep=|\"", '|'), ("sep=\t", '\t'), ("sep=~", '~'), ("sep=|\r", '|')]
        {
            // By itself the comma is the better delimiter.
            let text = format!("{first}\na,b{delimiter}c,d\nx,1{delimiter}y,2\n5\n");
            let (table, summary) = read(&text);
            assert_eq!(table.header, ["a,b", "c,d"], "{first}");
            assert_eq!(table.rows[0], ["'x,1'", "'y,2'"], "{first}");
            assert!(summary.captions.is_empty(), "{first}");
            // The lines of a warning are those of the file.
            assert!(summary.warnings[0].ends_with(": 1, the first in line 4"), "{summary:?}");
        }
        assert_eq!(declared_delimiter("sep=;"), None);
        assert_eq!(declared_delimiter("sep=;;\na\n"), None);
        assert_eq!(declared_delimiter("sep=é\na\n"), None);
    }

    #[test]
    fn the_sample_ends_with_a_whole_line() {
        assert_eq!(sample("a,b\n1,2"), "a,b\n1,2");
        let text = "one,two\n".repeat(SAMPLE_BYTES / 8);
        assert_eq!(sample(&text), text);
        let more = format!("x{text}");
        assert_eq!(sample(&more).len(), more.len() - 9);
        assert_eq!(sample(&"é".repeat(SAMPLE_BYTES)).len(), SAMPLE_BYTES);
    }

    #[test]
    fn lines_above_a_table_are_captions_if_the_table_is_clear() {
        let lines = |count: usize| "line\n".repeat(count);
        let rows = |count: usize| "a,b\n".repeat(count);
        for (text, columns) in [
            // As many lines above as rows, or a blank line between them.
            (lines(3) + &rows(3), 2),
            (lines(4) + &rows(3), 1),
            (lines(4) + "\n" + &rows(3), 2),
            (lines(100) + "\n" + &rows(3), 2),
            (lines(101) + "\n" + &rows(3), 1),
            // Two rows at least.
            (lines(1) + "\n" + &rows(1), 1),
            (lines(1) + "\n" + &rows(2), 2),
            // Four rows of five have the same width.
            (lines(1) + &rows(8) + &"a,b,c\n".repeat(2), 3),
            (lines(1) + &rows(7) + &"a,b,c\n".repeat(3), 1),
            // Most commas of a text have a blank after them.
            (lines(1) + &"a, b,c\n".repeat(5), 3),
            (lines(1) + &"a, b,c\n".repeat(4) + "a, b, c\n", 1),
            (lines(1) + &"a\t b\t c\n".repeat(5), 3),
        ] {
            assert_eq!(width(&text), columns, "{text}");
        }
    }

    #[test]
    fn a_clear_table_has_nine_records_of_ten_of_one_width() {
        let text = |alike: usize, others: usize| "a;b\n".repeat(alike) + &"a;b;c\n".repeat(others);
        assert_eq!(shape(&text(3, 0)), Some(b';'));
        assert_eq!(shape(&text(2, 0)), None);
        assert_eq!(shape(&text(9, 1)), Some(b';'));
        assert_eq!(shape(&text(8, 2)), None);
        // Records of one value are no rows of a table.
        assert_eq!(shape(&("a;b\n".to_owned() + &"x\n".repeat(40))), None);
        // A list has no delimiter.
        assert_eq!(shape("one\ntwo\nthree\nfour\n"), None);
    }

    #[test]
    fn quotes_with_a_backslash_are_distinguished_from_doubled_ones() {
        for (text, is_escaped) in [
            ("\"say \\\"no\\\" now\",1\n", true),
            ("\"\",\"say \\\"no\\\" now\"\n", true),
            ("1,\"\",2\n\"say \\\"no\\\" now\",1\n", true),
            ("5\"\",1\n\"say \\\"no\\\" now\",2\n", true),
            ("\"say \"\"no\"\" now\",1\n", false),
            ("\"say \"\"no\"\" now\",\"a \\\"b\\\" c\"\n", false),
            // A backslash that ends a value, before each kind of end.
            ("\"C:\\dir\\\",1\n", false),
            ("1,\"C:\\dir\\\"\n", false),
            ("1,\"C:\\dir\\\"\r\n", false),
            ("1,\"C:\\dir\\\"", false),
            ("\"plain\",\"quotes\"\n", false),
            ("", false),
        ] {
            assert_eq!(has_backslash_escapes(text), is_escaped, "{text}");
        }
    }
}
