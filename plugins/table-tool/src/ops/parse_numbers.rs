//! `parse-numbers`: converts texts to numbers, column by column.

use super::column_text;
use crate::cell::Cell;
use crate::column::Column as Source;
use crate::groups::Groups;
use crate::number::Number;
use crate::output::Output;
use crate::parse::{Reading, merge_bases, read};
use crate::problem::{Failure, Problems, quote, shorten};
use crate::table::Frame;
use crate::units::{Unit, in_column_name};
use mitt_guest::tables::{self, Chunk, Values};

/// Most failures in the list; the rest is counted.
const MAX_FAILURES: usize = 1_000;

/// A table with numbers, and the notes about it.
#[derive(Debug)]
pub(crate) struct Parsed<T> {
    pub(crate) table: T,
    pub(crate) warnings: Vec<String>,
    pub(crate) failures: Vec<ParseFailure>,
    /// The number of failures that are not in the list.
    pub(crate) n_more_failures: usize,
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
    /// Returns the factor that the numbers were multiplied by.
    pub(crate) fn factor(&self) -> Number {
        Number::from_parts(false, "1", self.unit.power.into()).unwrap_or(Number::ZERO)
    }
}

/// The result of parsing a column.
#[derive(Default)]
struct Column {
    /// The result for each different cell, and the index of each row in these results.
    readings: Vec<Result<Option<Cell>, String>>,
    of_row: Vec<u32>,
    /// Rows that cannot be parsed, at most [`MAX_FAILURES`], and their total number.
    failures: Vec<usize>,
    n_failures: usize,
    units: Vec<(Unit, usize)>,
    n_numbers: usize,
    /// Numbers without a unit, including cells that were numbers before.
    n_bare: usize,
    first_identifier: Option<usize>,
}

pub(crate) fn parse_numbers<T: tables::Source>(
    table: &T,
    columns: Option<&[String]>,
) -> Result<Parsed<T>, Failure> {
    let frame = Frame::data(table)?;
    let mut problems = Problems::default();
    let column_idxs = match columns {
        Some(columns) => frame.lookup().find_some("columns", columns, &mut problems),
        None => (0..frame.names.len()).collect(),
    };
    problems.check()?;
    let is_automatic = columns.is_none();
    let (mut warnings, mut failures, mut units) = (Vec::new(), Vec::new(), Vec::new());
    let (mut n_more_failures, mut replaced) = (0, Vec::new());
    for column_idx in column_idxs {
        let source = frame.column(column_idx)?;
        let column = read_column(&source);
        if is_automatic && !column.is_clear(&source, &mut warnings) {
            continue;
        }
        column.warn(&source.name, &mut warnings);
        let n_before = failures.len();
        for row_idx in column.failures.iter().take(MAX_FAILURES - n_before.min(MAX_FAILURES)) {
            let text = shorten(&source.cell(*row_idx).plain());
            let reason = column.reason(*row_idx).to_owned();
            let column = source.name.clone();
            failures.push(ParseFailure { row_idx: *row_idx, column, text, reason });
        }
        n_more_failures += column.n_failures - (failures.len() - n_before);
        if column.readings.iter().any(|reading| matches!(reading, Ok(Some(_)))) {
            let new = T::from_columns(vec![(source.name.clone(), column.chunk(&source))])?;
            replaced.push((column_idx, new));
        }
        units.extend(column.units.into_iter().map(|(unit, n_cells)| ColumnUnit {
            column: source.name.clone(),
            unit,
            n_cells,
        }));
    }
    let table = super::replaced(&frame, replaced)?;
    Ok(Parsed { table, warnings, failures, n_more_failures, units })
}

/// Parses a column. Equal texts are parsed once.
fn read_column(source: &Source) -> Column {
    let mut column = Column::default();
    let is_text = matches!(source.chunk.values, Values::Texts(_) | Values::Dictionary { .. });
    if !is_text && source.mixed().is_none() {
        let n_present = source.n_rows() - source.n_nulls();
        match source.only_type() {
            Some("number") => column.n_bare = n_present,
            None => {}
            Some(_) => column.n_failures = n_present,
        }
        if column.n_failures > 0 {
            let present = (0..source.n_rows()).filter(|row| !source.is_null(*row));
            column.failures = present.take(MAX_FAILURES).collect();
            let reason = match source.only_type() {
                Some("boolean") => "a boolean",
                _ => "a date or a time",
            };
            column.readings = vec![Err(reason.to_owned())];
            column.of_row = vec![0; source.n_rows()];
        }
        return column;
    }
    let groups = Groups::of(source);
    let mut found: Vec<(Option<Unit>, bool, bool)> = Vec::with_capacity(groups.len());
    for row in &groups.first_rows {
        let (mut unit_of, mut is_number, mut is_code) = (None, false, false);
        column.readings.push(match source.cell(*row as usize) {
            Cell::Boolean(_) => Err("a boolean".to_owned()),
            Cell::Text(text) => match read(&text) {
                Ok(Reading::Null) => Ok(Some(Cell::Null)),
                Ok(Reading::Number { number, unit, is_identifier }) => {
                    (unit_of, is_number, is_code) = (unit, true, is_identifier);
                    Ok(Some(Cell::Number(number)))
                }
                Err(reason) => Err(reason),
            },
            _ => Ok(None),
        });
        found.push((unit_of, is_number, is_code));
    }
    let mut n_cells = vec![0usize; groups.len()];
    for (row_idx, group) in groups.of_row.iter().enumerate() {
        let (_, _, is_code) = &found[*group as usize];
        if n_cells[*group as usize] == 0 && *is_code {
            column.first_identifier.get_or_insert(row_idx);
        }
        n_cells[*group as usize] += 1;
        if column.readings[*group as usize].is_err() {
            column.n_failures += 1;
            if column.failures.len() < MAX_FAILURES {
                column.failures.push(row_idx);
            }
        }
    }
    for (group, (unit, is_number, _)) in found.into_iter().enumerate() {
        let was_number = matches!(source.cell(groups.first_rows[group] as usize), Cell::Number(_));
        if is_number {
            column.n_numbers += n_cells[group];
            column.add_unit(unit, n_cells[group]);
        } else if was_number {
            column.n_bare += n_cells[group];
        }
    }
    column.of_row = groups.of_row;
    column
}

impl Column {
    fn reason(&self, row_idx: usize) -> &str {
        match &self.readings[self.of_row[row_idx] as usize] {
            Err(reason) => reason,
            Ok(_) => "",
        }
    }

    /// Returns the cells, with the results where parsing succeeded.
    fn chunk(&self, source: &Source) -> Chunk {
        let mut output = Output::new(0, source.n_rows());
        for (row_idx, group) in self.of_row.iter().enumerate() {
            match &self.readings[*group as usize] {
                Ok(Some(cell)) => output.push_cell(cell),
                _ => output.push_cell(&source.cell(row_idx)),
            }
        }
        output.finish()
    }

    fn add_unit(&mut self, unit: Option<Unit>, n_more: usize) {
        let Some(unit) = unit else {
            self.n_bare += n_more;
            return;
        };
        // A column has few units, because the known ones are bounded. So is the search.
        match self.units.iter_mut().find(|(known, _)| *known == unit) {
            Some((_, n_cells)) => *n_cells += n_more,
            None => self.units.push((unit, n_more)),
        }
    }

    /// Returns `true` if a column that the caller did not name has numbers only. Warns if it nearly does.
    fn is_clear(&self, source: &Source, warnings: &mut Vec<String>) -> bool {
        if self.n_numbers == 0 {
            return false;
        }
        let left = |row_idx: usize, why: &str| {
            let text = quote(&source.cell(row_idx).plain());
            format!(
                "{} was left as it is: {why}, first in row {row_idx}: {text}; name it in `columns` to parse it",
                column_text(&source.name)
            )
        };
        if let Some(row_idx) = self.failures.first() {
            // One number among names is not a mistake; one name among numbers may be.
            if self.n_numbers > self.n_failures {
                let reason = self.reason(*row_idx);
                warnings.push(left(
                    *row_idx,
                    &format!("{} of its cells cannot be parsed ({reason})", self.n_failures),
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
