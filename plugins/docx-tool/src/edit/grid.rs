//! The grid of a table: which columns the cells of a row cover.

use super::Where;
use crate::marks::{Marks, keep_old};
use crate::props;
use crate::story;
use crate::xml::{Id, Tree};

/// A cell of a row with the columns of the grid that it covers, counted from 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct Covered {
    pub(super) cell: Id,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// Rows with their cells.
pub(super) type Grid = Vec<(Id, Vec<Covered>)>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Merge {
    None,
    Restart,
    Continue,
}

pub(super) fn merge(tree: &Tree, cell: Id) -> Merge {
    let found = tree.child(cell, "tcPr").and_then(|it| tree.child(it, "vMerge"));
    match found {
        None => Merge::None,
        Some(it) if tree.attr(it, "val").as_deref() == Some("restart") => Merge::Restart,
        Some(_) => Merge::Continue,
    }
}

pub(super) fn number(tree: &Tree, properties: Option<Id>, name: &str) -> Option<usize> {
    tree.value(properties?, name)?.parse().ok().filter(|it| *it <= 1_000)
}

/// Returns the cells of a row with the columns that they cover.
pub(super) fn covered(tree: &Tree, row: Id) -> Vec<Covered> {
    let mut at = number(tree, tree.child(row, "trPr"), "gridBefore").unwrap_or(0);
    story::cells(tree, row)
        .into_iter()
        .map(|cell| {
            let span = number(tree, tree.child(cell, "tcPr"), "gridSpan").unwrap_or(1).max(1);
            let start = at;
            at += span;
            Covered { cell, start, end: at }
        })
        .collect()
}

pub(super) fn add_span(tree: &mut Tree, cell: Id, more: isize) {
    let properties = props::ensure(tree, cell, "tcPr");
    let span = number(tree, Some(properties), "gridSpan").unwrap_or(1);
    let span = span.saturating_add_signed(more).max(1);
    props::remove(tree, properties, "gridSpan");
    if span > 1 {
        let element = tree.element(&format!("<w:gridSpan w:val=\"{span}\"/>"));
        props::put(tree, properties, element);
    }
}

/// Adds a column to the grid with half the width of the column beside it.
pub(super) fn split_grid(
    tree: &mut Tree,
    table: Id,
    column: usize,
    side: Where,
    marks: &mut Marks,
) {
    let Some(grid) = tree.child(table, "tblGrid") else { return };
    let found = tree.elements(grid).filter(|&it| tree.is(it, "gridCol")).nth(column);
    let Some(found) = found else { return };
    let old = tree.copy(grid);
    if let Some(width) = tree.attr(found, "w").and_then(|it| it.parse::<u32>().ok()) {
        tree.set_attr(found, "w:w", &(width - width / 2).to_string());
        let new = tree.element(&format!("<w:gridCol w:w=\"{}\"/>", width / 2));
        place(tree, found, side, new);
    } else {
        let new = tree.element("<w:gridCol/>");
        place(tree, found, side, new);
    }
    if marks.is_tracked && tree.child(grid, "tblGridChange").is_none() {
        let id = marks.id();
        let change = tree.element(&format!("<w:tblGridChange w:id=\"{id}\"></w:tblGridChange>"));
        tree.append(change, old);
        tree.append(grid, change);
    }
}

pub(super) fn place(tree: &mut Tree, at: Id, side: Where, new: Id) {
    match side {
        Where::Before => tree.insert_before(at, new),
        Where::After => tree.insert_after(at, new),
    }
}

/// Halves the width of a cell, so that the one beside it has the other half.
pub(super) fn halve_width(tree: &mut Tree, cell: Id, marks: &mut Marks) {
    let Some(properties) = tree.child(cell, "tcPr") else { return };
    let Some(width) = tree.child(properties, "tcW") else { return };
    let value = tree.attr(width, "w").and_then(|it| it.parse::<u32>().ok());
    let is_plain = tree.attr(width, "type").is_none_or(|it| matches!(&*it, "dxa" | "pct"));
    let Some(value) = value.filter(|_| is_plain) else { return };
    if marks.is_tracked {
        let old = tree.copy(properties);
        keep_old(tree, properties, old, marks);
    }
    tree.set_attr(width, "w:w", &(value / 2).to_string());
}
