//! Checks the rules of the format and the limits of a workbook, all at once.

use super::cell_problems::{MAX_LINKS, formula_problem, link_problem, no_date, too_long_text};
use super::cells::{rows, serial_of};
use super::names::Names;
use super::problems::{Problems, shown};
use super::{charts, design, header_row, size};
use crate::Cancel;
use crate::model::workbook::{
    Block, CellConversion, Chart, ChartKind, MAX_CELLS, MAX_HEADER_UNITS, Sheet, SheetCell,
    SheetRow, Stacking, Workbook,
};
use mitt_base::{Result, text};

const MAX_SHEETS: usize = 255;
const MAX_COLUMNS: usize = 16_384;
/// Most rows, including the header.
const MAX_ROWS: usize = 1_048_576;
/// Most blocks of all sheets. Each is compared with every other one of its sheet.
const MAX_BLOCKS: usize = 1_024;
const MAX_FORMAT_CHARACTERS: usize = 255;
/// Most series of a chart in Excel.
const MAX_SERIES: usize = 255;

/// Rows between two checks of cancellation.
const ROWS_PER_LOOK: usize = 1024;

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
