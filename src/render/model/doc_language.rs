//! The language of a document, and words in it that the host inserts.

use super::doc::{Doc, QuoteKind};
use super::language::{Language, language_of};
use mitt_base::{Error, ErrorKind, Result, text};

impl Language {
    /// Returns the language that the caller asked for, or else the document's, or else the one of its text.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Arguments`] - the caller's language is not a valid tag.
    pub(crate) fn of(doc: &Doc, asked: Option<&str>) -> Result<Language> {
        let named = asked.map(str::trim).filter(|tag| !tag.is_empty());
        let tag = match named.or(doc.meta.language.as_deref()) {
            Some(tag) => tag,
            None => {
                let mut texts = Vec::new();
                doc.for_each_text(&mut |text| texts.push(text));
                language_of(texts.into_iter())
            }
        };
        Language::parse(tag).ok_or_else(|| {
            let got = text::cut_bytes(tag, 40);
            let message = format!("language: expected a tag such as `zh-CN` or `en`, got `{got}`");
            Error::new(ErrorKind::Arguments, message)
        })
    }

    /// Returns the name of a kind of admonition.
    pub(crate) fn note(&self, kind: QuoteKind) -> &'static str {
        let (chinese, english) = match kind {
            QuoteKind::Note => ("说明", "Note"),
            QuoteKind::Tip => ("提示", "Tip"),
            QuoteKind::Important => ("重要", "Important"),
            QuoteKind::Warning => ("注意", "Warning"),
            QuoteKind::Caution => ("警告", "Caution"),
        };
        self.say(chinese, english)
    }
}
