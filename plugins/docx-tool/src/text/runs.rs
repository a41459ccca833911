//! Runs: new ones, their splitting, and the marks of changes around them.

use crate::marks::Marks;
use crate::xml::{Id, Ns, Tree, escape};

/// Writes text as the content of a run.
pub(crate) fn run_xml(text: &str, is_deleted: bool) -> String {
    let mut out = String::new();
    let name = if is_deleted { "delText" } else { "t" };
    let push = |out: &mut String, part: &str| {
        if !part.is_empty() {
            let space = if needs_space(part) { " xml:space=\"preserve\"" } else { "" };
            out.push_str(&format!("<w:{name}{space}>{}</w:{name}>", escape(part)));
        }
    };
    let text = text.replace("\r\n", "\n");
    let mut start = 0;
    for (at, it) in text.char_indices() {
        let element = match it {
            '\t' => "<w:tab/>",
            '\n' | '\r' | '\u{b}' => "<w:br/>",
            '\u{2011}' => "<w:noBreakHyphen/>",
            '\u{ad}' => "<w:softHyphen/>",
            _ => continue,
        };
        push(&mut out, &text[start..at]);
        out.push_str(element);
        start = at + it.len_utf8();
    }
    push(&mut out, &text[start..]);
    out
}

fn needs_space(text: &str) -> bool {
    text.starts_with(char::is_whitespace) || text.ends_with(char::is_whitespace)
}

pub(super) fn set_run_text(tree: &mut Tree, node: Id, text: &str) {
    tree.set_text(node, text);
    if needs_space(text) {
        tree.set_attr(node, "xml:space", "preserve");
    }
}

/// Makes a run with the formatting of `like`, a run or the properties of a paragraph's mark.
pub(crate) fn new_run(tree: &mut Tree, like: Option<Id>, text: &str) -> Id {
    let run = tree.element(&format!("<w:r>{}</w:r>", run_xml(text, false)));
    let properties =
        like.and_then(|it| if tree.is(it, "rPr") { Some(it) } else { tree.child(it, "rPr") });
    if let Some(properties) = properties {
        let copy = tree.copy(properties);
        for name in ["ins", "del", "moveFrom", "moveTo", "rPrChange"] {
            crate::props::remove(tree, copy, name);
        }
        if tree.elements(copy).next().is_some() {
            tree.prepend(run, copy);
        }
    }
    run
}

/// Splits a run in front of one of its children. Returns the second run.
pub(super) fn split_run(tree: &mut Tree, run: Id, at: Id, marks: &mut Marks) -> Id {
    let second = tree.copy_shallow(run);
    tree.insert_after(run, second);
    if let Some(properties) = tree.child(run, "rPr") {
        let copy = tree.copy(properties);
        // Two changes of formatting with one id would be one change.
        if let Some(change) = tree.child(copy, "rPrChange") {
            tree.set_attr(change, "w:id", &marks.id().to_string());
        }
        tree.append(second, copy);
    }
    let mut next = Some(at);
    while let Some(node) = next {
        next = tree.next(node);
        tree.append(second, node);
    }
    second
}

/// Splits `w:t` at a byte of its text. Returns the second element.
pub(super) fn split_text(tree: &mut Tree, node: Id, text: &str, at: usize) -> Id {
    let second = tree.copy_shallow(node);
    tree.insert_after(node, second);
    set_run_text(tree, second, &text[at..]);
    set_run_text(tree, node, &text[..at]);
    second
}

pub(super) fn has_special(text: &str) -> bool {
    text.contains(['\t', '\n', '\r', '\u{b}', '\u{2011}', '\u{ad}'])
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Before,
    After,
}

/// Puts an inserted run beside a node of the paragraph. Inside of an insertion by the same author it needs no mark; that of
/// another author is split around it.
pub(crate) fn insert_run(tree: &mut Tree, place: Id, run: Id, side: Side, marks: &mut Marks) {
    let put = |tree: &mut Tree, place: Id, new: Id| match side {
        Side::Before => tree.insert_before(place, new),
        Side::After => tree.insert_after(place, new),
    };
    let around = if marks.is_tracked { insertion_around(tree, place) } else { None };
    match around {
        Some(mark) if tree.is(mark, "ins") && marks.is_own(tree, mark) => put(tree, place, run),
        Some(mark) if tree.parent(place) == Some(mark) => {
            let first_moved = match side {
                Side::Before => Some(place),
                Side::After => tree.next(place),
            };
            if let Some(first) = first_moved {
                let second = tree.copy_shallow(mark);
                tree.set_attr(second, "w:id", &marks.id().to_string());
                tree.insert_after(mark, second);
                let mut next = Some(first);
                while let Some(node) = next {
                    next = tree.next(node);
                    tree.append(second, node);
                }
            }
            let new = inserted(tree, run, marks);
            tree.insert_after(mark, new);
            if tree.first(mark).is_none() {
                tree.detach(mark);
            }
        }
        _ => {
            let new = inserted(tree, run, marks);
            put(tree, place, new);
        }
    }
}

/// Returns the innermost insertion around a node of a paragraph.
fn insertion_around(tree: &Tree, node: Id) -> Option<Id> {
    tree.ancestors(node)
        .take_while(|&it| !tree.is(it, "p"))
        .find(|&it| tree.is(it, "ins") || tree.is(it, "moveTo"))
}

/// Returns the run in the mark of an insertion, or alone if changes are not tracked.
pub(crate) fn inserted(tree: &mut Tree, run: Id, marks: &mut Marks) -> Id {
    if !marks.is_tracked {
        return run;
    }
    let mark = marks.element(tree, "ins");
    tree.append(mark, run);
    mark
}

/// Marks a whole run as deleted by Word's rules: an own insertion goes at once, that of another author gets a deletion
/// in it. Without tracking the run goes.
pub(crate) fn delete_run(tree: &mut Tree, run: Id, marks: &mut Marks) {
    delete_run_as(tree, run, "del", marks);
}

/// Does what [`delete_run`] does with another mark: `del` or `moveFrom`.
pub(crate) fn delete_run_as(tree: &mut Tree, run: Id, mark_name: &str, marks: &mut Marks) {
    let is_deleted = tree
        .ancestors(run)
        .take_while(|&it| !tree.is(it, "p"))
        .any(|it| tree.is(it, "del") || tree.is(it, "moveFrom"));
    if is_deleted {
        return;
    }
    let own =
        insertion_around(tree, run).filter(|&it| tree.is(it, "ins") && marks.is_own(tree, it));
    if !marks.is_tracked || own.is_some() {
        let parent = tree.parent(run);
        tree.detach(run);
        if let Some(parent) = parent {
            tidy(tree, parent);
        }
        return;
    }
    if mark_name == "del" {
        mark_text_deleted(tree, run, true);
    }
    let joined = tree.previous(run).filter(|&it| tree.is(it, mark_name) && marks.is_same(tree, it));
    match joined {
        Some(mark) => tree.append(mark, run),
        None => {
            let mark = marks.element(tree, mark_name);
            tree.wrap(run, mark);
        }
    }
}

/// Renames the texts of a run: those of deleted runs have another name.
pub(crate) fn mark_text_deleted(tree: &mut Tree, top: Id, is_deleted: bool) {
    let names = [("t", "delText"), ("instrText", "delInstrText")];
    let mut found = Vec::new();
    let mut below = tree.descendants(top);
    while let Some(node) = below.next() {
        // Texts of text boxes are texts of other paragraphs.
        if tree.is(node, "txbxContent") {
            below.skip_children();
            continue;
        }
        for (normal, deleted) in names {
            let (from, to) = if is_deleted { (normal, deleted) } else { (deleted, normal) };
            if tree.is(node, from) {
                found.push((node, to));
            }
        }
    }
    for (node, name) in found {
        tree.rename(node, name);
    }
}

/// Removes a run that has no content any more.
pub(super) fn tidy_run(tree: &mut Tree, run: Id) {
    let is_empty =
        tree.elements(run).all(|it| tree.is(it, "rPr") || tree.is(it, "lastRenderedPageBreak"));
    if is_empty && let Some(parent) = tree.parent(run) {
        tree.detach(run);
        tidy(tree, parent);
    }
}

/// Removes an element around runs that has no content any more.
fn tidy(tree: &mut Tree, mut container: Id) {
    while matches!(
        tree.name(container),
        "ins" | "del" | "moveFrom" | "moveTo" | "hyperlink" | "smartTag" | "fldSimple"
    ) && tree.elements(container).all(|it| tree.is(it, "smartTagPr"))
    {
        let Some(parent) = tree.parent(container) else { return };
        tree.detach(container);
        container = parent;
    }
}

/// Returns `true` for a paragraph with nothing in it that a reader sees: no run, no object, no equation.
pub(crate) fn is_empty(tree: &Tree, paragraph: Id) -> bool {
    !tree.descendants(paragraph).any(|it| {
        tree.ns(it) == Ns::M
            || tree.ns(it) == Ns::Mc
            || (tree.is(it, "r") && tree.elements(it).any(|it| !tree.is(it, "rPr")))
    })
}
