//! `select`: choose, reorder and rename columns.

use crate::problem::{Failure, Problems};
use crate::table::{Cell, Lookup, Outcome, Table, check_names};

/// A new name for a column.
pub(crate) struct Rename {
    pub(crate) column: String,
    pub(crate) name: String,
}

pub(crate) fn select(
    table: Table,
    columns: Option<&[String]>,
    rename: &[Rename],
) -> Result<Outcome, Failure> {
    let mut problems = Problems::default();
    let lookup = Lookup::new("data", &table);
    let chosen: Vec<usize> = match columns {
        Some(columns) => lookup.find_some("columns", columns, &mut problems),
        None => (0..table.columns.len()).collect(),
    };
    let mut names: Vec<Option<&str>> = vec![None; table.columns.len()];
    for (i, Rename { column, name }) in rename.iter().enumerate() {
        let Some(idx) = lookup.find(&format!("rename[{i}].column"), column, &mut problems) else {
            continue;
        };
        if names[idx].replace(name).is_some() {
            problems.argument(|| {
                format!("rename[{i}].column: expected each column once, got `{column}` again")
            });
        }
    }
    problems.check()?;
    for (i, Rename { column, .. }) in rename.iter().enumerate() {
        if !chosen.iter().any(|idx| table.columns[*idx] == *column) {
            problems.argument(|| {
                format!("rename[{i}].column: expected one of `columns`, got `{column}`")
            });
        }
    }
    let new_columns: Vec<String> =
        chosen.iter().map(|idx| names[*idx].unwrap_or(&table.columns[*idx]).to_owned()).collect();
    check_names("rename", &new_columns, &mut problems);
    problems.check()?;
    let rows = table.rows.into_iter().map(|mut row| {
        // Each column is chosen once, so that its cells can be moved.
        chosen.iter().map(|idx| std::mem::replace(&mut row[*idx], Cell::Null)).collect()
    });
    Ok(Outcome {
        table: Table { columns: new_columns, rows: rows.collect() },
        warnings: Vec::new(),
    })
}
