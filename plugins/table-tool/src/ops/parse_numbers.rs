//! `parse-numbers`: texts to numbers, column by column.

use super::column_text;
use crate::number::Number;
use crate::parse::{Reading, merge_bases, read};
use crate::problem::{Failure, Problems, quote, shorten};
use crate::table::{Cell, Lookup, Table};
use crate::units::{Unit, in_column_name};

/// A table with numbers, and what is to be said about it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Parsed {
    pub(crate) table: Table,
    pub(crate) warnings: Vec<String>,
    pub(crate) failures: Vec<ParseFailure>,
    pub(crate) units: Vec<ColumnUnit>,
}

/// A cell that is not a number.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ParseFailure {
    pub(crate) row_idx: usize,
    pub(crate) column: String,
    pub(crate) text: String,
    pub(crate) reason: String,
}

/// A unit of a column.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ColumnUnit {
    pub(crate) column: String,
    pub(crate) unit: Unit,
    pub(crate) n_cells: usize,
}

impl ColumnUnit {
    /// What the number was multiplied by.
    pub(crate) fn factor(&self) -> Number {
        Number::from_parts(false, "1", self.unit.power.into()).unwrap_or(Number::ZERO)
    }
}

/// A column as it would be after parsing.
#[derive(Default)]
struct Column {
    /// New cells for the rows that have a new one.
    cells: Vec<(usize, Cell)>,
    failures: Vec<(usize, String)>,
    units: Vec<(Unit, usize)>,
    n_numbers: usize,
    /// Numbers without a unit, those included that were numbers before.
    n_bare: usize,
    first_identifier: Option<usize>,
}

pub(crate) fn parse_numbers(
    mut table: Table,
    columns: Option<&[String]>,
) -> Result<Parsed, Failure> {
    let mut problems = Problems::default();
    let column_idxs = match columns {
        Some(columns) => Lookup::new("data", &table).find_some("columns", columns, &mut problems),
        None => (0..table.columns.len()).collect(),
    };
    problems.check()?;
    let is_automatic = columns.is_none();
    let (mut warnings, mut failures, mut units) = (Vec::new(), Vec::new(), Vec::new());
    for column_idx in column_idxs {
        let name = table.columns[column_idx].clone();
        let column = read_column(&table, column_idx);
        if is_automatic && !column.is_clear(&name, &table, column_idx, &mut warnings) {
            continue;
        }
        column.warn(&name, &mut warnings);
        for (row_idx, reason) in column.failures {
            let text = shorten(&table.rows[row_idx][column_idx].plain());
            failures.push(ParseFailure { row_idx, column: name.clone(), text, reason });
        }
        for (row_idx, cell) in column.cells {
            table.rows[row_idx][column_idx] = cell;
        }
        units.extend(column.units.into_iter().map(|(unit, n_cells)| ColumnUnit {
            column: name.clone(),
            unit,
            n_cells,
        }));
    }
    Ok(Parsed { table, warnings, failures, units })
}

fn read_column(table: &Table, column_idx: usize) -> Column {
    let mut column = Column::default();
    for (row_idx, row) in table.rows.iter().enumerate() {
        match &row[column_idx] {
            Cell::Null => {}
            Cell::Number(_) => column.n_bare += 1,
            Cell::Boolean(_) => column.failures.push((row_idx, "a boolean".to_owned())),
            Cell::Text(text) => match read(text) {
                Ok(Reading::Null) => column.cells.push((row_idx, Cell::Null)),
                Ok(Reading::Number { number, unit, is_identifier }) => {
                    column.n_numbers += 1;
                    column.cells.push((row_idx, Cell::Number(number)));
                    if is_identifier {
                        column.first_identifier.get_or_insert(row_idx);
                    }
                    column.add_unit(unit);
                }
                Err(reason) => column.failures.push((row_idx, reason)),
            },
        }
    }
    column
}

impl Column {
    fn add_unit(&mut self, unit: Option<Unit>) {
        let Some(unit) = unit else {
            self.n_bare += 1;
            return;
        };
        // A column has few units: the known ones are bounded, and so is the search.
        match self.units.iter_mut().find(|(known, _)| *known == unit) {
            Some((_, n_cells)) => *n_cells += 1,
            None => self.units.push((unit, 1)),
        }
    }

    /// Whether a column that nobody named is a column of numbers. Says so when it nearly is one.
    fn is_clear(
        &self,
        name: &str,
        table: &Table,
        column_idx: usize,
        warnings: &mut Vec<String>,
    ) -> bool {
        if self.n_numbers == 0 {
            return false;
        }
        let left = |row_idx: usize, why: &str| {
            let text = quote(&table.rows[row_idx][column_idx].plain());
            format!(
                "{} was left as it is: {why}, first in row {row_idx}: {text}; name it in `columns` to parse it",
                column_text(name)
            )
        };
        if let Some((row_idx, reason)) = self.failures.first() {
            // One number among names is no mistake; one name among numbers may be.
            if self.n_numbers > self.failures.len() {
                warnings.push(left(
                    *row_idx,
                    &format!("{} of its cells cannot be parsed ({reason})", self.failures.len()),
                ));
            }
            return false;
        }
        if let Some(row_idx) = self.first_identifier {
            warnings.push(left(row_idx, "its cells look like identifiers"));
            return false;
        }
        true
    }

    fn warn(&self, name: &str, warnings: &mut Vec<String>) {
        if let Some(row_idx) = self.first_identifier {
            warnings.push(format!("{} may hold identifiers, first in row {row_idx}: as numbers they lose leading zeros", column_text(name)));
        }
        let mut bases: Vec<&str> = Vec::new();
        for (unit, _) in self.units.iter().filter(|(unit, _)| !unit.base.is_empty()) {
            match bases.iter_mut().find_map(|base| {
                merge_bases(base, &unit.base).map(|merged| (base, merged.to_owned()))
            }) {
                Some((base, merged)) if merged == unit.base => *base = &unit.base,
                Some(_) => {}
                None => bases.push(&unit.base),
            }
        }
        if bases.len() > 1 {
            let shown: Vec<String> = bases.iter().map(|base| quote(base)).collect();
            warnings.push(format!(
                "{} mixes units: {}; nothing was converted",
                column_text(name),
                shown.join(", ")
            ));
        }
        let n_percent: usize =
            self.units.iter().filter(|(unit, _)| unit.power < 0).map(|(_, n_cells)| n_cells).sum();
        let n_other = self.n_bare
            + self
                .units
                .iter()
                .filter(|(unit, _)| unit.power >= 0)
                .map(|(_, n_cells)| n_cells)
                .sum::<usize>();
        if n_percent > 0 && n_other > 0 {
            warnings.push(format!("{} mixes percentages and plain numbers: {n_percent} became fractions, {n_other} stayed", column_text(name)));
        }
        let n_multiplied: usize =
            self.units.iter().filter(|(unit, _)| unit.power > 0).map(|(_, n_cells)| n_cells).sum();
        if n_multiplied > 0 && self.n_bare > 0 {
            warnings.push(format!("{} mixes numbers with and without a multiplier: {n_multiplied} were multiplied, {} were not", column_text(name), self.n_bare));
        }
        if let Some(unit) = in_column_name(name)
            && self.n_bare > 0
        {
            warnings.push(format!(
                "{} names the unit {}, which was not applied to its numbers",
                column_text(name),
                quote(&unit.text)
            ));
        }
    }
}
