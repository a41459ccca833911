//! Edits of whole paragraphs.

use super::ends::{delete_marked, place_new, plain_properties, surround};
use super::{Batch, Done, Where};
use crate::changes::{next_block, previous_block, remove_keeping_marks};
use crate::controls::{self, ControlKind};
use crate::error::{Error, Result, invalid};
use crate::marks::Marks;
use crate::story::{Paragraph, shorten};
use crate::text::{self, Line, new_run};
use crate::xml::{Id, Tree, escape_attr};

const EMPTY_STAYS: &str =
    "an empty paragraph stays where it stood, because its cell, page or content control needs one";

/// Returns `true` for a control that can have no second paragraph.
fn has_one_paragraph(kind: ControlKind) -> bool {
    matches!(
        kind,
        ControlKind::Text
            | ControlKind::DropDown
            | ControlKind::ComboBox
            | ControlKind::Date
            | ControlKind::CheckBox
            | ControlKind::Other("picture")
    )
}

impl Batch<'_> {
    pub(super) fn insert_paragraphs(
        &mut self,
        place: &Paragraph,
        side: Where,
        text: &str,
        style: Option<&str>,
    ) -> Result<Done> {
        let anchor = self.document.anchor(place);
        let style = match style.filter(|it| !it.trim().is_empty()) {
            Some(name) => {
                Some(self.styles.find(name, "paragraph").map_err(Error::Invalid)?.id.clone())
            }
            None => None,
        };
        let lines: Vec<&str> = text.trim_end_matches('\n').split('\n').collect();
        let lines: Vec<&str> = lines.iter().map(|it| it.trim_end_matches('\r')).collect();
        for node in std::iter::once(place.node).chain(place.twin) {
            let mut at = self.place_beside(place.part, node, side)?;
            for (number, line) in lines.iter().enumerate() {
                let new = self.like(place.part, node, style.as_deref());
                let format = self.common_format(place.part, node, style.is_some());
                let (tree, marks) = self.parts_of(place.part);
                if !line.is_empty() {
                    let run = new_run(tree, format, line);
                    let run = text::inserted(tree, run, marks);
                    tree.append(new, run);
                }
                let side = if number == 0 { side } else { Where::After };
                place_new(tree, at, side, new, "ins", marks);
                at = new;
            }
            if side == Where::After {
                self.behind.insert((place.part, node), at);
            }
        }
        let side = if side == Where::Before { "before" } else { "after" };
        let after = shorten(&lines.join("\n"), 300);
        Ok(Done { place: format!("{side} {anchor}"), before: String::new(), after })
    }

    /// Returns the node beside which something new comes: a paragraph, what the batch put behind it before, or the content
    /// control around it that can have one paragraph only.
    pub(super) fn place_beside(&self, part: usize, node: Id, side: Where) -> Result<Id> {
        let tree = self.document.tree(part);
        let around = tree
            .parent(node)
            .filter(|&it| tree.is(it, "sdtContent"))
            .and_then(|it| tree.parent(it))
            .map(|it| controls::read(tree, it))
            .filter(|it| has_one_paragraph(it.kind));
        let outer = around.as_ref().map_or(node, |it| it.node);
        if side == Where::Before {
            return Ok(outer);
        }
        let last = self.behind(part, node);
        if last != node {
            return Ok(last);
        }
        if let Some(control) = around
            && self.marks.is_tracked
            && next_block(tree, outer)
                .is_none_or(|it| !matches!(tree.name(it), "p" | "tbl" | "sdt" | "altChunk"))
        {
            return invalid(format!(
                "the content control {} stands at the end of its cell or page and can have one paragraph only, so nothing can be tracked behind it; insert before it, or use `track` false",
                controls::label(&control)
            ));
        }
        Ok(outer)
    }

    /// Makes a paragraph with the properties of another one, or with a style alone. A paragraph beside a heading is no
    /// heading.
    fn like(&mut self, part: usize, node: Id, style: Option<&str>) -> Id {
        let is_heading = |batch: &Self, node: Id| {
            let tree = batch.document.tree(part);
            let id = tree.child(node, "pPr").and_then(|it| tree.value(it, "pStyle"));
            id.is_some_and(|id| batch.styles.heading_level(&id).is_some())
        };
        let mut source = Some(node);
        if style.is_none() && is_heading(self, node) {
            let tree = self.document.tree(part);
            source = next_block(tree, node)
                .filter(|&it| tree.is(it, "p"))
                .filter(|&it| !is_heading(self, it))
                .filter(|&it| {
                    let properties = tree.child(it, "pPr");
                    properties.is_none_or(|it| tree.child(it, "numPr").is_none())
                });
        }
        let tree = self.tree(part);
        let new = tree.element("<w:p></w:p>");
        match (style, source.and_then(|it| tree.child(it, "pPr"))) {
            (Some(style), _) => {
                let properties = tree.element(&format!(
                    "<w:pPr><w:pStyle w:val=\"{}\"/></w:pPr>",
                    escape_attr(style)
                ));
                tree.append(new, properties);
            }
            (None, Some(properties)) => {
                let copy = plain_properties(tree, properties);
                tree.append(new, copy);
            }
            (None, None) => {}
        }
        new
    }

    /// Returns the formatting that most characters of a paragraph have.
    fn common_format(&self, part: usize, node: Id, has_style: bool) -> Option<Id> {
        let tree = self.document.tree(part);
        if has_style {
            return None;
        }
        let is_heading = tree
            .child(node, "pPr")
            .and_then(|it| tree.value(it, "pStyle"))
            .is_some_and(|it| self.styles.heading_level(&it).is_some());
        if is_heading {
            return None;
        }
        let line = Line::read(tree, node, &self.document.parts[part].codes);
        let mut counts: Vec<(String, usize, Option<Id>)> = Vec::new();
        for piece in &line.pieces {
            if piece.link.is_some() || piece.field.is_some() || piece.deleted.is_some() {
                continue;
            }
            let properties = tree.child(piece.run, "rPr");
            let key = properties.map(|it| tree.outer_xml(it)).unwrap_or_default();
            match counts.iter().position(|(it, ..)| *it == key) {
                Some(at) => counts[at].1 += piece.text.len(),
                None if counts.len() < 50 => counts.push((key, piece.text.len(), properties)),
                None => {}
            }
        }
        counts.into_iter().max_by_key(|it| it.1).and_then(|it| it.2).or_else(|| {
            let properties = tree.child(node, "pPr")?;
            tree.child(properties, "rPr").filter(|_| line.text.is_empty())
        })
    }

    pub(super) fn delete_paragraph(&mut self, place: &Paragraph) -> Result<Done> {
        let anchor = self.document.anchor(place);
        let before = self.document.line(place).text;
        for node in std::iter::once(place.node).chain(place.twin) {
            let problem = self.remove(place.part, node);
            match problem {
                Some(problem) => self.warn(format!("at {anchor}: {problem}")),
                None => self.removed.push((place.part, node)),
            }
        }
        Ok(Done { place: anchor, before: shorten(&before, 300), after: String::new() })
    }

    /// Deletes a paragraph. Returns what stays of it and why.
    pub(super) fn remove(&mut self, part: usize, node: Id) -> Option<&'static str> {
        let line = self.editor(part, node).line();
        let (tree, marks) = self.parts_of(part);
        if !has_whole_fields(tree, node) {
            let mut editor = self.editor(part, node);
            editor.replace(0..line.text.len(), "");
            return Some(
                "the paragraph stays, because a field begins or ends in it; its text is deleted",
            );
        }
        let ends_section = tree
            .child(node, "pPr")
            .is_some_and(|properties| tree.child(properties, "sectPr").is_some());
        delete_content(tree, node, "del", marks);
        if ends_section {
            return Some("the paragraph stays, because it ends a section; its text is deleted");
        }
        if delete_marked(tree, node, "del", marks) {
            None
        } else {
            Some("the paragraph stays, because its cell or page needs one; its text is deleted")
        }
    }

    pub(super) fn move_paragraph(
        &mut self,
        place: &Paragraph,
        side: Where,
        to: &Paragraph,
    ) -> Result<Done> {
        let anchor = self.document.anchor(place);
        let target = self.document.anchor(to);
        let text = self.document.line(place).text;
        if place.part != to.part || place.is_in_box != to.is_in_box || place.note != to.note {
            return invalid("a paragraph cannot be moved into another part of the document");
        }
        if place.node == to.node {
            return invalid("a paragraph cannot be moved beside itself");
        }
        if place.twin.is_some() || to.twin.is_some() {
            return invalid(
                "paragraphs of this text box cannot be moved; delete and insert the text",
            );
        }
        let part = place.part;
        let tree = self.document.tree(part);
        if !tree.is_attached(to.node) || self.removed.contains(&(part, to.node)) {
            return invalid("an earlier edit removed the paragraph to move to");
        }
        let properties = tree.child(place.node, "pPr");
        if properties.is_some_and(|it| tree.child(it, "sectPr").is_some()) {
            return invalid("the paragraph ends a section, and cannot be moved");
        }
        if !has_whole_fields(tree, place.node) {
            return invalid("a field begins or ends in the paragraph, so it cannot be moved");
        }
        let target_place = self.place_beside(part, to.node, side)?;
        let tree = self.document.tree(part);
        let is_there = match side {
            Where::Before => previous_block(tree, target_place) == Some(place.node),
            Where::After => {
                target_place == place.node || next_block(tree, target_place) == Some(place.node)
            }
        };
        if is_there {
            self.warn(format!(
                "the paragraph {anchor} stands at this place already, so it was not moved"
            ));
            return Ok(Done {
                place: anchor,
                before: shorten(&text, 300),
                after: "not moved".to_owned(),
            });
        }
        let report = |side: Where| {
            let side = if side == Where::Before { "before" } else { "after" };
            Ok(Done {
                place: anchor.clone(),
                before: shorten(&text, 300),
                after: format!("{side} {target}"),
            })
        };
        let (tree, marks) = self.parts_of(part);
        if !marks.is_tracked {
            let has_others = next_block(tree, place.node).is_some_and(|it| tree.is(it, "p"))
                || previous_block(tree, place.node).is_some_and(|it| tree.is(it, "p"));
            if !has_others {
                let empty = tree.element("<w:p></w:p>");
                if let Some(properties) = tree.child(place.node, "pPr") {
                    let copy = plain_properties(tree, properties);
                    tree.append(empty, copy);
                }
                tree.insert_before(place.node, empty);
            }
            match side {
                Where::Before => tree.insert_before(target_place, place.node),
                Where::After => tree.insert_after(target_place, place.node),
            }
            if side == Where::After {
                self.behind.insert((part, to.node), place.node);
            }
            if !has_others {
                self.warn(format!("at {anchor}: {EMPTY_STAYS}"));
            }
            return report(side);
        }
        let has_notes = tree.descendants(place.node).any(|it| {
            matches!(tree.name(it), "footnoteReference" | "endnoteReference" | "commentReference")
        });
        if has_notes {
            return invalid(
                "the paragraph has a note or a comment, which cannot be in two places; move it with `track` false",
            );
        }
        let is_changed = tree
            .descendants(place.node)
            .any(|it| matches!(tree.name(it), "ins" | "del" | "moveFrom" | "moveTo"));
        // A move of what is itself a change is a deletion and an insertion.
        let (from_mark, to_mark) = if is_changed { ("del", "ins") } else { ("moveFrom", "moveTo") };
        let copy = accepted_copy(tree, place.node);
        wrap_content(tree, copy, to_mark, marks);
        let name = format!("move{}", marks.id());
        place_new(tree, target_place, side, copy, to_mark, marks);
        delete_content(tree, place.node, from_mark, marks);
        let is_gone = delete_marked(tree, place.node, from_mark, marks);
        if !is_changed && tree.is_attached(place.node) {
            surround(tree, place.node, "moveFromRange", &name, marks);
            surround(tree, copy, "moveToRange", &name, marks);
        }
        if !is_gone {
            self.warn(format!("at {anchor}: {EMPTY_STAYS}"));
        }
        if side == Where::After {
            self.behind.insert((part, to.node), copy);
        }
        // Later edits of the batch mean the paragraph at its new place.
        for it in &mut self.document.paragraphs {
            if it.part == part && it.node == place.node {
                it.node = copy;
            }
        }
        report(side)
    }
}

/// Returns `true` if every field that begins in a paragraph ends in it.
pub(super) fn has_whole_fields(tree: &Tree, node: Id) -> bool {
    let mut depth = 0_i64;
    let mut below = tree.descendants(node);
    while let Some(it) = below.next() {
        if tree.is(it, "txbxContent") {
            below.skip_children();
        } else if tree.is(it, "fldChar") {
            match tree.attr(it, "fldCharType").as_deref() {
                Some("begin") => depth += 1,
                Some("end") => depth -= 1,
                _ => {}
            }
            if depth < 0 {
                return false;
            }
        }
    }
    depth == 0
}

/// Returns the runs of a paragraph, also those in links, content controls and insertions, but not those of text boxes.
pub(super) fn runs(tree: &Tree, node: Id) -> Vec<Id> {
    let mut out = Vec::new();
    let mut below = tree.descendants(node);
    while let Some(it) = below.next() {
        if tree.is(it, "r") {
            out.push(it);
            below.skip_children();
        } else if tree.is(it, "pPr") || tree.is(it, "sdtPr") {
            below.skip_children();
        }
    }
    out
}

/// Deletes all runs of a paragraph.
pub(super) fn delete_content(tree: &mut Tree, node: Id, mark: &str, marks: &mut Marks) {
    for run in runs(tree, node) {
        text::delete_run_as(tree, run, mark, marks);
    }
    if marks.is_tracked {
        return;
    }
    let gone: Vec<Id> = tree
        .elements(node)
        .filter(|&it| {
            matches!(tree.name(it), "sdt" | "del" | "moveFrom") || tree.ns(it) == crate::xml::Ns::M
        })
        .collect();
    for it in gone {
        remove_keeping_marks(tree, it);
    }
}

/// Copies a paragraph as if its changes were accepted, without what must be unique: ids, bookmarks, ranges.
fn accepted_copy(tree: &mut Tree, node: Id) -> Id {
    let copy = tree.copy(node);
    tree.remove_attr(copy, "paraId");
    tree.remove_attr(copy, "textId");
    if let Some(properties) = tree.child(copy, "pPr") {
        let plain = plain_properties(tree, properties);
        tree.insert_before(properties, plain);
        tree.detach(properties);
    }
    let all: Vec<Id> = tree.descendants(copy).collect();
    for it in all {
        let name = tree.name(it);
        let is_range = name.ends_with("RangeStart") || name.ends_with("RangeEnd");
        match name {
            "del" | "moveFrom" | "rPrChange" | "bookmarkStart" | "bookmarkEnd" | "permStart"
            | "permEnd" => {
                tree.detach(it);
            }
            "ins" | "moveTo" if tree.parent(it).is_some() => tree.unwrap(it),
            _ if is_range => tree.detach(it),
            _ => {}
        }
    }
    copy
}

/// Puts all runs of a paragraph into marks.
fn wrap_content(tree: &mut Tree, node: Id, mark: &str, marks: &mut Marks) {
    for run in runs(tree, node) {
        let joined = tree.previous(run).filter(|&it| tree.is(it, mark) && marks.is_same(tree, it));
        match joined {
            Some(found) => tree.append(found, run),
            None => {
                let new = marks.element(tree, mark);
                tree.wrap(run, new);
            }
        }
    }
}
