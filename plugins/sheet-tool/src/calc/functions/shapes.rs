//! Functions that give arrays another shape.

use super::arrays::apart;
use super::{Whole, number, place, want};
use crate::calc::coerce;
use crate::calc::evaluate::{Evaluator, Outcome, Value};
use crate::calc::grid::{Place, Stop};
use crate::refs::Area;
use crate::value::{Array, ErrorCode, Scalar};

/// Most cells of an array that numbers alone ask for.
const MAX_CELLS: f64 = 1_000_000.0;

pub(super) fn find(name: &str) -> Option<(usize, usize, Whole)> {
    Some(match name {
        "CHOOSECOLS" => (2, 255, |e, v| chosen(e, v, true)),
        "CHOOSEROWS" => (2, 255, |e, v| chosen(e, v, false)),
        "EXPAND" => (2, 4, expanded),
        "WRAPROWS" => (2, 3, |e, v| wrapped(e, v, false)),
        "WRAPCOLS" => (2, 3, |e, v| wrapped(e, v, true)),
        "TOCOL" => (1, 3, |e, v| {
            lined(e, v)
                .map(|it| it.map_or_else(Value::error, |cells| Value::array(Array::column(cells))))
        }),
        "TOROW" => (1, 3, |e, v| {
            lined(e, v)
                .map(|it| it.map_or_else(Value::error, |cells| Value::array(Array::row(cells))))
        }),
        "MAKEARRAY" => (3, 3, made),
        "MAP" => (2, 255, mapped),
        "TRIMRANGE" => (1, 3, trimmed),
        "ARRAYTOTEXT" => (1, 2, |e, v| {
            let array = e.as_values(&v[0])?;
            let kind = want!(number(e, v.get(1), 0.0)?);
            let shown = |cell: &Scalar| if kind == 0.0 { cell.shown() } else { strict(cell) };
            match kind {
                0.0 => {
                    let all: Vec<String> = array.cells.iter().map(shown).collect();
                    Ok(bounded(all.join(", ")))
                }
                1.0 => {
                    let rows = array.cells.chunks(array.columns);
                    let rows = rows.map(|row| row.iter().map(shown).collect::<Vec<_>>().join(","));
                    Ok(bounded(format!("{{{}}}", rows.collect::<Vec<_>>().join(";"))))
                }
                _ => Ok(Value::error(ErrorCode::Value)),
            }
        }),
        "VALUETOTEXT" => (1, 2, |e, v| {
            let kind = want!(number(e, v.get(1), 0.0)?);
            e.lift_one(v[0].clone(), &|value| match kind {
                0.0 => Ok(Scalar::text(value.shown())),
                1.0 => Ok(Scalar::text(strict(value))),
                _ => Err(ErrorCode::Value),
            })
        }),
        _ => return None,
    })
}

fn strict(cell: &Scalar) -> String {
    match cell {
        Scalar::Text(text) => format!("\"{}\"", text.replace('"', "\"\"")),
        other => other.shown(),
    }
}

fn bounded(all: String) -> Value {
    if all.chars().count() > 32_767 { Value::error(ErrorCode::Value) } else { Value::text(all) }
}

/// Returns chosen rows or columns; negative numbers count from the end.
fn chosen(e: &mut Evaluator<'_>, v: &[Value], is_column: bool) -> Outcome {
    let array = e.as_values(&v[0])?;
    let array = if is_column { array.transposed() } else { (*array).clone() };
    let mut rows = Vec::new();
    for value in &v[1..] {
        for cell in &e.as_values(value)?.cells {
            let row = want!(coerce::integer(cell));
            let count = array.rows as i64;
            rows.push(match row {
                row if (1..=count).contains(&row) => row - 1,
                row if (-count..=-1).contains(&row) => count + row,
                _ => return Ok(Value::error(ErrorCode::Value)),
            } as usize);
        }
    }
    e.grid.work((rows.len() * array.columns) as u64)?;
    if (rows.len() * array.columns) as f64 > MAX_CELLS {
        return Err(Stop::Limit);
    }
    let mut cells = Vec::new();
    for row in &rows {
        cells.extend((0..array.columns).map(|column| array.get(*row, column).clone()));
    }
    let result = Array { rows: rows.len(), columns: array.columns, cells };
    Ok(Value::array(if is_column { result.transposed() } else { result }))
}

/// Returns the value that fills up arrays.
fn padding(e: &mut Evaluator<'_>, value: Option<&Value>) -> Result<Scalar, Stop> {
    match value {
        None | Some(Value::Missing) => Ok(Scalar::Error(ErrorCode::NotAvailable)),
        Some(value) => e.one(value),
    }
}

fn expanded(e: &mut Evaluator<'_>, v: &[Value]) -> Outcome {
    let array = e.as_values(&v[0])?;
    let rows = want!(number(e, v.get(1), array.rows as f64)?).trunc();
    let columns = want!(number(e, v.get(2), array.columns as f64)?).trunc();
    let pad = padding(e, v.get(3))?;
    if rows < array.rows as f64 || columns < array.columns as f64 {
        return Ok(Value::error(ErrorCode::Value));
    }
    if rows * columns > MAX_CELLS {
        return Err(Stop::Limit);
    }
    let (rows, columns) = (rows as usize, columns as usize);
    e.grid.work((rows * columns) as u64)?;
    let cell = |at: usize| match (at / columns, at % columns) {
        (row, column) if row < array.rows && column < array.columns => {
            array.get(row, column).clone()
        }
        _ => pad.clone(),
    };
    Ok(Value::array(Array { rows, columns, cells: (0..rows * columns).map(cell).collect() }))
}

fn wrapped(e: &mut Evaluator<'_>, v: &[Value], is_column: bool) -> Outcome {
    let array = e.as_values(&v[0])?;
    let width = want!(number(e, v.get(1), 1.0)?).trunc();
    let pad = padding(e, v.get(2))?;
    if array.rows > 1 && array.columns > 1 {
        return Ok(Value::error(ErrorCode::Value));
    }
    if width < 1.0 {
        return Ok(Value::error(ErrorCode::Num));
    }
    // A line that is wider than the cells are many has only them.
    let width = (width as usize).min(array.cells.len());
    let rows = array.cells.len().div_ceil(width);
    e.grid.work((rows * width) as u64)?;
    let mut cells = array.cells.clone();
    cells.resize(rows * width, pad);
    let result = Array { rows, columns: width, cells };
    Ok(Value::array(if is_column { result.transposed() } else { result }))
}

/// Returns the cells in one line, without empty ones (1), errors (2) or both (3).
fn lined(e: &mut Evaluator<'_>, v: &[Value]) -> Result<Result<Vec<Scalar>, ErrorCode>, Stop> {
    let mut arrays = Vec::new();
    for value in apart(&v[..1]) {
        arrays.push(e.as_values(&value)?);
    }
    let ignores = match number(e, v.get(1), 0.0)? {
        Ok(ignores) => ignores.trunc(),
        Err(code) => return Ok(Err(code)),
    };
    let by_column = match v.get(2) {
        None | Some(Value::Missing) => Ok(false),
        Some(value) => coerce::truth(&e.one(value)?),
    };
    let by_column = match by_column {
        Ok(by_column) => by_column,
        Err(code) => return Ok(Err(code)),
    };
    if !(0.0..=3.0).contains(&ignores) {
        return Ok(Err(ErrorCode::Value));
    }
    let (empties, errors) = (ignores == 1.0 || ignores == 3.0, ignores >= 2.0);
    let stays = |cell: &Scalar| match cell {
        Scalar::Empty => !empties,
        Scalar::Error(_) => !errors,
        _ => true,
    };
    let mut cells = Vec::new();
    for array in arrays {
        let array = if by_column { array.transposed() } else { (*array).clone() };
        cells.extend(array.cells.into_iter().filter(stays));
    }
    Ok(Ok(cells))
}

fn made(e: &mut Evaluator<'_>, v: &[Value]) -> Outcome {
    let rows = want!(number(e, v.first(), 1.0)?).trunc();
    let columns = want!(number(e, v.get(1), 1.0)?).trunc();
    if rows < 1.0 || columns < 1.0 {
        return Ok(Value::error(ErrorCode::Value));
    }
    if rows * columns > MAX_CELLS {
        return Err(Stop::Limit);
    }
    let (rows, columns) = (rows as usize, columns as usize);
    e.grid.work((rows * columns) as u64)?;
    let mut cells = Vec::with_capacity(rows * columns);
    for at in 0..rows * columns {
        let place = [at / columns, at % columns].map(|it| Value::number(it as f64 + 1.0));
        let result = e.apply(&v[2], place.to_vec())?;
        cells.push(single(e, &result)?);
    }
    Ok(Value::array(Array { rows, columns, cells }))
}

/// Returns the one value that a LAMBDA gives for a cell; an array there is `#CALC!`.
pub(super) fn single(e: &mut Evaluator<'_>, value: &Value) -> Result<Scalar, Stop> {
    match value {
        Value::Array(array) if array.cells.len() > 1 => Ok(Scalar::Error(ErrorCode::Calc)),
        value => e.one(value),
    }
}

/// Calls a LAMBDA for the cells of several arrays at once; where one of them has none, it is `#N/A`.
fn mapped(e: &mut Evaluator<'_>, v: &[Value]) -> Outcome {
    let Some((lambda, values)) = v.split_last() else { return Ok(Value::error(ErrorCode::Value)) };
    let mut arrays = Vec::new();
    for value in values {
        arrays.push(e.as_values(value)?);
    }
    let rows = arrays.iter().map(|it| it.rows).max().unwrap_or(0);
    let columns = arrays.iter().map(|it| it.columns).max().unwrap_or(0);
    e.grid.work((rows * columns * arrays.len()) as u64)?;
    let mut cells = Vec::with_capacity(rows * columns);
    for at in 0..rows * columns {
        let (row, column) = (at / columns, at % columns);
        let all = arrays.iter().map(|array| {
            if row < array.rows && column < array.columns {
                Value::One(array.get(row, column).clone())
            } else {
                Value::error(ErrorCode::NotAvailable)
            }
        });
        let all = all.collect();
        let result = e.apply(lambda, all)?;
        cells.push(single(e, &result)?);
    }
    Ok(Value::array(Array { rows, columns, cells }))
}

/// Returns a range without empty rows and columns: at the start (1), at the end (2), at both (3) or not (0).
fn trimmed(e: &mut Evaluator<'_>, v: &[Value]) -> Outcome {
    let rows = want!(number(e, v.get(1), 3.0)?) as i64;
    let columns = want!(number(e, v.get(2), 3.0)?) as i64;
    if !(0..=3).contains(&rows) || !(0..=3).contains(&columns) {
        return Ok(Value::error(ErrorCode::Value));
    }
    let Some(place) = place(&v[0]) else { return Ok(v[0].clone()) };
    let mut filled: Option<(u32, u32, u32, u32)> = None;
    e.grid.visit(place, &mut |row, column, _| {
        let (top, left, bottom, right) = filled.unwrap_or((row, column, row, column));
        filled = Some((top.min(row), left.min(column), bottom.max(row), right.max(column)));
    })?;
    let Some((top, left, bottom, right)) = filled else { return Ok(Value::error(ErrorCode::Ref)) };
    let Area { first, last } = place.area;
    let area = Area::new(
        if rows & 1 == 1 { first.row + top } else { first.row },
        if columns & 1 == 1 { first.column + left } else { first.column },
        if rows & 2 == 2 { first.row + bottom } else { last.row },
        if columns & 2 == 2 { first.column + right } else { last.column },
    );
    Ok(Value::Cells(vec![Place { area, ..place }]))
}
