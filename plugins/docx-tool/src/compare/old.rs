//! Content of the old document, written as deleted.

use super::objects::{object, objects};
use super::redline::Worker;
use crate::marks::mark_paragraph;
use crate::props;
use crate::story;
use crate::text::{COLUMN_BREAK, Line, PAGE_BREAK, run_xml};
use crate::xml::{Id, escape_attr};

impl Worker<'_> {
    /// Writes a range of an old paragraph as deleted runs.
    pub(super) fn old_runs(&mut self, line: &Line, range: std::ops::Range<usize>) -> String {
        let mut out = String::new();
        for piece in &line.pieces {
            if piece.deleted.is_some() || piece.end() < range.start || piece.start > range.end {
                continue;
            }
            if piece.text.is_empty() {
                if piece.start > range.start && piece.start < range.end {
                    self.note_lost(piece.node);
                }
                continue;
            }
            let from = range.start.max(piece.start) - piece.start;
            let to = range.end.min(piece.end()).saturating_sub(piece.start);
            let Some(text) = piece.text.get(from..to).filter(|it| !it.is_empty()) else { continue };
            let format = self.old.child(piece.run, "rPr").map(|it| self.copy_properties(it));
            let content = match text.chars().next() {
                Some(PAGE_BREAK) if self.old.is(piece.node, "br") => {
                    "<w:br w:type=\"page\"/>".to_owned()
                }
                Some(COLUMN_BREAK) if self.old.is(piece.node, "br") => {
                    "<w:br w:type=\"column\"/>".to_owned()
                }
                _ => run_xml(text, true),
            };
            out.push_str(&format!("<w:r>{}{content}</w:r>", format.unwrap_or_default()));
        }
        out
    }

    fn note_lost(&mut self, node: Id) {
        if let Some(kind) = object(self.old, node) {
            self.lost.insert(kind);
        }
    }

    /// Writes properties of the old document for the new one: extensions are left out, styles are found by their names.
    pub(super) fn copy_properties(&self, id: Id) -> String {
        let mut out = String::new();
        self.copy_into(id, &mut out, 0);
        out
    }

    fn copy_into(&self, id: Id, out: &mut String, depth: usize) {
        let tree = self.old;
        let name = tree.name(id);
        let is_left_out = name.is_empty()
            || depth > 20
            || name.ends_with("Change")
            || matches!(name, "sectPr" | "ins" | "del" | "moveFrom" | "moveTo" | "cellIns" | "cellDel")
            || (name == "numPr" && !self.same_numbering)
            // A paragraph's mark has its own properties.
            || (name == "rPr" && depth > 0);
        if is_left_out {
            return;
        }
        if matches!(name, "pStyle" | "rStyle" | "tblStyle") {
            let own = tree.attr(id, "val").and_then(|it| self.old_styles.get(&it).cloned());
            let kind = match name {
                "pStyle" => "paragraph",
                "rStyle" => "character",
                _ => "table",
            };
            if let Some(found) = own.and_then(|it| self.styles.find(&it.name, kind).ok()) {
                out.push_str(&format!("<w:{name} w:val=\"{}\"/>", escape_attr(&found.id)));
            }
            return;
        }
        out.push_str(&format!("<w:{name}"));
        for (attribute, value) in tree.attrs(id) {
            let is_own =
                attribute.split_once(':').is_some_and(|(prefix, _)| prefix == tree.prefix(id));
            let local = attribute.rsplit(':').next().unwrap_or(attribute);
            if is_own && !local.starts_with("rsid") {
                out.push_str(&format!(" w:{local}=\"{}\"", escape_attr(&value)));
            }
        }
        out.push('>');
        for child in tree.elements(id) {
            self.copy_into(child, out, depth + 1);
        }
        out.push_str(&format!("</w:{name}>"));
    }

    /// Makes a paragraph of the old document with its content deleted. Its end is marked when it stands at its place.
    pub(super) fn deleted_paragraph(&mut self, node: Id, mark: &str) -> Id {
        let line = Line::read_with_breaks(self.old, node, self.old_codes);
        let mut content = String::new();
        for (_, kind) in objects(self.old, node) {
            self.lost.insert(kind);
        }
        let runs = self.old_runs(&line, 0..line.text.len());
        if !runs.is_empty() {
            let runs = match mark {
                "moveFrom" => runs.replace("<w:delText", "<w:t").replace("</w:delText", "</w:t"),
                _ => runs,
            };
            content = format!("<w:{mark} {}>{runs}</w:{mark}>", self.marks.attributes());
        }
        let properties = self.old.child(node, "pPr").map(|it| self.copy_properties(it));
        let properties = properties.unwrap_or_default();
        self.new.element(&format!("<w:p>{properties}{content}</w:p>"))
    }

    pub(super) fn deleted_table(&mut self, table: Id) -> Id {
        let own = |worker: &Self, name: &str| {
            worker.old.child(table, name).map(|it| worker.copy_properties(it)).unwrap_or_default()
        };
        let head = format!("{}{}", own(self, "tblPr"), own(self, "tblGrid"));
        let node = self.new.element(&format!("<w:tbl>{head}</w:tbl>"));
        for row in story::rows(self.old, table) {
            let row = self.deleted_row(row);
            self.new.append(node, row);
        }
        node
    }

    pub(super) fn deleted_row(&mut self, row: Id) -> Id {
        let properties =
            self.old.child(row, "trPr").map(|it| self.copy_properties(it)).unwrap_or_default();
        let node = self.new.element(&format!("<w:tr>{properties}</w:tr>"));
        let properties = props::ensure(self.new, node, "trPr");
        let mark = self.marks.element(self.new, "del");
        props::put(self.new, properties, mark);
        for cell in story::cells(self.old, row) {
            let properties =
                self.old.child(cell, "tcPr").map(|it| self.copy_properties(it)).unwrap_or_default();
            let new_cell = self.new.element(&format!("<w:tc>{properties}</w:tc>"));
            let mut found = Vec::new();
            story::blocks(self.old, cell, &mut found);
            for block in found {
                let is_table = self.old.is(block, "tbl");
                let inner = if is_table {
                    self.deleted_table(block)
                } else {
                    self.deleted_paragraph(block, "del")
                };
                self.new.append(new_cell, inner);
                if !is_table {
                    mark_paragraph(self.new, inner, "del", self.marks);
                }
            }
            self.new.append(node, new_cell);
        }
        node
    }
}
