//! Sums, counts and their conditional forms.

use super::arrays::apart;
use super::{Whole, each, number, numbers, place, want};
use crate::calc::coerce;
use crate::calc::criteria::Criterion;
use crate::calc::evaluate::{Evaluator, Outcome, Value};
use crate::calc::grid::{Place, Stop};
use crate::refs::{self, Area};
use crate::value::{ErrorCode, Scalar};

pub(super) fn find(name: &str) -> Option<(usize, usize, Whole)> {
    Some(match name {
        "SUM" => (1, 255, sum),
        "PRODUCT" => (1, 255, |e, v| {
            over(e, v, |all| if all.is_empty() { Ok(0.0) } else { Ok(all.iter().product()) })
        }),
        "AVERAGE" => (1, 255, |e, v| over(e, v, mean)),
        "MIN" => (1, 255, |e, v| {
            over(e, v, |all| Ok(all.iter().copied().reduce(f64::min).unwrap_or(0.0)))
        }),
        "MAX" => (1, 255, |e, v| {
            over(e, v, |all| Ok(all.iter().copied().reduce(f64::max).unwrap_or(0.0)))
        }),
        "SUMSQ" => (1, 255, |e, v| over(e, v, |all| Ok(all.iter().map(|it| it * it).sum()))),
        "COUNT" => (1, 255, |e, v| {
            let mut count = 0.0;
            for value in v {
                each(e, value, &mut |value, is_cell| {
                    let counts = match value {
                        Scalar::Number(_) => true,
                        Scalar::Empty | Scalar::Error(_) => false,
                        other => !is_cell && coerce::number(&other).is_ok(),
                    };
                    count += f64::from(u8::from(counts));
                })?;
            }
            Ok(Value::number(count))
        }),
        "COUNTA" => (1, 255, |e, v| {
            let mut count = 0.0;
            for value in v {
                each(e, value, &mut |value, is_cell| {
                    count += f64::from(u8::from(value != Scalar::Empty || !is_cell));
                })?;
            }
            Ok(Value::number(count))
        }),
        "COUNTBLANK" => (1, 1, |e, v| {
            let Some(place) = place(&v[0]) else { return Ok(Value::error(ErrorCode::Value)) };
            let mut filled = 0_u64;
            e.grid.visit(place, &mut |_, _, value| {
                filled += u64::from(!matches!(&value, Scalar::Text(it) if it.is_empty()))
            })?;
            Ok(Value::number((place.area.size() - filled) as f64))
        }),
        "AVERAGEA" | "MAXA" | "MINA" => {
            let function: Whole = match name {
                "AVERAGEA" => |e, v| over_all(e, v, mean),
                "MAXA" => |e, v| {
                    over_all(e, v, |all| Ok(all.iter().copied().reduce(f64::max).unwrap_or(0.0)))
                },
                _ => |e, v| {
                    over_all(e, v, |all| Ok(all.iter().copied().reduce(f64::min).unwrap_or(0.0)))
                },
            };
            (1, 255, function)
        }
        "AND" | "OR" | "XOR" => {
            let function: Whole = match name {
                "AND" => |e, v| logic(e, v, |all| all.iter().all(|it| *it)),
                "OR" => |e, v| logic(e, v, |all| all.iter().any(|it| *it)),
                _ => |e, v| logic(e, v, |all| all.iter().filter(|it| **it).count() % 2 == 1),
            };
            (1, 255, function)
        }
        "SUMIF" => (2, 3, |e, v| by_criteria(e, &v[..2], Some(v.get(2).unwrap_or(&v[0])), total)),
        "AVERAGEIF" => {
            (2, 3, |e, v| by_criteria(e, &v[..2], Some(v.get(2).unwrap_or(&v[0])), average))
        }
        "COUNTIF" => (2, 2, |e, v| by_criteria(e, v, None, total)),
        "COUNTIFS" => (2, 254, |e, v| by_criteria(e, v, None, total)),
        "SUMIFS" => (3, 255, |e, v| by_criteria(e, &v[1..], Some(&v[0]), total)),
        "AVERAGEIFS" => (3, 255, |e, v| by_criteria(e, &v[1..], Some(&v[0]), average)),
        "MAXIFS" => (3, 255, |e, v| {
            by_criteria(e, &v[1..], Some(&v[0]), |all| {
                Ok(all.iter().copied().reduce(f64::max).unwrap_or(0.0))
            })
        }),
        "MINIFS" => (3, 255, |e, v| {
            by_criteria(e, &v[1..], Some(&v[0]), |all| {
                Ok(all.iter().copied().reduce(f64::min).unwrap_or(0.0))
            })
        }),
        "SUMPRODUCT" => (1, 255, products),
        "SUBTOTAL" => (2, 255, subtotal),
        "CONCAT" => (1, 255, |e, v| {
            let mut all = String::new();
            let mut error = None;
            for value in v {
                each(e, value, &mut |value, _| match coerce::text(&value) {
                    Ok(text) => all.push_str(&text),
                    Err(code) => drop(error.get_or_insert(code)),
                })?;
            }
            Ok(error.map_or_else(|| Value::text(all), Value::error))
        }),
        "TEXTJOIN" => (3, 255, |e, v| {
            let mark = want!(coerce::text(&e.one(&v[0])?));
            let skips = want!(coerce::truth(&e.one(&v[1])?));
            let (mut parts, mut error) = (Vec::new(), None);
            for value in apart(&v[2..]) {
                let array = e.as_values(&value)?;
                for cell in &array.cells {
                    match coerce::text(cell) {
                        Ok(text) if text.is_empty() && skips => {}
                        Ok(text) => parts.push(text),
                        Err(code) => drop(error.get_or_insert(code)),
                    }
                }
            }
            Ok(error.map_or_else(|| Value::text(parts.join(&mark)), Value::error))
        }),
        _ => return None,
    })
}

/// Adds with the lost digits of each step, which Excel's sums do not show either.
fn sum(e: &mut Evaluator<'_>, values: &[Value]) -> Outcome {
    let all = want!(numbers(e, values)?);
    Ok(Value::number(added(&all)))
}

pub(super) fn added(all: &[f64]) -> f64 {
    all.iter().fold(0.0, |sum, it| coerce::settled(sum + it, sum, *it))
}

fn mean(all: &[f64]) -> Result<f64, ErrorCode> {
    if all.is_empty() { Err(ErrorCode::Div0) } else { Ok(added(all) / all.len() as f64) }
}

fn total(all: &[f64]) -> Result<f64, ErrorCode> {
    Ok(added(all))
}

fn average(all: &[f64]) -> Result<f64, ErrorCode> {
    mean(all)
}

pub(super) fn over(
    e: &mut Evaluator<'_>,
    values: &[Value],
    f: fn(&[f64]) -> Result<f64, ErrorCode>,
) -> Outcome {
    let all = want!(numbers(e, values)?);
    Ok(Value::number(want!(f(&all))))
}

/// Counts texts in cells as zero and booleans as numbers.
pub(super) fn over_all(
    e: &mut Evaluator<'_>,
    values: &[Value],
    f: fn(&[f64]) -> Result<f64, ErrorCode>,
) -> Outcome {
    let (mut all, mut error) = (Vec::new(), None);
    for value in values {
        each(e, value, &mut |value, is_cell| match value {
            Scalar::Text(_) if is_cell => all.push(0.0),
            Scalar::Empty if is_cell => {}
            other => match coerce::number(&other) {
                Ok(number) => all.push(number),
                Err(code) => drop(error.get_or_insert(code)),
            },
        })?;
    }
    Ok(match error {
        Some(code) => Value::error(code),
        None => Value::number(want!(f(&all))),
    })
}

fn logic(e: &mut Evaluator<'_>, values: &[Value], f: fn(&[bool]) -> bool) -> Outcome {
    let (mut all, mut error) = (Vec::new(), None);
    for value in values {
        each(e, value, &mut |value, is_cell| match value {
            Scalar::Text(_) | Scalar::Empty if is_cell => {}
            other => match coerce::truth(&other) {
                Ok(truth) => all.push(truth),
                Err(code) => drop(error.get_or_insert(code)),
            },
        })?;
    }
    Ok(match (error, all.is_empty()) {
        (Some(code), _) => Value::error(code),
        (None, true) => Value::error(ErrorCode::Value),
        (None, false) => Value::One(Scalar::Bool(f(&all))),
    })
}

/// Takes the numbers of `target` in the cells where all criteria hold; without a target counts those cells.
fn by_criteria(
    e: &mut Evaluator<'_>,
    pairs: &[Value],
    target: Option<&Value>,
    f: fn(&[f64]) -> Result<f64, ErrorCode>,
) -> Outcome {
    if !pairs.len().is_multiple_of(2) {
        return Ok(Value::error(ErrorCode::Value));
    }
    // A criterion that is a range gives one result for each of its cells.
    let mut criteria = Vec::new();
    for pair in pairs.chunks_exact(2) {
        criteria.push(e.operand(pair[1].clone())?);
    }
    let mut ranges = Vec::new();
    for pair in pairs.chunks_exact(2) {
        let Some(range) = place(&pair[0]) else { return Ok(no_range(&pair[0])) };
        ranges.push(range);
    }
    let target = match target {
        Some(target) => match place(target) {
            Some(range) => Some(range),
            None => return Ok(no_range(target)),
        },
        None => None,
    };
    let is_array = criteria.iter().any(|it| matches!(it, Value::Array(_)));
    if !is_array {
        let mut single = Vec::new();
        for value in &criteria {
            single.push(Criterion::new(&e.one(value)?));
        }
        return Ok(match selected(e, &ranges, &single, target)? {
            Ok(all) => Value::number(want!(f(&all))),
            Err(code) => Value::error(code),
        });
    }
    let mut sets: Vec<Vec<Scalar>> = Vec::new();
    let shape = e.lift(criteria, &mut |all| {
        sets.push(all.to_vec());
        Ok(Scalar::Number((sets.len() - 1) as f64))
    })?;
    let mut results = Vec::new();
    for set in sets {
        let single: Vec<_> = set.iter().map(Criterion::new).collect();
        results.push(match selected(e, &ranges, &single, target)? {
            Ok(all) => f(&all).map(Scalar::Number),
            Err(code) => Err(code),
        });
    }
    e.lift_one(shape, &|index| match index {
        Scalar::Number(index) => {
            results.get(*index as usize).cloned().unwrap_or(Err(ErrorCode::Value))
        }
        _ => Err(ErrorCode::Value),
    })
}

/// Returns the error of an argument that is no range: its own, such as `#REF!`, or `#VALUE!`.
fn no_range(value: &Value) -> Value {
    match value {
        Value::One(Scalar::Error(code)) => Value::error(*code),
        _ => Value::error(ErrorCode::Value),
    }
}

fn selected(
    e: &mut Evaluator<'_>,
    ranges: &[Place],
    criteria: &[Criterion],
    target: Option<Place>,
) -> Result<Result<Vec<f64>, ErrorCode>, Stop> {
    let Some(first) = ranges.first() else { return Ok(Err(ErrorCode::Value)) };
    let (rows, columns) = (first.area.rows(), first.area.columns());
    if ranges.iter().any(|it| (it.area.rows(), it.area.columns()) != (rows, columns)) {
        return Ok(Err(ErrorCode::Value));
    }
    // The target has the shape of the criteria, whatever it says.
    let target = target.map(|it| {
        let bottom = (it.area.first.row + rows - 1).min(refs::MAX_ROW);
        let right = (it.area.first.column + columns - 1).min(refs::MAX_COLUMN);
        Place { area: Area::new(it.area.first.row, it.area.first.column, bottom, right), ..it }
    });
    // The criterion that empty cells do not match gives the candidates.
    let driver = criteria.iter().position(|it| !it.matches_empty());
    let mut places: Vec<(u32, u32)> = Vec::new();
    match (driver, target) {
        (Some(driver), _) => {
            let criterion = &criteria[driver];
            e.grid.visit(ranges[driver], &mut |row, column, value| {
                if criterion.matches(&value) {
                    places.push((row, column));
                }
            })?;
        }
        // Only filled cells of the target count.
        (None, Some(target)) => {
            e.grid.visit(target, &mut |row, column, _| places.push((row, column)))?
        }
        (None, None) => {
            let size = first.area.size();
            let clipped = e.clipped(*first);
            let beyond = size - clipped.area.size();
            e.grid.work(clipped.area.size())?;
            for row in 0..clipped.area.rows() {
                for column in 0..clipped.area.columns() {
                    places.push((row, column));
                }
            }
            let mut count = beyond as f64;
            for (row, column) in places {
                count += f64::from(u8::from(holds(e, ranges, criteria, None, row, column)?));
            }
            return Ok(Ok(vec![count]));
        }
    }
    let (mut all, mut count, mut error) = (Vec::new(), 0.0, None);
    for (row, column) in places {
        if !holds(e, ranges, criteria, driver, row, column)? {
            continue;
        }
        match target {
            None => count += 1.0,
            Some(target) => match cell(e, target, row, column)? {
                Scalar::Number(number) => all.push(number),
                Scalar::Error(code) => drop(error.get_or_insert(code)),
                _ => {}
            },
        }
    }
    Ok(match (error, target) {
        (Some(code), _) => Err(code),
        (None, None) => Ok(vec![count]),
        (None, Some(_)) => Ok(all),
    })
}

fn holds(
    e: &mut Evaluator<'_>,
    ranges: &[Place],
    criteria: &[Criterion],
    known: Option<usize>,
    row: u32,
    column: u32,
) -> Result<bool, Stop> {
    for (index, (range, criterion)) in ranges.iter().zip(criteria).enumerate() {
        if known != Some(index) && !criterion.matches(&cell(e, *range, row, column)?) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn cell(e: &mut Evaluator<'_>, place: Place, row: u32, column: u32) -> Result<Scalar, Stop> {
    let at = refs::At { row: place.area.first.row + row, column: place.area.first.column + column };
    e.grid.get(place.sheet, at)
}

fn products(e: &mut Evaluator<'_>, values: &[Value]) -> Outcome {
    let mut arrays = Vec::new();
    for value in values {
        arrays.push(e.as_values(value)?);
    }
    let Some(first) = arrays.first().cloned() else { return Ok(Value::error(ErrorCode::Value)) };
    if arrays.iter().any(|it| (it.rows, it.columns) != (first.rows, first.columns)) {
        return Ok(Value::error(ErrorCode::Value));
    }
    let mut sum = 0.0;
    e.grid.work((first.cells.len() * arrays.len()) as u64)?;
    for index in 0..first.cells.len() {
        let mut product = 1.0;
        for array in &arrays {
            match &array.cells[index] {
                Scalar::Number(number) => product *= number,
                Scalar::Error(code) => return Ok(Value::error(*code)),
                _ => product = 0.0,
            }
        }
        sum = coerce::settled(sum + product, sum, product);
    }
    Ok(Value::number(sum))
}

fn subtotal(e: &mut Evaluator<'_>, values: &[Value]) -> Outcome {
    let code = want!(number(e, values.first(), 0.0)?) as i64;
    let (kind, skips_hidden) = if code > 100 { (code - 100, true) } else { (code, false) };
    let mut all = Vec::new();
    let mut filled = 0.0;
    let mut error = None;
    for value in &values[1..] {
        let Value::Cells(places) = value else { return Ok(Value::error(ErrorCode::Value)) };
        for place in places {
            let hidden = e.environment.hidden_rows.get(&place.sheet).cloned().unwrap_or_default();
            let top = place.area.first.row;
            let nested = e.environment.subtotals.get(&place.sheet).cloned().unwrap_or_default();
            let left = place.area.first.column;
            if !skips_hidden && e.environment.filtered.contains(&place.sheet) && !hidden.is_empty()
            {
                return Err(Stop::Unsupported("SUBTOTAL in a filtered sheet".to_owned()));
            }
            e.grid.visit(*place, &mut |row, column, value| {
                if skips_hidden && hidden.binary_search(&(top + row)).is_ok() {
                    return;
                }
                // Subtotals within the range do not count twice.
                if nested.binary_search(&(top + row, left + column)).is_ok() {
                    return;
                }
                filled += 1.0;
                match value {
                    Scalar::Number(number) => all.push(number),
                    Scalar::Error(code) => drop(error.get_or_insert(code)),
                    _ => {}
                }
            })?;
        }
    }
    if let Some(code) = error.filter(|_| !matches!(kind, 2 | 3)) {
        return Ok(Value::error(code));
    }
    Ok(Value::number(match kind {
        1 => want!(mean(&all)),
        2 => all.len() as f64,
        3 => filled,
        4 => all.iter().copied().reduce(f64::max).unwrap_or(0.0),
        5 => all.iter().copied().reduce(f64::min).unwrap_or(0.0),
        6 => all.iter().product(),
        7 => want!(super::statistics::variance(&all, true)).sqrt(),
        8 => want!(super::statistics::variance(&all, false)).sqrt(),
        9 => added(&all),
        10 => want!(super::statistics::variance(&all, true)),
        11 => want!(super::statistics::variance(&all, false)),
        _ => return Ok(Value::error(ErrorCode::Value)),
    }))
}
