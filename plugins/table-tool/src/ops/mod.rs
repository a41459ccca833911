//! The operations, one file each. They know tables and exact numbers, and nothing of components.

mod calculate;
mod describe;
mod expression;
mod filter;
mod group;
mod growth;
mod join;
mod parse_numbers;
mod pivot;
mod rank;
mod select;
mod share;
mod sort;

pub(crate) use calculate::calculate;
pub(crate) use describe::describe;
pub(crate) use filter::{Combine, Condition, Operator, filter};
pub(crate) use group::{Aggregate, group};
pub(crate) use growth::{Periods, compare, growth};
pub(crate) use join::{JoinKey, JoinKind, join};
pub(crate) use parse_numbers::{Parsed, parse_numbers};
pub(crate) use pivot::{Pivot, Unpivot, pivot, unpivot};
pub(crate) use rank::{RankMethod, Ranking, rank};
pub(crate) use select::{Rename, select};
pub(crate) use share::share;
pub(crate) use sort::{SortKey, sort};

use crate::problem::quote;

/// Rows that a warning names.
const MAX_SHOWN_ROWS: usize = 10;

/// Rows for a warning: `3 rows (0, 4, 17)`.
fn rows_text(row_idxs: &[usize]) -> String {
    let shown: Vec<String> = row_idxs.iter().take(MAX_SHOWN_ROWS).map(usize::to_string).collect();
    let more = if row_idxs.len() > MAX_SHOWN_ROWS { ", …" } else { "" };
    let noun = if row_idxs.len() == 1 { "row" } else { "rows" };
    format!("{} {noun} ({}{more})", row_idxs.len(), shown.join(", "))
}

/// A column for a warning.
fn column_text(name: &str) -> String {
    format!("column {}", quote(name))
}
