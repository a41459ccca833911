//! Searches in ranges and arrays.

use super::{Whole, number, place, want};
use crate::calc::coerce;
use crate::calc::criteria::{matches, pattern};
use crate::calc::evaluate::{Evaluator, Outcome, Value};
use crate::calc::grid::{Place, Stop};
use crate::refs::{Area, At};
use crate::value::{Array, ErrorCode, Scalar};
use std::cmp::Ordering;
use std::rc::Rc;

pub(super) fn find(name: &str) -> Option<(usize, usize, Whole)> {
    Some(match name {
        "VLOOKUP" => (3, 4, |e, v| table_lookup(e, v, false)),
        "HLOOKUP" => (3, 4, |e, v| table_lookup(e, v, true)),
        "LOOKUP" => (2, 3, vector_lookup),
        "MATCH" => (2, 3, position),
        "XMATCH" => (2, 4, |e, v| {
            let (mode, search) = (v.get(2).cloned(), v.get(3).cloned());
            let array = e.as_values(&v[1])?;
            let mode = want!(number(e, mode.as_ref(), 0.0)?) as i64;
            let search = want!(number(e, search.as_ref(), 1.0)?) as i64;
            let wanted = e.operand(v[0].clone())?;
            e.lift_one(wanted, &|wanted| match searched(wanted, &array, mode, search)? {
                Some(at) => Ok(Scalar::Number(at as f64 + 1.0)),
                None => Err(ErrorCode::NotAvailable),
            })
        }),
        "XLOOKUP" => (3, 6, extended),
        "INDEX" => (1, 4, index),
        _ => return None,
    })
}

/// Returns the cells of a row or column of values that is searched.
fn line(e: &mut Evaluator<'_>, value: &Value) -> Result<Rc<Array>, Stop> {
    e.as_values(value)
}

/// Returns where a value stands exactly; patterns count in texts.
fn exact<'a>(
    wanted: &Scalar,
    mut cells: impl Iterator<Item = (usize, &'a Scalar)>,
) -> Option<usize> {
    let pieces = match wanted {
        Scalar::Text(text) => pattern(text),
        _ => None,
    };
    cells
        .find(|(_, cell)| match (&pieces, cell) {
            (Some(pieces), Scalar::Text(text)) => matches(pieces, text),
            _ => same(wanted, cell),
        })
        .map(|it| it.0)
}

fn same(wanted: &Scalar, cell: &Scalar) -> bool {
    let is_kind = matches!(
        (wanted, cell),
        (Scalar::Number(_), Scalar::Number(_))
            | (Scalar::Text(_), Scalar::Text(_))
            | (Scalar::Bool(_), Scalar::Bool(_))
    );
    is_kind && coerce::compare(wanted, cell) == Ok(Ordering::Equal)
}

/// Returns the last place in a sorted list that is not greater than a value, as Excel's search by halves finds it.
fn sorted(
    wanted: &Scalar,
    array: &Array,
    at: impl Fn(usize) -> usize,
    count: usize,
    is_rising: bool,
) -> Option<usize> {
    let kind = |cell: &Scalar| std::mem::discriminant(cell) == std::mem::discriminant(wanted);
    let (mut low, mut high) = (0, count);
    let mut found = None;
    while low < high {
        let middle = low + (high - low) / 2;
        // Values of another kind are passed over.
        let probe = (middle..high).find(|it| kind(&array.cells[at(*it)]));
        let Some(probe) = probe else {
            high = middle;
            continue;
        };
        let order = coerce::compare(&array.cells[at(probe)], wanted).unwrap_or(Ordering::Greater);
        let order = if is_rising { order } else { order.reverse() };
        if order.is_le() {
            found = Some(probe);
            low = probe + 1;
        } else {
            high = middle;
        }
    }
    found
}

fn wanted(e: &mut Evaluator<'_>, value: &Value) -> Result<Scalar, Stop> {
    Ok(match e.one(value)? {
        Scalar::Empty => Scalar::Number(0.0),
        other => other,
    })
}

fn table_lookup(e: &mut Evaluator<'_>, v: &[Value], is_horizontal: bool) -> Outcome {
    let is_near = match v.get(3) {
        None => true,
        Some(value) => want!(coerce::truth(&e.one(value)?)),
    };
    let index = want!(number(e, v.get(2), 1.0)?).trunc();
    if index < 1.0 {
        return Ok(Value::error(ErrorCode::Value));
    }
    let index = index as usize - 1;
    // Only the searched line and one cell are read from a range.
    let (first, target) = match place(&v[1]) {
        Some(table) => {
            let Area { first, last } = table.area;
            let (line, limit) = if is_horizontal {
                (Area::new(first.row, first.column, first.row, last.column), table.area.rows())
            } else {
                (Area::new(first.row, first.column, last.row, first.column), table.area.columns())
            };
            if index >= limit as usize {
                return Ok(Value::error(ErrorCode::Ref));
            }
            (line_of(e, table, line)?, Err(table))
        }
        None => {
            let array = e.as_values(&v[1])?;
            let limit = if is_horizontal { array.rows } else { array.columns };
            if index >= limit {
                return Ok(Value::error(ErrorCode::Ref));
            }
            let cells = if is_horizontal {
                (0..array.columns).map(|it| array.get(0, it).clone()).collect()
            } else {
                (0..array.rows).map(|it| array.get(it, 0).clone()).collect()
            };
            (Rc::new(Array::column(cells)), Ok(array))
        }
    };
    let keys = e.operand(v[0].clone())?;
    let mut places = Vec::new();
    let shape = e.lift_one(keys, &|key| {
        let key = if *key == Scalar::Empty { Scalar::Number(0.0) } else { key.clone() };
        if let Scalar::Error(code) = key {
            return Err(code);
        }
        let found = if is_near {
            sorted(&key, &first, |it| it, first.cells.len(), true)
        } else {
            exact(&key, first.cells.iter().enumerate())
        };
        found.map(|it| Scalar::Number(it as f64)).ok_or(ErrorCode::NotAvailable)
    })?;
    e.grid.work(first.cells.len() as u64)?;
    let all = e.as_values(&shape)?;
    for cell in &all.cells {
        places.push(match cell {
            Scalar::Number(at) => {
                let at = *at as usize;
                let (row, column) = if is_horizontal { (index, at) } else { (at, index) };
                match &target {
                    Ok(array) => array.get(row, column).clone(),
                    Err(table) => {
                        let at = At {
                            row: table.area.first.row + row as u32,
                            column: table.area.first.column + column as u32,
                        };
                        e.grid.get(table.sheet, at)?
                    }
                }
            }
            other => other.clone(),
        });
    }
    match shape {
        Value::Array(shape) => Ok(Value::array(Array { cells: places, ..*shape })),
        _ => Ok(Value::One(places.swap_remove(0))),
    }
}

fn line_of(e: &mut Evaluator<'_>, table: Place, area: Area) -> Result<Rc<Array>, Stop> {
    line(e, &Value::Cells(vec![Place { area, ..table }]))
}

fn vector_lookup(e: &mut Evaluator<'_>, v: &[Value]) -> Outcome {
    let key = wanted(e, &v[0])?;
    if let Scalar::Error(code) = key {
        return Ok(Value::error(code));
    }
    let array = line(e, &v[1])?;
    let is_wide = array.columns > array.rows;
    let (count, at): (usize, Box<dyn Fn(usize) -> usize>) = if is_wide {
        (array.columns, Box::new(|it| it))
    } else {
        let columns = array.columns;
        (array.rows, Box::new(move |it| it * columns))
    };
    let Some(found) = sorted(&key, &array, at, count, true) else {
        return Ok(Value::error(ErrorCode::NotAvailable));
    };
    let result = match v.get(2) {
        Some(result) => line(e, result)?,
        None => array.clone(),
    };
    let cell = match v.get(2) {
        Some(_) => result.cells.get(found).cloned(),
        None if is_wide => Some(result.get(result.rows - 1, found).clone()),
        None => Some(result.get(found, result.columns - 1).clone()),
    };
    Ok(Value::One(cell.unwrap_or(Scalar::Error(ErrorCode::Ref))))
}

fn position(e: &mut Evaluator<'_>, v: &[Value]) -> Outcome {
    let mode = want!(number(e, v.get(2), 1.0)?);
    let array = line(e, &v[1])?;
    if array.rows > 1 && array.columns > 1 {
        return Ok(Value::error(ErrorCode::NotAvailable));
    }
    let keys = e.operand(v[0].clone())?;
    e.grid.work(array.cells.len() as u64)?;
    e.lift_one(keys, &|key| {
        let key = if *key == Scalar::Empty { Scalar::Number(0.0) } else { key.clone() };
        if let Scalar::Error(code) = key {
            return Err(code);
        }
        let found = match mode {
            0.0 => exact(&key, array.cells.iter().enumerate()),
            mode => sorted(&key, &array, |it| it, array.cells.len(), mode > 0.0),
        };
        found.map(|it| Scalar::Number(it as f64 + 1.0)).ok_or(ErrorCode::NotAvailable)
    })
}

/// Searches as `XLOOKUP`: the mode of the match, and the order of the search.
fn searched(
    wanted: &Scalar,
    array: &Array,
    mode: i64,
    search: i64,
) -> Result<Option<usize>, ErrorCode> {
    if let Scalar::Error(code) = wanted {
        return Err(*code);
    }
    let is_backwards = search == -1 || search == -2;
    let count = array.cells.len();
    let cells = (0..count)
        .map(|at| if is_backwards { count - 1 - at } else { at })
        .map(|at| (at, &array.cells[at]));
    if mode == 2 {
        return Ok(exact(wanted, cells));
    }
    let mut best: Option<(usize, &Scalar)> = None;
    for (at, cell) in cells {
        let is_blank = *wanted == Scalar::Empty && *cell == Scalar::Empty;
        if same(wanted, cell) || is_blank {
            return Ok(Some(at));
        }
        if mode == 0 || std::mem::discriminant(cell) != std::mem::discriminant(wanted) {
            continue;
        }
        let order = coerce::compare(cell, wanted)?;
        let fits = if mode < 0 { order.is_lt() } else { order.is_gt() };
        let is_better = match best {
            None => true,
            Some((_, old)) => {
                let order = coerce::compare(cell, old)?;
                if mode < 0 { order.is_gt() } else { order.is_lt() }
            }
        };
        if fits && is_better {
            best = Some((at, cell));
        }
    }
    Ok(best.map(|it| it.0))
}

fn extended(e: &mut Evaluator<'_>, v: &[Value]) -> Outcome {
    let array = line(e, &v[1])?;
    let mode = want!(number(e, v.get(4), 0.0)?) as i64;
    let search = want!(number(e, v.get(5), 1.0)?) as i64;
    let other = match v.get(3) {
        None | Some(Value::Missing) => Value::error(ErrorCode::NotAvailable),
        Some(other) => other.clone(),
    };
    let keys = e.operand(v[0].clone())?;
    e.grid.work(array.cells.len() as u64)?;
    let is_row = array.rows == 1 && array.columns > 1;
    let Value::Array(keys) = keys else {
        let key = e.one(&keys)?;
        let Some(at) = want!(searched(&key, &array, mode, search)) else { return Ok(other) };
        // A range gives a range, so that the result can be an end of one.
        if let Some(place) = place(&v[2]) {
            let Area { first, last } = place.area;
            let at = at as u32;
            let area = if is_row {
                Area::new(first.row, first.column + at, last.row, first.column + at)
            } else {
                Area::new(first.row + at, first.column, first.row + at, last.column)
            };
            return Ok(Value::Cells(vec![Place { area, ..place }]));
        }
        let results = e.as_values(&v[2])?;
        let cells: Vec<_> = if is_row {
            (0..results.rows).map(|row| results.get(row, at).clone()).collect()
        } else {
            (0..results.columns).map(|column| results.get(at, column).clone()).collect()
        };
        return Ok(Value::array(if is_row { Array::column(cells) } else { Array::row(cells) }));
    };
    let results = e.as_values(&v[2])?;
    let other = e.one(&other)?;
    e.lift_one(Value::Array(keys), &|key| {
        Ok(match searched(key, &array, mode, search)? {
            Some(at) if is_row => results.get(0, at).clone(),
            Some(at) => results.get(at, 0).clone(),
            None => other.clone(),
        })
    })
}

fn index(e: &mut Evaluator<'_>, v: &[Value]) -> Outcome {
    if v.len() > 3 {
        return Err(Stop::Unsupported("INDEX with areas".to_owned()));
    }
    let rows = match v.get(1) {
        Some(value) => e.operand(value.clone())?,
        None => Value::One(Scalar::Number(0.0)),
    };
    let columns = match v.get(2) {
        Some(value) => Some(e.operand(value.clone())?),
        None => None,
    };
    // Several rows or columns give an array of single cells.
    if matches!(rows, Value::Array(_)) || matches!(columns, Some(Value::Array(_))) {
        let array = e.as_values(&v[0])?;
        let has_columns = columns.is_some();
        let columns = columns.unwrap_or(Value::One(Scalar::Number(1.0)));
        return e.lift_two(rows, columns, &|row, column| {
            let (row, column) = (coerce::integer(row)?, coerce::integer(column)?);
            let (row, column) = if array.rows == 1 && !has_columns {
                (1, row)
            } else {
                (row.max(1), column.max(1))
            };
            if row <= array.rows as i64 && column <= array.columns as i64 && row > 0 && column > 0 {
                Ok(array.get(row as usize - 1, column as usize - 1).clone())
            } else {
                Err(ErrorCode::Ref)
            }
        });
    }
    let row = want!(coerce::integer(&e.one(&rows)?));
    let column = match &columns {
        Some(value) => Some(want!(coerce::integer(&e.one(value)?))),
        None => None,
    };
    let (height, width) = match &v[0] {
        Value::Cells(places) => match places[..] {
            [place] => (i64::from(place.area.rows()), i64::from(place.area.columns())),
            _ => return Err(Stop::Unsupported("INDEX with areas".to_owned())),
        },
        Value::One(Scalar::Error(code)) => return Ok(Value::error(*code)),
        other => {
            let array = e.as_values(other)?;
            (array.rows as i64, array.columns as i64)
        }
    };
    // With one number, a row is counted by its columns.
    let (row, column) = match column {
        None if height == 1 => (1, row),
        None => (row, if width == 1 { 1 } else { 0 }),
        Some(column) => (row, column),
    };
    if row < 0 || column < 0 {
        return Ok(Value::error(ErrorCode::Value));
    }
    if row > height || column > width {
        return Ok(Value::error(ErrorCode::Ref));
    }
    let (top, bottom) = if row == 0 { (0, height - 1) } else { (row - 1, row - 1) };
    let (left, right) = if column == 0 { (0, width - 1) } else { (column - 1, column - 1) };
    if let Some(place) = place(&v[0]) {
        let At { row, column } = place.area.first;
        let area = Area::new(
            row + top as u32,
            column + left as u32,
            row + bottom as u32,
            column + right as u32,
        );
        return Ok(Value::Cells(vec![Place { area, ..place }]));
    }
    let array = e.as_values(&v[0])?;
    let mut cells = Vec::new();
    for row in top..=bottom {
        for column in left..=right {
            cells.push(array.get(row as usize, column as usize).clone());
        }
    }
    Ok(Value::array(Array {
        rows: (bottom - top + 1) as usize,
        columns: (right - left + 1) as usize,
        cells,
    }))
}
