//! Checks the rules of the format and the limits of a workbook, all at once.

use std::collections::BTreeSet;

use super::cells::{rows, serial_of};
use super::{charts, design, formula, header_row, refused, size};
use crate::Cancel;
use crate::workbook::{
    Block, CellConversion, Chart, ChartKind, MAX_CELLS, Sheet, SheetCell, SheetRow, Stacking,
    Workbook,
};
use mitt_base::{Result, text};

const MAX_SHEETS: usize = 255;
const MAX_COLUMNS: usize = 16_384;
/// Most rows, including the header.
const MAX_ROWS: usize = 1_048_576;
/// Most blocks of all sheets. Each is compared with every other one of its sheet.
const MAX_BLOCKS: usize = 1_024;
const MAX_TEXT_UNITS: usize = 32_767;
const MAX_FORMULA_UNITS: usize = 8_192;
const MAX_URL_CHARACTERS: usize = 2_080;
pub(super) use crate::workbook::MAX_HEADER_UNITS;
const MAX_FORMAT_CHARACTERS: usize = 255;
/// Most links with which Excel does not call the file damaged.
pub(super) const MAX_LINKS: usize = 65_530;
/// Most series of a chart in Excel.
const MAX_SERIES: usize = 255;

/// Most problems that are listed. More would say nothing new.
const MAX_PROBLEMS: usize = 20;

/// Most bytes of a name or header in a message.
const MAX_SHOWN: usize = 120;

/// Rows between two checks of cancellation.
const ROWS_PER_LOOK: usize = 1024;

/// The problems of a workbook.
#[derive(Debug, Default)]
pub(super) struct Problems {
    list: Vec<String>,
    more: usize,
}

impl Problems {
    /// Adds a problem. Those that are not listed are not formatted either, since a workbook may have a million.
    pub(super) fn add(&mut self, problem: impl FnOnce() -> String) {
        if self.list.len() < MAX_PROBLEMS {
            self.list.push(problem());
        } else {
            self.more += 1;
        }
    }

    /// Returns all problems as an error, if there are any.
    pub(super) fn into_result(mut self) -> Result<()> {
        if self.more > 0 {
            self.list.push(format!("and {} more problems", self.more));
        }
        if self.list.is_empty() { Ok(()) } else { Err(refused(self.list)) }
    }
}

/// Names of the sheets in lower case, for formulas, and defined names behind [`DEFINED`].
pub(super) type Names = BTreeSet<String>;

/// Prefix of a defined name. No name of a sheet begins with it.
pub(super) const DEFINED: char = '\0';

/// Returns the names of a workbook with these sheets.
pub(super) fn names(book: &Workbook, sheets: &[String]) -> Names {
    let sheets = sheets.iter().map(|name| name.to_lowercase());
    let defined = book.names.iter().map(|it| format!("{DEFINED}{}", it.name.to_lowercase()));
    sheets.chain(defined).collect()
}

/// Refuses a workbook that breaks a rule of Excel or costs too much, naming every place. Cells of tables are checked while
/// they are written.
pub(super) fn check(book: &Workbook, names: &Names, cancel: &Cancel) -> Result<()> {
    let mut problems = Problems::default();
    if book.sheets.is_empty() || book.sheets.len() > MAX_SHEETS {
        let got = book.sheets.len();
        problems.add(|| format!("workbook: expected 1 to {MAX_SHEETS} sheets, got {got}"));
    }
    let blocks = || book.sheets.iter().flat_map(|sheet| &sheet.blocks);
    let count = blocks().count();
    if count > MAX_BLOCKS {
        problems.add(|| format!("workbook: expected at most {MAX_BLOCKS} tables, got {count}"));
        return problems.into_result();
    }
    let cells = |block: &Block| rows(block).saturating_mul(block.columns.len());
    let cells = blocks().map(cells).fold(0, usize::saturating_add);
    if cells > MAX_CELLS {
        problems.add(|| format!("workbook: expected at most {MAX_CELLS} cells, got {cells}"));
    }
    size::check(book, &mut |problem| problems.add(|| problem));
    design::check(book, names, &mut problems);
    for sheet in &book.sheets {
        check_sheet(sheet, names, cancel, &mut problems)?;
    }
    problems.into_result()
}

/// Returns the part of a name that a message quotes.
pub(super) fn shown(name: &str) -> &str {
    text::cut_bytes(name, MAX_SHOWN)
}

fn check_sheet(
    sheet: &Sheet,
    names: &Names,
    cancel: &Cancel,
    problems: &mut Problems,
) -> Result<()> {
    let name = shown(&sheet.name);
    if sheet.blocks.is_empty() {
        problems.add(|| format!("sheet `{name}`: expected at least one table, got none"));
    }
    for (index, block) in sheet.blocks.iter().enumerate() {
        let before = &sheet.blocks[..index];
        check_block(name, block, names, cancel, problems)?;
        if let Some(other) = before.iter().find(|other| overlap(block, other)) {
            problems.add(|| {
                let (this, other) = (place(block), place(other));
                format!("sheet `{name}`: expected tables beside or below each other, those at {this} and {other} overlap")
            });
        }
    }
    design::check_sheet(sheet, problems);
    let links = sheet
        .blocks
        .iter()
        .flat_map(|block| &block.rows)
        .flat_map(|row| &row.cells)
        .filter(|cell| matches!(cell, SheetCell::Link(_)))
        .count();
    if links > MAX_LINKS {
        problems.add(|| format!("sheet `{name}`: expected at most {MAX_LINKS} links, got {links}"));
    }
    Ok(())
}

/// Returns the start of a block for a message.
fn place(block: &Block) -> String {
    format!("row {}, column {}", u64::from(block.row) + 1, u64::from(block.column) + 1)
}

/// Returns the rows and columns of a block.
fn area(block: &Block) -> [std::ops::Range<usize>; 2] {
    let end = (header_row(block) as usize).saturating_add(1).saturating_add(rows(block));
    let left = block.column as usize;
    [block.row as usize..end, left..left.saturating_add(block.columns.len())]
}

fn overlap(one: &Block, other: &Block) -> bool {
    area(one).iter().zip(&area(other)).all(|(a, b)| a.start < b.end && b.start < a.end)
}

fn check_block(
    name: &str,
    block: &Block,
    names: &Names,
    cancel: &Cancel,
    problems: &mut Problems,
) -> Result<()> {
    let [lines, columns] = area(block);
    if columns.is_empty() || columns.end > MAX_COLUMNS {
        let got = block.columns.len();
        match block.column {
            0 => problems.add(|| format!("sheet `{name}`: expected 1 to {MAX_COLUMNS} columns, got {got}")),
            left => problems.add(|| {
                format!("sheet `{name}`: expected 1 to {MAX_COLUMNS} columns, got {got} behind {left} others")
            }),
        }
        return Ok(());
    }
    if lines.end > MAX_ROWS {
        problems.add(|| {
            format!(
                "sheet `{name}`: expected at most {MAX_ROWS} rows with the header, got {}",
                lines.end
            )
        });
    }
    if block.title.as_ref().is_some_and(|title| title.encode_utf16().count() > MAX_HEADER_UNITS) {
        problems.add(|| {
            format!("sheet `{name}`: expected a title of at most {MAX_HEADER_UNITS} characters")
        });
    }
    check_columns(name, block, problems);
    check_data(name, block, problems);
    let first =
        header_row(block) as usize + 2 + block.data.as_ref().map_or(0, |data| data.table.rows());
    for (index, row) in block.rows.iter().enumerate() {
        if index % ROWS_PER_LOOK == 0 {
            cancel.check()?;
        }
        check_row(name, block, first + index, row, names, problems);
    }
    design::check_block(name, block, names, problems);
    for chart in &block.charts {
        if let Some(problem) = check_chart(chart, block) {
            problems.add(|| format!("sheet `{name}`, chart: {problem}"));
        }
    }
    Ok(())
}

/// Checks that the shown columns of a table exist.
fn check_data(name: &str, block: &Block, problems: &mut Problems) {
    let Some(data) = &block.data else { return };
    let (want, got) = (block.columns.len(), data.columns.len());
    if want != got {
        problems.add(|| format!("sheet `{name}`: expected {want} columns of the table, got {got}"));
    }
    let width = data.table.width();
    for shown in &data.columns {
        let values = match shown.how {
            CellConversion::Formula(values) => values,
            _ => None,
        };
        for index in [Some(shown.column), values].into_iter().flatten() {
            if index as usize >= width {
                problems.add(|| {
                    format!(
                        "sheet `{name}`: expected a column of the table below {width}, got {index}"
                    )
                });
            }
        }
    }
}

fn check_columns(name: &str, block: &Block, problems: &mut Problems) {
    for column in &block.columns {
        let header = shown(&column.header);
        if !(1.0..=255.0).contains(&column.width) {
            problems.add(|| {
                format!(
                    "sheet `{name}`, column `{header}`: expected a width of 1 to 255, got {}",
                    column.width
                )
            });
        }
        let units = column.header.encode_utf16().count();
        if units > MAX_HEADER_UNITS {
            problems.add(|| format!("sheet `{name}`: expected a header of at most {MAX_HEADER_UNITS} characters, got {units}"));
        }
        let is_format = |format: &String| {
            !format.is_empty() && format.chars().nth(MAX_FORMAT_CHARACTERS).is_none()
        };
        if !column.number_format.as_ref().is_none_or(is_format) {
            problems.add(|| {
                format!(
                    "sheet `{name}`, column `{header}`: expected a number format of 1 to {MAX_FORMAT_CHARACTERS} characters"
                )
            });
        }
    }
}

/// Checks a row; `number` is Excel's row number.
fn check_row(
    name: &str,
    block: &Block,
    number: usize,
    row: &SheetRow,
    names: &Names,
    problems: &mut Problems,
) {
    if row.cells.len() != block.columns.len() {
        let (want, got) = (block.columns.len(), row.cells.len());
        problems.add(|| format!("sheet `{name}`, row {number}: expected {want} cells, got {got}"));
    }
    for (cell, column) in row.cells.iter().zip(&block.columns) {
        if let Some(problem) = check_cell(cell, names) {
            problems.add(|| {
                format!(
                    "sheet `{name}`, row {number}, column `{}`: {problem}",
                    shown(&column.header)
                )
            });
        }
    }
}

fn check_cell(cell: &SheetCell, names: &Names) -> Option<String> {
    match cell {
        SheetCell::Empty | SheetCell::Boolean(_) => None,
        SheetCell::Number(lexeme) => match lexeme.parse::<f64>() {
            Ok(number) if number.is_finite() && lexeme.len() <= 64 => None,
            _ => Some(format!("expected a decimal number, got `{}`", text::cut_bytes(lexeme, 80))),
        },
        SheetCell::Text(text) => too_long_text(text),
        SheetCell::Date(date) => serial_of(date).is_none().then(|| no_date(date)),
        SheetCell::Formula(formula) => formula_problem(&formula.expression, &formula.value, names),
        SheetCell::Link(link) => link_problem(&link.url, &link.text),
    }
}

fn too_long(what: &str, text: &str, limit: usize) -> Option<String> {
    // A UTF-16 unit takes at least a byte, so most texts need not be counted.
    let units = if text.len() <= limit { 0 } else { text.encode_utf16().count() };
    (units > limit).then(|| format!("expected {what} of at most {limit} characters, got {units}"))
}

/// Returns the problem of a text that is too long.
#[inline]
pub(super) fn too_long_text(text: &str) -> Option<String> {
    too_long("text", text, MAX_TEXT_UNITS)
}

/// Returns the message for a text that is not a date.
pub(super) fn no_date(text: &str) -> String {
    let got = text::cut_bytes(text, 80);
    format!(
        "expected a date from 1900-01-01 to 9999-12-31 such as `2024-12-31` or `2024-12-31T08:30:00`, got `{got}`"
    )
}

/// Returns the problem of a formula.
pub(super) fn formula_problem(expression: &str, value: &str, names: &Names) -> Option<String> {
    match expression.trim_start_matches('=').trim().is_empty() {
        true => Some("expected a formula, got nothing".into()),
        false => too_long("a formula", expression, MAX_FORMULA_UNITS)
            .or_else(|| too_long("a value", value, MAX_TEXT_UNITS))
            .or_else(|| formula::check(expression, names).err()),
    }
}

/// Returns the problem of a link.
pub(super) fn link_problem(url: &str, text: &str) -> Option<String> {
    let known = ["http://", "https://", "mailto:"].iter().any(|scheme| url.starts_with(scheme));
    if !known || url.chars().any(|c| c.is_control() || c == ' ') {
        let got = text::cut_bytes(url, 80).escape_debug();
        return Some(format!(
            "expected a link that begins with `http://`, `https://` or `mailto:`, got `{got}`"
        ));
    }
    let characters = url.chars().count();
    if characters > MAX_URL_CHARACTERS {
        return Some(format!(
            "expected a link of at most {MAX_URL_CHARACTERS} characters, got {characters}"
        ));
    }
    too_long_text(text)
}

/// Returns `true` for a date, or a date and a time of day. The writer would put a time alone into the year 1900, and the
/// 25th hour into the next day. A time zone is allowed without effect: Excel has none, and shows the local time.
pub(super) fn is_date_shaped(text: &str) -> bool {
    let number = |part: Option<&str>, most: u32| {
        part.is_some_and(|part| {
            part.bytes().all(|b| b.is_ascii_digit()) && part.parse().is_ok_and(|n: u32| n <= most)
        })
    };
    // Excel has no dates before 1900; the digits compare like numbers.
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

fn check_chart(chart: &Chart, block: &Block) -> Option<String> {
    let columns = block.columns.len();
    let series = charts::values(chart).count();
    if series > MAX_SERIES {
        return Some(format!(
            "expected at most {MAX_SERIES} columns of values, as many as Excel shows, got {series}"
        ));
    }
    for column in std::iter::once(chart.category_column).chain(charts::values(chart)) {
        if column as usize >= columns {
            return Some(format!("expected a column index below {columns}, got {column}"));
        }
    }
    if chart.value_columns.is_empty() {
        return Some("expected at least one column of values, got none".into());
    }
    if matches!(chart.kind, ChartKind::Pie | ChartKind::Doughnut) && series != 1 {
        return Some(format!("a pie has exactly one column of values, got {series}"));
    }
    let is_stacked = chart.stacking != Stacking::None;
    if is_stacked && matches!(chart.kind, ChartKind::Pie | ChartKind::Doughnut | ChartKind::Scatter)
    {
        return Some("expected columns, bars, lines or areas, as its series are stacked".into());
    }
    if !chart.line_columns.is_empty() && chart.kind != ChartKind::Column {
        return Some("expected columns, as lines are drawn over them".into());
    }
    if chart.line_columns.iter().any(|column| chart.value_columns.contains(column)) {
        return Some("expected each column either as a line or not, got one as both".into());
    }
    if chart.second_axis && chart.line_columns.is_empty() {
        return Some("expected lines over the columns, as there is a second axis".into());
    }
    let titles = [&chart.title, &chart.category_title, &chart.value_title, &chart.second_title];
    for title in titles.into_iter().flatten() {
        let units = title.encode_utf16().count();
        if units > MAX_HEADER_UNITS {
            return Some(format!(
                "expected titles of at most {MAX_HEADER_UNITS} characters, got {units}"
            ));
        }
    }
    let end = u64::from(chart.first_row) + u64::from(chart.row_count);
    if chart.row_count == 0 || end > rows(block) as u64 {
        return Some(format!(
            "expected rows within the {} rows of data, got {} to {end}",
            rows(block),
            chart.first_row
        ));
    }
    None
}
