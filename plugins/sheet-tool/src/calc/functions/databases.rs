//! Functions of databases: `DSUM` and its kind. The first row of a range has the headings, another range the criteria.

use super::statistics::variance;
use super::{Whole, want};
use crate::calc::coerce;
use crate::calc::criteria::Criterion;
use crate::calc::evaluate::{Evaluator, Outcome, Value};
use crate::calc::grid::Stop;
use crate::value::{Array, ErrorCode, Scalar};

pub(super) fn find(name: &str) -> Option<(usize, usize, Whole)> {
    let function: Whole = match name {
        "DSUM" => |e, v| over(e, v, |all| Ok(all.iter().sum())),
        "DAVERAGE" => |e, v| {
            over(e, v, |all| match all.len() {
                0 => Err(ErrorCode::Div0),
                count => Ok(all.iter().sum::<f64>() / count as f64),
            })
        },
        "DCOUNT" => |e, v| counted(e, v, |cell| matches!(cell, Scalar::Number(_))),
        "DCOUNTA" => |e, v| counted(e, v, |cell| *cell != Scalar::Empty),
        "DGET" => only,
        "DMAX" => |e, v| over(e, v, |all| Ok(all.iter().copied().reduce(f64::max).unwrap_or(0.0))),
        "DMIN" => |e, v| over(e, v, |all| Ok(all.iter().copied().reduce(f64::min).unwrap_or(0.0))),
        "DPRODUCT" => {
            |e, v| over(e, v, |all| if all.is_empty() { Ok(0.0) } else { Ok(all.iter().product()) })
        }
        "DSTDEV" => |e, v| over(e, v, |all| variance(all, true).map(f64::sqrt)),
        "DSTDEVP" => |e, v| over(e, v, |all| variance(all, false).map(f64::sqrt)),
        "DVAR" => |e, v| over(e, v, |all| variance(all, true)),
        "DVARP" => |e, v| over(e, v, |all| variance(all, false)),
        _ => return None,
    };
    Some((3, 3, function))
}

/// Returns the column with a heading.
fn heading(database: &Array, name: &str) -> Option<usize> {
    (0..database.columns).find(|column| {
        coerce::compare_text(database.get(0, *column).shown().trim(), name.trim()).is_eq()
    })
}

/// Returns the criterion of a cell; a text without a sign is the beginning of what is wanted.
fn criterion(cell: &Scalar) -> Criterion {
    match cell {
        Scalar::Text(text)
            if !text.starts_with(['=', '<', '>']) && coerce::parse(text).is_none() =>
        {
            Criterion::new(&Scalar::text(format!("{text}*")))
        }
        cell => Criterion::new(cell),
    }
}

/// Returns the cells of a column in the rows that the criteria select.
fn selected(
    e: &mut Evaluator<'_>,
    v: &[Value],
    needs_field: bool,
) -> Result<Result<Vec<Scalar>, ErrorCode>, Stop> {
    let (database, criteria) = (e.as_values(&v[0])?, e.as_values(&v[2])?);
    let column = match &v[1] {
        Value::Missing if !needs_field => None,
        value => match e.one(value)? {
            Scalar::Error(code) => return Ok(Err(code)),
            Scalar::Empty if !needs_field => None,
            Scalar::Text(name) => match heading(&database, &name) {
                Some(column) => Some(column),
                None => return Ok(Err(ErrorCode::Value)),
            },
            other => match coerce::number(&other) {
                Ok(number) if number >= 1.0 && number < database.columns as f64 + 1.0 => {
                    Some(number as usize - 1)
                }
                _ => return Ok(Err(ErrorCode::Value)),
            },
        },
    };
    let mut rules = Vec::new();
    for row in 1..criteria.rows {
        let mut rule = Vec::new();
        for at in 0..criteria.columns {
            let cell = criteria.get(row, at);
            if *cell == Scalar::Empty {
                continue;
            }
            match heading(&database, &criteria.get(0, at).shown()) {
                Some(column) => rule.push((column, criterion(cell))),
                // Its formula is meant for each row.
                None => {
                    return Err(Stop::Unsupported("a criterion that is a formula".to_owned()));
                }
            }
        }
        rules.push(rule);
    }
    let tests: usize = rules.iter().map(|it| it.len().max(1)).sum();
    e.grid.work((database.rows * tests.max(1)) as u64)?;
    let mut found = Vec::new();
    for row in 1..database.rows {
        let fits = rules.iter().any(|rule| {
            rule.iter().all(|(column, criterion)| criterion.matches(database.get(row, *column)))
        });
        if fits {
            found.push(column.map_or(Scalar::Number(1.0), |at| database.get(row, at).clone()));
        }
    }
    Ok(Ok(found))
}

fn over(e: &mut Evaluator<'_>, v: &[Value], f: fn(&[f64]) -> Result<f64, ErrorCode>) -> Outcome {
    let mut all = Vec::new();
    for cell in want!(selected(e, v, true)?) {
        match cell {
            Scalar::Number(number) => all.push(number),
            Scalar::Error(code) => return Ok(Value::error(code)),
            _ => {}
        }
    }
    Ok(Value::number(want!(f(&all))))
}

fn counted(e: &mut Evaluator<'_>, v: &[Value], counts: fn(&Scalar) -> bool) -> Outcome {
    let all = want!(selected(e, v, false)?);
    Ok(Value::number(all.iter().filter(|it| counts(it)).count() as f64))
}

fn only(e: &mut Evaluator<'_>, v: &[Value]) -> Outcome {
    let mut all = want!(selected(e, v, true)?);
    Ok(match all.len() {
        0 => Value::error(ErrorCode::Value),
        1 => Value::One(all.swap_remove(0)),
        _ => Value::error(ErrorCode::Num),
    })
}
