//! `GROUPBY` and `PIVOTBY`. What Microsoft's pages leave open keeps its value, with a warning that names it.

use super::arrays::{key_of, order_of};
use super::shapes::single;
use super::{number, want};
use crate::calc::coerce;
use crate::calc::evaluate::{Evaluator, Lambda, Outcome, Value};
use crate::calc::grid::Stop;
use crate::formula::Expr;
use crate::value::{Array, ErrorCode, Scalar};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Most levels of groups.
const MAX_LEVELS: usize = 32;

pub(super) fn is_known(name: &str) -> bool {
    matches!(name, "GROUPBY" | "PIVOTBY")
}

pub(super) fn call(e: &mut Evaluator<'_>, name: &str, arguments: &[Expr]) -> Option<Outcome> {
    match (name, arguments.len()) {
        ("GROUPBY", 3..=8) => Some(grouped(e, arguments)),
        ("PIVOTBY", 4..=11) => Some(pivoted(e, arguments)),
        ("GROUPBY" | "PIVOTBY", _) => Some(Ok(Value::error(ErrorCode::Value))),
        _ => None,
    }
}

fn unsupported<T>(what: &str) -> Result<T, Stop> {
    Err(Stop::Unsupported(what.to_owned()))
}

type Checked<T> = Result<Result<T, ErrorCode>, Stop>;

/// Unwraps the inner result, or returns its error.
macro_rules! check {
    ($result:expr) => {
        match $result? {
            Ok(value) => value,
            Err(code) => return Ok(Err(code)),
        }
    };
}

/// A function that makes one value of several.
struct Aggregate {
    function: Value,
    /// `true` if it also takes the values to which those of the group are compared.
    is_relative: bool,
    /// The name of a function of Excel.
    name: Option<Rc<str>>,
}

impl Aggregate {
    fn of(function: Value) -> Result<Self, ErrorCode> {
        let Value::Lambda(lambda) = &function else {
            return Err(match function {
                Value::One(Scalar::Error(code)) => code,
                _ => ErrorCode::Value,
            });
        };
        let Lambda { names, function: name, .. } = &**lambda;
        let is_relative = names.len() > 1 || name.as_deref() == Some("PERCENTOF");
        let name = name.clone();
        Ok(Self { function, is_relative, name })
    }

    /// Returns the value for some rows of a column; `all` are the rows to which they are compared.
    fn apply(
        &self,
        e: &mut Evaluator<'_>,
        column: &[Scalar],
        rows: &[usize],
        all: &[usize],
    ) -> Result<Scalar, Stop> {
        let part = |rows: &[usize]| {
            Value::array(Array::column(rows.iter().map(|row| column[*row].clone()).collect()))
        };
        e.make(rows.len() as u64)?;
        let mut arguments = vec![part(rows)];
        if self.is_relative {
            e.make(all.len() as u64)?;
            arguments.push(part(all));
        }
        let value = e.apply(&self.function, arguments)?;
        single(e, &value)
    }
}

/// Reads the functions of an argument: one, or several in `HSTACK`.
fn aggregates(e: &mut Evaluator<'_>, tree: &Expr) -> Checked<Vec<Aggregate>> {
    let several = match tree {
        Expr::Call(name, all) if &**name == "HSTACK" => all,
        Expr::Call(name, _) if &**name == "VSTACK" => {
            return unsupported("GROUPBY or PIVOTBY with functions below each other");
        }
        _ => std::slice::from_ref(tree),
    };
    let mut found = Vec::new();
    for function in several {
        let function = e.evaluate(function)?;
        match Aggregate::of(function) {
            Ok(aggregate) => found.push(aggregate),
            Err(code) => return Ok(Err(code)),
        }
    }
    Ok(Ok(found))
}

/// Which totals are shown.
#[derive(Clone, Copy)]
struct Totals {
    /// Zero for none, one for all rows, two also for the groups of the first field, and so on.
    depth: usize,
    is_first: bool,
}

/// How the groups of an axis are sorted.
struct Order {
    /// By field; `true` if it falls.
    falls: Vec<bool>,
    /// Number of a column of values, and `true` if it falls.
    by_value: Option<(usize, bool)>,
    /// Fields in the order in which they sort whole rows, if the fields have no hierarchy.
    table: Option<Vec<usize>>,
}

/// A row of the result, or a column of a pivoted one.
struct Line {
    labels: Vec<Scalar>,
    rows: Vec<usize>,
}

/// Fields by which rows are grouped.
struct Axis {
    fields: Array,
    totals: Totals,
    order: Order,
}

/// Values that are aggregated, and the rows that count.
struct Source {
    values: Array,
    /// Columns of the values.
    columns: Vec<Vec<Scalar>>,
    rows: Vec<usize>,
    has_headers: bool,
    /// `true` if no argument says whether there are headers and are shown.
    is_automatic: bool,
    shows_headers: bool,
}

fn is_missing(value: Option<&Value>) -> bool {
    matches!(value, None | Some(Value::Missing))
}

fn argument(e: &mut Evaluator<'_>, arguments: &[Expr], at: usize) -> Result<Value, Stop> {
    arguments.get(at).map_or(Ok(Value::Missing), |it| e.as_array(it))
}

/// Reads values, the argument about headers, and the filter.
fn source(
    e: &mut Evaluator<'_>,
    values: &Value,
    headers: &Value,
    filter: &Value,
    height: usize,
) -> Checked<Source> {
    let values = e.as_values(values)?;
    if values.rows != height {
        return Ok(Err(ErrorCode::Value));
    }
    let kind = check!(number(e, Some(headers), -1.0)).trunc();
    let is_automatic = is_missing(Some(headers));
    let looks_headed = matches!(values.get(0, 0), Scalar::Text(_))
        && height > 1
        && matches!(values.get(1, 0), Scalar::Number(_));
    let (has_headers, shows_headers) = match kind as i64 {
        -1 if is_automatic => (looks_headed, false),
        0 => (false, false),
        1 => (true, false),
        2 => return unsupported("GROUPBY or PIVOTBY with generated headers"),
        3 => (true, true),
        _ => return Ok(Err(ErrorCode::Value)),
    };
    let first = usize::from(has_headers);
    let mut rows: Vec<usize> = (first..height).collect();
    if !is_missing(Some(filter)) {
        let keep = e.as_values(filter)?;
        if keep.cells.len() != height {
            return Ok(Err(ErrorCode::Value));
        }
        let mut kept = Vec::new();
        for row in rows {
            match coerce::truth(&keep.cells[row]) {
                Ok(true) => kept.push(row),
                Ok(false) => {}
                Err(code) => return Ok(Err(code)),
            }
        }
        rows = kept;
    }
    if rows.is_empty() {
        return Ok(Err(ErrorCode::Calc));
    }
    e.make(values.cells.len() as u64)?;
    let column = |at: usize| (0..height).map(|row| values.get(row, at).clone()).collect();
    let columns = (0..values.columns).map(column).collect();
    let values = (*values).clone();
    Ok(Ok(Source { values, columns, rows, has_headers, is_automatic, shows_headers }))
}

/// Reads the fields of an axis, its totals and its order. `values` is the number of columns behind the fields.
fn axis(
    e: &mut Evaluator<'_>,
    fields: &Value,
    totals: &Value,
    order: &Value,
    is_table: bool,
    values: usize,
) -> Checked<Axis> {
    if is_missing(Some(fields)) {
        return unsupported("PIVOTBY without the fields of rows or columns");
    }
    let fields = (*e.as_values(fields)?).clone();
    let levels = fields.columns;
    if levels > MAX_LEVELS {
        return Err(Stop::Limit);
    }
    let most = if is_table { 1 } else { levels };
    let totals = if !is_missing(Some(totals)) {
        let depth = check!(number(e, Some(totals), 0.0)).trunc();
        if depth.abs() > most as f64 {
            return Ok(Err(ErrorCode::Value));
        }
        Totals { depth: depth.abs() as usize, is_first: depth < 0.0 }
    } else if most > 2 {
        return unsupported("GROUPBY or PIVOTBY with three fields and totals by default");
    } else {
        Totals { depth: most, is_first: false }
    };
    let mut read = Order { falls: vec![false; levels], by_value: None, table: None };
    let mut named = Vec::new();
    if !is_missing(Some(order)) {
        let wanted = e.as_values(order)?;
        for cell in &wanted.cells {
            let column = match coerce::integer(cell) {
                Ok(column) => column,
                Err(code) => return Ok(Err(code)),
            };
            let (at, falls) = (column.unsigned_abs() as usize, column < 0);
            match at {
                at if (1..=levels).contains(&at) => {
                    read.falls[at - 1] = falls;
                    named.push(at - 1);
                }
                at if at > levels && at <= levels + values && wanted.cells.len() == 1 => {
                    read.by_value = Some((at - levels - 1, falls));
                }
                _ => return Ok(Err(ErrorCode::Value)),
            }
        }
    }
    if is_table {
        named.extend((0..levels).filter(|it| !named.contains(it)).collect::<Vec<_>>());
        read.table = Some(named);
    }
    Ok(Ok(Axis { fields, totals, order: read }))
}

impl Axis {
    /// Returns the lines of the axis in their order.
    fn lines(
        &self,
        e: &mut Evaluator<'_>,
        rows: &[usize],
        measure: &mut dyn FnMut(&mut Evaluator<'_>, &[usize], usize) -> Result<Scalar, Stop>,
    ) -> Result<Vec<Line>, Stop> {
        let levels = self.fields.columns;
        let mut lines = Vec::new();
        self.groups(e, rows, &[], measure, &mut lines)?;
        if let Some(fields) = &self.order.table
            && self.order.by_value.is_none()
        {
            lines.sort_by(|a: &Line, b: &Line| {
                let orders = fields
                    .iter()
                    .map(|it| order_of(&a.labels[*it], &b.labels[*it], self.order.falls[*it]));
                orders.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
            });
        }
        if self.totals.depth > 0 {
            let label = if self.totals.depth == 1 { "Total" } else { "Grand Total" };
            let mut labels = vec![Scalar::text(""); levels];
            labels[0] = Scalar::text(label);
            let total = Line { labels, rows: rows.to_vec() };
            let at = if self.totals.is_first { 0 } else { lines.len() };
            lines.insert(at, total);
        }
        Ok(lines)
    }

    /// Adds the groups of some rows by the next field, and what is below them.
    fn groups(
        &self,
        e: &mut Evaluator<'_>,
        rows: &[usize],
        labels: &[Scalar],
        measure: &mut dyn FnMut(&mut Evaluator<'_>, &[usize], usize) -> Result<Scalar, Stop>,
        lines: &mut Vec<Line>,
    ) -> Result<(), Stop> {
        let (level, levels) = (labels.len(), self.fields.columns);
        e.make(rows.len() as u64)?;
        let mut numbers = BTreeMap::new();
        let mut groups: Vec<(Scalar, Vec<usize>)> = Vec::new();
        for row in rows {
            let label = self.fields.get(*row, level);
            if *label == Scalar::Empty {
                return unsupported("GROUPBY or PIVOTBY with an empty field");
            }
            let number = *numbers.entry(key_of(label)).or_insert(groups.len());
            if number == groups.len() {
                groups.push((label.clone(), Vec::new()));
            }
            groups[number].1.push(*row);
        }
        groups.sort_by(|a, b| order_of(&a.0, &b.0, self.order.falls[level]));
        if let Some((column, falls)) = self.order.by_value {
            let mut measured = Vec::with_capacity(groups.len());
            for group in groups {
                measured.push((measure(e, &group.1, column)?, group));
            }
            measured.sort_by(|a, b| order_of(&a.0, &b.0, falls));
            groups = measured.into_iter().map(|it| it.1).collect();
        }
        for (label, rows) in groups {
            let mut own = labels.to_vec();
            own.push(label);
            if level + 1 == levels {
                lines.push(Line { labels: own, rows });
                continue;
            }
            let mut total = own.clone();
            total.resize(levels, Scalar::text(""));
            let total = Line { labels: total, rows: rows.clone() };
            let has_total = self.totals.depth > level + 1;
            let start = lines.len();
            self.groups(e, &rows, &own, measure, lines)?;
            if has_total {
                let at = if self.totals.is_first { start } else { lines.len() };
                lines.insert(at, total);
            }
        }
        Ok(())
    }
}

/// Returns `GROUPBY`: fields of rows, values, function, headers, totals, order, filter, relation of the fields.
fn grouped(e: &mut Evaluator<'_>, arguments: &[Expr]) -> Outcome {
    let fields = argument(e, arguments, 0)?;
    let values = argument(e, arguments, 1)?;
    let functions = want!(aggregates(e, &arguments[2])?);
    let [headers, totals, order, filter, relation] =
        [3, 4, 5, 6, 7].map(|at| argument(e, arguments, at));
    let height = e.as_values(&fields)?.rows;
    let mut source = want!(source(e, &values, &headers?, &filter?, height)?);
    let is_table = match want!(number(e, Some(&relation?), 0.0)?) {
        0.0 => false,
        1.0 => true,
        _ => return Ok(Value::error(ErrorCode::Value)),
    };
    let columns = source.values.columns;
    if functions.len() > 1 && columns > 1 {
        return unsupported("GROUPBY with several functions and several columns of values");
    }
    let width = functions.len().max(columns);
    let axis = want!(axis(e, &fields, &totals?, &order?, is_table, width)?);
    let levels = axis.fields.columns;
    source.shows_headers |= source.is_automatic && source.has_headers && levels > 1;
    if functions.len() > 1 && (source.shows_headers || functions.iter().any(|it| it.name.is_none()))
    {
        return unsupported("GROUPBY with several functions and headers, or with several LAMBDA");
    }
    let measure = |e: &mut Evaluator<'_>, rows: &[usize], at: usize| {
        let function = functions.get(at).unwrap_or(&functions[0]);
        let column = source.columns.get(at).unwrap_or(&source.columns[0]);
        function.apply(e, column, rows, &source.rows)
    };
    let lines = axis.lines(e, &source.rows, &mut { measure })?;
    let mut cells = Vec::new();
    if source.shows_headers {
        cells.extend((0..levels).map(|it| axis.fields.get(0, it).clone()));
        cells.extend((0..columns).map(|it| source.values.get(0, it).clone()));
    } else if functions.len() > 1 {
        cells.extend(vec![Scalar::text(""); levels]);
        cells.extend(functions.iter().filter_map(|it| it.name.as_ref()).map(Scalar::text));
    }
    e.make((lines.len() * (levels + width)) as u64)?;
    for line in lines {
        cells.extend(line.labels);
        for at in 0..width {
            cells.push(measure(e, &line.rows, at)?);
        }
    }
    let columns = levels + width;
    Ok(Value::array(Array { rows: cells.len() / columns, columns, cells }))
}

/// Returns `PIVOTBY`: fields of rows and of columns, values, function, headers, totals and order of rows, those of columns,
/// filter, and what a group is compared to.
fn pivoted(e: &mut Evaluator<'_>, arguments: &[Expr]) -> Outcome {
    let [down, across, values] = [0, 1, 2].map(|at| argument(e, arguments, at));
    let (down, across) = (down?, across?);
    let functions = want!(aggregates(e, &arguments[3])?);
    let [headers, down_totals, down_order, across_totals, across_order, filter, relative] =
        [4, 5, 6, 7, 8, 9, 10].map(|at| argument(e, arguments, at));
    let height = e.as_values(&down)?.rows;
    let source = want!(source(e, &values?, &headers?, &filter?, height)?);
    let relative = want!(number(e, Some(&relative?), 0.0)?).trunc();
    let [function] = &functions[..] else {
        return unsupported("PIVOTBY with several functions");
    };
    if source.values.columns > 1 {
        return unsupported("PIVOTBY with several columns of values");
    }
    if function.is_relative && !(0.0..=2.0).contains(&relative) {
        return unsupported("PIVOTBY in relation to the total of a parent");
    }
    let down = want!(axis(e, &down, &down_totals?, &down_order?, false, 1)?);
    let across = want!(axis(e, &across, &across_totals?, &across_order?, false, 1)?);
    if across.fields.rows != height {
        return Ok(Value::error(ErrorCode::Value));
    }
    let (levels, heads) = (down.fields.columns, across.fields.columns);
    let is_headed = source.is_automatic && source.has_headers && (levels > 1 || heads > 1);
    if source.shows_headers || is_headed {
        return unsupported("PIVOTBY with the headers of fields");
    }
    let column = &source.columns[0];
    let measure = |e: &mut Evaluator<'_>, rows: &[usize], _: usize| {
        function.apply(e, column, rows, &source.rows)
    };
    let lines = down.lines(e, &source.rows, &mut { measure })?;
    let columns = across.lines(e, &source.rows, &mut { measure })?;
    e.make(((lines.len() + heads) * (levels + columns.len())) as u64)?;
    let mut cells = Vec::new();
    for level in 0..heads {
        cells.extend(vec![Scalar::text(""); levels]);
        cells.extend(columns.iter().map(|it| it.labels[level].clone()));
    }
    // The columns in which each row counts.
    let mut places = vec![Vec::new(); height];
    for (at, line) in columns.iter().enumerate() {
        line.rows.iter().for_each(|row| places[*row].push(at));
    }
    for line in lines {
        let mut parts = vec![Vec::new(); columns.len()];
        line.rows.iter().for_each(|row| places[*row].iter().for_each(|at| parts[*at].push(*row)));
        cells.extend(line.labels);
        for (part, column_line) in parts.iter().zip(&columns) {
            let all = match relative as i64 {
                0 => &column_line.rows,
                1 => &line.rows,
                _ => &source.rows,
            };
            cells.push(if part.is_empty() {
                Scalar::text("")
            } else {
                function.apply(e, column, part, all)?
            });
        }
    }
    let width = levels + columns.len();
    Ok(Value::array(Array { rows: cells.len() / width, columns: width, cells }))
}
