//! Pairs the tables of two documents and their columns, so that a new column does not change every row.

use super::block::{Block, Kind};
use super::blocks::{Parsed, Table, row_hash};
use super::normal::{Sketch, hash, resolved, shown};
use super::sequence::{Budget, align};
use std::collections::{HashMap, VecDeque};

/// Most tables of a document that are paired by similar headers.
const MAX_TABLES: usize = 300;
/// Least share of the columns that two tables have in common.
const SIMILAR: f64 = 0.5;
/// Rows of a column that are compared to see whether it has another name.
const MAX_ROWS: usize = 200;

/// The columns of two tables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Columns {
    /// Columns that both have, in the order of the new table.
    pub(crate) common: Vec<(usize, usize)>,
    pub(crate) deleted: Vec<usize>,
    pub(crate) inserted: Vec<usize>,
    /// Columns that stand elsewhere, which are common too.
    pub(crate) moved: Vec<(usize, usize)>,
}

/// Two tables that are compared.
pub(crate) struct Pair {
    pub(crate) old: usize,
    pub(crate) new: usize,
    pub(crate) columns: Columns,
}

/// Which tables belong together.
pub(crate) struct Pairs {
    pub(crate) all: Vec<Pair>,
    /// For each old and each new table, its index in `all`.
    of_old: Vec<Option<usize>>,
    of_new: Vec<Option<usize>>,
    /// `true` if there were too many tables to pair all.
    pub(crate) is_coarse: bool,
}

impl Pairs {
    pub(crate) fn new(old: &Parsed, new: &Parsed, budget: &mut Budget) -> Pairs {
        let none = (vec![None; old.tables.len()], vec![None; new.tables.len()]);
        let mut pairs = Pairs { all: Vec::new(), of_old: none.0, of_new: none.1, is_coarse: false };
        let mut by_header: HashMap<&[String], VecDeque<usize>> = HashMap::new();
        for (index, table) in new.tables.iter().enumerate() {
            by_header.entry(&table.header).or_default().push_back(index);
        }
        for (index, table) in old.tables.iter().enumerate() {
            let same = by_header.get_mut(table.header.as_slice()).and_then(VecDeque::pop_front);
            if let Some(partner) = same {
                let common = (0..table.header.len()).map(|it| (it, it)).collect();
                pairs.push(index, partner, Columns { common, ..Columns::default() });
            }
        }
        let free = |of: &[Option<usize>]| -> Vec<usize> {
            (0..of.len()).filter(|it| of[*it].is_none()).collect()
        };
        let (free_old, mut free_new) = (free(&pairs.of_old), free(&pairs.of_new));
        if free_old.len() > MAX_TABLES || free_new.len() > MAX_TABLES {
            pairs.is_coarse = true;
            return pairs;
        }
        for index in free_old {
            let share = |it: &usize| shared(&old.tables[index], &new.tables[*it]);
            let best = free_new
                .iter()
                .enumerate()
                .map(|(at, it)| (share(it), at))
                .filter(|it| it.0 >= SIMILAR);
            // The first of equally good ones, because tables seldom change their order.
            let best = best.reduce(|best, it| if it.0 > best.0 { it } else { best });
            if let Some((_, at)) = best {
                let partner = free_new.remove(at);
                let columns = columns(old, index, new, partner, budget);
                pairs.push(index, partner, columns);
            }
        }
        pairs
    }

    fn push(&mut self, old: usize, new: usize, columns: Columns) {
        self.of_old[old] = Some(self.all.len());
        self.of_new[new] = Some(self.all.len());
        self.all.push(Pair { old, new, columns });
    }

    /// Returns the pair of the table of an old row.
    pub(crate) fn of_old(&self, row: &Block) -> Option<usize> {
        self.of_old[row.link? as usize]
    }

    /// Returns the pair of the table of a new row.
    pub(crate) fn of_new(&self, row: &Block) -> Option<usize> {
        self.of_new[row.link? as usize]
    }

    /// Sets the hashes of rows to those of the columns that both tables have.
    pub(crate) fn rehash(&self, old: &mut Parsed, new: &mut Parsed) {
        for pair in &self.all {
            let columns = &pair.columns;
            if columns.deleted.is_empty() && columns.inserted.is_empty() && columns.moved.is_empty()
            {
                continue;
            }
            rehash(old, pair.old, columns.common.iter().map(|it| it.0));
            rehash(new, pair.new, columns.common.iter().map(|it| it.1));
        }
    }

    /// Returns the cells in which two rows differ: name of the column, old text, new text.
    pub(crate) fn changed_cells(
        &self,
        old: &Parsed,
        old_row: &Block,
        new: &Parsed,
        new_row: &Block,
    ) -> Vec<[String; 3]> {
        let (old_cells, new_cells) = (old.cells(old_row), new.cells(new_row));
        let pair = self.of_old(old_row).filter(|it| self.of_new(new_row) == Some(*it));
        let mut common: Vec<(usize, usize)> = Vec::new();
        match pair.map(|it| &self.all[it].columns) {
            Some(columns) => {
                common.extend(&columns.common);
                // Cells beyond the header belong to no column.
                let of_table = |parsed: &Parsed, row: &Block| {
                    parsed.tables[row.link.unwrap_or_default() as usize].header.len()
                };
                let (from, to) = (of_table(old, old_row), of_table(new, new_row));
                let more =
                    old_cells.len().saturating_sub(from).max(new_cells.len().saturating_sub(to));
                common.extend((0..more).map(|it| (from + it, to + it)));
            }
            None => common.extend((0..old_cells.len().max(new_cells.len())).map(|it| (it, it))),
        }
        let header = new_row.link.and_then(|it| new.tables.get(it as usize)).map(|it| &it.header);
        let mut out = Vec::new();
        for (at, to) in common {
            let cell = |cells: &[String], at: usize| cells.get(at).cloned().unwrap_or_default();
            if old_cells.get(at).map_or("", String::as_str)
                == new_cells.get(to).map_or("", String::as_str)
            {
                continue;
            }
            let (a, b) = resolved(&cell(&old_cells, at), &cell(&new_cells, to));
            if a != b {
                let name = header
                    .and_then(|it| it.get(to))
                    .filter(|it| !it.is_empty() && new_row.number > 0);
                let name = name.map_or_else(|| format!("column {}", to + 1), |it| shown(it));
                out.push([name, a, b]);
            }
        }
        out
    }
}

fn rehash(parsed: &mut Parsed, table: usize, columns: impl Iterator<Item = usize> + Clone) {
    let first = parsed.tables[table].first;
    for index in first..first + parsed.tables[table].n_rows {
        let cells = parsed.cells(&parsed.blocks[index]);
        let n_header = parsed.tables[table].header.len();
        let kept = columns.clone().chain(n_header..cells.len());
        let kept: Vec<&str> = kept.map(|it| cells.get(it).map_or("", String::as_str)).collect();
        parsed.blocks[index].hash = row_hash(&kept);
    }
}

/// Returns which part of the names of columns two tables share.
fn shared(old: &Table, new: &Table) -> f64 {
    let is_there = |name: &&String| !name.is_empty() && new.header.contains(name);
    let common = old.header.iter().filter(is_there).count();
    common as f64 / old.header.len().max(new.header.len()).max(1) as f64
}

/// Pairs the columns of two tables: by name, and between such columns by position if their values are similar.
fn columns(
    old: &Parsed,
    old_table: usize,
    new: &Parsed,
    new_table: usize,
    budget: &mut Budget,
) -> Columns {
    let (a, b) = (&old.tables[old_table].header, &new.tables[new_table].header);
    let hashes = |header: &[String]| -> Vec<u64> { header.iter().map(|it| hash(it)).collect() };
    let found = align(&hashes(a), &hashes(b), budget);
    let mut columns = Columns::default();
    for run in &found.runs {
        columns.common.extend((0..run.len).map(|it| (run.old + it, run.new + it)));
    }
    for gap in found.gaps(a.len(), b.len()) {
        let is_renamed = |(at, to): (usize, usize)| {
            let (a, b) = (values(old, old_table, at), values(new, new_table, to));
            a.words() == b.words() || a.similarity(&b) >= SIMILAR
        };
        if gap.old.len() == gap.new.len() && gap.old.clone().zip(gap.new.clone()).all(is_renamed) {
            columns.common.extend(gap.old.zip(gap.new));
        } else {
            columns.deleted.extend(gap.old);
            columns.inserted.extend(gap.new);
        }
    }
    let deleted = std::mem::take(&mut columns.deleted);
    for at in deleted {
        match columns.inserted.iter().position(|to| b[*to] == a[at] && !a[at].is_empty()) {
            Some(position) => columns.moved.push((at, columns.inserted.remove(position))),
            None => columns.deleted.push(at),
        }
    }
    columns.common.extend(&columns.moved);
    columns.common.sort_unstable_by_key(|it| it.1);
    columns
}

/// Returns the words in the first rows of a column.
fn values(parsed: &Parsed, table: usize, column: usize) -> Sketch {
    let table = &parsed.tables[table];
    let rows = &parsed.blocks[table.first..table.first + table.n_rows.min(MAX_ROWS)];
    let rows = rows.iter().filter(|it| it.kind == Kind::Row && it.number > 0);
    let cells = rows.map(|it| parsed.cells(it).get(column).cloned().unwrap_or_default());
    Sketch::new(&cells.collect::<Vec<_>>().join(" "))
}
