//! Turns blocks into a column of strips: order, indents, and space between them.

use super::faces::Types;
use super::lines::{Edge, Line, lines};
use super::paragraph::{Composer, Paragraph, raised};
use super::shape::{Shaped, shape};
use super::strip::{Draw, Frame, LinkDestination, Mark, Marker, Sheet, Strip};
use super::style::{
    BLACK, BLUE, CAP, CODE_SIZE, GREY, LIGHT, NOTE_SIZE, PALE, Rgb, Style, TEXT_SIZE, lighter,
    sign_color,
};
use super::tags::{StructureId, StructureRole, Tags};
use crate::model::doc::{Block, Inline, List, QuoteKind, plain_text};
use crate::model::language::Language;
use crate::shared::outline::Outline;
use crate::shared::table::Side;
use crate::{Cancel, Paper};

/// Least width of text, in points. Deeper blocks are not indented further.
const LEAST_WIDTH: f32 = 120.0;

/// Indent of a list, and space between its marker and its text, in ems.
const LIST_INDENT: f32 = 0.5;

/// Padding of the frames of quotations and of code.
const QUOTE_PADDING: f32 = 6.0;
const CODE_PADDING: f32 = 8.0;

/// Space between lines of code, in points.
const CODE_LEADING: f32 = 4.7;

/// Setting of the lines of a text.
#[derive(Clone, Copy)]
pub(super) struct Setting {
    pub(super) edge: Edge,
    pub(super) side: Side,
    /// Height of a line, and space between two.
    pub(super) cap: f32,
    pub(super) leading: f32,
}

/// Turns blocks into strips.
pub(super) struct Flow<'a, 'b> {
    pub(super) composer: Composer<'a>,
    pub(super) types: Types<'b>,
    pub(super) language: &'a Language,
    pub(super) paper: Paper,
    cancel: &'a Cancel,
    pub(super) strips: Vec<Strip>,
    pub(super) frames: Vec<Frame>,
    pub(super) tags: Tags,
    /// Text and level of the headings of the text itself.
    pub(super) headings: Vec<(String, u8)>,
    pub(super) has_wide_table: bool,
    pub(super) holes: Vec<char>,
    /// Start and end of the text, from the left margin.
    pub(super) left: f32,
    pub(super) right: f32,
    pub(super) frame: Option<u32>,
    pub(super) part: StructureId,
    /// Size of the text.
    pub(super) size: f32,
    /// Least space above the next strip.
    space: f32,
    /// `true` until the first strip of the enclosing block, which has no space above.
    is_first: bool,
    /// `true` if there is no space between paragraphs, as in a tight list.
    is_tight: bool,
    begins_page: bool,
    /// Markers left of the next strip.
    markers: Vec<Marker>,
    /// Number of blocks around the current one.
    pub(super) depth: usize,
    /// Number of bulleted lists around the current block.
    bullets: usize,
}

impl<'a, 'b> Flow<'a, 'b> {
    pub(super) fn new(
        composer: Composer<'a>,
        types: Types<'b>,
        language: &'a Language,
        paper: Paper,
        cancel: &'a Cancel,
    ) -> Flow<'a, 'b> {
        Flow {
            composer,
            types,
            language,
            paper,
            cancel,
            strips: Vec::new(),
            frames: Vec::new(),
            tags: Tags::new(),
            headings: Vec::new(),
            has_wide_table: false,
            holes: Vec::new(),
            left: 0.0,
            right: Sheet::of(paper, false).text_width(),
            frame: None,
            part: Tags::ROOT,
            size: TEXT_SIZE,
            space: 0.0,
            is_first: true,
            is_tight: false,
            begins_page: false,
            markers: Vec::new(),
            depth: 0,
            bullets: 0,
        }
    }

    /// Returns the space between lines, and between paragraphs.
    fn leading(&self) -> f32 {
        self.size * if self.is_cjk() { 0.85 } else { 0.72 }
    }

    fn spacing(&self) -> f32 {
        self.size * if self.is_cjk() { 1.2 } else { 1.1 }
    }

    fn is_cjk(&self) -> bool {
        matches!(self.language.code.as_str(), "zh" | "ja")
    }

    pub(super) fn width(&self) -> f32 {
        self.right - self.left
    }

    /// Requires at least this space above the next strip.
    pub(super) fn gap(&mut self, space: f32) {
        if !self.is_first {
            self.space = self.space.max(space);
        }
    }

    /// Notes that the next strip is not the first one, although the strips above were taken.
    pub(super) fn follow(&mut self) {
        self.is_first = false;
    }

    /// Sets the exact space above the next strip.
    fn begin(&mut self, space: f32) {
        self.space = space;
        self.is_first = true;
    }

    /// Runs `make` within a new part of the structure.
    pub(super) fn within(&mut self, role: StructureRole, make: impl FnOnce(&mut Self)) {
        let part = self.tags.add(self.part, role);
        let outer = std::mem::replace(&mut self.part, part);
        make(self);
        self.part = outer;
    }

    /// Adds the title and the line below it.
    pub(super) fn title(&mut self, content: &[Inline], byline: Option<&str>) {
        let style = Style::new(20.0).bold().colored(BLUE);
        let paragraph = self.composer.compose(content, style);
        let setting = ragged(20.0, 0.55);
        self.within(StructureRole::Heading(1), |flow| flow.text(&paragraph, setting, None));
        self.keep_last();
        self.gap(14.0);
        self.rule(1.2, BLUE);
        self.gap(20.0);
        if let Some(byline) = byline {
            let paragraph = self.composer.line(byline, Style::new(TEXT_SIZE).colored(GREY));
            self.within(StructureRole::Paragraph, |flow| {
                flow.text(&paragraph, ragged(TEXT_SIZE, 0.72), None)
            });
            self.gap(1.4 * TEXT_SIZE);
        }
    }

    /// Adds the blocks of the text itself.
    pub(super) fn body(&mut self, outline: &Outline<'_>) {
        for (index, block) in outline.blocks.iter().enumerate() {
            self.composer.losses.enter_block(outline.first_number + index);
            match block {
                Block::Heading { level, content } => {
                    self.composer.losses.below(&plain_text(content));
                    self.heading(outline.level(*level), content);
                }
                block => self.block(block),
            }
        }
    }

    fn blocks(&mut self, blocks: &[Block]) {
        self.depth += 1;
        blocks.iter().for_each(|block| self.block(block));
        self.depth -= 1;
    }

    /// Adds a footnote.
    pub(super) fn note(&mut self, number: usize, blocks: &[Block]) {
        self.size = NOTE_SIZE;
        self.right = Sheet::of(self.paper, false).text_width();
        self.begin(0.0);
        let style = Style::new(NOTE_SIZE);
        let label = self.composer.line(&number.to_string(), raised(style));
        let first = self.strips.len();
        self.within(StructureRole::Note, |flow| {
            let part = flow.tags.add(flow.part, StructureRole::Label);
            let line = flow.first_line(&label);
            flow.left = 1.2 * NOTE_SIZE;
            let width = line.width;
            flow.markers.push(Marker { x: 0.0, width, draw: Mark::Line(line), part });
            flow.blocks(blocks);
            flow.empty_marker();
        });
        self.left = 0.0;
        if let Some(strip) = self.strips.get_mut(first) {
            strip.destination = Some(LinkDestination::Note(number));
            strip.gap = 0.0;
        }
    }

    fn block(&mut self, block: &Block) {
        if self.cancel.is_cancelled() {
            return;
        }
        match block {
            Block::Heading { level, content } => self.heading((*level).clamp(1, 6), content),
            Block::Paragraph { content } => {
                let paragraph = self.composer.compose(content, Style::new(self.size));
                let spacing = if self.is_tight { self.leading() } else { self.spacing() };
                self.gap(spacing);
                let setting = self.running();
                self.within(StructureRole::Paragraph, |flow| flow.text(&paragraph, setting, None));
                self.gap(spacing);
            }
            Block::Code { text, .. } | Block::Html { text } => self.code(text),
            Block::Quote { kind, blocks } => self.quote(*kind, blocks),
            Block::List(list) => self.list(list),
            Block::Table(table) => self.table(table),
            Block::Chart(chart) => {
                self.composer
                    .losses
                    .record(crate::shared::losses::LossKind::Chart, "a table in place of it");
                self.table(&chart.to_table());
            }
            Block::Rule => {
                self.gap(1.4 * self.size);
                self.rule(0.6, LIGHT);
                self.gap(1.4 * self.size);
            }
            Block::PageBreak => self.begins_page = true,
        }
    }

    /// Returns the setting of running text: both edges straight.
    fn running(&self) -> Setting {
        Setting {
            edge: Edge::Justified,
            side: Side::Left,
            cap: self.size * CAP,
            leading: self.leading(),
        }
    }

    fn heading(&mut self, level: u8, content: &[Inline]) {
        let index = usize::from(level).clamp(1, 6) - 1;
        let size = [15.0, 12.5, 11.5, 10.5, 10.5, 10.5][index];
        let color = if level < 4 { BLUE } else { BLACK };
        let paragraph = self.composer.compose(content, Style::new(size).bold().colored(color));
        self.gap(size * if level == 1 { 1.5 } else { 1.35 });
        let destination = LinkDestination::Heading(self.headings.len());
        let text = paragraph.text.replace(['\n', '\u{200B}'], " ").trim().to_owned();
        self.headings.push((text, level));
        let setting = ragged(size, 0.6);
        self.within(StructureRole::Heading(level), |flow| {
            flow.text(&paragraph, setting, Some(destination))
        });
        self.keep_last();
        self.gap(size * 0.85);
    }

    fn code(&mut self, text: &str) {
        let spacing = self.spacing();
        self.gap(spacing);
        let style = Style { is_mono: true, ..Style::new(CODE_SIZE) };
        let setting = Setting {
            edge: Edge::Code,
            side: Side::Left,
            cap: CODE_SIZE * CAP,
            leading: CODE_LEADING,
        };
        let frame = Frame {
            outer: self.frame,
            x: self.left,
            width: self.width(),
            fill: Some(PALE),
            stripe: None,
            border: Some(LIGHT),
        };
        self.framed(frame, CODE_PADDING, (CODE_PADDING, CODE_PADDING), |flow| {
            flow.within(StructureRole::Code, |flow| {
                for line in text.split('\n') {
                    if flow.cancel.is_cancelled() {
                        return;
                    }
                    let paragraph = flow.composer.code_line(line, style);
                    flow.text(&paragraph, setting, None);
                    flow.gap(CODE_LEADING);
                }
            });
        });
        self.gap(spacing);
    }

    fn quote(&mut self, kind: Option<QuoteKind>, blocks: &[Block]) {
        let spacing = self.spacing();
        self.gap(spacing);
        let note = kind.map(|kind| note(kind, self.language));
        let color = note.map_or(LIGHT, |(color, _)| color);
        let frame = Frame {
            outer: self.frame,
            x: self.left,
            width: self.width(),
            fill: Some(note.map_or(PALE, |(color, _)| lighter(color, 0.93))),
            stripe: Some(color),
            border: None,
        };
        self.framed(frame, QUOTE_PADDING, (10.0, 8.0), |flow| {
            flow.within(StructureRole::Quote, |flow| {
                if let Some((color, name)) = note {
                    let style = Style::new(flow.size).bold().colored(color);
                    let paragraph = flow.composer.line(name, style);
                    let setting = ragged(flow.size, 0.72);
                    flow.within(StructureRole::Paragraph, |flow| {
                        flow.text(&paragraph, setting, None)
                    });
                    flow.keep_last();
                    flow.gap(0.7 * flow.size);
                }
                flow.blocks(blocks);
            });
        });
        self.gap(spacing);
    }

    /// Runs `make` within a frame, with padding on all sides.
    fn framed(
        &mut self,
        frame: Frame,
        padding: f32,
        sides: (f32, f32),
        make: impl FnOnce(&mut Self),
    ) {
        let outer = (self.left, self.right, self.frame);
        self.frames.push(frame);
        self.frame = u32::try_from(self.frames.len() - 1).ok();
        if self.width() > LEAST_WIDTH {
            self.left += sides.0;
            self.right -= sides.1;
        }
        let is_tight = std::mem::take(&mut self.is_tight);
        // Markers are beside the text within the frame.
        let markers = std::mem::take(&mut self.markers);
        self.push(padding, Draw::Space);
        self.keep_last();
        self.markers = markers;
        self.begin(0.0);
        make(self);
        self.empty_marker();
        self.begin(0.0);
        self.keep_last();
        self.push(padding, Draw::Space);
        (self.left, self.right, self.frame) = outer;
        self.is_tight = is_tight;
    }

    fn list(&mut self, list: &List) {
        let em = self.size;
        let between = if list.tight { self.leading() } else { self.spacing() };
        let around = if self.is_tight { self.leading() } else { self.spacing() };
        self.gap(around);
        let numbers = self.numbers(list);
        let widest = numbers.iter().flatten().map(|line| line.width).fold(0.0_f32, f32::max);
        let bullet = ["•", "–", "◦"][self.bullets % 3];
        self.bullets += usize::from(list.start.is_none());
        let is_tight = std::mem::replace(&mut self.is_tight, list.tight);
        let role = StructureRole::List { is_numbered: list.start.is_some() };
        self.within(role, |flow| {
            for (item, number) in list.items.iter().zip(numbers) {
                let (outer, outer_part) = (flow.left, flow.part);
                flow.part = flow.tags.add(outer_part, StructureRole::Item);
                let label = flow.tags.add(flow.part, StructureRole::Label);
                let is_deep = flow.width() <= LEAST_WIDTH;
                let x = outer + if is_deep { 0.0 } else { LIST_INDENT * em };
                let (draw, before, width) = match (item.checked, number) {
                    (Some(is_checked), _) => (Mark::Task { is_checked, size: em }, 0.0, 0.85 * em),
                    // Numbers are aligned at their ends.
                    (None, Some(line)) => {
                        let before = widest - line.width;
                        (Mark::Line(line), before, widest)
                    }
                    (None, None) => {
                        let paragraph = flow.composer.line(bullet, Style::new(em));
                        let line = flow.first_line(&paragraph);
                        let width = line.width;
                        (Mark::Line(line), 0.0, width)
                    }
                };
                if !is_deep {
                    flow.left = x + width + LIST_INDENT * em;
                }
                flow.gap(between);
                let space = flow.space;
                flow.begin(space);
                flow.markers.push(Marker { x: x + before, width, draw, part: label });
                flow.part = flow.tags.add(flow.part, StructureRole::Body);
                if is_deep {
                    // There is no space beside the text, so the marker is above it.
                    flow.empty_marker();
                    flow.gap(between);
                }
                flow.blocks(&item.blocks);
                flow.empty_marker();
                flow.gap(between);
                flow.left = outer;
                flow.part = outer_part;
            }
        });
        self.is_tight = is_tight;
        self.bullets -= usize::from(list.start.is_none());
        self.gap(around);
    }

    /// Returns the numbers of a list; `None` for bullets and boxes.
    fn numbers(&mut self, list: &List) -> Vec<Option<Line>> {
        let mut numbers = Vec::new();
        for (index, item) in list.items.iter().enumerate() {
            let number = list.start.filter(|_| item.checked.is_none()).map(|start| {
                let number = format!("{}.", start.saturating_add(index as u64));
                let paragraph = self.composer.line(&number, Style::new(self.size));
                self.first_line(&paragraph)
            });
            numbers.push(number);
        }
        numbers
    }

    /// Adds an empty strip for markers without text.
    fn empty_marker(&mut self) {
        if !self.markers.is_empty() {
            self.push(self.size * CAP, Draw::Space);
        }
    }

    pub(super) fn rule(&mut self, thickness: f32, color: Rgb) {
        self.push(thickness, Draw::Rule { thickness, color });
    }

    /// Returns the first line of a short text of the host.
    pub(super) fn first_line(&mut self, paragraph: &Paragraph) -> Line {
        let shaped = self.shape(paragraph);
        lines(paragraph, &shaped, f32::MAX, Edge::Ragged).into_iter().next().unwrap_or_default()
    }

    pub(super) fn shape(&mut self, paragraph: &Paragraph) -> Shaped {
        shape(paragraph, &mut self.types, self.language.is_from_right(), &mut self.holes)
    }

    /// Adds a text, one strip for each line. A page break never leaves a single line of it alone.
    pub(super) fn text(
        &mut self,
        paragraph: &Paragraph,
        setting: Setting,
        destination: Option<LinkDestination>,
    ) {
        let shaped = self.shape(paragraph);
        let set = lines(paragraph, &shaped, self.width(), setting.edge);
        let count = set.len();
        let is_code = setting.edge == Edge::Code;
        for (index, line) in set.into_iter().enumerate() {
            if index > 0 {
                self.space = setting.leading;
            }
            let notes = line.notes.clone();
            self.push(setting.cap, Draw::Line(line, setting.side));
            let Some(strip) = self.strips.last_mut() else { return };
            strip.notes = notes;
            let is_pair = count > 1 && (index == 0 || index + 2 == count);
            strip.keeps_next = is_pair && !is_code;
            strip.destination = destination.filter(|_| index == 0);
        }
    }

    /// Keeps the last strip on one page with the next one.
    pub(super) fn keep_last(&mut self) {
        // This includes all lines of a heading.
        let part = self.strips.last().map(|strip| strip.part);
        for strip in self.strips.iter_mut().rev().take(8) {
            if Some(strip.part) != part {
                break;
            }
            strip.keeps_next = true;
            if !matches!(strip.draw, Draw::Line(..)) {
                break;
            }
        }
    }

    /// Adds a strip below the last one.
    pub(super) fn push(&mut self, height: f32, draw: Draw) {
        self.strips.push(Strip {
            gap: std::mem::take(&mut self.space),
            height,
            keeps_next: false,
            begins_page: std::mem::take(&mut self.begins_page),
            is_turned: false,
            x: self.left,
            width: self.width(),
            draw,
            markers: std::mem::take(&mut self.markers),
            notes: Vec::new(),
            frame: self.frame,
            head: None,
            destination: None,
            part: self.part,
        });
        self.is_first = false;
    }

    /// Takes the strips so far.
    pub(super) fn take(&mut self) -> Vec<Strip> {
        self.begin(0.0);
        self.begins_page = false;
        std::mem::take(&mut self.strips)
    }
}

/// Returns the setting of ragged text; `leading` is in ems.
pub(super) fn ragged(size: f32, leading: f32) -> Setting {
    Setting { edge: Edge::Ragged, side: Side::Left, cap: size * CAP, leading: size * leading }
}

/// Returns colour and name of a kind of admonition.
fn note(kind: QuoteKind, language: &Language) -> (Rgb, &'static str) {
    let color = match kind {
        QuoteKind::Note => "blue",
        QuoteKind::Tip => "green",
        QuoteKind::Important => "purple",
        QuoteKind::Warning => "amber",
        QuoteKind::Caution => "red",
    };
    (sign_color(color), language.note(kind))
}
