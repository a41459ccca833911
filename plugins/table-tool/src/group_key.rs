//! Rows with equal keys. Knows nothing of what is calculated from them.

use crate::table::{Cell, Table};
use std::collections::HashMap;

/// The rows of a table, divided by the values of some columns.
#[derive(Debug)]
pub(crate) struct Groups {
    /// The group of each row; groups are numbered in order of first appearance.
    pub(crate) of_row: Vec<usize>,
    /// The rows of each group, in order.
    pub(crate) members: Vec<Vec<usize>>,
}

impl Groups {
    /// Without key columns, all rows are one group, also when there is none.
    pub(crate) fn new(table: &Table, by: &[usize]) -> Groups {
        if by.is_empty() {
            let n_rows = table.rows.len();
            return Groups { of_row: vec![0; n_rows], members: vec![(0..n_rows).collect()] };
        }
        let mut by_key: HashMap<Vec<&Cell>, usize> = HashMap::new();
        let mut groups =
            Groups { of_row: Vec::with_capacity(table.rows.len()), members: Vec::new() };
        for (row_idx, row) in table.rows.iter().enumerate() {
            let key = by.iter().map(|column_idx| &row[*column_idx]).collect();
            let group = *by_key.entry(key).or_insert(groups.members.len());
            if group == groups.members.len() {
                groups.members.push(Vec::new());
            }
            groups.of_row.push(group);
            groups.members[group].push(row_idx);
        }
        groups
    }

    /// The key cells of a group.
    pub(crate) fn key(&self, group: usize, table: &Table, by: &[usize]) -> Vec<Cell> {
        match self.members[group].first() {
            Some(row_idx) => {
                by.iter().map(|column_idx| table.rows[*row_idx][*column_idx].clone()).collect()
            }
            None => Vec::new(),
        }
    }
}
