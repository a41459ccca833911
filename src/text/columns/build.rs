//! Cells are written as the columns were planned.

use std::borrow::Cow;

use super::index::Index;
use super::seen::{BOOLEANS, Class, is_number};
use super::{Kind, Plan, Style};
use crate::clean;
use crate::field::{Field, Rows};
use crate::number::{self, Decimal};
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
    /// Whether texts did not repeat, and are not looked for any more.
    is_spelled: bool,
    number: Vec<u8>,
}

impl Building {
    pub(crate) fn new(plans: &[Plan]) -> Building {
        let column = |plan: &Plan| Column {
            plan: *plan,
            values: begun(plan.kind, false, 0),
            validity: Vec::new(),
            has_nulls: false,
            index: Index::new(plans.len()),
            is_spelled: false,
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

    /// Write rows of fields without blanks around them. False if one does not fit its plan; the rows are not whole then.
    pub(crate) fn append(&mut self, rows: Rows<'_>) -> bool {
        // Most rows need no look at where each of their fields is.
        match rows.unquoted.is_empty() {
            true => self.append_columns(rows, Rows::column::<true>),
            false => self.append_columns(rows, Rows::column::<false>),
        }
    }

    #[inline(always)]
    fn append_columns<'a, F: Iterator<Item = Field<'a>> + Clone>(
        &mut self,
        rows: Rows<'a>,
        fields: impl Fn(Rows<'a>, usize) -> F,
    ) -> bool {
        for (at, column) in self.columns.iter_mut().enumerate() {
            let written = column.append(fields(rows, at), rows.len(), self.rows);
            let Some(bytes) = written else { return false };
            self.texts += bytes;
        }
        self.rows += rows.len();
        true
    }

    /// What was written since the last time.
    pub(crate) fn take(&mut self) -> Vec<Chunk> {
        let rows = std::mem::take(&mut self.rows);
        self.texts = 0;
        self.columns.iter_mut().map(|column| column.take(rows)).collect()
    }
}

/// Values of a kind, none yet, with room for so many.
fn begun(kind: Kind, spelled: bool, room: usize) -> Values {
    match kind {
        Kind::Empty => Values::Empty(0),
        Kind::Integer => Values::Integers(Vec::with_capacity(room)),
        Kind::Decimal(scale) => Values::Decimals(scale, Vec::with_capacity(room)),
        Kind::Wide(scale) => Values::WideDecimals(scale, Vec::with_capacity(room)),
        Kind::Date => Values::Dates(Vec::with_capacity(room)),
        Kind::Time => Values::Times(Vec::with_capacity(room)),
        Kind::DateTime => Values::DateTimes(Vec::with_capacity(room)),
        Kind::Boolean(_) => Values::Booleans(Vec::new(), 0),
        Kind::Text if spelled => Values::Texts(Texts::default()),
        Kind::Text => Values::Dictionary(Vec::with_capacity(room), Texts::default()),
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
            self.is_spelled = true;
        }
        self.index.clear();
        let next = begun(self.plan.kind, self.is_spelled, rows);
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

    /// Write so many fields behind those of so many rows, and say how many bytes they have. `None` if one does not fit.
    #[inline(always)]
    fn append<'a>(
        &mut self,
        fields: impl Iterator<Item = Field<'a>> + Clone,
        count: usize,
        rows: usize,
    ) -> Option<usize> {
        let Column { plan, values, index, number, .. } = self;
        let plan = *plan;
        let written = match values {
            Values::Integers(values) => {
                fill(values, fields.clone(), count, |field| match number::short_whole(field) {
                    Some(value) => Some(value),
                    None => i64::try_from(decimal(field.as_str(), plan, number)?.at(0)?).ok(),
                })
            }
            Values::Decimals(scale, units) => fill(units, fields.clone(), count, |field| {
                match short_decimal(field, plan, *scale) {
                    Some(value) => Some(value),
                    None => {
                        let units = decimal(field.as_str(), plan, number)?.at(*scale)?;
                        let units = i64::try_from(units).ok();
                        units.filter(|units| units.unsigned_abs() < 10_u64.pow(18))
                    }
                }
            }),
            Values::Dates(days) => {
                fill(days, fields.clone(), count, |field| match time::date(field) {
                    Some(day) => Some(day),
                    None => time::date(clean::text(field.as_str()).trim().into()),
                })
            }
            Values::Texts(texts) => each(fields.clone(), |field| {
                let Some(field) = field else {
                    texts.push(b"");
                    return Some(());
                };
                if is_number_among_texts(field, plan) {
                    return None;
                }
                match clean::field(field) {
                    Cow::Borrowed(_) => texts.push_field(field),
                    Cow::Owned(cleaned) => texts.push(cleaned.as_bytes()),
                }
                Some(())
            }),
            Values::Dictionary(keys, texts) => fill(keys, fields.clone(), count, |field| {
                (!is_number_among_texts(field, plan)).then(|| index.key(field, texts))
            }),
            Values::Booleans(bits, length) => each(fields.clone(), |field| {
                let is_true = match field {
                    Some(field) => is_true(field, plan)?,
                    None => false,
                };
                push_bit(bits, *length, is_true);
                *length += 1;
                Some(())
            }),
            values => each(fields.clone(), |field| write(values, field, plan, number)),
        };
        let (bytes, nulls) = written?;
        if nulls || self.has_nulls {
            self.mark(fields, rows);
        }
        Some(bytes)
    }

    /// Note which fields behind those of so many rows are null.
    fn mark<'a>(&mut self, fields: impl Iterator<Item = Field<'a>>, rows: usize) {
        if !self.has_nulls {
            self.has_nulls = true;
            self.validity = vec![0xFF; rows / 8];
            if !rows.is_multiple_of(8) {
                self.validity.push((1 << (rows % 8)) - 1);
            }
        }
        for (at, field) in fields.enumerate() {
            push_bit(&mut self.validity, rows + at, !field.is_empty());
        }
    }
}

/// Append the value of each of so many fields. Gives their bytes, and whether one was blank: then its value is the default.
#[inline(always)]
fn fill<'a, T: Copy + Default>(
    values: &mut Vec<T>,
    fields: impl Iterator<Item = Field<'a>>,
    count: usize,
    mut value: impl FnMut(Field<'a>) -> Option<T>,
) -> Option<(usize, bool)> {
    let (mut bytes, mut has_nulls) = (0, false);
    let before = values.len();
    values.resize(before + count, T::default());
    for (slot, field) in values[before..].iter_mut().zip(fields) {
        if field.is_empty() {
            has_nulls = true;
            continue;
        }
        bytes += field.len();
        *slot = value(field)?;
    }
    Some((bytes, has_nulls))
}

/// Write each field, blank ones as `None`. Gives their bytes, and whether one was blank.
#[inline(always)]
fn each<'a>(
    fields: impl Iterator<Item = Field<'a>>,
    mut write: impl FnMut(Option<Field<'a>>) -> Option<()>,
) -> Option<(usize, bool)> {
    let (mut bytes, mut has_nulls) = (0, false);
    for field in fields {
        has_nulls |= field.is_empty();
        bytes += field.len();
        // In one place, so that it becomes a part of the loop.
        write((!field.is_empty()).then_some(field))?;
    }
    Some((bytes, has_nulls))
}

#[inline(always)]
fn short_decimal(field: Field<'_>, plan: Plan, scale: u8) -> Option<i64> {
    if plan.style == Style::Comma { None } else { number::short_decimal(field, scale) }
}

/// A number that is longer or written in another way than most are.
#[cold]
fn decimal(field: &str, plan: Plan, number: &mut Vec<u8>) -> Option<Decimal> {
    let cleaned = clean::text(field);
    let text = cleaned.trim().as_bytes();
    match Class::of(if text.is_empty() { b"x" } else { text }) {
        Class::Number(form) if is_number(form, plan.style) => match plan.style {
            Style::Comma => {
                number::from_comma(text, number);
                number::decimal(number)
            }
            _ => number::decimal(text),
        },
        Class::Exponent(_) if plan.exponents => number::decimal(text),
        _ => None,
    }
}

/// Whether a field is a number, which would make a column of texts one of several types.
#[inline(always)]
fn is_number_among_texts(field: Field<'_>, plan: Plan) -> bool {
    let may_be = plan.style != Style::Text
        && matches!(field.byte(0), b'0'..=b'9' | b'-')
        && field.byte(field.len() - 1).is_ascii_digit();
    may_be && matches!(Class::of(field.bytes()), Class::Number(form) if is_number(form, plan.style))
}

/// What a boolean says. `None` if the field is none of the column's spelling.
#[inline(always)]
fn is_true(field: Field<'_>, plan: Plan) -> Option<bool> {
    let Kind::Boolean(spelling) = plan.kind else { return None };
    let [no, yes] = BOOLEANS[spelling];
    let bytes = field.bytes();
    if bytes == yes || bytes == no {
        return Some(bytes == yes);
    }
    let cleaned = clean::text(field.as_str());
    let bytes = cleaned.trim().as_bytes();
    (bytes == yes || bytes == no).then_some(bytes == yes)
}

/// Write a field into values of the other kinds. `None` if it does not fit.
fn write(
    values: &mut Values,
    field: Option<Field<'_>>,
    plan: Plan,
    number: &mut Vec<u8>,
) -> Option<()> {
    let Some(field) = field else {
        match values {
            Values::Empty(count) => *count += 1,
            Values::WideDecimals(_, values) => values.push(0),
            Values::Times(values) | Values::DateTimes(values) => values.push(0),
            Values::Mixed(cells) => cells.push(Cell::Null),
            _ => {}
        }
        return Some(());
    };
    if let Values::WideDecimals(scale, units) = values {
        units.push(decimal(field.as_str(), plan, number)?.at(*scale)?);
        return Some(());
    }
    let cleaned = clean::field(field);
    let text = cleaned.trim();
    if text.is_empty() {
        // Only what nobody sees was in it.
        let Values::Mixed(cells) = values else { return None };
        cells.push(Cell::Text(String::new()));
        return Some(());
    }
    let bytes = text.as_bytes();
    match values {
        Values::Times(values) => values.push(time::time(bytes)?),
        Values::DateTimes(values) => values.push(time::date_time(bytes)?),
        Values::Mixed(cells) => cells.push(mixed(text, plan, number)),
        _ => return None,
    }
    Some(())
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
