//! Builds the tree from parser events. Knows nothing of the source text.

use std::collections::{HashMap, VecDeque};

use pulldown_cmark::{
    Alignment as PulldownAlignment, BlockQuoteKind, CodeBlockKind, Event, Tag, TagEnd,
};

use super::super::doc::{
    Alignment, Block, Doc, Inline, List, ListItem, MAX_ELEMENTS, QuoteKind, Table, TextStyle,
    references, too_many_elements,
};
use super::elements::BuilderInput;
use super::html::is_page_break_comment;
use super::join::join;
use mitt_base::{Error, ErrorKind, Result};

/// Most levels of lists and quotations. Renderers recurse over the tree, and readers cannot follow more.
const MAX_BLOCK_DEPTH: usize = 12;
/// Most pieces of text before those of a paragraph are joined: a text of 2 MiB in lines of 40 bytes has a hundred thousand.
/// Each takes about 100 bytes.
const MAX_PIECES: usize = 1_000_000;
/// Most levels of nested emphasis and links.
const MAX_SPAN_DEPTH: usize = 8;

/// Builds a document from balanced events.
pub(super) struct Builder {
    sentinel: char,
    stack: Vec<Frame>,
    block_depth: usize,
    span_depth: usize,
    /// Labels of footnotes, in the order of their first reference.
    labels: Vec<String>,
    label_indices: HashMap<String, usize>,
    definitions: Vec<(String, Vec<Block>)>,
    /// Number of blocks, items and cells so far.
    elements: usize,
    /// Number of pieces of text so far; those of a paragraph are joined at its end.
    pieces: usize,
}

/// An element whose end was not reached yet.
enum Frame {
    /// Contains blocks, and inlines that belong to a paragraph of their own.
    Container {
        kind: Container,
        blocks: Vec<Block>,
        pending: Vec<Inline>,
    },
    List(List),
    Leaf {
        level: Option<u8>,
        content: Vec<Inline>,
    },
    Span {
        kind: Span,
        content: Vec<Inline>,
    },
    Code {
        language: Option<String>,
        text: String,
    },
    Html {
        text: String,
    },
    Image {
        url: String,
        description: String,
        title: Option<String>,
    },
    Table(Table),
    Row {
        is_head: bool,
        cells: Vec<Vec<Inline>>,
    },
    Cell {
        content: Vec<Inline>,
    },
    /// Elements that are nested too deeply: their content goes to the frame below. They are only counted, because a document
    /// may open a million of them, and the frame below is searched for at every event.
    Skipped(usize),
}

enum Container {
    Root,
    Quote(Option<QuoteKind>),
    Item(Option<bool>),
    Footnote(String),
}

enum Span {
    Emphasis,
    Strong,
    Strikethrough,
    Styled(TextStyle),
    Link(String),
}

impl Builder {
    pub(super) fn new(sentinel: char) -> Builder {
        Builder {
            sentinel,
            stack: vec![container(Container::Root)],
            block_depth: 0,
            span_depth: 0,
            labels: Vec::new(),
            label_indices: HashMap::new(),
            definitions: Vec::new(),
            elements: 0,
            pieces: 0,
        }
    }

    /// Takes the next step.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Arguments`](mitt_base::ErrorKind::Arguments) - the document is too large: it has too many elements, or
    /// too many pieces of text for them.
    pub(super) fn step(&mut self, step: BuilderInput<'_>) -> Result<()> {
        match step {
            BuilderInput::Event(event) => self.add(event),
            BuilderInput::Begin(style) => {
                let frame = self.span(Span::Styled(style));
                self.push(frame);
            }
            BuilderInput::End => self.end(&TagEnd::Strong),
            BuilderInput::Paragraph => self.flush_pending(),
        }
        if self.elements > MAX_ELEMENTS {
            return Err(too_many_elements(format_args!("more than {MAX_ELEMENTS}")));
        }
        if self.pieces > MAX_PIECES {
            let message =
                format!("markdown: expected at most {MAX_PIECES} pieces of text, got more");
            return Err(Error::new(ErrorKind::Arguments, message).hint(
                "write fewer marks and references, or split the text into several documents",
            ));
        }
        Ok(())
    }

    fn add(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(&tag),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => {
                let text = self.strip(&text);
                self.text(text);
            }
            Event::InlineMath(text) => self.math(&text, false),
            Event::DisplayMath(text) => self.math(&text, true),
            Event::Code(text) => {
                let text = self.strip(&text);
                self.inline(Inline::Code { text });
            }
            Event::FootnoteReference(label) => {
                let label = self.strip(&label);
                let index = self.label_index(label);
                self.inline(Inline::Footnote { index });
            }
            // Line breaks become spaces when the whole paragraph is known.
            Event::SoftBreak => self.text("\n".to_owned()),
            Event::HardBreak => self.inline(Inline::Break),
            Event::Rule => self.block(Block::Rule),
            Event::TaskListMarker(state) => {
                if let Some(Frame::Container { kind: Container::Item(checked), .. }) =
                    self.container()
                {
                    *checked = Some(state);
                }
            }
        }
    }

    pub(super) fn finish(mut self) -> Doc {
        let mut blocks = match self.stack.pop() {
            Some(Frame::Container { mut blocks, mut pending, .. }) => {
                flush(&mut blocks, &mut pending);
                blocks
            }
            _ => Vec::new(),
        };
        let mut footnotes = vec![Vec::new(); self.labels.len()];
        for (label, definition) in self.definitions {
            match self.label_indices.get(&label) {
                Some(index) if footnotes[*index].is_empty() => footnotes[*index] = definition,
                // A note without a reference is still text that the author wrote.
                _ => {
                    let label = Inline::Text { text: format!("[{label}]") };
                    blocks.push(Block::Paragraph { content: vec![label] });
                    blocks.extend(definition);
                }
            }
        }
        // A note that only refers to itself gets a reference here, or it would be lost.
        let mut is_reached = vec![false; footnotes.len()];
        reach(references(&blocks), &footnotes, &mut is_reached);
        for (index, label) in self.labels.iter().enumerate() {
            if !is_reached.get(index).copied().unwrap_or(true) {
                let label = Inline::Text { text: format!("[{label}]") };
                blocks.push(Block::Paragraph { content: vec![label, Inline::Footnote { index }] });
                reach(VecDeque::from([index]), &footnotes, &mut is_reached);
            }
        }
        Doc { blocks, footnotes, ..Doc::default() }
    }

    fn start(&mut self, tag: Tag<'_>) {
        let frame = match tag {
            Tag::Paragraph => {
                self.loosen();
                Frame::Leaf { level: None, content: Vec::new() }
            }
            Tag::Heading { level, .. } => {
                Frame::Leaf { level: Some(level as u8), content: Vec::new() }
            }
            Tag::BlockQuote(kind) => self.deeper(Container::Quote(kind.map(quote_kind))),
            Tag::FootnoteDefinition(label) => {
                let label = self.strip(&label);
                // Never skipped, because its content must not become part of the text around it.
                self.block_depth += 1;
                container(Container::Footnote(label))
            }
            Tag::List(start) => {
                // A list needs a second level for its items.
                if self.block_depth + 1 < MAX_BLOCK_DEPTH {
                    self.block_depth += 1;
                    Frame::List(List { start, tight: true, items: Vec::new() })
                } else {
                    Frame::Skipped(1)
                }
            }
            Tag::Item => match self.stack.last() {
                Some(Frame::List(_)) => container(Container::Item(None)),
                _ => {
                    self.flush_pending();
                    Frame::Skipped(1)
                }
            },
            Tag::CodeBlock(kind) => {
                Frame::Code { language: self.language(&kind), text: String::new() }
            }
            Tag::HtmlBlock => Frame::Html { text: String::new() },
            Tag::Table(columns) => Frame::Table(Table {
                columns: columns.into_iter().map(alignment).collect(),
                head: Vec::new(),
                rows: Vec::new(),
            }),
            Tag::TableHead => Frame::Row { is_head: true, cells: Vec::new() },
            Tag::TableRow => Frame::Row { is_head: false, cells: Vec::new() },
            Tag::TableCell => Frame::Cell { content: Vec::new() },
            Tag::Emphasis => self.span(Span::Emphasis),
            Tag::Strong => self.span(Span::Strong),
            Tag::Strikethrough => self.span(Span::Strikethrough),
            Tag::Link { dest_url, .. } => {
                let url = self.strip(&dest_url);
                self.span(Span::Link(url))
            }
            // An image in the description of another one is part of that description.
            Tag::Image { .. } if matches!(self.top(), Some(Frame::Image { .. })) => {
                Frame::Skipped(1)
            }
            Tag::Image { dest_url, title, .. } => Frame::Image {
                url: self.strip(&dest_url),
                description: String::new(),
                title: Some(self.strip(&title)).filter(|title| !title.trim().is_empty()),
            },
            // Not enabled in the parser.
            _ => Frame::Skipped(1),
        };
        self.push(frame);
    }

    fn push(&mut self, frame: Frame) {
        match (&frame, self.stack.last_mut()) {
            (Frame::Skipped(_), Some(Frame::Skipped(count))) => *count += 1,
            _ => self.stack.push(frame),
        }
    }

    fn end(&mut self, tag: &TagEnd) {
        // The parser balances its events, and the root has no event.
        if self.stack.len() < 2 {
            return;
        }
        if let Some(Frame::Skipped(count)) = self.stack.last_mut() {
            *count -= 1;
            if *count == 0 {
                self.stack.pop();
            }
            // Two items or paragraphs that were merged must not run into each other.
            if matches!(tag, TagEnd::Item | TagEnd::Paragraph) {
                self.flush_pending();
            }
            return;
        }
        let Some(frame) = self.stack.pop() else { return };
        match frame {
            Frame::Container { kind, mut blocks, mut pending } => {
                flush(&mut blocks, &mut pending);
                self.end_container(kind, blocks);
            }
            Frame::List(list) => {
                self.block_depth -= 1;
                self.block(Block::List(list));
            }
            Frame::Leaf { level, mut content } => {
                join(&mut content);
                match level {
                    Some(level) => self.block(Block::Heading { level, content }),
                    None if content.is_empty() => {}
                    None if self.is_top() && is_page_break(&content) => {
                        self.block(Block::PageBreak);
                    }
                    None => self.block(Block::Paragraph { content }),
                }
            }
            Frame::Span { kind, content } => {
                self.span_depth -= 1;
                self.inline(match kind {
                    Span::Emphasis => Inline::Emphasis { content },
                    Span::Strong => Inline::Strong { content },
                    Span::Strikethrough => Inline::Strikethrough { content },
                    Span::Styled(style) => Inline::Styled { style, content },
                    Span::Link(url) => Inline::Link { url, content },
                });
            }
            Frame::Code { language, mut text } => {
                trim_line_end(&mut text);
                self.block(Block::Code { language, text });
            }
            Frame::Html { mut text } => {
                trim_line_end(&mut text);
                if is_page_break_comment(&text) {
                    // Elsewhere it is an ordinary comment.
                    if self.is_top() {
                        self.block(Block::PageBreak);
                    }
                } else if !text.trim().is_empty() {
                    self.block(Block::Html { text });
                }
            }
            Frame::Image { url, description, title } => {
                self.inline(Inline::Image { url, description, title });
            }
            Frame::Table(table) => self.block(Block::Table(table)),
            Frame::Row { is_head, cells } => self.end_row(is_head, cells),
            Frame::Cell { mut content } => {
                join(&mut content);
                if let Some(Frame::Row { cells, .. }) = self.stack.last_mut() {
                    cells.push(content);
                }
            }
            Frame::Skipped(_) => {}
        }
    }

    fn end_container(&mut self, kind: Container, blocks: Vec<Block>) {
        match kind {
            Container::Root => {}
            Container::Quote(kind) => {
                self.block_depth -= 1;
                self.block(Block::Quote { kind, blocks });
            }
            Container::Footnote(label) => {
                self.block_depth -= 1;
                self.definitions.push((label, blocks));
            }
            Container::Item(checked) => {
                self.elements += 1;
                if let Some(Frame::List(list)) = self.stack.last_mut() {
                    list.items.push(ListItem { checked, blocks });
                }
            }
        }
    }

    fn end_row(&mut self, is_head: bool, mut cells: Vec<Vec<Inline>>) {
        if let Some(Frame::Table(table)) = self.stack.last_mut() {
            cells.resize(table.columns.len(), Vec::new());
            self.elements += cells.len();
            if is_head {
                table.head = cells;
            } else {
                table.rows.push(cells);
            }
        }
    }

    /// Returns a frame for a container, unless it is nested too deeply.
    fn deeper(&mut self, kind: Container) -> Frame {
        if self.block_depth >= MAX_BLOCK_DEPTH {
            self.flush_pending();
            return Frame::Skipped(1);
        }
        self.block_depth += 1;
        container(kind)
    }

    fn span(&mut self, kind: Span) -> Frame {
        let in_image = matches!(self.stack.last(), Some(Frame::Image { .. } | Frame::Skipped(_)));
        if in_image || self.span_depth >= MAX_SPAN_DEPTH {
            return Frame::Skipped(1);
        }
        self.span_depth += 1;
        Frame::Span { kind, content: Vec::new() }
    }

    /// Makes a list loose, because an item has a paragraph of its own.
    fn loosen(&mut self) {
        if let [.., Frame::List(list), Frame::Container { kind: Container::Item(_), .. }] =
            &mut self.stack[..]
        {
            list.tight = false;
        }
    }

    fn text(&mut self, text: String) {
        match self.top() {
            Some(Frame::Code { text: all, .. } | Frame::Html { text: all }) => all.push_str(&text),
            _ => self.inline(Inline::Text { text }),
        }
    }

    /// Adds a formula, or its source where only text is allowed.
    fn math(&mut self, text: &str, display: bool) {
        let text = self.strip(text).trim().to_owned();
        match self.top() {
            Some(Frame::Image { .. } | Frame::Code { .. } | Frame::Html { .. }) => {
                self.text(format!("${text}$"));
            }
            _ => self.inline(Inline::Math { text, display }),
        }
    }

    /// Returns `true` if the next block is one of the document itself.
    fn is_top(&self) -> bool {
        self.stack.len() == 1
    }

    fn inline(&mut self, inline: Inline) {
        self.pieces += 1;
        match self.top() {
            Some(
                Frame::Leaf { content, .. } | Frame::Span { content, .. } | Frame::Cell { content },
            ) => {
                content.push(inline);
            }
            Some(Frame::Container { pending, .. }) => pending.push(inline),
            Some(Frame::Image { description, .. }) => match inline {
                Inline::Text { text } | Inline::Code { text } => {
                    description.push_str(&text.replace('\n', " "))
                }
                _ => {}
            },
            _ => {}
        }
    }

    fn block(&mut self, block: Block) {
        // Lists and tables count by their items and cells.
        self.elements += usize::from(!matches!(block, Block::List(_) | Block::Table(_)));
        if let Some(Frame::Container { blocks, pending, .. }) = self.container() {
            flush(blocks, pending);
            blocks.push(block);
        }
    }

    fn flush_pending(&mut self) {
        if let Some(Frame::Container { blocks, pending, .. }) = self.container() {
            flush(blocks, pending);
        }
    }

    /// Returns the innermost frame that takes content.
    fn top(&mut self) -> Option<&mut Frame> {
        self.stack.iter_mut().rev().find(|frame| !matches!(frame, Frame::Skipped(_)))
    }

    /// Returns the innermost frame that takes blocks.
    fn container(&mut self) -> Option<&mut Frame> {
        self.stack.iter_mut().rev().find(|frame| matches!(frame, Frame::Container { .. }))
    }

    fn label_index(&mut self, label: String) -> usize {
        let next = self.labels.len();
        let index = *self.label_indices.entry(label.clone()).or_insert(next);
        if index == next {
            self.labels.push(label);
        }
        index
    }

    fn language(&self, kind: &CodeBlockKind<'_>) -> Option<String> {
        let CodeBlockKind::Fenced(info) = kind else { return None };
        let name = info.split_whitespace().next()?;
        Some(self.strip(name))
    }

    fn strip(&self, text: &str) -> String {
        text.replace(self.sentinel, "")
    }
}

/// Marks these notes, and those to which they refer.
fn reach(mut waiting: VecDeque<usize>, footnotes: &[Vec<Block>], is_reached: &mut [bool]) {
    while let Some(index) = waiting.pop_front() {
        let (Some(note), Some(is_reached)) = (footnotes.get(index), is_reached.get_mut(index))
        else {
            continue;
        };
        if !std::mem::replace(is_reached, true) {
            waiting.extend(references(note));
        }
    }
}

fn container(kind: Container) -> Frame {
    Frame::Container { kind, blocks: Vec::new(), pending: Vec::new() }
}

/// Makes a paragraph of inlines beside blocks.
fn flush(blocks: &mut Vec<Block>, pending: &mut Vec<Inline>) {
    let mut content = std::mem::take(pending);
    join(&mut content);
    if !content.is_empty() {
        blocks.push(Block::Paragraph { content });
    }
}

/// Returns `true` for a paragraph that consists of the LaTeX command.
fn is_page_break(content: &[Inline]) -> bool {
    matches!(content, [Inline::Text { text }] if matches!(text.trim(), "\\newpage" | "\\pagebreak"))
}

fn trim_line_end(text: &mut String) {
    if text.ends_with('\n') {
        text.pop();
    }
}

fn alignment(alignment: PulldownAlignment) -> Alignment {
    match alignment {
        PulldownAlignment::None => Alignment::Auto,
        PulldownAlignment::Left => Alignment::Left,
        PulldownAlignment::Center => Alignment::Center,
        PulldownAlignment::Right => Alignment::Right,
    }
}

fn quote_kind(kind: BlockQuoteKind) -> QuoteKind {
    match kind {
        BlockQuoteKind::Note => QuoteKind::Note,
        BlockQuoteKind::Tip => QuoteKind::Tip,
        BlockQuoteKind::Important => QuoteKind::Important,
        BlockQuoteKind::Warning => QuoteKind::Warning,
        BlockQuoteKind::Caution => QuoteKind::Caution,
    }
}
