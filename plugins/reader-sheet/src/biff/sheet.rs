//! Reads the records of one worksheet.

use super::globals::Globals;
use super::record::{EOF, Part, Record, Records, Version, beginning, is_beginning};
use super::remarks::Remarks;
use super::text::{bytes, unicode};
use crate::bytes::{array_at, f64_at, u16_at, u32_at};
use crate::format::{NumberFormat, rk};
use crate::intake::{Failure, Intake};
use crate::unseen::Unseen;
use crate::value::{Value, from_data};
use calamine::{CellErrorType, Data, Dimensions};

const UNCALCED: u16 = 0x005E;
const COLUMNS: u16 = 0x007D;
const FILTERED: u16 = 0x009B;
const CONDITIONAL: u16 = 0x01B0;
const CONDITIONAL_12: u16 = 0x0879;
const TABLE: u16 = 0x0872;
const TABLE_12: u16 = 0x0878;
/// Record of a row, since Excel 3.
const ROW: u16 = 0x0208;

/// Reads the cells of a worksheet, whose number is `sheet`. Returns the cells with formulas that have no value.
pub(super) fn read(
    stream: &[u8],
    globals: &Globals,
    sheet: usize,
    intake: &mut Intake<'_>,
) -> Result<Vec<(u32, u32)>, Failure> {
    let mut reader = Reader {
        globals,
        sheet,
        intake,
        formula: (0, 0),
        formula_unseen: Unseen::default(),
        uncalculated: Vec::new(),
    };
    let mut remarks = Remarks::new(globals);
    let mut records = Records::new(stream);
    // Embedded charts have records that look like cells.
    let mut depth = 0_usize;
    let mut damaged = 0_usize;
    for record in records.by_ref() {
        match record.id {
            id if is_beginning(id) => {
                if depth == 1 && beginning(&record).is_some_and(|(_, part)| part == Part::Chart) {
                    reader.intake.chart(None)?;
                }
                depth += 1;
            }
            EOF if depth <= 1 => break,
            EOF => depth -= 1,
            _ if depth > 1 => {}
            _ => {
                remarks.take(&record);
                if reader.take(&record)?.is_none() {
                    damaged += 1;
                }
            }
        }
    }
    let Reader { uncalculated, intake, .. } = reader;
    if records.is_cut {
        intake.problem("the file is cut off inside it");
    }
    if damaged > 0 {
        intake.problem(format!("damaged records, whose cells are missing: {damaged}"));
    }
    remarks.hand_over(intake)?;
    Ok(uncalculated)
}

struct Reader<'a, 'b, 'c> {
    globals: &'a Globals,
    sheet: usize,
    intake: &'b mut Intake<'c>,
    /// Cell of the last formula. Its text follows in a record of its own.
    formula: (u32, u32),
    /// What the format of that cell does not show.
    formula_unseen: Unseen,
    uncalculated: Vec<(u32, u32)>,
}

/// `None` for a damaged record.
type Taken = Result<Option<()>, Failure>;

impl Reader<'_, '_, '_> {
    fn take(&mut self, record: &Record<'_>) -> Taken {
        let data = record.data;
        match record.id {
            // Cells of Excel 2 have three bytes of attributes.
            0x0002 => self.old_number(data, u16_at(data, 7).map(f64::from)),
            0x0003 => self.old_number(data, f64_at(data, 7)),
            0x0004 => self.put_text(data, self.short_text(data.get(7..).unwrap_or_default())),
            0x0005 => self.put(data, truth_or_error(data, 7)),
            0x0006 | 0x0206 | 0x0406 => self.formula(data),
            0x0007 => self.put_result(self.short_text(data)),
            0x0203 => self.number(data, f64_at(data, 6)),
            0x027E => self.number(data, array_at(data, 6).map(rk)),
            0x00BD => self.numbers(data),
            0x0204 => self.put_text(data, self.long_text(data.get(6..).unwrap_or_default())),
            0x00D6 => self.put_text(data, self.rich_text(data.get(6..).unwrap_or_default())),
            0x00FD => {
                let text = u32_at(data, 6)
                    .and_then(|index| self.globals.strings.get(index as usize))
                    .cloned();
                self.put_text(data, text)
            }
            0x0205 => self.put(data, truth_or_error(data, 6)),
            0x0207 => self.put_result(self.long_text(data)),
            0x00E5 => {
                self.intake.merged(merged(data));
                Ok(Some(()))
            }
            ROW => {
                if let (Some(row), Some(flags)) = (u16_at(data, 0), data.get(12))
                    && flags & 0x20 != 0
                {
                    self.intake.hidden.rows(row.into(), row.into());
                }
                Ok(Some(()))
            }
            COLUMNS => {
                if let (Some(first), Some(last), Some(flags)) =
                    (u16_at(data, 0), u16_at(data, 2), data.get(8))
                    && flags & 1 != 0
                {
                    self.intake.hidden.columns(first.into(), last.into());
                }
                Ok(Some(()))
            }
            // The cells of a filter are stored in a defined name of the workbook.
            FILTERED => {
                self.intake.hidden.filter(self.globals.filter(self.sheet));
                Ok(Some(()))
            }
            CONDITIONAL | CONDITIONAL_12 | TABLE | TABLE_12 => {
                self.intake.unseen.may_be_painted = true;
                Ok(Some(()))
            }
            UNCALCED => {
                self.intake.problem(
                    "it was saved without being calculated: values of formulas may be old",
                );
                Ok(Some(()))
            }
            _ => Ok(Some(())),
        }
    }

    fn put(&mut self, data: &[u8], value: Option<Data>) -> Taken {
        self.put_value(data, value.as_ref().map(from_data))
    }

    fn put_value(&mut self, data: &[u8], value: Option<Value>) -> Taken {
        let (Some((row, column)), Some(value)) = (position(data), value) else { return Ok(None) };
        let unseen = self.unseen(data);
        self.cell(row, column, value, unseen)
    }

    /// Hands over a cell whose format does not show what `unseen` says.
    fn cell(&mut self, row: u32, column: u32, value: Value, unseen: Unseen) -> Taken {
        if value.item.is_hidden_by(unseen) {
            self.intake.unseen.push(row, column);
        }
        self.intake.cell(row, column, value).map(Some)
    }

    /// Returns what the format of a cell does not show.
    fn unseen(&self, data: &[u8]) -> Unseen {
        match self.globals.version {
            Version::Two => data.get(5).map_or_else(Unseen::default, |format| {
                self.globals.painted.of_number_format((format & 0x3F).into())
            }),
            _ => u16_at(data, 4)
                .map_or_else(Unseen::default, |format| self.globals.painted.unseen(format)),
        }
    }

    fn put_text(&mut self, data: &[u8], text: Option<String>) -> Taken {
        self.put(data, text.map(Data::String))
    }

    fn put_result(&mut self, text: Option<String>) -> Taken {
        let Some(text) = text else { return Ok(None) };
        let (row, column) = self.formula;
        self.cell(row, column, from_data(&Data::String(text)), self.formula_unseen)
    }

    fn short_text(&self, data: &[u8]) -> Option<String> {
        let (count, text) = data.split_first()?;
        Some(bytes(text, (*count).into(), self.globals.code_page))
    }

    fn long_text(&self, data: &[u8]) -> Option<String> {
        if self.globals.version == Version::Eight {
            return unicode(data);
        }
        Some(bytes(data.get(2..)?, u16_at(data, 0)?.into(), self.globals.code_page))
    }

    /// Returns text that is followed by its own fonts.
    fn rich_text(&self, data: &[u8]) -> Option<String> {
        let text = self.long_text(data)?;
        let is_wide = self.globals.version == Version::Eight;
        let count = usize::from(u16_at(data, 0)?);
        let length = if !is_wide {
            2 + count
        } else if data.get(2).is_some_and(|flags| flags & 1 != 0) {
            3 + 2 * count
        } else {
            3 + count
        };
        let runs = data.get(length..).unwrap_or_default();
        Some(self.globals.fonts.write_cell(text, runs, is_wide))
    }

    fn number(&mut self, data: &[u8], number: Option<f64>) -> Taken {
        let shown = u16_at(data, 4).map(|format| self.globals.shown(format));
        let value = shown.zip(number);
        self.put_value(data, value.map(|(shown, number)| shown.value(number, self.globals.is_1904)))
    }

    fn old_number(&mut self, data: &[u8], number: Option<f64>) -> Taken {
        let shown = self.old_shown(data);
        self.put_value(data, number.map(|number| shown.value(number, self.globals.is_1904)))
    }

    /// Returns what an Excel 2 cell shows. It names its number format itself.
    fn old_shown(&self, data: &[u8]) -> NumberFormat {
        data.get(5)
            .map_or(NumberFormat::Number, |format| self.globals.format((format & 0x3F).into()))
    }

    /// Reads a row of adjacent numbers.
    fn numbers(&mut self, data: &[u8]) -> Taken {
        let Some(((row, first), cells)) =
            position(data).zip(data.get(4..data.len().saturating_sub(2)))
        else {
            return Ok(None);
        };
        for (column, cell) in (first..).zip(cells.chunks_exact(6)) {
            let (Some(format), Some(bytes)) = (u16_at(cell, 0), array_at(cell, 2)) else {
                return Ok(None);
            };
            let value = self.globals.shown(format).value(rk(bytes), self.globals.is_1904);
            self.cell(row, column, value, self.globals.painted.unseen(format))?;
        }
        Ok(Some(()))
    }

    fn formula(&mut self, data: &[u8]) -> Taken {
        let is_old = self.globals.version == Version::Two;
        let at = if is_old { 7 } else { 6 };
        let (Some((row, column)), Some(value)) = (position(data), array_at::<8>(data, at)) else {
            return Ok(None);
        };
        self.formula = (row, column);
        self.formula_unseen = self.unseen(data);
        let value = match value {
            // The text follows.
            [0, _, _, _, _, _, 0xFF, 0xFF] => return Ok(Some(())),
            [1, _, truth, _, _, _, 0xFF, 0xFF] => Some(Data::Bool(truth != 0)),
            [2, _, code, _, _, _, 0xFF, 0xFF] => error(code),
            // An empty text. Programs that do not calculate write this too.
            [3, _, _, _, _, _, 0xFF, 0xFF] => {
                if self.globals.is_uncalculated {
                    self.uncalculated.push((row, column));
                }
                return Ok(Some(()));
            }
            number => {
                let shown = match u16_at(data, 4) {
                    _ if is_old => self.old_shown(data),
                    Some(format) => self.globals.shown(format),
                    None => NumberFormat::Number,
                };
                let value = shown.value(f64::from_le_bytes(number), self.globals.is_1904);
                return self.put_value(data, Some(value));
            }
        };
        self.put(data, value)
    }
}

fn position(data: &[u8]) -> Option<(u32, u32)> {
    Some((u16_at(data, 0)?.into(), u16_at(data, 2)?.into()))
}

fn truth_or_error(data: &[u8], at: usize) -> Option<Data> {
    match data.get(at..at + 2)? {
        [value, 0] => Some(Data::Bool(*value != 0)),
        [code, _] => error(*code),
        _ => None,
    }
}

/// Returns the error with a code. Both binary formats have the same codes.
pub(crate) fn error(code: u8) -> Option<Data> {
    Some(Data::Error(match code {
        0x00 => CellErrorType::Null,
        0x07 => CellErrorType::Div0,
        0x0F => CellErrorType::Value,
        0x17 => CellErrorType::Ref,
        0x1D => CellErrorType::Name,
        0x24 => CellErrorType::Num,
        0x2A => CellErrorType::NA,
        0x2B => CellErrorType::GettingData,
        _ => return None,
    }))
}

fn merged(data: &[u8]) -> impl Iterator<Item = Dimensions> {
    let region = |region: &[u8]| {
        let edge = |index: usize| u32::from(u16::from_le_bytes([region[index], region[index + 1]]));
        Dimensions { start: (edge(0), edge(4)), end: (edge(2), edge(6)) }
    };
    data.get(2..).unwrap_or_default().chunks_exact(8).map(region)
}
