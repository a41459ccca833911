//! Which delimiter a text has, if any: found out of its beginning, record by record.
//!
//! A delimiter is one if the records speak for it together. The odd comma or semicolon in a few values of a list is none, wherever it
//! stands.

use std::collections::BTreeMap;

use super::scan::{Dialect, Scanner};

/// Bytes at the beginning that are looked at.
const SAMPLE_BYTES: usize = 64 << 10;

/// The delimiters, the likeliest first.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// Records without a delimiter that may stand above a table.
pub(super) const MAX_TITLES: usize = 100;

/// How well a delimiter fits; greater is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Fit {
    /// Records of the commonest width.
    pub(super) alike: usize,
    width: usize,
    pub(super) records: usize,
}

/// The dialect of a text, and where its records begin: place and line.
pub(super) fn find(text: &str) -> (Dialect, (usize, usize)) {
    let (delimiter, start) = match declared(text) {
        Some((delimiter, at)) => (Some(delimiter), (at, 2)),
        None => (best(text).map(|(delimiter, _)| delimiter), (0, 1)),
    };
    (Dialect { delimiter, backslash: has_backslashes(sample(text)) }, start)
}

/// The delimiter that Excel's own first line `sep=;` names, and where the text below that line begins.
fn declared(text: &str) -> Option<(u8, usize)> {
    let end = text.find('\n')?;
    let delimiter = text[..end].trim_end().trim_matches('"').strip_prefix("sep=")?.as_bytes();
    match delimiter {
        [delimiter] if delimiter.is_ascii() => Some((*delimiter, end + 1)),
        // `sep=` and a tab, which trimming took away.
        [] => Some((b'\t', end + 1)),
        _ => None,
    }
}

/// The delimiter that gives most records the same width, of at least two, if the records speak for one.
pub(super) fn best(text: &str) -> Option<(u8, Fit)> {
    let sample = sample(text);
    // `max_by_key` takes the last of equals.
    DELIMITERS
        .into_iter()
        .rev()
        .filter_map(|delimiter| Some((delimiter, fit(sample, delimiter)?)))
        .max_by_key(|(_, fit)| *fit)
}

/// The beginning of a text, without the record that is cut at its end.
fn sample(text: &str) -> &str {
    let sample = &text[..text.floor_char_boundary(SAMPLE_BYTES)];
    match sample.len() < text.len() {
        true => sample.rsplit_once('\n').map_or(sample, |(whole, _)| whole),
        false => sample,
    }
}

fn fit(sample: &str, delimiter: u8) -> Option<Fit> {
    let mut scanner =
        Scanner::new(sample, Dialect { delimiter: Some(delimiter), backslash: false }, (0, 1));
    let mut widths = BTreeMap::<usize, usize>::new();
    let (mut records, mut titles) = (0, 0);
    // The line that a record would be in if no blank line stood above it.
    let (mut next_line, mut has_gap) = (1, false);
    loop {
        // A row of far too many values is one too, and ends the look: it will be refused by name.
        let is_too_wide = match scanner.next() {
            Ok(true) => false,
            Ok(false) => break,
            Err(_) => true,
        };
        records += 1;
        if scanner.count() == 1 && titles + 1 == records {
            titles += 1;
        } else if titles + 1 == records {
            has_gap = titles > 0 && scanner.first_line() > next_line;
        }
        next_line = scanner.place().1;
        *widths.entry(scanner.count()).or_default() += 1;
        if is_too_wide {
            break;
        }
    }
    let (width, alike) =
        widths.iter().filter(|(width, _)| **width > 1).max_by_key(|(_, count)| **count)?;
    let fit = Fit { alike: *alike, width: *width, records };
    if titles == 0 {
        return Some(fit);
    }
    // Lines without the delimiter stand above: titles of a table, or values of a list in which a few have the sign.
    let rest = records - titles;
    let most_are_alike = alike * 10 >= rest * 8;
    let speaks = most_are_alike && rest >= 2 && titles <= MAX_TITLES && (has_gap || titles <= rest);
    let is_prose = blanks_behind(sample, delimiter);
    (speaks && !is_prose).then_some(fit)
}

/// Whether most of these signs have a blank behind them, as in sentences.
fn blanks_behind(sample: &str, delimiter: u8) -> bool {
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

/// Whether quotes inside of quoted values have a backslash in front, and none is doubled.
fn has_backslashes(sample: &str) -> bool {
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
