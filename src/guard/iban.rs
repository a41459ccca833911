//! Recognises international bank account numbers (IBAN, ISO 13616): a country, two check digits, and as many letters and
//! digits as that country has, in its order.
//!
//! `tables/make.py` writes the table from SWIFT's registry. Reads folded characters one after the other; knows neither rules
//! nor text.

use std::collections::VecDeque;
use std::sync::OnceLock;

use crate::digits::is_separator;
use crate::fold::{Class, Unit};

const TABLE: &str = include_str!("tables/ibans.tsv");

/// Most separators between two groups.
const MAX_SEPARATORS: usize = 3;

/// Letters and digits before the national part: the country's code and two check digits.
const HEAD: usize = 4;

/// Unfinished account numbers, each of which begins at a word boundary.
#[derive(Debug, Default)]
pub(crate) struct Ibans {
    pending: VecDeque<PendingIban>,
    separators: usize,
    /// `true` directly behind a letter or a digit of a script with word boundaries.
    is_joined: bool,
}

#[derive(Debug)]
struct PendingIban {
    start: usize,
    end: usize,
    /// Country and check digits, as far as they are read.
    head: [u8; HEAD],
    count: usize,
    /// Kinds of characters of the national part.
    kinds: &'static [CharKind],
    /// The national part modulo 97.
    rest: u32,
}

/// CharKind of character at one position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CharKind {
    Digit,
    Letter,
    Both,
}

impl Ibans {
    /// Returns where the first unfinished number begins.
    pub(crate) fn open(&self) -> Option<usize> {
        self.pending.front().map(|pending| pending.start)
    }

    /// Reads the next character. Returns a number that ended before it.
    pub(crate) fn unit(
        &mut self,
        unit: Unit,
        (start, end): (usize, usize),
    ) -> Option<(usize, usize)> {
        if unit.class == Class::Hidden {
            return None;
        }
        let letter = u8::try_from(unit.letter).ok().filter(u8::is_ascii_alphanumeric);
        match letter {
            Some(letter) if unit.is_letter() => {
                if self.separators == 0 {
                    // A number that is complete is none if it goes on.
                    self.pending.retain(|pending| !pending.is_whole());
                }
                let found = self.found();
                self.pending.retain_mut(|pending| pending.takes(letter, end));
                if !self.is_joined && letter.is_ascii_alphabetic() {
                    self.pending.push_back(PendingIban::new(letter, start, end));
                }
                self.separators = 0;
                self.is_joined = true;
                found
            }
            _ => {
                let is_joined = unit.has_borders();
                if is_joined && self.separators == 0 {
                    self.pending.retain(|pending| !pending.is_whole());
                }
                let found = self.found();
                if !unit.is_letter()
                    && is_separator(unit.letter)
                    && self.separators < MAX_SEPARATORS
                {
                    self.separators += 1;
                } else {
                    self.pending.clear();
                    self.separators = 0;
                }
                self.is_joined = is_joined;
                found
            }
        }
    }

    /// Ends all numbers here, and returns the one that is complete.
    pub(crate) fn end(&mut self) -> Option<(usize, usize)> {
        let found = self.found();
        *self = Ibans::default();
        found
    }

    /// Returns the number that is complete. If several end here it is the longest, which began first.
    fn found(&mut self) -> Option<(usize, usize)> {
        let mut found = None;
        self.pending.retain(|pending| {
            if pending.is_whole() {
                found = found.or(pending.is_right().then_some((pending.start, pending.end)));
            }
            !pending.is_whole()
        });
        found
    }
}

impl PendingIban {
    fn new(letter: u8, start: usize, end: usize) -> PendingIban {
        PendingIban { start, end, head: [letter, 0, 0, 0], count: 1, kinds: &[], rest: 0 }
    }

    /// Returns `true` if the number can go on with `letter`, which is in lower case.
    fn takes(&mut self, letter: u8, end: usize) -> bool {
        let is_digit = letter.is_ascii_digit();
        let fits = match self.count {
            1 => {
                self.kinds = kinds(self.head[0], letter);
                !is_digit && !self.kinds.is_empty()
            }
            2 | 3 => is_digit,
            count => match self.kinds.get(count - HEAD) {
                Some(CharKind::Digit) => is_digit,
                Some(CharKind::Letter) => !is_digit,
                Some(CharKind::Both) => true,
                None => false,
            },
        };
        match self.head.get_mut(self.count) {
            Some(slot) => *slot = letter,
            None => self.rest = with(self.rest, letter),
        }
        self.count += 1;
        self.end = end;
        fits
    }

    fn is_whole(&self) -> bool {
        self.count > HEAD && self.count == HEAD + self.kinds.len()
    }

    /// Returns `true` if the check digits are right: the number, with the head moved to the end and letters as two digits,
    /// is 1 modulo 97.
    fn is_right(&self) -> bool {
        self.head.iter().fold(self.rest, |all, letter| with(all, *letter)) == 1
    }
}

/// Appends a letter or a digit to a number modulo 97.
fn with(all: u32, letter: u8) -> u32 {
    match letter {
        b'0'..=b'9' => (all * 10 + u32::from(letter - b'0')) % 97,
        _ => (all * 100 + u32::from(letter - b'a') + 10) % 97,
    }
}

/// Returns the form of the national part for a country code in lower case; empty if the country has no IBANs.
fn kinds(first: u8, second: u8) -> &'static [CharKind] {
    type Table = Vec<([u8; 2], Vec<CharKind>)>;
    static KINDS: OnceLock<Table> = OnceLock::new();
    let table = KINDS.get_or_init(|| TABLE.lines().filter_map(read).collect());
    let found = table.binary_search_by_key(&[first, second], |(country, _)| *country);
    found.ok().and_then(|at| table.get(at)).map_or(&[], |(_, kinds)| kinds)
}

/// Reads a line of the table: `GB`, a tab and `4a6n8n`.
fn read(line: &str) -> Option<([u8; 2], Vec<CharKind>)> {
    let (country, form) = line.split_once('\t')?;
    let country = country.to_ascii_lowercase().into_bytes().try_into().ok()?;
    let (mut kinds, mut count) = (Vec::new(), 0_usize);
    for c in form.chars() {
        let kind = match c {
            'n' => CharKind::Digit,
            'a' => CharKind::Letter,
            'c' => CharKind::Both,
            _ => {
                count = count * 10 + usize::try_from(c.to_digit(10)?).ok()?;
                continue;
            }
        };
        kinds.extend(std::iter::repeat_n(kind, std::mem::take(&mut count)));
    }
    Some((country, kinds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_read_whole() {
        let read: Vec<_> = TABLE.lines().filter_map(read).collect();
        assert_eq!(read.len(), TABLE.lines().count() - 1);
        assert!(read.is_sorted_by_key(|(country, _)| *country));
        for (country, kinds) in &read {
            // Norway's is the shortest; the longest possible has 34 letters and digits in all.
            assert!((11..=30).contains(&kinds.len()), "{country:?}");
        }
        assert_eq!(kinds(b'g', b'b').len(), 18);
        assert_eq!(kinds(b'g', b'b')[3..5], [CharKind::Letter, CharKind::Digit]);
        assert!(kinds(b'u', b's').is_empty() && kinds(b'1', b'2').is_empty());
    }
}
