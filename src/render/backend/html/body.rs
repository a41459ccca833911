//! Writes the tree of a document as elements.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::mathml;
use crate::Cancel;
use crate::model::chart::ChartDescription;
use crate::model::doc::{
    Block, Doc, Inline, List, QuoteKind, Table, TextStyle, figure, plain_text,
};
use crate::model::language::Language;
use crate::shared::chart;
use crate::shared::highlight::{Code, HighlightSpan, Highlighter};
use crate::shared::losses::{LossKind, Losses};
use crate::shared::outline::{Anchors, Outline};
use crate::shared::picture::Gallery;
use crate::shared::table::{self, Side};
use crate::shared::xml::push_text;
use crate::shared::{link, math};
use mitt_base::Result;

/// Levels of headings in the contents.
const CONTENTS_LEVELS: u8 = 3;

/// Most references to a note to which it links back.
const MAX_WAYS_BACK: usize = 20;

/// Writes the text of a page.
pub(super) struct Writer<'a> {
    pub(super) html: String,
    pub(super) losses: Losses,
    doc: &'a Doc,
    outline: &'a Outline<'a>,
    pub(super) anchors: &'a Anchors,
    pub(super) language: &'a Language,
    pub(super) gallery: Gallery<'a>,
    /// Number of uses of each picture.
    pub(super) uses: Vec<usize>,
    pub(super) cancel: &'a Cancel,
    highlighter: Highlighter,
    headings: usize,
    charts: usize,
    /// Number of each note in use, and of the references to it.
    notes: HashMap<usize, (usize, usize)>,
    /// Notes in the order of their numbers.
    order: Vec<usize>,
    /// Number of levels by which headings move down, so that only the title has the first.
    below_title: u8,
    /// `true` if the block is printed on a turned page.
    is_turned: bool,
}

impl<'a> Writer<'a> {
    pub(super) fn new(
        doc: &'a Doc,
        outline: &'a Outline<'a>,
        anchors: &'a Anchors,
        language: &'a Language,
        (gallery, uses): (Gallery<'a>, Vec<usize>),
        cancel: &'a Cancel,
        losses: Losses,
    ) -> Writer<'a> {
        Writer {
            html: String::new(),
            losses,
            doc,
            outline,
            anchors,
            language,
            gallery,
            uses,
            cancel,
            highlighter: Highlighter::default(),
            headings: 0,
            charts: 0,
            notes: HashMap::new(),
            order: Vec::new(),
            below_title: u8::from(outline.title.is_some()),
            is_turned: false,
        }
    }

    /// Returns the content of the body, and losses.
    pub(super) fn write(mut self, has_contents: bool) -> Result<(String, Losses)> {
        let outline = self.outline;
        self.shared_pictures()?;
        let has_contents = has_contents && !outline.contents(CONTENTS_LEVELS).is_empty();
        if has_contents {
            let skip = self.language.say("跳到正文", "Skip to the text");
            let _ = writeln!(self.html, "<a class=\"skip\" href=\"#main:\">{skip}</a>");
        }
        if let Some(title) = &outline.title {
            self.html.push_str("<header>\n<h1>");
            self.inlines(title);
            self.html.push_str("</h1>\n");
            if let Some(byline) = &outline.byline {
                self.element("p class=\"byline\"", byline);
            }
            self.html.push_str("</header>\n");
        }
        if has_contents {
            self.contents();
        }
        self.html.push_str(if has_contents { "<main id=\"main:\">\n" } else { "<main>\n" });
        let turned = table::turned(outline.blocks);
        for (index, block) in outline.blocks.iter().enumerate() {
            self.cancel.check()?;
            self.losses.enter_block(outline.first_number + index);
            if let Block::Heading { content, .. } = block {
                self.losses.below(&plain_text(content));
            }
            self.is_turned = turned.get(index).copied().unwrap_or_default();
            self.block(block);
        }
        self.is_turned = false;
        self.html.push_str("</main>\n");
        self.footnotes()?;
        Ok((self.html, self.losses))
    }

    /// Writes the notes to which the text or other notes refer.
    fn footnotes(&mut self) -> Result<()> {
        if self.order.is_empty() {
            return Ok(());
        }
        self.losses.enter_notes();
        let name = self.language.say("脚注", "Footnotes");
        let _ = write!(self.html, "<section class=\"footnotes\" aria-label=\"{name}\">\n<ol>\n");
        let doc = self.doc;
        let mut ways_back = Vec::new();
        let mut number = 0;
        while let Some(index) = self.order.get(number).copied() {
            self.cancel.check()?;
            number += 1;
            let _ = write!(self.html, "<li id=\"fn:{number}\">");
            self.blocks(doc.footnotes.get(index).map_or(&[][..], Vec::as_slice));
            ways_back.push((self.html.len(), index, number));
            self.html.push_str("</li>\n");
        }
        self.html.push_str("</ol>\n</section>\n");
        // The number of references to a note is known only after all notes were written.
        let written = std::mem::take(&mut self.html);
        let mut from = 0;
        for (place, index, number) in ways_back {
            self.html.push_str(written.get(from..place).unwrap_or_default());
            from = place;
            let times = self.notes.get(&index).map_or(0, |(_, times)| *times);
            self.ways_back(number, times);
        }
        self.html.push_str(written.get(from..).unwrap_or_default());
        Ok(())
    }

    fn ways_back(&mut self, number: usize, times: usize) {
        let label = self.language.say("返回正文", "Back to the text");
        for time in 1..=times.min(MAX_WAYS_BACK) {
            let _ = write!(
                self.html,
                " <a href=\"#ref:{number}:{time}\" role=\"doc-backlink\" aria-label=\"{label} {number}.{time}\">↩</a>"
            );
        }
    }

    fn contents(&mut self) {
        let entries = self.outline.contents(CONTENTS_LEVELS);
        if entries.is_empty() {
            return;
        }
        let name = self.language.say("目录", "Contents");
        let _ = write!(
            self.html,
            "<nav aria-labelledby=\"contents:\">\n<h2 id=\"contents:\">{name}</h2>\n"
        );
        // Levels of the open lists; a level that the text skips has no list.
        let mut open: Vec<u8> = Vec::new();
        for (level, index, text) in entries {
            while open.last().is_some_and(|last| *last > level) {
                self.html.push_str("</li></ol>\n");
                open.pop();
            }
            if open.last() == Some(&level) {
                self.html.push_str("</li>\n");
            } else {
                self.html.push_str("<ol>\n");
                open.push(level);
            }
            self.html.push_str("<li><a href=\"#");
            let anchor = self.anchors.name(index);
            push_text(&mut self.html, anchor, &mut self.losses);
            self.html.push_str("\">");
            push_text(&mut self.html, &text, &mut self.losses);
            self.html.push_str("</a>");
        }
        open.iter().for_each(|_| self.html.push_str("</li></ol>\n"));
        self.html.push_str("</nav>\n");
    }

    fn blocks(&mut self, blocks: &[Block]) {
        blocks.iter().for_each(|block| self.block(block));
    }

    fn block(&mut self, block: &Block) {
        match block {
            Block::Heading { level, content } => self.heading(*level, content),
            Block::Paragraph { content } => {
                if let Some(figure) = figure(content) {
                    self.figure(&figure);
                    return;
                }
                self.html.push_str("<p>");
                self.inlines(content);
                self.html.push_str("</p>\n");
            }
            Block::Code { text, language } => {
                self.html.push_str("<pre><code");
                if let Some(language) = language {
                    self.html.push_str(" class=\"language-");
                    push_text(&mut self.html, language, &mut self.losses);
                    self.html.push('"');
                }
                self.html.push('>');
                self.code(language.as_deref(), text);
                self.html.push_str("</code></pre>\n");
            }
            Block::Html { text } => {
                self.html.push_str("<pre><code>");
                self.text(text);
                self.html.push_str("</code></pre>\n");
            }
            Block::Quote { kind: None, blocks } => {
                self.html.push_str("<blockquote>\n");
                self.blocks(blocks);
                self.html.push_str("</blockquote>\n");
            }
            Block::Quote { kind: Some(kind), blocks } => self.note(*kind, blocks),
            Block::List(list) => self.list(list),
            Block::Table(table) => self.table(table),
            Block::Chart(chart) => self.chart(chart),
            Block::Rule => self.html.push_str("<hr/>\n"),
            Block::PageBreak => self.html.push_str("<hr class=\"break\"/>\n"),
        }
    }

    fn heading(&mut self, level: u8, content: &[Inline]) {
        let level = self.outline.level(level) + self.below_title;
        // HTML has six levels.
        let (tag, more) = if level > 6 {
            (6, format!(" aria-level=\"{level}\""))
        } else {
            (level, String::new())
        };
        let _ = write!(self.html, "<h{tag}{more}");
        let is_in_notes = self.headings >= self.anchors.len();
        if !is_in_notes {
            self.html.push_str(" id=\"");
            push_text(&mut self.html, self.anchors.name(self.headings), &mut self.losses);
            self.html.push('"');
            self.headings += 1;
        }
        if self.is_turned {
            self.html.push_str(" class=\"turned\"");
        }
        self.html.push('>');
        self.inlines(content);
        let _ = writeln!(self.html, "</h{tag}>");
    }

    fn note(&mut self, kind: QuoteKind, blocks: &[Block]) {
        let class = match kind {
            QuoteKind::Note => "info",
            QuoteKind::Tip => "tip",
            QuoteKind::Important => "important",
            QuoteKind::Warning => "warning",
            QuoteKind::Caution => "caution",
        };
        let name = self.language.note(kind);
        let _ = write!(
            self.html,
            "<div class=\"note {class}\" role=\"note\" aria-label=\"{name}\">\n<p class=\"note-name\">{name}</p>\n"
        );
        self.blocks(blocks);
        self.html.push_str("</div>\n");
    }

    fn list(&mut self, list: &List) {
        let is_tasks = list.start.is_none() && list.items.iter().all(|item| item.checked.is_some());
        let class = match (list.tight, is_tasks) {
            (true, true) => " class=\"tight tasks\"",
            (true, false) => " class=\"tight\"",
            (false, true) => " class=\"tasks\"",
            (false, false) => "",
        };
        let tag = if list.start.is_some() { "ol" } else { "ul" };
        let _ = write!(self.html, "<{tag}{class}");
        if let Some(start) = list.start.filter(|start| *start != 1) {
            let _ = write!(self.html, " start=\"{start}\"");
        }
        self.html.push_str(">\n");
        for item in &list.items {
            match item.checked {
                None => {
                    self.html.push_str("<li>");
                    self.blocks(&item.blocks);
                }
                Some(checked) => {
                    let (state, label) = if checked {
                        (" checked=\"\"", self.language.say("已完成", "done"))
                    } else {
                        ("", self.language.say("未完成", "to do"))
                    };
                    let _ = write!(
                        self.html,
                        "<li><div class=\"task\"><input type=\"checkbox\" disabled=\"\"{state} aria-label=\"{label}\"/><div>"
                    );
                    self.blocks(&item.blocks);
                    self.html.push_str("</div></div>");
                }
            }
            self.html.push_str("</li>\n");
        }
        let _ = writeln!(self.html, "</{tag}>");
    }

    /// Writes a chart as part of the page: its text can be searched, and it stays sharp.
    fn chart(&mut self, chart: &ChartDescription) {
        self.charts += 1;
        chart.for_each_text(&mut |text| self.losses.record_illegal(text));
        let Ok(scene) = chart::layout(chart) else {
            // The table keeps the data of a chart that cannot be drawn.
            return self.table(&chart.to_table());
        };
        scene.warnings.iter().for_each(|warning| self.losses.record(LossKind::Chart, warning));
        self.html.push_str("<p>");
        self.html.push_str(&chart::svg_of(&scene, &chart::Frame::Page(self.charts)));
        self.html.push_str("</p>\n");
    }

    /// Writes a table. It can be wider than the page, so it scrolls by itself, also by keyboard.
    fn table(&mut self, table: &Table) {
        let name = self.language.say("表格", "Table");
        // Paper does not scroll, so type is smaller, and a page may be turned.
        let layout = table::layout(table, self.is_turned);
        let size = match layout.size {
            size if size < 7.0 => " tiny",
            size if size < 9.0 => " small",
            _ => "",
        };
        let turned = if self.is_turned { " turned" } else { "" };
        let _ = write!(
            self.html,
            "<div class=\"table{size}{turned}\" role=\"region\" tabindex=\"0\" aria-label=\"{name}\">\n<table>\n<thead>\n<tr>"
        );
        let sides: Vec<_> =
            (0..table.columns.len()).map(|column| table::side_of(table, column)).collect();
        self.cells(&table.head, "th scope=\"col\"", &sides);
        self.html.push_str("</tr>\n</thead>\n<tbody>\n");
        for row in &table.rows {
            self.html.push_str("<tr>");
            self.cells(row, "td", &sides);
            self.html.push_str("</tr>\n");
        }
        self.html.push_str("</tbody>\n</table>\n</div>\n");
    }

    fn cells(&mut self, cells: &[Vec<Inline>], tag: &str, sides: &[Side]) {
        for (index, cell) in cells.iter().enumerate() {
            let class = match sides.get(index) {
                Some(Side::Right) => " class=\"right\"",
                Some(Side::Center) => " class=\"center\"",
                _ => "",
            };
            let _ = write!(self.html, "<{tag}{class}>");
            self.inlines(cell);
            self.html.push_str(if tag == "td" { "</td>" } else { "</th>" });
        }
    }

    fn inlines(&mut self, content: &[Inline]) {
        for inline in content {
            match inline {
                Inline::Text { text } => self.text(text),
                Inline::Code { text } => self.element("code", text),
                Inline::Emphasis { content } => self.nested("em", content),
                Inline::Strong { content } => self.nested("strong", content),
                Inline::Strikethrough { content } => self.nested("del", content),
                Inline::Styled { style, content } => {
                    let tag = match style {
                        TextStyle::Subscript => "sub",
                        TextStyle::Superscript => "sup",
                        TextStyle::Underline => "u",
                        TextStyle::Mark => "mark",
                    };
                    self.nested(tag, content);
                }
                Inline::Link { url, content } => self.link(url, content),
                Inline::Image { url, description, title } => {
                    self.picture(url, description, title.as_deref());
                }
                Inline::Footnote { index } => self.reference(*index),
                Inline::Math { text, display } => self.math(text, *display),
                Inline::Break => self.html.push_str("<br/>\n"),
            }
        }
    }

    fn code(&mut self, language: Option<&str>, text: &str) {
        let lines = match self.highlighter.lines(language, text, self.cancel) {
            Code::Lines(lines) => lines,
            Code::TooMuch => {
                self.losses.record(LossKind::PlainCode, language.unwrap_or_default());
                return self.text(text);
            }
            Code::Plain => return self.text(text),
        };
        for (index, spans) in lines.into_iter().enumerate() {
            if index > 0 {
                self.html.push('\n');
            }
            for HighlightSpan { token, text } in spans {
                match token {
                    Some(token) => self.element(&format!("span class=\"{}\"", token.name()), text),
                    None => self.text(text),
                }
            }
        }
    }

    fn math(&mut self, text: &str, display: bool) {
        match math::formula(text) {
            Ok(formula) => {
                formula
                    .left_out
                    .iter()
                    .for_each(|what| self.losses.record(LossKind::MathLook, what));
                mathml::write(&mut self.html, &formula, text, display, &mut self.losses);
            }
            Err(what) => {
                self.losses.record(LossKind::Math, &what);
                self.element("code class=\"math\"", text);
            }
        }
    }

    pub(super) fn link(&mut self, url: &str, content: &[Inline]) {
        if let Some(url) = link::kept(url) {
            self.html.push_str("<a rel=\"noopener noreferrer\" href=\"");
            push_text(&mut self.html, url, &mut self.losses);
        } else if let Some(heading) = self.anchors.find(url) {
            self.html.push_str("<a href=\"#");
            push_text(&mut self.html, self.anchors.name(heading), &mut self.losses);
        } else {
            self.losses.record(LossKind::Link, url);
            self.inlines(content);
            return;
        }
        self.html.push_str("\">");
        self.inlines(content);
        self.html.push_str("</a>");
    }

    fn reference(&mut self, index: usize) {
        if self.doc.footnotes.get(index).is_none() {
            return;
        }
        let next = self.order.len() + 1;
        let (number, times) = self.notes.entry(index).or_insert((next, 0));
        *times += 1;
        let (number, time) = (*number, *times);
        if number == next {
            self.order.push(index);
        }
        let name = self.language.say("脚注", "Footnote");
        let _ = write!(
            self.html,
            "<sup><a id=\"ref:{number}:{time}\" href=\"#fn:{number}\" role=\"doc-noteref\" aria-label=\"{name} {number}\">{number}</a></sup>"
        );
    }

    fn nested(&mut self, tag: &str, content: &[Inline]) {
        let _ = write!(self.html, "<{tag}>");
        self.inlines(content);
        let _ = write!(self.html, "</{tag}>");
    }

    /// Writes an element with nothing but text. `tag` may have attributes.
    pub(super) fn element(&mut self, tag: &str, text: &str) {
        let _ = write!(self.html, "<{tag}>");
        self.text(text);
        let name = tag.split(' ').next().unwrap_or(tag);
        let _ = write!(self.html, "</{name}>");
    }

    fn text(&mut self, text: &str) {
        push_text(&mut self.html, text, &mut self.losses);
    }
}
