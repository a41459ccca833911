//! Headers and footers: texts with placeholders for values of the document and the page.

use serde::{Deserialize, Serialize};

#[cfg(any(feature = "docx", feature = "pdf"))]
use super::{Theme, ThemeLayout};

/// Most characters of one text.
#[cfg_attr(
    not(feature = "theme-files"),
    allow(dead_code, reason = "only files of themes are checked")
)]
pub(super) const MAX_TEXT: usize = 200;

/// Names of placeholders.
#[cfg_attr(
    not(any(feature = "docx", feature = "pdf")),
    allow(dead_code, reason = "only pages have running texts")
)]
pub(super) const NAMES: [&str; 5] = ["title", "author", "date", "page", "pages"];

/// A header or footer: three texts with the placeholders `{title}`, `{author}`, `{date}`, `{page}` and `{pages}`. `{{` and
/// `}}` are braces.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Running {
    /// Text at the left.
    pub left: String,
    /// Text in the middle.
    pub center: String,
    /// Text at the right.
    pub right: String,
    /// `true` if the first page has it as well.
    pub first: bool,
}

#[cfg(any(feature = "docx", feature = "pdf"))]
impl Theme {
    /// Returns header and footer: those of the theme, or else those of its layout. `of_all` is the text for the number of a
    /// page among all.
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

/// A segment of a text.
#[cfg_attr(
    not(any(feature = "docx", feature = "pdf")),
    allow(dead_code, reason = "only pages have running texts")
)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RunningSegment {
    Text(String),
    /// One of [`NAMES`].
    Name(&'static str),
}

/// Returns the segments of a text.
///
/// # Errors
///
/// The mistake in the text, and a hint: a brace without its counterpart, or an unknown name.
#[cfg_attr(
    not(any(feature = "docx", feature = "pdf")),
    allow(dead_code, reason = "only pages have running texts")
)]
pub(crate) fn running_segments(text: &str) -> Result<Vec<RunningSegment>, (String, String)> {
    let known = || format!("known are {}", super::builtin::quoted(NAMES.iter().copied()));
    let mut segments = Vec::new();
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
                    segments.push(RunningSegment::Text(std::mem::take(&mut plain)));
                }
                segments.push(RunningSegment::Name(known));
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
        segments.push(RunningSegment::Text(plain));
    }
    Ok(segments)
}
