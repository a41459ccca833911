//! Tables that `make.py` generates.

mod han;
mod languages;
mod pages;

pub(super) use han::{JAPANESE, KOREAN, SIMPLIFIED, TAIWAN, TRADITIONAL};
pub(super) use languages::LANGUAGES;
pub(super) use pages::PAGES;

/// The cost of each letter after each other one, four bits each.
pub(super) const COSTS: &[u8] = include_bytes!("letters.bin");

#[derive(Debug)]
pub(crate) struct Language {
    #[expect(dead_code, reason = "names the language for people")]
    pub(crate) name: &'static str,
    /// The letters in lower case, in the order of their code points.
    pub(crate) letters: &'static str,
    /// Index of its first cost in [`COSTS`].
    pub(crate) start: u32,
}

#[derive(Debug)]
pub(crate) enum Characters {
    /// Those of the encoding in [`encoding_rs`] with the label of the page.
    Web,
    /// Those from 0x80 on. The others are ASCII.
    Upper(&'static str),
    /// All, for EBCDIC.
    All(&'static str),
}

/// A code page, in which each byte is a character.
#[derive(Debug)]
pub(crate) struct Page {
    /// Name in lower case. A number has no prefix `cp` or `ibm`.
    pub(crate) label: &'static str,
    /// Name for people.
    pub(crate) shown: &'static str,
    pub(crate) characters: Characters,
    /// Languages whose letters it has: a bit for each of [`LANGUAGES`].
    pub(crate) languages: u64,
    /// Cost of the page in bits: higher for a rarer one.
    pub(crate) cost: u8,
}
