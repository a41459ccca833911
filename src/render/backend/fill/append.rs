//! Appends rows below those of a sheet: finds their position, and the column of each value.
//!
//! They are a block whose first copy is the last existing row: formats, formulas, and all references to that row's range
//! extend as they do for a repeated row.
//! along as they do when a row is repeated.

use std::collections::BTreeMap;

use super::book::Book;
use super::grid::{Grid, Row};
use super::moves::{Block, Moves};
use super::plan::{BlockPlan, SheetPlan, Source, Templates};
use super::refs::{self, Area, At};
use super::related_parts::Table;
use super::scope::Rows;
use super::warnings::Warnings;
use crate::model::fill_values::FillValue;
use mitt_base::{Error, ErrorKind, Result, text};

/// Most rows in which the head of a list is searched for.
const HEAD_ROWS: usize = 50;

/// The contents of the workbook.
pub(super) struct WorkbookContents<'l, 'a> {
    pub(super) book: &'l Book,
    pub(super) grids: &'l [Option<Grid<'a>>],
    pub(super) templates: &'l Templates<'a>,
    pub(super) tables: &'l [Table],
}

/// Columns and the texts of their heads.
type Columns = Vec<(u32, String)>;

/// Position of new rows.
struct AppendTarget {
    sheet: usize,
    /// The last existing row, whose own copy stays.
    last: u32,
    /// The row with the names of the columns.
    head: Option<u32>,
    columns: Columns,
    /// `true` if the last row belongs to an empty table, and is filled first.
    is_blank: bool,
}

pub(super) fn plan<'v>(
    contents: &WorkbookContents<'_, '_>,
    wanted: Option<&str>,
    rows: &'v FillValue,
    warnings: &mut Warnings,
) -> Result<Vec<SheetPlan<'v>>> {
    let mut plans: Vec<SheetPlan<'v>> =
        contents.grids.iter().map(|_| SheetPlan::default()).collect();
    let Some(all) = Rows::of(rows) else {
        return Err(refused(format!("expected a list of rows or a table, got {}", rows.kind())));
    };
    if all.count() == 0 {
        return Ok(plans);
    }
    let names = names(&all);
    let target = contents.target(wanted, &names, warnings)?;
    let Some(Some(grid)) = contents.grids.get(target.sheet) else {
        return Err(Error::bug("rows go to a sheet without cells"));
    };
    let sources = sources(&target, &all, &names)?;
    let sheet = contents.book.sheets.get(target.sheet).map_or("", |it| it.name.as_str());
    let end = u64::from(last_row(grid)) + all.count() as u64;
    if end > u64::from(refs::MAX_ROW) {
        let message = format!("`{sheet}`: expected at most {} rows, got {end}", refs::MAX_ROW);
        return Err(refused(message).hint("begin another sheet"));
    }
    let row_cells = grid.row(target.last).map_or(0, |row| row.cells.len()).max(sources.len());
    if row_cells as u64 * all.count() as u64 > 5_000_000 {
        return Err(
            refused("at most 5000000 cells are appended at once".into()).hint("give fewer rows")
        );
    }
    let block = BlockPlan {
        first: target.last,
        last: target.last,
        list: "".into(),
        rows: all,
        outer: None,
        is_group: false,
        columns: sources,
        appends: !target.is_blank,
    };
    let copies = u32::try_from(block.copies()).unwrap_or(u32::MAX);
    let moved = Block {
        first: target.last,
        last: target.last,
        copies,
        list: String::new(),
        appends: true,
        is_group: false,
    };
    if let Some(plan) = plans.get_mut(target.sheet) {
        plan.moves = Moves::new(vec![moved], Vec::new());
        plan.blocks.push(block);
    }
    Ok(plans)
}

#[cold]
fn refused(message: String) -> Error {
    Error::new(ErrorKind::Arguments, message)
}

/// Returns the names in any of the rows, in the order in which they appear.
fn names<'v>(rows: &Rows<'v>) -> Vec<&'v str> {
    let Rows::List(items) = rows else { return rows.names() };
    let mut names: Vec<&str> = Vec::new();
    let mut known = std::collections::HashSet::new();
    for item in *items {
        if let FillValue::Record(entries) = item {
            names.extend(
                entries.iter().map(|(name, _)| name.as_str()).filter(|name| known.insert(*name)),
            );
        }
    }
    names
}

impl WorkbookContents<'_, '_> {
    fn target(
        &self,
        wanted: Option<&str>,
        names: &[&str],
        warnings: &mut Warnings,
    ) -> Result<AppendTarget> {
        let table = wanted
            .and_then(|name| self.tables.iter().find(|it| it.name.eq_ignore_ascii_case(name)));
        if let Some(table) = table {
            return self.in_table(table);
        }
        let sheet = match wanted {
            Some(name) => self.book.sheet(name).ok_or_else(|| self.unknown(name))?,
            None => self.grids.iter().position(Option::is_some).unwrap_or(0),
        };
        let name = self.book.sheets.get(sheet).map_or("", |it| it.name.as_str());
        let Some(Some(grid)) = self.grids.get(sheet) else {
            return Err(refused(format!("`{name}` is a sheet without cells")));
        };
        let mut tables = self.tables.iter().filter(|it| it.sheet == sheet);
        match (tables.next(), tables.next()) {
            (Some(table), None) => self.in_table(table),
            (Some(first), Some(second)) => Err(refused(format!("`{name}` has several tables"))
                .hint(format!("name one of them, such as `{}` or `{}`", first.name, second.name))),
            (None, _) => self.in_cells(sheet, grid, names, warnings),
        }
    }

    #[cold]
    fn unknown(&self, name: &str) -> Error {
        let sheets = self.book.sheets.iter().map(|it| it.name.as_str());
        let all: Vec<&str> = sheets.chain(self.tables.iter().map(|it| it.name.as_str())).collect();
        let shown = text::cut_bytes(name, 80).escape_debug();
        let error = refused(format!("there is no sheet or table `{shown}`"));
        match text::nearest(name, all.iter().copied()).first() {
            Some(near) => error.hint(format!("did you mean `{near}`?")),
            None => {
                let some: Vec<String> = all.iter().take(10).map(|it| format!("`{it}`")).collect();
                error.hint(format!("there are {}", some.join(", ")))
            }
        }
    }

    /// Returns the position below the rows of a table, above its totals.
    fn in_table(&self, table: &Table) -> Result<AppendTarget> {
        let grid = self.grids.get(table.sheet).and_then(Option::as_ref);
        let Some(grid) = grid else { return Err(Error::bug("a table without cells")) };
        let last = table.area.last.row - u32::from(table.has_totals).min(table.area.rows() - 1);
        let head = table.has_header.then_some(table.area.first.row);
        if head.is_some_and(|head| last <= head) {
            return Err(super::package::damaged(&format!(
                "its table `{}` has no rows",
                table.name
            )));
        }
        let columns = table.area.first.column..=table.area.last.column;
        let is_blank = last == table.area.first.row + u32::from(table.has_header)
            && grid.row(last).is_none_or(|row| {
                row.cells.iter().all(|it| !columns.contains(&it.column) || it.is_empty())
            });
        let columns = columns.zip(table.columns.iter().cloned()).collect();
        Ok(AppendTarget { sheet: table.sheet, last, head, columns, is_blank })
    }

    /// Returns the position below the last row with content, or above that row if it has totals.
    fn in_cells(
        &self,
        sheet: usize,
        grid: &Grid<'_>,
        names: &[&str],
        warnings: &mut Warnings,
    ) -> Result<AppendTarget> {
        let name = self.book.sheets.get(sheet).map_or("", |it| it.name.as_str());
        let Some((head, columns)) = self.head(grid, names) else {
            return Err(refused(format!("`{name}` has no rows to append to"))
                .hint("make a new workbook instead, or put a row with the names of the columns into the sheet"));
        };
        let filled = |row: &&Row<'_>| row.cells.iter().any(|cell| !cell.is_empty());
        let last = grid.rows.iter().rev().find(filled).map_or(head, |row| row.number);
        let mut target = AppendTarget { sheet, last, head: Some(head), columns, is_blank: false };
        if last > head + 1 && self.sums_up(grid, head, last) {
            target.last = last - 1;
            warnings.add(
                "the last row sums up those above, and stays the last",
                format!("{name}!{last}"),
            );
        }
        if target.last == head {
            // Nothing is below the head, and its own format is not meant for rows.
            target.is_blank = true;
            target.last = head + 1;
        }
        Ok(target)
    }

    /// Returns the row with most of the names, and its contents; without names the first row with texts.
    fn head(&self, grid: &Grid<'_>, names: &[&str]) -> Option<(u32, Vec<(u32, String)>)> {
        let mut best: Option<(usize, u32, Columns)> = None;
        let rows = grid.rows.iter().filter(|row| row.cells.iter().any(|it| !it.is_empty()));
        for row in rows.take(HEAD_ROWS) {
            let texts = row.cells.iter().filter(|it| !it.is_empty());
            let columns: Vec<_> =
                texts.map(|it| (it.column, self.templates.text(it).trim().to_owned())).collect();
            let score = names.iter().filter(|name| columns.iter().any(|it| it.1 == **name)).count();
            if best.as_ref().is_none_or(|it| score > it.0) {
                best = Some((score, row.number, columns));
            }
        }
        best.map(|(_, row, columns)| (row, columns))
    }

    /// Returns `true` if the last row has formulas over rows above it.
    fn sums_up(&self, grid: &Grid<'_>, head: u32, last: u32) -> bool {
        let Some(row) = grid.row(last) else { return false };
        row.cells.iter().any(|cell| {
            let Some((_, formula)) = cell.formula() else { return false };
            let (all, _) = super::formula::references(&formula);
            let above = Area {
                first: At { row: head, column: cell.column },
                last: At { row: last - 1, column: cell.column },
            };
            all.iter().any(|it| {
                let area = it.area();
                it.sheet.is_none()
                    && area.rows() > 1
                    && area.first.column == cell.column
                    && area.last.column == cell.column
                    && above.contains(area.last)
                    && area.last.row == last - 1
            })
        })
    }
}

fn last_row(grid: &Grid<'_>) -> u32 {
    grid.rows.last().map_or(0, |row| row.number)
}

/// Returns the column of each value.
fn sources(
    target: &AppendTarget,
    rows: &Rows<'_>,
    names: &[&str],
) -> Result<BTreeMap<u32, Source>> {
    let mut sources = BTreeMap::new();
    if names.is_empty() {
        let width = rows.width();
        if width > target.columns.len() {
            return Err(refused(format!(
                "expected rows of at most {} values, got {width}",
                target.columns.len()
            )));
        }
        let columns = target.columns.iter().take(width).enumerate();
        sources.extend(columns.map(|(at, (column, _))| (*column, Source::Place(at))));
        return Ok(sources);
    }
    let mut unknown = Vec::new();
    for name in names {
        match target.columns.iter().find(|it| it.1 == *name) {
            Some((column, _)) => drop(sources.insert(*column, Source::Name((*name).to_owned()))),
            None => unknown.push(*name),
        }
    }
    if unknown.is_empty() {
        return Ok(sources);
    }
    let all: Vec<&str> =
        target.columns.iter().map(|it| it.1.as_str()).filter(|it| !it.is_empty()).collect();
    let shown: Vec<String> =
        unknown.iter().take(10).map(|it| format!("`{}`", text::cut_bytes(it, 80))).collect();
    let head = target.head.map_or(String::new(), |row| format!(" in row {row}"));
    let mut error = refused(format!("there are no columns {}{head}", shown.join(", ")));
    for name in unknown.iter().take(10) {
        if let Some(near) = text::nearest(name, all.iter().copied()).first() {
            error = error.hint(format!("did you mean `{near}` by `{name}`?"));
        }
    }
    let columns: Vec<String> = all.iter().take(30).map(|it| format!("`{it}`")).collect();
    Err(error.hint(format!("the columns are {}", columns.join(", "))))
}
