//! Writes cells into the columns as planned.

use std::borrow::Cow;

use super::index::Index;
use super::seen::{BOOLEANS, Class, is_number};
use super::{Kind, Plan, Style};
use crate::clean;
use crate::field::{Field, Rows};
use crate::number::{self, Decimal};
use crate::table::{Cell, Chunk, Texts, Values};
use crate::time;

pub(crate) struct Building {
    columns: Vec<Column>,
    /// Rows that were not taken yet.
    rows: usize,
    /// Bytes of the fields of these rows.
    texts: usize,
}

/// The part of a column that was not taken yet.
struct Column {
    plan: Plan,
    values: Values,
    /// A bit for each cell: 1 for a value. Kept only if there are nulls.
    validity: Vec<u8>,
    has_nulls: bool,
    index: Index,
    /// `true` if texts did not repeat, so that further chunks have no dictionary encoding.
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

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    pub(crate) fn texts(&self) -> usize {
        self.texts
    }

    /// Appends rows of trimmed fields. `false` if a field does not fit; the columns then differ in length.
    pub(crate) fn append(&mut self, rows: Rows<'_>) -> bool {
        // In most rows, all fields are in the text, and the buffer need not be chosen for each.
        if rows.unquoted.is_empty() {
            self.append_columns(rows, Rows::column::<true>)
        } else {
            self.append_columns(rows, Rows::column::<false>)
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

    /// Takes the rows since the last call: one chunk for each column.
    pub(crate) fn take(&mut self) -> Vec<Chunk> {
        let rows = std::mem::take(&mut self.rows);
        self.texts = 0;
        self.columns.iter_mut().map(|column| column.take(rows)).collect()
    }
}

/// Returns empty values of a kind, with capacity `room`. `spelled` texts have no dictionary encoding.
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
                // The key of a null may be out of range.
                if (*key as usize) < texts.len() {
                    spelled.push(texts.get(*key as usize))
                } else {
                    spelled.push(b"")
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
        // An empty dictionary has no valid key, which a null needs too.
        let values = match values {
            Values::Dictionary(_, texts) if texts.is_empty() => Values::Empty(rows),
            values => values,
        };
        let is_typed = is_typed && !matches!(values, Values::Empty(_));
        Chunk { values, validity: (is_typed && has_nulls).then_some(validity) }
    }

    /// Appends `count` fields after the first `rows` rows. Returns the bytes of the fields; `None` if one does not fit.
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

    /// Notes which of the fields after the first `rows` rows are null.
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

/// Appends the values of `count` fields, the default for a blank one. Returns their bytes, and `true` if one was blank.
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

/// Writes each field, a blank one as `None`. Returns their bytes, and `true` if one was blank.
#[inline(always)]
fn each<'a>(
    fields: impl Iterator<Item = Field<'a>>,
    mut write: impl FnMut(Option<Field<'a>>) -> Option<()>,
) -> Option<(usize, bool)> {
    let (mut bytes, mut has_nulls) = (0, false);
    for field in fields {
        has_nulls |= field.is_empty();
        bytes += field.len();
        // The only call, so that the compiler inlines it into the loop.
        write((!field.is_empty()).then_some(field))?;
    }
    Some((bytes, has_nulls))
}

#[inline(always)]
fn short_decimal(field: Field<'_>, plan: Plan, scale: u8) -> Option<i64> {
    if plan.style == Style::Comma { None } else { number::short_decimal(field, scale) }
}

/// Parses a number that the fast paths do not parse. `None` if it is none in the style of the plan.
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

/// Returns `true` if a field is a number, which would make the column [`Kind::Mixed`].
#[inline(always)]
fn is_number_among_texts(field: Field<'_>, plan: Plan) -> bool {
    let may_be = plan.style != Style::Text
        && matches!(field.byte(0), b'0'..=b'9' | b'-')
        && field.byte(field.len() - 1).is_ascii_digit();
    may_be && matches!(Class::of(field.bytes()), Class::Number(form) if is_number(form, plan.style))
}

/// Parses a boolean. `None` if it does not have the spelling of the column.
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

/// Writes a field into values of rarer kinds. `None` if it does not fit.
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
        // The field had only characters that cleaning removes.
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
