//! Numbers of phones, identity cards, bank cards and social security, in runs of digits that may be written in groups.
//!
//! Only forms with a check digit, a prefix that is assigned, or signs that belong to them: a number of eleven digits is no phone because it is long enough.
//! Every row of neighbouring groups is looked at as one number, so that nothing is hidden by a number beside it. Knows neither rules
//! nor text, only folded characters one after the other.

use std::collections::VecDeque;

use crate::fold::{Class, Unit};
use crate::personal::Data;
use crate::phones::{self, Country};

/// The longest number: a card's 19 digits. A phone with its country has 15.
const MAX_DIGITS: usize = 19;
/// The most groups of one number; more are a row of numbers.
const MAX_GROUPS: usize = 8;
/// The most separators between two groups of one number, as in `138 - 1234`.
const MAX_SEPARATORS: usize = 3;

/// Digits without anything but hidden characters between them.
#[derive(Clone, Debug, Default)]
struct Group {
    digits: Vec<u8>,
    start: usize,
    end: usize,
    /// A letter stands before it.
    is_joined: bool,
    /// What stands between it and the group before. If that is a point, both may be parts of a decimal.
    gap: Gap,
    /// Where the `+` before it is, that an international number begins with.
    plus: Option<usize>,
    /// Ends in the `X` of an identity card.
    has_x: bool,
}

/// What was found: its kind, and where.
pub(crate) type Number = (Data, usize, usize);

/// The last groups of digits.
#[derive(Debug, Default)]
pub(crate) struct Digits {
    /// Those that the next group may still make a number with.
    groups: VecDeque<Group>,
    gap: Gap,
    /// The digits that are read now are more than any number has.
    is_overlong: bool,
    /// A letter of a script with borders stands directly before.
    after_letter: bool,
    /// The place of a `+` directly before, and `true` if a parenthesis follows it.
    plus: Option<(usize, bool)>,
    /// Countries whose national notation of phones is searched for, too.
    countries: Vec<Country>,
}

/// What stands behind the last group.
#[derive(Clone, Copy, Debug, Default)]
struct Gap {
    separators: usize,
    /// All of it is one point.
    is_point: bool,
    /// All of it is one hyphen or dash.
    is_dash: bool,
    /// Something else than spaces is in it.
    is_marked: bool,
}

impl Digits {
    pub(crate) fn new(countries: Vec<Country>) -> Digits {
        Digits { countries, ..Digits::default() }
    }

    /// Where a number may have begun.
    pub(crate) fn open(&self) -> Option<usize> {
        let first = self.groups.front().map(|group| group.plus.unwrap_or(group.start));
        first.or(self.plus.map(|(start, _)| start))
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
                    // Neither it nor what stands before it is a part of any number.
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

    /// Forget the groups that no number can begin with any more.
    fn let_go(&mut self) {
        let behind_first = |groups: &VecDeque<Group>| -> usize {
            groups.iter().skip(1).map(|group| group.digits.len()).sum()
        };
        while self.groups.len() > MAX_GROUPS || behind_first(&self.groups) >= MAX_DIGITS {
            self.groups.pop_front();
        }
    }

    /// Whether an `X` would be the check digit of an identity card.
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

    /// No number goes on here. A letter may stand directly behind.
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

    /// The numbers that end with the last group: of as many groups before it as make one.
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
                let written = Written { digits, lengths, has_x, is_marked, dashes, is_attached };
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

/// What people write between the groups of a number. Neither a comma nor a colon nor a line: they stand between numbers.
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

/// Kinds that are recognised by their digits and groups alone.
const KINDS: [Data; 4] = [Data::IdCard, Data::Phone, Data::BankCard, Data::UsSsn];

/// A row of groups, as it stands there.
struct Written<'a> {
    digits: &'a [u8],
    lengths: &'a [usize],
    has_x: bool,
    /// Something else than spaces stands between groups.
    is_marked: bool,
    /// How many gaps are one hyphen or dash.
    dashes: usize,
    /// More than spaces stands between it and the group before.
    is_attached: bool,
}

impl Written<'_> {
    fn is(&self, data: Data, countries: &[Country]) -> bool {
        let Written { digits, lengths, has_x, is_marked, dashes, is_attached } = *self;
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

/// A number of social security of the United States: area, group and serial number are not zero, and the area was ever assigned. Only
/// with its two hyphens: nine digits without them are any number.
fn is_ssn(digits: &[u8]) -> bool {
    let (area, group, serial) = (number(digits, 0, 3), number(digits, 3, 5), number(digits, 5, 9));
    matches!(area, 1..=665 | 667..=899) && group > 0 && serial > 0
}

/// A mobile phone of mainland China without its country.
fn local(digits: &[u8]) -> &[u8] {
    // `86` may be the beginning of the number itself only where nothing would be left.
    digits.strip_prefix(b"0086").or_else(|| digits.strip_prefix(b"86")).unwrap_or(digits)
}

/// A mobile phone of mainland China, with its country or without.
fn is_phone(digits: &[u8]) -> bool {
    let local = local(digits);
    local.len() == 11 && matches!(local, [b'1', b'3'..=b'9', ..])
}

/// Whether people write phones in these groups. Others, such as thousands, are those of other numbers.
fn is_grouped_phone(digits: &[u8], lengths: &[usize]) -> bool {
    let local = local(digits);
    let country = digits.len() - local.len();
    let [first, rest @ ..] = lengths else { return false };
    // The country is a group of its own, or the beginning of the first one.
    let (first, rest) = match (first.checked_sub(country), rest) {
        (None, _) => return false,
        (Some(0), [first, rest @ ..]) => (*first, rest),
        (Some(first), rest) => (first, rest),
    };
    match (first, rest) {
        (11, []) | (3, [4, 4]) => true,
        // Otherwise a number and a date.
        (3, [8]) => !local.get(3..).is_some_and(is_date),
        _ => false,
    }
}

/// Year, month and day, of this century or the one before.
fn is_date(digits: &[u8]) -> bool {
    (1900..=2099).contains(&number(digits, 0, 4))
        && (1..=12).contains(&number(digits, 4, 6))
        && (1..=31).contains(&number(digits, 6, 8))
}

/// The digits from one place to another as a number; 0 if there are not as many.
fn number(digits: &[u8], from: usize, to: usize) -> u32 {
    let part = digits.get(from..to).unwrap_or_default();
    part.iter().fold(0, |all, digit| all * 10 + u32::from(digit - b'0'))
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
    let is_region = matches!(number(body, 0, 2), 11..=15 | 21..=23 | 31..=37 | 41..=46 | 50..=54 | 61..=65 | 71 | 81..=83 | 91);
    let is_day = body.get(6..14).is_some_and(is_date);
    let sum: u32 =
        body.iter().zip(WEIGHTS).map(|(digit, weight)| u32::from(digit - b'0') * weight).sum();
    is_region && is_day && CHECKS.get((sum % 11) as usize) == Some(&check)
}

/// A bank card: a prefix that is assigned, the length that goes with it, the check digit of Luhn.
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

/// Whether people write cards in these groups.
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
