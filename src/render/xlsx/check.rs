//! The rules of the format, and what a workbook may cost, checked all at once.

use std::borrow::Cow;
use std::collections::BTreeSet;

use rust_xlsxwriter::ExcelDateTime;

use super::{formula, refused, size};
use crate::Cancel;
use crate::workbook::{Chart, ChartKind, MAX_CELLS, Sheet, SheetCell, SheetRow, Workbook};
use mitt_base::{Result, text};

const MAX_SHEETS: usize = 255;
const MAX_COLUMNS: usize = 16_384;
const MAX_ROWS: usize = 1_048_575;
const MAX_TEXT_UNITS: usize = 32_767;
const MAX_FORMULA_UNITS: usize = 8_192;
const MAX_NAME_UNITS: usize = 31;
const MAX_URL_CHARACTERS: usize = 2_080;
const MAX_HEADER_UNITS: usize = 255;
const MAX_FORMAT_CHARACTERS: usize = 255;
/// What Excel opens without calling the file damaged.
const MAX_LINKS: usize = 65_530;
/// Excel's own limit for one chart.
const MAX_SERIES: usize = 255;

/// More than these say nothing new.
const MAX_PROBLEMS: usize = 20;

/// Longest part of a name or header that a problem repeats, in bytes.
const MAX_SHOWN: usize = 120;

/// Rows between two looks at the flag.
const ROWS_PER_LOOK: usize = 1024;

struct Problems {
    list: Vec<String>,
    more: usize,
}

impl Problems {
    /// A problem that is not shown is not written either: a workbook may have a million of them.
    fn add(&mut self, problem: impl FnOnce() -> String) {
        if self.list.len() < MAX_PROBLEMS {
            self.list.push(problem());
        } else {
            self.more += 1;
        }
    }
}

/// Names of the sheets, in lower case, for formulas.
type Names = BTreeSet<String>;

/// Refuse a workbook that breaks a rule of Excel's or costs too much, naming every place.
pub(super) fn check(book: &Workbook, cancel: &Cancel) -> Result<()> {
    let mut problems = Problems { list: Vec::new(), more: 0 };
    if book.sheets.is_empty() || book.sheets.len() > MAX_SHEETS {
        let got = book.sheets.len();
        problems.add(|| format!("workbook: 1 to {MAX_SHEETS} sheets expected, got {got}"));
    }
    let cells: usize =
        book.sheets.iter().map(|sheet| sheet.rows.len().saturating_mul(sheet.columns.len())).sum();
    if cells > MAX_CELLS {
        problems.add(|| format!("workbook: at most {MAX_CELLS} cells expected, got {cells}"));
    }
    size::check(book, cancel, &mut |problem| problems.add(|| problem))?;
    let names: Names = book.sheets.iter().map(|sheet| sheet.name.to_lowercase()).collect();
    let mut before = Names::new();
    for sheet in &book.sheets {
        check_name(&sheet.name, &mut problems);
        if !before.insert(sheet.name.to_lowercase()) {
            problems.add(|| format!("sheet `{}`: a name that no other sheet has expected (upper and lower case are the same)", shown(&sheet.name)));
        }
        check_sheet(sheet, &names, cancel, &mut problems)?;
    }
    if problems.more > 0 {
        problems.list.push(format!("and {} more problems", problems.more));
    }
    if problems.list.is_empty() { Ok(()) } else { Err(refused(problems.list)) }
}

/// A name as far as a problem repeats it.
fn shown(name: &str) -> &str {
    text::cut_bytes(name, MAX_SHOWN)
}

fn check_name(name: &str, problems: &mut Problems) {
    let units = name.encode_utf16().count();
    let shown = shown(name);
    if units == 0 || units > MAX_NAME_UNITS {
        problems.add(|| {
            format!(
                "sheet `{shown}`: a name of 1 to {MAX_NAME_UNITS} characters expected, got {units}"
            )
        });
    }
    if let Some(c) = name
        .chars()
        .find(|c| matches!(c, '[' | ']' | ':' | '*' | '?' | '/' | '\\') || !is_legal(*c))
    {
        problems.add(|| {
            format!(
                "sheet `{shown}`: a name without `[ ] : * ? / \\` expected, got `{}`",
                c.escape_default()
            )
        });
    }
    if name.starts_with('\'') || name.ends_with('\'') {
        problems.add(|| {
            format!(
                "sheet `{shown}`: a name that neither begins nor ends with an apostrophe expected"
            )
        });
    }
    if name.eq_ignore_ascii_case("history") {
        problems.add(|| {
            format!("sheet `{shown}`: another name expected, Excel keeps this one for itself")
        });
    }
}

fn check_sheet(
    sheet: &Sheet,
    names: &Names,
    cancel: &Cancel,
    problems: &mut Problems,
) -> Result<()> {
    let name = shown(&sheet.name);
    if sheet.columns.is_empty() || sheet.columns.len() > MAX_COLUMNS {
        let got = sheet.columns.len();
        problems.add(|| format!("sheet `{name}`: 1 to {MAX_COLUMNS} columns expected, got {got}"));
        return Ok(());
    }
    if sheet.rows.len() > MAX_ROWS {
        let got = sheet.rows.len();
        problems.add(|| format!("sheet `{name}`: at most {MAX_ROWS} rows expected, got {got}"));
    }
    check_columns(sheet, problems);
    for (index, row) in sheet.rows.iter().enumerate() {
        if index % ROWS_PER_LOOK == 0 {
            cancel.check()?;
        }
        check_row(sheet, index, row, names, problems);
    }
    let links = sheet
        .rows
        .iter()
        .flat_map(|row| &row.cells)
        .filter(|cell| matches!(cell, SheetCell::Link(_)))
        .count();
    if links > MAX_LINKS {
        problems.add(|| format!("sheet `{name}`: at most {MAX_LINKS} links expected, got {links}"));
    }
    for chart in &sheet.charts {
        if let Some(problem) = check_chart(chart, sheet) {
            problems.add(|| format!("sheet `{name}`, chart: {problem}"));
        }
    }
    Ok(())
}

fn check_columns(sheet: &Sheet, problems: &mut Problems) {
    let name = shown(&sheet.name);
    for column in &sheet.columns {
        let header = shown(&column.header);
        if !(1.0..=255.0).contains(&column.width) {
            problems.add(|| {
                format!(
                    "sheet `{name}`, column `{header}`: a width of 1 to 255 expected, got {}",
                    column.width
                )
            });
        }
        let units = column.header.encode_utf16().count();
        if units > MAX_HEADER_UNITS {
            problems.add(|| format!("sheet `{name}`: a header of at most {MAX_HEADER_UNITS} characters expected, got {units}"));
        }
        let is_format = |format: &String| {
            !format.is_empty() && format.chars().nth(MAX_FORMAT_CHARACTERS).is_none()
        };
        if !column.number_format.as_ref().is_none_or(is_format) {
            problems.add(|| {
                format!(
                    "sheet `{name}`, column `{header}`: a number format of 1 to {MAX_FORMAT_CHARACTERS} characters expected"
                )
            });
        }
    }
}

fn check_row(sheet: &Sheet, index: usize, row: &SheetRow, names: &Names, problems: &mut Problems) {
    let name = shown(&sheet.name);
    if row.cells.len() != sheet.columns.len() {
        let (want, got) = (sheet.columns.len(), row.cells.len());
        problems
            .add(|| format!("sheet `{name}`, row {}: {want} cells expected, got {got}", index + 2));
    }
    for (cell, column) in row.cells.iter().zip(&sheet.columns) {
        if let Some(problem) = check_cell(cell, names) {
            problems.add(|| {
                format!(
                    "sheet `{name}`, row {}, column `{}`: {problem}",
                    index + 2,
                    shown(&column.header)
                )
            });
        }
    }
}

fn check_cell(cell: &SheetCell, names: &Names) -> Option<String> {
    let too_long = |what: &str, text: &str, limit: usize| {
        // A UTF-16 unit takes at least a byte, so most texts need not be counted.
        let units = if text.len() <= limit { 0 } else { text.encode_utf16().count() };
        (units > limit)
            .then(|| format!("{what} of at most {limit} characters expected, got {units}"))
    };
    match cell {
        SheetCell::Empty | SheetCell::Boolean(_) => None,
        SheetCell::Number(lexeme) => match lexeme.parse::<f64>() {
            Ok(number) if number.is_finite() && lexeme.len() <= 64 => None,
            _ => Some(format!("a decimal number expected, got `{}`", text::cut_bytes(lexeme, 80))),
        },
        SheetCell::Text(text) => too_long("text", text, MAX_TEXT_UNITS),
        SheetCell::Date(date) => {
            let parsed = is_date_shaped(date) && ExcelDateTime::parse_from_str(date).is_ok();
            (!parsed).then(|| {
                let got = text::cut_bytes(date, 80);
                format!("a date from 1900-01-01 to 9999-12-31 such as `2024-12-31` or `2024-12-31T08:30:00` expected, got `{got}`")
            })
        }
        SheetCell::Formula(formula) => {
            match formula.expression.trim_start_matches('=').trim().is_empty() {
                true => Some("a formula expected, got nothing".into()),
                false => too_long("a formula", &formula.expression, MAX_FORMULA_UNITS)
                    .or_else(|| too_long("a value", &formula.value, MAX_TEXT_UNITS))
                    .or_else(|| formula::check(&formula.expression, names).err()),
            }
        }
        SheetCell::Link(link) => {
            let known = ["http://", "https://", "mailto:"]
                .iter()
                .any(|scheme| link.url.starts_with(scheme));
            if !known || link.url.chars().any(|c| c.is_control() || c == ' ') {
                let got = text::cut_bytes(&link.url, 80).escape_debug();
                return Some(format!(
                    "a link that begins with `http://`, `https://` or `mailto:` expected, got `{got}`"
                ));
            }
            let characters = link.url.chars().count();
            if characters > MAX_URL_CHARACTERS {
                return Some(format!(
                    "a link of at most {MAX_URL_CHARACTERS} characters expected, got {characters}"
                ));
            }
            too_long("text", &link.text, MAX_TEXT_UNITS)
        }
    }
}

/// Whether `text` is a date, or a date and a time of day. The writer would take a time alone for the year 1900, and the
/// 25th hour for the next day. A zone is allowed and has no effect: Excel has none, the clock time is what is shown.
fn is_date_shaped(text: &str) -> bool {
    let number = |part: Option<&str>, most: u32| {
        part.is_some_and(|part| {
            part.bytes().all(|b| b.is_ascii_digit()) && part.parse().is_ok_and(|n: u32| n <= most)
        })
    };
    // Before 1900 Excel has no dates; the digits compare like numbers.
    let is_date = number(text.get(0..4), 9_999)
        && text >= "1900"
        && number(text.get(5..7), 12)
        && number(text.get(8..10), 31)
        && text.get(4..5) == Some("-")
        && text.get(7..8) == Some("-");
    let Some(time) = text.get(10..).filter(|_| is_date) else { return false };
    if time.is_empty() {
        return true;
    }
    let is_clock = |clock: &str, most: u32| {
        number(clock.get(0..2), most) && clock.get(2..3) == Some(":") && number(clock.get(3..5), 59)
    };
    let Some(clock) = time.strip_prefix(['T', ' ']).filter(|clock| is_clock(clock, 23)) else {
        return false;
    };
    let mut rest = &clock[5..];
    if let Some(seconds) = rest.strip_prefix(':') {
        if !number(seconds.get(0..2), 59) {
            return false;
        }
        rest = &seconds[2..];
        if let Some(fraction) = rest.strip_prefix('.') {
            let end = fraction.find(|c: char| !c.is_ascii_digit()).unwrap_or(fraction.len());
            if !(1..=9).contains(&end) {
                return false;
            }
            rest = &fraction[end..];
        }
    }
    matches!(rest, "" | "Z")
        || rest.strip_prefix(['+', '-']).is_some_and(|zone| zone.len() == 5 && is_clock(zone, 14))
}

fn check_chart(chart: &Chart, sheet: &Sheet) -> Option<String> {
    let columns = sheet.columns.len();
    if chart.value_columns.len() > MAX_SERIES {
        return Some(format!(
            "at most {MAX_SERIES} columns of values expected, as many as Excel shows, got {}",
            chart.value_columns.len()
        ));
    }
    for column in std::iter::once(&chart.category_column).chain(&chart.value_columns) {
        if *column as usize >= columns {
            return Some(format!("a column index below {columns} expected, got {column}"));
        }
    }
    if chart.value_columns.is_empty() {
        return Some("at least one column of values expected, got none".into());
    }
    if chart.kind == ChartKind::Pie && chart.value_columns.len() != 1 {
        return Some(format!(
            "a pie has exactly one column of values, got {}",
            chart.value_columns.len()
        ));
    }
    let end = u64::from(chart.first_row) + u64::from(chart.row_count);
    if chart.row_count == 0 || end > sheet.rows.len() as u64 {
        return Some(format!(
            "rows within the {} rows of data expected, got {} to {end}",
            sheet.rows.len(),
            chart.first_row
        ));
    }
    None
}

/// Whether XML 1.0 can hold a character.
fn is_legal(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..)
}

/// The text without characters that would make Excel call the file damaged.
pub(super) fn legal(text: &str) -> Cow<'_, str> {
    match text.chars().all(is_legal) {
        true => Cow::Borrowed(text),
        false => Cow::Owned(text.chars().filter(|c| is_legal(*c)).collect()),
    }
}
