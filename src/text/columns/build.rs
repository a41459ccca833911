//! Cells are written as the columns were planned.

use std::hash::BuildHasher as _;

use hashbrown::{DefaultHashBuilder, HashTable};

use super::seen::{BOOLEANS, Class, is_number};
use super::{Kind, Plan, Style};
use crate::clean;
use crate::number;
use crate::table::{Cell, Chunk, Texts, Values};
use crate::time;

/// Columns on their way out.
pub(crate) struct Building {
    columns: Vec<Column>,
    rows: usize,
    /// Bytes of texts since the last chunk.
    texts: usize,
}

/// A column, as far as it was not handed over.
struct Column {
    plan: Plan,
    values: Values,
    /// A bit for each cell; kept from the first null on.
    validity: Vec<u8>,
    has_nulls: bool,
    index: Index,
    number: Vec<u8>,
}

/// Finds texts of a dictionary again.
#[derive(Default)]
struct Index {
    table: HashTable<u32>,
    /// Seeded for each column, so that nobody can choose texts that collide.
    hasher: DefaultHashBuilder,
    /// Whether texts did not repeat, and are not looked for any more.
    is_over: bool,
}

impl Building {
    pub(crate) fn new(plans: &[Plan]) -> Building {
        let column = |plan: &Plan| Column {
            plan: *plan,
            values: begun(plan.kind, false),
            validity: Vec::new(),
            has_nulls: false,
            index: Index::default(),
            number: Vec::new(),
        };
        Building { columns: plans.iter().map(column).collect(), rows: 0, texts: 0 }
    }

    /// Rows that were not handed over.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Bytes of texts that were not handed over.
    pub(crate) fn texts(&self) -> usize {
        self.texts
    }

    /// Write a row: `cells` are those up to the last that is not blank, without blanks around them. False if one does not fit its
    /// plan; the row is not whole then.
    pub(crate) fn push<'a>(&mut self, mut cells: impl Iterator<Item = &'a str>) -> bool {
        for column in &mut self.columns {
            match cells.next() {
                Some(cell) if !cell.is_empty() => {
                    if !column.push(cell, self.rows) {
                        return false;
                    }
                    self.texts += cell.len();
                }
                _ => column.push_null(self.rows),
            }
        }
        if cells.any(|cell| !cell.is_empty()) {
            return false;
        }
        self.rows += 1;
        true
    }

    /// What was written since the last time.
    pub(crate) fn take(&mut self) -> Vec<Chunk> {
        let rows = std::mem::take(&mut self.rows);
        self.texts = 0;
        self.columns.iter_mut().map(|column| column.take(rows)).collect()
    }
}

/// Values of a kind, none yet.
fn begun(kind: Kind, spelled: bool) -> Values {
    match kind {
        Kind::Empty => Values::Empty(0),
        Kind::Integer => Values::Integers(Vec::new()),
        Kind::Decimal(scale) => Values::Decimals(scale, Vec::new()),
        Kind::Wide(scale) => Values::WideDecimals(scale, Vec::new()),
        Kind::Date => Values::Dates(Vec::new()),
        Kind::Time => Values::Times(Vec::new()),
        Kind::DateTime => Values::DateTimes(Vec::new()),
        Kind::Boolean(_) => Values::Booleans(Vec::new(), 0),
        Kind::Text if spelled => Values::Texts(Texts::default()),
        Kind::Text => Values::Dictionary(Vec::new(), Texts::default()),
        Kind::Mixed => Values::Mixed(Vec::new()),
    }
}

fn push_bit(bits: &mut Vec<u8>, at: usize, bit: bool) {
    if at.is_multiple_of(8) {
        bits.push(0);
    }
    bits[at / 8] |= u8::from(bit) << (at % 8);
}

impl Column {
    fn take(&mut self, rows: usize) -> Chunk {
        if let Values::Dictionary(keys, texts) = &self.values
            && texts.len() * 2 > keys.len()
        {
            let mut spelled = Texts::default();
            for key in keys {
                // The slot of a null has no text.
                match (*key as usize) < texts.len() {
                    true => spelled.push(texts.get(*key as usize)),
                    false => spelled.push(b""),
                }
            }
            self.values = Values::Texts(spelled);
            self.index.is_over = true;
        }
        self.index.table.clear();
        let next = begun(self.plan.kind, self.index.is_over);
        let values = std::mem::replace(&mut self.values, next);
        let validity = std::mem::take(&mut self.validity);
        let has_nulls = std::mem::take(&mut self.has_nulls);
        let is_typed = !matches!(values, Values::Empty(_) | Values::Mixed(_));
        // A dictionary without a text has no key that a null could have.
        let values = match values {
            Values::Dictionary(_, texts) if texts.is_empty() => Values::Empty(rows),
            values => values,
        };
        let is_typed = is_typed && !matches!(values, Values::Empty(_));
        Chunk { values, validity: (is_typed && has_nulls).then_some(validity) }
    }

    fn push_null(&mut self, row: usize) {
        if !self.has_nulls {
            self.has_nulls = true;
            self.validity = vec![0xFF; row / 8];
            if !row.is_multiple_of(8) {
                self.validity.push((1 << (row % 8)) - 1);
            }
        }
        push_bit(&mut self.validity, row, false);
        match &mut self.values {
            Values::Empty(count) => *count += 1,
            Values::Booleans(bits, count) => {
                push_bit(bits, *count, false);
                *count += 1;
            }
            Values::Integers(values)
            | Values::Decimals(_, values)
            | Values::Times(values)
            | Values::DateTimes(values) => values.push(0),
            Values::WideDecimals(_, values) => values.push(0),
            Values::Dates(values) => values.push(0),
            Values::Texts(texts) => texts.push(b""),
            Values::Dictionary(keys, _) => keys.push(0),
            Values::Mixed(cells) => cells.push(Cell::Null),
        }
    }

    /// Write a cell that is not blank. False if it does not fit.
    #[inline]
    fn push(&mut self, cell: &str, row: usize) -> bool {
        if !self.write(cell) {
            return false;
        }
        if self.has_nulls {
            push_bit(&mut self.validity, row, true);
        }
        true
    }

    #[inline]
    fn write(&mut self, cell: &str) -> bool {
        let bytes = cell.as_bytes();
        match &mut self.values {
            Values::Integers(values) => {
                if let Some(value) = number::short_whole(bytes) {
                    values.push(value);
                    return true;
                }
                self.write_number(cell)
            }
            Values::Decimals(scale, units) if self.plan.style != Style::Comma => {
                if let Some(value) = number::short_decimal(bytes, *scale) {
                    units.push(value);
                    return true;
                }
                self.write_number(cell)
            }
            Values::Decimals(..) | Values::WideDecimals(..) => self.write_number(cell),
            Values::Texts(_) | Values::Dictionary(..) => self.write_text(cell),
            _ => self.write_other(cell),
        }
    }

    /// A number that is longer or written in another way than most are.
    #[cold]
    fn write_number(&mut self, cell: &str) -> bool {
        let cleaned = clean::text(cell);
        let text = cleaned.trim().as_bytes();
        let decimal = match Class::of(if text.is_empty() { b"x" } else { text }) {
            Class::Number(form) if is_number(form, self.plan.style) => {
                match self.plan.style {
                    Style::Comma => number::from_comma(text, &mut self.number),
                    _ => {
                        self.number.clear();
                        self.number.extend_from_slice(text);
                    }
                }
                number::decimal(&self.number)
            }
            Class::Exponent(_) if self.plan.exponents => number::decimal(text),
            _ => None,
        };
        let Some(decimal) = decimal else { return false };
        match &mut self.values {
            Values::Integers(values) => {
                let value = decimal.at(0).and_then(|units| i64::try_from(units).ok());
                value.map(|value| values.push(value)).is_some()
            }
            Values::Decimals(scale, values) => {
                let units = decimal.at(*scale).and_then(|units| i64::try_from(units).ok());
                let units = units.filter(|units| units.unsigned_abs() < 10_u64.pow(18));
                units.map(|units| values.push(units)).is_some()
            }
            Values::WideDecimals(scale, values) => {
                decimal.at(*scale).map(|units| values.push(units)).is_some()
            }
            _ => false,
        }
    }

    fn write_text(&mut self, cell: &str) -> bool {
        // A number among texts would make the column one of several types.
        let may_be_number = self.plan.style != Style::Text
            && matches!(cell.as_bytes()[0], b'0'..=b'9' | b'-')
            && cell.as_bytes()[cell.len() - 1].is_ascii_digit();
        if may_be_number
            && let Class::Number(form) = Class::of(cell.as_bytes())
            && is_number(form, self.plan.style)
        {
            return false;
        }
        let cleaned = clean::text(cell);
        let text = cleaned.as_bytes();
        match &mut self.values {
            Values::Texts(texts) => texts.push(text),
            Values::Dictionary(keys, texts) => {
                let hash = self.index.hasher.hash_one(text);
                let known = self.index.table.find(hash, |key| texts.get(*key as usize) == text);
                let key = match known {
                    Some(key) => *key,
                    None => {
                        let key = u32::try_from(texts.len()).unwrap_or(u32::MAX);
                        texts.push(text);
                        let hasher = &self.index.hasher;
                        let again = |key: &u32| hasher.hash_one(texts.get(*key as usize));
                        self.index.table.insert_unique(hash, key, again);
                        key
                    }
                };
                keys.push(key);
            }
            _ => return false,
        }
        true
    }

    fn write_other(&mut self, cell: &str) -> bool {
        let cleaned = clean::text(cell);
        let text = cleaned.trim();
        if text.is_empty() {
            // Only what nobody sees was in it.
            return match &mut self.values {
                Values::Mixed(cells) => {
                    cells.push(Cell::Text(String::new()));
                    true
                }
                _ => false,
            };
        }
        let bytes = text.as_bytes();
        match (&mut self.values, self.plan.kind) {
            (Values::Dates(values), _) => time::date(bytes).map(|it| values.push(it)).is_some(),
            (Values::Times(values), _) => time::time(bytes).map(|it| values.push(it)).is_some(),
            (Values::DateTimes(values), _) => {
                time::date_time(bytes).map(|it| values.push(it)).is_some()
            }
            (Values::Booleans(bits, count), Kind::Boolean(spelling)) => {
                let value = BOOLEANS[spelling].iter().position(|known| *known == bytes);
                let Some(value) = value else { return false };
                push_bit(bits, *count, value == 1);
                *count += 1;
                true
            }
            (Values::Mixed(cells), _) => {
                cells.push(mixed(text, self.plan, &mut self.number));
                true
            }
            _ => false,
        }
    }
}

/// A cell of a column of several types.
fn mixed(text: &str, plan: Plan, written: &mut Vec<u8>) -> Cell {
    match Class::of(text.as_bytes()) {
        Class::Number(form) if is_number(form, plan.style) => {
            if plan.style != Style::Comma {
                return Cell::Number(text.to_owned());
            }
            number::from_comma(text.as_bytes(), written);
            Cell::Number(String::from_utf8_lossy(written).into_owned())
        }
        Class::Exponent(_) if plan.exponents => Cell::Number(text.to_owned()),
        _ => Cell::Text(text.to_owned()),
    }
}
