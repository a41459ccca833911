//! What earlier passes made of each sheet: the repetition around each row, its row in the template, and where addresses of
//! the
//! template are now.

use std::collections::BTreeMap;

use super::moves::Moves;
use super::refs::{Area, At};
use super::scope::Scope;
use super::shift::Axis;

/// Most cells that lists write, over all sheets and passes.
pub(super) const MAX_WRITTEN: u64 = 5_000_000;

/// A row that a pass made.
#[derive(Clone, Default)]
pub(super) struct RowLayout<'v> {
    /// Its row in the template.
    pub(super) origin: u32,
    pub(super) scope: Scope<'v>,
}

/// A sheet.
#[derive(Clone, Default)]
pub(super) struct SheetLayout<'v> {
    /// Its name in the template, if it has another one now.
    pub(super) name: Option<String>,
    /// The repetition around all of it.
    pub(super) scope: Scope<'v>,
    /// Rows, once a pass has made them.
    pub(super) rows: BTreeMap<u32, RowLayout<'v>>,
    /// Columns of the template by those of now, once they were repeated.
    pub(super) columns: BTreeMap<u32, u32>,
    pub(super) moves: Vec<(Axis, Moves)>,
    /// `true` if a pass changed it, so that all of its values are new.
    pub(super) is_new: bool,
}

/// All sheets.
pub(super) struct Layout<'v> {
    pub(super) sheets: Vec<SheetLayout<'v>>,
    /// Cells that may still be written.
    pub(super) left: u64,
}

impl<'v> Layout<'v> {
    pub(super) fn new() -> Layout<'v> {
        Layout { sheets: Vec::new(), left: MAX_WRITTEN }
    }

    /// Returns the repetition around a row.
    pub(super) fn scope(&self, sheet: usize, row: u32) -> Scope<'v> {
        let sheet = self.sheets.get(sheet)?;
        match sheet.rows.get(&row) {
            Some(row) => row.scope.clone(),
            None => sheet.scope.clone(),
        }
    }

    /// Returns the repetition around a whole sheet.
    pub(super) fn sheet_scope(&self, sheet: usize) -> Scope<'v> {
        self.sheets.get(sheet)?.scope.clone()
    }

    /// Returns the row of the template from which a row came.
    fn origin(&self, sheet: usize, row: u32) -> u32 {
        let row_layout = self.sheets.get(sheet).and_then(|sheet| sheet.rows.get(&row));
        row_layout.map_or(row, |it| it.origin)
    }

    /// Returns the place of a cell in the template, for messages; `name` is the name of its sheet now.
    pub(super) fn place(&self, sheet: usize, name: &str, at: At) -> String {
        let layout = self.sheets.get(sheet);
        let name = layout.and_then(|it| it.name.as_deref()).unwrap_or(name);
        let column = layout.and_then(|it| it.columns.get(&at.column)).copied();
        let at = At { row: self.origin(sheet, at.row), column: column.unwrap_or(at.column) };
        format!("{name}!{at}")
    }

    /// Returns where an area of the template is now; `None` if it was repeated or removed.
    pub(super) fn now(&self, sheet: usize, area: Area) -> Option<Area> {
        let mut area = area;
        for (axis, moves) in self.sheets.get(sheet).iter().flat_map(|it| &it.moves) {
            let turned = axis.turned(area);
            let is_repeated = moves.repeated(turned).is_some_and(|copies| copies.len() != 1);
            if is_repeated || moves.is_gone(turned) {
                return None;
            }
            area = axis.turned(moves.area(turned));
        }
        Some(area)
    }

    /// Notes what a pass made of a sheet: its rows now, each with its row before and the repetition that it got.
    pub(super) fn made(
        &mut self,
        sheet: usize,
        moves: Moves,
        rows: impl Iterator<Item = (u32, u32, Option<Scope<'v>>)>,
    ) {
        let rows: BTreeMap<u32, RowLayout<'v>> = rows
            .map(|(now, before, scope)| {
                let origin = self.origin(sheet, before);
                let scope = scope.unwrap_or_else(|| self.scope(sheet, before));
                (now, RowLayout { origin, scope })
            })
            .collect();
        let Some(layout) = self.sheets.get_mut(sheet) else { return };
        layout.rows = rows;
        layout.moves.push((Axis::Rows, moves));
        layout.is_new = true;
    }
}
