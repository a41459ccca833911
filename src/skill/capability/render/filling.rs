//! Templates that plugins fill: conversion of their values from the generated types.

use std::sync::Arc;

use mitt_contract::host::mitt::host::{render as wit, types};
use wasmtime::component::{Resource, ResourceTable};

use super::Word;
use crate::capability::ServiceError;
use mitt_base::text;
use mitt_render::{FillTable, FillValue, FillValues};
use mitt_table::{CellRef, Table};

/// Most values of a template.
const MAX_VALUES: usize = 1_000;

/// Most cells in the lists of a template: with three elements each, as many as a filled file may have.
const MAX_FILL_CELLS: usize = 200_000;

/// Workbook of the session, and the change to it.
#[derive(Debug)]
pub struct Filling {
    /// Name of the document or artifact.
    pub template: String,
    /// Change to the workbook.
    pub change: Change,
    /// Its file, once it was found.
    pub source: Option<Arc<[u8]>>,
}

/// Change to a workbook.
#[derive(Debug)]
pub enum Change {
    /// Fills it as a template.
    Fill(FillValues),
    /// Appends rows to a sheet or a table; to the first sheet if none is named.
    Append {
        /// Name of the sheet or table.
        sheet: Option<String>,
        /// The rows.
        rows: FillValue,
    },
}

impl Filling {
    /// Returns the bytes that it occupies.
    pub fn bytes(&self) -> u64 {
        let texts = match &self.change {
            Change::Fill(values) => values.kept_bytes(),
            Change::Append { sheet, rows } => {
                sheet.as_ref().map_or(0, String::len) as u64 + rows.kept_bytes()
            }
        };
        (size_of::<Filling>() + self.template.len()) as u64 + texts
    }
}

type Converted<T> = wasmtime::Result<Result<T, ServiceError>>;

/// Converts the filling of a Word template. `tables` are those of the store.
pub(super) fn word(filling: wit::DocxFilling, tables: &ResourceTable) -> Converted<Word> {
    let values = match values(filling.values, filling.rows, tables)? {
        Ok(values) => values,
        Err(error) => return Ok(Err(error)),
    };
    let options = mitt_render::DocxOptions { values, ..mitt_render::DocxOptions::default() };
    let (markdown, template) = (filling.content, Some(filling.template));
    Ok(Ok(Word { markdown, options, template, is_filling: true }))
}

/// Converts the filling of a workbook.
pub(super) fn workbook(filling: wit::XlsxFilling, tables: &ResourceTable) -> Converted<Filling> {
    let values = values(filling.values, filling.rows, tables)?;
    let template = filling.template;
    Ok(values.map(|values| Filling { template, change: Change::Fill(values), source: None }))
}

/// Converts rows to append to a sheet of a workbook.
pub(super) fn appending(
    template: String,
    sheet: Option<String>,
    rows: &Resource<Table>,
    tables: &ResourceTable,
) -> Converted<Filling> {
    let table = tables.get(rows)?;
    if table.cell_count() > MAX_FILL_CELLS {
        let problem = format!(
            "rows: expected at most {MAX_FILL_CELLS} cells, got {}; append them in parts",
            table.cell_count()
        );
        return Ok(Err(ServiceError::InvalidArgument(problem)));
    }
    let rows = rows_of(table);
    Ok(Ok(Filling { template, change: Change::Append { sheet, rows }, source: None }))
}

fn values(
    single: Vec<wit::FillValue>,
    rows: Vec<wit::FillRows>,
    tables: &ResourceTable,
) -> Converted<FillValues> {
    let mut values: Vec<(String, FillValue)> = Vec::new();
    let add = |values: &mut Vec<(String, FillValue)>, name: String, value: FillValue| {
        let is_new = !values.iter().any(|(known, _)| *known == name);
        if is_new {
            values.push((name, value));
            return Ok(());
        }
        let name = text::one_line(text::cut_bytes(&name, 80));
        Err(ServiceError::InvalidArgument(format!("values: `{name}` has two values")))
    };
    let count = single.len() + rows.len();
    if count > MAX_VALUES {
        let problem = format!("values: expected at most {MAX_VALUES}, got {count}");
        return Ok(Err(ServiceError::InvalidArgument(problem)));
    }
    for wit::FillValue { name, value } in single {
        let value = match value {
            types::Cell::Null => FillValue::Empty,
            types::Cell::Boolean(value) => FillValue::Bool(value),
            types::Cell::Number(number) => FillValue::Number(number),
            types::Cell::Text(text) => FillValue::Text(text),
        };
        if let Err(error) = add(&mut values, name, value) {
            return Ok(Err(error));
        }
    }
    let mut cells = 0_usize;
    for wit::FillRows { name, data } in rows {
        let table = tables.get(&data)?;
        cells = cells.saturating_add(table.cell_count());
        if cells > MAX_FILL_CELLS {
            let problem = format!(
                "rows: expected at most {MAX_FILL_CELLS} cells of all lists, `{}` makes {cells}; deliver them as a workbook",
                text::one_line(text::cut_bytes(&name, 80))
            );
            return Ok(Err(ServiceError::InvalidArgument(problem)));
        }
        if let Err(error) = add(&mut values, name, rows_of(table)) {
            return Ok(Err(error));
        }
    }
    Ok(Ok(values.into_iter().collect()))
}

fn rows_of(table: &Table) -> FillValue {
    let rows = (0..table.rows()).map(|row| {
        let cell = |column| {
            let mut written = String::new();
            match table.cell(row, column, &mut written) {
                CellRef::Null => FillValue::Empty,
                CellRef::Boolean(value) => FillValue::Bool(value),
                CellRef::Number(number) => FillValue::Number(number.to_owned()),
                CellRef::Text(text) => FillValue::Text(text.to_owned()),
            }
        };
        (0..table.width()).map(cell).collect()
    });
    let columns = table.names().map(str::to_owned).collect();
    FillValue::Table(FillTable { columns, rows: rows.collect() })
}
