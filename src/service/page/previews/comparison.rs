//! How two versions of a file differ: cells of workbooks, lines of texts.
//!
//! Rows are aligned by their contents first, so that a row that was inserted does not make all rows below it differ.

use std::convert::Infallible;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::Serialize;
use similar::algorithms::{Capture, Compact, DiffHook, Replace, diff_slices_deadline};
use similar::{Algorithm, DiffOp, DiffTag};

use mitt::render::Cancel;
use mitt_base::text::{cut_chars, one_line};
use mitt_base::{Error, ErrorKind, Result};
use mitt_serve::preview::{Cell, MAX_ROWS, Preview, Row};

/// Most cells and most lines that are listed; the others are counted.
const MAX_LISTED: usize = 5_000;

/// Most rows of both workbooks together, and most lines of a text.
const MAX_COMPARED_ROWS: u64 = 500_000;
const MAX_COMPARED_LINES: usize = 200_000;

/// Lines around a change that are listed where the text is too long to list all of it.
const CONTEXT: usize = 3;

/// Most characters of a cell or a line that is listed.
const MAX_CHARACTERS: u64 = 2_000;

/// Time after which a comparison ends with what it has found.
const COMPARING: Duration = Duration::from_secs(10);

/// Time after which rows of a sheet and lines are aligned less exactly; half of the time that is left, if that is less.
const ALIGNING: Duration = Duration::from_secs(3);

/// Most parts of an alignment that are joined for people who read it, because that takes time by their square.
const MAX_JOINED: usize = 10_000;

/// Most sheets that a warning names.
const MAX_NAMED: usize = 20;

/// How two versions of a file differ.
#[derive(Debug, JsonSchema, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[schemars(rename = "FileComparison")]
pub(super) enum Comparison {
    /// Two workbooks.
    Workbook {
        /// Sheets of the later version, then those that only the earlier one has.
        sheets: Vec<ComparedSheet>,
        /// What was not compared, one sentence each.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        warnings: Vec<String>,
    },
    /// Two texts.
    Text {
        /// Lines of both, in order. Of a long text only those near a change.
        lines: Vec<ComparedLine>,
        /// Number of further lines.
        more: u64,
    },
}

/// How a sheet differs.
#[derive(Debug, JsonSchema, PartialEq, Serialize)]
pub(super) struct ComparedSheet {
    /// Name.
    name: String,
    /// What happened to it.
    state: SheetState,
    /// Cells that differ. At most 5000 of all sheets are listed.
    cells: Vec<ComparedCell>,
    /// Number of further cells that differ. There may be others if a warning names the sheet.
    more: u64,
}

/// What happened to a sheet.
#[derive(Clone, Copy, Debug, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ComparedSheetState")]
pub(super) enum SheetState {
    /// Only the later version has it.
    Added,
    /// Only the earlier version has it.
    Removed,
    /// Some cells differ.
    Changed,
    /// No cell differs.
    Same,
    /// There was no time to compare it.
    Unknown,
}

/// A cell that differs.
#[derive(Debug, JsonSchema, PartialEq, Serialize)]
pub(super) struct ComparedCell {
    /// Row in the later version, from 0; in the earlier one for a row that the later one does not have.
    row: u64,
    /// Column, from 0.
    column: u64,
    /// Text or formula in the earlier version; `null` if the cell was empty.
    before: Option<String>,
    /// Text or formula in the later version; `null` if the cell is empty.
    after: Option<String>,
}

/// A line of one text or of both.
#[derive(Debug, JsonSchema, PartialEq, Serialize)]
pub(super) struct ComparedLine {
    /// Which text has it.
    change: LineChange,
    /// The line.
    text: String,
}

/// Which text has a line.
#[derive(Clone, Copy, Debug, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum LineChange {
    /// Both.
    Same,
    /// The earlier one alone.
    Removed,
    /// The later one alone.
    Added,
}

impl Comparison {
    /// Returns `true` if there was time for all of it.
    pub(super) fn is_whole(&self) -> bool {
        match self {
            Comparison::Workbook { warnings, .. } => warnings.is_empty(),
            Comparison::Text { .. } => true,
        }
    }
}

/// How long a comparison goes on.
#[derive(Clone, Debug)]
pub(super) struct TimeLeft {
    deadline: Instant,
    cancel: Cancel,
}

impl TimeLeft {
    /// Returns the time of a comparison that begins now, and ends early if `cancel` is set.
    pub(super) fn new(cancel: &Cancel) -> TimeLeft {
        TimeLeft { deadline: Instant::now() + COMPARING, cancel: cancel.clone() }
    }

    /// Returns `true` if no time is left.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Host`] - nobody waits for the comparison any more.
    fn is_over(&self) -> Result<bool> {
        self.cancel.check()?;
        Ok(Instant::now() >= self.deadline)
    }

    /// Returns when an alignment that begins now must end.
    fn aligning(&self) -> Instant {
        let now = Instant::now();
        now + (self.deadline.saturating_duration_since(now) / 2).min(ALIGNING)
    }
}

/// Compares two workbooks. Takes a thread for seconds.
///
/// # Errors
///
/// [`ErrorKind::Input`] - they have too many rows. [`ErrorKind::Host`] - nobody waits for the comparison any more.
pub(super) fn workbooks(before: &Preview, after: &Preview, time: &TimeLeft) -> Result<Comparison> {
    let (old_sheets, new_sheets) = (before.sheets(), after.sheets());
    let rows: u64 = old_sheets.iter().chain(&new_sheets).map(|sheet| sheet.rows).sum();
    if rows > MAX_COMPARED_ROWS {
        let message =
            format!("expected at most {MAX_COMPARED_ROWS} rows in both versions, got {rows}");
        return Err(Error::new(ErrorKind::Input, message).hint("download both to compare them"));
    }
    let mut listed = 0;
    let (mut sheets, mut cut) = (Vec::new(), Vec::new());
    let whole = |name: &str, state| ComparedSheet {
        name: name.to_owned(),
        state,
        cells: Vec::new(),
        more: 0,
    };
    for (index, sheet) in new_sheets.iter().enumerate() {
        let Some(old) = old_sheets.iter().position(|old| old.name == sheet.name) else {
            sheets.push(whole(&sheet.name, SheetState::Added));
            continue;
        };
        let old_read =
            |from: u64, count: u64| before.rows_now(old, from, count).map(|read| read.rows);
        let new_read =
            |from: u64, count: u64| after.rows_now(index, from, count).map(|read| read.rows);
        let mut old_rows = SheetRows::new(old_sheets[old].rows, &old_read);
        let mut new_rows = SheetRows::new(sheet.rows, &new_read);
        let most = MAX_LISTED.saturating_sub(listed);
        let found = compared_cells(&mut old_rows, &mut new_rows, most, time)?;
        listed += found.cells.len();
        if found.is_cut {
            cut.push(sheet.name.as_str());
        }
        sheets.push(found.of_sheet(&sheet.name));
    }
    let warnings = no_time(&cut).into_iter().collect();
    let is_gone = |name: &str| !new_sheets.iter().any(|sheet| sheet.name == name);
    let gone = old_sheets.iter().filter(|old| is_gone(&old.name));
    sheets.extend(gone.map(|old| whole(&old.name, SheetState::Removed)));
    Ok(Comparison::Workbook { sheets, warnings })
}

/// Returns the warning about sheets that were not compared to their end; `None` if there are none.
fn no_time(sheets: &[&str]) -> Option<String> {
    let named = sheets.iter().take(MAX_NAMED).map(|name| format!("`{}`", one_line(name)));
    let mut names = named.collect::<Vec<_>>().join(", ");
    if let Some(more) = sheets.len().checked_sub(MAX_NAMED).filter(|more| *more > 0) {
        names = format!("{names} and {more} more");
    }
    let seconds = COMPARING.as_secs();
    let warning =
        || format!("within {seconds} s, these sheets could not be compared to their end: {names}");
    (!sheets.is_empty()).then(warning)
}

/// Compares two texts. Takes a thread for seconds.
///
/// # Errors
///
/// [`ErrorKind::Input`] - one has too many lines. [`ErrorKind::Host`] - nobody waits for the comparison any more.
pub(super) fn texts(before: &str, after: &str, time: &TimeLeft) -> Result<Comparison> {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let longest = old.len().max(new.len());
    if longest > MAX_COMPARED_LINES {
        let message = format!("expected at most {MAX_COMPARED_LINES} lines, got {longest}");
        return Err(Error::new(ErrorKind::Input, message).hint("download both to compare them"));
    }
    time.is_over()?;
    let mut all: Vec<(LineChange, &str)> = Vec::new();
    for op in aligned(&old, &new, time) {
        let (removed, added) = (&old[op.old_range()], &new[op.new_range()]);
        if op.tag() == DiffTag::Equal {
            all.extend(removed.iter().map(|line| (LineChange::Same, *line)));
        } else {
            all.extend(removed.iter().map(|line| (LineChange::Removed, *line)));
            all.extend(added.iter().map(|line| (LineChange::Added, *line)));
        }
    }
    let total = all.len();
    let is_shown = near_changes(&all);
    let shown = all.into_iter().zip(is_shown);
    let shown = shown.filter(|(_, is_near)| *is_near || total <= MAX_LISTED);
    let line =
        |((change, text), _): ((LineChange, &str), bool)| ComparedLine { change, text: cut(text) };
    let lines: Vec<ComparedLine> = shown.take(MAX_LISTED).map(line).collect();
    let more = (total - lines.len()) as u64;
    Ok(Comparison::Text { lines, more })
}

/// Returns for each line whether it differs or is near one that does.
fn near_changes(lines: &[(LineChange, &str)]) -> Vec<bool> {
    let mut near = vec![false; lines.len()];
    for (at, _) in lines.iter().enumerate().filter(|(_, line)| line.0 != LineChange::Same) {
        let end = (at + CONTEXT + 1).min(lines.len());
        near[at.saturating_sub(CONTEXT)..end].fill(true);
    }
    near
}

/// Reads rows of a sheet: some from a number on, at least one if there are any.
type ReadRows<'a> = &'a dyn Fn(u64, u64) -> Result<Vec<Row>>;

/// The rows of a sheet, of which some are in memory.
struct SheetRows<'a> {
    total: u64,
    read: ReadRows<'a>,
    /// Number of the first row in memory.
    first: u64,
    kept: Vec<Row>,
    /// A row without cells.
    none: Row,
}

impl<'a> SheetRows<'a> {
    fn new(total: u64, read: ReadRows<'a>) -> SheetRows<'a> {
        SheetRows { total, read, first: 0, kept: Vec::new(), none: Row::new() }
    }

    /// Returns the hash of each row; `None` if there was no time for all of them.
    fn hashes(&mut self, time: &TimeLeft) -> Result<Option<Vec<u64>>> {
        let mut hashes = Vec::new();
        while (hashes.len() as u64) < self.total {
            if time.is_over()? {
                return Ok(None);
            }
            let rows = (self.read)(hashes.len() as u64, MAX_ROWS)?;
            if rows.is_empty() {
                break;
            }
            hashes.extend(rows.iter().map(hash));
        }
        Ok(Some(hashes))
    }

    /// Returns a row. Rows are read together, so it is cheap to ask for one after the other.
    fn row(&mut self, number: usize) -> Result<&Row> {
        let number = number as u64;
        let has = self.first..self.first + self.kept.len() as u64;
        if !has.contains(&number) {
            self.kept = (self.read)(number, MAX_ROWS)?;
            self.first = number;
        }
        let index = usize::try_from(number - self.first).unwrap_or(usize::MAX);
        Ok(self.kept.get(index).unwrap_or(&self.none))
    }
}

/// What differs between two sheets.
#[derive(Debug, Default, PartialEq)]
struct Differences {
    cells: Vec<ComparedCell>,
    /// Number of further cells that differ.
    more: u64,
    /// `true` if there was no time for all rows.
    is_cut: bool,
}

impl Differences {
    fn of_sheet(self, name: &str) -> ComparedSheet {
        let Differences { cells, more, is_cut } = self;
        let state = match cells.is_empty() && more == 0 {
            false => SheetState::Changed,
            true if is_cut => SheetState::Unknown,
            true => SheetState::Same,
        };
        ComparedSheet { name: name.to_owned(), state, cells, more }
    }
}

/// Returns the cells of two sheets that differ, at most `most` of them.
fn compared_cells(
    before: &mut SheetRows<'_>,
    after: &mut SheetRows<'_>,
    most: usize,
    time: &TimeLeft,
) -> Result<Differences> {
    let mut found = Differences::default();
    let (Some(old), Some(new)) = (before.hashes(time)?, after.hashes(time)?) else {
        return Ok(Differences { is_cut: true, ..found });
    };
    let none = Row::new();
    for op in aligned(&old, &new, time).into_iter().filter(|op| op.tag() != DiffTag::Equal) {
        let (old, new) = (op.old_range(), op.new_range());
        for at in 0..old.len().max(new.len()) {
            if time.is_over()? {
                return Ok(Differences { is_cut: true, ..found });
            }
            let (old, new) = (old.clone().nth(at), new.clone().nth(at));
            let old_row = match old {
                Some(row) => before.row(row)?,
                None => &none,
            };
            let new_row = match new {
                Some(row) => after.row(row)?,
                None => &none,
            };
            let row = new.or(old).unwrap_or_default() as u64;
            for column in 0..old_row.len().max(new_row.len()) {
                let (old, new) = (shown(old_row, column), shown(new_row, column));
                if old == new {
                    continue;
                }
                if found.cells.len() >= most {
                    found.more += 1;
                    continue;
                }
                let (before, after) = difference(old, new);
                found.cells.push(ComparedCell { row, column: column as u64, before, after });
            }
        }
    }
    Ok(found)
}

/// Text and formula of a cell that is not empty.
type Shown<'a> = (&'a str, Option<&'a str>);

fn shown(row: &Row, column: usize) -> Option<Shown<'_>> {
    of_cell(row.get(column)?.as_ref()?)
}

fn of_cell(cell: &Cell) -> Option<Shown<'_>> {
    let shown = (cell.text(), cell.formula());
    (shown != ("", None)).then_some(shown)
}

/// Returns what differs: the texts, or the formulas of equal texts.
fn difference(old: Option<Shown<'_>>, new: Option<Shown<'_>>) -> (Option<String>, Option<String>) {
    let is_same_text = old.map(|it| it.0) == new.map(|it| it.0);
    let part = |(text, formula): Shown<'_>| match formula {
        Some(formula) if is_same_text => cut(formula),
        _ => cut(text),
    };
    (old.map(part), new.map(part))
}

fn hash(row: &Row) -> u64 {
    let mut hasher = DefaultHasher::new();
    // Cells that have nothing but a style do not count, so neither does the length of the row.
    for (column, cell) in row.iter().enumerate() {
        if let Some(shown) = cell.as_ref().and_then(of_cell) {
            (column, shown).hash(&mut hasher);
        }
    }
    hasher.finish()
}

/// Returns which parts of two lists are equal, and which take each other's place.
fn aligned<T: Eq + std::hash::Hash + Ord>(old: &[T], new: &[T], time: &TimeLeft) -> Vec<DiffOp> {
    let mut found = Capture::new();
    let Ok(()) =
        diff_slices_deadline(Algorithm::Myers, &mut found, old, new, Some(time.aligning()));
    let found = found.into_ops();
    let mut replaced = Replace::new(Capture::new());
    if found.len() <= MAX_JOINED {
        let mut joined = Compact::new(replaced, old, new);
        sent(&found, &mut joined);
        replaced = joined.into_inner();
    } else {
        sent(&found, &mut replaced);
    }
    replaced.into_inner().into_ops()
}

/// Sends the parts of an alignment to the next step.
fn sent(parts: &[DiffOp], next: &mut impl DiffHook<Error = Infallible>) {
    for part in parts {
        let Ok(()) = part.apply_to_hook(next);
    }
    let Ok(()) = next.finish();
}

fn cut(text: &str) -> String {
    match cut_chars(text, MAX_CHARACTERS) {
        (text, false) => text.to_owned(),
        (text, true) => format!("{text}…"),
    }
}

#[cfg(test)]
#[path = "comparison_tests.rs"]
mod tests;
