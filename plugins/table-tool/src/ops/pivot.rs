//! `pivot` and `unpivot`: turns values into columns, and back.

use crate::aggregate::{Aggregated, Function, aggregate};
use crate::groups::Groups;
use crate::problem::{Failure, Problems, quote};
use crate::table::{Frame, Outcome, check_names, check_result_rows, decimals, place};
use mitt_guest::tables::{Build, Chunk, NULL_ROW, Source, Texts, Values};

/// Most new columns. More suggest a wrong choice of the column.
const MAX_NEW_COLUMNS: usize = 1_000;

/// Most cells of the grid. Each needs a row number in memory.
const MAX_GRID_CELLS: usize = 50_000_000;

/// The arguments of `pivot`.
pub(crate) struct Pivot<'a> {
    pub(crate) rows: &'a [String],
    pub(crate) column: &'a str,
    pub(crate) values: &'a str,
    pub(crate) function: Function,
    pub(crate) decimals: Option<u32>,
}

pub(crate) fn pivot<T: Source>(table: &T, pivot: &Pivot<'_>) -> Result<Outcome<T>, Failure> {
    let frame = Frame::data(table)?;
    let mut problems = Problems::default();
    let lookup = frame.lookup();
    let row_keys = lookup.find_all("rows", pivot.rows, &mut problems);
    let column_idx = lookup.find("column", pivot.column, &mut problems).unwrap_or(0);
    let values_idx = lookup.find("values", pivot.values, &mut problems).unwrap_or(0);
    let n_decimals = decimals(pivot.decimals, &mut problems);
    problems.check()?;
    if row_keys.contains(&column_idx) {
        problems.argument(|| {
            format!(
                "column: expected a column that is not among `rows`, got {}",
                quote(pivot.column)
            )
        });
        problems.check()?;
    }
    let row_groups = Groups::new(&frame.columns(&row_keys)?, frame.n_rows);
    let named = frame.column(column_idx)?;
    let column_groups = Groups::of(&named);
    let n_new = column_groups.len();
    if n_new > MAX_NEW_COLUMNS {
        problems.argument(|| {
            format!("column: expected at most {MAX_NEW_COLUMNS} different values, got {n_new}")
        });
        problems.check()?;
    }
    let mut columns = pivot.rows.to_vec();
    columns.extend(column_groups.first_rows.iter().map(|row| named.cell(*row as usize).plain()));
    check_names("column", &columns, &mut problems);
    problems.check()?;
    // Without rows there is no group. In `group` there is one, because a total of no rows has a meaning.
    let n_rows = if frame.n_rows == 0 { 0 } else { row_groups.len() };
    if n_rows.saturating_mul(n_new) > MAX_GRID_CELLS {
        problems.argument(|| format!("the result is too large: expected at most {MAX_GRID_CELLS} cells, got {n_rows} rows of {n_new}"));
        problems.check()?;
    }
    let first_rows = &row_groups.first_rows[..n_rows];
    let mut result = (!row_keys.is_empty())
        .then(|| Ok::<T, Failure>(frame.select(&row_keys)?.take(first_rows)?))
        .transpose()?;
    let meeting = row_groups.refined(&column_groups);
    let values = frame.column(values_idx)?;
    let function = pivot.function;
    let at = |idx: usize| {
        let row = meeting.first_rows[idx] as usize;
        let column = row_keys.len() + column_groups.of_row[row] as usize;
        place("result", row_groups.of_row[row] as usize, &columns[column])
    };
    let cells = aggregate(&values, &meeting, function, n_decimals, &at, &mut problems);
    problems.check()?;
    // The grid as one column, from which the host gathers each new column.
    let (source, row_of_cell) = match cells {
        Aggregated::New(chunk) => (T::from_columns(vec![("value".to_owned(), chunk)])?, None),
        Aggregated::Rows(rows) => (frame.renamed(values_idx, "value")?, Some(rows)),
    };
    let cell = |meeting: usize| row_of_cell.as_ref().map_or(meeting as u32, |rows| rows[meeting]);
    let mut by_column: Vec<Vec<(u32, u32)>> = vec![Vec::new(); n_new];
    if frame.n_rows > 0 {
        for (idx, row) in meeting.first_rows.iter().enumerate() {
            let (row_group, column_group) =
                (row_groups.of_row[*row as usize], column_groups.of_row[*row as usize]);
            by_column[column_group as usize].push((row_group, cell(idx)));
        }
    }
    for (found, name) in by_column.iter().zip(&columns[row_keys.len()..]) {
        let mut rows = vec![NULL_ROW; n_rows];
        found.iter().for_each(|(row, cell)| rows[*row as usize] = *cell);
        let column = source.take(&rows)?.select(&[(0, name.clone())])?;
        result = Some(match result {
            Some(result) => result.beside(&column)?,
            None => column,
        });
    }
    let mut warnings = Vec::new();
    if function.calculates() {
        values.warn_of_floats(&mut warnings);
    }
    let table = match result {
        Some(table) => table,
        None => T::from_columns(Vec::new())?,
    };
    Ok(Outcome { table, warnings })
}

/// The arguments of `unpivot`.
pub(crate) struct Unpivot<'a> {
    pub(crate) keep: &'a [String],
    pub(crate) columns: Option<&'a [String]>,
    pub(crate) name: &'a str,
    pub(crate) value: &'a str,
}

pub(crate) fn unpivot<T: Source>(table: &T, unpivot: &Unpivot<'_>) -> Result<Outcome<T>, Failure> {
    let frame = Frame::data(table)?;
    let mut problems = Problems::default();
    let lookup = frame.lookup();
    let keep = lookup.find_all("keep", unpivot.keep, &mut problems);
    let mut is_kept = vec![false; frame.names.len()];
    keep.iter().for_each(|idx| is_kept[*idx] = true);
    let melted: Vec<usize> = match unpivot.columns {
        Some(columns) => lookup.find_some("columns", columns, &mut problems),
        None => (0..frame.names.len()).filter(|idx| !is_kept[*idx]).collect(),
    };
    let mut columns = unpivot.keep.to_vec();
    columns.extend([unpivot.name.to_owned(), unpivot.value.to_owned()]);
    if keep.len() == unpivot.keep.len() {
        check_names("name and value", &columns, &mut problems);
    }
    problems.check()?;
    let (n_rows, n_melted) = (frame.n_rows, melted.len());
    check_result_rows(n_rows.saturating_mul(n_melted))?;
    // The host appends the columns; their cells are then taken row by row.
    let builder = T::Builder::new(&[unpivot.value.to_owned()]);
    for idx in &melted {
        builder.append_table(&frame.renamed(*idx, unpivot.value)?)?;
    }
    let stacked = builder.finish()?;
    let rows = 0..n_rows as u32;
    let places =
        || rows.clone().flat_map(|row| (0..n_melted as u32).map(move |column| (row, column)));
    let values: Vec<u32> = places().map(|(row, column)| column * n_rows as u32 + row).collect();
    let values = stacked.take(&values)?;
    let names: Texts = melted.iter().map(|idx| frame.names[*idx].as_str()).collect();
    let keys = places().map(|(_, column)| column).collect();
    let names = if melted.is_empty() {
        Values::Empty(0)
    } else {
        Values::Dictionary { keys, values: names }
    };
    let names = T::from_columns(vec![(unpivot.name.to_owned(), Chunk::from(names))])?;
    let mut table = names.beside(&values)?;
    if !keep.is_empty() {
        let kept: Vec<u32> = places().map(|(row, _)| row).collect();
        table = frame.select(&keep)?.take(&kept)?.beside(&table)?;
    }
    Ok(Outcome::plain(table))
}
