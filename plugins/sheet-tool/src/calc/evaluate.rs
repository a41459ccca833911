//! Evaluates the tree of a formula. Functions have their own modules; this one knows operators, references and names.

use super::coerce;
use super::functions;
use super::grid::{Grid, Place, Stop};
use crate::book::{CellLook, PivotTable};
use crate::formula::{Cells, Expr, Operator, Sheets};
use crate::refs::{Area, At};
use crate::value::{Array, ErrorCode, Scalar};
use crate::world::Draws;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Most cells of an array.
const MAX_ARRAY: u64 = 2_000_000;
/// Most cells of all arrays of one formula, 384 MB at most if all are kept.
const MAX_MADE: u64 = if cfg!(test) { 1_000_000 } else { 16_000_000 };
/// Most nested calls of the evaluator; a formula has at most 96 levels, names and LAMBDA add theirs.
const MAX_DEPTH: u32 = 180;

#[derive(Clone, Debug)]
pub(crate) enum Value {
    One(Scalar),
    Array(Rc<Array>),
    Cells(Vec<Place>),
    /// An argument that was left out.
    Missing,
    Lambda(Rc<Lambda>),
}

#[derive(Debug)]
pub(crate) struct Lambda {
    pub(crate) names: Vec<Rc<str>>,
    pub(crate) body: Expr,
    pub(crate) locals: Vec<(Rc<str>, Value)>,
    /// A function of Excel that is a value, as `SUM` in `BYROW(A1:C3,SUM)`; the other fields are empty then.
    pub(crate) function: Option<Rc<str>>,
}

pub(crate) type Outcome = Result<Value, Stop>;

impl Value {
    pub(crate) fn number(number: f64) -> Self {
        Self::One(coerce::finite(number).unwrap_or_else(Scalar::Error))
    }

    pub(crate) fn error(code: ErrorCode) -> Self {
        Self::One(Scalar::Error(code))
    }

    pub(crate) fn text(text: impl AsRef<str>) -> Self {
        Self::One(Scalar::text(text))
    }

    pub(crate) fn array(array: Array) -> Self {
        match array.cells.len() {
            0 => Self::error(ErrorCode::Calc),
            _ => Self::Array(Rc::new(array)),
        }
    }
}

impl From<Result<Scalar, ErrorCode>> for Value {
    fn from(result: Result<Scalar, ErrorCode>) -> Self {
        Self::One(result.unwrap_or_else(Scalar::Error))
    }
}

/// What formulas see of the workbook besides cells.
#[derive(Debug, Default)]
pub(crate) struct Environment {
    pub(crate) from_1904: bool,
    /// Date and time as a serial number, if they are known.
    pub(crate) now: Option<f64>,
    pub(crate) sheets: Vec<String>,
    /// Names with their scope, in lower case.
    pub(crate) names: BTreeMap<(Option<usize>, Rc<str>), Rc<Expr>>,
    /// Hidden rows of each sheet, sorted.
    pub(crate) hidden_rows: BTreeMap<usize, Vec<u32>>,
    /// Sheets whose rows are hidden by a filter.
    pub(crate) filtered: Vec<usize>,
    /// Cells of each sheet with a formula that has `SUBTOTAL`, sorted.
    pub(crate) subtotals: BTreeMap<usize, Vec<(u32, u32)>>,
    /// Seed of random numbers, if there are some.
    pub(crate) seed: Option<u64>,
    /// Areas that dynamic arrays fill, by the sheet, row and column of their formula.
    pub(crate) spills: BTreeMap<(usize, u32, u32), Area>,
    /// Texts of formulas that were asked for, by sheet, row and column; `None` where there is no formula.
    pub(crate) texts: BTreeMap<(usize, u32, u32), Option<Rc<str>>>,
    /// Text and phonetic reading of cells that were asked for; `None` where there is no text of its own.
    pub(crate) readings: BTreeMap<(usize, u32, u32), Option<(Rc<str>, Rc<str>)>>,
    /// Formats of cells that were asked for; `None` where a cell is not stored.
    pub(crate) looks: BTreeMap<(usize, u32, u32), Option<CellLook>>,
    /// Widths of columns of which a format was asked for, by sheet and column; `true` for the default.
    pub(crate) widths: BTreeMap<(usize, u32), (f64, bool)>,
    /// Pivot tables of the workbook, if they were asked for.
    pub(crate) pivots: Option<Vec<PivotTable>>,
    /// `true` if Excel calculates only when a user asks for it.
    pub(crate) is_manual: bool,
    /// `true` after the bytes of a text were counted that differ between languages of Excel.
    pub(crate) has_counted_bytes: Cell<bool>,
    /// `true` after a forecast was calculated, which Excel calculates in a way that is not published.
    pub(crate) has_forecasts: Cell<bool>,
}

pub(crate) struct Evaluator<'a> {
    pub(crate) grid: &'a mut Grid,
    pub(crate) environment: &'a Environment,
    pub(crate) sheet: usize,
    pub(crate) at: At,
    /// How far the formula is from the cell where it was written, as in a shared formula.
    pub(crate) rows: i64,
    pub(crate) columns: i64,
    /// `true` if ranges are calculated cell by cell, as in an array formula.
    pub(crate) is_array: bool,
    /// `true` after a range of several cells was calculated cell by cell.
    pub(crate) spreads: bool,
    pub(crate) locals: Vec<(Rc<str>, Value)>,
    /// Random numbers; `None` if there are none.
    draws: Option<Draws>,
    depth: u32,
    made: u64,
}

impl<'a> Evaluator<'a> {
    pub(crate) fn new(
        grid: &'a mut Grid,
        environment: &'a Environment,
        sheet: usize,
        at: At,
    ) -> Self {
        Self {
            grid,
            environment,
            sheet,
            at,
            rows: 0,
            columns: 0,
            is_array: false,
            spreads: false,
            locals: Vec::new(),
            draws: environment.seed.map(|seed| Draws::new(seed, sheet, at.row, at.column)),
            depth: 0,
            made: 0,
        }
    }

    /// Returns the value of a formula for its cell.
    pub(crate) fn run(&mut self, tree: &Expr) -> Result<Result<Scalar, Rc<Array>>, Stop> {
        let from_1904 = self.environment.from_1904;
        let calculate = || self.evaluate(tree).and_then(|value| self.operand(value));
        match coerce::with_date_system(from_1904, calculate)? {
            Value::One(Scalar::Empty) => Ok(Ok(Scalar::Number(0.0))),
            Value::One(value) => Ok(Ok(value)),
            Value::Array(array) => Ok(Err(array)),
            _ => Ok(Ok(Scalar::Error(ErrorCode::Calc))),
        }
    }

    pub(crate) fn evaluate(&mut self, tree: &Expr) -> Outcome {
        self.depth += 1;
        self.grid.work(1)?;
        if self.depth > MAX_DEPTH {
            return Err(Stop::Limit);
        }
        let value = self.node(tree);
        self.depth -= 1;
        value
    }

    fn node(&mut self, tree: &Expr) -> Outcome {
        Ok(match tree {
            Expr::Number(number) => Value::One(Scalar::Number(*number)),
            Expr::Text(text) => Value::One(Scalar::Text(text.clone())),
            Expr::Bool(value) => Value::One(Scalar::Bool(*value)),
            Expr::Error(code) => Value::error(*code),
            Expr::Missing => Value::Missing,
            Expr::Array(array) => Value::Array(array.clone()),
            Expr::Cells(cells) => self.cells(cells),
            Expr::Table(sheet, area) => Value::Cells(vec![Place { sheet: *sheet, area: *area }]),
            Expr::TableRow(sheet, area) => {
                let row = self.at.row;
                if (area.first.row..=area.last.row).contains(&row) {
                    let area = Area::new(row, area.first.column, row, area.last.column);
                    Value::Cells(vec![Place { sheet: *sheet, area }])
                } else {
                    Value::error(ErrorCode::Value)
                }
            }
            Expr::Name(name, scope) => return self.name(name, *scope),
            Expr::Minus(inner) => {
                let inner = self.evaluate(inner)?;
                return self.lift_one(inner, &|value| {
                    coerce::number(value).map(|it| Scalar::Number(0.0 - it))
                });
            }
            Expr::Plus(inner) => return self.evaluate(inner),
            Expr::Percent(inner) => {
                let inner = self.evaluate(inner)?;
                return self.lift_one(inner, &|value| {
                    coerce::number(value).map(|it| Scalar::Number(it / 100.0))
                });
            }
            Expr::Binary(..) => return self.chain(tree),
            Expr::Range(first, last) => {
                let (first, last) = (self.evaluate(first)?, self.evaluate(last)?);
                match (single(&first), single(&last)) {
                    (Some(first), Some(last)) if first.sheet == last.sheet => {
                        Value::Cells(vec![Place { area: first.area.join(&last.area), ..first }])
                    }
                    _ => Value::error(ErrorCode::Value),
                }
            }
            Expr::Intersection(first, last) => {
                let (first, last) = (self.evaluate(first)?, self.evaluate(last)?);
                let (Some(first), Some(last)) = (single(&first), single(&last)) else {
                    return Ok(Value::error(ErrorCode::Value));
                };
                match first.area.meet(&last.area).filter(|_| first.sheet == last.sheet) {
                    Some(area) => Value::Cells(vec![Place { area, ..first }]),
                    None => Value::error(ErrorCode::Null),
                }
            }
            Expr::Union(all) => {
                let mut places = Vec::new();
                for it in all {
                    match self.evaluate(it)? {
                        Value::Cells(more) => places.extend(more),
                        _ => {
                            return Err(Stop::Unsupported(
                                "a list of values in brackets".to_owned(),
                            ));
                        }
                    }
                }
                Value::Cells(places)
            }
            Expr::Call(name, arguments) => return functions::call(self, name, arguments),
            Expr::Apply(function, arguments) => {
                let function = self.evaluate(function)?;
                let mut values = Vec::new();
                for argument in arguments {
                    values.push(self.evaluate(argument)?);
                }
                return self.apply(&function, values);
            }
            Expr::Unsupported(what) => return Err(Stop::Unsupported((*what).to_owned())),
        })
    }

    /// Calculates operators from left to right. Their tree is as deep as there are operators, so it is not followed by calls.
    fn chain(&mut self, tree: &Expr) -> Outcome {
        let (mut links, mut first) = (Vec::new(), tree);
        while let Expr::Binary(operator, left, right) = first {
            links.push((*operator, right));
            first = left;
        }
        let mut value = self.evaluate(first)?;
        for (operator, right) in links.into_iter().rev() {
            let right = self.evaluate(right)?;
            value = self.lift_two(value, right, &|a, b| binary(operator, a, b))?;
        }
        Ok(value)
    }

    /// Counts the cells of an array that is made, so that one formula does not fill the memory.
    pub(crate) fn make(&mut self, cells: u64) -> Result<(), Stop> {
        self.made = self.made.saturating_add(cells);
        if cells > MAX_ARRAY || self.made > MAX_MADE {
            return Err(Stop::Limit);
        }
        self.grid.work(cells)
    }

    fn cells(&self, cells: &Cells) -> Value {
        let Some(area) = cells.area(self.rows, self.columns) else {
            return Value::error(ErrorCode::Ref);
        };
        let place = |sheet| Place { sheet, area };
        Value::Cells(match cells.sheets {
            Sheets::Own => vec![place(self.sheet)],
            Sheets::One(sheet) => vec![place(sheet)],
            Sheets::Span(first, last) => (first..=last).map(place).collect(),
        })
    }

    fn name(&mut self, name: &Rc<str>, scope: Option<usize>) -> Outcome {
        let plain = name.trim_start_matches("_xlpm.");
        if let Some((_, value)) = self.locals.iter().rev().find(|it| &*it.0 == plain) {
            return Ok(value.clone());
        }
        let scope = scope.unwrap_or(self.sheet);
        let environment = self.environment;
        let found = environment
            .names
            .get(&(Some(scope), name.clone()))
            .or_else(|| environment.names.get(&(None, name.clone())));
        let Some(tree) = found else {
            // Files have functions that others call with a prefix.
            let Some(function) = name.strip_prefix("_xleta.") else {
                return Ok(Value::error(ErrorCode::Name));
            };
            let function: Rc<str> = function.to_uppercase().into();
            if !functions::is_known(&function) {
                return Err(functions::unsupported(&function));
            }
            let (names, body, locals) = (Vec::new(), Expr::Missing, Vec::new());
            let lambda = Lambda { names, body, locals, function: Some(function) };
            return Ok(Value::Lambda(Rc::new(lambda)));
        };
        let locals = std::mem::take(&mut self.locals);
        // References of names count from A1 of the sheet; those that are not fixed are rare, and not calculated.
        let (rows, columns) = (self.rows, self.columns);
        (self.rows, self.columns) = (0, 0);
        let value = self.evaluate(tree);
        (self.rows, self.columns) = (rows, columns);
        self.locals = locals;
        value
    }

    /// Calls a function with the random numbers of the formula.
    pub(crate) fn draw<T>(
        &mut self,
        f: impl FnOnce(&mut Self, &mut Draws) -> Result<T, Stop>,
    ) -> Result<T, Stop> {
        let Some(mut draws) = self.draws.clone() else {
            return Err(Stop::Unsupported("random numbers".to_owned()));
        };
        let result = f(self, &mut draws);
        self.draws = Some(draws);
        result
    }

    /// Calls a LAMBDA.
    pub(crate) fn apply(&mut self, function: &Value, values: Vec<Value>) -> Outcome {
        let Value::Lambda(lambda) = function else {
            return Ok(match function {
                Value::One(Scalar::Error(code)) => Value::error(*code),
                _ => Value::error(ErrorCode::Value),
            });
        };
        if let Some(name) = &lambda.function {
            return self.apply_function(name, values);
        }
        if values.len() > lambda.names.len() {
            return Ok(Value::error(ErrorCode::Value));
        }
        let mut locals = lambda.locals.clone();
        for (index, name) in lambda.names.iter().enumerate() {
            locals.push((name.clone(), values.get(index).cloned().unwrap_or(Value::Missing)));
        }
        let old = std::mem::replace(&mut self.locals, locals);
        let value = self.evaluate(&lambda.body);
        self.locals = old;
        value
    }

    /// Calls a function of Excel with values.
    fn apply_function(&mut self, name: &str, values: Vec<Value>) -> Outcome {
        // By names that no formula can have.
        let locals = values.into_iter().enumerate();
        let locals: Vec<(Rc<str>, Value)> =
            locals.map(|(at, value)| (format!("\u{1}{at}").into(), value)).collect();
        let arguments: Vec<Expr> = locals.iter().map(|it| Expr::Name(it.0.clone(), None)).collect();
        let old = std::mem::replace(&mut self.locals, locals);
        let value = functions::call(self, name, &arguments);
        self.locals = old;
        value
    }

    /// Returns a value with which operators calculate: one value or an array.
    pub(crate) fn operand(&mut self, value: Value) -> Outcome {
        match value {
            Value::Missing => Ok(Value::One(Scalar::Empty)),
            Value::Lambda(_) => Ok(Value::error(ErrorCode::Calc)),
            Value::Cells(places) => {
                let [place] = places[..] else { return Ok(Value::error(ErrorCode::Value)) };
                if place.area.is_cell() {
                    return self.grid.get(place.sheet, place.area.first).map(Value::One);
                }
                if self.is_array {
                    self.spreads = true;
                    return self.array_of(place).map(|it| Value::Array(Rc::new(it)));
                }
                self.crossing(place)
            }
            Value::Array(array) if array.cells.len() == 1 => {
                Ok(Value::One(array.get(0, 0).clone()))
            }
            other => Ok(other),
        }
    }

    /// Returns the cell of a range in the row or column of the formula.
    pub(crate) fn crossing(&mut self, place: Place) -> Outcome {
        let Area { first, last } = place.area;
        let at = match (first.row == last.row, first.column == last.column) {
            (_, true) if (first.row..=last.row).contains(&self.at.row) => {
                At { row: self.at.row, column: first.column }
            }
            (true, _) if (first.column..=last.column).contains(&self.at.column) => {
                At { row: first.row, column: self.at.column }
            }
            _ => return Ok(Value::error(ErrorCode::Value)),
        };
        self.grid.get(place.sheet, at).map(Value::One)
    }

    /// Returns a range without the rows and columns behind the last ones that are used.
    pub(crate) fn clipped(&self, place: Place) -> Place {
        let mut area = place.area;
        let whole = area.rows() > 100_000 || area.columns() > 10_000;
        if whole {
            let rows = (0..self.environment.sheets.len()).map(|it| self.grid.last_row(it)).max();
            let columns =
                (0..self.environment.sheets.len()).map(|it| self.grid.last_column(it)).max();
            area.last.row = area.last.row.min(rows.unwrap_or(1).max(area.first.row));
            area.last.column = area.last.column.min(columns.unwrap_or(1).max(area.first.column));
        }
        Place { area, ..place }
    }

    pub(crate) fn array_of(&mut self, place: Place) -> Result<Array, Stop> {
        let place = self.clipped(place);
        let size = place.area.size();
        self.make(size)?;
        let (rows, columns) = (place.area.rows() as usize, place.area.columns() as usize);
        let mut cells = vec![Scalar::Empty; rows * columns];
        self.grid.visit(place, &mut |row, column, value| {
            cells[row as usize * columns + column as usize] = value;
        })?;
        Ok(Array { rows, columns, cells })
    }

    /// Returns any value as an array.
    pub(crate) fn as_values(&mut self, value: &Value) -> Result<Rc<Array>, Stop> {
        Ok(match value {
            Value::Array(array) => array.clone(),
            Value::One(one) => Rc::new(Array { rows: 1, columns: 1, cells: vec![one.clone()] }),
            Value::Cells(places) => match places[..] {
                [place] => Rc::new(self.array_of(place)?),
                _ => Rc::new(Array {
                    rows: 1,
                    columns: 1,
                    cells: vec![Scalar::Error(ErrorCode::Value)],
                }),
            },
            _ => Rc::new(Array { rows: 1, columns: 1, cells: vec![Scalar::Empty] }),
        })
    }

    /// Returns one value of an argument.
    pub(crate) fn one(&mut self, value: &Value) -> Result<Scalar, Stop> {
        Ok(match self.operand(value.clone())? {
            Value::One(one) => one,
            Value::Array(array) => array.get(0, 0).clone(),
            _ => Scalar::Error(ErrorCode::Value),
        })
    }

    pub(crate) fn lift_one(
        &mut self,
        value: Value,
        f: &dyn Fn(&Scalar) -> Result<Scalar, ErrorCode>,
    ) -> Outcome {
        let apply = |it: &Scalar| f(it).unwrap_or_else(Scalar::Error);
        Ok(match self.operand(value)? {
            Value::One(one) => Value::One(apply(&one)),
            Value::Array(array) => {
                self.make(array.cells.len() as u64)?;
                let cells = array.cells.iter().map(apply).collect();
                Value::array(Array { cells, ..*array })
            }
            other => other,
        })
    }

    pub(crate) fn lift_two(
        &mut self,
        a: Value,
        b: Value,
        f: &dyn Fn(&Scalar, &Scalar) -> Result<Scalar, ErrorCode>,
    ) -> Outcome {
        self.lift(vec![a, b], &mut |all| f(&all[0], &all[1]))
    }

    /// Calls a function of single values for each cell of its arguments.
    pub(crate) fn lift(
        &mut self,
        values: Vec<Value>,
        f: &mut dyn FnMut(&[Scalar]) -> Result<Scalar, ErrorCode>,
    ) -> Outcome {
        let mut operands = Vec::with_capacity(values.len());
        for value in values {
            operands.push(self.operand(value)?);
        }
        let (mut rows, mut columns) = (1, 1);
        let mut is_array = false;
        for operand in &operands {
            if let Value::Array(array) = operand {
                is_array = true;
                (rows, columns) = (rows.max(array.rows), columns.max(array.columns));
            }
        }
        if !is_array {
            let all: Vec<Scalar> = operands
                .into_iter()
                .map(|it| match it {
                    Value::One(one) => one,
                    _ => Scalar::Empty,
                })
                .collect();
            return Ok(f(&all).into());
        }
        self.make(rows as u64 * columns as u64)?;
        let mut cells = Vec::with_capacity(rows * columns);
        let mut all = vec![Scalar::Empty; operands.len()];
        for row in 0..rows {
            for column in 0..columns {
                for (place, operand) in all.iter_mut().zip(&operands) {
                    *place = match operand {
                        Value::One(one) => one.clone(),
                        Value::Array(array) => {
                            let at = |at: usize, size: usize| {
                                if size == 1 { Some(0) } else { Some(at).filter(|it| *it < size) }
                            };
                            match (at(row, array.rows), at(column, array.columns)) {
                                (Some(row), Some(column)) => array.get(row, column).clone(),
                                _ => Scalar::Error(ErrorCode::NotAvailable),
                            }
                        }
                        _ => Scalar::Empty,
                    };
                }
                cells.push(f(&all).unwrap_or_else(Scalar::Error));
            }
        }
        Ok(Value::array(Array { rows, columns, cells }))
    }

    /// Evaluates with ranges as arrays.
    pub(crate) fn as_array(&mut self, tree: &Expr) -> Outcome {
        let (old, spreads) = (self.is_array, self.spreads);
        self.is_array = true;
        let value = self.evaluate(tree);
        // The function makes one value of it.
        (self.is_array, self.spreads) = (old, spreads);
        value
    }
}

fn single(value: &Value) -> Option<Place> {
    match value {
        Value::Cells(places) => match places[..] {
            [place] => Some(place),
            _ => None,
        },
        _ => None,
    }
}

pub(crate) fn binary(operator: Operator, a: &Scalar, b: &Scalar) -> Result<Scalar, ErrorCode> {
    let order = || coerce::compare(a, b);
    match operator {
        Operator::Equal => return Ok(Scalar::Bool(order()?.is_eq())),
        Operator::NotEqual => return Ok(Scalar::Bool(order()?.is_ne())),
        Operator::Less => return Ok(Scalar::Bool(order()?.is_lt())),
        Operator::LessOrEqual => return Ok(Scalar::Bool(order()?.is_le())),
        Operator::Greater => return Ok(Scalar::Bool(order()?.is_gt())),
        Operator::GreaterOrEqual => return Ok(Scalar::Bool(order()?.is_ge())),
        Operator::Join => {
            let joined = coerce::text(a)? + &coerce::text(b)?;
            return if joined.len() > 140_000 {
                Err(ErrorCode::Value)
            } else {
                Ok(Scalar::text(joined))
            };
        }
        _ => {}
    }
    let (a, b) = (coerce::number(a)?, coerce::number(b)?);
    match operator {
        Operator::Add => coerce::finite(coerce::settled(a + b, a, b)),
        Operator::Subtract => coerce::finite(coerce::settled(a - b, a, b)),
        Operator::Multiply => coerce::finite(a * b),
        Operator::Divide if b == 0.0 => Err(ErrorCode::Div0),
        Operator::Divide => coerce::finite(a / b),
        _ => power(a, b),
    }
}

pub(crate) fn power(a: f64, b: f64) -> Result<Scalar, ErrorCode> {
    match (a == 0.0, b) {
        (true, 0.0) => Err(ErrorCode::Num),
        (true, b) if b < 0.0 => Err(ErrorCode::Div0),
        _ => coerce::finite(a.powf(b)),
    }
}
