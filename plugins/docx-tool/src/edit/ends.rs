//! Ends of paragraphs: new ones, deleted ones, and the marks around moved paragraphs.

use super::Where;
use crate::changes::{join_with_next, next_block, previous_block, remove_keeping_marks};
use crate::marks::{self, Marks, keep_old, mark_paragraph};
use crate::props;
use crate::text::Line;
use crate::xml::{Id, Tree, escape_attr};

/// Copies the properties of a paragraph without marks, section and changes.
pub(super) fn plain_properties(tree: &mut Tree, properties: Id) -> Id {
    let copy = tree.copy(properties);
    for name in ["sectPr", "pPrChange"] {
        props::remove(tree, copy, name);
    }
    if let Some(run) = tree.child(copy, "rPr") {
        for name in ["ins", "del", "moveFrom", "moveTo", "rPrChange"] {
            props::remove(tree, run, name);
        }
        if tree.elements(run).next().is_none() {
            tree.detach(run);
        }
    }
    copy
}

/// Puts a new paragraph beside another one, and marks its end as inserted. `mark` is `ins` or `moveTo`.
///
/// An end that is rejected joins with the next paragraph. Where none follows, the end before the new paragraph is the
/// inserted one, and the new paragraph has the old end.
pub(crate) fn place_new(
    tree: &mut Tree,
    at: Id,
    side: Where,
    new: Id,
    mark: &str,
    marks: &mut Marks,
) {
    // A paragraph whose end is deleted goes on in the next one, so the place behind it is behind that one.
    let mut at = at;
    let next_paragraph = |tree: &Tree, at: Id| next_block(tree, at).filter(|&it| tree.is(it, "p"));
    let previous_open = |tree: &Tree, at: Id| {
        previous_block(tree, at)
            .filter(|&it| tree.is(it, "p") && marks::is_end_deleted(tree, it))
            .filter(|&it| !Line::read(tree, it, &std::collections::HashSet::new()).text.is_empty())
    };
    if marks.is_tracked {
        match side {
            Where::After => {
                while marks::is_end_deleted(tree, at)
                    && let Some(next) = next_paragraph(tree, at)
                {
                    at = next;
                }
            }
            Where::Before => {
                while let Some(previous) = previous_open(tree, at) {
                    at = previous;
                }
            }
        }
    }
    match side {
        Where::Before => tree.insert_before(at, new),
        Where::After => tree.insert_after(at, new),
    }
    if marks.is_tracked {
        mark_new(tree, at, side, new, mark, marks);
    }
}

/// Marks the end of a new paragraph, which stands beside `at`, as inserted.
pub(crate) fn mark_new(
    tree: &mut Tree,
    at: Id,
    side: Where,
    new: Id,
    mark: &str,
    marks: &mut Marks,
) {
    let is_last = next_block(tree, new)
        .is_none_or(|it| !matches!(tree.name(it), "p" | "tbl" | "sdt" | "altChunk"));
    if side == Where::Before || !is_last {
        mark_paragraph(tree, new, mark, marks);
        return;
    }
    // The end in front of the first of several new paragraphs counts.
    let mut before = at;
    while marks::of_paragraph(tree, before, mark).is_some_and(|it| marks.is_own(tree, it)) {
        match previous_block(tree, before).filter(|&it| tree.is(it, "p")) {
            Some(previous) => before = previous,
            None => break,
        }
    }
    let old = old_properties(tree, at, before);
    // An end that is deleted already stays so: the text in front of it goes on in the new paragraph.
    if !marks::is_end_deleted(tree, before) {
        mark_paragraph(tree, before, mark, marks);
    }
    let properties = props::ensure(tree, new, "pPr");
    keep_old_if_other(tree, properties, old, marks);
}

/// Returns a copy of the properties that the end of a page or cell had: those before a change of `at`, or those of `before`.
fn old_properties(tree: &mut Tree, at: Id, before: Id) -> Id {
    let changed = |id: Id| {
        let change = tree.child(id, "pPr").and_then(|it| tree.child(it, "pPrChange"));
        change.and_then(|it| tree.child(it, "pPr"))
    };
    match changed(at).or_else(|| changed(before)).or(tree.child(before, "pPr")) {
        Some(properties) => plain_properties(tree, properties),
        None => tree.element("<w:pPr></w:pPr>"),
    }
}

/// Keeps the properties before a change if they are others.
fn keep_old_if_other(tree: &mut Tree, properties: Id, old: Id, marks: &mut Marks) {
    let inner = |tree: &Tree, id: Id| -> String {
        let own = tree.elements(id).filter(|&it| !matches!(tree.name(it), "rPr" | "sectPr"));
        own.map(|it| tree.outer_xml(it)).collect()
    };
    if inner(tree, properties) != inner(tree, old) {
        keep_old(tree, properties, old, marks);
    } else if tree.elements(properties).next().is_none() {
        tree.detach(properties);
    }
}

/// Deletes the end of a paragraph whose content is deleted. Returns `false` if it has to stay.
pub(crate) fn delete_marked(tree: &mut Tree, node: Id, mark: &str, marks: &mut Marks) -> bool {
    let next = next_block(tree, node);
    let has_next = next.is_some_and(|it| tree.is(it, "p"));
    let before_other = next.is_some_and(|it| matches!(tree.name(it), "tbl" | "sdt" | "altChunk"));
    let previous = previous_block(tree, node).filter(|&it| tree.is(it, "p"));
    if !marks.is_tracked {
        let is_needed = !has_next && !before_other && previous.is_none();
        if is_needed
            || (before_other && previous_block(tree, node).is_some_and(|it| tree.is(it, "tbl")))
        {
            return false;
        }
        remove_keeping_marks(tree, node);
        return true;
    }
    let own = marks::of_paragraph(tree, node, "ins").filter(|&it| marks.is_own(tree, it));
    if let Some(own) = own
        && (has_next || before_other)
    {
        tree.detach(own);
        join_with_next(tree, node);
        return true;
    }
    if has_next || before_other {
        if !marks::is_end_deleted(tree, node) {
            mark_paragraph(tree, node, mark, marks);
            return true;
        }
        // Its text went on in the paragraphs behind it. If those end the page or the cell and are empty too, one more end
        // goes.
        let mut last = node;
        while marks::is_end_deleted(tree, last) {
            match next_block(tree, last).filter(|&it| tree.is(it, "p")) {
                Some(next) => last = next,
                None => return true,
            }
        }
        let is_end = next_block(tree, last).is_none_or(|it| tree.is(it, "sectPr"));
        let line = Line::read(tree, last, &std::collections::HashSet::new());
        if !is_end || !line.text.is_empty() {
            return true;
        }
        return delete_previous_end(tree, node, last, marks);
    }
    delete_previous_end(tree, node, node, marks)
}

/// Deletes the end in front of a paragraph instead of its own, and gives `last`, which has the old end, the properties of
/// the paragraph that ended there.
fn delete_previous_end(tree: &mut Tree, node: Id, last: Id, marks: &mut Marks) -> bool {
    let mut at = node;
    loop {
        let Some(previous) = previous_block(tree, at).filter(|&it| tree.is(it, "p")) else {
            return false;
        };
        let ends_section = tree
            .child(previous, "pPr")
            .is_some_and(|properties| tree.child(properties, "sectPr").is_some());
        if ends_section {
            return false;
        }
        at = previous;
        if !marks::is_end_deleted(tree, at) {
            break;
        }
    }
    let own = marks::of_paragraph(tree, at, "ins").filter(|&it| marks.is_own(tree, it));
    if let Some(own) = own
        && next_block(tree, at) == Some(last)
    {
        // The end that was inserted goes, and what is left of the last paragraph moves to it.
        let changed = tree
            .child(last, "pPr")
            .and_then(|it| tree.child(it, "pPrChange"))
            .and_then(|it| tree.child(it, "pPr"));
        let old = match changed.or(tree.child(last, "pPr")) {
            Some(properties) => plain_properties(tree, properties),
            None => tree.element("<w:pPr></w:pPr>"),
        };
        let run = tree.parent(own);
        tree.detach(own);
        if let Some(run) = run.filter(|&it| tree.elements(it).next().is_none()) {
            tree.detach(run);
        }
        absorb(tree, at, last);
        let properties = props::ensure(tree, at, "pPr");
        keep_old_if_other(tree, properties, old, marks);
        return true;
    }
    let wanted = match tree.child(at, "pPr") {
        Some(properties) => plain_properties(tree, properties),
        None => tree.element("<w:pPr></w:pPr>"),
    };
    match own {
        Some(own) => {
            tree.detach(own);
        }
        None => mark_paragraph(tree, at, "del", marks),
    }
    // The last paragraph takes the properties of the one that stays in front of it.
    let properties = props::ensure(tree, last, "pPr");
    let old = plain_properties(tree, properties);
    let kept = ["rPr", "sectPr", "pPrChange"];
    let gone: Vec<Id> =
        tree.elements(properties).filter(|&it| !kept.contains(&tree.name(it))).collect();
    for it in gone {
        tree.detach(it);
    }
    let new: Vec<Id> = tree.elements(wanted).collect();
    for it in new {
        if !kept.contains(&tree.name(it)) {
            props::put(tree, properties, it);
        }
    }
    keep_old_if_other(tree, properties, old, marks);
    if own.is_some()
        && let Some(next) = next_block(tree, at).filter(|&it| tree.is(it, "p"))
    {
        absorb(tree, at, next);
        if let Some(properties) = tree.child(at, "pPr") {
            tree.detach(properties);
        }
        if let Some(properties) = tree.child(next, "pPr") {
            tree.prepend(at, properties);
        }
    }
    true
}

/// Moves the content of the next paragraph, and what stands between, to the end of a paragraph. The next one goes, but
/// keeps its properties.
fn absorb(tree: &mut Tree, at: Id, next: Id) {
    let mut moved = tree.next(at);
    while let Some(it) = moved.filter(|&it| it != next) {
        moved = tree.next(it);
        if tree.kind(it) == crate::xml::Kind::Element {
            tree.append(at, it);
        }
    }
    let rest: Vec<Id> = tree.elements(next).filter(|&it| !tree.is(it, "pPr")).collect();
    for it in rest {
        tree.append(at, it);
    }
    tree.detach(next);
}

/// Puts the marks of a move around a paragraph: `moveFromRange` or `moveToRange`.
pub(crate) fn surround(tree: &mut Tree, node: Id, kind: &str, name: &str, marks: &mut Marks) {
    let id = marks.id();
    let signature = marks.signature();
    let start = tree.element(&format!(
        "<w:{kind}Start w:id=\"{id}\" {signature} w:name=\"{}\"/>",
        escape_attr(name)
    ));
    let end = tree.element(&format!("<w:{kind}End w:id=\"{id}\"/>"));
    match tree.child(node, "pPr") {
        Some(properties) => tree.insert_after(properties, start),
        None => tree.prepend(node, start),
    }
    tree.insert_after(node, end);
}
