//! Tests of hypotheses on samples in ranges.

use super::numeric::{normal, student};
use super::sampling::{chi_tail, ratio};
use crate::calc::evaluate::{Evaluator, Outcome, Value};
use crate::calc::functions::statistics::variance;
use crate::calc::functions::{Whole, number, numbers, want};
use crate::value::{ErrorCode, Scalar};

pub(super) fn find(name: &str) -> Option<(usize, usize, Whole)> {
    Some(match name {
        "Z.TEST" | "ZTEST" => (2, 3, |e, v| {
            let all = want!(numbers(e, &v[..1])?);
            let x = want!(number(e, v.get(1), 0.0)?);
            if all.is_empty() {
                return Ok(Value::error(ErrorCode::NotAvailable));
            }
            let deviation = match v.get(2) {
                None | Some(Value::Missing) => want!(variance(&all, true)).sqrt(),
                value => want!(number(e, value, 0.0)?),
            };
            if deviation == 0.0 {
                return Ok(Value::error(ErrorCode::Div0));
            }
            if deviation < 0.0 {
                return Ok(Value::error(ErrorCode::Num));
            }
            let count = all.len() as f64;
            let mean = all.iter().sum::<f64>() / count;
            Ok(Value::number(normal((mean - x) * count.sqrt() / deviation).1))
        }),
        "CHISQ.TEST" | "CHITEST" => (2, 2, chi),
        "F.TEST" | "FTEST" => (2, 2, |e, v| {
            let (a, b) = (want!(numbers(e, &v[..1])?), want!(numbers(e, &v[1..])?));
            let (first, second) = (want!(variance(&a, true)), want!(variance(&b, true)));
            if first == 0.0 || second == 0.0 {
                return Ok(Value::error(ErrorCode::Div0));
            }
            let parts = ratio(first / second, a.len() as f64 - 1.0, b.len() as f64 - 1.0);
            Ok(Value::number((2.0 * parts.0.min(parts.1)).min(1.0)))
        }),
        "T.TEST" | "TTEST" => (4, 4, student_test),
        _ => return None,
    })
}

fn chi(e: &mut Evaluator<'_>, v: &[Value]) -> Outcome {
    let (actual, expected) = (e.as_values(&v[0])?, e.as_values(&v[1])?);
    let (rows, columns) = (actual.rows, actual.columns);
    if (rows, columns) != (expected.rows, expected.columns) || rows * columns < 2 {
        return Ok(Value::error(ErrorCode::NotAvailable));
    }
    let mut sum = 0.0;
    for pair in actual.cells.iter().zip(&expected.cells) {
        match pair {
            (Scalar::Number(_), Scalar::Number(0.0)) => return Ok(Value::error(ErrorCode::Div0)),
            (Scalar::Number(x), Scalar::Number(y)) => sum += (x - y) * (x - y) / y,
            (Scalar::Error(code), _) | (_, Scalar::Error(code)) => return Ok(Value::error(*code)),
            _ => {}
        }
    }
    if sum < 0.0 {
        return Ok(Value::error(ErrorCode::Num));
    }
    let freedom = match rows.min(columns) {
        1 => rows * columns - 1,
        _ => (rows - 1) * (columns - 1),
    };
    Ok(chi_tail(sum, freedom as f64).into())
}

fn student_test(e: &mut Evaluator<'_>, v: &[Value]) -> Outcome {
    let tails = want!(number(e, v.get(2), 0.0)?).trunc();
    let kind = want!(number(e, v.get(3), 0.0)?).trunc();
    if !(tails == 1.0 || tails == 2.0) || !(1.0..=3.0).contains(&kind) {
        return Ok(Value::error(ErrorCode::Num));
    }
    let (t, freedom) = if kind == 1.0 {
        let (a, b) = (e.as_values(&v[0])?, e.as_values(&v[1])?);
        if a.cells.len() != b.cells.len() {
            return Ok(Value::error(ErrorCode::NotAvailable));
        }
        let mut differences = Vec::new();
        for pair in a.cells.iter().zip(&b.cells) {
            match pair {
                (Scalar::Number(x), Scalar::Number(y)) => differences.push(x - y),
                (Scalar::Error(code), _) | (_, Scalar::Error(code)) => {
                    return Ok(Value::error(*code));
                }
                _ => {}
            }
        }
        let count = differences.len() as f64;
        let variance = want!(variance(&differences, true));
        let mean = differences.iter().sum::<f64>() / count;
        (mean / (variance / count).sqrt(), count - 1.0)
    } else {
        let (a, b) = (want!(numbers(e, &v[..1])?), want!(numbers(e, &v[1..2])?));
        let (first, second) = (want!(variance(&a, true)), want!(variance(&b, true)));
        let (m, n) = (a.len() as f64, b.len() as f64);
        let difference = a.iter().sum::<f64>() / m - b.iter().sum::<f64>() / n;
        let (x, y) = (first / m, second / n);
        if kind == 2.0 {
            let pooled = ((m - 1.0) * first + (n - 1.0) * second) / (m + n - 2.0);
            (difference / (pooled * (1.0 / m + 1.0 / n)).sqrt(), m + n - 2.0)
        } else {
            // Welch; the degrees of freedom are not whole.
            let freedom = (x + y) * (x + y) / (x * x / (m - 1.0) + y * y / (n - 1.0));
            (difference / (x + y).sqrt(), freedom)
        }
    };
    if !t.is_finite() {
        return Ok(Value::error(ErrorCode::Div0));
    }
    Ok(Value::number(student(t.abs(), freedom).1 / 2.0 * tails))
}
