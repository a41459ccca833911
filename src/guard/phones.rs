//! Plans of phone numbers: the digits that may follow a calling code, and the national notation of some countries.
//!
//! `tables/make.py` writes the table from libphonenumber's. It has lengths and first digits only, so a number that fits need
//! not be assigned. Knows digits and lengths of groups, no text.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::OnceLock;

const TABLE: &str = include_str!("tables/phones.tsv");

/// Fewest digits with the calling code, in groups: numbers of some islands have four digits.
const LEAST: usize = 7;
/// Fewest digits with the calling code, not in groups.
const LEAST_WHOLE: usize = 8;
/// Fewest digits, not in groups, with a code of one or two digits: `+49123456` is an amount.
const LEAST_SHORT: usize = 9;
/// Fewest digits in groups of three behind at most two digits: `+48 512 345 678` may be a phone, `+48 512 345` is an amount.
const LEAST_THOUSANDS: usize = 11;
/// Most digits of a first group that holds calling code and area code, if further groups follow.
const MAX_JOINED: usize = 5;
/// Numbers of digits that may follow the leading 0 in national notation, whatever the plan says.
const NATIONAL: RangeInclusive<usize> = 8..=11;
/// Calling code of North America, where numbers have no leading 0.
const NORTH_AMERICA: u16 = 1;

/// Numbers that may follow one calling code.
#[derive(Debug, Default)]
struct Plan {
    /// Possible numbers of digits, as a set of bits.
    lengths: u32,
    /// Possible first two digits, as a set of bits.
    starts: u128,
    /// First two digits of mobile phones, for countries with a leading 0.
    mobile: u128,
    /// Possible numbers of digits of mobile phones.
    mobile_lengths: u128,
}

struct Plans {
    by_code: BTreeMap<u16, Plan>,
    /// Calling codes of the countries whose national notation is known.
    countries: BTreeMap<String, u16>,
}

/// A country whose national notation is recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Country {
    code: u16,
}

impl Country {
    /// Returns the country of this ISO 3166 code, in lower or upper case. `None` if its national notation is not known.
    pub(crate) fn of(iso: &str) -> Option<Country> {
        let code = plans().countries.get(&iso.to_ascii_uppercase()).copied()?;
        Some(Country { code })
    }

    /// Returns `true` if `digits`, in groups of these lengths, are a phone number in the notation of this country.
    /// `is_marked` says that separators other than spaces stand between groups.
    pub(crate) fn writes(self, digits: &[u8], lengths: &[usize], is_marked: bool) -> bool {
        let Some(plan) = plans().by_code.get(&self.code) else { return false };
        if let Some(rest) = digits.strip_prefix(b"00") {
            return self.behind_code(rest).is_some_and(|rest| plan.takes(rest))
                && digits.len() >= LEAST_THOUSANDS;
        }
        if self.code == NORTH_AMERICA {
            // Three neighbouring numbers look the same if only spaces divide them.
            return lengths == [3, 3, 4] && is_marked && takes_north_american(plan, digits);
        }
        let Some(national) = digits.strip_prefix(b"0") else { return false };
        let is_mobile = plan.mobile_lengths >> national.len().min(127) & 1 == 1
            && first_two(national).is_some_and(|at| plan.mobile >> at & 1 == 1);
        let is_grouped = match lengths {
            [_] => is_mobile,
            // As in France; a date has other groups.
            [2, 2, 2, 2, 2] => true,
            // As in the Netherlands.
            [2, 8] => is_mobile,
            // `(02) 1234 5678`. Groups that only spaces divide may be figures, and `05.2024 123` is a date.
            [2, 4, ..] if is_month(digits) => false,
            [2, rest @ ..] => is_marked && rest.len() >= 2 && rest.iter().all(|it| *it >= 3),
            // Postal codes, such as `02509-2315`.
            [5, 4] => false,
            [first, rest @ ..] => {
                let most = if rest.len() > 1 { 4 } else { 8 };
                (3..=6).contains(first)
                    && rest.len() <= 4
                    && rest.iter().all(|it| (2..=most).contains(it))
            }
            [] => false,
        };
        NATIONAL.contains(&national.len()) && is_grouped && plan.takes(national)
    }

    fn behind_code(self, digits: &[u8]) -> Option<&[u8]> {
        digits.strip_prefix(self.code.to_string().as_bytes())
    }
}

/// Returns `true` if `digits` after a `+`, in groups of these lengths, are a calling code and a number. `points` says which
/// gaps are one point.
pub(crate) fn is_international(digits: &[u8], lengths: &[usize], points: &[bool]) -> bool {
    // A point in the first gap makes it a decimal and a figure beside it, unless there are several gaps and all of them are
    // points.
    let is_decimal = points.first() == Some(&true)
        && (points.len() == 1 || !points.iter().all(|is_point| *is_point));
    if is_decimal {
        return false;
    }
    let is_thousands =
        matches!(lengths, [1..=2, rest @ ..] if rest.iter().all(|length| *length == 3));
    let least = match lengths {
        [_] => LEAST_WHOLE,
        _ if is_thousands => LEAST_THOUSANDS,
        _ => LEAST,
    };
    if digits.len() < least {
        return false;
    }
    // No calling code is the beginning of another one.
    let found = (1..=3).find_map(|length| {
        let (code, rest) = digits.split_at_checked(length)?;
        let code = code.iter().fold(0, |all, digit| all * 10 + u16::from(digit - b'0'));
        Some((code, plans().by_code.get(&code)?, rest))
    });
    let Some((code, plan, rest)) = found else { return false };
    if lengths.len() == 1 && code < 100 && digits.len() < LEAST_SHORT {
        return false;
    }
    // `+44171 …` joins the area to the calling code; `+441712 …` is an amount and a figure beside it.
    let code_length = digits.len() - rest.len();
    let is_code = |first: &usize| (code_length..=MAX_JOINED).contains(first);
    if lengths.len() > 1 && !lengths.first().is_some_and(is_code) {
        return false;
    }
    if code == NORTH_AMERICA {
        return takes_north_american(plan, rest);
    }
    // `+44 (0)20 …`: the 0 is for callers within the country.
    plan.takes(rest) || rest.strip_prefix(b"0").is_some_and(|rest| plan.takes(rest))
}

/// Returns `true` if the first six digits are a month and a year.
fn is_month(digits: &[u8]) -> bool {
    matches!(digits, [b'0', b'1'..=b'9', b'1', b'9', ..] | [b'0', b'1'..=b'9', b'2', b'0', ..])
}

/// Returns `true` if neither area nor exchange begins with 0 or 1 or is a service code such as 911.
fn takes_north_american(plan: &Plan, digits: &[u8]) -> bool {
    let is_code = |digits: &[u8]| matches!(digits, [b'2'..=b'9', second, third] if !(*second == b'1' && *third == b'1'));
    plan.takes(digits)
        && digits.get(..3).is_some_and(is_code)
        && digits.get(3..6).is_some_and(is_code)
}

impl Plan {
    fn takes(&self, digits: &[u8]) -> bool {
        let is_length = digits.len() < 32 && self.lengths >> digits.len() & 1 == 1;
        is_length && first_two(digits).is_some_and(|at| self.starts >> at & 1 == 1)
    }
}

fn first_two(digits: &[u8]) -> Option<u8> {
    match digits {
        [first, second, ..] => Some((first - b'0') * 10 + (second - b'0')),
        _ => None,
    }
}

fn plans() -> &'static Plans {
    static PLANS: OnceLock<Plans> = OnceLock::new();
    PLANS.get_or_init(|| read(TABLE))
}

fn read(table: &str) -> Plans {
    let mut plans = Plans { by_code: BTreeMap::new(), countries: BTreeMap::new() };
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let mut fields = line.split('\t');
        let mut field = || fields.next().unwrap_or_default();
        let Ok(code) = field().parse::<u16>() else { continue };
        let lengths = bits(field()).try_into().unwrap_or_default();
        let starts = bits(field());
        for iso in field().split(',').filter(|iso| !iso.is_empty()) {
            plans.countries.insert(iso.to_owned(), code);
        }
        let (mobile, mobile_lengths) = (bits(field()), bits(field()));
        plans.by_code.insert(code, Plan { lengths, starts, mobile, mobile_lengths });
    }
    for iso in ["US", "CA"] {
        plans.countries.insert(iso.to_owned(), NORTH_AMERICA);
    }
    plans
}

/// Parses numbers below 128 such as `7,9-10` to a set of bits.
fn bits(ranges: &str) -> u128 {
    let mut bits = 0;
    for range in ranges.split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        if let (Ok(first), Ok(last)) = (first.parse::<u8>(), last.parse::<u8>()) {
            bits |= (first..=last.min(127)).fold(0, |all, at| all | 1_u128 << at);
        }
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_read_whole() {
        let plans = plans();
        assert_eq!(plans.by_code.len(), TABLE.lines().count() - 1);
        assert!(plans.by_code.values().all(|plan| plan.lengths != 0 && plan.starts != 0));
        assert_eq!(plans.by_code[&44].lengths, 1 << 9 | 1 << 10);
        assert_eq!(Country::of("gb"), Some(Country { code: 44 }));
        assert_eq!((Country::of("ca"), Country::of("XX")), (Country::of("US"), None));
        // No calling code is the beginning of another one.
        for code in plans.by_code.keys() {
            assert!(!plans.by_code.contains_key(&(code / 10)), "{code}");
        }
    }
}
