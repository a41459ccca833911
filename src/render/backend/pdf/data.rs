//! Converts a document into data for the template: strings and names of elements, nothing that Typst would run.
//!
//! All text passes through here: emoji are replaced by symbols, long words get places where they may break, and characters
//! without a glyph are found before pages are made.

mod attached;
mod code;
mod marks;

use std::collections::BTreeSet;

use serde_json::{Value, json};

use self::attached::attached;
use super::fonts::Faces;
use super::look::{self, RunningValues};
use super::size;
use crate::model::chart::ChartDescription;
use crate::model::doc::{
    Block, Doc, Inline, List, MAX_ELEMENTS, Table, figure, leads_in, plain_text, references,
    too_many_elements,
};
use crate::model::language::Language;
use crate::shared::chart;
use crate::shared::glyphs::breaks::breakable;
use crate::shared::glyphs::missing::{self, Missing};
use crate::shared::glyphs::{MAX_LISTED, Walk, listed, named};
use crate::shared::highlight::Highlighter;
use crate::shared::link;
use crate::shared::losses::{LossKind, Losses};
use crate::shared::notes::Notes;
use crate::shared::nowrap::{nowrap_parts, nowrap_parts_of_head};
use crate::shared::outline::{Anchors, Outline, title};
use crate::shared::picture::{Gallery, Picture};
use crate::shared::size::FORMULA_BYTES;
use crate::shared::table::{self, Side, TablePart, TableRoom};
use crate::{Cancel, PdfOptions, PdfStandard, ThemeLayout};
use mitt_base::{Error, Remedy, Result, text};

/// Most characters of a word of running text that stays whole.
const MAX_WORD: usize = 40;

/// Most characters of the title in the header of a page. More would be laid out and cut off on every page.
const MAX_HEADER_CHARACTERS: u64 = 200;

/// Height of the highest chart, in points: it must fit on the shorter paper.
const MAX_CHART_HEIGHT: f64 = 620.0;

/// Data for the template, and warnings.
pub(super) struct Data {
    pub(super) json: Vec<u8>,
    pub(super) pictures: Vec<Picture>,
    pub(super) warnings: Vec<String>,
    /// Drawings, to which the data refers by number.
    pub(super) drawings: Vec<String>,
}

/// Converts a document into the template's data. `accept` decides about each picture.
///
/// # Errors
///
/// [`ErrorKind::Arguments`] - the document is too large, the language tag is invalid, or most of its letters are in no font.
/// `accept` decides about each picture when it is found.
pub(super) fn data(
    doc: &Doc,
    options: &PdfOptions,
    faces: &Faces,
    accept: fn(Picture) -> std::result::Result<Picture, String>,
) -> Result<Data> {
    let theme = &options.common.theme;
    let has_contents = options.common.contents || theme.layout == ThemeLayout::Report;
    size::check(doc, has_contents)?;
    let language = Language::of(doc, options.common.language.as_deref())?;
    let gallery = Gallery::new(&options.common.pictures, &accept);
    let mut converter = Converter::new(doc, faces, gallery, options);
    let title = title(doc, options.common.title.as_deref());
    let title = title.map(|title| converter.plain(title.trim()).trim().to_owned());
    let outline = Outline::of(doc);
    converter.anchors = Anchors::of(&outline);
    let cover = converter.cover(&outline, options.common.title.as_deref());
    let blocks = converter.body(&outline);
    let footnotes = converter.footnotes();
    options.common.cancel.check()?;
    let mut warnings = doc.warnings.clone();
    warnings.extend(converter.missing.warning()?);
    if converter.pieces > MAX_ELEMENTS {
        return Err(too_many_elements(format_args!("more than {MAX_ELEMENTS}")));
    }
    // The header of every page has it, on one line.
    let header = title.as_deref().map(|title| text::cut_chars(title, MAX_HEADER_CHARACTERS).0);
    let edge = |text: &str| text::cut_chars(text, MAX_HEADER_CHARACTERS).0.to_owned();
    let (author, date) = (edge(&listed_plain(&cover["authors"])), edge(plain(&cover["date"])));
    let on_edges =
        RunningValues { title: header.unwrap_or_default(), author: &author, date: &date };
    let look = look::look(theme, options.common.paper_of(doc), faces, &language, &on_edges)?;
    let mut file_title = title.clone();
    if file_title.is_none() && options.standards.contains(&PdfStandard::Ua1) {
        // The standard requires a title, which is not shown on a page.
        let made = language.say("文档", "Document");
        warnings.push(format!(
            "no title: `{made}` stands in the properties of the file, as `ua-1` expects one; {}",
            Remedy::Title.text()
        ));
        file_title = Some(made.to_owned());
    }
    let data = json!({
        "title": file_title,
        "authors": options.common.authors_of(doc),
        "keywords": doc.meta.keywords,
        "language": language.code,
        "region": language.region,
        "contents": has_contents && outline_has_headings(&outline),
        "theme": look,
        "cover": cover,
        "fonts": faces.given,
        "preferred": faces.preferred(&language),
        "blocks": blocks,
        "footnotes": footnotes,
        "attachments": attached(options),
    });
    if !converter.dropped.is_empty() {
        let text = listed(converter.dropped.iter().map(|c| named(*c)), MAX_LISTED);
        let is_emoji =
            converter.dropped.iter().any(|c| !matches!(c, '\u{E000}'..='\u{F8FF}' | '\u{F0000}'..));
        let way_out =
            if is_emoji { format!("; {}", Remedy::EmojiFont.text()) } else { String::new() };
        warnings.push(format!("left out, as no font has them: {text}{way_out}"));
    }
    if converter.has_wide_table {
        warnings.push(
            "a table has more columns than fit on a page; a workbook would show it better".into(),
        );
    }
    warnings.extend(converter.losses.into_warnings());
    let drawings = converter.drawings;
    let json = serde_json::to_vec(&data)
        .map_err(|error| Error::bug(format!("no JSON of a document: {error}")))?;
    let pictures = converter.gallery.all().to_vec();
    Ok(Data { json, pictures, drawings, warnings })
}

fn plain(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn listed_plain(values: &Value) -> String {
    let values = values.as_array().map(Vec::as_slice).unwrap_or_default();
    values.iter().map(plain).collect::<Vec<_>>().join(", ")
}

/// Returns `true` if a paragraph has an address or another word that can take most of a line. A line with nothing else
/// cannot stretch, so that in justified text the lines around it would be pulled apart.
fn has_long_word(content: &[Inline]) -> bool {
    let mut length = 0;
    plain_text(content).chars().any(|c| {
        length = if c.is_ascii_graphic() { length + 1 } else { 0 };
        length > MAX_WORD
    })
}

/// Returns `true` if a block is a paragraph that has a note and fits on a page with its heading.
fn is_short_with_note(block: &Block) -> bool {
    const MAX_CHARACTERS: usize = 400;
    let Block::Paragraph { content } = block else { return false };
    !references(std::slice::from_ref(block)).is_empty()
        && plain_text(content).chars().count() <= MAX_CHARACTERS
}

/// Returns a cell of a row, which may be shorter than the head.
fn cell_of(row: &[Vec<Inline>], at: usize) -> &[Inline] {
    row.get(at).map_or(&[], Vec::as_slice)
}

/// Returns `true` if the contents have an entry.
fn outline_has_headings(outline: &Outline<'_>) -> bool {
    outline.blocks.iter().any(|block| matches!(block, Block::Heading { .. }))
}

/// Walks a document once, in reading order.
pub(super) struct Converter<'a> {
    doc: &'a Doc,
    faces: &'a Faces,
    pub(super) gallery: Gallery<'a>,
    notes: Notes<'a>,
    /// Number of blocks around the current one.
    depth: usize,
    /// Longest word that stays whole in the current block.
    max_word: usize,
    has_wide_table: bool,
    /// Layout of the theme.
    layout: ThemeLayout,
    /// Space for tables.
    room: TableRoom,
    /// Number of levels by which all headings move up, and the level of the last one, below which the next may be at most
    /// one.
    shift: u8,
    level: u8,
    /// Anchors of headings for links, and the number of headings so far.
    anchors: Anchors,
    headings: usize,
    /// `true` if units and numbers of the current cell stay on one line.
    is_keeping: bool,
    /// `true` if the head of the current column takes several lines: a new one begins at its unit.
    is_folding: bool,
    /// `true` if the file must keep a standard, which forbids some ornaments.
    is_strict: bool,
    /// `true` within struck text.
    is_struck: bool,
    /// `true` if emphasised Chinese of the current paragraph has dots below.
    has_dots: bool,
    /// The previous character within a paragraph.
    pub(super) last: Option<char>,
    dropped: BTreeSet<char>,
    missing: Missing,
    /// Losses in what is shown.
    pub(super) losses: Losses,
    /// Number of pieces of text so far. A coloured symbol divides a piece.
    pub(super) pieces: usize,
    highlighter: Highlighter,
    /// Size of code, in points.
    code_size: f64,
    /// Characters of long lines of code that may still get a continuation sign.
    marked_left: usize,
    drawings: Vec<String>,
    cancel: &'a Cancel,
}

impl<'a> Converter<'a> {
    fn new(
        doc: &'a Doc,
        faces: &'a Faces,
        gallery: Gallery<'a>,
        options: &'a PdfOptions,
    ) -> Converter<'a> {
        Converter {
            doc,
            faces,
            gallery,
            notes: Notes::of(doc),
            depth: 0,
            max_word: MAX_WORD,
            has_wide_table: false,
            layout: options.common.theme.layout,
            room: look::room(&options.common.theme, options.common.paper_of(doc)),
            shift: 0,
            level: 0,
            anchors: Anchors::default(),
            headings: 0,
            is_keeping: false,
            is_folding: false,
            is_strict: !options.standards.is_empty(),
            is_struck: false,
            has_dots: true,
            last: None,
            dropped: BTreeSet::new(),
            missing: Missing::default(),
            losses: Losses::default(),
            pieces: 0,
            highlighter: Highlighter::default(),
            code_size: options.common.theme.sizes.code,
            marked_left: code::MAX_MARKED,
            drawings: Vec::new(),
            cancel: &options.common.cancel,
        }
    }

    /// Returns the cover: title, authors, date, recipient. `asked` is the caller's title for a document without one.
    fn cover(&mut self, outline: &Outline<'_>, asked: Option<&str>) -> Value {
        let meta = &self.doc.meta;
        let mut all = |texts: &[String]| -> Vec<String> {
            texts.iter().map(|text| self.plain(text.trim())).collect()
        };
        let (authors, recipient) = (all(&meta.authors), all(&meta.recipient));
        let date = meta.date.as_deref().map(|date| self.plain(date.trim()));
        let title = match (self.layout, &outline.title, asked) {
            // The title is one of the blocks of the text.
            (ThemeLayout::Plain, ..) => Value::Null,
            (_, Some(title), _) => self.leaf(title),
            (_, None, Some(asked)) if !asked.trim().is_empty() => {
                self.leaf(&[Inline::Text { text: asked.trim().to_owned() }])
            }
            _ => Value::Null,
        };
        json!({ "title": title, "authors": authors, "date": date, "recipient": recipient })
    }

    /// Returns the title, if it is above the text, and the blocks of the text.
    fn body(&mut self, outline: &Outline<'_>) -> Vec<Value> {
        let mut out = Vec::new();
        if let (ThemeLayout::Plain, Some(content)) = (self.layout, &outline.title) {
            let byline = outline.byline.as_ref().map(|byline| self.plain(byline));
            out.push(json!({ "type": "title", "content": self.leaf(content), "byline": byline }));
        }
        // The level that 6 becomes tells by how much all levels move.
        self.shift = 6 - outline.level(6);
        let deepest = self.deepest_of_slides();
        for (index, block) in outline.blocks.iter().enumerate() {
            self.losses.enter_block(outline.first_number + index);
            if let Block::Heading { content, level } = block {
                self.losses.below(&plain_text(content));
                if *level <= deepest {
                    out.push(json!({ "type": "page-break" }));
                }
            }
            let mut value = self.block(block);
            if value["turned"] == true {
                // The block begins a page of its own. Its headings move along instead of ending the previous page.
                let is_heading = |value: &Value| value["type"] == "heading";
                let behind = out.iter().rev().take_while(|value| is_heading(value)).count();
                value["before"] = Value::Array(out.split_off(out.len() - behind));
            }
            // A caption is on the page of the block that follows it.
            if matches!(block, Block::Table(_) | Block::Chart(_)) || value["type"] == "figure" {
                let before = index.checked_sub(1).and_then(|before| outline.blocks.get(before));
                if let (Some(Block::Paragraph { content }), Some(last)) = (before, out.last_mut())
                    && last["type"] == "paragraph"
                    && leads_in(content)
                {
                    last["sticky"] = Value::Bool(true);
                }
            }
            // Typst does not keep a heading with its text if a note of that text does not fit on the page.
            if is_short_with_note(block)
                && let Some(heading) = out.pop_if(|last| last["type"] == "heading")
            {
                let level = heading["level"].clone();
                value = json!({ "type": "together", "level": level, "blocks": [heading, value] });
            }
            out.push(value);
        }
        out
    }

    /// Returns the lowest source level at which each heading begins a slide: the second, or the highest one in use.
    fn deepest_of_slides(&self) -> u8 {
        match self.layout {
            ThemeLayout::Slides => (self.shift + 1).max(2),
            _ => 0,
        }
    }

    /// Returns the texts of all footnotes in use, by number.
    fn footnotes(&mut self) -> Vec<Value> {
        self.losses.enter_notes();
        let notes = self.notes.begin();
        notes.into_iter().map(|note| Value::Array(self.blocks(note))).collect()
    }

    fn blocks(&mut self, blocks: &[Block]) -> Vec<Value> {
        self.depth += 1;
        let values = blocks.iter().map(|block| self.block(block)).collect();
        self.depth -= 1;
        values
    }

    /// Returns `true` if the conversion should stop: it was cancelled, or the result is too large.
    fn has_ended(&self) -> bool {
        self.pieces > MAX_ELEMENTS || self.cancel.is_cancelled()
    }

    fn block(&mut self, block: &Block) -> Value {
        if self.has_ended() {
            return Value::Null;
        }
        match block {
            Block::Heading { level, content } => self.heading(*level, content),
            Block::Paragraph { content } => {
                if let Some(figure) = figure(content) {
                    return self.figure(&figure);
                }
                let has_display =
                    |inline: &Inline| matches!(inline, Inline::Math { display: true, .. });
                let display = content.iter().any(has_display);
                json!({
                    "type": "paragraph", "display": display, "long": size::is_long(content), "ragged": has_long_word(content),
                    "content": self.leaf(content),
                })
            }
            Block::Code { language, text } => self.code(language.as_deref(), text),
            Block::Html { text } => self.code(None, text),
            Block::Quote { kind, blocks } => {
                json!({ "type": "quote", "kind": kind, "blocks": self.blocks(blocks) })
            }
            Block::List(list) => self.list(list),
            Block::Table(table) => self.table(table),
            Block::Chart(chart) => self.chart(chart),
            Block::Rule => json!({ "type": "rule" }),
            Block::PageBreak => json!({ "type": "page-break" }),
        }
    }

    /// Returns a heading at most one level below the previous one, so that navigation by headings finds each.
    fn heading(&mut self, level: u8, content: &[Inline]) -> Value {
        let level = level.saturating_sub(self.shift).clamp(1, 6).min(self.level + 1);
        // Headings in footnotes, which come behind all others, have no links.
        let anchor = (self.headings < self.anchors.len()).then_some(self.headings);
        self.headings += 1;
        if plain_text(content).trim().is_empty() && self.is_strict {
            // Standards do not allow an empty heading.
            return json!({
                "type": "paragraph", "long": false, "ragged": false, "anchor": anchor, "content": self.leaf(content),
            });
        }
        self.level = level;
        json!({ "type": "heading", "level": level, "anchor": anchor, "content": self.leaf(content) })
    }

    fn table(&mut self, table: &Table) -> Value {
        let room = TableRoom { turned: self.room.turned.filter(|_| self.depth == 0), ..self.room };
        let parts = table::parts_in(table, &room);
        let several = parts.len() > 1;
        if several {
            self.losses.record(LossKind::PartedTable, "");
        }
        self.has_wide_table |= parts.iter().any(|part| part.layout.is_too_wide);
        let is_turned = parts.iter().any(|part| part.layout.is_turned);
        let parts: Vec<Value> = parts.iter().map(|part| self.part(table, part, several)).collect();
        json!({ "type": "table", "turned": is_turned, "all": table.columns.len(), "parts": parts })
    }

    /// Returns a table, or some columns of it.
    fn part(&mut self, table: &Table, part: &TablePart, is_one_of_several: bool) -> Value {
        let layout = &part.layout;
        let columns = layout.columns.iter().map(|column| {
            let align = match column.side {
                Side::Left => "left",
                Side::Center => "center",
                Side::Right => "right",
            };
            json!({ "width": column.width, "align": align })
        });
        let columns: Vec<_> = columns.collect();
        (self.max_word, self.is_keeping) = (layout.max_word, layout.is_whole);
        let mut head = Vec::new();
        for (at, column) in part.columns.iter().zip(&layout.columns) {
            self.is_folding = column.folds_head;
            head.push(self.leaf(cell_of(&table.head, *at)));
        }
        self.is_folding = false;
        let mut cells = Vec::new();
        for row in &table.rows {
            cells.extend(part.columns.iter().map(|at| self.leaf(cell_of(row, *at))));
        }
        (self.max_word, self.is_keeping) = (MAX_WORD, false);
        // Numbers, from 1, of the columns in this part.
        let span = is_one_of_several.then(|| {
            let first = part.columns.iter().position(|at| *at > 0).unwrap_or(0);
            let of = |at: usize| part.columns.get(at).map_or(0, |column| column + 1);
            [of(first), of(part.columns.len() - 1)]
        });
        json!({
            "size": layout.size, "padding": layout.padding, "columns": columns, "head": head, "cells": cells,
            "span": span, "whole": table::rows_are_low(table, part), "together": table::stays_together(table, part),
        })
    }

    /// Returns a drawing with its description.
    fn chart(&mut self, chart: &ChartDescription) -> Value {
        let chart = chart.with_texts(&mut |text| self.plain(text));
        let Ok(scene) = chart::layout(&chart) else { return self.table(&chart.to_table()) };
        scene.warnings.iter().for_each(|warning| self.losses.record(LossKind::Chart, warning));
        self.drawings.push(chart::svg_of(&scene, &chart::Frame::Bare));
        // 96 pixels to the inch, 72 points to the inch; no chart is higher than a page.
        let width = (scene.width * 0.75).min(MAX_CHART_HEIGHT * scene.width / scene.height);
        json!({ "type": "chart", "number": self.drawings.len(), "width": width, "words": scene.alternative })
    }

    fn list(&mut self, list: &List) -> Value {
        let items = list
            .items
            .iter()
            .map(|item| json!({ "checked": item.checked, "blocks": self.blocks(&item.blocks) }));
        let items: Vec<_> = items.collect();
        let is_tasks = list.items.iter().all(|item| item.checked.is_some());
        json!({ "type": "list", "start": list.start, "tight": list.tight, "tasks": is_tasks, "items": items })
    }

    /// Returns the inlines of a paragraph.
    pub(super) fn leaf(&mut self, content: &[Inline]) -> Value {
        self.last = None;
        self.has_dots = size::can_have_dots(content);
        let mut out = Vec::new();
        self.inlines(content, &mut out);
        Value::Array(out)
    }

    fn nested(&mut self, kind: &str, content: &[Inline]) -> Value {
        let mut inner = Vec::new();
        self.inlines(content, &mut inner);
        json!({ "type": kind, "content": inner })
    }

    fn inlines(&mut self, content: &[Inline], out: &mut Vec<Value>) {
        for inline in content {
            if self.has_ended() {
                return;
            }
            self.pieces += 1;
            match inline {
                Inline::Text { text } => self.text(text, out),
                Inline::Code { text } => {
                    let text = self.plain(text);
                    self.last = text.chars().next_back();
                    out.push(json!({ "type": "code", "text": breakable(&text, self.max_word) }));
                }
                Inline::Emphasis { content } => {
                    // Dots are a line below the text, which struck text must not have in a tagged file.
                    let has_dots = self.has_dots && !(self.is_strict && self.is_struck);
                    let kind = if has_dots { "emphasis" } else { "italic" };
                    out.push(self.nested(kind, content));
                }
                Inline::Strong { content } => out.push(self.nested("strong", content)),
                Inline::Strikethrough { content } if self.is_struck => {
                    self.inlines(content, out);
                }
                Inline::Strikethrough { content } => {
                    self.is_struck = true;
                    out.push(self.nested("strikethrough", content));
                    self.is_struck = false;
                }
                Inline::Styled { style, content } => {
                    let mut value = self.nested("styled", content);
                    value["style"] = json!(style);
                    out.push(value);
                }
                Inline::Link { url, content } => {
                    let mut value = self.nested("link", content);
                    let heading = self.anchors.find(url);
                    value["url"] = link::kept(url).map_or(Value::Null, Value::from);
                    value["heading"] = json!(heading);
                    if value["url"].is_null() && heading.is_none() {
                        self.losses.record(LossKind::Link, url);
                    }
                    out.push(value);
                }
                Inline::Image { url, description, title } => {
                    out.push(self.inline_picture(url, description, title.as_deref()));
                }
                Inline::Footnote { index } => {
                    out.push(self.footnote(*index));
                    self.last = Some('1');
                }
                Inline::Math { text, display } => {
                    self.pieces += text.len() / FORMULA_BYTES;
                    out.push(self.math(text, *display));
                }
                Inline::Break => {
                    self.last = None;
                    out.push(json!({ "type": "break" }));
                }
            }
        }
    }
}

impl Converter<'_> {
    /// Adds text of a paragraph, divided at coloured symbols.
    fn text(&mut self, text: &str, out: &mut Vec<Value>) {
        let (limit, is_keeping, is_folding) = (self.max_word, self.is_keeping, self.is_folding);
        let mut signs = 0;
        let mut run = String::new();
        let flush = |run: &mut String, out: &mut Vec<Value>| {
            if run.is_empty() {
                return;
            }
            let mut at = 0;
            let parts = match (is_keeping, is_folding) {
                (true, true) => nowrap_parts_of_head(run),
                (true, false) => nowrap_parts(run),
                (false, _) => Vec::new(),
            };
            for part in parts {
                for (kind, text) in [("text", at..part.start), ("kept", part.clone())] {
                    let text = run.get(text).unwrap_or_default();
                    let is_unit = kind == "kept" && text.starts_with(['（', '(', '［', '[']);
                    if is_folding && is_unit && !out.is_empty() {
                        out.push(json!({ "type": "break" }));
                    }
                    if !text.is_empty() {
                        out.push(json!({ "type": kind, "text": breakable(text, limit) }));
                    }
                }
                at = part.end;
            }
            let rest = run.get(at..).unwrap_or_default();
            if !rest.is_empty() {
                out.push(json!({ "type": "text", "text": breakable(rest, limit) }));
            }
            run.clear();
        };
        self.walk(
            text,
            &mut |piece, color| match color {
                None => run.push_str(piece),
                Some(color) => {
                    flush(&mut run, out);
                    // A word without glyphs is one piece.
                    if piece == missing::BOX && extend_boxes(out) {
                        return;
                    }
                    signs += 1;
                    if signs <= MAX_ELEMENTS {
                        out.push(json!({ "type": "sign", "text": piece, "color": color }));
                    }
                }
            },
            true,
        );
        flush(&mut run, out);
        // A symbol, and the text behind it.
        self.pieces += 2 * signs;
    }

    /// Returns text without colours, in which spaces count: code, titles, descriptions.
    pub(super) fn plain(&mut self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        self.walk(text, &mut |piece, _| out.push_str(piece), false);
        out
    }

    /// Calls `emit` with what is shown for each character of `text`, and its colour.
    fn walk(
        &mut self,
        text: &str,
        emit: &mut dyn FnMut(&str, Option<&'static str>),
        fold_spaces: bool,
    ) {
        let faces = self.faces;
        let mut walk = Walk {
            covers: &|c| faces.covers(c),
            last: &mut self.last,
            dropped: &mut self.dropped,
            missing: &mut self.missing,
        };
        walk.text(text, fold_spaces, emit);
    }
}

/// Lengthens a row of boxes at the end of `out`, which may break anywhere. Returns `false` if there is none.
fn extend_boxes(out: &mut [Value]) -> bool {
    let Some(last) = out.last_mut().filter(|last| last["type"] == "sign") else { return false };
    match &mut last["text"] {
        Value::String(boxes) if boxes.ends_with(missing::BOX) => {
            boxes.push('\u{200B}');
            boxes.push_str(missing::BOX);
            true
        }
        _ => false,
    }
}
