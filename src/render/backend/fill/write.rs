//! Writes sheets as parts: new rows, an adjusted frame, and copies of everything within repeated rows.

use super::grid::Grid;
use super::model::{Cached, Content, Formula, OutCell, OutRow, OutSheet};
use super::moves::Moves;
use super::refs::{self, At};
use super::shift::Axis;
use super::value::CellValue;
use super::{book::encoded, package::damaged};
use crate::shared::xml_tokens::{
    TagKind, XmlToken, escape, set_attribute, without_attributes, xml_tokens,
};
use mitt_base::{Error, ErrorKind, Result};

/// Most bytes of a part.
const MAX_PART_BYTES: usize = 512 << 20;

/// Writes the rows of a sheet including the `sheetData` tags.
pub(super) fn rows(grid: &Grid<'_>, sheet: &OutSheet<'_>, out: &mut String) -> Result<()> {
    let prefix = grid.prefix;
    for row in &sheet.rows {
        open_row(row, prefix, out);
        for cell in &row.cells {
            self::cell(row.number, cell, prefix, out);
        }
        out.push_str(row.rest);
        out.push_str(&format!("</{prefix}row>"));
        if out.len() > MAX_PART_BYTES {
            let message = format!("a sheet would have more than {} MiB", MAX_PART_BYTES >> 20);
            return Err(Error::new(ErrorKind::Arguments, message).hint("give fewer rows"));
        }
    }
    Ok(())
}

fn open_row(row: &OutRow<'_>, prefix: &str, out: &mut String) {
    let number = row.number.to_string();
    match row.tag {
        None => out.push_str(&format!("<{prefix}row r=\"{number}\">")),
        Some(tag) => {
            // `spans` lists the columns for speed, and may be wrong now.
            let plain = without_attributes(tag.raw, &["spans"]);
            let open = set_attribute(&plain, "r", &number);
            match tag.kind {
                TagKind::Empty => {
                    out.push_str(open.trim_end_matches('>').trim_end_matches('/').trim_end());
                    out.push('>');
                }
                _ => out.push_str(&open),
            }
        }
    }
}

fn cell(row: u32, cell: &OutCell<'_>, prefix: &str, out: &mut String) {
    let at = At { row, column: cell.column };
    match &cell.content {
        Content::Same(same) => {
            out.push_str(&set_attribute(same.tag, "r", &at.to_string()));
            if same.open().kind != TagKind::Empty {
                out.push_str(same.inner);
                out.push_str(&format!("</{prefix}c>"));
            }
        }
        Content::Value { cell_value, style } => {
            let style = if *style == 0 { String::new() } else { format!(" s=\"{style}\"") };
            cell_value.push(out, prefix, &format!("<{prefix}c r=\"{at}\"{style}"));
        }
        Content::Formula(formula) => self::formula(at, formula, prefix, out),
    }
}

fn formula(at: At, formula: &Formula<'_>, prefix: &str, out: &mut String) {
    let same = formula.same && !formula.shared;
    let tag = set_attribute(formula.cell.tag, "r", &at.to_string());
    if same && formula.result == Cached::Kept {
        out.push_str(&tag);
        out.push_str(formula.cell.inner);
        out.push_str(&format!("</{prefix}c>"));
        return;
    }
    let text = escape(&formula.text);
    let body = format!("{}{text}</{prefix}f>", formula.tag);
    match &formula.result {
        Cached::Kept => {
            out.push_str(&tag);
            out.push_str(&body);
            if let Some(value) = formula.cell.element("v") {
                out.push_str(&format!("<{prefix}v>{value}</{prefix}v>"));
            }
        }
        Cached::Gone => {
            out.push_str(&without_attributes(&tag, &["t"]));
            out.push_str(&body);
        }
        Cached::New(value) => {
            let (kind, value) = match value {
                CellValue::Number(number) => (None, number.clone()),
                CellValue::Bool(value) => (Some("b"), u8::from(*value).to_string()),
                CellValue::Text(text) => (Some("str"), escape(&encoded(text))),
                CellValue::Empty | CellValue::Rich(_) => (None, "0".into()),
            };
            let tag = without_attributes(&tag, &["t"]);
            out.push_str(&kind.map_or(tag.clone(), |kind| set_attribute(&tag, "t", kind)));
            out.push_str(&format!("{body}<{prefix}v>{value}</{prefix}v>"));
        }
    }
    out.push_str(&format!("</{prefix}c>"));
}

/// Returns the part behind the rows, with merged cells and links of repeated rows once for each copy. Called before
/// addresses move: copies already have their new address, and are marked so that they do not move again.
pub(super) fn repeated(tail: &str, moves: &Moves, axis: Axis) -> Result<String> {
    if moves.is_nothing() {
        return Ok(tail.to_owned());
    }
    let mut out = String::with_capacity(tail.len());
    let mut merged = 0_usize;
    let mut all = xml_tokens(tail).peekable();
    while let Some(token) = all.next() {
        let XmlToken::Tag(tag) = token else {
            out.push_str(match token {
                XmlToken::Text(text) | XmlToken::Other(text) => text,
                XmlToken::Tag(tag) => tag.raw,
            });
            continue;
        };
        let area = match tag.name {
            "mergeCell" | "hyperlink" if tag.kind != TagKind::Close => {
                tag.attribute("ref").and_then(refs::area).map(|area| axis.turned(area))
            }
            _ => None,
        };
        let Some(area) = area else {
            out.push_str(tag.raw);
            continue;
        };
        let copies = moves.repeated(area);
        let gone = moves.is_gone(area);
        let areas = match (copies, gone) {
            (_, true) => Vec::new(),
            (Some(copies), _) => copies,
            (None, _) => vec![moves.area(area)],
        };
        if tag.kind == TagKind::Open {
            // Both elements are usually empty; any content is kept with them.
            let end =
                all.by_ref().find(|it| matches!(it, XmlToken::Tag(end) if end.closes(tag.name)));
            if end.is_none() {
                return Err(damaged("what stands behind its rows has no end"));
            }
        }
        merged += areas.len();
        if merged > 1_000_000 {
            let message = "expected at most 1000000 merged cells and links in a sheet";
            return Err(Error::new(ErrorKind::Arguments, message).hint("give fewer rows"));
        }
        for area in areas {
            let text = set_attribute(tag.raw, "ref", &axis.turned(area).to_string());
            let text = if tag.kind == TagKind::Open { text.replacen('>', "/>", 1) } else { text };
            // Attributes that make an element unique stay on the first one.
            out.push_str(&without_attributes(&text, &["uid"]));
        }
    }
    Ok(out)
}

/// Removes rules whose cells have all disappeared: conditional formats, validation, protected ranges, errors that are
/// ignored.
pub(super) fn without_empty(tail: &str) -> String {
    const RULES: [&str; 4] =
        ["conditionalFormatting", "dataValidation", "protectedRange", "ignoredError"];
    const LISTS: [&str; 3] = ["dataValidations", "protectedRanges", "ignoredErrors"];
    let mut out = tail.to_owned();
    for names in [&RULES[..], &LISTS[..]] {
        let source = std::mem::take(&mut out);
        let mut all = xml_tokens(&source);
        loop {
            let start = all.offset();
            let Some(token) = all.next() else { break };
            let XmlToken::Tag(tag) = token else {
                out.push_str(source.get(start..all.offset()).unwrap_or_default());
                continue;
            };
            if !names.contains(&tag.name) || tag.kind == TagKind::Close {
                out.push_str(tag.raw);
                continue;
            }
            // The extended form has its cells in an element.
            if tag.kind == TagKind::Open {
                all.by_ref().find(|it| matches!(it, XmlToken::Tag(end) if end.closes(tag.name)));
            }
            let whole = source.get(start..all.offset()).unwrap_or_default();
            let is_list = LISTS.contains(&tag.name);
            let inner = xml_tokens(whole).filter(|it| matches!(it, XmlToken::Tag(_))).count();
            let is_empty = if is_list {
                inner <= 2
            } else {
                tag.attribute("sqref").is_some_and(|it| it.trim().is_empty())
                    || whole.contains("sqref></")
                    || whole.contains("sqref/>")
            };
            if is_list && !is_empty {
                let rules = RULES.iter().find(|rule| tag.name.starts_with(**rule));
                let count = xml_tokens(whole).filter(
                    |it| matches!(it, XmlToken::Tag(tag) if rules.is_some_and(|rule| tag.opens(rule))),
                );
                let whole = match tag.attribute("count") {
                    Some(_) => {
                        set_attribute(tag.raw, "count", &count.count().to_string())
                            + whole.get(tag.raw.len()..).unwrap_or_default()
                    }
                    None => whole.to_owned(),
                };
                out.push_str(&whole);
            } else if !is_empty {
                out.push_str(whole);
            }
        }
    }
    out
}

/// Corrects the counts in lists of elements.
pub(super) fn counted(tail: &str) -> String {
    let count = |name: &str| {
        let all = xml_tokens(tail).filter(|it| matches!(it, XmlToken::Tag(tag) if tag.opens(name)));
        all.count()
    };
    let mut out = String::with_capacity(tail.len());
    let mut all = xml_tokens(tail);
    while let Some(token) = all.next() {
        match token {
            XmlToken::Tag(tag)
                if tag.kind == TagKind::Open && matches!(tag.name, "mergeCells" | "hyperlinks") =>
            {
                let count = count(if tag.name == "mergeCells" { "mergeCell" } else { "hyperlink" });
                if count == 0 {
                    // An empty list is not allowed.
                    all.by_ref()
                        .find(|it| matches!(it, XmlToken::Tag(end) if end.closes(tag.name)));
                } else if tag.attribute("count").is_some() {
                    out.push_str(&set_attribute(tag.raw, "count", &count.to_string()));
                } else {
                    out.push_str(tag.raw);
                }
            }
            XmlToken::Tag(tag) => out.push_str(tag.raw),
            XmlToken::Text(text) | XmlToken::Other(text) => out.push_str(text),
        }
    }
    out
}
