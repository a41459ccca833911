//! Functions that read formulas or places, and not values.

use super::{Whole, place, reference_error};
use crate::calc::coerce::text;
use crate::calc::evaluate::{Evaluator, Outcome, Value};
use crate::calc::grid::{Place, Stop};
use crate::refs::Area;
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
        "CELL" => (1, 2, super::cells::cell),
        "GETPIVOTDATA" => (2, 254, super::pivot::get),
        "INFO" => (1, 1, info),
        "PHONETIC" => (1, 1, phonetic),
        _ => return None,
    })
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

/// Returns what `INFO` says of the workbook. What it says of the computer of a reader is not known.
fn info(e: &mut Evaluator<'_>, v: &[Value]) -> Outcome {
    let kind = match text(&e.one(&v[0])?) {
        Ok(kind) => kind.to_lowercase(),
        Err(code) => return Ok(Value::error(code)),
    };
    Ok(match kind.as_str() {
        "recalc" if e.environment.is_manual => Value::text("Manual"),
        "recalc" => Value::text("Automatic"),
        // Excel does not say it any more.
        "memavail" | "memused" | "totmem" => Value::error(ErrorCode::NotAvailable),
        "directory" | "numfile" | "origin" | "osversion" | "release" | "system" => {
            return Err(Stop::Unsupported(format!(
                "INFO with \"{kind}\", which is about the computer on which Excel runs"
            )));
        }
        _ => Value::error(ErrorCode::Value),
    })
}

/// Returns the reading of the first cell of a reference.
fn phonetic(e: &mut Evaluator<'_>, v: &[Value]) -> Outcome {
    let Some(Place { sheet, area }) = place(&v[0]) else {
        return Ok(match &v[0] {
            Value::One(Scalar::Error(code)) => Value::error(*code),
            Value::Cells(_) => Value::error(ErrorCode::NotAvailable),
            _ => Value::error(ErrorCode::Value),
        });
    };
    let at = area.first;
    let shown = match e.grid.get(sheet, at)? {
        Scalar::Text(shown) => shown,
        Scalar::Empty => return Ok(Value::text("")),
        Scalar::Error(code) => return Ok(Value::error(code)),
        _ => return Err(Stop::Unsupported("PHONETIC of a cell without text".to_owned())),
    };
    match e.environment.readings.get(&(sheet, at.row, at.column)) {
        None => Err(Stop::NeedsReading(sheet, at)),
        Some(Some((text, reading))) if *text == shown => Ok(Value::text(reading)),
        // A trial value has no reading.
        Some(Some(_)) => Ok(Value::One(Scalar::Text(shown))),
        Some(None) => Err(Stop::Unsupported("PHONETIC of a formula".to_owned())),
    }
}
