//! Builds consecutive paragraphs: of the text, a note, or a text box.

use super::look::Ground;
use super::table::{Shape, TableRows};
use super::{ParagraphState, Style};
use crate::marks;
use mitt_reader_kit::single_line;
use office_oxide::ir::{Element, Heading, InlineContent, List, ListItem, Paragraph, TextSpan};
use std::collections::HashMap;

/// Most characters of a list marker.
const MAX_LABEL: usize = 100;

#[derive(Default)]
pub(crate) struct Flow {
    done: Vec<Element>,
    /// Open tables, each in a cell of the one before.
    tables: Vec<TableRows>,
    /// Text of the paragraph so far.
    pub(crate) content: Vec<InlineContent>,
    /// Blocks that follow the paragraph.
    pub(crate) behind: Vec<Element>,
    /// List marker of the paragraph.
    pub(crate) label: String,
    /// Cell layout of the next row of the outer table.
    shape: Shape,
    /// Cell layout of the next row of an inner table. It follows the row's cells, and leaves the row around it as it is.
    inner_shape: Shape,
}

impl Flow {
    /// Ends the paragraph and adds it.
    pub(crate) fn end_paragraph(&mut self, own: &ParagraphState, styles: &HashMap<i32, Style>) {
        self.end_tables(own.tables);
        let content = std::mem::take(&mut self.content);
        let label = single_line(&std::mem::take(&mut self.label));
        let behind = std::mem::take(&mut self.behind);
        let style = styles.get(&own.style);
        let level = style
            .and_then(|(name, outline)| heading_level(name).or(outline.map(|level| level + 1)))
            .or_else(|| own.outline.map(|level| level + 1));
        let target = self.target(own.tables);
        if !content.is_empty() {
            match (level, label.is_empty()) {
                (Some(level), _) => {
                    let content = with_label(&label, content);
                    target.push(Element::Heading(Heading { level, content, ..Heading::default() }));
                }
                (None, false) => push_item(target, own.level, with_label(&label, content)),
                (None, true) => {
                    let style = style.map(|(name, _)| name.clone());
                    target.push(Element::Paragraph(Paragraph {
                        content,
                        style,
                        ..Paragraph::default()
                    }));
                }
            }
        }
        target.extend(behind);
    }

    /// Returns where blocks in this number of nested tables go.
    fn target(&mut self, tables: usize) -> &mut Vec<Element> {
        while self.tables.len() < tables {
            self.tables.push(TableRows::default());
        }
        match self.tables.last_mut() {
            Some(table) if tables > 0 => &mut table.cell,
            _ => &mut self.done,
        }
    }

    /// Ends tables that are nested deeper than this.
    fn end_tables(&mut self, tables: usize) {
        while self.tables.len() > tables {
            let Some(table) = self.tables.pop() else { break };
            let target = match self.tables.last_mut() {
                Some(outer) => &mut outer.cell,
                None => &mut self.done,
            };
            table.finish(target);
        }
    }

    /// Handles a word about the cells of the next row. Returns `false` for other words.
    pub(crate) fn shape_word(&mut self, word: &str, number: Option<i32>) -> bool {
        let is_inner = self.tables.len() > 1;
        let shape = if is_inner { &mut self.inner_shape } else { &mut self.shape };
        shape.word(word, number)
    }

    /// Returns the shading of the open cell in this number of nested tables; `None` if it is not known.
    pub(crate) fn ground(&self, tables: usize) -> Option<Ground> {
        match (tables, self.tables.as_slice()) {
            (0, _) => Some(Ground::default()),
            (1, []) => self.shape.ground(0),
            (1, [table]) => self.shape.ground(table.open_cell()),
            // The layout of inner tables follows their text.
            _ => None,
        }
    }

    pub(crate) fn end_cell(
        &mut self,
        tables: usize,
        own: &ParagraphState,
        styles: &HashMap<i32, Style>,
    ) {
        self.end_paragraph(&ParagraphState { tables, ..*own }, styles);
        self.target(tables);
        if let Some(table) = self.tables.last_mut() {
            table.end_cell();
        }
    }

    pub(crate) fn end_row(&mut self, tables: usize) {
        self.end_tables(tables);
        if let Some(table) = self.tables.last_mut().filter(|_| tables > 0) {
            table.end_row(if tables > 1 { &self.inner_shape } else { &self.shape });
        }
    }

    /// Ends the flow and returns its blocks.
    pub(crate) fn finish(
        mut self,
        own: &ParagraphState,
        styles: &HashMap<i32, Style>,
    ) -> Vec<Element> {
        self.end_paragraph(own, styles);
        self.end_tables(0);
        self.done
    }
}

/// Returns the level of a heading style by its name.
fn heading_level(name: &str) -> Option<u8> {
    let name = name.to_lowercase();
    let rest = ["heading", "标题", "標題", "überschrift", "titre", "título"]
        .iter()
        .find_map(|start| name.strip_prefix(start))?;
    rest.trim().parse().ok().filter(|level| (1..=9).contains(level))
}

/// Returns content with its number before it. Bullets are dropped.
fn with_label(label: &str, content: Vec<InlineContent>) -> Vec<InlineContent> {
    if !label.chars().any(char::is_alphanumeric) {
        return content;
    }
    let label: String = label.chars().take(MAX_LABEL).collect();
    let mut out = vec![InlineContent::Text(TextSpan::plain(marks::label(&label)))];
    out.extend(content);
    out
}

fn push_item(target: &mut Vec<Element>, level: usize, content: Vec<InlineContent>) {
    let paragraph = Element::Paragraph(Paragraph { content, ..Paragraph::default() });
    let item = ListItem { content: vec![paragraph], nested: None };
    if !matches!(target.last(), Some(Element::List(_))) {
        target.push(Element::List(List::default()));
    }
    let Some(Element::List(list)) = target.last_mut() else { return };
    let mut list = list;
    for _ in 0..level {
        // An item that is deeper than the list above it allows goes to the deepest level.
        if list.items.is_empty() {
            break;
        }
        let Some(last) = list.items.last_mut() else { return };
        list = last.nested.get_or_insert_default();
    }
    list.items.push(item);
}
