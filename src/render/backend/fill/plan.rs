//! Plans the changes of each sheet: rows that are repeated for a list or removed, cells that get values. Parts that contain
//! others are planned first, in passes of their own.
//!
//! Finds all mistakes before anything is written. Knows the texts of cells, not how they are written.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::book::{Book, Texts, plain};
use super::grid::{Cell, Grid};
use super::layout::{Layout, MAX_WRITTEN};
use super::moves::{Block, Moves};
use super::placeholder::{Token, is_foreign, is_template, tokens};
use super::problems::Problems;
use super::refs::{self, Area, At};
use super::scope::{Level, Rows, Scope, Values};
use super::shown;
use crate::model::fill_values::FillValue;
use crate::shared::xml_tokens::unescape;
use mitt_base::text;

/// Most blocks of one sheet.
const MAX_BLOCKS: usize = 50_000;

/// Changes of a sheet.
#[derive(Default)]
pub(super) struct SheetPlan<'v> {
    pub(super) moves: Moves,
    /// Plans of the blocks in `moves`, in the same order.
    pub(super) blocks: Vec<BlockPlan<'v>>,
    /// Cells that are named by their address.
    pub(super) edits: BTreeMap<At, &'v FillValue>,
    /// `true` if any of its texts has placeholders.
    pub(super) has_placeholders: bool,
    /// Marks that this pass has followed, in cells that stay: their places among the tokens of the cell.
    pub(super) consumed: BTreeMap<At, Vec<usize>>,
}

/// Rows that are repeated.
#[derive(Clone)]
pub(super) struct BlockPlan<'v> {
    pub(super) first: u32,
    pub(super) last: u32,
    pub(super) list: Rc<str>,
    pub(super) rows: Rows<'v>,
    /// The repetition around it.
    pub(super) outer: Scope<'v>,
    /// `true` if it contains rows that are repeated in turn.
    pub(super) is_group: bool,
    /// Columns that get values without a placeholder.
    pub(super) columns: BTreeMap<u32, Source>,
    /// `true` if the first copy is the existing row, and new rows begin with the second.
    pub(super) appends: bool,
}

/// Source of the value of a cell in a repeated row.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Source {
    Place(usize),
    Name(String),
}

impl<'v> BlockPlan<'v> {
    pub(super) fn copies(&self) -> usize {
        (self.rows.count() + usize::from(self.appends)).max(1)
    }

    fn index(&self, copy: u32) -> Option<usize> {
        let index = (copy as usize).checked_sub(usize::from(self.appends));
        index.filter(|index| *index < self.rows.count())
    }

    /// Returns the repetition around a copy.
    pub(super) fn scope(&self, copy: u32) -> Scope<'v> {
        let (outer, list, rows) = (self.outer.clone(), self.list.clone(), self.rows);
        Level::new(outer, list, rows, self.index(copy))
    }

    /// Returns the value of a column in a copy.
    pub(super) fn value(&self, column: u32, copy: u32) -> Option<&'v FillValue> {
        static EMPTY: FillValue = FillValue::Empty;
        let source = self.columns.get(&column)?;
        let index = match self.index(copy) {
            Some(index) => index,
            None if self.appends => return None,
            None => return Some(&EMPTY),
        };
        let found = match source {
            Source::Place(place) => self.rows.at(index, *place),
            Source::Name(name) => self.rows.field(index, name),
        };
        Some(found.unwrap_or(&EMPTY))
    }
}

impl SheetPlan<'_> {
    pub(super) fn is_nothing(&self) -> bool {
        self.moves.is_nothing()
            && self.blocks.is_empty()
            && self.edits.is_empty()
            && !self.has_placeholders
            && self.consumed.is_empty()
    }
}

/// The texts of a workbook, and which of the shared ones have placeholders.
pub(super) struct Templates<'a> {
    texts: &'a Texts<'a>,
    shared: BTreeSet<usize>,
    /// Shared texts with placeholders of another program.
    foreign: BTreeSet<usize>,
    none: bool,
}

fn has_foreign(item: &str) -> bool {
    item.contains("${") && is_foreign(&plain(item).0)
}

impl<'a> Templates<'a> {
    pub(super) fn new(texts: &'a Texts<'a>) -> Templates<'a> {
        let is_one = |item: &str| item.contains('{') && is_template(&plain(item).0);
        let all = texts.items.iter().enumerate();
        Templates {
            texts,
            shared: all.clone().filter(|(_, item)| is_one(item)).map(|(at, _)| at).collect(),
            foreign: all.filter(|(_, item)| has_foreign(item)).map(|(at, _)| at).collect(),
            none: false,
        }
    }

    /// Returns texts that are all treated as plain text.
    pub(super) fn plain(texts: &'a Texts<'a>) -> Templates<'a> {
        Templates { texts, shared: BTreeSet::new(), foreign: BTreeSet::new(), none: true }
    }

    /// Returns `true` for a cell with a placeholder of another program.
    pub(super) fn is_foreign(&self, cell: &Cell<'a>) -> bool {
        match cell.kind() {
            "s" => {
                let number = cell.element("v").and_then(|it| it.trim().parse().ok());
                number.is_some_and(|number: usize| self.foreign.contains(&number))
            }
            "inlineStr" => cell.element("is").is_some_and(has_foreign),
            _ => false,
        }
    }

    /// Returns the source text of a cell, if it has placeholders.
    pub(super) fn of(&self, cell: &Cell<'a>) -> Option<&'a str> {
        match cell.kind() {
            "s" => {
                let number = cell.element("v")?.trim().parse().ok()?;
                self.shared.contains(&number).then(|| self.texts.items.get(number).copied())?
            }
            "inlineStr" if !self.none => {
                let item = cell.element("is")?;
                (item.contains('{') && is_template(&plain(item).0)).then_some(item)
            }
            _ => None,
        }
    }

    /// Returns the text of any cell, for finding headers.
    pub(super) fn text(&self, cell: &Cell<'a>) -> String {
        match cell.kind() {
            "s" => {
                let number = cell.element("v").and_then(|it| it.trim().parse::<usize>().ok());
                let item = number.and_then(|number| self.texts.items.get(number));
                item.map(|item| plain(item).0).unwrap_or_default()
            }
            "inlineStr" => cell.element("is").map(|item| plain(item).0).unwrap_or_default(),
            _ => unescape(cell.element("v").unwrap_or_default()),
        }
    }
}

/// Returns the placeholders in the strings of a formula.
pub(super) fn formula_tokens(formula: &str) -> Vec<Token<'_>> {
    if formula.contains("{{") && formula.contains('"') {
        tokens(formula).into_iter().filter(|it| matches!(it, Token::Value(_))).collect()
    } else {
        Vec::new()
    }
}

/// Plans one sheet after the other.
pub(super) struct Planner<'p, 'a, 'v> {
    pub(super) book: &'p Book,
    pub(super) templates: &'p Templates<'a>,
    pub(super) values: &'p Values<'v>,
    pub(super) problems: &'p mut Problems,
    pub(super) layout: &'p mut Layout<'v>,
}

impl<'a, 'v> Planner<'_, 'a, 'v> {
    /// Returns the plans of all sheets for a pass over parts that contain others and over conditions; `None` if there are
    /// none.
    pub(super) fn structure(&mut self, grids: &[Option<Grid<'a>>]) -> Option<Vec<SheetPlan<'v>>> {
        let mut plans = Vec::new();
        let mut any = false;
        for (sheet, grid) in grids.iter().enumerate() {
            let draft = grid.as_ref().map(|grid| self.marked(sheet, grid)).unwrap_or_default();
            any |= draft.has_structure;
            let plan = self.finish(sheet, draft.structure);
            if let Some(grid) = grid {
                self.count(sheet, grid, &plan);
            }
            plans.push(plan);
        }
        any.then_some(plans)
    }

    /// Returns the plans of all sheets for the last pass; sheets other than worksheets have empty ones.
    pub(super) fn plan(&mut self, grids: &[Option<Grid<'a>>]) -> Vec<SheetPlan<'v>> {
        let mut drafts: Vec<Draft<'v>> = Vec::new();
        for (sheet, grid) in grids.iter().enumerate() {
            drafts.push(grid.as_ref().map(|grid| self.marked(sheet, grid)).unwrap_or_default());
        }
        self.addresses(grids, &mut drafts);
        let mut plans = Vec::new();
        for (sheet, (grid, draft)) in grids.iter().zip(drafts).enumerate() {
            let mut plan = self.finish(sheet, draft.flat);
            plan.has_placeholders = draft.has_placeholders;
            plan.edits = draft.edits;
            if let Some(grid) = grid {
                self.count(sheet, grid, &plan);
                self.check(sheet, grid, &plan);
            }
            plans.push(plan);
        }
        plans
    }

    pub(super) fn place(&self, sheet: usize, at: At) -> String {
        let name = self.book.sheets.get(sheet).map_or("", |it| it.name.as_str());
        self.layout.place(sheet, name, at)
    }

    /// Returns the values that a cell names, as they stand in their placeholders.
    pub(super) fn values_in(&self, cell: &Cell<'a>) -> Vec<String> {
        let value = |token: &Token<'_>| match token {
            Token::Value(name) => Some((*name).to_owned()),
            _ => None,
        };
        if let Some((_, formula)) = cell.formula() {
            return formula_tokens(&formula).iter().filter_map(value).collect();
        }
        let Some(item) = self.templates.of(cell) else { return Vec::new() };
        tokens(&plain(item).0).iter().filter_map(value).collect()
    }

    /// Plans values whose names are addresses of cells or defined names.
    fn addresses(&mut self, grids: &[Option<Grid<'a>>], drafts: &mut [Draft<'v>]) {
        let values = self.values;
        for (number, (name, value)) in values.entries().iter().enumerate() {
            let mut by_name = false;
            let targets = match refs::qualified(name) {
                Some((sheet, address)) if !values.is_used(number) => {
                    let area = refs::area(address);
                    match (self.book.sheet(&sheet), area) {
                        (Some(sheet), Some(area)) => vec![(sheet, area)],
                        (None, Some(_)) => {
                            let near = text::nearest(
                                &sheet,
                                self.book.sheets.iter().map(|it| it.name.as_str()),
                            );
                            let near = near
                                .first()
                                .map(|it| format!(", did you mean `{it}`?"))
                                .unwrap_or_default();
                            self.problems
                                .other(format!("`{name}`: there is no sheet `{sheet}`{near}"));
                            continue;
                        }
                        _ => continue,
                    }
                }
                _ => {
                    // Names of the workbook have moved already.
                    by_name = true;
                    self.defined(name)
                }
            };
            for (sheet, area) in targets {
                let (Some(Some(grid)), Some(draft)) = (grids.get(sheet), drafts.get_mut(sheet))
                else {
                    self.problems.other(format!("`{name}`: expected cells of a worksheet"));
                    continue;
                };
                values.mark(number);
                let Some(area) = by_name.then_some(area).or_else(|| self.layout.now(sheet, area))
                else {
                    self.problems.other(format!(
                        "`{name}`: its rows are repeated or removed by marks of the template"
                    ));
                    continue;
                };
                if let Err(problem) = self.addressed(grid, draft, area, (name, value)) {
                    self.problems.other(format!("`{name}`: {problem}"));
                }
            }
        }
    }

    /// Returns the areas of a defined name.
    fn defined(&self, name: &str) -> Vec<(usize, Area)> {
        let names = self.book.names.iter().filter(|it| it.name.eq_ignore_ascii_case(name));
        names
            .filter_map(|it| {
                let (sheet, address) = refs::qualified(it.formula.trim())?;
                Some((self.book.sheet(&sheet)?, refs::area(address)?))
            })
            .collect()
    }

    fn addressed(
        &mut self,
        grid: &Grid<'a>,
        draft: &mut Draft<'v>,
        area: Area,
        (name, value): (&str, &'v FillValue),
    ) -> Result<(), String> {
        let Some(rows) = Rows::of(value) else {
            if let FillValue::Record(_) = value {
                return Err("expected one value or a list, got a record".into());
            }
            return if area.is_cell() {
                draft.edit(area.first, value)
            } else {
                Err(format!("expected a list or a table for `{area}`, got {}", value.kind()))
            };
        };
        let mut area = area;
        let width = rows.width().max(1) as u32;
        if area.is_cell() {
            area.last.column = (area.first.column + width - 1).min(refs::MAX_COLUMN);
        }
        let sources = self.sources(grid, area, &rows);
        let by_place = sources.values().all(|it| matches!(it, Source::Place(_)));
        if by_place && width > area.columns() {
            return Err(format!(
                "expected at most {} columns for `{area}`, got {width}",
                area.columns()
            ));
        }
        if area.rows() == 1 {
            if draft
                .flat
                .blocks
                .iter()
                .any(|it| it.first <= area.first.row && area.first.row <= it.last)
            {
                return Err(format!("row {} is repeated already", area.first.row));
            }
            let marks = Marked::default();
            draft.block((area.first.row, area.first.row), (name, rows, None), false, marks);
            if let Some(block) = draft.flat.blocks.last_mut() {
                block.columns = sources;
            }
            return Ok(());
        }
        if rows.count() > area.rows() as usize {
            return Err(format!(
                "expected at most {} rows for `{area}`, got {}; a range of one row grows by itself",
                area.rows(),
                rows.count()
            ));
        }
        static EMPTY: FillValue = FillValue::Empty;
        self.layout.left =
            self.layout.left.saturating_sub(u64::from(area.rows()) * u64::from(area.columns()));
        for row in 0..area.rows() {
            if self.layout.left == 0 {
                return Err(format!("at most {MAX_WRITTEN} cells are written"));
            }
            for (column, source) in &sources {
                let found = match source {
                    Source::Place(place) => rows.at(row as usize, *place),
                    Source::Name(name) => rows.field(row as usize, name),
                };
                let at = At { row: area.first.row + row, column: *column };
                draft.edit(at, found.unwrap_or(&EMPTY))?;
            }
        }
        Ok(())
    }

    /// Returns the value for each column: by the headers above if they are names of the rows, otherwise from left to right.
    fn sources(&self, grid: &Grid<'a>, area: Area, rows: &Rows<'v>) -> BTreeMap<u32, Source> {
        let columns = area.first.column..=area.last.column;
        let names = rows.names();
        let header = area.first.row.checked_sub(1).and_then(|row| grid.row(row));
        let mut by_name = BTreeMap::new();
        for column in columns.clone() {
            let Some(cell) = header.and_then(|row| row.cell(column)) else { continue };
            let text = self.templates.text(cell);
            if let Some(name) = names.iter().find(|name| **name == text.trim()) {
                by_name.insert(column, Source::Name((*name).to_owned()));
            }
        }
        if !by_name.is_empty() {
            return by_name;
        }
        columns.enumerate().map(|(place, column)| (column, Source::Place(place))).collect()
    }

    fn finish(&mut self, sheet: usize, mut rows: RowChanges<'v>) -> SheetPlan<'v> {
        rows.blocks.sort_by_key(|block| block.first);
        // Several cells of a row may name its list by marks of their own.
        rows.blocks.dedup_by(|next, first| {
            (next.first, next.last, &next.list) == (first.first, first.last, &first.list)
        });
        for pair in rows.blocks.windows(2).filter(|pair| pair[1].first <= pair[0].last) {
            let place = self.place(sheet, At { row: pair[1].first, column: 1 });
            let (one, other) = (text::one_line(&pair[0].list), text::one_line(&pair[1].list));
            self.problems
                .other(format!("{place}: expected a row for one list, got `{one}` and `{other}`"));
        }
        let name = self.book.sheets.get(sheet).map_or("", |it| it.name.as_str());
        if rows.blocks.len() > MAX_BLOCKS {
            self.problems.other(format!(
                "`{name}`: expected at most {MAX_BLOCKS} places with repeated rows"
            ));
            rows.blocks.clear();
        }
        let grown: u64 = rows
            .blocks
            .iter()
            .map(|it| u64::from(it.last - it.first + 1) * it.copies() as u64)
            .sum();
        if grown > u64::from(refs::MAX_ROW) {
            self.problems
                .other(format!("`{name}`: expected at most {} rows, got {grown}", refs::MAX_ROW));
            rows.blocks.clear();
        }
        let blocks = rows.blocks.iter().map(|it| Block {
            first: it.first,
            last: it.last,
            copies: u32::try_from(it.copies()).unwrap_or(u32::MAX),
            list: it.list.to_string(),
            appends: it.appends,
            is_group: it.is_group,
        });
        let mut consumed: BTreeMap<At, Vec<usize>> = BTreeMap::new();
        for (at, token) in rows.consumed {
            consumed.entry(at).or_default().push(token);
        }
        SheetPlan {
            moves: Moves::with_dropped(blocks.collect(), rows.removed, rows.dropped),
            blocks: rows.blocks,
            consumed,
            ..SheetPlan::default()
        }
    }

    /// Counts the cells and rows that are written.
    fn count(&mut self, sheet: usize, grid: &Grid<'a>, plan: &SheetPlan<'v>) {
        let mut end = 0;
        for row in &grid.rows {
            let block = plan.moves.block(row.number).and_then(|at| plan.blocks.get(at));
            let copies = block.map_or(1, BlockPlan::copies);
            end = plan.moves.last(row.number);
            let cells = row.cells.len() as u64 * copies as u64;
            let left = &mut self.layout.left;
            *left = left.saturating_sub(if block.is_some() { cells } else { 0 });
            if *left == 0 {
                return self.problems.other(format!("at most {MAX_WRITTEN} cells are written"));
            }
        }
        if end > refs::MAX_ROW {
            let name = self.book.sheets.get(sheet).map_or("", |it| it.name.as_str());
            self.problems
                .other(format!("`{name}`: expected at most {} rows, got {end}", refs::MAX_ROW));
        }
    }

    /// Checks that every placeholder has a value, in every row.
    fn check(&mut self, sheet: usize, grid: &Grid<'a>, plan: &SheetPlan<'v>) {
        if self.layout.left == 0 {
            return;
        }
        for row in &grid.rows {
            let block = plan.moves.block(row.number).and_then(|at| plan.blocks.get(at));
            let marks: Vec<_> = row
                .cells
                .iter()
                .filter(|cell| !cell.is_empty())
                .map(|cell| (cell, self.values_in(cell)))
                .filter(|it| !it.1.is_empty())
                .collect();
            if marks.is_empty() {
                continue;
            }
            let outer = self.layout.scope(sheet, row.number);
            for copy in 0..block.map_or(1, BlockPlan::copies) as u32 {
                let scope = block.map_or_else(|| outer.clone(), |block| block.scope(copy));
                for (cell, marks) in &marks {
                    let place = self.place(sheet, row.at(cell.column));
                    let is_alone = cell.formula().is_none()
                        && marks.len() == 1
                        && self
                            .templates
                            .of(cell)
                            .is_some_and(|item| tokens(&plain(item).0).len() == 1);
                    for mark in marks {
                        let sink = (&*place, &mut *self.problems);
                        if is_alone {
                            drop(shown::shown(self.values, mark, &scope, sink, true))
                        } else {
                            drop(shown::in_text(self.values, mark, &scope, sink))
                        }
                    }
                }
            }
        }
    }
}

/// Where the marks of a part are.
#[derive(Default)]
pub(super) struct Marked {
    /// Rows that have nothing else.
    pub(super) removed: Vec<u32>,
    /// Cells of the others, and the places of the marks among their tokens.
    pub(super) consumed: Vec<(At, usize)>,
}

/// Changes of rows in a pass.
#[derive(Default)]
pub(super) struct RowChanges<'v> {
    pub(super) blocks: Vec<BlockPlan<'v>>,
    /// Rows with nothing but marks.
    removed: Vec<u32>,
    /// Rows with content that a condition removes.
    dropped: Vec<u32>,
    consumed: Vec<(At, usize)>,
}

/// A plan under construction.
#[derive(Default)]
pub(super) struct Draft<'v> {
    /// Rows that are repeated in the last pass.
    flat: RowChanges<'v>,
    /// Groups and conditions, which have a pass of their own.
    structure: RowChanges<'v>,
    has_structure: bool,
    edits: BTreeMap<At, &'v FillValue>,
    pub(super) has_placeholders: bool,
    /// `true` for the rows between two marks, by their rows and the list, if they name a list within its items.
    pub(super) nested: BTreeMap<(u32, u32, String), bool>,
}

impl<'v> Draft<'v> {
    pub(super) fn block(
        &mut self,
        (first, last): (u32, u32),
        (list, rows, outer): (&str, Rows<'v>, Scope<'v>),
        is_group: bool,
        marks: Marked,
    ) {
        let (list, columns) = (list.into(), BTreeMap::new());
        let block = BlockPlan { first, last, list, rows, outer, is_group, columns, appends: false };
        self.has_structure |= is_group;
        let changes = if is_group { &mut self.structure } else { &mut self.flat };
        changes.blocks.push(block);
        changes.removed.extend(marks.removed);
        changes.consumed.extend(marks.consumed);
    }

    /// Plans the rows of several cases, of which one holds or none.
    pub(super) fn condition(
        &mut self,
        cases: impl Iterator<Item = (u32, u32)>,
        held: Option<usize>,
        marks: Marked,
    ) {
        self.has_structure = true;
        let others = cases.enumerate().filter(|(case, _)| Some(*case) != held);
        self.structure.dropped.extend(others.flat_map(|(_, (first, last))| first..=last));
        self.structure.removed.extend(marks.removed);
        self.structure.consumed.extend(marks.consumed);
    }

    fn edit(&mut self, at: At, value: &'v FillValue) -> Result<(), String> {
        match self.edits.insert(at, value) {
            None => Ok(()),
            Some(_) => Err(format!("`{at}` gets another value already")),
        }
    }
}
