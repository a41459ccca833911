//! Inserts and deletes rows and columns, and rewrites the formulas of all sheets.

use super::pivots;
use super::shift::Shift;
use super::state::Batch;
use crate::book::{Book, CellSource, FormulaKind, address, cells, head_tag};
use crate::error::{Error, Result, invalid};
use crate::formula::{SheetPrefix, Token, tokens, translated};
use crate::refs::{self, Area, At};
use crate::xml::{
    TagKind, XmlToken, escape, first_tag, set_attribute, unescape, with_attributes,
    without_attributes, xml_tokens,
};
use std::collections::BTreeMap;

/// Most new rows that take the formats of the row above them.
const MAX_STYLED: u32 = 1_000;

/// Inserts or deletes rows or columns.
pub(crate) fn apply(book: &mut Book, shift: &Shift) -> Result<()> {
    book.flush();
    check(book, shift)?;
    for sheet in 0..book.sheets.len() {
        if book.sheets[sheet].text.is_none() {
            continue;
        }
        let is_own = sheet == shift.sheet;
        if is_own || names_sheet(book, sheet, shift.sheet) {
            expand(book, sheet)?;
        }
        let data = moved(book, sheet, shift);
        let text = book.text(sheet)?;
        let head = shift.part(book, &text.head, Some(sheet));
        let tail = shift.part(book, &text.tail, Some(sheet));
        check_ends(book, sheet, (head.as_deref(), tail.as_deref()))?;
        let text = book.text_mut(sheet)?;
        if let Some(data) = data {
            text.set_data(data);
        }
        if let Some(head) = head {
            text.set_head(head);
        }
        if let Some(tail) = tail {
            text.set_tail(tail);
        }
    }
    for (part, sheet) in related(book)? {
        if let Some(xml) = book.package.text(&part)?
            && let Some(new) = shift.part(book, &xml, sheet)
        {
            book.package.set(&part, new);
        }
    }
    if let Some(xml) = shift.part(book, &book.xml, None) {
        book.xml = xml;
    }
    book.refresh()
}

/// Refuses to go on with a sheet whose rows would have no begin or no end. In a damaged sheet, an element that is removed may end
/// where another one does.
fn check_ends(book: &Book, sheet: usize, (head, tail): (Option<&str>, Option<&str>)) -> Result<()> {
    let prefix = &book.text(sheet)?.prefix;
    let begins = head.is_none_or(|it| it.contains(&format!("<{prefix}sheetData")));
    let ends = tail.is_none_or(|it| it.starts_with(&format!("</{prefix}sheetData")));
    if begins && ends {
        return Ok(());
    }
    let name = &book.sheets[sheet].name;
    Err(Error::Malformed(format!("the sheet `{name}` has elements without an end beside its rows")))
}

/// Returns the parts with addresses, and the sheets to which they belong.
pub(crate) fn related(book: &Book) -> Result<Vec<(String, Option<usize>)>> {
    let mut found = Vec::new();
    for (number, sheet) in book.sheets.iter().enumerate() {
        for it in book.package.relations(&sheet.part)?.into_iter().filter(|it| !it.is_external) {
            let is_known = matches!(
                it.kind.as_str(),
                "drawing"
                    | "table"
                    | "tableSingleCells"
                    | "comments"
                    | "threadedComment"
                    | "vmlDrawing"
                    | "ctrlProp"
                    | "pivotTable"
                    | "queryTable"
                    | "namedSheetView"
            );
            if is_known {
                found.push((it.target, Some(number)));
            }
        }
    }
    let charts: Vec<String> = book
        .package
        .names()
        .filter(|name| {
            let lower = name.to_lowercase();
            let file = lower.rsplit('/').next().unwrap_or_default();
            lower.contains("/chart") && file.starts_with("chart") && file.ends_with(".xml")
        })
        .filter(|name| !book.sheets.iter().any(|sheet| sheet.part.eq_ignore_ascii_case(name)))
        .map(str::to_owned)
        .collect();
    found.extend(charts.into_iter().map(|name| (name, None)));
    for it in book.package.relations(&book.part)? {
        if it.kind == "pivotCacheDefinition" && !it.is_external {
            found.push((it.target, None));
        }
    }
    Ok(found)
}

/// Refuses what would cut a table or an array, or push cells off the sheet.
fn check(book: &mut Book, shift: &Shift) -> Result<()> {
    let end = shift.at + shift.count - 1;
    let most = if shift.is_rows { refs::MAX_ROW } else { refs::MAX_COLUMN };
    if shift.count == 0 || end > most {
        return invalid(format!("the sheet has only {most} rows or columns of this kind"));
    }
    let name = book.sheets[shift.sheet].name.clone();
    if shift.is_insertion
        && let Some(used) = book.text(shift.sheet)?.used()
    {
        let last = if shift.is_rows { used.last.row } else { used.last.column };
        if last >= shift.at && last + shift.count > most {
            return invalid(format!("cells of `{name}` would be pushed off the sheet"));
        }
    }
    for table in book.tables.iter().filter(|it| it.area.sheet == shift.sheet) {
        let area = table.area.area;
        if !shift.is_rows {
            let (first, last) = (area.first.column, area.last.column);
            let cuts = if shift.is_insertion {
                first < shift.at && shift.at <= last
            } else {
                shift.at <= last && first <= end && !(shift.at <= first && last <= end)
            };
            if cuts {
                return invalid(format!(
                    "columns of the table `{}` ({area}) cannot be inserted or deleted",
                    table.name
                ));
            }
        }
        if !shift.is_insertion {
            let goes = shift.area(area).is_none();
            let head = table.area.has_header
                && shift.is_rows
                && (shift.at..=end).contains(&area.first.row);
            if goes || head {
                return invalid(format!(
                    "the table `{}` ({area}) would lose its head; delete its rows without the head",
                    table.name
                ));
            }
        }
    }
    pivots::check(book, shift)?;
    let text = book.text(shift.sheet)?;
    for row in &text.rows {
        let source = text.row_text(row);
        if !source.contains("array") {
            continue;
        }
        for cell in cells(source) {
            if let Some(formula) = cell.formula()
                && let FormulaKind::Array(area, _) = &formula.kind
                && let Some(area) = refs::area(area)
            {
                let new = shift.area(area);
                let is_whole = new.is_none_or(|it| it.size() == area.size());
                if !is_whole {
                    return invalid(format!("the array formula in `{name}!{area}` cannot be cut"));
                }
            }
        }
    }
    Ok(())
}

/// Returns the first place and the number of formulas that name moved cells of several sheets at once, such as `Jan:Mar!B5`.
/// Excel does not move these either.
pub(crate) fn spans(book: &Book, shift: &Shift) -> Option<(String, usize)> {
    let number = |name: &str| book.find(name).ok();
    let is_hit = |formula: &str| {
        tokens(formula).into_iter().any(|it| {
            let Token::Reference(reference) = it.token else { return false };
            let SheetPrefix::Span(first, last) = &reference.sheet else { return false };
            let (Some(first), Some(last)) = (number(first), number(last)) else { return false };
            let area = reference.area();
            (first.min(last)..=first.max(last)).contains(&shift.sheet)
                && shift.area(area) != Some(area)
        })
    };
    let mut found: Option<(String, usize)> = None;
    let mut note = |place: String| match &mut found {
        Some(found) => found.1 += 1,
        None => found = Some((place, 1)),
    };
    for sheet in &book.sheets {
        let Some(text) = &sheet.text else { continue };
        for row in &text.rows {
            let source = text.row_text(row);
            if memchr::memchr(b'!', source.as_bytes()).is_none() {
                continue;
            }
            for cell in cells(source).filter(|it| it.raw.contains('!')) {
                if cell.formula().is_some_and(|it| is_hit(&it.text)) {
                    let at = At { row: row.number, column: cell.column };
                    note(format!("{}!{at}", refs::quoted_sheet(&sheet.name)));
                }
            }
        }
    }
    for name in book.names.iter().filter(|it| is_hit(&it.formula)) {
        note(format!("the name `{}`", name.name));
    }
    found
}

/// Returns `true` if a shared formula of a sheet may name another sheet.
fn names_sheet(book: &mut Book, sheet: usize, other: usize) -> bool {
    let name = book.sheets[other].name.to_lowercase();
    match book.sheets[sheet].text.as_mut() {
        Some(text) => {
            text.shared().values().any(|(_, formula)| formula.to_lowercase().contains(&name))
        }
        None => false,
    }
}

/// Gives each cell of a shared formula its own formula.
pub(crate) fn expand(book: &mut Book, sheet: usize) -> Result<()> {
    let text = book.text_mut(sheet)?;
    let groups: BTreeMap<u32, (At, String)> = text.shared().clone();
    if groups.is_empty() {
        return Ok(());
    }
    let mut out = String::with_capacity(text.data.len());
    let mut copied = 0;
    for row in text.rows.clone() {
        let source = text.row_text(&row);
        if !source.contains("shared") {
            continue;
        }
        for cell in cells(source) {
            let Some(formula) = cell.formula() else { continue };
            let FormulaKind::Shared(group) = formula.kind else { continue };
            let Some((first, shared)) = groups.get(&group) else { continue };
            let own = if formula.text.is_empty() {
                translated(
                    shared,
                    i64::from(row.number) - i64::from(first.row),
                    i64::from(cell.column) - i64::from(first.column),
                )
            } else {
                formula.text
            };
            let start = row.start + cell.start;
            out.push_str(&text.data[copied..start]);
            out.push_str(&with_formula(&cell, &own, true));
            copied = start + cell.raw.len();
        }
    }
    out.push_str(&text.data[copied..]);
    text.set_data(out);
    Ok(())
}

/// Returns a cell with another text of its formula. A plain one has no attributes.
pub(crate) fn with_formula(cell: &CellSource<'_>, formula: &str, is_plain: bool) -> String {
    let Some((at, element)) = crate::xml::element(cell.raw, "f") else {
        return cell.raw.to_owned();
    };
    let end = element.find('>').map_or(element.len(), |it| it + 1);
    let mut tag = element[..end].trim_end_matches(['>', '/']).trim_end().to_owned() + ">";
    if is_plain {
        tag = without_attributes(&tag, &["t", "si", "ref"]);
    }
    let name = tag[1..].split([' ', '>']).next().unwrap_or("f").to_owned();
    let text = escape(formula).replace("&quot;", "\"");
    format!("{}{tag}{text}</{name}>{}", &cell.raw[..at], &cell.raw[at + element.len()..])
}

/// Returns the rows of a sheet after a move; `None` if nothing changes.
fn moved(book: &Book, sheet: usize, shift: &Shift) -> Option<String> {
    let text = book.sheets[sheet].text.as_ref()?;
    let is_own = sheet == shift.sheet;
    let mut out = String::with_capacity(text.data.len() + 1024);
    let mut copied = 0;
    let mut inserted = !(is_own && shift.is_rows && shift.is_insertion);
    for row in &text.rows {
        let source = text.row_text(row);
        let number =
            if is_own && shift.is_rows { shift.point(row.number) } else { Some(row.number) };
        if !inserted && row.number >= shift.at {
            out.push_str(&text.data[copied..row.start]);
            copied = row.start;
            out.push_str(&new_rows(book, sheet, shift));
            inserted = true;
        }
        let Some(number) = number else {
            out.push_str(&text.data[copied..row.start]);
            copied = row.end;
            continue;
        };
        let moves = number != row.number || is_own && !shift.is_rows;
        if !moves
            && memchr::memmem::find(source.as_bytes(), b"<f").is_none()
            && !source.contains(":f")
        {
            continue;
        }
        if let Some(new) = moved_row(book, sheet, shift, source, number, number != row.number) {
            out.push_str(&text.data[copied..row.start]);
            out.push_str(&new);
            copied = row.end;
        }
    }
    if !inserted {
        out.push_str(&text.data[copied..]);
        copied = text.data.len();
        out.push_str(&new_rows(book, sheet, shift));
    }
    if copied == 0 {
        return None;
    }
    out.push_str(&text.data[copied..]);
    Some(out)
}

fn moved_row(
    book: &Book,
    sheet: usize,
    shift: &Shift,
    source: &str,
    number: u32,
    is_moved: bool,
) -> Option<String> {
    let is_own = sheet == shift.sheet;
    let mut head = head_tag(source).to_owned();
    let mut out = String::with_capacity(source.len() + 64);
    let mut copied = head.len();
    let mut changed = is_moved;
    if is_moved {
        head = set_attribute(&head, "r", &number.to_string());
    }
    let by_column = is_own && !shift.is_rows;
    let mut before: Option<(u32, u32)> = None;
    let mut filled = !(by_column && shift.is_insertion);
    for cell in cells(source) {
        let column = if by_column { shift.point(cell.column) } else { Some(cell.column) };
        if !filled && cell.column >= shift.at {
            out.push_str(&source[copied..cell.start]);
            copied = cell.start;
            out.push_str(&new_cells(book, sheet, shift, number, before));
            filled = true;
        }
        before = Some((cell.column, cell.style()));
        let Some(column) = column else {
            changed = true;
            out.push_str(&source[copied..cell.start]);
            copied = cell.start + cell.raw.len();
            continue;
        };
        let at = At { row: number, column };
        let mut raw = None;
        if cell.has_formula()
            && let Some(formula) = cell.formula()
        {
            let new = shift.formula(book, &formula.text, Some(sheet));
            let has_area =
                is_own && !matches!(formula.kind, FormulaKind::Normal | FormulaKind::Shared(_));
            if let Some(new) = &new {
                raw = Some(with_formula(&cell, new, false));
            }
            if has_area {
                raw = shift.formula_area(raw.as_deref().unwrap_or(cell.raw)).or(raw);
            }
        }
        if is_moved || column != cell.column {
            raw = Some(addressed(raw.as_deref().unwrap_or(cell.raw), at));
        }
        if let Some(raw) = raw {
            changed = true;
            out.push_str(&source[copied..cell.start]);
            out.push_str(&raw);
            copied = cell.start + cell.raw.len();
        }
    }
    if !filled && before.is_some_and(|it| it.0 + 1 == shift.at) {
        let styled = new_cells(book, sheet, shift, number, before);
        if !styled.is_empty() && !head.ends_with("/>") {
            let close = source.rfind("</").unwrap_or(source.len());
            out.push_str(&source[copied..close]);
            out.push_str(&styled);
            copied = close;
            changed = true;
        }
    }
    if !changed {
        return None;
    }
    if by_column {
        // Only a hint for readers, and wrong now.
        head = without_attributes(&head, &["spans"]);
    }
    out.push_str(&source[copied..]);
    Some(head + &out)
}

fn addressed(raw: &str, at: At) -> String {
    let end = raw.find('>').map_or(raw.len(), |it| it + 1);
    let tag = &raw[..end];
    match address(tag) {
        Some(old) => {
            let start = old.as_ptr() as usize - tag.as_ptr() as usize;
            format!("{}{at}{}", &raw[..start], &raw[start + old.len()..])
        }
        None => set_attribute(tag, "r", &at.to_string()) + &raw[end..],
    }
}

/// Returns new rows with the formats of the row above.
fn new_rows(book: &Book, sheet: usize, shift: &Shift) -> String {
    let Some(text) = &book.sheets[sheet].text else { return String::new() };
    let above = shift.at.checked_sub(1).and_then(|row| text.row(row));
    let Some(above) = above.filter(|_| shift.count <= MAX_STYLED) else { return String::new() };
    let source = text.row_text(above);
    let prefix = &text.prefix;
    let styled: Vec<(u32, u32)> =
        cells(source).map(|it| (it.column, it.style())).filter(|it| it.1 != 0).collect();
    if styled.is_empty() {
        return String::new();
    }
    let mut out = String::new();
    for number in shift.at..shift.at + shift.count {
        out.push_str(&format!("<{prefix}row r=\"{number}\">"));
        for (column, style) in &styled {
            let at = At { row: number, column: *column };
            out.push_str(&format!("<{prefix}c r=\"{at}\" s=\"{style}\"/>"));
        }
        out.push_str(&format!("</{prefix}row>"));
    }
    out
}

/// Returns new cells with the format of the cell on their left.
fn new_cells(
    book: &Book,
    sheet: usize,
    shift: &Shift,
    row: u32,
    before: Option<(u32, u32)>,
) -> String {
    let Some(text) = &book.sheets[sheet].text else { return String::new() };
    let left = before.filter(|it| it.0 + 1 == shift.at && it.1 != 0);
    let Some((_, style)) = left.filter(|_| shift.count <= 100) else { return String::new() };
    let prefix = &text.prefix;
    let cell = |column: u32| format!("<{prefix}c r=\"{}\" s=\"{style}\"/>", At { row, column });
    (shift.at..shift.at + shift.count).map(cell).collect()
}

/// Calls `change` for each formula of a sheet that stands in its source, and writes the new ones.
pub(crate) fn rewrite_formulas(
    book: &mut Book,
    sheet: usize,
    change: &dyn Fn(&str) -> Option<String>,
) -> Result<()> {
    let text = book.text_mut(sheet)?;
    let mut out = String::with_capacity(text.data.len());
    let mut copied = 0;
    for row in &text.rows {
        let source = text.row_text(row);
        for cell in cells(source).filter(CellSource::has_formula) {
            let Some(formula) = cell.formula().filter(|it| !it.text.is_empty()) else { continue };
            if let Some(new) = change(&formula.text) {
                let start = row.start + cell.start;
                out.push_str(&text.data[copied..start]);
                out.push_str(&with_formula(&cell, &new, false));
                copied = start + cell.raw.len();
            }
        }
    }
    if copied > 0 {
        out.push_str(&text.data[copied..]);
        text.set_data(out);
    }
    Ok(())
}

/// Returns `true` if a row is hidden.
pub(crate) fn is_hidden(row: &str) -> bool {
    let tag = first_tag(head_tag(row));
    tag.and_then(|it| it.attribute("hidden")).is_some_and(|it| matches!(it, "1" | "true"))
}

/// Returns the area of the rows or columns of a move.
pub(crate) fn touched(shift: &Shift) -> Area {
    let (first, last) = if shift.is_insertion {
        (shift.at, shift.at + shift.count - 1)
    } else {
        (shift.at.saturating_sub(1).max(1), shift.at)
    };
    if shift.is_rows {
        Area::new(first, 1, last, refs::MAX_COLUMN)
    } else {
        Area::new(1, first, refs::MAX_ROW, last)
    }
}

/// Changes the formulas of all sheets and of the parts that belong to them, but for one sheet.
pub(super) fn everywhere(
    batch: &mut Batch,
    change: &dyn Fn(&str) -> Option<String>,
    except: Option<usize>,
) -> Result<()> {
    const TEXTS: [&str; 9] = [
        "f",
        "formula",
        "formula1",
        "formula2",
        "calculatedColumnFormula",
        "totalsRowFormula",
        "definedName",
        "FmlaLink",
        "FmlaRange",
    ];
    let part = |xml: &str| -> Option<String> {
        let (mut out, mut name, mut changed) = (String::with_capacity(xml.len()), "", false);
        for token in xml_tokens(xml) {
            match token {
                XmlToken::Tag(tag) => {
                    name = if tag.kind == TagKind::Open { tag.name } else { "" };
                    let new = with_attributes(tag.raw, |attribute, raw| match attribute {
                        "location" | "fmlaLink" | "fmlaRange" | "textlink" => {
                            change(&unescape(raw))
                        }
                        _ => None,
                    });
                    changed |= new.is_some();
                    out.push_str(new.as_deref().unwrap_or(tag.raw));
                }
                XmlToken::Text(raw) => {
                    match TEXTS.contains(&name).then(|| change(&unescape(raw))).flatten() {
                        Some(new) => {
                            changed = true;
                            out.push_str(&escape(&new).replace("&quot;", "\""));
                        }
                        None => out.push_str(raw),
                    }
                }
                XmlToken::Other(raw) => out.push_str(raw),
            }
        }
        changed.then_some(out)
    };
    for sheet in 0..batch.book.sheets.len() {
        if Some(sheet) == except || batch.book.sheets[sheet].text.is_none() {
            continue;
        }
        rewrite_formulas(&mut batch.book, sheet, change)?;
        let text = batch.book.text_mut(sheet)?;
        if let Some(new) = part(&text.tail) {
            text.set_tail(new);
        }
    }
    for (name, _) in related(&batch.book)? {
        if let Some(xml) = batch.book.package.text(&name)?
            && let Some(new) = part(&xml)
        {
            batch.book.package.set(&name, new);
        }
    }
    if let Some(new) = part(&batch.book.xml) {
        batch.book.xml = new;
    }
    Ok(())
}
