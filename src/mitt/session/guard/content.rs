//! What the guard does to documents, tables, values and reports: each of their texts is checked.
//!
//! Knows which texts they have. Does not know sessions.

use std::collections::BTreeMap;

use mitt_table::{
    Cell, CellRef, Chunk, Column, ColumnType, Problem, Table, TableBuilder, Texts, Validity, Values,
};

use super::super::report::CallReport;
use super::place_mapping::move_places;
use crate::check::Check;
use mitt_base::memory::Account;
use mitt_base::{Error, ErrorKind, Result};
use mitt_types::Document;
use mitt_wit::value::Json;

impl Check {
    /// Redacts a document: title, text, warnings, names of tables and columns, cells. Its name was checked when it arrived.
    pub(in crate::session) fn document(
        &mut self,
        document: &mut Document,
        account: &Account,
    ) -> Result<()> {
        self.texts(&mut document.title).map_err(|error| error.at("title"))?;
        if let Some(redacted) = self.redacted(&document.text).map_err(|error| error.at("text"))? {
            move_places(&mut document.places, &document.text, &redacted);
            document.characters = redacted.chars().count() as u64;
            document.text = redacted;
        }
        let values = document.metadata.iter_mut().flat_map(|(name, value)| [name, value]);
        self.texts(values).map_err(|error| error.at("metadata"))?;
        self.texts(document.places.iter_mut().map(|place| &mut place.label))?;
        self.texts(&mut document.warnings)?;
        let mut tables = document.tables.to_vec();
        let mut is_changed = false;
        for (number, table) in (1..).zip(&mut tables) {
            let place = |error: Error| error.at(format_args!("table {number}"));
            is_changed |= self.text(&mut table.name).map_err(place)?;
            if let Some(label) = &mut table.place {
                is_changed |= self.text(label).map_err(place)?;
            }
            if let Some(redacted) = self.table(&table.data, account).map_err(place)? {
                table.data = redacted;
                is_changed = true;
            }
        }
        if is_changed {
            document.tables = tables.into();
        }
        document.warnings.extend(self.warning());
        Ok(())
    }

    /// Redacts a table. Returns `None` if nothing changed.
    pub(in crate::session) fn table(
        &mut self,
        table: &Table,
        account: &Account,
    ) -> Result<Option<Table>> {
        let mut names: Vec<String> = table.names().map(str::to_owned).collect();
        let before = self.redacted_texts();
        self.texts(&mut names).map_err(|error| error.at("the name of a column"))?;
        let mut changed = BTreeMap::new();
        for (index, (_, column)) in table.columns().enumerate() {
            let is_text = matches!(
                column.column_type(),
                ColumnType::Text | ColumnType::Mixed | ColumnType::Integer | ColumnType::Decimal
            );
            if !is_text {
                continue;
            }
            let (mut written, mut cells) = (String::new(), BTreeMap::new());
            for row in 0..table.rows() {
                let (CellRef::Text(text) | CellRef::Number(text)) =
                    table.cell(row, index, &mut written)
                else {
                    continue;
                };
                let place =
                    |error: Error| error.at(format_args!("row {}, column {}", row + 1, index + 1));
                if let Some(redacted) = self.redacted(text).map_err(place)? {
                    cells.insert(row, redacted);
                }
            }
            if !cells.is_empty() {
                changed.insert(index, cells);
            }
        }
        if self.redacted_texts() == before {
            return Ok(None);
        }
        rebuilt(table, names, &changed, account).map(Some)
    }

    /// Redacts a value: its texts, numbers and names.
    fn json(&mut self, value: &mut Json) -> Result<()> {
        match value {
            Json::String(text) => self.text(text).map(drop),
            Json::Number(number) => {
                let mut text = number.to_string();
                if self.text(&mut text)? {
                    *value = Json::String(text);
                }
                Ok(())
            }
            Json::Array(items) => items.iter_mut().try_for_each(|item| self.json(item)),
            Json::Object(entries) => entries.iter_mut().try_for_each(|(name, value)| {
                self.text(name)?;
                self.json(value)
            }),
            Json::Null | Json::Bool(_) => Ok(()),
        }
    }

    /// Redacts the texts of an error. If the text of a cause is blocked, the cause is removed.
    fn error(&mut self, error: Error) -> Result<Error> {
        let mut refused = None;
        let error = error.with_texts(|text| match self.redacted(text) {
            Ok(redacted) => redacted,
            Err(error) => {
                refused.get_or_insert(error);
                None
            }
        });
        refused.map_or(Ok(error), Err)
    }

    /// Redacts result, messages and printed output of a call.
    pub(super) fn report(&mut self, report: &mut CallReport) -> Result<()> {
        self.text(&mut report.printed)?;
        report.result = match std::mem::replace(&mut report.result, Ok(Json::Null)) {
            Ok(mut value) => {
                self.json(&mut value)?;
                Ok(value)
            }
            Err(error) => Err(self.error(error)?),
        };
        if let Some(error) = report.script_error.take() {
            report.script_error = Some(self.error(error)?);
        }
        Ok(())
    }
}

/// Returns a copy of a table with other names, and with the texts of `changed` in place of its cells, by column and row.
fn rebuilt(
    table: &Table,
    names: Vec<String>,
    changed: &BTreeMap<usize, BTreeMap<usize, String>>,
    account: &Account,
) -> Result<Table> {
    let refused = |problem: Problem| match problem {
        Problem::Memory(limit) => Error::reached(limit),
        problem => Error::new(ErrorKind::Input, problem.to_string()),
    };
    let chunk = |(index, (_, column)): (usize, (&str, &Column))| {
        let Some(cells) = changed.get(&index) else { return column.slice(0, table.rows()) };
        let mut written = String::new();
        let cell = |row: usize| match cells.get(&row) {
            Some(redacted) => Cell::Text(redacted.as_str().into()),
            None => match table.cell(row, index, &mut written) {
                CellRef::Null => Cell::Null,
                CellRef::Boolean(value) => Cell::Boolean(value),
                CellRef::Number(number) => Cell::Number(number.into()),
                CellRef::Text(text) => Cell::Text(text.into()),
            },
        };
        let cells: Vec<Cell> = (0..table.rows()).map(cell).collect();
        if column.column_type() != ColumnType::Text {
            return Chunk {
                validity: Validity::all(true, cells.len()),
                values: Values::Mixed(cells),
            };
        }
        // A changed column stays a column of texts; its types are not guessed again.
        let (mut texts, mut validity, mut has_room) = (Texts::default(), Validity::default(), true);
        for cell in &cells {
            let text = if let Cell::Text(text) = cell { Some(&**text) } else { None };
            validity.push(text.is_some());
            has_room &= texts.push(text.unwrap_or_default());
        }
        if has_room {
            Chunk { values: Values::Texts(texts), validity }
        } else {
            Chunk { validity: Validity::all(true, cells.len()), values: Values::Mixed(cells) }
        }
    };
    let mut builder = TableBuilder::new(mitt_table::column_names(&names), account);
    builder.append(table.columns().enumerate().map(chunk).collect()).map_err(refused)?;
    builder.finish().map_err(refused)
}
