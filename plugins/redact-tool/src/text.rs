//! Text files: plain text, Markdown, and tables of values.

use crate::coding;
use crate::decoded::{self, Escapes};
use crate::error::{Error, Result, nothing};
use crate::kind::TextKind;
use crate::marks::Marks;
use crate::matcher::{BLOCK, Matcher, STAR};
use crate::places::{Places, Redacted};
use crate::{html, markdown, verify};
use encoding_rs::{Encoding, UTF_8};

/// How texts are edited.
pub(crate) struct Editor<'a> {
    pub(crate) matcher: &'a Matcher,
    /// `true` if data in addresses stay, such as pictures.
    pub(crate) keeps_data: bool,
}

/// A text after its hits were taken out.
pub(crate) struct Edited {
    pub(crate) bytes: Vec<u8>,
    /// Line from 1 of each hit.
    pub(crate) lines: Vec<usize>,
    /// Number of data in addresses that were left out.
    pub(crate) n_cut: usize,
}

impl Editor<'_> {
    /// Returns the text without its hits; `None` if it has none. `is_ascii` keeps signs that are not ASCII out.
    ///
    /// # Errors
    /// [`Error::Unsupported`] - the encoding cannot write it.
    pub(crate) fn edit(
        &self,
        bytes: &[u8],
        encoding: &'static Encoding,
        kind: TextKind,
        is_ascii: bool,
    ) -> Result<Option<Edited>> {
        let (text, _) = coding::decode(encoding, bytes);
        let marks = self.marks(&text, kind);
        let changes = marks.changes();
        if changes.is_empty() {
            return Ok(None);
        }
        let sign = if !is_ascii && coding::can_have(encoding, BLOCK) { BLOCK } else { STAR };
        if self.matcher.is_sign(sign) {
            return Err(Error::Unsupported(format!(
                "a word or pattern is the sign `{sign}`, which stands for redacted text in {}",
                encoding.name()
            )));
        }
        let masked = |part: &str| -> String {
            part.chars().map(|it| if kind.is_kept(it) { it } else { sign }).collect()
        };
        let bytes = coding::change(encoding, bytes, &text, &changes, &masked)?;
        Ok(Some(Edited { bytes, lines: lines(&text, &marks.hits()), n_cut: marks.n_cut() }))
    }

    fn marks(&self, text: &str, kind: TextKind) -> Marks {
        let mut marks = Marks::default();
        if kind == TextKind::Html {
            html::mark(text, self.matcher, self.keeps_data, &mut marks);
            return marks;
        }
        marks.add_source(text, 0, self.matcher);
        let is_table = kind == TextKind::Values;
        // `+` and `%` are signs of addresses only together, so each view has its own.
        for escapes in [
            Escapes { entities: true, json: true, quotes: is_table, ..Escapes::default() },
            Escapes { entities: true, percent: true, ..Escapes::default() },
        ] {
            decoded::mark(text, escapes, self.matcher, &mut marks);
        }
        if kind == TextKind::Markdown {
            markdown::mark(text, self.matcher, &mut marks);
        }
        marks
    }
}

/// Returns the line from 1 of each of some sorted places.
fn lines(text: &str, places: &[usize]) -> Vec<usize> {
    let (mut line, mut at) = (1, 0);
    // Old files of a Mac have no line feeds.
    let end = if text.contains('\n') { b'\n' } else { b'\r' };
    let count = |place: &usize| {
        line += text.as_bytes()[at..*place].iter().filter(|it| **it == end).count();
        at = *place;
        line
    };
    places.iter().map(count).collect()
}

/// Takes words and matches of patterns out of a text file.
///
/// # Errors
/// [`Error::Invalid`] - a word or a pattern cannot be used. [`Error::NotFound`] - there is no hit. [`Error::Unsupported`] - the
/// encoding cannot be written, or the second reader found a hit in the result.
pub fn redact_text(
    bytes: &[u8],
    kind: TextKind,
    words: &[String],
    patterns: &[String],
) -> Result<Redacted> {
    let matcher = Matcher::new(words, patterns)?;
    let encoding = coding::detect(bytes)?;
    let editor = Editor { matcher: &matcher, keeps_data: true };
    let Some(mut edited) = editor.edit(bytes, encoding, kind, false)? else {
        return nothing(&if encoding == UTF_8 {
            String::new()
        } else {
            format!("; the text was read as {}", encoding.name())
        });
    };
    let is_guessed =
        |it: &[u8]| it.is_ascii() || coding::detect(it).is_ok_and(|guess| guess == encoding);
    // Among few characters, the signs for what was removed can make another encoding likelier. Stars are ASCII, and do so less.
    if !is_guessed(&edited.bytes)
        && let Some(with_stars) = editor.edit(bytes, encoding, kind, true)?
    {
        edited = with_stars;
    }
    verify::text(&edited.bytes, encoding, kind, &matcher)?;
    let mut places = Places::default();
    edited.lines.iter().for_each(|line| places.add(&format!("line {line}"), 1));
    let mut warnings = Vec::new();
    if !is_guessed(&edited.bytes) {
        warnings.push(format!(
            "the new text is in {}, as the old one, but programs may take it for another encoding",
            encoding.name()
        ));
    }
    if coding::decode(encoding, bytes).1 {
        warnings.push(format!(
            "some bytes are no characters in {}; they stay, and were not searched",
            encoding.name()
        ));
    }
    Ok(places.finish(edited.bytes, warnings))
}
