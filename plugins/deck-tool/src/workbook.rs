//! Cells of the workbook that a chart has inside: written by replacing single cells.
//!
//! Knows what PowerPoint writes: a sheet, and a table over its data.

use crate::area::{Area, address, cell};
use crate::error::{Error, Result, unsupported};
use crate::escape::escape;
use crate::grid::{Grid, Value};
use crate::package::{Package, relation_of};
use crate::xml::{Id, R_URI, Splices, Xml};
use mitt_package::Zip;
use std::collections::{BTreeMap, BTreeSet};

/// Name of the sheet of a new workbook.
pub(crate) const SHEET: &str = "Sheet1";

/// New values of a sheet by row and column.
pub(crate) type Cells = BTreeMap<(u32, u32), Value>;

/// What the data of a chart covers in a sheet, before and after.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) sheet: String,
    pub(crate) cells: Cells,
    /// Last row and last column of the data.
    pub(crate) before: (u32, u32),
    pub(crate) after: (u32, u32),
}

/// Writes cells into a workbook, and returns its bytes.
///
/// # Errors
/// [`Error::Unsupported`] - it is no workbook of this form, or has no such sheet.
pub(crate) fn edit(bytes: Vec<u8>, change: &Change) -> Result<Vec<u8>> {
    let mut package = Package::open(bytes)?;
    let Some(main) = package.related("", "officeDocument")? else {
        return unsupported("it has no main part");
    };
    let workbook = package.xml(&main)?;
    let sheets = workbook.any(workbook.root(), "sheets");
    let mut sheets = sheets.into_iter().flat_map(|it| workbook.children(it));
    let found =
        sheets.find(|&it| workbook.attr(it, "name").is_some_and(|name| name == change.sheet));
    let Some(id) = found.and_then(|it| relation_of(&workbook, it)) else {
        return unsupported(format!("it has no sheet `{}`", change.sheet));
    };
    let part = package.relation(&main, &id)?.target;
    let sheet = package.xml(&part)?;
    let mut splices = Splices::default();
    let had_formula = put_cells(&sheet, &change.cells, &mut splices)?;
    put_dimension(&sheet, change, &mut splices);
    package.splice(&part, splices)?;
    for relation in package.relations(&part)? {
        if relation.kind() == "table" && package.has(&relation.target) {
            put_table(&mut package, &relation.target, change)?;
        }
    }
    if had_formula {
        drop_calculation_order(&mut package, &main)?;
    }
    package.save()
}

/// Returns a new workbook with one sheet: the names of the columns, and the rows below.
///
/// # Errors
/// [`Error::Malformed`] - it would be too large.
pub(crate) fn new_workbook(data: &Grid) -> Result<Vec<u8>> {
    let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    let package = "http://schemas.openxmlformats.org/package/2006";
    let office = "application/vnd.openxmlformats-officedocument.spreadsheetml";
    let row = |number: u32, values: &[Value]| {
        let cells = values.iter().enumerate().filter(|it| *it.1 != Value::Empty);
        let cells: String = cells
            .map(|(column, value)| cell_xml("", number, column as u32, "", &plain(value)))
            .collect();
        format!("<row r=\"{}\">{cells}</row>", number + 1)
    };
    let header: Vec<Value> = data.columns.iter().map(|it| Value::Text(it.clone())).collect();
    let mut rows = row(0, &header);
    for (at, values) in data.rows.iter().enumerate() {
        rows.push_str(&row(at as u32 + 1, values));
    }
    let parts = [
        (
            "[Content_Types].xml",
            format!(
                "<Types xmlns=\"{package}/content-types\"><Default Extension=\"rels\" \
                ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/><Default Extension=\"xml\" \
                ContentType=\"application/xml\"/><Override PartName=\"/xl/workbook.xml\" \
                ContentType=\"{office}.sheet.main+xml\"/><Override PartName=\"/xl/worksheets/sheet1.xml\" \
                ContentType=\"{office}.worksheet+xml\"/></Types>"
            ),
        ),
        (
            "_rels/.rels",
            format!(
                "<Relationships xmlns=\"{package}/relationships\"><Relationship Id=\"rId1\" \
                Type=\"{R_URI}/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>"
            ),
        ),
        (
            "xl/workbook.xml",
            format!(
                "<workbook xmlns=\"{main}\" xmlns:r=\"{R_URI}\"><sheets><sheet name=\"{SHEET}\" sheetId=\"1\" \
                r:id=\"rId1\"/></sheets></workbook>"
            ),
        ),
        (
            "xl/_rels/workbook.xml.rels",
            format!(
                "<Relationships xmlns=\"{package}/relationships\"><Relationship Id=\"rId1\" \
                Type=\"{R_URI}/worksheet\" Target=\"worksheets/sheet1.xml\"/></Relationships>"
            ),
        ),
        (
            "xl/worksheets/sheet1.xml",
            format!("<worksheet xmlns=\"{main}\"><sheetData>{rows}</sheetData></worksheet>"),
        ),
    ];
    let head = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\r\n";
    let parts = parts.map(|(name, xml)| (name.to_owned(), format!("{head}{xml}").into_bytes()));
    Zip::empty().rewrite(&parts, &[]).map_err(Error::Malformed)
}

/// Returns a number that was written as text as a number.
fn plain(value: &Value) -> Value {
    value.number().map_or_else(|| value.clone(), |it| Value::Number(it.to_owned()))
}

/// Removes the list of formulas, which must not name a cell without one. Excel makes it anew.
fn drop_calculation_order(package: &mut Package, main: &str) -> Result<()> {
    let all = package.relations(main)?;
    for relation in all.iter().filter(|it| it.kind() == "calcChain") {
        package.unrelate(main, &BTreeSet::from([relation.id.clone()]))?;
        package.remove(&relation.target)?;
    }
    Ok(())
}

/// Returns `true` if a formula was replaced.
fn put_cells(sheet: &Xml, cells: &Cells, out: &mut Splices) -> Result<bool> {
    let Some(data) = sheet.any(sheet.root(), "sheetData") else {
        return unsupported("its sheet has no data");
    };
    let prefix = sheet.prefix(data).to_owned();
    let mut rows: BTreeMap<u32, Id> = BTreeMap::new();
    let mut number = 0_u32;
    for row in sheet.children(data) {
        number = sheet.number(row, "r").unwrap_or(number.saturating_add(1));
        rows.insert(number, row);
    }
    let mut by_row: BTreeMap<u32, Vec<(u32, &Value)>> = BTreeMap::new();
    for ((row, column), value) in cells {
        by_row.entry(*row).or_default().push((*column, value));
    }
    let mut had_formula = false;
    for (row, values) in by_row {
        let Some(&node) = rows.get(&(row + 1)) else {
            let new: String = values
                .iter()
                .filter(|it| *it.1 != Value::Empty)
                .map(|(column, value)| new_cell(sheet, &rows, &prefix, row, *column, value))
                .collect();
            if new.is_empty() {
                continue;
            }
            let xml = format!("<{prefix}row r=\"{}\">{new}</{prefix}row>", row + 1);
            match rows.range(row + 2..).next() {
                Some((_, &next)) => out.insert(sheet.range(next).start, xml),
                None => sheet.append(data, &xml, out),
            }
            continue;
        };
        had_formula |= put_row(sheet, (&rows, node), row, &values, &prefix, out);
    }
    Ok(had_formula)
}

/// Returns the style of the nearest cell above a place, so that a new date is shown as those above it.
fn style_above(sheet: &Xml, rows: &BTreeMap<u32, Id>, row: u32, column: u32) -> String {
    let above = rows.range(..=row).rev().take(50).find_map(|(number, &node)| {
        let wanted = address(number - 1, column);
        let found =
            sheet.children(node).find(|&it| sheet.attr(it, "r").as_deref() == Some(&wanted))?;
        // A header is no pattern for values.
        sheet.any(found, "v").filter(|_| sheet.attr(found, "t").is_none_or(|it| it == "n"))?;
        Some(sheet.attr(found, "s").map_or_else(String::new, |it| format!(" s=\"{it}\"")))
    });
    above.unwrap_or_default()
}

fn put_row(
    sheet: &Xml,
    (rows, node): (&BTreeMap<u32, Id>, Id),
    row: u32,
    values: &[(u32, &Value)],
    prefix: &str,
    out: &mut Splices,
) -> bool {
    let mut had_formula = false;
    let mut column = 0;
    let mut cells = Vec::new();
    for id in sheet.children(node) {
        let at = sheet.attr(id, "r").and_then(|it| cell(&it)).map_or(column, |it| it.1);
        column = at + 1;
        cells.push((at, id));
    }
    let mut is_wider = false;
    for (column, value) in values {
        if let Some((_, old)) = cells.iter().find(|it| it.0 == *column) {
            had_formula |= sheet.any(*old, "f").is_some();
            let style = sheet.attr(*old, "s").map_or_else(String::new, |it| format!(" s=\"{it}\""));
            out.replace(sheet.range(*old), cell_xml(prefix, row, *column, &style, value));
        } else if **value != Value::Empty {
            is_wider = true;
            let new = new_cell(sheet, rows, prefix, row, *column, value);
            match cells.iter().find(|it| it.0 > *column) {
                Some((_, next)) => out.insert(sheet.range(*next).start, new),
                None if cells.is_empty() => {
                    // All new cells of an empty row at once, because an empty element is replaced.
                    let all: String = values
                        .iter()
                        .filter(|it| *it.1 != Value::Empty)
                        .map(|it| new_cell(sheet, rows, prefix, row, it.0, it.1))
                        .collect();
                    sheet.append(node, &all, out);
                    break;
                }
                None => out.insert(sheet.inner(node).end, new),
            }
        }
    }
    if is_wider {
        // A hint for readers, which would be wrong now.
        sheet.remove_attr(node, "spans", out);
    }
    had_formula
}

/// Returns a cell in a place that had none.
fn new_cell(
    sheet: &Xml,
    rows: &BTreeMap<u32, Id>,
    prefix: &str,
    row: u32,
    column: u32,
    value: &Value,
) -> String {
    let style = match value {
        Value::Number(_) => style_above(sheet, rows, row, column),
        _ => String::new(),
    };
    cell_xml(prefix, row, column, &style, value)
}

fn cell_xml(prefix: &str, row: u32, column: u32, style: &str, value: &Value) -> String {
    let address = address(row, column);
    match value {
        Value::Empty => format!("<{prefix}c r=\"{address}\"{style}/>"),
        Value::Number(number) => {
            format!("<{prefix}c r=\"{address}\"{style}><{prefix}v>{number}</{prefix}v></{prefix}c>")
        }
        Value::Text(text) => format!(
            "<{prefix}c r=\"{address}\"{style} t=\"inlineStr\"><{prefix}is><{prefix}t \
            xml:space=\"preserve\">{}</{prefix}t></{prefix}is></{prefix}c>",
            escape(text)
        ),
    }
}

fn put_dimension(sheet: &Xml, change: &Change, out: &mut Splices) {
    let Some(node) = sheet.any(sheet.root(), "dimension") else { return };
    let Some(mut area) = sheet.attr(node, "ref").and_then(|it| Area::of_range(&it)) else { return };
    let old = area.clone();
    area.bottom = area.bottom.max(change.after.0);
    area.right = area.right.max(change.after.1);
    if area != old {
        sheet.set_attr(node, "ref", &area.range(), out);
    }
}

/// Fits a table to data that end elsewhere now, and gives its columns the names that stand in the sheet.
fn put_table(package: &mut Package, part: &str, change: &Change) -> Result<()> {
    let xml = package.xml(part)?;
    let root = xml.root();
    let Some(old) = xml.attr(root, "ref").and_then(|it| Area::of_range(&it)) else { return Ok(()) };
    let header = xml.number(root, "headerRowCount").unwrap_or(1_u32);
    let totals = xml.number(root, "totalsRowCount").unwrap_or(0_u32);
    let mut area = old.clone();
    if old.bottom == change.before.0 && totals == 0 {
        area.bottom = change.after.0.max(old.top + 1);
    }
    if old.right == change.before.1 {
        area.right = change.after.1.max(old.left);
    }
    let mut splices = Splices::default();
    if area != old {
        xml.set_attr(root, "ref", &area.range(), &mut splices);
        if let Some(filter) = xml.any(root, "autoFilter") {
            xml.set_attr(filter, "ref", &area.range(), &mut splices);
        }
    }
    if let Some(list) = xml.any(root, "tableColumns") {
        let columns: Vec<Id> = xml.children(list).collect();
        let prefix = xml.prefix(list);
        let mut names: Vec<String> = columns
            .iter()
            .map(|&it| xml.attr(it, "name").unwrap_or_default().into_owned())
            .collect();
        let wanted = (area.right - area.left + 1) as usize;
        names.resize(wanted, String::new());
        for (at, name) in names.iter_mut().enumerate() {
            let text = change.cells.get(&(area.top, area.left + at as u32)).map(Value::text);
            if let Some(text) = text.filter(|it| header > 0 && !it.is_empty()) {
                *name = text.to_owned();
            } else if name.is_empty() {
                *name = format!("Column{}", at + 1);
            }
        }
        distinguish(&mut names);
        let mut id = columns.iter().filter_map(|&it| xml.number(it, "id")).max().unwrap_or(0_u32);
        let mut added = String::new();
        for (at, name) in names.iter().enumerate() {
            match columns.get(at) {
                Some(&column) if xml.attr(column, "name").as_deref() != Some(name) => {
                    xml.set_attr(column, "name", name, &mut splices);
                }
                Some(_) => {}
                None => {
                    id = id.saturating_add(1);
                    added.push_str(&format!(
                        "<{prefix}tableColumn id=\"{id}\" name=\"{}\"/>",
                        escape(name)
                    ));
                }
            }
        }
        for &column in columns.iter().skip(wanted) {
            xml.remove(column, &mut splices);
        }
        if wanted != columns.len() {
            xml.set_attr(list, "count", &wanted.to_string(), &mut splices);
        }
        if !added.is_empty() {
            xml.append(list, &added, &mut splices);
        }
    }
    package.splice(part, splices)
}

/// Makes names different from each other, as Excel wants the columns of a table.
fn distinguish(names: &mut [String]) {
    let mut seen = BTreeSet::new();
    for name in names.iter_mut() {
        let base = name.clone();
        let mut number = 2;
        while !seen.insert(name.to_lowercase()) {
            *name = format!("{base}{number}");
            number += 1;
        }
    }
}

/// Returns the reason in a form for a warning.
pub(crate) fn reason(error: &Error) -> &str {
    error.text()
}
