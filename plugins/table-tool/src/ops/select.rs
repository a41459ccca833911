//! `select`: chooses, reorders and renames columns.

use crate::problem::{Failure, Problems};
use crate::table::{Frame, Outcome, check_names};
use mitt_guest::tables::Source;
use std::collections::HashSet;

/// A new name for a column.
pub(crate) struct Rename {
    pub(crate) column: String,
    pub(crate) name: String,
}

pub(crate) fn select<T: Source>(
    table: &T,
    columns: Option<&[String]>,
    rename: &[Rename],
) -> Result<Outcome<T>, Failure> {
    let frame = Frame::data(table)?;
    let mut problems = Problems::default();
    let lookup = frame.lookup();
    let chosen: Vec<usize> = match columns {
        Some(columns) => lookup.find_some("columns", columns, &mut problems),
        None => (0..frame.names.len()).collect(),
    };
    let mut names: Vec<Option<&str>> = vec![None; frame.names.len()];
    let mut renamed = Vec::with_capacity(rename.len());
    for (i, Rename { column, name }) in rename.iter().enumerate() {
        let Some(idx) = lookup.find(&format!("rename[{i}].column"), column, &mut problems) else {
            continue;
        };
        renamed.push((i, idx));
        if names[idx].replace(name).is_some() {
            problems.argument(|| {
                format!("rename[{i}].column: expected each column once, got `{column}` again")
            });
        }
    }
    problems.check()?;
    let is_chosen: HashSet<usize> = chosen.iter().copied().collect();
    for (i, idx) in renamed {
        if !is_chosen.contains(&idx) {
            let column = &frame.names[idx];
            problems.argument(|| {
                format!("rename[{i}].column: expected one of `columns`, got `{column}`")
            });
        }
    }
    let new_columns: Vec<String> =
        chosen.iter().map(|idx| names[*idx].unwrap_or(&frame.names[*idx]).to_owned()).collect();
    check_names("rename", &new_columns, &mut problems);
    problems.check()?;
    let columns: Vec<(u32, String)> =
        chosen.into_iter().map(|idx| idx as u32).zip(new_columns).collect();
    Ok(Outcome::plain(table.select(&columns)?))
}
