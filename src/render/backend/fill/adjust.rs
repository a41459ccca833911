//! Adjusts everything except the cells after rows have moved and values have changed: the frame of a sheet, tables, charts,
//! drawings, comments, controls, pivot tables, names.
//!
//! Each change concerns one attribute or one text; the rest of a part stays byte for byte.

use super::layout::Layout;
use super::placeholder::{Token, spans, tokens};
use super::problems::Problems;
use super::scope::{Scope, Values};
use super::shift::{Axis, From, Shift};
use super::shown::in_text;
use crate::shared::xml_tokens::{
    Tag, TagKind, XmlToken, escape, unescape, with_attributes, xml_tokens,
};

/// Owner of a part, and what to adjust in it.
#[derive(Clone, Copy)]
pub(super) struct Owner {
    /// Sheet for addresses that name none.
    pub(super) sheet: Option<usize>,
    /// Sheet whose repetition is around its texts.
    pub(super) scope: Option<usize>,
    /// `true` if addresses and formulas in it are moved.
    pub(super) moves: bool,
    /// `true` if placeholders in its texts are filled.
    pub(super) texts: bool,
    /// `true` if one cell of a repeated row stands for all of its copies.
    pub(super) grows: bool,
}

/// Elements whose text is a formula.
pub(super) const FORMULAS: [&str; 12] = [
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
pub(super) const FORMULA_ATTRIBUTES: [&str; 6] =
    ["fmlaLink", "fmlaRange", "fmlaGroup", "fmlaTxbx", "location", "textlink"];
/// Elements with text for readers, in drawings and charts, headers and footers, comments.
const TEXTS: [&str; 7] =
    ["t", "oddHeader", "evenHeader", "firstHeader", "oddFooter", "evenFooter", "firstFooter"];

/// Adjusts parts.
pub(super) struct Adjust<'p, 'v> {
    pub(super) shift: &'p Shift<'p>,
    pub(super) values: &'p Values<'v>,
    pub(super) layout: &'p Layout<'v>,
    /// `true` in the last pass, which fills texts.
    pub(super) fills: bool,
}

impl<'v> Adjust<'_, 'v> {
    /// Returns a part, or the piece of one around the rows, adjusted; `None` if nothing changes.
    pub(super) fn part(&self, xml: &str, owner: Owner) -> Option<String> {
        let mut out = String::new();
        let mut copied = 0;
        let mut open: Vec<&str> = Vec::new();
        let mut all = xml_tokens(xml);
        let mut anchor = Anchor::default();
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
                    let parent =
                        open.iter().rev().nth(usize::from(tag.kind == TagKind::Open)).copied();
                    self.tag(&tag, parent.unwrap_or_default(), owner)
                }
                XmlToken::Text(text) => {
                    let name = open.last().copied().unwrap_or_default();
                    self.text(text, name, owner, &mut anchor)
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
        Some(out)
    }

    fn tag(&self, tag: &Tag<'_>, parent: &str, owner: Owner) -> Option<String> {
        if tag.kind == TagKind::Close || !owner.moves {
            return None;
        }
        if tag.name == "worksheetSource" {
            return self.source(tag);
        }
        let sheet = owner.sheet;
        with_attributes(tag.raw, |name, raw| {
            let formula = |sheet| {
                let from = From { sheet, ..From::default() };
                self.shift.formula(&unescape(raw), from).0
            };
            if FORMULA_ATTRIBUTES.contains(&name) {
                return formula(sheet);
            }
            let sheet = sheet?;
            match (tag.name, name) {
                // These were moved already, with their copies.
                ("mergeCell" | "hyperlink" | "row" | "c", _) => None,
                (_, "sqref") => self.shift.areas(&unescape(raw), sheet),
                (_, "topLeftCell" | "activeCell") => self.shift.cell(raw, sheet),
                ("brk", "id") if parent == self.breaks() => {
                    let row = raw.trim().parse::<u32>().ok().filter(|row| *row > 0)?;
                    Some(self.shift.moves.get(sheet)?.last(row).to_string())
                }
                ("singleXmlCell" | "cellWatch" | "inputCells", "r") => self.shift.cell(raw, sheet),
                (_, "ref") => self.shift.area(raw, sheet),
                _ => None,
            }
        })
    }

    /// Returns the element around the breaks of pages that move.
    fn breaks(&self) -> &'static str {
        match self.shift.axis {
            Axis::Rows => "rowBreaks",
            Axis::Columns => "colBreaks",
        }
    }

    /// Returns the tag for the source of a pivot table.
    fn source(&self, tag: &Tag<'_>) -> Option<String> {
        let sheet = self.shift.book.sheet(&tag.text("sheet")?)?;
        with_attributes(tag.raw, |name, raw| match name {
            "ref" => self.shift.area(raw, sheet),
            _ => None,
        })
    }

    fn text(&self, raw: &str, name: &str, owner: Owner, anchor: &mut Anchor) -> Option<String> {
        if owner.moves && FORMULAS.contains(&name) {
            let from = From {
                sheet: owner.sheet,
                grows: owner.grows,
                is_list: name == "definedName",
                ..From::default()
            };
            return self.shift.formula(&unescape(raw), from).0.map(|it| escape(&it));
        }
        if self.fills && owner.texts && TEXTS.contains(&name) && raw.contains("{{") {
            let is_frame = name != "t";
            let scope = owner.scope.and_then(|sheet| self.layout.sheet_scope(sheet));
            return self.filled(&unescape(raw), is_frame, &scope).map(|it| escape(&it));
        }
        let moves = owner.sheet.and_then(|sheet| self.shift.moves.get(sheet));
        let moves = moves.filter(|moves| owner.moves && !moves.is_nothing())?;
        let below = |row: u32| moves.first(row.saturating_add(1)) - 1;
        let number =
            |text: &str| text.trim().parse::<u32>().ok().filter(|row| *row < super::refs::MAX_ROW);
        // Names of the row or column in drawings, in old ones, and its places in the box of a comment.
        let (row, old_row, [top_at, bottom_at]) = match self.shift.axis {
            Axis::Rows => ("row", "Row", [2, 6]),
            Axis::Columns => ("col", "Column", [0, 4]),
        };
        match name {
            "sqref" => self.shift.areas(&unescape(raw), owner.sheet?),
            name if name == row && anchor.end != AnchorEnd::Other => {
                Some(anchor.row(number(raw)?, below).to_string())
            }
            // In old drawings: the row of a comment, and the position of its box.
            name if name == old_row => Some(below(number(raw)?).to_string()),
            "Anchor" => {
                let mut parts: Vec<String> =
                    raw.split(',').map(|it| it.trim().to_owned()).collect();
                let at = |parts: &[String], at: usize| number(parts.get(at)?);
                let (top, bottom) = (at(&parts, top_at)?, at(&parts, bottom_at)?);
                let new = below(top);
                *parts.get_mut(top_at)? = new.to_string();
                *parts.get_mut(bottom_at)? = (new + bottom.saturating_sub(top)).to_string();
                Some(parts.join(", "))
            }
            _ => None,
        }
    }

    /// Returns a text with its placeholders filled. In headers and footers `&` is doubled, because it begins a code there.
    fn filled(&self, text: &str, is_frame: bool, scope: &Scope<'v>) -> Option<String> {
        let mut changed = false;
        let mut out = String::new();
        for span in spans(text) {
            match span.token {
                Token::Value(mark) => {
                    changed = true;
                    // Mistakes were reported before anything was written.
                    let mut ignored = Problems::default();
                    let value = in_text(self.values, mark, scope, ("", &mut ignored));
                    if is_frame {
                        out.push_str(&value.replace('&', "&&"))
                    } else {
                        out.push_str(&value)
                    }
                }
                _ => out.push_str(text.get(span.start..span.end).unwrap_or_default()),
            }
        }
        changed.then_some(out)
    }
}

/// Returns the names of placeholders in the texts of a part.
pub(super) fn names(xml: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut name = "";
    if !xml.contains("{{") {
        return found;
    }
    for token in xml_tokens(xml) {
        match token {
            XmlToken::Tag(tag) => name = if tag.kind == TagKind::Open { tag.name } else { "" },
            XmlToken::Text(raw) if TEXTS.contains(&name) => {
                let text = unescape(raw);
                found.extend(tokens(&text).iter().filter_map(|it| match it {
                    Token::Value(name) => Some((*name).to_owned()),
                    _ => None,
                }));
            }
            _ => {}
        }
    }
    found
}

/// Anchor of a drawing. It keeps its size: a drawing beside repeated rows is not stretched over all of them.
#[derive(Default)]
struct Anchor {
    end: AnchorEnd,
    /// Number of rows by which its first row has moved.
    by: u32,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum AnchorEnd {
    From,
    To,
    #[default]
    Other,
}

impl Anchor {
    fn tag(&mut self, tag: &Tag<'_>) {
        match (tag.name, tag.kind) {
            ("from", TagKind::Open) => self.end = AnchorEnd::From,
            ("to", TagKind::Open) => self.end = AnchorEnd::To,
            ("from" | "to", TagKind::Close) => self.end = AnchorEnd::Other,
            _ => {}
        }
    }

    fn row(&mut self, row: u32, below: impl Fn(u32) -> u32) -> u32 {
        if self.end == AnchorEnd::From {
            self.by = below(row).saturating_sub(row);
            return below(row);
        }
        row.saturating_add(self.by)
    }
}
