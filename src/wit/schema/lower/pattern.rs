//! Regular expressions, as far as all decoders understand them the same way.
//!
//! Literals, classes, groups, alternatives and repetitions, with or without `^` and `$`. Not supported: assertions, back
//! references, Unicode properties, flags. Classes are those of ECMA-262: `\d` and `\w` are ASCII. Knows no decoder.

use super::shape::Text;

/// Deepest nesting of groups.
const MAX_DEPTH: usize = 40;

/// Longest expression that is read, in bytes.
const MAX_LENGTH: usize = 4_096;

/// A parsed expression.
#[derive(Debug)]
pub(crate) struct Parsed {
    start: bool,
    end: bool,
    /// The largest count of any repetition.
    pub(super) largest_count: u32,
    pub(super) body: Regex,
}

#[derive(Debug)]
pub(crate) enum Regex {
    Class(Class),
    Sequence(Vec<Regex>),
    /// At least two alternatives.
    Choice(Vec<Regex>),
    Repeat {
        inner: Box<Regex>,
        min: u32,
        max: Option<u32>,
    },
}

/// A set of characters, as sorted ranges that do not touch. Surrogates are never in it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Class(pub(super) Vec<(u32, u32)>);

impl Parsed {
    /// Returns `true` if it must match the whole text.
    pub(super) fn is_whole(&self) -> bool {
        self.start && self.end
    }
}

/// Drops limits on the length of `text` that `pattern` already implies.
pub(super) fn imply(pattern: &str, text: &mut Text) {
    let Some(parsed) = parse(pattern).filter(Parsed::is_whole) else { return };
    let (least, most) = parsed.body.lengths();
    if least >= text.min {
        text.min = 0;
    }
    if most.is_some() && most <= text.max {
        text.max = None;
    }
}

/// Parses `pattern`. `None` if it has a part that is not supported.
pub(crate) fn parse(pattern: &str) -> Option<Parsed> {
    if pattern.len() > MAX_LENGTH {
        return None;
    }
    let (start, rest) = match pattern.strip_prefix('^') {
        Some(rest) => (true, rest),
        None => (false, pattern),
    };
    let mut parser =
        Parser { rest: rest.chars().collect(), at: 0, outer_choice: false, largest_count: 1 };
    let body = parser.choice(0)?;
    let end = parser.take('$');
    // `^a|b$` is anchored on one side of each alternative.
    let one_sided = (start || end) && parser.outer_choice;
    let read = parser.at == parser.rest.len() && !one_sided;
    read.then_some(Parsed { start, end, largest_count: parser.largest_count, body })
}

impl Regex {
    /// Returns `true` if a matching text may have a character that JSON escapes.
    pub(super) fn needs_escapes(&self) -> bool {
        match self {
            Regex::Class(class) => class.0.iter().any(|(low, high)| {
                *low < 0x20 || [0x22, 0x5C].iter().any(|it| (low..=high).contains(&it))
            }),
            Regex::Sequence(parts) | Regex::Choice(parts) => parts.iter().any(Regex::needs_escapes),
            Regex::Repeat { inner, .. } => inner.needs_escapes(),
        }
    }

    /// Returns the least number of characters that it matches, and the greatest if there is one.
    fn lengths(&self) -> (u64, Option<u64>) {
        match self {
            Regex::Class(_) => (1, Some(1)),
            Regex::Sequence(parts) => parts.iter().map(Regex::lengths).fold(
                (0, Some(0)),
                |(least, most), (more_least, more_most)| {
                    let most = most.zip(more_most).map(|(most, more)| most.saturating_add(more));
                    (u64::saturating_add(least, more_least), most)
                },
            ),
            Regex::Choice(branches) => {
                let lengths = branches.iter().map(Regex::lengths);
                let first = (u64::MAX, Some(0));
                lengths.fold(first, |(least, most), (other_least, other_most)| {
                    (
                        least.min(other_least),
                        most.zip(other_most).map(|(most, other)| most.max(other)),
                    )
                })
            }
            Regex::Repeat { inner, min, max } => {
                let (least, most) = inner.lengths();
                let most = most.zip(*max).map(|(most, max)| most.saturating_mul(max.into()));
                (least.saturating_mul((*min).into()), most)
            }
        }
    }
}

struct Parser {
    rest: Vec<char>,
    at: usize,
    /// `true` if there are alternatives outside of every group.
    outer_choice: bool,
    largest_count: u32,
}

impl Parser {
    fn peek(&self) -> Option<char> {
        self.rest.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += 1;
        Some(next)
    }

    fn take(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        self.at += usize::from(found);
        found
    }

    fn choice(&mut self, depth: usize) -> Option<Regex> {
        if depth > MAX_DEPTH {
            return None;
        }
        let mut branches = vec![self.sequence(depth)?];
        while self.take('|') {
            self.outer_choice |= depth == 0;
            branches.push(self.sequence(depth)?);
        }
        if branches.len() == 1 { branches.pop() } else { Some(Regex::Choice(branches)) }
    }

    fn sequence(&mut self, depth: usize) -> Option<Regex> {
        let mut parts = Vec::new();
        while let Some(next) = self.peek() {
            if matches!(next, '|' | ')' | '$') {
                break;
            }
            let atom = self.atom(depth)?;
            parts.push(self.repeated(atom)?);
        }
        if parts.len() == 1 { parts.pop() } else { Some(Regex::Sequence(parts)) }
    }

    fn atom(&mut self, depth: usize) -> Option<Regex> {
        match self.next()? {
            '(' => {
                if self.take('?') && !self.take(':') {
                    return None;
                }
                let inner = self.choice(depth + 1)?;
                self.take(')').then_some(inner)
            }
            '[' => self.class().map(Regex::Class),
            '.' => {
                let breaks = [(0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029)];
                Some(Regex::Class(Class::of(&breaks).inverted()))
            }
            '\\' => self.escape().map(Regex::Class),
            '^' | '*' | '+' | '?' | '{' | '}' | ']' => None,
            character => Some(Regex::Class(Class::one(character))),
        }
    }

    fn repeated(&mut self, atom: Regex) -> Option<Regex> {
        let (min, max) = match self.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => {
                self.at += 1;
                let min = self.number()?;
                let max = if self.take(',') {
                    if self.peek() == Some('}') { None } else { Some(self.number()?) }
                } else {
                    Some(min)
                };
                if self.peek() != Some('}') || max.is_some_and(|max| max < min) {
                    return None;
                }
                (min, max)
            }
            _ => return Some(atom),
        };
        self.at += 1;
        // A lazy quantifier does not change what is matched as a whole.
        self.take('?');
        if matches!(self.peek(), Some('*' | '+' | '{')) {
            return None;
        }
        self.largest_count = self.largest_count.max(min).max(max.unwrap_or(0));
        Some(Regex::Repeat { inner: Box::new(atom), min, max })
    }

    fn number(&mut self) -> Option<u32> {
        let start = self.at;
        while self.peek().is_some_and(|it| it.is_ascii_digit()) {
            self.at += 1;
        }
        self.rest.get(start..self.at)?.iter().collect::<String>().parse().ok()
    }

    /// Parses what follows `[`.
    fn class(&mut self) -> Option<Class> {
        let inverted = self.take('^');
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        loop {
            let low = match self.next()? {
                ']' if !ranges.is_empty() => break,
                // Other engines read these as nested classes, or as the end.
                '[' | ']' | '&' | '~' => return None,
                '\\' => self.escape()?,
                character => Class::one(character),
            };
            let is_range = self.peek() == Some('-') && self.rest.get(self.at + 1) != Some(&']');
            if !is_range {
                ranges.extend(low.0);
                continue;
            }
            self.at += 1;
            let high = match self.next()? {
                '[' | '-' => return None,
                '\\' => self.escape()?,
                character => Class::one(character),
            };
            let (low, high) = (low.single()?, high.single()?);
            if low > high {
                return None;
            }
            ranges.push((low, high));
        }
        let class = Class::of(&ranges);
        Some(if inverted { class.inverted() } else { class })
    }

    /// Parses what follows `\`.
    fn escape(&mut self) -> Option<Class> {
        const DIGITS: [(u32, u32); 1] = [(0x30, 0x39)];
        const WORD: [(u32, u32); 4] = [(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)];
        const SPACE: [(u32, u32); 9] = [
            (0x09, 0x0D),
            (0x20, 0x20),
            (0xA0, 0xA0),
            (0x1680, 0x1680),
            (0x2000, 0x200A),
            (0x2028, 0x2029),
            (0x202F, 0x202F),
            (0x205F, 0x205F),
            (0x3000, 0x3000),
        ];
        // White space in some engines only: in both classes, so that nothing is refused.
        const SOMETIMES: [(u32, u32); 2] = [(0x85, 0x85), (0xFEFF, 0xFEFF)];
        Some(match self.next()? {
            'd' => Class::of(&DIGITS),
            'D' => Class::of(&DIGITS).inverted(),
            'w' => Class::of(&WORD),
            'W' => Class::of(&WORD).inverted(),
            's' => Class::of(&[&SPACE[..], &SOMETIMES].concat()),
            'S' => Class::of(&SPACE).inverted(),
            't' => Class::one('\t'),
            'n' => Class::one('\n'),
            'r' => Class::one('\r'),
            'f' => Class::one('\u{C}'),
            'v' => Class::one('\u{B}'),
            'x' => self.hex(2)?,
            'u' => self.hex(4)?,
            // An escaped letter or digit is an assertion, a back reference, or differs between engines.
            character if character.is_ascii_punctuation() || character == ' ' => {
                Class::one(character)
            }
            _ => return None,
        })
    }

    fn hex(&mut self, digits: usize) -> Option<Class> {
        let text: String = self.rest.get(self.at..self.at + digits)?.iter().collect();
        self.at += digits;
        if !text.bytes().all(|it| it.is_ascii_hexdigit()) {
            return None;
        }
        char::from_u32(u32::from_str_radix(&text, 16).ok()?).map(Class::one)
    }
}

impl Class {
    fn one(character: char) -> Class {
        Class(vec![(character.into(), character.into())])
    }

    /// Returns the set of the characters in `ranges`, which may overlap.
    pub(super) fn of(ranges: &[(u32, u32)]) -> Class {
        let mut sorted = ranges.to_vec();
        sorted.sort_unstable();
        let mut merged: Vec<(u32, u32)> = Vec::with_capacity(sorted.len());
        for (low, high) in sorted {
            match merged.last_mut() {
                Some((_, end)) if low <= end.saturating_add(1) => *end = (*end).max(high),
                _ => merged.push((low, high)),
            }
        }
        Class(merged)
    }

    /// Returns the set of all other characters.
    fn inverted(&self) -> Class {
        let surrogates = [(0xD800, 0xDFFF)];
        let taken = Class::of(&[&self.0[..], &surrogates[..]].concat());
        let mut free = Vec::with_capacity(taken.0.len() + 1);
        let mut next = 0;
        for (low, high) in taken.0 {
            if low > next {
                free.push((next, low - 1));
            }
            next = high + 1;
        }
        if next <= 0x10_FFFF {
            free.push((next, 0x10_FFFF));
        }
        Class(free)
    }

    fn single(&self) -> Option<u32> {
        match self.0[..] {
            [(low, high)] if low == high => Some(low),
            _ => None,
        }
    }

    pub(super) fn contains(&self, character: u32) -> bool {
        self.0.iter().any(|(low, high)| (*low..=*high).contains(&character))
    }
}
