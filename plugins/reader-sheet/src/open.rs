//! Gets the used cells out of a workbook, whatever its format.

use crate::value::{Value, from_data, from_data_ref};
use calamine::{
    Data, DataRef, Dimensions, Ods, OdsError, Range, Reader, SheetType, SheetVisible,
    WorkbookProperties, Xls, XlsError, Xlsb, XlsbError, Xlsx, XlsxError,
};
use mitt_reader_kit::{
    Cell, ENCRYPTED, Error, MAX_CELLS, MAX_TEXT_BYTES, cell_as_str, clean, single_line,
};
use std::fmt::Display;
use std::io::Cursor;

type Bytes<'a> = Cursor<&'a [u8]>;

/// A workbook's content before any row is taken for a header.
pub(crate) struct Workbook {
    pub(crate) title: Option<String>,
    pub(crate) sheets: Vec<Sheet>,
    pub(crate) warnings: Vec<String>,
}

/// The cells of a worksheet that hold something, in no promised order.
#[derive(Default)]
pub(crate) struct Sheet {
    pub(crate) name: String,
    pub(crate) cells: Vec<(u32, u32, Cell)>,
    pub(crate) merged: Vec<Dimensions>,
}

/// Open a workbook and collect the cells of all its worksheets.
pub(crate) fn open(bytes: &[u8], extension: &str) -> Result<Workbook, Error> {
    let bytes = Cursor::new(bytes);
    match extension {
        "xlsx" | "xlsm" => collect(Xlsx::new(bytes).map_err(xlsx_error)?),
        "xlsb" => collect(Xlsb::new(bytes).map_err(xlsb_error)?),
        "xls" => collect(Xls::new(bytes).map_err(xls_error)?),
        "ods" => collect(Ods::new(bytes).map_err(ods_error)?),
        other => Err(Error::Unsupported(format!("not a workbook: `{other}`"))),
    }
}

/// What the four readers of calamine can do, under one roof.
trait Source<'a>: Reader<Bytes<'a>> {
    fn properties(&mut self) -> Option<WorkbookProperties>;
    fn fill(&mut self, sheet: &mut Sheet, budget: &mut Budget) -> Result<(), Failure>;
}

/// Why a sheet could not be read: it alone is damaged, or the whole workbook is too large.
enum Failure {
    Sheet(String),
    TooLarge(Error),
}

/// What is left of the workbook's allowance, and how many of its cells were errors.
struct Budget {
    cells: usize,
    text_bytes: usize,
    errors: usize,
    first_error: Option<String>,
}

fn collect<'a>(mut source: impl Source<'a>) -> Result<Workbook, Error> {
    let mut warnings = Vec::new();
    let mut sheets = Vec::new();
    let mut failures = Vec::new();
    let mut budget =
        Budget { cells: MAX_CELLS, text_bytes: MAX_TEXT_BYTES, errors: 0, first_error: None };
    for info in source.sheets_metadata().to_vec() {
        let name = single_line(&clean(&info.name));
        match info.typ {
            SheetType::WorkSheet => {}
            SheetType::ChartSheet => {
                warnings.push(format!("sheet `{name}` is a chart and was not read"));
                continue;
            }
            SheetType::DialogSheet | SheetType::MacroSheet | SheetType::Vba => {
                warnings.push(format!("sheet `{name}` holds macros or dialogs and was not read"));
                continue;
            }
        }
        if info.visible != SheetVisible::Visible {
            warnings.push(format!("sheet `{name}` is hidden in the workbook"));
        }
        let mut sheet = Sheet { name: info.name, ..Sheet::default() };
        match source.fill(&mut sheet, &mut budget) {
            Ok(()) => {}
            Err(Failure::TooLarge(error)) => return Err(error),
            Err(Failure::Sheet(reason)) => {
                failures.push(format!("sheet `{name}` is damaged: {reason}"));
                continue;
            }
        }
        if let Some(first) = budget.first_error.take() {
            warnings.push(format!(
                "sheet `{name}`: cells with an error such as `{first}`: {}",
                budget.errors
            ));
            budget.errors = 0;
        }
        sheet.name = name;
        sheets.push(sheet);
    }
    if sheets.is_empty() && !failures.is_empty() {
        return Err(Error::Malformed(failures.join("; ")));
    }
    warnings.extend(failures);
    let title = source.properties().and_then(|properties| properties.title);
    let title = title.map(|title| single_line(&clean(&title))).filter(|title| !title.is_empty());
    Ok(Workbook { title, sheets, warnings })
}

impl Budget {
    fn take(
        &mut self,
        sheet: &mut Sheet,
        row: u32,
        column: u32,
        value: Value,
    ) -> Result<(), Failure> {
        if value.cell == Cell::Null {
            return Ok(());
        }
        let text = cell_as_str(&value.cell);
        self.cells = self.cells.checked_sub(1).ok_or_else(too_many_cells)?;
        self.text_bytes = self.text_bytes.checked_sub(text.len()).ok_or_else(too_much_text)?;
        if value.is_error {
            self.errors += 1;
            self.first_error.get_or_insert_with(|| text.to_owned());
        }
        sheet.cells.push((row, column, value.cell));
        Ok(())
    }

    fn take_range(&mut self, sheet: &mut Sheet, range: &Range<Data>) -> Result<(), Failure> {
        let (top, left) = range.start().unwrap_or_default();
        for (row, column, data) in range.used_cells() {
            // A position inside a worksheet fits 32 bits: no format has more rows.
            self.take(sheet, top + row as u32, left + column as u32, from_data(data))?;
        }
        Ok(())
    }
}

impl<'a> Source<'a> for Xlsx<Bytes<'a>> {
    fn properties(&mut self) -> Option<WorkbookProperties> {
        self.workbook_properties().ok()
    }

    fn fill(&mut self, sheet: &mut Sheet, budget: &mut Budget) -> Result<(), Failure> {
        // Merged regions only decide how a header is read; a sheet without a legible list of them is still a sheet.
        sheet.merged = self.merge_cells_by_sheet_name(&sheet.name).unwrap_or_default();
        let mut cells = self.worksheet_cells_reader(&sheet.name).map_err(sheet_failure)?;
        while let Some(cell) = cells.next_cell().map_err(sheet_failure)? {
            let (row, column) = cell.get_position();
            let data: &DataRef<'_> = cell.get_value();
            budget.take(sheet, row, column, from_data_ref(data))?;
        }
        Ok(())
    }
}

impl<'a> Source<'a> for Xlsb<Bytes<'a>> {
    fn properties(&mut self) -> Option<WorkbookProperties> {
        self.workbook_properties().ok()
    }

    fn fill(&mut self, sheet: &mut Sheet, budget: &mut Budget) -> Result<(), Failure> {
        let mut cells = self.worksheet_cells_reader(&sheet.name).map_err(sheet_failure)?;
        while let Some(cell) = cells.next_cell().map_err(sheet_failure)? {
            let (row, column) = cell.get_position();
            budget.take(sheet, row, column, from_data_ref(cell.get_value()))?;
        }
        Ok(())
    }
}

impl<'a> Source<'a> for Xls<Bytes<'a>> {
    fn properties(&mut self) -> Option<WorkbookProperties> {
        self.workbook_properties().ok()
    }

    fn fill(&mut self, sheet: &mut Sheet, budget: &mut Budget) -> Result<(), Failure> {
        sheet.merged = self.merge_cells_by_sheet_name(&sheet.name).unwrap_or_default();
        let range = self.worksheet_range(&sheet.name).map_err(sheet_failure)?;
        budget.take_range(sheet, &range)
    }
}

impl<'a> Source<'a> for Ods<Bytes<'a>> {
    fn properties(&mut self) -> Option<WorkbookProperties> {
        self.workbook_properties().ok()
    }

    fn fill(&mut self, sheet: &mut Sheet, budget: &mut Budget) -> Result<(), Failure> {
        let range = self.worksheet_range(&sheet.name).map_err(sheet_failure)?;
        budget.take_range(sheet, &range)
    }
}

pub(crate) fn too_many_cells_error() -> Error {
    Error::Quota(format!(
        "the workbook has more than {MAX_CELLS} cells: split it, or delete what is not needed"
    ))
}

fn too_many_cells() -> Failure {
    Failure::TooLarge(too_many_cells_error())
}

fn too_much_text() -> Failure {
    let limit = MAX_TEXT_BYTES >> 20;
    Failure::TooLarge(Error::Quota(format!(
        "the cells of the workbook hold more than {limit} MiB of text"
    )))
}

fn sheet_failure(error: impl Display) -> Failure {
    Failure::Sheet(error.to_string())
}

fn xlsx_error(error: XlsxError) -> Error {
    match error {
        XlsxError::Password => encrypted(),
        other => malformed(other),
    }
}

fn xlsb_error(error: XlsbError) -> Error {
    match error {
        XlsbError::Password => encrypted(),
        other => malformed(other),
    }
}

fn xls_error(error: XlsError) -> Error {
    match error {
        XlsError::Password => encrypted(),
        other => malformed(other),
    }
}

fn ods_error(error: OdsError) -> Error {
    match error {
        OdsError::Password => encrypted(),
        OdsError::CellLimitExceeded { .. } => too_many_cells_error(),
        other => malformed(other),
    }
}

fn encrypted() -> Error {
    Error::Unsupported(ENCRYPTED.to_owned())
}

fn malformed(error: impl Display) -> Error {
    Error::Malformed(format!("the workbook is damaged: {error}"))
}
