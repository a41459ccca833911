//! Edits of what shapes hold: cells, rows and columns of tables, data of charts, and text that is replaced everywhere.

use crate::charts;
use crate::content::chart_part;
use crate::deck::Deck;
use crate::error::{Result, invalid, unsupported};
use crate::fitting::grow_frame;
use crate::grid::Grid;
use crate::package::relation_of;
use crate::scene::Sheet;
use crate::shapes::{Kind, Shape, graphic};
use crate::table_columns;
use crate::tables;
use crate::text::{paragraph, shorten};
use crate::workbook;
use crate::write::{Finding, find_all, replace_ranges};
use crate::xml::{Id, Ns, Splices};
use mitt_package::counted;
use std::collections::BTreeSet;

fn table(sheet: &Sheet, shape: &Shape) -> Result<Id> {
    let found = graphic(&sheet.xml, shape.node).filter(|_| shape.kind == Kind::Table);
    match found {
        Some(table) => Ok(table),
        None => invalid(format!(
            "expected a table, but the shape {} is a {}",
            shape.id,
            shape.kind.name()
        )),
    }
}

/// Sets a cell, and returns its old text.
///
/// # Errors
/// Those of [`tables::set_cell`].
pub(crate) fn set_cell(
    deck: &mut Deck,
    sheet: &Sheet,
    shape: &Shape,
    cell: (u32, u32),
    expected: Option<&str>,
    text: &str,
) -> Result<String> {
    let mut splices = Splices::default();
    let old =
        tables::set_cell(&sheet.xml, table(sheet, shape)?, cell, expected, text, &mut splices)?;
    deck.package.splice(&sheet.part, splices)?;
    Ok(old)
}

/// What is inserted into a table or deleted from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lines {
    Rows,
    Columns,
}

/// Inserts rows, which make the frame higher, or columns, which keep its width.
///
/// # Errors
/// Those of [`tables::insert_rows`] and [`table_columns::insert_columns`].
pub(crate) fn insert(
    deck: &mut Deck,
    sheet: &Sheet,
    shape: &Shape,
    lines: Lines,
    after: u32,
    new: &[Vec<String>],
) -> Result<()> {
    let xml = &sheet.xml;
    let table = table(sheet, shape)?;
    let mut splices = Splices::default();
    match lines {
        Lines::Rows => {
            let height = tables::insert_rows(xml, table, after, new, &mut splices)?;
            grow_frame(xml, shape.node, "cy", height, &mut splices);
        }
        Lines::Columns => table_columns::insert_columns(xml, table, after, new, &mut splices)?,
    }
    deck.package.splice(&sheet.part, splices)
}

/// Deletes a row, which makes the frame lower, or a column, which makes it narrower.
///
/// # Errors
/// Those of [`tables::delete_row`] and [`table_columns::delete_column`].
pub(crate) fn delete(
    deck: &mut Deck,
    sheet: &Sheet,
    shape: &Shape,
    lines: Lines,
    at: u32,
) -> Result<()> {
    let xml = &sheet.xml;
    let table = table(sheet, shape)?;
    let mut splices = Splices::default();
    let (extent, size) = match lines {
        Lines::Rows => ("cy", tables::delete_row(xml, table, at, &mut splices)?),
        Lines::Columns => ("cx", table_columns::delete_column(xml, table, at, &mut splices)?),
    };
    grow_frame(xml, shape.node, extent, -size, &mut splices);
    deck.package.splice(&sheet.part, splices)
}

/// Sets the data of a chart, in its part and in its workbook.
///
/// # Errors
/// Those of [`charts::set`].
pub(crate) fn set_chart(
    deck: &mut Deck,
    sheet: &Sheet,
    shape: &Shape,
    slide: u32,
    data: &Grid,
    warnings: &mut Vec<String>,
) -> Result<()> {
    if shape.kind != Kind::Chart {
        return invalid(format!(
            "expected a chart, but the shape {} is a {}",
            shape.id,
            shape.kind.name()
        ));
    }
    let part = chart_part(deck, sheet, shape);
    let Some(part) = part else { return unsupported("the chart has no part") };
    let xml = deck.package.xml(&part)?;
    let new = charts::set(&xml, data)?;
    let external =
        xml.child(xml.root(), Ns::C, "externalData").and_then(|it| relation_of(&xml, it));
    deck.package.splice(&part, new.splices)?;
    let relation = external.and_then(|it| deck.package.relation(&part, &it).ok());
    let embedded = relation.filter(|it| !it.is_external && deck.package.has(&it.target));
    let result = match (&embedded, &new.workbook) {
        (Some(relation), Some(change)) => {
            deck.package.bytes(&relation.target).and_then(|it| workbook::edit(it, change))
        }
        (None, _) => unsupported("the chart has no workbook inside"),
        (_, None) => {
            unsupported("the places of its data in the workbook are not plain ranges of one sheet")
        }
    };
    match (result, embedded) {
        (Ok(bytes), Some(relation)) => deck.package.put(&relation.target, bytes),
        (Err(error), _) => warnings.push(format!(
            "The chart s{slide}/{} shows the new data, but its workbook was not changed: {}.",
            shape.id,
            workbook::reason(&error)
        )),
        (Ok(_), None) => {}
    }
    Ok(())
}

/// What a replacement found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Replaced {
    pub(crate) count: usize,
    /// Slides and shapes whose text changed.
    pub(crate) shapes: BTreeSet<(u32, u32)>,
}

/// Replaces a text on all slides, in notes, charts and diagrams.
///
/// # Errors
/// [`crate::Error::Invalid`] - the text is nowhere.
pub(crate) fn replace(
    deck: &mut Deck,
    find: &str,
    replacement: &str,
    finding: Finding,
    warnings: &mut Vec<String>,
) -> Result<Replaced> {
    let mut out = Replaced::default();
    let mut left = 0;
    let mut seen = BTreeSet::new();
    for slide in deck.slides()? {
        let mut parts = vec![slide.part.clone()];
        for relation in deck.package.relations(&slide.part)? {
            let is_text = matches!(
                relation.kind(),
                "notesSlide" | "chart" | "diagramData" | "diagramDrawing"
            );
            if is_text && !relation.is_external && deck.package.has(&relation.target) {
                parts.push(relation.target);
            }
        }
        for part in parts.into_iter().filter(|it| seen.insert(it.clone())) {
            let sheet = Sheet::read(deck, &part)?;
            let xml = &sheet.xml;
            let mut splices = Splices::default();
            for node in xml.below(xml.root()).filter(|&it| xml.is(it, Ns::A, "p")) {
                let paragraph = paragraph(xml, node);
                let ranges = find_all(&paragraph.text, find, finding);
                let good: Vec<_> = ranges
                    .iter()
                    .filter(|&range| {
                        // Each alone, so that one in a field does not hinder the others.
                        let one = [(range.clone(), replacement.to_owned())];
                        replace_ranges(xml, &paragraph, &one, &mut Splices::default()).is_ok()
                    })
                    .map(|range| (range.clone(), replacement.to_owned()))
                    .collect();
                left += ranges.len() - good.len();
                if good.is_empty() {
                    continue;
                }
                replace_ranges(xml, &paragraph, &good, &mut splices)?;
                let place = xml.range(node);
                let parents = std::iter::successors(xml.parent(node), |&it| xml.parent(it));
                if !parents.into_iter().any(|it| xml.is(it, Ns::Mc, "Fallback")) {
                    out.count += good.len();
                }
                let holder = sheet.shapes.iter().rev().find(|it| {
                    let range = xml.range(it.node);
                    it.kind != Kind::Group && range.start < place.start && place.end < range.end
                });
                if let Some(shape) = holder.filter(|_| part == slide.part) {
                    out.shapes.insert((slide.id, shape.id));
                }
            }
            deck.package.splice(&part, splices)?;
        }
    }
    if left > 0 {
        let times = counted(left, "time");
        warnings.push(format!("`{}` was left {times} in fields or formulas.", shorten(find)));
    }
    if out.count == 0 {
        return invalid(format!("`{}` is not in the presentation", shorten(find)));
    }
    Ok(out)
}
