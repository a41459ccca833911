//! Finds the parts of a sheet that are repeated or depend on a condition: rows between marks, and rows that name a list.
//!
//! Only the outermost parts are planned; those within them follow when they stand in each copy.

use std::collections::{BTreeMap, BTreeSet};

use super::book::plain;
use super::grid::{Cell, Grid, Row};
use super::placeholder::{Token, spans};
use super::plan::{Draft, Marked, Planner, formula_tokens};
use super::refs::At;
use super::scope::{Binding, Level, Rows, Scope};
use crate::model::fill_values::FillValue;
use crate::shared::template::marks::IF;
use mitt_base::text;

/// Most parts in each other.
const MAX_NESTING: usize = 10;

/// Most marks around rows in one row. Each part of a row searches all cells of the row for names.
const MAX_MARKS: usize = 100;

/// Most items with lists in which names are searched.
const MAX_PROBES: usize = 1_000;

/// A mark around rows.
#[derive(Clone, Debug)]
struct RowMark {
    at: At,
    /// Its place among the tokens of its cell.
    token: usize,
    kind: MarkKind,
    /// `true` if its row has nothing but marks.
    is_alone: bool,
}

#[derive(Clone, Debug, PartialEq)]
enum MarkKind {
    Open(String),
    Unless(String),
    If(String),
    Else(Option<String>),
    Close(String),
}

impl MarkKind {
    fn of(token: &Token<'_>) -> Option<MarkKind> {
        Some(match token {
            Token::Text(_) | Token::Value(_) => return None,
            Token::Open(name) => MarkKind::Open((*name).to_owned()),
            Token::Unless(name) => MarkKind::Unless((*name).to_owned()),
            Token::If(condition) => MarkKind::If((*condition).to_owned()),
            Token::Else(condition) => MarkKind::Else(condition.map(str::to_owned)),
            Token::Close(name) => MarkKind::Close((*name).to_owned()),
        })
    }

    /// Returns the name of the mark that closes it.
    fn end(&self) -> &str {
        match self {
            MarkKind::Open(name) | MarkKind::Unless(name) | MarkKind::Close(name) => name,
            MarkKind::If(_) | MarkKind::Else(_) => IF,
        }
    }

    fn shown(&self) -> String {
        let line = text::one_line;
        match self {
            MarkKind::Open(name) => format!("{{{{#{}}}}}", line(name)),
            MarkKind::Unless(name) => format!("{{{{^{}}}}}", line(name)),
            MarkKind::If(condition) => format!("{{{{#if {}}}}}", line(condition)),
            MarkKind::Else(None) => "{{#else}}".to_owned(),
            MarkKind::Else(Some(condition)) => format!("{{{{#else if {}}}}}", line(condition)),
            MarkKind::Close(name) => format!("{{{{/{}}}}}", line(name)),
        }
    }
}

/// A part whose end is not reached yet.
struct OpenPart {
    open: RowMark,
    elses: Vec<RowMark>,
    /// `true` if it has marks of other parts.
    has_inner: bool,
}

/// A row that names fields of a list.
struct ListRow<'v> {
    row: u32,
    list: String,
    rows: Rows<'v>,
    is_group: bool,
}

impl<'a, 'v> Planner<'_, 'a, 'v> {
    /// Finds rows between marks, and rows that name a list.
    pub(super) fn marked(&mut self, sheet: usize, grid: &Grid<'a>) -> Draft<'v> {
        let mut draft = Draft::default();
        let mut open: Vec<OpenPart> = Vec::new();
        let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
        let mut named: Vec<ListRow<'v>> = Vec::new();
        for row in &grid.rows {
            let (marks, any) = self.marks(row);
            draft.has_placeholders |= any;
            counts.insert(row.number, marks.len());
            if marks.is_empty() {
                if open.is_empty() && any {
                    named.extend(self.named_list(sheet, row));
                }
                continue;
            }
            if let Some(mark) = marks.get(MAX_MARKS) {
                let place = self.place(sheet, mark.at);
                self.problems.other(format!(
                    "{place}: expected at most {MAX_MARKS} marks around rows in one row"
                ));
                continue;
            }
            for mark in marks {
                self.mark(sheet, (grid, &counts), mark, &mut open, &mut draft);
            }
        }
        if let Some(part) = open.first() {
            let place = self.place(sheet, part.open.at);
            let (shown, end) = (part.open.kind.shown(), part.open.kind.end());
            self.problems.other(format!("{place}: `{shown}` is not closed by `{{{{/{end}}}}}`"));
        }
        self.implied(sheet, named, &mut draft);
        draft
    }

    fn mark(
        &mut self,
        sheet: usize,
        (grid, counts): (&Grid<'a>, &BTreeMap<u32, usize>),
        mark: RowMark,
        open: &mut Vec<OpenPart>,
        draft: &mut Draft<'v>,
    ) {
        let place = self.place(sheet, mark.at);
        if let [outer, _, ..] = &mut open[..] {
            outer.has_inner = true;
        }
        match &mark.kind {
            MarkKind::Open(_) | MarkKind::Unless(_) | MarkKind::If(_) => {
                if let Some(outer) = open.first_mut() {
                    outer.has_inner = true;
                }
                if open.len() >= MAX_NESTING {
                    self.problems.other(format!(
                        "{place}: expected at most {MAX_NESTING} parts in each other"
                    ));
                    return;
                }
                open.push(OpenPart { open: mark, elses: Vec::new(), has_inner: false });
            }
            MarkKind::Else(_) => match open.last_mut() {
                Some(part) if matches!(part.open.kind, MarkKind::If(_)) => part.elses.push(mark),
                _ => self.problems.other(format!(
                    "{place}: `{}` stands outside of rows from `{{{{#if …}}}}` to `{{{{/if}}}}`",
                    mark.kind.shown()
                )),
            },
            MarkKind::Close(name) => match open.pop() {
                Some(part) if part.open.kind.end() == name => {
                    if open.is_empty() {
                        self.close(sheet, (grid, counts), part, mark, draft);
                    }
                }
                before => {
                    let opens = if name == IF {
                        "{{#if …}}".to_owned()
                    } else {
                        format!("{{{{#{name}}}}}")
                    };
                    self.problems.other(format!(
                        "{place}: `{{{{/{name}}}}}` closes what `{opens}` did not open"
                    ));
                    open.extend(before);
                }
            },
        }
    }

    /// Plans an outermost part.
    fn close(
        &mut self,
        sheet: usize,
        (grid, counts): (&Grid<'a>, &BTreeMap<u32, usize>),
        part: OpenPart,
        close: RowMark,
        draft: &mut Draft<'v>,
    ) {
        let own = |row: u32| {
            let marks = [&part.open, &close].into_iter().chain(&part.elses);
            marks.filter(|mark| mark.at.row == row).count()
        };
        let in_one_row = part.open.at.row == close.at.row;
        // A row that has marks of other parts as well stays until these are planned.
        let is_alone = |mark: &RowMark| {
            mark.is_alone && !in_one_row && counts.get(&mark.at.row) == Some(&own(mark.at.row))
        };
        let (open_alone, close_alone) = (is_alone(&part.open), is_alone(&close));
        let place = self.place(sheet, close.at);
        let first = part.open.at.row + u32::from(open_alone);
        let last = close.at.row - u32::from(close_alone);
        if first > last {
            return self.problems.other(format!(
                "{place}: expected rows between `{}` and `{}`",
                part.open.kind.shown(),
                close.kind.shown()
            ));
        }
        let marks = Marked {
            removed: [(&part.open, open_alone), (&close, close_alone)]
                .iter()
                .filter(|it| it.1)
                .map(|it| it.0.at.row)
                .collect(),
            consumed: [(&part.open, open_alone), (&close, close_alone)]
                .iter()
                .filter(|it| !it.1)
                .map(|it| (it.0.at, it.0.token))
                .collect(),
        };
        let scope = self.layout.scope(sheet, part.open.at.row);
        match &part.open.kind {
            MarkKind::Open(name) => {
                let value = self.values.find(name, &scope);
                let rows = match value {
                    None => return self.problems.missing(name, place),
                    Some(Binding::Value(FillValue::Empty)) => Rows::List(&[]),
                    Some(Binding::Value(value)) => match Rows::of(value) {
                        Some(rows) => rows,
                        None => {
                            return self.problems.other(format!(
                                "{place}: expected a list for `{name}`, got {}; rows that depend on a value are written from `{{{{#if {name}}}}}` to `{{{{/if}}}}`",
                                value.kind()
                            ));
                        }
                    },
                    Some(Binding::Number(_)) => {
                        return self
                            .problems
                            .other(format!("{place}: expected a list for `{name}`, got a number"));
                    }
                };
                let mut inner = grid.rows.iter().filter(|row| (first..=last).contains(&row.number));
                let extent = (part.open.at.row, close.at.row, name.clone());
                let is_group = part.has_inner
                    || *draft.nested.entry(extent).or_insert_with(|| {
                        inner.any(|row| self.names_nested(row, name, rows, &scope))
                    });
                draft.block((first, last), (name, rows, scope), is_group, marks);
            }
            MarkKind::Unless(name) => {
                let is_empty = match self.values.find(name, &scope) {
                    None => return self.problems.missing(name, place),
                    Some(Binding::Value(value)) => match value {
                        FillValue::Empty | FillValue::Bool(false) => true,
                        FillValue::Text(text) => text.is_empty(),
                        value => value.row_count() == Some(0),
                    },
                    Some(Binding::Number(_)) => false,
                };
                draft.condition([(first, last)].into_iter(), Some(0).filter(|_| is_empty), marks);
            }
            _ => self.condition(sheet, (first, last), part, marks, &scope, draft),
        }
    }

    /// Plans rows that depend on conditions.
    fn condition(
        &mut self,
        sheet: usize,
        (first, last): (u32, u32),
        part: OpenPart,
        mut marks: Marked,
        scope: &Scope<'v>,
        draft: &mut Draft<'v>,
    ) {
        let place = self.place(sheet, part.open.at);
        let mut conditions = Vec::new();
        if let MarkKind::If(condition) = &part.open.kind {
            conditions.push(Some(condition.clone()));
        }
        let mut branches = Vec::new();
        let mut start = first;
        for other in &part.elses {
            if !other.is_alone || other.at.row < start || other.at.row > last {
                let place = self.place(sheet, other.at);
                return self
                    .problems
                    .other(format!("{place}: `{}` needs a row of its own", other.kind.shown()));
            }
            if conditions.last() == Some(&None) {
                let place = self.place(sheet, other.at);
                return self.problems.other(format!(
                    "{place}: `{}` follows `{{{{#else}}}}`, which is the last case",
                    other.kind.shown()
                ));
            }
            if let MarkKind::Else(condition) = &other.kind {
                conditions.push(condition.clone());
            }
            branches.push((start, other.at.row - 1));
            marks.removed.push(other.at.row);
            start = other.at.row + 1;
        }
        branches.push((start, last));
        let held = self.values.branch(&conditions, scope, (&place, self.problems));
        draft.condition(branches.into_iter(), held, marks);
    }

    /// Returns the list whose fields the cells of a row name.
    fn named_list(&mut self, sheet: usize, row: &Row<'a>) -> Option<ListRow<'v>> {
        let scope = self.layout.scope(sheet, row.number);
        let mut found: Option<(String, Rows<'v>)> = None;
        for cell in &row.cells {
            for name in self.names(cell, &scope) {
                let Some((list, rows)) = self.values.list(&name, &scope) else { continue };
                match &found {
                    None => found = Some((list.to_owned(), rows)),
                    Some((first, known)) if first == list || known.is(&rows) => {}
                    Some((first, _)) => {
                        let place = self.place(sheet, row.at(cell.column));
                        self.problems.other(format!(
                            "{place}: expected a row for one list, got `{first}` and `{list}`"
                        ));
                    }
                }
            }
        }
        let (list, rows) = found?;
        let is_group = self.names_nested(row, &list, rows, &scope);
        Some(ListRow { row: row.number, list, rows, is_group })
    }

    /// Returns `true` if a row names a list within the items of a list.
    fn names_nested(&self, row: &Row<'a>, list: &str, rows: Rows<'v>, scope: &Scope<'v>) -> bool {
        let probe = |index: usize| -> Scope<'v> {
            let (outer, list) = (scope.clone(), list.into());
            Level::new(outer, list, rows, Some(index))
        };
        let names: BTreeSet<String> =
            row.cells.iter().flat_map(|cell| self.names(cell, scope)).collect();
        if names.is_empty() {
            return false;
        }
        let holds = |index: &usize| match rows {
            // Cells of tables are single values.
            Rows::Table(_) => false,
            Rows::List(items) => items.get(*index).is_some_and(holds_list),
        };
        // The first one finds lists that are not in the items.
        let first = (0..rows.count()).take(1);
        first.chain((1..rows.count()).filter(holds).take(MAX_PROBES)).any(|index| {
            let item = probe(index);
            names.iter().any(|name| self.values.list(name, &item).is_some())
        })
    }

    /// Plans the repetition of rows that name fields of a list. Rows of one list that follow each other are a group if any
    /// of
    /// them names a list within its items.
    fn implied(&mut self, sheet: usize, named: Vec<ListRow<'v>>, draft: &mut Draft<'v>) {
        let mut named = named.into_iter().peekable();
        while let Some(first) = named.next() {
            let mut run = vec![first];
            while let Some(next) = named.next_if(|next| {
                run.last().is_some_and(|last| next.row == last.row + 1 && next.list == last.list)
            }) {
                run.push(next);
            }
            let is_group = run.iter().any(|row| row.is_group);
            let (Some(top), Some(bottom)) = (run.first(), run.last()) else { continue };
            let scope = self.layout.scope(sheet, top.row);
            if is_group {
                let rows = (top.row, bottom.row);
                draft.block(rows, (&top.list, top.rows, scope), true, Marked::default());
                continue;
            }
            for row in &run {
                self.values.find(&row.list, &scope);
                let named = (&*row.list, row.rows, scope.clone());
                draft.block((row.row, row.row), named, false, Marked::default());
            }
        }
    }

    /// Returns the names in a cell whose lists repeat its row.
    fn names(&self, cell: &Cell<'a>, scope: &Scope<'v>) -> Vec<String> {
        let marks = self.values_in(cell);
        marks.iter().flat_map(|mark| self.values.names_of(mark, scope)).collect()
    }

    /// Returns the marks around rows in a row, and `true` if it has any placeholder.
    fn marks(&self, row: &Row<'a>) -> (Vec<RowMark>, bool) {
        let (mut marks, mut is_alone, mut any) = (Vec::new(), true, false);
        for cell in row.cells.iter().filter(|cell| !cell.is_empty()) {
            let Some(item) = self.templates.of(cell) else {
                any |= cell.formula().is_some_and(|(_, it)| !formula_tokens(&it).is_empty());
                is_alone = false;
                continue;
            };
            any = true;
            let (text, _) = plain(item);
            for (token, span) in spans(&text).iter().enumerate() {
                match (&span.token, MarkKind::of(&span.token)) {
                    (_, Some(kind)) => {
                        let at = row.at(cell.column);
                        marks.push(RowMark { at, token, kind, is_alone: false });
                    }
                    (Token::Text(text), None) => is_alone &= text.trim().is_empty(),
                    (_, None) => is_alone = false,
                }
            }
        }
        marks.iter_mut().for_each(|mark| mark.is_alone = is_alone);
        (marks, any)
    }
}

/// Returns `true` if an item has a list, at any depth.
fn holds_list(item: &FillValue) -> bool {
    match item {
        FillValue::List(_) | FillValue::Table(_) => true,
        FillValue::Record(entries) => entries.iter().any(|(_, value)| holds_list(value)),
        _ => false,
    }
}
