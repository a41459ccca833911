//! Reads the records of a worksheet and of its comments.

use super::record::{Records, wide_text};
use super::{Common, rich_text};
use crate::biff::error;
use crate::bytes::{array_at, f64_at, u16_at, u32_at};
use crate::format::rk;
use crate::intake::{Failure, Intake};
use crate::place::cell_name;
use crate::value::{Value, from_data};
use calamine::{Data, Dimensions};
use std::io::Read;

const ROW: u16 = 0x0000;
const BLANK: u16 = 0x0001;
/// Difference between the record types of short cells and of other cells.
const SHORT: u16 = 0x000B;
const COLUMNS: u16 = 0x003C;
const BEGIN_FILTER: u16 = 0x00A1;
const END_FILTER: u16 = 0x00A2;
const CRITERIA: u16 = 0x00A5;
const COLOUR: u16 = 0x00A8;
const ICON: u16 = 0x00A9;
const TOP_TEN: u16 = 0x00AA;
const DYNAMIC: u16 = 0x00AB;
const CUSTOM_CRITERIA: u16 = 0x00AC;
const MERGED: u16 = 0x00B0;
const BEGIN_CONDITIONAL: u16 = 0x01CD;
const BEGIN_TABLES: u16 = 0x0294;
const BEGIN_CONDITIONAL_14: u16 = 0x0417;
const AUTHOR: u16 = 0x0278;
const COMMENT: u16 = 0x027B;
const COMMENT_TEXT: u16 = 0x027D;

/// Most rows of a worksheet.
const MAX_ROWS: u32 = 1 << 20;

pub(super) fn read(
    part: impl Read,
    common: &Common,
    intake: &mut Intake<'_>,
) -> Result<(), Failure> {
    let mut records = Records::new(part);
    let (mut row, mut column) = (0, None);
    let mut damaged = 0_usize;
    let mut filter = Filter::default();
    while let Some((id, data)) = records.next() {
        match id {
            ROW => match u32_at(data, 0).filter(|row| *row < MAX_ROWS) {
                Some(number) => {
                    (row, column) = (number, None);
                    if data.get(11).is_some_and(|flags| flags & 0x10 != 0) {
                        intake.hidden.rows(row, row);
                    }
                }
                None => return Err(Failure::Sheet("it has too many rows".to_owned())),
            },
            0x0001..=0x0012 | 0x003E => {
                // A short cell is right of the cell before it and does not name its column.
                let (id, data) = match id {
                    0x000C..=0x0012 => {
                        column = Some(column.map_or(0, |column: u32| column.saturating_add(1)));
                        (id - SHORT, data)
                    }
                    _ => {
                        column = u32_at(data, 0);
                        (id, data.get(4..).unwrap_or_default())
                    }
                };
                match (column, value(id, data, common)) {
                    _ if id == BLANK => {}
                    (Some(column), Some(value)) => {
                        let format = u32_at(data, 0).map_or(0, |it| it & 0x00FF_FFFF) as usize;
                        let unseen = common.styles.unseen.get(format);
                        if unseen.is_some_and(|unseen| value.item.is_hidden_by(*unseen)) {
                            intake.unseen.push(row, column);
                        }
                        intake.cell(row, column, value)?;
                    }
                    _ => damaged += 1,
                }
            }
            MERGED => intake.merged(merged(data)),
            BEGIN_CONDITIONAL | BEGIN_CONDITIONAL_14 | BEGIN_TABLES => {
                intake.unseen.may_be_painted = true;
            }
            COLUMNS => {
                let edges = u32_at(data, 0).zip(u32_at(data, 4));
                let is_hidden = u16_at(data, 16).is_some_and(|flags| flags & 1 != 0);
                if let Some((first, last)) = edges.filter(|_| is_hidden) {
                    intake.hidden.columns(first, last);
                }
            }
            _ => filter.take(id, data, intake),
        }
    }
    if records.is_cut {
        intake.problem("the file is cut off inside it");
    }
    if damaged > 0 {
        intake.problem(format!("damaged records, whose cells are missing: {damaged}"));
    }
    Ok(())
}

/// Returns the value of a cell, or `None` if it is damaged. The data begin with the cell format. In a formula, the
/// value is first.
fn value(id: u16, data: &[u8], common: &Common) -> Option<Value> {
    let number = |number: f64| {
        let format = u32_at(data, 0).map_or(0, |format| format & 0x00FF_FFFF) as usize;
        common.styles.shown.get(format).copied().unwrap_or_default().value(number, common.is_1904)
    };
    let data = match id {
        0x0002 => return Some(number(rk(array_at(data, 4)?))),
        0x0005 | 0x0009 => return Some(number(f64_at(data, 4)?)),
        0x0003 | 0x000B => error(*data.get(4)?)?,
        0x0004 | 0x000A => Data::Bool(*data.get(4)? != 0),
        0x0006 | 0x0008 => Data::String(wide_text(data.get(4..)?)?.0),
        0x0007 => Data::String(common.strings.get(u32_at(data, 4)? as usize)?.clone()),
        // Rich text.
        _ => Data::String(rich_text(data.get(4..)?, &common.styles.scripts)?),
    };
    Some(from_data(&data))
}

/// The filter that is being read.
#[derive(Default)]
struct Filter(Option<String>);

impl Filter {
    fn take(&mut self, id: u16, data: &[u8], intake: &mut Intake<'_>) {
        match id {
            BEGIN_FILTER => {
                self.0 = merged(data).map(|Dimensions { start, end }| {
                    format!("{}:{}", cell_name(start.0, start.1), cell_name(end.0, end.1))
                });
            }
            // Its criteria follow. A column that only hides its button has no criteria.
            END_FILTER => self.0 = None,
            CRITERIA | CUSTOM_CRITERIA | TOP_TEN | COLOUR | DYNAMIC | ICON => {
                if let Some(cells) = &self.0 {
                    intake.hidden.filter(cells);
                }
            }
            _ => {}
        }
    }
}

/// Reads the filters in a table part.
pub(crate) fn filters(part: &[u8], intake: &mut Intake<'_>) {
    let mut filter = Filter::default();
    let mut records = Records::new(part);
    while let Some((id, data)) = records.next() {
        filter.take(id, data, intake);
    }
}

fn merged(data: &[u8]) -> Option<Dimensions> {
    let edge = |index: usize| u32_at(data, 4 * index);
    Some(Dimensions { start: (edge(0)?, edge(2)?), end: (edge(1)?, edge(3)?) })
}

pub(crate) fn comments(part: &[u8], intake: &mut Intake<'_>) -> Result<(), Failure> {
    let mut records = Records::new(part);
    let mut authors = Vec::new();
    let mut current = None;
    while let Some((id, data)) = records.next() {
        match id {
            AUTHOR => authors.push(wide_text(data).map(|(name, _)| name).unwrap_or_default()),
            COMMENT => {
                let at = |index: usize| u32_at(data, 4 * index);
                current = at(1).zip(at(3)).map(|cell| (cell, at(0).unwrap_or(u32::MAX)));
            }
            COMMENT_TEXT => {
                let text = data.get(1..).and_then(wide_text);
                if let (Some(((row, column), author)), Some((text, _))) = (current.take(), text) {
                    let author = authors.get(author as usize).map_or("", String::as_str);
                    intake.comment(row, column, author, &text)?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}
