//! The encodings that texts are decoded from.

use encoding_rs::Encoding;

use super::east::Wide;
use super::pages::Page;
use super::seven::Seven;

#[derive(Clone, Copy, Debug)]
pub(super) enum Coding {
    Known(&'static Encoding),
    Seven(Seven),
    Page(&'static Page),
    Wide(Wide),
}

impl Coding {
    /// Returns the encoding as browsers know it. `None` if they do not.
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

    /// Returns the name for `iconv`. `None` if `iconv` does not have the encoding.
    pub(super) fn converter(&self) -> Option<String> {
        match self {
            Coding::Page(page) => page.converter(),
            _ => Some(self.name().to_ascii_uppercase()),
        }
    }

    /// Returns the text, and `true` if some bytes are not valid.
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

    /// Returns the encoding of a label in lower case. `None` if it is not known, or browsers know it.
    pub(super) fn declared(label: &[u8]) -> Option<Coding> {
        let label = std::str::from_utf8(label).ok()?;
        match label {
            "johab" | "cp1361" | "ms1361" => Some(Coding::Wide(Wide::Johab)),
            "euc-tw" | "x-euc-tw" | "euctw" => Some(Coding::Wide(Wide::Taiwan)),
            // A text whose declaration can be read as ASCII is not in EBCDIC.
            _ => Page::declared(label).filter(|page| !page.is_mainframe()).map(Coding::Page),
        }
    }
}
