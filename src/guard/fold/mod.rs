//! Folding: maps each character to the form in which words are compared, so that different spellings of a word are the same.
//!
//! Compatible forms (full width, mathematical letters, radicals), case, accents, traditional characters, decimal digits of
//! all scripts and letters that look like Latin ones fold to one form. Invisible characters fold to nothing; everything that
//! is neither a letter nor a digit folds to a separator. Folding looks at one character at a time, so positions in the
//! original stay known. Knows no rules.

mod alike;
mod traditional;

pub use traditional::simplified;

use std::sync::OnceLock;

use unicode_normalization::char::{decompose_compatible, is_combining_mark};

/// Effect of a folded character on a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Class {
    /// A letter or a digit.
    Letter,
    /// A letter of another script that looks like this one.
    Alike,
    /// Stands within words and between them: spaces, line ends, `.`, `/`.
    Weak,
    /// A sign that ends no sentence: `-`, `·`, `*`, an emoji.
    Mark,
    /// Ends a sentence, a clause, a quotation or a cell.
    Hard,
    /// Part of a redaction mark: no word goes across it.
    Break,
    /// Invisible, or only changes how the letter before it looks.
    Hidden,
}

/// One folded character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unit {
    pub(crate) letter: char,
    pub(crate) class: Class,
}

impl Unit {
    pub(crate) fn is_letter(self) -> bool {
        matches!(self.class, Class::Letter | Class::Alike)
    }

    /// Returns `true` if its script has word boundaries, so that a word does not simply go on behind it.
    pub(crate) fn has_borders(self) -> bool {
        self.is_letter() && !is_dense(self.letter)
    }
}

/// Returns `true` for scripts that write words without spaces, or join particles to them.
pub(crate) fn is_dense(letter: char) -> bool {
    matches!(letter,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1100}'..='\u{11ff}' | '\u{1780}'..='\u{17ff}'
        | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7ff}' | '\u{f900}'..='\u{faff}' | '\u{1b000}'..='\u{1b16f}'
        | '\u{20000}'..='\u{3ffff}')
}

/// Foldings of all characters. The process has one table, which never changes.
pub(crate) struct Table {
    /// Class and letter of the characters with two-byte numbers, or [`LONG`].
    short: Vec<u32>,
}

/// Marks a character that folds to none or several units.
const LONG: u32 = u32::MAX;

impl Table {
    pub(crate) fn get() -> &'static Table {
        static TABLE: OnceLock<Table> = OnceLock::new();
        TABLE.get_or_init(|| Table { short: (0..=0xffff).map(packed).collect() })
    }

    /// Calls `unit` with each unit that `c` folds to.
    #[inline]
    pub(crate) fn fold(&self, c: char, mut unit: impl FnMut(Unit)) {
        match self.short.get(c as usize) {
            Some(&packed) if packed != LONG => unit(unpacked(packed)),
            _ => slow(c, &mut unit),
        }
    }
}

fn packed(code: u32) -> u32 {
    // Surrogates are no characters, and nothing looks them up.
    let Some(c) = char::from_u32(code) else { return LONG };
    let (mut count, mut last) = (0, LONG);
    slow(c, &mut |unit: Unit| {
        count += 1;
        last = (unit.class as u32) << 24 | unit.letter as u32;
    });
    if count == 1 { last } else { LONG }
}

fn unpacked(packed: u32) -> Unit {
    const CLASSES: [Class; 7] = [
        Class::Letter,
        Class::Alike,
        Class::Weak,
        Class::Mark,
        Class::Hard,
        Class::Break,
        Class::Hidden,
    ];
    let class = CLASSES.get((packed >> 24) as usize).copied().unwrap_or(Class::Mark);
    let letter = char::from_u32(packed & 0xff_ffff).unwrap_or(char::REPLACEMENT_CHARACTER);
    Unit { letter, class }
}

fn slow(c: char, unit: &mut impl FnMut(Unit)) {
    if is_hidden(c) {
        return unit(Unit { letter: c, class: Class::Hidden });
    }
    decompose_compatible(alike::shape(c), |part| {
        if is_hidden(part) {
            return unit(Unit { letter: part, class: Class::Hidden });
        }
        part.to_lowercase().for_each(|lower| one(lower, unit));
    });
}

/// Folds a character that is decomposed and in lower case.
fn one(c: char, unit: &mut impl FnMut(Unit)) {
    if is_hidden(c) {
        return unit(Unit { letter: c, class: Class::Hidden });
    }
    // This comes first, because Unicode counts radicals as symbols.
    if let Some(letter) = alike::variant(c) {
        return unit(Unit { letter, class: Class::Letter });
    }
    if let Some(letter) = alike::decimal(c) {
        return unit(Unit { letter, class: Class::Letter });
    }
    if !c.is_alphanumeric() && !is_combining_mark(c) {
        return unit(Unit { letter: c, class: separator(c) });
    }
    if let Some(several) = alike::several(c) {
        return several.chars().for_each(|letter| unit(Unit { letter, class: Class::Letter }));
    }
    unit(match alike::other_script(c) {
        Some(letter) => Unit { letter, class: Class::Alike },
        None => Unit { letter: simplified(c), class: Class::Letter },
    });
}

fn separator(c: char) -> Class {
    match c {
        '\u{2588}' => Class::Break,
        '\t' => Class::Hard,
        '.' | '/' => Class::Weak,
        c if c.is_whitespace() => Class::Weak,
        ','
        | ';'
        | ':'
        | '!'
        | '?'
        | '('
        | ')'
        | '['
        | ']'
        | '{'
        | '}'
        | '<'
        | '>'
        | '"'
        | '|'
        | '«'
        | '»'
        | '\u{201c}'..='\u{201f}'
        | '\u{3001}'..='\u{3002}'
        | '\u{3008}'..='\u{3011}'
        | '\u{3014}'..='\u{301f}' => Class::Hard,
        _ => Class::Mark,
    }
}

/// Returns `true` for default ignorable code points, interlinear annotations, and marks that decorate letters of any script.
/// Marks that make a different letter, such as Indian vowel signs and the marks of voiced kana, are not among them.
fn is_hidden(c: char) -> bool {
    if c < '\u{ad}' {
        return false;
    }
    matches!(c,
        '\u{ad}' | '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{591}'..='\u{5bd}' | '\u{5bf}'
        | '\u{5c1}'..='\u{5c2}' | '\u{5c4}'..='\u{5c5}' | '\u{5c7}' | '\u{610}'..='\u{61a}' | '\u{61c}'
        | '\u{640}' | '\u{64b}'..='\u{65f}' | '\u{670}' | '\u{6d6}'..='\u{6dc}' | '\u{6df}'..='\u{6e4}'
        | '\u{6e7}'..='\u{6e8}' | '\u{6ea}'..='\u{6ed}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{20d0}'..='\u{20ff}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{fe20}'..='\u{fe2f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(text: &str) -> String {
        let mut found = String::new();
        for c in text.chars() {
            Table::get().fold(c, |unit| match unit.class {
                Class::Letter => found.push(unit.letter),
                Class::Alike => found.extend(['~', unit.letter]),
                Class::Weak => found.push(' '),
                Class::Mark => found.push('-'),
                Class::Hard => found.push('|'),
                Class::Break => found.push('#'),
                Class::Hidden => {}
            });
        }
        found
    }

    #[test]
    fn spellings_of_a_word_fold_to_one() {
        for (text, fold) in [
            ("Secret", "secret"),
            ("ｓｅｃｒｅｔ", "secret"),
            ("𝐬𝐞𝐜𝐫𝐞𝐭", "secret"),
            ("ⓢⓔⓒⓡⓔⓣ", "secret"),
            ("🅢🅔🅒🅡🅔🅣", "secret"),
            ("séc\u{301}re\u{ad}t", "secret"),
            ("s\u{200b}e\u{2060}c\u{feff}r\u{e0100}et", "secret"),
            ("ѕесrеt", "~s~e~cr~et"),
            ("ꜱᴇᴄʀᴇᴛ", "secret"),
            ("機密 這是違禁品", "机密 这是违禁品"),
            ("⼀⽂⻓⻢", "一文长马"),
            ("豈", "岂"),
            ("Straße Æther", "strasse aether"),
            ("ﬁle ㎏ ½", "file kg 1-2"),
            ("が ガ か", "か\u{3099} ~力\u{3099} か"),
            ("हिन्दी", "हिन्दी"),
            ("a\tb,c。d·e█f\u{0}", "a|b|c|d-e#f-"),
            ("Ⅷ ①", "viii 1"),
            ("١٢٣ ๑๒๓ १२३ ߁߂߃", "123 123 123 123"),
        ] {
            assert_eq!(folded(text), fold, "{text}");
        }
    }

    /// A folded text folds to itself, so a rule may be written in any of the spellings.
    #[test]
    fn folding_twice_is_folding_once() {
        for c in (0..=0x10ffff).filter_map(char::from_u32) {
            let mut once = String::new();
            Table::get().fold(c, |unit| {
                if unit.is_letter() {
                    once.push(unit.letter);
                }
            });
            let mut twice = String::new();
            for c in once.chars() {
                Table::get().fold(c, |unit| twice.push(unit.letter));
            }
            assert_eq!(once, twice, "U+{:04X}", c as u32);
        }
    }
}
