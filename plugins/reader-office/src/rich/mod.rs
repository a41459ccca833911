//! Reads rich text (RTF) into the same model as the other formats.
//!
//! `mitt-rtf` decodes the text. This module knows what control words mean for a document.

mod destination;
mod flow;
mod look;
mod table;

use crate::unseen::colour::WHITE;
use crate::unseen::{Paint, Unseen, Why};
use crate::{Properties, Source};
use destination::{Destination, of_word};
use flow::Flow;
use look::{Colours, Drawing, Ground, Look};
use mitt_reader_kit::{Error, single_line};
use mitt_rtf::{Event, Reader};
use office_oxide::ir::{
    Element, FootnoteRef, HeaderFooter, Image, InlineContent, Note, Section, TextBox, TextSpan,
    VerticalAlign,
};
use std::collections::HashMap;
use std::rc::Rc;

/// Deepest nesting of groups.
const MAX_GROUPS: usize = 2_000;
/// Deepest nesting of notes, text boxes and comments.
const MAX_FLOWS: usize = 40;
/// Width of pages of which a file says nothing, in twentieths of a point.
const PAGE_WIDTH: i32 = 12_240;
/// Most styles of a file.
const MAX_STYLES: usize = 10_000;
/// Most bytes of a short text, such as a name or a field instruction.
const MAX_SMALL: usize = 16 << 10;

/// State of a group.
#[derive(Clone, Default)]
struct State {
    destination: Destination,
    bold: bool,
    italic: bool,
    strikethrough: bool,
    look: Look,
    /// Why everything in a drawing is unseen.
    why: Option<Why>,
    deleted: bool,
    position: Option<VerticalAlign>,
    link: Option<Rc<str>>,
    paragraph: ParagraphState,
    /// `true` if East Asian text follows, which has its own word for bold.
    is_east: bool,
    /// `true` if `\*` was at the start of the group.
    is_optional: bool,
    /// `true` if the group is still empty. Only then does `\*` make it optional.
    is_fresh: bool,
    /// What began with this group and ends with it.
    begins: Begins,
}

/// State up to the next `\pard`.
#[derive(Clone, Copy, Default)]
struct ParagraphState {
    style: i32,
    outline: Option<u8>,
    level: usize,
    /// Number of nested tables around it.
    tables: usize,
    ground: Ground,
}

#[derive(Clone, Copy, Default, PartialEq)]
enum Begins {
    #[default]
    Nothing,
    Footnote,
    Endnote,
    Comment,
    Box,
    Header,
    Footer,
    Field,
    Instruction,
    Picture,
    Style,
    Info,
    Value,
    Author,
}

/// Name and heading level of a paragraph style.
type Style = (String, Option<u8>);

#[derive(Default)]
struct Document {
    state: State,
    groups: Vec<State>,
    flows: Vec<Flow>,
    styles: HashMap<i32, Style>,
    section: Section,
    properties: Properties,
    /// Addresses of open fields.
    links: Vec<Option<Rc<str>>>,
    /// Short text that is being collected: a name, a value.
    small: String,
    /// Name of the drawing property whose value follows.
    property: String,
    alt_text: Option<String>,
    author: Option<String>,
    time: [i32; 5],
    notes: [u32; 2],
    is_deep: bool,
    objects: usize,
    colours: Colours,
    drawing: Drawing,
    /// What the text of each flow lies on, and what its places are called.
    grounds: Vec<(Paint, &'static str)>,
    /// Width of the pages in twentieths of a point.
    width: i32,
    paragraphs: usize,
    tables: usize,
    is_in_table: bool,
    unseen: Unseen,
}

pub(crate) fn read(bytes: &[u8]) -> Result<Source, Error> {
    if !bytes.starts_with(b"{\\rt") {
        return Err(Error::Malformed("the document is damaged: it does not begin as RTF".into()));
    }
    // Drawings below the text, and colours of the page, are grounds that are not followed.
    let is_known = !["shpfblwtxt1", "\\background"].iter().any(|it| {
        let needle = it.as_bytes();
        bytes.windows(needle.len()).any(|window| window == needle)
    });
    let paper = if is_known { WHITE } else { Paint::Unknown };
    let mut document = Document {
        flows: vec![Flow::default()],
        grounds: vec![(paper, "")],
        width: PAGE_WIDTH,
        ..Document::default()
    };
    for event in Reader::new(bytes) {
        document.event(event);
    }
    let mut warnings = Vec::new();
    if !document.groups.is_empty() {
        warnings.push("the document ends too early: a part of it is missing".to_owned());
    }
    if document.is_deep {
        warnings.push("what is nested too deep was not read".to_owned());
    }
    if document.objects > 0 {
        warnings
            .push(format!("objects of other programs that were not read: {}", document.objects));
    }
    warnings.extend(document.unseen.warning());
    while document.flows.len() > 1 {
        document.end_flow(Begins::Box);
    }
    let styles = std::mem::take(&mut document.styles);
    let flow = document.flows.pop().unwrap_or_default();
    document.section.elements = flow.finish(&document.state.paragraph, &styles);
    Ok(Source {
        sections: vec![document.section],
        warnings,
        properties: document.properties,
        is_slides: false,
    })
}

impl Document {
    fn event(&mut self, event: Event<'_>) {
        let is_fresh = std::mem::take(&mut self.state.is_fresh);
        match event {
            Event::Open if self.groups.len() >= MAX_GROUPS => self.is_deep = true,
            Event::Open => {
                self.groups.push(self.state.clone());
                self.state.is_optional = false;
                self.state.is_fresh = true;
                self.state.begins = Begins::Nothing;
            }
            Event::Close => self.close(),
            Event::Symbol('*') => self.state.is_optional = is_fresh,
            Event::Symbol('~') => self.text("\u{a0}"),
            Event::Symbol('_') => self.text("-"),
            Event::Symbol(_) | Event::Binary(_) => {}
            Event::Word(word, number) => self.word(word, number),
            Event::Text(text) => self.text(&text),
        }
    }

    fn close(&mut self) {
        match self.state.begins {
            Begins::Nothing => {}
            Begins::Field => drop(self.links.pop()),
            Begins::Instruction => {
                let link = address(&std::mem::take(&mut self.small));
                if let Some(open) = self.links.last_mut() {
                    *open = link.or_else(|| open.take());
                }
            }
            Begins::Picture => {
                let alt_text = self.alt_text.take();
                self.behind(Element::Image(Image { alt_text, ..Image::default() }));
            }
            Begins::Style => {
                let name = std::mem::take(&mut self.small);
                let name = single_line(name.trim_end_matches(';'));
                let own = self.state.paragraph;
                if self.styles.len() < MAX_STYLES {
                    self.styles.insert(own.style, (name, own.outline));
                }
            }
            Begins::Info => self.info(),
            Begins::Value => {
                let value = std::mem::take(&mut self.small);
                match self.state.destination {
                    Destination::PropertyName => self.property = value,
                    _ if self.property.starts_with('f') => {
                        self.drawing.property(&self.property, &value);
                    }
                    _ if self.property == "wzDescription" && !value.trim().is_empty() => {
                        self.alt_text = Some(single_line(&value));
                    }
                    _ => {}
                }
            }
            Begins::Author => {
                let author = single_line(&std::mem::take(&mut self.small));
                self.author = Some(author).filter(|author| !author.is_empty());
            }
            flow => self.end_flow(flow),
        }
        if let Some(outer) = self.groups.pop() {
            self.state = outer;
        }
    }

    fn info(&mut self) {
        let text = single_line(&std::mem::take(&mut self.small));
        let time = std::mem::take(&mut self.time);
        let [year, month, day, hour, minute] = time;
        let time =
            (year > 0).then(|| format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}"));
        let text = Some(text).filter(|text| !text.is_empty());
        match self.state.destination {
            Destination::Info("title") => self.properties.title = text,
            Destination::Info("author") => self.properties.author = text,
            Destination::Info("subject") => self.properties.subject = text,
            Destination::Info("keywords") => self.properties.keywords = text,
            Destination::Info("company") => self.properties.company = text,
            Destination::Info("creatim") => self.properties.created = time,
            Destination::Info("revtim") => self.properties.modified = time,
            _ => {}
        }
    }

    fn begin_flow(&mut self, begins: Begins) {
        if self.flows.len() >= MAX_FLOWS {
            self.is_deep = true;
            self.state.destination = Destination::Nothing;
            return;
        }
        let paper = self.grounds.first().map(|(paper, _)| *paper).unwrap_or_default();
        let (ground, place) = match begins {
            Begins::Header => (paper, "a header"),
            Begins::Footer => (paper, "a footer"),
            Begins::Comment => (WHITE, "a comment"),
            Begins::Footnote => (paper, "a note"),
            _ => (self.drawing.ground(), "a text box"),
        };
        if begins == Begins::Box {
            self.state.why = self.state.why.or(self.drawing.why(self.width));
        }
        self.flows.push(Flow::default());
        self.grounds.push((ground, place));
        self.state.begins = begins;
        self.state.destination = Destination::Body;
        self.state.paragraph = ParagraphState::default();
        self.state.link = None;
    }

    fn end_flow(&mut self, begins: Begins) {
        if self.flows.len() < 2 {
            return;
        }
        let Some(flow) = self.flows.pop() else { return };
        self.grounds.pop();
        let content = flow.finish(&self.state.paragraph, &self.styles);
        if content.is_empty() {
            return;
        }
        let margin = |content| Some(HeaderFooter { content });
        match begins {
            Begins::Header => {
                let section = &mut self.section;
                let slots = [
                    &mut section.header,
                    &mut section.first_page_header,
                    &mut section.even_page_header,
                ];
                if let Some(slot) = slots.into_iter().find(|slot| slot.is_none()) {
                    *slot = margin(content);
                }
            }
            Begins::Footer => {
                let section = &mut self.section;
                let slots = [
                    &mut section.footer,
                    &mut section.first_page_footer,
                    &mut section.even_page_footer,
                ];
                if let Some(slot) = slots.into_iter().find(|slot| slot.is_none()) {
                    *slot = margin(content);
                }
            }
            Begins::Comment => {
                let author = self.author.take();
                let marker = match &author {
                    Some(author) => format!("Comment by {author}"),
                    None => "Comment".to_owned(),
                };
                let note = Note { id: 0, content, marker: Some(marker), author };
                self.behind(Element::Footnote(note));
            }
            Begins::Footnote | Begins::Endnote => self.note(content, begins == Begins::Endnote),
            _ => self.behind(Element::TextBox(TextBox { content, ..TextBox::default() })),
        }
    }

    fn note(&mut self, content: Vec<Element>, is_end: bool) {
        let [foot, end] = &mut self.notes;
        let number = if is_end { end } else { foot };
        *number += 1;
        let id = *number;
        let reference = FootnoteRef { note_id: id, marker: None };
        let note = Note { id, content, ..Note::default() };
        let (reference, note) = if is_end {
            (InlineContent::EndnoteRef(reference), Element::Endnote(note))
        } else {
            (InlineContent::FootnoteRef(reference), Element::Footnote(note))
        };
        if let Some(flow) = self.flows.last_mut() {
            flow.content.push(reference);
        }
        self.behind(note);
    }

    fn behind(&mut self, element: Element) {
        if let Some(flow) = self.flows.last_mut() {
            flow.behind.push(element);
        }
    }

    fn text(&mut self, text: &str) {
        let destination = self.state.destination;
        match destination {
            Destination::Body if self.state.deleted || self.is_unseen(text) => {}
            Destination::Colours => self.colours.text(text),
            Destination::Body => {
                let state = &self.state;
                let span = TextSpan {
                    text: text.to_owned(),
                    bold: state.bold,
                    italic: state.italic,
                    strikethrough: state.strikethrough,
                    hyperlink: state.link.as_deref().map(str::to_owned),
                    vertical_align: state.position.clone(),
                    ..TextSpan::default()
                };
                if let Some(flow) = self.flows.last_mut() {
                    flow.content.push(InlineContent::Text(span));
                }
            }
            Destination::Label => {
                if let Some(flow) =
                    self.flows.last_mut().filter(|flow| flow.label.len() < MAX_SMALL)
                {
                    flow.label.push_str(text);
                }
            }
            Destination::Style
            | Destination::Info(_)
            | Destination::Instruction
            | Destination::PropertyName
            | Destination::PropertyValue
            | Destination::Author
                if self.small.len() + text.len() <= MAX_SMALL =>
            {
                self.small.push_str(text);
            }
            _ => {}
        }
    }

    /// Returns whether a text of the document is unseen, and counts it.
    fn is_unseen(&mut self, text: &str) -> bool {
        let state = &self.state;
        let is_table = self.flows.len() == 1 && state.paragraph.tables > 0;
        self.tables += usize::from(is_table && !self.is_in_table);
        self.is_in_table |= is_table;
        let (Some(flow), Some((page, place))) = (self.flows.last(), self.grounds.last()) else {
            return false;
        };
        let cell = flow.ground(state.paragraph.tables);
        let grounds = [cell, Some(state.paragraph.ground)];
        let why = state.why.or_else(|| self.colours.why(&state.look, *page, grounds));
        match why {
            None => self.unseen.seen(),
            Some(why) if !place.is_empty() => self.unseen.add(why, text, place),
            Some(why) if is_table => self.unseen.add(why, text, &format!("table {}", self.tables)),
            Some(why) => {
                self.unseen.add(why, text, &format!("paragraph {}", self.paragraphs + 1));
            }
        }
        why.is_some()
    }

    fn word(&mut self, word: &str, number: Option<i32>) {
        let is_optional = std::mem::take(&mut self.state.is_optional);
        match self.state.destination {
            Destination::Nothing => return,
            Destination::Colours => return self.colours.word(word, number),
            _ => {}
        }
        match of_word(word, is_optional, self.state.destination) {
            Some(destination) => self.enter(word, destination),
            None if is_optional => self.state.destination = Destination::Nothing,
            None => self.format(word, number),
        }
    }

    /// Begins a group whose text goes elsewhere.
    fn enter(&mut self, word: &str, destination: Destination) {
        let begins = match word {
            "footnote" => Begins::Footnote,
            "annotation" => Begins::Comment,
            "shptxt" | "dptxbxtext" => Begins::Box,
            "header" | "headerl" | "headerr" | "headerf" => Begins::Header,
            "footer" | "footerl" | "footerr" | "footerf" => Begins::Footer,
            "field" => Begins::Field,
            "fldinst" => Begins::Instruction,
            "pict" => Begins::Picture,
            "sn" | "sv" => Begins::Value,
            "atnauthor" => Begins::Author,
            _ if matches!(destination, Destination::Info(_)) => Begins::Info,
            _ => Begins::Nothing,
        };
        match begins {
            Begins::Footnote | Begins::Comment | Begins::Box | Begins::Header | Begins::Footer => {
                return self.begin_flow(begins);
            }
            Begins::Field => self.links.push(None),
            Begins::Nothing | Begins::Picture => {}
            _ => self.small.clear(),
        }
        match word {
            "fldrslt" => {
                self.state.link =
                    self.links.last().cloned().flatten().or_else(|| self.state.link.take())
            }
            "shp" => self.drawing = Drawing::default(),
            "do" => self.drawing = Drawing::unknown(),
            "objdata" => self.objects += 1,
            "listtext" | "pntext" => {
                if let Some(flow) = self.flows.last_mut() {
                    flow.label.clear();
                }
            }
            _ => {}
        }
        self.state.destination = destination;
        self.state.begins = begins;
    }

    /// Handles a word that formats text or ends something.
    fn format(&mut self, word: &str, number: Option<i32>) {
        let is_on = number != Some(0);
        let state = &mut self.state;
        match word {
            "b" => state.bold = is_on,
            "i" => state.italic = is_on,
            "dbch" => state.is_east = true,
            "loch" | "hich" | "ltrch" | "rtlch" => state.is_east = false,
            "ab" if state.is_east => state.bold = is_on,
            "ai" if state.is_east => state.italic = is_on,
            "strike" | "striked" => state.strikethrough = is_on,
            "deleted" => state.deleted = is_on,
            "super" => state.position = is_on.then_some(VerticalAlign::Superscript),
            "sub" => state.position = is_on.then_some(VerticalAlign::Subscript),
            "up" | "dn" if number.unwrap_or(6) == 0 => state.position = None,
            "nosupersub" => state.position = None,
            "plain" => {
                (state.bold, state.italic, state.strikethrough) = (false, false, false);
                (state.look, state.position) = (Look::default(), None);
            }
            "cbpat" => state.paragraph.ground.colour = number.unwrap_or(0),
            "shading" => state.paragraph.ground.has_pattern = number.unwrap_or(0) != 0,
            "paperw" => self.width = self.width.max(number.unwrap_or(0)),
            _ if state.look.word(word, number) || self.drawing.word(word, number) => {}
            "pard" => state.paragraph = ParagraphState::default(),
            "s" => {
                state.paragraph.style = number.unwrap_or(0);
                if state.destination == Destination::Style && state.begins == Begins::Nothing {
                    state.begins = Begins::Style;
                    self.small.clear();
                }
            }
            "outlinelevel" => {
                state.paragraph.outline =
                    number.and_then(|level| u8::try_from(level).ok()).filter(|it| *it < 9);
            }
            "ilvl" => state.paragraph.level = number.unwrap_or(0).clamp(0, 8) as usize,
            "intbl" => state.paragraph.tables = state.paragraph.tables.max(1),
            "itap" => state.paragraph.tables = number.unwrap_or(0).clamp(0, 20) as usize,
            "ftnalt" if state.begins == Begins::Footnote => state.begins = Begins::Endnote,
            "yr" => self.time[0] = number.unwrap_or(0),
            "mo" => self.time[1] = number.unwrap_or(0),
            "dy" => self.time[2] = number.unwrap_or(0),
            "hr" => self.time[3] = number.unwrap_or(0),
            "min" => self.time[4] = number.unwrap_or(0),
            _ if state.destination == Destination::Body => self.body_word(word, number),
            "tab" => self.text("\t"),
            _ => {}
        }
    }

    fn body_word(&mut self, word: &str, number: Option<i32>) {
        let paragraph = self.state.paragraph;
        let Some(flow) = self.flows.last_mut() else { return };
        match word {
            "par" | "sect" | "page" | "column" => {
                flow.end_paragraph(&paragraph, &self.styles);
                if self.flows.len() == 1 && paragraph.tables == 0 {
                    self.paragraphs += 1;
                    self.is_in_table = false;
                }
            }
            "cell" => flow.end_cell(1, &paragraph, &self.styles),
            "nestcell" => flow.end_cell(paragraph.tables.max(2), &paragraph, &self.styles),
            "row" => flow.end_row(1),
            "nestrow" => flow.end_row(paragraph.tables.max(2)),
            "line" | "softline" => flow.content.push(InlineContent::LineBreak),
            _ if flow.shape_word(word, number) => {}
            _ => {
                if let Some(text) = text_of(word) {
                    self.text(text);
                }
            }
        }
    }
}

/// Returns the special character of a word.
fn text_of(word: &str) -> Option<&'static str> {
    Some(match word {
        "tab" => "\t",
        "lquote" => "‘",
        "rquote" => "’",
        "ldblquote" => "“",
        "rdblquote" => "”",
        "bullet" => "•",
        "endash" => "–",
        "emdash" => "—",
        "emspace" | "enspace" | "qmspace" => " ",
        _ => return None,
    })
}

/// Returns the address of a hyperlink field.
fn address(instruction: &str) -> Option<Rc<str>> {
    let rest = instruction.trim().strip_prefix("HYPERLINK")?.trim_start();
    let address = match rest.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next(),
        None => rest.split_whitespace().next(),
    };
    address.filter(|address| !address.starts_with('\\')).map(Into::into)
}
