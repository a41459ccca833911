//! Pivot tables. Their values are those of their last refresh, which only Excel does: where a batch changes what they read, they
//! are refreshed when Excel opens the file, and a warning names them.

use super::shift::Shift;
use super::state::Batch;
use crate::book::{Book, cells};
use crate::error::{Result, invalid};
use crate::refs::{self, Area, At, quoted_sheet};
use crate::value::Scalar;
use crate::xml::{Tag, TagKind, XmlToken, find_tag, set_attribute, xml_tokens};
use std::fmt;

/// A pivot table on a sheet.
#[derive(Debug)]
struct Pivot {
    name: String,
    sheet: usize,
    area: Area,
    /// The part of its cache.
    cache: String,
}

/// What a cache reads.
#[derive(Debug, PartialEq)]
enum Source {
    Cells(usize, Area),
    /// A sheet that is not there.
    Gone(String),
    /// A name that is no range, so that its cells are not known.
    Unknown,
    /// Another workbook or a database.
    Elsewhere,
}

struct Names<'a>(&'a [Pivot], &'a Book);

impl fmt::Display for Names<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |it: &Pivot| {
            format!("`{}` on {}", it.name, quoted_sheet(&self.1.sheets[it.sheet].name))
        };
        match self.0 {
            [] => out.write_str("a pivot table"),
            [one] => write!(out, "the pivot table {}", name(one)),
            all => {
                let all: Vec<String> = all.iter().map(name).collect();
                write!(out, "the pivot tables {}", all.join(", "))
            }
        }
    }
}

fn pivots(book: &Book) -> Result<Vec<Pivot>> {
    let mut found = Vec::new();
    for (number, sheet) in book.sheets.iter().enumerate() {
        for it in book.package.relations(&sheet.part)? {
            if it.kind != "pivotTable" || it.is_external {
                continue;
            }
            let Some(xml) = book.package.text(&it.target)? else { continue };
            let area = find_tag(&xml, "location")
                .and_then(|it| it.1.attribute("ref"))
                .and_then(refs::area);
            let (Some((_, tag)), Some(area)) = (find_tag(&xml, "pivotTableDefinition"), area)
            else {
                continue;
            };
            let cache = book.package.related(&it.target, "pivotCacheDefinition")?;
            found.push(Pivot {
                name: tag.text("name").unwrap_or_default(),
                sheet: number,
                area,
                cache: cache.unwrap_or_default(),
            });
        }
    }
    Ok(found)
}

/// Returns the parts of the caches with their source texts.
fn caches(book: &Book) -> Result<Vec<(String, String)>> {
    let mut found = Vec::new();
    for it in book.package.relations(&book.part)? {
        if it.kind == "pivotCacheDefinition"
            && !it.is_external
            && let Some(xml) = book.package.text(&it.target)?
        {
            found.push((it.target, xml));
        }
    }
    Ok(found)
}

/// Returns what a cache reads: one range, or several.
fn sources(book: &Book, xml: &str) -> Vec<Source> {
    let tags = xml_tokens(xml).filter_map(|token| match token {
        XmlToken::Tag(tag) if tag.kind != TagKind::Close => Some(tag),
        _ => None,
    });
    tags.take_while(|it| it.name != "cacheFields")
        .filter(|it| matches!(it.name, "worksheetSource" | "rangeSet"))
        .map(|it| source(book, &it))
        .collect()
}

fn source(book: &Book, tag: &Tag<'_>) -> Source {
    if tag.attribute("id").is_some() {
        return Source::Elsewhere;
    }
    if let Some(name) = tag.text("name") {
        return named(book, &name).map_or(Source::Unknown, |it| Source::Cells(it.0, it.1));
    }
    let (Some(sheet), Some(area)) = (tag.text("sheet"), tag.attribute("ref").and_then(refs::area))
    else {
        return Source::Unknown;
    };
    match book.find(&sheet) {
        Ok(sheet) => Source::Cells(sheet, area),
        Err(_) => Source::Gone(sheet),
    }
}

/// Returns a cache with another name for a sheet; `None` if it does not read the sheet.
pub(super) fn renamed(xml: &str, old: &str, new: &str) -> Option<String> {
    let (mut out, mut copied) = (String::new(), 0);
    let mut all = xml_tokens(xml);
    loop {
        let at = all.offset();
        let Some(token) = all.next() else { break };
        let XmlToken::Tag(tag) = token else { continue };
        if tag.kind != TagKind::Close
            && matches!(tag.name, "worksheetSource" | "rangeSet")
            && tag.text("sheet").is_some_and(|it| it.to_lowercase() == old.to_lowercase())
        {
            out.push_str(&xml[copied..at]);
            out.push_str(&set_attribute(tag.raw, "sheet", new));
            copied = at + tag.raw.len();
        }
    }
    (copied > 0).then(|| out + &xml[copied..])
}

/// Returns the cells of a table or of a name that is a range.
fn named(book: &Book, name: &str) -> Option<(usize, Area)> {
    if let Some(table) = book.tables.iter().find(|it| it.name.eq_ignore_ascii_case(name)) {
        return Some((table.area.sheet, table.area.area));
    }
    let found = book.names.iter().find(|it| it.name.eq_ignore_ascii_case(name))?;
    let (sheet, area) = refs::qualified(&found.formula)?;
    Some((book.find(&sheet).ok()?, refs::area(&area.replace('$', ""))?))
}

/// Refuses to cut a pivot table, as Excel does, and to delete all that one reads.
pub(super) fn check(book: &Book, shift: &Shift) -> Result<()> {
    let all = pivots(book)?;
    for pivot in all.iter().filter(|it| it.sheet == shift.sheet) {
        let stays = shift.area(pivot.area).is_some_and(|it| it.size() == pivot.area.size());
        if !stays {
            return invalid(format!(
                "{} ({}) cannot be cut; only Excel changes it",
                Names(std::slice::from_ref(pivot), book),
                pivot.area
            ));
        }
    }
    for (part, xml) in caches(book)? {
        let is_lost = |it: &Source| match it {
            Source::Cells(sheet, area) => *sheet == shift.sheet && shift.area(*area).is_none(),
            _ => false,
        };
        if sources(book, &xml).iter().any(is_lost) {
            let own: Vec<Pivot> = of_cache(pivots(book)?, &part);
            return invalid(format!("{} would lose all cells that it reads", Names(&own, book)));
        }
    }
    Ok(())
}

fn of_cache(all: Vec<Pivot>, part: &str) -> Vec<Pivot> {
    all.into_iter().filter(|it| it.cache.eq_ignore_ascii_case(part)).collect()
}

/// Requests a refresh on opening where a source has changed, and warns of what is not refreshed.
pub(super) fn refresh(batch: &mut Batch, changed: &[(usize, Area)]) -> Result<()> {
    for pivot in pivots(&batch.book)? {
        let is_hit = |it: &&(usize, Area)| it.0 == pivot.sheet && it.1.meet(&pivot.area).is_some();
        if let Some((sheet, area)) = changed.iter().find(is_hit) {
            let place = batch.place(*sheet, area.first);
            let names = Names(std::slice::from_ref(&pivot), &batch.book).to_string();
            batch.warn(format!("{place} is in {names}, which Excel writes anew"));
        }
    }
    for (part, xml) in caches(&batch.book)? {
        let own = of_cache(pivots(&batch.book)?, &part);
        let names = Names(&own, &batch.book).to_string();
        let mut is_touched = false;
        for source in sources(&batch.book, &xml) {
            match source {
                Source::Cells(sheet, area) => {
                    is_touched |=
                        changed.iter().any(|it| it.0 == sheet && it.1.meet(&area).is_some());
                    if let Some(at) = beside(batch, changed, sheet, area)? {
                        let place = batch.place(sheet, at);
                        let area = batch.place(sheet, area);
                        batch.warn(format!(
                            "{names} reads only {area}, so {place} does not count; insert rows or columns within its range instead"
                        ));
                    }
                }
                Source::Unknown => is_touched = true,
                Source::Gone(sheet) => batch.warn(format!(
                    "{names} keeps its old values: the sheet `{sheet}` that it reads is not there"
                )),
                Source::Elsewhere => {}
            }
        }
        if is_touched && let Some((at, tag)) = find_tag(&xml, "pivotCacheDefinition") {
            let raw = set_attribute(tag.raw, "refreshOnLoad", "1");
            let new = format!("{}{raw}{}", &xml[..at], &xml[at + tag.raw.len()..]);
            batch.book.package.set(&part, new);
            batch.warn(format!(
                "{names} reads cells that changed, and shows old values until Excel opens the file"
            ));
        }
    }
    Ok(())
}

/// Returns a changed cell with a value in the row below a source or in the column behind it.
fn beside(
    batch: &Batch,
    changed: &[(usize, Area)],
    sheet: usize,
    source: Area,
) -> Result<Option<At>> {
    let Area { first, last } = source;
    let strips = [
        Area::new(last.row + 1, first.column, last.row + 1, last.column),
        Area::new(first.row, last.column + 1, last.row, last.column + 1),
    ];
    let own = changed.iter().filter(|it| it.0 == sheet);
    let parts: Vec<Area> =
        own.flat_map(|it| strips.iter().filter_map(|strip| it.1.meet(strip))).collect();
    if parts.is_empty() {
        return Ok(None);
    }
    let text = batch.book.text(sheet)?;
    for row in &text.rows {
        for cell in cells(text.row_text(row)) {
            let at = At { row: row.number, column: cell.column };
            let is_filled = cell.value(&|_| Some(String::new())) != Scalar::Empty;
            if (is_filled || cell.has_formula()) && parts.iter().any(|it| it.contains(at)) {
                return Ok(Some(at));
            }
        }
    }
    Ok(None)
}
