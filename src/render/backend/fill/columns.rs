//! Columns that are repeated for the items of a list: `{{months.*}}` in a cell, `{{items.amounts.*}}` below.
//!
//! The whole column is repeated to the right. Of its cells, those from a placeholder down to the first empty cell are
//! repeated; the others stay in the first copy.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::book::{Book, plain};
use super::formula::sheet_name;
use super::grid::{Cell, Grid, Row};
use super::layout::{Layout, MAX_WRITTEN};
use super::model::{CellPosition, Content, Maker, OutCell, OutRow, OutSheet};
use super::model_formulas::{Shared, shared_formulas};
use super::moves::{Block, Moves};
use super::placeholder::{Token, spans, tokens};
use super::plan::Templates;
use super::problems::Problems;
use super::refs::{self, At};
use super::rich::rich;
use super::scope::{Binding, Level, Scope, Values};
use super::shift::Axis;
use super::value::CellValue;
use crate::FillValue;
use crate::shared::template::each::{EACH, lists_of};
use crate::shared::xml_tokens::{TagKind, XmlToken, set_attribute, xml_tokens};

/// Most nested lists in which the number of items is searched.
const MAX_LISTS: usize = 4;

/// Repeated columns of a sheet.
#[derive(Default)]
pub(super) struct ColumnPlan {
    pub(super) moves: Moves,
    /// First and last rows of the cells that are repeated, by the column.
    runs: BTreeMap<u32, Vec<(u32, u32)>>,
}

impl ColumnPlan {
    fn repeats(&self, column: u32, row: u32) -> bool {
        let runs = self.runs.get(&column).map(Vec::as_slice).unwrap_or_default();
        runs.iter().any(|(first, last)| (*first..=*last).contains(&row))
    }
}

/// Plans all sheets; `None` if no column is repeated.
pub(super) fn plan<'a, 'v>(
    (book, grids, templates): (&Book, &[Option<Grid<'a>>], &Templates<'a>),
    (values, layout): (&Values<'v>, &mut Layout<'v>),
    problems: &mut Problems,
) -> Option<Vec<ColumnPlan>> {
    let mut plans = Vec::new();
    let mut any = false;
    for (sheet, grid) in grids.iter().enumerate() {
        let mut found: BTreeMap<u32, Vec<(u32, Vec<String>)>> = BTreeMap::new();
        for row in grid.iter().flat_map(|grid| &grid.rows) {
            for cell in &row.cells {
                let lists = lists_in(cell, templates);
                if !lists.is_empty() {
                    found.entry(cell.column).or_default().push((row.number, lists));
                }
            }
        }
        let (Some(grid), false) = (grid, found.is_empty()) else {
            plans.push(ColumnPlan::default());
            continue;
        };
        any = true;
        let name = book.sheets.get(sheet).map_or("", |it| it.name.as_str());
        let scope = layout.sheet_scope(sheet);
        let (mut blocks, mut runs) = (Vec::new(), BTreeMap::new());
        for (column, rows) in found {
            let mut counts = Vec::new();
            for (row, lists) in &rows {
                let place = layout.place(sheet, name, At { row: *row, column });
                for list in lists {
                    if let Some(count) =
                        longest(values, list, &scope, (&place, problems), MAX_LISTS)
                    {
                        counts.push((count, list, place.clone()));
                    }
                }
            }
            let by = counts.iter().find(|it| it.0.is_direct).or(counts.first());
            let Some((by, by_list, _)) = by.cloned() else { continue };
            for (count, list, place) in &counts {
                if count.items > by.items || count.is_direct && count.items != by.items {
                    problems.other(format!(
                        "{place}: expected as many items in `{list}` as in `{by_list}`, {}, got {}",
                        by.items, count.items
                    ));
                }
            }
            blocks.push(Block {
                first: column,
                last: column,
                copies: u32::try_from(by.items.max(1)).unwrap_or(u32::MAX),
                list: by_list.clone(),
                appends: false,
                is_group: false,
            });
            let rows: Vec<u32> = rows.iter().map(|it| it.0).collect();
            runs.insert(column, runs_of(grid, column, &rows, templates));
        }
        let moves = Moves::new(blocks, Vec::new());
        let width = grid.rows.iter().filter_map(|row| row.cells.last()).map(|cell| cell.column);
        let width = width.max().unwrap_or(1);
        if moves.last(width) > refs::MAX_COLUMN {
            problems.other(format!(
                "{}: expected at most {} columns, got {}; put the items into rows",
                sheet_name(name),
                refs::MAX_COLUMN,
                moves.last(width)
            ));
        }
        let plan = ColumnPlan { moves, runs };
        let written = grid.rows.iter().flat_map(|row| &row.cells).filter_map(|cell| {
            let block = plan.moves.blocks().get(plan.moves.block(cell.column)?)?;
            Some(u64::from(block.copies))
        });
        layout.left = layout.left.saturating_sub(written.fold(0, u64::saturating_add));
        if layout.left == 0 {
            problems.other(format!("at most {MAX_WRITTEN} cells are written"));
        }
        plans.push(plan);
    }
    any.then_some(plans)
}

fn lists_in<'a>(cell: &Cell<'a>, templates: &Templates<'a>) -> Vec<String> {
    if let Some((_, formula)) = cell.formula() {
        return if formula.contains(EACH) && formula.contains('"') {
            lists_of(&formula)
        } else {
            Vec::new()
        };
    }
    match templates.of(cell) {
        Some(item) if item.contains('*') => lists_of(&plain(item).0),
        _ => Vec::new(),
    }
}

/// The number of items of a list.
#[derive(Clone, Copy)]
struct Count {
    items: usize,
    /// `true` if it is no part of the items of another list.
    is_direct: bool,
}

/// Returns the number of items of a list, or the largest over all items of the list around it.
fn longest<'v>(
    values: &Values<'v>,
    list: &str,
    scope: &Scope<'v>,
    (place, problems): (&str, &mut Problems),
    depth: usize,
) -> Option<Count> {
    let outer = values.list(list, scope).filter(|(outer, _)| *outer != list && depth > 0);
    let Some((outer, rows)) = outer else {
        return match values.find(list, scope) {
            Some(Binding::Value(FillValue::Empty)) => Some(Count { items: 0, is_direct: true }),
            Some(Binding::Value(value)) => match value.row_count() {
                Some(items) => Some(Count { items, is_direct: true }),
                None => {
                    problems.other(format!(
                        "{place}: expected a list for `{list}{EACH}`, got {}",
                        value.kind()
                    ));
                    None
                }
            },
            Some(Binding::Number(_)) => None,
            None => {
                problems.missing(list, place.to_owned());
                None
            }
        };
    };
    let mut items = 0;
    for index in 0..rows.count() {
        let (outer_scope, name) = (scope.clone(), Rc::from(outer));
        let level: Scope<'v> = Level::new(outer_scope, name, rows, Some(index));
        let found = longest(values, list, &level, (place, problems), depth - 1)?;
        items = items.max(found.items);
    }
    Some(Count { items, is_direct: false })
}

/// Returns the rows of a column that are repeated: from each placeholder down to the first empty cell. Rows with nothing
/// but marks
/// do not end them.
fn runs_of<'a>(
    grid: &Grid<'a>,
    column: u32,
    marked: &[u32],
    templates: &Templates<'a>,
) -> Vec<(u32, u32)> {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for first in marked {
        if runs.last().is_some_and(|(_, last)| last >= first) {
            continue;
        }
        let (mut last, mut next) = (*first, *first + 1);
        while let Some(row) = grid.row(next) {
            if row.cell(column).is_some_and(|cell| !cell.is_empty()) {
                last = next;
            } else if !has_marks_only(row, templates) {
                break;
            }
            next += 1;
        }
        runs.push((*first, last));
    }
    runs
}

fn has_marks_only<'a>(row: &Row<'a>, templates: &Templates<'a>) -> bool {
    let mut any = false;
    let all = row.cells.iter().filter(|cell| !cell.is_empty()).all(|cell| {
        any = true;
        templates.of(cell).is_some_and(|item| {
            tokens(&plain(item).0).iter().all(|token| match token {
                Token::Text(text) => text.trim().is_empty(),
                token => token.is_mark(),
            })
        })
    });
    all && any
}

/// Returns a sheet with its columns repeated.
pub(super) fn sheet<'p, 'a, 'v>(
    maker: &mut Maker<'p, 'a, 'v>,
    sheet: usize,
    grid: &Grid<'a>,
    plan: &ColumnPlan,
) -> OutSheet<'a> {
    let shared = shared_formulas(grid);
    let mut out =
        OutSheet { rows: Vec::new(), changed: !plan.moves.is_nothing() || !plan.runs.is_empty() };
    for row in &grid.rows {
        let mut cells = Vec::with_capacity(row.cells.len());
        for cell in &row.cells {
            let old = row.at(cell.column);
            let block = plan.moves.block(old.column);
            let copies = block.and_then(|at| plan.moves.blocks().get(at)).map_or(1, |it| it.copies);
            let repeats = plan.repeats(old.column, old.row);
            for copy in 0..copies {
                let new = At { column: plan.moves.copy(old.column, copy), ..old };
                let content = match (copy, block) {
                    (copy, Some(_)) if copy > 0 && !repeats => {
                        if cell.style() == 0 {
                            continue;
                        }
                        Content::Value { cell_value: CellValue::Empty, style: cell.style() }
                    }
                    (copy, Some(at)) if repeats => {
                        let moves = maker.shift.moves.get(sheet);
                        let block = moves.and_then(|moves| moves.blocks().get(at));
                        let copy = block.map(|block| (block, copy));
                        self::cell(maker, (sheet, old, new), cell, copy, &shared)
                    }
                    _ => self::cell(maker, (sheet, old, new), cell, None, &shared),
                };
                out.changed |= match &content {
                    Content::Same(_) => old != new,
                    Content::Value { .. } => true,
                    Content::Formula(formula) => !formula.same || old != new,
                };
                cells.push(OutCell { column: new.column, content });
            }
        }
        out.rows.push(OutRow {
            number: row.number,
            before: row.number,
            copy: None,
            fresh: false,
            tag: Some(row.tag),
            rest: row.rest,
            cells,
        });
    }
    out
}

fn cell<'p, 'a>(
    maker: &mut Maker<'p, 'a, '_>,
    (sheet, old, new): (usize, At, At),
    cell: &Cell<'a>,
    copy: Option<(&'p Block, u32)>,
    shared: &Shared,
) -> Content<'a> {
    let number = copy.map_or(1, |(_, copy)| copy + 1);
    if let Some((tag, text)) = cell.formula() {
        let place = CellPosition { sheet, old, new, copy, scope: None };
        let mut content = maker.formula(&place, cell, (tag, text), shared);
        if let Content::Formula(formula) = &mut content
            && copy.is_some()
            && formula.text.contains(EACH)
        {
            formula.text = numbered(&formula.text, number);
            formula.same = false;
        }
        return content;
    }
    let Some(item) = maker.templates.of(cell).filter(|item| copy.is_some() && item.contains('*'))
    else {
        return Content::Same(*cell);
    };
    let (text, _) = plain(item);
    let new: Vec<_> = spans(&text)
        .iter()
        .filter(|it| matches!(it.token, Token::Value(mark) if mark.contains(EACH)))
        .filter_map(|it| Some((it.start, it.end, numbered(text.get(it.start..it.end)?, number))))
        .collect();
    if new.is_empty() {
        Content::Same(*cell)
    } else {
        Content::Value { cell_value: CellValue::Rich(rich(item, &new)), style: cell.style() }
    }
}

/// Names the item with this number where a placeholder names each.
fn numbered(text: &str, number: u32) -> String {
    let mut out = String::new();
    for span in spans(text) {
        let source = text.get(span.start..span.end).unwrap_or_default();
        match span.token {
            Token::Value(_) => out.push_str(&source.replace(EACH, &format!(".{number}"))),
            _ => out.push_str(source),
        }
    }
    out
}

/// Returns the part before the rows with the widths of columns where they are now.
pub(super) fn widths(head: &str, moves: &Moves) -> String {
    let mut out = String::with_capacity(head.len());
    for token in xml_tokens(head) {
        let tag = match token {
            XmlToken::Tag(tag) if tag.opens("col") && tag.kind != TagKind::Close => tag,
            XmlToken::Tag(tag) => {
                out.push_str(tag.raw);
                continue;
            }
            XmlToken::Text(text) | XmlToken::Other(text) => {
                out.push_str(text);
                continue;
            }
        };
        let (Some(first), Some(last)) = (tag.number("min"), tag.number("max")) else {
            out.push_str(tag.raw);
            continue;
        };
        let mut add = |first: u32, last: u32| {
            let last = last.min(refs::MAX_COLUMN);
            if first <= last {
                let text = set_attribute(tag.raw, "min", &first.to_string());
                out.push_str(&set_attribute(&text, "max", &last.to_string()));
            }
        };
        add(moves.first(first), moves.last(last));
    }
    out
}

/// Notes what the pass made of the sheets.
pub(super) fn note(layout: &mut Layout<'_>, plans: Vec<ColumnPlan>) {
    for (sheet, plan) in layout.sheets.iter_mut().zip(plans) {
        if plan.runs.is_empty() {
            continue;
        }
        let width = plan.moves.blocks().last().map_or(0, |block| block.last + 256);
        for column in 1..=width {
            let copies = plan.moves.block(column).and_then(|at| plan.moves.blocks().get(at));
            for copy in 0..copies.map_or(1, |block| block.copies) {
                sheet.columns.insert(plan.moves.copy(column, copy), column);
            }
        }
        sheet.moves.push((Axis::Columns, plan.moves));
        sheet.is_new = true;
    }
}
