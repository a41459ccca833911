//! The language of a text. Recognises Chinese, Japanese and English, and languages with a script of their own.

use std::collections::BTreeMap;

use unicode_script::{Script, UnicodeScript as _};

use super::cjk::{is_han, is_kana};

/// The language of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Language {
    /// Two or three letters, in lower case: `zh`.
    pub(crate) code: String,
    /// Two letters, in upper case: `CN`. Chinese always has one, because its punctuation depends on it.
    pub(crate) region: Option<String>,
}

impl Language {
    /// Parses a BCP 47 tag. Chinese without a region is that of the mainland, unless it has traditional characters.
    pub(crate) fn parse(tag: &str) -> Option<Language> {
        let mut parts = tag.trim().split(['-', '_']);
        let code = parts.next().unwrap_or_default().to_ascii_lowercase();
        let letters = |text: &str| text.bytes().all(|b| b.is_ascii_alphabetic());
        if !(2..=3).contains(&code.len()) || !letters(&code) {
            return None;
        }
        let parts: Vec<_> = parts.collect();
        let region = parts.iter().find(|part| part.len() == 2 && letters(part));
        let region = region.map(|part| part.to_ascii_uppercase());
        let is_traditional = parts.iter().any(|part| part.eq_ignore_ascii_case("hant"));
        let default = if is_traditional { "TW" } else { "CN" };
        let region = region.or_else(|| (code == "zh").then(|| default.to_owned()));
        Some(Language { code, region })
    }

    /// Returns it as a tag: `zh-CN`.
    pub(crate) fn tag(&self) -> String {
        match &self.region {
            Some(region) => format!("{}-{region}", self.code),
            None => self.code.clone(),
        }
    }

    /// Returns `true` if words that the host inserts are Chinese.
    pub(crate) fn is_chinese(&self) -> bool {
        self.code == "zh"
    }

    /// Returns `true` if lines run from right to left.
    pub(crate) fn is_from_right(&self) -> bool {
        matches!(self.code.as_str(), "ar" | "dv" | "fa" | "he" | "ps" | "sd" | "ug" | "ur" | "yi")
    }

    /// Returns one of two texts that the host inserts.
    pub(crate) fn say<'a>(&self, chinese: &'a str, english: &'a str) -> &'a str {
        if self.is_chinese() { chinese } else { english }
    }

    /// Returns the text for the number of a page in headers and footers.
    #[cfg(any(feature = "docx", feature = "pdf"))]
    pub(crate) fn of_all(&self) -> &'static str {
        self.say("第 {page} 页 / 共 {pages} 页", "Page {page} of {pages}")
    }
}

/// Returns the language of a text as a BCP 47 tag: `zh`, `ja`, that of the script of more than half of the letters, or else
/// `en`.
///
/// A Chinese report is full of Latin names and figures, so a fifth of Han among the letters is enough; a few kana among the
/// Han mean Japanese.
pub(crate) fn language_of<'a>(texts: impl Iterator<Item = &'a str>) -> &'static str {
    let (mut han, mut kana, mut other) = (0_u64, 0_u64, 0_u64);
    let mut scripts: BTreeMap<&'static str, u64> = BTreeMap::new();
    for c in texts.flat_map(str::chars) {
        if is_han(c) {
            han += 1;
        } else if is_kana(c) {
            kana += 1;
        } else if c.is_alphabetic() {
            other += 1;
            let script = if c.is_ascii() { Script::Latin } else { c.script() };
            if let Some(language) = of_script(script) {
                *scripts.entry(language).or_default() += 1;
            }
        }
    }
    if (han + kana) * 5 < other || han + kana == 0 {
        let most = scripts.into_iter().max_by_key(|(_, letters)| *letters);
        most.filter(|(_, letters)| *letters * 2 > other).map_or("en", |(language, _)| language)
    } else if kana * 5 > han {
        "ja"
    } else {
        "zh"
    }
}

/// Returns the language of a text mainly in `script`; `None` if the script does not tell. For a shared script it is the
/// language with most readers, because direction and line breaking are the same.
fn of_script(script: Script) -> Option<&'static str> {
    Some(match script {
        Script::Arabic => "ar",
        Script::Armenian => "hy",
        Script::Bengali => "bn",
        Script::Devanagari => "hi",
        Script::Georgian => "ka",
        Script::Greek => "el",
        Script::Gujarati => "gu",
        Script::Gurmukhi => "pa",
        Script::Hangul => "ko",
        Script::Hebrew => "he",
        Script::Kannada => "kn",
        Script::Khmer => "km",
        Script::Lao => "lo",
        Script::Malayalam => "ml",
        Script::Myanmar => "my",
        Script::Oriya => "or",
        Script::Sinhala => "si",
        Script::Tamil => "ta",
        Script::Telugu => "te",
        Script::Thai => "th",
        _ => return None,
    })
}
