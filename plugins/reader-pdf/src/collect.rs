//! Takes the pages from the library one by one, so that only the part that is kept stays in memory.

use crate::block::{Block, Page, Text};
use crate::comments::Comments;
use crate::eye::Refused;
use crate::reading::{Lost, Reading, too_much_text};
use crate::tables::{self, GridContent};
use crate::{
    apart, between, furniture, inline, lines, metadata, misread, order, outline, radicals, regrid,
    scanned, values, words,
};
use mitt_reader_kit::{Error, MAX_CELLS, MAX_TEXT_BYTES, clean};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use unpdf::model::ListStyle;
use unpdf::{ExtractionQuality, Paragraph, ParseEvent};

pub(crate) struct Collected {
    refused: BTreeMap<u32, Refused>,
    reading: Reading,
    error: Option<Error>,
}

impl Collected {
    pub(crate) fn new(refused: BTreeMap<u32, Refused>) -> Collected {
        Collected { refused, reading: Reading::default(), error: None }
    }

    /// Takes the next event of the library. Stops if the content is too large.
    pub(crate) fn take(&mut self, event: ParseEvent) -> ControlFlow<()> {
        match event {
            ParseEvent::DocumentStart { metadata, outline, .. } => {
                self.reading.levels = outline.as_ref().map(outline::levels).unwrap_or_default();
                (self.reading.title, self.reading.about) = metadata::read(&metadata);
            }
            ParseEvent::PageParsed(page) => self.page(page),
            ParseEvent::PageFailed { page, error } => {
                self.reading.failed.push((page, crate::tidy(&error.to_string())));
            }
            _ => {}
        }
        if self.error.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn page(&mut self, mut page: unpdf::Page) {
        Self::refine(&mut page);
        self.reading.is_misread |= misread::repair(&mut page);
        radicals::fold(&mut page);
        let mut blocks = Vec::with_capacity(page.elements.len());
        for element in &page.elements {
            self.element(element, &mut blocks);
        }
        self.reading.bytes += blocks.iter().map(Block::size).sum::<usize>();
        if self.reading.bytes > MAX_TEXT_BYTES {
            self.error.get_or_insert_with(too_much_text);
        }
        if page.omitted_page_number_chars > 0 {
            blocks.retain(|block| !furniture::is_rest_of_number(block));
        }
        let refused = self.refused.get(&page.number).copied().unwrap_or_default();
        let is_unreadable = scanned::is_unreadable(refused);
        let is_picture = is_unreadable || scanned::is_picture(&page, &blocks);
        if is_unreadable {
            self.reading.unreadable.push(page.number);
        }
        if is_picture {
            self.reading.scanned.push(page.number);
        }
        for (is_lost, what) in [
            (page.undecodable_content_streams > 0, Lost::Parts),
            (
                !is_picture
                    && (page.suppressed_text_runs > 0
                        || page.undecoded_text_codes > 0
                        || refused.letters > 0
                        || refused.has_gaps),
                Lost::Letters,
            ),
            (page.link_annotations_incomplete, Lost::Links),
        ] {
            if is_lost {
                self.reading.lost.push((page.number, what));
            }
        }
        self.reading.page_numbers += usize::from(page.omitted_page_number_chars > 0);
        self.reading.pages.push(Page { number: page.number, blocks, comments: Vec::new() });
    }

    /// Corrects the page by the positions of its words: tables with several numbers in a cell, and tables that were
    /// read as text.
    fn refine(page: &mut unpdf::Page) {
        let (is_crowded, is_parted) = (regrid::is_worth_it(page), between::is_worth_it(page));
        let (is_lifted, has_values) = (order::is_worth_it(page), values::is_worth_it(page));
        let has_others = apart::is_worth_it(page);
        if !(is_crowded || is_parted || is_lifted || has_values || has_others) {
            return;
        }
        let spans = std::mem::take(&mut page.spans);
        if is_crowded || is_lifted || has_values || has_others {
            let lines = words::lines(&spans);
            if let Some(index) = regrid::Index::new(&lines) {
                regrid::improve(page, &lines, &index);
                if has_values {
                    values::find(page, &lines, &between::pieces(&spans), &index);
                }
                apart::part(page, &lines, &index);
                order::lift(page, &lines, &index);
            }
        }
        if is_parted {
            between::part(page, &spans);
        }
    }

    fn element(&mut self, element: &unpdf::Block, blocks: &mut Vec<Block>) {
        match element {
            unpdf::Block::Paragraph(paragraph) => blocks.extend(self::paragraph(paragraph)),
            unpdf::Block::Code { content } if lines::is_prose(content) => {
                blocks.extend(
                    lines::paragraphs(content)
                        .iter()
                        .map(|text| Block::Paragraph(inline::plain(text))),
                );
            }
            unpdf::Block::Code { content } => {
                let content = clean(content);
                let content = content.trim_matches('\n');
                // A single line in a monospaced font is not a program. It is a field that was filled in, or an address.
                blocks.push(if content.contains('\n') {
                    Block::Code(content.to_owned())
                } else {
                    Block::Paragraph(inline::plain(content))
                });
            }
            unpdf::Block::Raw { content } => blocks.push(Block::Paragraph(inline::plain(content))),
            unpdf::Block::Table(table) => {
                match tables::place(table, MAX_CELLS.saturating_sub(self.reading.cells)) {
                    Ok(GridContent::Table(placed)) => {
                        self.reading.cells += placed.table.columns.len() * placed.table.rows.len();
                        blocks.push(Block::Table(placed));
                    }
                    Ok(GridContent::Lines(lines)) => {
                        blocks
                            .extend(lines.iter().map(|line| Block::Paragraph(inline::plain(line))));
                    }
                    Err(cells) => {
                        self.error.get_or_insert(Error::Quota(format!(
                        "a table has {cells} cells, and the tables of a document may have {MAX_CELLS}"
                    )));
                    }
                }
            }
            unpdf::Block::Image { .. }
            | unpdf::Block::HorizontalRule
            | unpdf::Block::PageBreak
            | unpdf::Block::SectionBreak => {}
        }
    }

    /// Returns what was read, with the comments on its pages.
    pub(crate) fn finish(
        self,
        quality: &ExtractionQuality,
        comments: Comments,
    ) -> Result<Reading, Error> {
        match self.error {
            Some(error) => Err(error),
            None => {
                Ok(Reading { is_incomplete: quality.pages_incomplete, comments, ..self.reading })
            }
        }
    }
}

fn paragraph(paragraph: &Paragraph) -> Option<Block> {
    let heading = paragraph.style.heading_level;
    let text = inline::text(&paragraph.content, heading.is_some());
    if text.plain.is_empty() {
        return None;
    }
    if let Some(level) = heading {
        return Some(Block::Heading(level.clamp(1, 6), text));
    }
    let Some(list) = &paragraph.style.list_info else {
        return Some(note(paragraph, &text).unwrap_or(Block::Paragraph(text)));
    };
    let mark = match &list.style {
        ListStyle::Unordered { .. } => "-".to_owned(),
        ListStyle::Ordered { .. } => format!("{}.", list.item_number.unwrap_or(1)),
    };
    Some(Block::Item(mark, text))
}

/// Returns a paragraph that begins with a raised number as a footnote.
fn note(paragraph: &Paragraph, text: &Text) -> Option<Block> {
    let Some(unpdf::InlineContent::Text(first)) = paragraph.content.first() else { return None };
    let number = first.text.trim();
    let is_number = first.style.superscript
        && (1..=3).contains(&number.len())
        && number.bytes().all(|byte| byte.is_ascii_digit());
    let rest = inline::text(paragraph.content.get(1..)?, false);
    (is_number
        && rest.plain.chars().any(char::is_alphabetic)
        && text.plain.len() > rest.plain.len())
    .then(|| Block::Note(number.to_owned(), rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mitt_reader_kit::Content;
    use unpdf::{Table, TableRow};

    /// Returns the content of a page in a document that has `before` bytes of text already.
    fn collect(before: usize, block: unpdf::Block) -> Result<Content, Error> {
        let mut collected = Collected::new(BTreeMap::new());
        collected.reading.bytes = before;
        let mut page = unpdf::Page::new(1, 595.0, 842.0);
        page.elements = vec![block];
        let _ = collected.take(ParseEvent::PageParsed(page));
        collected.finish(&ExtractionQuality::default(), Comments::default())?.content()
    }

    #[test]
    fn text_and_cells_are_bounded() {
        let text = || unpdf::Block::Paragraph(Paragraph::with_text("four"));
        assert!(collect(MAX_TEXT_BYTES - 4, text()).is_ok());
        let error = collect(MAX_TEXT_BYTES - 3, text()).unwrap_err();
        assert_eq!(error, Error::Quota("the document has more than 64 MiB of text".into()));
        let mut table = Table::new();
        let row = || TableRow::from_strings(vec!["x"; 2000]);
        table.rows = (0..MAX_CELLS / 2000 + 1).map(|_| row()).collect();
        let error = collect(0, unpdf::Block::Table(table)).unwrap_err();
        let message = "a table has 2002000 cells, and the tables of a document may have 2000000";
        assert_eq!(error, Error::Quota(message.into()));
    }
}
