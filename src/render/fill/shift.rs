//! Moves references after rows have moved: in formulas, in lists of areas, in addresses within a workbook.
//!
//! A reference from outside grows with the rows that it names. Within a repeated row, a relative reference to a row of the
//! same block, or to the rows right above it, follows its copy as when a formula is filled down; a fixed one (`$`) refers to
//! all copies.

use super::book::Book;
use super::formula::{self, Becomes, Reference, ReferenceEnd, Shape};
use super::moves::{Block, Moves};
use super::refs::{self, Area, At};

/// The moves of all sheets.
pub(super) struct Shift<'p> {
    pub(super) book: &'p Book,
    pub(super) moves: Vec<&'p Moves>,
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
}

/// Warnings about a formula.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Remarks {
    /// `true` if it names some of several rows that are repeated together.
    pub(super) splits: bool,
    /// `true` if it names one cell of repeated rows.
    pub(super) first_only: bool,
}

impl<'p> Shift<'p> {
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
        let (out, _) = formula::rewrite(text, |mut reference| {
            reference.summed |= from.grows;
            let sheet = self.target(&reference, from);
            let Some(moves) = sheet.and_then(|sheet| self.moves.get(sheet)) else {
                return Becomes::Same;
            };
            if reference.shape == Shape::Columns || moves.is_nothing() && from.copy.is_none() {
                return Becomes::Same;
            }
            // In another sheet, rows that repeat the same list are followed.
            let copy = from.copy.and_then(|(block, copy)| {
                let twin = match sheet == from.sheet {
                    true => moves.block(block.first),
                    false => moves.blocks().iter().position(|it| {
                        it.list == block.list
                            && it.copies == block.copies
                            && it.height() == block.height()
                    }),
                };
                Some((moves.blocks().get(twin?)?, copy))
            });
            Becomes::Other(moved(reference, moves, copy, &mut remarks))
        });
        (out, remarks)
    }

    /// Returns a list of areas of a sheet, in the form of `sqref`.
    pub(super) fn areas(&self, text: &str, sheet: usize) -> Option<String> {
        let moves = self.moves.get(sheet).filter(|moves| !moves.is_nothing())?;
        let mut all = Vec::new();
        for part in text.split_ascii_whitespace() {
            match refs::area(part) {
                Some(area) => all.extend(moves.areas(area).iter().map(Area::to_string)),
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
        let new = moves.area(area);
        (!fixed).then(|| match text.contains(':') {
            // Some readers expect both ends, even if they are equal.
            true => format!("{}:{}", new.first, new.last),
            false => new.to_string(),
        })
    }

    /// Returns one cell of a sheet.
    pub(super) fn cell(&self, text: &str, sheet: usize) -> Option<String> {
        let moves = self.moves.get(sheet).filter(|moves| !moves.is_nothing())?;
        let at = refs::cell(text)?;
        Some(At { row: moves.first(at.row), ..at }.to_string())
    }
}

fn moved(
    reference: Reference,
    moves: &Moves,
    copy: Option<(&Block, u32)>,
    remarks: &mut Remarks,
) -> Reference {
    let (first, last) = (reference.first, reference.last);
    let own = |row: u32| copy.filter(|(block, _)| (block.first..=block.last).contains(&row));
    // A row of the copy before is right above, in the order of the new rows.
    let above = |row: u32| {
        let (block, copy) = copy.filter(|(block, copy)| *copy > 0 && row < block.first)?;
        let distance = moves.first(block.first).checked_sub(moves.first(row))?;
        let near = (1..=block.height()).contains(&distance) && !moves.is_removed(row);
        near.then(|| moves.copy(block.first, copy) - distance)
    };
    let relative = |end: &ReferenceEnd| match own(end.at.row) {
        Some((_, copy)) => Some(moves.copy(end.at.row, copy)),
        None => above(end.at.row),
    };
    let at = |end: ReferenceEnd, row: u32| ReferenceEnd {
        at: At { row: row.min(refs::MAX_ROW), ..end.at },
        ..end
    };
    match last {
        None => {
            let row = first.at.row;
            if !first.fixed_row
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
            let start = if top.fixed_row { None } else { relative(&top) };
            let end = if bottom.fixed_row { None } else { relative(&bottom) };
            let start = start.unwrap_or_else(|| moves.first(top.at.row));
            let end = end.unwrap_or_else(|| moves.last(bottom.at.row)).max(start);
            Reference { first: at(top, start), last: Some(at(bottom, end)), ..reference }
        }
    }
}
