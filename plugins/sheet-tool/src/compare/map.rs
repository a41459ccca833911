//! Where rows, columns and sheets of the earlier workbook are in the later one.

use crate::book::Book;
use crate::formula::{Becomes, Names, Shape, SheetPrefix, renamed, rewrite};
use crate::refs::{Area, At, MAX_COLUMN, MAX_ROW};

/// New numbers of rows or columns.
#[derive(Debug, Default)]
pub(super) struct Map {
    /// Old and new number, in the order of the old ones.
    pairs: Vec<(u32, u32)>,
    is_same: bool,
}

impl Map {
    pub(super) fn new(mut pairs: Vec<(u32, u32)>) -> Self {
        pairs.sort_unstable();
        let is_same = pairs.iter().all(|it| it.0 == it.1);
        Self { pairs, is_same }
    }

    /// Returns the map from new to old numbers.
    pub(super) fn reversed(&self) -> Self {
        Self::new(self.pairs.iter().map(|it| (it.1, it.0)).collect())
    }

    /// Returns the new number; for one without a pair that which keeps its distance to the pair before it.
    pub(super) fn get(&self, number: u32) -> u32 {
        if self.is_same {
            return number;
        }
        match self.pairs.partition_point(|it| it.0 <= number).checked_sub(1) {
            Some(at) => self.pairs[at].1 + (number - self.pairs[at].0),
            None => number,
        }
    }

    pub(super) fn is_same(&self) -> bool {
        self.is_same
    }

    pub(super) fn pairs(&self) -> &[(u32, u32)] {
        &self.pairs
    }
}

/// A sheet that both workbooks have.
#[derive(Debug, Default)]
pub(super) struct SheetMap {
    pub(super) new: usize,
    pub(super) rows: Map,
    pub(super) columns: Map,
    /// `true` if rows are in another order.
    pub(super) is_sorted: bool,
}

#[derive(Debug, Default)]
pub(super) struct Maps {
    /// By number of the old sheet.
    pub(super) sheets: Vec<Option<SheetMap>>,
    /// Old and new names of sheets.
    pub(super) names: Vec<(String, String)>,
}

impl Maps {
    fn at(&self, sheet: usize, at: At) -> At {
        match self.sheets.get(sheet).and_then(Option::as_ref) {
            Some(map) => At {
                row: map.rows.get(at.row).min(MAX_ROW),
                column: map.columns.get(at.column).min(MAX_COLUMN),
            },
            None => at,
        }
    }

    pub(super) fn area(&self, sheet: usize, area: Area) -> Area {
        let (mut first, mut last) = (self.at(sheet, area.first), self.at(sheet, area.last));
        // Whole columns and rows stay whole.
        if (area.first.row, area.last.row) == (1, MAX_ROW) {
            (first.row, last.row) = (1, MAX_ROW);
        }
        if (area.first.column, area.last.column) == (1, MAX_COLUMN) {
            (first.column, last.column) = (1, MAX_COLUMN);
        }
        Area { first, last }
    }

    /// Returns a formula of the old workbook as it should be in the new one. `sheet` is that of the formula.
    pub(super) fn formula(&self, old: &Book, text: &str, sheet: Option<usize>) -> String {
        let mut out = text.to_owned();
        let moves =
            self.sheets.iter().flatten().any(|it| !it.rows.is_same() || !it.columns.is_same());
        if moves {
            let moved = rewrite(text, |reference| {
                let sheet = match &reference.sheet {
                    SheetPrefix::None => sheet,
                    SheetPrefix::One(name) => old.sheet(name),
                    SheetPrefix::Span(..) => None,
                };
                let Some(sheet) = sheet else { return Becomes::Same };
                let end = |old: At| {
                    let new = self.at(sheet, old);
                    match reference.shape {
                        Shape::Cells => new,
                        Shape::Columns => At { row: old.row, ..new },
                        Shape::Rows => At { column: old.column, ..new },
                    }
                };
                let mut new = reference.clone();
                new.first.at = end(new.first.at);
                if let Some(last) = &mut new.last {
                    last.at = end(last.at);
                }
                Becomes::Other(new)
            });
            out = moved.unwrap_or(out);
        }
        for (old, new) in &self.names {
            out = renamed(&out, old, new).unwrap_or(out);
        }
        out
    }

    /// Returns `true` if no formula changes.
    pub(super) fn is_same(&self) -> bool {
        self.names.is_empty()
            && self.sheets.iter().flatten().all(|it| it.rows.is_same() && it.columns.is_same())
    }
}
