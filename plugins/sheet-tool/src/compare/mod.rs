//! Compares two workbooks: what a person would call a difference, and not which bytes differ.
//!
//! Rows and columns are matched first, so that an inserted row is one difference and not a thousand changed cells.

mod align;
mod cells;
mod columns;
mod looks;
mod map;
mod parts;
mod report;
mod rows;
mod sheets;
mod side;
#[cfg(test)]
mod tests;

pub use report::{Difference, Differences};

use crate::book::{Book, RowSpan};
use crate::error::{Error, Result};
use crate::refs::column_name;
use align::rising;
use cells::Comparing;
use columns::Columns;
use looks::{Looks, Runs};
use map::{Map, Maps, SheetMap};
use mitt_package::counted;
use report::Report;
use rows::{Rows, Sheets};
use side::Side;

/// Most values of an inserted or deleted row that are shown.
const MAX_VALUES: usize = 8;

/// Compares two workbooks and returns at most `limit` differences; all are counted. `key` is the header or the letter of a
/// column whose values name the rows.
///
/// # Errors
/// Those of opening them, and [`Error::Invalid`] if no sheet has the key.
pub fn differences(
    before: Vec<u8>,
    after: Vec<u8>,
    key: Option<&str>,
    limit: usize,
) -> Result<Differences> {
    let old = Side::new(Book::open(before)?);
    let new = Side::new(Book::open(after)?);
    let mut report = Report::new(limit);
    let has_same_texts = old.book.shared_source() == new.book.shared_source()
        && old.book.styles.is_same(&new.book.styles);
    let found = sheets::pairs(&old, &new);
    let mut maps = Maps { sheets: Vec::new(), names: Vec::new() };
    maps.sheets.resize_with(old.book.sheets.len(), || None);
    let mut matched = Vec::new();
    let mut has_key = false;
    for &(old_sheet, new_sheet) in &found.pairs {
        let it = Sheets {
            old: &old,
            new: &new,
            old_sheet,
            new_sheet,
            is_same_source: has_same_texts && old.book.from_1904 == new.book.from_1904,
        };
        let (a, b) = (&old.book.sheets[old_sheet].name, &new.book.sheets[new_sheet].name);
        if a != b {
            maps.names.push((a.clone(), b.clone()));
        }
        let columns = columns::columns(&old, &new, old_sheet, new_sheet);
        let rows = rows::match_rows(&it, &columns, key);
        has_key |= rows.has_key;
        let numbers = rows.pairs.iter().map(|it| (it.0.number, it.1.number)).collect();
        maps.sheets[old_sheet] = Some(SheetMap {
            new: new_sheet,
            rows: Map::new(numbers),
            columns: Map::new(columns.map.pairs().to_vec()),
            is_sorted: rows.moved > 0,
        });
        matched.push((it, columns, rows));
    }
    if let Some(key) = key.filter(|_| !has_key) {
        return Err(Error::Invalid(format!(
            "expected the header or the letter of a column that a sheet has in both workbooks, got `{key}`"
        )));
    }
    report_sheets(&old, &new, &found, &mut report);
    parts::names(&old, &new, &maps, &mut report);
    let has_same_maps = maps.is_same();
    let mut looks = Looks::default();
    for (it, columns, rows) in &matched {
        report_columns(it, columns, &mut report);
        report_rows(it, columns, rows, &maps, &mut report);
        parts::sheet(it, &maps, &mut report)?;
        looks.begin(it);
        let mut comparing = Comparing {
            sheets: it,
            columns,
            maps: &maps,
            has_same_maps,
            looks: &mut looks,
            groups: Default::default(),
            runs: Runs::default(),
        };
        comparing.rows(rows, &mut report);
    }
    parts::all_charts(&old, &new, &maps, &mut report)?;
    parts::others(&old, &new, &mut report)?;
    Ok(report.found)
}

fn report_sheets(old: &Side, new: &Side, found: &sheets::SheetPairs, report: &mut Report) {
    let name = |side: &Side, number: usize| side.book.sheets[number].name.clone();
    for &it in &found.removed {
        report.add(|| ["sheet removed".into(), name(old, it), name(old, it), String::new()]);
    }
    for &it in &found.added {
        report.add(|| ["sheet added".into(), name(new, it), String::new(), name(new, it)]);
    }
    let mut order = found.pairs.clone();
    order.sort_unstable();
    let stay = rising(&order);
    for &(a, b) in &found.pairs {
        if name(old, a) != name(new, b) {
            report.add(|| ["sheet renamed".into(), name(new, b), name(old, a), name(new, b)]);
        }
        if !stay.contains(&(a, b)) {
            report.add(|| {
                let place = |it: usize| format!("place {}", it + 1);
                ["sheet moved".into(), name(new, b), place(a), place(b)]
            });
        }
        let (x, y) = (&old.book.sheets[a].state, &new.book.sheets[b].state);
        if x != y {
            let kind = if y == "visible" { "sheet shown" } else { "sheet hidden" };
            report.add(|| [kind.into(), name(new, b), x.clone(), y.clone()]);
        }
    }
}

fn report_columns(it: &Sheets<'_>, columns: &Columns, report: &mut Report) {
    let Some((a, b)) = &columns.headers else { return };
    let header = |side: &Side, sheet: usize, span: usize, column: u32| {
        let span = side.spans(sheet)[span];
        let mut cells = crate::book::cells(side.source(sheet, &span));
        let cell = cells.find(|cell| cell.column == column);
        cell.map_or(String::new(), |cell| side.shown(sheet, span.number, &cell))
    };
    let whole = |column: u32| format!("{0}:{0}", column_name(column));
    for &column in &columns.removed {
        report.add(|| {
            let text = header(it.old, it.old_sheet, a.span, column);
            let place = it.old.place(it.old_sheet, whole(column));
            ["column deleted".into(), place, text, String::new()]
        });
    }
    for &column in &columns.inserted {
        report.add(|| {
            let text = header(it.new, it.new_sheet, b.span, column);
            let place = it.new.place(it.new_sheet, whole(column));
            ["column inserted".into(), place, String::new(), text]
        });
    }
}

fn report_rows(it: &Sheets<'_>, columns: &Columns, rows: &Rows, maps: &Maps, report: &mut Report) {
    let name = &it.new.book.sheets[it.new_sheet].name;
    if rows.is_rough {
        report.warn(format!(
            "`{name}`: too many rows differ to match all of them; name a column as `key`"
        ));
    }
    if rows.has_repeated_keys {
        report.warn(format!("`{name}`: rows have the same key, and are matched in their order"));
    }
    if columns.headers.is_none() && !it.old.spans(it.old_sheet).is_empty() && !columns.is_same() {
        report.warn(format!("`{name}` has no headers, so columns are matched by their letters"));
    }
    if rows.moved > 0 {
        report.add(|| {
            let place = it.new.book.sheets[it.new_sheet].name.clone();
            ["rows reordered".into(), place, String::new(), counted(rows.moved, "row")]
        });
    }
    let shown = |side: &Side, sheet: usize, span: &RowSpan| -> String {
        let all = side.contents(side.source(sheet, span)).take(MAX_VALUES);
        all.map(|cell| side.shown(sheet, span.number, &cell.0)).collect::<Vec<_>>().join(" | ")
    };
    for (first, last, text) in runs(&rows.removed) {
        report.add(|| {
            let place = it.old.place(it.old_sheet, format!("{first}:{last}"));
            ["row deleted".into(), place, shown(it.old, it.old_sheet, text), String::new()]
        });
    }
    for (first, last, text) in runs(&rows.inserted) {
        report.add(|| {
            let place = it.new.place(it.new_sheet, format!("{first}:{last}"));
            ["row inserted".into(), place, String::new(), shown(it.new, it.new_sheet, text)]
        });
    }
    if rows.moved == 0 {
        blank(it, rows, maps, report);
    }
}

/// Returns runs of rows that follow each other: first and last number, and the first row.
fn runs(rows: &[RowSpan]) -> Vec<(u32, u32, &RowSpan)> {
    rows.chunk_by(|a, b| a.number + 1 == b.number)
        .filter_map(|run| Some((run.first()?.number, run.last()?.number, run.first()?)))
        .collect()
}

/// Reports empty rows that were inserted or deleted between others.
fn blank(it: &Sheets<'_>, rows: &Rows, maps: &Maps, report: &mut Report) {
    let Some(map) = maps.sheets.get(it.old_sheet).and_then(Option::as_ref) else { return };
    let (mut removed, mut inserted) =
        (rows.removed.iter().peekable(), rows.inserted.iter().peekable());
    let mut before = (0, 0);
    for &(old, new) in map.rows.pairs() {
        let (mut gap_old, mut gap_new) = (old - before.0 - 1, new - before.1 - 1);
        while removed.next_if(|it| it.number < old).is_some() {
            gap_old = gap_old.saturating_sub(1);
        }
        while inserted.next_if(|it| it.number < new).is_some() {
            gap_new = gap_new.saturating_sub(1);
        }
        if gap_new > gap_old {
            let count = gap_new - gap_old;
            report.add(|| {
                let place = it.new.place(it.new_sheet, format!("{}:{}", new - count, new - 1));
                ["row inserted".into(), place, String::new(), "empty".into()]
            });
        } else if gap_old > gap_new {
            let count = gap_old - gap_new;
            report.add(|| {
                let place = it.old.place(it.old_sheet, format!("{}:{}", old - count, old - 1));
                ["row deleted".into(), place, "empty".into(), String::new()]
            });
        }
        before = (old, new);
    }
}
