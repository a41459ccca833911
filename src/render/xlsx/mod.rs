//! Workbook to XLSX, by rust_xlsxwriter.
//!
//! Everything is checked before anything is written, so that a broken rule is a list of places and never a broken file.

mod check;
mod formula;
mod size;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::rc::Rc;

use rust_xlsxwriter as writer;
use writer::{
    Color, DocProperties, ExcelDateTime, Format, FormatAlign, FormatBorder, Worksheet, XlsxError,
};

use super::Cancel;
use super::workbook::{
    Alignment, Chart, ChartKind, RowStyle, Sheet, SheetCell, SheetColumn, SheetRow, Workbook,
    XlsxOptions,
};
use mitt_base::{Error, ErrorKind, Result};

/// A font that has both Latin and Chinese on every Excel since 2010, in Windows and macOS.
const FONT: &str = "Microsoft YaHei";
const FONT_SIZE: f64 = 10.5;
const HEADER_FILL: Color = Color::RGB(0x1F_4E_79);
const LINE: Color = Color::RGB(0xBF_BF_BF);

/// Significant digits that an Excel number holds.
const MAX_DIGITS: usize = 15;

/// Write a workbook.
///
/// # Errors
///
/// [`ErrorKind::Arguments`] - the workbook breaks rules of the format; names sheet, row and column of each.
/// [`ErrorKind::Disabled`] - this build has no writer (feature `xlsx`).
/// [`ErrorKind::Host`] - it was cancelled.
pub fn xlsx(book: &Workbook, options: &XlsxOptions) -> Result<Vec<u8>> {
    check::check(book, &options.cancel)?;
    let mut out = writer::Workbook::new();
    let created = i64::try_from(options.created.as_secs())
        .ok()
        .and_then(|at| ExcelDateTime::from_timestamp(at).ok());
    let mut properties = DocProperties::new().set_author("mitt");
    if let Some(title) = &book.title {
        properties = properties.set_title(check::legal(title).as_ref());
    }
    if let Some(created) = &created {
        properties = properties.set_creation_datetime(created);
    }
    out.set_properties(&properties);
    for sheet in &book.sheets {
        write_sheet(out.add_worksheet(), sheet, &options.cancel)?;
    }
    options.cancel.check()?;
    out.save_to_buffer().map_err(|error| failed(&error))
}

/// Memory that [`xlsx`] takes at most, in bytes, besides the workbook itself.
///
/// # Errors
///
/// [`ErrorKind::Host`] - it was cancelled.
pub fn xlsx_bytes(book: &Workbook, cancel: &Cancel) -> Result<u64> {
    size::writing_bytes(book, cancel)
}

/// What the check lets through, the writer takes; the rest would be our mistake.
#[cold]
fn failed(error: &XlsxError) -> Error {
    Error::bug(format!("the workbook cannot be written: {error}"))
}

fn write_sheet(out: &mut Worksheet, sheet: &Sheet, cancel: &Cancel) -> Result<()> {
    // Columns that look the same share their formats, which take some kilobytes.
    let mut made: HashMap<(Alignment, Option<&str>), Rc<Formats>> = HashMap::new();
    let formats: Vec<Rc<Formats>> = sheet
        .columns
        .iter()
        .map(|column| {
            let look = (column.alignment, column.number_format.as_deref());
            made.entry(look).or_insert_with(|| Rc::new(Formats::new(column))).clone()
        })
        .collect();
    head(out, sheet, &formats).map_err(|error| failed(&error))?;
    for (index, row) in sheet.rows.iter().enumerate() {
        if index % 1024 == 0 {
            cancel.check()?;
        }
        // Row 0 is the header; the check has bounded the number of rows.
        write_row(out, row_number(index), row, &formats).map_err(|error| failed(&error))?;
    }
    charts(out, sheet, cancel)
}

fn row_number(index: usize) -> u32 {
    u32::try_from(index + 1).unwrap_or(u32::MAX)
}

fn column_number(index: usize) -> u16 {
    u16::try_from(index).unwrap_or(u16::MAX)
}

/// The formats of one column.
struct Formats {
    normal: Format,
    total: Format,
    date: Format,
    date_total: Format,
    datetime: Format,
    link: Format,
}

impl Formats {
    fn new(column: &SheetColumn) -> Formats {
        let mut normal = Format::new()
            .set_font_name(FONT)
            .set_font_size(FONT_SIZE)
            .set_align(FormatAlign::VerticalCenter);
        normal = match column.alignment {
            Alignment::General => normal,
            Alignment::Left => normal.set_align(FormatAlign::Left),
            Alignment::Center => normal.set_align(FormatAlign::Center),
            Alignment::Right => normal.set_align(FormatAlign::Right),
        };
        // Text that is wider than its column is wrapped instead of cut off by its neighbour.
        normal = normal.set_text_wrap();
        let date = column.number_format.clone().unwrap_or_else(|| "yyyy-mm-dd".into());
        let datetime = column.number_format.clone().unwrap_or_else(|| "yyyy-mm-dd hh:mm:ss".into());
        let date = normal.clone().set_num_format(date);
        let datetime = normal.clone().set_num_format(datetime);
        let link = normal
            .clone()
            .set_font_color(Color::RGB(0x05_63_C1))
            .set_underline(writer::FormatUnderline::Single);
        if let Some(format) = &column.number_format {
            normal = normal.set_num_format(format);
        }
        let total = |format: &Format| format.clone().set_bold().set_border_top(FormatBorder::Thin);
        Formats { total: total(&normal), date_total: total(&date), normal, date, datetime, link }
    }
}

fn head(out: &mut Worksheet, sheet: &Sheet, formats: &[Rc<Formats>]) -> Result<(), XlsxError> {
    out.set_name(&sheet.name)?;
    let header = Format::new()
        .set_font_name(FONT)
        .set_font_size(FONT_SIZE)
        .set_bold()
        .set_font_color(Color::White)
        .set_background_color(HEADER_FILL)
        .set_border(FormatBorder::Thin)
        .set_border_color(LINE)
        .set_align(FormatAlign::Center)
        .set_align(FormatAlign::VerticalCenter)
        .set_text_wrap();
    for (index, (column, formats)) in sheet.columns.iter().zip(formats).enumerate() {
        let index = column_number(index);
        out.set_column_width(index, column.width)?;
        // Cells that the user fills in later look like those above them.
        out.set_column_format(index, &formats.normal)?;
        out.write_string_with_format(0, index, check::legal(&column.header), &header)?;
    }
    if sheet.freeze_header {
        out.set_freeze_panes(1, 0)?;
    }
    if sheet.auto_filter {
        let totals = sheet.rows.iter().rev().take_while(|row| row.style == RowStyle::Total).count();
        let last_column = column_number(sheet.columns.len() - 1);
        out.autofilter(0, 0, row_number(sheet.rows.len() - totals) - 1, last_column)?;
    }
    Ok(())
}

fn write_row(
    out: &mut Worksheet,
    row: u32,
    cells: &SheetRow,
    formats: &[Rc<Formats>],
) -> Result<(), XlsxError> {
    for (index, (cell, formats)) in cells.cells.iter().zip(formats).enumerate() {
        let column = column_number(index);
        let is_total = cells.style == RowStyle::Total;
        let format = if is_total { &formats.total } else { &formats.normal };
        match cell {
            SheetCell::Empty => {
                out.write_blank(row, column, format)?;
            }
            SheetCell::Boolean(value) => {
                out.write_boolean_with_format(row, column, *value, format)?;
            }
            SheetCell::Number(lexeme) => match excel_number(lexeme) {
                Some(number) => {
                    out.write_number_with_format(row, column, number, format)?;
                }
                None => {
                    out.write_string_with_format(row, column, lexeme, format)?;
                }
            },
            SheetCell::Text(text) => {
                out.write_string_with_format(row, column, check::legal(text), format)?;
            }
            SheetCell::Date(text) => {
                let date = ExcelDateTime::parse_from_str(text)?;
                let format = match (is_total, text.contains(['T', ' '])) {
                    (true, _) => &formats.date_total,
                    (false, true) => &formats.datetime,
                    (false, false) => &formats.date,
                };
                out.write_datetime_with_format(row, column, &date, format)?;
            }
            SheetCell::Formula(formula) => {
                let value = check::legal(&formula.value).into_owned();
                let formula = writer::Formula::new(check::legal(&formula.expression).as_ref())
                    .set_result(value);
                out.write_formula_with_format(row, column, formula, format)?;
            }
            SheetCell::Link(link) => {
                let text = check::legal(&link.text);
                out.write_url_with_options(
                    row,
                    column,
                    link.url.as_str(),
                    text,
                    "",
                    Some(&formats.link),
                )?;
            }
        }
    }
    Ok(())
}

/// The number, if Excel keeps all its digits.
fn excel_number(lexeme: &str) -> Option<f64> {
    let mantissa = lexeme.split(['e', 'E']).next().unwrap_or(lexeme);
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let significant = digits.trim_start_matches('0');
    let significant =
        if mantissa.contains('.') { significant } else { significant.trim_end_matches('0') };
    let significant = significant.trim_end_matches('0').len();
    let number: f64 = lexeme.parse().ok()?;
    (significant <= MAX_DIGITS && number.is_finite()).then_some(number)
}

/// Charts stand to the right of the data, one below the other.
fn charts(out: &mut Worksheet, sheet: &Sheet, cancel: &Cancel) -> Result<()> {
    const ROWS_PER_CHART: usize = 18;
    let column = column_number(sheet.columns.len() + 1);
    for (index, chart) in sheet.charts.iter().enumerate() {
        cancel.check()?;
        let native = native_chart(sheet, chart);
        out.insert_chart(row_number(index * ROWS_PER_CHART), column, &native)
            .map_err(|error| failed(&error))?;
    }
    Ok(())
}

fn native_chart(sheet: &Sheet, chart: &Chart) -> writer::Chart {
    let mut out = writer::Chart::new(match chart.kind {
        ChartKind::Column => writer::ChartType::Column,
        ChartKind::Bar => writer::ChartType::Bar,
        ChartKind::Line => writer::ChartType::Line,
        ChartKind::Area => writer::ChartType::Area,
        ChartKind::Pie => writer::ChartType::Pie,
        ChartKind::Scatter => writer::ChartType::Scatter,
    });
    let name = sheet.name.as_str();
    let first = chart.first_row + 1;
    let last = first + chart.row_count - 1;
    let number = |column: u32| u16::try_from(column).unwrap_or(u16::MAX);
    let categories = number(chart.category_column);
    for value in &chart.value_columns {
        let value = number(*value);
        out.add_series()
            .set_name((name, 0, value))
            .set_categories((name, first, categories, last, categories))
            .set_values((name, first, value, last, value));
    }
    match &chart.title {
        Some(title) => {
            out.title().set_name(check::legal(title).as_ref());
        }
        None => {
            out.title().set_hidden();
        }
    }
    if chart.value_columns.len() == 1 && chart.kind != ChartKind::Pie {
        out.legend().set_hidden();
    }
    out.set_width(640).set_height(340);
    out
}

/// The kind of every error that a caller can cause.
fn refused(problems: Vec<String>) -> Error {
    Error::new(ErrorKind::Arguments, problems.join("\n"))
}
