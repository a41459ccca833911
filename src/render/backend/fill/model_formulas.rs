//! Formulas of cells at their new positions.

use std::collections::HashMap;

use super::book::encoded;
use super::formula::translated;
use super::grid::{Cell, Grid};
use super::model::{Cached, CellPosition, Content, Formula, Maker};
use super::placeholder::{Token, spans};
use super::refs::At;
use super::scope::Scope;
use super::shift::{Axis, From, Remarks};
use crate::shared::xml_tokens::{Tag, XmlToken, xml_tokens};

/// Most characters of a formula.
const MAX_FORMULA: usize = 8_192;

impl<'p, 'a, 'v> Maker<'p, 'a, 'v> {
    pub(super) fn formula(
        &mut self,
        place: &CellPosition<'p, 'v>,
        cell: &Cell<'a>,
        (tag, text): (Tag<'a>, String),
        shared: &Shared,
    ) -> Content<'a> {
        let kind = tag.attribute("t").unwrap_or_default();
        let mut open = tag.raw.replace("/>", ">");
        let mut text = text;
        let mut same = true;
        if kind == "shared" {
            // Cells that share a formula may be separated.
            let (of, shift) = (tag.number("si"), self.shift.is_nothing());
            if let Some((at, first)) = of.and_then(|of| shared.get(&of)) {
                let rows = i64::from(place.old.row) - i64::from(at.row);
                let columns = i64::from(place.old.column) - i64::from(at.column);
                text = translated(first, rows, columns);
            }
            // Written on its own only in sheets that change anyway.
            open = crate::shared::xml_tokens::without_attributes(&open, &["t", "si", "ref"]);
            same = shift && place.copy.is_none() && place.old == place.new;
        }
        let from =
            From { sheet: Some(place.sheet), copy: place.copy, is_cell: true, ..From::default() };
        if matches!(kind, "array" | "dataTable") {
            same &= self.filling(place, (kind, &mut open), place.copy.is_some());
        }
        let names = super::plan::formula_tokens(&text);
        if !names.is_empty() && !place.is_appended() && !self.copies_only {
            let name = self.name(place);
            text = self.in_quotes(&text, &place.scope, &name);
            same = false;
        }
        let (moved, remarks) = self.shift.formula(&text, from);
        if let Some(moved) = moved {
            text = moved;
            same = false;
        }
        if remarks.splits {
            let place = self.name(place);
            self.warnings
                .add("formulas name only some of the rows that are repeated together", place);
        }
        if remarks.first_only {
            let place = self.name(place);
            self.warnings.add(
                "formulas name one cell of repeated rows, which is now that of the first",
                place,
            );
        }
        if remarks.zero {
            let place = self.name(place);
            self.warnings.add(
                "formulas name cells of rows that a condition removed, which count as 0",
                place,
            );
        }
        self.refused(place, &text, remarks);
        let result = Cached::Kept;
        let shared = kind == "shared";
        Content::Formula(Box::new(Formula { cell: *cell, tag: open, text, same, shared, result }))
    }

    /// Records what a formula cannot become.
    fn refused(&mut self, place: &CellPosition<'_, '_>, text: &str, remarks: Remarks) {
        let too_many = remarks.too_many || remarks.changes && text.chars().count() > MAX_FORMULA;
        if !too_many && !remarks.lost {
            return;
        }
        let name = self.book.sheets.get(place.sheet).map_or("", |it| it.name.as_str());
        let name = self.layout.place(place.sheet, name, place.old);
        if too_many {
            self.problems.other(format!("{name}: the formula would name one row of more groups than a formula can; write `SUBTOTAL(9, …)` in the groups and over all of their rows, or a placeholder such as `{{{{sum(orders.total)}}}}`"));
        }
        if remarks.lost {
            self.problems.other(format!("{name}: the formula names cells of rows that a condition removes; name a range that contains other rows too, or put the formula into the condition"));
        }
    }

    /// Returns a formula that fills several cells. Its area moves as a whole or not at all.
    fn filling(
        &mut self,
        place: &CellPosition<'_, '_>,
        (kind, open): (&str, &mut String),
        in_block: bool,
    ) -> bool {
        let Some(XmlToken::Tag(tag)) = xml_tokens(open).next() else { return true };
        let Some(area) = tag.attribute("ref").and_then(super::refs::area) else { return true };
        let Some(moves) = self.shift.moves.get(place.sheet) else { return true };
        let turned = self.shift.axis.turned(area);
        let within = (turned.first.row..=turned.last.row)
            .any(|row| moves.block(row).is_some() || moves.is_removed(row));
        let is_flat = turned.rows() == 1;
        let moves_at_all = !self.shift.is_nothing();
        if (within && !(is_flat && in_block && kind == "array"))
            || (kind == "dataTable" && moves_at_all)
        {
            let place = self.name(place);
            let what = if kind == "array" {
                "an array formula over several rows"
            } else {
                "a table of what-if values"
            };
            self.problems.other(format!(
                "{place}: {what} cannot go along when {} are repeated",
                if self.shift.axis == Axis::Rows { "rows" } else { "columns" }
            ));
            return true;
        }
        let [down, right] = [
            i64::from(place.new.row) - i64::from(place.old.row),
            i64::from(place.new.column) - i64::from(place.old.column),
        ];
        let moved = |at: At| At {
            row: u32::try_from(i64::from(at.row) + down).unwrap_or(at.row),
            column: u32::try_from(i64::from(at.column) + right).unwrap_or(at.column),
        };
        let new = super::refs::Area { first: moved(area.first), last: moved(area.last) };
        let changed = crate::shared::xml_tokens::set_attribute(open, "ref", &new.to_string());
        let same = down == 0 && right == 0;
        if !same {
            *open = changed;
        }
        same
    }

    /// Fills placeholders in the strings of a formula. The strings stay closed.
    fn in_quotes(&mut self, formula: &str, scope: &Scope<'v>, place: &str) -> String {
        let mut out = String::new();
        let mut in_text = false;
        for span in spans(formula) {
            match span.token {
                Token::Text(text) => {
                    in_text ^= text.matches('"').count() % 2 == 1;
                    out.push_str(text);
                }
                token if in_text => {
                    out.push_str(&encoded(&self.text(&token, scope, place)).replace('"', "\"\""));
                }
                _ => out.push_str(formula.get(span.start..span.end).unwrap_or_default()),
            }
        }
        out
    }
}

/// Formulas that several cells share: the position of each, and its text.
pub(super) type Shared = HashMap<u32, (At, String)>;

pub(super) fn shared_formulas(grid: &Grid<'_>) -> Shared {
    let mut shared = HashMap::new();
    for row in &grid.rows {
        for cell in row.cells.iter().filter(|cell| cell.inner.contains("shared")) {
            let Some((tag, text)) = cell.formula() else { continue };
            let of = tag.number("si").filter(|_| tag.attribute("t") == Some("shared"));
            if let (Some(of), false) = (of, text.is_empty()) {
                shared.entry(of).or_insert((row.at(cell.column), text));
            }
        }
    }
    shared
}
