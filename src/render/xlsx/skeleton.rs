//! All of the file but the rows: rust_xlsxwriter writes a workbook without them, and they take their place in its sheets.
//!
//! Of cells it knows only those that a chart shows, since it keeps their values in the chart, and links.

use std::io::{Cursor, Read as _};

use rust_xlsxwriter as writer;
use writer::{DocProperties, ExcelDateTime, Worksheet, XlsxError};

use super::cells::{self, Cell};
use super::package::{Archive, Piece};
use super::rows::Rows;
use super::strings::Strings;
use super::styles::{ColumnStyles, Role, Styles};
use super::{header_row, legal};
use crate::Cancel;
use crate::workbook::{Block, Chart, ChartKind, RowStyle, Sheet, Workbook, XlsxOptions};
use mitt_base::{Error, Result};

/// The last column: what stands there makes the library write a part that our rows need.
const ASIDE: u16 = 16_383;

/// The workbook without its rows.
pub(super) struct Skeleton {
    book: writer::Workbook,
}

impl Skeleton {
    pub(super) fn new(book: &Workbook, options: &XlsxOptions) -> Result<Skeleton> {
        let mut out = writer::Workbook::new();
        let created = i64::try_from(options.created.as_secs())
            .ok()
            .and_then(|at| ExcelDateTime::from_timestamp(at).ok());
        let mut properties = DocProperties::new().set_author("mitt");
        if let Some(title) = &book.title {
            properties = properties.set_title(legal(title).as_ref());
        }
        if let Some(created) = &created {
            properties = properties.set_creation_datetime(created);
        }
        out.set_properties(&properties);
        Ok(Skeleton { book: out })
    }

    /// Begin a sheet.
    pub(super) fn add(
        &mut self,
        sheet: &Sheet,
        styles: &mut Styles,
        cancel: &Cancel,
    ) -> Result<()> {
        let out = self.book.add_worksheet();
        frame(out, sheet, styles).map_err(|error| failed(&error))?;
        charts(out, sheet, cancel)
    }

    /// A link of the sheet that was begun last.
    pub(super) fn link(
        &mut self,
        at: (u32, u16),
        url: &str,
        text: &str,
        style: u32,
        styles: &Styles,
    ) -> Result<()> {
        let last = self.book.worksheets().len() - 1;
        let sheet = self.book.worksheet_from_index(last).map_err(|error| failed(&error))?;
        let format = Some(styles.format(style));
        sheet
            .write_url_with_options(at.0, at.1, url, legal(text), "", format)
            .map_err(|error| failed(&error))?;
        Ok(())
    }

    /// The file, with the rows of each sheet.
    pub(super) fn finish(
        mut self,
        rows: Vec<Rows>,
        styles: &Styles,
        strings: Strings,
    ) -> Result<Vec<u8>> {
        let spills = rows.iter().any(|rows| rows.spills);
        let aside = |sheet: &mut Worksheet| {
            sheet.write_string(0, ASIDE, "texts")?;
            if spills {
                sheet.write_dynamic_formula(0, ASIDE - 1, "=1")?;
            }
            Ok(())
        };
        self.book.worksheet_from_index(0).and_then(aside).map_err(|error| failed(&error))?;
        for format in &styles.formats {
            self.book.register_format(format);
        }
        let bytes = self.book.save_to_buffer().map_err(|error| failed(&error))?;
        let mut parts = zip::ZipArchive::new(Cursor::new(bytes)).map_err(|_| broken())?;
        let mut archive = Archive::default();
        let (mut rows, mut strings) = (rows.into_iter(), Some(strings));
        for index in 0..parts.len() {
            let mut part = parts.by_index(index).map_err(|_| broken())?;
            let name = part.name().map_err(|_| broken())?.into_owned();
            let mut text = String::new();
            part.read_to_string(&mut text).map_err(|_| broken())?;
            let pieces = match name.as_str() {
                "xl/sharedStrings.xml" => strings.take().ok_or_else(broken)?.finish()?,
                name if name.starts_with("xl/worksheets/sheet") => {
                    with_rows(&text, rows.next().ok_or_else(broken)?)?
                }
                _ => vec![Piece::of(&text)?],
            };
            archive.add(&name, pieces)?;
        }
        if rows.next().is_some() || strings.is_some() {
            return Err(broken());
        }
        archive.finish()
    }
}

/// The part of a sheet, with its rows in their place.
fn with_rows(text: &str, rows: Rows) -> Result<Vec<Piece>> {
    let (head, rest) = text.split_once("<sheetData").ok_or_else(broken)?;
    let tail = match rest.strip_prefix("/>") {
        Some(tail) => tail,
        None => rest.split_once("</sheetData>").ok_or_else(broken)?.1,
    };
    let (before, rest) = head.split_once("<dimension ref=\"").ok_or_else(broken)?;
    let (_, behind) = rest.split_once('"').ok_or_else(broken)?;
    let head = format!("{before}<dimension ref=\"{}\"{behind}<sheetData>", rows.dimension);
    Ok(vec![Piece::of(&head)?, rows.piece, Piece::of(&format!("</sheetData>{tail}"))?])
}

/// What the check lets through, the writer takes; the rest would be our mistake.
#[cold]
fn failed(error: &XlsxError) -> Error {
    Error::bug(format!("the workbook cannot be written: {error}"))
}

#[cold]
fn broken() -> Error {
    Error::bug("the workbook was not written as expected")
}

fn column_number(index: usize) -> u16 {
    u16::try_from(index).unwrap_or(u16::MAX)
}

/// Name, columns, what stays in view, the filter.
fn frame(out: &mut Worksheet, sheet: &Sheet, styles: &mut Styles) -> Result<(), XlsxError> {
    out.set_name(&sheet.name)?;
    let mut columns: Vec<(usize, f64, u32)> = Vec::new();
    for block in &sheet.blocks {
        for (index, column) in block.columns.iter().enumerate() {
            let style = ColumnStyles::new(column).id(Role::Value, styles);
            columns.push((block.column as usize + index, column.width, style));
        }
    }
    // Stable: of blocks below each other the first one decides how cells look that the user fills in later.
    columns.sort_by_key(|(index, ..)| *index);
    for same in columns.chunk_by(|a, b| a.0 == b.0) {
        let index = column_number(same[0].0);
        out.set_column_width(index, same.iter().map(|(_, width, _)| *width).fold(0.0, f64::max))?;
        out.set_column_format(index, styles.format(same[0].2))?;
    }
    let Some(first) = sheet.blocks.first() else { return Ok(()) };
    let header = header_row(first);
    if sheet.freeze_header {
        out.set_freeze_panes(header + 1, 0)?;
    }
    if sheet.auto_filter {
        let totals = first.rows.iter().rev().take_while(|row| row.style == RowStyle::Total).count();
        let last = header + number(cells::rows(first) - totals);
        let left = first.column as usize;
        out.autofilter(
            header,
            column_number(left),
            last,
            column_number(left + first.columns.len() - 1),
        )?;
    }
    Ok(())
}

/// The check has bounded it.
fn number(rows: usize) -> u32 {
    u32::try_from(rows).unwrap_or(u32::MAX)
}

/// Charts stand to the right of the data, one below the other.
fn charts(out: &mut Worksheet, sheet: &Sheet, cancel: &Cancel) -> Result<()> {
    const ROWS_PER_CHART: usize = 18;
    let ends = sheet.blocks.iter().map(|block| block.column as usize + block.columns.len());
    let column = column_number(ends.max().unwrap_or(0) + 1);
    let charts =
        sheet.blocks.iter().flat_map(|block| block.charts.iter().map(move |chart| (block, chart)));
    for (index, (block, chart)) in charts.enumerate() {
        cancel.check()?;
        shown(out, block, chart).map_err(|error| failed(&error))?;
        let native = native_chart(&sheet.name, block, chart);
        out.insert_chart(number(index * ROWS_PER_CHART + 1), column, &native)
            .map_err(|error| failed(&error))?;
    }
    Ok(())
}

/// Write the cells that a chart shows.
fn shown(out: &mut Worksheet, block: &Block, chart: &Chart) -> Result<(), XlsxError> {
    let header = header_row(block);
    let mut text = String::new();
    for index in chart.value_columns.iter().chain([&chart.category_column]) {
        let (index, column) = (*index as usize, column_number((block.column + index) as usize));
        out.write_string(header, column, legal(&block.columns[index].header))?;
        for row in chart.first_row..chart.first_row + chart.row_count {
            let at = header + 1 + row;
            match cells::cell(block, row as usize, index, &mut text) {
                Cell::Empty => continue,
                Cell::Number(value) => out.write_number(at, column, value)?,
                Cell::Date(value) => {
                    out.write_datetime(at, column, ExcelDateTime::from_serial_datetime(value)?)?
                }
                Cell::Text(text) => out.write_string(at, column, legal(text))?,
            };
        }
    }
    Ok(())
}

/// Axes of a chart: a light grid, numbers as the columns have them, names at the foot also where values are negative.
fn axes(out: &mut writer::Chart, block: &Block, chart: &Chart) {
    if chart.kind == ChartKind::Pie {
        return;
    }
    let format = |index: u32| block.columns.get(index as usize)?.number_format.as_deref();
    let mut formats = chart.value_columns.iter().map(|index| format(*index));
    let first = formats.next().flatten();
    // Several series share the axis: it follows them only where they agree.
    let values = first.filter(|first| formats.all(|format| format == Some(*first)));
    let mut grid = writer::ChartLine::new();
    grid.set_color("#D9DEE3").set_width(0.75);
    let y = out.y_axis();
    y.set_major_gridlines_line(&grid);
    if let Some(format) = values {
        y.set_num_format(axis_format(format, reach(block, chart, &chart.value_columns)));
    }
    let x = out.x_axis();
    x.set_label_position(writer::ChartAxisLabelPosition::Low);
    if chart.kind == ChartKind::Scatter
        && let Some(format) = format(chart.category_column)
    {
        x.set_num_format(axis_format(format, reach(block, chart, &[chart.category_column])));
    }
}

/// The format of a column for an axis whose largest value is `reach`: its first section. Where ticks are far from each other,
/// the digits behind the point would all be zeros, and are left out: `0.0%` is `0%`, `#,##0.00` is `#,##0`.
fn axis_format(format: &str, reach: f64) -> String {
    let section = format.split(';').next().unwrap_or(format);
    let reach = if section.ends_with('%') { reach * 100.0 } else { reach };
    match section.find(".0").filter(|_| reach >= 20.0) {
        Some(point) => {
            let (whole, behind) = section.split_at(point);
            format!("{whole}{}", behind[1..].trim_start_matches('0'))
        }
        None => section.to_owned(),
    }
}

/// The largest of some values of a chart, without its sign.
fn reach(block: &Block, chart: &Chart, columns: &[u32]) -> f64 {
    let mut text = String::new();
    let mut reach = 0.0_f64;
    for index in columns {
        for row in chart.first_row..chart.first_row + chart.row_count {
            if let Cell::Number(value) =
                cells::cell(block, row as usize, *index as usize, &mut text)
            {
                reach = reach.max(value.abs());
            }
        }
    }
    reach
}

fn native_chart(name: &str, block: &Block, chart: &Chart) -> writer::Chart {
    let mut out = writer::Chart::new(match chart.kind {
        ChartKind::Column => writer::ChartType::Column,
        ChartKind::Bar => writer::ChartType::Bar,
        ChartKind::Line => writer::ChartType::Line,
        ChartKind::Area => writer::ChartType::Area,
        ChartKind::Pie => writer::ChartType::Pie,
        ChartKind::Scatter => writer::ChartType::Scatter,
    });
    let header = header_row(block);
    let first = header + 1 + chart.first_row;
    let last = first + chart.row_count - 1;
    let column = |index: u32| column_number((block.column + index) as usize);
    let categories = column(chart.category_column);
    for value in &chart.value_columns {
        let value = column(*value);
        out.add_series()
            .set_name((name, header, value))
            .set_categories((name, first, categories, last, categories))
            .set_values((name, first, value, last, value));
    }
    axes(&mut out, block, chart);
    match &chart.title {
        Some(title) => {
            out.title().set_name(legal(title).as_ref());
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
