//! Reads the cells of one worksheet.

use super::Common;
use super::scan::{Damage, Scanner, Tag, Token, cut_off, unescaped};
use super::text::{read_text, unescape_units};
use crate::format::NumberFormat;
use crate::intake::{Failure, Intake};
use crate::item::Item;
use crate::place::parse_cell;
use crate::value::{Value, error_text, from_data, from_digits, plain, text_item};
use calamine::{Data, Dimensions, expand_shared_formula};
use std::collections::HashMap;
use std::io::Read;

/// Reads the cells and the merged regions.
pub(super) fn read(
    part: impl Read,
    common: &Common,
    intake: &mut Intake<'_>,
) -> Result<(), Failure> {
    let mut scanner = Scanner::new(part);
    let mut cells = Cells {
        common,
        intake,
        row: 0,
        column: 0,
        cell: Cell::default(),
        shared: HashMap::new(),
        damaged: 0,
    };
    cells.read(&mut scanner)?;
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
    /// Position of the next cell, if it does not name its own.
    row: u32,
    column: u32,
    cell: Cell,
    /// Shared formulas by index, with the cells that they are written for.
    shared: HashMap<u32, (String, (u32, u32))>,
    damaged: usize,
}

/// State of the cell that is being read. It is reused for all cells, to keep its buffers.
#[derive(Default)]
struct Cell {
    kind: CellType,
    format: Option<usize>,
    value: Vec<u8>,
    /// `true` for an inline string, whose text is not in the value element.
    is_inline: bool,
    formula: Option<Formula>,
    formula_text: Vec<u8>,
}

#[derive(Clone, Copy)]
enum Formula {
    Own,
    /// Other cells may share it.
    Shared(u32),
    SharedWith(u32),
    Damaged,
}

/// Type of the value of a cell.
#[derive(Clone, Copy, Default, PartialEq)]
enum CellType {
    /// Without a type, which means a number.
    #[default]
    Plain,
    Number,
    Shared,
    Text,
    Inline,
    Boolean,
    Error,
    Date,
    Unknown,
}

impl CellType {
    fn of(name: &[u8]) -> Self {
        match name {
            b"n" => Self::Number,
            b"s" => Self::Shared,
            b"str" => Self::Text,
            b"inlineStr" | b"is" => Self::Inline,
            b"b" => Self::Boolean,
            b"e" => Self::Error,
            b"d" => Self::Date,
            _ => Self::Unknown,
        }
    }
}

impl Cells<'_, '_, '_> {
    fn read(&mut self, scanner: &mut Scanner<impl Read>) -> Result<(), Failure> {
        let mut is_inside = false;
        loop {
            match scanner.next().map_err(Failure::Sheet)? {
                Some(Token::Start(tag)) => match tag.name {
                    b"col" if !is_inside && tag.attribute(b"hidden").is_some_and(is_true) => {
                        let edge = |name| integer(tag.attribute(name)?)?.checked_sub(1);
                        if let Some((first, last)) = edge(b"min").zip(edge(b"max")) {
                            self.intake.hidden.columns(first, last);
                        }
                    }
                    b"sheetData" if tag.is_empty => return Ok(()),
                    b"sheetData" => is_inside = true,
                    b"row" if is_inside => {
                        if let Some(number) = tag.attribute(b"r") {
                            let row = integer(number).and_then(|row| row.checked_sub(1));
                            self.row = row.ok_or_else(|| no_place(number))?;
                        }
                        if tag.attribute(b"hidden").is_some_and(is_true) {
                            self.intake.hidden.rows(self.row, self.row);
                        }
                        if tag.is_empty {
                            self.end_row();
                        }
                    }
                    b"c" if is_inside => {
                        let place = self.begin(&tag)?;
                        if !tag.is_empty {
                            self.cell.read(scanner).map_err(Failure::Sheet)?;
                        }
                        self.finish(place)?;
                    }
                    _ => {}
                },
                Some(Token::End(b"row")) => self.end_row(),
                Some(Token::End(b"sheetData")) => return Ok(()),
                Some(_) => {}
                None if is_inside => return Err(Failure::Sheet(cut_off(b"sheetData"))),
                None => return Err(Failure::Sheet("it has no cells".to_owned())),
            }
        }
    }

    fn end_row(&mut self) {
        self.row = self.row.saturating_add(1);
        self.column = 0;
    }

    /// Takes the attributes of a cell. Returns its position.
    fn begin(&mut self, tag: &Tag<'_>) -> Result<(u32, u32), Failure> {
        self.cell.clear();
        let mut place = (self.row, self.column);
        for (name, value) in tag.attributes() {
            match name {
                b"r" => place = cell_place(value).ok_or_else(|| no_place(value))?,
                b"s" => self.cell.format = Some(integer(value).unwrap_or_default() as usize),
                b"t" => self.cell.kind = CellType::of(value),
                _ => {}
            }
        }
        self.column = place.1.saturating_add(1);
        Ok(place)
    }

    fn finish(&mut self, place: (u32, u32)) -> Result<(), Failure> {
        let value = match self.value() {
            Some(value) => value,
            None => {
                self.damaged += 1;
                plain(Item::Null)
            }
        };
        let (row, column) = place;
        if let Some(formula) = self.cell.formula {
            let is_zero = matches!(
                &value.item,
                Item::Number { scale: 0, units } | Item::Code { units, .. } if units.get() == 0
            );
            if value.item == Item::Null && self.cell.has_no_value() {
                let text = self.formula_text(formula, place);
                if !text.is_empty() {
                    self.intake.uncalculated(row, column, &text)?;
                }
            } else if is_zero && self.common.wants_calculation {
                self.intake.doubtful_zero(row, column);
            }
            if let Formula::Shared(index) = formula {
                let text = String::from_utf8_lossy(&self.cell.formula_text).into_owned();
                self.shared.insert(index, (text, place));
            }
        }
        self.intake.cell(row, column, value)
    }

    /// Returns the value of the cell; `None` if it is damaged.
    fn value(&self) -> Option<Value> {
        let Cell { kind, value, is_inline, .. } = &self.cell;
        if value.is_empty() {
            return Some(plain(Item::Null));
        }
        let text = || std::str::from_utf8(value).ok();
        let number = || text()?.trim_ascii().parse::<f64>().ok();
        let shown = self.cell.format.and_then(|format| self.common.shown.get(format));
        Some(match kind {
            _ if *is_inline => plain(text_item(&unescape_units(text()?))),
            CellType::Plain | CellType::Number => {
                let shown = shown.copied().unwrap_or_default();
                let is_number = matches!(shown, NumberFormat::Number | NumberFormat::Code(_));
                let number = || match is_number {
                    true => from_digits(text()?),
                    false => Some(shown.value(number()?, self.common.is_1904)),
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

    /// Returns the text of a formula; `?` for a shared formula whose definition was not read before.
    fn formula_text(&self, formula: Formula, place: (u32, u32)) -> String {
        let own = || String::from_utf8_lossy(&self.cell.formula_text).into_owned();
        let text = match formula {
            Formula::Own | Formula::Shared(_) => Some(own()),
            Formula::SharedWith(index) => self
                .shared
                .get(&index)
                .and_then(|(formula, first)| expand_shared_formula(formula, *first, place).ok()),
            Formula::Damaged => Some(own()).filter(|text| !text.is_empty()),
        };
        text.unwrap_or_else(|| "?".to_owned())
    }
}

impl Cell {
    fn clear(&mut self) {
        self.kind = CellType::Plain;
        self.format = None;
        self.value.clear();
        self.is_inline = false;
        self.formula = None;
        self.formula_text.clear();
    }

    /// Reads the content of a cell element.
    fn read(&mut self, scanner: &mut Scanner<impl Read>) -> Result<(), Damage> {
        loop {
            match scanner.next()?.ok_or_else(|| cut_off(b"c"))? {
                Token::End(b"c") => return Ok(()),
                Token::Start(tag) if !tag.is_empty || tag.name == b"f" => match tag.name {
                    b"v" if self.kind == CellType::Inline => scanner.text(b"v", &mut Vec::new())?,
                    b"v" => scanner.text(b"v", &mut self.value)?,
                    b"is" => {
                        self.is_inline = true;
                        self.value.clear();
                        read_text(scanner, b"is", &mut self.value)?;
                    }
                    b"f" => {
                        self.formula = Some(Formula::of(&tag));
                        if !tag.is_empty {
                            scanner.text(b"f", &mut self.formula_text)?;
                        }
                    }
                    b"c" | b"row" => return Err(cut_off(b"c")),
                    // Extensions.
                    _ => {}
                },
                Token::End(b"row" | b"sheetData") => return Err(cut_off(b"c")),
                _ => {}
            }
        }
    }

    /// Returns whether no value was stored. An empty text, which formulas often return, is a value.
    fn has_no_value(&self) -> bool {
        self.value.is_empty() && self.kind != CellType::Text
    }
}

impl Formula {
    fn of(tag: &Tag<'_>) -> Self {
        if tag.attribute(b"t") != Some(b"shared") {
            return Self::Own;
        }
        match tag.attribute(b"si").and_then(integer) {
            Some(index) if tag.attribute(b"ref").is_some() => Self::Shared(index),
            Some(index) => Self::SharedWith(index),
            None => Self::Damaged,
        }
    }
}

/// Returns a number with at most 15 digits, at most six of them after the point, unchanged. Only these are certain to
/// be the shortest decimals of their floats. All others go through [`Item::number`].
fn short_decimal(text: &[u8]) -> Option<Item> {
    let (is_negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    if digits.is_empty() || digits.len() > 16 {
        return None;
    }
    let (mut units, mut scale, mut count, mut has_point) = (0_i64, 0_u8, 0, false);
    for byte in digits {
        match byte {
            b'0'..=b'9' => {
                units = units * 10 + i64::from(byte - b'0');
                count += 1;
                scale += u8::from(has_point);
            }
            b'.' if !has_point && count > 0 => has_point = true,
            _ => return None,
        }
    }
    if count > 15 || has_point && scale == 0 {
        return None;
    }
    while scale > 0 && units % 10 == 0 {
        (units, scale) = (units / 10, scale - 1);
    }
    let units = if is_negative { -units } else { units };
    (scale <= 6).then(|| Item::Number { scale, units: units.into() })
}

fn is_true(text: &[u8]) -> bool {
    matches!(text.trim_ascii(), b"1" | b"true" | b"on")
}

fn integer(text: &[u8]) -> Option<u32> {
    if text.is_empty() {
        return None;
    }
    text.iter().try_fold(0_u32, |number, byte| match byte {
        b'0'..=b'9' => number.checked_mul(10)?.checked_add(u32::from(byte - b'0')),
        _ => None,
    })
}

/// Returns the row and column of a cell such as `B4`.
fn cell_place(text: &[u8]) -> Option<(u32, u32)> {
    let n_letters = text.iter().position(|byte| !byte.is_ascii_alphabetic())?;
    let (letters, digits) = text.split_at(n_letters);
    if letters.is_empty() || letters.len() > 4 {
        return None;
    }
    let number = |letter: &u8| u32::from(letter.to_ascii_uppercase() - b'A') + 1;
    let column = letters.iter().fold(0, |column, letter| 26 * column + number(letter));
    Some((integer(digits)?.checked_sub(1)?, column - 1))
}

/// Returns a merged region such as `A1:C2`.
fn region(text: &[u8]) -> Option<Dimensions> {
    let text = unescaped(text);
    let (first, last) = text.split_once(':')?;
    Some(Dimensions::new(parse_cell(first)?, parse_cell(last)?))
}

fn no_place(text: &[u8]) -> Failure {
    Failure::Sheet(format!("`{}` is no place of a cell", String::from_utf8_lossy(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_decimals_are_as_their_floats_say() {
        for text in [
            "0",
            "-0",
            "7",
            "-12",
            "1.5",
            "1.50",
            "100",
            "0.1",
            "-0.07",
            "123456789.01234",
            "999999999999999",
            "0.000001",
            "007",
            "12.0",
            "123456789012.345",
        ] {
            let item = short_decimal(text.as_bytes()).unwrap();
            assert_eq!(item, Item::number(text.parse().unwrap()), "{text}");
        }
        for text in [
            "",
            "-",
            ".",
            ".5",
            "5.",
            "1.2.3",
            "1e5",
            "+1",
            " 1",
            "0.0000001",
            "1234567890123456",
            "--1",
        ] {
            assert_eq!(short_decimal(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn places_of_cells() {
        assert_eq!(cell_place(b"A1"), Some((0, 0)));
        assert_eq!(cell_place(b"xfd1048576"), Some((1_048_575, 16_383)));
        for wrong in ["", "A", "1", "A0", "$A$1", "A1B", "ABCDE1", "A99999999999"] {
            assert_eq!(cell_place(wrong.as_bytes()), None, "{wrong}");
        }
    }
}
