//! A column under construction: it starts with the narrowest type, and a cell that does not fit widens it.

use std::sync::Arc;

use mitt_base::memory::Charge;

use super::texts::{self, Index};
use crate::cell::{Cell, CellRef};
use crate::chunk::{Chunk, Problem};
use crate::column::Column;
use crate::date::{parse_date, parse_date_time, parse_time};
use crate::number::{Decimal, power};
use crate::text::Texts;
use crate::validity::{Validity, bit, clear_rest, push_bit};
use crate::values::Values;

/// A column under construction.
pub struct ColumnBuilder {
    values: Values,
    validity: Validity,
    index: Index,
    dates: bool,
    /// Bytes of the texts of mixed cells, kept because counting them each time would be slow.
    mixed_texts: usize,
}

impl Default for ColumnBuilder {
    fn default() -> ColumnBuilder {
        ColumnBuilder {
            values: Values::Empty(0),
            validity: Validity::default(),
            index: Index::default(),
            dates: false,
            mixed_texts: 0,
        }
    }
}

/// A cell to be added to a column.
#[derive(Clone, Copy)]
enum Item<'a> {
    Boolean(bool),
    Integer(i64),
    Decimal(Decimal),
    Float(f64),
    Date(i32),
    Time(i64),
    DateTime(i64),
    Text(&'a str),
    /// A number that only text can hold.
    Number(&'a str),
}

impl ColumnBuilder {
    /// Returns a column that begins with `count` nulls.
    pub(super) fn nulls(count: usize) -> ColumnBuilder {
        let mut column = ColumnBuilder::default();
        column.push_nulls(count);
        column
    }

    pub(super) fn find_dates(&mut self) {
        self.dates = true;
    }

    /// Appends a cell.
    pub fn push(&mut self, cell: CellRef<'_>) -> Result<(), Problem> {
        match cell {
            CellRef::Null => {
                self.push_nulls(1);
                Ok(())
            }
            CellRef::Boolean(value) => self.item(Item::Boolean(value)),
            CellRef::Number(text) => self.item(number(text)),
            CellRef::Text(text) => self.item(self.text(text)),
        }
    }

    /// Appends nulls.
    fn push_nulls(&mut self, count: usize) {
        if let Values::Empty(length) = &mut self.values {
            *length += count;
            return;
        }
        for _ in 0..count {
            match &mut self.values {
                Values::Empty(_) => {}
                Values::Booleans(bits, length) => {
                    push_bit(bits, *length, false);
                    *length += 1;
                }
                Values::Integers(values)
                | Values::Decimals(_, values)
                | Values::Times(values)
                | Values::DateTimes(values) => values.push(0),
                Values::WideDecimals(_, values) => values.push(0),
                Values::Floats(values) => values.push(0.0),
                Values::Dates(values) => values.push(0),
                Values::Mixed(cells) => cells.push(Cell::Null),
                values @ (Values::Texts(_) | Values::Dictionary(..)) => texts::push_null(values),
            }
        }
        self.validity.push_all(false, count);
    }

    /// Returns a text, or a date if this column looks for dates and the text is one.
    fn text<'a>(&self, text: &'a str) -> Item<'a> {
        let found = match (self.dates, &self.values) {
            (true, Values::Empty(_)) => parse_date(text)
                .map(Item::Date)
                .or_else(|| parse_date_time(text).map(Item::DateTime))
                .or_else(|| parse_time(text).map(Item::Time)),
            (true, Values::Dates(_)) => parse_date(text).map(Item::Date),
            (true, Values::DateTimes(_)) => parse_date_time(text).map(Item::DateTime),
            (true, Values::Times(_)) => parse_time(text).map(Item::Time),
            _ => None,
        };
        found.unwrap_or(Item::Text(text))
    }

    fn item(&mut self, item: Item<'_>) -> Result<(), Problem> {
        // Each round widens the column, and the last form accepts everything.
        while !self.fits(item)? {
            self.widen(item)?;
        }
        self.validity.push(true);
        Ok(())
    }

    /// Appends the item if the column already has a type for it.
    #[inline]
    fn fits(&mut self, item: Item<'_>) -> Result<bool, Problem> {
        match (&mut self.values, item) {
            (Values::Booleans(bits, length), Item::Boolean(value)) => {
                push_bit(bits, *length, value);
                *length += 1;
            }
            (Values::Integers(values), Item::Integer(value))
            | (Values::Times(values), Item::Time(value))
            | (Values::DateTimes(values), Item::DateTime(value)) => values.push(value),
            (Values::Decimals(scale, units), item) => {
                let Some(value) = decimal(item, *scale).and_then(narrow) else { return Ok(false) };
                units.push(value);
            }
            (Values::WideDecimals(scale, units), item) => {
                let Some(value) = decimal(item, *scale) else { return Ok(false) };
                units.push(value);
            }
            (Values::Floats(values), Item::Float(value)) => values.push(value),
            (Values::Dates(values), Item::Date(value)) => values.push(value),
            (values @ (Values::Texts(_) | Values::Dictionary(..)), item) => {
                let mut written = String::new();
                let Some(text) = as_text(item, &mut written) else { return Ok(false) };
                texts::push(values, &mut self.index, text)?;
            }
            (Values::Mixed(cells), item) => {
                let cell = as_cell(item);
                self.mixed_texts += cell.kept_bytes();
                cells.push(cell);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Converts the column to the next wider form that may accept `item`.
    fn widen(&mut self, item: Item<'_>) -> Result<(), Problem> {
        let next = match (&self.values, item) {
            (Values::Empty(length), item) => {
                self.validity = Validity::all(false, *length);
                Some(begun(item, *length))
            }
            (
                Values::Integers(_) | Values::Decimals(..) | Values::WideDecimals(..),
                Item::Integer(_) | Item::Decimal(_),
            ) => self.wider_number(item),
            (
                Values::Dates(_) | Values::Times(_) | Values::DateTimes(_),
                Item::Text(_) | Item::Date(_) | Item::Time(_) | Item::DateTime(_),
            ) => return self.turn_into_texts(),
            _ => None,
        };
        match next {
            Some(values) => self.values = values,
            None => self.turn_into_cells(),
        }
        Ok(())
    }

    /// Returns the numbers so far in a form that also fits `item`. `None` if there is no such form.
    fn wider_number(&self, item: Item<'_>) -> Option<Values> {
        let scale = match item {
            Item::Decimal(decimal) => decimal.scale.max(self.values.scale()),
            _ => self.values.scale(),
        };
        let factor = power(scale - self.values.scale())?;
        let of = |units: &[i64]| -> Option<Vec<i128>> {
            units
                .iter()
                .map(|unit| i128::from(*unit).checked_mul(factor).filter(in_bounds))
                .collect()
        };
        let wide = match &self.values {
            Values::Integers(units) | Values::Decimals(_, units) => of(units)?,
            Values::WideDecimals(_, units) => {
                let scaled = units.iter().map(|unit| unit.checked_mul(factor).filter(in_bounds));
                scaled.collect::<Option<_>>()?
            }
            _ => return None,
        };
        let value = decimal(item, scale)?;
        // Zeros are narrow at any scale.
        let narrow_enough = scale <= 18
            && !matches!(self.values, Values::WideDecimals(..))
            && narrow(value).is_some();
        if narrow_enough && let Some(units) = wide.iter().map(|unit| narrow(*unit)).collect() {
            return Some(Values::Decimals(scale, units));
        }
        Some(Values::WideDecimals(scale, wide))
    }

    fn turn_into_texts(&mut self) -> Result<(), Problem> {
        let mut values = Values::Dictionary(Vec::with_capacity(self.values.len()), Arc::default());
        let mut written = String::new();
        for at in 0..self.values.len() {
            if self.validity.is_valid(at) {
                let text = self.values.cell(at, &mut written).as_str();
                texts::push(&mut values, &mut self.index, text)?;
            } else {
                texts::push_null(&mut values)
            }
        }
        self.values = values;
        Ok(())
    }

    fn turn_into_cells(&mut self) {
        let mut written = String::new();
        let mut cells = Vec::with_capacity(self.values.len() + 1);
        for at in 0..self.values.len() {
            cells.push(if self.validity.is_valid(at) {
                self.values.cell(at, &mut written).to_cell()
            } else {
                Cell::Null
            });
        }
        self.mixed_texts = cells.iter().map(Cell::kept_bytes).sum();
        self.values = Values::Mixed(cells);
        self.index = Index::default();
    }

    /// Appends a chunk that was checked.
    pub(super) fn append(&mut self, chunk: Chunk) -> Result<(), Problem> {
        let Chunk { values, validity } = chunk;
        if let Values::Empty(count) = values {
            self.push_nulls(count);
            return Ok(());
        }
        if let Values::Mixed(cells) = values {
            return cells.iter().try_for_each(|cell| self.push_as_is(cell.borrow()));
        }
        if self.values.is_empty() {
            self.values = values;
            self.validity = validity;
            if let Values::Booleans(bits, length) = &mut self.values {
                // Clear the unused bits of the last byte, because more bits will be added there.
                clear_rest(bits, *length);
            }
            return Ok(());
        }
        if self.extended(&values) || texts::extended(&mut self.values, &mut self.index, &values)? {
            self.validity.extend(&validity);
            return Ok(());
        }
        let mut written = String::new();
        for at in 0..values.len() {
            match (validity.is_valid(at), typed(&values, at)) {
                (false, _) => self.push_nulls(1),
                (true, Some(item)) => self.item(item)?,
                (true, None) => self.push_as_is(values.cell(at, &mut written))?,
            }
        }
        Ok(())
    }

    /// Appends values of the same form at once. Returns `false` if the forms differ.
    fn extended(&mut self, more: &Values) -> bool {
        match (&mut self.values, more) {
            (Values::Integers(values), Values::Integers(more))
            | (Values::Times(values), Values::Times(more))
            | (Values::DateTimes(values), Values::DateTimes(more)) => {
                values.extend_from_slice(more)
            }
            (Values::Decimals(scale, units), Values::Decimals(same, more)) if scale == same => {
                units.extend_from_slice(more)
            }
            (Values::WideDecimals(scale, units), Values::WideDecimals(same, more))
                if scale == same =>
            {
                units.extend_from_slice(more)
            }
            (Values::Floats(values), Values::Floats(more)) => values.extend_from_slice(more),
            (Values::Dates(values), Values::Dates(more)) => values.extend_from_slice(more),
            // Both begin at a byte boundary.
            (Values::Booleans(bits, length), Values::Booleans(more, count))
                if length.is_multiple_of(8) =>
            {
                bits.extend_from_slice(more);
                *length += count;
                clear_rest(bits, *length);
            }
            _ => return false,
        }
        true
    }

    /// Appends a cell without looking for dates in its text.
    fn push_as_is(&mut self, cell: CellRef<'_>) -> Result<(), Problem> {
        match cell {
            CellRef::Text(text) => self.item(Item::Text(text)),
            cell => self.push(cell),
        }
    }

    /// Returns the values so far, and which of them are not null.
    pub(super) fn parts(&self) -> (&Values, &Validity) {
        (&self.values, &self.validity)
    }

    #[cfg(feature = "arrow")]
    pub(super) fn dates_to_date_times(&mut self) {
        self.values.dates_to_date_times();
    }

    pub(super) fn shrink(&mut self) {
        self.values.shrink();
        self.validity.shrink();
        self.index = Index::default();
    }

    pub(super) fn kept_bytes(&self) -> usize {
        let values = match &self.values {
            Values::Mixed(cells) => cells.capacity() * size_of::<Cell>() + self.mixed_texts,
            values => values.kept_bytes(),
        };
        values + self.validity.kept_bytes() + self.index.kept_bytes()
    }

    pub(super) fn finish(self, charge: Arc<Charge>) -> Column {
        Column::new(self.values, self.validity, charge)
    }
}

/// Parses a number in JSON's notation.
fn number(text: &str) -> Item<'_> {
    match Decimal::parse(text) {
        Some(Decimal { units, scale: 0 }) => match i64::try_from(units) {
            Ok(value) => Item::Integer(value),
            Err(_) => Item::Decimal(Decimal { units, scale: 0 }),
        },
        Some(decimal) => Item::Decimal(decimal),
        None => Item::Number(text),
    }
}

/// Returns the value at a position that is not null. `None` for texts and mixed cells.
fn typed(values: &Values, at: usize) -> Option<Item<'_>> {
    Some(match values {
        Values::Booleans(bits, _) => Item::Boolean(bit(bits, at)),
        Values::Integers(values) => Item::Integer(values[at]),
        Values::Decimals(scale, units) => shortest(units[at].into(), *scale),
        Values::WideDecimals(scale, units) => shortest(units[at], *scale),
        Values::Floats(values) => Item::Float(values[at]),
        Values::Dates(values) => Item::Date(values[at]),
        Values::Times(values) => Item::Time(values[at]),
        Values::DateTimes(values) => Item::DateTime(values[at]),
        _ => return None,
    })
}

fn shortest<'a>(units: i128, scale: u8) -> Item<'a> {
    let mut short = Decimal { units, scale };
    while short.scale > 0 && short.units % 10 == 0 {
        short = Decimal { units: short.units / 10, scale: short.scale - 1 };
    }
    match i64::try_from(short.units) {
        Ok(value) if short.scale == 0 => Item::Integer(value),
        _ => Item::Decimal(short),
    }
}

/// Returns the first form of a column that has `length` nulls before `item`.
fn begun(item: Item<'_>, length: usize) -> Values {
    match item {
        Item::Boolean(_) => Values::Booleans(vec![0; length.div_ceil(8)], length),
        Item::Integer(_) => Values::Integers(vec![0; length]),
        Item::Decimal(decimal) if decimal.scale <= 18 && narrow(decimal.units).is_some() => {
            Values::Decimals(decimal.scale, vec![0; length])
        }
        Item::Decimal(decimal) => Values::WideDecimals(decimal.scale, vec![0; length]),
        Item::Float(_) => Values::Floats(vec![0.0; length]),
        Item::Date(_) => Values::Dates(vec![0; length]),
        Item::Time(_) => Values::Times(vec![0; length]),
        Item::DateTime(_) => Values::DateTimes(vec![0; length]),
        Item::Text(_) => Values::Dictionary(vec![0; length], Arc::new(Texts::default())),
        Item::Number(_) => Values::Mixed(vec![Cell::Null; length]),
    }
}

/// Returns the units of a number at a scale. `None` if it is not a number, or has more digits.
fn decimal(item: Item<'_>, scale: u8) -> Option<i128> {
    match item {
        Item::Integer(value) => {
            Some(Decimal { units: value.into(), scale: 0 }.rescaled(scale)?.units)
        }
        Item::Decimal(decimal) => Some(decimal.rescaled(scale)?.units),
        _ => None,
    }
}

/// Returns units of at most 18 digits.
fn narrow(units: i128) -> Option<i64> {
    i64::try_from(units).ok().filter(|units| units.unsigned_abs() < 10_u64.pow(18))
}

fn in_bounds(units: &i128) -> bool {
    power(38).is_some_and(|most| units.unsigned_abs() < most.unsigned_abs())
}

/// Returns the text of a text, or of a date in a column of texts.
fn as_text<'a>(item: Item<'a>, written: &'a mut String) -> Option<&'a str> {
    match item {
        Item::Text(text) => return Some(text),
        Item::Date(days) => crate::push_date(written, days),
        Item::Time(micros) => crate::push_time(written, micros),
        Item::DateTime(micros) => crate::push_date_time(written, micros),
        _ => return None,
    }
    Some(written)
}

fn as_cell(item: Item<'_>) -> Cell {
    let mut written = String::new();
    match item {
        Item::Boolean(value) => return Cell::Boolean(value),
        Item::Text(text) => return Cell::Text(text.into()),
        Item::Number(text) => return Cell::Number(text.into()),
        Item::Integer(value) => crate::push_decimal(&mut written, value.into(), 0),
        Item::Decimal(decimal) => crate::push_decimal(&mut written, decimal.units, decimal.scale),
        Item::Float(value) => {
            if !crate::number::push_float(&mut written, value) {
                return Cell::Null;
            }
        }
        dates => {
            let text = as_text(dates, &mut written).map(Into::into);
            return text.map_or(Cell::Null, Cell::Text);
        }
    }
    Cell::Number(written.into())
}
