//! The whole file except for its rows: rust_xlsxwriter writes a workbook without them, and they are inserted into its
//! sheets.
//!
//! Knows only two kinds of cells: links, and those in charts, whose values are part of the chart.

use std::io::{Cursor, Read as _};

use rust_xlsxwriter as writer;
use writer::{
    DocProperties, ExcelDateTime, ObjectMovement, ProtectionOptions, Table, TableStyle, Worksheet,
    XlsxError,
};

use super::package::{Archive, CompressedChunk};
use super::print::{self, Anchor, Area};
use super::rules::data_rows;
use super::strings::Strings;
use super::styles::{ColumnStyles, Role, Styles};
use super::{charts, column_number, formula, header_row, legal, letters, rules};
use crate::Cancel;
use crate::model::workbook::{Block, Protection, Sheet, Style, Workbook, XlsxOptions};
use mitt_base::{Error, Result};

/// The last column. A cell there makes the library write a part that our rows need.
const ASIDE: u16 = 16_383;

/// The rows of a sheet, compressed.
pub(super) struct Rows {
    pub(super) chunk: CompressedChunk,
    /// Range of its cells: `A1:C7`.
    pub(super) dimension: String,
    /// `true` if a formula in it returns several cells.
    pub(super) spills: bool,
}

/// The workbook without its rows.
pub(super) struct Skeleton {
    book: writer::Workbook,
    title: Option<String>,
    /// Print areas of each sheet.
    areas: Vec<Vec<Area>>,
    /// Ranges of the Excel tables as the library wrote them, and as they must be.
    tables: Vec<(String, String)>,
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
        for name in &book.names {
            let formula = format!("={}", formula::stored(&name.formula).0);
            out.define_name(&name.name, &formula).map_err(|error| failed(&error))?;
        }
        let title = book.title.clone();
        Ok(Skeleton { book: out, title, areas: Vec::new(), tables: Vec::new() })
    }

    /// Begins a sheet of this name.
    pub(super) fn add(
        &mut self,
        sheet: &Sheet,
        name: &str,
        styles: &mut Styles,
        cancel: &Cancel,
    ) -> Result<()> {
        let out = self.book.add_worksheet();
        let mut make = || {
            out.set_name(name)?;
            frame(out, sheet, styles)?;
            rules::apply(out, sheet)?;
            tables(out, sheet, &mut self.tables)
        };
        make().map_err(|error| failed(&error))?;
        let figures = charts_of(sheet).map(|(_, chart)| charts::size(chart));
        let pictures = pictures_of(sheet).filter_map(charts::picture_size);
        let plan = print::plan(sheet, &figures.chain(pictures).collect::<Vec<_>>());
        print::apply(out, &plan, self.title.as_deref()).map_err(|error| failed(&error))?;
        draw(out, sheet, name, &plan.anchors, cancel)?;
        self.areas.push(plan.areas);
        Ok(())
    }

    /// Adds a link to the current sheet.
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

    /// Returns the file, with the rows of each sheet.
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
        let mut tables = self.tables.into_iter();
        for index in 0..parts.len() {
            let mut part = parts.by_index(index).map_err(|_| broken())?;
            let name = part.name().map_err(|_| broken())?.into_owned();
            let mut bytes = Vec::new();
            part.read_to_end(&mut bytes).map_err(|_| broken())?;
            let text = || std::str::from_utf8(&bytes).map_err(|_| broken());
            let chunks = match name.as_str() {
                "xl/sharedStrings.xml" => strings.take().ok_or_else(broken)?.finish()?,
                "xl/workbook.xml" => vec![CompressedChunk::of(&with_areas(text()?, &self.areas))?],
                name if name.starts_with("xl/worksheets/sheet") => {
                    with_rows(text()?, rows.next().ok_or_else(broken)?)?
                }
                name if name.starts_with("xl/tables/table") => {
                    let (made, range) = tables.next().ok_or_else(broken)?;
                    vec![CompressedChunk::of(&text()?.replace(&made, &range))?]
                }
                _ => vec![CompressedChunk::of_bytes(&bytes)?],
            };
            archive.add(&name, chunks)?;
        }
        if rows.next().is_some() || strings.is_some() {
            return Err(broken());
        }
        archive.finish()
    }
}

/// Returns the part of a sheet with its rows inserted.
fn with_rows(text: &str, rows: Rows) -> Result<Vec<CompressedChunk>> {
    let (head, rest) = text.split_once("<sheetData").ok_or_else(broken)?;
    let tail = match rest.strip_prefix("/>") {
        Some(tail) => tail,
        None => rest.split_once("</sheetData>").ok_or_else(broken)?.1,
    };
    let (before, rest) = head.split_once("<dimension ref=\"").ok_or_else(broken)?;
    let (_, behind) = rest.split_once('"').ok_or_else(broken)?;
    let head = format!("{before}<dimension ref=\"{}\"{behind}<sheetData>", rows.dimension);
    Ok(vec![
        CompressedChunk::of(&head)?,
        rows.chunk,
        CompressedChunk::of(&format!("</sheetData>{tail}"))?,
    ])
}

/// Everything that passes the check is accepted by the writer, so other errors are our mistake.
#[cold]
fn failed(error: &XlsxError) -> Error {
    Error::bug(format!("the workbook cannot be written: {error}"))
}

#[cold]
fn broken() -> Error {
    Error::bug("the workbook was not written as expected")
}

/// Writes columns, frozen rows, filter, appearance and protection.
fn frame(out: &mut Worksheet, sheet: &Sheet, styles: &mut Styles) -> Result<(), XlsxError> {
    columns(out, sheet, styles)?;
    let Some(first) = sheet.blocks.first() else { return Ok(()) };
    let header = header_row(first);
    if sheet.freeze_header {
        out.set_freeze_panes(header + 1, 0)?;
    }
    // A table has its own filter.
    if sheet.auto_filter && first.table_name.is_none() {
        let left = first.column as usize;
        let right = column_number(left + first.columns.len() - 1);
        let last = match super::cells::rows(first) {
            0 => header,
            _ => data_rows(first).1,
        };
        out.autofilter(header, column_number(left), last, right)?;
    }
    if matches!(sheet.look.style, Style::Financial | Style::Dark) {
        out.set_screen_gridlines(false);
    }
    if let Some(Protection { password }) = &sheet.protection {
        out.protect_with_options(&ProtectionOptions {
            format_columns: true,
            format_rows: true,
            sort: true,
            use_autofilter: true,
            ..ProtectionOptions::default()
        });
        if let Some(password) = password.as_ref().filter(|password| !password.is_empty()) {
            out.protect_with_password(password);
        }
    }
    Ok(())
}

/// Writes widths, formats and groups of columns, and hides columns.
fn columns(out: &mut Worksheet, sheet: &Sheet, styles: &mut Styles) -> Result<(), XlsxError> {
    struct ColumnFormat {
        index: usize,
        width: f64,
        style: u32,
        hidden: bool,
        level: u8,
    }
    let mut formats = Vec::new();
    for block in &sheet.blocks {
        for (index, column) in block.columns.iter().enumerate() {
            formats.push(ColumnFormat {
                index: block.column as usize + index,
                width: column.width,
                style: ColumnStyles::new(column, sheet.look).id(Role::Column, styles),
                hidden: column.hidden,
                level: column.level,
            });
        }
    }
    // Stable sorting: if blocks share a column, the first one decides on the format of cells that the user fills in later.
    formats.sort_by_key(|column| column.index);
    let mut levels: Vec<(u16, u8)> = Vec::new();
    for same in formats.chunk_by(|a, b| a.index == b.index) {
        let index = column_number(same[0].index);
        out.set_column_width(index, same.iter().map(|it| it.width).fold(0.0, f64::max))?;
        out.set_column_format(index, styles.format(same[0].style))?;
        if same.iter().any(|it| it.hidden) {
            out.set_column_hidden(index)?;
        }
        levels.push((index, same.iter().map(|it| it.level).max().unwrap_or(0)));
    }
    // A group of a level is within those of lower levels.
    for level in 1..=7 {
        let deep = levels.iter().filter(|(_, of)| *of >= level).map(|(index, _)| *index);
        let deep: Vec<u16> = deep.collect();
        for group in deep.chunk_by(|a, b| a + 1 == *b) {
            out.group_columns(group[0], group[group.len() - 1])?;
        }
    }
    Ok(())
}

/// Adds Excel tables. The library keeps every cell of a table, so it gets only the first row, and the range is corrected
/// afterwards.
fn tables(
    out: &mut Worksheet,
    sheet: &Sheet,
    made: &mut Vec<(String, String)>,
) -> Result<(), XlsxError> {
    for block in &sheet.blocks {
        let Some(name) = &block.table_name else { continue };
        let (header, (first, last)) = (header_row(block), data_rows(block));
        let (left, right) =
            (block.column as usize, block.column as usize + block.columns.len() - 1);
        let columns: Vec<_> = block
            .columns
            .iter()
            .map(|column| writer::TableColumn::new().set_header(legal(&column.header).as_ref()))
            .collect();
        let table = Table::new()
            .set_name(name)
            .set_columns(&columns)
            .set_autofilter(sheet.auto_filter)
            .set_style(match sheet.look.style {
                Style::Report => TableStyle::Light1,
                Style::Plain => TableStyle::Light15,
                Style::Financial => TableStyle::None,
                Style::Dark => TableStyle::Light8,
            });
        out.add_table(header, column_number(left), first, column_number(right), &table)?;
        let range =
            |end: u32| format!("{}{}:{}{}\"", letters(left), header + 1, letters(right), end + 1);
        made.push((range(first), range(last)));
    }
    Ok(())
}

fn charts_of(sheet: &Sheet) -> impl Iterator<Item = (&Block, &crate::model::workbook::Chart)> {
    sheet.blocks.iter().flat_map(|block| block.charts.iter().map(move |chart| (block, chart)))
}

fn pictures_of(sheet: &Sheet) -> impl Iterator<Item = &crate::model::workbook::Picture> {
    sheet.blocks.iter().flat_map(|block| &block.pictures)
}

/// Adds charts and pictures where printed pages have space for them.
fn draw(
    out: &mut Worksheet,
    sheet: &Sheet,
    name: &str,
    anchors: &[Anchor],
    cancel: &Cancel,
) -> Result<()> {
    let mut anchors = anchors.iter();
    for (block, chart) in charts_of(sheet) {
        cancel.check()?;
        let at = anchors.next().ok_or_else(broken)?;
        let largest = charts::shown(out, block, chart).map_err(|error| failed(&error))?;
        let mut native = charts::native(name, block, chart, largest);
        // A filter that hides rows must not compress the chart.
        native.set_object_movement(ObjectMovement::MoveButDontSizeWithCells);
        out.insert_chart_with_offset(at.row, at.column, &native, at.offset, 0)
            .map_err(|error| failed(&error))?;
    }
    for picture in pictures_of(sheet) {
        cancel.check()?;
        let at = anchors.next().ok_or_else(broken)?;
        charts::image(picture)
            .and_then(|image| {
                out.insert_image_with_offset(at.row, at.column, &image, at.offset, 0).map(drop)
            })
            .map_err(|error| failed(&error))?;
    }
    Ok(())
}

/// Returns the workbook part with all ranges of each print area, since the library writes only one for each sheet.
fn with_areas(text: &str, areas: &[Vec<Area>]) -> String {
    let mut text = text.to_owned();
    for (index, areas) in areas.iter().enumerate().filter(|(_, areas)| areas.len() > 1) {
        let open = format!("<definedName name=\"_xlnm.Print_Area\" localSheetId=\"{index}\">");
        let Some(start) = text.find(&open).map(|at| at + open.len()) else { continue };
        let Some(length) = text[start..].find("</definedName>") else { continue };
        let Some((sheet, _)) = text[start..start + length].rsplit_once('!') else { continue };
        let ranges: Vec<_> =
            areas.iter().map(|area| format!("{sheet}!{}", area.absolute())).collect();
        text.replace_range(start..start + length, &ranges.join(","));
    }
    text
}
