//! Numbers of phones, identity cards and bank cards, in runs of digits that may be written in groups.
//!
//! Only forms with a check digit or a prefix that is assigned: a number of eleven digits is no phone because it is long enough.
//! Knows neither rules nor text, only folded characters one after the other.

use crate::fold::{Class, Unit};
use crate::personal::Data;

/// The longest group that can be something: a card's 19, a phone's 15 with its country, and one to see that it is longer.
const MAX_GROUP: usize = 20;
/// The most groups of one number; more are a row of numbers.
const MAX_GROUPS: usize = 6;

/// Digits without anything but hidden characters between them.
#[derive(Clone, Debug, Default)]
struct Group {
    digits: Vec<u8>,
    start: usize,
    end: usize,
    /// A letter stands before it.
    is_joined: bool,
    /// What stands between it and the group before.
    separator: Option<char>,
    /// Ends in the `X` of an identity card.
    has_x: bool,
}

/// What was found: its kind, and where.
pub(crate) type Number = (Data, usize, usize);

/// The digits since the last character that ends a number.
#[derive(Debug, Default)]
pub(crate) struct Digits {
    groups: Vec<Group>,
    /// Earlier groups were let go.
    is_row: bool,
    /// The character after the last digit, if it is a separator.
    separator: Option<char>,
    /// A letter of a script with borders stands directly before.
    after_letter: bool,
}

impl Digits {
    /// Where a number may have begun.
    pub(crate) fn open(&self) -> Option<usize> {
        self.groups.first().map(|group| group.start)
    }

    /// The next character.
    pub(crate) fn unit(
        &mut self,
        unit: Unit,
        (start, end): (usize, usize),
        found: &mut Vec<Number>,
    ) {
        match unit.class {
            Class::Hidden => {}
            Class::Letter if unit.letter.is_ascii_digit() => {
                self.digit(unit.letter as u8, start, end, found)
            }
            Class::Letter | Class::Alike => {
                let is_joined = unit.has_borders();
                match unit.letter {
                    'x' if self.takes_x() => {
                        if let Some(group) = self.groups.last_mut() {
                            group.has_x = true;
                            group.end = end;
                        }
                    }
                    _ => self.end(is_joined && self.separator.is_none(), found),
                }
                self.after_letter = is_joined;
            }
            _ => {
                self.after_letter = false;
                let joins = matches!(unit.letter, ' ' | '-' | '\u{2010}' | '\u{2013}' | '.');
                let ends = self.groups.last().is_none_or(|group| group.has_x);
                if joins && !ends && self.separator.is_none() {
                    self.separator = Some(unit.letter);
                } else {
                    self.end(false, found);
                }
            }
        }
    }

    fn digit(&mut self, digit: u8, start: usize, end: usize, found: &mut Vec<Number>) {
        if self.groups.last().is_some_and(|group| group.has_x) {
            self.end(true, found);
        }
        let separator = self.separator.take();
        match self.groups.last_mut() {
            Some(group) if separator.is_none() => {
                if group.digits.len() < MAX_GROUP {
                    group.digits.push(digit);
                }
                group.end = end;
            }
            _ => {
                if self.groups.len() >= MAX_GROUPS {
                    // A row of numbers: each for itself, and nothing is made of several.
                    self.each(found);
                    self.groups.clear();
                    self.is_row = true;
                }
                let is_joined = self.after_letter;
                self.groups.push(Group {
                    digits: vec![digit],
                    start,
                    end,
                    is_joined,
                    separator,
                    has_x: false,
                });
            }
        }
        self.after_letter = false;
    }

    /// Whether an `X` would be the check digit of an identity card.
    fn takes_x(&self) -> bool {
        let all: usize = self.groups.iter().map(|group| group.digits.len()).sum();
        let last = self.groups.last();
        self.separator.is_none()
            && last.is_some_and(|last| !last.has_x && (last.digits.len() == 17 || all == 17))
    }

    /// No number goes on here. A letter may stand directly behind.
    pub(crate) fn end(&mut self, is_joined: bool, found: &mut Vec<Number>) {
        if !self.groups.is_empty() {
            match self.whole(is_joined) {
                Some(number) => found.push(number),
                None => {
                    if is_joined {
                        self.groups.pop();
                    }
                    self.each(found);
                }
            }
        }
        self.groups.clear();
        self.is_row = false;
        self.separator = None;
        self.after_letter = false;
    }

    /// All groups as one number.
    fn whole(&self, is_joined: bool) -> Option<Number> {
        let [first, .., last] = &self.groups[..] else { return None };
        let separator = last.separator;
        let same = self.groups.iter().skip(1).all(|group| group.separator == separator);
        if self.is_row || is_joined || first.is_joined || !same {
            return None;
        }
        let digits: Vec<u8> =
            self.groups.iter().flat_map(|group| group.digits.iter().copied()).collect();
        let lengths: Vec<usize> = self.groups.iter().map(|group| group.digits.len()).collect();
        let data = if is_id_card(&digits, last.has_x) {
            Data::IdCard
        } else if matches!(lengths[..], [3, 4, 4] | [2, 3, 4, 4] | [4, 3, 4, 4] | [2, 11] | [4, 11])
            && is_phone(&digits)
        {
            Data::Phone
        } else if is_grouped_card(&lengths) && is_bank_card(&digits) {
            Data::BankCard
        } else {
            return None;
        };
        Some((data, first.start, last.end))
    }

    /// Each group as a number of its own, unless it is a part of a decimal.
    fn each(&self, found: &mut Vec<Number>) {
        for (index, group) in self.groups.iter().enumerate() {
            let after = self.groups.get(index + 1).and_then(|next| next.separator);
            if group.is_joined || group.separator == Some('.') || after == Some('.') {
                continue;
            }
            let data = if is_id_card(&group.digits, group.has_x) {
                Data::IdCard
            } else if group.has_x {
                continue;
            } else if is_phone(&group.digits) {
                Data::Phone
            } else if is_bank_card(&group.digits) {
                Data::BankCard
            } else {
                continue;
            };
            found.push((data, group.start, group.end));
        }
    }
}

/// A mobile phone of mainland China, with its country or without.
fn is_phone(digits: &[u8]) -> bool {
    let local =
        digits.strip_prefix(b"0086").or_else(|| digits.strip_prefix(b"86")).unwrap_or(digits);
    // `86` may be the beginning of the number itself only where nothing would be left.
    local.len() == 11 && matches!(local, [b'1', b'3'..=b'9', ..])
}

/// An identity card of China: region, birthday, check digit (GB 11643).
fn is_id_card(digits: &[u8], has_x: bool) -> bool {
    const WEIGHTS: [u32; 17] = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];
    const CHECKS: &[u8; 11] = b"10X98765432";
    let (Some((body, last)), false) = (digits.split_at_checked(17), digits.len() > 18) else {
        return false;
    };
    let check = match (last, has_x) {
        ([], true) => b'X',
        ([check], false) => *check,
        _ => return false,
    };
    let number = |from: usize, to: usize| {
        body.get(from..to)
            .map_or(0, |part| part.iter().fold(0, |all, digit| all * 10 + u32::from(digit - b'0')))
    };
    let is_region = matches!(number(0, 2), 11..=15 | 21..=23 | 31..=37 | 41..=46 | 50..=54 | 61..=65 | 71 | 81..=83 | 91);
    let is_day = (1900..=2099).contains(&number(6, 10))
        && (1..=12).contains(&number(10, 12))
        && (1..=31).contains(&number(12, 14));
    let sum: u32 =
        body.iter().zip(WEIGHTS).map(|(digit, weight)| u32::from(digit - b'0') * weight).sum();
    is_region && is_day && CHECKS.get((sum % 11) as usize) == Some(&check)
}

/// A bank card: a prefix that is assigned, the length that goes with it, the check digit of Luhn.
fn is_bank_card(digits: &[u8]) -> bool {
    let number = |count: usize| {
        digits
            .get(..count)
            .map_or(0, |part| part.iter().fold(0, |all, digit| all * 10 + u32::from(digit - b'0')))
    };
    let fits = match digits.len() {
        15 => matches!(number(2), 34 | 37),
        16 => {
            matches!(number(2), 40..=49 | 51..=55 | 60 | 62 | 65 | 81)
                || matches!(number(4), 2221..=2720 | 3528..=3589)
        }
        17 | 18 => matches!(number(2), 62),
        19 => matches!(number(2), 62 | 81) || matches!(number(4), 9558) || matches!(number(1), 4),
        _ => false,
    };
    fits && luhn(digits)
}

fn is_grouped_card(lengths: &[usize]) -> bool {
    match lengths {
        [4, 6, 5] | [6, 10] | [6, 13] => true,
        [4, 4, 4, 4] => true,
        [4, 4, 4, 4, last] => (1..=3).contains(last),
        _ => false,
    }
}

fn luhn(digits: &[u8]) -> bool {
    let doubled = |digit: u32| if digit > 4 { digit * 2 - 9 } else { digit * 2 };
    let value = |(place, digit): (usize, &u8)| {
        let digit = u32::from(digit - b'0');
        if place % 2 == 1 { doubled(digit) } else { digit }
    };
    digits.iter().rev().enumerate().map(value).sum::<u32>() % 10 == 0
}
