//! Values of the cells of all sheets, column by column. Columns are read when a formula wants them.

use crate::book::{Book, cells};
use crate::refs::{self, Area, At};
use crate::value::{ErrorCode, Scalar};
use std::rc::Rc;

/// Most cells that one calculation reads, so that every calculation ends.
const MAX_READS: u64 = if cfg!(test) { 3_000_000 } else { 150_000_000 };

/// Why a formula has no value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Stop {
    /// It has something that is not calculated.
    Unsupported(String),
    /// It wants a cell that is not calculated yet.
    Needs(usize, At),
    /// It wants cells of a sheet that are not read yet.
    Unread(usize),
    /// The formula needs the texts of other formulas.
    NeedsTexts(Place),
    /// The formula needs the phonetic reading of a cell.
    NeedsReading(usize, At),
    /// The formula needs the format of a cell, or the width of its column.
    NeedsLook(usize, At),
    /// The formula needs the pivot tables of the workbook.
    NeedsPivots,
    /// It wants a cell whose formula was never calculated, and could not be.
    Missing(usize, At),
    /// It depends on itself.
    Circular,
    /// The calculation takes too long.
    Limit,
}

/// Some cells of a sheet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Place {
    pub(crate) sheet: usize,
    pub(crate) area: Area,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Stored {
    Empty,
    Number(f64),
    Text(u32),
    Bool(bool),
    Error(ErrorCode),
    /// To be calculated.
    Pending,
    /// Never calculated.
    Missing,
}

#[derive(Debug, Default)]
struct Column {
    is_read: bool,
    rows: Vec<u32>,
    values: Vec<Stored>,
}

#[derive(Debug, Default)]
struct Loaded {
    /// By number; those behind the last one are empty.
    columns: Vec<Column>,
    last_row: u32,
}

impl Loaded {
    fn new(book: &Book, sheet: usize) -> Self {
        let mut loaded = Self::default();
        let mut last_column = 0;
        let Some(text) = book.sheets.get(sheet).and_then(|it| it.text.as_ref()) else {
            return loaded;
        };
        for row in &text.rows {
            let source = text.row_text(row);
            last_column = last_column.max(last_filled(source));
            loaded.last_row = row.number;
        }
        loaded.columns.resize_with(last_column as usize + 1, Column::default);
        loaded
    }
}

/// Returns the last column of a row.
fn last_filled(row: &str) -> u32 {
    match crate::book::last_column(row) {
        Some(column) => column,
        None => cells(row).map(|it| it.column).max().unwrap_or(0),
    }
}

#[derive(Debug)]
pub(crate) struct Grid {
    sheets: Vec<Option<Loaded>>,
    texts: Vec<Rc<str>>,
    /// The place of each shared text among `texts`.
    shared: Vec<u32>,
    reads: u64,
}

impl Grid {
    pub(crate) fn new(book: &Book) -> Self {
        Self {
            sheets: book.sheets.iter().map(|_| None).collect(),
            texts: Vec::new(),
            shared: vec![u32::MAX; book.shared_count()],
            reads: 0,
        }
    }

    /// Counts work, and ends it at the limit.
    pub(crate) fn work(&mut self, amount: u64) -> Result<(), Stop> {
        self.reads = self.reads.saturating_add(amount);
        if self.reads > MAX_READS { Err(Stop::Limit) } else { Ok(()) }
    }

    /// Reads all cells of a sheet that have not been read.
    pub(crate) fn load(&mut self, book: &Book, sheet: usize) {
        self.load_columns(book, sheet, &[(1, refs::MAX_COLUMN)]);
    }

    /// Reads some columns of a sheet, each from a first to a last one, if that has not been done.
    pub(crate) fn load_columns(&mut self, book: &Book, sheet: usize, wanted: &[(u32, u32)]) {
        let Some(slot) = self.sheets.get_mut(sheet) else { return };
        let mut loaded = slot.take().unwrap_or_else(|| Loaded::new(book, sheet));
        let mut reads = vec![false; loaded.columns.len()];
        for &(first, last) in wanted {
            let last = last.min(loaded.columns.len().saturating_sub(1) as u32);
            for column in first..=last {
                let column = column as usize;
                reads[column] = !loaded.columns[column].is_read;
            }
        }
        let last = reads.iter().rposition(|it| *it);
        if let (Some(last), Some(text)) = (last, &book.sheets[sheet].text) {
            for row in &text.rows {
                for cell in cells(text.row_text(row)) {
                    let column = cell.column as usize;
                    if column > last {
                        break;
                    }
                    if !reads[column] {
                        continue;
                    }
                    let value = self.stored(&cell, book);
                    if value != Stored::Empty {
                        loaded.columns[column].rows.push(row.number);
                        loaded.columns[column].values.push(value);
                    }
                }
            }
        }
        for (column, reads) in loaded.columns.iter_mut().zip(reads) {
            column.is_read |= reads;
        }
        self.sheets[sheet] = Some(loaded);
    }

    fn stored(&mut self, cell: &crate::book::CellSource<'_>, book: &Book) -> Stored {
        let simple = cell.simple();
        if let Some(("n", text)) = simple
            && let Some(number) = text.trim().parse::<f64>().ok().filter(|it| it.is_finite())
        {
            return Stored::Number(number);
        }
        let shared = match simple {
            Some((kind, text)) => Some(text).filter(|_| kind == "s"),
            None => {
                let is_shared = cell.tag().is_some_and(|tag| tag.attribute("t") == Some("s"));
                is_shared.then(|| cell.value_text()).flatten()
            }
        };
        if let Some(index) = shared.and_then(|it| it.trim().parse::<usize>().ok()) {
            match self.shared.get(index) {
                Some(&known) if known != u32::MAX => return Stored::Text(known),
                Some(_) => {
                    let text = self.keep(Rc::from(book.shared_text(index).unwrap_or_default()));
                    self.shared[index] = text;
                    return Stored::Text(text);
                }
                None => return Stored::Empty,
            }
        }
        let value = cell.value(&|_| None);
        self.store(value)
    }

    fn keep(&mut self, text: Rc<str>) -> u32 {
        self.texts.push(text);
        (self.texts.len() - 1) as u32
    }

    fn store(&mut self, value: Scalar) -> Stored {
        match value {
            Scalar::Empty => Stored::Empty,
            Scalar::Number(number) => Stored::Number(number),
            Scalar::Bool(value) => Stored::Bool(value),
            Scalar::Error(code) => Stored::Error(code),
            Scalar::Text(text) => Stored::Text(self.keep(text)),
        }
    }

    fn put(&mut self, sheet: usize, at: At, value: Stored) {
        let Some(Some(loaded)) = self.sheets.get_mut(sheet) else { return };
        let index = at.column as usize;
        if loaded.columns.len() <= index {
            let empty = || Column { is_read: true, ..Column::default() };
            loaded.columns.resize_with(index + 1, empty);
        }
        loaded.last_row = loaded.last_row.max(at.row);
        let column = &mut loaded.columns[index];
        match column.rows.binary_search(&at.row) {
            Ok(found) => column.values[found] = value,
            Err(place) => {
                column.rows.insert(place, at.row);
                column.values.insert(place, value);
            }
        }
    }

    pub(crate) fn set(&mut self, sheet: usize, at: At, value: Scalar) {
        let value = self.store(value);
        self.put(sheet, at, value);
    }

    pub(crate) fn set_pending(&mut self, sheet: usize, at: At) {
        self.put(sheet, at, Stored::Pending);
    }

    /// Notes that a formula has no value.
    pub(crate) fn set_missing(&mut self, sheet: usize, at: At) {
        self.put(sheet, at, Stored::Missing);
    }

    fn scalar(&self, value: Stored, sheet: usize, at: At) -> Result<Scalar, Stop> {
        Ok(match value {
            Stored::Empty => Scalar::Empty,
            Stored::Number(number) => Scalar::Number(number),
            Stored::Bool(value) => Scalar::Bool(value),
            Stored::Error(code) => Scalar::Error(code),
            Stored::Text(index) => {
                self.texts.get(index as usize).map_or(Scalar::Empty, |it| Scalar::Text(it.clone()))
            }
            Stored::Pending => return Err(Stop::Needs(sheet, at)),
            Stored::Missing => return Err(Stop::Missing(sheet, at)),
        })
    }

    /// Returns the value of a cell.
    pub(crate) fn get(&mut self, sheet: usize, at: At) -> Result<Scalar, Stop> {
        self.work(1)?;
        let Some(slot) = self.sheets.get(sheet) else { return Ok(Scalar::Empty) };
        let loaded = slot.as_ref().ok_or(Stop::Unread(sheet))?;
        let Some(column) = loaded.columns.get(at.column as usize) else { return Ok(Scalar::Empty) };
        if !column.is_read {
            return Err(Stop::Unread(sheet));
        }
        match column.rows.binary_search(&at.row) {
            Ok(found) => self.scalar(column.values[found], sheet, at),
            Err(_) => Ok(Scalar::Empty),
        }
    }

    /// Returns the last row that has anything.
    pub(crate) fn last_row(&self, sheet: usize) -> u32 {
        self.sheets.get(sheet).and_then(Option::as_ref).map_or(0, |it| it.last_row)
    }

    /// Returns the last column that has anything.
    pub(crate) fn last_column(&self, sheet: usize) -> u32 {
        self.sheets
            .get(sheet)
            .and_then(Option::as_ref)
            .map_or(0, |it| it.columns.len().saturating_sub(1) as u32)
    }

    /// Visits the cells of a place that are not empty: row and column from its corner, and the value, column by column.
    pub(crate) fn visit(
        &mut self,
        place: Place,
        visit: &mut dyn FnMut(u32, u32, Scalar),
    ) -> Result<(), Stop> {
        let Place { sheet, area } = place;
        let mut reads = 1;
        if let Some(slot) = self.sheets.get(sheet) {
            let loaded = slot.as_ref().ok_or(Stop::Unread(sheet))?;
            let last = area.last.column.min(loaded.columns.len().saturating_sub(1) as u32);
            for number in area.first.column..=last {
                let Some(column) = loaded.columns.get(number as usize) else { break };
                if !column.is_read {
                    return Err(Stop::Unread(sheet));
                }
                let start = column.rows.partition_point(|row| *row < area.first.row);
                let end = column.rows.partition_point(|row| *row <= area.last.row);
                reads += (end - start) as u64 + 1;
                for index in start..end {
                    let row = column.rows[index];
                    let value =
                        self.scalar(column.values[index], sheet, At { row, column: number })?;
                    if value != Scalar::Empty {
                        visit(row - area.first.row, number - area.first.column, value);
                    }
                }
            }
        }
        self.work(reads)
    }
}
