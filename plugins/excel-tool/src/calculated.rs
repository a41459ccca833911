//! Columns of formulas: templates for the host, and the values that can be calculated without Excel.

use crate::bindings::exports::mitt::excel_tool::tools::ColumnKind;
use crate::bindings::mitt::host::render::ShownAs;
use crate::cells::{self, Column, Failed};
use crate::column::Origin;
use crate::evaluate::{DEFAULT_READS, evaluate};
use crate::facts::{Facts, Value};
use crate::formula::{expand, template};
use mitt_guest::tables::{Build, Cell, Chunk, Source, chunks};
use std::collections::HashMap;

/// Most passes over the formulas, because a formula may refer to one further down or right. Longer chains are left to Excel.
const MAX_PASSES: usize = 4;
/// Most cells of a sheet whose values are kept for calculations. Formulas of larger sheets are left to Excel.
const MAX_CELLS: usize = 1_000_000;
/// Most cells in memory at once.
const PART: u64 = 1 << 16;
/// The template index of a cell that has no formula.
const NONE: u32 = u32::MAX;

/// The distinct formulas of a column.
struct Formulas {
    column: usize,
    templates: Vec<String>,
    /// The index of the template for each row; [`NONE`] without a formula.
    rows: Vec<u32>,
}

/// Replaces the columns of formulas by templates and values.
pub(crate) fn calculate<T: Source>(
    table: &T,
    names: &[String],
    columns: &mut [Column<T>],
    origin: Origin,
) -> Result<(), Failed> {
    let mut all = Vec::new();
    let is_formula = |index: &usize| columns[*index].kind == ColumnKind::Formula;
    for column in (0..columns.len()).filter(is_formula).collect::<Vec<_>>() {
        let (formulas, made) = read(table, names, column, origin)?;
        columns[column].made = Some(made);
        all.push(formulas);
    }
    if all.is_empty() {
        return Ok(());
    }
    let n_rows = table.rows() as usize;
    let is_small = n_rows.saturating_mul(columns.len()) <= MAX_CELLS;
    let mut values = Vec::with_capacity(columns.len());
    for (index, column) in columns.iter().enumerate() {
        let is_needed = is_small || column.kind == ColumnKind::Formula;
        values.push(if is_needed { values_of(table, index as u32, column)? } else { Vec::new() });
    }
    for formulas in &all {
        for (row, template) in formulas.rows.iter().enumerate() {
            if *template != NONE {
                values[formulas.column][row] = Value::Unknown;
            }
        }
    }
    if is_small {
        evaluate_all(&all, &mut values, origin, n_rows);
    }
    for formulas in &all {
        let values = &values[formulas.column];
        let column = &mut columns[formulas.column];
        column.facts = Facts::new();
        values.iter().for_each(|value| column.facts.add(*value));
        let results = results(values, &formulas.rows)?;
        column.made = column.made.take().map(|made| made.beside(&results)).transpose()?;
        column.shown = ShownAs::Formula(Some(1));
    }
    Ok(())
}

/// Returns the formulas of a column, and the column for the host to read.
fn read<T: Source>(
    table: &T,
    names: &[String],
    column: usize,
    origin: Origin,
) -> Result<(Formulas, T), Failed> {
    let mut formulas = Formulas { column, templates: Vec::new(), rows: Vec::new() };
    let mut known: HashMap<String, u32> = HashMap::new();
    let builder = T::Builder::new(&["formulas".to_owned()]);
    for chunk in chunks(table, column as u32, PART) {
        let chunk = chunk?;
        let mut cells = Vec::with_capacity(chunk.len());
        for row in 0..chunk.len() {
            let cell = chunk.cell(row);
            let text = match cell {
                Cell::Text(text) if !text.is_empty() => text,
                other => {
                    formulas.rows.push(NONE);
                    cells.push(if matches!(other, Cell::Text(_)) { Cell::Null } else { other });
                    continue;
                }
            };
            let place = match known.get(&text) {
                Some(place) => *place,
                None => {
                    let place = formulas.templates.len() as u32;
                    formulas.templates.push(template(&text, names, origin));
                    known.insert(text, place);
                    place
                }
            };
            formulas.rows.push(place);
            cells.push(Cell::Text(formulas.templates[place as usize].clone()));
        }
        builder.append(vec![Chunk::from_cells(cells)])?;
    }
    Ok((formulas, builder.finish()?))
}

/// Returns the values of the cells of a column.
fn values_of<T: Source>(table: &T, index: u32, column: &Column<T>) -> Result<Vec<Value>, Failed> {
    let mut values = Vec::with_capacity(table.rows() as usize);
    let (source, index) = match &column.made {
        Some(made) => (made, 0),
        None => (table, index),
    };
    for chunk in chunks(source, index, PART) {
        let chunk = chunk?;
        values.extend((0..chunk.len()).map(|row| match (cells::value(&chunk, row), column.kind) {
            (Value::Empty, _) => Value::Empty,
            (_, ColumnKind::Text) => Value::Filled,
            (value, _) => value,
        }));
    }
    Ok(values)
}

fn evaluate_all(all: &[Formulas], values: &mut [Vec<Value>], origin: Origin, n_rows: usize) {
    let mut reads_left = DEFAULT_READS;
    for _ in 0..MAX_PASSES {
        let mut found = 0;
        for row in 0..n_rows {
            for Formulas { column, templates, rows } in all {
                if rows[row] == NONE || values[*column][row] != Value::Unknown {
                    continue;
                }
                let expression = expand(&templates[rows[row] as usize], row, origin);
                if let Some(value) = evaluate(&expression, values, origin, &mut reads_left) {
                    values[*column][row] = Value::Number(value.normalize());
                    found += 1;
                }
            }
        }
        if found == 0 {
            return;
        }
    }
}

/// Returns a column with the values of formulas.
fn results<T: Source>(values: &[Value], rows: &[u32]) -> Result<T, Failed> {
    let builder = T::Builder::new(&["values".to_owned()]);
    for (values, rows) in values.chunks(PART as usize).zip(rows.chunks(PART as usize)) {
        let cells = values.iter().zip(rows).map(|(value, row)| match value {
            Value::Number(number) if *row != NONE => Cell::Number(number.to_string()),
            _ => Cell::Null,
        });
        builder.append(vec![Chunk::from_cells(cells.collect())])?;
    }
    builder.finish()
}
