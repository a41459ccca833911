//! Paragraphs, headings, lists, tables and slides.

use super::inline::Line;
use super::styles::Styles;
use crate::xml::Node;
use office_oxide::ir::{
    Element, Heading, List, ListItem, Paragraph, Section, Table, TableCell, TableRow,
};
use std::collections::{HashMap, HashSet};

/// Rows that one element may stand for, and cells of a row; the number in the file can be anything.
const MAX_REPEATED_ROWS: usize = 1_000;
const MAX_COLUMNS: usize = 256;
/// Rows that one cell may span.
const MAX_SPANNED_ROWS: usize = 100_000;
/// Cells of all tables together that are laid out: more is refused when they are written.
const MAX_CELLS: usize = mitt_reader_kit::MAX_CELLS + 1;

/// Where a list stands.
#[derive(Clone, Default)]
struct Place {
    style: Option<String>,
    level: usize,
}

/// A document while it is read.
pub(crate) struct Reading<'a> {
    pub(crate) styles: &'a Styles,
    formulas: Vec<(String, String)>,
    /// Footnotes and endnotes so far.
    notes: [u32; 2],
    /// How far the lists of each style have counted.
    counted: HashMap<String, u32>,
    cells: usize,
    charts: usize,
    /// Changes that delete what stands between two marks.
    deletions: HashSet<String>,
    /// The one whose text is being left out.
    pub(crate) deleting: Option<String>,
}

impl<'a> Reading<'a> {
    pub(crate) fn new(styles: &'a Styles, formulas: Vec<(String, String)>) -> Self {
        Self {
            styles,
            formulas,
            notes: [0, 0],
            counted: HashMap::new(),
            cells: 0,
            charts: 0,
            deletions: HashSet::new(),
            deleting: None,
        }
    }

    pub(crate) fn into_warnings(self) -> Vec<String> {
        match self.charts {
            0 => Vec::new(),
            charts => vec![format!("charts and other objects that were not read: {charts}")],
        }
    }

    pub(crate) fn next_note(&mut self, is_end: bool) -> u32 {
        let [foot, end] = &mut self.notes;
        let number = if is_end { end } else { foot };
        *number += 1;
        *number
    }

    /// The formula that an object is; others are counted.
    pub(crate) fn formula(&mut self, link: &str) -> Option<String> {
        let name = link.trim_start_matches("./");
        let found = self.formulas.iter().find(|(folder, _)| folder == name);
        if found.is_none() {
            self.charts += 1;
        }
        found.map(|(_, formula)| formula.clone())
    }

    /// Everything that an element holds.
    pub(crate) fn blocks(&mut self, node: &Node) -> Vec<Element> {
        let mut out = Vec::new();
        for child in node.nodes() {
            self.block(child, &mut out);
        }
        out
    }

    fn block(&mut self, node: &Node, out: &mut Vec<Element>) {
        match node.name.as_str() {
            "p" => self.paragraph(node, out),
            "h" => {
                let line = self.line(node);
                let level = node.attribute("outline-level").and_then(|level| level.parse().ok());
                let level = level.unwrap_or(1_u8).clamp(1, 6);
                let content = line.content;
                out.push(Element::Heading(Heading { level, content, ..Heading::default() }));
                out.extend(line.behind);
            }
            "list" => {
                let list = self.list(node, &Place::default(), out);
                out.extend(list.map(Element::List));
            }
            "table" => out.extend(self.table(node)),
            "frame" | "custom-shape" | "rect" | "ellipse" | "circle" | "line" | "polygon"
            | "path" | "connector" | "polyline" => out.extend(self.shape(node)),
            "tracked-changes" => self.changes(node),
            "change-start" | "change-end" => self.change(node),
            // Comments where they are looked for, and what nobody sees.
            "annotation"
            | "annotation-end"
            | "sequence-decls"
            | "forms"
            | "variable-decls"
            | "user-field-decls"
            | "notes"
            | "creator"
            | "date"
            | "title"
            | "desc"
            | "event-listeners"
            | "scripts"
            | "enhanced-geometry"
            | "glue-point"
            | "table-of-content-source"
            | "creator-initials"
            | "date-string" => {}
            // Sections, indexes, groups of shapes.
            _ => out.extend(self.blocks(node)),
        }
    }

    /// The changes that delete. Where what they delete stands with them, it is left out with them.
    fn changes(&mut self, node: &Node) {
        for region in node.nodes().filter(|region| region.child("deletion").is_some()) {
            self.deletions.extend(region.attribute("id").map(str::to_owned));
        }
    }

    /// The beginning or the end of a change.
    pub(crate) fn change(&mut self, node: &Node) {
        let id = node.attribute("change-id");
        if node.name == "change-end" {
            self.deleting.take_if(|open| Some(open.as_str()) == id);
        } else if self.deleting.is_none() {
            self.deleting = id.filter(|id| self.deletions.contains(*id)).map(str::to_owned);
        }
    }

    fn paragraph(&mut self, node: &Node, out: &mut Vec<Element>) {
        let Line { content, behind, .. } = self.line(node);
        let style = self.styles.role(node.attribute("style-name"));
        if !content.is_empty() {
            out.push(Element::Paragraph(Paragraph { content, style, ..Paragraph::default() }));
        }
        out.extend(behind);
    }

    /// A list. What cannot stand in one, such as a table or a heading, goes to `out`.
    fn list(&mut self, node: &Node, place: &Place, out: &mut Vec<Element>) -> Option<List> {
        let own = node.attribute("style-name").map(str::to_owned);
        let style = own.or_else(|| place.style.clone()).or_else(|| {
            let first = node.nodes().flat_map(Node::nodes).find(|node| node.name == "p");
            self.styles.list_of(first.and_then(|node| node.attribute("style-name")))
        });
        let counting = self.styles.counting(style.as_deref(), place.level);
        let key = format!("{} {}", place.level, style.as_deref().unwrap_or_default());
        let goes_on = node.attribute("continue-numbering") == Some("true")
            || node.attribute("continue-list").is_some();
        let first = node.nodes().find(|item| item.name == "list-item");
        let said = first.and_then(|item| item.attribute("start-value")?.parse().ok());
        let start = said.unwrap_or(match self.counted.get(&key) {
            Some(counted) if goes_on => counted + 1,
            _ => 1_u32,
        });
        let mut list = List {
            ordered: counting.is_some(),
            start_number: Some(start),
            style: counting,
            level: place.level.min(8) as u8,
            ..List::default()
        };
        for item in
            node.nodes().filter(|item| matches!(item.name.as_str(), "list-item" | "list-header"))
        {
            let inner = Place { style: style.clone(), level: place.level + 1 };
            self.item(item, &inner, &mut list.items, out);
        }
        self.counted.insert(key, start.saturating_add(list.items.len() as u32).saturating_sub(1));
        (!list.items.is_empty()).then_some(list)
    }

    fn item(
        &mut self,
        node: &Node,
        inner: &Place,
        items: &mut Vec<ListItem>,
        out: &mut Vec<Element>,
    ) {
        let mut item = ListItem::default();
        for child in node.nodes() {
            match child.name.as_str() {
                "list" => {
                    let Some(mut list) = self.list(child, inner, out) else { continue };
                    match &mut item.nested {
                        Some(nested) => nested.items.append(&mut list.items),
                        None => item.nested = Some(list),
                    }
                }
                // Headings in lists are numbered headings.
                "h" => self.block(child, out),
                _ => self.block(child, &mut item.content),
            }
        }
        if !item.content.is_empty() || item.nested.is_some() {
            items.push(item);
        }
    }

    pub(crate) fn table(&mut self, node: &Node) -> Option<Element> {
        let mut rows = Vec::new();
        self.rows(node, &mut rows);
        while rows
            .last()
            .is_some_and(|row: &TableRow| row.cells.iter().all(|it| it.content.is_empty()))
        {
            rows.pop();
        }
        (!rows.is_empty()).then(|| Element::Table(Table { rows, ..Table::default() }))
    }

    fn rows(&mut self, node: &Node, rows: &mut Vec<TableRow>) {
        for child in node.nodes() {
            match child.name.as_str() {
                "table-row" => {
                    let row = self.row(child);
                    let repeated = number(child, "number-rows-repeated", MAX_REPEATED_ROWS);
                    self.cells += row.cells.len() * repeated;
                    if self.cells > MAX_CELLS {
                        return;
                    }
                    rows.extend(std::iter::repeat_n(row, repeated));
                }
                "table-header-rows" | "table-rows" | "table-row-group" => self.rows(child, rows),
                _ => {}
            }
        }
    }

    fn row(&mut self, node: &Node) -> TableRow {
        let mut row = TableRow::default();
        // A covered cell belongs to one before it or above it.
        for cell in node.nodes().filter(|cell| cell.name == "table-cell") {
            let span = |name: &str, most: usize| number(cell, name, most) as u32;
            let found = TableCell {
                content: self.blocks(cell),
                col_span: span("number-columns-spanned", MAX_COLUMNS),
                row_span: span("number-rows-spanned", MAX_SPANNED_ROWS),
                ..TableCell::default()
            };
            let repeated = number(cell, "number-columns-repeated", MAX_COLUMNS);
            let room = MAX_COLUMNS.saturating_sub(row.cells.len()).max(1);
            row.cells.extend(std::iter::repeat_n(found, repeated.min(room)));
        }
        row
    }

    /// A slide with its notes.
    pub(crate) fn slide(&mut self, page: &Node) -> Section {
        let is_title = |node: &&Node| node.attribute("class") == Some("title");
        let mut title = None;
        let mut elements = Vec::new();
        for child in page.nodes() {
            if title.is_none() && is_title(&child) {
                let text =
                    child.child("text-box").map(|text| crate::tables::text_of(&self.blocks(text)));
                title = text.filter(|text| !text.trim().is_empty());
                if title.is_some() {
                    continue;
                }
            }
            match child.name.as_str() {
                "annotation" => elements.push(self.comment(child)),
                _ => self.block(child, &mut elements),
            }
        }
        let notes = page.child("notes").map(|notes| {
            let frames = notes.nodes().filter(|frame| frame.attribute("class") == Some("notes"));
            frames.flat_map(|frame| self.blocks(frame)).collect()
        });
        let hidden = self.styles.is_hidden_slide(page.attribute("style-name"));
        Section { title, elements, speaker_notes: notes, hidden, ..Section::default() }
    }
}

/// How many an element stands for.
fn number(node: &Node, name: &str, most: usize) -> usize {
    let number = node.attribute(name).and_then(|number| number.parse().ok());
    number.unwrap_or(1_usize).clamp(1, most)
}
