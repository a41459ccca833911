//! Splits a worksheet into its cells and the elements around them, for every way of reading it.

use super::scan::{Damage, Scanner, Tag, Token, cut_off, unescaped};
use super::text::read_text;
use crate::intake::Failure;
use crate::item::Item;
use crate::place::parse_cell;
use calamine::{Dimensions, expand_shared_formula};
use std::collections::HashMap;
use std::io::Read;

/// A receiver of the content of a worksheet, in the order of the file.
pub(crate) trait Sink {
    /// Takes an element before the cells.
    fn before(&mut self, tag: &Tag<'_>);

    /// Takes the beginning of a row.
    fn row(&mut self, row: u32, tag: &Tag<'_>);

    /// Takes a cell at a row and a column.
    fn cell(&mut self, place: (u32, u32), cell: &Cell) -> Result<(), Failure>;
}

/// Reads a worksheet up to the end of its cells.
pub(crate) fn read_cells(
    scanner: &mut Scanner<impl Read>,
    sink: &mut impl Sink,
) -> Result<(), Failure> {
    let mut is_inside = false;
    let mut cell = Cell::default();
    let mut position = Position::default();
    loop {
        match scanner.next().map_err(Failure::Sheet)? {
            Some(Token::Start(tag)) => match tag.name {
                b"sheetData" if tag.is_empty => return Ok(()),
                b"sheetData" => is_inside = true,
                _ if !is_inside => sink.before(&tag),
                b"row" => {
                    if let Some(number) = tag.attribute(b"r") {
                        let row = integer(number).and_then(|row| row.checked_sub(1));
                        position.row = row.ok_or_else(|| no_place(number))?;
                    }
                    sink.row(position.row, &tag);
                    if tag.is_empty {
                        position.end_row();
                    }
                }
                b"c" => {
                    let place = position.begin(&tag, &mut cell)?;
                    if !tag.is_empty {
                        cell.read(scanner).map_err(Failure::Sheet)?;
                    }
                    sink.cell(place, &cell)?;
                }
                _ => {}
            },
            Some(Token::End(b"row")) => position.end_row(),
            Some(Token::End(b"sheetData")) => return Ok(()),
            Some(_) => {}
            None if is_inside => return Err(Failure::Sheet(cut_off(b"sheetData"))),
            None => return Err(Failure::Sheet("it has no cells".to_owned())),
        }
    }
}

/// Position of the next cell, if it does not name its own.
#[derive(Default)]
struct Position {
    row: u32,
    column: u32,
}

impl Position {
    fn end_row(&mut self) {
        self.row = self.row.saturating_add(1);
        self.column = 0;
    }

    /// Takes the attributes of a cell. Returns its position.
    fn begin(&mut self, tag: &Tag<'_>, cell: &mut Cell) -> Result<(u32, u32), Failure> {
        cell.clear();
        let mut place = (self.row, self.column);
        for (name, value) in tag.attributes() {
            match name {
                b"r" => place = cell_place(value).ok_or_else(|| no_place(value))?,
                b"s" => cell.format = Some(integer(value).unwrap_or_default() as usize),
                b"t" => cell.kind = CellType::of(value),
                _ => {}
            }
        }
        self.column = place.1.saturating_add(1);
        Ok(place)
    }
}

/// The formulas that cells of a worksheet share, by index, with the cells that they are written for.
#[derive(Default)]
pub(crate) struct SharedFormulas(HashMap<u32, (String, (u32, u32))>);

impl SharedFormulas {
    /// Keeps the formula of a cell if other cells may share it.
    pub(crate) fn keep(&mut self, cell: &Cell, place: (u32, u32)) {
        if let Some(Formula::Shared(index)) = cell.formula {
            let text = String::from_utf8_lossy(&cell.formula_text).into_owned();
            self.0.insert(index, (text, place));
        }
    }

    /// Returns the text of a formula; `?` for a shared formula whose definition was not read before.
    pub(crate) fn text(&self, formula: Formula, cell: &Cell, place: (u32, u32)) -> String {
        let own = || String::from_utf8_lossy(&cell.formula_text).into_owned();
        let text = match formula {
            Formula::Own | Formula::Shared(_) => Some(own()),
            Formula::SharedWith(index) => self
                .0
                .get(&index)
                .and_then(|(formula, first)| expand_shared_formula(formula, *first, place).ok()),
            Formula::Damaged => Some(own()).filter(|text| !text.is_empty()),
        };
        text.unwrap_or_else(|| "?".to_owned())
    }
}

/// State of the cell that is being read. It is reused for all cells, to keep its buffers.
#[derive(Default)]
pub(crate) struct Cell {
    pub(crate) kind: CellType,
    /// Index of the cell format.
    pub(crate) format: Option<usize>,
    pub(crate) value: Vec<u8>,
    /// `true` for an inline string, whose text is not in the value element.
    pub(crate) is_inline: bool,
    pub(crate) formula: Option<Formula>,
    formula_text: Vec<u8>,
}

#[derive(Clone, Copy)]
pub(crate) enum Formula {
    Own,
    /// Other cells may share it.
    Shared(u32),
    SharedWith(u32),
    Damaged,
}

/// Type of the value of a cell.
#[derive(Clone, Copy, Default, PartialEq)]
pub(crate) enum CellType {
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
    pub(crate) fn has_no_value(&self) -> bool {
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
pub(super) fn short_decimal(text: &[u8]) -> Option<Item> {
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

pub(crate) fn is_true(text: &[u8]) -> bool {
    matches!(text.trim_ascii(), b"1" | b"true" | b"on")
}

pub(crate) fn integer(text: &[u8]) -> Option<u32> {
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
pub(crate) fn region(text: &[u8]) -> Option<Dimensions> {
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
