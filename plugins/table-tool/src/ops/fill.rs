//! `fill`: replaces null cells.

use super::column_text;
use super::sort::{SortKey, ranks};
use crate::aggregate::{Aggregated, Function, aggregate};
use crate::cell::Cell;
use crate::column::Column;
use crate::groups::Groups;
use crate::order::{Ranks, sorted};
use crate::problem::{Failure, Problems};
use crate::table::{Frame, Outcome, decimals, place};
use mitt_guest::tables::{Build, Cell as HostCell, NULL_ROW, Source};

/// A way to fill; see the WIT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FillMethod {
    Value,
    Previous,
    Next,
    Mean,
}

/// The arguments of `fill`.
pub(crate) struct Fill<'a> {
    pub(crate) columns: Option<&'a [String]>,
    pub(crate) method: FillMethod,
    pub(crate) value: Option<Cell>,
    pub(crate) order_by: &'a [SortKey],
    pub(crate) group_by: &'a [String],
    pub(crate) decimals: Option<u32>,
}

pub(crate) fn fill<T: Source>(table: &T, fill: &Fill<'_>) -> Result<Outcome<T>, Failure> {
    let frame = Frame::data(table)?;
    let mut problems = Problems::default();
    let lookup = frame.lookup();
    let column_idxs = match fill.columns {
        Some(columns) => lookup.find_some("columns", columns, &mut problems),
        None => (0..frame.names.len()).collect(),
    };
    let order_idxs = SortKey::find(fill.order_by, "order-by", &lookup, &mut problems);
    let group_idxs = lookup.find_all("group-by", fill.group_by, &mut problems);
    let n_decimals = decimals(fill.decimals, &mut problems);
    match (fill.method, &fill.value) {
        (FillMethod::Value, None | Some(Cell::Null)) => {
            problems.argument(|| "value: expected a value for this method, got none".to_owned());
        }
        (FillMethod::Value, Some(_)) | (_, None) => {}
        (_, Some(value)) => problems
            .argument(|| format!("value: expected none for this method, got {}", value.show())),
    }
    problems.check()?;

    let mut warnings = Vec::new();
    let groups = Groups::new(&frame.columns(&group_idxs)?, frame.n_rows);
    let mut walk = Vec::new();
    if matches!(fill.method, FillMethod::Previous | FillMethod::Next) {
        let mut keys = vec![Ranks::of_groups(&groups)];
        keys.extend(ranks(&frame.columns(&order_idxs)?, fill.order_by, &mut warnings));
        walk = sorted(&keys, frame.n_rows, usize::MAX);
    }
    if fill.method == FillMethod::Next {
        walk.reverse();
    }
    let mut replaced = Vec::new();
    for idx in column_idxs {
        let column = frame.column(idx)?;
        if column.n_nulls() == 0 {
            continue;
        }
        let source = frame.renamed(idx, &column.name)?;
        let (source, rows) = match fill.method {
            FillMethod::Previous | FillMethod::Next => {
                (source, neighbours(&column, &groups, &walk))
            }
            FillMethod::Value | FillMethod::Mean => {
                let cells = match &fill.value {
                    Some(value) => vec![HostCell::from(value); groups.len()],
                    None => {
                        column.warn_of_floats(&mut warnings);
                        means(&column, &groups, n_decimals, &mut problems)
                    }
                };
                (with_cells(&source, &column.name, cells)?, cells_of_groups(&column, &groups))
            }
        };
        let filled = source.take(&rows)?;
        let n_left = filled.columns().first().map_or(0, |column| column.nulls);
        if n_left > 0 {
            warnings.push(format!(
                "{} is still null in {n_left} rows, for which there is no value to take",
                column_text(&column.name)
            ));
        }
        replaced.push((idx, filled));
    }
    problems.check()?;
    Ok(Outcome { table: super::replaced(&frame, replaced)?, warnings })
}

/// Returns for each row the last row of its group on the walk so far that is not null.
fn neighbours(column: &Column, groups: &Groups, walk: &[u32]) -> Vec<u32> {
    let mut last = vec![NULL_ROW; groups.len()];
    let mut rows = vec![NULL_ROW; walk.len()];
    for row in walk {
        let last = &mut last[groups.of_row[*row as usize] as usize];
        if !column.is_null(*row as usize) {
            *last = *row;
        }
        rows[*row as usize] = *last;
    }
    rows
}

/// Calculates the mean of each group.
fn means(
    column: &Column,
    groups: &Groups,
    n_decimals: u32,
    problems: &mut Problems,
) -> Vec<HostCell> {
    let at = |group: usize| place("data", groups.first_rows[group] as usize, &column.name);
    let mean = aggregate(column, groups, Function::Mean, n_decimals, &at, problems);
    match mean {
        Aggregated::New(chunk) => (0..chunk.len()).map(|group| chunk.cell(group)).collect(),
        Aggregated::Rows(_) => Vec::new(),
    }
}

/// Returns a column with a cell for each group appended. The host finds a type for both.
fn with_cells<T: Source>(source: &T, name: &str, cells: Vec<HostCell>) -> Result<T, Failure> {
    let builder = T::Builder::new(&[name.to_owned()]);
    builder.append_table(source)?;
    builder.append_cells(&cells.into_iter().map(|cell| vec![cell]).collect::<Vec<_>>())?;
    Ok(builder.finish()?)
}

/// Returns for each row itself, or the appended cell of its group if it is null.
fn cells_of_groups(column: &Column, groups: &Groups) -> Vec<u32> {
    let n_rows = column.n_rows() as u32;
    let row =
        |(row, group): (u32, &u32)| if column.is_null(row as usize) { n_rows + group } else { row };
    (0..).zip(&groups.of_row).map(row).collect()
}
