//! `deduplicate`: one row for each set of equal rows.

use crate::groups::Groups;
use crate::problem::{Failure, Problems};
use crate::table::{Frame, Outcome};
use mitt_guest::tables::Source;

/// The row that is kept of equal rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keep {
    First,
    Last,
    None,
}

pub(crate) fn deduplicate<T: Source>(
    table: &T,
    columns: Option<&[String]>,
    keep: Keep,
) -> Result<Outcome<T>, Failure> {
    let frame = Frame::data(table)?;
    let mut problems = Problems::default();
    let column_idxs = match columns {
        Some(columns) => frame.lookup().find_some("columns", columns, &mut problems),
        None => (0..frame.names.len()).collect(),
    };
    problems.check()?;
    // Only one column is in memory at a time.
    let mut groups = Groups::one(frame.n_rows);
    for idx in column_idxs {
        groups = groups.refined_by(&frame.column(idx)?);
    }
    let mut seen: Vec<(u32, u32)> = vec![(0, 0); groups.len()];
    for (row, group) in (0..).zip(&groups.of_row) {
        let (n_rows, last) = &mut seen[*group as usize];
        *n_rows += 1;
        *last = row;
    }
    let stays = |row: u32| {
        let group = groups.of_row[row as usize] as usize;
        match keep {
            Keep::First => groups.first_rows[group] == row,
            Keep::Last => seen[group].1 == row,
            Keep::None => seen[group].0 == 1,
        }
    };
    let rows: Vec<u32> = (0..frame.n_rows as u32).filter(|row| stays(*row)).collect();
    let n_removed = frame.n_rows - rows.len();
    let mut warnings = Vec::new();
    if n_removed > 0 {
        warnings.push(format!("{n_removed} of {} rows were removed", frame.n_rows));
    }
    Ok(Outcome { table: frame.rows(&rows)?, warnings })
}
