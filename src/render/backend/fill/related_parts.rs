//! Parts that must follow the sheets: tables, drawings, charts, comments, controls, pivot tables, the workbook itself.
//!
//! All other parts stay as they are.

use super::adjust::{Adjust, Owner, names};
use super::book::Book;
use super::calculate::{Changed, named_areas};
use super::columns::ColumnPlan;
use super::layout::Layout;
use super::model::{Content, OutSheet};
use super::package::Package;
use super::plan::SheetPlan;
use super::problems::Problems;
use super::refs::{self, Area};
use super::scope::Values;
use super::shift::Shift;
use super::shown::in_text;
use super::warnings::Warnings;
use crate::shared::xml_tokens::{TagKind, XmlToken, set_attribute, unescape, xml_tokens};
use mitt_base::Result;

/// A part that belongs to one sheet or to all.
struct RelatedPart {
    name: String,
    sheet: Option<usize>,
    /// The sheet on which it is shown.
    shown_on: Option<usize>,
    kind: PartKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PartKind {
    Drawing,
    Chart,
    PivotCache,
    Comments,
    Other,
}

/// An Excel table.
#[derive(Clone, Debug)]
pub(super) struct Table {
    pub(super) sheet: usize,
    pub(super) name: String,
    pub(super) area: Area,
    pub(super) has_header: bool,
    pub(super) has_totals: bool,
    pub(super) columns: Vec<String>,
}

pub(super) struct RelatedParts {
    parts: Vec<RelatedPart>,
    tables: Vec<Table>,
    /// Placeholders in texts of drawings and headers, their places, and the sheets on which they are shown.
    texts: Vec<(String, String, Option<usize>)>,
}

impl RelatedParts {
    pub(super) fn read(
        package: &mut Package<'_>,
        book: &Book,
        sheets: &[Option<String>],
    ) -> Result<RelatedParts> {
        let mut related = RelatedParts { parts: Vec::new(), tables: Vec::new(), texts: Vec::new() };
        let mut charts_on = std::collections::HashMap::new();
        for (number, sheet) in book.sheets.iter().enumerate() {
            let moves = sheets.get(number).is_some_and(Option::is_some);
            for it in package.relationships(&sheet.part)?.into_iter().filter(|it| !it.external) {
                let kind = match it.kind.as_str() {
                    "drawing" => PartKind::Drawing,
                    "comments" => PartKind::Comments,
                    "table" | "tableSingleCells" | "threadedComment" | "vmlDrawing"
                    | "ctrlProp" | "pivotTable" | "queryTable" | "namedSheetView" => {
                        PartKind::Other
                    }
                    _ => continue,
                };
                if it.kind == "table"
                    && let Some(xml) = package.text(&it.target)?
                {
                    related.tables.extend(table(number, &xml));
                }
                let sheet = Some(number).filter(|_| moves);
                if kind == PartKind::Drawing {
                    let all = package.relationships(&it.target)?;
                    charts_on.extend(
                        all.into_iter()
                            .filter(|it| it.kind == "chart")
                            .map(|it| (it.target.to_lowercase(), number)),
                    );
                }
                let shown_on = Some(number);
                related.parts.push(RelatedPart { name: it.target, sheet, shown_on, kind });
            }
        }
        let charts = package.names().filter(|name| {
            let lower = name.to_lowercase();
            let file = lower.rsplit('/').next().unwrap_or_default();
            lower.contains("/chart") && file.starts_with("chart") && file.ends_with(".xml")
        });
        let charts: Vec<RelatedPart> = charts
            .map(|name| RelatedPart {
                name: name.to_owned(),
                sheet: None,
                shown_on: charts_on.get(&name.to_lowercase()).copied(),
                kind: PartKind::Chart,
            })
            .filter(|part| {
                !book.sheets.iter().any(|sheet| sheet.part.eq_ignore_ascii_case(&part.name))
            })
            .collect();
        related.parts.extend(charts);
        for it in package.relationships(&book.part)? {
            if it.kind == "pivotCacheDefinition" && !it.external {
                let kind = PartKind::PivotCache;
                let (sheet, shown_on) = (None, None);
                related.parts.push(RelatedPart { name: it.target, sheet, shown_on, kind });
            }
        }
        for part in
            related.parts.iter().filter(|it| matches!(it.kind, PartKind::Drawing | PartKind::Chart))
        {
            if let Some(xml) = package.text(&part.name)? {
                let all = names(&xml).into_iter();
                related.texts.extend(all.map(|name| (name, part.name.clone(), part.shown_on)));
            }
        }
        for (number, (sheet, xml)) in book.sheets.iter().zip(sheets).enumerate() {
            // It is near the end, far behind the rows.
            let tail = xml.as_ref().and_then(|xml| {
                let end = xml.rfind("headerFooter")?;
                xml.get(xml[..end].rfind("headerFooter")?..end)
            });
            if let Some(tail) = tail {
                let place = format!("header or footer of `{}`", sheet.name);
                let all = names(tail).into_iter();
                related.texts.extend(all.map(|name| (name, place.clone(), Some(number))));
            }
        }
        Ok(related)
    }

    pub(super) fn tables(&self) -> &[Table] {
        &self.tables
    }

    /// Checks that placeholders outside of cells have values.
    pub(super) fn check_texts<'v>(
        &self,
        values: &Values<'v>,
        layout: &Layout<'v>,
        problems: &mut Problems,
    ) {
        for (mark, place, sheet) in &self.texts {
            let scope = sheet.and_then(|sheet| layout.sheet_scope(sheet));
            in_text(values, mark, &scope, (place, problems));
        }
    }

    /// Checks that no table has columns that are repeated, because each of its columns has a name.
    pub(super) fn check_columns(&self, book: &Book, plans: &[ColumnPlan], problems: &mut Problems) {
        for table in &self.tables {
            let columns = table.area.first.column..=table.area.last.column;
            let Some(plan) = plans.get(table.sheet) else { continue };
            let sheet = book.sheets.get(table.sheet).map_or("", |it| it.name.as_str());
            for column in columns.filter(|column| plan.moves.block(*column).is_some()) {
                let at = refs::At { row: table.area.first.row, column };
                problems.other(format!("{sheet}!{at}: columns of the table `{}` cannot be repeated; turn the table into a range in Excel (Table Design, Convert to Range)", table.name));
            }
        }
    }

    /// Checks that no comment and no whole table stands in rows that a condition removes.
    pub(super) fn check_dropped(
        &self,
        package: &mut Package<'_>,
        book: &Book,
        plans: &[SheetPlan<'_>],
        (problems, warnings): (&mut Problems, &mut Warnings),
    ) -> Result<()> {
        for part in self.parts.iter().filter(|part| part.kind == PartKind::Drawing) {
            let Some(plan) = part.sheet.and_then(|sheet| plans.get(sheet)) else { continue };
            if plan.moves.drops(1, u32::MAX)
                && let Some(xml) = package.text(&part.name)?
                && anchor_rows(&xml).any(|row| plan.moves.drops(row, row))
            {
                warnings.add(
                    "drawings in rows that a condition removed stay, at the next row",
                    &part.name,
                );
            }
        }
        for part in self.parts.iter().filter(|part| part.kind == PartKind::Comments) {
            let Some(sheet) = part.sheet else { continue };
            let Some(plan) = plans.get(sheet).filter(|plan| plan.moves.drops(1, u32::MAX)) else {
                continue;
            };
            let name = book.sheets.get(sheet).map_or("", |it| it.name.as_str());
            let Some(xml) = package.text(&part.name)? else { continue };
            for token in xml_tokens(&xml) {
                let XmlToken::Tag(tag) = token else { continue };
                let at = tag.attribute("ref").and_then(refs::cell).filter(|_| tag.opens("comment"));
                if let Some(at) = at.filter(|at| plan.moves.drops(at.row, at.row)) {
                    problems.other(format!("{name}!{at}: a condition removes this row, which has a comment; delete the comment in the template"));
                }
            }
        }
        for table in &self.tables {
            let Some(plan) = plans.get(table.sheet) else { continue };
            let first = table.area.first.row + u32::from(table.has_header);
            let last = table.area.last.row - u32::from(table.has_totals);
            let name = book.sheets.get(table.sheet).map_or("", |it| it.name.as_str());
            if (first..=last).all(|row| plan.moves.drops(row, row)) && first <= last {
                problems.other(format!(
                    "{name}!{}: a condition removes all rows of the table `{}`; keep one of them",
                    table.area, table.name
                ));
            }
        }
        Ok(())
    }

    /// Checks that heads and totals of tables stay, because the table repeats them.
    pub(super) fn check_tables(
        &self,
        book: &Book,
        shift: &Shift<'_>,
        sheets: &[Option<OutSheet<'_>>],
        (problems, copies_only): (&mut Problems, bool),
    ) {
        for table in &self.tables {
            let (Some(moves), Some(Some(out))) =
                (shift.moves.get(table.sheet), sheets.get(table.sheet))
            else {
                continue;
            };
            let sheet = book.sheets.get(table.sheet).map_or("", |it| it.name.as_str());
            let mut rows = Vec::new();
            rows.extend(Some(table.area.first.row).filter(|_| table.has_header));
            rows.extend(Some(table.area.last.row).filter(|_| table.has_totals));
            for row in rows {
                if moves.block(row).is_some() || moves.is_removed(row) {
                    problems.other(format!("{sheet}!{row}: the head and the totals of the table `{}` cannot be repeated", table.name));
                }
            }
            if !table.has_header || copies_only {
                continue;
            }
            let head = moves.first(table.area.first.row);
            let Some(row) = out.rows.iter().find(|row| row.number == head) else { continue };
            let columns = table.area.first.column..=table.area.last.column;
            for cell in row.cells.iter().filter(|cell| columns.contains(&cell.column)) {
                if matches!(cell.content, Content::Value { .. }) {
                    let at = refs::At { row: head, column: cell.column };
                    problems.other(format!("{sheet}!{at}: the names of columns of the table `{}` cannot be filled, as formulas use them", table.name));
                }
            }
        }
    }

    /// Adjusts all parts after cells have moved and changed.
    pub(super) fn adjust(
        &self,
        package: &mut Package<'_>,
        adjust: &Adjust<'_, '_>,
        changed: &Changed,
        warnings: &mut Warnings,
    ) -> Result<()> {
        let moves = !adjust.shift.is_nothing();
        for part in &self.parts {
            let texts = matches!(part.kind, PartKind::Drawing | PartKind::Chart);
            if !moves && !texts && part.kind != PartKind::PivotCache {
                continue;
            }
            let Some(xml) = package.text(&part.name)? else { continue };
            let new = adjust.part(
                &xml,
                Owner {
                    sheet: part.sheet,
                    scope: part.shown_on,
                    moves,
                    texts,
                    grows: part.kind == PartKind::Chart,
                },
            );
            let now = new.as_deref().unwrap_or(&xml);
            let further = match part.kind {
                PartKind::Chart if !changed.is_empty() => {
                    without_caches(now, adjust.shift.book, changed)
                }
                PartKind::PivotCache if !changed.is_empty() => {
                    refreshed(now, adjust.shift.book, changed)
                }
                _ => None,
            };
            if further.is_some() && part.kind == PartKind::PivotCache {
                warnings.add("pivot tables over cells that changed show their old values until Excel opens the file", &part.name);
            }
            if let Some(xml) = further.or(new) {
                package.set(&part.name, xml);
            }
        }
        Ok(())
    }

    /// Adjusts the workbook part: names, and recalculation on opening.
    pub(super) fn finish_book(
        &self,
        package: &mut Package<'_>,
        book: &Book,
        adjust: &Adjust<'_, '_>,
        calculates: bool,
    ) -> Result<()> {
        let moves = !adjust.shift.is_nothing();
        let owner = Owner { sheet: None, scope: None, moves, texts: false, grows: false };
        let new = adjust.part(&book.xml, owner);
        let new =
            if calculates { Some(calculated(new.as_deref().unwrap_or(&book.xml))) } else { new };
        if let Some(xml) = new.filter(|xml| *xml != book.xml) {
            package.set(&book.part, xml);
        }
        if !calculates {
            return Ok(());
        }
        // The calculation order names cells that may have moved; Excel restores it.
        let chain =
            package.relationships(&book.part)?.into_iter().find(|it| it.kind == "calcChain");
        let Some(chain) = chain.filter(|it| package.has(&it.target)) else { return Ok(()) };
        let rels = super::package::rels_of(&book.part);
        for (part, element, attribute, value) in [
            (rels.as_str(), "Relationship", "Id", chain.id.clone()),
            ("[Content_Types].xml", "Override", "PartName", format!("/{}", chain.target)),
        ] {
            if let Some(xml) = package.text(part)? {
                package.set(part, without(&xml, element, attribute, &value));
            }
        }
        package.remove(&chain.target);
        Ok(())
    }
}

/// Returns the rows in which drawings begin.
fn anchor_rows(xml: &str) -> impl Iterator<Item = u32> {
    let (mut in_from, mut in_row) = (false, false);
    xml_tokens(xml).filter_map(move |token| match token {
        XmlToken::Tag(tag) => {
            match tag.name {
                "from" => in_from = tag.kind == TagKind::Open,
                "row" => in_row = tag.kind == TagKind::Open,
                _ => {}
            }
            None
        }
        XmlToken::Text(text) if in_from && in_row => {
            text.trim().parse::<u32>().ok()?.checked_add(1)
        }
        _ => None,
    })
}

fn table(sheet: usize, xml: &str) -> Option<Table> {
    let mut table = None;
    for token in xml_tokens(xml) {
        let XmlToken::Tag(tag) = token else { continue };
        if tag.opens("table") && table.is_none() {
            table = Some(Table {
                sheet,
                name: tag.text("displayName").or_else(|| tag.text("name")).unwrap_or_default(),
                area: refs::area(&tag.text("ref")?)?,
                has_header: tag.number("headerRowCount") != Some(0),
                has_totals: tag.number("totalsRowCount").is_some_and(|count| count > 0),
                columns: Vec::new(),
            });
        } else if tag.opens("tableColumn")
            && let Some(table) = &mut table
        {
            table.columns.push(super::book::decoded(&tag.text("name").unwrap_or_default()));
        }
    }
    table
}

/// Removes empty elements with an attribute of this value.
fn without(xml: &str, element: &str, attribute: &str, value: &str) -> String {
    let mut out = String::with_capacity(xml.len());
    for token in xml_tokens(xml) {
        match token {
            XmlToken::Tag(tag)
                if tag.opens(element)
                    && tag.kind == TagKind::Empty
                    && tag.text(attribute).is_some_and(|it| it.eq_ignore_ascii_case(value)) => {}
            XmlToken::Tag(tag) => out.push_str(tag.raw),
            XmlToken::Text(text) | XmlToken::Other(text) => out.push_str(text),
        }
    }
    out
}

/// Requests recalculation on opening.
fn calculated(xml: &str) -> String {
    const BEHIND: [&str; 9] = [
        "oleSize",
        "customWorkbookViews",
        "pivotCaches",
        "smartTagPr",
        "smartTagTypes",
        "webPublishing",
        "fileRecoveryPr",
        "webPublishObjects",
        "extLst",
    ];
    let has_one = xml_tokens(xml).any(|it| matches!(it, XmlToken::Tag(tag) if tag.opens("calcPr")));
    let mut out = String::with_capacity(xml.len() + 40);
    let mut done = false;
    let mut depth = 0_u32;
    for token in xml_tokens(xml) {
        if let XmlToken::Tag(tag) = token {
            if tag.kind == TagKind::Close {
                depth = depth.saturating_sub(1);
            }
            if tag.opens("calcPr") {
                out.push_str(&set_attribute(tag.raw, "fullCalcOnLoad", "1"));
                depth += u32::from(tag.kind == TagKind::Open);
                continue;
            }
            let is_behind = depth == 1 && tag.kind != TagKind::Close && BEHIND.contains(&tag.name)
                || tag.closes("workbook");
            if !has_one && !done && is_behind {
                out.push_str(&format!("<{}calcPr fullCalcOnLoad=\"1\"/>", tag.prefix()));
                done = true;
            }
            depth += u32::from(tag.kind == TagKind::Open);
        }
        out.push_str(match token {
            XmlToken::Tag(tag) => tag.raw,
            XmlToken::Text(text) | XmlToken::Other(text) => text,
        });
    }
    out
}

/// Removes a chart's cached values of cells that changed; programs read them from the cells.
fn without_caches(xml: &str, book: &Book, changed: &Changed) -> Option<String> {
    let mut out = String::with_capacity(xml.len());
    let (mut in_formula, mut drops, mut dropped) = (false, false, false);
    let mut all = xml_tokens(xml);
    while let Some(token) = all.next() {
        match token {
            XmlToken::Tag(tag) => {
                let is_cache =
                    matches!(tag.name, "numCache" | "strCache" | "multiLvlStrCache" | "lvl");
                if is_cache && drops && tag.kind == TagKind::Open {
                    dropped = true;
                    all.by_ref()
                        .find(|it| matches!(it, XmlToken::Tag(end) if end.closes(tag.name)));
                    continue;
                }
                in_formula = tag.name == "f" && tag.kind == TagKind::Open;
                if tag.kind == TagKind::Close
                    && matches!(
                        tag.name,
                        "numRef" | "strRef" | "multiLvlStrRef" | "numDim" | "strDim"
                    )
                {
                    drops = false;
                }
                out.push_str(tag.raw);
            }
            XmlToken::Text(text) => {
                if in_formula {
                    let areas = named_areas(book, &unescape(text));
                    drops = areas.is_none_or(|all| {
                        all.iter().any(|(sheet, area)| changed.has(*sheet, *area))
                    });
                }
                out.push_str(text);
            }
            XmlToken::Other(text) => out.push_str(text),
        }
    }
    dropped.then_some(out)
}

/// Requests a refresh of pivot tables on opening if their source changed.
fn refreshed(xml: &str, book: &Book, changed: &Changed) -> Option<String> {
    let source = xml_tokens(xml).find_map(|token| match token {
        XmlToken::Tag(tag) if tag.opens("worksheetSource") => Some(tag),
        _ => None,
    })?;
    let area = source.attribute("ref").and_then(refs::area);
    let sheet = source.text("sheet").and_then(|name| book.sheet(&name));
    // A source by name may be anywhere.
    let touched = area.zip(sheet).is_none_or(|(area, sheet)| changed.has(sheet, area));
    if !touched || source.attribute("id").is_some() {
        return None;
    }
    let mut out = String::with_capacity(xml.len() + 20);
    for token in xml_tokens(xml) {
        match token {
            XmlToken::Tag(tag) if tag.opens("pivotCacheDefinition") => {
                out.push_str(&set_attribute(tag.raw, "refreshOnLoad", "1"));
            }
            XmlToken::Tag(tag) => out.push_str(tag.raw),
            XmlToken::Text(text) | XmlToken::Other(text) => out.push_str(text),
        }
    }
    Some(out)
}
