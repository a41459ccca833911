//! Converts the rows of a table to typed columns.

use crate::intake::MAX_TEXT_BYTES;
use crate::item::{Item, MAX_DIGITS};
use crate::rows::Row;
use crate::value::lexeme;
use mitt_reader_kit::tables::calendar::{DAY, parse_date, parse_date_time, parse_time};
use mitt_reader_kit::tables::{Bits, Build, Chunk, Decimal, Source, Texts, Values};
use mitt_reader_kit::{Cell, Error, TableSource};
use std::collections::HashMap;
use std::rc::Rc;

/// Most rows that are passed to the host at a time.
const ROWS_AT_A_TIME: usize = 16_384;

/// Most cells that are passed at a time, empty ones included. A single row may have more.
const CELLS_AT_A_TIME: usize = 1 << 20;

/// The most digits of the decimals of a column.
const MAX_WIDE_DIGITS: u32 = 38;

/// The most digits of the shortest decimal of a float.
const MAX_FLOAT_DIGITS: u32 = 17;

/// A table whose rows store only their non-empty values.
#[derive(Debug, Default)]
pub struct Sheet {
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<Row>,
}

/// Types of the values of a column.
#[derive(Clone, Copy, Default)]
struct Kinds {
    booleans: bool,
    numbers: bool,
    lexemes: bool,
    texts: bool,
    dates: bool,
    times: bool,
    date_times: bool,
    /// Most digits before the decimal point, and most after it.
    whole: u32,
    scale: u32,
    /// `true` if a number has more digits than a float holds.
    is_beyond_floats: bool,
}

/// Type of a finished column.
#[derive(Clone, Copy)]
enum Target {
    Booleans,
    Numbers,
    Floats,
    Texts,
    Dates,
    Times,
    DateTimes,
    Mixed,
}

impl Kinds {
    fn add(&mut self, item: &Item) {
        match item {
            Item::Null => {}
            Item::Boolean(_) => self.booleans = true,
            Item::Number { scale, units } => {
                self.numbers = true;
                self.size((units.get().into(), *scale));
            }
            Item::Code { units, .. } => {
                self.numbers = true;
                self.size((units.get().into(), 0));
            }
            Item::Lexeme(text) => {
                self.lexemes = true;
                match Decimal::parse(text) {
                    Some(Decimal { units, scale }) => self.size((units, scale)),
                    None => self.whole = MAX_WIDE_DIGITS + 1,
                }
                self.is_beyond_floats |= text.parse().map_or(true, |float| lexeme(float) != **text);
            }
            Item::Text(_) => self.texts = true,
            Item::Date(_) => self.dates = true,
            Item::Time(_) => self.times = true,
            Item::DateTime(_) => self.date_times = true,
        }
    }

    /// Counts the digits of a decimal.
    fn size(&mut self, (units, scale): (i128, u8)) {
        let digits = units.unsigned_abs().checked_ilog10().map_or(1, |log| log + 1);
        self.scale = self.scale.max(scale.into());
        self.whole = self.whole.max(digits.saturating_sub(scale.into()));
        // A number of 18 digits may not be the shortest decimal of its float.
        self.is_beyond_floats |= digits > MAX_FLOAT_DIGITS;
    }

    fn target(self) -> Target {
        let Kinds { booleans, numbers, lexemes, texts, dates, times, date_times, .. } = self;
        let is_numeric = !(booleans || texts || dates || times || date_times);
        match (booleans, numbers, texts, times, dates, date_times) {
            // The exponents of floats may differ more than those of decimals in one column.
            _ if lexemes && is_numeric && self.are_floats() => Target::Floats,
            _ if lexemes => Target::Mixed,
            (true, false, false, false, false, false) => Target::Booleans,
            (false, true, false, false, false, false) => Target::Numbers,
            (false, false, false, true, false, false) => Target::Times,
            (false, false, false, false, true, false) => Target::Dates,
            // A date and time at midnight is stored like a date.
            (false, false, false, false, _, true) => Target::DateTimes,
            (false, false, _, _, _, _) => Target::Texts,
            _ => Target::Mixed,
        }
    }

    fn are_floats(self) -> bool {
        self.whole + self.scale > MAX_WIDE_DIGITS && !self.is_beyond_floats
    }
}

impl TableSource for Sheet {
    fn build<T: Source>(self, _: &mut Vec<String>) -> Result<T, Error> {
        let Sheet { columns, mut rows } = self;
        let mut kinds = vec![Kinds::default(); columns.len()];
        for (column, item) in rows.iter().flatten() {
            kinds[*column as usize].add(item);
        }
        let builder = T::Builder::new(&columns);
        let mut text_bytes = MAX_TEXT_BYTES;
        let n_rows = (CELLS_AT_A_TIME / columns.len().max(1)).clamp(1, ROWS_AT_A_TIME);
        for part in rows.chunks_mut(n_rows) {
            let mut values: Vec<Vec<Item>> =
                columns.iter().map(|_| vec![Item::Null; part.len()]).collect();
            for (row, items) in part.iter_mut().enumerate() {
                // Frees the items.
                for (column, item) in std::mem::take(items) {
                    values[column as usize][row] = item;
                }
            }
            let chunks = values.into_iter().zip(&kinds);
            let chunks = chunks.map(|(items, kinds)| chunk(items, kinds.target(), &mut text_bytes));
            builder.append(chunks.collect::<Result<_, _>>()?)?;
        }
        builder.finish()
    }
}

fn chunk(items: Vec<Item>, target: Target, text_bytes: &mut usize) -> Result<Chunk, Error> {
    if items.iter().all(|item| *item == Item::Null) {
        return Ok(Chunk::from(Values::Empty(items.len())));
    }
    let validity = || items.iter().map(|item| *item != Item::Null).collect::<Bits>();
    let values = match target {
        Target::Booleans => {
            let bits = items.iter().map(|item| *item == Item::Boolean(true));
            Values::Booleans(bits.collect())
        }
        Target::Numbers => numbers(&items),
        Target::Floats => Values::Floats(items.iter().map(float).collect()),
        Target::Texts => texts(&items, text_bytes)?,
        Target::Dates => Values::Dates(items.iter().map(days).collect()),
        Target::Times => Values::Times(items.iter().map(micros).collect()),
        Target::DateTimes => Values::DateTimes(items.iter().map(micros).collect()),
        Target::Mixed => {
            let cells: Vec<Cell> = items.iter().map(Item::cell).collect();
            for cell in &cells {
                take_text(mitt_reader_kit::cell_as_str(cell), text_bytes)?;
            }
            return Ok(Chunk::from(Values::Mixed(cells)));
        }
    };
    Ok(Chunk::new(values, validity()))
}

fn float(item: &Item) -> f64 {
    item.text().parse().unwrap_or_default()
}

fn days(item: &Item) -> i32 {
    if let Item::Date(days) = item { *days } else { 0 }
}

fn micros(item: &Item) -> i64 {
    match item {
        Item::Time(micros) | Item::DateTime(micros) => micros.get(),
        Item::Date(days) => i64::from(*days) * DAY,
        _ => 0,
    }
}

/// Returns decimals with as many digits after the point as the longest has. Nulls are zeros.
fn numbers(items: &[Item]) -> Values {
    let parts = || {
        items.iter().map(|item| match item {
            Item::Number { scale, units } => (*scale, units.get()),
            Item::Code { units, .. } => (0, units.get()),
            _ => (0, 0),
        })
    };
    let scale = parts().map(|(scale, _)| scale).max().unwrap_or(0);
    let factor = |of: u8| 10i64.pow(u32::from(scale - of));
    let wide = || parts().map(|(of, units)| i128::from(units) * i128::from(factor(of)));
    if scale == 0 {
        Values::Integers(parts().map(|(_, units)| units).collect())
    } else if wide().all(|units| units.unsigned_abs() < 10u128.pow(MAX_DIGITS)) {
        Values::Decimals { scale, units: parts().map(|(of, units)| units * factor(of)).collect() }
    } else {
        Values::WideDecimals { scale, units: wide().collect() }
    }
}

/// Returns texts. Repeated ones are stored once.
fn texts(items: &[Item], text_bytes: &mut usize) -> Result<Values, Error> {
    let mut by_address: HashMap<*const u8, u32> = HashMap::new();
    let (mut keys, mut values) = (Vec::with_capacity(items.len()), Texts::default());
    for item in items {
        let new = match item {
            Item::Null => {
                keys.push(0);
                continue;
            }
            Item::Text(text) => match by_address.get(&text.as_ptr()) {
                Some(key) => {
                    keys.push(*key);
                    continue;
                }
                None => {
                    by_address.insert(text.as_ptr(), values.len() as u32);
                    text.as_ref().into()
                }
            },
            other => other.text(),
        };
        take_text(&new, text_bytes)?;
        keys.push(values.len() as u32);
        values.push(&new);
    }
    if values.len() * 2 <= items.len() {
        return Ok(Values::Dictionary { keys, values });
    }
    // Looking up texts that hardly repeat does not pay.
    let mut each = Texts::default();
    for (item, key) in items.iter().zip(&keys) {
        let text = if *item == Item::Null { "" } else { values.get(*key as usize) };
        each.push(text);
    }
    Ok(Values::Texts(each))
}

fn take_text(text: &str, left: &mut usize) -> Result<(), Error> {
    *left = left.checked_sub(text.len()).ok_or_else(crate::intake::too_much_text_error)?;
    Ok(())
}

/// Parses an ISO 8601 text: a date, a time, both, or else text.
pub(crate) fn from_iso(text: &str) -> Item {
    if let Some(days) = parse_date(text) {
        Item::Date(days)
    } else if let Some(micros) = parse_date_time(text) {
        Item::DateTime(micros.into())
    } else if let Some(micros) = parse_time(text) {
        Item::Time(micros.into())
    } else {
        Item::Text(Rc::from(text))
    }
}
