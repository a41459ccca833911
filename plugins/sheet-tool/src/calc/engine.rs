//! Calculates formulas in the order of their dependencies, without recursion.

use super::evaluate::{Environment, Evaluator};
use super::graph::{Formula, Graph, Seed};
use super::grid::{Grid, Place, Stop};
use crate::book::{Book, shown_formula};
use crate::formula::{Expr, translated};
use crate::refs::{Area, At};
use crate::value::{Array, ErrorCode, Scalar};
use crate::xml::first_tag;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Most bytes of formulas that formulas read as texts.
const MAX_TEXTS: u64 = if cfg!(test) { 64 << 10 } else { 16 << 20 };

/// Most cells of all array formulas that are calculated. The area of an array formula may be a whole sheet of 17 billion cells.
const MAX_ARRAY_CELLS: u64 = if cfg!(test) { 10_000 } else { 1_000_000 };

/// A cell whose value was calculated.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Calculated {
    pub(crate) sheet: usize,
    pub(crate) at: At,
    pub(crate) before: Scalar,
    pub(crate) after: Scalar,
    /// `true` for a formula, `false` for another cell of an array.
    pub(crate) is_formula: bool,
    /// `true` if the formula draws random numbers itself.
    pub(crate) is_random: bool,
}

/// A formula that keeps its stored value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Failure {
    pub(crate) sheet: usize,
    pub(crate) at: At,
    pub(crate) stop: Stop,
    /// `false` for one that never had a value.
    pub(crate) has_value: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// It keeps its value.
    Kept,
    New,
    Open,
    Done,
}

/// Formulas of a column that are still to be calculated.
#[derive(Debug, Default)]
struct Waiting {
    rows: Vec<u32>,
    formulas: Vec<u32>,
    /// For each place the next one that was not taken.
    next: Vec<u32>,
}

impl Waiting {
    fn free(&mut self, mut at: usize) -> usize {
        let mut end = at;
        while end < self.rows.len() && self.next[end] as usize != end {
            end = self.next[end] as usize;
        }
        while at < self.rows.len() && at != end {
            let next = self.next[at] as usize;
            self.next[at] = end as u32;
            at = next;
        }
        end
    }
}

/// A calculation of a workbook.
#[derive(Debug)]
pub(crate) struct Session {
    grid: Grid,
    graph: Graph,
    environment: Environment,
    pub(crate) calculated: Vec<Calculated>,
    pub(crate) failures: Vec<Failure>,
    states: Vec<State>,
    /// Bytes of formulas that formulas read as texts.
    text_bytes: u64,
    /// Cells of array formulas.
    array_cells: u64,
}

impl Session {
    pub(crate) fn new(book: &Book) -> Self {
        let graph = Graph::read(book);
        let environment = Environment {
            from_1904: book.from_1904,
            now: book.world.now(book.from_1904),
            seed: book.world.seed,
            is_manual: book.is_manual,
            spills: graph.spills().clone(),
            sheets: book.sheets.iter().map(|it| it.name.clone()).collect(),
            names: graph.names().clone(),
            ..Environment::default()
        };
        Self {
            grid: Grid::new(book),
            graph,
            environment,
            calculated: Vec::new(),
            failures: Vec::new(),
            states: Vec::new(),
            text_bytes: 0,
            array_cells: 0,
        }
    }

    /// Returns the number of formulas of the workbook.
    pub(crate) fn formula_count(&self) -> usize {
        self.graph.formulas.len()
    }

    /// Returns `true` if [`Self::run`] would calculate something, or if there are too many formulas to know. The graph
    /// is used up if so.
    pub(crate) fn has_work(&mut self, seeds: &[Seed], has_moved: bool) -> bool {
        self.is_full() || !self.graph.dirty(seeds, has_moved).is_empty()
    }

    /// Returns `true` if a formula of the workbook has no stored value.
    pub(crate) fn has_new(&self) -> bool {
        self.graph.formulas.iter().any(|it| it.is_new)
    }

    /// Returns a calculation of the formulas that have no stored value and of what depends on them; `None` if all have one.
    pub(crate) fn of_new(book: &Book) -> Option<Self> {
        let mut session = Self::new(book);
        if !session.has_new() {
            return None;
        }
        session.run(book, &[], &[], false);
        Some(session)
    }

    /// Returns `true` if a formula of the workbook has another value in each world.
    pub(crate) fn depends_on_world(&self) -> bool {
        self.graph.formulas.iter().any(|it| it.depends_on_world)
    }

    /// Returns a calculation of the formulas without a stored value, of those that have other values in each world, and of what
    /// depends on them.
    pub(crate) fn of_now(book: &Book) -> Self {
        let mut session = Self::new(book);
        session.graph.refreshes = true;
        session.run(book, &[], &[], false);
        session
    }

    /// Returns `true` if the bytes of a text were counted that differ between languages of Excel.
    pub(crate) fn has_counted_bytes(&self) -> bool {
        self.environment.has_counted_bytes.get()
    }

    /// Returns `true` if a forecast was calculated.
    pub(crate) fn has_forecasts(&self) -> bool {
        self.environment.has_forecasts.get()
    }

    /// Returns `true` if the workbook has too many formulas, so that none is calculated.
    pub(crate) fn is_full(&self) -> bool {
        self.graph.is_full
    }

    /// Sets the value of a cell, in place of what is in the file.
    pub(crate) fn set(&mut self, book: &Book, sheet: usize, at: At, value: Scalar) {
        self.grid.load_columns(book, sheet, &[(at.column, at.column)]);
        self.grid.set(sheet, at, value);
    }

    pub(crate) fn value(&mut self, book: &Book, sheet: usize, at: At) -> Scalar {
        self.grid.load_columns(book, sheet, &[(at.column, at.column)]);
        self.grid.get(sheet, at).unwrap_or_default()
    }

    /// Returns the cells that a formula reads.
    pub(crate) fn precedents(&mut self, sheet: usize, at: At) -> Vec<(usize, Area)> {
        match self.graph.find(sheet, at) {
            Some(index) => self.graph.precedents(index),
            None => Vec::new(),
        }
    }

    /// Returns the formulas that depend on changed cells. The graph is used up.
    pub(crate) fn dependents(&mut self, seeds: &[Seed]) -> Vec<(usize, At)> {
        let all = self.graph.reached(seeds, Vec::new());
        let formulas = all.into_iter().map(|it| &self.graph.formulas[it]);
        formulas.map(|it| (it.sheet, it.at)).collect()
    }

    /// Evaluates one formula for a cell, without storing it; `true` if it spreads over several cells.
    pub(crate) fn preview(
        &mut self,
        book: &Book,
        sheet: usize,
        at: At,
        tree: &Expr,
    ) -> Result<(Result<Scalar, Rc<Array>>, bool), Stop> {
        if let Some(index) = self.graph.find(sheet, at) {
            self.load(book, &[index]);
        }
        loop {
            let mut evaluator = Evaluator::new(&mut self.grid, &self.environment, sheet, at);
            evaluator.is_array = true;
            match evaluator.run(tree) {
                Err(Stop::Unread(sheet)) => self.grid.load(book, sheet),
                Err(stop) => self.read(book, stop)?,
                Ok(value) => {
                    let spreads = evaluator.spreads || value.is_err();
                    return Ok((value, spreads));
                }
            }
        }
    }

    /// Reads the columns that formulas name, and their own.
    fn load(&mut self, book: &Book, formulas: &[usize]) {
        let mut wanted: BTreeMap<usize, BTreeSet<(u32, u32)>> = BTreeMap::new();
        for &index in formulas {
            let mut areas = self.graph.precedents(index);
            let formula = &self.graph.formulas[index];
            let own = Area::cell(formula.at.row, formula.at.column);
            areas.push((formula.sheet, own));
            areas.extend(formula.array.map(|it| (formula.sheet, it.0)));
            for (sheet, area) in areas {
                wanted.entry(sheet).or_default().insert((area.first.column, area.last.column));
            }
        }
        for (sheet, columns) in wanted {
            self.grid.load_columns(book, sheet, &columns.into_iter().collect::<Vec<_>>());
        }
    }

    /// Calculates everything that depends on changed cells. `fixed` are cells whose formulas do not count;
    /// `has_moved` if rows, columns or sheets have moved.
    pub(crate) fn run(
        &mut self,
        book: &Book,
        seeds: &[Seed],
        fixed: &[(usize, At)],
        has_moved: bool,
    ) {
        let dirty = self.graph.dirty(seeds, has_moved);
        let is_fixed =
            |it: &Formula| fixed.iter().any(|(sheet, at)| *sheet == it.sheet && *at == it.at);
        let dirty: Vec<usize> =
            dirty.into_iter().filter(|it| !is_fixed(&self.graph.formulas[*it])).collect();
        if dirty.is_empty() {
            return;
        }
        self.load(book, &dirty);
        self.look_at_rows(book);
        let mut before = vec![Scalar::Empty; self.graph.formulas.len()];
        self.states = vec![State::Kept; self.graph.formulas.len()];
        let mut waiting: BTreeMap<(usize, u32), Waiting> = BTreeMap::new();
        for index in &dirty {
            let formula = &self.graph.formulas[*index];
            let (sheet, at) = (formula.sheet, formula.at);
            before[*index] = self.grid.get(sheet, at).unwrap_or_default();
            let column = waiting.entry((sheet, at.column)).or_default();
            column.next.push(column.rows.len() as u32);
            column.rows.push(at.row);
            column.formulas.push(*index as u32);
            self.states[*index] = State::New;
        }
        for index in &dirty {
            let formula = &self.graph.formulas[*index];
            self.grid.set_pending(formula.sheet, formula.at);
        }
        let mut stack = Vec::new();
        for index in dirty {
            stack.push(index);
            while let Some(&index) = stack.last() {
                match self.states[index] {
                    State::New => {
                        self.states[index] = State::Open;
                        self.push_precedents(index, &mut waiting, &mut stack);
                    }
                    State::Open => {
                        let old = before[index].clone();
                        match self.calculate(index, &old) {
                            Err(Stop::Needs(sheet, at)) => match self.graph.find(sheet, at) {
                                Some(needed) if self.states[needed] == State::New => {
                                    stack.push(needed)
                                }
                                _ => self.fail(index, old, Stop::Circular),
                            },
                            // What formulas read beyond the cells that they name, as INDIRECT does.
                            Err(Stop::Unread(sheet)) => self.grid.load(book, sheet),
                            Err(stop) => {
                                if let Err(stop) = self.read(book, stop) {
                                    self.fail(index, old, stop);
                                }
                            }
                            Ok(()) => self.states[index] = State::Done,
                        }
                    }
                    _ => drop(stack.pop()),
                }
            }
        }
    }

    /// Puts the formulas on the stack that a formula reads and that are not calculated yet, the first of them on top.
    fn push_precedents(
        &mut self,
        index: usize,
        waiting: &mut BTreeMap<(usize, u32), Waiting>,
        stack: &mut Vec<usize>,
    ) {
        let start = stack.len();
        for (sheet, area) in self.graph.precedents(index) {
            let columns = waiting.range_mut((sheet, area.first.column)..=(sheet, area.last.column));
            for (_, column) in columns {
                let mut at = column.rows.partition_point(|row| *row < area.first.row);
                loop {
                    at = column.free(at);
                    if at >= column.rows.len() || column.rows[at] > area.last.row {
                        break;
                    }
                    let formula = column.formulas[at] as usize;
                    column.next[at] = at as u32 + 1;
                    if self.states[formula] == State::New {
                        stack.push(formula);
                    }
                    at += 1;
                }
            }
        }
        stack[start..].reverse();
    }

    fn fail(&mut self, index: usize, old: Scalar, stop: Stop) {
        let formula = &self.graph.formulas[index];
        let has_value = !formula.is_new;
        if has_value {
            self.grid.set(formula.sheet, formula.at, old)
        } else {
            // Formulas that read this cell must not take it as zero.
            self.grid.set_missing(formula.sheet, formula.at)
        }
        self.failures.push(Failure { sheet: formula.sheet, at: formula.at, stop, has_value });
        self.states[index] = State::Done;
    }

    fn calculate(&mut self, index: usize, old: &Scalar) -> Result<(), Stop> {
        let formula = &self.graph.formulas[index];
        let (sheet, at) = (formula.sheet, formula.at);
        if formula.is_data_table {
            return Err(Stop::Unsupported("a data table".to_owned()));
        }
        let Some(tree) = formula.tree.clone() else {
            return Err(Stop::Unsupported("a formula that cannot be read".to_owned()));
        };
        let array = formula.array;
        let mut evaluator = Evaluator::new(&mut self.grid, &self.environment, sheet, at);
        (evaluator.rows, evaluator.columns) = (formula.rows, formula.columns);
        evaluator.is_array = array.is_some();
        let value = evaluator.run(&tree)?;
        let Some((area, spills)) = array else {
            let value = match value {
                Ok(value) => value,
                // A plain formula shows the first value of an array.
                Err(array) => array.get(0, 0).clone(),
            };
            self.keep(index, at, old.clone(), value);
            return Ok(());
        };
        // Counted when the cells are written, so that a formula that is refused or tried again leaves the bound to others.
        let array_cells = self.array_cells.saturating_add(area.size());
        if array_cells > MAX_ARRAY_CELLS {
            return Err(Stop::Limit);
        }
        let result = match value {
            Ok(value) => Array { rows: 1, columns: 1, cells: vec![value] },
            Err(array) => (*array).clone(),
        };
        if spills && (result.rows as u32, result.columns as u32) != (area.rows(), area.columns()) {
            return Err(Stop::Unsupported("a dynamic array whose size changes".to_owned()));
        }
        for row in 0..area.rows() {
            for column in 0..area.columns() {
                let of = |at: u32, size: usize| if size == 1 { 0 } else { at as usize };
                let (source_row, source_column) =
                    (of(row, result.rows), of(column, result.columns));
                let value = if source_row < result.rows && source_column < result.columns {
                    result.get(source_row, source_column).clone()
                } else {
                    Scalar::Error(ErrorCode::NotAvailable)
                };
                let value = if value == Scalar::Empty { Scalar::Number(0.0) } else { value };
                let place = At { row: area.first.row + row, column: area.first.column + column };
                let before = if place == at { old.clone() } else { self.grid.get(sheet, place)? };
                self.keep(index, place, before, value);
            }
        }
        self.array_cells = array_cells;
        Ok(())
    }

    /// Keeps the value of a formula, or of another cell of its array.
    fn keep(&mut self, index: usize, at: At, before: Scalar, after: Scalar) {
        let formula = &self.graph.formulas[index];
        let (sheet, is_formula) = (formula.sheet, formula.at == at);
        let is_random = formula.is_random;
        // A value that differs only in its last digit keeps its bytes.
        let stored = if before.is_close(&after) { before.clone() } else { after.clone() };
        self.grid.set(sheet, at, stored);
        self.calculated.push(Calculated { sheet, at, before, after, is_formula, is_random });
    }

    /// Reads what a formula asks for besides values.
    ///
    /// # Errors
    /// It asks for nothing that can be read, or for too much.
    fn read(&mut self, book: &Book, stop: Stop) -> Result<(), Stop> {
        match stop {
            Stop::NeedsTexts(place) => self.read_texts(book, place),
            Stop::NeedsReading(sheet, at) => self.read_reading(book, sheet, at),
            Stop::NeedsLook(sheet, at) => self.read_look(book, sheet, at),
            Stop::NeedsPivots => self.read_pivots(book),
            stop => Err(stop),
        }
    }

    /// Reads the texts of formulas that a formula asks for.
    fn read_texts(&mut self, book: &Book, place: Place) -> Result<(), Stop> {
        let Place { sheet, area } = place;
        // An entry of the map counts like a text.
        let entries = area.size().saturating_mul(64);
        self.text_bytes = self.text_bytes.saturating_add(entries);
        if self.text_bytes > MAX_TEXTS {
            return Err(Stop::Limit);
        }
        for row in area.first.row..=area.last.row {
            for column in area.first.column..=area.last.column {
                let at = At { row, column };
                let text = self.graph.find(sheet, at).and_then(|it| self.text(book, it));
                self.text_bytes += text.as_ref().map_or(0, String::len) as u64;
                if self.text_bytes > MAX_TEXTS {
                    return Err(Stop::Limit);
                }
                self.environment.texts.insert((sheet, row, column), text.map(Rc::from));
            }
        }
        Ok(())
    }

    /// Reads the phonetic reading of a cell that a formula asks for.
    fn read_reading(&mut self, book: &Book, sheet: usize, at: At) -> Result<(), Stop> {
        let reading = book.reading(sheet, at);
        let bytes = reading.as_ref().map_or(0, |it| it.0.len() + it.1.len());
        self.text_bytes = self.text_bytes.saturating_add(64 + bytes as u64);
        if self.text_bytes > MAX_TEXTS {
            return Err(Stop::Limit);
        }
        let reading = reading.map(|(text, reading)| (Rc::from(text), Rc::from(reading)));
        self.environment.readings.insert((sheet, at.row, at.column), reading);
        Ok(())
    }

    /// Reads the format of a cell that a formula asks for, and the width of its column.
    fn read_look(&mut self, book: &Book, sheet: usize, at: At) -> Result<(), Stop> {
        let look = book.look(sheet, at);
        let bytes = look.as_ref().map_or(0, |it| it.code.len());
        self.text_bytes = self.text_bytes.saturating_add(128 + bytes as u64);
        if self.text_bytes > MAX_TEXTS {
            return Err(Stop::Limit);
        }
        self.environment.looks.insert((sheet, at.row, at.column), look);
        let width = book.column_width(sheet, at.column);
        self.environment.widths.insert((sheet, at.column), width);
        Ok(())
    }

    /// Reads the pivot tables of the workbook.
    fn read_pivots(&mut self, book: &Book) -> Result<(), Stop> {
        let (pivots, bytes) = book.pivot_tables().map_err(|error| {
            Stop::Unsupported(format!("a pivot table that cannot be read ({error})"))
        })?;
        self.text_bytes = self.text_bytes.saturating_add(bytes);
        if self.text_bytes > MAX_TEXTS {
            return Err(Stop::Limit);
        }
        self.environment.pivots = Some(pivots);
        Ok(())
    }

    /// Returns the text of a formula as Excel shows it.
    fn text(&self, book: &Book, index: usize) -> Option<String> {
        let Formula { sheet, at, rows, columns, array, .. } = self.graph.formulas[index];
        let row = u32::try_from(i64::from(at.row) - rows).ok()?;
        let column = u32::try_from(i64::from(at.column) - columns).ok()?;
        let source = book.sheets.get(sheet)?.text.as_ref()?.cell(At { row, column })?;
        let shown = shown_formula(&translated(&source.formula()?.text, rows, columns));
        Some(if matches!(array, Some((_, false))) { format!("{{{shown}}}") } else { shown })
    }

    /// Notes hidden rows and subtotals, if any formula wants them.
    fn look_at_rows(&mut self, book: &Book) {
        let mut subtotals: BTreeMap<usize, Vec<(u32, u32)>> = BTreeMap::new();
        for formula in &self.graph.formulas {
            if let Some(tree) = &formula.tree {
                let mut has_one = false;
                tree.walk(&mut |node| {
                    has_one |= matches!(node, Expr::Call(name, _) if matches!(&**name, "SUBTOTAL" | "AGGREGATE"));
                });
                if has_one {
                    subtotals
                        .entry(formula.sheet)
                        .or_default()
                        .push((formula.at.row, formula.at.column));
                }
            }
        }
        if subtotals.is_empty() {
            return;
        }
        for (index, sheet) in book.sheets.iter().enumerate() {
            let Some(text) = &sheet.text else { continue };
            let mut hidden = Vec::new();
            for row in &text.rows {
                let head = crate::book::head_tag(text.row_text(row));
                if head.contains("hidden")
                    && first_tag(head)
                        .and_then(|tag| tag.attribute("hidden"))
                        .is_some_and(|it| matches!(it, "1" | "true"))
                {
                    hidden.push(row.number);
                }
            }
            if !hidden.is_empty() {
                self.environment.hidden_rows.insert(index, hidden);
                if text.tail.contains("filterColumn") {
                    self.environment.filtered.push(index);
                }
            }
        }
        subtotals.values_mut().for_each(|it| it.sort_unstable());
        self.environment.subtotals = subtotals;
    }
}
