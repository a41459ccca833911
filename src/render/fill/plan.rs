//! Plans the changes of each sheet: rows that are repeated for a list, cells that get values.
//!
//! Finds all mistakes before anything is written. Knows the texts of cells, not how they are written.

use std::collections::{BTreeMap, BTreeSet};

use super::book::{Book, Texts, plain};
use super::grid::{Cell, Grid, Row};
use super::moves::{Block, Moves};
use super::placeholder::{Token, is_template, tokens};
use super::problems::Problems;
use super::refs::{self, Area, At};
use super::scope::{Binding, Item, Rows, Values};
use crate::fill_values::FillValue;
use crate::xml_tokens::unescape;

/// Most blocks of one sheet.
const MAX_BLOCKS: usize = 1_000;
/// Most cells that lists write, over all sheets.
const MAX_WRITTEN: u64 = 5_000_000;

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
}

/// Rows that are repeated.
#[derive(Clone)]
pub(super) struct BlockPlan<'v> {
    pub(super) first: u32,
    pub(super) last: u32,
    pub(super) list: String,
    pub(super) rows: Rows<'v>,
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

    /// Returns the row for a copy.
    pub(super) fn item(&self, copy: u32) -> Item<'_, 'v> {
        let index = (copy as usize).checked_sub(usize::from(self.appends));
        let index = index.filter(|index| *index < self.rows.count());
        Item { list: &self.list, rows: self.rows, index }
    }

    /// Returns the value of a column in a copy.
    pub(super) fn value(&self, column: u32, copy: u32) -> Option<&'v FillValue> {
        static EMPTY: FillValue = FillValue::Empty;
        let source = self.columns.get(&column)?;
        let index = match self.item(copy).index {
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
    }
}

/// The texts of a workbook, and which of the shared ones have placeholders.
pub(super) struct Templates<'a> {
    texts: &'a Texts<'a>,
    shared: BTreeSet<usize>,
    none: bool,
}

impl<'a> Templates<'a> {
    pub(super) fn new(texts: &'a Texts<'a>) -> Templates<'a> {
        let is_one = |item: &str| item.contains('{') && is_template(&plain(item).0);
        let all = texts.items.iter().enumerate();
        Templates {
            texts,
            shared: all.filter(|(_, item)| is_one(item)).map(|(at, _)| at).collect(),
            none: false,
        }
    }

    /// Returns texts that are all treated as plain text.
    pub(super) fn plain(texts: &'a Texts<'a>) -> Templates<'a> {
        Templates { texts, shared: BTreeSet::new(), none: true }
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
    match formula.contains("{{") && formula.contains('"') {
        true => tokens(formula).into_iter().filter(|it| matches!(it, Token::Value(_))).collect(),
        false => Vec::new(),
    }
}

/// Plans one sheet after the other.
pub(super) struct Planner<'p, 'a, 'v> {
    pub(super) book: &'p Book,
    pub(super) templates: &'p Templates<'a>,
    pub(super) values: &'p Values<'v>,
    pub(super) problems: &'p mut Problems,
    /// Cells that may still be written.
    pub(super) left: u64,
}

impl<'p, 'a, 'v> Planner<'p, 'a, 'v> {
    pub(super) fn new(
        book: &'p Book,
        templates: &'p Templates<'a>,
        values: &'p Values<'v>,
        problems: &'p mut Problems,
    ) -> Planner<'p, 'a, 'v> {
        Planner { book, templates, values, problems, left: MAX_WRITTEN }
    }

    /// Returns the plans of all sheets; sheets other than worksheets have empty ones.
    pub(super) fn plan(&mut self, grids: &[Option<Grid<'a>>]) -> Vec<SheetPlan<'v>> {
        let mut drafts: Vec<Draft<'v>> = Vec::new();
        for (sheet, grid) in grids.iter().enumerate() {
            drafts.push(grid.as_ref().map(|grid| self.marked(sheet, grid)).unwrap_or_default());
        }
        self.addresses(grids, &mut drafts);
        let mut plans = Vec::new();
        for (sheet, (grid, draft)) in grids.iter().zip(drafts).enumerate() {
            let plan = self.finish(sheet, draft);
            if let Some(grid) = grid {
                self.check(sheet, grid, &plan);
            }
            plans.push(plan);
        }
        plans
    }

    fn place(&self, sheet: usize, at: At) -> String {
        let name = self.book.sheets.get(sheet).map_or("", |it| it.name.as_str());
        format!("{name}!{at}")
    }

    /// Finds rows between marks, and rows that name a list.
    fn marked(&mut self, sheet: usize, grid: &Grid<'a>) -> Draft<'v> {
        let mut draft = Draft::default();
        let mut open: Option<(String, u32, bool)> = None;
        for row in &grid.rows {
            let marks = self.marks(row);
            draft.has_placeholders |= marks.any;
            let was_open = open.is_some();
            for (mark, column) in &marks.found {
                let place = self.place(sheet, row.at(*column));
                match (mark, &open) {
                    (Mark::Open(name), None) => {
                        open = Some((name.clone(), row.number, marks.alone))
                    }
                    (Mark::Open(name), Some((outer, ..))) => {
                        self.problems.other(format!("{place}: `{{{{#{name}}}}}` begins within `{{{{#{outer}}}}}`, and lists within lists are not repeated"));
                    }
                    (Mark::Close(name), Some((outer, first, alone))) if name == outer => {
                        self.close(
                            sheet,
                            &mut draft,
                            (name, *first, *alone),
                            (row, *column, marks.alone),
                        );
                        open = None;
                    }
                    (Mark::Close(name), _) => {
                        self.problems.other(format!(
                            "{place}: `{{{{/{name}}}}}` closes what `{{{{#{name}}}}}` did not open"
                        ));
                    }
                }
            }
            if open.is_none() && !was_open && marks.found.is_empty() && marks.any {
                self.implied(sheet, row, &mut draft);
            }
        }
        if let Some((name, row, _)) = open {
            let place = self.place(sheet, At { row, column: 1 });
            self.problems
                .other(format!("{place}: `{{{{#{name}}}}}` is not closed by `{{{{/{name}}}}}`"));
        }
        draft
    }

    fn close(
        &mut self,
        sheet: usize,
        draft: &mut Draft<'v>,
        (name, open, open_alone): (&str, u32, bool),
        (row, column, close_alone): (&Row<'a>, u32, bool),
    ) {
        let place = self.place(sheet, row.at(column));
        let removed = open != row.number;
        let first = open + u32::from(removed && open_alone);
        let last = row.number - u32::from(removed && close_alone);
        if first > last {
            return self.problems.other(format!(
                "{place}: expected rows between `{{{{#{name}}}}}` and `{{{{/{name}}}}}`"
            ));
        }
        draft.removed.extend([open].iter().filter(|_| removed && open_alone));
        draft.removed.extend([row.number].iter().filter(|_| removed && close_alone));
        match self.values.global(name) {
            None => self.problems.missing(name, place),
            Some(value) => match Rows::of(value) {
                Some(rows) => draft.block(first, last, name, rows),
                None => self
                    .problems
                    .other(format!("{place}: expected a list for `{name}`, got {}", value.kind())),
            },
        }
    }

    /// Plans the repetition of a row whose cells name fields of a list.
    fn implied(&mut self, sheet: usize, row: &Row<'a>, draft: &mut Draft<'v>) {
        let mut found: Option<(String, Rows<'v>)> = None;
        for cell in &row.cells {
            for name in self.names(cell) {
                let Some((list, rows)) = self.values.list(&name) else { continue };
                match &found {
                    None => found = Some((list.to_owned(), rows)),
                    Some((first, _)) if first == list => {}
                    Some((first, _)) => {
                        let place = self.place(sheet, row.at(cell.column));
                        self.problems.other(format!(
                            "{place}: expected a row for one list, got `{first}` and `{list}`"
                        ));
                    }
                }
            }
        }
        if let Some((list, rows)) = found {
            self.values.global(&list);
            draft.block(row.number, row.number, &list, rows);
        }
    }

    /// Returns the names of values in a cell.
    fn names(&self, cell: &Cell<'a>) -> Vec<String> {
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

    fn marks(&self, row: &Row<'a>) -> Marks {
        let mut marks = Marks { found: Vec::new(), alone: true, any: false };
        for cell in row.cells.iter().filter(|cell| !cell.is_empty()) {
            let Some(item) = self.templates.of(cell) else {
                marks.any |= cell.formula().is_some_and(|(_, it)| !formula_tokens(&it).is_empty());
                marks.alone = false;
                continue;
            };
            marks.any = true;
            let (text, _) = plain(item);
            for token in tokens(&text) {
                match token {
                    Token::Open(name) => marks.found.push((Mark::Open(name.into()), cell.column)),
                    Token::Close(name) => marks.found.push((Mark::Close(name.into()), cell.column)),
                    Token::Value(_) => marks.alone = false,
                    Token::Text(text) => marks.alone &= text.trim().is_empty(),
                }
            }
        }
        marks.alone &= !marks.found.is_empty();
        marks
    }

    /// Plans values whose names are addresses of cells or defined names.
    fn addresses(&mut self, grids: &[Option<Grid<'a>>], drafts: &mut [Draft<'v>]) {
        let values = self.values;
        for (number, (name, value)) in values.entries().iter().enumerate() {
            let targets = match refs::qualified(name) {
                Some((sheet, address)) if !values.is_used(number) => {
                    let area = refs::area(address);
                    match (self.book.sheet(&sheet), area) {
                        (Some(sheet), Some(area)) => vec![(sheet, area)],
                        (None, Some(_)) => {
                            let near = mitt_base::text::nearest(
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
                _ => self.defined(name),
            };
            for (sheet, area) in targets {
                let (Some(Some(grid)), Some(draft)) = (grids.get(sheet), drafts.get_mut(sheet))
                else {
                    self.problems.other(format!("`{name}`: expected cells of a worksheet"));
                    continue;
                };
                values.mark(number);
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
            return match area.is_cell() {
                true => draft.edit(area.first, value),
                false => {
                    Err(format!("expected a list or a table for `{area}`, got {}", value.kind()))
                }
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
            if draft.blocks.iter().any(|it| it.first <= area.first.row && area.first.row <= it.last)
            {
                return Err(format!("row {} is repeated already", area.first.row));
            }
            draft.block(area.first.row, area.first.row, name, rows);
            if let Some(block) = draft.blocks.last_mut() {
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
        self.left = self.left.saturating_sub(u64::from(area.rows()) * u64::from(area.columns()));
        for row in 0..area.rows() {
            if self.left == 0 {
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

    fn finish(&mut self, sheet: usize, mut draft: Draft<'v>) -> SheetPlan<'v> {
        draft.blocks.sort_by_key(|block| block.first);
        let name = self.book.sheets.get(sheet).map_or("", |it| it.name.as_str());
        if draft.blocks.len() > MAX_BLOCKS {
            self.problems.other(format!(
                "`{name}`: expected at most {MAX_BLOCKS} places with repeated rows"
            ));
            draft.blocks.clear();
        }
        let grown: u64 = draft
            .blocks
            .iter()
            .map(|it| u64::from(it.last - it.first + 1) * it.copies() as u64)
            .sum();
        if grown > u64::from(refs::MAX_ROW) {
            self.problems
                .other(format!("`{name}`: expected at most {} rows, got {grown}", refs::MAX_ROW));
            draft.blocks.clear();
        }
        let blocks = draft.blocks.iter().map(|it| Block {
            first: it.first,
            last: it.last,
            copies: u32::try_from(it.copies()).unwrap_or(u32::MAX),
            list: it.list.clone(),
            appends: it.appends,
        });
        SheetPlan {
            moves: Moves::new(blocks.collect(), draft.removed),
            blocks: draft.blocks,
            edits: draft.edits,
            has_placeholders: draft.has_placeholders,
        }
    }

    /// Checks that every name has a value, in every row.
    fn check(&mut self, sheet: usize, grid: &Grid<'a>, plan: &SheetPlan<'v>) {
        let mut end = 0;
        for row in &grid.rows {
            let block = plan.moves.block(row.number).and_then(|at| plan.blocks.get(at));
            let copies = block.map_or(1, BlockPlan::copies);
            end = plan.moves.last(row.number);
            let cells = row.cells.len() as u64 * copies as u64;
            self.left = self.left.saturating_sub(if block.is_some() { cells } else { 0 });
            if self.left == 0 {
                return self.problems.other(format!("at most {MAX_WRITTEN} cells are written"));
            }
            for cell in row.cells.iter().filter(|cell| !cell.is_empty()) {
                for name in self.names(cell) {
                    let place = self.place(sheet, row.at(cell.column));
                    for copy in 0..copies as u32 {
                        let item = block.map(|block| block.item(copy));
                        self.check_name(&name, item.as_ref(), &place);
                    }
                }
            }
        }
        if end > refs::MAX_ROW {
            let name = self.book.sheets.get(sheet).map_or("", |it| it.name.as_str());
            self.problems
                .other(format!("`{name}`: expected at most {} rows, got {end}", refs::MAX_ROW));
        }
    }

    fn check_name(&mut self, name: &str, item: Option<&Item<'_, 'v>>, place: &str) {
        match self.values.find(name, item) {
            Some(Binding::Value(value)) if !value.is_single() => {
                let way = match value {
                    FillValue::Record(_) => "name one of its fields, as in `{{name.field}}`",
                    _ => "name a field of its rows, as in `{{name.field}}`, or a range of cells",
                };
                self.problems.other(format!(
                    "{place}: expected one value for `{name}`, got {}; {way}",
                    value.kind()
                ));
            }
            Some(_) => {}
            None => match item.and_then(|item| item.index) {
                Some(index) => {
                    self.problems.missing(name, format!("{place} (row {} of the list)", index + 1))
                }
                None => self.problems.missing(name, place.to_owned()),
            },
        }
    }
}

/// A plan under construction.
#[derive(Default)]
pub(super) struct Draft<'v> {
    blocks: Vec<BlockPlan<'v>>,
    removed: Vec<u32>,
    edits: BTreeMap<At, &'v FillValue>,
    has_placeholders: bool,
}

impl<'v> Draft<'v> {
    fn block(&mut self, first: u32, last: u32, list: &str, rows: Rows<'v>) {
        let (list, columns) = (list.to_owned(), BTreeMap::new());
        self.blocks.push(BlockPlan { first, last, list, rows, columns, appends: false });
    }

    fn edit(&mut self, at: At, value: &'v FillValue) -> Result<(), String> {
        match self.edits.insert(at, value) {
            None => Ok(()),
            Some(_) => Err(format!("`{at}` gets another value already")),
        }
    }
}

enum Mark {
    Open(String),
    Close(String),
}

/// Marks in a row.
struct Marks {
    found: Vec<(Mark, u32)>,
    /// `true` if it has nothing else.
    alone: bool,
    /// `true` if it has any placeholder.
    any: bool,
}
