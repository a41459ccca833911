//! Finds results of formulas that are outdated, and calculates the simple ones anew.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::book::{Book, plain};
use super::evaluate::{Cells, Value, evaluate};
use super::formula::{Reference, references};
use super::model::{Cached, Content, OutSheet};
use super::plan::Templates;
use super::refs::{self, Area, At};
use super::shift::{From, Shift};
use super::value::CellValue;
use crate::shared::xml_tokens::unescape;

/// Most rounds of the search for dependent formulas; with longer chains, all are taken as outdated.
const MAX_ROUNDS: usize = 50;
/// Most cells that all formulas together read: a running total of 100 000 rows would read five billion.
const MAX_READS: u64 = 20_000_000;
/// Most formulas that depend on each other.
const MAX_DEPTH: u32 = 100;

/// Position of a formula in the model: sheet, row and cell.
type Spot = (usize, usize, usize);

/// Calculates formulas. Returns the sheets with changed results, and `true` if there are formulas at all.
pub(super) fn calculate(
    (book, names): (&Book, &Names),
    templates: &Templates<'_>,
    sheets: &mut [Option<OutSheet<'_>>],
    changed: &mut Changed,
) -> bool {
    let all = formulas(book, sheets);
    let any = !all.is_empty();
    let stale = stale(&all, changed);
    let mut results = Results {
        book,
        names,
        templates,
        sheets,
        waiting: stale.iter().map(|at| ((all[*at].sheet, all[*at].at), None)).collect(),
        depth: 0,
        reads: MAX_READS,
    };
    for at in &stale {
        let formula = &all[*at];
        results.calculated(formula.sheet, formula.at, formula.spot);
    }
    let results = results.waiting;
    for at in stale {
        let formula = &all[at];
        let new = match results.get(&(formula.sheet, formula.at)) {
            Some(Some(Outcome::Known(value))) => Cached::New(cell_value(value)),
            _ => Cached::Gone,
        };
        let (sheet, row, cell) = formula.spot;
        let Some(Some(out)) = sheets.get_mut(sheet) else { continue };
        let cell = out.rows.get_mut(row).and_then(|row| row.cells.get_mut(cell));
        if let Some(Content::Formula(found)) = cell.map(|cell| &mut cell.content) {
            found.result = new;
            out.changed = true;
        }
    }
    any
}

/// Names of the workbook that stand for one area.
pub(super) struct Names(HashMap<String, Reference>);

impl Names {
    pub(super) fn new(shift: &Shift<'_>) -> Names {
        let mut names = HashMap::new();
        let mut twice = Vec::new();
        for defined in &shift.book.names {
            let formula = shift.formula(&defined.formula, From::default()).0;
            let (mut found, others) =
                references(formula.as_ref().unwrap_or(&defined.formula).trim());
            let name = defined.name.to_lowercase();
            let one =
                found.pop().filter(|it| found.is_empty() && !others.any && it.sheet.is_some());
            match one {
                Some(reference) if !names.contains_key(&name) => {
                    drop(names.insert(name, reference))
                }
                // A name may have another meaning in each sheet.
                _ => twice.push(name),
            }
        }
        twice.iter().for_each(|name| drop(names.remove(name)));
        Names(names)
    }
}

/// Cells whose values changed: rows by sheet and column.
#[derive(Default)]
pub(super) struct Changed(BTreeMap<(usize, u32), BTreeSet<u32>>);

impl Changed {
    pub(super) fn add(&mut self, sheet: usize, at: At) -> bool {
        self.0.entry((sheet, at.column)).or_default().insert(at.row)
    }

    fn touches(&self, sheet: usize, area: Area) -> bool {
        let columns = self.0.range((sheet, area.first.column)..=(sheet, area.last.column));
        columns
            .into_iter()
            .any(|(_, rows)| rows.range(area.first.row..=area.last.row).next().is_some())
    }

    /// Returns `true` if anything in an area of a sheet changed.
    pub(super) fn has(&self, sheet: usize, area: Area) -> bool {
        self.touches(sheet, area)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

struct FormulaCell {
    sheet: usize,
    at: At,
    spot: Spot,
    areas: Vec<(usize, Area)>,
    /// `true` if it depends on more than its references.
    has_other_dependencies: bool,
}

fn formulas(book: &Book, sheets: &[Option<OutSheet<'_>>]) -> Vec<FormulaCell> {
    let mut all = Vec::new();
    for (sheet, out) in sheets.iter().enumerate() {
        for (number, row) in out.iter().flat_map(|out| out.rows.iter().enumerate()) {
            for (place, cell) in row.cells.iter().enumerate() {
                let Content::Formula(formula) = &cell.content else { continue };
                let (found, others) = references(&formula.text);
                let area = |it: &Reference| {
                    let target = match &it.sheet {
                        Some(name) => book.sheet(name)?,
                        None => sheet,
                    };
                    Some((target, it.area()))
                };
                all.push(FormulaCell {
                    sheet,
                    at: At { row: row.number, column: cell.column },
                    spot: (sheet, number, place),
                    areas: found.iter().filter_map(area).collect(),
                    has_other_dependencies: others.any || found.iter().any(|it| area(it).is_none()),
                });
            }
        }
    }
    all
}

/// Returns the formulas that directly or indirectly depend on changed cells.
fn stale(all: &[FormulaCell], changed: &mut Changed) -> Vec<usize> {
    if changed.is_empty() {
        return Vec::new();
    }
    let mut fresh: Vec<usize> = (0..all.len()).collect();
    let mut stale = Vec::new();
    for round in 0..=MAX_ROUNDS {
        let before = stale.len();
        fresh.retain(|at| {
            let formula = &all[*at];
            let depends = formula.has_other_dependencies
                || round == MAX_ROUNDS
                || changed.touches(formula.sheet, Area { first: formula.at, last: formula.at })
                || formula.areas.iter().any(|(sheet, area)| changed.touches(*sheet, *area));
            if depends {
                changed.add(formula.sheet, formula.at);
                stale.push(*at);
            }
            !depends
        });
        if stale.len() == before {
            break;
        }
    }
    stale.sort_unstable();
    stale
}

#[derive(Clone, Debug)]
enum Outcome {
    /// It is being calculated.
    Open,
    Unknown,
    Known(Value),
}

struct Results<'r, 'a> {
    book: &'r Book,
    names: &'r Names,
    templates: &'r Templates<'a>,
    sheets: &'r [Option<OutSheet<'a>>],
    waiting: HashMap<(usize, At), Option<Outcome>>,
    depth: u32,
    reads: u64,
}

impl<'a> Results<'_, 'a> {
    fn calculated(&mut self, sheet: usize, at: At, (number, row, cell): Spot) -> Option<Value> {
        let key = (sheet, at);
        match self.waiting.get(&key) {
            Some(Some(Outcome::Known(value))) => return Some(value.clone()),
            Some(Some(Outcome::Open | Outcome::Unknown)) => return None,
            Some(None) | None => {}
        }
        if self.depth >= MAX_DEPTH {
            return None;
        }
        self.waiting.insert(key, Some(Outcome::Open));
        let out = self.sheets.get(number).and_then(Option::as_ref);
        let found = out.and_then(|out| Some(&out.rows.get(row)?.cells.get(cell)?.content));
        let value = match found {
            Some(Content::Formula(formula))
                if !formula.tag.contains("t=\"array\"") && !formula.tag.contains("dataTable") =>
            {
                self.depth += 1;
                let text = formula.text.clone();
                let value = evaluate(&text, &mut Reading { results: self, sheet });
                self.depth -= 1;
                value
            }
            _ => None,
        };
        // A reference to an empty cell has the value zero.
        let value =
            value.map(|value| if value == Value::Empty { Value::Number(0.0) } else { value });
        let outcome = value.clone().map_or(Outcome::Unknown, Outcome::Known);
        self.waiting.insert(key, Some(outcome));
        value
    }

    /// Returns the value of a cell of the model.
    fn value(&mut self, sheet: usize, row: usize, cell: usize) -> Option<Value> {
        let out = self.sheets.get(sheet)?.as_ref()?;
        let line = out.rows.get(row)?;
        let found = line.cells.get(cell)?;
        match &found.content {
            Content::Value { cell_value, .. } => Some(match cell_value {
                CellValue::Empty => Value::Empty,
                CellValue::Number(number) => Value::Number(number.parse().ok()?),
                CellValue::Bool(value) => Value::Bool(*value),
                CellValue::Text(text) => Value::Text(text.clone()),
                CellValue::Rich(xml) => Value::Text(plain(xml).0),
            }),
            Content::Same(cell) => self.stood(cell),
            Content::Formula(formula) => {
                let at = At { row: line.number, column: found.column };
                if self.waiting.contains_key(&(sheet, at)) {
                    self.calculated(sheet, at, (sheet, row, cell))
                } else {
                    self.stood(&formula.cell)
                }
            }
        }
    }

    /// Returns the previous value of a cell.
    fn stood(&self, cell: &super::grid::Cell<'a>) -> Option<Value> {
        let raw = cell.element("v");
        match cell.kind() {
            "s" | "inlineStr" => Some(Value::Text(self.templates.text(cell))),
            "str" => Some(Value::Text(super::book::decoded(&unescape(raw.unwrap_or_default())))),
            "b" => Some(Value::Bool(raw?.trim() == "1")),
            "e" | "d" => None,
            _ => match raw {
                Some(raw) => Some(Value::Number(raw.trim().parse().ok()?)),
                // A formula without a result is not an empty cell.
                None if cell.element("f").is_some() => None,
                None => Some(Value::Empty),
            },
        }
    }
}

struct Reading<'r, 's, 'a> {
    results: &'r mut Results<'s, 'a>,
    sheet: usize,
}

impl Cells for Reading<'_, '_, '_> {
    fn value(&mut self, reference: &Reference, at: At) -> Option<Value> {
        let mut all = self.values(reference, Area { first: at, last: at })?;
        Some(all.pop().unwrap_or(Value::Empty))
    }

    fn name(&self, name: &str) -> Option<Reference> {
        self.results.names.0.get(&name.to_lowercase()).cloned()
    }

    fn values(&mut self, reference: &Reference, area: Area) -> Option<Vec<Value>> {
        let sheet = match &reference.sheet {
            Some(name) => self.results.book.sheet(name)?,
            None => self.sheet,
        };
        let sheets = self.results.sheets;
        let out = sheets.get(sheet)?.as_ref()?;
        let first = out.rows.partition_point(|row| row.number < area.first.row);
        let mut values = Vec::new();
        for (number, row) in out.rows.iter().enumerate().skip(first) {
            if row.number > area.last.row {
                break;
            }
            let first = row.cells.partition_point(|cell| cell.column < area.first.column);
            for (place, cell) in row.cells.iter().enumerate().skip(first) {
                if cell.column > area.last.column {
                    break;
                }
                self.results.reads = self.results.reads.checked_sub(1)?;
                let value = self.results.value(sheet, number, place)?;
                if value != Value::Empty {
                    values.push(value);
                }
            }
        }
        Some(values)
    }
}

fn cell_value(value: &Value) -> CellValue {
    match value {
        Value::Empty => CellValue::Number("0".into()),
        // Turns negative zero into zero.
        Value::Number(number) => CellValue::Number(format!("{}", number + 0.0)),
        Value::Text(text) => CellValue::Text(text.clone()),
        Value::Bool(value) => CellValue::Bool(*value),
    }
}

/// Returns the areas in a formula of a chart, with their sheets.
pub(super) fn named_areas(book: &Book, formula: &str) -> Option<Vec<(usize, Area)>> {
    let (found, others) = references(formula);
    let area = |it: &Reference| Some((book.sheet(it.sheet.as_ref()?)?, it.area()));
    let all: Option<Vec<_>> = found.iter().map(area).collect();
    all.filter(|all| {
        !others.any && !all.is_empty() && all.iter().all(|it| it.1.last.row <= refs::MAX_ROW)
    })
}
