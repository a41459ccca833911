//! Tables that `make.py` makes.

mod han;
mod languages;
mod pages;

pub(super) use han::{JAPANESE, KOREAN, SIMPLIFIED, TAIWAN, TRADITIONAL};
pub(super) use languages::LANGUAGES;
pub(super) use pages::PAGES;

/// What letters cost behind others, four bits each.
pub(super) const COSTS: &[u8] = include_bytes!("letters.bin");

/// A language by its letters.
#[derive(Debug)]
pub(crate) struct Language {
    #[expect(dead_code, reason = "it tells people whose letters these are")]
    pub(crate) name: &'static str,
    /// In lower case, in order of their codes.
    pub(crate) letters: &'static str,
    /// Where its costs begin.
    pub(crate) start: u32,
}

/// Characters of a page.
#[derive(Debug)]
pub(crate) enum Characters {
    /// Those that [`encoding_rs`] has under the label of the page.
    Web,
    /// Those from 0x80 on; below they are ASCII.
    Upper(&'static str),
    /// All: a page of mainframes.
    All(&'static str),
}

/// An encoding in which each byte is a character.
#[derive(Debug)]
pub(crate) struct Page {
    /// Its name in lower case, without `cp` and `ibm` in front if it is a number.
    pub(crate) label: &'static str,
    /// What people call it.
    pub(crate) shown: &'static str,
    pub(crate) characters: Characters,
    /// Languages that it can write, as bits.
    pub(crate) languages: u64,
    /// How much rarer it is than others, in bits.
    pub(crate) cost: u8,
}
