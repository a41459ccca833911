//! `group`: one row for each group of rows.

use crate::aggregate::{Aggregated, Function, aggregate};
use crate::column::Column;
use crate::groups::Groups;
use crate::problem::{Failure, Problems};
use crate::table::{Frame, Outcome, check_names, decimals, place};
use mitt_guest::tables::{Chunk, Source, Values};

/// A column of the result.
pub(crate) struct Aggregate {
    pub(crate) column: Option<String>,
    pub(crate) function: Function,
    pub(crate) name: Option<String>,
}

impl Aggregate {
    fn result_name(&self) -> String {
        match (&self.name, &self.column) {
            (Some(name), _) => name.clone(),
            (None, Some(column)) => format!("{column}_{}", self.function.name()),
            (None, None) => self.function.name().to_owned(),
        }
    }
}

pub(crate) fn group<T: Source>(
    table: &T,
    by: &[String],
    aggregates: &[Aggregate],
    n_decimals: Option<u32>,
) -> Result<Outcome<T>, Failure> {
    let frame = Frame::data(table)?;
    let mut problems = Problems::default();
    let lookup = frame.lookup();
    let key_idxs = lookup.find_all("by", by, &mut problems);
    let n_decimals = decimals(n_decimals, &mut problems);
    if by.is_empty() && aggregates.is_empty() {
        problems.argument(|| {
            "aggregates: expected one at least where `by` is empty, got none".to_owned()
        });
    }
    let mut column_idxs = Vec::with_capacity(aggregates.len());
    for (i, aggregate) in aggregates.iter().enumerate() {
        let argument = format!("aggregates[{i}].column");
        column_idxs.push(match &aggregate.column {
            Some(column) => lookup.find(&argument, column, &mut problems),
            None if aggregate.function == Function::Rows => None,
            None => {
                problems.argument(|| {
                    format!(
                        "{argument}: expected a column for `{}`, got none",
                        aggregate.function.name()
                    )
                });
                None
            }
        });
    }
    let names = by.iter().cloned().chain(aggregates.iter().map(Aggregate::result_name));
    let columns: Vec<String> = names.collect();
    // If `by` has an unknown or repeated column, that was reported already.
    if key_idxs.len() == by.len() {
        check_names("aggregates", &columns, &mut problems);
    }
    problems.check()?;

    let groups = Groups::new(&frame.columns(&key_idxs)?, frame.n_rows);
    let mut made = ResultColumns { keys: None, warnings: Vec::new() };
    if !by.is_empty() {
        made.keys = Some(frame.select(&key_idxs)?.take(&groups.first_rows)?);
    }
    made.aggregates(&frame, &groups, aggregates, &column_idxs, n_decimals)?;
    let Some(table) = made.keys else {
        // Without keys there are aggregates, which was checked above.
        return Ok(Outcome::plain(table.range(0, 0)));
    };
    Ok(Outcome { table, warnings: made.warnings })
}

/// The result columns so far.
struct ResultColumns<T> {
    keys: Option<T>,
    warnings: Vec<String>,
}

impl<T: Source> ResultColumns<T> {
    /// Loads one column at a time, once for all its functions.
    fn aggregates(
        &mut self,
        frame: &Frame<'_, T>,
        groups: &Groups,
        aggregates: &[Aggregate],
        column_idxs: &[Option<usize>],
        n_decimals: u32,
    ) -> Result<(), Failure> {
        let mut problems = Problems::default();
        let mut loaded: Option<(Option<usize>, Column)> = None;
        let mut warned = Vec::new();
        for (wanted, idx) in aggregates.iter().zip(column_idxs) {
            // Counting rows needs no cells.
            let idx = idx.filter(|_| wanted.function != Function::Rows);
            if loaded.as_ref().is_none_or(|(loaded, _)| *loaded != idx) {
                let column = match idx {
                    Some(idx) => frame.column(idx)?,
                    None => Column::new("data", String::new(), Chunk::from(Values::Empty(0)))?,
                };
                loaded = Some((idx, column));
            }
            let Some((_, column)) = &loaded else { continue };
            if wanted.function.calculates() && !warned.contains(&idx) {
                column.warn_of_floats(&mut self.warnings);
                warned.push(idx);
            }
            let name = wanted.result_name();
            let at = |group| place("result", group, &name);
            let result = aggregate(column, groups, wanted.function, n_decimals, &at, &mut problems);
            let table = match (result, idx) {
                (Aggregated::New(chunk), _) => T::from_columns(vec![(name, chunk)])?,
                (Aggregated::Rows(rows), Some(idx)) => frame.renamed(idx, &name)?.take(&rows)?,
                (Aggregated::Rows(_), None) => continue,
            };
            self.keys = Some(match self.keys.take() {
                Some(keys) => keys.beside(&table)?,
                None => table,
            });
        }
        problems.check()
    }
}
