//! How the bytes of a text become characters.

use encoding_rs::Encoding;

use super::east::Wide;
use super::pages::Page;
use super::seven::Seven;

/// How the bytes of a text become characters.
#[derive(Clone, Copy, Debug)]
pub(super) enum Coding {
    Known(&'static Encoding),
    Seven(Seven),
    Page(&'static Page),
    Wide(Wide),
}

impl Coding {
    /// The encoding of browsers that it is.
    pub(super) fn encoding(&self) -> Option<&'static Encoding> {
        match self {
            Coding::Known(encoding) | Coding::Wide(Wide::Web(encoding)) => Some(encoding),
            Coding::Page(page) => page.encoding(),
            _ => None,
        }
    }

    pub(super) fn name(&self) -> &'static str {
        match self {
            Coding::Known(encoding) | Coding::Wide(Wide::Web(encoding)) => encoding.name(),
            Coding::Seven(seven) => seven.name(),
            Coding::Page(page) => page.encoding().map_or(page.shown, Encoding::name),
            Coding::Wide(Wide::Johab) => "Johab",
            Coding::Wide(Wide::Taiwan) => "EUC-TW",
        }
    }

    /// What `iconv` calls it, if it has it.
    pub(super) fn converter(&self) -> Option<String> {
        match self {
            Coding::Page(page) => page.converter(),
            _ => Some(self.name().to_ascii_uppercase()),
        }
    }

    /// The text, and whether some bytes are no characters.
    pub(super) fn decode(&self, bytes: &[u8]) -> (String, bool) {
        match self {
            Coding::Known(encoding) => {
                let (text, _, has_errors) = encoding.decode(bytes);
                (text.into_owned(), has_errors)
            }
            Coding::Seven(seven) => seven.decode(bytes),
            Coding::Page(page) => page.decode(bytes),
            Coding::Wide(wide) => wide.decode(bytes),
        }
    }

    /// An encoding that browsers do not know, by the name that a text has for it, in lower case.
    pub(super) fn declared(label: &[u8]) -> Option<Coding> {
        let label = std::str::from_utf8(label).ok()?;
        match label {
            "johab" | "cp1361" | "ms1361" => Some(Coding::Wide(Wide::Johab)),
            "euc-tw" | "x-euc-tw" | "euctw" => Some(Coding::Wide(Wide::Taiwan)),
            // A text that can be read up to here is not one of a mainframe.
            _ => Page::declared(label).filter(|page| !page.is_mainframe()).map(Coding::Page),
        }
    }
}
