//! Numbers of bank accounts as ISO 13616 writes them (IBAN): a country, two check digits, and as many letters and digits of each kind
//! as that country has there.
//!
//! `tables/make.py` has written the table, out of the registry of SWIFT. Folded characters one after the other; knows neither rules nor
//! text.

use std::collections::VecDeque;
use std::sync::OnceLock;

use crate::digits::is_separator;
use crate::fold::{Class, Unit};

const TABLE: &str = include_str!("tables/ibans.tsv");

/// The most separators between two groups.
const MAX_SEPARATORS: usize = 3;

/// Letters and digits before what the country says: its code and two check digits.
const HEAD: usize = 4;

/// What may become numbers of accounts: each begins at the border of a word.
#[derive(Debug, Default)]
pub(crate) struct Ibans {
    begun: VecDeque<Begun>,
    separators: usize,
    /// A letter or a digit of a script with borders stands directly before.
    is_joined: bool,
}

#[derive(Debug)]
struct Begun {
    start: usize,
    end: usize,
    /// Code and check digits, as far as they are read.
    head: [u8; HEAD],
    count: usize,
    /// What the country has behind them.
    kinds: &'static [Kind],
    /// The part after the head, modulo 97.
    rest: u32,
}

/// What may stand in a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Digit,
    Letter,
    Both,
}

impl Ibans {
    /// Where a number may have begun.
    pub(crate) fn open(&self) -> Option<usize> {
        self.begun.front().map(|begun| begun.start)
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
                    // It would go on.
                    self.begun.retain(|begun| !begun.is_whole());
                }
                let found = self.found();
                self.begun.retain_mut(|begun| begun.takes(letter, end));
                if !self.is_joined && letter.is_ascii_alphabetic() {
                    self.begun.push_back(Begun::new(letter, start, end));
                }
                self.separators = 0;
                self.is_joined = true;
                found
            }
            _ => {
                let is_joined = unit.has_borders();
                if is_joined && self.separators == 0 {
                    self.begun.retain(|begun| !begun.is_whole());
                }
                let found = self.found();
                if !unit.is_letter()
                    && is_separator(unit.letter)
                    && self.separators < MAX_SEPARATORS
                {
                    self.separators += 1;
                } else {
                    self.begun.clear();
                    self.separators = 0;
                }
                self.is_joined = is_joined;
                found
            }
        }
    }

    /// No number goes on here.
    pub(crate) fn end(&mut self) -> Option<(usize, usize)> {
        let found = self.found();
        *self = Ibans::default();
        found
    }

    /// The number that is there as a whole. Of several that end in the same place it is the longest: the first.
    fn found(&mut self) -> Option<(usize, usize)> {
        let mut found = None;
        self.begun.retain(|begun| {
            if begun.is_whole() {
                found = found.or(begun.is_right().then_some((begun.start, begun.end)));
            }
            !begun.is_whole()
        });
        found
    }
}

impl Begun {
    fn new(letter: u8, start: usize, end: usize) -> Begun {
        Begun { start, end, head: [letter, 0, 0, 0], count: 1, kinds: &[], rest: 0 }
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
                Some(Kind::Digit) => is_digit,
                Some(Kind::Letter) => !is_digit,
                Some(Kind::Both) => true,
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

    /// Returns `true` if the check digits are right: the whole, with the head at the end and letters as two digits, is 1
    /// modulo 97.
    fn is_right(&self) -> bool {
        self.head.iter().fold(self.rest, |all, letter| with(all, *letter)) == 1
    }
}

/// A number modulo 97 with one more letter or digit behind it.
fn with(all: u32, letter: u8) -> u32 {
    match letter {
        b'0'..=b'9' => (all * 10 + u32::from(letter - b'0')) % 97,
        _ => (all * 100 + u32::from(letter - b'a') + 10) % 97,
    }
}

/// What stands behind the check digits in the country of this code, in lower case; nothing if it has no such numbers.
fn kinds(first: u8, second: u8) -> &'static [Kind] {
    type Table = Vec<([u8; 2], Vec<Kind>)>;
    static KINDS: OnceLock<Table> = OnceLock::new();
    let table = KINDS.get_or_init(|| TABLE.lines().filter_map(read).collect());
    let found = table.binary_search_by_key(&[first, second], |(country, _)| *country);
    found.ok().and_then(|at| table.get(at)).map_or(&[], |(_, kinds)| kinds)
}

/// A line such as `GB`, a tab and `4a6n8n`.
fn read(line: &str) -> Option<([u8; 2], Vec<Kind>)> {
    let (country, form) = line.split_once('\t')?;
    let country = country.to_ascii_lowercase().into_bytes().try_into().ok()?;
    let (mut kinds, mut count) = (Vec::new(), 0_usize);
    for c in form.chars() {
        let kind = match c {
            'n' => Kind::Digit,
            'a' => Kind::Letter,
            'c' => Kind::Both,
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
            // The shortest is Norway's, the longest may have 34 letters and digits in all.
            assert!((11..=30).contains(&kinds.len()), "{country:?}");
        }
        assert_eq!(kinds(b'g', b'b').len(), 18);
        assert_eq!(kinds(b'g', b'b')[3..5], [Kind::Letter, Kind::Digit]);
        assert!(kinds(b'u', b's').is_empty() && kinds(b'1', b'2').is_empty());
    }
}
