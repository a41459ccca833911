//! What runs along the edges of pages: texts with places for what differs by document and page.

use serde::{Deserialize, Serialize};

#[cfg(any(feature = "docx", feature = "pdf"))]
use super::{Theme, ThemeLayout};

/// Longest text of one place, in characters.
#[cfg_attr(
    not(feature = "theme-files"),
    allow(dead_code, reason = "only files of themes are checked")
)]
pub(super) const MAX_TEXT: usize = 200;

/// Names that stand in braces.
#[cfg_attr(
    not(any(feature = "docx", feature = "pdf")),
    allow(dead_code, reason = "only pages have running texts")
)]
pub(super) const NAMES: [&str; 5] = ["title", "author", "date", "page", "pages"];

/// A header or footer: three texts, in which `{title}`, `{author}`, `{date}`, `{page}` and `{pages}` stand for what they
/// name. `{{` and `}}` are braces.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Running {
    /// At the beginning of the line.
    pub left: String,
    /// In its middle.
    pub center: String,
    /// At its end.
    pub right: String,
    /// Whether the first page has it too.
    pub first: bool,
}

#[cfg(any(feature = "docx", feature = "pdf"))]
impl Theme {
    /// Header and footer, as the theme says, or as its layout has them. `of_all` is the text of a page's number among all.
    pub(crate) fn running(&self, of_all: &str) -> [Running; 2] {
        let text = |text: &str| text.to_owned();
        let numbers = Running { center: text(of_all), first: true, ..Running::default() };
        let (header, footer) = match self.layout {
            ThemeLayout::Plain => {
                (Running { left: text("{title}"), ..Running::default() }, numbers)
            }
            ThemeLayout::Report => {
                let (left, right) = (text("{title}"), text("{date}"));
                (Running { left, right, first: true, ..Running::default() }, numbers)
            }
            ThemeLayout::Letter => (Running::default(), Running { first: false, ..numbers }),
            ThemeLayout::Slides => {
                let (left, right) = (text("{title}"), text("{page}"));
                (Running::default(), Running { left, right, ..Running::default() })
            }
        };
        [self.header.clone().unwrap_or(header), self.footer.clone().unwrap_or(footer)]
    }
}

/// A piece of a text.
#[cfg_attr(
    not(any(feature = "docx", feature = "pdf")),
    allow(dead_code, reason = "only pages have running texts")
)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    Text(String),
    /// One of [`NAMES`].
    Name(&'static str),
}

/// The pieces of a text.
///
/// # Errors
///
/// What is wrong with it, and a hint: a brace without its other half, or a name that is none.
#[cfg_attr(
    not(any(feature = "docx", feature = "pdf")),
    allow(dead_code, reason = "only pages have running texts")
)]
pub(crate) fn pieces(text: &str) -> Result<Vec<Piece>, (String, String)> {
    let known = || format!("known are {}", super::builtin::quoted(NAMES.iter().copied()));
    let mut pieces = Vec::new();
    let mut plain = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        match c {
            '{' | '}' if after.starts_with(c) => {
                plain.push(c);
                rest = &after[1..];
            }
            '{' => {
                let Some((name, tail)) = after.split_once('}') else {
                    return Err(("`{` without `}`".into(), "a brace itself is `{{`".into()));
                };
                let Some(known) = NAMES.iter().find(|known| **known == name.trim()) else {
                    let hint = match mitt_base::text::nearest(name, NAMES).first() {
                        Some(near) => format!("did you mean `{{{near}}}`?"),
                        None => known(),
                    };
                    let shown = mitt_base::text::one_line(mitt_base::text::cut_bytes(name, 40));
                    return Err((format!("there is no `{{{shown}}}`"), hint));
                };
                if !plain.is_empty() {
                    pieces.push(Piece::Text(std::mem::take(&mut plain)));
                }
                pieces.push(Piece::Name(known));
                rest = tail;
            }
            '}' => return Err(("`}` without `{`".into(), "a brace itself is `}}`".into())),
            _ => {
                plain.push(c);
                rest = after;
            }
        }
    }
    if !plain.is_empty() {
        pieces.push(Piece::Text(plain));
    }
    Ok(pieces)
}
