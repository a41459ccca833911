//! Makes the sheets as they will be. A pass over parts that contain others only copies; the last one fills.

use super::book::plain;
use super::grid::{Cell, Grid, Row};
use super::model::{CellPosition, Content, Maker, OutCell, OutRow, OutSheet};
use super::model_formulas::{Shared, shared_formulas};
use super::pictures::Placed;
use super::placeholder::{Token, spans, tokens};
use super::plan::{BlockPlan, SheetPlan};
use super::refs::At;
use super::rich::rich;
use super::scope::Scope;
use super::shown::{Shown, in_text, shown};
use super::value::{self, CellValue, Odd};
use crate::model::fill_values::FillValue;
use crate::shared::template::format::Format;

impl<'p, 'a, 'v> Maker<'p, 'a, 'v> {
    pub(super) fn sheet(
        &mut self,
        sheet: usize,
        grid: &Grid<'a>,
        plan: &'p SheetPlan<'v>,
    ) -> OutSheet<'a> {
        let shared = shared_formulas(grid);
        let mut out = OutSheet { rows: Vec::new(), changed: !plan.is_nothing() };
        let mut at = 0;
        let mut extra = extra_rows(grid, plan).into_iter().peekable();
        loop {
            let row = grid.rows.get(at);
            let number = match (row, extra.peek()) {
                (None, None) => return out,
                (Some(row), Some(extra)) => row.number.min(*extra),
                (Some(row), None) => row.number,
                (None, Some(extra)) => *extra,
            };
            if plan.moves.is_removed(number) {
                at += usize::from(row.is_some_and(|row| row.number == number));
                extra.next_if_eq(&number);
                continue;
            }
            let index = plan.moves.block(number).unwrap_or(usize::MAX);
            let Some(block) = plan.blocks.get(index) else {
                let row = row.filter(|row| row.number == number);
                at += usize::from(row.is_some());
                extra.next_if_eq(&number);
                let new = plan.moves.first(number);
                let scope = self.layout.scope(sheet, number);
                let made =
                    self.row((sheet, number, new), grid, (row, plan, None), (&shared, scope));
                out.changed |= made.1;
                out.rows.push(made.0);
                continue;
            };
            // All rows of the block in each copy.
            let end = grid.rows[at..].partition_point(|row| row.number <= block.last) + at;
            let scopes: Vec<_> = (0..block.copies() as u32).map(|copy| block.scope(copy)).collect();
            for copy in 0..block.copies() as u32 {
                let mut next = at;
                for number in block.first..=block.last {
                    let row = grid.rows.get(next).filter(|row| row.number == number);
                    next += usize::from(row.is_some());
                    let new = plan.moves.copy(number, copy);
                    if row.is_none() && (block.columns.is_empty() || number != block.first) {
                        continue;
                    }
                    let scope = scopes.get(copy as usize).cloned().flatten();
                    let mut made = self.row(
                        (sheet, number, new),
                        grid,
                        (row, plan, Some((block, copy))),
                        (&shared, scope),
                    );
                    made.0.copy = Some((index, copy));
                    out.rows.push(made.0);
                }
            }
            out.changed = true;
            at = end;
            while extra.next_if(|it| *it <= block.last).is_some() {}
        }
    }

    fn row(
        &mut self,
        (sheet, old, new): (usize, u32, u32),
        grid: &Grid<'a>,
        (row, plan, copy): (Option<&Row<'a>>, &'p SheetPlan<'v>, Option<(&'p BlockPlan<'v>, u32)>),
        (shared, scope): (&Shared, Scope<'v>),
    ) -> (OutRow<'a>, bool) {
        let mut out = OutRow {
            number: new,
            before: old,
            copy: None,
            fresh: copy.is_some_and(|(_, copy)| copy > 0),
            tag: row.map(|row| row.tag),
            rest: row.map_or("", |row| row.rest),
            cells: Vec::with_capacity(row.map_or(0, |row| row.cells.len())),
        };
        let mut changed = old != new;
        let edits =
            plan.edits.range(At { row: old, column: 0 }..=At { row: old, column: u32::MAX });
        let mut given: Vec<(u32, &FillValue)> =
            edits.map(|(at, value)| (at.column, *value)).collect();
        if let Some((block, number)) = copy.filter(|(block, _)| old == block.first) {
            let values = block
                .columns
                .keys()
                .filter_map(|column| Some((*column, block.value(*column, number)?)));
            given.extend(values);
            given.sort_by_key(|it| it.0);
        }
        let mut given = given.into_iter().peekable();
        let moved = copy.and_then(|(_, copy)| {
            let moves = self.shift.moves.get(sheet)?;
            Some((moves.blocks().get(moves.block(old)?)?, copy))
        });
        let place = |column: u32| CellPosition {
            sheet,
            old: At { row: old, column },
            new: At { row: new, column },
            copy: moved,
            scope: scope.clone(),
        };
        for cell in row.iter().flat_map(|row| &row.cells) {
            while let Some((column, value)) = given.next_if(|(column, _)| *column < cell.column) {
                let style = grid.style(At { row: old, column });
                out.cells.push(self.value(&place(column), value, style));
                changed = true;
            }
            let here = place(cell.column);
            if let Some((_, value)) = given.next_if(|(column, _)| *column == cell.column) {
                self.check_overwritten(&here, cell);
                let new_cell = self.value(&here, value, cell.style());
                let is_number = cell.kind() == "n" && !cell.is_empty() && cell.formula().is_none();
                if is_number
                    && matches!(value, FillValue::Text(_))
                    && copy.is_some_and(|(block, _)| block.appends)
                    && !matches!(
                        new_cell.content,
                        Content::Value { cell_value: CellValue::Number(_) | CellValue::Empty, .. }
                    )
                {
                    let place = self.name(&here);
                    self.warnings.add("texts are below numbers or dates", place);
                }
                out.cells.push(new_cell);
                changed = true;
                continue;
            }
            let consumed = plan.consumed.get(&here.old);
            let content = match consumed.filter(|_| self.copies_only) {
                Some(consumed) => self.without_marks(cell, consumed),
                None => self.cell(&here, cell, shared),
            };
            changed |= match &content {
                Content::Same(_) => false,
                Content::Value { .. } => true,
                Content::Formula(formula) => !formula.same,
            };
            out.cells.push(OutCell { column: cell.column, content });
        }
        for (column, value) in given {
            let style = grid.style(At { row: old, column });
            out.cells.push(self.value(&place(column), value, style));
            changed = true;
        }
        (out, changed)
    }

    /// Checks that no cell of a formula that fills several cells at once is overwritten.
    fn check_overwritten(&mut self, place: &CellPosition<'_, '_>, cell: &Cell<'a>) {
        let Some((tag, _)) = cell.formula() else { return };
        let kind = tag.attribute("t").unwrap_or_default();
        if matches!(kind, "array" | "dataTable") {
            let place = self.name(place);
            self.problems.other(format!(
                "{place}: a formula over several cells stands there, which cannot be overwritten"
            ));
        }
    }

    fn value(
        &mut self,
        place: &CellPosition<'_, '_>,
        value: &FillValue,
        style: u32,
    ) -> OutCell<'a> {
        let converted = value::make(value, style, self.styles, self.book.from_1904);
        let content = match converted {
            Ok(converted) => {
                if let Some(odd) = converted.odd {
                    let place = self.name(place);
                    self.warn(odd, place);
                }
                Content::Value { cell_value: converted.cell_value, style: converted.style }
            }
            Err(problem) => {
                let place = self.name(place);
                self.problems.other(format!("{place}: {problem}"));
                Content::Value { cell_value: CellValue::Empty, style }
            }
        };
        OutCell { column: place.new.column, content }
    }

    fn warn(&mut self, odd: Odd, place: String) {
        let what = match odd {
            Odd::LongNumber => "numbers are text whose digits a cell of Excel does not hold",
            Odd::OldDate => "dates before those that Excel has are text",
            Odd::Characters => "control characters are left out",
        };
        self.warnings.add(what, place);
    }

    /// Returns a text without the marks that were followed.
    fn without_marks(&self, cell: &Cell<'a>, consumed: &[usize]) -> Content<'a> {
        let Some(item) = self.templates.of(cell) else { return Content::Same(*cell) };
        let (whole, _) = plain(item);
        let all = spans(&whole);
        let marks = all.iter().enumerate().filter(|(at, _)| consumed.contains(at));
        let gone: Vec<_> = marks.map(|(_, it)| (it.start, it.end, String::new())).collect();
        let cell_value = if gone.len() == all.len() {
            CellValue::Empty
        } else {
            CellValue::Rich(rich(item, &gone))
        };
        Content::Value { cell_value, style: cell.style() }
    }

    fn cell(
        &mut self,
        place: &CellPosition<'p, 'v>,
        cell: &Cell<'a>,
        shared: &Shared,
    ) -> Content<'a> {
        if let Some((tag, text)) = cell.formula() {
            return self.formula(place, cell, (tag, text), shared);
        }
        // Cells of a new copy keep their format; other content comes only from the list.
        if place.is_appended() {
            return Content::Value { cell_value: CellValue::Empty, style: cell.style() };
        }
        let template = self.templates.of(cell).filter(|_| !self.copies_only);
        let Some(item) = template else { return Content::Same(*cell) };
        let (text, is_rich) = plain(item);
        let parts = tokens(&text);
        let name = self.name(place);
        if let [Token::Value(mark)] = parts[..] {
            return match shown(self.values, mark, &place.scope, (&name, self.problems), true) {
                Some(Shown::Value(value, format)) => {
                    self.formatted(place, &value, format.as_ref(), cell.style())
                }
                Some(Shown::Picture(picture)) => {
                    let (sheet, at) = (place.sheet, place.new);
                    self.pictures.extend(picture.map(|picture| Placed {
                        sheet,
                        at,
                        picture,
                        place: name,
                    }));
                    Content::Value { cell_value: CellValue::Empty, style: cell.style() }
                }
                // This was reported already.
                None => Content::Value { cell_value: CellValue::Empty, style: cell.style() },
            };
        }
        let cell_value = if is_rich {
            let spans = spans(&text);
            let new = spans.iter().filter(|it| !matches!(it.token, Token::Text(_)));
            let new: Vec<_> = new
                .map(|it| (it.start, it.end, self.text(&it.token, &place.scope, &name)))
                .collect();
            Ok(CellValue::Rich(rich(item, &new)))
        } else {
            let all = parts.iter().map(|token| self.text(token, &place.scope, &name));
            value::text(&all.collect::<String>())
        };
        let cell_value = cell_value.unwrap_or_else(|problem| {
            self.problems.other(format!("{name}: {problem}"));
            CellValue::Empty
        });
        Content::Value { cell_value, style: cell.style() }
    }

    /// Returns a value in the format of its placeholder. A number and a date keep their type, and the cell shows the format.
    fn formatted(
        &mut self,
        place: &CellPosition<'p, 'v>,
        value: &FillValue,
        format: Option<&Format<'_>>,
        style: u32,
    ) -> Content<'a> {
        let Some(format) = format else { return self.value(place, value, style).content };
        if let Some((value, code)) = value::typed(value, format, self.book.from_1904) {
            let style = self.styles.with_code(style, &code);
            return self.value(place, &value, style).content;
        }
        if matches!(value, FillValue::Number(_) | FillValue::Date(_)) {
            let name = self.name(place);
            self.warnings.add("values are text, because a cell does not show their format", name);
        }
        let text = FillValue::Text(format.write(value).unwrap_or_default());
        match value::text(text.as_text().unwrap_or_default()) {
            Ok(cell_value) => Content::Value { cell_value, style },
            Err(problem) => {
                let name = self.name(place);
                self.problems.other(format!("{name}: {problem}"));
                Content::Value { cell_value: CellValue::Empty, style }
            }
        }
    }

    /// Returns the text for a placeholder; empty for marks.
    pub(super) fn text(&mut self, token: &Token<'_>, scope: &Scope<'v>, place: &str) -> String {
        match token {
            Token::Text(text) => (*text).to_owned(),
            Token::Value(mark) => in_text(self.values, mark, scope, (place, self.problems)),
            _ => String::new(),
        }
    }
}

/// Returns rows that get values and are not in the part.
fn extra_rows(grid: &Grid<'_>, plan: &SheetPlan<'_>) -> Vec<u32> {
    let edits = plan.edits.keys().map(|at| at.row);
    let blocks =
        plan.blocks.iter().filter(|block| !block.columns.is_empty()).map(|block| block.first);
    let mut rows: Vec<u32> = edits.chain(blocks).filter(|row| grid.row(*row).is_none()).collect();
    rows.sort_unstable();
    rows.dedup();
    rows
}
