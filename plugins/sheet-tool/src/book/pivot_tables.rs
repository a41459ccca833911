//! Pivot tables as Excel wrote them last: which cell shows which item of which field.

use super::workbook::Book;
use crate::error::Result;
use crate::moment::serial;
use crate::refs::{self, Area, At};
use crate::value::Scalar;
use crate::xml::{Tag, TagKind, XmlToken, find_tag, unescape, xml_tokens};

/// A pivot table on a sheet.
#[derive(Debug)]
pub(crate) struct PivotTable {
    pub(crate) sheet: usize,
    pub(crate) area: Area,
    /// The first cell with a value.
    pub(crate) first: At,
    pub(crate) fields: Vec<PivotField>,
    /// Captions of what is summed up, with the field.
    pub(crate) data: Vec<(String, usize)>,
    pub(crate) rows: Vec<PivotLine>,
    pub(crate) columns: Vec<PivotLine>,
    /// Fields above the table, with the item that is chosen; `None` for all or for several.
    pub(crate) pages: Vec<(usize, Option<usize>)>,
    /// `true` if Excel writes all values anew when it opens the file.
    pub(crate) is_stale: bool,
}

/// A field of the source.
#[derive(Debug, Default)]
pub(crate) struct PivotField {
    /// Its names: the one that the table shows, and that of the source.
    pub(crate) names: Vec<String>,
    pub(crate) items: Vec<PivotItem>,
    /// `true` if its items are groups, such as months.
    pub(crate) is_grouped: bool,
}

/// An item of a field.
#[derive(Debug, Default)]
pub(crate) struct PivotItem {
    /// A name that a user gave to it.
    pub(crate) caption: Option<String>,
    /// Its value in the source; `None` for a subtotal.
    pub(crate) value: Option<Scalar>,
}

/// A row or a column of values.
#[derive(Debug, Default)]
pub(crate) struct PivotLine {
    /// Fields with the item that the line is about; none in a grand total.
    pub(crate) items: Vec<(usize, usize)>,
    /// Which data it shows.
    pub(crate) data: usize,
    /// `true` for a line without values, or with a subtotal by another function.
    pub(crate) is_other: bool,
}

/// The field of the source and its items, by the cache.
#[derive(Default)]
struct CacheField {
    name: String,
    items: Vec<Scalar>,
    is_grouped: bool,
}

impl Book {
    /// Returns the pivot tables of all sheets, and the bytes of their parts.
    pub(crate) fn pivot_tables(&self) -> Result<(Vec<PivotTable>, u64)> {
        let (mut found, mut bytes) = (Vec::new(), 0);
        for (sheet, part) in self.sheets.iter().map(|it| &it.part).enumerate() {
            for it in self.package.relations(part)? {
                if it.kind != "pivotTable" || it.is_external {
                    continue;
                }
                let Some(xml) = self.package.text(&it.target)? else { continue };
                let cache = self.package.related(&it.target, "pivotCacheDefinition")?;
                let cache = match cache {
                    Some(part) => self.package.text(&part)?.unwrap_or_default(),
                    None => String::new(),
                };
                bytes += (xml.len() + cache.len()) as u64;
                found.extend(table(sheet, &xml, &cache, self.from_1904));
            }
        }
        Ok((found, bytes))
    }
}

fn tags(xml: &str) -> impl Iterator<Item = Tag<'_>> {
    xml_tokens(xml).filter_map(|token| match token {
        XmlToken::Tag(tag) => Some(tag),
        _ => None,
    })
}

/// Returns the number of an attribute, which is 0 where it is missing.
fn index(tag: &Tag<'_>, name: &str) -> usize {
    tag.number(name).unwrap_or(0) as usize
}

fn table(sheet: usize, xml: &str, cache: &str, from_1904: bool) -> Option<PivotTable> {
    let location = find_tag(xml, "location")?.1;
    let area = refs::area(location.attribute("ref")?)?;
    let first = At {
        row: area.first.row + location.number("firstDataRow")?,
        column: area.first.column + location.number("firstDataCol")?,
    };
    let is_stale = find_tag(cache, "pivotCacheDefinition").is_none_or(|(_, tag)| {
        ["refreshOnLoad", "invalid"]
            .iter()
            .any(|name| tag.attribute(name).is_some_and(|it| matches!(it, "1" | "true")))
    });
    let sources = cache_fields(cache, from_1904);
    let mut found = PivotTable {
        sheet,
        area,
        first,
        fields: Vec::new(),
        data: Vec::new(),
        rows: Vec::new(),
        columns: Vec::new(),
        pages: Vec::new(),
        is_stale,
    };
    let (mut row_fields, mut column_fields) = (Vec::new(), Vec::new());
    let mut section = "";
    let mut lines = Vec::new();
    for tag in tags(xml) {
        match tag.name {
            "pivotFields" | "rowFields" | "colFields" | "rowItems" | "colItems" | "pageFields"
            | "dataFields" => {
                let ended = if tag.kind == TagKind::Close { section } else { "" };
                match ended {
                    "rowItems" => found.rows = fixed(std::mem::take(&mut lines), &row_fields),
                    "colItems" => found.columns = fixed(std::mem::take(&mut lines), &column_fields),
                    _ => {}
                }
                section = if tag.kind == TagKind::Open { tag.name } else { "" };
            }
            _ if tag.kind == TagKind::Close => {}
            "extLst" => break,
            "pivotField" if section == "pivotFields" => {
                let source = sources.get(found.fields.len());
                let own = tag.text("name");
                let names = own.into_iter().chain(source.map(|it| it.name.clone())).collect();
                let is_grouped = source.is_some_and(|it| it.is_grouped);
                found.fields.push(PivotField { names, items: Vec::new(), is_grouped });
            }
            "item" if section == "pivotFields" => {
                let source = sources.get(found.fields.len().saturating_sub(1));
                let value = tag.attribute("x").and_then(|it| it.trim().parse::<usize>().ok());
                let value = value.and_then(|at| source?.items.get(at).cloned());
                let item = PivotItem { caption: tag.text("n"), value };
                found.fields.last_mut()?.items.push(item);
            }
            // The data themselves are the field -2.
            "field" if section == "rowFields" => row_fields.push(tag.number("x")),
            "field" if section == "colFields" => column_fields.push(tag.number("x")),
            "i" if matches!(section, "rowItems" | "colItems") => lines.push(Line {
                kind: tag.attribute("t").unwrap_or("data").to_owned(),
                repeated: index(&tag, "r"),
                data: index(&tag, "i"),
                items: Vec::new(),
            }),
            "x" if matches!(section, "rowItems" | "colItems") => {
                lines.last_mut()?.items.push(index(&tag, "v"));
            }
            "pageField" if section == "pageFields" => {
                let item = tag.number("item").map(|it| it as usize);
                found.pages.push((index(&tag, "fld"), item));
            }
            "dataField" if section == "dataFields" => {
                found.data.push((tag.text("name").unwrap_or_default(), index(&tag, "fld")));
            }
            _ => {}
        }
    }
    Some(found)
}

/// A row or a column of values in the source.
struct Line {
    kind: String,
    /// Items that it shares with the line before.
    repeated: usize,
    data: usize,
    items: Vec<usize>,
}

/// Returns for each line the items that it is about.
fn fixed(lines: Vec<Line>, fields: &[Option<u32>]) -> Vec<PivotLine> {
    let mut known: Vec<usize> = Vec::new();
    let line = |line: Line| {
        known.truncate(line.repeated);
        known.extend(&line.items);
        let is_total = line.kind == "grand";
        let pairs = fields.iter().zip(&known).filter(|_| !is_total);
        let items = pairs.filter_map(|(field, item)| Some(((*field)? as usize, *item))).collect();
        let is_other = !matches!(line.kind.as_str(), "data" | "default" | "grand");
        PivotLine { items, data: line.data, is_other }
    };
    lines.into_iter().map(line).collect()
}

fn cache_fields(xml: &str, from_1904: bool) -> Vec<CacheField> {
    let mut found: Vec<CacheField> = Vec::new();
    let mut is_list = false;
    for tag in tags(xml) {
        match tag.name {
            "cacheField" if tag.kind != TagKind::Close => {
                found.push(CacheField {
                    name: tag.text("name").unwrap_or_default(),
                    ..CacheField::default()
                });
            }
            "sharedItems" => is_list = tag.kind == TagKind::Open,
            // Groups take the place of the values.
            "groupItems" => {
                is_list = tag.kind == TagKind::Open;
                if is_list && let Some(field) = found.last_mut() {
                    field.items.clear();
                    field.is_grouped = true;
                }
            }
            "cacheHierarchies" | "extLst" if tag.kind == TagKind::Open => break,
            name if is_list && tag.kind != TagKind::Close => {
                let Some(field) = found.last_mut() else { continue };
                if let Some(value) = item(name, tag, from_1904) {
                    field.items.push(value);
                }
            }
            _ => {}
        }
    }
    found
}

/// Returns the value of a shared item; `None` for another element.
fn item(name: &str, tag: Tag<'_>, from_1904: bool) -> Option<Scalar> {
    let value = tag.attribute("v").unwrap_or_default();
    let text = || Scalar::text(unescape(value));
    Some(match name {
        "s" | "e" => text(),
        "n" => value.trim().parse().map_or_else(|_| text(), Scalar::Number),
        "d" => serial(value, from_1904).map_or_else(text, |it| Scalar::Number(it.0)),
        "b" => Scalar::Bool(matches!(value, "1" | "true")),
        "m" => Scalar::Empty,
        _ => return None,
    })
}
