//! Writes the tree of a document as paragraphs. The format has no elements for lists and quotations: they are properties of
//! their paragraphs.

use std::fmt::Write as _;

use super::namespaces::NAMESPACES;
use super::numbering::STEP;
use super::paragraph::{BlockContext, Marker, Properties};
use super::runs::RunFormat;
use super::styles::quote_colors;
use super::writer::{TextPart, Writer};
use crate::model::doc::{Block, Inline, List, QuoteKind, figure, plain_text};
use crate::shared::highlight::Code;
use crate::shared::losses::LossKind;
use crate::shared::ooxml::HEAD;
use crate::shared::outline::Outline;
use crate::shared::table;
use crate::shared::xml::push_text;
use mitt_base::Result;

/// Columns of code that surely fit on a line. The reader's font is not known here.
const CODE_COLUMNS: f64 = 80.0;

impl Writer<'_> {
    /// Returns `word/document.xml`.
    pub(super) fn body(&mut self, has_contents: bool) -> Result<TextPart> {
        let _ = write!(self.xml, "{HEAD}<w:document {NAMESPACES}><w:body>");
        self.section_start = self.xml.len();
        let outline = self.outline;
        let context = BlockContext::default();
        let has_title = self.frame.area.is_none_or(|area| area.has_title);
        if let Some((height, description)) = &self.frame.design.logo {
            self.logo(*height, description);
        }
        let has_cover = self.frame.design.has_cover && has_title && outline.title.is_some();
        if let Some(title) = outline.title.as_ref().filter(|_| has_title) {
            self.open(&context, Properties { style: "Title", ..Properties::default() });
            self.inlines(title, RunFormat::of(title));
            self.close();
            if let Some(byline) = &outline.byline {
                self.open(&context, Properties { style: "Subtitle", ..Properties::default() });
                self.run(byline, RunFormat::default());
                self.close();
            }
        }
        self.breaks_page |= has_cover;
        if has_contents {
            self.contents();
            self.breaks_page = true;
            self.properties_end = None;
        }
        self.blocks_of_text(outline)?;
        if self.breaks_page {
            self.empty(&context);
        }
        let section = self.frame.section(self.is_turned, self.is_first_section);
        let _ = write!(self.xml, "{section}</w:body></w:document>");
        Ok(self.written())
    }

    fn blocks_of_text(&mut self, outline: &Outline<'_>) -> Result<()> {
        // The pages of a template keep their orientation.
        let turned = match self.frame.area {
            Some(_) => Vec::new(),
            None => table::turned(outline.blocks),
        };
        let context = BlockContext::default();
        let mut before = None;
        for (index, block) in outline.blocks.iter().enumerate() {
            self.cancel.check()?;
            self.losses.enter_block(outline.first_number + index);
            if let Block::Heading { content, .. } = block {
                self.losses.below(&plain_text(content));
            }
            self.turn(turned.get(index).copied().unwrap_or_default());
            self.part(before, block, &context);
            self.block(block, &context);
            before = Some(block);
        }
        Ok(())
    }

    /// Returns `word/footnotes.xml`.
    pub(super) fn notes(&mut self) -> Result<TextPart> {
        let _ = write!(
            self.xml,
            "{HEAD}<w:footnotes {NAMESPACES}>\
             <w:footnote w:type=\"separator\" w:id=\"-1\"><w:p><w:r><w:separator/></w:r></w:p></w:footnote>\
             <w:footnote w:type=\"continuationSeparator\" w:id=\"0\"><w:p><w:r><w:continuationSeparator/></w:r></w:p>\
             </w:footnote>"
        );
        self.losses.enter_notes();
        let context = BlockContext { in_note: true, ..BlockContext::default() };
        for (index, note) in self.notes.begin().into_iter().enumerate() {
            self.cancel.check()?;
            let _ = write!(self.xml, "<w:footnote w:id=\"{}\">", index + 1);
            self.marker = Marker { is_note: true, ..Marker::default() };
            self.blocks(note, &context);
            self.flush_marker(&context);
            self.xml.push_str("</w:footnote>");
        }
        self.xml.push_str("</w:footnotes>");
        Ok(self.written())
    }

    fn written(&mut self) -> TextPart {
        TextPart { xml: std::mem::take(&mut self.xml), links: std::mem::take(&mut self.links) }
    }

    fn blocks(&mut self, blocks: &[Block], context: &BlockContext) {
        let mut before = None;
        for block in blocks {
            self.part(before, block, context);
            self.block(block, context);
            before = Some(block);
        }
    }

    /// Separates neighbouring blocks that Word would draw as one: two boxes, two lists.
    fn part(&mut self, before: Option<&Block>, block: &Block, context: &BlockContext) {
        use Block::{Code, Html, Quote};

        let is_one = match (before, block) {
            (Some(Code { .. } | Html { .. }), Code { .. } | Html { .. }) => true,
            (Some(Quote { kind: a, .. }), Quote { kind: b, .. }) => a == b,
            _ => false,
        };
        if is_one {
            self.spacer(context);
        }
        self.is_apart = matches!((before, block), (Some(Block::List(_)), Block::List(_)));
    }

    fn block(&mut self, block: &Block, context: &BlockContext) {
        match block {
            Block::Heading { level, content } => self.heading(*level, content, context),
            Block::Paragraph { content } => {
                if let Some(figure) = figure(content) {
                    return self.figure(content, &figure, context);
                }
                self.paragraph(content, context);
            }
            Block::Code { language, text } => self.code(language.as_deref(), text, context),
            Block::Html { text } => self.code(None, text, context),
            Block::Quote { kind, blocks } => {
                let inner = context.in_quote(*kind);
                if let Some(kind) = kind {
                    self.quote_name(*kind, &inner);
                }
                self.blocks(blocks, &inner);
                self.flush_marker(&inner);
            }
            Block::List(list) => self.list(list, context),
            Block::Table(table) => {
                self.flush_marker(context);
                self.table(table, context);
            }
            Block::Chart(chart) => self.chart(chart, context),
            Block::Rule => {
                self.flush_marker(context);
                let properties =
                    Properties { style: "Normal", has_rule: true, ..Properties::default() };
                self.open(context, properties);
                self.close();
            }
            Block::PageBreak => self.breaks_page = true,
        }
    }

    fn code(&mut self, language: Option<&str>, text: &str, context: &BlockContext) {
        // The code is one paragraph as long as each line fits: it is copied as it is, and its lines are not paragraphs to
        // other programs. A column has 5.7 points, a point 20 twentieths.
        let left = f64::from(context.left) / 114.0;
        let hangs = text.split('\n').any(|line| table::width(line) > CODE_COLUMNS - left);
        let properties = Properties { style: "SourceCode", hangs, ..Properties::default() };
        let code = self.highlighter.lines(language, text, self.cancel);
        if code == Code::TooMuch {
            self.losses.record(LossKind::PlainCode, language.unwrap_or_default());
        }
        match code {
            Code::Lines(lines) if hangs => {
                for line in lines {
                    self.open(context, properties.clone());
                    self.lines_of_code(&[line]);
                    self.close();
                }
            }
            Code::Plain | Code::TooMuch if hangs => {
                for line in text.split('\n') {
                    self.open(context, properties.clone());
                    self.run(line, RunFormat::default());
                    self.close();
                }
            }
            code => {
                self.open(context, properties);
                match code {
                    Code::Lines(lines) => self.lines_of_code(&lines),
                    Code::Plain | Code::TooMuch => self.run(text, RunFormat::default()),
                }
                self.close();
            }
        }
    }

    fn heading(&mut self, level: u8, content: &[Inline], context: &BlockContext) {
        let format = RunFormat::of(content);
        if context.in_note {
            // Contents and navigation do not include notes.
            self.open(context, Properties { keeps_next: true, ..Properties::default() });
            self.inlines(content, format.strong());
            self.close();
            return;
        }
        let style = format!("Heading{}", self.outline.level(level));
        self.open(context, Properties { style: &style, ..Properties::default() });
        let (id, heading) = (self.next_bookmark(), self.headings);
        self.headings += 1;
        let _ = write!(self.xml, "<w:bookmarkStart w:id=\"{id}\" w:name=\"_Toc{heading}\"/>");
        self.inlines(content, format);
        let _ = write!(self.xml, "<w:bookmarkEnd w:id=\"{id}\"/>");
        self.close();
    }

    fn quote_name(&mut self, kind: QuoteKind, context: &BlockContext) {
        self.open(context, Properties { keeps_next: true, ..Properties::default() });
        let (color, _) = quote_colors(Some(kind), &self.frame.design.look.colors);
        let name = self.frame.language.note(kind);
        let _ = write!(
            self.xml,
            "<w:r><w:rPr><w:b/><w:bCs/><w:color w:val=\"{color}\"/></w:rPr><w:t>{name}</w:t></w:r>"
        );
        self.close();
    }

    fn list(&mut self, list: &List, context: &BlockContext) {
        self.flush_marker(context);
        let inner = context.in_list(list.tight);
        let level = context.lists;
        let is_tasks = list.start.is_none() && list.items.iter().all(|item| item.checked.is_some());
        let numbering =
            if is_tasks { None } else { self.lists.next(list.start, list.items.len(), level) };
        for (index, item) in list.items.iter().enumerate() {
            let number = list.start.map(|start| start.saturating_add(index as u64));
            let text = match (numbering, number) {
                (Some(_), _) => None,
                (None, Some(number)) => Some(format!("{number}.")),
                (None, None) => item.checked.map(|checked| task(checked).to_owned()),
            };
            self.marker = Marker {
                number: numbering.map(|numbering| (numbering, level)),
                text,
                task: item.checked.filter(|_| !is_tasks),
                is_note: false,
            };
            self.blocks(&item.blocks, &inner);
            self.flush_marker(&inner);
        }
    }

    /// Writes an empty paragraph for a marker that no other paragraph has taken.
    pub(super) fn flush_marker(&mut self, context: &BlockContext) {
        let Marker { number, text, task, is_note } = &self.marker;
        if number.is_some() || text.is_some() || task.is_some() || *is_note {
            self.empty(context);
        }
    }

    /// Writes a paragraph without text.
    fn empty(&mut self, context: &BlockContext) {
        self.open(context, Properties::default());
        self.close();
    }

    /// Begins a paragraph: its properties, and the marker before its text.
    pub(super) fn open(&mut self, context: &BlockContext, properties: Properties<'_>) {
        self.room = self.width(context);
        let marker = std::mem::take(&mut self.marker);
        let breaks_page = std::mem::take(&mut self.breaks_page);
        let is_apart = std::mem::take(&mut self.is_apart);
        let properties = Properties { breaks_page, is_apart, ..properties };
        properties.write(&mut self.xml, context, &marker, self.frame);
        self.properties_end = context.is_top().then_some(self.xml.len());
        self.xml.push_str("</w:pPr>");
        if marker.is_note {
            self.xml.push_str(
                "<w:r><w:rPr><w:rStyle w:val=\"FootnoteReference\"/></w:rPr><w:footnoteRef/></w:r>",
            );
            self.run(" ", RunFormat::default());
        }
        if let Some(text) = &marker.text {
            self.sign(text);
            self.xml.push_str("<w:r><w:tab/></w:r>");
        }
        if let Some(checked) = marker.task {
            self.sign(task(checked));
            self.run(" ", RunFormat::default());
        }
    }

    pub(super) fn close(&mut self) {
        self.xml.push_str("</w:p>");
    }

    /// Writes a number or a box before an item. Few fonts have a box.
    fn sign(&mut self, text: &str) {
        self.xml.push_str("<w:r>");
        if !text.is_ascii() {
            let fonts = ["ascii", "hAnsi", "eastAsia", "cs"]
                .map(|slot| format!(" w:{slot}=\"Segoe UI Symbol\""));
            let _ = write!(self.xml, "<w:rPr><w:rFonts{}/></w:rPr>", fonts.concat());
        }
        self.xml.push_str("<w:t>");
        push_text(&mut self.xml, text, &mut self.losses);
        self.xml.push_str("</w:t></w:r>");
    }

    pub(super) fn next_bookmark(&mut self) -> usize {
        self.bookmarks += 1;
        self.bookmarks
    }

    /// Changes the orientation of pages. Each run of pages with one orientation is a section.
    pub(super) fn turn(&mut self, is_turned: bool) {
        if self.is_turned == is_turned {
            return;
        }
        if self.xml.len() > self.section_start {
            if self.properties_end.is_none() {
                self.spacer(&BlockContext::default());
            }
            let section = self.frame.section(self.is_turned, self.is_first_section);
            if let Some(end) = self.properties_end.take() {
                self.xml.insert_str(end, &section);
            }
            self.is_first_section = false;
            // A section begins on a new page.
            self.breaks_page = false;
        }
        self.section_start = self.xml.len();
        self.is_turned = is_turned;
    }

    /// Writes a paragraph that exists only because the format requires one.
    pub(super) fn spacer(&mut self, context: &BlockContext) {
        let breaks_page = std::mem::take(&mut self.breaks_page);
        self.open(
            context,
            Properties { style: "Normal", is_spacer: true, ..Properties::default() },
        );
        self.close();
        self.breaks_page = breaks_page;
    }

    pub(super) fn width(&self, context: &BlockContext) -> u32 {
        let taken = context.left + if context.quote.is_some() { STEP } else { 0 };
        // Even deeply nested content keeps some width.
        self.frame.width(self.is_turned).saturating_sub(taken).max(2_000)
    }
}

fn task(checked: bool) -> &'static str {
    if checked { "☑" } else { "☐" }
}
