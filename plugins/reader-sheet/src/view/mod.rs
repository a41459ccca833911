//! Shows what a workbook looks like, for previews: display texts, styles, widths, merged regions and charts.
//!
//! The result is JSON for a viewer. The rows are in parts of a thousand, so that a viewer loads only those that it shows.
//! Only workbooks of Excel since 2007 are supported.

mod blocks;
mod cell;
mod charts;
mod digits;
mod drawing;
mod json;
mod layout;
mod number_format;
mod quantity;
mod references;
mod room;
mod sheet;
mod styles;

use crate::columns;
use crate::open::SheetKind;
use crate::package::Package;
use crate::xlsx::{self, Book};
use cell::{Context, text_item};
use charts::Charts;
use json::{Object, push_list};
use layout::Layout;
use mitt_reader_kit::{Content, Error, Part, clean, single_line};
use references::References;
use room::Room;
use sheet::{Shared, SheetView};
use std::collections::HashMap;
use styles::Styles;

/// Most bytes of all parts together.
const MAX_PART_BYTES: usize = 64 << 20;

/// Most bytes of merged regions, hidden rows and charts of all sheets together.
const MAX_ROOM: usize = 16 << 20;

/// Most bytes of the formulas of all sheets together.
const MAX_FORMULA_BYTES: usize = 64 << 20;

/// The most sheets.
const MAX_SHEETS: usize = 1_000;

/// The most characters of the name of a sheet. Spreadsheets allow 31.
const MAX_NAME: usize = 255;

/// A sheet of the view.
struct Listed {
    name: String,
    is_hidden: bool,
    kind: SheetKind,
    /// Path of its part.
    part: String,
    charts: Charts,
    /// `None` for a chart sheet, and for a sheet that cannot be read.
    view: Option<SheetView>,
}

/// Returns a view of a workbook. `kind` is one of `xlsx`, `xlsm`, `xltx`, `xltm`.
///
/// # Errors
///
/// `unsupported` - the workbook is encrypted, or of another kind. `malformed` - the workbook is damaged. `quota` - it
/// holds more text than one document may have.
pub(crate) fn read(bytes: &[u8], kind: &str) -> Result<Content<columns::Sheet>, Error> {
    if !["xlsx", "xlsm", "xltx", "xltm"].contains(&kind) {
        return Err(Error::Unsupported(format!("no preview of a file of type `{kind}`")));
    }
    let mut book = Book::open(bytes, text_item)?;
    let mut notes = Notes::default();
    notes.warnings.extend(book.strings.take_warning());
    let mut listed = list(&book.sheets, &mut notes);
    let Book { mut package, strings, styles, theme, is_1904, wants_calculation, .. } = book;
    let references = read_charts(&mut package, &mut listed, &mut notes);
    let theme = theme.and_then(|path| package.read(&path)).unwrap_or_default();
    let mut shared = Shared {
        context: Context { strings: &strings.items, is_1904, hides_zeros: false },
        wants_calculation,
        styles: Styles::read(&styles, &theme),
        references,
        room: Room::new(MAX_ROOM),
        formulas: Room::new(MAX_FORMULA_BYTES),
    };
    let parts = read_sheets(&mut package, &mut listed, &mut shared, &mut notes);
    let Notes { mut warnings, failures } = notes;
    let is_read = |sheet: &Listed| match &sheet.view {
        Some(view) => view.damage.is_none() || view.finished.rows > 0,
        None => sheet.kind == SheetKind::Chart,
    };
    if !failures.is_empty() && !listed.iter().any(is_read) {
        return Err(Error::Malformed(failures.join("; ")));
    }
    warnings.extend(failures);
    let mut markdown = String::new();
    write(&listed, &mut shared, &mut markdown, &mut warnings);
    Ok(Content { markdown, parts, warnings, ..Content::default() })
}

/// What the view lacks.
#[derive(Default)]
struct Notes {
    warnings: Vec<String>,
    /// Sheets that are damaged or missing.
    failures: Vec<String>,
}

/// Lists the sheets that have cells or charts.
fn list(sheets: &[xlsx::Sheet], notes: &mut Notes) -> Vec<Listed> {
    let n_sheets = sheets.len();
    if n_sheets > MAX_SHEETS {
        notes.warnings.push(format!("only the first {MAX_SHEETS} of {n_sheets} sheets are shown"));
    }
    let mut listed = Vec::new();
    for xlsx::Sheet { entry, part } in sheets.iter().take(MAX_SHEETS) {
        let name: String = single_line(&clean(&entry.name)).chars().take(MAX_NAME).collect();
        match entry.kind {
            SheetKind::Worksheet | SheetKind::Chart => listed.push(Listed {
                name,
                is_hidden: entry.is_hidden,
                kind: entry.kind,
                part: part.clone(),
                charts: Charts::default(),
                view: None,
            }),
            SheetKind::Program => notes
                .warnings
                .push(format!("sheet `{name}` holds macros or dialogs and is not shown")),
            SheetKind::Missing => notes
                .failures
                .push(format!("sheet `{name}` is listed in the workbook but is not in it")),
        }
    }
    listed
}

/// Reads the charts of all sheets. Returns the cells that they refer to.
fn read_charts(package: &mut Package<'_>, listed: &mut [Listed], notes: &mut Notes) -> References {
    let names = listed.iter().enumerate();
    let names: HashMap<String, usize> =
        names.map(|(index, sheet)| (sheet.name.to_lowercase(), index)).collect();
    let mut references = References::default();
    for sheet in listed {
        let index_of = |name: &str| names.get(&name.to_lowercase()).copied();
        sheet.charts = charts::read(package, &sheet.part, &mut references, index_of);
        if sheet.charts.omitted > 0 {
            let Listed { name, charts, .. } = sheet;
            let omitted = charts.omitted;
            notes.warnings.push(format!("sheet `{name}`: charts that are left out: {omitted}"));
        }
    }
    references
}

/// Reads the worksheets. Returns their rows.
fn read_sheets(
    package: &mut Package<'_>,
    listed: &mut [Listed],
    shared: &mut Shared<'_>,
    notes: &mut Notes,
) -> Vec<Part> {
    let mut left = MAX_PART_BYTES;
    let mut parts = Vec::new();
    for (index, sheet) in listed.iter_mut().enumerate() {
        if sheet.kind != SheetKind::Worksheet {
            continue;
        }
        let name = &sheet.name;
        let Some(part) = package.stream(&sheet.part) else {
            notes.failures.push(format!("sheet `{name}` is damaged: it is not legible"));
            continue;
        };
        let mut view = sheet::read(part, index, left, shared);
        left = view.finished.left;
        parts.append(&mut view.finished.parts);
        let of_sheet = view.notes.iter().map(|note| format!("sheet `{name}`: {note}"));
        notes.warnings.extend(of_sheet);
        if let Some(damage) = &view.damage {
            notes.failures.push(format!("sheet `{name}` is damaged: {damage}"));
        }
        sheet.view = Some(view);
    }
    parts
}

/// Writes everything but the rows.
fn write(listed: &[Listed], shared: &mut Shared<'_>, out: &mut String, warnings: &mut Vec<String>) {
    let Shared { styles, references, room, .. } = shared;
    let mut object = Object::new(out);
    push_list(object.member("sheets"), listed, |out, sheet| {
        let Listed { name, is_hidden, charts, view, .. } = sheet;
        let mut object = Object::new(out);
        object.text("name", name);
        let (rows, columns) =
            view.as_ref().map_or((0, 0), |view| (view.finished.rows, view.finished.columns));
        object.plain("rows", rows);
        object.plain("columns", columns);
        object.plain("hidden", is_hidden);
        let without_cells = Layout::default();
        let layout = view.as_ref().map_or(&without_cells, |view| &view.layout);
        layout.write(&mut object, rows, columns, room, |format| {
            let look = styles.style(format).look;
            look.is_visible().then(|| styles.id(look))
        });
        if !charts.write(object.member("charts"), references, room) {
            warnings
                .push(format!("sheet `{name}`: charts lack points, because there are too many"));
        }
        object.end();
    });
    styles.write(object.member("styles"));
    object.end();
}

#[cfg(test)]
mod tests;
