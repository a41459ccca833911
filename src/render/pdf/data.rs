//! The document as the template reads it: strings and names of things to draw, nothing that Typst would run.
//!
//! Every text passes through here: emoji become signs, long words get places where they may break, and characters without a
//! glyph are found before a page is made.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::breaks::breakable;
use super::fonts::Faces;
use super::missing::{self, Missing};
use super::signs::{self, Fate};
use super::{formula, scripts, size};
use crate::doc::{Block, Doc, Inline, List, MAX_ELEMENTS, Table, plain_text, too_many_elements};
use crate::highlight::{Code, Highlighter, Piece, Token};
use crate::language::Language;
use crate::notes::{Notes, Reference};
use crate::outline::{Outline, title};
use crate::size::FORMULA_BYTES;
use crate::table::{self, Side};
use crate::told::{Kind, Told};
use crate::{Cancel, Paper, PdfOptions, link, math};
use mitt_base::{Error, Result, text};

/// Longest word of running text that is left whole.
const MAX_WORD: usize = 40;

/// Longest word of a block of code that is left whole: what fits on a line.
const MAX_CODE_WORD: usize = 80;

/// Lines of code that are set together.
const LINES_PER_CHUNK: usize = 100;

/// Lines of coloured code that are set together. None is longer than a few hundred characters.
const LINES_OF_COLOR: usize = 25;

/// Characters of a line of code that are set together, and a quarter of the bytes of all lines that are.
const CHARACTERS_PER_CHUNK: usize = 2_000;

/// Characters of the title that the header of a page can show; the rest would be laid out and cut off on every page.
const MAX_HEADER_CHARACTERS: u64 = 200;

/// Most characters that an error or a warning lists.
pub(super) const MAX_LISTED: usize = 20;

/// What the template reads, and what was changed on the way.
pub(super) struct Data {
    pub(super) json: Vec<u8>,
    pub(super) warnings: Vec<String>,
}

/// Turn a document into the template's data.
///
/// # Errors
///
/// [`ErrorKind::Arguments`] - the document is too large, the language is no tag, or most of its letters are in no font.
pub(super) fn data(doc: &Doc, options: &PdfOptions, faces: &Faces) -> Result<Data> {
    size::check(doc, options.contents)?;
    let language = Language::of(doc, options.language.as_deref())?;
    let mut converter = Converter::new(doc, faces, &options.cancel);
    let title = title(doc, options.title.as_deref());
    let title = title.map(|title| converter.plain(title.trim()).trim().to_owned());
    let blocks = converter.body(&Outline::of(doc));
    let footnotes = converter.footnotes();
    options.cancel.check()?;
    let mut warnings = doc.warnings.clone();
    warnings.extend(converter.missing.warning()?);
    if converter.pieces > MAX_ELEMENTS {
        return Err(too_many_elements(format_args!("more than {MAX_ELEMENTS}")));
    }
    // The header of every page has it, on one line.
    let header = title.as_deref().map(|title| text::cut_chars(title, MAX_HEADER_CHARACTERS).0);
    let data = json!({
        "title": title,
        "header": header,
        "authors": doc.meta.authors,
        "language": language.code,
        "region": language.region,
        "contents": options.contents,
        "fonts": faces.given,
        "paper": match options.paper { Paper::A4 => "a4", Paper::Letter => "us-letter" },
        "blocks": blocks,
        "footnotes": footnotes,
    });
    if !converter.dropped.is_empty() {
        let text = listed(converter.dropped.keys().map(|c| named(*c)), MAX_LISTED);
        warnings.push(format!("left out, as no font has them: {text}"));
    }
    if converter.has_wide_table {
        warnings.push(
            "a table has more columns than fit on a page; a workbook would show it better".into(),
        );
    }
    warnings.extend(converter.told.into_warnings());
    let json = serde_json::to_vec(&data)
        .map_err(|error| Error::bug(format!("no JSON of a document: {error}")))?;
    Ok(Data { json, warnings })
}

/// A character and its number.
pub(super) fn named(c: char) -> String {
    format!("{c} (U+{:04X})", u32::from(c))
}

/// At most so many of the items, and how many more there are.
pub(super) fn listed(items: impl ExactSizeIterator<Item = String>, most: usize) -> String {
    let more = items.len().saturating_sub(most);
    let mut listed: Vec<_> = items.take(most).collect();
    if more > 0 {
        listed.push(format!("and {more} more"));
    }
    listed.join(", ")
}

/// Walks a document once, in the order in which it is read.
struct Converter<'a> {
    faces: &'a Faces,
    notes: Notes<'a>,
    /// Blocks around the current one.
    depth: usize,
    /// Longest word that stays whole where we are.
    max_word: usize,
    has_wide_table: bool,
    /// Whether the emphasised Chinese of the current paragraph has dots below.
    has_dots: bool,
    /// The character before, within a paragraph.
    last: Option<char>,
    dropped: BTreeMap<char, ()>,
    missing: Missing,
    /// What is shown otherwise than its author meant.
    told: Told,
    /// Pieces of text so far: a coloured sign parts what was one.
    pieces: usize,
    highlighter: Highlighter,
    cancel: &'a Cancel,
}

impl<'a> Converter<'a> {
    fn new(doc: &'a Doc, faces: &'a Faces, cancel: &'a Cancel) -> Converter<'a> {
        Converter {
            faces,
            notes: Notes::of(doc),
            depth: 0,
            max_word: MAX_WORD,
            has_wide_table: false,
            has_dots: true,
            last: None,
            dropped: BTreeMap::new(),
            missing: Missing::default(),
            told: Told::default(),
            pieces: 0,
            highlighter: Highlighter::default(),
            cancel,
        }
    }

    /// The title and the blocks of the text.
    fn body(&mut self, outline: &Outline<'_>) -> Vec<Value> {
        let mut out = Vec::new();
        if let Some(content) = &outline.title {
            let byline = outline.byline.as_ref().map(|byline| self.plain(byline));
            out.push(json!({ "type": "title", "content": self.leaf(content), "byline": byline }));
        }
        for (index, block) in outline.blocks.iter().enumerate() {
            self.told.enter(outline.first_number + index);
            if let Block::Heading { content, .. } = block {
                self.told.below(&plain_text(content));
            }
            let mut value = self.block(block);
            if let Block::Heading { level, .. } = block {
                value["level"] = json!(outline.level(*level));
            }
            out.push(value);
        }
        out
    }

    /// The texts of all footnotes that were referred to, by number.
    fn footnotes(&mut self) -> Vec<Value> {
        self.told.enter_notes();
        let notes = self.notes.begin();
        notes.into_iter().map(|note| Value::Array(self.blocks(note))).collect()
    }

    fn blocks(&mut self, blocks: &[Block]) -> Vec<Value> {
        self.depth += 1;
        let values = blocks.iter().map(|block| self.block(block)).collect();
        self.depth -= 1;
        values
    }

    /// Whether nothing more is to be made: it was cancelled, or is too large already.
    fn has_ended(&self) -> bool {
        self.pieces > MAX_ELEMENTS || self.cancel.is_cancelled()
    }

    fn block(&mut self, block: &Block) -> Value {
        if self.has_ended() {
            return Value::Null;
        }
        match block {
            Block::Heading { level, content } => {
                json!({ "type": "heading", "level": level, "content": self.leaf(content) })
            }
            Block::Paragraph { content } => {
                let has_display =
                    |inline: &Inline| matches!(inline, Inline::Math { display: true, .. });
                let display = content.iter().any(has_display);
                json!({ "type": "paragraph", "display": display, "long": size::is_long(content), "content": self.leaf(content) })
            }
            Block::Code { language, text } if language.is_some() => {
                self.code(language.as_deref(), text)
            }
            Block::Code { text, .. } | Block::Html { text } => {
                // Typst sets a block of code as one paragraph, in time that grows with its square.
                let text = breakable(&self.plain(text), MAX_CODE_WORD);
                json!({ "type": "code-block", "chunks": chunks(&text) })
            }
            Block::Quote { kind, blocks } => {
                json!({ "type": "quote", "kind": kind, "blocks": self.blocks(blocks) })
            }
            Block::List(list) => self.list(list),
            Block::Table(table) => self.table(table),
            Block::Rule => json!({ "type": "rule" }),
            Block::PageBreak => json!({ "type": "page-break" }),
        }
    }

    /// Code in a language: in colours, if there are any for it.
    fn code(&mut self, language: Option<&str>, text: &str) -> Value {
        let lines = match self.highlighter.lines(language, text, self.cancel) {
            Code::Lines(lines) => lines,
            code => {
                if code == Code::TooMuch {
                    self.told.tell(Kind::PlainCode, language.unwrap_or_default());
                }
                let text = breakable(&self.plain(text), MAX_CODE_WORD);
                return json!({ "type": "code-block", "chunks": chunks(&text) });
            }
        };
        let mut drawn = Vec::new();
        for line in lines {
            self.pieces += line.len();
            let mut column = 0;
            let pieces = line.into_iter().map(|Piece { token, text }| {
                let text = untabbed(&self.plain(text), &mut column);
                (token.map(Token::name), breakable(&text, MAX_CODE_WORD))
            });
            drawn.push(pieces.collect::<Vec<_>>());
        }
        let chunks = drawn.chunks(LINES_OF_COLOR).map(|lines| {
            let text = |line: &Vec<(_, String)>| {
                line.iter().map(|(_, text)| text.as_str()).collect::<String>()
            };
            json!({ "text": lines.iter().map(text).collect::<Vec<_>>().join("\n"), "lines": lines })
        });
        json!({ "type": "code-block", "chunks": chunks.collect::<Vec<_>>() })
    }

    fn table(&mut self, table: &Table) -> Value {
        let layout = table::layout(table, self.depth == 0);
        self.has_wide_table |= layout.is_too_wide;
        let columns = layout.columns.iter().map(|column| {
            let align = match column.side {
                Side::Left => "left",
                Side::Center => "center",
                Side::Right => "right",
            };
            json!({ "width": column.width, "align": align })
        });
        let columns: Vec<_> = columns.collect();
        self.max_word = layout.max_word;
        let head: Vec<_> = table.head.iter().map(|cell| self.leaf(cell)).collect();
        let cells: Vec<_> = table.rows.iter().flatten().map(|cell| self.leaf(cell)).collect();
        self.max_word = MAX_WORD;
        json!({
            "type": "table", "size": layout.size, "padding": layout.padding, "turned": layout.is_turned,
            "columns": columns, "head": head, "cells": cells,
        })
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

    /// Inlines that make a paragraph.
    fn leaf(&mut self, content: &[Inline]) -> Value {
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
                    let kind = if self.has_dots { "emphasis" } else { "italic" };
                    out.push(self.nested(kind, content));
                }
                Inline::Strong { content } => out.push(self.nested("strong", content)),
                Inline::Strikethrough { content } => {
                    out.push(self.nested("strikethrough", content))
                }
                Inline::Link { url, content } => {
                    let mut value = self.nested("link", content);
                    value["url"] = link::target(url).map_or(Value::Null, Value::from);
                    out.push(value);
                }
                Inline::Image { description, .. } => {
                    out.push(json!({ "type": "image", "description": self.plain(description) }));
                    self.last = Some(']');
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

    fn math(&mut self, text: &str, display: bool) -> Value {
        let formula = match math::formula(text) {
            Ok(formula) => formula,
            Err(what) => {
                self.told.tell(Kind::Math, &what);
                let text = self.plain(text);
                self.last = text.chars().next_back();
                return json!({ "type": "code", "text": breakable(&text, self.max_word) });
            }
        };
        formula.left_out.iter().for_each(|what| self.told.tell(Kind::MathLook, what));
        let steps = formula::steps(&formula, &mut |words| self.plain(words));
        let tag = formula.tag.as_ref().map(|tag| self.plain(&format!("({tag})")));
        self.last = Some(')');
        let source = text.split_whitespace().collect::<Vec<_>>().join(" ");
        json!({ "type": "formula", "display": display, "source": source, "tag": tag, "steps": steps })
    }

    /// A reference. Within a footnote it cannot open another: Typst would set notes within notes without end.
    fn footnote(&mut self, index: usize) -> Value {
        match self.notes.reference(index) {
            Reference::First(number) => json!({ "type": "note", "number": number }),
            Reference::Again(number) => json!({ "type": "note-again", "number": number }),
            Reference::Number(number) => json!({ "type": "note-number", "number": number }),
            Reference::Inline(text) => {
                let text = self.plain(&text);
                json!({ "type": "text", "text": breakable(&format!("[{text}]"), self.max_word) })
            }
            Reference::Nothing => json!({ "type": "text", "text": "" }),
        }
    }

    /// Text of a paragraph, cut where a coloured sign stands in it.
    fn text(&mut self, text: &str, out: &mut Vec<Value>) {
        let limit = self.max_word;
        let mut signs = 0;
        let mut run = String::new();
        let flush = |run: &mut String, out: &mut Vec<Value>| {
            if !run.is_empty() {
                out.push(json!({ "type": "text", "text": breakable(run, limit) }));
                run.clear();
            }
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
        // A sign, and the text behind it.
        self.pieces += 2 * signs;
    }

    /// Text that has no colours: code, titles, descriptions. Its spaces count.
    fn plain(&mut self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        self.walk(text, &mut |piece, _| out.push_str(piece), false);
        out
    }

    /// Call `emit` with what is shown for each character of `text`, and its colour.
    fn walk(
        &mut self,
        text: &str,
        emit: &mut dyn FnMut(&str, Option<&'static str>),
        fold_spaces: bool,
    ) {
        let faces = self.faces;
        let covers = |c: char| faces.covers(c);
        let mut skip = 0;
        for (at, c) in text.char_indices() {
            if skip > 0 {
                skip -= 1;
                continue;
            }
            if matches!(c, '\n' | '\t') || (c == ' ' && !fold_spaces) {
                emit(text.get(at..at + 1).unwrap_or(" "), None);
                continue;
            }
            let rest = text.get(at + c.len_utf8()..).unwrap_or_default();
            match signs::fate(c, rest, &covers) {
                // What an emoji leaves behind must not be two spaces, or one at the start of a line.
                Fate::Keep if c == ' ' && matches!(self.last, None | Some(' ')) => {}
                Fate::Keep => {
                    let mut buffer = [0; 4];
                    emit(c.encode_utf8(&mut buffer), None);
                    self.last = Some(c);
                    self.missing.note_drawn(c);
                }
                Fate::Sign(sign) => {
                    emit(sign.text, sign.color);
                    self.last = sign.text.chars().next_back();
                }
                Fate::Text(replacement, following) => {
                    emit(&replacement, None);
                    self.last = replacement.chars().next_back();
                    skip = following;
                }
                // Between the letters of a script that joins them it decides how they look.
                Fate::Ignore
                    if scripts::is_joiner(c)
                        && self.last.is_some_and(|last| !scripts::is_plain(last)) =>
                {
                    emit(c.encode_utf8(&mut [0; 4]), None);
                }
                Fate::Ignore => {}
                Fate::Drop => {
                    self.dropped.insert(c, ());
                }
                Fate::Missing => {
                    self.missing.note_missing(c, text, at);
                    emit(missing::BOX, Some("red"));
                    self.last = Some(c);
                }
            }
        }
    }
}

/// Lengthen a row of boxes at the end of `out`, if there is one. The row may break anywhere.
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

/// Text with spaces in place of tabs, as Typst has them where it draws code by itself.
fn untabbed(text: &str, column: &mut usize) -> String {
    const TAB: usize = 2;
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        let width = if c == '\t' { TAB - *column % TAB } else { 1 };
        match c {
            '\t' => out.extend(std::iter::repeat_n(' ', width)),
            c => out.push(c),
        }
        *column += width;
    }
    out
}

/// The lines of a block of code, so many together that each part is set in little time.
fn chunks(text: &str) -> Vec<String> {
    let mut chunks = vec![String::new()];
    let mut lines = 0;
    for line in text.split('\n') {
        let mut rest = line;
        let mut is_first = true;
        // A longer line is wrapped anyway, and goes on in the next part.
        while is_first || !rest.is_empty() {
            let end =
                rest.char_indices().nth(CHARACTERS_PER_CHUNK).map_or(rest.len(), |(at, _)| at);
            let (part, tail) = rest.split_at(end);
            let last = chunks.last_mut().filter(|last| {
                lines < LINES_PER_CHUNK
                    && is_first
                    && last.len() + part.len() <= 4 * CHARACTERS_PER_CHUNK
            });
            match last {
                Some(last) => {
                    if lines > 0 {
                        last.push('\n');
                    }
                    last.push_str(part);
                    lines += 1;
                }
                None => {
                    chunks.push(part.to_owned());
                    lines = 1;
                }
            }
            (rest, is_first) = (tail, false);
        }
    }
    chunks
}
