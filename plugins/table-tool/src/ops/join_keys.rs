//! Joins key columns of two tables to one column, so that equal cells of both are in one group.

use crate::cell::Cell;
use crate::column::Column;
use mitt_guest::tables::{Bits, Chunk, Texts, Values};
use std::collections::HashMap;

/// Returns the cells of `left`, then those of `right`, only for comparisons. Numbers of different scale are equal by value;
/// a date beside texts becomes its text.
pub(super) fn together(left: &Column, right: &Column) -> Column {
    let values = texts(left, right).or_else(|| integers(left, right));
    match values {
        Some(values) => Column::of_chunk(match validity(left, right) {
            Some(validity) => Chunk::new(values, validity),
            None => Chunk::from(values),
        }),
        None => {
            let as_text = left.is_temporal() != right.is_temporal();
            let cells = |column: &Column| {
                let cell = |row| match column.cell(row) {
                    cell @ (Cell::Date(_) | Cell::Time(_) | Cell::DateTime(_)) if as_text => {
                        Cell::text(&cell.plain())
                    }
                    cell => cell,
                };
                (0..column.n_rows()).map(cell).collect::<Vec<_>>()
            };
            let mut all = cells(left);
            all.extend(cells(right));
            Column::of_cells(all)
        }
    }
}

/// Returns the validity of both; `None` if no cell is null.
fn validity(left: &Column, right: &Column) -> Option<Bits> {
    if left.n_nulls() + right.n_nulls() == 0 {
        return None;
    }
    let mut all = Bits::default();
    for column in [left, right] {
        (0..column.n_rows()).for_each(|row| all.push(!column.is_null(row)));
    }
    Some(all)
}

/// Returns numbers, dates and times whose integers have the same meaning; `None` for others.
fn integers(left: &Column, right: &Column) -> Option<Values> {
    let kind = |column: &Column| match &column.chunk.values {
        Values::Integers(_) => Some((0, 0)),
        Values::Decimals { scale, .. } => Some((0, *scale)),
        Values::Dates(_) => Some((1, 0)),
        Values::Times(_) => Some((2, 0)),
        Values::DateTimes(_) => Some((3, 0)),
        Values::Booleans(_) => Some((4, 0)),
        _ => None,
    };
    let ((left_kind, left_scale), (right_kind, right_scale)) = (kind(left)?, kind(right)?);
    if left_kind != right_kind {
        return None;
    }
    let scale = left_scale.max(right_scale);
    let mut all = Vec::with_capacity(left.n_rows() + right.n_rows());
    for (column, own) in [(left, left_scale), (right, right_scale)] {
        let factor = 10i64.checked_pow(u32::from(scale - own))?;
        let values = column.ordered()?;
        if factor == 1 {
            all.extend_from_slice(&values);
            continue;
        }
        for (row, value) in values.iter().enumerate() {
            all.push(if column.is_null(row) { 0 } else { value.checked_mul(factor)? });
        }
    }
    Some(Values::Integers(all))
}

/// Returns texts as one dictionary. Each text of a dictionary is looked up once.
fn texts(left: &Column, right: &Column) -> Option<Values> {
    let (mut keys, mut values) =
        (Vec::with_capacity(left.n_rows() + right.n_rows()), Texts::default());
    let mut by_text: HashMap<&str, u32> = HashMap::new();
    let mut key_of = |text| {
        *by_text.entry(text).or_insert_with(|| {
            values.push(text);
            values.len() as u32 - 1
        })
    };
    for column in [left, right] {
        match &column.chunk.values {
            Values::Texts(texts) => keys.extend(texts.iter().map(&mut key_of)),
            Values::Dictionary { keys: own, values } => {
                let known: Vec<u32> = values.iter().map(&mut key_of).collect();
                // A slot of a null may hold any number.
                let key = |key: &u32| known.get(*key as usize).copied().unwrap_or(0);
                keys.extend(own.iter().map(key));
            }
            _ => return None,
        }
    }
    Some(Values::Dictionary { keys, values })
}
