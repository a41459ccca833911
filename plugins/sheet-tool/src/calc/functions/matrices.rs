//! Matrices: determinant, inverse, unit matrix, and sums over two arrays.

use super::{Whole, number, want};
use crate::calc::evaluate::{Evaluator, Outcome, Value};
use crate::calc::grid::Stop;
use crate::value::{Array, ErrorCode, Scalar};

pub(super) fn find(name: &str) -> Option<(usize, usize, Whole)> {
    Some(match name {
        "MDETERM" => (1, 1, |e, v| {
            let mut rows = want!(square(e, &v[0])?);
            let mut none: Vec<Vec<f64>> = rows.iter().map(|_| Vec::new()).collect();
            Ok(Value::number(eliminated(&mut rows, &mut none)))
        }),
        "MINVERSE" => (1, 1, |e, v| {
            let mut rows = want!(square(e, &v[0])?);
            let size = rows.len();
            let mut inverse: Vec<Vec<f64>> = (0..size)
                .map(|row| (0..size).map(|at| f64::from(u8::from(at == row))).collect())
                .collect();
            if eliminated(&mut rows, &mut inverse) == 0.0 {
                return Ok(Value::error(ErrorCode::Num));
            }
            let cells: Vec<_> = inverse.into_iter().flatten().collect();
            if cells.iter().any(|it| !it.is_finite()) {
                return Ok(Value::error(ErrorCode::Num));
            }
            let cells = cells.into_iter().map(|it| Scalar::Number(it + 0.0)).collect();
            Ok(Value::array(Array { rows: size, columns: size, cells }))
        }),
        "MUNIT" => (1, 1, |e, v| {
            let size = want!(number(e, v.first(), 0.0)?).trunc();
            if size < 1.0 {
                return Ok(Value::error(ErrorCode::Value));
            }
            if size > 1000.0 {
                return Err(Stop::Limit);
            }
            let size = size as usize;
            e.grid.work((size * size) as u64)?;
            let is_one = |at: usize| at / size == at % size;
            let cells = (0..size * size).map(|at| Scalar::Number(f64::from(u8::from(is_one(at)))));
            Ok(Value::array(Array { rows: size, columns: size, cells: cells.collect() }))
        }),
        "SUMX2MY2" => (2, 2, |e, v| pairs(e, v, |x, y| x * x - y * y)),
        "SUMX2PY2" => (2, 2, |e, v| pairs(e, v, |x, y| x * x + y * y)),
        "SUMXMY2" => (2, 2, |e, v| pairs(e, v, |x, y| (x - y) * (x - y))),
        _ => return None,
    })
}

/// Returns the rows of a square matrix of numbers, and counts the work of an elimination.
fn square(e: &mut Evaluator<'_>, value: &Value) -> Result<Result<Vec<Vec<f64>>, ErrorCode>, Stop> {
    let array = e.as_values(value)?;
    if array.rows != array.columns {
        return Ok(Err(ErrorCode::Value));
    }
    let size = array.rows as u64;
    e.grid.work(size.saturating_mul(size).saturating_mul(size))?;
    let mut rows = Vec::with_capacity(array.rows);
    for row in array.cells.chunks(array.columns) {
        let mut numbers = Vec::with_capacity(array.columns);
        for cell in row {
            match cell {
                Scalar::Number(number) => numbers.push(*number),
                Scalar::Error(code) => return Ok(Err(*code)),
                _ => return Ok(Err(ErrorCode::Value)),
            }
        }
        rows.push(numbers);
    }
    Ok(Ok(rows))
}

/// Makes a matrix the unit matrix by Gauss and Jordan, with the largest pivot of each column, does the same to `beside`, and
/// returns the determinant.
fn eliminated(rows: &mut [Vec<f64>], beside: &mut [Vec<f64>]) -> f64 {
    let size = rows.len();
    let mut determinant = 1.0;
    for at in 0..size {
        let pivot = (at..size).fold(at, |best, row| {
            if rows[row][at].abs() > rows[best][at].abs() { row } else { best }
        });
        if pivot != at {
            rows.swap(pivot, at);
            beside.swap(pivot, at);
            determinant = -determinant;
        }
        let value = rows[at][at];
        determinant *= value;
        if value == 0.0 {
            return 0.0;
        }
        let (own, own_beside) = (rows[at].clone(), beside[at].clone());
        let first = if own_beside.is_empty() { at + 1 } else { 0 };
        for row in (first..size).filter(|row| *row != at) {
            let factor = rows[row][at] / value;
            if factor == 0.0 {
                continue;
            }
            rows[row].iter_mut().zip(&own).skip(at).for_each(|(x, y)| *x -= factor * y);
            beside[row].iter_mut().zip(&own_beside).for_each(|(x, y)| *x -= factor * y);
        }
    }
    for (row, beside) in
        rows.iter().zip(beside.iter_mut()).enumerate().map(|(at, it)| (it.0[at], it.1))
    {
        beside.iter_mut().for_each(|x| *x /= row);
    }
    determinant
}

/// Adds over the pairs of two arrays that are both numbers.
fn pairs(e: &mut Evaluator<'_>, v: &[Value], f: fn(f64, f64) -> f64) -> Outcome {
    let (a, b) = (e.as_values(&v[0])?, e.as_values(&v[1])?);
    if a.cells.len() != b.cells.len() {
        return Ok(Value::error(ErrorCode::NotAvailable));
    }
    let mut sum = 0.0;
    for pair in a.cells.iter().zip(&b.cells) {
        match pair {
            (Scalar::Number(x), Scalar::Number(y)) => sum += f(*x, *y),
            (Scalar::Error(code), _) | (_, Scalar::Error(code)) => return Ok(Value::error(*code)),
            _ => {}
        }
    }
    Ok(Value::number(sum))
}
