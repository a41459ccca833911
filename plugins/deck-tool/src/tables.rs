//! Tables on slides: cells as text, and rows.

use crate::error::{Result, invalid, unsupported};
use crate::escape::escape;
use crate::text::{body_text, shorten};
use crate::write::{plain_paragraph, set_text};
use crate::xml::{Id, Ns, Splices, Xml};
use mitt_package::counted;

/// Most rows of a table.
pub(crate) const MAX_ROWS: usize = 2_000;

pub(crate) fn rows(xml: &Xml, table: Id) -> Vec<Id> {
    xml.named(table, Ns::A, "tr").collect()
}

pub(crate) fn cells(xml: &Xml, row: Id) -> Vec<Id> {
    xml.named(row, Ns::A, "tc").collect()
}

pub(crate) fn body(xml: &Xml, cell: Id) -> Option<Id> {
    xml.child(cell, Ns::A, "txBody")
}

fn text(xml: &Xml, cell: Id) -> String {
    body(xml, cell).map_or_else(String::new, |it| body_text(xml, it))
}

/// Returns the texts of all cells, row by row.
pub(crate) fn texts(xml: &Xml, table: Id) -> Vec<Vec<String>> {
    let of_row = |row: Id| cells(xml, row).into_iter().map(|it| text(xml, it)).collect();
    rows(xml, table).into_iter().map(of_row).collect()
}

/// Returns the widths of the columns in EMU.
pub(crate) fn widths(xml: &Xml, table: Id) -> Vec<f64> {
    let grid = xml.child(table, Ns::A, "tblGrid");
    let columns = grid.into_iter().flat_map(|it| xml.named(it, Ns::A, "gridCol"));
    columns.map(|it| xml.number(it, "w").unwrap_or(0.0)).collect()
}

/// Finds a cell by its numbers from 1.
///
/// # Errors
/// [`crate::Error::Invalid`] - there is no such cell, or it belongs to another one.
pub(crate) fn find(xml: &Xml, table: Id, row: u32, column: u32) -> Result<Id> {
    let rows = rows(xml, table);
    let found = usize::try_from(row).ok().and_then(|it| rows.get(it.checked_sub(1)?));
    let Some(&found) = found else {
        return invalid(format!("expected a row from 1 to {}, got {row}", rows.len()));
    };
    let cells = cells(xml, found);
    let cell = usize::try_from(column).ok().and_then(|it| cells.get(it.checked_sub(1)?));
    let Some(&cell) = cell else {
        return invalid(format!("expected a column from 1 to {}, got {column}", cells.len()));
    };
    if is_covered(xml, cell) {
        return invalid(format!(
            "the cell of row {row}, column {column} is merged with the one above or to the left; edit that one"
        ));
    }
    Ok(cell)
}

/// Returns `true` for a cell that is merged with the one above or to the left.
pub(crate) fn is_covered(xml: &Xml, cell: Id) -> bool {
    ["hMerge", "vMerge"].iter().any(|name| xml.flag(cell, name) == Some(true))
}

/// Sets the text of a cell, and returns the old one.
///
/// # Errors
/// [`crate::Error::Invalid`] - there is no such cell, or it has another text than expected.
pub(crate) fn set_cell(
    xml: &Xml,
    table: Id,
    (row, column): (u32, u32),
    expected: Option<&str>,
    new: &str,
    out: &mut Splices,
) -> Result<String> {
    let cell = find(xml, table, row, column)?;
    let old = text(xml, cell);
    if let Some(expected) = expected
        && expected.trim() != old.trim()
    {
        return invalid(format!(
            "expected the text `{}` in row {row}, column {column}, got `{}`",
            shorten(expected),
            shorten(&old)
        ));
    }
    put_text(xml, cell, new, out)?;
    Ok(old)
}

pub(crate) fn put_text(xml: &Xml, cell: Id, new: &str, out: &mut Splices) -> Result<()> {
    match body(xml, cell) {
        Some(body) => set_text(xml, body, new, out),
        None => {
            let lines: String = new.split('\n').map(plain_paragraph).collect();
            let body = format!("<a:txBody><a:bodyPr/><a:lstStyle/>{lines}</a:txBody>");
            xml.prepend(cell, &xml.declared(cell, body), out);
            Ok(())
        }
    }
}

/// Inserts rows behind row `after`, in the manner of the row there. Returns the height that they add, in EMU.
///
/// # Errors
/// [`crate::Error::Invalid`] - there is no such row, or a new row has too many cells.
pub(crate) fn insert_rows(
    xml: &Xml,
    table: Id,
    after: u32,
    new: &[Vec<String>],
    out: &mut Splices,
) -> Result<f64> {
    let old = rows(xml, table);
    let after = usize::try_from(after).unwrap_or(usize::MAX);
    if after > old.len() || old.is_empty() {
        return invalid(format!("expected `after` from 0 to {}, got {after}", old.len()));
    }
    if old.len() + new.len() > MAX_ROWS {
        return invalid(format!("expected at most {MAX_ROWS} rows, got {}", old.len() + new.len()));
    }
    // Below the header, a row of data is the better pattern.
    let pattern = match after {
        0 => 0,
        1 if old.len() > 1 => 1,
        after => after - 1,
    };
    let pattern = old[pattern];
    let columns = cells(xml, pattern);
    let next = old.get(after).map(|&row| cells(xml, row)).unwrap_or_default();
    let mut added = String::new();
    let mut row_id = free_id(xml, table, "rowId");
    for values in new {
        if values.len() > columns.len() {
            return invalid(format!(
                "expected at most {} in a row, got {}",
                counted(columns.len(), "cell"),
                values.len()
            ));
        }
        let mut inner = Splices::default();
        for (at, &cell) in columns.iter().enumerate() {
            let value = values.get(at).map_or("", String::as_str);
            let across = next.get(at).copied().filter(|&it| xml.flag(it, "vMerge") == Some(true));
            if let Some(across) = across {
                inner.replace(xml.range(cell), xml.xml(across));
                continue;
            }
            for name in ["rowSpan", "vMerge"] {
                xml.remove_attr(cell, name, &mut inner);
            }
            put_text(xml, cell, value, &mut inner)?;
        }
        for id in xml.below(pattern).filter(|&it| xml.local(it) == "rowId") {
            xml.set_attr(id, "val", &row_id.to_string(), &mut inner);
            row_id += 1;
        }
        added.push_str(&xml.cut(xml.range(pattern), inner));
    }
    for (at, &cell) in next.iter().enumerate() {
        if xml.flag(cell, "vMerge") == Some(true) {
            grow_span(xml, &old[..after], at, new.len() as i64, out);
        }
    }
    let at = match after.checked_sub(1) {
        Some(before) => xml.range(old[before]).end,
        None => xml.range(old[0]).start,
    };
    out.insert(at, added);
    Ok(xml.number(pattern, "h").unwrap_or(0.0) * new.len() as f64)
}

/// Returns a number that no row or column of a table has, from which on all are free.
pub(crate) fn free_id(xml: &Xml, table: Id, element: &str) -> u64 {
    let ids = xml.below(table).filter(|&it| xml.local(it) == element);
    let taken: Vec<u64> = ids.filter_map(|it| xml.number(it, "val")).collect();
    let greatest = taken.iter().max().copied().unwrap_or(10_000);
    // Ids have 32 bits.
    if greatest < 0xffff_0000 {
        greatest + 1
    } else {
        (1..).find(|id| !taken.contains(id)).unwrap_or(1)
    }
}

/// Makes the cell that spans rows down to a place higher or lower.
fn grow_span(xml: &Xml, above: &[Id], column: usize, by: i64, out: &mut Splices) {
    for &row in above.iter().rev() {
        let Some(&cell) = cells(xml, row).get(column) else { return };
        if xml.flag(cell, "vMerge") != Some(true) {
            let span: i64 = xml.number(cell, "rowSpan").unwrap_or(1);
            if span > 1 {
                match span.saturating_add(by) {
                    1 => xml.remove_attr(cell, "rowSpan", out),
                    span => xml.set_attr(cell, "rowSpan", &span.to_string(), out),
                }
            }
            return;
        }
    }
}

/// Deletes a row. Returns its height in EMU.
///
/// # Errors
/// [`crate::Error::Invalid`] - there is no such row, or no other one; [`crate::Error::Unsupported`] - one of its cells
/// reaches into the next row.
pub(crate) fn delete_row(xml: &Xml, table: Id, row: u32, out: &mut Splices) -> Result<f64> {
    let all = rows(xml, table);
    let at =
        usize::try_from(row).ok().and_then(|it| it.checked_sub(1)).filter(|&it| it < all.len());
    let Some(at) = at else {
        return invalid(format!("expected a row from 1 to {}, got {row}", all.len()));
    };
    if all.len() == 1 {
        return invalid("expected a row to stay; a table has at least one");
    }
    for (column, &cell) in cells(xml, all[at]).iter().enumerate() {
        if xml.number(cell, "rowSpan").is_some_and(|span: u32| span > 1) {
            return unsupported(format!(
                "the cell of row {row}, column {} is merged with the one below, so the row is not deleted",
                column + 1
            ));
        }
        if xml.flag(cell, "vMerge") == Some(true) {
            grow_span(xml, &all[..at], column, -1, out);
        }
    }
    xml.remove(all[at], out);
    Ok(xml.number(all[at], "h").unwrap_or(0.0))
}

/// Returns a new table. The first row is its header.
pub(crate) fn new_table(rows: &[Vec<String>], width: f64, row_height: f64, style: &str) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(1).max(1);
    let column_width = (width / columns as f64).floor();
    let grid: String =
        (0..columns).map(|_| format!("<a:gridCol w=\"{column_width:.0}\"/>")).collect();
    let mut body = String::new();
    for row in rows {
        body.push_str(&format!("<a:tr h=\"{row_height:.0}\">"));
        for at in 0..columns {
            let text = row.get(at).map_or("", String::as_str);
            let lines: String = text.split('\n').map(plain_paragraph).collect();
            body.push_str(&format!(
                "<a:tc><a:txBody><a:bodyPr/><a:lstStyle/>{lines}</a:txBody><a:tcPr/></a:tc>"
            ));
        }
        body.push_str("</a:tr>");
    }
    let style = match style {
        "" => String::new(),
        style => format!("<a:tableStyleId>{}</a:tableStyleId>", escape(style)),
    };
    format!(
        "<a:tbl><a:tblPr firstRow=\"1\" bandRow=\"1\">{style}</a:tblPr><a:tblGrid>{grid}</a:tblGrid>{body}</a:tbl>"
    )
}
