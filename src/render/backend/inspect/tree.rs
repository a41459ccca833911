//! The texts of a document: paragraphs, headings, cells, code, texts of charts, descriptions and addresses of pictures,
//! addresses of links, front matter.
//!
//! Both directions use [`Walk`], so that a number means the same text in both.

use std::ops::Range;

use super::run::{TextSegment, joined, leave_out};
use super::{Inspect, LeftOut};
use crate::model::doc::{Block, Doc, Inline};
use mitt_base::Result;

impl Doc {
    /// Shows each text that is drawn or read to `look`, and leaves out the ranges that it returns. Returns what was left
    /// out, for the same document in another process.
    ///
    /// # Errors
    ///
    /// Those of `look`.
    ///
    /// # Example: a word that formatting divides
    ///
    /// ```
    /// use std::ops::Range;
    /// use mitt_render::{Inspect, markdown, plain_text, Block};
    ///
    /// struct Secret;
    /// impl Inspect for Secret {
    ///     fn mark(&self) -> &str {
    ///         "?"
    ///     }
    ///     fn text(&mut self, text: &str) -> mitt_base::Result<Vec<Range<usize>>> {
    ///         Ok(text.match_indices("secret").map(|(at, it)| at..at + it.len()).collect())
    ///     }
    /// }
    ///
    /// let mut doc = markdown("a [sec](http://a.b)**ret**.")?;
    /// doc.inspect(&mut Secret)?;
    /// let Block::Paragraph { content } = &doc.blocks[0] else { panic!() };
    /// assert_eq!(plain_text(content), "a ?.");
    /// # Ok::<(), mitt_base::Error>(())
    /// ```
    pub fn inspect(&mut self, look: &mut dyn Inspect) -> Result<LeftOut> {
        let mark = look.mark().to_owned();
        let mut left_out = LeftOut { mark: mark.clone(), texts: Vec::new() };
        let mut number = 0;
        let mut each = |text: &str| {
            let ranges = look.text(text)?;
            if !ranges.is_empty() {
                left_out.texts.push((number, ranges.clone()));
            }
            number += 1;
            Ok(ranges)
        };
        Walk { each: &mut each, mark: &mark }.doc(self)?;
        Ok(left_out)
    }

    /// Leaves out of the same document what [`Doc::inspect`] left out.
    pub fn leave_out(&mut self, left_out: &LeftOut) {
        if left_out.is_empty() {
            return;
        }
        let (mut number, mut texts) = (0, left_out.texts.iter().peekable());
        let mut each = |_: &str| {
            let found = texts.next_if(|(text, _)| *text == number);
            number += 1;
            Ok(found.map(|(_, ranges)| ranges.clone()).unwrap_or_default())
        };
        let done = Walk { each: &mut each, mark: &left_out.mark }.doc(self);
        debug_assert!(done.is_ok(), "nothing is refused here");
    }
}

type Ranges = Vec<Range<usize>>;

struct Walk<'w> {
    each: &'w mut dyn FnMut(&str) -> Result<Ranges>,
    mark: &'w str,
}

impl Walk<'_> {
    fn doc(&mut self, doc: &mut Doc) -> Result<()> {
        let meta = &mut doc.meta;
        let lists = [&mut meta.authors, &mut meta.keywords, &mut meta.recipient];
        let alone = [&mut meta.title, &mut meta.date, &mut meta.language];
        for text in alone.into_iter().flatten().chain(lists.into_iter().flatten()) {
            self.text(text)?;
        }
        self.blocks(&mut doc.blocks)?;
        doc.footnotes.iter_mut().try_for_each(|blocks| self.blocks(blocks))?;
        doc.warnings.iter_mut().try_for_each(|text| self.text(text))
    }

    fn blocks(&mut self, blocks: &mut [Block]) -> Result<()> {
        blocks.iter_mut().try_for_each(|block| self.block(block))
    }

    fn block(&mut self, block: &mut Block) -> Result<()> {
        match block {
            Block::Heading { content, .. } | Block::Paragraph { content } => self.inlines(content),
            Block::Code { language, text } => {
                language.iter_mut().try_for_each(|language| self.text(language))?;
                self.text(text)
            }
            Block::Html { text } => self.text(text),
            Block::Quote { blocks, .. } => self.blocks(blocks),
            Block::List(list) => {
                list.items.iter_mut().try_for_each(|item| self.blocks(&mut item.blocks))
            }
            Block::Table(table) => {
                let cells = table.head.iter_mut().chain(table.rows.iter_mut().flatten());
                cells.into_iter().try_for_each(|cell| self.inlines(cell))
            }
            Block::Chart(chart) => {
                let mut failed = None;
                chart.change_texts(&mut |text| {
                    let mut text = text.to_owned();
                    if failed.is_none() {
                        failed = self.text(&mut text).err();
                    }
                    text
                });
                failed.map_or(Ok(()), Err)
            }
            Block::Rule | Block::PageBreak => Ok(()),
        }
    }

    fn text(&mut self, text: &mut String) -> Result<()> {
        self.run(vec![TextSegment::Text(text)])
    }

    /// Visits a text of several inlines, then the addresses and descriptions of its segments.
    fn inlines(&mut self, content: &mut [Inline]) -> Result<()> {
        let (mut segments, mut beside) = (Vec::new(), Vec::new());
        collect(content, &mut segments, &mut beside);
        self.run(segments)?;
        beside.into_iter().try_for_each(|text| self.text(text))
    }

    fn run(&mut self, segments: Vec<TextSegment<'_>>) -> Result<()> {
        let ranges = match &segments[..] {
            [] => return Ok(()),
            [one] => (self.each)(one.shown())?,
            several => (self.each)(&joined(several))?,
        };
        if !ranges.is_empty() {
            leave_out(segments, &ranges, self.mark);
        }
        Ok(())
    }
}

fn collect<'a>(
    content: &'a mut [Inline],
    segments: &mut Vec<TextSegment<'a>>,
    beside: &mut Vec<&'a mut String>,
) {
    for inline in content {
        match inline {
            Inline::Text { text } | Inline::Code { text } => segments.push(TextSegment::Text(text)),
            Inline::Emphasis { content }
            | Inline::Strong { content }
            | Inline::Strikethrough { content }
            | Inline::Styled { content, .. } => collect(content, segments, beside),
            Inline::Link { url, content } => {
                beside.push(url);
                collect(content, segments, beside);
            }
            Inline::Image { url, description, title } => {
                if !url.starts_with("data:") {
                    beside.push(url);
                }
                beside.extend(title);
                segments.push(TextSegment::Text(description));
            }
            Inline::Break => segments.push(TextSegment::Fixed("\n")),
            Inline::Footnote { .. } => {}
            Inline::Math { text, .. } => {
                let shown = formula_text(text);
                let replace = |text| *inline = Inline::Text { text };
                segments.push(TextSegment::Whole(shown, Box::new(replace)));
            }
        }
    }
}

/// Returns the letters and signs of a formula in the order of its source, without its commands.
fn formula_text(source: &str) -> String {
    let mut out = String::new();
    let mut chars = source.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => {
                let mut letters = 0;
                while chars.next_if(char::is_ascii_alphabetic).is_some() {
                    letters += 1;
                }
                if letters == 0 {
                    // A space, or an escaped character.
                    out.extend(chars.next().map(|c| if c.is_alphanumeric() { c } else { ' ' }));
                } else {
                    // The space that ends a command is not shown.
                    while chars.next_if(|c| c.is_whitespace()).is_some() {}
                }
            }
            '{' | '}' | '^' | '_' | '$' | '&' => {}
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{markdown, plain_text};

    struct Secret;

    impl Inspect for Secret {
        fn mark(&self) -> &str {
            "?"
        }

        fn text(&mut self, text: &str) -> Result<Vec<Range<usize>>> {
            Ok(text.match_indices("secret").map(|(at, it)| at..at + it.len()).collect())
        }
    }

    #[test]
    fn words_that_html_divides_are_found() {
        for source in [
            "a sec<sub>ret</sub> b",
            "a sec<!-- x -->ret b",
            "a <mark>se</mark>c<u>r</u>et b",
            "a sec<span>ret</span> b",
            "<p>a sec<kbd>ret</kbd> b</p>",
            "a <b>sec<sup>re</sup></b>t b",
        ] {
            let mut doc = markdown(source).unwrap();
            let left_out = doc.inspect(&mut Secret).unwrap();
            let Block::Paragraph { content } = &doc.blocks[0] else { panic!("{source}") };
            assert_eq!(plain_text(content), "a ? b", "{source}");
            let mut again = markdown(source).unwrap();
            again.leave_out(&left_out);
            assert_eq!(again.blocks, doc.blocks, "{source}");
        }
    }
}
