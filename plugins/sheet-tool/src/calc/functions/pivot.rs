//! `GETPIVOTDATA`: a value that a pivot table shows.

use super::{place, reference_error};
use crate::book::{PivotField, PivotLine, PivotTable};
use crate::calc::coerce::text;
use crate::calc::evaluate::{Evaluator, Outcome, Value};
use crate::calc::grid::{Place, Stop};
use crate::refs::At;
use crate::value::{ErrorCode, Scalar};
use std::collections::BTreeSet;

/// What a formula asks of a pivot table is not shown.
const NOT_SHOWN: ErrorCode = ErrorCode::Ref;

fn unsupported(what: &str) -> Stop {
    Stop::Unsupported(format!("GETPIVOTDATA of {what}"))
}

pub(super) fn get(e: &mut Evaluator<'_>, v: &[Value]) -> Outcome {
    let data = match text(&e.one(&v[0])?) {
        Ok(data) => data,
        Err(code) => return Ok(Value::error(code)),
    };
    let Some(Place { sheet, area }) = place(&v[1]) else { return reference_error(&v[1]) };
    let environment = e.environment;
    let tables = environment.pivots.as_ref().ok_or(Stop::NeedsPivots)?;
    let Some(table) = tables.iter().find(|it| it.sheet == sheet && it.area.meet(&area).is_some())
    else {
        return Ok(Value::error(NOT_SHOWN));
    };
    if table.is_stale {
        return Err(unsupported("a pivot table that Excel refreshes when it opens the file"));
    }
    let mut asked = BTreeSet::new();
    for pair in v[2..].chunks(2) {
        let [field, item] = pair else { return Ok(Value::error(NOT_SHOWN)) };
        let (field, item) = (e.one(field)?, e.one(item)?);
        match found(table, &field, &item)? {
            Some(pair) => asked.insert(pair),
            None => return Ok(Value::error(NOT_SHOWN)),
        };
    }
    // What the fields above the table choose holds for all of it.
    for &(field, chosen) in &table.pages {
        if let Some(chosen) = chosen {
            asked.remove(&(field, chosen));
        }
    }
    let Some(data) = data_number(table, &data) else { return Ok(Value::error(NOT_SHOWN)) };
    let cells = cells(table, &asked, data);
    for &at in &cells {
        let value = e.grid.get(sheet, at)?;
        if value != Scalar::Empty {
            return Ok(Value::One(value));
        }
    }
    if cells.is_empty() {
        Ok(Value::error(NOT_SHOWN))
    } else {
        Err(unsupported("a cell that the pivot table leaves empty"))
    }
}

fn is_same(one: &str, other: &str) -> bool {
    one.trim().to_lowercase() == other.trim().to_lowercase()
}

/// Returns the numbers of a field and of its item.
fn found(
    table: &PivotTable,
    field: &Scalar,
    item: &Scalar,
) -> Result<Option<(usize, usize)>, Stop> {
    let name = field.shown();
    let is_named = |it: &PivotField| it.names.iter().any(|own| is_same(own, &name));
    let Some(number) = table.fields.iter().position(is_named) else { return Ok(None) };
    let field = &table.fields[number];
    if field.is_grouped && matches!(item, Scalar::Number(_)) {
        return Err(unsupported("a number of a group"));
    }
    let wanted = item.shown();
    let is_item = |caption: &Option<String>, value: &Scalar| match (caption, value, item) {
        (Some(caption), ..) => is_same(caption, &wanted),
        (None, Scalar::Number(a), Scalar::Number(b)) => a == b,
        (None, Scalar::Empty, _) => matches!(wanted.as_str(), "" | "(blank)"),
        (None, value, _) => is_same(&value.shown(), &wanted),
    };
    let at = field
        .items
        .iter()
        .position(|it| it.value.as_ref().is_some_and(|value| is_item(&it.caption, value)));
    Ok(at.map(|at| (number, at)))
}

/// Returns which data have a name: a caption, or the field that they sum up.
fn data_number(table: &PivotTable, name: &str) -> Option<usize> {
    let by_caption = table.data.iter().position(|it| is_same(&it.0, name));
    by_caption.or_else(|| {
        let names = |field: usize| table.fields.get(field).map_or(&[][..], |it| &it.names[..]);
        table.data.iter().position(|it| names(it.1).iter().any(|own| is_same(own, name)))
    })
}

/// Returns the cells that show data of exactly these items. A group of rows has one at its head or at its end.
fn cells(table: &PivotTable, asked: &BTreeSet<(usize, usize)>, data: usize) -> Vec<At> {
    let is_part = |it: &&PivotLine| !it.is_other && it.items.iter().all(|it| asked.contains(it));
    let columns: Vec<(u32, &PivotLine)> =
        (table.first.column..).zip(&table.columns).filter(|it| is_part(&it.1)).collect();
    let mut found = Vec::new();
    for (row, line) in (table.first.row..).zip(&table.rows).filter(|it| is_part(&it.1)) {
        for (column, other) in &columns {
            let count = line.items.len() + other.items.len();
            if line.data + other.data == data && count == asked.len() {
                found.push(At { row, column: *column });
            }
        }
    }
    found.retain(|at| table.area.contains(*at));
    found
}
