//! Applies tracked deletions that the library does not apply: rows, cells, and paragraph marks. The library applies
//! those of text itself.
//!
//! Deleted content is removed, as if the change had been accepted.

use crate::splice::Splice;
use crate::xml::{self, Node};
use quick_xml::events::{BytesStart, Event};
use std::ops::Range;

/// The most elements between a cell and its row, or a row and its table.
const MAX_BETWEEN: usize = 64;

#[derive(Clone, Copy, PartialEq, Eq)]
enum ElementKind {
    Table,
    Row,
    Cell,
    Paragraph,
    Other,
}

/// The first of several paragraphs that are joined because the marks between them are deleted.
#[derive(Clone)]
struct Head {
    /// Range of its properties, empty if it has none.
    properties: Range<usize>,
}

/// A paragraph whose mark is deleted, before the next one begins.
struct Open {
    head: Head,
    /// Properties of the last paragraph that was joined.
    properties: Range<usize>,
    end: Range<usize>,
}

struct Element {
    kind: ElementKind,
    start: usize,
    is_deleted: bool,
    /// Number of rows of a table or cells of a row, and how many of them stay.
    parts: usize,
    kept: usize,
    properties: Range<usize>,
    /// First of the paragraphs that this one continues.
    head: Option<Head>,
    open: Option<Open>,
}

struct Changes<'a> {
    text: &'a str,
    elements: Vec<Element>,
    edits: Vec<(Range<usize>, &'a str)>,
}

/// Returns whether a text may have such deletions.
pub(super) fn is_tracked(text: &str) -> bool {
    [":del", "<del", "cellDel", "moveFrom"].iter().any(|needle| text.contains(needle))
}

/// Returns the text without deleted content, or `None` if nothing is deleted or the text is not XML.
pub(super) fn accept(text: &str) -> Option<String> {
    let mut reader = xml::reader(text);
    let mut changes = Changes { text, elements: Vec::new(), edits: Vec::new() };
    loop {
        let from = reader.buffer_position() as usize;
        match reader.read_event().ok()? {
            Event::Start(start) => match start.local_name().as_ref() {
                "trPr" | "tcPr" | "pPr" if changes.holds_properties(&start) => {
                    let node = xml::tree(&mut reader, &start)?;
                    changes.properties(&node, from..reader.buffer_position() as usize);
                }
                _ => changes.begin(&start, from..reader.buffer_position() as usize),
            },
            Event::Empty(empty) => {
                let range = from..reader.buffer_position() as usize;
                if changes.holds_properties(&empty) {
                    changes.properties(&Node::leaf(&empty), range);
                } else {
                    changes.empty(&empty, range);
                }
            }
            Event::End(_) => changes.end(from..reader.buffer_position() as usize),
            Event::Eof => break,
            _ => {}
        }
    }
    changes.finish()
}

impl<'a> Changes<'a> {
    /// Returns whether an element is the properties of the open paragraph.
    fn holds_properties(&self, start: &BytesStart<'_>) -> bool {
        let kind = self.elements.last().map(|element| element.kind);
        matches!(
            (start.local_name().as_ref(), kind),
            ("trPr", Some(ElementKind::Row))
                | ("tcPr", Some(ElementKind::Cell))
                | ("pPr", Some(ElementKind::Paragraph))
        )
    }

    fn properties(&mut self, node: &Node, range: Range<usize>) {
        let Some(element) = self.elements.last_mut() else { return };
        match element.kind {
            ElementKind::Row => element.is_deleted |= node.child("del").is_some(),
            ElementKind::Cell => element.is_deleted |= node.child("cellDel").is_some(),
            _ => {
                element.is_deleted = node
                    .child("rPr")
                    .is_some_and(|own| own.child("del").or(own.child("moveFrom")).is_some());
                element.properties = range.clone();
                if element.head.is_some() {
                    self.edits.push((range, ""));
                }
            }
        }
    }

    fn begin(&mut self, start: &BytesStart<'_>, range: Range<usize>) {
        let kind = match start.local_name().as_ref() {
            "tbl" => ElementKind::Table,
            "tr" => ElementKind::Row,
            "tc" => ElementKind::Cell,
            "p" => ElementKind::Paragraph,
            _ => ElementKind::Other,
        };
        let open = self.elements.last_mut().and_then(|parent| parent.open.take());
        let mut head = None;
        match open {
            Some(open) if kind == ElementKind::Paragraph => {
                self.edits.push((open.end, ""));
                self.edits.push((range.clone(), ""));
                head = Some(open.head);
            }
            Some(open) => self.settle(open),
            None => {}
        }
        self.elements.push(Element {
            kind,
            start: range.start,
            is_deleted: false,
            parts: 0,
            kept: 0,
            properties: range.end..range.end,
            head,
            open: None,
        });
    }

    fn empty(&mut self, empty: &BytesStart<'_>, range: Range<usize>) {
        let Some(open) = self.elements.last_mut().and_then(|parent| parent.open.take()) else {
            return;
        };
        let name = empty.local_name();
        let name = name.as_ref();
        if name == "p" {
            // The paragraph is empty and has no properties.
            self.edits.push((range, ""));
            self.edits.push((open.head.properties, ""));
        } else if is_mark(name) {
            if let Some(parent) = self.elements.last_mut() {
                parent.open = Some(open);
            }
        } else {
            self.settle(open);
        }
    }

    fn end(&mut self, range: Range<usize>) {
        let Some(mut element) = self.elements.pop() else { return };
        if let Some(open) = element.open.take() {
            self.settle(open);
        }
        match element.kind {
            ElementKind::Paragraph => {
                let is_deleted = element.is_deleted;
                let properties = element.properties.clone();
                let head = element.head.unwrap_or(Head { properties: element.properties });
                let open = Open { head, properties, end: range };
                match self.elements.last_mut() {
                    Some(parent) if is_deleted => parent.open = Some(open),
                    _ => self.settle(open),
                }
            }
            ElementKind::Other => {}
            _ => {
                // A row needs a cell, and a table needs a row.
                let is_gone = element.is_deleted || element.parts > 0 && element.kept == 0;
                if is_gone {
                    self.edits.push((element.start..range.end, ""));
                }
                let holder = if element.kind == ElementKind::Cell {
                    ElementKind::Row
                } else {
                    ElementKind::Table
                };
                if element.kind != ElementKind::Table
                    && let Some(parent) = self
                        .elements
                        .iter_mut()
                        .rev()
                        .take(MAX_BETWEEN)
                        .find(|it| it.kind == holder)
                {
                    parent.parts += 1;
                    parent.kept += usize::from(!is_gone);
                }
            }
        }
    }

    /// Gives joined paragraphs the properties of the last of them, because its mark stays.
    fn settle(&mut self, open: Open) {
        if open.properties != open.head.properties {
            let properties = self.text.get(open.properties).unwrap_or_default();
            self.edits.push((open.head.properties, properties));
        }
    }

    fn finish(mut self) -> Option<String> {
        if self.edits.is_empty() {
            return None;
        }
        // An edit inside of removed content is dropped.
        self.edits.sort_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
        let mut out = Splice::new(self.text);
        let mut behind = 0;
        for (range, new) in self.edits {
            if range.start >= behind {
                behind = range.end;
                out.replace(range, new);
            }
        }
        Some(out.finish())
    }
}

/// Returns whether an element between paragraphs only marks a place.
fn is_mark(name: &str) -> bool {
    name.ends_with("RangeStart")
        || name.ends_with("RangeEnd")
        || matches!(name, "bookmarkStart" | "bookmarkEnd" | "permStart" | "permEnd" | "proofErr")
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARK: &str = "<pPr><x/><rPr><del a='1'/></rPr></pPr>";

    fn check(text: &str, expected: &str) {
        let found = accept(text);
        assert_eq!(found.as_deref().unwrap_or(text), expected, "{text}");
    }

    #[test]
    fn paragraphs_without_an_end_go_on_in_the_next() {
        check(
            &format!("<b><p>{MARK}<r>a</r></p><p><r>b</r></p></b>"),
            "<b><p><r>a</r><r>b</r></p></b>",
        );
        check(
            &format!(
                "<w:b><w:p q='1'><w:pPr><w:rPr><w:moveFrom/></w:rPr></w:pPr>a</w:p><w:bookmarkStart/><w:p>{}b</w:p><w:p><w:pPr><k/></w:pPr>c</w:p></w:b>",
                "<w:pPr><w:rPr><w:del/></w:rPr></w:pPr>"
            ),
            "<w:b><w:p q='1'><w:pPr><k/></w:pPr>a<w:bookmarkStart/>bc</w:p></w:b>",
        );
        // No paragraph follows that could continue these.
        for text in [
            format!("<b><p>{MARK}a</p><tbl><tr><tc/></tr></tbl></b>"),
            format!("<b><c><p>{MARK}a</p></c><p>b</p></b>"),
            format!("<b><p>{MARK}a</p></b>"),
            "<b><p><pPr><rPr><ins/></rPr></pPr>a</p><p>b</p></b>".to_owned(),
        ] {
            assert_eq!(accept(&text), None, "{text}");
        }
        check(&format!("<b><p>{MARK}a</p><p/><p>c</p></b>"), "<b><p>a</p><p>c</p></b>");
        // The paragraph mark in a text box does not belong to the paragraph around the box.
        check(
            &format!("<b><p><r><box><p>{MARK}a</p><p>b</p></box></r></p><p>c</p></b>"),
            "<b><p><r><box><p>ab</p></box></r></p><p>c</p></b>",
        );
    }

    #[test]
    fn deleted_rows_and_cells_are_out() {
        let row = |inner: &str| format!("<tr>{inner}<tc><p>1</p></tc></tr>");
        let gone = row("<trPr><del a='b'/></trPr>");
        let table = |rows: &str| format!("<b><tbl>{rows}</tbl><p>x</p></b>");
        check(&table(&(row("") + &gone + &row(""))), &table(&(row("") + &row(""))));
        check(&table(&(gone.clone() + &gone)), "<b><p>x</p></b>");
        check(&table(&row("<tc><tcPr><cellDel/></tcPr><p>0</p></tc>")), &table(&row("")));
        check(&table("<tr><tc><tcPr><cellDel/></tcPr></tc></tr>"), "<b><p>x</p></b>");
        check(&table(&row("<trPr><ins/></trPr>")), &table(&row("<trPr><ins/></trPr>")));
        // Edits lie in a removed row, and a table lies in a cell that stays.
        let inner = format!("<tr><trPr><del/></trPr><tc><p>{MARK}a</p><p>b</p></tc></tr>");
        check(&table(&(inner + &row(""))), &table(&row("")));
        check(
            &table(&format!("<tr><tc><tbl>{gone}{}</tbl><p/></tc></tr>", row(""))),
            &table(&format!("<tr><tc><tbl>{}</tbl><p/></tc></tr>", row(""))),
        );
    }

    #[test]
    fn broken_and_deep_texts_end() {
        let deep = format!("<p>{MARK}").repeat(20_000);
        for text in ["<b><p><pPr>", "</p></p>", "<tr><trPr><del/></trPr>", deep.as_str()] {
            let _ = accept(text);
        }
        let many = format!("<b>{}</b>", format!("<p>{MARK}a</p>").repeat(20_000));
        assert_eq!(accept(&many).unwrap().matches("<p>").count(), 1);
    }
}
