//! Markdown into a [`Doc`].
//!
//! CommonMark with tables, task lists, strikethrough, footnotes, admonitions (`> [!NOTE]`), formulas and front matter, read
//! as authors of Chinese text mean it. HTML elements become their equivalents, or are left out by name. Runs and fetches
//! nothing, and knows no output format.

mod build;
mod chart;
mod dollars;
mod elements;
mod emphasis;
mod front;
mod html;
mod join;
#[cfg(test)]
mod tests;

use pulldown_cmark::{Event, Options, Parser, Tag};

use self::build::Builder;
use self::elements::Elements;
use super::doc::{Doc, Meta};
use crate::Cancel;
use mitt_base::{Error, ErrorKind, Result};
use mitt_text::budget;
use mitt_text::markdown::WideRows;

/// Most bytes of a source for [`markdown`]: 2 MiB, about 700 000 Chinese characters or a thousand pages.
pub const MAX_MARKDOWN_BYTES: usize = 2 * 1024 * 1024;

/// Events of the parser between two checks of cancellation.
const EVENTS_PER_LOOK: usize = 1024;

/// Reads Markdown.
///
/// Differs from CommonMark where models and Chinese authors write differently:
/// - emphasis beside Chinese punctuation works: `**真，**她`;
/// - a line break in the source between two Chinese characters is nothing, not a space;
/// - simple HTML has its usual meaning: `<sub>`, `<sup>`, `<kbd>`, `<br>`, `<u>`, `<mark>`, `<a>`, `<img>`, lists, tables
///   and similar elements; comments are left out; of other elements the text is kept, with a warning; `<script>`, `<style>`
///   and similar elements are shown as text;
/// - `<!-- pagebreak -->` by itself begins a new page, as do `\\newpage` and `\\pagebreak`;
/// - `$5到$10` is money, and `$x^2$` a formula;
/// - text between two lines of `---` at the very beginning is front matter: `title`, `author`, `date`, `language`, `paper`;
/// - a fenced block `chart` with a description and a table, in it or beside it, is a chart;
/// - control characters are dropped.
///
/// Blocks nest at most twelve levels, formatting at most eight. Deeper content is kept, one level higher.
///
/// # Errors
///
/// [`ErrorKind::Arguments`] - the source is longer than [`MAX_MARKDOWN_BYTES`], has too many elements, or would expand too
/// much: 131 072 cells that rows leave out, a million pieces of text.
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

/// Does what [`markdown`] does, but ends early when `cancel` is set.
///
/// # Errors
///
/// Those of [`markdown`]; [`ErrorKind::Host`] - it was cancelled.
pub fn markdown_unless(source: &str, cancel: &Cancel) -> Result<Doc> {
    if source.len() > MAX_MARKDOWN_BYTES {
        let message =
            format!("markdown: expected at most {MAX_MARKDOWN_BYTES} bytes, got {}", source.len());
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
    let mut elements = Elements::of(&text);
    let mut lines = Lines::behind(source, front.rest, &text);
    let (mut wide_rows, mut columns) = (WideRows::default(), 0);
    for (index, (event, range)) in Parser::new_ext(&text, options).into_offset_iter().enumerate() {
        if index % EVENTS_PER_LOOK == 0 {
            cancel.check()?;
        }
        let behind = text.get(range.end..).and_then(|rest| rest.chars().next());
        let event = match event {
            Event::InlineMath(math) if !dollars::is_formula(&math, behind) => {
                Event::Text(format!("${math}$").into())
            }
            event => event,
        };
        let line = lines.line(range.start);
        match &event {
            Event::Start(Tag::Table(all)) => columns = all.len(),
            Event::Start(Tag::TableRow) => {
                wide_rows.see(line, text.get(range).unwrap_or_default(), columns);
            }
            _ => {}
        }
        elements.event(event, line);
        elements.steps().try_for_each(|step| builder.step(step))?;
    }
    elements.finish();
    elements.steps().try_for_each(|step| builder.step(step))?;
    let mut doc = builder.finish();
    let mut warnings = front.warnings;
    warnings.extend(wide_rows.warning(|line| format!("line {line}: a row of a table")));
    warnings.extend(elements.warnings());
    warnings.extend(chart::draw(&mut doc));
    Ok(Doc { meta: front.meta, warnings, ..doc })
}

/// Finds the line numbers of positions in a text, in ascending order.
struct Lines<'a> {
    text: &'a str,
    at: usize,
    line: usize,
}

impl<'a> Lines<'a> {
    /// Creates it for `text`, which was made from `rest`, the end of `source`.
    fn behind(source: &str, rest: &str, text: &'a str) -> Lines<'a> {
        let before = source.get(..source.len().saturating_sub(rest.len())).unwrap_or_default();
        Lines { text, at: 0, line: 1 + before.matches('\n').count() }
    }

    fn line(&mut self, place: usize) -> usize {
        if let Some(part) = self.text.get(self.at..place) {
            self.line += part.matches('\n').count();
            self.at = place;
        }
        self.line
    }
}

fn too_costly(too_much: &budget::TooMuch) -> Error {
    Error::new(ErrorKind::Arguments, format!("markdown: {}", too_much.sentence()))
        .hint(too_much.way_out())
}

/// Returns the front matter of a text, without reading the text itself.
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
