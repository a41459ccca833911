//! Functions that make arrays.

use super::{Whole, number, want};
use crate::calc::coerce;
use crate::calc::evaluate::{Evaluator, Outcome, Value};
use crate::calc::grid::Stop;
use crate::value::{Array, ErrorCode, Scalar};
use std::cmp::Ordering;

pub(super) fn find(name: &str) -> Option<(usize, usize, Whole)> {
    Some(match name {
        "TRANSPOSE" => (1, 1, |e, v| {
            let array = e.as_values(&v[0])?;
            Ok(Value::array(array.transposed()))
        }),
        "SEQUENCE" => (1, 4, |e, v| {
            let rows = want!(number(e, v.first(), 1.0)?);
            let columns = want!(number(e, v.get(1), 1.0)?);
            let (start, step) =
                (want!(number(e, v.get(2), 1.0)?), want!(number(e, v.get(3), 1.0)?));
            if rows < 1.0 || columns < 1.0 {
                return Ok(Value::error(ErrorCode::Value));
            }
            if rows * columns > 1_000_000.0 {
                return Err(Stop::Limit);
            }
            let (rows, columns) = (rows as usize, columns as usize);
            e.grid.work((rows * columns) as u64)?;
            let cells =
                (0..rows * columns).map(|it| Scalar::Number(start + step * it as f64)).collect();
            Ok(Value::array(Array { rows, columns, cells }))
        }),
        "FILTER" => (2, 3, filter),
        "UNIQUE" => (1, 3, unique),
        "SORT" => (1, 4, |e, v| {
            let array = e.as_values(&v[0])?;
            let index = want!(number(e, v.get(1), 1.0)?);
            let order = want!(number(e, v.get(2), 1.0)?);
            let by_column = match v.get(3) {
                None | Some(Value::Missing) => false,
                Some(value) => want!(coerce::truth(&e.one(value)?)),
            };
            let array = if by_column { array.transposed() } else { (*array).clone() };
            if index < 1.0 || index > array.columns as f64 {
                return Ok(Value::error(ErrorCode::Value));
            }
            let column = index as usize - 1;
            let keys: Vec<_> =
                (0..array.rows).map(|row| vec![array.get(row, column).clone()]).collect();
            let sorted = arranged(&array, &keys, &[order < 0.0]);
            Ok(Value::array(if by_column { sorted.transposed() } else { sorted }))
        }),
        "SORTBY" => (2, 9, |e, v| {
            let array = e.as_values(&v[0])?;
            let mut keys = vec![Vec::new(); array.rows];
            let mut falling = Vec::new();
            for pair in v[1..].chunks(2) {
                let by = e.as_values(&pair[0])?;
                if by.cells.len() != array.rows {
                    return Ok(Value::error(ErrorCode::Value));
                }
                keys.iter_mut().zip(&by.cells).for_each(|(keys, cell)| keys.push(cell.clone()));
                falling.push(want!(number(e, pair.get(1), 1.0)?) < 0.0);
            }
            Ok(Value::array(arranged(&array, &keys, &falling)))
        }),
        "MMULT" => (2, 2, |e, v| {
            let (a, b) = (e.as_values(&v[0])?, e.as_values(&v[1])?);
            if a.columns != b.rows {
                return Ok(Value::error(ErrorCode::Value));
            }
            e.grid.work((a.rows * b.columns) as u64 * a.columns as u64)?;
            let mut cells = Vec::new();
            for row in 0..a.rows {
                for column in 0..b.columns {
                    let mut sum = 0.0;
                    for at in 0..a.columns {
                        let (Scalar::Number(x), Scalar::Number(y)) =
                            (a.get(row, at), b.get(at, column))
                        else {
                            return Ok(Value::error(ErrorCode::Value));
                        };
                        sum += x * y;
                    }
                    cells.push(Scalar::Number(sum));
                }
            }
            Ok(Value::array(Array { rows: a.rows, columns: b.columns, cells }))
        }),
        "VSTACK" | "HSTACK" => {
            let function: Whole = match name {
                "VSTACK" => |e, v| stack(e, v, false),
                _ => |e, v| stack(e, v, true),
            };
            (1, 255, function)
        }
        "TAKE" | "DROP" => {
            let function: Whole = match name {
                "TAKE" => |e, v| part(e, v, true),
                _ => |e, v| part(e, v, false),
            };
            (2, 3, function)
        }
        "BYROW" | "BYCOL" => {
            let function: Whole = match name {
                "BYROW" => |e, v| mapped(e, v, |array| (array.rows, 1, array.columns)),
                _ => |e, v| mapped(e, v, |array| (array.columns, array.rows, 1)),
            };
            (2, 2, function)
        }
        "REDUCE" | "SCAN" => {
            let function: Whole = match name {
                "REDUCE" => |e, v| folded(e, v, false),
                _ => |e, v| folded(e, v, true),
            };
            (3, 3, function)
        }
        _ => return None,
    })
}

fn filter(e: &mut Evaluator<'_>, v: &[Value]) -> Outcome {
    let (array, keep) = (e.as_values(&v[0])?, e.as_values(&v[1])?);
    let mut kept = Vec::new();
    for (at, cell) in keep.cells.iter().enumerate() {
        if want!(coerce::truth(cell)) {
            kept.push(at);
        }
    }
    let by_column = keep.rows == 1 && keep.columns == array.columns && array.columns > 1;
    if !by_column && keep.cells.len() != array.rows {
        return Ok(Value::error(ErrorCode::Value));
    }
    if kept.is_empty() {
        return match v.get(2) {
            None | Some(Value::Missing) => Ok(Value::error(ErrorCode::Calc)),
            Some(other) => Ok(other.clone()),
        };
    }
    Ok(Value::array(if by_column {
        rows_of(&array.transposed(), &kept).transposed()
    } else {
        rows_of(&array, &kept)
    }))
}

fn rows_of(array: &Array, rows: &[usize]) -> Array {
    let mut cells = Vec::with_capacity(rows.len() * array.columns);
    for row in rows {
        cells.extend((0..array.columns).map(|column| array.get(*row, column).clone()));
    }
    Array { rows: rows.len(), columns: array.columns, cells }
}

/// Returns a text that is the same for equal values: letters of either case, but not a number and its digits.
pub(super) fn key_of(cell: &Scalar) -> String {
    format!("{}\u{1}{}\u{2}", matches!(cell, Scalar::Text(_)), cell.shown().to_lowercase())
}

/// Compares values as `SORT` does, with empty ones at the end.
pub(super) fn order_of(a: &Scalar, b: &Scalar, falls: bool) -> Ordering {
    let order = |a: &Scalar, b: &Scalar| {
        // Empty cells and errors come last.
        let last = |it: &Scalar| matches!(it, Scalar::Empty | Scalar::Error(_));
        coerce::compare(a, b).unwrap_or_else(|_| last(a).cmp(&last(b)))
    };
    match (a == &Scalar::Empty, b == &Scalar::Empty) {
        (false, false) if falls => order(b, a),
        (false, false) => order(a, b),
        (a, b) => a.cmp(&b),
    }
}

fn unique(e: &mut Evaluator<'_>, v: &[Value]) -> Outcome {
    let array = e.as_values(&v[0])?;
    let mut flags = [false, false];
    for (flag, value) in flags.iter_mut().zip(&v[1..]) {
        if !matches!(value, Value::Missing) {
            *flag = want!(coerce::truth(&e.one(value)?));
        }
    }
    let [by_column, once] = flags;
    let array = if by_column { array.transposed() } else { (*array).clone() };
    let key = |row: usize| -> String {
        (0..array.columns).map(|column| key_of(array.get(row, column))).collect()
    };
    let mut counts = std::collections::BTreeMap::new();
    for row in 0..array.rows {
        counts.entry(key(row)).or_insert((row, 0)).1 += 1;
    }
    let mut rows: Vec<usize> =
        counts.into_values().filter(|it| !once || it.1 == 1).map(|it| it.0).collect();
    rows.sort_unstable();
    let result = rows_of(&array, &rows);
    Ok(Value::array(if by_column { result.transposed() } else { result }))
}

fn arranged(array: &Array, keys: &[Vec<Scalar>], falling: &[bool]) -> Array {
    let mut rows: Vec<usize> = (0..array.rows).collect();
    rows.sort_by(|a, b| {
        let keys = keys[*a].iter().zip(&keys[*b]).zip(falling);
        keys.fold(Ordering::Equal, |all, ((a, b), falls)| all.then_with(|| order_of(a, b, *falls)))
    });
    rows_of(array, &rows)
}

fn stack(e: &mut Evaluator<'_>, v: &[Value], is_beside: bool) -> Outcome {
    let mut all = Vec::new();
    for value in apart(v) {
        let array = e.as_values(&value)?;
        all.push(if is_beside { array.transposed() } else { (*array).clone() });
    }
    let columns = all.iter().map(|it| it.columns).max().unwrap_or(0);
    let rows: usize = all.iter().map(|it| it.rows).sum();
    e.grid.work((rows * columns) as u64)?;
    let mut cells = Vec::new();
    for array in &all {
        for row in 0..array.rows {
            cells.extend((0..columns).map(|column| {
                if column < array.columns {
                    array.get(row, column).clone()
                } else {
                    Scalar::Error(ErrorCode::NotAvailable)
                }
            }));
        }
    }
    let result = Array { rows, columns, cells };
    Ok(Value::array(if is_beside { result.transposed() } else { result }))
}

/// Returns arguments with each place of a reference to several sheets as one of its own.
pub(super) fn apart(v: &[Value]) -> Vec<Value> {
    let mut all = Vec::with_capacity(v.len());
    for value in v {
        match value {
            Value::Cells(places) if places.len() > 1 => {
                all.extend(places.iter().map(|it| Value::Cells(vec![*it])));
            }
            value => all.push(value.clone()),
        }
    }
    all
}

fn part(e: &mut Evaluator<'_>, v: &[Value], is_take: bool) -> Outcome {
    let array = e.as_values(&v[0])?;
    let default = if is_take { f64::MAX } else { 0.0 };
    let rows = want!(number(e, v.get(1), default)?);
    let columns = want!(number(e, v.get(2), default)?);
    let range = |count: f64, size: usize| {
        let amount = (count.abs().min(size as f64)) as usize;
        match (is_take, count >= 0.0) {
            (true, true) => 0..amount,
            (true, false) => size - amount..size,
            (false, true) => amount..size,
            (false, false) => 0..size - amount,
        }
    };
    let (rows, columns) = (range(rows, array.rows), range(columns, array.columns));
    let (height, width) = (rows.len(), columns.len());
    let cells = rows.flat_map(|row| columns.clone().map(move |column| (row, column)));
    let cells = cells.map(|(row, column)| array.get(row, column).clone()).collect();
    Ok(Value::array(Array { rows: height, columns: width, cells }))
}

/// Calls a LAMBDA for parts of an array: their number, and the rows and columns of each.
fn mapped(
    e: &mut Evaluator<'_>,
    v: &[Value],
    parts: fn(&Array) -> (usize, usize, usize),
) -> Outcome {
    let array = e.as_values(&v[0])?;
    let (count, rows, columns) = parts(&array);
    let mut cells = Vec::with_capacity(count);
    for at in 0..count {
        let value = match (rows, columns) {
            (1, _) => {
                Value::array(Array::row((0..columns).map(|it| array.get(at, it).clone()).collect()))
            }
            _ => {
                Value::array(Array::column((0..rows).map(|it| array.get(it, at).clone()).collect()))
            }
        };
        let result = e.apply(&v[1], vec![value])?;
        cells.push(e.one(&result)?);
    }
    Ok(Value::array(match (rows, columns) {
        (1, 1) => Array { cells, ..*array },
        (1, _) => Array::column(cells),
        _ => Array::row(cells),
    }))
}

fn folded(e: &mut Evaluator<'_>, v: &[Value], keeps_steps: bool) -> Result<Value, Stop> {
    let array = e.as_values(&v[1])?;
    let mut sum = match &v[0] {
        Value::Missing => Value::One(Scalar::Empty),
        value => value.clone(),
    };
    let mut steps = Vec::new();
    for cell in &array.cells {
        sum = e.apply(&v[2], vec![sum, Value::One(cell.clone())])?;
        if keeps_steps {
            steps.push(e.one(&sum)?);
        }
    }
    Ok(if keeps_steps { Value::array(Array { cells: steps, ..*array }) } else { sum })
}
