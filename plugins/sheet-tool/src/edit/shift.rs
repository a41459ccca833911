//! Moves of rows and columns: where cells go, and what becomes of references to them.
//!
//! This does for inserted and deleted rows and columns what the host does for the rows of a template
//! (`src/render/backend/fill`); the tokens of formulas and the walk over parts should become one piece of code.

use super::anchor::{Anchor, AnchorEnd};
use crate::book::Book;
use crate::formula::{Becomes, ReferenceToken, Shape, SheetPrefix, rewrite, translated};
use crate::refs::{self, Area, At};
use crate::xml::{
    Tag, TagKind, XmlToken, escape, set_attribute, unescape, with_attributes, xml_tokens,
};

/// Rows or columns that are inserted or deleted in one sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shift {
    pub(crate) sheet: usize,
    pub(crate) is_rows: bool,
    pub(crate) at: u32,
    pub(crate) count: u32,
    pub(crate) is_insertion: bool,
}

/// Elements whose text is a formula.
const FORMULAS: [&str; 12] = [
    "f",
    "formula",
    "formula1",
    "formula2",
    "calculatedColumnFormula",
    "totalsRowFormula",
    "definedName",
    "FmlaLink",
    "FmlaRange",
    "FmlaGroup",
    "FmlaTxbx",
    "FmlaPict",
];
/// Attributes that are formulas: of controls, and of links within the workbook.
const FORMULA_ATTRIBUTES: [&str; 6] =
    ["fmlaLink", "fmlaRange", "fmlaGroup", "fmlaTxbx", "location", "textlink"];
/// Elements that go with their cells.
const MORTAL: [&str; 11] = [
    "mergeCell",
    "conditionalFormatting",
    "dataValidation",
    "hyperlink",
    "comment",
    "threadedComment",
    "protectedRange",
    "ignoredError",
    "cellWatch",
    "autoFilter",
    "sortState",
];
/// Rules whose formulas count from their first cell.
const RULES: [&str; 2] = ["conditionalFormatting", "dataValidation"];
/// Lists that must not be empty, and their items.
const LISTS: [(&str, &str); 7] = [
    ("mergeCells", "mergeCell"),
    ("dataValidations", "dataValidation"),
    ("hyperlinks", "hyperlink"),
    ("protectedRanges", "protectedRange"),
    ("ignoredErrors", "ignoredError"),
    ("cellWatches", "cellWatch"),
    ("rowBreaks", "brk"),
];

impl Shift {
    fn most(&self) -> u32 {
        if self.is_rows { refs::MAX_ROW } else { refs::MAX_COLUMN }
    }

    /// Returns the new number of a row or column; `None` if it goes.
    pub(crate) fn point(&self, number: u32) -> Option<u32> {
        match (self.is_insertion, number < self.at) {
            (_, true) => Some(number),
            (true, false) => Some(number + self.count).filter(|it| *it <= self.most()),
            (false, false) => number.checked_sub(self.count).filter(|it| *it >= self.at),
        }
    }

    /// Returns the new first and last one of several; `None` if all go.
    pub(crate) fn span(&self, first: u32, last: u32) -> Option<(u32, u32)> {
        if (first, last) == (1, self.most()) {
            return Some((first, last));
        }
        if self.is_insertion {
            let first = self.point(first)?;
            return Some((first, self.point(last).unwrap_or(self.most())));
        }
        let end = self.at + self.count - 1;
        let new_first = if first < self.at { first } else { first.max(end + 1) - self.count };
        let new_last = if last > end { last - self.count } else { last.min(self.at - 1) };
        (new_first <= new_last && !(self.at <= first && last <= end))
            .then_some((new_first, new_last))
    }

    pub(crate) fn area(&self, area: Area) -> Option<Area> {
        let Area { first, last } = area;
        Some(if self.is_rows {
            let (top, bottom) = self.span(first.row, last.row)?;
            Area::new(top, first.column, bottom, last.column)
        } else {
            let (left, right) = self.span(first.column, last.column)?;
            Area::new(first.row, left, last.row, right)
        })
    }

    pub(crate) fn cell(&self, at: At) -> Option<At> {
        Some(if self.is_rows {
            At { row: self.point(at.row)?, ..at }
        } else {
            At { column: self.point(at.column)?, ..at }
        })
    }

    /// Returns how far the first cell that stays of the areas of a rule is from their first cell before, in rows and columns;
    /// `None` if all go. From there the references of its formulas count.
    fn lead(&self, text: &str) -> Option<(i64, i64)> {
        let areas: Vec<Area> = text
            .split_ascii_whitespace()
            .filter_map(|part| refs::wide_area(part).map(|it| it.0))
            .collect();
        let corner = |all: &mut dyn Iterator<Item = At>| {
            all.reduce(|a, b| At { row: a.row.min(b.row), column: a.column.min(b.column) })
        };
        let old = corner(&mut areas.iter().map(|it| it.first))?;
        let end = self.at + self.count;
        let stays = |first: u32| {
            if !self.is_insertion && (self.at..end).contains(&first) { end } else { first }
        };
        let kept = areas.iter().filter(|it| self.area(**it).is_some()).map(|it| {
            if self.is_rows {
                At { row: stays(it.first.row), ..it.first }
            } else {
                At { column: stays(it.first.column), ..it.first }
            }
        });
        let new = corner(&mut kept.into_iter())?;
        let by = |new: u32, old: u32| i64::from(new) - i64::from(old);
        Some((by(new.row, old.row), by(new.column, old.column)))
    }

    /// Returns the new formula of a rule whose first cell has moved by some rows and columns before the deletion.
    fn rule(
        &self,
        book: &Book,
        text: &str,
        sheet: Option<usize>,
        lead: (i64, i64),
    ) -> Option<String> {
        let moved = translated(text, lead.0, lead.1);
        let lower = book.sheets[self.sheet].name.to_lowercase();
        let new = rewrite(&moved, |reference| {
            let is_here = match &reference.sheet {
                SheetPrefix::None => sheet == Some(self.sheet),
                SheetPrefix::One(name) => name.to_lowercase() == lower,
                _ => false,
            };
            if !is_here {
                return Becomes::Same;
            }
            let is_relative = reference.last.is_none()
                && if self.is_rows {
                    !reference.first.fixed_row
                } else {
                    !reference.first.fixed_column
                };
            match self.reference(reference) {
                // It is a distance from each cell of the rule, and so stands for another cell now.
                Becomes::Lost if is_relative => {
                    let mut near = reference.clone();
                    let at = &mut near.first.at;
                    let number = if self.is_rows { &mut at.row } else { &mut at.column };
                    *number = self.at.saturating_sub(1).max(1);
                    Becomes::Other(near)
                }
                other => other,
            }
        });
        new.or_else(|| (moved != text).then_some(moved))
    }

    fn reference(&self, reference: &ReferenceToken) -> Becomes {
        let fits = match reference.shape {
            Shape::Cells => true,
            Shape::Columns => !self.is_rows,
            Shape::Rows => self.is_rows,
        };
        if !fits {
            return Becomes::Same;
        }
        let number = |at: At| if self.is_rows { at.row } else { at.column };
        let set = |at: At, number: u32| {
            if self.is_rows { At { row: number, ..at } } else { At { column: number, ..at } }
        };
        let mut new = reference.clone();
        match reference.last {
            None => match self.point(number(reference.first.at)) {
                Some(to) => new.first.at = set(new.first.at, to),
                None => return Becomes::Lost,
            },
            Some(mut last) => {
                let (a, b) = (number(reference.first.at), number(last.at));
                let Some((low, high)) = self.span(a.min(b), a.max(b)) else { return Becomes::Lost };
                let (a, b) = if a <= b { (low, high) } else { (high, low) };
                new.first.at = set(new.first.at, a);
                last.at = set(last.at, b);
                new.last = Some(last);
            }
        }
        Becomes::Other(new)
    }

    /// Returns the new formula; `None` if nothing of it changes. `sheet` is that of the formula.
    pub(crate) fn formula(&self, book: &Book, text: &str, sheet: Option<usize>) -> Option<String> {
        let name = &book.sheets[self.sheet].name;
        let lower = name.to_lowercase();
        rewrite(text, |reference| {
            let is_here = match &reference.sheet {
                SheetPrefix::None => sheet == Some(self.sheet),
                SheetPrefix::One(name) => name.to_lowercase() == lower,
                _ => false,
            };
            if is_here { self.reference(reference) } else { Becomes::Same }
        })
    }

    /// Returns the cell of an array formula or a data table with the area that it fills moved; `None` if it stays. The text of
    /// the formula is not looked at.
    pub(crate) fn formula_area(&self, cell: &str) -> Option<String> {
        let (at, tag) = crate::xml::find_tag(cell, "f")?;
        let new = with_attributes(tag.raw, |name, raw| match name {
            "ref" => self.area(refs::area(raw)?).map(|it| it.to_string()),
            "r1" | "r2" => self.cell(refs::cell(raw)?).map(|it| it.to_string()),
            _ => None,
        })?;
        Some(format!("{}{new}{}", &cell[..at], &cell[at + tag.raw.len()..]))
    }

    /// Returns a list of areas, in the form of `sqref`; `None` if all go.
    fn areas(&self, text: &str) -> Option<String> {
        let all: Vec<String> = text
            .split_ascii_whitespace()
            .filter_map(|part| match refs::wide_area(part) {
                Some((area, axis)) => self.area(area).map(|it| shown(it, axis)),
                None => Some(part.to_owned()),
            })
            .collect();
        (!all.is_empty()).then(|| all.join(" "))
    }

    /// Returns a part, or the piece of one around the rows, adjusted; `None` if nothing changes. `sheet` is that to which its
    /// addresses belong.
    pub(crate) fn part(&self, book: &Book, xml: &str, sheet: Option<usize>) -> Option<String> {
        let mut out = String::new();
        let mut copied = 0;
        let mut open: Vec<&str> = Vec::new();
        let mut all = xml_tokens(xml);
        let mut anchor = Anchor::default();
        // Of the rule that is open.
        let mut lead = None;
        loop {
            let start = all.offset();
            let Some(token) = all.next() else { break };
            let new = match token {
                XmlToken::Tag(tag) => {
                    match tag.kind {
                        // Only invalid XML is nested more deeply.
                        TagKind::Open if open.len() < 1_000 => open.push(tag.name),
                        TagKind::Close if open.last() == Some(&tag.name) => drop(open.pop()),
                        _ => {}
                    }
                    anchor.tag(&tag);
                    if RULES.contains(&tag.name) && sheet == Some(self.sheet) && !self.is_insertion
                    {
                        lead = match tag.kind {
                            TagKind::Open => self.lead(&areas_of(&tag, &xml[start..])),
                            _ => None,
                        };
                    }
                    let parent =
                        open.iter().rev().nth(usize::from(tag.kind == TagKind::Open)).copied();
                    match self.tag(book, &tag, parent.unwrap_or_default(), sheet) {
                        Change::Same => None,
                        Change::Other(new) => Some(new),
                        Change::Gone => {
                            if tag.kind == TagKind::Open {
                                let mut depth = 1;
                                while depth > 0 {
                                    match all.next() {
                                        Some(XmlToken::Tag(inner)) if inner.name == tag.name => {
                                            match inner.kind {
                                                TagKind::Open => depth += 1,
                                                TagKind::Close => depth -= 1,
                                                TagKind::Empty => {}
                                            }
                                        }
                                        Some(_) => {}
                                        None => break,
                                    }
                                }
                                open.pop();
                            }
                            Some(String::new())
                        }
                    }
                }
                XmlToken::Text(text) => {
                    let name = open.last().copied().unwrap_or_default();
                    match lead {
                        Some(lead) if FORMULAS.contains(&name) => {
                            let new = self.rule(book, &unescape(text), sheet, lead);
                            new.map(|it| escape(&it).replace("&quot;", "\""))
                        }
                        _ => self.text(book, text, name, sheet, &mut anchor),
                    }
                }
                XmlToken::Other(_) => None,
            };
            if let Some(new) = new {
                out.push_str(&xml[copied..start]);
                out.push_str(&new);
                copied = all.offset();
            }
        }
        if copied == 0 {
            return None;
        }
        out.push_str(&xml[copied..]);
        Some(counted(&out))
    }

    fn tag(&self, book: &Book, tag: &Tag<'_>, parent: &str, sheet: Option<usize>) -> Change {
        if tag.kind == TagKind::Close {
            return Change::Same;
        }
        if matches!(tag.name, "worksheetSource" | "rangeSet") {
            let named = tag
                .text("sheet")
                .is_some_and(|it| it.to_lowercase() == book.sheets[self.sheet].name.to_lowercase());
            if !named || tag.attribute("id").is_some() {
                return Change::Same;
            }
            return Change::of(with_attributes(tag.raw, |name, raw| match name {
                "ref" => self.area(refs::area(raw)?).map(|it| it.to_string()),
                _ => None,
            }));
        }
        let is_own = sheet == Some(self.sheet);
        let mut is_gone = false;
        let new = with_attributes(tag.raw, |name, raw| {
            if FORMULA_ATTRIBUTES.contains(&name) {
                return self.formula(book, &unescape(raw), sheet);
            }
            if !is_own {
                return None;
            }
            let mut lost = |new: Option<String>| {
                is_gone |= new.is_none();
                new
            };
            match (tag.name, name) {
                ("row" | "c", _) => None,
                ("selection", "sqref") => {
                    Some(self.areas(&unescape(raw)).unwrap_or_else(|| raw.to_owned()))
                }
                (_, "sqref") => lost(self.areas(&unescape(raw))),
                (_, "topLeftCell" | "activeCell") => {
                    let at = refs::cell(raw)?;
                    self.cell(at).map(|it| it.to_string())
                }
                ("brk", "id") if (parent == "rowBreaks") == self.is_rows => {
                    let number = raw.trim().parse::<u32>().ok().filter(|it| *it > 0)?;
                    lost(self.point(number).map(|it| it.to_string()))
                }
                ("singleXmlCell" | "cellWatch" | "inputCells" | "f", "r" | "r1" | "r2") => {
                    Some(self.cell(refs::cell(raw)?)?.to_string())
                }
                (_, "ref") => {
                    let (area, axis) = refs::wide_area(raw)?;
                    let new = self.area(area);
                    if tag.name == "mergeCell" && new.is_some_and(|it| it.is_cell()) {
                        return lost(None);
                    }
                    let pair = |it: Area| {
                        if raw.contains(':') && it.is_cell() {
                            format!("{}:{}", it.first, it.last)
                        } else {
                            shown(it, axis)
                        }
                    };
                    lost(new.map(pair))
                }
                _ => None,
            }
        });
        if tag.name == "pane" && is_own {
            return self.pane(tag, new);
        }
        if tag.name == "col" && is_own && !self.is_rows && parent == "cols" {
            return self.column(tag);
        }
        if is_gone && (MORTAL.contains(&tag.name) || tag.name == "brk") {
            Change::Gone
        } else {
            Change::of(new)
        }
    }

    /// Returns the tag of frozen panes. Rows and columns that come into or go from the frozen part change its size.
    fn pane(&self, tag: &Tag<'_>, new: Option<String>) -> Change {
        let raw = new.as_deref().unwrap_or(tag.raw);
        let split = if self.is_rows { "ySplit" } else { "xSplit" };
        let is_frozen = tag.attribute("state").is_some_and(|it| it.starts_with("frozen"));
        // Files write it as a decimal number at times.
        let frozen = tag.attribute(split).and_then(|it| it.trim().parse::<f64>().ok());
        let Some(frozen) = frozen.map(|it| it as u32).filter(|it| is_frozen && *it > 0) else {
            return Change::of(new);
        };
        // The first row of the view may be another one than the first row of the sheet.
        let top = tag.attribute("topLeftCell").and_then(refs::cell);
        let top = top.map_or(frozen + 1, |it| if self.is_rows { it.row } else { it.column });
        let end = self.at + self.count;
        let frozen = match self.is_insertion {
            true if self.at <= frozen && self.at < top => frozen + self.count,
            false if self.at <= frozen => {
                frozen - (end.min(frozen + 1).saturating_sub(self.at)).min(frozen - 1)
            }
            _ => return Change::of(new),
        };
        Change::Other(set_attribute(raw, split, &frozen.to_string()))
    }

    /// Returns the tag with the width of columns.
    fn column(&self, tag: &Tag<'_>) -> Change {
        let (Some(first), Some(last)) = (tag.number("min"), tag.number("max")) else {
            return Change::Same;
        };
        let span = match self.is_insertion {
            // New columns are as wide as the one on their left.
            true if first < self.at && self.at <= last + 1 => {
                Some((first, (last + self.count).min(refs::MAX_COLUMN)))
            }
            true if last == refs::MAX_COLUMN => self.point(first).map(|first| (first, last)),
            _ => self.span(first, last),
        };
        match span {
            Some(span) if span == (first, last) => Change::Same,
            Some((first, last)) => {
                let raw = set_attribute(tag.raw, "min", &first.to_string());
                Change::Other(set_attribute(&raw, "max", &last.to_string()))
            }
            None => Change::Gone,
        }
    }

    fn text(
        &self,
        book: &Book,
        raw: &str,
        name: &str,
        sheet: Option<usize>,
        anchor: &mut Anchor,
    ) -> Option<String> {
        if FORMULAS.contains(&name) {
            return self.formula(book, &unescape(raw), sheet).map(|it| escape(&it));
        }
        if sheet != Some(self.sheet) {
            return None;
        }
        let most = self.most();
        let below =
            |number: u32| self.point(number + 1).map_or(self.at.saturating_sub(1), |it| it - 1);
        let number = |raw: &str| raw.trim().parse::<u32>().ok().filter(|it| *it < most);
        match (name, self.is_rows) {
            ("sqref", _) => self.areas(&unescape(raw)),
            ("row", true) | ("col", false) if anchor.end != AnchorEnd::Other => {
                Some(anchor.moved(number(raw)?, below).to_string())
            }
            ("Row", true) | ("Column", false) => Some(below(number(raw)?).to_string()),
            ("Anchor", _) => {
                let mut parts: Vec<String> =
                    raw.split(',').map(|it| it.trim().to_owned()).collect();
                let (from, to) = if self.is_rows { (2, 6) } else { (0, 4) };
                let (top, bottom) = (number(parts.get(from)?)?, number(parts.get(to)?)?);
                let new = below(top);
                *parts.get_mut(from)? = new.to_string();
                *parts.get_mut(to)? = (new + bottom.saturating_sub(top)).to_string();
                Some(parts.join(", "))
            }
            _ => None,
        }
    }
}

/// Returns the areas of a rule: an attribute, or an element behind its formulas as in extensions.
fn areas_of(tag: &Tag<'_>, rest: &str) -> String {
    if let Some(areas) = tag.text("sqref") {
        return areas;
    }
    let mut is_next = false;
    for token in xml_tokens(rest) {
        match token {
            XmlToken::Tag(it) if it.closes(tag.name) => break,
            XmlToken::Tag(it) => is_next = it.name == "sqref" && it.kind == TagKind::Open,
            XmlToken::Text(text) if is_next => return unescape(text),
            _ => {}
        }
    }
    String::new()
}

enum Change {
    Same,
    Other(String),
    Gone,
}

impl Change {
    fn of(new: Option<String>) -> Self {
        new.map_or(Self::Same, Self::Other)
    }
}

pub(crate) fn shown(area: Area, axis: refs::Axis) -> String {
    match axis {
        refs::Axis::Cells => area.to_string(),
        refs::Axis::Columns => {
            format!(
                "{}:{}",
                refs::column_name(area.first.column),
                refs::column_name(area.last.column)
            )
        }
        refs::Axis::Rows => format!("{}:{}", area.first.row, area.last.row),
    }
}

/// Corrects the counts of lists, and removes those that are empty.
pub(crate) fn counted(xml: &str) -> String {
    let mut xml = xml.to_owned();
    for (list, item) in LISTS.into_iter().chain([("colBreaks", "brk"), ("cols", "col")]) {
        let Some((at, element)) = crate::xml::element(crate::xml::before_extensions(&xml), list)
        else {
            continue;
        };
        let count = crate::xml::children(element)
            .into_iter()
            .filter_map(crate::xml::first_tag)
            .filter(|it| it.name == item)
            .count();
        let new = match count {
            0 => String::new(),
            count => {
                let end = element.find('>').map_or(element.len(), |it| it + 1);
                let has_count = crate::xml::first_tag(element)
                    .is_some_and(|it| it.attribute("count").is_some());
                let tag = if has_count {
                    set_attribute(&element[..end], "count", &count.to_string())
                } else {
                    element[..end].to_owned()
                };
                tag + &element[end..]
            }
        };
        if new != element {
            xml = format!("{}{new}{}", &xml[..at], &xml[at + element.len()..]);
        }
    }
    xml
}
