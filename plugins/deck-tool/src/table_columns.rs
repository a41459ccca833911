//! Columns of tables on slides: inserted and deleted.

use crate::error::{Result, invalid, unsupported};
use crate::tables::{cells, free_id, put_text, rows, widths};
use crate::xml::{Id, Ns, Splices, Xml};
use mitt_package::counted;

/// Most columns of a table, as in PowerPoint.
pub(crate) const MAX_COLUMNS: usize = 75;

/// Returns the columns of the grid, and the cells of each row. Merged cells have places of their own in both.
///
/// # Errors
/// [`crate::Error::Unsupported`] - a row has more or fewer cells than the grid has columns.
fn grid(xml: &Xml, table: Id) -> Result<(Vec<Id>, Vec<Vec<Id>>)> {
    let grid = xml.child(table, Ns::A, "tblGrid");
    let columns: Vec<Id> =
        grid.into_iter().flat_map(|it| xml.named(it, Ns::A, "gridCol")).collect();
    let all: Vec<Vec<Id>> = rows(xml, table).into_iter().map(|it| cells(xml, it)).collect();
    match all.iter().position(|it| it.len() != columns.len()) {
        Some(row) => unsupported(format!(
            "row {} of the table has {}, but the table has {}",
            row + 1,
            counted(all[row].len(), "cell"),
            counted(columns.len(), "column")
        )),
        None => Ok((columns, all)),
    }
}

/// Inserts columns behind column `after`, in the manner of the column there. The table keeps its width: all columns become
/// narrower.
///
/// # Errors
/// [`crate::Error::Invalid`] - there is no such column, a new one has too many cells, or there would be too many columns.
pub(crate) fn insert_columns(
    xml: &Xml,
    table: Id,
    after: u32,
    new: &[Vec<String>],
    out: &mut Splices,
) -> Result<()> {
    let (columns, all) = grid(xml, table)?;
    let count = columns.len();
    let after = usize::try_from(after).unwrap_or(usize::MAX);
    if after > count || count == 0 {
        return invalid(format!("expected `after` from 0 to {count}, got {after}"));
    }
    if count + new.len() > MAX_COLUMNS {
        return invalid(format!(
            "expected at most {MAX_COLUMNS} columns, got {}",
            count + new.len()
        ));
    }
    if let Some(column) = new.iter().find(|it| it.len() > all.len()) {
        return invalid(format!(
            "expected at most {} in a column, got {}",
            counted(all.len(), "cell"),
            column.len()
        ));
    }
    // Behind the labels, a column of data is the better pattern.
    let pattern = match after {
        0 => 0,
        1 if count > 1 => 1,
        after => after - 1,
    };
    insert_into_grid(xml, table, &columns, (pattern, after), new.len(), out);
    for (row, own) in all.iter().enumerate() {
        let across = own.get(after).copied().filter(|&it| xml.flag(it, "hMerge") == Some(true));
        let mut added = String::new();
        for column in new {
            if let Some(across) = across {
                added.push_str(xml.xml(across));
                continue;
            }
            let mut inner = Splices::default();
            for name in ["rowSpan", "vMerge", "gridSpan", "hMerge"] {
                xml.remove_attr(own[pattern], name, &mut inner);
            }
            put_text(xml, own[pattern], column.get(row).map_or("", String::as_str), &mut inner)?;
            added.push_str(&xml.cut(xml.range(own[pattern]), inner));
        }
        if across.is_some() {
            grow_span(xml, &own[..after], new.len() as i64, out);
        }
        let at = match after.checked_sub(1) {
            Some(before) => xml.range(own[before]).end,
            None => xml.range(own[0]).start,
        };
        out.insert(at, added);
    }
    Ok(())
}

fn insert_into_grid(
    xml: &Xml,
    table: Id,
    columns: &[Id],
    (pattern, after): (usize, usize),
    count: usize,
    out: &mut Splices,
) {
    let widths = widths(xml, table);
    let total: f64 = widths.iter().sum();
    let scale = total / (total + widths[pattern] * count as f64);
    let scaled = |at: usize| format!("{:.0}", (widths[at] * scale).floor());
    let mut id = free_id(xml, table, "colId");
    let mut added = String::new();
    for _ in 0..count {
        let mut inner = Splices::default();
        xml.set_attr(columns[pattern], "w", &scaled(pattern), &mut inner);
        for own in xml.below(columns[pattern]).filter(|&it| xml.local(it) == "colId") {
            xml.set_attr(own, "val", &id.to_string(), &mut inner);
            id += 1;
        }
        added.push_str(&xml.cut(xml.range(columns[pattern]), inner));
    }
    if total > 0.0 {
        for (at, &column) in columns.iter().enumerate() {
            xml.set_attr(column, "w", &scaled(at), out);
        }
    }
    let at = match after.checked_sub(1) {
        Some(before) => xml.range(columns[before]).end,
        None => xml.range(columns[0]).start,
    };
    out.insert(at, added);
}

/// Makes the cell that spans columns up to a place wider or narrower.
fn grow_span(xml: &Xml, left: &[Id], by: i64, out: &mut Splices) {
    let Some(&cell) = left.iter().rev().find(|&&it| xml.flag(it, "hMerge") != Some(true)) else {
        return;
    };
    let span: i64 = xml.number(cell, "gridSpan").unwrap_or(1);
    match span.saturating_add(by) {
        _ if span <= 1 => {}
        1 => xml.remove_attr(cell, "gridSpan", out),
        span => xml.set_attr(cell, "gridSpan", &span.to_string(), out),
    }
}

/// Deletes a column. Returns its width in EMU.
///
/// # Errors
/// [`crate::Error::Invalid`] - there is no such column, or no other one; [`crate::Error::Unsupported`] - one of its cells
/// reaches into the next column.
pub(crate) fn delete_column(xml: &Xml, table: Id, column: u32, out: &mut Splices) -> Result<f64> {
    let (columns, all) = grid(xml, table)?;
    let at = usize::try_from(column).ok().and_then(|it| it.checked_sub(1));
    let Some(at) = at.filter(|&it| it < columns.len()) else {
        return invalid(format!("expected a column from 1 to {}, got {column}", columns.len()));
    };
    if columns.len() == 1 {
        return invalid("expected a column to stay; a table has at least one");
    }
    for (row, own) in all.iter().enumerate() {
        if xml.number(own[at], "gridSpan").is_some_and(|span: u32| span > 1) {
            return unsupported(format!(
                "the cell of row {}, column {column} is merged with the one to the right, so the column is not deleted",
                row + 1
            ));
        }
        if xml.flag(own[at], "hMerge") == Some(true) {
            grow_span(xml, &own[..at], -1, out);
        }
        xml.remove(own[at], out);
    }
    xml.remove(columns[at], out);
    Ok(widths(xml, table).get(at).copied().unwrap_or(0.0))
}
