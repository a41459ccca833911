//! The operations, one file each. Know tables and exact numbers, but no components.

mod calculate;
mod date_parts;
mod deduplicate;
mod describe;
mod fill;
mod filter;
mod group;
mod growth;
mod join;
mod join_keys;
mod parse_numbers;
mod pivot;
mod quick;
mod rank;
mod sample;
mod select;
mod share;
mod sort;
mod window;

pub(crate) use calculate::calculate;
pub(crate) use date_parts::{DatePart, date_parts};
pub(crate) use deduplicate::{Keep, deduplicate};
pub(crate) use describe::describe;
pub(crate) use fill::{Fill, FillMethod, fill};
pub(crate) use filter::{Combine, Condition, Operator, filter};
pub(crate) use group::{Aggregate, group};
pub(crate) use growth::{Periods, compare, growth};
pub(crate) use join::{JoinKey, JoinKind, join};
pub(crate) use parse_numbers::{Parsed, parse_numbers};
pub(crate) use pivot::{Pivot, Unpivot, pivot, unpivot};
pub(crate) use rank::{RankMethod, Ranking, rank};
pub(crate) use sample::{SampleMethod, sample};
pub(crate) use select::{Rename, select};
pub(crate) use share::share;
pub(crate) use sort::{SortKey, sort};
pub(crate) use window::{Window, WindowFunction, window};

use crate::problem::{Failure, quote};
use crate::table::Frame;
use mitt_guest::tables::Source;

/// Most rows that a warning lists.
const MAX_SHOWN_ROWS: usize = 10;

/// Returns rows for a warning: `3 rows (0, 4, 17)`.
fn rows_text(row_idxs: &[usize]) -> String {
    let shown: Vec<String> = row_idxs.iter().take(MAX_SHOWN_ROWS).map(usize::to_string).collect();
    let more = if row_idxs.len() > MAX_SHOWN_ROWS { ", …" } else { "" };
    let noun = if row_idxs.len() == 1 { "row" } else { "rows" };
    format!("{} {noun} ({}{more})", row_idxs.len(), shown.join(", "))
}

/// Returns a column for a warning.
fn column_text(name: &str) -> String {
    format!("column {}", quote(name))
}

/// Returns the table with some columns replaced. Each is a table of one column with its name.
fn replaced<T: Source>(frame: &Frame<'_, T>, columns: Vec<(usize, T)>) -> Result<T, Failure> {
    let mut is_replaced = vec![false; frame.names.len()];
    columns.iter().for_each(|(idx, _)| is_replaced[*idx] = true);
    let mut order: Vec<usize> = (0..frame.names.len()).filter(|idx| !is_replaced[*idx]).collect();
    let mut tables = Vec::with_capacity(columns.len() + 1);
    if !order.is_empty() {
        tables.push(frame.select(&order)?);
    }
    for (idx, column) in columns {
        order.push(idx);
        tables.push(column);
    }
    // Tables are joined pair by pair: one by one, each join would go through all names again.
    while tables.len() > 1 {
        let mut pairs = tables.into_iter();
        tables = Vec::new();
        while let Some(left) = pairs.next() {
            tables.push(match pairs.next() {
                Some(right) => left.beside(&right)?,
                None => left,
            });
        }
    }
    let mut places = vec![(0, String::new()); order.len()];
    for (place, idx) in order.into_iter().enumerate() {
        places[idx] = (place as u32, frame.names[idx].clone());
    }
    Ok(tables.first().unwrap_or(frame.table).select(&places)?)
}
