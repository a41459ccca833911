//! The pages as the library gives them, one by one, so that only what is kept of each stays in memory.

use crate::block::{Block, Page, Text};
use crate::comments::Comments;
use crate::positions::Positions;
use crate::tables::{self, Found};
use crate::{between, furniture, inline, lines, metadata, misread, outline, scanned, write};
use mitt_reader_kit::{Content, Error, MAX_CELLS, MAX_TEXT_BYTES, clean};
use std::ops::ControlFlow;
use unpdf::model::{ListStyle, Outline};
use unpdf::{ExtractionQuality, FormField, Metadata, Paragraph, ParseEvent};

/// What was found so far.
pub(crate) struct Collected<'a> {
    positions: Positions<'a>,
    metadata: Metadata,
    fields: Vec<FormField>,
    outline: Option<Outline>,
    pages: Vec<Page>,
    scanned: Vec<u32>,
    /// Pages of which something was lost, and what.
    lost: Vec<(u32, &'static str)>,
    failed: Vec<(u32, String)>,
    /// Whether Chinese text was there as Latin letters.
    is_misread: bool,
    page_numbers: usize,
    bytes: usize,
    cells: usize,
    error: Option<Error>,
}

impl<'a> Collected<'a> {
    pub(crate) fn new(positions: Positions<'a>) -> Collected<'a> {
        Collected {
            positions,
            metadata: Metadata::default(),
            fields: Vec::new(),
            outline: None,
            pages: Vec::new(),
            scanned: Vec::new(),
            lost: Vec::new(),
            failed: Vec::new(),
            is_misread: false,
            page_numbers: 0,
            bytes: 0,
            cells: 0,
            error: None,
        }
    }

    /// Take in what the library found next; stops when it is too much.
    pub(crate) fn take(&mut self, event: ParseEvent) -> ControlFlow<()> {
        match event {
            ParseEvent::DocumentStart { metadata, form_fields, outline, .. } => {
                self.outline = outline;
                self.metadata = metadata;
                self.fields = form_fields;
            }
            ParseEvent::PageParsed(page) => self.page(page),
            ParseEvent::PageFailed { page, error } => {
                self.failed.push((page, crate::tidy(&error.to_string())));
            }
            _ => {}
        }
        if self.error.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn page(&mut self, mut page: unpdf::Page) {
        if between::is_worth_it(&page) {
            let words = self.positions.of(page.number);
            between::part(&mut page, &words);
        }
        self.is_misread |= misread::repair(&mut page);
        let mut blocks = Vec::with_capacity(page.elements.len());
        for element in &page.elements {
            self.element(element, &mut blocks);
        }
        self.bytes += blocks.iter().map(Block::size).sum::<usize>();
        if self.bytes > MAX_TEXT_BYTES {
            self.error.get_or_insert_with(too_much_text);
        }
        if page.omitted_page_number_chars > 0 {
            blocks.retain(|block| !furniture::is_rest_of_number(block));
        }
        let is_picture = scanned::is_picture(&page, &blocks);
        if is_picture {
            self.scanned.push(page.number);
        }
        for (is_lost, what) in [
            (page.undecodable_content_streams > 0, "damaged parts"),
            (
                !is_picture && (page.suppressed_text_runs > 0 || page.undecoded_text_codes > 0),
                "text in fonts that do not say what their letters are",
            ),
            (page.link_annotations_incomplete, "links"),
        ] {
            if is_lost {
                self.lost.push((page.number, what));
            }
        }
        self.page_numbers += usize::from(page.omitted_page_number_chars > 0);
        self.pages.push(Page { number: page.number, blocks, comments: Vec::new() });
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
                // One line in such letters is no program: a field that was typed in, an address.
                blocks.push(match content.contains('\n') {
                    true => Block::Code(content.to_owned()),
                    false => Block::Paragraph(inline::plain(content)),
                });
            }
            unpdf::Block::Raw { content } => blocks.push(Block::Paragraph(inline::plain(content))),
            unpdf::Block::Table(table) => {
                match tables::place(table, MAX_CELLS.saturating_sub(self.cells)) {
                    Ok(Found::Table(placed)) => {
                        self.cells += placed.table.columns.len() * placed.table.rows.len();
                        blocks.push(Block::Table(placed));
                    }
                    Ok(Found::Lines(lines)) => {
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

    /// Everything together, with the remarks of each page.
    pub(crate) fn finish(
        mut self,
        quality: &ExtractionQuality,
        Comments { found: mut comments, beyond }: Comments,
    ) -> Result<Content, Error> {
        if let Some(error) = self.error {
            return Err(error);
        }
        if self.pages.is_empty() {
            let reason = self.failed.first().map_or("it has no pages", |(_, reason)| reason);
            return Err(Error::Malformed(format!("the document is damaged: {reason}")));
        }
        self.positions.leave();
        let mut warnings = Vec::new();
        for (page, reason) in &self.failed {
            warnings.push(format!("page {page} could not be read: {reason}"));
        }
        if quality.pages_incomplete {
            warnings.push("the document is damaged: some of its pages are missing".to_owned());
        }
        warnings.extend(lost(&self.lost));
        if self.is_misread {
            let told =
                "fonts say that letters are Latin which are Chinese: they were read as GB 2312";
            warnings.push(told.to_owned());
        }
        if beyond > 0 {
            warnings
                .push(format!("remarks that were left out because there are too many: {beyond}"));
        }
        if let Some(outline) = &self.outline {
            outline::apply(outline, &mut self.pages);
        }
        let printed = furniture::remove(&mut self.pages);
        warnings.extend(furniture::warnings(&printed, self.page_numbers));
        for page in &mut self.pages {
            page.comments = comments.remove(&page.number).unwrap_or_default();
            self.bytes += page.comments.iter().map(|comment| comment.text.len()).sum::<usize>();
        }
        if self.bytes > MAX_TEXT_BYTES {
            return Err(too_much_text());
        }
        let (title, metadata) = metadata::read(&self.metadata);
        let written = write::write(&self.pages, &self.fields);
        warnings.extend(written.warnings);
        Ok(Content {
            title,
            metadata,
            markdown: written.markdown,
            places: written.places,
            tables: written.tables,
            scanned: self.scanned,
            warnings,
            ..Content::default()
        })
    }
}

fn too_much_text() -> Error {
    Error::Quota(format!("the document has more than {} MiB of text", MAX_TEXT_BYTES >> 20))
}

/// One sentence for each kind of loss, with its pages.
fn lost(lost: &[(u32, &'static str)]) -> Vec<String> {
    const MAX_NAMED: usize = 10;
    let mut kinds: Vec<&str> = Vec::new();
    for (_, what) in lost {
        if !kinds.contains(what) {
            kinds.push(what);
        }
    }
    let sentence = |what: &&str| {
        let pages: Vec<String> = lost
            .iter()
            .filter(|(_, other)| other == what)
            .map(|(page, _)| page.to_string())
            .collect();
        let named = pages.get(..MAX_NAMED.min(pages.len())).unwrap_or_default().join(", ");
        let more = pages.len().saturating_sub(MAX_NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let word = if pages.len() == 1 { "page" } else { "pages" };
        format!("{what} could not be read on {word} {named}{more}")
    };
    kinds.iter().map(sentence).collect()
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

/// A paragraph that begins with a raised number: a note at the foot of the page.
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
    use unpdf::{Table, TableRow};

    /// What a page gives in a document that has so many bytes of text already.
    fn collect(before: usize, block: unpdf::Block) -> Result<Content, Error> {
        let mut collected = Collected::new(Positions::new(b"", None));
        collected.bytes = before;
        let mut page = unpdf::Page::new(1, 595.0, 842.0);
        page.elements = vec![block];
        let _ = collected.take(ParseEvent::PageParsed(page));
        collected.finish(&ExtractionQuality::default(), Comments::default())
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
