//! Recognises numbers of phones, identity cards, bank cards and social security in runs of digits that may be written in
//! groups.
//!
//! A number counts only with a check digit, an assigned prefix, or the separators that belong to its kind: eleven digits
//! alone are no phone. Each window of neighbouring groups is judged as one number, so that a number beside another one is
//! not missed. Knows neither rules nor text, only folded characters one after the other.

use std::collections::VecDeque;

use crate::fold::{Class, Unit};
use crate::personal::Data;
use crate::phones::{self, Country};

/// Digits of the longest number, which is a bank card's. A phone number with its calling code has 15.
const MAX_DIGITS: usize = 19;
/// Most groups of one number. A longer row is several numbers.
const MAX_GROUPS: usize = 8;
/// Most separators between two groups of one number, as in `138 - 1234`.
const MAX_SEPARATORS: usize = 3;

/// A run of digits with nothing but hidden characters between them.
#[derive(Clone, Debug, Default)]
struct Group {
    digits: Vec<u8>,
    start: usize,
    end: usize,
    /// `true` if a letter stands directly before it.
    is_joined: bool,
    /// Separators between it and the group before. If they are one point, both groups may be parts of a decimal.
    gap: Gap,
    /// Position of the `+` before it, with which an international number begins.
    plus: Option<usize>,
    /// `true` if it ends in the `X` of an identity card.
    has_x: bool,
}

/// Kind, start and end of a number that was found.
pub(crate) type Number = (Data, usize, usize);

/// State of the search: the last groups of digits.
#[derive(Debug, Default)]
pub(crate) struct Digits {
    /// Groups that can still be part of a number together with the next one.
    groups: VecDeque<Group>,
    gap: Gap,
    /// `true` if the current run of digits is longer than any number.
    is_overlong: bool,
    /// `true` directly behind a letter of a script with word boundaries.
    after_letter: bool,
    /// Position of a `+` directly before, and `true` if a parenthesis follows it.
    plus: Option<(usize, bool)>,
    /// Countries whose national notation of phone numbers is recognised as well.
    countries: Vec<Country>,
}

/// Separators behind the last group.
#[derive(Clone, Copy, Debug, Default)]
struct Gap {
    separators: usize,
    /// `true` if the gap is exactly one point.
    is_point: bool,
    /// `true` if the gap is exactly one hyphen or dash.
    is_dash: bool,
    /// `true` if the gap has separators other than spaces.
    is_marked: bool,
}

impl Digits {
    pub(crate) fn new(countries: Vec<Country>) -> Digits {
        Digits { countries, ..Digits::default() }
    }

    /// Returns where the first unfinished number may begin.
    pub(crate) fn open(&self) -> Option<usize> {
        let first = self.groups.front().map(|group| group.plus.unwrap_or(group.start));
        first.or(self.plus.map(|(start, _)| start))
    }

    /// Reads the next character.
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
                        if let Some(group) = self.groups.back_mut() {
                            group.has_x = true;
                            group.end = end;
                        }
                    }
                    _ => self.end(is_joined && self.gap.separators == 0, found),
                }
                self.after_letter = is_joined;
            }
            _ => {
                self.after_letter = false;
                let goes_on = self.groups.back().is_some() && is_separator(unit.letter);
                if goes_on && self.gap.separators < MAX_SEPARATORS {
                    let is_first = self.gap.separators == 0;
                    self.gap.is_point = is_first && unit.letter == '.';
                    self.gap.is_dash = is_first && is_dash(unit.letter);
                    self.gap.is_marked |= unit.letter != ' ';
                    self.gap.separators += 1;
                } else if let Some((start, false)) = self.plus.filter(|_| unit.letter == '(') {
                    self.plus = Some((start, true));
                } else {
                    self.end(false, found);
                    if unit.letter == '+' {
                        self.plus = Some((start, false));
                    }
                }
            }
        }
    }

    fn digit(&mut self, digit: u8, start: usize, end: usize, found: &mut Vec<Number>) {
        if self.is_overlong {
            return;
        }
        let is_apart = self.gap.separators > 0;
        if !is_apart && self.groups.back().is_some_and(|group| group.has_x) {
            self.end(true, found);
        }
        let gap = std::mem::take(&mut self.gap);
        match self.groups.back_mut() {
            Some(group) if !is_apart => {
                if group.digits.len() >= MAX_DIGITS {
                    // Neither this run nor a group before it is part of a number.
                    self.groups.clear();
                    self.is_overlong = true;
                } else {
                    group.digits.push(digit);
                    group.end = end;
                }
            }
            _ => {
                self.windows(gap.is_point, found);
                self.groups.push_back(Group {
                    digits: vec![digit],
                    start,
                    end,
                    is_joined: self.after_letter,
                    gap,
                    plus: self.plus.take().map(|(start, _)| start),
                    has_x: false,
                });
                self.let_go();
            }
        }
        self.after_letter = false;
    }

    /// Drops the groups with which no number can begin any more.
    fn let_go(&mut self) {
        let behind_first = |groups: &VecDeque<Group>| -> usize {
            groups.iter().skip(1).map(|group| group.digits.len()).sum()
        };
        while self.groups.len() > MAX_GROUPS || behind_first(&self.groups) >= MAX_DIGITS {
            self.groups.pop_front();
        }
    }

    /// Returns `true` if an `X` here would be the check digit of an identity card.
    fn takes_x(&self) -> bool {
        let last = self.groups.back();
        let is_open = self.gap.separators == 0 && last.is_some_and(|last| !last.has_x);
        is_open
            && self
                .groups
                .iter()
                .rev()
                .scan(0, |sum, group| {
                    *sum += group.digits.len();
                    Some(*sum)
                })
                .any(|sum| sum == 17)
    }

    /// Ends all numbers here. `is_joined` says that a letter follows directly, so that the last group belongs to a word.
    pub(crate) fn end(&mut self, is_joined: bool, found: &mut Vec<Number>) {
        if !is_joined {
            self.windows(false, found);
        }
        self.groups.clear();
        self.gap = Gap::default();
        self.plus = None;
        self.is_overlong = false;
        self.after_letter = false;
    }

    /// Adds the numbers that end with the last group, from each group before it with which one may begin.
    fn windows(&self, before_point: bool, found: &mut Vec<Number>) {
        let Some(last) = self.groups.back() else { return };
        let (mut digits, mut lengths) = ([0; MAX_DIGITS], [0; MAX_GROUPS]);
        let (mut is_marked, mut dashes, mut points) = (false, 0, [false; MAX_GROUPS]);
        let (mut at, mut count) = (MAX_DIGITS, 0);
        for group in self.groups.iter().rev() {
            let Some(begin) = at.checked_sub(group.digits.len()) else { return };
            if let Some(slot) = digits.get_mut(begin..at) {
                slot.copy_from_slice(&group.digits);
            }
            (at, count) = (begin, count + 1);
            if let Some(slot) = lengths.get_mut(MAX_GROUPS - count) {
                *slot = group.digits.len();
            }
            let is_decimal = count == 1 && (before_point || group.gap.is_point);
            let is_whole = !group.is_joined && (!group.has_x || count == 1) && !is_decimal;
            let (Some(digits), Some(lengths)) =
                (digits.get(at..), lengths.get(MAX_GROUPS - count..))
            else {
                return;
            };
            if is_whole {
                let (has_x, is_attached) = (last.has_x, group.gap.is_marked);
                let written =
                    GroupWindow { digits, lengths, has_x, is_marked, dashes, is_attached };
                let found_here = |data: &Data| written.is(*data, &self.countries);
                let kinds = KINDS.into_iter().filter(found_here);
                found.extend(kinds.map(|data| (data, group.start, last.end)));
                let points = points.get(MAX_GROUPS + 1 - count..).unwrap_or_default();
                if let Some(plus) = group.plus
                    && !last.has_x
                    && phones::is_international(digits, lengths, points)
                {
                    found.push((Data::Phone, plus, last.end));
                }
            }
            if group.has_x && count > 1 {
                return;
            }
            if let Some(slot) = points.get_mut(MAX_GROUPS - count) {
                *slot = group.gap.is_point;
            }
            is_marked |= group.gap.is_marked;
            dashes += usize::from(group.gap.is_dash);
        }
    }
}

/// Returns `true` for separators within a number. Commas, colons and line ends stand between numbers.
pub(crate) fn is_separator(letter: char) -> bool {
    letter == ' '
        || matches!(
            letter,
            '-' | '.' | '/' | '_' | '(' | ')' | '\u{b7}' | '\u{2010}'
                ..='\u{2015}'
                    | '\u{2022}'
                    | '\u{2027}'
                    | '\u{2212}'
                    | '\u{2219}'
                    | '\u{22c5}'
                    | '\u{30fb}'
        )
}

fn is_dash(letter: char) -> bool {
    matches!(letter, '-' | '\u{2010}'..='\u{2015}' | '\u{2212}')
}

/// Kinds that digits and groups identify without anything around them.
const KINDS: [Data; 4] = [Data::IdCard, Data::Phone, Data::BankCard, Data::UsSsn];

/// A window of neighbouring groups, as it is written.
struct GroupWindow<'a> {
    digits: &'a [u8],
    lengths: &'a [usize],
    has_x: bool,
    /// `true` if separators other than spaces stand between its groups.
    is_marked: bool,
    /// Number of gaps that are one hyphen or dash.
    dashes: usize,
    /// `true` if separators other than spaces stand between it and the group before.
    is_attached: bool,
}

impl GroupWindow<'_> {
    fn is(&self, data: Data, countries: &[Country]) -> bool {
        let GroupWindow { digits, lengths, has_x, is_marked, dashes, is_attached } = *self;
        match data {
            Data::IdCard => is_id_card(digits, has_x),
            _ if has_x => false,
            Data::Phone => {
                is_phone(digits) && is_grouped_phone(digits, lengths)
                    || !is_attached
                        && countries.iter().any(|it| it.writes(digits, lengths, is_marked))
            }
            Data::BankCard => is_grouped_card(lengths) && is_bank_card(digits),
            Data::UsSsn => lengths == [3, 2, 4] && dashes == 2 && is_ssn(digits),
            Data::Email | Data::Iban => false,
        }
    }
}

/// Returns `true` for a social security number of the United States: no part is zero, and the area was assigned at some
/// time. It counts only with its two hyphens, because any nine digits would fit otherwise.
fn is_ssn(digits: &[u8]) -> bool {
    let (area, group, serial) = (number(digits, 0, 3), number(digits, 3, 5), number(digits, 5, 9));
    matches!(area, 1..=665 | 667..=899) && group > 0 && serial > 0
}

/// Returns a mobile number of mainland China without its calling code.
fn local(digits: &[u8]) -> &[u8] {
    // A mobile number begins with 1, so a leading `86` is the calling code.
    digits.strip_prefix(b"0086").or_else(|| digits.strip_prefix(b"86")).unwrap_or(digits)
}

/// Returns `true` for a mobile number of mainland China, with or without the calling code.
fn is_phone(digits: &[u8]) -> bool {
    let local = local(digits);
    local.len() == 11 && matches!(local, [b'1', b'3'..=b'9', ..])
}

/// Returns `true` if phone numbers are written in groups of these lengths. Other groups, such as thousands, belong to other
/// numbers.
fn is_grouped_phone(digits: &[u8], lengths: &[usize]) -> bool {
    let local = local(digits);
    let country = digits.len() - local.len();
    let [first, rest @ ..] = lengths else { return false };
    // The calling code is a group of its own, or the beginning of the first one.
    let (first, rest) = match (first.checked_sub(country), rest) {
        (None, _) => return false,
        (Some(0), [first, rest @ ..]) => (*first, rest),
        (Some(first), rest) => (first, rest),
    };
    match (first, rest) {
        (11, []) | (3, [4, 4]) => true,
        // Eight digits that are a date make it a number and a date.
        (3, [8]) => !local.get(3..).is_some_and(is_date),
        _ => false,
    }
}

/// Returns `true` for year, month and day, of this century or the last.
fn is_date(digits: &[u8]) -> bool {
    (1900..=2099).contains(&number(digits, 0, 4))
        && (1..=12).contains(&number(digits, 4, 6))
        && (1..=31).contains(&number(digits, 6, 8))
}

/// Returns the digits between two positions as a number; 0 if they are not there.
fn number(digits: &[u8], from: usize, to: usize) -> u32 {
    let part = digits.get(from..to).unwrap_or_default();
    part.iter().fold(0, |all, digit| all * 10 + u32::from(digit - b'0'))
}

/// Returns `true` for a Chinese identity card: region, birthday, check digit (GB 11643).
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
    let is_region = matches!(number(body, 0, 2), 11..=15 | 21..=23 | 31..=37 | 41..=46 | 50..=54 | 61..=65 | 71 | 81..=83 | 91);
    let is_day = body.get(6..14).is_some_and(is_date);
    let sum: u32 =
        body.iter().zip(WEIGHTS).map(|(digit, weight)| u32::from(digit - b'0') * weight).sum();
    is_region && is_day && CHECKS.get((sum % 11) as usize) == Some(&check)
}

/// Returns `true` for a bank card: an assigned prefix, the length that goes with it, Luhn's check digit.
fn is_bank_card(digits: &[u8]) -> bool {
    let first = |count: usize| number(digits, 0, count);
    let fits = match digits.len() {
        15 => matches!(first(2), 34 | 37),
        16 => {
            matches!(first(2), 40..=49 | 51..=55 | 60 | 62 | 65 | 81)
                || matches!(first(4), 2221..=2720 | 3528..=3589)
        }
        17 | 18 => matches!(first(2), 62),
        19 => matches!(first(2), 62 | 81) || matches!(first(4), 9558) || matches!(first(1), 4),
        _ => false,
    };
    fits && luhn(digits)
}

/// Returns `true` if bank cards are written in groups of these lengths.
fn is_grouped_card(lengths: &[usize]) -> bool {
    match lengths {
        [_] | [4, 6, 5] | [6, 10] | [6, 13] => true,
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
