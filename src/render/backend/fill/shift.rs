//! Moves references after rows have moved: in formulas, in lists of areas, in addresses within a workbook.
//!
//! A reference from outside grows with the rows that it names. Within a repeated row, a relative reference to a row of the
//! same block, or to the rows right above it, follows its copy as when a formula is filled down; a fixed one (`$`) refers to
//! all copies. In a group, which contains rows that are repeated in turn, every reference to the group means its own copy.
//!
//! All of this is said of rows. Where columns are repeated, references are turned before and after.

use super::book::Book;
use std::cell::Cell;

use super::formula::{self, Becomes, Enclosing, Reference, ReferenceEnd, Shape};
use super::moves::{Block, Moves};
use super::refs::{self, Area, At};

/// Most references that one becomes where a function sums one row of each group: functions have at most 255 arguments.
pub(super) const MAX_PARTS: u32 = 250;

/// What moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Axis {
    #[default]
    Rows,
    Columns,
}

impl Axis {
    fn most(self) -> u32 {
        match self {
            Axis::Rows => refs::MAX_ROW,
            Axis::Columns => refs::MAX_COLUMN,
        }
    }

    /// Returns an area with that which moves as its rows.
    pub(super) fn turned(self, area: Area) -> Area {
        match self {
            Axis::Rows => area,
            Axis::Columns => area.transposed(),
        }
    }

    fn of(self, reference: Reference) -> Reference {
        match self {
            Axis::Rows => reference,
            Axis::Columns => reference.transposed(),
        }
    }
}

/// The moves of all sheets.
pub(super) struct Shift<'p> {
    pub(super) book: &'p Book,
    pub(super) moves: Vec<&'p Moves>,
    pub(super) axis: Axis,
    /// References of names and charts whose rows disappeared.
    pub(super) lost: Cell<usize>,
    /// Names, charts and rules that cover more rows of groups than before.
    pub(super) widened: Cell<usize>,
}

/// Context of a formula.
#[derive(Clone, Copy, Default)]
pub(super) struct From<'p> {
    /// Its sheet, for references that name none.
    pub(super) sheet: Option<usize>,
    /// The block and the copy that contain it.
    pub(super) copy: Option<(&'p Block, u32)>,
    /// `true` if one cell of a repeated row stands for all of its copies, as in charts.
    pub(super) grows: bool,
    /// `true` if it is the formula of a cell.
    pub(super) is_cell: bool,
    /// `true` if it may list several areas, as names do.
    pub(super) is_list: bool,
}

/// Warnings about a formula.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Remarks {
    /// `true` if it names some of several rows that are repeated together.
    pub(super) splits: bool,
    /// `true` if it names one cell of repeated rows.
    pub(super) first_only: bool,
    /// `true` if it names parts of groups.
    pub(super) changes: bool,
    /// `true` if it would name one row of more groups than a function has arguments.
    pub(super) too_many: bool,
    /// `true` if it names cells of rows that disappeared, which count as zero.
    pub(super) zero: bool,
    /// `true` if it names cells that disappeared where nothing can stand for them.
    pub(super) lost: bool,
}

impl<'p> Shift<'p> {
    pub(super) fn new(book: &'p Book, moves: Vec<&'p Moves>, axis: Axis) -> Shift<'p> {
        Shift { book, moves, axis, lost: Cell::new(0), widened: Cell::new(0) }
    }

    pub(super) fn is_nothing(&self) -> bool {
        self.moves.iter().all(|it| it.is_nothing())
    }

    /// Returns the sheet to which a reference leads.
    pub(super) fn target(&self, reference: &Reference, from: From<'_>) -> Option<usize> {
        match &reference.sheet {
            Some(name) => self.book.sheet(name),
            None => from.sheet,
        }
    }

    /// Returns the new formula; `None` if nothing of it changes.
    pub(super) fn formula(&self, text: &str, from: From<'_>) -> (Option<String>, Remarks) {
        let mut remarks = Remarks::default();
        let mut count = 0_u32;
        let (out, _) = formula::rewrite(text, |mut reference| {
            reference.summed |= from.grows;
            if from.grows || from.is_list {
                reference.enclosing = Enclosing::Many;
            }
            let sheet = self.target(&reference, from);
            let Some(moves) = sheet.and_then(|sheet| self.moves.get(sheet)) else {
                return Becomes::Same;
            };
            let reference = self.axis.of(reference);
            if reference.shape == Shape::Columns || moves.is_nothing() && from.copy.is_none() {
                return Becomes::Same;
            }
            // In another sheet, rows that repeat the same list are followed.
            let copy = from.copy.and_then(|(block, copy)| {
                let twin = if sheet == from.sheet {
                    moves.block(block.first)
                } else {
                    moves.blocks().iter().position(|it| {
                        it.list == block.list
                            && it.copies == block.copies
                            && it.height() == block.height()
                    })
                };
                Some((moves.blocks().get(twin?)?, copy))
            });
            if let Some(gone) = self.dropped(&reference, moves, from, &mut remarks) {
                return gone;
            }
            let wanted = |block: &Block| block.is_group || !from.is_list;
            if let Some(parts) = parts(&reference, moves, copy, wanted) {
                count = count.saturating_add(parts.len() as u32);
                if count <= MAX_PARTS {
                    remarks.changes = true;
                    return Becomes::Many(parts.into_iter().map(|it| self.axis.of(it)).collect());
                }
                remarks.too_many = true;
            }
            let moved = moved(reference, moves, copy, &mut remarks, self.axis.most());
            Becomes::Other(self.axis.of(moved))
        });
        if !from.is_cell && (remarks.splits || remarks.too_many) {
            self.widened.set(self.widened.get() + 1);
        }
        // A series of a chart takes several areas in brackets.
        let out = match out {
            Some(out) if from.grows && count > 1 && !out.starts_with('(') => {
                Some(format!("({out})"))
            }
            out => out,
        };
        (out, remarks)
    }

    /// Returns what becomes of a reference whose rows all disappeared with their content.
    fn dropped(
        &self,
        reference: &Reference,
        moves: &Moves,
        from: From<'_>,
        remarks: &mut Remarks,
    ) -> Option<Becomes> {
        let area = reference.area();
        if !moves.is_gone(area) || !moves.drops(area.first.row, area.last.row) {
            return None;
        }
        if !from.is_cell {
            self.lost.set(self.lost.get() + 1);
            return Some(Becomes::Lost);
        }
        let counts = match reference.enclosing {
            Enclosing::Sum => true,
            Enclosing::Other => area.is_cell(),
            Enclosing::Single | Enclosing::Many => false,
        };
        remarks.zero |= counts;
        remarks.lost |= !counts;
        Some(Becomes::Zero)
    }

    /// Returns a list of areas of a sheet, in the form of `sqref`; empty if all of them disappeared.
    pub(super) fn areas(&self, text: &str, sheet: usize) -> Option<String> {
        let moves = self.moves.get(sheet).filter(|moves| !moves.is_nothing())?;
        let mut all = Vec::new();
        for part in text.split_ascii_whitespace() {
            match refs::area(part) {
                Some(area) => {
                    let turned = self.axis.turned(area);
                    let areas = moves.areas(turned);
                    if areas.len() == 1 && moves.splits(turned.first.row, turned.last.row) {
                        self.widened.set(self.widened.get() + 1);
                    }
                    all.extend(areas.iter().map(|area| self.axis.turned(*area).to_string()));
                }
                None => {
                    let from = From { sheet: Some(sheet), ..From::default() };
                    all.push(self.formula(part, from).0.unwrap_or(part.into()));
                }
            }
        }
        Some(all.join(" "))
    }

    /// Returns one area of a sheet.
    pub(super) fn area(&self, text: &str, sheet: usize) -> Option<String> {
        let moves = self.moves.get(sheet).filter(|moves| !moves.is_nothing())?;
        let area = refs::area(text)?;
        let fixed = text.contains('$');
        let new = self.axis.turned(moves.area(self.axis.turned(area)));
        // Some readers expect both ends of an area, even if they are equal.
        let is_area = text.contains(':');
        let new = if is_area { format!("{}:{}", new.first, new.last) } else { new.to_string() };
        (!fixed).then_some(new)
    }

    /// Returns one cell of a sheet.
    pub(super) fn cell(&self, text: &str, sheet: usize) -> Option<String> {
        let moves = self.moves.get(sheet).filter(|moves| !moves.is_nothing())?;
        let at = refs::cell(text)?;
        let at = self.axis.turned(Area { first: at, last: at }).first;
        let at = At { row: moves.first(at.row), ..at };
        Some(self.axis.turned(Area { first: at, last: at }).first.to_string())
    }
}

/// Returns the part of each group that a reference from outside names, if it is an argument of a function that takes many.
fn parts(
    reference: &Reference,
    moves: &Moves,
    copy: Option<(&Block, u32)>,
    wanted: impl Fn(&Block) -> bool,
) -> Option<Vec<Reference>> {
    if !matches!(reference.enclosing, Enclosing::Sum | Enclosing::Many)
        || reference.shape != Shape::Cells
    {
        return None;
    }
    let area = reference.area();
    let block = moves.blocks().get(moves.block(area.first.row)?)?;
    let (top, bottom) = (area.first.row, area.last.row);
    let is_own = copy.is_some_and(|(own, _)| own == block);
    let is_part = bottom <= block.last && bottom - top + 1 < block.height();
    if is_own || !is_part || block.copies < 2 || block.appends || !wanted(block) {
        return None;
    }
    if !block.is_group && block.copies > MAX_PARTS {
        return None;
    }
    let at = |end: ReferenceEnd, row: u32, copy: u32| ReferenceEnd {
        at: At { row: moves.copy(row, copy), ..end.at },
        ..end
    };
    let one = |copy: u32| {
        let first = at(reference.first, reference.first.at.row, copy);
        let last = reference.last.map(|end| at(end, end.at.row, copy));
        Reference { first, last, ..reference.clone() }
    };
    Some((0..block.copies.min(MAX_PARTS + 1)).map(one).collect())
}

fn moved(
    reference: Reference,
    moves: &Moves,
    copy: Option<(&Block, u32)>,
    remarks: &mut Remarks,
    most: u32,
) -> Reference {
    let (first, last) = (reference.first, reference.last);
    let own = |row: u32| copy.filter(|(block, _)| (block.first..=block.last).contains(&row));
    // A row of the copy before is right above, in the order of the new rows.
    let above = |row: u32| {
        let above = |(block, copy): &(&Block, u32)| *copy > 0 && row < block.first;
        let (block, copy) = copy.filter(above).filter(|(block, _)| !block.is_group)?;
        let distance = moves.first(block.first).checked_sub(moves.first(row))?;
        let near = (1..=block.height()).contains(&distance) && !moves.is_removed(row);
        near.then(|| moves.copy(block.first, copy) - distance)
    };
    let relative = |end: &ReferenceEnd| match own(end.at.row) {
        Some((_, copy)) => Some(moves.copy(end.at.row, copy)),
        None => above(end.at.row),
    };
    let at = |end: ReferenceEnd, row: u32| ReferenceEnd {
        at: At { row: row.min(most), ..end.at },
        ..end
    };
    match last {
        None => {
            let row = first.at.row;
            let is_group = own(row).is_some_and(|(block, _)| block.is_group);
            if (!first.fixed_row || is_group)
                && let Some(new) = relative(&first)
            {
                return Reference { first: at(first, new), ..reference };
            }
            let block = moves.block(row).and_then(|at| moves.blocks().get(at));
            let many = block.is_some_and(|block| block.copies > 1 && !block.appends);
            if many && reference.summed {
                remarks.splits |= moves.splits(row, row);
                let (top, bottom) = (at(first, moves.first(row)), at(first, moves.last(row)));
                return Reference { first: top, last: Some(bottom), ..reference };
            }
            remarks.first_only |= many;
            Reference { first: at(first, moves.first(row)), ..reference }
        }
        Some(last) => {
            let (mut top, mut bottom) = (first, last);
            if top.at.row > bottom.at.row {
                (top.at.row, bottom.at.row) = (bottom.at.row, top.at.row);
                (top.fixed_row, bottom.fixed_row) = (bottom.fixed_row, top.fixed_row);
            }
            let inner = own(top.at.row).is_some() || own(bottom.at.row).is_some();
            remarks.splits |= !inner && moves.splits(top.at.row, bottom.at.row);
            let follows = |end: &ReferenceEnd| {
                !end.fixed_row || own(end.at.row).is_some_and(|(block, _)| block.is_group)
            };
            let start = if follows(&top) { relative(&top) } else { None };
            let end = if follows(&bottom) { relative(&bottom) } else { None };
            let start = start.unwrap_or_else(|| moves.first(top.at.row));
            let end = end.unwrap_or_else(|| moves.last(bottom.at.row)).max(start);
            Reference { first: at(top, start), last: Some(at(bottom, end)), ..reference }
        }
    }
}
