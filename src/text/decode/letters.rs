//! Computes the cost of a text in a code page: the bits of its pairs of characters in the best language of the page.
//!
//! ASCII words are the same in nearly all pages. They only help to find the language, and have a low weight. A text is read
//! once, and then only the counts of its pairs of bytes are used.

use super::pages::Page;
use super::tables::{COSTS, LANGUAGES, Language};

/// Units of cost in a bit.
pub(super) const BIT: u64 = 8 * WHOLE as u64;
/// Weight of a pair in a word that is not all ASCII.
const WHOLE: u32 = 16;
/// Eighths of a bit in a step of the table.
const STEP: u64 = 7;
/// Cost of ASCII words in English instead of the language of the page, in bits.
const OTHER_LANGUAGE: u64 = 4;

/// Indices in the table before those of the letters.
const NO_LETTER: usize = 0;
const ASCII_LETTER: usize = 1;
const OTHER_LETTER: usize = 2;

/// The pairs of adjacent bytes of a text, each with its count times its weight.
pub(super) struct Pairs {
    /// Pairs of words with bytes beyond ASCII.
    speaking: Vec<(u8, u8, u32)>,
    /// Pairs of ASCII words, which may be in another language.
    plain: Vec<(u8, u8, u32)>,
    /// Number of pairs in words that are not all ASCII.
    pub(super) whole: u64,
    /// Weighted number of all pairs.
    pub(super) total: u64,
    /// The bytes of the pairs. Only these are looked up in each page and language.
    used: Vec<u8>,
}

impl Pairs {
    /// Returns the pairs of a text. Words with bytes beyond ASCII have a high weight, others a low one.
    pub(super) fn of_words(text: &[u8]) -> Pairs {
        // ASCII bytes from `@` on can be the second half of a double-byte character.
        let is_of_word = |byte: u8| byte >= b'@' || byte.is_ascii_digit() || byte == b'\'';
        Pairs::split(text, is_of_word, |byte| byte.is_ascii())
    }

    /// Does what [`Pairs::of_words`] does for EBCDIC, whose pages have these letters and digits in common.
    pub(super) fn of_mainframe(text: &[u8]) -> Pairs {
        let is_of_word = |byte| !matches!(byte, 0..=0x40 | 0x4B..=0x4E | 0x50 | 0x5C..=0x5E | 0x60 | 0x61 | 0x6B..=0x6F | 0x7A | 0x7D..=0x7F);
        Pairs::split(
            text,
            is_of_word,
            |byte| matches!(byte, 0x81..=0x89 | 0x91..=0x99 | 0xA2..=0xA9 | 0xC1..=0xC9 | 0xD1..=0xD9 | 0xE2..=0xE9 | 0xF0..=0xF9),
        )
    }

    /// Returns the [`Face`] of each byte in a page. Bytes that are not used have that of NUL.
    fn faces(&self, page: &[char; 256]) -> [Face; 256] {
        let mut faces = [Face::of('\0'); 256];
        for byte in &self.used {
            faces[usize::from(*byte)] = Face::of(page[usize::from(*byte)]);
        }
        faces
    }

    fn split(text: &[u8], is_of_word: fn(u8) -> bool, is_plain: fn(u8) -> bool) -> Pairs {
        let mut speaking = Counts::new();
        let mut plain = Counts::new();
        let mut start = 0;
        while start < text.len() {
            let length = text[start..].iter().position(|byte| !is_of_word(*byte));
            let end = length.map_or(text.len(), |length| start + length);
            let is_plain = text[start..end].iter().all(|byte| is_plain(*byte));
            let counts = if is_plain { &mut plain } else { &mut speaking };
            // A word counts together with the characters before and after it.
            counts.add(&text[start.saturating_sub(1)..text.len().min(end + 1)]);
            start = end + 1;
        }
        let (whole, others) = (speaking.total(), plain.total());
        // The other words together weigh at most twice as much, if a weight of 1 allows that.
        let weight = (2 * whole * u64::from(WHOLE) / others.max(1)).clamp(1, 4) as u32;
        let (speaking, plain) = (speaking.weighed(WHOLE), plain.weighed(weight));
        let mut is_used = [false; 256];
        for (one, other, _) in speaking.iter().chain(&plain) {
            is_used[usize::from(*one)] = true;
            is_used[usize::from(*other)] = true;
        }
        Pairs {
            speaking,
            plain,
            whole,
            total: whole + others * u64::from(weight) / u64::from(WHOLE),
            used: (0..=u8::MAX).filter(|byte| is_used[usize::from(*byte)]).collect(),
        }
    }
}

/// How often each pair of bytes occurs.
struct Counts(Vec<u16>);

impl Counts {
    fn new() -> Counts {
        Counts(vec![0; 1 << 16])
    }

    fn add(&mut self, text: &[u8]) {
        for pair in text.windows(2) {
            let count = &mut self.0[usize::from(pair[0]) << 8 | usize::from(pair[1])];
            *count = count.saturating_add(1);
        }
    }

    fn total(&self) -> u64 {
        self.0.iter().map(|count| u64::from(*count)).sum()
    }

    fn weighed(self, weight: u32) -> Vec<(u8, u8, u32)> {
        let counts = (0..=u16::MAX).zip(self.0).filter(|(_, count)| *count > 0);
        let pair = |(code, count): (u16, u16)| {
            let [one, other] = code.to_be_bytes();
            (one, other, u32::from(count) * weight)
        };
        counts.map(pair).collect()
    }
}

/// Computes the cost of a text in pages. What is the same for all pages is computed once.
pub(super) struct Judge<'a> {
    pairs: &'a Pairs,
    alphabets: Vec<Vec<char>>,
    /// Cost of the ASCII words in each language.
    plain: Vec<u64>,
    english: u64,
    /// Cost of the ASCII pairs in other words.
    mixed: u64,
}

impl Judge<'_> {
    /// `plain` is a page with the letters that all pages have in common.
    pub(super) fn new<'a>(pairs: &'a Pairs, plain: &[char; 256]) -> Judge<'a> {
        let letters = |language: &Language| language.letters.chars().collect();
        let alphabets: Vec<Vec<char>> = LANGUAGES.iter().map(letters).collect();
        let faces = pairs.faces(plain);
        let spoken = |part: &[_], number: usize| {
            spoken(part, &pairs.used, &faces, &alphabets[number], number)
        };
        let plain = |number: usize| spoken(&pairs.plain, number);
        let plain: Vec<u64> = (0..LANGUAGES.len()).map(plain).collect();
        let is_ascii = |pair: &&(u8, u8, u32)| pair.0.is_ascii() && pair.1.is_ascii();
        let mixed: Vec<_> = pairs.speaking.iter().filter(is_ascii).copied().collect();
        let mixed = shared_cost(&mixed, &faces) + spoken(&mixed, 0);
        let english = plain[0];
        Judge { pairs, alphabets, plain, english, mixed }
    }

    /// Returns the cost of the text in the best language of a page.
    pub(super) fn cost(&self, page: &Page) -> u64 {
        let faces = self.pairs.faces(&page.table());
        let best = (0..LANGUAGES.len())
            .filter(|number| page.languages >> number & 1 == 1)
            .map(|number| {
                let alphabet = &self.alphabets[number];
                let Pairs { speaking, used, .. } = self.pairs;
                let speaking = spoken(speaking, used, &faces, alphabet, number);
                speaking + self.plain[number].min(self.english + OTHER_LANGUAGE * BIT)
            })
            .min();
        let mut shared = shared_cost(&self.pairs.speaking, &faces);
        // Blanks and punctuation of ASCII words cost the same in all pages except EBCDIC.
        if page.is_mainframe() {
            shared += shared_cost(&self.pairs.plain, &faces);
        }
        shared + best.unwrap_or(u64::MAX / 4) + u64::from(page.cost) * BIT
    }

    /// Returns the cost of the ASCII in the text, which multibyte encodings leave unchanged.
    pub(super) fn ascii_cost(&self) -> u64 {
        self.mixed + self.plain.iter().copied().min().unwrap_or_default()
    }
}

/// Returns the cost of `pairs` in the language `number` with `letters`. `used` has each byte of the pairs.
fn spoken(
    pairs: &[(u8, u8, u32)],
    used: &[u8],
    faces: &[Face; 256],
    letters: &[char],
    number: usize,
) -> u64 {
    let start = LANGUAGES[number].start as usize;
    let side = letters.len() + 3;
    let script = match letters.last() {
        Some(last) if letters.first() != Some(&'a') => Script::of(*last),
        _ => Script::Latin,
    };
    let mut places = [(NO_LETTER, 0_u8); 256];
    for byte in used {
        if let Some(lower) = faces[usize::from(*byte)].lower {
            places[usize::from(*byte)] = match letters.binary_search(&lower) {
                Ok(index) => (index + 3, 0),
                // 37 eighths of a bit: one of 26 letters.
                Err(_) if lower.is_ascii() => (ASCII_LETTER, 37),
                Err(_) => (OTHER_LETTER, foreign(lower, script)),
            };
        }
    }
    let mut sum = 0;
    for (one, other, count) in pairs {
        let (row, _) = places[usize::from(*one)];
        let (column, extra) = places[usize::from(*other)];
        let index = start + row * side + column;
        let step = COSTS[index / 2] >> (index % 2 * 4) & 15;
        sum += (u64::from(step) * STEP + u64::from(extra)) * u64::from(*count);
    }
    sum
}

/// Returns the part of the cost that does not depend on the language.
fn shared_cost(pairs: &[(u8, u8, u32)], faces: &[Face; 256]) -> u64 {
    let cost = |(one, other, count): &(u8, u8, u32)| {
        let (one, other) = (&faces[usize::from(*one)], &faces[usize::from(*other)]);
        u64::from(joint(one, other)) * u64::from(*count)
    };
    pairs.iter().map(cost).sum()
}

/// Returns the cost of a letter that the language does not have, in eighths of a bit.
fn foreign(letter: char, script: Script) -> u8 {
    // Letters of foreign names.
    const COMMON: &str = "éèáàâäöüóíñçêëôîïúåøæãõßœšžčćëý";
    match script == Script::of(letter) {
        true if COMMON.contains(letter) => 40,
        true => 72,
        false => 96,
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Script {
    Latin,
    Greek,
    Cyrillic,
    Hebrew,
    Arabic,
    Thai,
    Other,
}

impl Script {
    fn of(character: char) -> Script {
        match character {
            '\0'..='\u{36f}' | '\u{1e00}'..='\u{1eff}' => Script::Latin,
            '\u{370}'..='\u{3ff}' => Script::Greek,
            '\u{400}'..='\u{52f}' => Script::Cyrillic,
            '\u{590}'..='\u{5ff}' => Script::Hebrew,
            '\u{600}'..='\u{6ff}' | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefe}' => {
                Script::Arabic
            }
            '\u{e00}'..='\u{e7f}' => Script::Thai,
            _ => Script::Other,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Blank,
    Digit,
    /// Follows letters.
    Close,
    /// Precedes letters.
    Open,
    /// Precedes or follows letters.
    Quote,
    /// Stands between letters.
    Link,
    Sign,
    /// Box-drawing characters and shades.
    Frame,
    Upper,
    Lower,
    /// A letter of a script without case, or a combining mark.
    Letter,
}

/// The properties of a character that its cost depends on.
#[derive(Clone, Copy)]
struct Face {
    character: char,
    kind: Kind,
    /// Own cost in eighths of a bit; 0 for letters in the tables.
    own: u16,
    /// The letter in lower case. `None` if it is not a letter.
    lower: Option<char>,
    script: Script,
    is_ascii: bool,
}

impl Face {
    fn of(character: char) -> Face {
        let is_mark = matches!(character, '\u{300}'..='\u{323}' | '\u{e30}'..='\u{e4e}');
        let is_letter = character.is_alphabetic() && !matches!(character, 'ª' | 'º' | 'ƒ' | 'µ');
        if is_letter || is_mark {
            let lower = character.to_lowercase().next().unwrap_or(character);
            let lower = match lower {
                // The tables have only the second letter of each pair.
                'ș' => 'ş',
                'ț' => 'ţ',
                '\u{6cc}' => '\u{64a}',
                '\u{6a9}' => '\u{643}',
                lower => lower,
            };
            let kind = match () {
                () if character.is_uppercase() => Kind::Upper,
                () if character.is_lowercase() => Kind::Lower,
                () => Kind::Letter,
            };
            // Presentation forms of Arabic letters.
            let own = if character > '\u{f000}' { 64 } else { 0 };
            let (script, is_ascii) = (Script::of(character), character.is_ascii());
            return Face { character, kind, own, lower: Some(lower), script, is_ascii };
        }
        let (kind, bits) = sign(character);
        Face {
            character,
            kind,
            own: bits * 8,
            lower: None,
            script: Script::Other,
            is_ascii: character.is_ascii(),
        }
    }

    fn is_letter(&self) -> bool {
        self.lower.is_some()
    }
}

/// Returns the kind of a character that is not a letter, and its cost in bits.
fn sign(character: char) -> (Kind, u16) {
    match character {
        ' ' | '\n' | '\r' | '\t' => (Kind::Blank, 2),
        '\u{a0}' => (Kind::Blank, 10),
        '0'..='9' => (Kind::Digit, 5),
        '.' | ',' => (Kind::Close, 4),
        ':' | ';' | ')' => (Kind::Close, 7),
        '?' | '!' => (Kind::Close, 8),
        '(' => (Kind::Open, 7),
        '"' => (Kind::Quote, 7),
        '-' | '\'' => (Kind::Link, 5),
        '/' | '_' => (Kind::Link, 8),
        '$' => (Kind::Open, 9),
        '[' | '<' | '#' | '@' => (Kind::Open, 10),
        ']' | '>' | '%' => (Kind::Close, 10),
        '&' | '+' | '=' | '*' => (Kind::Sign, 10),
        '\\' | '^' | '`' | '{' | '}' | '|' | '~' => (Kind::Sign, 13),
        '’' => (Kind::Link, 9),
        '–' | '—' => (Kind::Link, 10),
        '“' | '”' | '‘' | '«' | '»' => (Kind::Quote, 10),
        '„' | '¿' | '¡' => (Kind::Open, 11),
        '‚' => (Kind::Open, 14),
        '‹' | '›' => (Kind::Quote, 14),
        '…' => (Kind::Close, 10),
        '،' | '؟' | '؛' => (Kind::Close, 9),
        '€' => (Kind::Open, 9),
        '£' => (Kind::Open, 10),
        '•' | '·' | '°' => (Kind::Sign, 11),
        '№' | '§' | '©' | '®' | '™' => (Kind::Sign, 12),
        'º' | 'ª' | '²' | '³' => (Kind::Close, 11),
        '½' | '¼' | '¾' | '±' | '×' | 'µ' | '₪' => (Kind::Close, 13),
        '\u{ad}' | '\u{200c}'..='\u{200f}' => (Kind::Link, 15),
        '\u{2500}'..='\u{259f}' => (Kind::Frame, 14),
        char::REPLACEMENT_CHARACTER => (Kind::Sign, 40),
        character if character.is_control() => (Kind::Sign, 25),
        _ => (Kind::Sign, 17),
    }
}

/// Returns the cost of `other` after `one`, apart from the language, in eighths of a bit.
fn joint(one: &Face, other: &Face) -> u16 {
    use Kind::{Blank, Close, Digit, Frame, Letter, Lower, Open, Quote, Sign, Upper};
    let mut cost = other.own;
    cost += match (one.kind, other.kind) {
        (Upper, Upper) => 12,
        (Upper, Lower) => 5,
        (Lower, Upper) => 72,
        (Lower, Lower) => 0,
        // Texts do not mix letters with and without case. Combining marks follow letters.
        (Lower | Upper, Letter) if one.script != other.script => 48,
        (Letter, Upper | Lower) if one.script != other.script => 48,
        (Frame, Frame) if one.character == other.character => return 20,
        (Frame, Frame) => return 64,
        (Blank, Frame) => return 96,
        (Frame, Upper | Lower | Letter) | (Upper | Lower | Letter, Frame) => 40,
        // `№`, `ú825`.
        (Digit, Upper | Lower | Letter) | (Upper | Lower | Letter, Digit) => 40,
        (_, Upper) => 24,
        (_, Lower) => 2,
        (Upper | Lower | Letter, Sign) => 32,
        (Upper | Lower | Letter, Open) if !other.is_ascii => 32,
        (Upper | Lower | Letter, Quote) if !other.is_ascii => 8,
        _ => 0,
    };
    if other.is_letter() {
        cost += match one.kind {
            Close if !one.is_ascii => 32,
            Quote if !one.is_ascii => 8,
            Sign => 32,
            Upper | Lower if one.script != other.script => 48,
            _ => 0,
        };
    }
    cost
}
