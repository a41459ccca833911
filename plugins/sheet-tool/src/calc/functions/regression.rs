//! Straight lines and exponential curves through points: `LINEST`, `TREND` and their kind.

use super::{Whole, want};
use crate::calc::coerce;
use crate::calc::evaluate::{Evaluator, Outcome, Value};
use crate::calc::grid::Stop;
use crate::value::{Array, ErrorCode, Scalar};

/// A column whose part that other columns do not explain is smaller than this is left out, as Excel does.
const COLLINEAR: f64 = 1e-13;

pub(super) fn find(name: &str) -> Option<(usize, usize, Whole)> {
    Some(match name {
        "LINEST" => (1, 4, |e, v| coefficients(e, v, false)),
        "LOGEST" => (1, 4, |e, v| coefficients(e, v, true)),
        "TREND" => (1, 4, |e, v| estimated(e, v, false)),
        "GROWTH" => (1, 4, |e, v| estimated(e, v, true)),
        _ => return None,
    })
}

/// Points: a value each, and the columns of what it depends on.
struct Points {
    y: Vec<f64>,
    columns: Vec<Vec<f64>>,
    /// `true` if each column stands in a row of the sheet.
    lies: bool,
    /// `true` if all cells of what it depends on are one column.
    is_flat: bool,
}

fn numbers(array: &Array) -> Result<Vec<f64>, ErrorCode> {
    let number = |cell: &Scalar| match cell {
        Scalar::Number(number) => Ok(*number),
        Scalar::Error(code) => Err(*code),
        _ => Err(ErrorCode::Value),
    };
    array.cells.iter().map(number).collect()
}

/// Returns the columns of an array, or its rows if it lies.
fn columns(array: &Array, lies: bool, is_flat: bool) -> Result<Vec<Vec<f64>>, ErrorCode> {
    let all = numbers(array)?;
    if is_flat {
        return Ok(vec![all]);
    }
    if lies {
        return Ok(all.chunks(array.columns).map(<[f64]>::to_vec).collect());
    }
    let column = |at: usize| all.iter().skip(at).step_by(array.columns).copied().collect();
    Ok((0..array.columns).map(column).collect())
}

fn points(
    e: &mut Evaluator<'_>,
    v: &[Value],
    is_curve: bool,
) -> Result<Result<Points, ErrorCode>, Stop> {
    let ys = e.as_values(&v[0])?;
    let mut y = match numbers(&ys) {
        Ok(y) => y,
        Err(code) => return Ok(Err(code)),
    };
    if is_curve {
        if y.iter().any(|it| *it <= 0.0) {
            return Ok(Err(ErrorCode::Num));
        }
        y.iter_mut().for_each(|it| *it = it.ln());
    }
    let xs = match v.get(1) {
        None | Some(Value::Missing) => {
            let cells = (1..=y.len()).map(|it| Scalar::Number(it as f64)).collect();
            std::rc::Rc::new(Array { rows: ys.rows, columns: ys.columns, cells })
        }
        Some(value) => e.as_values(value)?,
    };
    let is_flat = (xs.rows, xs.columns) == (ys.rows, ys.columns);
    let lies = ys.rows == 1 && ys.columns > 1;
    let fits = is_flat
        || ys.columns == 1 && xs.rows == ys.rows
        || ys.rows == 1 && xs.columns == ys.columns;
    if !fits {
        return Ok(Err(ErrorCode::Ref));
    }
    let found = columns(&xs, lies, is_flat);
    if let Ok(columns) = &found {
        let count = columns.len() as u64;
        e.grid.work(count.saturating_mul(count + 1).saturating_mul(4 * y.len() as u64))?;
    }
    Ok(found.map(|columns| Points { y, columns, lies, is_flat }))
}

/// A line through points.
struct Line {
    slopes: Vec<f64>,
    start: f64,
    /// Standard errors of the slopes and of the start, without the factor of the residuals.
    errors: Vec<f64>,
    start_error: f64,
    /// Sums of squares: of what the line explains, and of the rest.
    explained: f64,
    rest: f64,
    freedom: f64,
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Fits by least squares: columns around their means, made orthogonal by Gram and Schmidt, twice.
fn fitted(points: &Points, has_start: bool) -> Line {
    let count = points.y.len() as f64;
    let mean = |all: &[f64]| if has_start { all.iter().sum::<f64>() / count } else { 0.0 };
    let y_mean = mean(&points.y);
    let y: Vec<f64> = points.y.iter().map(|it| it - y_mean).collect();
    let means: Vec<f64> = points.columns.iter().map(|it| mean(it)).collect();
    let size = points.columns.len();
    // Column = basis * factors; the factors are the upper right triangle of a matrix.
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let mut factors = vec![vec![0.0; size]; size];
    let mut kept = vec![true; size];
    for at in 0..size {
        let mut column: Vec<f64> = points.columns[at].iter().map(|it| it - means[at]).collect();
        let whole = dot(&column, &column);
        for _ in 0..2 {
            for (before, base) in basis.iter().enumerate().filter(|it| kept[it.0]) {
                let part = dot(&column, base);
                factors[before][at] += part;
                column.iter_mut().zip(base).for_each(|(x, b)| *x -= part * b);
            }
        }
        let length = dot(&column, &column).sqrt();
        kept[at] = length > whole.sqrt() * COLLINEAR && length > 0.0;
        if kept[at] {
            factors[at][at] = length;
            column.iter_mut().for_each(|it| *it /= length);
        }
        basis.push(column);
    }
    let (mut slopes, mut residual) = (vec![0.0; size], y.clone());
    let mut along = vec![0.0; size];
    for at in (0..size).filter(|at| kept[*at]) {
        let part = dot(&residual, &basis[at]);
        residual.iter_mut().zip(&basis[at]).for_each(|(x, b)| *x -= part * b);
        along[at] = part;
    }
    // The inverse of the triangle gives the slopes and their errors.
    let mut inverse = vec![vec![0.0; size]; size];
    for at in (0..size).filter(|at| kept[*at]) {
        inverse[at][at] = 1.0 / factors[at][at];
        for row in (0..at).rev().filter(|row| kept[*row]) {
            let sum: f64 = (row + 1..=at).map(|it| factors[row][it] * inverse[it][at]).sum();
            inverse[row][at] = -sum / factors[row][row];
        }
    }
    for (row, slope) in slopes.iter_mut().enumerate() {
        *slope = dot(&inverse[row], &along);
    }
    let errors = inverse.iter().map(|row| dot(row, row).sqrt()).collect();
    let weights: Vec<f64> =
        (0..size).map(|at| (0..size).map(|row| means[row] * inverse[row][at]).sum()).collect();
    let used = kept.iter().filter(|it| **it).count() as f64;
    let rest = dot(&residual, &residual);
    Line {
        start: if has_start { y_mean - dot(&slopes, &means) } else { 0.0 },
        start_error: (1.0 / count + dot(&weights, &weights)).sqrt(),
        slopes,
        errors,
        explained: dot(&along, &along),
        rest: if rest < dot(&y, &y) * 1e-30 { 0.0 } else { rest },
        freedom: count - used - f64::from(u8::from(has_start)),
    }
}

fn switch(
    e: &mut Evaluator<'_>,
    value: Option<&Value>,
    default: bool,
) -> Result<Result<bool, ErrorCode>, Stop> {
    Ok(match value {
        None | Some(Value::Missing) => Ok(default),
        Some(value) => coerce::truth(&e.one(value)?),
    })
}

fn coefficients(e: &mut Evaluator<'_>, v: &[Value], is_curve: bool) -> Outcome {
    let points = want!(points(e, v, is_curve)?);
    let has_start = want!(switch(e, v.get(2), true)?);
    let has_all = want!(switch(e, v.get(3), false)?);
    let line = fitted(&points, has_start);
    let shown = |x: f64| if is_curve { x.exp() } else { x };
    let number = |x: f64| coerce::finite(x).unwrap_or_else(Scalar::Error);
    let mut cells: Vec<Scalar> = line.slopes.iter().rev().map(|it| number(shown(*it))).collect();
    cells.push(number(shown(line.start)));
    let columns = cells.len();
    if !has_all {
        return Ok(Value::array(Array::row(cells)));
    }
    let spread = if line.freedom > 0.0 { (line.rest / line.freedom).sqrt() } else { 0.0 };
    cells.extend(line.errors.iter().rev().map(|it| number(it * spread)));
    cells.push(if has_start {
        number(line.start_error * spread)
    } else {
        Scalar::Error(ErrorCode::NotAvailable)
    });
    let used = points.y.len() as f64 - line.freedom - f64::from(u8::from(has_start));
    let quotient = line.explained / used / (line.rest / line.freedom);
    for (first, second) in [
        (line.explained / (line.explained + line.rest), spread),
        (quotient, line.freedom),
        (line.explained, line.rest),
    ] {
        cells.extend([number(first), number(second)]);
        cells.extend((2..columns).map(|_| Scalar::Error(ErrorCode::NotAvailable)));
    }
    Ok(Value::array(Array { rows: 5, columns, cells }))
}

fn estimated(e: &mut Evaluator<'_>, v: &[Value], is_curve: bool) -> Outcome {
    let points = want!(points(e, v, is_curve)?);
    let has_start = want!(switch(e, v.get(3), true)?);
    let line = fitted(&points, has_start);
    let shown = |x: f64| if is_curve { x.exp() } else { x };
    let new = match (v.get(2), v.get(1)) {
        (None | Some(Value::Missing), None | Some(Value::Missing)) => None,
        (None | Some(Value::Missing), Some(value)) | (Some(value), _) => Some(e.as_values(value)?),
    };
    let Some(new) = new else {
        let shape = e.as_values(&v[0])?;
        let cells = points.columns[0].iter().map(|x| line.start + line.slopes[0] * x);
        let cells = cells.map(|it| Scalar::Number(shown(it))).collect();
        return Ok(Value::array(Array { cells, ..*shape }));
    };
    let is_flat = points.is_flat || points.columns.len() == 1;
    let columns = want!(columns(&new, points.lies, is_flat));
    if columns.len() != line.slopes.len() {
        return Ok(Value::error(ErrorCode::Ref));
    }
    let count = columns[0].len();
    let cells: Vec<Scalar> = (0..count)
        .map(|at| {
            let sum: f64 = line.slopes.iter().zip(&columns).map(|(slope, x)| slope * x[at]).sum();
            coerce::finite(shown(line.start + sum)).unwrap_or_else(Scalar::Error)
        })
        .collect();
    Ok(Value::array(match (is_flat, points.lies) {
        (true, _) => Array { cells, ..*new },
        (false, true) => Array::row(cells),
        (false, false) => Array::column(cells),
    }))
}
