//! Reads paragraphs, headings, lists, tables and slides.

use super::around::{Around, Backdrop, Places};
use super::inline::Line;
use super::lists::{Counted, count};
use super::styles::Styles;
use crate::marks;
use crate::notes::Notes;
use crate::unseen::colour::WHITE;
use crate::xml::Node;
use office_oxide::ir::{
    Element, Heading, InlineContent, List, ListItem, Paragraph, Section, Table, TableCell,
    TableRow, TextSpan,
};
use std::collections::{HashMap, HashSet};

/// Most rows that one element repeats, and most cells of a row. The file can give any number.
const MAX_REPEATED_ROWS: usize = 1_000;
const MAX_COLUMNS: usize = 256;
/// Most rows that one cell spans.
const MAX_SPANNED_ROWS: usize = 100_000;
/// Most cells of all tables that are laid out. One more than a document may have, so that writing it fails.
const MAX_CELLS: usize = mitt_reader_kit::MAX_CELLS + 1;

/// Index of the counters of headings.
const HEADINGS: usize = 0;

/// Position of a list.
#[derive(Clone)]
struct ListPosition {
    style: Option<String>,
    level: usize,
    /// Index of its counters.
    counting: usize,
}

/// State while a document is read.
pub(crate) struct Reading<'a> {
    pub(crate) styles: &'a Styles,
    formulas: Vec<(String, String)>,
    /// Number of footnotes and of endnotes so far.
    note_numbers: [u32; 2],
    /// Counters of each list. Those of the headings are first.
    counted: Vec<Counted>,
    /// Index of the counters, by list name and by style of the last list.
    lists_by_name: HashMap<String, usize>,
    lists_by_style: HashMap<String, usize>,
    /// Number of the next paragraph.
    label: Option<String>,
    pub(crate) notes: Notes,
    pub(crate) around: Around,
    pub(crate) places: Places,
    pub(crate) backdrop: Backdrop,
    cells: usize,
    charts: usize,
    /// Ids of changes that delete the content between two marks.
    deletions: HashSet<String>,
    /// The change whose deleted content is being skipped.
    pub(crate) deleting: Option<String>,
}

impl<'a> Reading<'a> {
    pub(crate) fn new(
        styles: &'a Styles,
        formulas: Vec<(String, String)>,
        backdrop: Backdrop,
    ) -> Self {
        let paper = styles.paper.unwrap_or(WHITE);
        Self {
            styles,
            formulas,
            note_numbers: [0, 0],
            counted: vec![Counted::default()],
            lists_by_name: HashMap::new(),
            lists_by_style: HashMap::new(),
            label: None,
            notes: Notes::default(),
            around: Around::on(paper),
            places: Places::default(),
            backdrop,
            cells: 0,
            charts: 0,
            deletions: HashSet::new(),
            deleting: None,
        }
    }

    pub(crate) fn into_warnings(self) -> Vec<String> {
        let mut warnings = self.notes.into_warnings();
        if self.charts > 0 {
            warnings.push(format!("charts and other objects that were not read: {}", self.charts));
        }
        warnings
    }

    pub(crate) fn next_note(&mut self, is_end: bool) -> u32 {
        let [foot, end] = &mut self.note_numbers;
        let number = if is_end { end } else { foot };
        *number += 1;
        *number
    }

    /// Returns the formula of an object. Others are counted as charts.
    pub(crate) fn formula(&mut self, link: &str) -> Option<String> {
        let name = link.trim_start_matches("./");
        let found = self.formulas.iter().find(|(folder, _)| folder == name);
        if found.is_none() {
            self.charts += 1;
        }
        found.map(|(_, formula)| formula.clone())
    }

    /// Returns the content of an element.
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
            "h" => self.heading(node, false, out),
            "list" => {
                let list = self.list(node, None, out);
                out.extend(list.map(Element::List));
            }
            "table" => out.extend(self.table(node)),
            "frame" | "custom-shape" | "rect" | "ellipse" | "circle" | "line" | "polygon"
            | "path" | "connector" | "polyline" => out.extend(self.shape(node)),
            "tracked-changes" => self.changes(node),
            "change-start" | "change-end" => self.change(node),
            // Comments out of place, and invisible content.
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
            "section" => {
                let around = self.section_around(node);
                out.extend(self.within(|it| *it = around, |reading| reading.blocks(node)));
            }
            "g" => {
                let around = self.shape_around(node);
                out.extend(self.within(|it| *it = around, |reading| reading.blocks(node)));
            }
            // Indexes and the like.
            _ => out.extend(self.blocks(node)),
        }
    }

    /// Records the changes that delete. If the deleted content is stored in the change itself, it is skipped with it.
    fn changes(&mut self, node: &Node) {
        for region in node.nodes().filter(|region| region.child("deletion").is_some()) {
            self.deletions.extend(region.attribute("id").map(str::to_owned));
        }
    }

    /// Handles the beginning or the end of a change.
    pub(crate) fn change(&mut self, node: &Node) {
        let id = node.attribute("change-id");
        if node.name == "change-end" {
            self.deleting.take_if(|open| Some(open.as_str()) == id);
        } else if self.deleting.is_none() {
            self.deleting = id.filter(|id| self.deletions.contains(*id)).map(str::to_owned);
        }
    }

    fn paragraph(&mut self, node: &Node, out: &mut Vec<Element>) {
        let label = self.label.take();
        let Line { content, behind, .. } = self.line(node);
        let content = with_label(label, content);
        let style = self.styles.role(node.attribute("style-name"));
        if !content.is_empty() {
            out.push(Element::Paragraph(Paragraph { content, style, ..Paragraph::default() }));
        }
        out.extend(behind);
    }

    /// Reads a heading. In a list, it has the number of the list item, or none.
    fn heading(&mut self, node: &Node, is_in_list: bool, out: &mut Vec<Element>) {
        let level = node.attribute("outline-level").and_then(|level| level.parse().ok());
        let level = level.unwrap_or(1_usize).max(1);
        let label =
            if is_in_list { self.label.take() } else { self.heading_label(node, level - 1) };
        let Line { content, behind, .. } = self.line(node);
        let content = with_label(label, content);
        let level = level.min(6) as u8;
        out.push(Element::Heading(Heading { level, content, ..Heading::default() }));
        out.extend(behind);
    }

    /// Returns the number of a heading outside of lists.
    fn heading_label(&mut self, node: &Node, level: usize) -> Option<String> {
        let styles = self.styles;
        let (outline, levels) = styles.headings.as_ref()?;
        // The style of a heading may name another list, or none.
        let list = styles.list_of(node.attribute("style-name"));
        if node.attribute("is-list-header") == Some("true")
            || list.is_some_and(|list| list != *outline)
        {
            return None;
        }
        let counted = self.counted.get_mut(HEADINGS)?;
        let begins_again = node.attribute("restart-numbering") == Some("true");
        if begins_again && let Some(number) = counted.get_mut(level) {
            *number = None;
        }
        // An invalid number, such as -1, counts as missing.
        let start = node.attribute("start-value").and_then(|start| start.parse().ok());
        count(levels, level, start.filter(|_| begins_again), counted, &mut self.notes)
    }

    /// Reads a list. Content that cannot be in a list item, such as a table or a heading, goes to `out`.
    fn list(
        &mut self,
        node: &Node,
        outer: Option<&ListPosition>,
        out: &mut Vec<Element>,
    ) -> Option<List> {
        let own = node.attribute("style-name").map(str::to_owned);
        let style = own.or_else(|| outer.and_then(|outer| outer.style.clone())).or_else(|| {
            let first = node.nodes().flat_map(Node::nodes).find(|node| node.name == "p");
            self.styles.list_of(first.and_then(|node| node.attribute("style-name")))
        });
        let place = match outer {
            Some(outer) => ListPosition { style, level: outer.level + 1, counting: outer.counting },
            None => {
                ListPosition { counting: self.counting(node, style.as_deref()), style, level: 0 }
            }
        };
        if let Some(name) = node.attribute("id") {
            self.lists_by_name.insert(name.to_owned(), place.counting);
        }
        let mut list = List { level: place.level.min(8) as u8, ..List::default() };
        for item in
            node.nodes().filter(|item| matches!(item.name.as_str(), "list-item" | "list-header"))
        {
            self.item(item, &place, &mut list.items, out);
        }
        (!list.items.is_empty()).then_some(list)
    }

    /// Returns the counters of a list that is not nested: those of the list that it continues, or new ones.
    fn counting(&mut self, node: &Node, style: Option<&str>) -> usize {
        let style = style.unwrap_or_default();
        if self.styles.headings.as_ref().is_some_and(|(outline, _)| outline == style) {
            return HEADINGS;
        }
        let by_name =
            node.attribute("continue-list").and_then(|name| self.lists_by_name.get(name)).copied();
        let goes_on = node.attribute("continue-numbering") == Some("true");
        let by_style = self.lists_by_style.get(style).copied().filter(|_| goes_on);
        let counting = by_name.or(by_style).unwrap_or_else(|| {
            self.counted.push(Counted::default());
            self.counted.len() - 1
        });
        self.lists_by_style.insert(style.to_owned(), counting);
        counting
    }

    fn item(
        &mut self,
        node: &Node,
        place: &ListPosition,
        items: &mut Vec<ListItem>,
        out: &mut Vec<Element>,
    ) {
        // An item that holds only a nested list is not an item.
        let first = node.nodes().find(|child| child.name != "number");
        if node.name == "list-item" && first.is_some_and(|first| first.name != "list") {
            let style = node.attribute("style-override").or(place.style.as_deref());
            let start = node.attribute("start-value").and_then(|start| start.parse().ok());
            if let (Some(levels), Some(counted)) =
                (self.styles.levels(style), self.counted.get_mut(place.counting))
            {
                self.label = count(levels, place.level, start, counted, &mut self.notes);
            }
        }
        let mut item = ListItem::default();
        for child in node.nodes() {
            match child.name.as_str() {
                "list" => {
                    let Some(mut list) = self.list(child, Some(place), out) else { continue };
                    match &mut item.nested {
                        Some(nested) => nested.items.append(&mut list.items),
                        None => item.nested = Some(list),
                    }
                }
                // Headings in lists are numbered headings.
                "h" => self.heading(child, true, out),
                _ => self.block(child, &mut item.content),
            }
        }
        // The number belongs to this item only.
        self.label = None;
        if !item.content.is_empty() || item.nested.is_some() {
            items.push(item);
        }
    }

    pub(crate) fn table(&mut self, node: &Node) -> Option<Element> {
        let mut rows = Vec::new();
        let around = self.table_around(node);
        self.within(|it| *it = around, |reading| reading.rows(node, &mut rows));
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
                    let around = self.ground("table-row", child.attribute("style-name"));
                    let row = self.within(|it| *it = around, |reading| reading.row(child));
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
            let around = self.ground("table-cell", cell.attribute("style-name"));
            let content = self.within(|it| *it = around, |reading| reading.blocks(cell));
            let found = TableCell {
                content,
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

    /// Reads a slide with its notes.
    pub(crate) fn slide(&mut self, page: &Node) -> Section {
        let is_title = |node: &&Node| node.attribute("class") == Some("title");
        let mut title = None;
        let mut elements = Vec::new();
        for child in page.nodes() {
            if title.is_none() && is_title(&child) {
                let around = self.shape_around(child);
                let text = child.child("text-box").map(|text| {
                    let blocks = self.within(|it| *it = around, |reading| reading.blocks(text));
                    crate::tables::text_of(&blocks)
                });
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
        self.end_slide();
        let notes = page.child("notes").map(|notes| {
            let frames = notes.nodes().filter(|frame| frame.attribute("class") == Some("notes"));
            frames.flat_map(|frame| self.blocks(frame)).collect()
        });
        let hidden = self.styles.is_hidden_slide(page.attribute("style-name"));
        Section { title, elements, speaker_notes: notes, hidden, ..Section::default() }
    }
}

/// Returns how often an element is repeated.
fn number(node: &Node, name: &str, most: usize) -> usize {
    let number = node.attribute(name).and_then(|number| number.parse().ok());
    number.unwrap_or(1_usize).clamp(1, most)
}

/// Returns content with its number before it.
fn with_label(label: Option<String>, content: Vec<InlineContent>) -> Vec<InlineContent> {
    let Some(label) = label else { return content };
    let mut out = vec![InlineContent::Text(TextSpan::plain(marks::label(&label)))];
    out.extend(content);
    out
}
