//! Functions that read formulas or places, and not values.

use super::{Whole, place};
use crate::calc::coerce::text;
use crate::calc::evaluate::{Evaluator, Outcome, Value};
use crate::calc::grid::{Place, Stop};
use crate::refs::{Area, At, column_name};
use crate::value::{Array, ErrorCode, Scalar};
use std::rc::Rc;

/// Most characters of a formula that `FORMULATEXT` returns.
const MAX_LENGTH: usize = 8_192;

pub(super) fn find(name: &str) -> Option<(usize, usize, Whole)> {
    Some(match name {
        "ISFORMULA" => (1, 1, |e, v| of_texts(e, v, |it| Scalar::Bool(it.is_some()))),
        "FORMULATEXT" => (1, 1, |e, v| {
            of_texts(e, v, |it| match it {
                Some(formula) if formula.chars().count() <= MAX_LENGTH => Scalar::text(formula),
                _ => Scalar::Error(ErrorCode::NotAvailable),
            })
        }),
        "ANCHORARRAY" => (1, 1, |e, v| {
            let Some(Place { sheet, area }) = place(&v[0]) else { return reference_error(&v[0]) };
            Ok(match e.environment.spills.get(&(sheet, area.first.row, area.first.column)) {
                Some(spill) => Value::Cells(vec![Place { sheet, area: *spill }]),
                None => Value::error(ErrorCode::Ref),
            })
        }),
        "CELL" => (1, 2, cell),
        _ => return None,
    })
}

/// Returns the error of an argument, or that of an argument that is no reference.
fn reference_error(value: &Value) -> Outcome {
    Ok(Value::error(match value {
        Value::One(Scalar::Error(code)) => *code,
        _ => ErrorCode::Ref,
    }))
}

/// Returns what a function says of the formulas of a reference: of all cells in an array formula, otherwise of the first one.
fn of_texts(e: &mut Evaluator<'_>, v: &[Value], say: fn(Option<&Rc<str>>) -> Scalar) -> Outcome {
    let Some(place) = place(&v[0]) else { return reference_error(&v[0]) };
    let mut place = e.clipped(place);
    if !e.is_array {
        place.area = Area::cell(place.area.first.row, place.area.first.column);
    }
    let Place { sheet, area } = place;
    e.grid.work(area.size())?;
    let mut cells = Vec::new();
    for row in area.first.row..=area.last.row {
        for column in area.first.column..=area.last.column {
            let known = e.environment.texts.get(&(sheet, row, column));
            cells.push(say(known.ok_or(Stop::NeedsTexts(place))?.as_ref()));
        }
    }
    e.spreads |= cells.len() > 1;
    let (rows, columns) = (area.rows() as usize, area.columns() as usize);
    Ok(match cells.len() {
        1 => Value::One(cells.swap_remove(0)),
        _ => Value::array(Array { rows, columns, cells }),
    })
}

fn cell(e: &mut Evaluator<'_>, v: &[Value]) -> Outcome {
    let kind = match text(&e.one(&v[0])?) {
        Ok(kind) => kind.to_lowercase(),
        Err(code) => return Ok(Value::error(code)),
    };
    let unsupported = |what: &str| Err(Stop::Unsupported(format!("CELL {what}")));
    let Some(of) = v.get(1) else { return unsupported("without a reference") };
    let Some(Place { sheet, area }) = place(of) else { return reference_error(of) };
    let At { row, column } = area.first;
    Ok(match kind.as_str() {
        "row" => Value::number(f64::from(row)),
        "col" => Value::number(f64::from(column)),
        "address" if sheet == e.sheet => Value::text(format!("${}${row}", column_name(column))),
        "address" => {
            return unsupported(
                "with the address of another sheet, which has the name of the file",
            );
        }
        "contents" => match e.grid.get(sheet, area.first)? {
            Scalar::Empty => Value::number(0.0),
            value => Value::One(value),
        },
        "type" => Value::text(match e.grid.get(sheet, area.first)? {
            Scalar::Empty => "b",
            Scalar::Text(_) => "l",
            _ => "v",
        }),
        "color" | "filename" | "format" | "parentheses" | "prefix" | "protect" | "width" => {
            return unsupported(&format!("with \"{kind}\""));
        }
        _ => Value::error(ErrorCode::Value),
    })
}
