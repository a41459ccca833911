//! The sheets as they will be: every cell at its new position, with its value, its formula, or unchanged.

use std::collections::HashMap;

use super::book::{Book, Styles, encoded, plain};
use super::formula::translated;
use super::grid::{Cell, Grid, Row};
use super::placeholder::{Token, tokens};
use super::plan::{BlockPlan, SheetPlan, Templates};
use super::problems::Problems;
use super::refs::At;
use super::scope::{Binding, Item, Values};
use super::shift::{From, Shift};
use super::value::{self, CellValue, Odd};
use super::warnings::Warnings;
use crate::fill_values::FillValue;
use crate::xml_tokens::{Tag, TagKind, XmlToken, escape, unescape, xml_tokens};

/// A sheet.
pub(super) struct OutSheet<'a> {
    pub(super) rows: Vec<OutRow<'a>>,
    /// `true` if anything in it differs from before.
    pub(super) changed: bool,
}

pub(super) struct OutRow<'a> {
    pub(super) number: u32,
    /// `true` for a copy that did not exist before.
    pub(super) fresh: bool,
    pub(super) tag: Option<Tag<'a>>,
    pub(super) rest: &'a str,
    pub(super) cells: Vec<OutCell<'a>>,
}

pub(super) struct OutCell<'a> {
    pub(super) column: u32,
    pub(super) content: Content<'a>,
}

pub(super) enum Content<'a> {
    /// Unchanged.
    Same(Cell<'a>),
    Value {
        cell_value: CellValue,
        style: u32,
    },
    Formula(Box<Formula<'a>>),
}

pub(super) struct Formula<'a> {
    pub(super) cell: Cell<'a>,
    /// Its tag, with another area if it fills several cells.
    pub(super) tag: String,
    pub(super) text: String,
    /// `true` if text and tag are unchanged.
    pub(super) same: bool,
    /// `true` if it shared its text with other cells, and is now written on its own.
    pub(super) shared: bool,
    pub(super) result: Cached,
}

/// The cached result of a formula.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Cached {
    Kept,
    /// Removed, because it is outdated and cannot be calculated here.
    Gone,
    New(CellValue),
}

/// Creates sheets.
pub(super) struct Maker<'p, 'a, 'v> {
    pub(super) book: &'p Book,
    pub(super) templates: &'p Templates<'a>,
    pub(super) values: &'p Values<'v>,
    pub(super) shift: &'p Shift<'p>,
    pub(super) styles: &'p mut Styles,
    pub(super) problems: &'p mut Problems,
    pub(super) warnings: &'p mut Warnings,
}

/// Position of a cell.
struct CellPosition<'p, 'v> {
    sheet: usize,
    /// Its position in the template.
    old: At,
    new: At,
    copy: Option<(&'p BlockPlan<'v>, u32)>,
}

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
            let Some(block) = plan.moves.block(number).and_then(|it| plan.blocks.get(it)) else {
                let row = row.filter(|row| row.number == number);
                at += usize::from(row.is_some());
                extra.next_if_eq(&number);
                let new = plan.moves.first(number);
                let made = self.row((sheet, number, new), grid, (row, plan, None), &shared);
                out.changed |= made.1;
                out.rows.push(made.0);
                continue;
            };
            // All rows of the block in each copy.
            let end = grid.rows[at..].partition_point(|row| row.number <= block.last) + at;
            for copy in 0..block.copies() as u32 {
                let mut next = at;
                for number in block.first..=block.last {
                    let row = grid.rows.get(next).filter(|row| row.number == number);
                    next += usize::from(row.is_some());
                    let new = plan.moves.copy(number, copy);
                    if row.is_none() && (block.columns.is_empty() || number != block.first) {
                        continue;
                    }
                    let made = self.row(
                        (sheet, number, new),
                        grid,
                        (row, plan, Some((block, copy))),
                        &shared,
                    );
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
        shared: &Shared,
    ) -> (OutRow<'a>, bool) {
        let mut out = OutRow {
            number: new,
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
        let place = |column: u32| CellPosition {
            sheet,
            old: At { row: old, column },
            new: At { row: new, column },
            copy,
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
                out.cells.push(self.value(&here, value, cell.style()));
                changed = true;
                continue;
            }
            let content = self.cell(&here, cell, shared);
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

    fn name(&self, place: &CellPosition<'_, '_>) -> String {
        let sheet = self.book.sheets.get(place.sheet).map_or("", |it| it.name.as_str());
        format!("{sheet}!{}", place.new)
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
        if place.copy.is_some_and(|(block, copy)| block.appends && copy > 0) {
            return Content::Value { cell_value: CellValue::Empty, style: cell.style() };
        }
        let Some(item) = self.templates.of(cell) else { return Content::Same(*cell) };
        let scope = place.copy.map(|(block, copy)| block.item(copy));
        let (text, rich) = plain(item);
        let parts = tokens(&text);
        if let [Token::Value(name)] = parts[..] {
            let value = match self.values.find(name, scope.as_ref()) {
                Some(Binding::Value(value)) => value.clone(),
                Some(Binding::Number(number)) => FillValue::Number(number.to_string()),
                // This was reported already.
                None => FillValue::Empty,
            };
            return self.value(place, &value, cell.style()).content;
        }
        let cell_value = match rich {
            true => Ok(CellValue::Rich(self.rich(item, scope.as_ref()))),
            false => value::text(&self.filled(&parts, scope.as_ref())),
        };
        let cell_value = cell_value.unwrap_or_else(|problem| {
            let place = self.name(place);
            self.problems.other(format!("{place}: {problem}"));
            CellValue::Empty
        });
        Content::Value { cell_value, style: cell.style() }
    }

    /// Returns the text for a placeholder; empty for marks.
    fn text(&self, token: &Token<'_>, item: Option<&Item<'_, 'v>>) -> String {
        match token {
            Token::Text(text) => (*text).to_owned(),
            Token::Open(_) | Token::Close(_) => String::new(),
            Token::Value(name) => match self.values.find(name, item) {
                Some(Binding::Value(value)) => value.as_text().unwrap_or_default().to_owned(),
                Some(Binding::Number(number)) => number.to_string(),
                None => String::new(),
            },
        }
    }

    fn filled(&self, parts: &[Token<'_>], item: Option<&Item<'_, 'v>>) -> String {
        parts.iter().map(|token| self.text(token, item)).collect()
    }

    /// Returns a text with several formats. A replaced placeholder has the format of its beginning.
    fn rich(&self, xml: &str, item: Option<&Item<'_, 'v>>) -> String {
        let (whole, _) = plain(xml);
        // Start and end of each placeholder, and its replacement.
        let (mut at, mut spans) = (0, Vec::new());
        for token in tokens(&whole) {
            let length = match token {
                Token::Text(text) => text.len(),
                Token::Value(_) | Token::Open(_) | Token::Close(_) => {
                    let length = whole[at..].find("}}").map_or(0, |end| end + 2);
                    spans.push((at, at + length, self.text(&token, item)));
                    length
                }
            };
            at += length;
        }
        let (mut out, mut in_text, mut reading, mut at) = (String::new(), false, 0_u32, 0);
        for token in xml_tokens(xml) {
            match token {
                XmlToken::Tag(tag) if tag.name == "t" => {
                    in_text = tag.kind == TagKind::Open;
                    out.push_str(&match in_text && reading == 0 {
                        true => crate::xml_tokens::set_attribute(tag.raw, "xml:space", "preserve"),
                        false => tag.raw.to_owned(),
                    });
                }
                XmlToken::Tag(tag) => {
                    if tag.name == "rPh" {
                        match tag.kind {
                            TagKind::Open => reading += 1,
                            TagKind::Close => reading = reading.saturating_sub(1),
                            TagKind::Empty => {}
                        }
                    }
                    out.push_str(tag.raw);
                }
                XmlToken::Text(raw) if in_text && reading == 0 => {
                    let text = super::book::decoded(&unescape(raw));
                    let end = at + text.len();
                    let mut kept = at;
                    for (from, to, new) in spans.iter().filter(|it| it.1 > at && it.0 < end) {
                        if *from >= at {
                            out.push_str(&escape(&encoded(&whole[kept..*from])));
                            out.push_str(&escape(&encoded(new)));
                        }
                        kept = (*to).min(end);
                    }
                    out.push_str(&escape(&encoded(whole.get(kept..end).unwrap_or_default())));
                    at = end;
                }
                XmlToken::Text(text) | XmlToken::Other(text) => out.push_str(text),
            }
        }
        out
    }

    fn formula(
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
            open = crate::xml_tokens::without_attributes(&open, &["t", "si", "ref"]);
            same = shift && place.copy.is_none() && place.old == place.new;
        }
        let block = place.copy.and_then(|_| {
            let moves = self.shift.moves.get(place.sheet)?;
            moves.blocks().get(moves.block(place.old.row)?)
        });
        let from = From {
            sheet: Some(place.sheet),
            copy: block.zip(place.copy.map(|(_, copy)| copy)),
            grows: false,
        };
        if matches!(kind, "array" | "dataTable") {
            same &= self.filling(place, (kind, &mut open), block.is_some());
        }
        let names = super::plan::formula_tokens(&text);
        if !names.is_empty() && place.copy.is_none_or(|(block, copy)| !block.appends || copy == 0) {
            let scope = place.copy.map(|(block, copy)| block.item(copy));
            text = self.in_quotes(&text, scope.as_ref());
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
        let result = Cached::Kept;
        let shared = kind == "shared";
        Content::Formula(Box::new(Formula { cell: *cell, tag: open, text, same, shared, result }))
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
        let within = (area.first.row..=area.last.row)
            .any(|row| moves.block(row).is_some() || moves.is_removed(row));
        let moves_at_all = !self.shift.is_nothing();
        if (within && !(area.rows() == 1 && in_block && kind == "array"))
            || (kind == "dataTable" && moves_at_all)
        {
            let place = self.name(place);
            let what = if kind == "array" {
                "an array formula over several rows"
            } else {
                "a table of what-if values"
            };
            self.problems.other(format!("{place}: {what} cannot go along when rows are repeated"));
            return true;
        }
        let by = i64::from(place.new.row) - i64::from(place.old.row);
        let row = |row: u32| u32::try_from(i64::from(row) + by).unwrap_or(row);
        let new = super::refs::Area {
            first: At { row: row(area.first.row), ..area.first },
            last: At { row: row(area.last.row), ..area.last },
        };
        let changed = crate::xml_tokens::set_attribute(open, "ref", &new.to_string());
        let same = by == 0;
        if !same {
            *open = changed;
        }
        same
    }

    /// Fills placeholders in the strings of a formula. The strings stay closed.
    fn in_quotes(&self, formula: &str, item: Option<&Item<'_, 'v>>) -> String {
        let mut out = String::new();
        let mut in_text = false;
        for token in tokens(formula) {
            match token {
                Token::Text(text) => {
                    in_text ^= text.matches('"').count() % 2 == 1;
                    out.push_str(text);
                }
                token if in_text => {
                    out.push_str(&encoded(&self.text(&token, item)).replace('"', "\"\""));
                }
                Token::Value(name) => out.push_str(&format!("{{{{{name}}}}}")),
                Token::Open(name) => out.push_str(&format!("{{{{#{name}}}}}")),
                Token::Close(name) => out.push_str(&format!("{{{{/{name}}}}}")),
            }
        }
        out
    }
}

/// Formulas that several cells share: the position of each, and its text.
type Shared = HashMap<u32, (At, String)>;

fn shared_formulas(grid: &Grid<'_>) -> Shared {
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
