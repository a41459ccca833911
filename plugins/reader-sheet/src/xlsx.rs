//! Workbooks of Excel since 2007.

use crate::biff::is_encrypted;
use crate::intake::{Failure, Intake};
use crate::item::Item;
use crate::open::{self, Kind, Source, encrypted, malformed, sheet_failure};
use crate::package::{Package, Workbook, canonical, chart_sheet_title, read_asides};
use crate::value::{Value, from_data_ref, text_item};
use calamine::{DataRef, Reader, SheetVisible, Xlsx, XlsxFormulaMetadata, expand_shared_formula};
use mitt_reader_kit::Error;
use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io::Cursor;

pub(crate) fn open(bytes: &[u8]) -> Result<Spreadsheet<'_>, Error> {
    let known = Package::open(bytes).ok().and_then(|mut package| {
        let (workbook, bytes) = canonical(bytes, &mut package)?;
        Some((package, workbook, bytes))
    });
    let Some((package, workbook, bytes)) = known else {
        return Err(match Xlsx::new(Cursor::new(bytes)) {
            _ if is_encrypted(bytes) => encrypted(),
            Ok(_) => malformed("it has no legible part for the workbook"),
            Err(error) => malformed(error),
        });
    };
    let book = Xlsx::new(Cursor::new(bytes)).map_err(malformed)?;
    Ok(Spreadsheet { book, package, workbook })
}

pub(crate) struct Spreadsheet<'a> {
    book: Xlsx<Cursor<Cow<'a, [u8]>>>,
    package: Package<'a>,
    workbook: Workbook,
}

impl Source for Spreadsheet<'_> {
    fn title(&mut self) -> Option<String> {
        self.book.workbook_properties().ok()?.title
    }

    fn entries(&self) -> Vec<open::Entry> {
        let sheets = self.book.sheets_metadata().iter();
        let entry = |(index, sheet): (usize, &calamine::Sheet)| open::Entry {
            name: sheet.name.clone(),
            kind: self.workbook.sheets.get(index).map_or(Kind::Missing, |sheet| sheet.kind),
            is_hidden: sheet.visible != SheetVisible::Visible,
        };
        sheets.enumerate().map(entry).collect()
    }

    fn fill(&mut self, index: usize, intake: &mut Intake<'_>) -> Result<(), Failure> {
        let name = self.book.sheet_names()[index].clone();
        // Merged regions only decide how a header is read; a sheet without a legible list of them is still a sheet.
        intake.merged(self.book.merge_cells_by_sheet_name(&name).unwrap_or_default());
        let taken = self.cells(&name, intake)?;
        if let Some(taken) = taken {
            self.cells_without_formulas(&name, taken, intake)?;
            intake.problem(
                "its formulas are damaged, so that missing values of formulas were not noticed",
            );
        }
        match self.workbook.sheets.get(index).and_then(|sheet| sheet.part.as_deref()) {
            Some(part) => read_asides(&mut self.package, part, intake),
            None => Ok(()),
        }
    }

    fn chart_title(&mut self, index: usize) -> Option<String> {
        let part = self.workbook.sheets.get(index)?.part.as_deref()?;
        chart_sheet_title(&mut self.package, part)
    }
}

impl Spreadsheet<'_> {
    /// Read the cells of a sheet. Where a formula is not legible, say how many cells came before it.
    fn cells(&mut self, name: &str, intake: &mut Intake<'_>) -> Result<Option<usize>, Failure> {
        let wants_calculation = self.workbook.wants_calculation;
        let mut cells = self.book.worksheet_cells_reader(name).map_err(sheet_failure)?;
        let mut shared = HashMap::new();
        let mut strings = Strings::default();
        let mut taken = 0;
        loop {
            let cell = match cells.next_cell_with_formula_metadata() {
                Ok(Some(cell)) => cell,
                Ok(None) => return Ok(None),
                Err(_) => return Ok(Some(taken)),
            };
            taken += 1;
            let (row, column) = cell.pos;
            if let Some(formula) = &cell.formula {
                match cell.value {
                    DataRef::Empty => {
                        let text = formula_text(formula, cell.pos, &shared);
                        if !text.is_empty() {
                            intake.uncalculated(row, column, &text)?;
                        }
                    }
                    DataRef::Float(0.0) | DataRef::Int(0) if wants_calculation => {
                        intake.doubtful_zero(row, column);
                    }
                    _ => {}
                }
            }
            if let Some(XlsxFormulaMetadata::Shared { shared_index, range, formula }) = cell.formula
            {
                shared.insert(shared_index, (formula, range.map_or(cell.pos, |range| range.start)));
            }
            let value = strings.value(&cell.value, intake)?;
            intake.cell(row, column, value)?;
        }
    }

    /// Read the cells of a sheet after the first `taken`.
    fn cells_without_formulas(
        &mut self,
        name: &str,
        taken: usize,
        intake: &mut Intake<'_>,
    ) -> Result<(), Failure> {
        let mut cells = self.book.worksheet_cells_reader(name).map_err(sheet_failure)?;
        let mut number = 0;
        while let Some(cell) = cells.next_cell().map_err(sheet_failure)? {
            number += 1;
            if number > taken {
                let (row, column) = cell.get_position();
                intake.cell(row, column, from_data_ref(cell.get_value()))?;
            }
        }
        Ok(())
    }
}

/// The shared strings that a sheet has shown, cleaned once each.
#[derive(Default)]
struct Strings(HashMap<*const u8, Item>);

impl Strings {
    fn value(&mut self, data: &DataRef<'_>, intake: &mut Intake<'_>) -> Result<Value, Failure> {
        let DataRef::SharedString(text) = data else { return Ok(from_data_ref(data)) };
        // They stay where they are as long as the sheet is read. Empty ones have no place of their own, and no value.
        let item = match self.0.entry(text.as_ptr()) {
            Entry::Occupied(known) => known.get().clone(),
            Entry::Vacant(place) => {
                let item = text_item(text);
                intake.shared(&item)?;
                place.insert(item).clone()
            }
        };
        Ok(Value { item, is_error: false })
    }
}

/// The text of a formula; `?` where it is shared and the cell that has its text did not come before.
fn formula_text(
    formula: &XlsxFormulaMetadata,
    place: (u32, u32),
    shared: &HashMap<usize, (String, (u32, u32))>,
) -> String {
    let text = match formula {
        XlsxFormulaMetadata::Normal { formula } | XlsxFormulaMetadata::Shared { formula, .. } => {
            Some(formula.clone())
        }
        XlsxFormulaMetadata::SharedDerived { shared_index } => shared
            .get(shared_index)
            .and_then(|(formula, first)| expand_shared_formula(formula, *first, place).ok()),
        _ => None,
    };
    text.unwrap_or_else(|| "?".to_owned())
}
