//! `AGGREGATE`: totals that leave out hidden rows, errors, and other totals.

use super::samples::{inner_quantile, modes};
use super::statistics::{mean, quantile, sorted, variance};
use super::{Whole, number, want};
use crate::calc::evaluate::{Evaluator, Outcome, Value};
use crate::calc::grid::Stop;
use crate::value::{ErrorCode, Scalar};

pub(super) fn find(name: &str) -> Option<(usize, usize, Whole)> {
    (name == "AGGREGATE").then_some((3, 255, aggregate as Whole))
}

/// What is left out.
struct Omitted {
    totals: bool,
    hidden: bool,
    errors: bool,
}

fn aggregate(e: &mut Evaluator<'_>, v: &[Value]) -> Outcome {
    let kind = want!(number(e, v.first(), 0.0)?) as i64;
    let option = want!(number(e, v.get(1), 0.0)?) as i64;
    if !(1..=19).contains(&kind) || !(0..=7).contains(&option) {
        return Ok(Value::error(ErrorCode::Value));
    }
    let omitted = Omitted {
        totals: option < 4,
        hidden: option % 2 == 1,
        errors: matches!(option, 2 | 3 | 6 | 7),
    };
    if kind >= 14 && v.len() != 4 {
        return Ok(Value::error(ErrorCode::Value));
    }
    let sources = if kind >= 14 { &v[2..3] } else { &v[2..] };
    let cells = want!(remaining(e, sources, &omitted, kind >= 14)?);
    let mut all = Vec::new();
    for cell in &cells {
        match cell {
            Scalar::Number(number) => all.push(*number),
            Scalar::Error(code) if !matches!(kind, 2 | 3) => return Ok(Value::error(*code)),
            _ => {}
        }
    }
    if kind >= 14 {
        let all = sorted(&all);
        return e.lift_one(v[3].clone(), &|which| ranked(kind, &all, which));
    }
    let most = |f: fn(f64, f64) -> f64| all.iter().copied().reduce(f).unwrap_or(0.0);
    Ok(Value::number(match kind {
        1 => want!(mean(&all)),
        2 => all.len() as f64,
        3 => cells.len() as f64,
        4 => most(f64::max),
        5 => most(f64::min),
        6 if all.is_empty() => 0.0,
        6 => all.iter().product(),
        7 => want!(variance(&all, true)).sqrt(),
        8 => want!(variance(&all, false)).sqrt(),
        9 => super::ranges::added(&all),
        10 => want!(variance(&all, true)),
        11 => want!(variance(&all, false)),
        12 => want!(quantile(&sorted(&all), 0.5)),
        _ => match modes(&all).first() {
            Some(mode) => *mode,
            None => return Ok(Value::error(ErrorCode::NotAvailable)),
        },
    }))
}

/// Returns a value by its rank or part in sorted numbers.
fn ranked(kind: i64, all: &[f64], which: &Scalar) -> Result<Scalar, ErrorCode> {
    let which = crate::calc::coerce::number(which)?;
    let rank = || match which.ceil() {
        rank if rank >= 1.0 && rank <= all.len() as f64 => Ok(rank as usize),
        _ => Err(ErrorCode::Num),
    };
    let value = match kind {
        14 => all[all.len() - rank()?],
        15 => all[rank()? - 1],
        16 => quantile(all, which)?,
        17 => quantile(all, which.trunc() / 4.0)?,
        18 => inner_quantile(all, which)?,
        _ => inner_quantile(all, which.trunc() / 4.0)?,
    };
    crate::calc::coerce::finite(value)
}

/// Returns the cells that count; empty ones do not. Arrays have no rows that could be hidden.
fn remaining(
    e: &mut Evaluator<'_>,
    values: &[Value],
    omitted: &Omitted,
    takes_arrays: bool,
) -> Result<Result<Vec<Scalar>, ErrorCode>, Stop> {
    let mut cells = Vec::new();
    let stays = |cell: &Scalar| !(omitted.errors && matches!(cell, Scalar::Error(_)));
    for value in values {
        let Value::Cells(places) = value else {
            if !takes_arrays {
                return Ok(Err(match value {
                    Value::One(Scalar::Error(code)) => *code,
                    _ => ErrorCode::Value,
                }));
            }
            let array = e.as_values(value)?;
            let filled = array.cells.iter().filter(|it| **it != Scalar::Empty && stays(it));
            cells.extend(filled.cloned());
            continue;
        };
        for place in places {
            let environment = e.environment;
            let none = Vec::new();
            let hidden = environment.hidden_rows.get(&place.sheet).unwrap_or(&none);
            let no_totals = Vec::new();
            let totals = environment.subtotals.get(&place.sheet).unwrap_or(&no_totals);
            let (top, left) = (place.area.first.row, place.area.first.column);
            e.grid.visit(*place, &mut |row, column, cell| {
                let is_hidden = omitted.hidden && hidden.binary_search(&(top + row)).is_ok();
                let is_total =
                    omitted.totals && totals.binary_search(&(top + row, left + column)).is_ok();
                if !is_hidden && !is_total && stays(&cell) {
                    cells.push(cell);
                }
            })?;
        }
    }
    Ok(Ok(cells))
}
