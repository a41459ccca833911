//! Replaces HTML elements by the Markdown with the same meaning, as GitHub shows them. Elements without an equivalent are
//! left out by name, and their text is kept; elements that would run in a browser are shown as text.
//!
//! Works between the parser and the builder, and gives the builder balanced events, whatever tags the source leaves open.

mod cells;
mod dropped;
mod names;
mod tables;

use std::collections::HashSet;

use pulldown_cmark::{CowStr, Event, HeadingLevel, LinkType, Tag, TagEnd};

use self::cells::Cells;
use self::dropped::Dropped;
use self::names::{InlineFormat, Meaning, meaning};
use super::super::doc::TextStyle;
use super::html::{self, Token, Tokens, decoded};

/// Most open HTML elements. Deeper ones are left out, and their text is kept.
const MAX_OPEN: usize = 64;

/// Input of the builder.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum BuilderInput<'a> {
    /// An event of the parser, or one that replaces an element.
    Event(Event<'a>),
    /// Begins text with a style.
    Begin(TextStyle),
    /// Ends it.
    End,
    /// Ends a paragraph of inlines beside blocks.
    Paragraph,
}

/// What ends an open element.
#[derive(Clone, Copy, Debug, PartialEq)]
enum ElementEnd {
    /// An event of the parser; the element is Markdown.
    Markdown,
    /// An event that is passed to the builder.
    Event(TagEnd),
    Style,
    /// Text, such as a closing quotation mark.
    Text(&'static str),
    /// The end of a paragraph in bold: the summary of collapsible content.
    Summary,
    /// The end of a cell of a table.
    Cell,
}

struct OpenElement {
    /// Name of the element; empty for Markdown.
    name: String,
    end: ElementEnd,
}

/// Text that is collected up to the end of its element.
struct Gathered {
    name: String,
    text: String,
    /// `true` if it is shown.
    is_code: bool,
}

/// Replaces elements.
pub(super) struct Elements<'a> {
    /// Names of elements that are closed somewhere in the source. Others may be placeholders, such as `<file>`.
    closed: HashSet<String>,
    open: Vec<OpenElement>,
    /// Number of HTML elements in `open`.
    depth: usize,
    /// Number of open Markdown images. Their descriptions are text without formatting.
    images: usize,
    /// Text of the current HTML block.
    block: Option<String>,
    gathered: Option<Gathered>,
    table: Option<Cells<'a>>,
    out: Vec<BuilderInput<'a>>,
    /// `true` at the start of a paragraph.
    is_at_start: bool,
    line: usize,
    dropped: Dropped,
}

impl<'a> Elements<'a> {
    pub(super) fn of(source: &str) -> Elements<'a> {
        let closed = source.match_indices("</").filter_map(|(at, _)| {
            let name = source[at + 2..].split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
            name.clone().next().filter(|name| !name.is_empty()).map(str::to_ascii_lowercase)
        });
        Elements {
            closed: closed.collect(),
            open: Vec::new(),
            depth: 0,
            images: 0,
            block: None,
            gathered: None,
            table: None,
            out: Vec::new(),
            is_at_start: true,
            line: 1,
            dropped: Dropped::default(),
        }
    }

    /// Takes the next event, which is in this line. The results are in [`Elements::steps`].
    pub(super) fn event(&mut self, event: Event<'a>, line: usize) {
        self.line = line;
        match event {
            Event::Start(Tag::HtmlBlock) => self.block = Some(String::new()),
            Event::Html(html) => match &mut self.block {
                Some(block) => block.push_str(&html),
                None => self.push(Event::Html(html)),
            },
            Event::End(TagEnd::HtmlBlock) => {
                let block = self.block.take().unwrap_or_default();
                self.read_block(&block);
            }
            Event::InlineHtml(html) => self.read_inline(&html),
            Event::Start(tag) => {
                self.end_gathered();
                if !is_inline(&tag) {
                    self.end_leaves();
                }
                self.images += usize::from(matches!(tag, Tag::Image { .. }));
                self.push(Event::Start(tag));
                self.open.push(OpenElement { name: String::new(), end: ElementEnd::Markdown });
            }
            Event::End(end) => {
                self.end_gathered();
                while let Some(open) = self.open.pop() {
                    if open.end == ElementEnd::Markdown {
                        break;
                    }
                    self.close(open);
                }
                self.images = self.images.saturating_sub(usize::from(end == TagEnd::Image));
                self.push(Event::End(end));
            }
            event => self.content(event),
        }
    }

    /// Returns the steps for the builder.
    pub(super) fn steps(&mut self) -> std::vec::Drain<'_, BuilderInput<'a>> {
        self.out.drain(..)
    }

    /// Ends everything that is open.
    pub(super) fn finish(&mut self) {
        self.end_gathered();
        while let Some(open) = self.open.pop() {
            self.close(open);
        }
        self.end_table();
    }

    /// Handles an event that neither begins nor ends anything.
    fn content(&mut self, event: Event<'a>) {
        if let Some(gathered) = &mut self.gathered {
            match &event {
                Event::Text(text) | Event::Code(text) => return gathered.text.push_str(text),
                Event::SoftBreak => return gathered.text.push(' '),
                _ => self.end_gathered(),
            }
        }
        if matches!(event, Event::Rule) {
            self.end_leaves();
        }
        self.is_at_start = false;
        self.push(event);
    }

    fn push(&mut self, event: Event<'a>) {
        self.step(BuilderInput::Event(event));
    }

    fn step(&mut self, step: BuilderInput<'a>) {
        // Text in a list beside its items becomes an item.
        let in_list = matches!(
            self.open.last(),
            Some(OpenElement { end: ElementEnd::Event(TagEnd::List(_)), .. })
        );
        let is_no_content = matches!(
            step,
            BuilderInput::Paragraph
                | BuilderInput::End
                | BuilderInput::Event(Event::Start(Tag::Item) | Event::End(_))
        );
        if in_list && !is_no_content {
            self.out.push(BuilderInput::Event(Event::Start(Tag::Item)));
            self.opened("li", ElementEnd::Event(TagEnd::Item));
        }
        match &mut self.table {
            Some(table) if table.is_in_cell() => table.step(step),
            _ => self.out.push(step),
        }
    }

    fn text(&mut self, text: impl Into<CowStr<'a>>) {
        self.content(Event::Text(text.into()));
    }

    /// Handles a block of HTML, whose elements begin paragraphs, lists and tables.
    fn read_block(&mut self, block: &str) {
        let is_page_break = html::is_page_break_comment(block);
        if is_page_break {
            self.end_leaves();
            return self.shown(block.trim());
        }
        self.is_at_start = true;
        let mut tokens = Tokens::of(block);
        while let Some(token) = tokens.next() {
            match token {
                Token::Text(text) => self.block_text(text),
                Token::Hidden(_) => {}
                Token::Close(name) => self.end(&name, true),
                Token::Open(tag) => match meaning(&tag.name) {
                    Meaning::Shown => {
                        let inside = tokens.until_end(&tag.name);
                        self.end_gathered();
                        self.paragraph();
                        let name = &tag.name;
                        self.shown(&format!("{}{inside}</{name}>", tag.source));
                    }
                    Meaning::Preformatted => {
                        let inside = tokens.until_end(&tag.name);
                        self.preformatted(inside);
                    }
                    Meaning::Unknown if self.is_placeholder(&tag.name) => {
                        self.text(tag.source.to_owned());
                    }
                    meaning => self.begin(&tag, meaning, true),
                },
            }
        }
        self.end_gathered();
        self.paragraph();
    }

    /// Handles a tag or a comment within a line of Markdown.
    fn read_inline(&mut self, html: &str) {
        match Tokens::of(html).next() {
            // A description has no formatting, and text that its author typed there must not be lost.
            Some(Token::Open(_) | Token::Close(_)) if self.images > 0 => self.text(html.to_owned()),
            Some(Token::Open(tag)) => match meaning(&tag.name) {
                Meaning::Shown => self.text(html.to_owned()),
                Meaning::Unknown if self.is_placeholder(&tag.name) => self.text(html.to_owned()),
                meaning => self.begin(&tag, meaning, false),
            },
            Some(Token::Close(name)) if meaning(&name) == Meaning::Shown => {
                self.text(html.to_owned())
            }
            Some(Token::Close(name)) => self.end(&name, false),
            Some(Token::Hidden(_)) => {}
            Some(Token::Text(_)) | None => self.text(html.to_owned()),
        }
    }

    /// Returns `true` if a tag is a placeholder, such as `<file>`: no element has its name, and nothing closes it.
    fn is_placeholder(&self, name: &str) -> bool {
        !names::is_html(name) && !self.closed.contains(name)
    }

    /// Adds text between the tags of a block, whose line breaks and spaces become one space.
    fn block_text(&mut self, text: &str) {
        // Space between the rows of a table is dropped.
        let is_nowhere = self.table.as_ref().is_some_and(|table| !table.is_in_cell());
        if text.trim().is_empty() && (self.is_at_start || is_nowhere) {
            return;
        }
        let text = decoded(text);
        let mut rest = text.as_str();
        while let Some(first) = rest.chars().next() {
            let is_space = first.is_ascii_whitespace();
            let end =
                rest.find(|c: char| c.is_ascii_whitespace() != is_space).unwrap_or(rest.len());
            let (part, tail) = rest.split_at(end);
            rest = tail;
            match is_space {
                true if self.is_at_start => {}
                true if part.contains('\n') => self.content(Event::SoftBreak),
                true => self.text(" "),
                false => self.text(part.to_owned()),
            }
        }
    }

    /// Adds HTML that is shown and not interpreted.
    fn shown(&mut self, html: &str) {
        if self.table.as_ref().is_some_and(Cells::is_in_cell) {
            return self.text(html.to_owned());
        }
        self.push(Event::Start(Tag::HtmlBlock));
        self.push(Event::Html(html.to_owned().into()));
        self.push(Event::End(TagEnd::HtmlBlock));
        self.is_at_start = true;
    }

    /// Adds the content of `pre`, in which spaces count. Tags within it only format it.
    fn preformatted(&mut self, inside: &str) {
        let mut text = String::new();
        for token in Tokens::of(inside) {
            match token {
                Token::Text(part) => text.push_str(&decoded(part)),
                Token::Open(tag) if tag.name == "br" => text.push('\n'),
                _ => {}
            }
        }
        if self.table.as_ref().is_some_and(Cells::is_in_cell) {
            let text = text.trim().to_owned();
            return self.content(Event::Code(text.into()));
        }
        self.end_gathered();
        self.paragraph();
        let text = text.strip_prefix('\n').unwrap_or(&text).to_owned();
        let kind = pulldown_cmark::CodeBlockKind::Indented;
        self.push(Event::Start(Tag::CodeBlock(kind)));
        self.push(Event::Text(text.into()));
        self.push(Event::End(TagEnd::CodeBlock));
        self.is_at_start = true;
    }

    /// Begins an element. `is_block`: paragraphs may begin here.
    fn begin(&mut self, tag: &html::Tag<'_>, meaning: Meaning, is_block: bool) {
        self.lost_looks(tag);
        let is_block = is_block && !self.table.as_ref().is_some_and(Cells::is_in_cell);
        self.end_gathered();
        match meaning {
            Meaning::Format(format) => self.begin_format(&tag.name, format),
            Meaning::Code => {
                self.gathered =
                    Some(Gathered { name: tag.name.clone(), text: String::new(), is_code: true });
            }
            Meaning::Dropped => {
                self.gathered =
                    Some(Gathered { name: tag.name.clone(), text: String::new(), is_code: false });
            }
            Meaning::Link => {
                if let Some(url) = tag.attribute("href") {
                    let (dest_url, empty) = (url.trim().to_owned().into(), CowStr::from(""));
                    let (link_type, title, id) = (LinkType::Inline, empty.clone(), empty);
                    self.open_event(&tag.name, Tag::Link { link_type, dest_url, title, id });
                }
            }
            Meaning::Image => self.image(tag),
            Meaning::Break => self.content(Event::HardBreak),
            Meaning::Nothing => {}
            Meaning::Unknown => self.dropped.tag(&tag.name, self.line),
            Meaning::Table => self.begin_table(tag, is_block),
            Meaning::Row | Meaning::Cell => self.begin_part_of_table(tag, meaning),
            _ if !is_block => self.begin_in_line(meaning),
            Meaning::Rule => {
                self.paragraph();
                self.push(Event::Rule);
            }
            Meaning::Block => self.paragraph(),
            Meaning::Summary => {
                self.paragraph();
                self.push(Event::Start(Tag::Strong));
                self.opened(&tag.name, ElementEnd::Summary);
            }
            Meaning::Heading(level) => {
                self.paragraph();
                let level = HeadingLevel::try_from(usize::from(level)).unwrap_or(HeadingLevel::H6);
                let (id, classes, attrs) = (None, Vec::new(), Vec::new());
                self.open_event(&tag.name, Tag::Heading { level, id, classes, attrs });
            }
            Meaning::Quote => {
                self.paragraph();
                self.open_event(&tag.name, Tag::BlockQuote(None));
            }
            Meaning::List { is_numbered } => {
                self.paragraph();
                let start = tag.attribute("start").and_then(|start| start.trim().parse().ok());
                let start = is_numbered.then(|| start.unwrap_or(1));
                self.open_event(&tag.name, Tag::List(start));
            }
            Meaning::Item => self.begin_item(&tag.name),
            Meaning::Shown | Meaning::Preformatted => {}
        }
    }

    /// Begins a block within a line of Markdown or in a cell, on a line of its own.
    fn begin_in_line(&mut self, meaning: Meaning) {
        match meaning {
            Meaning::List { .. } => {}
            Meaning::Item => {
                self.line_end();
                self.text("• ");
                self.is_at_start = true;
            }
            Meaning::Summary => {
                self.line_end();
                self.push(Event::Start(Tag::Strong));
                self.opened("summary", ElementEnd::Event(TagEnd::Strong));
            }
            _ => self.line_end(),
        }
    }

    /// Adds a line break, unless the text has just begun.
    fn line_end(&mut self) {
        if !self.is_at_start {
            self.push(Event::HardBreak);
            self.is_at_start = true;
        }
    }

    fn begin_format(&mut self, name: &str, format: InlineFormat) {
        if self.depth >= MAX_OPEN {
            return;
        }
        match format {
            InlineFormat::Strong => self.open_event(name, Tag::Strong),
            InlineFormat::Emphasis => self.open_event(name, Tag::Emphasis),
            InlineFormat::Struck => self.open_event(name, Tag::Strikethrough),
            InlineFormat::Style(style) => {
                self.step(BuilderInput::Begin(style));
                self.opened(name, ElementEnd::Style);
            }
            InlineFormat::Quoted(open, close) => {
                self.text(open);
                self.opened(name, ElementEnd::Text(close));
            }
        }
    }

    /// Begins an item. Ends the previous one, unless it belongs to an outer list.
    fn begin_item(&mut self, name: &str) {
        self.paragraph();
        let is_list = |open: &OpenElement| matches!(open.end, ElementEnd::Event(TagEnd::List(_)));
        let Some(list) = self.open.iter().rposition(is_list) else { return };
        let is_markdown = |open: &OpenElement| open.end == ElementEnd::Markdown;
        if self.open[list..].iter().any(is_markdown) {
            return;
        }
        while self.open.len() > list + 1 {
            if let Some(open) = self.open.pop() {
                self.close(open);
            }
        }
        self.open_event(name, Tag::Item);
    }

    fn image(&mut self, tag: &html::Tag<'_>) {
        let attribute = |name: &str| tag.attribute(name).unwrap_or_default().trim().to_owned();
        let (url, words, title) = (attribute("src"), attribute("alt"), attribute("title"));
        if url.is_empty() {
            return self.text(words);
        }
        let (dest_url, title, id) = (url.into(), title.into(), CowStr::from(""));
        self.is_at_start = false;
        self.push(Event::Start(Tag::Image { link_type: LinkType::Inline, dest_url, title, id }));
        self.push(Event::Text(words.into()));
        self.push(Event::End(TagEnd::Image));
    }

    fn open_event(&mut self, name: &str, tag: Tag<'a>) {
        if self.depth >= MAX_OPEN {
            return;
        }
        let end = tag.to_end();
        self.push(Event::Start(tag));
        self.opened(name, ElementEnd::Event(end));
    }

    fn opened(&mut self, name: &str, end: ElementEnd) {
        self.open.push(OpenElement { name: name.to_owned(), end });
        self.depth += 1;
    }

    /// Ends an element at its end tag.
    fn end(&mut self, name: &str, is_block: bool) {
        if let Some(gathered) = &self.gathered {
            if gathered.name == name {
                return self.end_gathered();
            }
            if !gathered.is_code {
                return;
            }
        }
        let meaning = meaning(name);
        match meaning {
            Meaning::Table => return self.end_tag_of_table(),
            Meaning::Row | Meaning::Cell => return self.end_cell(),
            _ => {}
        }
        let in_cell = self.table.as_ref().is_some_and(Cells::is_in_cell);
        // Only above the next Markdown element, or the cell.
        let is_wall =
            |open: &OpenElement| matches!(open.end, ElementEnd::Markdown | ElementEnd::Cell);
        let found = self
            .open
            .iter()
            .rev()
            .take(MAX_OPEN + 1)
            .take_while(|open| !is_wall(open))
            .position(|open| open.name == name);
        for _ in 0..found.map_or(0, |at| at + 1) {
            if let Some(open) = self.open.pop() {
                self.close(open);
            }
        }
        if meaning.is_block() {
            if is_block && !in_cell {
                self.paragraph();
            } else if !matches!(meaning, Meaning::List { .. } | Meaning::Item) {
                self.line_end();
            }
        }
    }

    fn close(&mut self, open: OpenElement) {
        self.depth = self.depth.saturating_sub(usize::from(open.end != ElementEnd::Markdown));
        match open.end {
            ElementEnd::Markdown => {}
            ElementEnd::Event(end) => {
                if is_block_end(end) {
                    self.step(BuilderInput::Paragraph);
                    self.is_at_start = true;
                }
                self.push(Event::End(end));
            }
            ElementEnd::Style => self.step(BuilderInput::End),
            ElementEnd::Text(text) => self.text(text),
            ElementEnd::Summary => {
                self.push(Event::End(TagEnd::Strong));
                self.step(BuilderInput::Paragraph);
                self.is_at_start = true;
            }
            ElementEnd::Cell => {
                if let Some(table) = &mut self.table {
                    table.end_cell();
                }
            }
        }
    }

    /// Ends the paragraph of inlines beside blocks, with all open formatting.
    fn paragraph(&mut self) {
        let is_leaf = |open: &OpenElement| match open.end {
            ElementEnd::Event(end) => is_inline_end(end) || matches!(end, TagEnd::Heading(_)),
            ElementEnd::Style | ElementEnd::Text(_) | ElementEnd::Summary => true,
            ElementEnd::Markdown | ElementEnd::Cell => false,
        };
        while let Some(open) = self.open.pop_if(|open| is_leaf(open)) {
            self.close(open);
        }
        self.step(BuilderInput::Paragraph);
        self.is_at_start = true;
    }

    /// Begins a Markdown block: ends formatting, headings and tables of HTML.
    fn end_leaves(&mut self) {
        self.end_gathered();
        if self.table.is_some() {
            self.dropped.look("a table of HTML that blank lines part", self.line);
            self.end_table();
        }
        let is_html = self.open.last().is_some_and(|open| open.end != ElementEnd::Markdown);
        if is_html {
            self.paragraph();
        }
        self.is_at_start = true;
    }

    fn end_gathered(&mut self) {
        if let Some(Gathered { text, is_code: true, .. }) = self.gathered.take() {
            let text = text.trim();
            if !text.is_empty() {
                self.is_at_start = false;
                self.push(Event::Code(text.to_owned().into()));
            }
        }
    }
}

fn is_inline(tag: &Tag<'_>) -> bool {
    is_inline_end(tag.to_end())
}

fn is_inline_end(end: TagEnd) -> bool {
    matches!(
        end,
        TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image
    )
}

fn is_block_end(end: TagEnd) -> bool {
    matches!(end, TagEnd::BlockQuote(_) | TagEnd::List(_) | TagEnd::Item)
}
