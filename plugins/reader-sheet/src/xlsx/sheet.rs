//! Reads the values of one worksheet.

use super::Common;
use super::cells::{
    Cell, CellType, SharedFormulas, Sink, integer, is_true, read_cells, region, short_decimal,
};
use super::scan::{Scanner, Tag, Token, unescaped};
use super::text::unescape_units;
use crate::format::NumberFormat;
use crate::intake::{Failure, Intake};
use crate::item::Item;
use crate::value::{Value, error_text, from_data, from_digits, plain, text_item};
use calamine::Data;
use std::io::Read;

/// Reads the cells and the merged regions.
pub(super) fn read(
    part: impl Read,
    common: &Common,
    intake: &mut Intake<'_>,
) -> Result<(), Failure> {
    let mut scanner = Scanner::new(part);
    let mut cells = Cells { common, intake, shared: SharedFormulas::default(), damaged: 0 };
    read_cells(&mut scanner, &mut cells)?;
    if cells.damaged > 0 {
        let damaged = cells.damaged;
        intake.problem(format!("damaged cells, whose values are missing: {damaged}"));
    }
    // Merged regions only affect the header, so a sheet is read without a valid list of them.
    let mut filter = None;
    loop {
        match scanner.next() {
            Ok(Some(Token::Start(tag))) if tag.name == b"mergeCell" => {
                intake.merged(tag.attribute(b"ref").and_then(region));
            }
            Ok(Some(Token::Start(tag))) if tag.name == b"autoFilter" && !tag.is_empty => {
                filter = tag.attribute(b"ref").map(|cells| unescaped(cells).into_owned());
            }
            // A filter without a column hides nothing.
            Ok(Some(Token::Start(tag))) if tag.name == b"filterColumn" && !tag.is_empty => {
                if let Some(cells) = &filter {
                    intake.hidden.filter(cells);
                }
            }
            Ok(Some(Token::End(b"autoFilter"))) => filter = None,
            Ok(Some(Token::Start(tag)))
                if matches!(tag.name, b"conditionalFormatting" | b"tableParts") =>
            {
                intake.unseen.may_be_painted = true;
            }
            Ok(Some(_)) => {}
            Ok(None) => return Ok(()),
            // All cells were read, but the checksum may also be wrong because of them.
            Err(damage) => {
                intake.problem(format!("it may be damaged: {damage}"));
                return Ok(());
            }
        }
    }
}

struct Cells<'a, 'b, 'c> {
    common: &'a Common,
    intake: &'b mut Intake<'c>,
    shared: SharedFormulas,
    damaged: usize,
}

impl Sink for Cells<'_, '_, '_> {
    fn before(&mut self, tag: &Tag<'_>) {
        if tag.name == b"col" && tag.attribute(b"hidden").is_some_and(is_true) {
            let edge = |name| integer(tag.attribute(name)?)?.checked_sub(1);
            if let Some((first, last)) = edge(b"min").zip(edge(b"max")) {
                self.intake.hidden.columns(first, last);
            }
        }
    }

    fn row(&mut self, row: u32, tag: &Tag<'_>) {
        if tag.attribute(b"hidden").is_some_and(is_true) {
            self.intake.hidden.rows(row, row);
        }
    }

    fn cell(&mut self, place: (u32, u32), cell: &Cell) -> Result<(), Failure> {
        let value = match self.value(cell) {
            Some(value) => value,
            None => {
                self.damaged += 1;
                plain(Item::Null)
            }
        };
        let (row, column) = place;
        let unseen = self.common.unseen.get(cell.format.unwrap_or_default());
        if unseen.is_some_and(|unseen| value.item.is_hidden_by(*unseen)) {
            self.intake.unseen.push(row, column);
        }
        if let Some(formula) = cell.formula {
            let is_zero = matches!(
                &value.item,
                Item::Number { scale: 0, units } | Item::Code { units, .. } if units.get() == 0
            );
            if value.item == Item::Null && cell.has_no_value() {
                let text = self.shared.text(formula, cell, place);
                if !text.is_empty() {
                    self.intake.uncalculated(row, column, &text)?;
                }
            } else if is_zero && self.common.wants_calculation {
                self.intake.doubtful_zero(row, column);
            }
            self.shared.keep(cell, place);
        }
        self.intake.cell(row, column, value)
    }
}

impl Cells<'_, '_, '_> {
    /// Returns the value of the cell; `None` if it is damaged.
    fn value(&self, cell: &Cell) -> Option<Value> {
        let Cell { kind, value, is_inline, .. } = cell;
        if value.is_empty() {
            return Some(plain(Item::Null));
        }
        let text = || std::str::from_utf8(value).ok();
        let number = || text()?.trim_ascii().parse::<f64>().ok();
        let shown = cell.format.and_then(|format| self.common.shown.get(format));
        Some(match kind {
            _ if *is_inline => plain(text_item(&unescape_units(text()?))),
            CellType::Plain | CellType::Number => {
                let shown = shown.copied().unwrap_or_default();
                let is_number = matches!(shown, NumberFormat::Number | NumberFormat::Code(_));
                let number = || {
                    if is_number {
                        from_digits(text()?)
                    } else {
                        Some(shown.value(number()?, self.common.is_1904))
                    }
                };
                match short_decimal(value).filter(|_| is_number) {
                    Some(item) => shown.padded(plain(item)),
                    None => match number() {
                        Some(value) => shown.padded(value),
                        None if *kind == CellType::Plain => plain(text_item(text()?)),
                        None => return None,
                    },
                }
            }
            CellType::Shared => {
                let index = integer(value.trim_ascii())? as usize;
                plain(self.common.strings.items.get(index)?.clone())
            }
            CellType::Text => plain(text_item(&unescape_units(text()?))),
            CellType::Boolean => match value.trim_ascii() {
                b"" => plain(Item::Null),
                b"0" => plain(Item::Boolean(false)),
                b"1" => plain(Item::Boolean(true)),
                word if word.eq_ignore_ascii_case(b"false") => plain(Item::Boolean(false)),
                word if word.eq_ignore_ascii_case(b"true") => plain(Item::Boolean(true)),
                _ => return None,
            },
            CellType::Error => error_text(text()?),
            CellType::Date => from_data(&Data::DateTimeIso(text()?.to_owned())),
            CellType::Inline => plain(Item::Null),
            CellType::Unknown => return None,
        })
    }
}
