//! Markdown into a [`Doc`].
//!
//! CommonMark with tables, task lists, strikethrough, footnotes, notes (`> [!NOTE]`), formulas and front matter, read as
//! authors of Chinese text mean it. Interprets no HTML except a line break, fetches nothing, and knows no output format.

mod build;
mod chart;
mod dollars;
mod emphasis;
mod front;
mod join;
#[cfg(test)]
mod tests;

use pulldown_cmark::{Event, Options, Parser};

use self::build::Builder;
use super::Cancel;
use super::doc::{Doc, Meta};
use mitt_base::{Error, ErrorKind, Result};
use mitt_text::budget;

/// The longest source that [`markdown`] reads: 2 MiB, about 700 000 Chinese characters or a thousand pages.
pub const MAX_MARKDOWN_BYTES: usize = 2 * 1024 * 1024;

/// Events of the parser between two looks at the flag.
const EVENTS_PER_LOOK: usize = 1024;

/// Read Markdown.
///
/// What differs from CommonMark, because models and Chinese authors write it so:
/// - emphasis beside Chinese punctuation works: `**真，**她`;
/// - a line break in the source between two Chinese characters is nothing, not a space;
/// - raw HTML is shown as text, except `<br>`, which breaks the line, and `<!-- pagebreak -->` by itself, which begins a new
///   page, as do `\\newpage` and `\\pagebreak`;
/// - `$5到$10` is money, and `$x^2$` a formula;
/// - what stands between two lines of `---` at the very beginning is what the document says of itself: `title`, `author`,
///   `date`, `language`, `paper`;
/// - a fenced block `chart` with a description and a table, in it or beside it, is a chart;
/// - control characters are dropped.
///
/// Blocks nest at most twelve levels, formatting at most eight; what is deeper is kept, but one level higher.
///
/// # Errors
///
/// [`ErrorKind::Arguments`] - the source is longer than [`MAX_MARKDOWN_BYTES`], has more elements than anything would draw,
/// or would cost more than it says: rows that leave out 131 072 cells, a million pieces of text.
///
/// # Example: bold text that ends with a Chinese comma
///
/// ```
/// use mitt_render::{Block, Inline, markdown};
///
/// let doc = markdown("**真，**她说")?;
/// let Block::Paragraph { content } = &doc.blocks[0] else { panic!() };
/// assert!(matches!(content[0], Inline::Strong { .. }));
/// # Ok::<(), mitt_base::Error>(())
/// ```
pub fn markdown(source: &str) -> Result<Doc> {
    markdown_unless(source, &Cancel::new())
}

/// As [`markdown`], but ends early when `cancel` is set.
///
/// # Errors
///
/// As those of [`markdown`]; [`ErrorKind::Host`] - it was cancelled.
pub fn markdown_unless(source: &str, cancel: &Cancel) -> Result<Doc> {
    if source.len() > MAX_MARKDOWN_BYTES {
        let message = format!("markdown: at most {MAX_MARKDOWN_BYTES} bytes, got {}", source.len());
        return Err(
            Error::new(ErrorKind::Arguments, message).hint("split the text into several documents")
        );
    }
    cancel.check()?;
    let front = front::front(source);
    let prepared = emphasis::prepare(front.rest);
    budget::check(&prepared.text).map_err(|too_much| too_costly(&too_much))?;
    cancel.check()?;
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_MATH
        | Options::ENABLE_GFM;
    let text = dollars::escape_prices(prepared.text, options, cancel)?;
    let mut builder = Builder::new(prepared.sentinel);
    for (index, (event, range)) in Parser::new_ext(&text, options).into_offset_iter().enumerate() {
        if index % EVENTS_PER_LOOK == 0 {
            cancel.check()?;
        }
        let behind = text.get(range.end..).and_then(|rest| rest.chars().next());
        match event {
            Event::InlineMath(math) if !dollars::is_formula(&math, behind) => {
                builder.event(Event::Text(format!("${math}$").into()))?;
            }
            event => builder.event(event)?,
        }
    }
    let mut doc = builder.finish();
    let mut warnings = front.warnings;
    warnings.extend(chart::draw(&mut doc));
    Ok(Doc { meta: front.meta, warnings, ..doc })
}

fn too_costly(too_much: &budget::TooMuch) -> Error {
    Error::new(ErrorKind::Arguments, format!("markdown: {}", too_much.sentence()))
        .hint(too_much.way_out())
}

/// What a text says of itself, without reading the text.
///
/// # Example: the paper of a document
///
/// ```
/// use mitt_render::{Paper, front_matter};
///
/// assert_eq!(front_matter("---\npaper: letter\n---\n# Report\n").paper, Some(Paper::Letter));
/// ```
pub fn front_matter(source: &str) -> Meta {
    front::front(source).meta
}
