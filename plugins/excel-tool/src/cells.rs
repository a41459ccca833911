//! Converts the values of a column to cells and collects its [`Facts`]. Each cell is read once, part by part.

use crate::bindings::exports::mitt::excel_tool::tools::ColumnKind;
use crate::bindings::mitt::host::render::ShownAs;
use crate::date;
use crate::facts::{Facts, Value, of_float, of_units, used};
use crate::held::held_by_cell;
use crate::number::{decimal, from_text};
use crate::problems::{Problems, quoted};
use crate::width;
use mitt_guest::tables::{Build, Cell, Chunk, ColumnType, Error, Source, Values};

/// Most cells in memory at once.
const PART: u64 = 1 << 16;
/// 1900-01-01, the first day of Excel's calendar, in days since 1970.
const FIRST_DAY: i32 = -25_567;
/// Microseconds in a day.
const DAY: i64 = 86_400_000_000;

/// One column of a table, and the facts about it.
#[derive(Debug)]
pub(crate) struct Column<T> {
    /// The kind that `auto` was resolved to.
    pub(crate) kind: ColumnKind,
    pub(crate) look: Look,
    pub(crate) facts: Facts,
    pub(crate) shown: ShownAs,
    /// The column that is written instead of that of the table.
    pub(crate) made: Option<T>,
}

/// The type of the shown values, as far as the number format depends on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Look {
    Numbers,
    Dates,
    DateTimes,
    Times,
    Other,
}

/// The problems that the caller can correct, or the error of the host.
pub(crate) type Failed = Error;

/// Reads a column. `place` is the path of the data.
pub(crate) fn column<T: Source>(
    table: &T,
    index: u32,
    kind: ColumnKind,
    place: &str,
    problems: &mut Problems,
) -> Result<Column<T>, Failed> {
    let of = table.columns().swap_remove(index as usize);
    let mut reader = Reader { table, index, name: of.name, place, problems };
    let is_time = matches!(of.type_, ColumnType::Date | ColumnType::Time | ColumnType::DateTime);
    match (kind, of.type_) {
        (ColumnKind::Auto | ColumnKind::Date, _) if is_time => reader.times(kind, of.type_),
        (ColumnKind::Auto, ColumnType::Text | ColumnType::Mixed) => match reader.dates(true)? {
            Some(column) => Ok(column),
            None => reader.plain(ColumnKind::Auto),
        },
        (ColumnKind::Date, _) => {
            let column = reader.dates(false)?;
            Ok(column.unwrap_or_else(|| empty(kind, table.rows() as usize)))
        }
        (
            ColumnKind::Number,
            ColumnType::Integer | ColumnType::Decimal | ColumnType::Float | ColumnType::Empty,
        ) => reader.plain(kind),
        (ColumnKind::Number, _) => reader.numbers(),
        (ColumnKind::Auto | ColumnKind::Text | ColumnKind::Formula | ColumnKind::Link, _) => {
            reader.plain(kind)
        }
    }
}

fn empty<T>(kind: ColumnKind, rows: usize) -> Column<T> {
    let mut facts = Facts::new();
    facts.add_filled(rows, 0, 0);
    Column { kind, look: Look::Other, facts, shown: ShownAs::Value, made: None }
}

struct Reader<'a, T> {
    table: &'a T,
    index: u32,
    name: String,
    place: &'a str,
    problems: &'a mut Problems,
}

impl<T: Source> Reader<'_, T> {
    /// Calls `each` for each part, with its first row.
    fn parts(
        &mut self,
        mut each: impl FnMut(&mut Self, usize, Chunk) -> Result<bool, Failed>,
    ) -> Result<(), Failed> {
        let (mut start, rows) = (0, self.table.rows());
        let mut length = PART;
        while start < rows {
            let chunk = self.table.slice(self.index, start, length)?;
            let got = chunk.len() as u64;
            // Every part of a dictionary carries all its texts.
            if matches!(chunk.values, Values::Dictionary { .. }) {
                length = rows;
            }
            if got == 0 || !each(self, start as usize, chunk)? {
                return Ok(());
            }
            start += got;
        }
        Ok(())
    }

    fn problem(&mut self, row: usize, problem: &str) {
        self.problems.add(format!("{}.rows[{row}].{}", self.place, self.name), problem);
    }

    /// Returns the column with its values unchanged, as text, as formulas or as links.
    fn plain(&mut self, kind: ColumnKind) -> Result<Column<T>, Failed> {
        let mut column = empty(kind, 0);
        column.shown = match kind {
            ColumnKind::Text => ShownAs::Text,
            ColumnKind::Link => ShownAs::Link,
            _ => ShownAs::Value,
        };
        let facts = &mut column.facts;
        self.parts(|_, _, chunk| {
            match kind {
                ColumnKind::Text | ColumnKind::Link => add_shown(facts, &chunk, kind),
                _ => add(facts, &chunk),
            }
            Ok(true)
        })?;
        if column.facts.numbers > 0 {
            column.look = Look::Numbers;
        }
        Ok(column)
    }

    /// Returns a column of dates or times; a column of text if Excel cannot hold one of them.
    fn times(&mut self, kind: ColumnKind, of: ColumnType) -> Result<Column<T>, Failed> {
        let mut column = empty(kind, 0);
        (column.kind, column.look) = match of {
            ColumnType::Date => (ColumnKind::Date, Look::Dates),
            ColumnType::Time => (ColumnKind::Date, Look::Times),
            _ => (ColumnKind::Date, Look::DateTimes),
        };
        let mut is_all = true;
        let facts = &mut column.facts;
        self.parts(|reader, start, chunk| {
            for row in 0..chunk.len() {
                let value = match (chunk.is_null(row), serial(&chunk.values, row)) {
                    (true, _) => Value::Empty,
                    (false, Some(serial)) => Value::Date(serial),
                    (false, None) if kind == ColumnKind::Auto => {
                        is_all = false;
                        return Ok(false);
                    }
                    (false, None) => {
                        let Cell::Text(text) = chunk.cell(row) else { continue };
                        reader.problem(start + row, &no_date(&text));
                        Value::Empty
                    }
                };
                facts.add(value);
            }
            Ok(true)
        })?;
        if is_all { Ok(column) } else { self.plain(ColumnKind::Text) }
    }

    /// Returns a column of dates from ISO 8601 text. With `or_none`, returns `None` at the first text that is not a date:
    /// among dates, it would become an error or lose its meaning.
    fn dates(&mut self, or_none: bool) -> Result<Option<Column<T>>, Failed> {
        let mut column = empty(ColumnKind::Date, 0);
        let builder = T::Builder::new(std::slice::from_ref(&self.name));
        let (mut is_all, mut has_time, facts) = (true, false, &mut column.facts);
        self.parts(|reader, start, chunk| {
            let mut micros = Vec::with_capacity(chunk.len());
            for row in 0..chunk.len() {
                let found = match text_at(&chunk, row) {
                    Some(text) => date::parse(text),
                    None if is_empty(&chunk, row) => {
                        facts.add(Value::Empty);
                        micros.push(None);
                        continue;
                    }
                    None => None,
                };
                match found {
                    Some(date) => {
                        has_time |= date.has_time;
                        facts.add(Value::Date(date.serial));
                        micros.push(Some(date.micros));
                    }
                    None if or_none => {
                        is_all = false;
                        return Ok(false);
                    }
                    None => {
                        reader.problem(start + row, &wrong_date(&chunk.cell(row)));
                        facts.add(Value::Empty);
                        micros.push(None);
                    }
                }
            }
            builder.append(vec![moments(&micros)])?;
            Ok(true)
        })?;
        if !is_all || column.facts.filled == 0 && or_none {
            return Ok(None);
        }
        let made = builder.finish()?;
        column.made = Some(if has_time { made } else { days_of(&made, &self.name)? });
        column.look = if has_time { Look::DateTimes } else { Look::Dates };
        Ok(Some(column))
    }

    /// Returns a column of numbers. Cells may be numbers as text.
    fn numbers(&mut self) -> Result<Column<T>, Failed> {
        let mut column = empty(ColumnKind::Number, 0);
        let builder = T::Builder::new(std::slice::from_ref(&self.name));
        let facts = &mut column.facts;
        self.parts(|reader, start, chunk| {
            let mut cells = Vec::with_capacity(chunk.len());
            for row in 0..chunk.len() {
                let lexeme = match chunk.cell(row) {
                    Cell::Null => None,
                    Cell::Text(text) if text.is_empty() => None,
                    Cell::Number(lexeme) => Some(lexeme),
                    Cell::Text(text) => {
                        let read = from_text(&text);
                        if read.is_none() {
                            reader.problem(
                                start + row,
                                &format!("expected a number, got text {}", quoted(&text)),
                            );
                        }
                        read
                    }
                    Cell::Boolean(value) => {
                        reader.problem(
                            start + row,
                            &format!("expected a number, got boolean `{value}`"),
                        );
                        None
                    }
                };
                facts.add(lexeme.as_deref().map_or(Value::Empty, of_lexeme));
                cells.push(vec![lexeme.map_or(Cell::Null, Cell::Number)]);
            }
            builder.append_cells(&cells)?;
            Ok(true)
        })?;
        column.look = Look::Numbers;
        column.made = Some(builder.finish()?);
        Ok(column)
    }
}

/// Returns date-times from microseconds since 1970.
fn moments(micros: &[Option<i64>]) -> Chunk {
    let validity = micros.iter().map(Option::is_some).collect();
    Chunk::new(
        Values::DateTimes(micros.iter().map(|micros| micros.unwrap_or_default()).collect()),
        validity,
    )
}

/// Returns a column of date-times, all at midnight, as dates.
fn days_of<T: Source>(table: &T, name: &str) -> Result<T, Failed> {
    let builder = T::Builder::new(&[name.to_owned()]);
    for chunk in mitt_guest::tables::chunks(table, 0, PART) {
        let Chunk { validity, values } = chunk?;
        let values = match values {
            Values::DateTimes(micros) => {
                Values::Dates(micros.iter().map(|micros| micros.div_euclid(DAY) as i32).collect())
            }
            other => other,
        };
        builder.append(vec![Chunk { validity, values }])?;
    }
    builder.finish()
}

fn no_date(text: &str) -> String {
    format!(
        "expected a date from 1900 to 9999 such as `2024-12-31` or `2024-12-31T08:30:00` without a time zone, got text {}",
        quoted(text)
    )
}

fn wrong_date(cell: &Cell) -> String {
    match cell {
        Cell::Number(lexeme) => {
            format!("expected a date such as `2024-12-31`, got number {}", quoted(lexeme))
        }
        Cell::Boolean(value) => {
            format!("expected a date such as `2024-12-31`, got boolean `{value}`")
        }
        Cell::Text(text) => no_date(text),
        Cell::Null => no_date(""),
    }
}

/// Returns the text of a cell; `None` if it is not text or is empty.
fn text_at(chunk: &Chunk, row: usize) -> Option<&str> {
    let text = match &chunk.values {
        _ if chunk.is_null(row) => return None,
        Values::Texts(texts) => texts.get(row),
        Values::Dictionary { keys, values } => values.get(keys[row] as usize),
        Values::Mixed(cells) => match &cells[row] {
            Cell::Text(text) => text,
            _ => return None,
        },
        _ => return None,
    };
    Some(text).filter(|text| !text.is_empty())
}

/// Returns `true` for null and for empty text, which would count as filled in Excel.
fn is_empty(chunk: &Chunk, row: usize) -> bool {
    chunk.is_null(row)
        || text_at(chunk, row).is_none()
            && match &chunk.values {
                Values::Texts(_) | Values::Dictionary { .. } => true,
                Values::Mixed(cells) => matches!(&cells[row], Cell::Text(_)),
                _ => false,
            }
}

/// Returns the serial number of a date or time of the host; `None` if Excel cannot hold it.
fn serial(values: &Values, row: usize) -> Option<rust_decimal::Decimal> {
    match values {
        Values::Dates(days) => (days[row] >= FIRST_DAY).then(|| date::serial(days[row], 0)),
        Values::Times(micros) => Some(date::part_of_day(micros[row])),
        Values::DateTimes(micros) => {
            let day = micros[row].div_euclid(DAY) as i32;
            (day >= FIRST_DAY).then(|| date::serial(day, micros[row].rem_euclid(DAY)))
        }
        _ => None,
    }
}

/// Returns the value of a number in JSON notation.
pub(crate) fn of_lexeme(lexeme: &str) -> Value {
    match held_by_cell(lexeme) {
        Some(_) => decimal(lexeme).map_or(Value::Unknown, Value::Number),
        None => Value::TooLong,
    }
}

/// Returns the value of a cell that is written unchanged.
pub(crate) fn value(chunk: &Chunk, row: usize) -> Value {
    if is_empty(chunk, row) {
        return Value::Empty;
    }
    match &chunk.values {
        Values::Integers(units) => of_units(units[row].into(), 0),
        Values::Decimals { scale, units } => of_units(units[row].into(), *scale),
        Values::WideDecimals { scale, units } => of_units(units[row], *scale),
        Values::Floats(values) => of_float(values[row]),
        Values::Mixed(cells) => match &cells[row] {
            Cell::Number(lexeme) => of_lexeme(lexeme),
            _ => Value::Filled,
        },
        values => serial(values, row).map_or(Value::Filled, Value::Date),
    }
}

/// Adds a part whose values are written unchanged.
fn add(facts: &mut Facts, chunk: &Chunk) {
    match &chunk.values {
        Values::Empty(rows) => facts.add_filled(*rows, 0, 0),
        Values::Booleans(_) => facts.add_filled(chunk.len(), chunk.len() - chunk.n_nulls(), 5),
        Values::Integers(units) => facts.add_units(units, 0, chunk.validity.as_ref()),
        Values::Decimals { scale, units } => {
            facts.add_units(units, *scale, chunk.validity.as_ref())
        }
        Values::Texts(_) | Values::Dictionary { .. } => add_texts(facts, chunk, width::text),
        Values::Mixed(cells) => {
            for (row, cell) in cells.iter().enumerate() {
                facts.add(value(chunk, row));
                facts.width = facts.width.max(match cell {
                    Cell::Null => 0,
                    Cell::Boolean(_) => 5,
                    Cell::Number(lexeme) if held_by_cell(lexeme).is_none() => lexeme.len(),
                    Cell::Number(_) => 0,
                    Cell::Text(text) => width::text(text),
                });
            }
        }
        Values::WideDecimals { .. }
        | Values::Floats(_)
        | Values::Dates(_)
        | Values::Times(_)
        | Values::DateTimes(_) => {
            (0..chunk.len()).for_each(|row| facts.add(value(chunk, row)));
        }
    }
    if facts.too_long.is_some() && !matches!(chunk.values, Values::Mixed(_)) {
        // Long numbers are written as text.
        facts.width = facts.width.max(20);
    }
}

/// Adds a part that is written as text or as links.
fn add_shown(facts: &mut Facts, chunk: &Chunk, kind: ColumnKind) {
    let measure: fn(&str) -> usize =
        if kind == ColumnKind::Link { width::link } else { width::text };
    match &chunk.values {
        Values::Texts(_) | Values::Dictionary { .. } => add_texts(facts, chunk, measure),
        // A column of numbers is marked as links only by mistake; its cells are shown unchanged.
        _ if kind == ColumnKind::Link && !matches!(chunk.values, Values::Mixed(_)) => {
            add(facts, chunk)
        }
        _ => {
            let mut width = 0;
            let mut filled = 0;
            for row in 0..chunk.len() {
                let cell = chunk.cell(row);
                let (Cell::Text(text) | Cell::Number(text)) = &cell else {
                    filled += usize::from(matches!(cell, Cell::Boolean(_)));
                    width = width.max(if matches!(cell, Cell::Boolean(_)) { 5 } else { 0 });
                    continue;
                };
                filled += usize::from(!text.is_empty());
                width = width.max(measure(text));
            }
            facts.add_filled(chunk.len(), filled, width);
        }
    }
}

/// Adds texts. Measures each text of a dictionary once.
fn add_texts(facts: &mut Facts, chunk: &Chunk, measure: fn(&str) -> usize) {
    let mut width = facts.width;
    let mut empty = chunk.n_nulls();
    match &chunk.values {
        Values::Dictionary { keys, values } => {
            let used = used(chunk);
            let texts = values.iter().zip(&used).filter(|(_, used)| **used);
            texts.for_each(|(text, _)| width = width.max(measured(text, width, measure)));
            if let Some(key) = values.iter().position(str::is_empty) {
                let of = |(row, of): (usize, &u32)| *of as usize == key && !chunk.is_null(row);
                empty += keys.iter().enumerate().filter(|it| of(*it)).count();
            }
        }
        Values::Texts(texts) => {
            for row in 0..texts.len() {
                match texts.bytes(row) {
                    [] => empty += usize::from(!chunk.is_null(row)),
                    // A text has at least as many bytes as columns on the screen.
                    bytes if bytes.len() > width => {
                        width = width.max(measured(texts.get(row), width, measure))
                    }
                    _ => {}
                }
            }
        }
        _ => {}
    }
    facts.add_filled(chunk.len(), chunk.len() - empty, width);
}

/// Returns the width of a text. Does not measure it if the column already has the maximum width.
fn measured(text: &str, width: usize, measure: fn(&str) -> usize) -> usize {
    if width >= width::MAX_WIDTH { width } else { measure(text) }
}
