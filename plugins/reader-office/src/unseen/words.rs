//! Takes unseen text out of the XML of a Word text.

use super::colour::{Alpha, Paint, Theme, WHITE, hex};
use super::floats::{self, Floats, Page};
use super::word_styles::{Cell, Look, ParagraphLook, Styles, TableLook, shade};
use super::{Unseen, Why, is_seen};
use crate::splice::Splice;
use crate::xml::{self, Node};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use std::rc::Rc;

/// Deepest nesting of paragraphs, tables and the like that is followed. What is deeper looks like what it is in.
const MAX_CONTEXTS: usize = 2_000;

/// Deepest nesting of drawings that are looked at as a whole.
const MAX_DRAWINGS: usize = 4;

/// How often a text may be read ahead to count the rows of tables in one another.
const MAX_AHEAD: usize = 8;

/// Highest row of a table, in twentieths of a point, in which text is cut off.
const FLAT_ROW: f64 = 20.0;

/// What all texts of a document share.
pub(crate) struct Words {
    styles: Styles,
    paper: Paint,
    page: Page,
    /// Area of what page headers and footers put behind the text of each page.
    margins: f64,
}

impl Words {
    /// `main` is the document, `margins` are its page headers and footers.
    pub(crate) fn new(
        main: &str,
        styles: Option<&str>,
        theme: Option<String>,
        settings: Option<String>,
        margins: &[String],
    ) -> Self {
        let mut theme = theme
            .and_then(|text| xml::root(&text))
            .map(|root| Theme::parse(&root))
            .unwrap_or_default();
        let settings = settings.and_then(|text| xml::root(&text));
        if let Some(map) = settings.as_ref().and_then(|it| it.child("clrSchemeMapping")) {
            theme.map(map);
        }
        let is_shown = settings.is_some_and(|it| it.is_on("displayBackgroundShape"));
        let page = Page::of(main);
        let floats = margins.iter().map(|text| Floats::of(text, &theme).of_margin(page));
        Self {
            paper: Words::paper(main, is_shown),
            page,
            margins: floats.sum(),
            styles: Styles::parse(styles, theme),
        }
    }

    /// Returns the colour of the pages of a document. Word shows another one than white only if the settings say so.
    fn paper(main: &str, is_shown: bool) -> Paint {
        let start = main.get(..main.find("body>").unwrap_or(0)).unwrap_or_default();
        let Some((_, tag)) = start.split_once("background ") else { return WHITE };
        let tag = tag.split('>').next().unwrap_or_default();
        let colour = tag.split_once(":color=").and_then(|(_, it)| hex(it.get(1..7)?));
        match colour.map(Paint::Plain) {
            Some(colour) if colour.is_like(WHITE) && !tag.contains("theme") => WHITE,
            // Other programs show it always.
            Some(colour) if is_shown && !tag.contains("theme") && tag.ends_with('/') => colour,
            _ => Paint::Unknown,
        }
    }
}

/// What text lies on.
#[derive(Clone, Copy, PartialEq)]
enum Ground {
    /// The page. Drawings may lie between.
    Page,
    /// A box without a fill of its own.
    Box,
    /// A shading or a fill.
    Own,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Paragraph,
    Run,
    Table,
    Row,
    Cell,
    Shape,
    Other,
}

#[derive(Clone)]
struct Context {
    kind: Kind,
    behind: Paint,
    ground: Ground,
    /// Why everything in it is unseen.
    why: Option<Why>,
    table: Rc<ParagraphLook>,
    look: Rc<Look>,
    /// Fill of the shape around it; `None` outside of shapes.
    shape: Option<Paint>,
    is_in_table: bool,
    grid: Rc<Grid>,
    /// Rows of a table so far, or columns of a row so far.
    parts: usize,
    cell: Cell,
    /// `true` in a drawing that is there again, for older programs.
    is_again: bool,
    /// Number of drawings around it.
    drawings: usize,
}

/// What the style of a table needs to know about it.
#[derive(Default)]
struct Grid {
    style: Option<String>,
    /// `false` if the style gives no parts a look of their own.
    has_parts: bool,
    look: TableLook,
    bands: [usize; 2],
    /// Rows and columns. 0 if they were not counted.
    size: [usize; 2],
}

struct Remover<'a> {
    words: &'a Words,
    /// What the places of this text are called; `None` for the document itself.
    part: Option<&'static str>,
    unseen: &'a mut Unseen,
    /// For each open element, whether it has a context.
    open: Vec<bool>,
    contexts: Vec<Context>,
    paragraphs: usize,
    tables: usize,
    /// Room for letters on drawings: behind the text, and anywhere.
    room: [f64; 2],
    /// Bytes that may still be read ahead to count rows.
    ahead: usize,
}

/// Returns the text without what people do not see; `None` if that is nothing, or if it is not XML, which the library then
/// reports.
pub(crate) fn remove(
    text: &str,
    words: &Words,
    part: Option<&'static str>,
    unseen: &mut Unseen,
) -> Option<String> {
    let found = Floats::of(text, &words.styles.theme);
    let outermost = Context {
        kind: Kind::Other,
        behind: words.paper,
        ground: Ground::Page,
        why: None,
        table: Rc::default(),
        look: Rc::default(),
        shape: None,
        is_in_table: false,
        grid: Rc::default(),
        parts: 0,
        cell: Cell::default(),
        is_again: false,
        drawings: 0,
    };
    let mut remover = Remover {
        words,
        part,
        unseen,
        open: Vec::new(),
        contexts: vec![outermost],
        paragraphs: 0,
        tables: 0,
        room: [found.behind + words.margins, found.all + words.margins],
        ahead: text.len().saturating_mul(MAX_AHEAD),
    };
    let mut out = Splice::new(text);
    let mut is_changed = false;
    let mut reader = xml::reader(text);
    loop {
        let from = reader.buffer_position() as usize;
        match reader.read_event().ok()? {
            Event::Start(start) => {
                let is_gone = remover.start(&mut reader, &start)?;
                is_changed |= is_gone;
                if is_gone {
                    out.replace(from..reader.buffer_position() as usize, "");
                }
            }
            Event::Empty(empty) => remover.empty(&empty),
            Event::End(_) => remover.end(),
            Event::Eof => break,
            _ => {}
        }
    }
    is_changed.then(|| out.finish())
}

impl Remover<'_> {
    /// Handles the begin of an element. Returns `true` if it was read to its end and is left out; `None` if the text is
    /// not XML.
    fn start(&mut self, reader: &mut Reader<&[u8]>, start: &BytesStart<'_>) -> Option<bool> {
        let name = start.local_name();
        let name = name.as_ref();
        let Context { kind, drawings, .. } = *self.contexts.last()?;
        match (name, kind) {
            ("t" | "sym" | "instrText", _) => {
                let Some(context) = self.contexts.last() else { return Some(false) };
                if context.why.is_none() && !context.look.is_suspect(context.behind) {
                    self.unseen.seen();
                    self.open.push(false);
                    return Some(false);
                }
                let node = xml::tree(reader, start)?;
                return Some(self.is_unseen(&node));
            }
            ("pPr", Kind::Paragraph)
            | ("rPr", Kind::Run)
            | ("tblPr", Kind::Table)
            | ("tblPrEx" | "trPr", Kind::Row)
            | ("tcPr", Kind::Cell)
            | ("spPr" | "style" | "fill" | "cNvPr", Kind::Shape) => {
                let node = xml::tree(reader, start)?;
                if name == "tblPr" {
                    self.grid(&node, reader);
                }
                self.properties(&node);
                return Some(false);
            }
            ("drawing" | "pict" | "object", _) if drawings < MAX_DRAWINGS => {
                let mut ahead = reader.clone();
                let node = xml::tree(&mut ahead, start)?;
                if let Some(why) = floats::unseen(&node, self.words.page) {
                    *reader = ahead;
                    let mut text = String::new();
                    collect(&node, &mut text);
                    self.count(why, &text);
                    return Some(true);
                }
            }
            _ => {}
        }
        self.push(name, start);
        Some(false)
    }

    fn empty(&mut self, empty: &BytesStart<'_>) {
        let Some(kind) = self.contexts.last().map(|it| it.kind) else { return };
        match (empty.local_name().as_ref(), kind) {
            ("rPr", Kind::Run) | ("pPr", Kind::Paragraph) | ("fill" | "cNvPr", Kind::Shape) => {
                self.properties(&Node::leaf(empty));
            }
            ("p", _) if self.is_counted() => self.paragraphs += 1,
            _ => {}
        }
    }

    fn end(&mut self) {
        if self.open.pop() == Some(true) {
            self.contexts.pop();
        }
    }

    /// Returns whether paragraphs and tables at this place are counted: those of the text itself.
    fn is_counted(&self) -> bool {
        self.contexts.last().is_some_and(|it| !it.is_in_table && it.shape.is_none())
    }

    fn push(&mut self, name: &str, start: &BytesStart<'_>) {
        let is_counted = self.is_counted();
        let kind = match name {
            "p" => Kind::Paragraph,
            "r" => Kind::Run,
            "tbl" => Kind::Table,
            "tr" => Kind::Row,
            "tc" => Kind::Cell,
            "wsp" | "shape" | "rect" | "roundrect" | "oval" => Kind::Shape,
            "txbxContent" | "Fallback" | "drawing" | "pict" | "object" => Kind::Other,
            _ => return self.open.push(false),
        };
        let mut part = 0;
        if let (Kind::Row | Kind::Cell, Some(outer)) = (kind, self.contexts.last_mut()) {
            part = outer.parts;
            outer.parts += 1;
        }
        let outer = self.contexts.last().cloned();
        let Some(mut context) = outer.filter(|_| self.contexts.len() < MAX_CONTEXTS) else {
            return self.open.push(false);
        };
        context.kind = kind;
        context.parts = 0;
        let styles = &self.words.styles;
        match kind {
            Kind::Paragraph => {
                self.paragraphs += usize::from(is_counted);
                let look = styles.paragraph(None, &context.table);
                apply_paragraph(&mut context, &look);
            }
            Kind::Table => {
                self.tables += usize::from(is_counted);
                context.is_in_table = true;
                context.grid = Rc::default();
                apply_table(&mut context, styles, None);
            }
            Kind::Row => context.cell.row = part,
            Kind::Cell => apply_cell(&mut context, styles, [part, part + 1]),
            Kind::Shape => {
                let fill = floats::vector_fill(&Node::leaf(start));
                context.shape = Some(if name == "wsp" { Paint::Clear } else { fill });
            }
            Kind::Other if matches!(name, "drawing" | "pict" | "object") => context.drawings += 1,
            Kind::Other if name == "Fallback" => context.is_again = true,
            Kind::Other if name == "txbxContent" => {
                context.table = Rc::default();
                match context.shape.unwrap_or_default() {
                    Paint::Clear if context.ground == Ground::Page => context.ground = Ground::Box,
                    Paint::Clear => {}
                    fill => (context.behind, context.ground) = (fill, Ground::Own),
                }
            }
            _ => {}
        }
        self.contexts.push(context);
        self.open.push(true);
    }

    /// Takes the style of the innermost table. `reader` is behind its properties.
    fn grid(&mut self, properties: &Node, reader: &Reader<&[u8]>) {
        let style = properties.value("tblStyle");
        if !self.words.styles.has_parts(style) {
            return;
        }
        let mut ahead = reader.clone();
        let size = size(&mut ahead, self.ahead);
        let length = ahead.buffer_position() - reader.buffer_position();
        self.ahead = self.ahead.saturating_sub(length as usize);
        let grid = Grid {
            style: style.map(str::to_owned),
            has_parts: true,
            look: TableLook::read(properties),
            bands: self.words.styles.bands(properties),
            size,
        };
        if let Some(context) = self.contexts.last_mut() {
            context.grid = Rc::new(grid);
        }
    }

    /// Takes the properties of the innermost context.
    fn properties(&mut self, node: &Node) {
        let styles = &self.words.styles;
        let Some(context) = self.contexts.last_mut() else { return };
        match node.name.as_str() {
            "pPr" => {
                let style = styles.paragraph(node.value("pStyle"), &context.table);
                let look = ParagraphLook::read(node, &styles.theme).over(&style);
                // The default style gave it a ground that it does not have.
                if let Some(outer) = self.contexts.iter().rev().nth(1).cloned()
                    && let Some(context) = self.contexts.last_mut()
                {
                    (context.behind, context.ground, context.why) =
                        (outer.behind, outer.ground, outer.why);
                    apply_paragraph(context, &look);
                }
            }
            "rPr" => {
                let own = Look::read(node, &styles.theme);
                let look = own.over(&styles.character(node.value("rStyle"))).over(&context.look);
                // A hidden run hides the drawings in it.
                if look.hidden == Some(true) {
                    context.why = context.why.or(Some(Why::Hidden));
                }
                context.look = Rc::new(look);
            }
            "tblPr" => {
                apply_table(context, styles, node.value("tblStyle"));
                let own = node.child("shd").map_or(Paint::Clear, |it| shade(it, &styles.theme));
                paint(context, own);
            }
            "tblPrEx" if node.child("shd").is_some() => paint(context, Paint::Unknown),
            "trPr" => {
                let height = node.child("trHeight");
                let is_flat = height.is_some_and(|it| {
                    it.attribute("hRule") == Some("exact")
                        && floats::number(it, "val").is_some_and(|it| it <= FLAT_ROW)
                });
                if is_flat {
                    context.why = context.why.or(Some(Why::Tiny));
                }
                context.parts = columns(node, "gridBefore").unwrap_or(0);
            }
            "tcPr" => {
                let own = node.child("shd").map_or(Paint::Clear, |it| shade(it, &styles.theme));
                paint(context, own);
                if let Some(span) = columns(node, "gridSpan") {
                    let first = context.cell.columns[0];
                    let end = first.saturating_add(span);
                    apply_cell(context, styles, [first, end]);
                    if let Some(row) = self.contexts.iter_mut().rev().nth(1) {
                        row.parts = end;
                    }
                }
            }
            "spPr" => {
                context.shape = styles.theme.fill(node, Alpha::Opacity).or(Some(Paint::Clear))
            }
            "style"
                if context.shape == Some(Paint::Clear) && floats::has_style_fill(Some(node)) =>
            {
                context.shape = Some(Paint::Unknown);
            }
            "fill" if node.attributes().any(|(name, _)| matches!(name, "type" | "opacity")) => {
                context.shape = Some(Paint::Unknown);
            }
            "cNvPr" if floats::is_hidden(node) => context.why = context.why.or(Some(Why::Hidden)),
            _ => {}
        }
    }

    /// Returns whether a piece of text is unseen, and counts it.
    fn is_unseen(&mut self, node: &Node) -> bool {
        let Some(context) = self.contexts.last().cloned() else { return false };
        let text = match node.name.as_str() {
            "sym" => "?".to_owned(),
            _ => node.text(),
        };
        // Only formula fields become text. Others have addresses that their results need.
        if node.name == "instrText" && !text.trim_start().to_ascii_lowercase().starts_with("eq") {
            return false;
        }
        let why = context.why.or_else(|| context.look.why(&text, context.behind));
        let why =
            why.filter(|why| *why != Why::Colour || !self.may_lie_on_a_drawing(&context, &text));
        match why {
            Some(why) => self.count(why, &text),
            None => self.unseen.seen(),
        }
        why.is_some()
    }

    /// Returns whether a text in the colour of the page may lie on a drawing, because these have room for it.
    fn may_lie_on_a_drawing(&mut self, context: &Context, text: &str) -> bool {
        let index = match context.ground {
            _ if context.look.has_ground() => return false,
            Ground::Own => return false,
            Ground::Page => 0,
            Ground::Box => 1,
        };
        let letters = text.chars().filter(|it| is_seen(*it)).count() as f64;
        let Some(room) = self.room.get_mut(index) else { return false };
        *room -= letters * context.look.room();
        *room >= 0.0
    }

    fn count(&mut self, why: Why, text: &str) {
        let Some(context) = self.contexts.last() else { return };
        if context.is_again {
            return;
        }
        match self.part {
            Some(part) => self.unseen.add(why, text, part),
            None if context.is_in_table => {
                self.unseen.add(why, text, &format!("table {}", self.tables));
            }
            None => self.unseen.add(why, text, &format!("paragraph {}", self.paragraphs)),
        }
    }
}

/// Gives a cell the look that the style of its table has for its place.
fn apply_cell(context: &mut Context, styles: &Styles, columns: [usize; 2]) {
    let grid = Rc::clone(&context.grid);
    let Grid { look, bands, size, .. } = *grid;
    context.cell = Cell { look, bands, size, columns, ..context.cell };
    if grid.has_parts {
        let own = styles.cell(grid.style.as_deref(), context.cell);
        let (whole, _) = styles.table(grid.style.as_deref());
        context.table = Rc::new(own.over(&whole));
    }
}

/// Returns a number of columns that a row leaves out or that a cell covers.
fn columns(properties: &Node, name: &str) -> Option<usize> {
    /// Most columns of a table of Word.
    const MAX_COLUMNS: usize = 63;
    properties.value(name)?.parse().ok().map(|count: usize| count.min(MAX_COLUMNS))
}

fn apply_paragraph(context: &mut Context, paragraph: &ParagraphLook) {
    context.look = Rc::new(paragraph.look.clone());
    if paragraph.is_flat == Some(true) {
        context.why = context.why.or(Some(Why::Tiny));
    }
    paint(context, paragraph.shade.unwrap_or(Paint::Clear));
}

fn apply_table(context: &mut Context, styles: &Styles, style: Option<&str>) {
    let (look, has_fills) = styles.table(style);
    context.table = Rc::new(look);
    if has_fills {
        paint(context, Paint::Unknown);
    }
}

fn paint(context: &mut Context, paint: Paint) {
    if paint != Paint::Clear {
        (context.behind, context.ground) = (paint, Ground::Own);
    }
}

/// Returns the rows and the columns up to the end of the table around the reader. 0 if the table is longer than `most` bytes.
fn size(reader: &mut Reader<&[u8]>, most: usize) -> [usize; 2] {
    let (mut rows, mut width, mut widest) = (0, 0_usize, 0);
    let mut depth = 0_usize;
    let begin = reader.buffer_position();
    while let Ok(event) = reader.read_event() {
        match event {
            _ if reader.buffer_position() - begin > most as u64 => break,
            Event::Start(start) => match start.local_name().as_ref() {
                "tbl" => depth += 1,
                "tr" if depth == 0 => (rows, width) = (rows + 1, 0),
                "tc" if depth == 0 => width += 1,
                _ => {}
            },
            Event::Empty(empty) if depth == 0 => {
                let count = Node::leaf(&empty).attribute("val").and_then(|it| it.parse().ok());
                let count = count.unwrap_or(0_usize).min(63);
                match empty.local_name().as_ref() {
                    "gridBefore" => width += count,
                    "gridSpan" => width += count.saturating_sub(1),
                    _ => {}
                }
            }
            Event::End(end) if end.local_name().as_ref() == "tbl" => match depth {
                0 => return [rows, widest],
                _ => depth -= 1,
            },
            Event::Eof => break,
            _ => {}
        }
        widest = widest.max(width);
    }
    [0; 2]
}

/// Adds the texts in a drawing that is left out. What is there again for older programs is counted once.
fn collect(node: &Node, out: &mut String) {
    for child in node.nodes() {
        match child.name.as_str() {
            "t" => out.push_str(&child.text()),
            "Fallback" | "instrText" => {}
            _ => collect(child, out),
        }
    }
}
