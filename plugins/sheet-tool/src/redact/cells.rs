//! Cells: shared texts, texts and numbers as they are stored and shown, and formulas.

use super::found::Found;
use super::parts::cleaned;
use super::terms::{MASK, Terms};
use crate::book::{Book, CellEdit, CellSource, Content, FormulaKind, cells, shown_formula};
use crate::calc::{Seed, Session};
use crate::display::formatted;
use crate::edit::{Batch, expand};
use crate::error::Result;
use crate::formula::translated;
use crate::refs::{Area, At};
use crate::value::Scalar;
use crate::xml::{set_attribute, xml_tokens};
use std::collections::BTreeSet;

/// Masks the shared texts, and returns the number of hits of each.
pub(super) fn shared(book: &mut Book, terms: &Terms) -> Result<Vec<usize>> {
    let counts = (0..book.shared_count())
        .map(|it| terms.hits(&book.shared_text(it).unwrap_or_default()).len())
        .collect();
    if let Some(new) = cleaned(book.shared_source(), terms) {
        book.set_shared_source(new.xml)?;
    }
    Ok(counts)
}

/// What becomes of a cell.
struct Change {
    at: At,
    hits: usize,
    /// `None` if its shared text was masked already.
    value: Option<Scalar>,
    loses_formula: bool,
    is_shared_formula: bool,
}

/// Masks cells, and returns the number of those that changed. `shared` are the hits of the shared texts before they were masked.
pub(super) fn clean(
    batch: &mut Batch,
    terms: &Terms,
    shared: Option<Vec<usize>>,
    found: &mut Found,
) -> Result<usize> {
    batch.book.flush();
    let is_first = shared.is_some();
    let mut used = BTreeSet::new();
    let mut session = Session::of_new(&batch.book);
    let mut total = 0;
    for sheet in 0..batch.book.sheets.len() {
        let Some(text) = &mut batch.book.sheets[sheet].text else { continue };
        let groups = text.shared().clone();
        let has_arrays = !text.arrays().is_empty();
        let book = &batch.book;
        let Some(text) = &book.sheets[sheet].text else { continue };
        let mut changes = Vec::new();
        for row in &text.rows {
            for cell in cells(text.row_text(row)) {
                let at = At { row: row.number, column: cell.column };
                let index = shared_index(&cell);
                if let (Some(counts), Some(index)) = (&shared, index) {
                    used.insert(index);
                    let hits = counts.get(index).copied().unwrap_or(0);
                    if hits > 0 && !cell.has_formula() {
                        changes.push(Change {
                            at,
                            hits,
                            value: None,
                            loses_formula: false,
                            is_shared_formula: false,
                        });
                    }
                }
                if index.is_some() && !cell.has_formula() {
                    continue;
                }
                // Later rounds are only for what was calculated anew.
                if !is_first && !has_arrays && !cell.has_formula() {
                    continue;
                }
                let mut value = cell.value(&|index| book.shared_text(index));
                let formula = cell.formula();
                if formula.is_some()
                    && value == Scalar::Empty
                    && let Some(session) = &mut session
                {
                    value = session.value(book, sheet, at);
                }
                let kind = formula.as_ref().map(|it| &it.kind);
                let source = match (&formula, kind) {
                    (Some(it), Some(FormulaKind::Shared(group))) if it.text.is_empty() => {
                        groups.get(group).map(|(first, text)| {
                            let by = |a: u32, b: u32| i64::from(a) - i64::from(b);
                            translated(text, by(at.row, first.row), by(at.column, first.column))
                        })
                    }
                    (Some(it), _) => Some(it.text.clone()),
                    _ => None,
                };
                let in_formula =
                    source.as_ref().map_or(0, |it| terms.hits(&shown_formula(it)).len());
                let masked = masked_value(book, &cell, &value, terms);
                if in_formula == 0 && masked.is_none() {
                    continue;
                }
                found.numbers +=
                    usize::from(masked.is_some() && matches!(value, Scalar::Number(_)));
                let (value, in_value) = masked.unwrap_or((value, 0));
                changes.push(Change {
                    at,
                    hits: in_formula + in_value,
                    value: Some(value),
                    loses_formula: formula.is_some(),
                    is_shared_formula: matches!(kind, Some(FormulaKind::Shared(_))),
                });
            }
        }
        total += changes.len();
        if changes.iter().any(|it| it.is_shared_formula) {
            expand(&mut batch.book, sheet)?;
        }
        for change in changes {
            found.note(&batch.place(sheet, change.at), change.hits);
            found.formulas += usize::from(change.loses_formula);
            let Change { at, value, .. } = change;
            batch.seeds.push(Seed {
                sheet,
                area: Area::cell(at.row, at.column),
                includes_itself: false,
            });
            if let Some(value) = value {
                let content = Some(Content::Value(value));
                let edit = CellEdit { content, ..CellEdit::default() };
                batch.book.text_mut(sheet)?.edit(at, edit);
            }
        }
    }
    batch.book.flush();
    let unused: usize = shared
        .iter()
        .flatten()
        .enumerate()
        .filter(|it| !used.contains(&it.0))
        .map(|it| *it.1)
        .sum();
    if unused > 0 {
        found.note("shared texts that no cell uses", unused);
    }
    Ok(total)
}

fn shared_index(cell: &CellSource<'_>) -> Option<usize> {
    let is_shared = match cell.simple() {
        Some((kind, text)) => return text.trim().parse().ok().filter(|_| kind == "s"),
        None => cell.tag().is_some_and(|tag| tag.attribute("t") == Some("s")),
    };
    cell.value_text().filter(|_| is_shared)?.trim().parse().ok()
}

/// Returns the value of a cell without its hits, as text, and their number; `None` if it has none. A number is looked at as it is
/// stored and as it is shown.
fn masked_value(
    book: &Book,
    cell: &CellSource<'_>,
    value: &Scalar,
    terms: &Terms,
) -> Option<(Scalar, usize)> {
    let text = match value {
        Scalar::Empty => return None,
        Scalar::Text(text) => text.to_string(),
        other => {
            let style = cell.style();
            let display = formatted(other, &book.styles.code(style), book.from_1904);
            let mut forms: Vec<String> = Vec::new();
            let mut note = |form: String| {
                // Most are the same, and each costs a search.
                if form != display && !forms.contains(&form) {
                    forms.push(form);
                }
            };
            match other {
                Scalar::Number(number) => {
                    note(cell.value_text().unwrap_or_default().to_owned());
                    note(crate::book::digits(*number));
                    if book.styles.shows_dates(style) {
                        note(crate::moment::iso(*number, book.from_1904));
                    }
                }
                other => note(other.shown()),
            }
            if !terms.has(&display) {
                let hits =
                    forms.iter().map(|it| terms.hits(it).len()).max().filter(|it| *it > 0)?;
                let width = display.chars().count().max(1);
                return Some((Scalar::text(MASK.to_string().repeat(width)), hits));
            }
            display
        }
    };
    terms.masked(&text).map(|(text, hits)| (Scalar::text(text), hits))
}

/// Masks names and columns of tables. The heads of a table have the same texts, and no two are the same.
pub(super) fn tables(batch: &mut Batch, terms: &Terms, found: &mut Found) -> Result<()> {
    for (number, table) in batch.book.tables.clone().into_iter().enumerate() {
        let Some(xml) = batch.book.package.text(&table.part)? else { continue };
        let mut columns: Vec<String> = Vec::new();
        let mut hits = 0;
        for name in &table.area.columns {
            let masked = terms.masked(name);
            hits += masked.as_ref().map_or(0, |it| it.1);
            let plain = masked.map_or(name.clone(), |it| it.0);
            let mut new = plain.clone();
            let mut count = 1;
            while columns.iter().any(|it| it.to_lowercase() == new.to_lowercase()) {
                count += 1;
                new = format!("{plain}{count}");
            }
            columns.push(new);
        }
        let is_named = terms.has(&table.name);
        if hits == 0 && !is_named {
            continue;
        }
        found.note(&format!("table {}", number + 1), hits + usize::from(is_named));
        let mut out = String::with_capacity(xml.len());
        let mut next = columns.iter();
        for token in xml_tokens(&xml) {
            use crate::xml::XmlToken::{Other, Tag, Text};
            match token {
                Tag(tag) if tag.opens("tableColumn") => match next.next() {
                    Some(name) => out.push_str(&set_attribute(tag.raw, "name", name)),
                    None => out.push_str(tag.raw),
                },
                Tag(tag) if tag.opens("table") && is_named => {
                    let name = format!("Redacted{}", number + 1);
                    let raw = set_attribute(tag.raw, "displayName", &name);
                    out.push_str(&set_attribute(&raw, "name", &name));
                    found.warnings.push(format!("table {} is called `{name}` now", number + 1));
                }
                Tag(tag) => out.push_str(tag.raw),
                Text(raw) | Other(raw) => out.push_str(raw),
            }
        }
        batch.book.package.set(&table.part, out);
        if !table.area.has_header {
            continue;
        }
        for (at, (old, new)) in table.area.columns.iter().zip(&columns).enumerate() {
            if old != new {
                let first = table.area.area.first;
                let place = At { row: first.row, column: first.column + at as u32 };
                let content = Some(Content::Value(Scalar::text(new)));
                let edit = CellEdit { content, ..CellEdit::default() };
                batch.book.text_mut(table.area.sheet)?.edit(place, edit);
            }
        }
    }
    batch.book.flush();
    batch.book.refresh()
}
