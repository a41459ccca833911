//! Finds the part of a document that a citation names.

use std::ops::RangeInclusive;
use std::sync::Arc;

use super::locator::{CellRange, Locator};
use super::rects::PagePlaces;
use super::region::{CellContent, Effort, Region};
use super::sheets::Sheets;
use super::slug::section;
use crate::document::Document;
use mitt_table::{CellRef, NamedTable};

/// Most cells of a place in a table.
const MAX_CELLS: usize = 100_000;

/// A paragraph of a Word file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paragraph {
    /// Anchor, such as `p12-3fa9`.
    pub anchor: String,
    /// Where it stands, such as `body` or `t0 r2 c3`.
    pub place: String,
    /// The text.
    pub text: String,
}

/// A document with what is known of its places.
pub struct Target {
    /// The document as it was read.
    pub document: Arc<Document>,
    /// Paragraphs of a Word file, if they could be read.
    pub paragraphs: Option<Vec<Paragraph>>,
    /// Cells of a workbook, if they could be read.
    pub sheets: Option<Sheets>,
    /// Where texts stand on pages of a PDF, if they could be looked up.
    pub page_places: PagePlaces,
}

/// What a citation names.
pub(super) enum Named<'a> {
    /// The place.
    Here(Region<'a>),
    /// The place cannot be looked up, but it is in this region.
    Within(Region<'a>),
    /// The place may be in a part of the document that was not kept.
    Unknown,
    /// There is no such place.
    Missing,
}

/// Returns the place that a locator names.
pub(super) fn find<'a>(target: &'a Target, locator: &Locator, effort: &mut Effort) -> Named<'a> {
    let document = &*target.document;
    match locator {
        Locator::Parts { kind, numbers } => parts(document, kind, numbers),
        Locator::Anchor { letter, number, hash } => {
            anchor(target, (*letter, *number), hash.as_deref(), effort)
        }
        Locator::Lines(lines) if !is_delimited(document) => {
            if document.places.is_empty() {
                text_lines(document, lines, effort)
            } else {
                Named::Within(whole(document))
            }
        }
        Locator::Lines(rows) | Locator::Rows(rows) => {
            let (rows, columns) = (rows.clone(), 1..=u64::MAX);
            cells(target, &CellRange { sheet: None, rows, columns }, effort)
        }
        Locator::Cells(range) => cells(target, range, effort),
        Locator::Name(name) => named(target, name, effort),
    }
}

/// Returns everything that was read of a document.
pub(super) fn whole(document: &Document) -> Region<'_> {
    let tables = document.tables.iter().map(|it| &it.data).collect();
    Region { tables, ..Region::of_text(&document.text) }
}

/// Returns the name and the text of each part of a document, in order.
pub(super) fn all_parts(document: &Document) -> impl Iterator<Item = (&str, Region<'_>)> {
    let places = document.places.iter().enumerate();
    places
        .map(|(index, place)| (place.label.as_str(), Region::of_text(part(document, index, index))))
}

/// Returns the text of the parts from index `first` to `last`.
fn part(document: &Document, first: usize, last: usize) -> &str {
    let start = document.places.get(first).map_or(0, |it| it.offset);
    let end = document.places.get(last + 1).map_or(u64::MAX, |it| it.offset);
    document.text_range(start, end.saturating_sub(start))
}

/// Returns `true` if the end of the text was not kept.
fn is_cut(document: &Document) -> bool {
    let is_notice =
        |it: &String| it.starts_with("only the first ") && it.contains("of the text are kept");
    document.warnings.iter().any(is_notice)
}

fn parts<'a>(document: &'a Document, kind: &str, numbers: &RangeInclusive<u64>) -> Named<'a> {
    let number_of =
        |label: &str| -> Option<u64> { label.strip_prefix(kind)?.strip_prefix(' ')?.parse().ok() };
    let places = || document.places.iter().enumerate();
    let numbered = || places().filter_map(|(index, it)| Some((index, number_of(&it.label)?)));
    let Some(most) = numbered().map(|(_, number)| number).max() else {
        // Word files have pages only when they are printed.
        return if document.places.is_empty() {
            Named::Within(whole(document))
        } else {
            Named::Missing
        };
    };
    if *numbers.start() == 0 || *numbers.end() > most {
        return if is_cut(document) && *numbers.start() > 0 {
            Named::Unknown
        } else {
            Named::Missing
        };
    }
    let mut within =
        numbered().filter(|(_, number)| numbers.contains(number)).map(|(index, _)| index);
    // A page without text has no place of its own.
    let Some(first) = within.next() else { return Named::Here(Region::default()) };
    let last = within.next_back().unwrap_or(first);
    let next = document.places.get(last + 1).map_or("", |it| document.text_range(it.offset, NEXT));
    Named::Here(Region { next, ..Region::of_text(part(document, first, last)) })
}

/// Characters of the next page in which a quotation may end.
const NEXT: u64 = 1_000;

fn anchor<'a>(
    target: &'a Target,
    (letter, number): (char, u64),
    hash: Option<&str>,
    effort: &mut Effort,
) -> Named<'a> {
    let document = &*target.document;
    let Some(paragraphs) = &target.paragraphs else {
        let has = |kind: &str| document.places.iter().any(|it| it.label.starts_with(kind));
        return match letter {
            'p' if has("page ") => parts(document, "page", &(number..=number)),
            'p' | 's' if has("slide ") => parts(document, "slide", &(number..=number)),
            _ if extension(document).starts_with("do") => Named::Within(whole(document)),
            _ => named(target, &format!("{letter}{number}"), effort),
        };
    };
    let is_it = |anchor: &str| {
        let (name, of) = anchor.split_once('-').unwrap_or((anchor, ""));
        name.strip_prefix(letter).and_then(|it| it.parse().ok()) == Some(number)
            && hash.is_none_or(|hash| hash == of)
    };
    let text = |it: &Paragraph| CellContent::Text(it.text.clone());
    let found: Vec<CellContent> = match letter {
        't' => {
            let place = format!("t{number} ");
            paragraphs.iter().filter(|it| it.place.starts_with(&place)).map(text).collect()
        }
        _ => paragraphs.iter().filter(|it| is_it(&it.anchor)).take(1).map(text).collect(),
    };
    if found.is_empty() { Named::Missing } else { Named::Here(Region::of_cells(found)) }
}

fn text_lines<'a>(
    document: &'a Document,
    lines: &RangeInclusive<u64>,
    effort: &mut Effort,
) -> Named<'a> {
    if !effort.take(document.text.len()) {
        return Named::Unknown;
    }
    let mut start = None;
    let mut end = 0;
    let mut at = 0;
    for (number, line) in (1_u64..).zip(document.text.split_inclusive('\n')) {
        if number > *lines.end() {
            break;
        }
        if lines.contains(&number) {
            start = start.or(Some(at));
            end = at + line.len();
        }
        at += line.len();
    }
    match start {
        Some(start) => Named::Here(Region::of_text(&document.text[start..end])),
        None if is_cut(document) && *lines.start() > 0 => Named::Unknown,
        None => Named::Missing,
    }
}

fn cells<'a>(target: &'a Target, range: &CellRange, effort: &mut Effort) -> Named<'a> {
    let document = &*target.document;
    if let Some(sheets) = &target.sheets {
        let Some((number, sheet)) = sheets.find(range.sheet.as_deref()) else {
            // Without a name it may be any sheet.
            return if range.sheet.is_none() {
                Named::Within(whole(document))
            } else {
                Named::Missing
            };
        };
        if *range.rows.start() > sheet.rows || *range.columns.start() > sheet.columns {
            return Named::Missing;
        }
        return match sheets.cells(number, &range.rows, &range.columns, effort) {
            Some(cells) => Named::Here(Region::of_cells(cells)),
            None => Named::Within(whole(document)),
        };
    }
    if is_delimited(document)
        && let [table] = &*document.tables
    {
        return table_cells(table, range);
    }
    let is_of = |label: &str| {
        let sheet = label.strip_prefix("sheet ");
        sheet.is_some_and(|it| range.sheet.as_deref().is_none_or(|name| is_same(it, name)))
    };
    // `L12` is a line of a text, as forges write it.
    let is_line = range.sheet.is_none() && range.columns == (12..=12) && document.places.is_empty();
    if is_line && document.tables.is_empty() {
        return text_lines(document, &range.rows, effort);
    }
    match document.places.iter().position(|it| is_of(&it.label)) {
        Some(index) => Named::Within(sheet_region(document, index)),
        None if document.tables.is_empty() || range.sheet.is_some() => Named::Missing,
        None => Named::Within(whole(document)),
    }
}

/// Returns the text of a sheet and the tables that may be in it.
fn sheet_region(document: &Document, index: usize) -> Region<'_> {
    let tables = document.tables.iter().map(|it| &it.data).collect();
    Region { tables, ..Region::of_text(part(document, index, index)) }
}

/// Returns cells of a file of delimited values. Its header is row 1, unless it has none.
fn table_cells<'a>(table: &'a NamedTable, range: &CellRange) -> Named<'a> {
    let data = &table.data;
    let header = u64::from(has_header(table));
    let total = data.rows() as u64 + header;
    let (first, last) = ((*range.rows.start()).max(1), (*range.rows.end()).min(total));
    let columns = *range.columns.start()..=(*range.columns.end()).min(data.width() as u64);
    if range.sheet.is_some() || *range.rows.start() > total || *columns.start() > *columns.end() {
        return Named::Missing;
    }
    if *range.rows.end() == 0 || *columns.end() == 0 {
        return Named::Missing;
    }
    let n_cells = (last + 1 - first).saturating_mul(*columns.end() + 1 - *columns.start());
    if n_cells > MAX_CELLS as u64 {
        return Named::Within(Region { tables: vec![data], ..Region::default() });
    }
    let (mut found, mut text) = (Vec::new(), String::new());
    for row in first..=last {
        for column in columns.clone() {
            let column = usize::try_from(column.saturating_sub(1)).unwrap_or(usize::MAX);
            if row <= header {
                let name = data.names().nth(column).unwrap_or_default();
                found.push(CellContent::Text(name.to_owned()));
                continue;
            }
            let row = usize::try_from(row - header - 1).unwrap_or(usize::MAX);
            match data.cell(row, column, &mut text) {
                CellRef::Number(lexeme) => found.push(CellContent::Number(lexeme.to_owned())),
                CellRef::Null => {}
                other => found.push(CellContent::Text(other.as_str().to_owned())),
            }
        }
    }
    Named::Here(Region::of_cells(found))
}

/// Returns `false` if the names of the columns were made up.
pub(super) fn has_header(table: &NamedTable) -> bool {
    let mut names = table.data.names().enumerate();
    !names.all(|(index, name)| name == format!("column_{}", index + 1))
}

fn named<'a>(target: &'a Target, name: &str, effort: &mut Effort) -> Named<'a> {
    let document = &*target.document;
    if let Some(sheets) = &target.sheets
        && let Some((number, _)) = sheets.find(Some(name))
    {
        return match sheets.cells(number, &(1..=u64::MAX), &(1..=u64::MAX), effort) {
            Some(cells) => Named::Here(Region::of_cells(cells)),
            None => Named::Within(whole(document)),
        };
    }
    let is_it = |label: &str| {
        label.strip_prefix("sheet ").is_some_and(|it| is_same(it, name)) || is_same(label, name)
    };
    if let Some(index) = document.places.iter().position(|it| is_it(&it.label)) {
        return if document.places[index].label.starts_with("sheet ") {
            Named::Within(sheet_region(document, index))
        } else {
            Named::Here(Region::of_text(part(document, index, index)))
        };
    }
    if let Some(table) = document.tables.iter().find(|it| is_same(&it.name, name)) {
        return Named::Here(Region { tables: vec![&table.data], ..Region::default() });
    }
    if !effort.take(document.text.len()) {
        return Named::Unknown;
    }
    match section(&document.text, name) {
        Some(text) => Named::Here(Region::of_text(text)),
        None if is_cut(document) => Named::Unknown,
        None => Named::Missing,
    }
}

fn is_same(a: &str, b: &str) -> bool {
    !a.is_empty() && a.trim().to_lowercase() == b.trim().to_lowercase()
}

/// Returns `true` for a file of delimited values, which is one table.
pub(super) fn is_delimited(document: &Document) -> bool {
    matches!(extension(document).as_str(), "csv" | "tsv" | "psv")
        || matches!(document.media_type.as_str(), "text/csv" | "text/tab-separated-values")
}

fn extension(document: &Document) -> String {
    let name = document.name.rsplit_once('.');
    name.map_or_else(String::new, |(_, extension)| extension.to_ascii_lowercase())
}
